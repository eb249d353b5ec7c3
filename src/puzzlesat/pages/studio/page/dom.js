// Elements from plain data: text is inserted as text, never as HTML, and pictures of the server only through svgFrom.
import { htmlElement as element } from "./elements.js";

export { bytesOf } from "./packing.js";
export { drawingFrom as svgFrom, htmlElement as element, svgElement as shape } from "./elements.js";

/** A button with a label and an action. @param {string} words @param {(event: MouseEvent) => void} pressed
 * @param {Record<string, unknown>} [attributes] */
export function button(words, pressed, attributes = {}) {
  return element("button", { type: "button", onclick: pressed, ...attributes }, words);
}

/** A button that starts long work, and stops it while it runs.
 * @param {import("./app.js").App} app @param {string} words @param {(signal: AbortSignal) => Promise<unknown>} work
 * @param {Record<string, unknown>} [attributes] */
export function starter(app, words, work, attributes) {
  let /** @type {AbortController|null} */ stop = null;
  const start = button(words, () => (stop ? stop.abort() : run()), attributes);
  async function run(own = work) {
    const { signal } = (stop = new AbortController());
    start.textContent = app.t("stop");
    await app.attempt(() => own(signal));
    stop = null;
    start.textContent = words;
  }
  return { start, run, end: () => stop?.abort() };
}

/** A status line and a progress bar. @param {string} label the label of the bar */
export function working(label) {
  const status = element("p", { class: "soft small", role: "status" }), bar = element("progress", { hidden: true, "aria-label": label });
  /** Update the progress bar from a progress event. @param {{share?: number}} far */
  function told({ share }) {
    if (share === undefined) bar.removeAttribute("value");
    else bar.value = share;
  }
  function say(/** @type {string} */ words, /** @type {boolean} */ busy) {
    status.textContent = words;
    bar.hidden = !busy;
    told({});
  }
  return { root: element("div", {}, status, bar), told, begin: (/** @type {string} */ words) => say(words, true), end: (words = "") => say(words, false) };
}

/** Offer a file for download. @param {string} filename @param {string} type @param {Uint8Array|string} content bytes, or text */
export function keep(filename, type, content) {
  const address = URL.createObjectURL(new Blob([/** @type {BlobPart} */ (content)], { type }));
  const link = element("a", { href: address, download: filename });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
