// Challenges: starting positions with their difficulty in stars, to play here or to print.
import { button, element, starter, working } from "../dom.js";
import { boardSpeech } from "../boardwords.js";
import { isOfCards, makeLookup, numberCards } from "../lookup.js";
import { pageWorded, titled } from "../said.js";
import { drawingFrom, svgElement } from "../elements.js";
import { makeTable } from "../table.js";

/** @typedef {{position: string[], stars: number|null, branches: number, ways: number, words: string, solution?: string[]}} Challenge */

const MAX_STARS = 5;
const PRINTED = 3; // millimetres per cell of a printed piece
/** @type {{key: string, list: Challenge[], givens: string, page: string, written: (string|import("../said.js").Said)[]}} */
let last = { key: "", list: [], givens: "", page: "", written: [] };

/** A difficulty in stars. @param {import("../app.js").App} app @param {number} n */
export const stars = ({ t }, n) => element("span", { class: "stars", role: "img", "aria-label": t("stars", { n }) }, "★".repeat(n), element("span", { class: "soft" }, "☆".repeat(Math.max(0, MAX_STARS - n))));

/** @type {import("../app.js").Show} */
export async function show(root, app) {
  const { t } = app, { asked, board, title } = await app.opened();
  const key = JSON.stringify(asked);
  if (last.key !== key) last = { key, list: [], givens: "", page: "", written: [] };
  const work = working(t("progress")), list = element("ul", {}), solved = element("section", { class: "print solutions" });
  const many = element("select", { id: "many" }, ...[3, 6, 12].map((n) => element("option", { value: n, selected: n === 6 }, String(n))));
  const givens = element("select", { id: "givens" }, element("option", { value: "" }, t("givens_any")), ...Array.from({ length: Math.max(0, board.tiles.length - 2) }, (_, i) => element("option", { value: i + 1, selected: String(i + 1) === last.givens }, t("givens", { n: i + 1 }))));
  const lookup = makeLookup(board);
  const cards = isOfCards(board);
  const keepPage = button(t("challenges_page"), () => app.keep(`${board.name || "puzzle"}-challenges.html`, "text/html", pageWorded(last.page, title, last.written, board)), { disabled: true });
  const { start, run, end } = starter(app, t("challenges_make"), make, { class: "main" });
  root.append(
    element("section", { class: "screen" }, element("h1", {}, t("challenges_title")), element("p", { class: "soft" }, t("challenges_words")),
      element("div", { class: "row" }, element("label", { for: "many" }, t("challenges_number"), " ", many), element("label", { for: "givens" }, t("challenges_givens"), " ", givens), start, button(t("print"), () => print()), keepPage), work.root),
    element("h2", { class: "print" }, titled(title)), list, solved);
  draw();
  if (!last.list.length) run();

  function draw() {
    last.list.sort((a, b) => (a.stars || 0) - (b.stars || 0) || a.branches - b.branches);
    keepPage.disabled = !last.page;
    list.replaceChildren(...last.list.map((challenge, i) => {
      return element("li", {}, element("div", { class: "picture" }, picture(challenge.position)), element("p", {}, element("b", { class: "print" }, `${i + 1}. `), stars(app, challenge.stars || 0)),
        element("p", { class: "soft small" }, t("placed", { n: challenge.position.length }), ", ", t("ways_to_finish", { n: challenge.ways })), element("p", { class: "soft small screen" }, challenge.words),
        element("div", { class: "print left" }, ...left(challenge.position)),
        button(t("challenge_play", { n: i + 1 }), () => app.go("play", { position: challenge.position, given: challenge.position }), { class: "screen" }));
    }));
    const known = last.list.flatMap(({ position, solution }, i) => (solution ? [element("li", {}, element("p", {}, element("b", {}, `${i + 1}.`)), element("div", { class: "picture" }, picture([...new Set([...position, ...solution])])))] : []));
    solved.replaceChildren(...(known.length ? [element("h2", {}, t("challenges_solutions", { title: titled(title) })), element("ul", {}, ...known)] : []));
  }

  /** The pieces still to be placed, in their first orientation. @param {string[]} position */
  function left(position) {
    const used = position.map(lookup.number).filter((p) => p >= 0).map((p) => board.placements.tile[p]);
    return board.tiles.flatMap((/** @type {import("../types.js").BoardTile} */ tile, /** @type {number} */ i) => {
      const copies = (tile.high ?? 1) - used.filter((own) => own === i).length, { drawing, box } = tile.orientations[0], scale = PRINTED / board.unit;
      return Array.from({ length: Math.max(0, copies) }, () => {
        const pieceNode = svgElement("svg", { viewBox: box.join(" "), width: `${box[2] * scale}mm`, height: `${box[3] * scale}mm`, "text-anchor": "middle", "font-family": "DejaVu Sans, Verdana, sans-serif" }, ...drawingFrom(drawing).childNodes);
        pieceNode.style.color = tile.shades[0];
        if (cards) numberCards(pieceNode);
        return pieceNode;
      });
    });
  }

  /** The board with the given pieces. @param {string[]} position */
  function picture(position) {
    const table = makeTable(board, lookup, boardSpeech(app.language));
    table.show(position.map(lookup.number).filter((p) => p >= 0).map((p) => ({ p, shade: board.tiles[board.placements.tile[p]].shades[0], kept: false, chosen: false, lifted: false })));
    return table.picture;
  }

  async function make(/** @type {AbortSignal} */ signal) {
    Object.assign(last, { list: [], givens: givens.value, page: "" });
    draw();
    work.begin(t("challenges_making"));
    try {
      const { challenges, sheet, page, written } = await app.ask("challenge", { puzzle: asked, number: Number(many.value), seed: Math.floor(Math.random() * 1e6), ...(givens.value ? { givens: Number(givens.value) } : {}) }, {
        found: (/** @type {Challenge} */ challenge) => (last.list.push(challenge), draw(), work.told({ share: last.list.length / Number(many.value) })), signal });
      Object.assign(last, { list: challenges.map((/** @type {Challenge} */ one, /** @type {number} */ i) => ({ ...one, solution: sheet[i].solutions[0] })), page, written });
      draw();
    } finally {
      work.end(last.list.length ? t("challenges_sorted") : "");
    }
  }

  return end;
}
