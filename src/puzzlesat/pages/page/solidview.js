// Bodies in space with what moves them: a slider that takes pieces apart, one for layers, and a way back; where there is no WebGL2, still pictures.
import { Bodies } from "./bodies.js";
import { makeBodies } from "./bodies3d.js";

/** @import { Piece, Solid } from "./bodies3d.js" */
/** @typedef {{canvas: string, apart: string, layers: string, upTo: (k: number, n: number) => string, reset: string, still: string}} SolidTexts
 *   what the canvas, the two sliders and the button say; ``still`` is the sentence where pictures stand still */
/** @typedef {{texts?: SolidTexts, onclick?: (piece: Piece | null, atom: number) => void, onhover?: (piece: Piece | null, atom: number) => void}} SolidOptions */
/** @typedef {{solid: Solid, neighbours: number[][] | null, tiles: {name: string, shades: string[]}[], placements: {tile: number[], atoms: number[][], name: string[]}}} SolidBoard */

/** @type {SolidTexts} */
export const SOLID_TEXTS = {
  canvas: "The pieces in space. Arrow keys turn them, + and - zoom, 0 resets the view.",
  apart: "Spread",
  layers: "Layers",
  upTo: (k, n) => (k === n ? `all ${n}` : `${k} of ${n}`),
  reset: "View from the front",
  still: "This browser has no WebGL2, so you cannot turn the pieces in space.",
};

/** @param {string} name @param {Record<string, string>} attributes @param {(Node | string)[]} inside */
function solidPart(name, attributes, ...inside) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...inside);
  return made;
}

/** Show pieces of a form in space below ``root``, with sliders.
 * @param {HTMLElement} root @param {Solid} solid @param {SolidOptions} [options] */
