// Errors of a page without the program. An error is the key of a text, which the page renders in the reader's language.

/** A puzzle that the browser cannot read or lay. */
export class NotDrawn extends Error {
  constructor(/** @type {string} */ key, /** @type {Record<string, unknown>} */ values) {
    super(key);
    this.key = key;
    this.values = values;
  }
}

/** @param {string} key the key of a text @param {Record<string, unknown>} [values] */
export const refused = (key, values = {}) => new NotDrawn(key, values);
