// The tables of a cover problem for the kernel, like tables.py; the names and the order of the arrays are defined in kernel.py.
import { isAntichain, optionsOfItems } from "./cover.js";

/** @import { Cover } from "./cover.js" */
/** @typedef {Int32Array|BigInt64Array|BigUint64Array|Uint32Array} Numbers bitsets store each 64-bit word as two 32-bit numbers, the lower half first */
/** @typedef {{data: Numbers, bytes: 4|8, shape: number[]}} Table an array argument of the kernel */
/** @typedef {{[name: string]: Table|number|boolean}} Fields */
/** @typedef {{fields: Fields, plain: boolean, width: number, places: number, blocks: number, optionOfBit: Int32Array, low: number[]}} Laid */

const LANES = 8, BLOCK = 16, PLACE = (1 << 20) - 1, NEEDY = 1 << 30, IDLE = 2 ** 40, MAX_BYTES = 2 ** 28;
const NOTHING = -1, COUNTERS = 6;

/** A problem that this engine does not support. */
export class NotDone extends Error {}

/** @param {Int32Array|number[]} data @returns {Table} */
const ints = (data, shape = [data.length]) => ({ data: Int32Array.from(data), bytes: 4, shape });
/** @param {ArrayLike<number>} data @returns {Table} */
const longs = (data, shape = [data.length]) => ({ data: BigInt64Array.from({ length: data.length }, (_, i) => BigInt(data[i])), bytes: 8, shape });
/** @param {Uint32Array} data @returns {Table} */
const words = (data, shape = [data.length / 2]) => ({ data, bytes: 8, shape });

const wordsFor = (/** @type {number} */ options) => Math.max(1, Math.ceil(options / 64));
const setBit = (/** @type {Uint32Array} */ bits, /** @type {number} */ bit) => (bits[bit >>> 5] |= 1 << (bit & 31));

/** @param {Cover} cover @returns {Laid} @throws {NotDone} */
export function makeTables(cover) {
  const { size, items, low, high, coloured } = cover, sizes = optionsOfItems(cover);
  for (let i = 0; i < items; i++) if (coloured[i] && low[i] > 0) throw new NotDone("an item with colours that must be covered is not supported");
  const branching = Array.from({ length: items }, (_, i) => i).filter((i) => low[i] > 0 || (!coloured[i] && high[i] > 1 && high[i] < sizes[i])).sort((a, b) => wordsFor(sizes[b]) - wordsFor(sizes[a]));
  const antichain = isAntichain(cover), closed = antichain && branching.length > 0;
  const plain = closed && branching.every((i) => low[i] === 1 && high[i] === 1);
  const laid = layOut(cover, branching, sizes, !closed);
  const { first, group, start, places, bits, optionOfBit } = laid, width = group[group.length - 1], groups = group.length - 1;
  const limited = branching.flatMap((i, place) => (high[i] > 1 && high[i] < sizes[i] ? [place] : []));
  const rows = size + 1 + limited.length, sets = setsOf(cover, limited.map((place) => branching[place]));
  if (8 * width * (rows + sets.count) > MAX_BYTES) throw new NotDone(`the tables would need ${Math.ceil((8 * width * (rows + sets.count)) / 2 ** 20)} MiB, too many for a browser`);
  if (group.length * LANES > PLACE) throw new NotDone("there are too many items");
  const least = branching.map((i) => Math.min(low[i], size + 1)), most = branching.map((i) => high[i]);
  if (!closed) {
    least.push(0);
    most.push(size + 1);
  }
  const fullRow = new Int32Array(first.length).fill(-1);
  limited.forEach((place, i) => (fullRow[place] = size + 1 + i));
  const blocks = Math.ceil((groups * LANES) / BLOCK), mask = new Uint32Array(2 * bits.length);
  bits.forEach((bit, e) => setBit(mask, 64 * e + (bit & 63)));
  const from = plain ? -PLACE - 1 : 0;
  const fields = {
    plain, conditional: cover.conditions.length > 0, width,
    sizes: longs([width, groups, blocks, size]),
    keep: words(keepOf(cover, laid, sets, rows, width)),
    group: longs(group),
    number: longs(Array.from({ length: LANES * groups }, (_, i) => from + i)),
    first: longs(first),
    stride: longs(first.map((_, place) => (place < branching.length ? LANES : 1))),
    option_of_bit: ints(optionOfBit),
    row_of_bit: ints(optionOfBit),
    own: ownOf(laid, plain ? size + 1 : 0, blocks),
    low: ints(least), high: ints(most),
    cover_start: longs(start), cover_place: ints(places),
    bit_word: ints(bits.map((bit) => Math.floor(bit / 64))), bit_mask: words(mask),
    full_row: ints(fullRow),
    everything: closed ? -1 : branching.length,
    factor: longs(cover.weight ? [...cover.weight, 1] : []),
    ...conditionTables(cover, sizes),
  };
  return { fields, plain, width, places: first.length, blocks, optionOfBit, low: least };
}

