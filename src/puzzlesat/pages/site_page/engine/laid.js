// A drawn puzzle: laying its tiles, building the cover problem, and counting, also up to symmetry.
import { Answers, ONE_ENGINE } from "./answers.js";
import { NO_CHOICES } from "./choices.js";
import { lay } from "./laying.js";
import { sentence } from "./sentence.js";

/** @import { CoverData, Condition } from "./cover.js" */
/** @import { Plan, Laid } from "./laying.js" */

const UNLIMITED = 1 << 30, MAX_SUMS = 20_000, FIRST = 1000;

/** The answers to requests about a drawn puzzle. */
export class DrawnAnswers extends Answers {
  constructor(/** @type {WebAssembly.Module} */ module, /** @type {Plan} */ plan) {
    const laid = lay(plan), cover = coverOf(plan, laid);
    super(module, { name: "", cover, placements: laid.names, called: laid.names, choices: { ...NO_CHOICES, symmetric: laid.symmetries.slice(1) }, facts: { facts: factsOf(plan, laid, cover), rules: [], symmetries: laid.symmetries } });
    this.laid = laid;
    Object.assign(this.symmetries, { images: laid.images, names: laid.symmetries });
  }

  /** Find a solution and count all solutions, also up to the symmetries of the puzzle. @param {any} body @param {import("./answers.js").Tell} tell @param {import("./kernel.js").Signal} signal @returns {Promise<any>} */
  async count(body, tell, signal) {
    const { facts } = this.data.facts, confirmed = { confirmed: [sentence(ONE_ENGINE)], how_well: "nothing" };
    if (facts.some((/** @type {{impossible: boolean}} */ { impossible }) => impossible)) {
      tell("found", { area: this.data.facts });
      return { counts: { all: 0, distinct: 0 }, complete: true };
    }
    const { rows } = await this.puzzle.list([], 1, { deadline: performance.now() + FIRST, signal });
    if (rows.length) tell("found", { solution: this.names(rows[0]) });
    const answer = await super.count(body, (event, data) => data.counts || tell(event, data), signal);
    if (!answer.complete) return { ...answer, ...confirmed };
    const counts = { distinct: answer.counts.all, ...answer.counts };
    tell("found", { ...answer, counts, ...confirmed });
    return { ...answer, counts };
  }
}

/** @param {Plan} plan @param {Laid} laid @returns {CoverData} */
function coverOf(plan, laid) {
  const { tiles, grid } = plan, { atoms } = laid, optional = new Set(plan.optional.map((atom) => atom.join())), last = atoms[0].length - 1;
  const named = (/** @type {number[]} */ atom) => `[${[...atom.slice(0, last), ...(grid.atoms.length > 1 ? [JSON.stringify(grid.atoms[atom[last]].name)] : [])].join(", ")}]`;
  return {
    names: [...atoms.map(named), ...tiles.map(({ name }) => name)],
    atoms: atoms.length, rules: atoms.length + tiles.length,
    low: [...atoms.map((atom) => Number(!optional.has(atom.join()))), ...tiles.map(({ low }) => low)],
    high: [...atoms.map(() => 1), ...tiles.map(({ high }) => high ?? UNLIMITED)],
    sizes: laid.covered.map((own) => own.length + 1),
    item: laid.covered.flatMap((own, p) => [...own, atoms.length + laid.tile[p]]),
    tiles: tiles.map((_, t) => atoms.length + t),
    conditions: parity(plan, laid),
    broken: symmetryBroken(plan, laid),
  };
}

/** The conditions that coverage implies for a colouring in which neighbours differ. @param {Plan} plan @param {Laid} laid @returns {Condition[]} */
function parity({ grid, required }, { atoms, covered, names }) {
  if (!grid.colouring || !names.length) return [];
  const { of, along, shift } = grid.colouring, must = new Set(required.map((atom) => atom.join())), last = atoms[0].length - 1;
  const colours = atoms.map((atom) => (must.has(atom.join()) && grid.atoms[atom[last]].main ? (((along.reduce((sum, k, i) => sum + k * atom[i], shift[atom[last]]) % of) + of) % of) : -1));
  return (of === 2 ? [-1] : Array.from({ length: of - 1 }, (_, k) => k)).map((k) => {
    const weight = colours.map((colour) => (colour < 0 ? 0 : k < 0 ? 1 - 2 * colour : Number(colour === k))), total = weight.reduce((sum, x) => sum + x, 0);
    return { weights: covered.map((own) => own.reduce((sum, a) => sum + weight[a], 0)), low: total, high: total, modulus: 0, residue: 0 };
  });
}

