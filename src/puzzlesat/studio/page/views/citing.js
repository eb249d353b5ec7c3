// A count to be cited: the number, who confirmed it, by which version, when, and how its certificate is made.
import { button, cleared, element } from "../dom.js";
import { isStop } from "../ask.js";
import { titled } from "../said.js";
import { claims, knownCount } from "./counting.js";
import { copyText, fileName } from "./more.js";

/** @typedef {import("../app.js").App} App */

/**
 * @param {App} app
 * @param {object} asked the puzzle, as questions say it
 * @param {string} title
 * @param {string} name
 * @param {() => string} version of the program, once it has said it
 */
export function citePanel(app, asked, title, name, version) {
  const { t } = app, told = element("p", { class: "soft small", role: "status" }), text = element("div", {});
  /** @type {AbortController|null} */
  let stop = null;
  const start = button(t("cite_make"), () => (stop ? stop.abort() : make()));
  const root = element("details", { class: "panel citing" }, element("summary", {}, t("cite")), element("p", { class: "soft small" }, t("cite_words")), start, told, text);

  async function make() {
    const mine = (stop = new AbortController());
    start.textContent = t("stop");
    try {
      show(citation(knownCount(asked) ?? (await counted(mine.signal))));
    } catch (error) {
      if (!isStop(error)) app.failed(error);
    }
    told.textContent = "";
    stop = null;
    start.textContent = t("cite_make");
  }

  /** @param {AbortSignal} signal */
  async function counted(signal) {
    const known = {};
    await app.ask("count", { puzzle: asked }, { found: (part) => Object.assign(known, part), told: ({ words }) => (told.textContent = words), signal });
    return known;
  }

  /** @param {any} known what was found in a count */
  function citation({ counts, complete, confirmed = [], by }) {
    const said = app.state.name ?? `${fileName(name)}.toml`, file = `${fileName(name)}.proof`, n = counts.distinct ?? counts.all;
    return [t(complete === false ? "cite_at_least" : counts.distinct === null || counts.distinct === undefined ? "cite_all" : "cite_distinct", { title: titled(title), n }),
      t("cite_by", { version: version(), date: new Date().toISOString().slice(0, 10) }), ...claims({ confirmed, by }).map((one) => `- ${one}`), t("cite_certificate"), `puzzlesat certify ${said} -o ${file}`, `puzzlesat verify ${file} --instance ${said}`].join("\n");
  }

  /** @param {string} words */
  function show(words) {
    const box = element("textarea", { readonly: true, rows: words.split("\n").length + 2, "aria-label": t("cite") }, words);
    cleared(text).append(box, button(t("copy"), () => copyText(app, words, t("copied"))));
  }

  return { root, end: () => stop?.abort() };
}
