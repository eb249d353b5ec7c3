// Unpacking the data of a puzzle in the format of `pages/site_puzzle.py`: deflated, with long lists of numbers as differences and without repetitions.
import { parsed } from "./ask.js";
import { inflated } from "./packing.js";

/** @typedef {[number, number]} Point */

const IN_TRAY = 0.8; // scale of a body in the tray relative to its layers (pictures/flat.py)

/** @param {string} text in base64 @returns {Promise<any>} */
export const unpacked = async (text) => parsed(await inflated(text).text());

/** Unpack a puzzle into the lists that the board and the engine need. @param {any} puzzle */
export async function whole(puzzle) {
  const { board, cover, text, table } = puzzle, { placements } = board, names = board.atoms.name.map(parts), order = byKind(names.at(-1));
  const sizes = typeof cover.sizes === "number" ? new Array(placements.tile.length).fill(cover.sizes) : cover.sizes;
  const items = lists(cover.item, sizes, cover.within);
  cover.item = items.flat();
  board.atoms = atoms(board.atoms, names, order);
  if (text) text.places = unsorted(summed(text.places), order);
  if (table?.form?.atoms === null) table.form.atoms = board.atoms.map((/** @type {any} */ { name }) => JSON.parse(name));
  cover.names = [...board.atoms.map((/** @type {any} */ { name }) => name), ...cover.names];
  board.ground = board.ground.replace('d=""', () => `d="${board.atoms.map((/** @type {any} */ { path }) => path).join("")}"`);
  board.neighbours = neighbours(board.neighbours);
  const orientations = rows(board.orientations).map((packedOrientation) => orientation(packedOrientation, board.dimension === 2));
  for (const tile of board.tiles) tile.orientations = orientations.splice(0, tile.orientations);
  delete board.orientations;
  const tile = summed(placements.tile), turn = summed(placements.orientation), x = hundredths(placements.x), y = hundredths(placements.y);
  const turned = tile.map((t, p) => board.tiles[t].orientations[turn[p]]), cells = placements.cells?.map(parts);
  board.placements = {
    tile,
    orientation: turn,
    x,
    y,
    rise: placements.rise,
    atoms: items.map((own) => own.filter((item) => item < board.atoms.length)),
    name: placements.name ?? tile.map((t, p) => `${board.tiles[t].name}.${turned[p].number}@${cells.map((/** @type {any[]} */ column) => column[p]).join(".")}`),
    drawings: placements.drawings?.of.map((/** @type {number[]} */ own, /** @type {number} */ p) => moved(own.map((group) => placements.drawings.groups[group]).join(""), [x[p], y[p]])) ?? null,
  };
  delete cover.within;
  if (board.solid) await inSpace(board, turned);
  return puzzle;
}

/** @param {any} columns @param {any[][]} names the parts of their names, as columns @param {number[]} order */
function atoms({ x, y, name: _, ...more }, names, order) {
  const places = [summed(x), summed(y)].map((axis) => axis.map((at) => at / 10));
  return unsorted(rows({ ...more, x: places[0], y: places[1] }), order).map((atom, a) => ({
    ...atom,
    name: `[${names.map((column) => column[a]).join(", ")}]`,
    path: atom.path && `M${atom.x} ${atom.y}${atom.path}`,
  }));
}

/** The numbers of atoms, grouped by kind. @param {any[]} kinds the last parts of their names, numbers if there are no kinds */
function byKind(kinds) {
  const order = kinds.map((_, a) => a);
  return typeof kinds[0] === "number" ? order : order.sort((a, b) => Number(kinds[a] > kinds[b]) - Number(kinds[a] < kinds[b]));
}

/** @param {any[]} values @param {number[]} order whose each value is @returns {any[]} */
function unsorted(values, order) {
  const found = [...values];
  order.forEach((a, i) => (found[a] = values[i]));
  return found;
}

