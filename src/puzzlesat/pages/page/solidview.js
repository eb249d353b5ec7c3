// Bodies in space with controls: a slider for the exploded view, a slider for layers, and a reset button; without WebGL2, still pictures.
import { Bodies } from "./bodies.js";
import { makeBodies } from "./bodies3d.js";
import { htmlElement } from "./elements.js";

/** @import { Piece, Solid } from "./bodies3d.js" */
/** @typedef {{canvas: string, apart: string, layers: string, upTo: (k: number, n: number) => string, reset: string, still: string}} SolidTexts
 * the texts of the canvas, the two sliders and the button; ``still`` explains the still pictures */
/** @typedef {{texts?: SolidTexts, onclick?: (piece: Piece | null, atom: number) => void}} SolidOptions */

/** @type {SolidTexts} */
export const SOLID_TEXTS = {
  canvas: "The pieces in space. Arrow keys turn them, + and - zoom, 0 resets the view.",
  apart: "Spread",
  layers: "Layers",
  upTo: (k, n) => (k === n ? `all ${n}` : `${k} of ${n}`),
  reset: "View from the front",
  still: "This browser has no WebGL2, so you cannot turn the pieces in space.",
};

/** Append a canvas with bodies to ``root``; without WebGL2, append the sentence ``still`` instead, and return no bodies.
 * @param {HTMLElement} root @param {Solid} solid @param {import("./bodies3d.js").BodiesOptions} options @param {string} still the sentence */
function bodiesBelow(root, solid, options, still) {
  const canvas = htmlElement("canvas"), stage = htmlElement("div", { class: "stage" }, canvas), note = htmlElement("p", { class: "soft" }, still);
  Object.assign(stage.style, { position: "relative", width: "100%", height: "var(--stage-height, 24rem)" });
  Object.assign(canvas.style, { position: "absolute", inset: "0", width: "100%", height: "100%", borderRadius: "4px" });
  root.append(stage);
  const bodies = makeBodies(canvas, solid, options);
  if (!bodies) stage.replaceWith(note);
  return { bodies, place: bodies ? stage : note };
}

/** Show pieces of a form in space below ``root``, with sliders.
 * @param {HTMLElement} root @param {Solid} solid @param {SolidOptions} [options] */
export function makeSolidPieces(root, solid, options = {}) {
  const texts = options.texts ?? SOLID_TEXTS, { bodies } = bodiesBelow(root, solid, {
    label: texts.canvas,
    onclick: options.onclick && ((hit) => options.onclick?.(hit && hit.piece, hit ? hit.atom : -1)),
  }, texts.still);
  let /** @type {Piece[]} */ pieces = [];
  if (!bodies) return { show: still, single: () => {}, pick: () => null, destroy: () => root.replaceChildren() };

  const slider = (/** @type {string} */ words, /** @type {object} */ range) => {
    const input = htmlElement("input", { type: "range", ...range }), output = htmlElement("output");
    const label = htmlElement("label", {}, htmlElement("span", {}, words), input, output);
    Object.assign(label.style, { display: "inline-flex", alignItems: "center", gap: "0.5rem", margin: "0", flex: "1 1 11rem", minHeight: "2.75rem" });
    Object.assign(input.style, { flex: "1 1 5rem", minWidth: "4rem", padding: "0" });
    output.style.fontVariantNumeric = "tabular-nums";
    return { input, told: output, label };
  };
  const apart = slider(texts.apart, { min: 0, max: 100, value: 0 }), most = solid.layers;
  const layers = slider(texts.layers, { min: 1, max: most, value: most });
  const reset = htmlElement("button", { type: "button" }, texts.reset), controls = htmlElement("div", { class: "controls" }, apart.label, layers.label, reset);
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
  for (const { input } of [apart, layers]) input.addEventListener("keydown", (event) => event.stopPropagation()); // The slider uses the arrow keys.
  reset.addEventListener("click", () => {
    apart.input.value = "0";
    layers.input.value = String(most);
    bodies.lift(0);
    bodies.layers(null);
    bodies.turnTo();
    follow();
  });
  follow();

  function still(/** @type {Piece[]} */ some) {
    const drawn = new DOMParser().parseFromString(Bodies.draw(solid, some), "text/html").body; // bodies.js made this markup and escaped the names.
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
    show(some) { bodies.show((pieces = some)); },
    /** Show one piece as solid and all others as glass; null shows all. @param {number | null} id */
    single(id) { bodies.highlight(id === null ? null : pieces.filter((piece) => piece.id === id)); },
    pick: bodies.pick,
    destroy() { bodies.destroy(); root.replaceChildren(); },
  };
}

/** A stage that shows the disassembly of an assembly in space. @param {HTMLElement} root @param {Solid} solid @param {Piece[]} pieces
 * @param {{canvas: string, still: string}} texts @returns {import("./takeapart.js").ApartStage} */
export function solidApartStage(root, solid, pieces, texts) {
  const { bodies, place } = bodiesBelow(root, solid, { label: texts.canvas, bare: true }, texts.still);
  let /** @type {Piece[]} */ shown = [], before = "";
  return {
    show(numbers, poses) {
      if (numbers.join() !== before) shown = numbers.map((i) => pieces[i]);
      before = numbers.join();
      bodies?.place(shown, poses);
    },
    destroy() {
      bodies?.destroy();
      place.remove();
    },
  };
}
