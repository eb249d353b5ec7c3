// Writing a drawn form as the table of an instance file (studio/painted.py), as a box if possible, else as a list of atoms; and tables as TOML.
import { atHome, byPlace } from "../engine/laying.js";
import { refused } from "./refusing.js";

/** @import { Atom } from "../engine/laying.js" */
/** @import { Grid, Table } from "./reading.js" */
/** @typedef {{atoms: Atom[], optional?: Atom[], removed?: Atom[]}} Painted */

/** The reference to an atom in a file. @param {Grid} grid @returns {(atom: Atom) => (string|number)[]} */
const refOf = ({ dimension: n, atoms }) => (atom) => (atoms.length === 1 ? atom.slice(0, n) : [...atom.slice(0, n), atoms[atom[n]].name]);

/** The ``[form]`` table of a painted form, moved to smallest coordinates 1, with the translation.
 * @param {Grid} grid @param {Painted} painted @param {Table} rules the keys of the form other than its atoms
 * @returns {{form: Table, moved: number[]}} */
export function formTable(grid, { atoms, optional = [], removed = [] }, rules) {
  if (!atoms.length) throw refused("drawn_first");
  const n = grid.dimension, moved = Array.from({ length: n }, (_, i) => 1 - atoms.reduce((low, atom) => Math.min(low, atom[i]), Infinity));
  const placed = (/** @type {Atom[]} */ some) => some.map((atom) => atom.map((x, i) => (i < n ? x + moved[i] : x))).sort(byPlace).map(refOf(grid));
  const sides = moved.map((x, i) => atoms.reduce((high, atom) => Math.max(high, atom[i] + x), 1)), faces = grid.atoms.filter(({ main }) => main).length;
  const region = sides.reduce((product, side) => product * side, faces) === atoms.length ? { box: sides } : { atoms: placed(atoms) };
  const may = !optional.length ? {} : { optional: optional.length === atoms.length ? "all" : placed(optional) };
  return { form: { ...region, ...may, ...(removed.length ? { remove: placed(removed) } : {}), ...rules }, moved };
}

/** The table of a tile. @param {Grid} grid @param {Atom[]} atoms @returns {Table} */
export function tileTable(grid, atoms) {
  if (!atoms.length) throw refused("drawn_first");
  return { atoms: atHome(atoms, 1).sort(byPlace).map(refOf(grid)) };
}

/** Format a table as TOML, with nested tables inline. @param {Table} table */
export const tomlOf = (table) => Object.entries(table).filter(([, value]) => isSaid(value)).map(([key, value]) => `${keyOf(key)} = ${valueOf(value)}\n`).join("");

const isSaid = (/** @type {unknown} */ value) => value !== undefined && value !== null;

const keyOf = (/** @type {string} */ key) => (/^[A-Za-z0-9_-]+$/.test(key) ? key : valueOf(key));

/** @param {any} value @returns {string} */
function valueOf(value) {
  if (typeof value === "string") return JSON.stringify(value).replaceAll("\u007f", "\\u007f");
  if (Array.isArray(value)) return `[${value.map(valueOf).join(", ")}]`;
  if (typeof value === "object") return `{ ${Object.entries(value).filter(([, own]) => isSaid(own)).map(([key, own]) => `${keyOf(key)} = ${valueOf(own)}`).join(", ")} }`;
  return String(value);
}
