// What the program says, in the person's language: its sentences come in English, and with them what they were made from.
import { german } from "./texts/said-de.js";
import { german as titles } from "./texts/titles-de.js";
import { wordPage } from "./wording.js";

/** @typedef {string|number|bigint|Parts|Value[]} Value numbers are written as the language does, lists with commas */
/** @typedef {{says: string, values: {[name: string]: any}}} Parts a template, and what it is filled with */

const PLACE = /\{(\w+)(?:\|([^|{}]*)\|([^|{}]*))?\}/g; // {name}, a value; {name|one|several}, the first word where the value is 1
const CATALOGUES = /** @type {Record<string, Record<string, string>>} */ ({ de: german }), TITLES = /** @type {Record<string, Record<string, string>>} */ ({ de: titles });
let language = "en";

/** Speak a language from now on. @param {string} code */
export const speak = (code) => void (language = code);

/** A title of the package in the person's language; any other stays as it is. @param {string} title */
export function titled(title) {
  const own = TITLES[language];
  return own && Object.hasOwn(own, title) ? own[title] : title;
}

/** A sentence of the program. Wherever text is wanted it is its words, in the language that is spoken then. */
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

/** A picture of the program in which the person's language is written. @template {Element} E @param {E} picture
 * @param {(string|Said)[]} written the sentences in it */
export function worded(picture, written) {
  const said = new Map(written.map((one) => [one instanceof Said ? one.english : one, String(one)]));
  for (const text of picture.querySelectorAll("text, title")) text.textContent = said.get(text.textContent ?? "") ?? text.textContent;
  return picture;
}

/** A page of the program to be kept, in the person's language. Its scripts stay as they are: the page names their checksums.
 * @param {string} page @param {string} title of the puzzle @param {(string|Said)[]} written the sentences in it
 * @param {import("./types.js").BoardData} board */
export function pageWorded(page, title, written, board) {
  const made = new DOMParser().parseFromString(page, "text/html");
  wordPage(made, language, new Map(written.map((one) => [one instanceof Said ? one.english : one, String(one).replace(title, () => titled(title))])), board);
  return `<!DOCTYPE html>\n${made.documentElement.outerHTML}\n`;
}

/** An answer of the program, with each sentence in it made one that speaks the person's language. @param {any} answer */
export function withSentences(answer) {
  for (const { at, says, values } of answer.said ?? []) {
    const last = at.pop(), place = at.reduce((/** @type {any} */ part, /** @type {string|number} */ key) => part[key], answer);
    place[last] = new Said(place[last], { says, values });
  }
  return answer;
}