export function makeSolidPieces(root, solid, options = {}) {
  const texts = options.texts ?? SOLID_TEXTS, stage = solidPart("div", { class: "stage" }), canvas = /** @type {HTMLCanvasElement} */ (solidPart("canvas", {}));
  Object.assign(stage.style, { position: "relative", width: "100%", height: "var(--stage-height, 24rem)" });
  Object.assign(canvas.style, { position: "absolute", inset: "0", width: "100%", height: "100%", borderRadius: "4px" });
  stage.append(canvas);
  root.append(stage);
  const bodies = makeBodies(canvas, solid, {
    label: texts.canvas,
    onclick: options.onclick && ((hit) => options.onclick?.(hit && hit.piece, hit ? hit.atom : -1)),
    onhover: options.onhover && ((hit) => options.onhover?.(hit && hit.piece, hit ? hit.atom : -1)),
  });
  let /** @type {Piece[]} */ pieces = [], /** @type {Piece[]} */ marked = [];
  if (!bodies) {
    const note = solidPart("p", { class: "soft" }, texts.still);
    stage.replaceWith(note);
    return { show: still, highlight: () => {}, single: () => {}, pick: () => null, destroy: () => root.replaceChildren() };
  }

  const slider = (/** @type {string} */ said, /** @type {Record<string, string>} */ range) => {
    const input = /** @type {HTMLInputElement} */ (solidPart("input", { type: "range", ...range })), told = solidPart("output", {});
    const label = solidPart("label", {}, solidPart("span", {}, said), input, told);
    Object.assign(label.style, { display: "inline-flex", alignItems: "center", gap: "0.5rem", margin: "0", flex: "1 1 11rem", minHeight: "2.75rem" });
    Object.assign(input.style, { flex: "1 1 5rem", minWidth: "4rem", padding: "0" });
    told.style.fontVariantNumeric = "tabular-nums";
    return { input, told, label };
  };
  const apart = slider(texts.apart, { min: "0", max: "100", value: "0" }), most = solid.layers;
  const layers = slider(texts.layers, { min: "1", max: String(most), value: String(most) });
  const reset = solidPart("button", { type: "button" }, texts.reset), controls = solidPart("div", { class: "controls" }, apart.label, layers.label, reset);
  Object.assign(controls.style, { display: "flex", flexWrap: "wrap", alignItems: "center", gap: "0.2rem 1.2rem", marginTop: "0.4rem" });
  layers.label.hidden = most < 2;
  if (most < 2) layers.label.style.display = "none";
  root.append(controls);

  function follow() {
    const k = Number(layers.input.value);
    layers.told.textContent = texts.upTo(k, most);
    apart.told.textContent = `${apart.input.value} %`;
    layers.input.setAttribute("aria-valuetext", texts.upTo(k, most));
  }
  apart.input.addEventListener("input", () => { bodies.lift(Number(apart.input.value) / 100); follow(); });
  layers.input.addEventListener("input", () => { bodies.layers(Number(layers.input.value) < most ? [0, Number(layers.input.value) - 1] : null); follow(); });
  for (const { input } of [apart, layers]) input.addEventListener("keydown", (event) => event.stopPropagation()); // arrows are the slider's
  reset.addEventListener("click", () => {
    apart.input.value = "0";
    layers.input.value = String(most);
    bodies.lift(0);
    bodies.layers(null);
    bodies.turnTo();
    follow();
  });
  follow();

  /** @param {Piece[]} some */
  function still(some) {
    const drawn = new DOMParser().parseFromString(Bodies.draw(solid, some), "text/html").body; // made by bodies.js, names are escaped there
    for (const path of drawn.querySelectorAll("path")) {
      for (const [key, value] of [["stroke-width", "1.6"], ["stroke-linejoin", "round"]]) path.setAttribute(key, value);
      if (path.classList.length) path.setAttribute("stroke", "#222222");
      if (path.classList.contains("edge")) path.setAttribute("fill", "none");
    }
    for (const old of root.querySelectorAll("svg.body")) old.remove();
    root.append(...drawn.children);
  }

  return {
    /** @param {Piece[]} some */
    show(some) { pieces = some; marked = []; bodies.show(pieces); },
    /** Mark atoms of the form, of pieces or empty; none takes the marks away. @param {number[]} atoms @param {string} [colour] */
    highlight(atoms, colour = "#d7263d") {
      marked = atoms.length ? [{ atoms, colour, name: "", ghost: true }] : [];
      bodies.show([...pieces, ...marked]);
    },
    /** Show one piece alone, all others as glass; null shows all again. @param {number | null} id */
    single(id) { bodies.highlight(id === null ? null : [...pieces.filter((piece) => piece.id === id), ...marked]); },
    pick: bodies.pick,
    destroy() { bodies.destroy(); root.replaceChildren(); },
  };
}

/** The bodies of a position on a board in space. Pieces are told by the numbers of their placements.
 * @param {HTMLElement} root @param {SolidBoard} board @param {SolidOptions} [options] */
export function makeSolidView(root, board, options = {}) {
  const view = makeSolidPieces(root, board.solid, options), { placements } = board, numbers = new Map(placements.name.map((name, p) => [name, p]));

  /** Colours as in the pictures: a shade of the tile's where pieces of one colour touch. @param {number[]} placed @returns {Piece[]} */
  function piecesOf(placed) {
    const /** @type {Map<number, number>} */ owner = new Map(), /** @type {number[]} */ level = [], shades = (/** @type {number} */ i) => board.tiles[placements.tile[placed[i]]].shades;
    placed.forEach((p, i) => placements.atoms[p].forEach((a) => owner.set(a, i)));
    return placed.map((p, i) => {
      const near = new Set(placements.atoms[p].flatMap((a) => (board.neighbours?.[a] ?? []).map((b) => owner.get(b) ?? i)).filter((j) => j < i && shades(j)[0] === shades(i)[0]).map((j) => level[j]));
      for (level[i] = 0; near.has(level[i]); level[i]++);
      return { id: p, atoms: placements.atoms[p], colour: shades(i)[level[i] % shades(i).length], name: board.tiles[placements.tile[p]].name };
    });
  }

  return {
    /** @param {string[]} position names of placements */
    show(position) { view.show(piecesOf(position.map((name) => numbers.get(name)).filter((p) => p !== undefined))); },
    highlight: view.highlight,
    single: view.single,
    pick: view.pick,
    destroy: view.destroy,
  };
}
