// The data of a puzzle as `site/puzzle.py` packs it: deflated, its long lists of numbers as steps.
import { parsed } from "./ask.js";

/** @param {string} text in base64 */
const bytesOf = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));

/** What was deflated. @param {string} text in base64 */
export const inflated = (text) => new Response(new Blob([bytesOf(text)]).stream().pipeThrough(new DecompressionStream("deflate-raw")));

/** @param {string} text in base64 @returns {Promise<any>} */
export const unpacked = async (text) => parsed(await inflated(text).text());

/**
 * A puzzle with its lists as the board and the engine want them.
 * @param {any} puzzle
 */
export function whole(puzzle) {
  const { board, cover } = puzzle, { placements } = board;
  const sizes = typeof cover.sizes === "number" ? new Array(placements.tile.length).fill(cover.sizes) : cover.sizes;
  const items = lists(cover.item, sizes);
  cover.item = items.flat();
  const tile = summed(placements.tile), orientation = summed(placements.orientation);
  board.placements = {
    tile,
    orientation,
    x: summed(placements.x).map((x) => x / 100),
    y: summed(placements.y).map((y) => y / 100),
    rise: placements.rise,
    atoms: items.map((own) => own.filter((item) => item < board.atoms.length)),
    name: placements.name ?? placements.cells.map((/** @type {string} */ cells, /** @type {number} */ p) => `${board.tiles[tile[p]].name}.${board.tiles[tile[p]].orientations[orientation[p]].number}@${cells}`),
    drawings: placements.drawings,
  };
  return puzzle;
}

/** @param {number[]} steps */
function summed(steps) {
  let sum = 0;
  return steps.map((step) => (sum += step));
}

/** @param {number[]} steps of each number from that at its place in the list before @param {number[]} sizes */
function lists(steps, sizes) {
  let at = 0, /** @type {number[]} */ before = [];
  return sizes.map((size) => {
    before = steps.slice(at, at += size).map((step, i) => step + (before[i] ?? 0));
    return before;
  });
}
