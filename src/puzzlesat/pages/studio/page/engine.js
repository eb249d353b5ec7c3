// Who answers the page's questions: here the program that it came from. In the files of `puzzlesat site`, a module of this name and with the same exports asks a worker in the page.
import { nothing } from "./state.js";
import { texts as english } from "./texts/draw-en.js";
import { texts as german } from "./texts/draw-de.js";
import { texts as rulesEnglish } from "./texts/rules-en.js";
import { texts as rulesGerman } from "./texts/rules-de.js";

export { ask, found, rememberBase as begin } from "./ask.js";

/** What can be shown; the first is what is shown where nothing is open. */
export const VIEWS = ["library", "play", "solutions", "apart", "draw", "tiles", "variants", "challenges", "proof"];
/** Whether the program itself answers: it draws, proves, exports and reads files. */
export const PROGRAM = true;
/** Texts beside those of the page, for each language. @type {Record<string, Record<string, string>>} */
export const TEXTS = { en: { ...english, ...rulesEnglish }, de: { ...german, ...rulesGerman } };
/** Whether there may be an answer on the puzzle of a state. @param {import("./state.js").State} _state */
export const knows = (_state) => true;
/** What is shown first. */
export const home = nothing;
