// Rules that select solutions, tested on each solution separately; the rules are those of the studio (``puzzles/solution_rules.py``).
import { sentence } from "./sentence.js";

/**
 * @typedef {object} ChoiceData the selectable rules and the data they need, in the format of ``choices_as_json`` in pages/site_puzzle.py
 * @property {Record<string, any>[]} rules an example of each rule
 * @property {string[]} symmetric names of symmetries
 * @property {string[]} pieces
 * @property {string[][]} members the names of the pieces of each tile; identical pieces are copies of one tile
 * @property {Record<string, number[]>} cells the atoms of each colour of the form
 * @property {number[]} border atoms
 * @property {Record<string, {words: string, places: Place[]}>} places the places where a rule limits the number of pieces, by the key of the rule
 * @property {boolean} strictly whether touching at a corner counts as touching by default
 * @property {[number, number][]} sides pairs of faces that touch at a side
 * @property {[number, number][]|null} corners pairs of faces that touch only at a corner; null if there are too many
 */
/** @typedef {[sets: number[][], low: number, high: number|null, through: number[][]]} Place ``low`` to ``high`` pieces meet there. A piece counts if it has an atom of each set; a piece with exactly the atoms of ``through`` does not */
/** @import { Symmetries } from "./symmetries.js" */
/** @typedef {{options: Int32Array, owner: Int32Array, tile: Int32Array}} Solution a solution; ``owner``: for each atom the index in ``options`` of the piece that covers it, or -1; ``tile``: the tile of each option */
/** @typedef {((solution: Solution) => boolean) & {alone?: true}} Rule a predicate on solutions; ``alone``: the rule tests each piece separately */

const MAX_COLOURS = 9, MAX_NAMED = 12;

/** A rule without meaning for this puzzle. */
class Meaningless extends Error {}

/** The data of a puzzle without selectable rules. @type {ChoiceData} */
export const NO_CHOICES = { rules: [], symmetric: [], pieces: [], members: [], cells: {}, border: [], places: {}, strictly: false, sides: [], corners: [] };

/** Compile rules to predicates on solutions; null if one of them has no meaning for this puzzle.
 * @param {Record<string, any>} rules keys of [solutions] @param {ChoiceData} data @param {Symmetries} symmetries @returns {Rule[]|null} */
export function rulesOf(rules, data, symmetries) {
  const offered = new Set(data.rules.flatMap((rule) => Object.keys(rule))), border = new Set(data.border), { strictly = data.strictly } = rules;
  if (data.corners && (offered.has("colours") || offered.has("apart"))) offered.add("strictly");
  if (data.symmetric.length) offered.add("symmetric");
  const pairs = strictly ? [...data.sides, ...(data.corners ?? [])] : data.sides;
  const /** @type {Record<string, (said: any) => Rule[]>} */ made = {
    ...Object.fromEntries(Object.entries(data.places).map(([key, { places }]) => [key, (/** @type {any} */ value) => (yes(value) ? [meeting(places)] : [])])),
    strictly: (value) => (yes(value), []),
    colours: (value) => [coloured(pairs, whole(value, 1, MAX_COLOURS))],
    touch_border: (value) => [each(tilesOf(value, data), border, 1, Infinity)],
    inside: (value) => [each(tilesOf(value, data), border, 0, 0)],
    apart: (value) => list(value).map((names) => apart(tilesOf(names, data), pairs)),
    holds: (value) => list(value).map((rule) => each(tilesOf(rule?.tiles ?? "all", data), cellsOf(rule, data), ...rangeOf(rule))),
    symmetric: (value) => list(value).map((name) => symmetric(name, data, symmetries)),
  };
  try {
    return Object.entries(rules).flatMap(([key, said]) => {
      if (!offered.has(key)) throw new Meaningless();
      return made[key](said);
    });
  } catch (error) {
    if (error instanceof Meaningless) return null;
    throw error;
  }
}

/** The symmetries that preserve the rules (puzzles/symmetry.py): every other symmetry maps some selected solution to one that is not selected.
 * @param {Record<string, any>} rules @param {ChoiceData} data @param {Symmetries} symmetries
 * @param {Int32Array} tile the tile of each option; -1 if a rule on single pieces excludes the option */
