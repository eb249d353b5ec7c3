// Step-by-step disassembly of a full board.
import { button, element } from "../dom.js";
import { Refused } from "../ask.js";
import { colourName } from "../colours.js";
import { axisWords, flatApartStage, makeTakeApart, namesOfPieces } from "../takeapart.js";
import { solidApartStage } from "../solidview.js";
import { atTerminal } from "./more.js";

/** @import { App } from "../app.js" */
/** @typedef {{placements: string[], taking: import("../takeapart.js").Taking, basis: number[][]|null, middle: number[]}} Answer the answer to the request ``apart`` */

const BEVELS = ["0", "1/10", "7/40"];

/** A panel with a button that requests and shows the disassembly of the assembly on the board.
 * @param {App} app @param {object} asked the description of the puzzle in requests @param {any} board */
export function takingPanel(app, asked, board) {
  const { t } = app;
  let /** @type {string[]} */ position = [], /** @type {AbortController|null} */ stop = null;
  const start = button(t("take_apart"), take, { class: "main" }), stage = element("div", { class: "bodies" }), steps = element("div", {}), player = makePlayer(app, board, stage, steps);
  const moves = element("select", { "aria-label": t("apart_moves"), onchange: () => { if (start.hidden) { forget(); void take(); } } }, element("option", { value: "" }, t("apart_slides")),
    ...BEVELS.map((bevel) => element("option", { value: bevel }, bevel === "0" ? t("apart_turns_sharp") : t("apart_turns_bevel", { bevel }))));
  const root = element("section", { class: "panel taking", hidden: true, "aria-label": t("take_apart") }, element("div", { class: "row" }, start, board.turns && moves), stage, steps);

  async function take() {
    const mine = new AbortController(), turns = moves.value;
    stop = mine;
    start.disabled = true;
    try {
      const answer = await app.ask("apart", { puzzle: asked, position, ...(turns && { turns }) }, { signal: mine.signal });
      if (!mine.signal.aborted) show(answer, turns !== "");
    } catch (error) {
      if (error instanceof Refused) steps.replaceChildren(atTerminal(app, asked, board, "apart", error));
      else app.failed(error);
    }
    start.disabled = false;
  }

  function show(/** @type {Answer} */ answer, /** @type {boolean} */ turns) {
    forget();
    start.hidden = true;
    player.show(answer, turns);
    root.scrollIntoView({ block: "nearest" }); // beside a board in space the panel starts below the visible area
  }

  function forget() {
    stop?.abort();
    stop = null;
    player.end();
    start.hidden = false;
  }

  return {
    root,
    /** Offer a disassembly if the board is full. @param {string[]|null} full the placements of a full board; null if it is not full */
    offer(full) {
      const there = board.holds && full !== null && full.length > 0;
      if (!there || String(full) !== String(position)) forget();
      position = full ?? [];
      root.hidden = !there;
    },
    end: forget,
  };
}

/** A player that shows an assembly in ``stage`` and the steps of its disassembly in ``steps``.
 * @param {App} app @param {any} board @param {HTMLElement} stage @param {HTMLElement} steps */