/** @typedef {{first: number[], group: number[], optionOfBit: Int32Array, start: number[], places: number[], bits: number[]}} Layout */

/** Assign each option a bit in the bitset of each branching item, and, if ``everything`` is set, a bit in the set of all options.
 * @param {Cover} cover @param {number[]} branching @param {Int32Array} sizes @param {boolean} everything @returns {Layout} */
function layOut({ size, items, start, item }, branching, sizes, everything) {
  const group = [0], place = new Int32Array(items).fill(-1), begun = new Int32Array(items);
  for (let i = 0; i < branching.length; i += LANES) group.push(group[group.length - 1] + LANES * wordsFor(sizes[branching[i]]));
  branching.forEach((i, number) => (place[i] = number));
  const first = branching.map((_, number) => group[Math.floor(number / LANES)] + (number % LANES)), begin = group[group.length - 1];
  if (everything) {
    group.push(begin + LANES * Math.ceil(size / (64 * LANES)));
    first.push(begin);
  }
  const optionOfBit = new Int32Array(64 * group[group.length - 1]).fill(-1), starts = [0], places = [], bits = [];
  for (let option = 0; option < size; option++) {
    for (let e = start[option]; e < start[option + 1]; e++) {
      const own = place[item[e]];
      if (own < 0) continue;
      const index = begun[item[e]]++;
      places.push(own);
      bits.push(64 * (first[own] + LANES * Math.floor(index / 64)) + (index % 64));
    }
    if (everything) {
      places.push(branching.length);
      bits.push(64 * begin + option);
    }
    for (let e = starts[option]; e < bits.length; e++) optionOfBit[bits[e]] = option;
    starts.push(bits.length);
  }
  starts.push(bits.length); // every option has an item
  return { first, group, optionOfBit, start: starts, places, bits };
}

/** @typedef {{count: number, of: number[][], excluding: number[][], tints: [number, number][], limited: number}} Sets */

/** Exclusive sets of options: options with a common item that excludes others, a common colour of an item, or a common item with several copies. For
 * each option, the sets that contain it and the sets that it excludes: for a colour, the options of the item without this colour.
 * @param {Cover} cover @param {number[]} limited @returns {Sets} */
function setsOf({ size, items, start, item, colour, coloured, high }, limited) {
  const number = new Int32Array(items).fill(-1), full = new Int32Array(items).fill(-1), tint = new Map();
  const /** @type {[number, number][]} */ tints = [];
  let count = 0;
  limited.forEach((i) => (full[i] = count++));
  const /** @type {number[][]} */ of = [], excluding = [];
  for (let option = 0; option < size; option++) {
    const mine = [], out = [];
    for (let e = start[option]; e < start[option + 1]; e++) {
      const i = item[e];
      if (full[i] >= 0) mine.push(full[i]);
      if (high[i] !== 1 && !coloured[i]) continue;
      if (number[i] < 0) number[i] = count++;
      mine.push(number[i]);
      if (!coloured[i] || !colour[e]) {
        out.push(number[i]);
        continue;
      }
      const key = `${i} ${colour[e]}`;
      if (!tint.has(key)) {
        tints.push([count, number[i]]);
        tint.set(key, count++);
      }
      mine.push(tint.get(key));
      out.push(tint.get(key));
    }
    of.push(mine);
    excluding.push(out);
  }
  return { count, of, excluding, tints, limited: limited.length };
}

/** The options that remain when an option is chosen or an item is full. @param {Cover} cover @param {Layout} laid @param {Sets} sets @param {number} rows
 * @param {number} width */
function keepOf({ size }, { start, bits }, sets, rows, width) {
  const row = 2 * width, out = new Uint32Array(sets.count * row), keep = new Uint32Array(rows * row).fill(-1);
  for (let option = 0; option < size; option++) for (const set of sets.of[option]) for (let e = start[option]; e < start[option + 1]; e++) setBit(out, 64 * width * set + bits[e]);
  for (const [set, whole] of sets.tints) for (let w = 0; w < row; w++) out[set * row + w] = out[whole * row + w] & ~out[set * row + w];
  for (let option = 0; option < size; option++) {
    const own = option * row;
    for (const set of sets.excluding[option]) for (let w = 0, at = set * row; w < row; w++) keep[own + w] &= ~out[at + w];
    for (let e = start[option]; e < start[option + 1]; e++) keep[own + (bits[e] >>> 5)] &= ~(1 << (bits[e] & 31));
  }
  for (let full = 0; full < sets.limited; full++) for (let w = 0; w < row; w++) keep[(size + 1 + full) * row + w] = ~out[full * row + w];
  return keep;
}

/** The items of each option as bitsets. @param {Layout} laid @param {number} rows @param {number} blocks */
function ownOf({ start, places }, rows, blocks) {
  const own = new Uint32Array(2 * rows * blocks);
  for (let option = 0; option < rows; option++) for (let e = start[option]; e < start[option + 1]; e++) setBit(own, 64 * (option * blocks + Math.floor(places[e] / BLOCK)) + (places[e] % BLOCK));
  return words(own, [rows, blocks]);
}

