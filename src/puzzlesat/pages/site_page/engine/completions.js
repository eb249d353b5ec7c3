// Completions of a position: their number, the pieces to take back if there is none, and a hint for the next piece.
import { broken, contented, readCover, settled, waysOf } from "./cover.js";
import { Engine, Search, run } from "./kernel.js";

/** @import { CoverData, Left } from "./cover.js" */
/** @import { Signal } from "./kernel.js" */
/** @typedef {{found: number|bigint, exact: boolean}} Completions the number of solutions found; exact: the search is complete */
/** @typedef {{pieces: number[], completions: Completions}} Removal placements whose removal makes the position solvable */
/** @typedef {{choices: Removal[], fewest: boolean, every: boolean, solvable: boolean|null}} TakeBack */
/** @typedef {{option: number, shared: number, listed: number, every: boolean, item: number, alone: boolean}} Further alone: no other option covers the item */
/** @typedef {{deadline: number, signal?: Signal}} Bounds */

const SAFE = BigInt(Number.MAX_SAFE_INTEGER), LISTED = 20_000, TOLD = 300;
const SEARCH_SHARE = 0.6, PUT_BACK_SHARE = 0.7, KEPT_SHARE = 0.5; // shares of the time limit, as in playing/hint.py

const plainly = (/** @type {bigint} */ n) => (n <= SAFE ? Number(n) : n);

/** Bounds with a share of the remaining time. @param {Bounds} bounds @param {number} share @returns {Bounds} */
export function part({ deadline, signal }, share) {
  const now = performance.now();
  return { deadline: now + Math.max(deadline - now, 0) * share, signal };
}

const over = (/** @type {Bounds} */ { deadline, signal }) => signal?.stopped === true || performance.now() > deadline;

/** A puzzle with its search engines. */
export class SearchablePuzzle {
  constructor(/** @type {WebAssembly.Module} */ module, /** @type {CoverData} */ data) {
    this.module = module;
    this.data = data;
    this.cover = readCover(data);
    /** @type {Engine|null} */
    this.made = null;
    /** @type {Engine|null} */
    this.halved = null;
  }

  /** The engine of the whole puzzle. */
  get engine() {
    return (this.made ??= new Engine(this.module, this.cover));
  }

  /** The engine for counting: with the symmetry broken, if there is one. */
  get counting() {
    return this.data.broken ? (this.halved ??= new Engine(this.module, broken(this.cover, this.data.broken))) : this.engine;
  }

  /** Count the solutions that contain options. @param {number[]} given @param {Bounds} bounds
   * @param {(soFar: Completions, search: Search) => void} [tell] @returns {Promise<Completions>} */
  async count(given, bounds, tell) {
    const search = new Search(given.length ? this.engine : this.counting, given);
    let lastReport = performance.now();
    await run(search, { ...bounds, turned: () => {
      if (performance.now() - lastReport < TOLD || search.done) return;
      lastReport = performance.now();
      tell?.({ found: plainly(search.weighted), exact: false }, search);
    } });
    const found = { found: plainly(search.weighted), exact: search.done };
    search.end();
    return found;
  }

  /** List at most ``most`` solutions that contain options, and whether the list is complete.
   * @param {number[]} given @param {number} most @param {Bounds} bounds @returns {Promise<{rows: number[][], every: boolean}>} */
  async list(given, most, bounds) {
    const /** @type {number[][]} */ rows = [], search = new Search(this.engine, given, { listing: true });
    if (!this.cover.size && search.found) rows.push([]);
    const every = await run(search, { ...bounds, most, turned: (found) => rows.push(...found) });
    search.end();
    return { rows, every };
  }

  /** Return whether a position is a solution. @param {number[]} placed */
  isFinished(placed) {
    const left = settled(this.cover, placed);
    return left !== null && contented(this.cover, left);
  }

