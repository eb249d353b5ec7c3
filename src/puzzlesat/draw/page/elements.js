// Elements of HTML and SVG; nothing that a file or an address says becomes markup.

const SVG = "http://www.w3.org/2000/svg";
const HARMLESS = new Set(["svg", "g", "path", "text", "title", "rect", "circle", "line", "polygon", "polyline", "ellipse", "tspan"]);

/**
 * An element with attributes (a function is a listener of that event) and children.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} name
 * @param {Record<string, string|number|boolean|((event: any) => void)>} [attributes] false: left out
 * @param {...(Node|string)} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function htmlElement(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  dress(made, attributes);
  made.append(...children);
  return made;
}

/**
 * @template {keyof SVGElementTagNameMap} K
 * @param {K} name
 * @param {Record<string, string|number|boolean|((event: any) => void)>} [attributes]
 * @param {...(Node|string)} children
 * @returns {SVGElementTagNameMap[K]}
 */
export function svgElement(name, attributes = {}, ...children) {
  const made = document.createElementNS(SVG, name);
  dress(made, attributes);
  made.append(...children);
  return made;
}

/** @param {Element} made @param {Record<string, string|number|boolean|((event: any) => void)>} attributes */
function dress(made, attributes) {
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") made.addEventListener(key, value);
    else if (value !== false) made.setAttribute(key, value === true ? "" : String(value));
  }
}

/**
 * SVG that the program made, as nodes; whatever could do something in it is dropped.
 * @param {string} text elements, or a whole document
 * @returns {SVGSVGElement}
 */
export function drawingFrom(text) {
  const whole = /^\s*<svg[\s>]/.test(text) ? text : `<svg xmlns="${SVG}">${text}</svg>`;
  const root = new DOMParser().parseFromString(whole, "image/svg+xml").documentElement;
  if (root.namespaceURI !== SVG || root.localName !== "svg") return svgElement("svg");
  for (const node of [root, ...root.querySelectorAll("*")]) {
    if (node.namespaceURI !== SVG || !HARMLESS.has(node.localName)) node.remove();
    for (const { name, value } of [...node.attributes]) {
      if (/^(on|style$)/i.test(name) || (/href$/i.test(name) && !value.startsWith("#")) || /url\(|javascript:/i.test(value)) node.removeAttribute(name);
    }
  }
  return /** @type {SVGSVGElement} */ (/** @type {unknown} */ (document.importNode(root, true)));
}
