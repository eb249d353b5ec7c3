// What a page without a program refuses: the key of a text, which the page says in the person's language.

/** What cannot be read or laid here. */
export class NotDrawn extends Error {
  constructor(/** @type {string} */ key, /** @type {Record<string, unknown>} */ values) {
    super(key);
    this.key = key;
    this.values = values;
  }
}

/** @param {string} key of a text @param {Record<string, unknown>} [values] */
export const refused = (key, values = {}) => new NotDrawn(key, values);
