// Ordered lists of solutions with random access by number.
import { Search, run } from "./kernel.js";
import { keepingRules, rulesOf } from "./choices.js";

/** @import { SearchablePuzzle } from "./completions.js" */
/** @import { Signal } from "./kernel.js" */
/** @import { Symmetries } from "./symmetries.js" */
/** @typedef {{given: number[], distinct: boolean, rules: Record<string, unknown>}} ListRequest ``distinct``: one solution per symmetry class, the least */
/** @typedef {{rows: Rows, exact: boolean}} Listed ``exact``: the list is complete */
/** @typedef {Listed & {symmetries: string[]}} ListAnswer ``symmetries``: the symmetries that preserve the rules */
/** @typedef {{first: (row: Int32Array) => void, told: (found: number, share: number) => void}} Tell */

const SECONDS = 60, MAX_LISTED = 1_000_000, MAX_CELLS = 1 << 24, KEPT = 6, BLOCK = 1 << 12, PAUSE = 50;

/** Rows of ascending options, padded with -1, in one array. */
export class Rows {
  constructor(/** @type {number} */ width) {
    this.width = width;
    this.length = 0;
    this.data = new Int32Array(width * 64);
  }

  push(/** @type {ArrayLike<number>} */ row) {
    const { width, data } = this, at = this.length++ * width;
    if (at === data.length) {
      this.data = new Int32Array(2 * data.length);
      this.data.set(data);
    }
    this.data.fill(-1, at, at + width);
    this.data.set(row, at);
  }

  /** @param {number} i @returns {Int32Array} the row without padding */
  row(i) {
    const row = this.data.subarray(i * this.width, (i + 1) * this.width), end = row.indexOf(-1);
    return end < 0 ? row : row.subarray(0, end);
  }

  /** The distinct rows in ascending order. */
  inOrder() {
    const { width, data } = this, made = new Rows(width);
    const differ = (/** @type {number} */ a, /** @type {number} */ b) => {
      for (let i = 0; i < width; i++) {
        const difference = data[a * width + i] - data[b * width + i];
        if (difference) return difference;
      }
      return 0;
    };
    const order = Uint32Array.from({ length: this.length }, (_, i) => i).sort(differ);
    order.forEach((number, i) => {
      if (!i || differ(order[i - 1], number)) made.push(data.subarray(number * width, (number + 1) * width));
    });
    return made;
  }
}

/** A cache of the most recently requested lists of a puzzle. */
export class Lists {
  /** @param {SearchablePuzzle} puzzle @param {Symmetries} symmetries @param {import("./choices.js").ChoiceData} choices */
  constructor(puzzle, symmetries, choices) {
    this.puzzle = puzzle;
    this.symmetries = symmetries;
    this.choices = choices;
    /** @type {Map<string, Listed>} */
    this.kept = new Map();
  }

  /** Return a list, from the cache if possible; a stopped search returns a partial list. Return null if a rule has no meaning. If some symmetry does
   * not preserve the rules, all solutions are searched, since the least solution of a class may break a rule.
   * @param {ListRequest} wanted @param {Tell} tell @param {Signal} [signal] @returns {Promise<ListAnswer|null>} */
  async list({ given, distinct, rules }, tell, signal) {
    const { choices, symmetries } = this, judges = rulesOf(rules, choices, symmetries), placed = [...given].sort((a, b) => a - b);
    if (!judges) return null;
    const preserving = judges.length ? keepingRules(rules, choices, symmetries, this.tiles(judges.filter(({ alone }) => alone))) : symmetries, fewer = preserving.number < symmetries.number, all = { given: placed, distinct: distinct && !fewer };
    if (distinct && fewer) judges.push(({ options }) => preserving.isLeast(options, placed));
    const key = JSON.stringify(all), listed = await this.keep(key, () => (all.distinct || given.length ? this.search(all, tell, signal) : this.every(tell, signal)), signal);
    const some = judges.length ? await this.keep(key + JSON.stringify([distinct, rules]), () => this.judged(listed, judges, signal), signal) : listed;
    return { ...some, symmetries: preserving.names };
  }

  /** @param {string} key @param {() => Promise<Listed>} make @param {Signal} [signal] */
  async keep(key, make, signal) {
    const listed = this.kept.get(key) ?? (await make());
    this.kept.delete(key);
    if (!signal?.stopped) this.kept.set(key, listed);
    if (this.kept.size > KEPT) this.kept.delete(/** @type {string} */ (this.kept.keys().next().value));
    return listed;
  }

