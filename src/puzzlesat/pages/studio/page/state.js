// The state of the page as plain data. It is saved in the browser, to survive a reload, and encoded in the address, to be shared as a link.
import { bytesOf, inBase64, keepText, keptText } from "./packing.js";

/** @typedef {{name: string, table: Record<string, any>}} Puzzle ``table``: the content of an instance file */

/**
 * @typedef {object} State
 * @property {string} view
 * @property {string|null} name the name of a puzzle of the package
 * @property {Puzzle|null} puzzle a puzzle that is not in the package
 * @property {string} work the key of a user's own puzzle among the saved works, which distinguishes puzzles of the same name; "" if none
 * @property {string[]} position the names of the placements, in the order in which they were laid
 * @property {string[]} given the given placements of a challenge, which the player cannot move
 */

/** @typedef {{key: string, title: string, name: string|null, puzzle: Puzzle|null, position: string[], given: string[], when: number}} Work saved work: a puzzle and its position. The key of a user's own puzzle is its ``work`` */

/** @typedef {{name: string, title: string, atoms?: {role?: string}[]}} OwnGrid a user's own grid, with the whole content of its file */

const STATE = "puzzlesat.studio.state", WORKS = "puzzlesat.studio.works", GRIDS = "puzzlesat.studio.grids", LONGEST = 2_000_000, MAX_WORKS = 100, MAX_GRIDS = 20;

/** @returns {State} */
export const nothing = () => ({ view: "library", name: null, puzzle: null, work: "", position: [], given: [] });

/** A link that cannot be read. */
export class Broken extends Error {}

/** Encode a state as the part of an address after #. @param {State} state */
export async function linkOf(state) {
  const content = { view: state.view, ...(state.name ? { name: state.name } : state.puzzle ? { puzzle: state.puzzle } : {}), ...(state.position.length ? { position: state.position } : {}), ...(state.given.length ? { given: state.given } : {}) };
  const bytes = await through(new CompressionStream("deflate-raw"), new TextEncoder().encode(JSON.stringify(content)));
  return `#p=${inBase64(bytes).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "")}`;
}

/** Decode the state of an address; null if the address has none. @param {string} hash @returns {Promise<State|null>} @throws {Broken} */
export async function stateOf(hash) {
  const encoded = new URLSearchParams(hash.replace(/^#/, "")).get("p");
  if (encoded === null) return null;
  try {
    const bytes = await through(new DecompressionStream("deflate-raw"), bytesOf(encoded.replaceAll("-", "+").replaceAll("_", "/")));
    return checked(JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes)));
  } catch {
    throw new Broken();
  }
}

/** Validate a state from a link or from storage. @param {any} content @returns {State} */
function checked(content) {
  if (content === null || typeof content !== "object" || Array.isArray(content)) throw new Broken();
  const { position = [], given = [], work = "" } = content;
  if (typeof work !== "string") throw new Broken();
  for (const names of [position, given]) if (!Array.isArray(names) || names.some((name) => typeof name !== "string")) throw new Broken();
  const view = /^[a-z]{1,20}$/.test(content.view) ? content.view : "play";
  if (content.puzzle) {
    const { name, table } = content.puzzle;
    if (typeof name !== "string" || table === null || typeof table !== "object" || Array.isArray(table)) throw new Broken();
    return { view, name: null, puzzle: { name, table }, work, position, given };
  }
  if (content.name !== undefined && content.name !== null && typeof content.name !== "string") throw new Broken();
  return { view, name: content.name || null, puzzle: null, work: "", position, given };
}

/** Pipe bytes through a stream. The output is limited to LONGEST bytes, since a short link could expand without bound.
 * @param {CompressionStream|DecompressionStream} stream @param {Uint8Array} bytes */
