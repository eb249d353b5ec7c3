// Forms like this one, tried with the same pieces: a sheet of pictures that fills as it goes.
import { button, cleared, element, svgFrom } from "../dom.js";
import { isStop } from "../ask.js";
import { worded } from "../said.js";

/** @typedef {{svg: string, written?: string[], verdict: string, sentences?: string[], all?: number|bigint|null, distinct?: number|bigint|null, unique?: boolean, symmetry?: number, difficulty?: number|null, puzzle: import("../state.js").Puzzle}} Row */

/** @type {Record<string, (row: Row) => number>} how each order compares; rows with the smaller number come first */
const ORDERS = {
  unique: (row) => (row.unique ? 0 : many(row) > 0 ? 1 : many(row) < 0 ? 2 : 3),
  count: (row) => (many(row) > 0 ? many(row) : Infinity),
  symmetry: (row) => -(row.symmetry || 1),
  difficulty: (row) => (row.difficulty === null || row.difficulty === undefined ? Infinity : -row.difficulty),
};
const SHOWN = 400;
/** @type {{key: string, rows: Row[]}} */
let last = { key: "", rows: [] };

/** @param {Row} row */
function many(row) {
  return row.distinct !== undefined && row.distinct !== null ? Number(row.distinct) : row.verdict === "impossible" ? 0 : -1;
}

/** @type {import("../app.js").Show} */
export async function show(root, app) {
  const { t } = app;
  const { asked, board } = await app.opened();
  const key = JSON.stringify(asked);
  if (last.key !== key) last = { key, rows: [] };
  /** @type {AbortController|null} */
  let stop = null;
  let order = "unique", waiting = false, of = 0;
  const told = element("p", { class: "soft", role: "status" }), bar = element("progress", { max: 1, value: 0, hidden: true, "aria-label": t("progress") });
  const sheet = element("ul", { class: "sheet" });
  const sort = element("select", { id: "order", onchange: () => ((order = sort.value), draw()) }, ...Object.keys(ORDERS).map((name) => element("option", { value: name }, t(`order_${name}`))));
  const none = element("input", { type: "checkbox", id: "with-none", onchange: draw });
  const halt = button(t("stop"), () => stop?.abort(), { hidden: true });
  const starts = [button(t("variant_remove"), () => run({ remove: 1 }), { class: "main" }), button(t("variant_like"), () => run(board.dimension === 3 ? { boxes: true, frames: true } : { boxes: true, frames: true, shapes: true, convex: true }))];
  root.append(element("section", {}, element("h1", {}, t("variants_title")), element("p", { class: "soft" }, t("variants_words", { n: board.atoms.length })),
    element("div", { class: "row" }, ...starts, halt)), bar, told,
    element("div", { class: "row" }, element("label", { for: "order" }, t("order"), " ", sort), element("label", { for: "with-none" }, none, " ", t("with_none"))), sheet);
  draw();

  function draw() {
    waiting = false;
    const some = last.rows.some((row) => many(row) !== 0);
    const rows = last.rows.filter((row) => none.checked || !some || many(row) !== 0);
    const by = ORDERS[order];
    rows.sort((a, b) => by(a) - by(b) || ORDERS.count(a) - ORDERS.count(b));
    cleared(sheet).append(...rows.slice(0, SHOWN).map(card));
    if (last.rows.length) told.textContent = t("variants_found", { n: last.rows.length, of: Math.max(of, last.rows.length), unique: last.rows.filter((row) => row.unique).length, none: last.rows.filter((row) => many(row) === 0).length });
  }

  /** @param {Row} row */
  function card(row) {
    const n = many(row);
    const verdict = row.unique ? t("unique") : n === 0 ? t("none") : n > 0 ? t("distinct", { n: row.distinct }) : t(`verdict_${row.verdict.replace(" ", "_")}`);
    return element("li", { class: row.unique ? "unique" : n === 0 ? "impossible" : "" }, element("div", { class: "picture", "aria-hidden": "true" }, worded(svgFrom(row.svg), row.written ?? [])), element("p", {}, element("b", {}, verdict)),
      (row.symmetry || 1) > 1 && element("p", { class: "soft small" }, t("symmetries", { n: row.symmetry })),
      n === 0 && row.sentences?.length ? element("p", { class: "soft small" }, row.sentences[row.sentences.length - 1]) : null,
      row.difficulty ? element("p", { class: "soft small" }, t("stars", { n: row.difficulty })) : null,
      element("div", { class: "row" }, button(t("view_play"), () => app.go("play", { puzzle: row.puzzle })), button(t("view_draw"), () => app.go("draw", { puzzle: row.puzzle }))));
  }

  /** @param {object} variant */
  async function run(variant) {
    stop?.abort();
    const mine = (stop = new AbortController());
    last.rows = [];
    draw();
    halt.hidden = bar.hidden = false;
    bar.removeAttribute("value");
    told.textContent = t("variants_trying");
    try {
      await app.ask("candidates", { puzzle: asked, variant }, {
        found: (/** @type {{row?: Row, tried?: number, forms: number}} */ { row, tried = 0, forms }) => {
          if (mine.signal.aborted) return;
          of = forms;
          bar.value = forms ? tried / forms : 1;
          if (!row) return;
          last.rows.push(row);
          if (!waiting) setTimeout(draw, 200);
          waiting = true;
        },
        told: ({ words }) => last.rows.length || (told.textContent = words),
        signal: mine.signal });
      if (!last.rows.length && !mine.signal.aborted) told.textContent = t("variants_nothing");
    } catch (error) {
      if (!isStop(error)) app.failed(error);
    }
    if (stop !== mine) return;
    stop = null;
    halt.hidden = bar.hidden = true;
    draw();
  }

  return () => stop?.abort();
}
