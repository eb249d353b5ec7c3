// Painted atoms and operations on them: pure functions, and an undo history.
import { atomOf, byPlace, keyOf } from "./lattice.js";

/** @import { Atom, Lattice, Motion, Point, Brush } from "./lattice.js" */
/** @typedef {{optional: boolean, colour: string}} Look the paint of an atom; "" is no colour */
/** @typedef {{atoms: Map<string, Look>, removed: Set<string>, marks?: import("./marks.js").Marks}} Paint the painted atoms, removed slots beside them, and the marks of a piece */
/** @typedef {{atoms: Atom[], optional: Atom[], colours: [Atom, string][], removed: Atom[]}} Said the same in the program's format */

const MAX_FILLED = 20_000, MAX_KEPT = 300, MAX_KEPT_ATOMS = 2_000_000;
const STEPS = [-2, -1, 0, 1, 2].flatMap((i) => [-2, -1, 0, 1, 2].map((j) => [i, j]));

/** @returns {Paint} */
export const empty = () => ({ atoms: new Map(), removed: new Set() });

/** @param {Said} painted @returns {Paint} */
export function paintOf(painted) {
  const must = { optional: false, colour: "" };
  const /** @type {Map<string, Look>} */ atoms = new Map(painted.atoms.map((atom) => [keyOf(atom), must]));
  const change = (/** @type {Atom} */ atom, /** @type {Partial<Look>} */ part) => {
    const look = atoms.get(keyOf(atom));
    if (look) atoms.set(keyOf(atom), { ...look, ...part });
  };
  for (const atom of painted.optional) change(atom, { optional: true });
  for (const [atom, colour] of painted.colours) change(atom, { colour });
  return { atoms, removed: new Set(painted.removed.map(keyOf)) };
}

/** @param {Paint} paint @returns {Said} */
export function saidOf({ atoms, removed }) {
  const all = [...atoms];
  return {
    atoms: all.map(([key]) => atomOf(key)),
    optional: all.filter(([, look]) => look.optional).map(([key]) => atomOf(key)),
    colours: all.filter(([, look]) => look.colour).map(([key, look]) => [atomOf(key), look.colour]),
    removed: [...removed].map(atomOf),
  };
}

/** The history for undo and redo. @param {Paint} first */
export function makeHistory(first) {
  let now = first;
  let /** @type {Paint[]} */ before = [];
  let /** @type {Paint[]} */ after = [];
  return {
    now: () => now,
    keep(/** @type {Paint} */ next) {
      before = [...before.slice(1 - Math.min(MAX_KEPT, 20 + Math.ceil(MAX_KEPT_ATOMS / (now.atoms.size + 1)))), now];
      after = [];
      now = next;
    },
    undo() {
      const last = before.pop();
      if (last) after.push(now), (now = last);
      return Boolean(last);
    },
    redo() {
      const next = after.pop();
      if (next) before.push(now), (now = next);
      return Boolean(next);
    },
    canUndo: () => before.length > 0,
    canRedo: () => after.length > 0,
  };
}

/** The atoms on a straight line between two points. @param {Lattice} lattice @param {Point} from @param {Point} to
 * @param {number} layer @returns {Atom[]} */
export function alongLine(lattice, from, to, layer) {
  const far = Math.hypot(to[0] - from[0], to[1] - from[1]), steps = Math.max(1, Math.ceil(far / (lattice.grid.unit * 0.2)));
  const /** @type {Map<string, Atom>} */ found = new Map();
  for (let i = 0; i <= steps; i++) {
    const atom = lattice.at([from[0] + ((to[0] - from[0]) * i) / steps, from[1] + ((to[1] - from[1]) * i) / steps], layer);
    if (atom) found.set(keyOf(atom), atom);
  }
  return [...found.values()];
}

/** The atoms whose middle lies in the rectangle of two points, also if the points are in one row or one cell.
 * @param {Lattice} lattice @param {Point} from @param {Point} to @param {number} layer @returns {Atom[]} */
