// A grid for painting: positions of atoms, the atom at a point, neighbours and images under symmetries.
// Points are pixels of the grid's own pictures, with y downwards; the easel scales them to the screen.

/** @typedef {number[]} Atom the coordinates of the cell, and the number of the atom in the cell */
/** @typedef {[number, number]} Point */
/** @typedef {{layer: number, points: Point[]}} Section */
/** @typedef {{name: string, drawn: "face"|"segment"|"ball"|"hidden", main: boolean, crossing: boolean, kind: string, role: string, sections: Section[]}} AtomShape */
/** @typedef {{name: string, matrix: number[][], image: number[], shift: number[][], mirror: boolean, degrees: number|null, over: number}} Symmetry */
/** @typedef {{symmetry: number, move: number[]}} Motion */
/** @typedef {{name: string, order: number, mirrors: boolean, groups: Motion[][]}} Brush */
/** @typedef {{name: string, title: string, dimension: 2|3, basis: Point[], rise: number, unit: number, line: number, radius: number,
 *   atoms: AtomShape[], neighbours: number[][][], sides: number[][][], symmetries: Symmetry[], parts: {glyph: string, atoms: number[]}[],
 *   shapes: string[], beside: string[], crossings: {through: Atom[], blocks: Atom[]}[], chess: {along: number[], shift: number[]}|null, brushes: Brush[]}}
 *   Grid ``sides``: for each atom of the cell, the sides that carry marks */
/** @typedef {ReturnType<typeof makeLattice>} Lattice */

/** @param {Atom} atom */
export const keyOf = (atom) => atom.join(",");

const MAX_KNOWN = 200_000;
const /** @type {Map<string, Atom>} */ known = new Map(); // atoms by key; never modified
/** @param {string} key @returns {Atom} */
export function atomOf(key) {
  let atom = known.get(key);
  if (atom) return atom;
  if (known.size > MAX_KNOWN) known.clear();
  known.set(key, (atom = key.split(",").map(Number)));
  return atom;
}

/** Compare atoms in the order of forms: layers from below, rows from below, left to right. @param {Atom} a @param {Atom} b */
export function byPlace(a, b) {
  for (let i = a.length - 2; i >= 0; i--) if (a[i] !== b[i]) return a[i] - b[i];
  return a[a.length - 1] - b[b.length - 1];
}

const NEAR = [-1, 0, 1];

