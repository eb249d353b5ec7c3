// The engine's answers to requests of the page, in the format of the server (``studio/tasks``).
import { settled, waysOf } from "./cover.js";
import { SearchablePuzzle, part } from "./completions.js";
import { NO_CHOICES, inWords } from "./choices.js";
import { Search, run } from "./kernel.js";
import { Lists } from "./listing.js";
import { sentence } from "./sentence.js";
import { Symmetries } from "./symmetries.js";
import { picture } from "./text.js";

/** @import { Bounds, Completions, TakeBack, Further } from "./completions.js" */
/** @import { Sentence } from "./sentence.js" */
/** @typedef {{name: string, cover: import("./cover.js").CoverData, placements: string[], called: string[], choices?: import("./choices.js").ChoiceData, text?: any, facts?: any}} PuzzleData ``placements``: names in the order of the options; ``called``: names for sentences */
/** @typedef {(event: "told"|"found", data: any) => void} Tell */
/** @typedef {{finished: boolean, known: Completions, dead?: (string|Sentence)[], back?: TakeBack|null, wrong?: number|null, one?: Further|null}} Look the known facts about a position */

const SECONDS = 60, COUNTING = 0.5, WRONG = 0.25, SHOWN = 8, TOLD = 200, MAX_AT_ONCE = 500, BROWSER = "browser"; // BROWSER: the name of this solver
export const ONE_ENGINE = "One engine counted this in your browser. Nothing here confirms it.";

/** A request that cannot be answered; its sentences explain the reason to the user. */
export class Refusal extends Error {
  constructor(/** @type {Sentence[]} */ sentences) {
    super("refused");
    this.sentences = sentences;
  }
}

export const unanswered = () => new Refusal([sentence("The page has no answer to this. Ask the program.")]);

/** The answers to requests about one puzzle. */
export class Answers {
  constructor(/** @type {WebAssembly.Module} */ module, /** @type {PuzzleData} */ data) {
    this.data = data;
    this.puzzle = new SearchablePuzzle(module, data.cover);
    this.numbers = new Map(data.placements.map((name, option) => [name, option]));
    this.symmetries = new Symmetries(data.placements.length, data.cover.symmetries);
    this.choices = data.choices ?? NO_CHOICES;
    this.lists = new Lists(this.puzzle, this.symmetries, this.choices);
  }

  /** Convert placements, given by number or name, to numbers. @param {unknown} placed @returns {number[]} */
  optionsOf(placed = []) {
    if (!Array.isArray(placed)) throw new Refusal([sentence("The page asked for something that is not a list of placements.")]);
    const options = placed.map((placement) => (typeof placement === "number" ? placement : this.numbers.get(placement)));
    const wrong = placed.filter((_, i) => options[i] === undefined || !(Number(options[i]) in this.data.placements));
    if (wrong.length) throw new Refusal(wrong.map((name) => sentence("{name} is not a placement of this puzzle", { name: String(name) })));
    const forced = new Set(this.puzzle.cover.forced);
    return [...new Set(/** @type {number[]} */ (options))].filter((option) => !forced.has(option));
  }

  names(/** @type {number[]} */ options) {
    return options.map((option) => this.data.placements[option]);
  }

  /** The names of placements for sentences; cards are named by their marks. @param {number[]} options */
  called(options) {
    return options.map((option) => this.data.called[option]);
  }

  /** Count the completions of a position; if there is none, find pieces to take back. @param {any} body @param {Tell} tell @param {Bounds["signal"]} signal */
  async position({ position }, tell, signal) {
    const placed = this.optionsOf(position), look = await this.lookAt(placed, false, signal, (part) => tell("found", this.counted(placed, part)));
    const { back, wrong } = look, name = wrong === undefined || wrong === null ? null : this.names(placed)[wrong];
    const choices = back?.choices.map(({ pieces, completions: { found, exact } }) => ({ pieces: this.names(pieces), completions: found, exact })) ?? [];
    const how = back ? { ...back, choices } : null;
    return { ...this.counted(placed, look), take_back: choices.map(({ pieces }) => pieces), how, first_wrong: name === null ? null : { number: wrong, name } };
  }