export function inRectangle(lattice, from, to, layer) {
  const first = lattice.at(from, layer), last = lattice.at(to, layer);
  const ends = [first ? lattice.middle(first, layer) : from, last ? lattice.middle(last, layer) : to], slack = lattice.grid.unit * 0.2;
  const seen = { left: Math.min(ends[0][0], ends[1][0], from[0], to[0]), right: Math.max(ends[0][0], ends[1][0], from[0], to[0]), top: Math.min(ends[0][1], ends[1][1], from[1], to[1]), bottom: Math.max(ends[0][1], ends[1][1], from[1], to[1]) };
  return (lattice.within(seen, layer, MAX_FILLED) ?? []).filter((atom) => {
    const [x, y] = lattice.middle(atom, layer);
    return x > seen.left - slack * 0.05 && x < seen.right + slack * 0.05 && y > seen.top - slack * 0.05 && y < seen.bottom + slack * 0.05;
  });
}

/** The connected region of equally painted (or unpainted) atoms around an atom; null if the region is unbounded.
 * @param {Lattice} lattice @param {Paint} paint @param {Atom} start @param {number|null} layer the layer to stay in; null for all
 * @returns {Atom[]|null} */
export function likeIt(lattice, { atoms }, start, layer) {
  const look = atoms.get(keyOf(start)), frame = frameOf(atoms.keys(), lattice.dimension);
  const same = (/** @type {Look|undefined} */ other) => (look ? other !== undefined && other.optional === look.optional && other.colour === look.colour : other === undefined);
  if (!look && !frame) return null;
  const found = new Map([[keyOf(start), start]]), todo = [start];
  while (todo.length) {
    for (const other of lattice.neighbours(/** @type {Atom} */ (todo.pop()))) {
      const key = keyOf(other);
      if (found.has(key) || !same(atoms.get(key)) || (layer !== null && !lattice.layersOf(other).includes(layer))) continue;
      if (!look && frame && other.some((x, i) => i < lattice.dimension && (x < frame.low[i] || x > frame.high[i]) && !(layer !== null && i === 2))) return null;
      found.set(key, other);
      todo.push(other);
      if (found.size > MAX_FILLED) return null;
    }
  }
  return [...found.values()];
}

/** The smallest and the largest coordinates of atoms. @param {Iterable<string>} keys @param {number} dimension */
export function frameOf(keys, dimension) {
  let /** @type {number[]|null} */ low = null;
  let high = [0];
  for (const key of keys) {
    const cell = atomOf(key).slice(0, dimension);
    if (!low) [low, high] = [cell, [...cell]];
    else cell.forEach((x, i) => {
      if (x < /** @type {number[]} */ (low)[i]) /** @type {number[]} */ (low)[i] = x;
      if (x > high[i]) high[i] = x;
    });
  }
  return low && { low, high };
}

/** The image of the paint under a motion. @param {Lattice} lattice @param {Paint} paint @param {Motion} motion @returns {Paint} */
export function moved(lattice, paint, motion) {
  const to = (/** @type {string} */ key) => keyOf(/** @type {Atom} */ (lattice.image(motion, atomOf(key))));
  return { atoms: new Map([...paint.atoms].map(([key, look]) => [to(key), look])), removed: new Set([...paint.removed].map(to)) };
}

/** The image of the paint under a symmetry, moved back to about the same place. @param {Lattice} lattice @param {Paint} paint @param {number} symmetry */
export function turned(lattice, paint, symmetry) {
  const nowhere = lattice.grid.basis.map(() => 0), after = moved(lattice, paint, { symmetry, move: nowhere });
  const from = frameOf(paint.atoms.keys(), lattice.dimension), to = frameOf(after.atoms.keys(), lattice.dimension);
  if (!from || !to) return paint;
  const move = from.low.map((x, i) => Math.round((x + from.high[i] - to.low[i] - to.high[i]) / 2));
  return moved(lattice, after, { symmetry: 0, move });
}

