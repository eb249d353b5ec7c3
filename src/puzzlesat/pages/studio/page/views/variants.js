// Similar forms tried with the same pieces, as a sheet of pictures that fills during the search.
import { button, element, svgFrom } from "../dom.js";
import { Refused } from "../ask.js";
import { worded } from "../said.js";
import { stars } from "./challenges.js";
import { atTerminal } from "./more.js";

/** @typedef {{name: string, svg: string, written?: string[], verdict: string, sentences?: string[], all?: number|bigint|null, distinct?: number|bigint|null, unique?: boolean, symmetry?: number, difficulty?: number|null, puzzle: import("../state.js").Puzzle}} Row */

const /** @type {Record<string, (row: Row) => number>} sort keys of the orders, ascending */ ORDERS = {
  unique: (row) => (row.unique ? 0 : many(row) > 0 ? 1 : many(row) < 0 ? 2 : 3),
  count: (row) => (many(row) > 0 ? many(row) : Infinity),
  symmetry: (row) => -(row.symmetry || 1),
  difficulty: (row) => (row.difficulty === null || row.difficulty === undefined ? Infinity : -row.difficulty),
};
const SHOWN = 400, MAX_CHANGED = 3; // forms shown; cells removed or added at a time
let /** @type {{key: string, rows: Row[]}} */ last = { key: "", rows: [] };

function many(/** @type {Row} */ row) {
  return row.distinct !== undefined && row.distinct !== null ? Number(row.distinct) : row.verdict === "impossible" ? 0 : -1;
}

const sizeOf = (/** @type {import("../app.js").Area} */ { form }) => form.required + form.optional;

/** Compare the numbers of cells of the form and of the pieces, and list the variants with matching numbers.
 * @param {import("../app.js").App} app @param {import("../app.js").Area} area
 * @returns {{words: string, ways: {words: string, variant: object}[]}} */
function fitting({ t }, area) {
  const { low, high } = area.tiles, n = sizeOf(area), over = high === null ? 0 : Math.max(0, n - high), under = Math.max(0, low - n);
  const cells = low === high ? t("variants_cells", { n, tiles: low }) : high === null ? t("variants_cells_more", { n, low }) : t("variants_cells_range", { n, low, high });
  const remove = (/** @type {number} */ k) => ({ words: t("variant_remove", { n: k }), variant: { remove: k } }), add = (/** @type {number} */ k) => ({ words: t("variant_add", { n: k }), variant: { add: k } });
  const much = area.form.required <= n - over ? "" : t(over > MAX_CHANGED ? "variants_far_over" : "variants_over", { n: over }); // optional cells do not count as too many
  if (over) return { words: `${cells} ${much}`, ways: over > MAX_CHANGED || over >= n ? [] : [remove(over)] };
  if (under) return { words: `${cells} ${t(under > MAX_CHANGED ? "variants_far_under" : "variants_under", { n: under })}`, ways: under > MAX_CHANGED ? [] : [add(under)] };
  const move = { words: t("variant_move"), variant: { move: true } };
  if (low === high) return { words: `${cells} ${t("variants_fit")}`, ways: [move] };
  return { words: cells, ways: [...(n - 1 >= Math.max(1, low) ? [remove(1)] : []), ...(high === null || n < high ? [add(1)] : []), move] };
}

