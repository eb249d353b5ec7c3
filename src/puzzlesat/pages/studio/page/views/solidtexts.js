// What a view of bodies in space says, in the person's language.
import { SOLID_TEXTS } from "../solidview.js";

export { makeSolidView } from "../solidview.js";

/** @param {import("../app.js").App} app @returns {import("../solidview.js").SolidTexts} */
export const solidTexts = ({ t }) => ({ ...SOLID_TEXTS, apart: t("solid_apart"), layers: t("solid_layers"), reset: t("solid_reset"), canvas: t("solid_canvas"), still: t("solid_still"), upTo: (k, n) => (k === n ? t("solid_all", { n }) : t("solid_up_to", { k, n })) });
