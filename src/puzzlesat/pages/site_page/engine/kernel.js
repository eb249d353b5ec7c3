// The kernels of the backtracker in WebAssembly: tables and states in their memory, and searches that run in slices.
import { contented, longest, settled } from "./cover.js";
import { makeTables, startState } from "./tables.js";

/** @import { Cover } from "./cover.js" */
/** @import { Fields, NotDone } from "./tables.js" */
/** @typedef {{stopped: boolean}} Signal the caller sets it to stop the search */

const RESULT = 4, ALIGNED = 64, PAGE = 1 << 16, NO_CUT = -1, BLOCK = 1 << 13, FINISHED = 0, NO_LIMIT = 2 ** 52;
const NODES = 0, FOUND = 4, WEIGHTED = 5, COUNTERS = 6;
const TURN = 50; // Milliseconds per slice, between which messages are processed.
const FIRST_NODES = 1 << 12, MAX_NODES = 1 << 28, FASTER = 4, ROWS = 1 << 10, CELLS = 1 << 18;
const PLAIN = "solvers.bitset_search.search", OTHER = "solvers.kernel.search";

const aligned = (/** @type {number} */ bytes) => Math.ceil(bytes / ALIGNED) * ALIGNED;
const bytesOf = (/** @type {Fields} */ fields) => Object.values(fields).reduce((sum, field) => sum + (typeof field === "object" ? aligned(field.data.byteLength) : 0), 0);

/** The arguments of an array in numba's calling convention: owner, parent, sizes, address, shape and strides. @param {number} at @param {number} bytes @param {number[]} shape */
function array(at, bytes, shape) {
  return [0, 0, shape.reduce((a, b) => a * b, 1), bytes, at, ...shape, ...(shape.length === 2 ? [bytes * shape[1], bytes] : [bytes])];
}

/** A problem in its own WebAssembly memory, with the kernel. */
export class Engine {
  /** @param {WebAssembly.Module} module @param {Cover} cover @throws {NotDone} */
  constructor(module, cover) {
    this.cover = cover;
    this.laid = makeTables(cover);
    this.memory = new WebAssembly.Memory({ initial: 2 });
    const { exports } = new WebAssembly.Instance(module, { env: { memory: this.memory } });
    this.kernel = /** @type {(block: number) => number} */ (exports[this.laid.plain ? PLAIN : OTHER]);
    this.end = aligned(/** @type {WebAssembly.Global} */ (exports.__heap_base).value);
    this.most = longest(cover); // upper bound of the options in a solution; a search accepts no more
    this.levels = 2 * this.most + 3;
    this.rows = Math.max(1, Math.min(ROWS, Math.floor(CELLS / this.levels)));
    this.tables = this.write(this.laid.fields, this.take(bytesOf(this.laid.fields)), {});
    delete this.laid.fields.keep; // large, and already copied to the memory
    this.outBytes = aligned(4 * this.rows * this.levels);
    this.stateBytes = bytesOf(startState(cover, this.laid, [], this.levels)) + aligned(4 * (this.most + 1));
    /** @type {number[]} the reusable blocks of finished searches */
    this.free = [];
  }

  /** Allocate memory. @param {number} bytes */
  take(bytes) {
    const at = this.end, missing = at + bytes - this.memory.buffer.byteLength;
    if (missing > 0) this.memory.grow(Math.ceil(missing / PAGE));
    this.end += aligned(bytes);
    return at;
  }

  /** Write arrays into the memory and return all fields as words of an argument block.
   * @param {Fields} fields @param {number} at @param {{[name: string]: number}} places receives the address of each array */
  write(fields, at, places) {
    const /** @type {number[]} */ found = [];
    for (const [name, field] of Object.entries(fields)) {
      if (typeof field !== "object") {
        found.push(Number(field));
        continue;
      }
      const { data, bytes, shape } = field;
      new Uint8Array(this.memory.buffer, at, data.byteLength).set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
      places[name] = at;
      found.push(...array(at, bytes, shape));
      at += aligned(data.byteLength);
    }
    return found;
  }
}

