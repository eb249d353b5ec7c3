// The board data of a drawn puzzle, as pictures/boards.py writes it, but with simpler drawings and no bodies in space beside the layers.
import { orientations, turned } from "../engine/laying.js";
import { parts, shadesOfColour } from "../colours.js";
import { boxOf, drawing, drawnIn, latticeOf, short } from "./shapes.js";

/** @import { Grid } from "./reading.js" */
/** @import { Atom, Orientation, Plan, Laid, Tile } from "../engine/laying.js" */
/** @import { Lattice, Point } from "../paint/lattice.js" */
/** @typedef {{layers: number[], at: Map<number, Point>, boxes: number[][], frame: number[]}} Sheet the layers, and the position of the origin in each layer */

const GAP = 16, NAME = 22, EDGE = 2, ACROSS = 5;
const FAINT = 'stroke="#bdbdbd" stroke-width="0.8" stroke-linejoin="round"', EMPTY = "#e4e4e4", FREE = "#f6f6f6", LETTER = 0.42, LETTER_WIDTH = 0.62;

/** @param {Grid} grid @param {Plan} plan @param {Laid} laid @param {string[]} colours of the tiles
 * @param {{name: string, title: string, layer: (n: number) => string}} said */
export function boardOf(grid, plan, laid, colours, { name, title, layer }) {
  const lattice = latticeOf(grid), sheet = sheetOf(lattice, laid.atoms), solid = grid.dimension === 3, bodies = plan.tiles.map((tile) => orientations(grid, tile)), number = new Map(laid.atoms.map((atom, i) => [atom.join(), i]));
  const [left, top] = /** @type {Point} */ (sheet.at.get(sheet.layers[0])), optional = new Set(plan.optional.map((atom) => atom.join()));
  const names = solid ? sheet.layers.map((_, i) => layer(i + 1)) : [];
  return {
    name, title, grid: grid.name, dimension: grid.dimension, frame: sheet.frame, unit: grid.unit, fixed: [], marks: null, legend: [], solid: null, holds: false,
    ground: groundOf(lattice, sheet, laid.atoms, optional) + names.map((words, i) => written(words, [sheet.boxes[i][0] + sheet.boxes[i][2] / 2, sheet.boxes[i][1] + sheet.boxes[i][3] + NAME / 2], 11, "#666666")).join(""),
    layers: sheet.layers.map((height, i) => ({ height, name: names[i] ?? "", x: /** @type {Point} */ (sheet.at.get(height))[0] - left, y: /** @type {Point} */ (sheet.at.get(height))[1] - top, box: sheet.boxes[i] })),
    atoms: laid.atoms.map((atom) => atomOf(lattice, sheet, atom, optional.has(atom.join()))),
    neighbours: laid.atoms.map((atom) => [...new Set(grid.neighbours[atom[grid.dimension]].map((other) => number.get(other.map((x, i) => (i < grid.dimension ? x + atom[i] : x)).join()) ?? -1))].filter((i) => i >= 0)),
    tiles: plan.tiles.map((tile, t) => tileOf(lattice, tile, bodies[t], colours[t])),
    placements: placementsOf(lattice, laid, bodies, [left, top]),
  };
}

/** Lay out the layers side by side. @param {Lattice} lattice @param {Atom[]} atoms @returns {Sheet} */
function sheetOf(lattice, atoms) {
  const layers = [...new Set(atoms.flatMap(lattice.layersOf))].sort((a, b) => a - b), boxes = layers.map((layer) => boxOf(lattice, atoms, layer)), below = lattice.dimension === 3 ? NAME : 0;
  const [left, top, right, bottom] = [0, 1, 2, 3].map((i) => boxes.reduce((most, box) => (i < 2 ? Math.min(most, box[i]) : Math.max(most, box[i])), i < 2 ? Infinity : -Infinity));
  const across = layers.length > ACROSS ? Math.ceil(Math.sqrt(layers.length)) : layers.length, width = right - left + 2 * EDGE, height = bottom - top + 2 * EDGE, rows = Math.ceil(layers.length / across);
  const places = layers.map((_, i) => [(i % across) * (width + GAP), Math.floor(i / across) * (height + below + GAP)]);
  return {
    layers, boxes: places.map(([x, y]) => [x, y, width, height]), frame: [0, 0, across * (width + GAP) - GAP, rows * (height + below + GAP) - GAP],
    at: new Map(layers.map((layer, i) => [layer, [places[i][0] + EDGE - left, places[i][1] + EDGE - top]])),
  };
}