  /** Return a hint: one more piece. @param {any} body @param {Tell} _tell @param {Bounds["signal"]} signal */
  async hint({ position }, _tell, signal) {
    const placed = this.optionsOf(position), look = await this.lookAt(placed, true, signal, () => {}), { one: further } = look, { cover } = this.puzzle, { atoms, names } = this.data.cover;
    const answer = { placement: null, finished: look.finished, solvable: possible(look.known), words: this.words(placed, look) };
    if (!further) return answer;
    const items = [...cover.item.subarray(cover.start[further.option], cover.start[further.option + 1])], numbers = items.filter((i) => i < atoms);
    const tile = items.find((i) => cover.tiles.includes(i));
    const { shared, listed, every } = further, forced = isForced(further);
    return { ...answer, placement: this.data.placements[further.option], tile: tile === undefined ? "" : names[tile], forced, reason: this.reason(further), shared, listed, every, atoms: numbers.map((i) => names[i]), numbers };
  }

  /** Count the solutions, and the solutions up to symmetry. The second count sums the stabiliser sizes of all solutions (Burnside's lemma), which needs
   * no list of solutions.
   * @param {any} _body @param {Tell} tell @param {Bounds["signal"]} signal */
  async count(_body, tell, signal) {
    tell("found", { area: this.data.facts ?? { facts: [] } });
    const { puzzle: { counting }, symmetries } = this, { levels, cover: { weight, origin } } = counting, turned = symmetries.number > 1, row = new Int32Array(levels);
    let unchanged = 0, lastReport = performance.now(); // unchanged: the sum of the stabiliser sizes
    const each = (/** @type {Int32Array} */ out, /** @type {number} */ at) => {
      let length = 0, times = 1;
      for (let i = at; i < at + levels; i++) {
        const option = out[i];
        if (option < 0) continue;
        row[length++] = origin ? origin[option] : option;
        if (weight) times *= weight[option];
      }
      unchanged += times * symmetries.keeping(row, length);
    };
    const search = new Search(counting, [], turned ? { each } : {});
    unchanged += search.found * symmetries.number;
    const all = () => plainly(search.weighted);
    const distinct = () => (turned && search.done ? { distinct: upToSymmetry(search.weighted, unchanged, symmetries.number) } : {});
    await run(search, { signal, turned: () => {
      if (performance.now() - lastReport < TOLD) return;
      lastReport = performance.now();
      const far = [sentence("{share} %", { share: Math.round(1000 * search.behind) / 10 }), sentence("{n} {n|solution|solutions}", { n: all() })];
      tell("told", { words: sentence("{far}", { far }), share: search.behind });
    } });
    search.end();
    const answer = { counts: { all: all(), ...distinct() }, complete: search.done, sentence: sentence(ONE_ENGINE) };
    tell("found", answer);
    return answer;
  }

  /** List solutions by number, counted from 1, or at ``random``, in the format of the program: numbers of placements, and the number of solutions.
   * @param {any} body @param {Tell} tell @param {Bounds["signal"]} signal */
  async solutions({ position, from, number = 1, random = false, distinct = null, rules = {} }, tell, signal) {
    const given = this.optionsOf(position), distinctOnly = distinct ?? true, { choices } = this;
    if (typeof distinctOnly !== "boolean" || rules === null || typeof rules !== "object" || !Number.isInteger(number) || number < 0 || number > MAX_AT_ONCE) throw unanswered();
    const report = (/** @type {number} */ n, /** @type {number} */ share) => tell("told", { words: sentence("{n} {n|solution|solutions}", { n }), share });
    const listed = await this.lists.list({ given, distinct: distinctOnly, rules }, { first: (row) => tell("found", { first: [...row] }), told: report }, signal);
    if (!listed) throw unanswered();
    const { rows, exact, symmetries } = listed, total = rows.length, first = /^[1-9]\d{0,399}$/.test(String(from ?? 1)) ? Number(from ?? 1) : 0;
    if (!first) throw unanswered();
    const numbers = random === true ? drawn(number, total) : Array.from({ length: Math.max(0, Math.min(number, total + 1 - first)) }, (_, i) => first + i);
    const solutions = numbers.map((n) => [...rows.row(n - 1)]), answer = { total, exact, distinct: distinctOnly, how: BROWSER, numbers, solutions, levels: null };
    if (from !== undefined || random === true) return answer;
    const { rules: may, symmetric, pieces, cells } = choices;
    return { ...answer, every_level: null, symmetries, rules: may, symmetric, pieces, colours: Object.keys(cells), words: inWords(rules, choices) };
  }

