// A cover problem as arrays of items and options, and the remaining problem after a choice of options.

/**
 * @typedef {object} CoverData a cover problem in the format of ``cover_as_json`` in pages/site_puzzle.py; keys without content are missing
 * @property {string[]} names of the items
 * @property {number} atoms the number of atoms, which are the first items
 * @property {number} rules the first item that represents a rule on solutions
 * @property {number|number[]} low the least number of times each item is covered; a single number if all are equal
 * @property {number|number[]} high
 * @property {number|number[]} sizes the number of items of each option
 * @property {number[]} item
 * @property {number[]} [coloured] the items with colours: all options of such an item must agree in the colour
 * @property {number[]} [colour]
 * @property {number[]} [tiles]
 * @property {Condition[]} [conditions]
 * @property {number[]} [forced]
 * @property {{out: number[], several: number[], times: number|number[]}} [broken] symmetry breaking: excluded options, and options with their multiplicities
 * @property {import("./symmetries.js").SymmetryData} [symmetries]
 * @property {boolean} [hopeless] whether a condition is unsatisfiable
 */
/** @typedef {{weights: number[], low: number, high: number, modulus: number, residue: number}} Condition */
/**
 * @typedef {object} Cover
 * @property {number} size the number of options
 * @property {number} items the number of items
 * @property {Int32Array} low
 * @property {Int32Array} high
 * @property {Int32Array} start the first entry of each option in ``item``, and the end
 * @property {Int32Array} item
 * @property {Int32Array} colour
 * @property {Uint8Array} coloured
 * @property {number[]} tiles items that partition the options; may be empty
 * @property {Condition[]} conditions
 * @property {number[]} forced
 * @property {number[]|null} weight the multiplicity of each option, a factor of the number of solutions
 * @property {number[]|null} [origin] the number of each option in the whole problem, if this problem has only a part of them
 * @property {boolean} hopeless
 */
/** @typedef {{low: Int32Array, possible: Uint8Array, totals: number[]}} Left the remaining problem: the need of each item, the selectable options, and the sums of weights */

/** @param {number|number[]} numbers @param {number} length */
const all = (numbers, length) => (typeof numbers === "number" ? new Int32Array(length).fill(numbers) : Int32Array.from(numbers));

/** @param {number} sum @param {Condition} condition */
export const holds = (sum, { low, high, modulus, residue }) => (modulus ? (sum - residue) % modulus === 0 : low <= sum && sum <= high);

/** @param {CoverData} data @returns {Cover} */
export function readCover(data) {
  const items = data.names.length, item = Int32Array.from(data.item ?? []);
  const sizes = typeof data.sizes === "number" ? new Int32Array(data.sizes ? item.length / data.sizes : 0).fill(data.sizes) : Int32Array.from(data.sizes ?? []);
  const start = new Int32Array(sizes.length + 1);
  sizes.forEach((size, option) => (start[option + 1] = start[option] + size));
  const coloured = new Uint8Array(items);
  for (const i of data.coloured ?? []) coloured[i] = 1;
  return {
    size: sizes.length, items, low: all(data.low, items), high: all(data.high, items), start, item,
    colour: data.colour ? Int32Array.from(data.colour) : new Int32Array(item.length), coloured,
    tiles: data.tiles ?? [], conditions: data.conditions ?? [], forced: data.forced ?? [], weight: null, origin: null, hopeless: data.hopeless ?? false,
  };
}

/** The problem with its symmetry broken; the weights of a solution multiply to the number of solutions that it represents.
 * @param {Cover} cover @param {NonNullable<CoverData["broken"]>} broken @returns {Cover} */
export function broken(cover, { out, several, times }) {
  const keep = new Uint8Array(cover.size).fill(1), weight = new Int32Array(cover.size).fill(1);
  for (const option of out) keep[option] = 0;
  const factors = all(times, several.length);
  several.forEach((option, i) => (weight[option] = factors[i]));
  const remaining = [...keep.keys()].filter((option) => keep[option]);
  const entries = remaining.flatMap((option) => Array.from({ length: cover.start[option + 1] - cover.start[option] }, (_, i) => cover.start[option] + i));
  const start = new Int32Array(remaining.length + 1);
  remaining.forEach((option, i) => (start[i + 1] = start[i] + cover.start[option + 1] - cover.start[option]));
  return {
    ...cover, size: remaining.length, start, item: Int32Array.from(entries, (e) => cover.item[e]), colour: Int32Array.from(entries, (e) => cover.colour[e]),
    conditions: cover.conditions.map((condition) => ({ ...condition, weights: remaining.map((option) => condition.weights[option]) })), weight: remaining.map((option) => weight[option]), origin: remaining,
  };
}