/** Draw the ground below the pieces. @param {Lattice} lattice @param {Sheet} sheet @param {Atom[]} atoms @param {Set<string>} optional */
function groundOf(lattice, sheet, atoms, optional) {
  return sheet.layers.map((layer) => {
    const [x, y] = /** @type {Point} */ (sheet.at.get(layer)), parts = [false, true].map((may) => drawnIn(lattice, atoms.filter((atom) => optional.has(atom.join()) === may), layer));
    const areas = parts.map(({ area, lines }, may) => (area ? `<path d="${area}" fill="${may ? FREE : EMPTY}" ${may ? 'stroke-dasharray="3 3" ' : ""}${FAINT}/>` : "")
      + lines.map((line) => `<path d="${line.path}" fill="none" stroke="${may ? FREE : EMPTY}" stroke-width="${short(line.width)}" stroke-linecap="round"/>`).join("") + (lines.length ? `<path d="${lines.map((line) => line.path).join("")}" fill="none" ${FAINT}/>` : ""));
    return `<g transform="translate(${short(x)} ${short(y)})">${areas.join("")}</g>`;
  }).join("");
}

/** @param {string} words @param {Point} middle @param {number} size @param {string} colour */
function written(words, [x, y], size, colour) {
  const safe = words.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
  return `<text x="${short(x)}" y="${short(y + 0.35 * size)}" font-size="${short(size)}" fill="${colour}">${safe}</text>`;
}

/** @param {Lattice} lattice @param {Sheet} sheet @param {Atom} atom @param {boolean} optional */
function atomOf(lattice, sheet, atom, optional) {
  const { grid, dimension: n } = lattice, { main, drawn, name } = grid.atoms[atom[n]], own = lattice.layersOf(atom), shown = drawn !== "hidden" && own.length > 0;
  const moved = (/** @type {Point} */ [x, y], /** @type {number} */ layer) => /** @type {Point} */ ([x + (sheet.at.get(layer)?.[0] ?? 0), y + (sheet.at.get(layer)?.[1] ?? 0)]);
  const [x, y] = shown ? moved(lattice.middle(atom, own[0]), own[0]) : [0, 0];
  const path = !shown ? "" : own.map((layer) => spot(lattice, (lattice.corners(atom, layer) ?? []).map((p) => moved(p, layer)), drawn)).join("");
  return { name: `[${[...atom.slice(0, n), ...(grid.atoms.length > 1 ? [JSON.stringify(name)] : [])].join(", ")}]`, path, x, y, layer: shown ? sheet.layers.indexOf(own[0]) : 0, optional, main };
}

/** The path of an atom; lines get a width to be clickable. @param {Lattice} lattice @param {Point[]} points @param {string} drawn */
function spot({ grid }, points, drawn) {
  const closed = (/** @type {number[][]} */ corners) => `M${corners.map((p) => p.map(short).join(" ")).join("L")}Z`;
  if (drawn === "ball") return closed(Array.from({ length: 16 }, (_, k) => [points[0][0] + grid.radius * Math.cos((k * Math.PI) / 8), points[0][1] + grid.radius * Math.sin((k * Math.PI) / 8)]));
  if (drawn !== "segment") return closed(points);
  const [[ax, ay], [bx, by]] = points, [dx, dy] = [bx - ax, by - ay], half = (0.5 * grid.line) / Math.hypot(dx, dy), end = (/** @type {number} */ s, /** @type {number} */ side) => [ax + s * dx - side * half * dy, ay + s * dy + side * half * dx];
  return closed([end(0.16, 1), end(0.84, 1), end(0.84, -1), end(0.16, -1)]);
}