  /** The index of the first piece after which an unsolvable position could no longer be finished; null if unknown.
   * @param {number[]} placed @param {Bounds} bounds */
  async firstWrong(placed, bounds) {
    let good = -1, bad = placed.length;
    while (bad - good > 1) {
      const middle = Math.floor((good + bad) / 2), { rows, every } = await this.list(placed.slice(0, middle), 1, bounds);
      if (!rows.length && !every) return null;
      [good, bad] = rows.length ? [middle, bad] : [good, middle];
    }
    return bad > 0 ? bad - 1 : null;
  }

  /** The smallest sets of pieces to take back, sizes in ascending order, like playing/hint.py.
   * @param {number[]} placed @param {Bounds} bounds @returns {Promise<TakeBack>} */
  async takeBack(placed, bounds) {
    const search = new Conflicts(this, placed, part(bounds, SEARCH_SHARE)), { found, fewest } = await search.smallest();
    if (found.length && fewest) {
      const choices = [];
      for (const [i, gone] of found.entries()) choices.push(await this.removal(placed, gone, part(bounds, 1 / (found.length - i))));
      choices.sort((a, b) => Number(b.completions.found) - Number(a.completions.found));
      return { choices, fewest: true, every: search.sure, solvable: true };
    }
    const solvable = search.conflicts.some((conflict) => !conflict.size) && search.sure ? false : null;
    if (solvable === false || !search.overlaps.length) return { choices: [], fewest: false, every: false, solvable };
    const stay = await search.putBack(part(bounds, PUT_BACK_SHARE));
    return { choices: [await this.removal(placed, placed.filter((option) => !stay.has(option)), bounds)], fewest: false, every: false, solvable: true };
  }

  /** @param {number[]} placed @param {number[]} gone @param {Bounds} bounds @returns {Promise<Removal>} */
  async removal(placed, gone, bounds) {
    const known = await this.count(placed.filter((option) => !gone.includes(option)), bounds);
    return { pieces: placed.filter((option) => gone.includes(option)), completions: known.found ? known : { found: 1, exact: false } };
  }

  /** The placement that most completions share; among placements that all completions share, prefer one that is forced by a single item.
   * @param {number[]} placed @param {Bounds} bounds @returns {Promise<Further|null>} */
  async further(placed, bounds) {
    const { cover } = this, { rows, every } = await this.list(placed, LISTED, bounds), left = settled(cover, placed);
    if (!rows.length || !left) return null;
    const lie = new Set([...cover.forced, ...placed]), shared = new Map();
    for (const row of rows) for (const option of row) if (!lie.has(option)) shared.set(option, (shared.get(option) ?? 0) + 1);
    const ways = waysOf(cover, left);
    let best = null, bestKey = [Infinity, Infinity];
    for (const option of [...shared.keys()].sort((a, b) => a - b)) {
      const [fewest, item] = this.narrowest(option, left, ways), most = -shared.get(option);
      const key = every ? [most, fewest] : [fewest, most];
      if (key[0] > bestKey[0] || (key[0] === bestKey[0] && key[1] >= bestKey[1])) continue;
      bestKey = key;
      best = { option, shared: shared.get(option), listed: rows.length, every, item, alone: fewest === 1 };
    }
    return best;
  }

  /** The least number of ways to cover an item of an option, and the item.
   * @param {number} option @param {Left} left @param {Int32Array} ways */
  narrowest(option, left, ways) {
    const { start, item, low, high } = this.cover;
    let fewest = Infinity, narrow = -1;
    for (let e = start[option]; e < start[option + 1]; e++) {
      const i = item[e], met = low[i] - left.low[i]; // the number of times the item is covered
      if (left.low[i] !== 1 || high[i] - met !== 1) continue;
      if (ways[i] < fewest || (ways[i] === fewest && i < narrow)) [fewest, narrow] = [ways[i], i];
    }
    return [fewest, narrow];
  }
}

/** The search for the smallest sets of pieces to take back. A conflict is a set of pieces that cannot all stay; a set to take back is a hitting set of
 * all conflicts (R. Reiter, "A theory of diagnosis from first principles", 1987). */