  /** Export a position as a text picture; only the program writes other formats. @param {any} body */
  async export({ position, format }) {
    const { text, name, placements } = this.data, { cover, data: { names } } = this.puzzle, options = [...cover.forced, ...this.optionsOf(position)];
    const made = format === "text" && text ? picture(text, options, placements.map((_, option) => this.piece(option)), cover.tiles.map((tile) => names[tile])) : null;
    if (made === null) throw unanswered();
    return { filename: `${name}.txt`, type: "text/plain", base64: btoa(String.fromCharCode(...new TextEncoder().encode(made))) };
  }

  /** @param {number} option @returns {import("./text.js").Piece} */
  piece(option) {
    const { cover, data: { atoms } } = this.puzzle, items = [...cover.item.subarray(cover.start[option], cover.start[option + 1])];
    return { atoms: items.filter((item) => item < atoms), tile: cover.tiles.findIndex((tile) => items.includes(tile)), name: this.data.placements[option] };
  }

  /** Analyse a position: a share of the time counts its completions; the rest finds a hint or pieces to take back.
   * @param {number[]} placed @param {boolean} more whether to find a hint @param {Bounds["signal"]} signal
   * @param {(part: Look) => void} counted called with intermediate results @returns {Promise<Look>} */
  async lookAt(placed, more, signal, counted) {
    const { puzzle } = this, bounds = { deadline: performance.now() + 1000 * SECONDS, signal }, finished = puzzle.isFinished(placed);
    const known = await puzzle.count(placed, part(bounds, COUNTING), (soFar) => soFar.found && counted({ finished, known: soFar }));
    const dead = possible(known) === false ? this.deadEnds(placed) : [];
    counted({ finished, known, dead });
    if (signal?.stopped) return { finished, known, dead };
    if (possible(known) === false && placed.length) {
      const wrong = await puzzle.firstWrong(placed, part(bounds, WRONG));
      return { finished, known, dead, wrong, back: await puzzle.takeBack(placed, bounds) };
    }
    return { finished, known, dead, one: more && possible(known) !== false ? await puzzle.further(placed, bounds) : null };
  }

  /** The part of an answer that is ready once a position is counted. @param {number[]} placed @param {Look} look */
  counted(placed, look) {
    const { known, finished, dead = [] } = look, solvable = possible(known);
    return { completions: solvable === null ? null : known.found, exact: known.exact, finished, solvable, dead_ends: dead, dead: solvable === false ? this.dead(placed) : [], words: this.words(placed, look) };
  }

  /** The items that the remaining options cannot cover as often as needed. @param {number[]} placed */
  short(placed) {
    const { cover } = this.puzzle, left = settled(cover, placed);
    if (!left) return null;
    const ways = waysOf(cover, left);
    return [...ways.keys()].filter((i) => left.low[i] > ways[i]);
  }

  /** The atoms that no remaining placement can cover. @param {number[]} placed */
  dead(placed) {
    const { names, atoms } = this.data.cover;
    return (this.short(placed) ?? []).filter((i) => i < atoms).map((i) => ({ atom: names[i], number: i, reason: sentence("nothing that is left covers {atoms}", { atoms: names[i] }) }));
  }