/** A search for the solutions that contain some options, in a fixed order. */
export class Search {
  /** @param {Engine} engine @param {number[]} [given]
   * @param {{listing?: boolean, each?: (row: Int32Array, at: number) => void}} [how] ``each`` receives the solutions instead of ``turn``: an
   * array, and the index at which the options of a solution begin; -1 entries are padding */
  constructor(engine, given = [], { each, listing = each !== undefined } = {}) {
    const { cover, laid, levels } = engine, chosen = [...new Set([...cover.forced, ...given])];
    this.engine = engine;
    this.listing = listing;
    this.each = each;
    this.nodes = this.found = 0;
    this.weighted = 0n; // solutions of the whole problem that the found ones represent
    this.behind = 0; // finished share of the search tree
    this.done = cover.hopeless || !cover.size || chosen.length > engine.most;
    const bare = cover.size || cover.hopeless ? null : settled(cover, []);
    if (bare && contented(cover, bare)) [this.found, this.weighted] = [1, 1n]; // the solution without any option
    this.block = this.done ? 0 : (engine.free.pop() ?? engine.take(BLOCK + engine.outBytes + engine.stateBytes));
    this.out = this.block + BLOCK;
    /** @type {{[name: string]: number}} */
    this.at = {};
    if (this.done) return;
    const known = [...new Array(RESULT).fill(0), ...engine.tables, ...engine.write(startState(cover, laid, chosen, levels), this.out + engine.outBytes, this.at)];
    const words = [...known, 0, 0, NO_CUT, 0, ...array(this.out, 4, [listing ? engine.rows : 0, levels])];
    new BigInt64Array(engine.memory.buffer, this.block, words.length).set(words.map(BigInt));
    this.limits = this.block + 8 * known.length;
  }

  /** Search until ``nodes`` more nodes or ``most`` more solutions. Return listed solutions as ascending options.
   * @param {number} nodes @param {number} [most] @returns {number[][]} */
  turn(nodes, most = NO_LIMIT) {
    if (this.done || !this.block) return [];
    const { engine, block } = this, { memory, levels } = engine, work = new BigInt64Array(memory.buffer, this.at.work, COUNTERS).fill(0n);
    new BigInt64Array(memory.buffer, this.limits, 2).set([BigInt(nodes), BigInt(this.listing ? Math.min(most, engine.rows) : most)]);
    if (engine.kernel(block)) throw new Error("the kernel failed");
    const found = Number(work[FOUND]);
    this.nodes += Number(work[NODES]);
    this.found += found;
    this.weighted += engine.cover.weight ? work[WEIGHTED] : work[FOUND];
    this.done = Number(new BigInt64Array(memory.buffer, block, 1)[0]) === FINISHED;
    const share = this.share();
    if (this.done) this.end();
    this.behind = this.done ? 1 : share;
    if (!this.listing) return [];
    const out = new Int32Array(memory.buffer, this.out, found * levels), { each } = this;
    if (each) {
      for (let at = 0; at < out.length; at += levels) each(out, at);
      return [];
    }
    return Array.from({ length: found }, (_, i) => [...out.subarray(i * levels, (i + 1) * levels)].filter((option) => option >= 0).sort((a, b) => a - b));
  }

  /** The finished share of the search tree, assuming that all branches of a node are equally large. */
  share() {
    const { buffer } = this.engine.memory, depth = Number(new BigInt64Array(buffer, this.at.control, 1)[0]);
    const branches = new BigInt64Array(buffer, this.at.branches, depth + 1), tries = new BigInt64Array(buffer, this.at.tries, depth + 1);
    let each = 1, share = 0;
    for (let level = 0; level <= depth; level++) {
      const number = Number(branches[level]);
      each /= Math.max(number, 1);
      share += each * (number - Number(tries[level]) - Number(level < depth)); // branches on the current path are unfinished
    }
    return share;
  }

  /** Release the memory of the search. */
  end() {
    if (this.block) this.engine.free.push(this.block);
    this.block = 0;
  }
}

/** Let the event loop process messages. */
const pause = () => new Promise((resolve) => setTimeout(resolve, 0));

/** Run a search in slices until it is finished or a limit is reached. @param {Search} search @param {object} [until]
 * @param {number} [until.most] the limit of solutions @param {number} [until.deadline] on the clock of ``performance.now()`` @param {Signal} [until.signal]
 * @param {(rows: number[][]) => void} [until.turned] called after each slice with its solutions
 * @returns {Promise<boolean>} whether the search is finished */
export async function run(search, { most = NO_LIMIT, deadline = Infinity, signal, turned } = {}) {
  let nodes = FIRST_NODES, rested = performance.now();
  while (!search.done && search.block && search.found < most) {
    const began = performance.now(), before = search.nodes;
    const rows = search.turn(nodes, most - search.found);
    turned?.(rows);
    const now = performance.now(), took = Math.max(now - began, TURN / FASTER);
    if (search.nodes - before >= nodes) nodes = Math.ceil(Math.min(MAX_NODES, (nodes * TURN) / took));
    if (search.done || now > deadline) break;
    if (now - rested < TURN / 2) continue;
    await pause();
    rested = performance.now();
    if (signal?.stopped) break;
  }
  return search.done;
}
