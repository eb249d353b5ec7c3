import { drawingFrom, svgElement } from "./elements.js";
import { isOfCards, numberCards } from "./lookup.js";

// The picture of a board: the form, the pieces on it, and highlighted places.

/** @import { BoardData } from "./types.js" */
/** @import { Lookup } from "./lookup.js" */
/** @typedef {{p: number, shade: string, kept: boolean, chosen: boolean, lifted: boolean}} Lying */

/**
 * @typedef {object} Table
 * @property {SVGSVGElement} picture
 * @property {(lying: Lying[]) => void} show
 * @property {(p: number, shade: string, kind: "fits"|"blocked"|"shown"|"") => void} ghost previews a placement; -1: none
 * @property {(kind: "dead"|"glow"|"cursor", atoms: number[]) => void} point
 * @property {() => DOMRect} glowing the bounding box of the glowing places, in window coordinates
 * @property {(sides: number[][][]) => void} wrong
 * @property {(x: number, y: number) => number} atomAt the place at a point of the window, or -1
 * @property {(x: number, y: number) => [number, number]} within converts window coordinates to board pixels
 * @property {(x: number, y: number) => [number, number]} outside converts board pixels to window coordinates
 * @property {() => number} scale
 * @property {(tile: number, orientation: number, part: number) => SVGElement} section a new drawing of a section, with its own cell at (0, 0)
 */

/** @param {BoardData} board @param {Lookup} lookup @param {(key: string, values: Record<string, number>) => string} say the names of layers
 * @returns {Table} */
export function makeTable(board, lookup, say) {
  const [, , width, height] = board.frame;
  const margin = Math.max(6, 0.15 * board.unit);
  const view = [-margin, -margin, width + 2 * margin, height + 2 * margin];
  const parts = {
    ground: svgElement("g", { class: "ground" }), dead: svgElement("g", { class: "dead" }), pieces: svgElement("g"), wrong: svgElement("g", { class: "wrong" }),
    glow: svgElement("g", { class: "glow" }), ghost: svgElement("g", { class: "ghost" }), cursor: svgElement("g", { class: "cursor" }),
  };
  parts.ground.append(...drawingFrom(board.ground).childNodes);
  const layers = new Map(board.dimension === 3 ? board.layers.map(({ name }, i) => [name, say("layer", { n: i + 1 })]) : []);
  for (const text of parts.ground.querySelectorAll("text")) text.textContent = (text.textContent ?? "").replace(/layer \d+$/, (name) => layers.get(name) ?? name); // also in "▲ layer 1" at a seam
  const font = "DejaVu Sans, Verdana, sans-serif", look = { "text-anchor": "middle", "font-family": font, "aria-hidden": "true" };
  const picture = svgElement("svg", { class: "table-picture", viewBox: view.join(" "), ...look }, ...Object.values(parts));
  const /** @type {Map<string, SVGElement>} */ templates = new Map();
  const /** @type {Map<number, SVGGElement>} */ shown = new Map();
  const cards = isOfCards(board);
  const sheet = document.createElement("canvas").getContext("2d");
  const /** @type {Map<number, Path2D>} */ paths = new Map();

  const drawn = (/** @type {string} */ key, /** @type {() => string} */ text) => {
    let template = templates.get(key);
    if (!template) {
      template = svgElement("g", {}, ...drawingFrom(text()).childNodes);
      for (const title of template.querySelectorAll("title")) title.remove(); // Titles are the names of marks, and only in the language of the file.
      if (cards) numberCards(template);
      templates.set(key, template);
    }
    return /** @type {SVGElement} */ (template.cloneNode(true));
  };
  const /** @type {Table["section"]} */ section = (tile, orientation, part) =>
    drawn(`${tile}/${orientation}/${part}`, () => board.tiles[tile].orientations[orientation].parts[part].drawing);
  const placed = (/** @type {number} */ p) => {
    const { tile, orientation, drawings } = board.placements;
    if (drawings) return [drawn(`p${p}`, () => drawings[p])];
    return board.tiles[tile[p]].orientations[orientation[p]].parts.map((_, part) => {
      const node = section(tile[p], orientation[p], part);
      node.setAttribute("transform", `translate(${lookup.anchor(p, part).join(" ")})`);
      return node;
    });
  };
  // The picture keeps its aspect ratio and may be narrower than its element.
  const matrix = () => picture.getScreenCTM() ?? new DOMMatrix();
  const /** @type {Table["within"]} */ within = (x, y) => {
    const { a, d, e, f } = matrix();
    return [(x - e) / a, (y - f) / d];
  };
  const inside = (/** @type {number} */ a, /** @type {number} */ x, /** @type {number} */ y) => {
    let outline = paths.get(a);
    if (!outline) paths.set(a, (outline = new Path2D(board.atoms[a].path)));
    return Boolean(sheet?.isPointInPath(outline, x, y));
  };
  let ghosted = "";
  return {
    picture,
    section,
    within,
    outside: (x, y) => {
      const { a, d, e, f } = matrix();
      return [a * x + e, d * y + f];
    },
    scale: () => matrix().a,
    show: (lying) => {
      const remaining = new Set(lying.map(({ p }) => p));
      for (const [p, node] of shown) {
        if (!remaining.has(p)) {
          node.remove();
          shown.delete(p);
        }
      }
      for (const [turn, { p, shade, kept, chosen, lifted }] of lying.entries()) {
        let node = shown.get(p);
        if (!node) {
          node = svgElement("g", { "data-p": p }, ...placed(p));
          shown.set(p, node);
          parts.pieces.append(node);
        }
        node.style.color = shade;
        node.style.setProperty("--turn", String(turn));
        node.setAttribute("class", `piece${kept ? " kept" : ""}${chosen ? " chosen" : ""}${lifted ? " lifted" : ""}`);
        if (chosen && parts.pieces.lastChild !== node && !lifted) parts.pieces.append(node);
      }
    },
    ghost: (p, shade, kind) => {
      if (ghosted === `${p} ${shade} ${kind}`) return;
      ghosted = `${p} ${shade} ${kind}`;
      parts.ghost.replaceChildren(...(p < 0 ? [] : placed(p)));
      parts.ghost.setAttribute("class", `ghost ${kind}`);
      parts.ghost.style.color = shade;
    },
    point: (kind, atoms) => {
      parts[kind].replaceChildren(...atoms.filter((a) => board.atoms[a]?.path).map((a) => svgElement("path", { d: board.atoms[a].path, "data-atom": a })));
    },
    glowing: () => parts.glow.getBoundingClientRect(),
    wrong: (sides) => {
      parts.wrong.replaceChildren(...sides.map((points) => svgElement("path", { d: `M${points.map((p) => p.join(" ")).join("L")}` })));
    },
    atomAt: (clientX, clientY) => {
      const [x, y] = within(clientX, clientY);
      const near = board.atoms
        .map((atom, a) => ({ a, away: atom.main && atom.path ? Math.hypot(atom.x - x, atom.y - y) : Infinity }))
        .filter(({ away }) => away < 1.5 * board.unit)
        .sort((one, other) => one.away - other.away);
      const hit = near.find(({ a }) => inside(a, x, y));
      return hit ? hit.a : near.length && near[0].away < 0.6 * board.unit ? near[0].a : -1;
    },
  };
}
