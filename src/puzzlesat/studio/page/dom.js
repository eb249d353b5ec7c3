// Elements of the page, made of plain data: text goes in as text, never as HTML, and pictures of the server through svgFrom alone.

const SVG = "http://www.w3.org/2000/svg";

/** @typedef {Node|string|number|null|undefined|false} Child */

/**
 * An element of HTML. Attributes: functions named on… are listeners, true stands for an attribute without a value, false and null for none.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} name
 * @param {Record<string, unknown>} [attributes]
 * @param {...(Child|Child[])} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function element(name, attributes = {}, ...children) {
  return filled(document.createElement(name), attributes, children);
}

/**
 * An element of SVG.
 * @template {keyof SVGElementTagNameMap} K
 * @param {K} name
 * @param {Record<string, unknown>} [attributes]
 * @param {...(Child|Child[])} children
 * @returns {SVGElementTagNameMap[K]}
 */
export function shape(name, attributes = {}, ...children) {
  return filled(/** @type {any} */ (document.createElementNS(SVG, name)), attributes, children);
}

/**
 * @template {Element} E
 * @param {E} made
 * @param {Record<string, unknown>} attributes
 * @param {(Child|Child[])[]} children
 * @returns {E}
 */
function filled(made, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) {
      if (typeof value === "function") made.addEventListener(key.slice(2), /** @type {EventListener} */ (value));
    } else if (value === true) made.setAttribute(key, "");
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(key, String(value));
  }
  for (const child of children.flat()) if (child !== null && child !== undefined && child !== false) made.append(typeof child === "number" ? String(child) : child);
  return made;
}

/**
 * A button: what it says, and what it does.
 * @param {string} words
 * @param {(event: MouseEvent) => void} pressed
 * @param {Record<string, unknown>} [attributes]
 */
export function button(words, pressed, attributes = {}) {
  return element("button", { type: "button", onclick: pressed, ...attributes }, words);
}

/** What of a picture is let in: shapes, text and what they share; no scripts, no HTML, nothing that leads elsewhere. */
const LET_IN = new Set("svg g path rect circle ellipse line polyline polygon text tspan title desc defs use symbol clipPath mask marker pattern linearGradient radialGradient stop style".split(" "));

/**
 * The picture that a text of SVG is. The one way for pictures of the server into the page: what could run or load anything is dropped.
 * @param {string} text
 * @returns {SVGSVGElement}
 */
export function svgFrom(text) {
  const read = new DOMParser().parseFromString(text, "image/svg+xml");
  const top = read.documentElement;
  if (top.namespaceURI !== SVG || top.localName !== "svg") return shape("svg", {});
  for (const part of [...top.querySelectorAll("*")]) {
    if (part.namespaceURI !== SVG || !LET_IN.has(part.localName)) part.remove();
  }
  for (const part of [top, ...top.querySelectorAll("*")]) {
    for (const { name, value } of [...part.attributes]) {
      const leads = /(^|:)href$/i.test(name) && !value.trim().startsWith("#");
      const loads = /url\(\s*['"]?(?!['"]?#)/i.test(value);
      if (/^on/i.test(name) || leads || loads) part.removeAttribute(name);
    }
    if (part.localName === "style" && part !== top && /@import|url\(\s*['"]?(?!['"]?#)/i.test(part.textContent || "")) part.remove();
  }
  return /** @type {SVGSVGElement} */ (/** @type {unknown} */ (document.importNode(top, true)));
}

/** @param {Element} inside */
export function cleared(inside) {
  inside.replaceChildren();
  return inside;
}

/**
 * Give the person a file to keep.
 * @param {string} filename
 * @param {string} type
 * @param {Uint8Array|string} content bytes, or text
 */
export function keep(filename, type, content) {
  const address = URL.createObjectURL(new Blob([/** @type {BlobPart} */ (content)], { type }));
  const link = element("a", { href: address, download: filename });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

/** @param {string} text in base64 */
export function bytesOf(text) {
  return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
}
