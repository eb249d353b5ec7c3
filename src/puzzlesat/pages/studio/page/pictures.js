// Pictures of the page as files of their own: SVG as it is drawn, and PNG made of it in the browser.
import { htmlElement, svgElement } from "./elements.js";

const WIDEST = 1600; // pixels of a PNG

/** A picture that needs no style of the page, as text. @param {SVGSVGElement} picture */
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

/** The same picture as the bytes of a PNG. @param {SVGSVGElement} picture @returns {Promise<Blob>} */
export async function pngOf(picture) {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svgText(picture))}`; // the pages of a site let no blob be a picture
  await image.decode();
  const scale = Math.max(1, WIDEST / image.width), sheet = htmlElement("canvas", { width: Math.round(image.width * scale), height: Math.round(image.height * scale) });
  sheet.getContext("2d")?.drawImage(image, 0, 0, sheet.width, sheet.height);
  return new Promise((resolve, reject) => sheet.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("no picture"))), "image/png"));
}
