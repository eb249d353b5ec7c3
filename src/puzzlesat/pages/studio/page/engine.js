// The engine of the page with the program: requests go to the server. In the files of `puzzlesat site`, a module with the same name and exports sends them to a worker in the page.
import { nothing } from "./state.js";
import { texts as english } from "./texts/draw-en.js";
import { texts as german } from "./texts/draw-de.js";
import { texts as rulesEnglish } from "./texts/rules-en.js";
import { texts as rulesGerman } from "./texts/rules-de.js";

export { ask, found, rememberBase as begin } from "./ask.js";

/** The available views; the first is the default. */
export const VIEWS = ["library", "play", "solutions", "apart", "draw", "tiles", "variants", "challenges", "proof"];
/** Whether the page has the program, which draws, proves, exports and reads files. */
export const PROGRAM = true;
/** Additional texts by language. @type {Record<string, Record<string, string>>} */
export const TEXTS = { en: { ...english, ...rulesEnglish }, de: { ...german, ...rulesGerman } };
/** Return whether the page may be able to open the puzzle of a state. @param {import("./state.js").State} _state */
export const knows = (_state) => true;
/** The first state. */
export const home = nothing;
