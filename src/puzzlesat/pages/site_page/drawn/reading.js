// Reading the table of an instance file in the browser: tiles and form (puzzles/load.py, puzzles/tiles.py, puzzles/forms.py). Unsupported keys are errors that name the key.
import { byPlace, orientations } from "../engine/laying.js";
import { parsePicture } from "./pictures.js";
import { polyforms } from "./polyforms.js";
import { refused } from "./refusing.js";
import { box, convex, shape } from "./regions.js";

/** @import { Atom, Plan } from "../engine/laying.js" */
/** @typedef {Record<string, any>} Table */
/** @typedef {import("../paint/lattice.js").Grid & import("../engine/laying.js").Grid & import("./pictures.js").Drawable & {turns: number,
 *   corners: Record<string, [number, number][][]>, centres: number[][], ways: Record<"turn"|"back"|"tip"|"mirror", number[]>,
 *   polyforms: Record<string, Record<string, string>>, along: Atom[][], ring: Atom[]}} Grid in the format of pages/site.py */
/** @typedef {import("../engine/laying.js").Tile & {members: string[], colour?: string, flips: boolean}} Tile */
/** @typedef {{grids: Record<string, Grid>, models: Record<string, Table>}} Known */
/** @typedef {{atoms: Set<string>, optional: Set<string>}} Form sets of atom keys */

const OF_THE_PUZZLE = ["marks", "colours", "conditions", "solutions", "split"], OF_THE_FORM = ["wrap", "fixed", "border", "colours"], OF_A_TILE = ["placements", "outlines", "marks", "colours"];
const MAX_COPIES = 10_000, MAX_SIZE = 9, MAX_REFS = 20_000, MAX_COORDINATE = 1_000_000, MAX_SIDE = 100_000;

/** @param {unknown} value @returns {value is Table} */
export const isTable = (value) => value !== null && typeof value === "object" && !Array.isArray(value);

/** Reject a table that uses one of the keys that the browser does not support. @param {Table} table @param {string[]} keys */
function without(table, keys) {
  const unsupported = keys.find((key) => (isTable(table[key]) || Array.isArray(table[key]) ? Object.keys(table[key]).length : table[key]));
  if (unsupported) throw refused("drawn_key", { key: unsupported });
}

/** @param {Table} table @param {string} key @returns {Table} */
function part(table, key) {
  const value = table[key] ?? {};
  if (!isTable(value)) throw refused("drawn_wrong", { key });
  return value;
}

/** The model of a table, or the table itself, with its grid. @param {Known} known @param {Table} table @returns {{model: Table, grid: Grid}} */
export function modelOf({ grids, models }, table) {
  const { model: name } = table;
  if (name !== undefined && !(typeof name === "string" && Object.hasOwn(models, name))) throw refused("drawn_grid", { name });
  const model = name === undefined ? table : models[name], grid = model.grid;
  if (typeof grid !== "string" || !Object.hasOwn(grids, grid)) throw refused("drawn_grid", { name: isTable(grid) ? grid.name : grid });
  return { model, grid: grids[grid] };
}

/** @param {Known} known @param {Table} table @returns {Plan} */
export function planOf(known, table) {
  without(table, OF_THE_PUZZLE);
  const { model, grid } = modelOf(known, table), tiles = joined(grid, tilesOf(known, table)), form = formOf(grid, part(table, "form"), crossing(model, table));
  if (!tiles.length) throw refused("drawn_no_tiles");
  const sorted = (/** @type {Iterable<string>} */ keys) => [...keys].map(atomAt).sort(byPlace);
  const flips = table.flips ?? model.flips, mirrored = table.mirrored === undefined ? Boolean(flips) : table.mirrored === "same";
  return { grid, tiles, required: sorted([...form.atoms].filter((key) => !form.optional.has(key))), optional: sorted(form.optional), mirrored };
}

/** Return whether tiles may cross each other. @param {Table} model @param {Table} table */
const crossing = (model, table) => Boolean(table.may_cross ?? model.may_cross ?? false);

/** @param {string} key @returns {Atom} */
const atomAt = (key) => key.split(",").map(Number);

