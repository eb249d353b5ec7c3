// Editing the table of an instance file: replacing its form or its tiles. Tables are never modified in place.

/** @typedef {Record<string, any>} Table */

/** Keys that are valid for one form only. */
const OF_THE_FORM = ["expect", "split", "source"];
/** Keys that define the tiles. */
const OF_THE_TILES = ["model", "grid", "flips", "turns", "may_cross", "marks", "colours", "generate", "tiles", "use", "break_on", "conditions", "mirrored"];
/** The default tiles of a grid. */
const USUAL = /** @type {Record<string, string>} */ ({ square: "pentominoes", triangle: "hexiamonds", hexagon: "tetrahexes", cube: "soma", tans: "tritetratan", "square-edges": "tetrasticks", "triangle-edges": "tritrigs", "hexagon-edges": "tetratwigs", kites: "tetrakites", drafters: "tetradrafters", rhombille: "tetrarhombs", "square-slots": "bits-and-bytes", "square-marks": "macmahon-squares" });
const FEW = 3;

/** @param {Table} table @param {string[]} keys @returns {Table} */
const without = (table, keys) => Object.fromEntries(Object.entries(table).filter(([key]) => !keys.includes(key)));

/** Replace the form of a table. @param {Table} table @param {Table} form @returns {Table} */
export const withForm = (table, form) => ({ ...without(table, [...OF_THE_FORM, "form"]), form });

/** Replace the tiles of a table. @param {Table} table @param {Table} tiles @returns {Table} */
export function withTiles(table, tiles) {
  const { form, ...rest } = without(table, [...OF_THE_TILES, ...OF_THE_FORM]), keptForm = form ? without(form, ["fixed"]) : undefined;
  return { ...rest, ...tiles, ...(keptForm ? { form: keptForm } : {}) };
}

/** The default tiles of a grid: a model of the package, or the free polyforms of a few cells.
 * @param {import("./grids.js").Said} grid @param {{name: string, grid: string, marks: boolean}[]} models @returns {Table} */
export function usualTiles(grid, models) {
  const usual = typeof grid !== "string" ? null : models.find((model) => model.name === USUAL[grid]) ?? models.find((model) => model.grid === grid && !model.marks);
  return usual ? { model: usual.name } : { grid, flips: true, generate: [{ free: FEW }] };
}

/** Convert a title to a name: lower-case letters, digits and hyphens. @param {string} title @param {string} otherwise */
export function nameOf(title, otherwise) {
  const name = title.toLowerCase().normalize("NFD").replace(/\p{M}/gu, "").replace(/[^a-z0-9]+/g, "-").replace(/^-+|-+$/g, "").slice(0, 60);
  return name || otherwise;
}

/** Read the text of a file; files of BurrTools are compressed. @param {File} file */
export async function textOf(file) {
  const bytes = new Uint8Array(await file.arrayBuffer());
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return new TextDecoder().decode(bytes);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).text();
}
