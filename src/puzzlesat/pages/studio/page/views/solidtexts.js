// The view of bodies for a board in space, with texts in the user's language.
import { shadesOf } from "../lookup.js";
import { SOLID_TEXTS, makeSolidPieces } from "../solidview.js";

/** @param {HTMLElement} root @param {import("../app.js").App} app @param {import("../types.js").BoardData} board a board in space */
export function makeSolidView(root, { t }, board) {
  const { placements, tiles } = board, solid = /** @type {import("../bodies3d.js").Solid} */ (board.solid), numbers = new Map(placements.name.map((name, p) => [name, p]));
  const upTo = (/** @type {number} */ k, /** @type {number} */ n) => (k === n ? t("solid_all", { n }) : t("solid_up_to", { k, n }));
  const view = makeSolidPieces(root, solid, { texts: { ...SOLID_TEXTS, apart: t("solid_apart"), layers: t("solid_layers"), reset: t("solid_reset"), canvas: t("solid_canvas"), still: t("solid_still"), upTo } });
  return {
    /** @param {string[]} position names of placements */
    show(position) {
      const placed = position.map((name) => numbers.get(name)).filter((p) => p !== undefined), shades = shadesOf(board, placed);
      view.show(placed.map((p) => ({ id: p, atoms: placements.atoms[p], colour: shades.get(p) ?? "", name: tiles[placements.tile[p]].name })));
    },
    destroy: view.destroy,
  };
}
