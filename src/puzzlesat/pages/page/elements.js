// HTML and SVG elements from plain data; no text of a file or an address is parsed as markup.

export const SVG = "http://www.w3.org/2000/svg";
/** The elements allowed in a picture: shapes and text. Scripts, HTML and links are removed; no picture of the program needs them. */
const HARMLESS = new Set(["svg", "g", "path", "text", "title", "rect", "circle", "line", "polygon", "polyline", "ellipse", "tspan"]);

/** @typedef {Node|string|number|null|undefined|false} Child */

/** Create an HTML element. In attributes, a function listens to the event of its name (click, or onclick), and true sets an empty attribute;
 * false, null and undefined set none.
 * @template {keyof HTMLElementTagNameMap} K @param {K} name @param {Record<string, unknown>} [attributes] @param {...(Child|Child[])} children
 * @returns {HTMLElementTagNameMap[K]} */
export function htmlElement(name, attributes = {}, ...children) {
  return dressed(document.createElement(name), attributes, children);
}

/** Create an SVG element, with the same arguments. @template {keyof SVGElementTagNameMap} K @param {K} name @param {Record<string, unknown>} [attributes]
 * @param {...(Child|Child[])} children @returns {SVGElementTagNameMap[K]} */
export function svgElement(name, attributes = {}, ...children) {
  return dressed(/** @type {any} */ (document.createElementNS(SVG, name)), attributes, children);
}

/** @template {Element} E @param {E} made @param {Record<string, unknown>} attributes @param {(Child|Child[])[]} children @returns {E} */
function dressed(made, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") made.addEventListener(key.replace(/^on/, ""), /** @type {EventListener} */ (value));
    else if (value !== false && value !== null && value !== undefined && !key.startsWith("on")) made.setAttribute(key, value === true ? "" : String(value));
  }
  for (const child of children.flat()) if (child !== null && child !== undefined && child !== false) made.append(typeof child === "number" ? String(child) : child);
  return made;
}

/** Parse SVG made by the program; pictures enter a page only here. Everything that could run, load or link is removed.
 * @param {string} text SVG elements, or a document @returns {SVGSVGElement} */
export function drawingFrom(text) {
  const whole = /^\s*<svg[\s>]/.test(text) ? text : `<svg xmlns="${SVG}">${text}</svg>`;
  const root = new DOMParser().parseFromString(whole, "image/svg+xml").documentElement;
  if (root.namespaceURI !== SVG || root.localName !== "svg") return svgElement("svg");
  for (const node of [root, ...root.querySelectorAll("*")]) {
    if (node.namespaceURI !== SVG || !HARMLESS.has(node.localName)) node.remove();
    for (const { name, value } of [...node.attributes]) {
      if (/^(on|style$)/i.test(name) || /href$/i.test(name) || /url\(|javascript:/i.test(value)) node.removeAttribute(name);
    }
  }
  return /** @type {SVGSVGElement} */ (/** @type {unknown} */ (document.importNode(root, true)));
}