/** Parse references to atoms. @param {Grid} grid @param {unknown} refs @param {string} key @returns {Atom[]} */
function atomsAt(grid, refs, key) {
  if (!Array.isArray(refs) || refs.length > MAX_REFS) throw refused("drawn_wrong", { key });
  return refs.map((ref) => {
    const cell = Array.isArray(ref) ? ref.slice(0, grid.dimension) : [], name = Array.isArray(ref) ? ref[grid.dimension] : null, a = name === undefined ? 0 : grid.atoms.findIndex((atom) => atom.name === name);
    if (a < 0 || cell.length < grid.dimension || ref.length > grid.dimension + 1 || !cell.every((x) => Number.isInteger(x) && Math.abs(x) < MAX_COORDINATE)) throw refused("drawn_wrong", { key });
    return [...cell, a];
  });
}

// tiles

/** The tiles of a table, before identical tiles are joined. @param {Known} known @param {Table} table @returns {Tile[]} */
export function tilesOf(known, table) {
  const { model, grid } = modelOf(known, table), named = model !== table, own = part(table, "tiles"), rules = { ...model, ...Object.fromEntries(["flips", "turns", "may_cross"].filter((key) => key in table).map((key) => [key, table[key]])) };
  without(table, OF_THE_PUZZLE.slice(0, 2));
  const shapes = { ...part(model, "tiles") }, /** @type {Map<string, any>} */ copies = new Map();
  for (const [name, said] of named ? Object.entries(own) : []) {
    if (isTable(said) && (said.picture ?? said.atoms ?? said.around) !== undefined) shapes[name] = said;
    else copies.set(name, part(own, name).copies);
  }
  const sets = [...listOf(model, "generate"), ...(named ? listOf(table, "generate") : [])], tiles = [...generated(grid, sets, rules), ...Object.entries(shapes).map(([name, said]) => shaped(grid, name, said, rules))];
  const twice = tiles.find(({ name }, i) => tiles.findIndex((tile) => tile.name === name) < i);
  if (twice) throw refused("drawn_name_twice", { name: twice.name });
  const use = table.use === undefined ? null : new Set(listOf(table, "use"));
  return tiles.filter(({ name }) => !use || use.has(name)).map((tile) => (copies.has(tile.name) ? { ...tile, ...ranged(copies.get(tile.name)) } : tile)).filter(({ high }) => high !== 0);
}

/** @param {Table} table @param {string} key @returns {any[]} */
function listOf(table, key) {
  const value = table[key] ?? [];
  if (!Array.isArray(value)) throw refused("drawn_wrong", { key });
  return value;
}

/** Parse a range of copies. @param {unknown} copies @returns {{low: number, high: number|null, ranges: [number, number|null][]}} */
function ranged(copies = 1) {
  const [low, high] = copies === "any" ? [0, null] : Array.isArray(copies) ? copies : [copies, copies];
  const whole = (/** @type {unknown} */ n) => Number.isInteger(n) && Number(n) >= 0 && Number(n) <= MAX_COPIES;
  if (!whole(low) || (high !== null && !(whole(high) && low <= high))) throw refused("drawn_wrong", { key: "copies" });
  return { low, high, ranges: [[low, high]] };
}

