// A full board that is taken apart, step by step.
import { button, cleared, element } from "../dom.js";
import { Refused, isStop } from "../ask.js";
import { colourName } from "../colours.js";
import { flatApartStage, makeTakeApart } from "../takeapart.js";
import { solidApartStage } from "../takeapart3d.js";
import { atTerminal } from "./more.js";

/** @typedef {import("../app.js").App} App */
/** @typedef {{placements: string[], taking: import("../takeapart.js").Taking, basis: number[][]|null}} Answer to the question ``apart`` */

/**
 * A panel with a button that asks how what lies on the board comes apart, and shows it.
 * @param {App} app
 * @param {object} asked the puzzle, as questions say it
 * @param {any} board
 */
export function takingPanel(app, asked, board) {
  const { t } = app;
  let /** @type {string[]} */ position = [], /** @type {AbortController|null} */ stop = null;
  const start = button(t("take_apart"), take, { class: "main" }), stage = element("div", { class: "bodies" }), steps = element("div", {});
  const root = element("section", { class: "panel taking", hidden: true, "aria-label": t("take_apart") }, start, stage, steps), player = makePlayer(app, board, stage, steps);

  async function take() {
    const mine = new AbortController();
    stop = mine;
    start.disabled = true;
    try {
      const answer = await app.ask("apart", { puzzle: asked, position }, { signal: mine.signal });
      if (!mine.signal.aborted) show(answer);
    } catch (error) {
      if (error instanceof Refused) cleared(steps).append(atTerminal(app, asked, board, "apart", error));
      else if (!isStop(error)) app.failed(error);
    }
    start.disabled = false;
  }

  /** @param {Answer} answer */
  function show(answer) {
    forget();
    start.hidden = true;
    player.show(answer);
    root.scrollIntoView({ block: "nearest" }); // beside a board in space it begins below what is seen
  }

  function forget() {
    stop?.abort();
    stop = null;
    player.end();
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

/**
 * What shows an assembly in ``stage``, and the steps by which it comes apart below ``steps``.
 * @param {App} app
 * @param {any} board
 * @param {HTMLElement} stage
 * @param {HTMLElement} steps
 */
export function makePlayer(app, board, stage, steps) {
  const { t } = app, numbers = new Map(board.placements.name.map((/** @type {string} */ name, /** @type {number} */ p) => [name, p]));
  let /** @type {ReturnType<typeof makeTakeApart>|null} */ shown = null, /** @type {import("../takeapart.js").ApartStage|null} */ scene = null;
  let /** @type {string[]} */ names = [], /** @type {string[]} */ colours = [], /** @type {number[][]} */ lattice = [];

  /** @param {import("../takeapart.js").Slide} slide */
  const words = (slide) => stepWords(app, slide, slide.pieces.map((i) => t("apart_piece", { colour: t(`colour_${colourName(colours[i])}`), name: names[i] })), lattice);

  /** @param {Answer} answer */
  function show({ placements, taking, basis }) {
    end();
    const options = placements.map((name) => /** @type {number} */ (numbers.get(name))), { tile, orientation, atoms, x, y } = board.placements;
    ({ colours } = taking);
    lattice = basis ?? board.solid.basis;
    names = options.map((p) => board.tiles[tile[p]].name);
    const pieces = options.map((p, i) => ({ id: i, atoms: atoms[p], colour: colours[i], name: names[i] }));
    const drawn = () => options.map((p, i) => ({ colour: colours[i], drawing: `<g transform="translate(${x[p]} ${y[p]})">${board.tiles[tile[p]].orientations[orientation[p]].drawing}</g>` }));
    scene = basis ? flatApartStage(stage, drawn(), basis, board.frame) : solidApartStage(stage, board.solid, pieces, { canvas: t("solid_canvas"), still: t("solid_still") });
    play(taking);
  }

  /** Other steps of the same pieces. @param {import("../takeapart.js").Taking} taking */
  function play(taking) {
    shown?.destroy();
    const stage = /** @type {import("../takeapart.js").ApartStage} */ (scene);
    shown = makeTakeApart(steps, taking, names, { show: stage.show, destroy: () => {} }, {
      level: (level) => t("apart_level", { level }), held: (some) => (some === null ? t("apart_held") : t("apart_rest", { names: some })), undecided: t("apart_undecided"),
      first: t("apart_first"), back: t("apart_back"), play: t("apart_play"), pause: t("apart_pause"), forward: t("apart_forward"), steps: t("apart_steps"), together: t("apart_together"), step: words });
  }

  function end() {
    shown?.destroy();
    scene?.destroy();
    shown = scene = null;
    cleared(stage);
    cleared(steps);
  }

  return {
    show,
    play,
    words,
    end,
    /** Go to a step, on the way that the pieces take. @param {number} to */
    go: (to) => shown?.go(to),
    /** Show the pieces elsewhere for a moment; null: where the steps have them. @param {number[][]|null} moves of each in steps of the lattice */
    look(moves) {
      shown?.go(shown.at(), true);
      if (moves) scene?.show([...names.keys()], moves);
    },
  };
}

const WAYS = { x: ["left", "right"], y: ["front", "back"], z: ["down", "up"], flat: ["down", "up"] };

/**
 * A step as a person would say it: which pieces slide where, and how far.
 * @param {App} app
 * @param {import("../takeapart.js").Slide} slide
 * @param {string[]} pieces what they are called
 * @param {number[][]} basis the steps of the lattice: in the plane to the right and down, in space to the right, back and up
 */
export function stepWords({ t, language }, { far, along, pieces: { length } }, pieces, basis) {
  const names = new Intl.ListFormat(language, { type: "conjunction" }).format(pieces), where = whither(along, basis), many = length > 1 ? "some" : "one";
  const words = far === null ? t(`apart_${many}_out`, { names, where: where ? t(`apart_to_${where}`) : t("apart_along", { along }) }) : t(`apart_${many}_slid`, { names, far, where: where ? t(`apart_to_${where}`) : t("apart_along", { along }) });
  return words[0].toLocaleUpperCase(language) + words.slice(1);
}

/** Where a direction leads, if a step of the lattice leads straight there; nothing for others. @param {string} along such as "+x" @param {number[][]} basis */
function whither(along, basis) {
  const axis = "xyz".indexOf(along[1]), step = /^[+-][xyz]$/.test(along) ? basis[axis] : null;
  if (!step || step.some((x, i) => i !== axis && Math.abs(x) > 1e-6)) return null;
  return (basis.length < 3 && axis === 1 ? WAYS.flat : WAYS[/** @type {"x"|"y"|"z"} */ (along[1])])[along[0] === "+" ? 1 : 0];
}
