// Positions to set as challenges: with stars for how hard they are, to play here or to print.
import { button, cleared, element } from "../dom.js";
import { isStop } from "../ask.js";
import { makeLookup } from "../lookup.js";
import { titled } from "../said.js";
import { makeTable } from "../table.js";

/** @typedef {{position: string[], stars: number|null, branches: number, ways: number, words: string}} Challenge */

const MOST = 5;
/** @type {{key: string, list: Challenge[], givens: string, page: string}} */
let last = { key: "", list: [], givens: "", page: "" };

/** @type {import("../app.js").Show} */
export async function show(root, app) {
  const { t } = app;
  const { asked, board, title } = await app.opened();
  const key = JSON.stringify(asked);
  if (last.key !== key) last = { key, list: [], givens: "", page: "" };
  /** @type {AbortController|null} */
  let stop = null;
  const told = element("p", { class: "soft small", role: "status" }), list = element("ul", { class: "challenges" });
  const many = element("select", { id: "many" }, ...[3, 6, 12].map((n) => element("option", { value: n, selected: n === 6 }, String(n))));
  const givens = element("select", { id: "givens" }, element("option", { value: "" }, t("givens_any")), ...Array.from({ length: Math.max(0, board.tiles.length - 2) }, (_, i) => element("option", { value: i + 1, selected: String(i + 1) === last.givens }, t("givens", { n: i + 1 }))));
  const lookup = makeLookup(board);
  const keepPage = button(t("challenges_page"), () => app.keep(`${board.name || "puzzle"}-challenges.html`, "text/html", last.page), { disabled: true });
  const start = button(t("challenges_make"), () => (stop ? stop.abort() : make()), { class: "main" });
  root.append(
    element("section", { class: "screen" }, element("h1", {}, t("challenges_title")), element("p", { class: "soft" }, t("challenges_words")),
      element("div", { class: "row" }, element("label", { for: "many" }, t("challenges_number"), " ", many), element("label", { for: "givens" }, t("challenges_givens"), " ", givens), start, button(t("print"), () => print()), keepPage), told),
    element("h2", { class: "print" }, titled(title)), list);
  draw();
  if (!last.list.length) make();

  function draw() {
    last.list.sort((a, b) => (a.stars || 0) - (b.stars || 0) || a.branches - b.branches);
    keepPage.disabled = !last.page;
    cleared(list).append(...last.list.map((one, i) => {
      return element("li", {}, element("div", { class: "picture" }, picture(one.position)), element("p", { class: "stars" }, stars(one.stars || 0)),
        element("p", { class: "soft small" }, t("placed", { n: one.position.length }), ", ", t("ways_to_finish", { n: one.ways })), element("p", { class: "soft small screen" }, one.words),
        button(t("challenge_play", { n: i + 1 }), () => app.go("play", { position: one.position, given: one.position }), { class: "screen" }));
    }));
  }

  /** The board with what is given. @param {string[]} position */
  function picture(position) {
    const table = makeTable(board, lookup);
    table.show(position.map(lookup.number).filter((p) => p >= 0).map((p) => ({ p, shade: board.tiles[board.placements.tile[p]].shades[0], kept: false, chosen: false, lifted: false })));
    return table.picture;
  }

  /** @param {number} n */
  function stars(n) {
    return element("span", { role: "img", "aria-label": t("stars", { n }) }, "★".repeat(n), element("span", { class: "soft" }, "☆".repeat(Math.max(0, MOST - n))));
  }

  async function make() {
    stop = new AbortController();
    const { signal } = stop;
    start.textContent = t("stop");
    last.list = [];
    last.givens = givens.value;
    last.page = "";
    draw();
    told.textContent = t("challenges_making");
    try {
      const made = await app.ask("challenge", { puzzle: asked, number: Number(many.value), seed: Math.floor(Math.random() * 1e6), ...(givens.value ? { givens: Number(givens.value) } : {}) }, {
        found: (/** @type {Challenge} */ one) => (last.list.push(one), draw()), told: ({ words }) => (told.textContent = words), signal });
      last.list = made.challenges;
      last.page = made.page;
      draw();
    } catch (error) {
      if (!isStop(error)) app.failed(error);
    }
    told.textContent = last.list.length ? t("challenges_sorted") : "";
    stop = null;
    start.textContent = t("challenges_make");
  }

  return () => stop?.abort();
}