  /** All solutions: the images of one solution per class, if these can be listed. @param {Tell} tell @param {Signal} [signal] @returns {Promise<Listed>} */
  async every(tell, signal) {
    const { symmetries } = this, classes = symmetries.number > 1 ? await this.list({ given: [], distinct: true, rules: {} }, tell, signal) : null;
    if (!classes?.exact || classes.rows.length * symmetries.number > MAX_LISTED) return this.search({ given: [], distinct: false }, tell, signal);
    const { rows } = classes, found = new Rows(rows.width);
    for (let i = 0; i < rows.length; i++) for (const image of symmetries.images) found.push(rows.row(i).map((option) => image[option]).sort());
    return { rows: found.inOrder(), exact: true };
  }

  /** Search for solutions. If no option is given, distinct solutions are searched in the problem with broken symmetry.
   * @param {{given: number[], distinct: boolean}} wanted @param {Tell} tell @param {Signal} [signal] @returns {Promise<Listed>} */
  async search({ given, distinct }, tell, signal) {
    const { puzzle, symmetries } = this, engine = distinct && !given.length ? puzzle.counting : puzzle.engine, { origin } = engine.cover;
    const rows = new Rows(engine.most), most = Math.min(MAX_LISTED, Math.floor(MAX_CELLS / engine.most)), began = performance.now();
    const search = new Search(engine, given, { listing: true }), onePerClass = distinct && symmetries.number > 1;
    const take = (/** @type {number[]} */ found) => {
      const row = Int32Array.from(found, (option) => (origin ? origin[option] : option));
      if (!rows.length) tell.first(row);
      if (!onePerClass) rows.push(row);
      else if (!given.length) rows.push(symmetries.least(row));
      else if (symmetries.isLeast(row, given)) rows.push(row);
    };
    if (search.done && search.found) take([]);
    let lastReport = began;
    await run(search, { most, signal, deadline: began + 1000 * SECONDS, turned: (found) => {
      found.forEach(take);
      if (performance.now() - lastReport < PAUSE) return;
      lastReport = performance.now();
      tell.told(rows.length, search.behind);
    } });
    search.end();
    return { rows: rows.inOrder(), exact: search.done };
  }

  /** The tile of each option; -1 if a rule excludes the option. @param {import("./choices.js").Rule[]} [rules] rules on single pieces */
  tiles(rules = []) {
    const { start, item, tiles, size } = this.puzzle.cover, { atoms } = this.puzzle.data, number = new Map(tiles.map((i, tile) => [i, tile])), tile = new Int32Array(size), owner = new Int32Array(atoms).fill(-1);
    for (let option = 0; option < size; option++) for (let e = start[option]; e < start[option + 1]; e++) tile[option] = number.get(item[e]) ?? tile[option];
    return rules.length ? tile.map((own, option) => {
      const covered = item.subarray(start[option], start[option + 1]).filter((i) => i < atoms);
      for (const atom of covered) owner[atom] = 0;
      const allowed = rules.every((keeps) => keeps({ options: Int32Array.of(option), owner, tile }));
      for (const atom of covered) owner[atom] = -1;
      return allowed ? own : -1;
    }) : tile;
  }

  /** @param {Listed} listed @param {import("./choices.js").Rule[]} judges @param {Signal} [signal] @returns {Promise<Listed>} */
  async judged({ rows, exact }, judges, signal) {
    const { cover, data: { atoms } } = this.puzzle, owner = new Int32Array(atoms), tile = this.tiles(), selected = new Rows(rows.width);
    for (let i = 0; i < rows.length && !signal?.stopped; i++) {
      const row = rows.row(i);
      owner.fill(-1);
      row.forEach((option, place) => {
        for (let e = cover.start[option]; e < cover.start[option + 1]; e++) if (cover.item[e] < atoms) owner[cover.item[e]] = place;
      });
      if (judges.every((keeps) => keeps({ options: row, owner, tile }))) selected.push(row);
      if (i % BLOCK === BLOCK - 1) await new Promise((resolve) => setTimeout(resolve, 0));
    }
    return { rows: selected, exact };
  }
}
