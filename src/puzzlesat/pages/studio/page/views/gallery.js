// Thumbnails of many solutions. Only the visible ones exist, so that scrolling stays smooth at any number.
import { element } from "../dom.js";

const GAP = 8, LABEL = 24, MIN_WIDTH = 96, MAX_WIDTH = 150, HIGHEST = 170; // Sizes of thumbnails in pixels.
const HELD = 200_000n; // Solutions in the gallery at a time; browsers limit the height of an element to some millions of pixels.
const AHEAD = 1; // rows drawn beyond the visible ones

/** @typedef {{root: HTMLElement, show: (total: bigint) => void, mark: (n: bigint) => void, destroy: () => void}} Gallery ``show`` shows solutions 1 to
 * total from the beginning; ``mark`` highlights the solution shown large and scrolls to it */

/** @param {object} how @param {string} how.words the label of the gallery @param {number} how.shape height / width of a picture
 * @param {(n: bigint) => Promise<{picture: Node, label: string, words: string}|null>} how.drawn draws a solution; null: not available now
 * @param {(n: bigint) => void} how.chosen @returns {Gallery} */
export function makeGallery({ words, shape, drawn, chosen }) {
  const space = element("div", { class: "gallery-space" });
  const root = element("div", { class: "gallery", tabindex: "0", role: "region", "aria-label": words }, space);
  const { style } = space;
  const /** @type {Map<number, HTMLButtonElement>} */ there = new Map();
  let total = 0n, first = 1n, count = 0, columns = 1, wide = MAX_WIDTH, high = MAX_WIDTH, current = 1n, frameRequest = 0;

  const thumbnail = (/** @type {number} */ i) => {
    const n = first + BigInt(i);
    const card = element("button", { type: "button", class: "thumbnail", "aria-label": String(n), "aria-current": n === current && "true", onclick: () => chosen(n) });
    card.style.width = `${wide}px`;
    card.style.height = `${high}px`;
    card.style.transform = `translate(${(i % columns) * (wide + GAP)}px, ${Math.floor(i / columns) * (high + GAP)}px)`;
    fill(card, n);
    return card;
  };

  async function fill(/** @type {HTMLButtonElement} */ one, /** @type {bigint} */ n) {
    const found = await drawn(n);
    if (!found || there.get(Number(n - first)) !== one) return;
    one.setAttribute("aria-label", found.words);
    one.replaceChildren(found.picture, element("span", {}, found.label));
  }

  function draw() {
    frameRequest = 0;
    const row = high + GAP, rows = Math.ceil(count / columns);
    const from = Math.max(0, Math.floor(root.scrollTop / row) - AHEAD) * columns, to = Math.min(rows, Math.ceil((root.scrollTop + root.clientHeight) / row) + AHEAD) * columns;
    for (const [i, card] of there) {
      if ((i < from || i >= to) && card !== document.activeElement) {
        card.remove();
        there.delete(i);
      }
    }
    for (let i = from; i < Math.min(to, count); i++) {
      if (there.has(i)) continue;
      const card = thumbnail(i);
      there.set(i, card);
      space.append(card);
    }
  }

  const later = () => (frameRequest ||= requestAnimationFrame(draw));

  function arrange() {
    const room = root.clientWidth - 2 * GAP;
    if (room <= 0) return;
    columns = Math.max(1, Math.floor((room + GAP) / ((room < 500 ? MIN_WIDTH : MAX_WIDTH) + GAP)));
    wide = Math.floor((room - (columns - 1) * GAP) / columns);
    high = LABEL + Math.round(Math.min(HIGHEST, Math.max(40, wide * shape)));
    style.height = `${Math.ceil(count / columns) * (high + GAP)}px`;
    for (const card of there.values()) card.remove();
    there.clear();
    later();
  }

  /** @param {bigint} n a solution; the gallery moves to the stretch that contains it */
  function hold(n) {
    first = ((n - 1n) / HELD) * HELD + 1n;
    count = Number(total - first + 1n < HELD ? total - first + 1n : HELD);
    arrange();
  }

  const resized = new ResizeObserver(() => arrange());
  resized.observe(root);
  root.addEventListener("scroll", later, { passive: true });
  return {
    root,
    show(all) {
      total = all;
      current = 1n;
      root.hidden = all < 2n;
      root.scrollTop = 0;
      hold(1n);
    },
    mark(n) {
      there.get(Number(current - first))?.removeAttribute("aria-current");
      current = n;
      if (n < first || n >= first + BigInt(count)) hold(n);
      const i = Number(n - first), row = high + GAP, top = Math.floor(i / columns) * row;
      there.get(i)?.setAttribute("aria-current", "true");
      if (top < root.scrollTop) root.scrollTop = top;
      else if (top + row > root.scrollTop + root.clientHeight) root.scrollTop = top + row - root.clientHeight;
      later();
    },
    destroy() {
      resized.disconnect();
      cancelAnimationFrame(frameRequest);
    },
  };
}