  /** Sentences that explain why a position cannot be finished, without search. @param {number[]} placed */
  deadEnds(placed) {
    const { names, atoms, rules } = this.data.cover, short = this.short(placed), { cover } = this.puzzle;
    if (!short) return this.clashes(placed);
    const of = (/** @type {(i: number) => boolean} */ kind) => short.filter(kind).map((i) => names[i]);
    const ruled = of((i) => i >= rules), uncovered = of((i) => i < atoms), homeless = of((i) => cover.tiles.includes(i));
    return [
      ...(ruled.length ? [sentence("no placement that is left keeps the rules on solutions at {items}", { items: ruled })] : []),
      ...(uncovered.length ? [sentence("nothing that is left covers {atoms}", { atoms: uncovered })] : []),
      ...(homeless.length ? [sentence("there is no place left for {tiles}", { tiles: homeless })] : []),
    ];
  }

  /** Pairs of placements with mismatched marks, and places where rules are broken. @param {number[]} placed */
  clashes(placed) {
    const { cover } = this.puzzle, { names, rules } = this.data.cover, sentences = [], pairs = new Set(), everything = [...cover.forced, ...placed];
    const /** @type {Map<number, [number, number][]>} */ shown = new Map();
    for (const option of everything) for (let e = cover.start[option]; e < cover.start[option + 1]; e++) shown.set(cover.item[e], [...(shown.get(cover.item[e]) ?? []), [option, cover.colour[e]]]);
    for (const [i, by] of shown) {
      if (cover.coloured[i] && i < rules) by.forEach(([a, one], k) => by.slice(k + 1).forEach(([b, other]) => (one !== other || !one) && pairs.add(`${a} ${b}`)));
      else if (i >= rules && (cover.coloured[i] ? new Set(by.map(([, colour]) => colour)).size > 1 : by.length > cover.high[i])) sentences.push(sentence("a rule on solutions is broken at {item}", { item: names[i] }));
    }
    const meet = [...pairs].map((pair) => this.names(pair.split(" ").map(Number)));
    return [...meet.map(([one, other]) => sentence("{one} and {other} show each other marks that may not meet", { one, other })), ...sentences];
  }

  reason(/** @type {Further} */ { alone, item }) {
    const { names, atoms } = this.data.cover;
    if (!alone) return null;
    return item < atoms ? sentence("nothing else covers {atom}", { atom: names[item] }) : sentence("{tile} fits nowhere else", { tile: names[item] });
  }

  // the sentences of hint.py

  words(/** @type {number[]} */ placed, /** @type {Look} */ look) {
    const { cover } = this.puzzle, { known, finished, dead = [], back, one: further } = look, number = placed.length + cover.forced.length;
    const total = cover.tiles.reduce((sum, tile) => sum + cover.low[tile], 0), exact = cover.tiles.length > 0 && cover.tiles.every((tile) => cover.low[tile] === cover.high[tile]);
    const sentences = [exact ? sentence("{n} of {total} {total|piece|pieces} {n|is|are} placed.", { n: String(number), total }) : sentence("{n} {n|piece|pieces} {n|is|are} placed.", { n: number })];
    if (finished) sentences.push(sentence("This is a solution."));
    if (finished && known.exact && Number(known.found) === 1) return sentences;
    sentences.push(this.whether(placed, known));
    if (possible(known) === false && placed.length) sentences.push(...dead.map((deadEnd) => sentence("  {sentence}", { sentence: deadEnd })), ...(back ? this.whatToTakeBack(placed, look) : []));
    return further ? [...sentences, this.next(further)] : sentences;
  }

