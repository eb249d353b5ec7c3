// Queries that a board runs sixty times a second: placements near a point, free places, contacts and mismatched sides.

/** @import { BoardData } from "./types.js" */

/**
 * @typedef {object} Lookup
 * @property {(tile: number, orientation: number) => number[]} lying the placements of an orientation
 * @property {(p: number, part: number) => number} layerOf the layer of a section of a placement
 * @property {(p: number, part: number) => [number, number]} anchor the position of the own cell of a section, in pixels
 * @property {(p: number) => [number, number]} middle the mean of its places, in pixels
 * @property {(p: number, q: number) => number} away the distance between the middles of two placements in pixels, also in space
 * @property {(tile: number, orientation: number, part: number) => [number, number]} heart the middle of a section, from its own cell
 * @property {(a: number) => number[]} covering the placements that cover an atom
 * @property {(name: string) => number} number the number of a placement by name, or -1
 * @property {(name: number|string) => number} atom
 */

/** @param {BoardData} board @returns {Lookup} */
export function makeLookup(board) {
  const { placements, tiles, layers, atoms } = board;
  const /** @type {number[][][]} */ lists = tiles.map((tile) => tile.orientations.map(() => []));
  placements.tile.forEach((tile, p) => lists[tile][placements.orientation[p]].push(p));
  const layerAt = new Map(layers.map((layer, i) => [layer.height, i]));
  let /** @type {number[][]|null} */ covers = null;
  let /** @type {Map<string, number>|null} */ byName = null;
  const atomByName = new Map(atoms.map((atom, i) => [atom.name, i]));
  const layerOf = (/** @type {number} */ p, /** @type {number} */ part) => {
    if (!placements.rise) return 0;
    const height = tiles[placements.tile[p]].orientations[placements.orientation[p]].parts[part].height + placements.rise[p];
    return layerAt.get(height) ?? 0;
  };
  const where = places(board);
  /** The main atoms of a placement (see `Atom.main`), or all atoms if there are none. @param {number} p */
  const mainOf = (p) => {
    const seen = placements.atoms[p].filter((a) => atoms[a].main);
    return seen.length ? seen : placements.atoms[p];
  };
  const core = (/** @type {number} */ p) => meanOf(mainOf(p).map((a) => where[a]));
  return {
    away: (p, q) => {
      const there = core(q);
      return Math.hypot(...core(p).map((x, axis) => x - there[axis]));
    },
    lying: (tile, orientation) => lists[tile][orientation],
    layerOf,
    anchor: (p, part) => {
      const layer = layers[layerOf(p, part)];
      return [placements.x[p] + layer.x, placements.y[p] + layer.y];
    },
    middle: (p) => meanOf(mainOf(p).map((a) => [atoms[a].x, atoms[a].y])),
    heart: (tile, orientation, part) => {
      const { parts, atoms: middles } = tiles[tile].orientations[orientation];
      const own = middles.filter((m) => m[2] === parts[part].height);
      return meanOf(own.length ? own : middles);
    },
    covering: (a) => {
      if (!covers) {
        covers = atoms.map(() => []);
        for (let p = 0; p < placements.atoms.length; p += 1) for (const atom of placements.atoms[p]) covers[atom].push(p);
      }
      return covers[a];
    },
    number: (name) => {
      byName ??= new Map(placements.name.map((n, p) => [n, p]));
      return byName.get(name) ?? -1;
    },
    atom: (name) => (typeof name === "number" ? name : atomByName.get(name) ?? -1),
  };
}

/** The mean of points. @param {number[][]} points */
const meanOf = (points) => /** @type {[number, number]} */ (points[0].map((_, axis) => points.reduce((sum, p) => sum + p[axis], 0) / points.length));

/** The positions of atoms: in the plane from the picture; in space from their cells, scaled to the distances of the picture.
 * @param {BoardData} board @returns {number[][]} */
function places(board) {
  const { atoms, solid } = board;
  if (!solid) return atoms.map(({ x, y }) => [x, y]);
  const found = solid.atoms.map(([x, y, z, kind]) =>
    [0, 1, 2].map((axis) => solid.kinds[kind].middle[axis] + [x, y, z].reduce((sum, n, i) => sum + n * solid.basis[i][axis], 0)));
  const steps = board.neighbours.flatMap((near, a) => near.map((b) => Math.hypot(...found[a].map((x, axis) => x - found[b][axis]))));
  const scale = board.unit / Math.min(...steps.slice(0, 100), Infinity) || 1;
  return found.map((place) => place.map((x) => x * scale));
}