/** The weights of the side conditions, and the smallest and largest weight of each tile. @param {Cover} cover @param {Int32Array} sizes */
function conditionTables({ size, start, item, low, high, tiles, conditions }, sizes) {
  const number = new Map(tiles.map((tile, i) => [tile, i])), kinds = Math.max(tiles.length, 1);
  const tile = new Int32Array(size + 1);
  for (let option = 0; option < size; option++) for (let e = start[option]; e < start[option + 1]; e++) tile[option] = Math.max(tile[option], number.get(item[e]) ?? 0);
  tile[size] = kinds;
  const least = new Array(conditions.length * (kinds + 1)).fill(0), most = [...least];
  conditions.forEach(({ weights }, c) => {
    const seen = new Uint8Array(kinds);
    for (let option = 0; option < size; option++) {
      const at = c * (kinds + 1) + tile[option], weight = weights[option];
      least[at] = seen[tile[option]] ? Math.min(least[at], weight) : weight;
      most[at] = seen[tile[option]] ? Math.max(most[at], weight) : weight;
      seen[tile[option]] = 1;
    }
  });
  const shape = [conditions.length, kinds + 1];
  return {
    weight: longs(conditions.flatMap(({ weights }) => [...weights, 0]), [conditions.length, size + 1]),
    sum_low: longs(conditions.map((c) => c.low)), sum_high: longs(conditions.map((c) => c.high)),
    modulus: longs(conditions.map((c) => c.modulus)), residue: longs(conditions.map((c) => c.residue)),
    tile: ints(tile),
    tile_low: longs(tiles.length ? [...tiles.map((i) => low[i]), 0] : [0, 0]),
    tile_high: longs(tiles.length ? [...tiles.map((i) => Math.min(high[i], sizes[i])), 0] : [size, 0]),
    least: longs(least, shape), most: longs(most, shape),
  };
}

/** The state at the root of the search for the solutions that contain the given options.
 * @param {Cover} cover @param {Laid} t @param {number[]} given @param {number} levels @returns {Fields} */
export function startState(cover, t, given, levels) {
  const { size, start, item, high } = cover, begin = [size, ...new Set(given)], never = new Uint8Array(size + 1), conditions = cover.conditions.length;
  for (let option = 0; option < size; option++) for (let e = start[option]; e < start[option + 1]; e++) never[option] |= Number(high[item[e]] === 0);
  const bits = new Uint32Array(2 * levels * t.width), open = new Uint32Array(2 * levels * t.blocks), zero = () => longs(new Int32Array(levels));
  t.optionOfBit.forEach((option, bit) => option >= 0 && !never[option] && setBit(bits, bit));
  if (t.plain) for (let place = 0; place < t.places; place++) setBit(open, 64 * Math.floor(place / BLOCK) + (place % BLOCK));
  const needs = zero(), tries = zero(), least = longs(new Int32Array(levels * conditions), [levels, conditions]), most = longs(new Int32Array(levels * conditions), [levels, conditions]);
  needs.data[0] = BigInt(t.low.reduce((sum, need) => sum + need, 0));
  tries.data[0] = BigInt(begin.every((option) => !never[option]));
  const bounds = firstBounds(t);
  bounds.forEach(([a, b], c) => ([least.data[c], most.data[c]] = [a, b]));
  const number = /** @type {Table} */ (t.fields.number).shape[0], kinds = /** @type {Table} */ (t.fields.least).shape[1];
  return {
    given: ints(begin),
    words: words(bits),
    path: ints(new Int32Array(levels)),
    branch: ints(new Int32Array(levels)),
    at: zero(), rest: zero(), tries,
    branches: longs(new Int32Array(levels).fill(1)),
    needs,
    open: words(open, [levels, t.blocks]),
    covered: ints(new Int32Array(t.places)),
    offset: longs(Array.from({ length: number }, (_, place) => (t.low[place] > 0 ? NEEDY - t.low[place] : IDLE))),
    sums: longs(new Int32Array(levels * conditions), [levels, conditions]),
    sum_least: least, sum_most: most,
    tile_count: longs(new Int32Array(kinds)),
    seen: zero(),
    control: longs([0, 0, NOTHING, NOTHING]),
    work: longs(new Int32Array(COUNTERS)),
  };
}

/** The smallest and the largest contribution of the tiles to each condition. @param {Laid} t @returns {[bigint, bigint][]} */
function firstBounds({ fields }) {
  const [low, high, least, most] = ["tile_low", "tile_high", "least", "most"].map((name) => /** @type {BigInt64Array} */ (/** @type {Table} */ (fields[name]).data)), kinds = low.length;
  return Array.from({ length: least.length / kinds }, (_, c) => {
    const /** @type {[bigint, bigint]} */ sums = [0n, 0n];
    for (let tile = 0; tile < kinds; tile++) {
      const a = least[c * kinds + tile], b = most[c * kinds + tile];
      sums[0] += a * (a < 0n ? high[tile] : low[tile]);
      sums[1] += b * (b > 0n ? high[tile] : low[tile]);
    }
    return sums;
  });
}