  whether(/** @type {number[]} */ placed, /** @type {Completions} */ known) {
    if (possible(known) === null) return sentence("It is not known whether it can be finished: {why}.", { why: sentence("time was up") });
    if (!possible(known)) return sentence(placed.length ? "It cannot be finished." : "The puzzle has no solution.");
    const unique = isOne(known), n = manyOf(known);
    if (!placed.length && !this.puzzle.cover.forced.length) return sentence(unique ? "The puzzle has {n} solution." : "The puzzle has {n} solutions.", { n });
    return unique ? sentence("It can be finished in one way.") : sentence("It can be finished in {n} ways.", { n });
  }

  whatToTakeBack(/** @type {number[]} */ placed, /** @type {Look} */ { back, wrong }) {
    const sentences = [], { choices, fewest, every, solvable } = /** @type {TakeBack} */ (back), size = choices[0]?.pieces.length ?? 0;
    if (wrong !== undefined && wrong !== null) sentences.push(sentence(wrong ? "In the order given, you could still finish before piece {number}: {piece}." : "In the order given, already the first piece is wrong: {piece}.", { number: String(wrong + 1), piece: this.called(placed)[wrong] }));
    if (!size) return [...sentences, solvable === false ? sentence("The puzzle itself has no solution.") : sentence("It is not known which pieces to take back: {why}.", { why: sentence("time was up") })];
    if (size > 1) sentences.push(sentence(fewest ? "You have to take back {n} pieces; fewer are not enough." : "It is enough to take back these {n} pieces. Perhaps fewer are enough, but time was up.", { n: String(size) }));
    choices.slice(0, SHOWN).forEach(({ pieces, completions }, i) => {
      const ways = isOne(completions) ? sentence("one way") : sentence("{n} ways", { n: manyOf(completions) });
      sentences.push(sentence(i ? "  or {pieces}: it can then be finished in {ways}." : "Take back {pieces}: it can then be finished in {ways}.", { pieces: this.called(pieces).join(" "), ways }));
    });
    if (choices.length > SHOWN) sentences.push(sentence("  or {n} more", { n: choices.length - SHOWN }));
    return every ? sentences : [...sentences, sentence("  Other pieces may work as well.")];
  }

  next(/** @type {Further} */ further) {
    const piece = this.data.called[further.option], reason = this.reason(further), { shared: n, listed, every } = further;
    if (reason) return sentence("Next: {piece}. It is forced: {reason}.", { piece, reason });
    if (isForced(further)) return sentence(listed > 1 ? "Next: {piece}. It is forced: every way to finish contains it." : "Next: {piece}.", { piece });
    if (every) return sentence("Next: {piece}. It is not forced: {n} of the {listed} ways to finish {n|contains|contain} it.", { piece, n, listed });
    return sentence("Next: {piece}. It is not forced, as far as is known.", { piece });
  }
}

/** Return whether a solution exists; null if unknown. @param {Completions} known */
const possible = ({ found, exact }) => (found ? true : exact ? false : null);
const isOne = (/** @type {Completions} */ { found, exact }) => exact && Number(found) === 1;
const manyOf = (/** @type {Completions} */ { found, exact }) => sentence(exact ? "{n}" : "at least {n}", { n: found });
const isForced = (/** @type {Further} */ { alone, every, shared, listed }) => alone || (every && shared === listed);

/** The number of solutions up to symmetry. @param {bigint} all @param {number} unchanged the sum of the stabiliser sizes of all solutions @param {number} symmetries */
function upToSymmetry(all, unchanged, symmetries) {
  const distinct = unchanged / symmetries;
  if (Number.isInteger(distinct) && BigInt(distinct) <= all && all <= BigInt(unchanged)) return distinct;
  throw new Refusal([sentence("The engine in your browser contradicts itself: it finds {all} solutions, and {n} up to symmetry. Believe neither, and ask the program.", { all: plainly(all), n: `${unchanged}/${symmetries}` })]);
}

const plainly = (/** @type {bigint} */ n) => (n <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(n) : n);

/** Draw random numbers from 1 to total. @param {number} number @param {number} total */
const drawn = (number, total) => (total ? Array.from({ length: number }, () => 1 + Math.floor(Math.random() * total)) : []);