/** The tiles of ``[[generate]]``; if several sizes would share a name, the names include the size. @param {Grid} grid @param {Table[]} sets @param {Table} rules @returns {Tile[]} */
function generated(grid, sets, rules) {
  const stem = (/** @type {string} */ name) => name.replace(/'+$/, ""), /** @type {Map<string, Set<number>>} */ sizes = new Map();
  const made = sets.flatMap((set) => {
    const kind = ["free", "one_sided", "fixed"].find((key) => isTable(set) && key in set) ?? "free", size = isTable(set) ? set[kind] : 0;
    if (!Number.isInteger(size) || size < 1 || size > MAX_SIZE) throw refused("drawn_wrong", { key: "generate" });
    return [...polyforms(grid, size, kind)].map(([name, atoms]) => ({ name, size, atoms, copies: set.copies }));
  });
  for (const { name, size } of made) sizes.set(stem(name), (sizes.get(stem(name)) ?? new Set()).add(size));
  return made.map(({ name, size, atoms, copies }) => {
    const own = sizes.get(stem(name))?.size === 1 ? name : `${stem(name)}${size}${name.slice(stem(name).length)}`;
    return { name: own, members: [own], atoms: crossing(rules, {}) ? atoms : withCrossings(grid, atoms), ...ranged(copies), symmetries: allowed(grid, rules, {}), flips: Boolean(rules.flips) };
  });
}

/** Read the table of a tile. @param {Grid} grid @param {string} name @param {unknown} table @param {Table} rules @returns {Tile} */
function shaped(grid, name, table, rules) {
  if (!isTable(table)) throw refused("drawn_wrong", { key: `tiles.${name}` });
  without(table, OF_A_TILE);
  const atoms = table.around !== undefined ? around(grid, table.around) : typeof table.picture === "string" ? parsePicture(grid, table.picture, false).atoms : atomsAt(grid, table.atoms, `tiles.${name}`);
  if (!atoms.length || atoms.some((atom) => grid.atoms[atom[grid.dimension]].role !== "cover")) throw refused("drawn_wrong", { key: `tiles.${name}` });
  return { name, members: [name], atoms: crossing(rules, {}) ? [...atoms].sort(byPlace) : withCrossings(grid, atoms), ...ranged(table.copies), symmetries: allowed(grid, rules, table), colour: table.colour, flips: Boolean(table.flips ?? rules.flips) };
}

/** A face and the covered part of the ring around it. @param {Grid} grid @param {unknown} digits @returns {Atom[]} */
function around(grid, digits) {
  if (typeof digits !== "string" || digits.length !== grid.ring.length || /[^01]/.test(digits)) throw refused("drawn_key", { key: "around" });
  return [[...new Array(grid.dimension).fill(0), 0], ...grid.ring.filter((_, i) => digits[i] === "1")];
}

/** The indices of the symmetries that the rules allow for a tile. @param {Grid} grid @param {Table} rules @param {Table} table @returns {number[]} */
function allowed({ symmetries, dimension, turns: lattice }, rules, table) {
  const flips = table.flips ?? rules.flips, named = table.turns ?? rules.turns ?? "all", turns = named === "all" ? null : named === "none" ? [0] : named;
  if (turns !== null && (!Array.isArray(turns) || (dimension === 3 && flips))) throw refused("drawn_wrong", { key: "turns" });
  const numbers = [...symmetries.keys()], first = symmetries.findIndex(({ mirror }) => mirror);
  const turned = numbers.filter((i) => !symmetries[i].mirror && (!turns || (dimension === 2 ? turns.includes(symmetries[i].degrees) : i === 0)));
  if (!flips || first < 0) return turned;
  if (!turns) return numbers;
  const product = (/** @type {number[][]} */ a, /** @type {number[][]} */ b) => a.map((row) => b[0].map((_, j) => row.reduce((sum, x, k) => sum + x * b[k][j], 0))).join();
  const over = new Set(turned.map((i) => product(symmetries[i].matrix, symmetries[first].matrix)));
  return [...turned, ...numbers.filter((i) => i < lattice && symmetries[i].mirror && over.has(symmetries[i].matrix.join()))];
}

/** The atoms of a tile with the crossings that it blocks. @param {Grid} grid @param {Atom[]} atoms */
function withCrossings(grid, atoms) {
  const all = new Map([...atoms, ...crossingsOf(grid, atoms)].map((atom) => [atom.join(), atom]));
  return [...all.values()].sort(byPlace);
}

/** The crossings that a tile covers in addition, to prevent other tiles from crossing it. @param {Grid} grid @param {Atom[]} atoms @returns {Atom[]} */
function crossingsOf({ crossings, dimension: n }, atoms) {
  const here = new Set(atoms.map((atom) => atom.join())), found = [];
  for (const { through, blocks } of crossings) for (const atom of atoms) {
    if (atom[n] !== through[0][n]) continue;
    const there = (/** @type {Atom} */ own) => own.map((x, i) => (i < n ? x + atom[i] - through[0][i] : x));
    if (through.every((own) => here.has(there(own).join()))) found.push(...blocks.map(there));
  }
  return found;
}

/** Join tiles with the same orientations; their copies add up. @param {Grid} grid @param {Tile[]} tiles @returns {Tile[]} */
export function joined(grid, tiles) {
  const found = new Map();
  for (const tile of tiles) {
    const key = orientations(grid, tile).map(({ atoms }) => atoms.join(" ")).sort().join("; "), twin = found.get(key);
    found.set(key, !twin ? tile : { ...tile, name: tile.name, low: twin.low + tile.low, high: twin.high === null || tile.high === null ? null : twin.high + tile.high, members: [...twin.members, ...tile.members], ranges: [...twin.ranges, ...tile.ranges] });
  }
  return [...found.values()];
}

// the form

/** @param {Grid} grid @param {Table} table @param {boolean} mayCross @returns {Form} */
export function formOf(grid, table, mayCross) {
  without(table, OF_THE_FORM);
  const drawn = region(grid, table), n = grid.dimension, atoms = new Map(drawn.atoms.map((atom) => [atom.join(), atom])), optional = new Set(drawn.optional.map((atom) => atom.join()));
  if (drawn.atoms.some((atom) => grid.atoms[atom[n]].role !== "cover")) throw refused("drawn_wrong", { key: "form" });
  for (const side of ["inner", "outer"]) {
    for (const [kind, convention] of Object.entries(part(table, side))) {
      const more = convention === "none" ? [] : besideOf(grid, [...atoms.values()], kind, side === "inner");
      for (const atom of more) {
        atoms.set(atom.join(), atom);
        if (convention === "optional") optional.add(atom.join());
      }
    }
  }
  const removed = new Set(atomsAt(grid, table.remove ?? [], "remove").map((atom) => atom.join()));
  if (!mayCross) {
    for (const atom of crossingsOf(grid, [...atoms.values()].filter((atom) => !removed.has(atom.join())))) {
      if (atoms.has(atom.join())) continue;
      atoms.set(atom.join(), atom);
      optional.add(atom.join());
    }
  }
  for (const key of removed) atoms.delete(key);
  for (const key of table.optional === "all" ? atoms.keys() : atomsAt(grid, table.optional ?? [], "optional").map((atom) => atom.join())) optional.add(key);
  if (!atoms.size) throw refused("drawn_first");
  return { atoms: new Set(atoms.keys()), optional: new Set([...optional].filter((key) => atoms.has(key))) };
}

/** The atoms of a kind between two faces of the form (``inner``), or on a single face. @param {Grid} grid @param {Atom[]} atoms @param {string} kind @param {boolean} inner */
function besideOf(grid, atoms, kind, inner) {
  const n = grid.dimension, /** @type {Map<string, {atom: Atom, times: number}>} */ found = new Map();
  for (const face of atoms) for (const side of grid.along[face[n]]) {
    if (grid.atoms[side[n]].kind !== kind) continue;
    const atom = side.map((x, i) => (i < n ? x + face[i] : x)), known = found.get(atom.join());
    found.set(atom.join(), { atom, times: (known?.times ?? 0) + 1 });
  }
  return [...found.values()].filter(({ times }) => times > 1 === inner).map(({ atom }) => atom);
}

/** The atoms that the table of a form states. @param {Grid} grid @param {Table} table @returns {{atoms: Atom[], optional: Atom[]}} */
function region(grid, table) {
  const sizes = (/** @type {unknown} */ list, /** @type {number} */ least) => Array.isArray(list) && list.length === grid.dimension && list.every((x) => Number.isInteger(x) && x >= least && x <= MAX_SIDE);
  if (typeof table.picture === "string") return parsePicture(grid, table.picture, true);
  if (table.atoms !== undefined) return { atoms: atomsAt(grid, table.atoms, "form.atoms"), optional: [] };
  if (sizes(table.box, 1)) return { atoms: box(grid, table.box), optional: [] };
  if (grid.dimension === 2 && Array.isArray(table.polygon) && table.polygon.length > 2 && table.polygon.length < 100 && table.polygon.every((corner) => sizes(corner, -MAX_SIDE))) return { atoms: convex(grid, table.polygon), optional: [] };
  const name = grid.shapes.find((key) => Object.hasOwn(table, key));
  if (!name || !Number.isInteger(table[name]) || table[name] < 1 || table[name] > MAX_SIDE) throw refused("drawn_wrong", { key: "form" });
  return { atoms: shape(grid, name, table[name]), optional: [] };
}
