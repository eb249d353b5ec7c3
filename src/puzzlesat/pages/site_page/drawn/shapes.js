// Pictures of tiles as SVG text in the geometry of the grid; in space, the layers are side by side.
import { makeLattice } from "../paint/lattice.js";

/** @import { Atom } from "../engine/laying.js" */
/** @import { Grid } from "./reading.js" */
/** @import { Point, Lattice } from "../paint/lattice.js" */

const EDGE = "#222222", SLOT = 0.35, SCALE = 0.6;
const /** @type {WeakMap<Grid, Lattice>} */ lattices = new WeakMap();

/** The cached lattice of a grid. @param {Grid} grid */
export function latticeOf(grid) {
  const known = lattices.get(grid) ?? makeLattice(grid);
  lattices.set(grid, known);
  return known;
}

/** @param {number} x */
export const short = (x) => String(Math.round(100 * x) / 100);

/** @param {Point[]} points @param {boolean} closed */
const path = (points, closed) => `M${points.map(([x, y]) => `${short(x)} ${short(y)}`).join("L")}${closed ? "Z" : ""}`;

/** The drawn parts of atoms in a layer: areas, lines between atoms, and outlines.
 * @param {Lattice} lattice @param {Atom[]} atoms @param {number} layer */
export function drawnIn(lattice, atoms, layer) {
  const { grid, dimension: n } = lattice, areas = [], lines = [];
  const /** @type {Map<string, {a: Point, b: Point, times: number}>} */ sides = new Map();
  for (const atom of atoms) {
    const points = lattice.corners(atom, layer), { drawn, main } = grid.atoms[atom[n]];
    if (!points) continue;
    if (drawn === "ball") areas.push(circle(points[0], grid.radius));
    else if (drawn === "segment") lines.push({ path: path(points, false), width: main ? grid.line : SLOT * grid.line });
    else if (drawn === "face") {
      areas.push(path(points, true));
      points.forEach((a, i) => {
        const b = points[(i + 1) % points.length], key = [a, b].map((p) => p.map((x) => Math.round(10 * x)).join()).sort().join(" "), known = sides.get(key);
        sides.set(key, { a, b, times: (known?.times ?? 0) + 1 });
      });
    }
  }
  const edges = (/** @type {boolean} */ outer) => [...sides.values()].filter(({ times }) => (times === 1) === outer).map(({ a, b }) => path([a, b], false)).join("");
  return { area: areas.join(""), lines, outline: edges(true), inner: edges(false) };
}

/** @param {Point} middle @param {number} r */
const circle = ([x, y], r) => `M${short(x - r)} ${short(y)}a${short(r)} ${short(r)} 0 1 0 ${short(2 * r)} 0a${short(r)} ${short(r)} 0 1 0 ${short(-2 * r)} 0Z`;

/** The bounding box of atoms in a layer. @param {Lattice} lattice @param {Atom[]} atoms @param {number} layer @returns {[number, number, number, number]} left, top, right, bottom */
export function boxOf(lattice, atoms, layer) {
  const points = atoms.flatMap((atom) => lattice.corners(atom, layer) ?? []), beyond = lattice.grid.radius + 0.5 * lattice.grid.line + 1;
  const of = (/** @type {0|1} */ i, /** @type {1|-1} */ sign) => sign * points.reduce((most, p) => Math.max(most, sign * p[i]), -Infinity);
  return [of(0, -1) - beyond, of(1, -1) - beyond, of(0, 1) + beyond, of(1, 1) + beyond];
}

/** Draw atoms in a layer as SVG text. @param {Lattice} lattice @param {Atom[]} atoms @param {number} layer @param {string} colour */
export function drawing(lattice, atoms, layer, colour) {
  const { area, lines, outline, inner } = drawnIn(lattice, atoms, layer), width = Math.max(1, 0.06 * lattice.grid.unit);
  const sticks = [[EDGE, 1], [colour, 0.7]].map(([ink, share]) => lines.map((line) => `<path d="${line.path}" stroke="${ink}" stroke-width="${short(line.width * Number(share))}" stroke-linecap="round" fill="none"/>`).join("")).join("");
  const face = area ? `<path d="${area}" fill="${colour}"/><path d="${inner}" stroke="${EDGE}" stroke-opacity="0.25" fill="none"/><path d="${outline}" stroke="${EDGE}" stroke-width="${short(width)}" stroke-linecap="round" fill="none"/>` : "";
  return `<g>${face}${sticks}</g>`;
}

/** The picture of a tile. @param {Grid} grid @param {Atom[]} atoms @param {string} colour */
export function tilePicture(grid, atoms, colour) {
  const lattice = latticeOf(grid), layers = [...new Set(atoms.flatMap((atom) => lattice.layersOf(atom)))].sort((a, b) => a - b), boxes = layers.map((layer) => boxOf(lattice, atoms, layer));
  const left = Math.min(...boxes.map((box) => box[0])), top = Math.min(...boxes.map((box) => box[1])), bottom = Math.max(...boxes.map((box) => box[3])), step = Math.max(...boxes.map((box) => box[2])) - left + 0.3 * grid.unit;
  const parts = layers.map((layer, i) => `<g transform="translate(${short(i * step)} 0)">${drawing(lattice, atoms, layer, colour)}</g>`).join("");
  const [width, height] = [step * layers.length - 0.3 * grid.unit, bottom - top];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${[left, top, width, height].map(short).join(" ")}" width="${short(SCALE * width)}" height="${short(SCALE * height)}">${parts}</svg>`;
}