/** @param {Lattice} lattice @param {Tile} tile @param {Orientation[]} bodies @param {string} colour */
function tileOf(lattice, tile, bodies, colour) {
  const grid = /** @type {Grid} */ (lattice.grid), number = new Map(bodies.map(({ atoms }, i) => [atoms.join(" "), i])), ink = inkOn(colour), mirrors = tile.symmetries.some((i) => grid.symmetries[i].mirror);
  const leads = (/** @type {number} */ i, /** @type {number[]} */ way) => way.map((g) => number.get(turned(grid.symmetries[g], bodies[i].atoms)?.join(" ") ?? "")).find((to) => to !== undefined) ?? null;
  const entries = bodies.map(({ number: own, atoms }, i) => {
    const seen = atoms.filter((atom) => grid.atoms[atom[grid.dimension]].main), shown = seen.length ? seen : atoms, layers = [...new Set(atoms.flatMap(lattice.layersOf))].sort((a, b) => a - b), boxes = layers.map((layer) => boxOf(lattice, atoms, layer));
    const parts = layers.map((height) => ({ height, drawing: drawing(lattice, atoms, height, "currentColor") + label(lattice, shown, height, tile.name, ink) }));
    const left = Math.min(...boxes.map((box) => box[0])), top = Math.min(...boxes.map((box) => box[1])), step = Math.max(...boxes.map((box) => box[2])) - left + GAP / 2;
    const mirror = mirrors ? leads(i, grid.ways.mirror) : null, solid = grid.dimension === 3;
    return {
      number: own, words: "", parts, atoms: shown.map((atom) => [...lattice.middle(atom, lattice.layersOf(atom)[0]), lattice.layersOf(atom)[0]]),
      drawing: parts.map((part, k) => `<g transform="translate(${short(k * step)} 0)">${part.drawing}</g>`).join(""), box: [left, top, step * layers.length - GAP / 2, Math.max(...boxes.map((box) => box[3])) - top],
      turn: leads(i, grid.ways.turn) ?? i, back: leads(i, grid.ways.back) ?? i, flip: solid ? leads(i, grid.ways.tip) : mirror, mirror: solid ? mirror : null,
    };
  });
  const copies = tile.high === null ? "×∞" : tile.high === 1 && tile.low === 1 ? "" : tile.low === tile.high ? `×${tile.high}` : `×${tile.low}–${tile.high}`;
  return { name: tile.name, words: "", copies, low: tile.low, high: tile.high, shades: shadesOfColour(colour), ink, listed: false, orientations: entries };
}

/** The name of a piece, on the atom nearest to its middle. @param {Lattice} lattice @param {Atom[]} atoms @param {number} layer @param {string} name @param {string} ink */
function label(lattice, atoms, layer, name, ink) {
  const middles = atoms.filter((atom) => lattice.layersOf(atom).includes(layer)).map((atom) => lattice.middle(atom, layer));
  if (!middles.length) return "";
  const [x, y] = [0, 1].map((i) => middles.reduce((sum, p) => sum + p[i], 0) / middles.length), away = (/** @type {Point} */ p) => Math.hypot(p[0] - x, p[1] - y);
  const { unit, line, atoms: kinds } = lattice.grid, room = kinds.some(({ drawn, main }) => main && drawn === "segment") ? line : unit;
  const best = middles.reduce((a, b) => (away(b) < away(a) - 1e-6 ? b : a)), size = Math.min(room === unit ? LETTER * unit : 0.8 * line, (0.8 * room) / (LETTER_WIDTH * Math.max(1, name.length)));
  return written(name, best, size, ink);
}

/** Black for light colours, white for dark colours. @param {string} colour */
function inkOn(colour) {
  const [red, green, blue] = parts(colour);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 120 ? "#000000" : "#ffffff";
}

/** @param {Lattice} lattice @param {Laid} laid @param {Orientation[][]} bodies @param {Point} origin */
function placementsOf(lattice, { tile, orientation, cell, covered, names }, bodies, [left, top]) {
  const { grid, dimension: n } = lattice, index = bodies.map((own) => new Map(own.map(({ number }, i) => [number, i]))), which = orientation.map((number, p) => /** @type {number} */ (index[tile[p]].get(number)));
  const moves = cell.map((own, p) => {
    const { atoms } = bodies[tile[p]][which[p]], first = atoms.find((atom) => grid.atoms[atom[n]].main) ?? atoms[0];
    return own.map((x, i) => x - first[i]);
  });
  const places = moves.map((move) => lattice.home(move));
  return { tile, orientation: which, x: places.map(([x]) => x + left), y: places.map(([, y]) => y + top), rise: n === 3 ? moves.map((move) => move[2] * grid.rise) : null, atoms: covered, name: names, drawings: null };
}
