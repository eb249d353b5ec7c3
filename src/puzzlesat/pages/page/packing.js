// Base64 encoding and browser storage.

/** @param {string} text in base64 */
export const bytesOf = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));

export function inBase64(/** @type {Uint8Array} */ bytes) {
  let text = "";
  for (let at = 0; at < bytes.length; at += 0x8000) text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(text);
}

/** Inflate a base64 text. @param {string} text in base64 */
export const inflated = (text) => new Response(new Blob([bytesOf(text)]).stream().pipeThrough(new DecompressionStream("deflate-raw")));

/** Decode little-endian numbers. @param {string} text in base64 @param {number} bytes size of a number: 2 or 4 */
export function numbersOf(text, bytes) {
  const view = new DataView(bytesOf(text).buffer);
  return Uint32Array.from({ length: view.byteLength / bytes }, (_, i) => (bytes === 2 ? view.getUint16(2 * i, true) : view.getUint32(4 * i, true)));
}

/** Read a text from the browser's storage; null if there is none, or no storage. @param {string} key */
export function keptText(key) {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/** Write a text to the browser's storage. Return false if the storage is full or missing. @param {string} key @param {string} text */
export function keepText(key, text) {
  try {
    localStorage.setItem(key, text);
    return true;
  } catch {
    return false;
  }
}