/** @type {import("../app.js").Show} */
export async function show(root, app) {
  const { t } = app, { asked, board, area, title } = await app.opened();
  const key = JSON.stringify(asked);
  if (last.key !== key) last = { key, rows: [] };
  let /** @type {AbortController|null} */ stop = null;
  let order = "unique", waiting = false, of = 0;
  const status = element("p", { class: "soft", role: "status" }), bar = element("progress", { max: 1, value: 0, hidden: true, "aria-label": t("progress") });
  const sheet = element("ul", { class: "sheet" }), refusal = element("div", {});
  const sort = element("select", { id: "order", onchange: () => ((order = sort.value), draw()) }, ...Object.keys(ORDERS).map((name) => element("option", { value: name }, t(`order_${name}`))));
  const none = element("input", { type: "checkbox", id: "with-none", onchange: draw });
  const sorting = element("div", { class: "row" }, element("label", { for: "order" }, t("order"), " ", sort), element("label", { for: "with-none" }, none, " ", t("with_none")));
  const halt = button(t("stop"), () => stop?.abort(), { hidden: true });
  const { words, ways } = fitting(app, area);
  const like = board.dimension === 3 ? { boxes: true, frames: true } : { boxes: true, frames: true, shapes: true, convex: true };
  ways.push({ words: t("variant_like"), variant: { ...like, area: String(Math.min(Math.max(sizeOf(area), area.tiles.low), area.tiles.high ?? Infinity)) } });
  const starts = ways.map((way, i) => button(way.words, () => run(way.variant), { class: i === 0 && "main" }));
  root.append(element("section", {}, element("h1", {}, t("variants_title")), element("p", { class: "soft" }, words), element("div", { class: "row" }, ...starts, halt)), bar, status, refusal,
    sorting, sheet);
  draw();

  function draw() {
    waiting = false;
    sorting.hidden = !last.rows.length;
    const some = last.rows.some((row) => many(row) !== 0);
    const rows = last.rows.filter((row) => none.checked || !some || many(row) !== 0);
    const by = ORDERS[order];
    rows.sort((a, b) => by(a) - by(b) || ORDERS.count(a) - ORDERS.count(b));
    sheet.replaceChildren(...rows.slice(0, SHOWN).map(card));
    if (last.rows.length) status.textContent = t("variants_found", { n: last.rows.length, of: Math.max(of, last.rows.length), unique: last.rows.filter((row) => row.unique).length, none: last.rows.filter((row) => many(row) === 0).length });
  }

  function card(/** @type {Row} */ row) {
    const n = many(row);
    const verdict = row.unique ? t("unique") : n === 0 ? t("none") : n > 0 ? t("distinct", { n: row.distinct }) : t(`verdict_${row.verdict.replace(" ", "_")}`);
    return element("li", { class: row.unique ? "unique" : n === 0 ? "impossible" : "" }, element("div", { class: "picture", "aria-hidden": "true" }, worded(svgFrom(row.svg), row.written ?? [])), element("p", {}, element("b", {}, verdict)),
      (row.symmetry || 1) > 1 && element("p", { class: "soft small" }, t("symmetries", { n: row.symmetry })),
      n === 0 && row.sentences?.length ? element("p", { class: "soft small" }, row.sentences[row.sentences.length - 1]) : null,
      row.difficulty ? element("p", {}, stars(app, row.difficulty)) : null,
      element("div", { class: "row" }, button(t("view_play"), () => app.go("play", { puzzle: row.puzzle })), button(t("view_draw"), () => app.go("draw", { puzzle: row.puzzle }))));
  }

  async function run(/** @type {object} */ variant) {
    stop?.abort();
    const mine = (stop = new AbortController());
    last.rows = [];
    refusal.replaceChildren();
    draw();
    halt.hidden = bar.hidden = false;
    bar.removeAttribute("value");
    status.textContent = t("variants_trying");
    try {
      await app.ask("candidates", { puzzle: asked, variant }, {
        found: (/** @type {{row?: Row, tried?: number, forms: number}} */ { row, tried = 0, forms }) => {
          if (mine.signal.aborted) return;
          of = forms;
          bar.value = forms ? tried / forms : 1;
          if (!row) return;
          const name = row.name.startsWith(asked.name) ? String(last.rows.length + 1) : row.name; // a short distinguishing name: a number, or 8x8
          last.rows.push({ ...row, puzzle: { ...row.puzzle, table: { ...row.puzzle.table, title: t("variant_title", { title, name }) } } });
          if (!waiting) setTimeout(draw, 200);
          waiting = true;
        },
        signal: mine.signal });
      if (!last.rows.length && !mine.signal.aborted) status.textContent = t("variants_nothing");
    } catch (error) {
      if (error instanceof Refused) refusal.replaceChildren(atTerminal(app, asked, board, "forms", error));
      else app.failed(error);
    }
    if (stop !== mine) return;
    stop = null;
    halt.hidden = bar.hidden = true;
    if (refusal.childNodes.length) status.textContent = "";
    draw();
  }

  return () => stop?.abort();
}
