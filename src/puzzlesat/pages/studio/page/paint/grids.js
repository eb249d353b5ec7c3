// The grids there are to choose from: those of the package by name, and one's own, which stand in a puzzle's table as they are.
import { element } from "../dom.js";
import { ownGrids } from "../state.js";

/** @import { OwnGrid } from "../state.js" */
/** @typedef {string|OwnGrid} Said what a table says of its grid */

const OWN = "own:"; // before the names of one's own, in a list to choose from

/** What a puzzle's table says of its grid, or its model. @param {Record<string, any>} table @param {{name: string}} grid as it was read @returns {Said} */
export const saidBy = (table, grid) => (table.grid && typeof table.grid === "object" ? table.grid : grid.name);

/** What tells a grid from others, also from one of the package that has its name. @param {Said} said */
export const valueOf = (said) => (typeof said === "string" ? said : OWN + said.name);

/** The grid of such a value. @param {string} value @param {Said} otherwise @returns {Said} */
export const gridAt = (value, otherwise) => (value.startsWith(OWN) ? ownGrids().find((one) => valueOf(one) === value) ?? otherwise : value);

/** The options of a list of grids. @param {import("../app.js").App} app @param {{name: string, title: string}[]} grids those of the package
 * @param {Said} chosen */
export function gridOptions(app, grids, chosen) {
  const { t } = app, value = valueOf(chosen), own = ownGrids();
  const option = (/** @type {string} */ of, /** @type {string} */ words) => element("option", { value: of, selected: of === value }, words);
  const known = grids.map(({ name, title }) => option(name, t(`grid_${name}`) === `grid_${name}` ? title : t(`grid_${name}`)));
  if (!own.length) return known;
  return [element("optgroup", { label: t("draw_own_grids") }, ...own.map((one) => option(valueOf(one), one.title))), element("optgroup", { label: t("draw_known_grids") }, ...known)];
}