export function makeLattice(/** @type {Grid} */ grid) {
  const n = grid.dimension, [[ax, ay], [bx, by]] = grid.basis, det = ax * by - bx * ay;
  const [cx, cy] = n === 3 ? grid.basis[2] : [0, 0];
  /** The paintable atoms of a cell: for each layer, the corners in the cell at the origin. */
  const shown = grid.atoms.flatMap((shape, number) => (shape.main ? shape.sections.map((section) => ({ number, drawn: shape.drawn, ...section, middle: middleOf(section.points) })) : []));
  const reach = Math.max(...shown.map(({ points, middle }) => Math.max(...points.map(([x, y]) => Math.hypot(x - middle[0], y - middle[1])))), grid.radius) + 1;

  /** @param {number[]} cell @returns {Point} */
  const home = (cell) => [cell[0] * ax + cell[1] * bx + (n === 3 ? cell[2] * cx : 0), cell[0] * ay + cell[1] * by + (n === 3 ? cell[2] * cy : 0)];
  /** @param {Point} point @returns {Point} */
  const coordinates = ([x, y]) => [(x * by - y * bx) / det, (y * ax - x * ay) / det];
  /** @param {number} layer @param {number} z @returns {number} */
  const insideCell = (layer, z) => layer - z * grid.rise;

  /** The corners of an atom in a layer; undefined if the atom is not visible there.
   * @param {Atom} atom @param {number} layer @returns {Point[]|undefined} */
  function corners(atom, layer) {
    const inside = insideCell(layer, n === 3 ? atom[2] : 0), [x, y] = home(atom);
    return grid.atoms[atom[n]].sections.find((section) => section.layer === inside)?.points.map((p) => /** @type {Point} */ ([p[0] + x, p[1] + y]));
  }

  /** The layers in which an atom is visible. @param {Atom} atom */
  const layersOf = (atom) => grid.atoms[atom[n]].sections.map((section) => section.layer + (n === 3 ? atom[2] * grid.rise : 0));

  /** @param {Atom} atom @param {number} layer @returns {Point} */
  const middle = (atom, layer) => middleOf(corners(atom, layer) ?? corners(atom, layersOf(atom)[0]) ?? [[0, 0]]);

  /** Call a function for every atom of a layer whose middle is near a point. @param {Point} point @param {number} layer
   * @param {(atom: Atom, points: Point[], middle: Point, drawn: string) => void} each */
  function around(point, layer, each) {
    for (const { number, drawn, layer: own, points, middle: m } of shown) {
      const z = n === 3 ? (layer - own) / grid.rise : 0;
      if (!Number.isInteger(z)) continue;
      const [sx, sy] = home(n === 3 ? [0, 0, z] : [0, 0]);
      const [u, v] = coordinates([point[0] - m[0] - sx, point[1] - m[1] - sy]).map(Math.round);
      for (const i of NEAR) {
        for (const j of NEAR) {
          const cell = n === 3 ? [u + i, v + j, z] : [u + i, v + j], [x, y] = home(cell);
          each([...cell, number], points.map((p) => /** @type {Point} */ ([p[0] + x, p[1] + y])), [m[0] + x, m[1] + y], drawn);
        }
      }
    }
  }

  /** The atom of a layer at a point: the face that contains it, or the nearest edge or ball within reach.
   * @param {Point} point @param {number} layer @returns {Atom|null} */
  function at(point, layer) {
    let /** @type {Atom|null} */ best = null;
    let least = grid.unit * 0.45;
    around(point, layer, (atom, points, m, drawn) => {
      const far = drawn === "face" ? (holds(points, point) ? -1 : Infinity) : drawn === "segment" ? toSegment(point, points[0], points[1]) : Math.hypot(point[0] - m[0], point[1] - m[1]) - grid.radius * 0.6;
      if (far < least) [best, least] = [atom, far];
    });
    return best;
  }

  /** The atoms of a layer that may be visible in a rectangle; null if there are more than `most`.
   * @param {{left: number, top: number, right: number, bottom: number}} seen @param {number} layer @param {number} most @returns {Atom[]|null} */
  function within(seen, layer, most) {
    const area = (seen.right - seen.left + 2 * reach) * (seen.bottom - seen.top + 2 * reach) / Math.abs(det);
    if (area * shown.length > 4 * most) return null;
    const found = [];
    for (const { number, layer: own, middle: m } of shown) {
      const z = n === 3 ? (layer - own) / grid.rise : 0;
      if (!Number.isInteger(z)) continue;
      const [sx, sy] = home(n === 3 ? [0, 0, z] : [0, 0]);
      const places = [[seen.left, seen.top], [seen.right, seen.top], [seen.left, seen.bottom], [seen.right, seen.bottom]].map(([x, y]) => coordinates([x - m[0] - sx, y - m[1] - sy]));
      const low = [0, 1].map((i) => Math.floor(Math.min(...places.map((p) => p[i]))) - 1), high = [0, 1].map((i) => Math.ceil(Math.max(...places.map((p) => p[i]))) + 1);
      for (let u = low[0]; u <= high[0]; u++) {
        for (let v = low[1]; v <= high[1]; v++) {
          const cell = n === 3 ? [u, v, z] : [u, v], [x, y] = home(cell);
          if (x + m[0] > seen.left - reach && x + m[0] < seen.right + reach && y + m[1] > seen.top - reach && y + m[1] < seen.bottom + reach) found.push([...cell, number]);
        }
      }
    }
    return found.length > most ? null : found;
  }

  /** @param {Atom} atom @returns {Atom[]} */
  const neighbours = (atom) => grid.neighbours[atom[n]].map((other) => other.map((x, i) => (i < n ? x + atom[i] : x)));

  /** The image of an atom under a motion; null if the image is not in the grid. @param {Motion} motion @param {Atom} atom @returns {Atom|null} */
  function image({ symmetry, move }, atom) {
    const { matrix, image: to, shift, over } = grid.symmetries[symmetry], a = atom[n];
    const cell = matrix.map((row, i) => row.reduce((sum, x, j) => sum + x * atom[j], shift[a][i]) + move[i] * over);
    if (over > 1 && cell.some((x) => x % over)) return null;
    return [...cell.map((x) => x / over), to[a]];
  }

  /** The image of a point of the plane under a motion. @param {Motion} motion @param {Point} point @returns {Point} */
  function pointImage({ symmetry, move }, point) {
    const { matrix, image: to, shift } = grid.symmetries[symmetry], a = 0, [u, v] = coordinates(point);
    const own = shown.find((s) => s.number === a) ?? shown[0], from = coordinates(own.middle);
    const onto = coordinates((shown.find((s) => s.number === to[own.number]) ?? own).middle); // the image of the middle of an atom
    const there = [0, 1].map((i) => onto[i] + shift[own.number][i] + move[i] + matrix[i][0] * (u - from[0]) + matrix[i][1] * (v - from[1]));
    return home([...there, 0]);
  }

  /** The colour of an atom on a chessboard, 0 or 1. @param {Atom} atom */
  const chess = (atom) => (grid.chess ? (((grid.chess.along.reduce((sum, k, i) => sum + k * atom[i], grid.chess.shift[atom[n]]) % 2) + 2) % 2) : 0);

  /** The reference to an atom in a file. @param {Atom} atom @returns {(number|string)[]} */
  const refOf = (atom) => (grid.atoms.length === 1 ? atom.slice(0, n) : [...atom.slice(0, n), grid.atoms[atom[n]].name]);

  return { grid, dimension: n, corners, layersOf, middle, at, within, neighbours, image, pointImage, chess, refOf, home, coordinates };
}

/** @param {Point[]} points @returns {Point} */
export function middleOf(points) {
  return [points.reduce((sum, p) => sum + p[0], 0) / points.length, points.reduce((sum, p) => sum + p[1], 0) / points.length];
}

/** Return whether a polygon contains a point. @param {Point[]} points @param {Point} point */
function holds(points, [x, y]) {
  let inside = false;
  for (let i = 0, j = points.length - 1; i < points.length; j = i++) {
    const [px, py] = points[i], [qx, qy] = points[j];
    if (py > y !== qy > y && x < ((qx - px) * (y - py)) / (qy - py) + px) inside = !inside;
  }
  return inside;
}

/** The distance of a point from a segment. @param {Point} p @param {Point} a @param {Point} b */
export function toSegment(p, a, b) {
  const [x, y] = [b[0] - a[0], b[1] - a[1]], t = Math.max(0, Math.min(1, ((p[0] - a[0]) * x + (p[1] - a[1]) * y) / (x * x + y * y || 1)));
  return Math.hypot(p[0] - a[0] - t * x, p[1] - a[1] - t * y);
}