/** The number of options of each item. @param {Cover} cover */
export function optionsOfItems({ items, item }) {
  const sizes = new Int32Array(items);
  for (const i of item) sizes[i]++;
  return sizes;
}

/** Return whether no solution can contain another: every option has an item that all solutions cover equally often. @param {Cover} cover */
export function isAntichain({ size, start, item, low, high, coloured }) {
  for (let option = 0; option < size; option++) {
    let fixed = false;
    for (let e = start[option]; e < start[option + 1]; e++) fixed ||= low[item[e]] === high[item[e]] && !coloured[item[e]];
    if (!fixed) return false;
  }
  return true;
}

/** An upper bound for the number of options in a solution. @param {Cover} cover */
export function longest(cover) {
  const { size, items, start, item, low, high, coloured, tiles } = cover, sizes = optionsOfItems(cover);
  let bound = tiles.length ? tiles.reduce((sum, tile) => sum + Math.min(high[tile], sizes[tile]), 0) : size;
  let needed = true, single = Infinity, need = 0, once = 0;
  for (let option = 0; option < size; option++) {
    let some = false, number = 0;
    for (let e = start[option]; e < start[option + 1]; e++) {
      some ||= low[item[e]] > 0;
      number += Number(!coloured[item[e]] && high[item[e]] === 1);
    }
    needed = needed && some;
    single = Math.min(single, number);
  }
  for (let i = 0; i < items; i++) {
    if (low[i] > 0) need += Math.min(high[i], size);
    once += Number(!coloured[i] && high[i] === 1);
  }
  if (size && needed) bound = Math.min(bound, need);
  if (size && single > 0) bound = Math.min(bound, Math.floor(once / single));
  return Math.max(bound, 1);
}

/** The remaining problem after choosing the forced options and others; null if they exclude each other.
 * @param {Cover} cover @param {number[]} given @returns {Left|null} */
export function settled(cover, given) {
  const { size, items, start, item, colour, low, high, coloured } = cover;
  const chosen = new Set([...cover.forced, ...given]), times = new Int32Array(items), shown = new Int32Array(items).fill(-1);
  for (const option of chosen) {
    for (let e = start[option]; e < start[option + 1]; e++) {
      const i = item[e];
      if (coloured[i] && times[i] && (shown[i] !== colour[e] || !colour[e])) return null;
      times[i]++;
      shown[i] = colour[e];
    }
  }
  for (let i = 0; i < items; i++) if (!coloured[i] && times[i] > high[i]) return null;
  const possible = new Uint8Array(size).fill(1);
  for (let option = 0; option < size; option++) {
    if (chosen.has(option)) possible[option] = 0;
    for (let e = start[option]; e < start[option + 1]; e++) {
      const i = item[e];
      if (coloured[i] ? times[i] && (colour[e] !== shown[i] || !colour[e]) : times[i] >= high[i]) possible[option] = 0;
    }
  }
  const totals = cover.conditions.map(({ weights }) => [...chosen].reduce((sum, option) => sum + weights[option], 0));
  return { low: low.map((least, i) => Math.max(least - times[i], 0)), possible, totals };
}

/** The number of remaining options of each item. @param {Cover} cover @param {Left} left */
export function waysOf({ size, items, start, item }, { possible }) {
  const ways = new Int32Array(items);
  for (let option = 0; option < size; option++) if (possible[option]) for (let e = start[option]; e < start[option + 1]; e++) ways[item[e]]++;
  return ways;
}

/** Return whether the remaining problem needs no more options. @param {Cover} cover @param {Left} left */
export const contented = (cover, left) => left.low.every((need) => need <= 0) && cover.conditions.every((condition, c) => holds(left.totals[c], condition));