export function keepingRules(rules, data, symmetries, tile) {
  const { images, names } = symmetries, symmetric = (rules.symmetric ?? []).map((/** @type {string} */ name) => images[names.indexOf(name)]), group = generated(symmetric, images[0]);
  const apart = (rules.apart ?? []).map((/** @type {any} */ value) => tilesOf(value, data));
  const owned = (/** @type {ArrayLike<number>} */ options) => apart.map((/** @type {Set<number>} */ tiles) => Array.from(options, (option) => Number(tiles.has(tile[option]))).join("")).sort().join();
  const own = owned(images[0]);
  return symmetries.those((image) => {
    const back = new Int32Array(image.length);
    image.forEach((to, option) => (back[to] = option));
    return image.every((to, option) => (tile[to] < 0) === (tile[option] < 0)) && owned(image) === own && symmetric.every((/** @type {Int32Array} */ symmetry) => group.has(back.map((option) => image[symmetry[option]]).join()));
  });
}

/** The group generated by symmetries, by key. @param {Int32Array[]} some @param {Int32Array} still */
function generated(some, still) {
  const found = new Map([[still.join(), still]]);
  for (const element of found.values()) { // grows during the loop
    for (const other of some) {
      const next = element.map((option) => other[option]);
      found.set(next.join(), next);
    }
  }
  return found;
}

/** The rules as sentences, in the program's words. @param {Record<string, any>} rules valid rules @param {ChoiceData} data */
export function inWords(rules, data) {
  const named = (/** @type {string[]|"all"} */ value) => {
    const tiles = tilesOf(value, data), names = data.members.flatMap(([name], tile) => (tiles.has(tile) ? [name] : [])).sort();
    return [...names.slice(0, MAX_NAMED), ...(names.length > MAX_NAMED ? ["…"] : [])];
  };
  const { strictly = data.strictly } = rules;
  const /** @type {Record<string, (rule: any) => import("./sentence.js").Sentence[]>} */ phrases = {
    ...Object.fromEntries(Object.entries(data.places).map(([key, { words }]) => [key, () => [sentence(words)]])),
    symmetric: (names) => names.map((/** @type {string} */ symmetry) => sentence("that look the same after {symmetry}", { symmetry })),
    colours: (n) => [sentence(strictly ? "that can be coloured with {n} {n|colour|colours} such that tiles that touch, also at a corner, differ" : "that can be coloured with {n} {n|colour|colours} such that tiles that touch differ", { n })],
    touch_border: (names) => [sentence("with {tiles} at the border", { tiles: named(names) })],
    inside: (names) => [sentence("with {tiles} away from the border", { tiles: named(names) })],
    apart: (groups) => groups.map((/** @type {string[]} */ names) => sentence(strictly ? "in which no two of {tiles} touch, not even at a corner" : "in which no two of {tiles} touch", { tiles: named(names) })),
    holds: (all) => all.map((/** @type {any} */ hold) => {
      const [low, high] = rangeOf(hold);
      return sentence("in which each of {tiles} covers {number} of {n} {n|atom|atoms}", { tiles: named(hold.tiles ?? "all"), number: low === high ? `${low}` : `${low}–${high}`, n: cellsOf(hold, data).size });
    }),
  };
  return Object.entries(phrases).flatMap(([key, words]) => (rules[key] ? words(rules[key]) : [])).map((rule) => sentence("only solutions {rule}", { rule }));
}

// parsing of rules

function yes(/** @type {any} */ value) {
  if (typeof value !== "boolean") throw new Meaningless();
  return value;
}

/** @param {any} value @returns {any[]} */
function list(value) {
  if (!Array.isArray(value)) throw new Meaningless();
  return value;
}

/** @param {any} value @param {number} low @param {number} high @returns {number} */
function whole(value, low, high) {
  if (!Number.isInteger(value) || value < low || value > high) throw new Meaningless();
  return value;
}

/** The numbers of the named tiles; identical pieces must be named together. @param {any} value @param {ChoiceData} data */
function tilesOf(value, { members }) {
  const names = new Set(value === "all" ? members.flat() : list(value)), tiles = new Set(members.flatMap((own, tile) => (own.some((name) => names.has(name)) ? [tile] : [])));
  const known = new Set([...tiles].flatMap((tile) => members[tile]));
  if (known.size !== names.size) throw new Meaningless();
  return tiles;
}

