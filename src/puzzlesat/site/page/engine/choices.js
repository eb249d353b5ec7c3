// Rules by which a person chooses among solutions: each solution is judged by itself, with the rules of the studio (``cover/solution_rules.py``).
import { sentence } from "./sentence.js";

/**
 * @typedef {object} ChoiceData as ``choices_as_json`` in choices.py writes it: for each rule that has a meaning what it looks at
 * @property {number[]} [touch_border] the atoms at the border
 * @property {number[][]} [no_crossroads] points where more than three faces meet, as these faces
 * @property {number[][]} [fault_free] lines that may cut the form, as the atoms below each
 * @property {[number, number][]} [colours] pairs of faces by which pieces touch
 * @property {string[]} symmetric names of symmetries
 */
/** @typedef {import("./cover.js").Cover} Cover */
/** @typedef {import("./sentence.js").Sentence} Sentence */
/** @typedef {(options: ArrayLike<number>, owner: Int32Array) => boolean} Rule whether a solution keeps it; ``owner`` has for each atom the place of what covers it in the solution, or -1 */

const MOST_AT_A_POINT = 3, MOST_COLOURS = 9, MOST_NAMED = 12;

/** What of these rules a page may offer. @param {ChoiceData} data */
export const offered = ({ symmetric: _, ...rest }) => Object.keys(rest).map((key) => ({ [key]: { colours: 3, touch_border: "all" }[key] ?? true }));

/**
 * The rules that are asked for, each as what judges a solution; null where one of them has no meaning.
 * @param {Record<string, unknown>} rules keys of [solutions]
 * @param {ChoiceData} data
 * @param {import("./symmetries.js").Symmetries} symmetries
 * @returns {Rule[]|null}
 */
export function rulesOf(rules, data, symmetries) {
  /** @type {Rule[]} */
  const found = [];
  for (const [key, value] of Object.entries(rules)) {
    if (!Object.hasOwn(data, key)) return null;
    if (key === "touch_border" && value === "all") found.push(atBorder(new Set(data.touch_border)));
    else if (key === "no_crossroads" && value === true) found.push(withoutCrossroads(data.no_crossroads ?? []));
    else if (key === "fault_free" && value === true) found.push(faultFree((data.fault_free ?? []).map((line) => new Set(line))));
    else if (key === "colours" && Number.isInteger(value) && Number(value) >= 1 && Number(value) <= MOST_COLOURS) found.push(coloured(data.colours ?? [], Number(value)));
    else if (key === "symmetric" && Array.isArray(value) && value.every((name) => data.symmetric.includes(name))) for (const name of value) found.push(symmetric(symmetries, name));
    else return null;
  }
  return found;
}

/** The rules in sentences, as the program says them. @param {Record<string, any>} rules @param {string[]} tiles their names */
export function inWords(rules, tiles) {
  const said = {
    no_crossroads: () => [sentence("without crossroads (points where four tiles meet)")],
    fault_free: () => [sentence("without fault lines (straight lines that cut the form and no tile)")],
    symmetric: (/** @type {string[]} */ names) => names.map((symmetry) => sentence("that look the same after {symmetry}", { symmetry })),
    colours: (/** @type {number} */ n) => [sentence("that can be coloured with {n} {n|colour|colours} such that tiles that touch differ", { n })],
    touch_border: () => [sentence("with {tiles} at the border", { tiles: [...[...tiles].sort().slice(0, MOST_NAMED), ...(tiles.length > MOST_NAMED ? ["…"] : [])] })],
  };
  return Object.entries(said).flatMap(([key, words]) => (key in rules ? words(rules[key]) : [])).map((rule) => sentence("only solutions {rule}", { rule }));
}

/** @param {Set<number>} border @returns {Rule} */
const atBorder = (border) => (options, owner) => {
  const there = new Set([...border].map((atom) => owner[atom]));
  return Array.from(options).every((_, i) => there.has(i));
};

/** @param {number[][]} points @returns {Rule} */
const withoutCrossroads = (points) => (_, owner) => points.every((faces) => new Set(faces.map((face) => owner[face]).filter((piece) => piece >= 0)).size <= MOST_AT_A_POINT);

/** A piece lies across each line. @param {Set<number>[]} lines @returns {Rule} */
const faultFree = (lines) => (_, owner) => lines.every((below) => {
  const pieces = new Set([...below].map((atom) => owner[atom]).filter((piece) => piece >= 0));
  return owner.some((piece, atom) => !below.has(atom) && pieces.has(piece));
});

/** @param {[number, number][]} pairs @param {number} colours @returns {Rule} */
const coloured = (pairs, colours) => (options, owner) => {
  const near = Array.from(options, () => /** @type {Set<number>} */ (new Set()));
  for (const [a, b] of pairs) {
    const one = owner[a], other = owner[b];
    if (one === other || one < 0 || other < 0) continue;
    near[one].add(other);
    near[other].add(one);
  }
  return canBeColoured(near, colours, new Int32Array(near.length).fill(-1));
};

/** Colour the piece next that leaves the fewest choices (D. Brélaz, 1979), and go back from dead ends. @param {Set<number>[]} near @param {number} colours @param {Int32Array} colour -1: none yet @returns {boolean} */
function canBeColoured(near, colours, colour) {
  let next = -1, fewest = Infinity;
  near.forEach((beside, piece) => {
    const left = colours - new Set([...beside].map((other) => colour[other]).filter((one) => one >= 0)).size;
    if (colour[piece] < 0 && (left < fewest || (left === fewest && beside.size > near[next].size))) [next, fewest] = [piece, left];
  });
  if (next < 0) return true;
  const used = colour.reduce((most, one) => Math.max(most, one), -1); // a colour that nobody has yet is like any other
  for (let one = 0; one < Math.min(colours, used + 2); one++) {
    if ([...near[next]].some((other) => colour[other] === one)) continue;
    colour[next] = one;
    if (canBeColoured(near, colours, colour)) return true;
  }
  colour[next] = -1;
  return false;
}

/** @param {import("./symmetries.js").Symmetries} symmetries @param {string} name @returns {Rule} */
function symmetric(symmetries, name) {
  const images = [symmetries.images[symmetries.names.indexOf(name)]];
  return (options) => symmetries.keeping(options, options.length, images) === 1;
}