async function through(stream, bytes) {
  const reader = new Blob([/** @type {BlobPart} */ (bytes)]).stream().pipeThrough(stream).getReader(), parts = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    if (length > LONGEST) throw new Broken();
    parts.push(value);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

// storage

/** @param {string} key @returns {any} */
function stored(key) {
  try {
    return JSON.parse(keptText(key) || "null");
  } catch {
    return null;
  }
}

/** Write to storage. If storage is full, the address still holds the work. @param {string} key @param {unknown} value */
const store = (key, value) => keepText(key, JSON.stringify(value));

export function keptState() {
  try {
    return checked(stored(STATE));
  } catch {
    return nothing();
  }
}

const /** @type {Map<string, string>} the last content of each work that this page saved; another page may have overwritten it */ mine = new Map();
const contentOf = (/** @type {{puzzle: Puzzle|null, position: string[], given: string[]}} */ { puzzle, position, given }) => JSON.stringify([puzzle, position, given]);

/** Save the state, and its puzzle among the works. A user's own puzzle that another page has changed since is saved as a new work.
 * @param {State} state @param {string} title @returns {Work[]} the works deleted for lack of space */
export function keepState(state, title) {
  const list = works(), now = contentOf(state), before = list.find((work) => work.key === keyOf(state));
  if (state.puzzle && (!state.work || (before && ![now, mine.get(state.work)].includes(contentOf(before))))) state.work = `${Date.now()} ${Math.random()}`;
  store(STATE, state);
  const key = keyOf(state);
  if (!key || !(state.puzzle || state.position.length)) return [];
  mine.set(key, now);
  const saved = [{ key, title, name: state.name, puzzle: state.puzzle, position: state.position, given: state.given, when: Date.now() }, ...list.filter((work) => work.key !== key)], gone = [];
  while (saved.length > MAX_WORKS || (saved.length && !store(WORKS, saved))) gone.push(...saved.splice(saved.map(({ puzzle }, i) => i > 0 && !puzzle).lastIndexOf(true), 1)); // delete positions first, then the oldest drawing
  return saved.length ? gone : [];
}

/** The key of a puzzle among the works: from its name in the package, or its `work`. @param {{name: string|null, puzzle: Puzzle|null, work: string}} state */
const keyOf = ({ name, puzzle, work }) => (name ? `package ${name}` : puzzle ? work : "");

/** The saved work of the puzzle of a state, if any. @param {State} state @returns {Work|undefined} */
export const begunOf = (state) => works().find((work) => work.key === keyOf(state));

/** The key of the work with an identical puzzle; "" if there is none. @param {Puzzle} puzzle */
export const workOf = (puzzle) => works().find((work) => JSON.stringify(work.puzzle) === JSON.stringify(puzzle))?.key ?? "";

/** @returns {Work[]} */
export function works() {
  const list = stored(WORKS);
  if (!Array.isArray(list)) return [];
  return list.filter((work) => {
    try {
      checked({ view: "play", name: work.name, puzzle: work.puzzle, position: work.position, given: work.given ?? [] });
      return typeof work.key === "string";
    } catch {
      return false;
    }
  });
}

export const forget = (/** @type {string} */ key) => store(WORKS, works().filter((work) => work.key !== key));

/** Restore a deleted work. @param {Work} work */
export const remember = (work) => store(WORKS, [...works().filter(({ key }) => key !== work.key), work].sort((a, b) => b.when - a.when));

/** The user's own grids, most recently used first. @returns {OwnGrid[]} */
export function ownGrids() {
  const list = stored(GRIDS);
  return Array.isArray(list) ? list.filter((entry) => entry && typeof entry.name === "string" && typeof entry.title === "string") : [];
}

/** Save a user's own grid; it replaces a grid of the same name. @param {OwnGrid} grid */
export const keepGrid = (grid) => store(GRIDS, [grid, ...ownGrids().filter((other) => other.name !== grid.name)].slice(0, MAX_GRIDS));

/** Get or set a preference such as the language, which is stored separately. @param {string} key
 * @param {string} [value] the new value; without it, the saved value is returned */
export function choice(key, value) {
  if (value !== undefined) store(`puzzlesat.studio.${key}`, value);
  return stored(`puzzlesat.studio.${key}`);
}