export function makePlayer(app, board, stage, steps) {
  const { t } = app, numbers = new Map(board.placements.name.map((/** @type {string} */ name, /** @type {number} */ p) => [name, p]));
  let /** @type {ReturnType<typeof makeTakeApart>|null} */ shown = null, /** @type {import("../takeapart.js").ApartStage|null} */ scene = null;
  let /** @type {string[]} */ names = [], /** @type {string[]} */ colours = [], /** @type {number[][]} */ lattice = [], turned = false;

  /** @param {import("../takeapart.js").Step} step */
  const words = (step) => stepWords(app, step, step.pieces.map((i) => t("apart_piece", { colour: t(`colour_${colourName(colours[i])}`), name: names[i] })), lattice);

  /** @param {Answer} answer @param {boolean} turns whether pieces may be turned */
  function show({ placements, taking, basis, middle }, turns = false) {
    end();
    turned = turns;
    const options = placements.map((name) => /** @type {number} */ (numbers.get(name))), { tile, orientation, atoms, x, y } = board.placements;
    ({ colours } = taking);
    lattice = basis ?? board.solid.basis;
    names = namesOfPieces(options.map((p) => board.tiles[tile[p]].name));
    const pieces = options.map((p, i) => ({ id: i, atoms: atoms[p], colour: colours[i], name: names[i] }));
    const drawn = () => options.map((p, i) => ({ colour: colours[i], drawing: `<g transform="translate(${x[p]} ${y[p]})">${board.tiles[tile[p]].orientations[orientation[p]].drawing}</g>` }));
    scene = basis ? flatApartStage(stage, drawn(), basis, middle, board.frame) : solidApartStage(stage, board.solid, pieces, { canvas: t("solid_canvas"), still: t("solid_still") });
    play(taking);
  }

  /** Play other steps of the same pieces. @param {import("../takeapart.js").Taking} taking */
  function play(taking) {
    shown?.destroy();
    const stage = /** @type {import("../takeapart.js").ApartStage} */ (scene);
    shown = makeTakeApart(steps, taking, names, { show: stage.show, destroy: () => {} }, {
      level: (level) => t("apart_level", { level }), notLeast: t("level_not_least"), held: (some) => (some === null ? t(turned ? "apart_held_turns" : "apart_held") : t(turned ? "apart_rest_turns" : "apart_rest", { names: some })), undecided: t("apart_undecided"),
      first: t("apart_first"), back: t("apart_back"), play: t("apart_play"), pause: t("apart_pause"), forward: t("apart_forward"), steps: t("apart_steps"), together: t("apart_together"), step: words });
  }

  function end() {
    shown?.destroy();
    scene?.destroy();
    shown = scene = null;
    stage.replaceChildren();
    steps.replaceChildren();
  }

  return {
    show,
    play,
    words,
    end,
    /** Go to a step with animation. @param {number} to */
    go: (to) => shown?.go(to),
    /** Preview the pieces at other positions; null returns to the current step. @param {number[][]|null} moves translation of each piece in steps of the lattice */
    look(moves) {
      shown?.go(shown.at(), true);
      if (moves) scene?.show([...names.keys()], moves.map((by) => ({ by, turn: [0, 0, 0, 1] })));
    },
  };
}

const FROM = ["right", "back", "up", "flat"];
const WAYS = { x: ["left", "right"], y: ["front", "back"], z: ["down", "up"], flat: ["down", "up"] };

/** Describe a step in words: the pieces, the direction and distance of a slide, or the rotation.
 * @param {App} app @param {import("../takeapart.js").Step} step @param {string[]} pieces the names of the pieces
 * @param {number[][]} basis the steps of the lattice: in the plane to the right and down, in space to the right, back and up */
function stepWords({ t, language, number }, step, pieces, basis) {
  const together = new Intl.ListFormat(language, { type: "conjunction" }), names = together.format(pieces), many = pieces.length > 1 ? "some" : "one";
  const sentence = (/** @type {string} */ words) => words[0].toLocaleUpperCase(language) + words.slice(1);
  if (step.turn) {
    const { axis, quarters } = step.turn, sense = t(quarters > 0 ? "apart_counterclockwise" : "apart_clockwise");
    return sentence(t(`apart_${many}_turned`, { names, angle: 90 * Math.abs(quarters), sense, from: t(`apart_from_${FROM[basis.length < 3 ? 3 : axis]}`), axis: together.format(axisWords(step.turn, number)) }));
  }
  const { far, along } = step, where = whither(along, basis);
  return sentence(far === null ? t(`apart_${many}_out`, { names, where: where ? t(`apart_to_${where}`) : t("apart_along", { along }) }) : t(`apart_${many}_slid`, { names, far, where: where ? t(`apart_to_${where}`) : t("apart_along", { along }) }));
}

/** The name of a direction if a lattice step is parallel to an axis; else null. @param {string} along such as "+x" @param {number[][]} basis */
function whither(along, basis) {
  const axis = "xyz".indexOf(along[1]), step = /^[+-][xyz]$/.test(along) ? basis[axis] : null;
  if (!step || step.some((x, i) => i !== axis && Math.abs(x) > 1e-6)) return null;
  return (basis.length < 3 && axis === 1 ? WAYS.flat : WAYS[/** @type {"x"|"y"|"z"} */ (along[1])])[along[0] === "+" ? 1 : 0];
}
