// A full board that is taken apart, step by step.
import { button, cleared, element } from "../dom.js";
import { Refused, isStop } from "../ask.js";
import { colourName } from "../colours.js";
import { axisWords, flatApartStage, makeTakeApart } from "../takeapart.js";
import { solidApartStage } from "../takeapart3d.js";
import { atTerminal } from "./more.js";

/** @typedef {import("../app.js").App} App */

const BEVELS = ["0", "1/10", "7/40"];

/**
 * A panel with a button that asks how what lies on the board comes apart, and shows it.
 * @param {App} app
 * @param {object} asked the puzzle, as questions say it
 * @param {any} board
 */
export function takingPanel(app, asked, board) {
  const { t } = app;
  let /** @type {string[]} */ position = [], /** @type {AbortController|null} */ stop = null, /** @type {{destroy: () => void}|null} */ shown = null;
  const start = button(t("take_apart"), take, { class: "main" });
  const moves = element("select", { "aria-label": t("apart_moves"), onchange: () => { if (shown) { forget(); void take(); } } }, element("option", { value: "" }, t("apart_slides")),
    ...BEVELS.map((bevel) => element("option", { value: bevel }, bevel === "0" ? t("apart_turns_sharp") : t("apart_turns_bevel", { bevel }))));
  const stage = element("div", { class: "bodies" }), steps = element("div", {});
  const root = element("section", { class: "panel taking", hidden: true, "aria-label": t("take_apart") }, element("div", { class: "row" }, start, board.turns && moves), stage, steps);
  const numbers = new Map(board.placements.name.map((/** @type {string} */ name, /** @type {number} */ p) => [name, p]));

  async function take() {
    const mine = new AbortController(), turns = moves.value;
    stop = mine;
    start.disabled = true;
    try {
      const answer = await app.ask("apart", { puzzle: asked, position, ...(turns && { turns }) }, { signal: mine.signal });
      if (!mine.signal.aborted) show(answer, turns !== "");
    } catch (error) {
      if (error instanceof Refused) cleared(steps).append(atTerminal(app, asked, board, "apart", error));
      else if (!isStop(error)) app.failed(error);
    }
    start.disabled = false;
  }

  /** @param {{placements: string[], taking: import("../takeapart.js").Taking, basis: number[][]|null, middle: number[]}} answer @param {boolean} turns */
  function show({ placements, taking, basis, middle }, turns) {
    forget();
    start.hidden = true;
    const options = placements.map((name) => /** @type {number} */ (numbers.get(name))), { tile, orientation, atoms, x, y } = board.placements;
    const names = options.map((p) => board.tiles[tile[p]].name);
    const pieces = options.map((p, i) => ({ id: i, atoms: atoms[p], colour: taking.colours[i], name: names[i] }));
    const drawn = () => options.map((p, i) => ({ colour: taking.colours[i], drawing: `<g transform="translate(${x[p]} ${y[p]})">${board.tiles[tile[p]].orientations[orientation[p]].drawing}</g>` }));
    const scene = basis ? flatApartStage(stage, drawn(), basis, middle, board.frame) : solidApartStage(stage, board.solid, pieces, { canvas: t("solid_canvas"), still: t("solid_still") });
    shown = makeTakeApart(steps, taking, names, scene, {
      level: (level) => t("apart_level", { level }), held: (some) => (some === null ? t(turns ? "apart_held_turns" : "apart_held") : t(turns ? "apart_rest_turns" : "apart_rest", { names: some })), undecided: t("apart_undecided"),
      first: t("apart_first"), back: t("apart_back"), play: t("apart_play"), pause: t("apart_pause"), forward: t("apart_forward"), steps: t("apart_steps"), together: t("apart_together"),
      step: (step) => stepWords(app, step, step.pieces.map((i) => t("apart_piece", { colour: t(`colour_${colourName(taking.colours[i])}`), name: names[i] })), basis ?? board.solid.basis) });
    root.scrollIntoView({ block: "nearest" }); // beside a board in space it begins below what is seen
  }

  function forget() {
    stop?.abort();
    stop = null;
    shown?.destroy();
    shown = null;
    cleared(stage);
    cleared(steps);
    start.hidden = false;
  }

  return {
    root,
    /** The board is full, or not any more. @param {string[]|null} full what lies on it */
    offer(full) {
      const there = board.holds && full !== null && full.length > 0;
      if (!there || String(full) !== String(position)) forget();
      position = full ?? [];
      root.hidden = !there;
    },
    end: forget,
  };
}

const FROM = ["right", "back", "up", "flat"];
const WAYS = { x: ["left", "right"], y: ["front", "back"], z: ["down", "up"], flat: ["down", "up"] };

/**
 * A step as a person would say it: which pieces slide where, and how far, or how they turn.
 * @param {App} app
 * @param {import("../takeapart.js").Step} step
 * @param {string[]} pieces what they are called
 * @param {number[][]} basis the steps of the lattice: in the plane to the right and down, in space to the right, back and up
 */
export function stepWords({ t, language, number }, step, pieces, basis) {
  const together = new Intl.ListFormat(language, { type: "conjunction" }), names = together.format(pieces), many = pieces.length > 1 ? "some" : "one";
  const sentence = (/** @type {string} */ words) => words[0].toLocaleUpperCase(language) + words.slice(1);
  if (step.turn) {
    const { axis, quarters } = step.turn, sense = t(quarters > 0 ? "apart_counterclockwise" : "apart_clockwise");
    return sentence(t(`apart_${many}_turned`, { names, angle: 90 * Math.abs(quarters), sense, from: t(`apart_from_${FROM[basis.length < 3 ? 3 : axis]}`), axis: together.format(axisWords(step.turn, number)) }));
  }
  const { far, along } = step, where = whither(along, basis);
  return sentence(far === null ? t(`apart_${many}_out`, { names, where: where ? t(`apart_to_${where}`) : t("apart_along", { along }) }) : t(`apart_${many}_slid`, { names, far, where: where ? t(`apart_to_${where}`) : t("apart_along", { along }) }));
}

/** Where a direction leads, if a step of the lattice leads straight there; nothing for others. @param {string} along such as "+x" @param {number[][]} basis */
function whither(along, basis) {
  const axis = "xyz".indexOf(along[1]), step = /^[+-][xyz]$/.test(along) ? basis[axis] : null;
  if (!step || step.some((x, i) => i !== axis && Math.abs(x) > 1e-6)) return null;
  return (basis.length < 3 && axis === 1 ? WAYS.flat : WAYS[/** @type {"x"|"y"|"z"} */ (along[1])])[along[0] === "+" ? 1 : 0];
}
