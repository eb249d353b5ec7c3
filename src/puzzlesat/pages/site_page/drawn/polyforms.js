// Enumeration of the polyforms of a size, with their usual names (puzzles/forms.py).
import { atHome, byPlace, turned } from "../engine/laying.js";
import { parsePicture } from "./pictures.js";
import { refused } from "./refusing.js";

/** @import { Atom, Motion } from "../engine/laying.js" */
/** @import { Grid } from "./reading.js" */

const MAX_IMAGES = 250_000;
const /** @type {Map<string, Map<string, Atom[]>>} */ cache = new Map();

/** Compare two lists of atoms lexicographically. @param {Atom[]} a @param {Atom[]} b */
function compared(a, b) {
  for (let i = 0; i < a.length; i++) for (let j = 0; j < a[i].length; j++) if (a[i][j] !== b[i][j]) return a[i][j] - b[i][j];
  return 0;
}

/** The least image of a set of atoms under a group. @param {Motion[]} group @param {Atom[]} atoms @returns {Atom[]} */
const least = (group, atoms) => group.map((motion) => turned(motion, atoms)).reduce((best, image) => (image && (!best || compared(image, best) < 0) ? image : best), null) ?? [];

/** The distinct least images of shapes, in order. @param {Motion[]} group @param {Atom[][]} shapes */
function leastOf(group, shapes) {
  const seen = new Map(shapes.map((shape) => [atHome(shape, 0).sort(byPlace).join(" "), shape])), images = [...seen.values()].map((shape) => least(group, shape));
  return [...new Map(images.map((image) => [image.join(" "), image])).values()].sort(compared);
}

/** @param {Grid} grid @param {number} size
 * @param {string} kind ``free``: up to rotations and reflections; ``one_sided``: up to rotations; ``fixed``: up to translations
 * @returns {Map<string, Atom[]>} by name @throws {import("./refusing.js").NotDrawn} if there are too many */
export function polyforms(grid, size, kind) {
  const key = `${grid.name} ${size} ${kind}`, known = cache.get(key);
  if (known) return known;
  const lattice = grid.symmetries.slice(0, grid.turns), grouped = (/** @type {Motion[]} */ motions) => (kind === "free" ? motions : motions.filter(({ mirror }) => !mirror));
  let every = lattice, group = kind === "fixed" ? lattice.slice(0, 1) : grouped(lattice), found = grown(grid, size, group);
  if (kind !== "fixed" && grid.symmetries.length > lattice.length) {
    every = grid.symmetries;
    group = grouped(every);
    found = leastOf(group, found);
  }
  const usual = new Map(Object.entries(grid.polyforms[size] ?? {}).map(([name, picture]) => {
    const drawn = atHome(parsePicture(grid, picture, false).atoms, 0).sort(byPlace);
    return [least(every, drawn).join(" "), { name, drawn }];
  }));
  const /** @type {Map<string, Atom[]>} */ named = new Map(), /** @type {[string, Atom[]][]} */ twins = [];
  found.forEach((shape, i) => {
    const { name, drawn } = usual.get(least(every, shape).join(" ")) ?? { name: `${size}-${String(i + 1).padStart(2, "0")}`, drawn: shape };
    if (compared(least(group, shape), least(group, drawn)) === 0) named.set(name, drawn);
    else twins.push([name, shape]);
  });
  for (const [first, shape] of twins) {
    let name = first;
    while (named.has(name)) name += "'";
    named.set(name, shape);
  }
  const sorted = new Map([...named].sort(([a], [b]) => (a < b ? -1 : 1)));
  cache.set(key, sorted);
  return sorted;
}

/** Grow polyforms by one neighbour at a time, keeping one representative per class. @param {Grid} grid @param {number} size @param {Motion[]} group */
function grown(grid, size, group) {
  const last = grid.dimension, origin = new Array(last).fill(0), faces = grid.atoms.flatMap(({ main }, a) => (main ? [[...origin, a]] : []));
  let level = leastOf(group, faces.map((face) => [face]));
  for (let more = size - 1; more > 0; more--) {
    const next = [];
    for (const shape of level) {
      const here = new Set(shape.map((atom) => atom.join()));
      for (const atom of shape) for (const other of grid.neighbours[atom[last]]) {
        const beside = other.map((x, i) => (i < last ? x + atom[i] : x));
        if (!here.has(beside.join())) next.push([...shape, beside]);
      }
    }
    if (!next.length || next.length * group.length * 2 ** (more - 1) > MAX_IMAGES) throw refused("drawn_large");
    level = leastOf(group, next);
  }
  return level;
}
