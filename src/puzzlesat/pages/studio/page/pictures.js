// Pictures of the page as files: SVG as displayed, and PNG rendered by the browser.
import { htmlElement, svgElement } from "./elements.js";

const WIDEST = 1600; // pixels of a PNG

/** A picture as SVG text that needs no style sheet of the page. @param {SVGSVGElement} picture */
export function svgText(picture) {
  const own = /** @type {SVGSVGElement} */ (picture.cloneNode(true)), [x, y, width, height] = /** @type {string} */ (picture.getAttribute("viewBox")).split(" ").map(Number);
  for (const node of own.querySelectorAll("*")) {
    const { color } = /** @type {SVGElement} */ (node).style;
    node.removeAttribute("style");
    node.removeAttribute("class");
    if (color) node.setAttribute("color", color);
  }
  for (const name of ["class", "aria-hidden"]) own.removeAttribute(name);
  own.setAttribute("width", String(width));
  own.setAttribute("height", String(height));
  own.prepend(svgElement("rect", { x, y, width, height, fill: "white" }));
  return new XMLSerializer().serializeToString(own);
}

/** A picture as a PNG. @param {SVGSVGElement} picture @returns {Promise<Blob>} */
export async function pngOf(picture) {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svgText(picture))}`; // the security policy of site pages forbids blob images
  await image.decode();
  const scale = Math.max(1, WIDEST / image.width), sheet = htmlElement("canvas", { width: Math.round(image.width * scale), height: Math.round(image.height * scale) });
  sheet.getContext("2d")?.drawImage(image, 0, 0, sheet.width, sheet.height);
  return new Promise((resolve, reject) => sheet.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("no picture"))), "image/png"));
}