class Conflicts {
  constructor(/** @type {SearchablePuzzle} */ puzzle, /** @type {number[]} */ placed, /** @type {Bounds} */ bounds) {
    this.puzzle = puzzle;
    this.placed = placed;
    this.bounds = bounds;
    /** @type {Set<number>[]} */
    this.conflicts = [];
    /** @type {Set<number>[]} the common placements of the position and each solution found */
    this.overlaps = [];
    this.sure = true; // no search has timed out so far
  }

  /** The smallest sets of pieces whose removal makes the position solvable, sets with later pieces first, and whether minimality is proven. */
  async smallest() {
    const places = (/** @type {number[]} */ gone) => gone.map((option) => this.placed.indexOf(option)).sort((a, b) => b - a);
    for (let size = 0; size <= this.placed.length; size++) {
      const /** @type {Map<string, number[]>} */ found = new Map(), fewest = this.sure;
      await this.grow([], size, found, new Set());
      if (found.size) return { found: [...found.values()].sort((a, b) => later(places(b), places(a))), fewest };
      if (this.conflicts.some((conflict) => !conflict.size) || over(this.bounds)) break;
    }
    return { found: [], fewest: false };
  }

  /** Extend a set of removed pieces, by one piece of each conflict, until it hits all conflicts or has ``size`` pieces.
   * @param {number[]} gone @param {number} size @param {Map<string, number[]>} found @param {Set<string>} seen */
  async grow(gone, size, found, seen) {
    const key = [...gone].sort((a, b) => a - b).join();
    if (seen.has(key)) return;
    if (over(this.bounds)) {
      this.sure = false;
      return;
    }
    seen.add(key);
    let conflict = this.conflicts.find((known) => !gone.some((option) => known.has(option)));
    if (!conflict) {
      const remaining = new Set(this.placed.filter((option) => !gone.includes(option)));
      if (await this.possible(remaining)) {
        found.set(key, gone);
        return;
      }
      this.conflicts.push((conflict = await this.conflictIn(remaining)));
    }
    if (gone.length < size) for (const option of [...conflict].sort((a, b) => a - b)) await this.grow([...gone, option], size, found, seen);
  }

  /** Shrink a conflict: drop pieces as long as the rest is still a conflict. @param {Set<number>} pieces */
  async conflictIn(pieces) {
    for (const option of this.placed) {
      const fewer = new Set([...pieces].filter((piece) => piece !== option));
      if (pieces.has(option) && !over(this.bounds) && !(await this.possible(fewer))) pieces = fewer;
    }
    return pieces;
  }

  /** Start from the pieces of the nearest solution found and greedily put back pieces. @param {Bounds} bounds */
  async putBack(bounds) {
    this.bounds = bounds;
    let stay = this.overlaps.reduce((a, b) => (b.size > a.size ? b : a));
    for (const option of this.placed) if (!stay.has(option) && !over(bounds) && (await this.possible(new Set([...stay, option])))) stay = new Set([...stay, option]);
    return stay;
  }

  /** Return whether a solution contains all pieces. After a timeout, return false and clear ``sure``. @param {Set<number>} pieces */
  async possible(pieces) {
    if (this.overlaps.some((overlap) => within(pieces, overlap))) return true;
    if (this.conflicts.some((conflict) => within(conflict, pieces))) return false;
    const { rows, every } = await this.puzzle.list([...pieces], 1, part(this.bounds, KEPT_SHARE));
    if (rows.length) this.overlaps.push(new Set(this.placed.filter((option) => rows[0].includes(option))));
    this.sure &&= rows.length > 0 || every;
    return rows.length > 0;
  }
}

/** @param {Set<number>} one @param {Set<number>} other */
const within = (subset, other) => [...subset].every((option) => other.has(option));

/** Compare lists lexicographically. @param {number[]} a @param {number[]} b */
function later(a, b) {
  const i = a.findIndex((place, k) => place !== b[k]);
  return i < 0 ? a.length - b.length : a[i] - (b[i] ?? -1);
}