/** An orientation with the drawings of its sections. @param {any} packed @param {boolean} flat */
function orientation({ parts: heights, at, drawings, box: [x, y, ...size], drawing, atoms: hearts, ...more }, flat) {
  const drawn = heights.map((/** @type {number} */ height, /** @type {number} */ k) => ({ height, drawing: moved(drawings[k], at[k]) }));
  return {
    ...more,
    parts: drawn,
    atoms: hearts.map((/** @type {Point} */ [right, down], /** @type {number} */ k) => [at[k][0] + right, at[k][1] + down, heights[k]]),
    box: flat ? [x + at[0][0], y + at[0][1], ...size] : [x, y, ...size],
    drawing: flat ? drawn[0].drawing : drawing,
  };
}

/** Add the spatial data of a board in space. Drawings of pieces are made on demand.
 * @param {any} board @param {any[]} turned the orientation of each placement */
async function inSpace(board, turned) {
  const { Bodies } = await import("./bodies.js");
  const { solid, tiles, placements } = board, columns = solid.atoms.map(summed);
  solid.atoms = columns[0].map((/** @type {number} */ _, /** @type {number} */ a) => columns.map((/** @type {number[]} */ column) => column[a]));
  solid.behind = behind(solid);
  let /** @type {((piece: object) => string)|null} */ draw = null;
  const own = new Map(turned.map((one, p) => [one, p]));
  for (const [one, p] of own) {
    if (one.drawing) continue;
    const { name, shades } = tiles[placements.tile[p]];
    Object.defineProperty(one, "drawing", { get: () => (draw ??= Bodies.drawer(solid, IN_TRAY))({ atoms: placements.atoms[p], colour: shades[0], name }) });
  }
}

/** For each face of each atom, the atom on its other side, or -1. @param {{basis: number[][], kinds: any[], atoms: number[][]}} solid */
function behind({ basis, kinds, atoms }) {
  const /** @type {Map<string, number[]>} */ owners = new Map();
  const faces = atoms.map(([x, y, z, k], a) => kinds[k].faces.map((/** @type {[number[]]} */ [corners]) => {
    if (kinds[k].ends || kinds[k].faces.length < 3) return ""; // shapes without an interior
    const face = corners.map((i) => [0, 1, 2].map((c) => Math.round(1e6 * (kinds[k].corners[i][c] + x * basis[0][c] + y * basis[1][c] + z * basis[2][c]))).join()).sort().join(" ");
    owners.set(face, [...(owners.get(face) ?? []), a]);
    return face;
  }));
  return faces.map((some, a) => some.map((/** @type {string} */ face) => owners.get(face)?.find((b) => b !== a) ?? -1));
}

/** @param {number[][]} later for each atom, the differences to its neighbours with larger numbers */
function neighbours(later) {
  const /** @type {number[][]} */ found = later.map(() => []);
  later.forEach((some, a) => some.forEach((step) => (found[a].push(a + step), found[a + step].push(a))));
  return found.map((some) => some.sort((a, b) => a - b));
}

/** Translate a drawing to a point. @param {string} drawing @param {Point} point */
const moved = (drawing, [x, y]) => `<g transform="translate(${x} ${y})">${drawing}</g>`;

/** @param {Record<string, any[]>} columns @returns {any[]} */
const rows = (columns) => Object.values(columns)[0].map((_, i) => Object.fromEntries(Object.entries(columns).map(([key, column]) => [key, column[i]])));

/** A column of names; numeric columns are stored as differences. @param {any[]} column */
const parts = (column) => (typeof column[0] === "number" ? summed(column) : column);

function summed(/** @type {number[]} */ steps) {
  let sum = 0;
  return steps.map((step) => (sum += step));
}

const hundredths = (/** @type {number[]} */ steps) => summed(steps).map((sum) => sum / 100);

/** @param {number[]} steps differences: to the number at the same index of the list before, or to the number before @param {number[]} sizes
 * @param {boolean} within differences to the number before; a first number, to the first number of the list before */
function lists(steps, sizes, within) {
  let at = 0, /** @type {number[]} */ before = [];
  return sizes.map((size) => {
    const own = steps.slice(at, at += size);
    before = within ? summed([(before[0] ?? 0) + own[0], ...own.slice(1)]) : own.map((step, i) => step + (before[i] ?? 0));
    return before;
  });
}