/** The nearest free placement of an orientation to a point, and the nearest of all its placements; -1 for none.
 * @param {BoardData} board @param {Lookup} lookup
 * @param {{tile: number, orientation: number, part: number, x: number, y: number, reach: number}} held (x, y) is the position of the own cell of the
 * section @param {(p: number) => boolean} free @returns {{fits: number, near: number}} */
export function nearestPlaces(board, lookup, held, free) {
  let fits = -1, near = -1, best = held.reach ** 2, closest = held.reach ** 2;
  for (const p of lookup.lying(held.tile, held.orientation)) {
    const [x, y] = lookup.anchor(p, held.part);
    const away = (x - held.x) ** 2 + (y - held.y) ** 2;
    if (away < closest) [near, closest] = [p, away];
    if (away < best && free(p)) [fits, best] = [p, away];
  }
  return { fits, near };
}

/** Choose shades for placements so that touching copies differ.
 * @param {{tiles: {shades: string[]}[], placements: {tile: number[], atoms: number[][]}, neighbours: number[][]}} board @param {number[]} placed */
export function shadesOf({ tiles, placements: { tile, atoms }, neighbours }, placed) {
  const owner = new Map(placed.flatMap((p) => atoms[p].map((a) => [a, p]))), /** @type {Map<number, number>} */ levels = new Map();
  return new Map(placed.map((p) => {
    const { shades } = tiles[tile[p]], beside = atoms[p].flatMap((a) => neighbours[a].map((b) => owner.get(b) ?? p));
    const near = new Set(beside.filter((q) => tiles[tile[q]].shades[0] === shades[0]).map((q) => levels.get(q)));
    let level = 0;
    while (near.has(level)) level++;
    levels.set(p, level);
    return [p, shades[level % shades.length]];
  }));
}

/** The nearest element in a direction, preferring elements straight ahead; -1 for none.
 * @param {number} from @param {Iterable<number>} some @param {(thing: number) => [number, number]} where @param {[number, number]} direction
 * @returns {number} */
export function inDirection(from, some, where, direction) {
  const [x, y] = where(from);
  let found = -1, best = Infinity;
  for (const thing of some) {
    if (thing === from) continue;
    const [tx, ty] = where(thing);
    const ahead = (tx - x) * direction[0] + (ty - y) * direction[1];
    const aside = Math.abs((tx - x) * direction[1] - (ty - y) * direction[0]);
    const cost = ahead + 2 * aside;
    if (ahead > 1 && aside <= 1.8 * ahead && cost < best - 1e-6) [found, best] = [thing, cost];
  }
  return found;
}

/** The sides where two placements show marks that may not meet.
 * @param {BoardData} board @param {Iterable<number>} placed @returns {{side: number, pair: [number, number]}[]} */
export function mismatches(board, placed) {
  const { marks } = board;
  if (!marks) return [];
  const /** @type {Map<number, [number, number]>} */ seen = new Map();
  const /** @type {{side: number, pair: [number, number]}[]} */ found = [];
  for (const p of placed) {
    for (const [side, name] of marks.shown[p]) {
      const other = seen.get(side);
      if (other === undefined) seen.set(side, [p, name]);
      else if (other[0] !== p && marks.mate[name] !== other[1]) found.push({ side, pair: [other[0], p] });
    }
  }
  return found;
}

/** Return whether all pieces are cards: one place each, with marks that must match. @param {BoardData} board */
export const isOfCards = (board) => board.marks !== null && board.placements.atoms.every((some) => some.length === 1);

/** Replace an English name such as card7 by its number, since players know cards by their pictures. @param {string} name */
export const cardNumber = (name) => /^[a-z]+([0-9]+)$/.exec(name)?.[1] ?? name;

/** @param {Element} drawing the picture of a card */
export function numberCards(drawing) {
  for (const title of drawing.querySelectorAll("title")) title.remove();
  for (const text of drawing.querySelectorAll("text")) text.textContent = cardNumber(text.textContent ?? "");
}
