// Translatable sentences of the engine: templates and values, rendered in the reader's language like the program's sentences.

/** @typedef {{says: string, values: {[name: string]: any}}} Sentence */

const PLACES = /\{(\w+)(?:\|([^|{}]*)\|([^|{}]*))?\}/g;

/** @param {string} says @param {{[name: string]: any}} [values] @returns {Sentence} */
export const sentence = (says, values = {}) => ({ says, values });

/** @param {any} value @returns {boolean} */
const isSentence = (value) => value !== null && typeof value === "object" && typeof value.says === "string" && typeof value.values === "object";

/** @param {any} value @returns {string} */
function inEnglish(value) {
  if (Array.isArray(value)) return value.map(inEnglish).join(", ");
  if (typeof value === "number" || typeof value === "bigint") return value.toLocaleString("en");
  if (!isSentence(value)) return String(value);
  return value.says.replace(PLACES, (/** @type {string} */ _place, /** @type {string} */ name, /** @type {string|undefined} */ one, /** @type {string} */ several) => (one === undefined ? inEnglish(value.values[name]) : String(value.values[name]) === "1" ? one : several));
}

/** Render the sentences of an answer in English, and list their templates and values in ``said``, like pages/studio/telling.py. @param {any} answer */
export function spoken(answer) {
  const /** @type {object[]} */ sentences = [];
  /** @param {any} value @param {(string|number)[]} at @returns {any} */
  const walk = (value, at) => {
    if (isSentence(value)) {
      sentences.push({ at, ...value });
      return inEnglish(value);
    }
    if (Array.isArray(value)) return typeof value[0] === "number" ? value : value.map((part, i) => walk(part, [...at, i]));
    if (value === null || typeof value !== "object") return value;
    return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, walk(part, [...at, key])]));
  };
  const found = walk(answer, []);
  return sentences.length ? { ...found, said: sentences } : found;
}