/** The distinct images of atoms under the motions of a brush. @param {Lattice} lattice @param {Atom[]} atoms @param {Motion[]|null} motions
 * @returns {Atom[]} */
export function imagesOf(lattice, atoms, motions) {
  if (!motions) return atoms;
  const /** @type {Map<string, Atom>} */ found = new Map();
  for (const atom of atoms) {
    for (const motion of motions) {
      const image = lattice.image(motion, atom);
      if (image) found.set(keyOf(image), image);
    }
  }
  return [...found.values()];
}

/** The motions of a brush, placed at the centre of symmetry nearest to a point.
 * @param {Lattice} lattice @param {Brush} brush @param {Point} point @param {number} layer @returns {Motion[]} */
export function placedAt(lattice, brush, point, layer) {
  const n = lattice.dimension, [u, v] = lattice.coordinates(point).map(Math.round), z = Math.round(layer / lattice.grid.rise), atom = lattice.at(point, layer);
  let best = brush.groups[0], least = Infinity;
  for (const group of brush.groups) {
    for (const by of n === 3 ? STEPS.flatMap(([i, j]) => [-1, 0, 1].map((k) => [u + i, v + j, z + k])) : STEPS.map(([i, j]) => [u + i, v + j])) {
      const there = group.map((motion) => carried(lattice, motion, by));
      const far = Math.max(...there.map((motion) => away(lattice, motion, point, layer, atom)));
      if (far < least - 1e-6) [best, least] = [there, far];
    }
  }
  return best;
}

/** The distance between a point of a layer and its image under a motion. @param {Lattice} lattice @param {Motion} motion @param {Point} point @param {number} layer @param {Atom|null} atom */
function away(lattice, motion, point, layer, atom) {
  const [x, y] = lattice.pointImage(motion, point), image = lattice.dimension === 3 && atom ? lattice.image(motion, atom) : null;
  const rise = image && !lattice.layersOf(image).includes(layer) ? Math.abs(lattice.layersOf(image)[0] - layer) : 0;
  return Math.hypot(x - point[0], y - point[1]) + rise * lattice.grid.unit;
}

/** A motion conjugated by a translation. @param {Lattice} lattice @param {Motion} motion @param {number[]} by @returns {Motion} */
function carried(lattice, { symmetry, move }, by) {
  const { matrix } = lattice.grid.symmetries[symmetry];
  return { symmetry, move: move.map((x, i) => x + by[i] - matrix[i].reduce((sum, k, j) => sum + k * by[j], 0)) };
}

/** Parse the name of a placement, TILE.ORIENTATION@CELL, into its atoms; null if the name is invalid.
 * @param {Lattice} lattice @param {Map<string, Atom[]>} tiles @param {string} name @returns {{tile: string, atoms: Atom[]}|null} */
export function placementOf(lattice, tiles, name) {
  const match = /^(.+)\.(\d+)@([-\d.]+)$/.exec(name), atoms = match && tiles.get(match[1]), n = lattice.dimension;
  if (!match || !atoms) return null;
  const symmetry = Number(match[2]) - 1, cell = match[3].split(".").map(Number);
  const g = lattice.grid.symmetries[symmetry];
  if (!g || cell.length !== n) return null;
  const raw = atoms.map((atom) => [...g.matrix.map((row, i) => row.reduce((sum, x, j) => sum + x * atom[j], g.shift[atom[n]][i])), g.image[atom[n]]]);
  const low = g.matrix.map((_, i) => Math.min(...raw.map((atom) => atom[i])));
  const laid = raw.map((atom) => [...low.map((x, i) => (atom[i] - x) / g.over), atom[n]]).sort(byPlace);
  const move = cell.map((x, i) => x - laid[0][i]);
  return { tile: match[1], atoms: laid.map((atom) => atom.map((x, i) => (i < n ? x + move[i] : x))) };
}
