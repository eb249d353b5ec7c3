// The selectable grids: grids of the package by name, and the user's own grids, which a puzzle's table contains in full.
import { element } from "../dom.js";
import { ownGrids } from "../state.js";

/** @import { OwnGrid } from "../state.js" */
/** @typedef {string|OwnGrid} Said the value of the key `grid` of a table */

const OWN = "own:"; // prefix of the user's own grids in a list of options

/** The grid of a puzzle's table, or of its model. @param {Record<string, any>} table @param {{name: string}} grid the parsed grid @returns {Said} */
export const saidBy = (table, grid) => (table.grid && typeof table.grid === "object" ? table.grid : grid.name);

/** A key that identifies a grid; a user's own grid may have the name of one of the package. @param {Said} reference */
export const valueOf = (reference) => (typeof reference === "string" ? reference : OWN + reference.name);

/** The grid of a key. @param {string} value @param {Said} otherwise @returns {Said} */
export const gridAt = (value, otherwise) => (value.startsWith(OWN) ? ownGrids().find((grid) => valueOf(grid) === value) ?? otherwise : value);

/** The options of a list of grids. @param {import("../app.js").App} app @param {{name: string, title: string}[]} grids the grids of the package
 * @param {Said} chosen */
export function gridOptions(app, grids, chosen) {
  const { t } = app, value = valueOf(chosen), own = ownGrids();
  const option = (/** @type {string} */ of, /** @type {string} */ words) => element("option", { value: of, selected: of === value }, words);
  const known = grids.map(({ name, title }) => option(name, t(`grid_${name}`) === `grid_${name}` ? title : t(`grid_${name}`)));
  if (!own.length) return known;
  return [element("optgroup", { label: t("draw_own_grids") }, ...own.map((grid) => option(valueOf(grid), grid.title))), element("optgroup", { label: t("draw_known_grids") }, ...known)];
}
