// The panel of counts: area, first solution, counts and their confirmation, shown as they arrive.
import { button, element, starter } from "../dom.js";
import { inLanguage } from "../known.js";

/** @import { App } from "../app.js" */
/** @typedef {{counts: Record<string, number|bigint>, published: string, source: string, symmetries: string[]}} Published the counts that the package expects, their sources, and the symmetries of the puzzle */

const NAMES = ["distinct", "all", "labelled", "labelled_distinct"];

let /** @type {{key: string, known: Record<string, any>}} */ last = { key: "", known: {} }; // the last finished count

/** The result of the last count, if it was of this puzzle. @param {object} asked */
export const knownCount = (asked) => (last.key === JSON.stringify(asked) ? last.known : null);

/** A panel with a button that starts and stops a count, and shows its results as they arrive.
 * @param {App} app @param {object} asked the description of the puzzle in requests @param {Published} [published]
 * @param {() => HTMLElement|null} [longer] a panel shown when the time limit ends the count */
export function countPanel(app, asked, published, longer) {
  const { t } = app, shown = element("div", { "aria-live": "polite" }), progress = element("p", { class: "soft small" });
  const { start, end } = starter(app, t("count_all"), count), look = button(t("look_at_them"), () => app.go("solutions"), { hidden: true });
  const root = element("section", { class: "panel counting" }, element("div", { class: "row" }, start, app.shows("solutions") && look), shown, progress, published && expected(app, published));

  async function count(/** @type {AbortSignal} */ signal) {
    let /** @type {Record<string, any>} */ known = {};
    const found = (/** @type {object} */ part) => {
      if (signal.aborted) return;
      known = { ...known, ...part };
      shown.replaceChildren(...partsOf(app, known));
      look.hidden = !Number(known.counts?.all);
    };
    shown.replaceChildren();
    try {
      await app.ask("count", { puzzle: asked }, { found, told: ({ words }) => (progress.textContent = words), signal });
      last = { key: JSON.stringify(asked), known };
      if (known.complete === false && longer) shown.append(longer() ?? "");
    } finally {
      progress.textContent = signal.aborted ? t("stopped") : "";
    }
  }

  return { root, end };
}

/** @param {App} app @param {Record<string, any>} known */
function partsOf(app, { area, counts, proved_sound = {}, complete = true, sentence, confirmed, by, how_well }) {
  const parts = [];
  if (counts) {
    parts.push(table(app, counts, area?.symmetries, complete, proved_sound));
    if (!complete) parts.push(element("p", { class: "open-question" }, app.t("count_incomplete")));
  }
  if (confirmed) parts.push(element("ul", { class: "confirmed", "data-how": how_well }, ...claims({ confirmed, by }).map((words) => element("li", {}, words))));
  else if (sentence) parts.push(element("p", {}, sentence));
  if (area) parts.push(element("ul", { class: "soft small" }, ...area.facts.map((/** @type {{text: string, impossible: boolean}} */ { text, impossible }) => element("li", { class: impossible ? "bad" : "" }, text))));
  return parts;
}

/** A text on counting up to symmetry, which names the kinds of symmetries of the puzzle. Puzzles without symmetries have a
 * separate text.
 * @param {App} app @param {string} key @param {string[]} symmetries the names of the symmetries, including the identity
 * @param {Record<string, unknown>} [values] */
export function upToSymmetry({ t, language }, key, symmetries, values = {}) {
  const kinds = [/^turn(?!.*inversion)/, /^mirror|inversion/, /^move/].map((kind) => symmetries.some((name) => kind.test(name)));
  const moves = new Intl.ListFormat(language).format(["turn", "mirror", "move"].filter((_, i) => kinds[i]).map((kind) => t(`moves_${kind}`)));
  return moves ? t(key, { ...values, moves, Moves: moves[0].toUpperCase() + moves.slice(1) }) : t(`${key}_still`, values);
}

/** A table of the known counts, with an explanation of each. @param {App} app @param {Record<string, any>} counts
 * @param {string[]} symmetries the symmetries of the puzzle @param {boolean} complete @param {Record<string, boolean>} proved the proven counts */
function table(app, counts, symmetries = [], complete = true, proved = {}) {
  const { t, number } = app, names = NAMES.filter((name) => counts[name] !== undefined && counts[name] !== null);
  const different = names.filter((name, i) => !i || (name === "all" ? symmetries.length > 1 : String(counts[name]) !== String(counts[name === "labelled" ? "all" : "distinct"]) && (name === "labelled" || symmetries.length > 1)));
  const words = (/** @type {string} */ name) => (name === "labelled" ? t("count_labelled") : upToSymmetry(app, `count_${name === "all" ? "all_all" : name}`, symmetries));
  return element("table", { class: "counts" }, element("tbody", {}, ...different.map((name) => element("tr", {}, element("td", { class: complete ? "number" : "number soft" }, `${complete ? "" : "≥ "}${number(counts[name])}`), element("th", { scope: "row" }, words(name), proved[name] && element("span", { class: "soft small" }, t("count_proved_sound")))))));
}

/** The published counts. @param {App} app @param {Published} published */
function expected(app, { counts, published, source, symmetries }) {
  return element("div", { class: "known" }, element("h2", {}, app.t("known_counts")), table(app, counts, symmetries), ...Object.entries({ published, source }).filter(([, words]) => words).map(([key, words]) => element("p", { class: "soft small" }, ...quoted(app, `known_${key}`, words))));
}

/** A quotation, translated if its vocabulary allows. @param {App} app @param {string} key @param {string} english */
function quoted(app, key, english) {
  const { words, lang } = inLanguage(english, app.language), [before, after] = app.t(key, { words: "\n" }).split("\n");
  return [before, element("span", { lang }, words), after];
}

/** The claims that confirm a count. @param {{confirmed: string[], by?: string[]}} known */
export const claims = ({ confirmed, by }) => (by?.length ? by : confirmed);