function cellsOf(/** @type {any} */ rule, /** @type {ChoiceData} */ { cells }) {
  if (typeof rule?.colour !== "string" || !Object.hasOwn(cells, rule.colour)) throw new Meaningless();
  return new Set(cells[rule.colour]);
}

/** @param {any} held @returns {[number, number]} */
function rangeOf({ equals, between }) {
  const [low, high] = list(between ?? [equals, equals]);
  return [whole(low, 0, Infinity), whole(high, low, Infinity)];
}

// predicates on solutions

/** Each piece of the tiles covers ``low`` to ``high`` of the atoms. @param {Set<number>} tiles @param {Set<number>} atoms @param {number} low @param {number} high @returns {Rule} */
const each = (tiles, atoms, low, high) => Object.assign((/** @type {Solution} */ { options, owner, tile }) => {
  const covered = new Int32Array(options.length);
  for (const atom of atoms) if (owner[atom] >= 0) covered[owner[atom]]++;
  return covered.every((number, i) => !tiles.has(tile[options[i]]) || (low <= number && number <= high));
}, { alone: /** @type {true} */ (true) });

/** No two pieces of the tiles touch. @param {Set<number>} tiles @param {[number, number][]} pairs @returns {Rule} */
const apart = (tiles, pairs) => ({ options, owner, tile }) => {
  const own = (/** @type {number} */ atom) => owner[atom] >= 0 && tiles.has(tile[options[owner[atom]]]);
  return pairs.every(([a, b]) => owner[a] === owner[b] || !own(a) || !own(b));
};

/** The number of pieces that meet at each place is within its limits. @param {Place[]} places @returns {Rule} */
const meeting = (places) => ({ owner }) => places.every(([sets, low, high, through]) => {
  const [pieces, ...others] = sets.map((atoms) => new Set(atoms.map((atom) => owner[atom]).filter((piece) => piece >= 0)));
  for (const atoms of through) if (sets.flat().every((atom) => (owner[atom] === owner[atoms[0]]) === atoms.includes(atom))) pieces.delete(owner[atoms[0]]);
  const number = [...pieces].filter((piece) => others.every((some) => some.has(piece))).length;
  return low <= number && number <= (high ?? number);
});

/** @param {[number, number][]} pairs @param {number} colours @returns {Rule} */
const coloured = (pairs, colours) => ({ options, owner }) => {
  const near = Array.from(options, () => /** @type {Set<number>} */ (new Set()));
  for (const [a, b] of pairs) {
    const one = owner[a], other = owner[b];
    if (one === other || one < 0 || other < 0) continue;
    near[one].add(other);
    near[other].add(one);
  }
  return canBeColoured(near, colours, new Int32Array(near.length).fill(-1));
};

/** Colour pieces by backtracking, always the piece with the fewest possible colours next (D. Brélaz, 1979). @param {Set<number>[]} near @param {number} colours @param {Int32Array} colour -1: not coloured yet @returns {boolean} */
function canBeColoured(near, colours, colour) {
  let next = -1, fewest = Infinity;
  near.forEach((beside, piece) => {
    const left = colours - new Set([...beside].map((other) => colour[other]).filter((used) => used >= 0)).size;
    if (colour[piece] < 0 && (left < fewest || (left === fewest && beside.size > near[next].size))) [next, fewest] = [piece, left];
  });
  if (next < 0) return true;
  const used = colour.reduce((most, each) => Math.max(most, each), -1); // all unused colours are equivalent, so only one of them is tried
  for (let choice = 0; choice < Math.min(colours, used + 2); choice++) {
    if ([...near[next]].some((other) => colour[other] === choice)) continue;
    colour[next] = choice;
    if (canBeColoured(near, colours, colour)) return true;
  }
  colour[next] = -1;
  return false;
}

/** @param {any} name @param {ChoiceData} data @param {Symmetries} symmetries @returns {Rule} */
function symmetric(name, data, symmetries) {
  if (!data.symmetric.includes(name)) throw new Meaningless();
  const images = [symmetries.images[symmetries.names.indexOf(name)]];
  return ({ options }) => symmetries.keeping(options, options.length, images) === 1;
}