/** Break the symmetry: for a tile that is used exactly once and that every symmetry maps to itself, keep one placement of each orbit, with its orbit size as weight. @param {Plan} plan @param {Laid} laid @returns {CoverData["broken"]} */
function symmetryBroken({ tiles }, { tile, images }) {
  if (images.length < 2) return undefined;
  let /** @type {Map<number, number>|null} */ best = null;
  for (const [t, { low, high }] of tiles.entries()) {
    const own = [...tile.keys()].filter((p) => tile[p] === t);
    if (low !== 1 || high !== 1 || !own.length || own.some((p) => images.some((image) => tile[image[p]] !== t))) continue;
    const orbits = new Map();
    for (const p of own) {
      const orbit = new Set(images.map((image) => image[p]));
      if (Math.min(...orbit) === p) orbits.set(p, orbit.size);
    }
    if (!best || orbits.size < best.size) best = orbits;
  }
  if (!best) return undefined;
  const representatives = best, t = tile[/** @type {number} */ (representatives.keys().next().value)], several = [...representatives].filter(([, times]) => times > 1);
  return { out: [...tile.keys()].filter((p) => tile[p] === t && !representatives.has(p)), several: several.map(([p]) => p), times: several.map(([, times]) => times) };
}

// facts

/** Facts that a person can check by hand, in the program's sentences (counting/plain_facts.py). @param {Plan} plan @param {Laid} laid @param {CoverData} cover */
function factsOf(plan, laid, cover) {
  const laidTiles = new Set(laid.tile), seen = new Set(cover.item), low = /** @type {number[]} */ (cover.low);
  const homeless = plan.tiles.flatMap(({ name, low: need }, t) => (laidTiles.has(t) ? [] : [{ text: sentence(need ? "tile {tile} fits nowhere; so it has no solution" : "tile {tile} fits nowhere", { tile: name }), impossible: need > 0 }]));
  const bare = laid.atoms.flatMap((_, i) => (low[i] && !seen.has(i) ? [cover.names[i]] : []));
  const uncovered = bare.length && laid.names.length ? [{ text: sentence(bare.length > 1 ? "no placement covers atom {atom} and {n} more; so it has no solution" : "no placement covers atom {atom}; so it has no solution", { atom: bare[0], n: bare.length - 1 }), impossible: true }] : [];
  if (homeless.some(({ impossible }) => impossible)) return [...homeless, ...uncovered];
  const { colouring } = plan.grid, never = (cover.conditions ?? []).flatMap((condition, k) => (isReached(plan, laid, condition) ? [] : [{ text: sentence("{name}: the form needs {n}, which the tiles cannot add up to; so it has no solution", {
    name: colouring?.of === 2 ? sentence("chess parity") : sentence("colour {k} of {n}", { k: k + 1, n: (colouring?.of ?? 1) - 1 }), n: String(condition.low) }), impossible: true }]));
  return [...homeless, ...uncovered, ...never];
}

/** Return whether the possible sums of the tiles can satisfy a condition; true if there are too many sums to enumerate. @param {Plan} plan @param {Laid} laid @param {Condition} condition */
function isReached({ tiles }, { tile }, { weights, low }) {
  let sums = new Set([0]);
  for (const [t, { low: least, high }] of tiles.entries()) {
    const own = weights.filter((_, p) => tile[p] === t), values = new Set(own), most = Math.min(high ?? Infinity, own.length), reached = new Set();
    for (let used = 0, level = sums; used <= most; used++) {
      if (used >= least) for (const sum of level) reached.add(sum);
      if (level.size * values.size > MAX_SUMS || reached.size > MAX_SUMS || used > MAX_SUMS) return true;
      const next = new Set();
      for (const sum of level) for (const value of values) next.add(sum + value);
      level = next;
    }
    sums = reached;
  }
  return sums.has(low);
}
