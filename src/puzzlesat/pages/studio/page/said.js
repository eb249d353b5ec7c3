// Translation of the program's sentences: they arrive in English, with their templates and values.
import { german } from "./texts/said-de.js";
import { german as titles } from "./texts/titles-de.js";
import { wordPage } from "./wording.js";

/** @typedef {string|number|bigint|Parts|Value[]} Value numbers use the format of the language; lists are joined with commas */
/** @typedef {{says: string, values: {[name: string]: any}}} Parts a template and its values */

const PLACE = /\{(\w+)(?:\|([^|{}]*)\|([^|{}]*))?\}/g; // {name}: a value; {name|one|several}: the first word if the value is 1, else the second
const CATALOGUES = /** @type {Record<string, Record<string, string>>} */ ({ de: german }), TITLES = /** @type {Record<string, Record<string, string>>} */ ({ de: titles });
let language = "en";

/** Set the language. @param {string} code */
export const speak = (code) => void (language = code);

/** Translate a title of the package; other titles are returned unchanged. @param {string} title */
export function titled(title) {
  const own = TITLES[language];
  return own && Object.hasOwn(own, title) ? own[title] : title;
}

/** A sentence of the program. It converts to text in the language at the time of conversion. */
export class Said {
  constructor(/** @type {string} */ english, /** @type {Parts} */ parts) {
    this.english = english;
    this.parts = parts;
  }

  toString() {
    const catalogue = CATALOGUES[language];
    return catalogue && (Object.hasOwn(catalogue, this.parts.says) || !/\p{L}/u.test(this.parts.says.replace(PLACE, ""))) ? filled(this.parts, catalogue) : this.english;
  }

  toJSON() {
    return this.english;
  }
}

/** @param {Parts} parts @param {Record<string, string>} catalogue @returns {string} */
function filled({ says, values }, catalogue) {
  return (catalogue[says] ?? says).replace(PLACE, (place, name, one, several) => (!(name in values) ? place : several === undefined ? written(values[name], catalogue) : String(values[name]) === "1" ? one : several));
}

/** @param {any} value @param {Record<string, string>} catalogue @returns {string} */
function written(value, catalogue) {
  if (Array.isArray(value)) return value.map((part) => written(part, catalogue)).join(", ");
  if (typeof value === "number" || typeof value === "bigint") return value.toLocaleString(language, { maximumFractionDigits: 1 });
  return value !== null && typeof value === "object" ? filled(value, catalogue) : String(value);
}

/** Translate the texts in a picture of the program. @template {Element} E @param {E} picture
 * @param {(string|Said)[]} written the sentences in the picture */
export function worded(picture, written) {
  const translations = new Map(written.map((sentence) => [sentence instanceof Said ? sentence.english : sentence, String(sentence)]));
  for (const text of picture.querySelectorAll("text, title")) text.textContent = translations.get(text.textContent ?? "") ?? text.textContent;
  return picture;
}

/** Translate a page of the program for saving. Scripts are not translated: the page names their checksums.
 * @param {string} page @param {string} title of the puzzle @param {(string|Said)[]} written the sentences in the page
 * @param {import("./types.js").BoardData} board */
export function pageWorded(page, title, written, board) {
  const made = new DOMParser().parseFromString(page, "text/html");
  wordPage(made, language, new Map(written.map((sentence) => [sentence instanceof Said ? sentence.english : sentence, String(sentence).replace(title, () => titled(title))])), board);
  return `<!DOCTYPE html>\n${made.documentElement.outerHTML}\n`;
}

/** Replace the sentences of an answer by translatable `Said` objects. @param {any} answer */
export function withSentences(answer) {
  for (const { at, says, values } of answer.said ?? []) {
    const last = at.pop(), place = at.reduce((/** @type {any} */ part, /** @type {string|number} */ key) => part[key], answer);
    place[last] = new Said(place[last], { says, values });
  }
  return answer;
}
