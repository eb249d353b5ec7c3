import { drawingFrom, htmlElement, svgElement } from "./elements.js";
import { isOfCards, numberCards } from "./lookup.js";

// The tray: the pieces beside a board in their current orientation.

/** @import { BoardData } from "./types.js" */

const LETTER = 2, SOLID = 1.5, NAME = 1.2; // Scale factors of the tray relative to the board: of letters, of letters on bodies, of longer names.
const DROP = 0.36; // Distance from the middle of a line to its baseline, in font sizes (puzzlesat/pictures/svg.py).

/** @typedef {{root: HTMLElement, buttons: HTMLButtonElement[],
 *   show: (orientations: number[], left: number[], chosen: number, glowing: number) => void}} Tray ``buttons``: one per tile */

/** @param {BoardData} board @param {(key: string, values?: Record<string, string|number>) => string} say @param {(tile: number) => string} called
 * @returns {Tray} */
export function makeTray(board, say, called) {
  const room = board.tiles.map((tile) => Math.max(...tile.orientations.map(({ box }) => Math.max(box[2], box[3]))));
  const largest = Math.max(...room, 1);
  const pictures = board.tiles.map(() => svgElement("svg", { "aria-hidden": "true", "text-anchor": "middle", "font-family": "DejaVu Sans, Verdana, sans-serif" }));
  const counts = board.tiles.map(() => htmlElement("span", { class: "count" }));
  const buttons = board.tiles.map((_, i) => {
    const button = htmlElement("button", { type: "button", class: "tray-piece", "data-tile": i });
    button.append(pictures[i], counts[i]);
    pictures[i].style.color = board.tiles[i].shades[0];
    // Pieces keep their relative sizes; the smallest remain large enough for a finger.
    button.style.setProperty("--room", String(Math.max(0.45, room[i] / largest)));
    return button;
  });
  const list = htmlElement("ul", { class: "tray-pieces" }, ...buttons.map((button) => htmlElement("li", {}, button)));
  // The edges of a scrolling tray fade where more pieces follow.
  const edges = () => {
    list.classList.toggle("more-before", list.scrollLeft > 1);
    list.classList.toggle("more-after", list.scrollLeft + list.clientWidth < list.scrollWidth - 1);
  };
  list.addEventListener("scroll", edges, { passive: true });
  new ResizeObserver(edges).observe(list);
  const cards = isOfCards(board);
  const /** @type {number[]} */ drawn = board.tiles.map(() => -1);
  let glowed = -1;
  return {
    root: htmlElement("div", { class: "board-tray", role: "group", "aria-label": say("tray") }, list),
    buttons,
    show: (orientations, left, chosen, glowing) => {
      if (glowing !== glowed && glowing >= 0) { // A tray wider than a phone scrolls to the piece of the hint.
        const piece = buttons[glowing].getBoundingClientRect(), room = list.getBoundingClientRect();
        if (piece.left < room.left || piece.right > room.right) list.scrollBy({ left: piece.left - room.left - (room.width - piece.width) / 2, behavior: "smooth" });
      }
      glowed = glowing;
      board.tiles.forEach((tile, i) => {
        const turned = tile.orientations[orientations[i]];
        if (drawn[i] !== orientations[i]) {
          drawn[i] = orientations[i];
          const [x, y, width, height] = turned.box;
          const size = room[i];
          pictures[i].setAttribute("viewBox", [x + (width - size) / 2, y + (height - size) / 2, size, size].join(" "));
          const picture = drawingFrom(turned.drawing);
          for (const title of picture.querySelectorAll("title")) title.remove(); // The button has a name already.
          if (cards) numberCards(picture);
          for (const text of picture.querySelectorAll("text")) enlarge(text, (text.textContent ?? "").length > 2 ? NAME : board.dimension === 3 ? SOLID : LETTER);
          pictures[i].replaceChildren(...picture.childNodes);
        }
        const many = tile.high !== 1;
        counts[i].textContent = !many ? "" : Number.isFinite(left[i]) ? `×${left[i]}` : "×∞";
        buttons[i].classList.toggle("used", left[i] <= 0);
        buttons[i].classList.toggle("glowing", glowing === i);
        buttons[i].setAttribute("aria-pressed", String(chosen === i));
        const supply = left[i] <= 0 ? say("none") : Number.isFinite(left[i]) ? (many ? say("left", { n: left[i] }) : "") : say("any");
        buttons[i].setAttribute("aria-label", supply ? `${called(i)}, ${supply}` : called(i));
      });
      edges();
    },
  };
}

/** Enlarge a name, since the tray is read from farther away than the board. @param {SVGTextElement} text @param {number} factor */
function enlarge(text, factor) {
  const size = Number(text.getAttribute("font-size")), more = (factor - 1) * size;
  text.setAttribute("font-size", String(size + more));
  text.setAttribute("y", String(Number(text.getAttribute("y")) + DROP * more)); // Keep the vertical middle of the text.
}
