// What the page shows, as plain data: kept in the browser, so that a reload loses nothing, and in the address, so that it can be sent as a link.
import { bytesOf, inBase64, keepText, keptText } from "./packing.js";

/** @typedef {{name: string, table: Record<string, any>}} Puzzle ``table``: what an instance file says */

/**
 * @typedef {object} State
 * @property {string} view
 * @property {string|null} name a puzzle of the package, by its name alone
 * @property {Puzzle|null} puzzle any other puzzle
 * @property {string} work what tells a puzzle of one's own from others with its name, among what was begun; "" if there is none
 * @property {string[]} position the names of the placements, in the order placed
 * @property {string[]} given those of a challenge, which stay where they are
 */

/** @typedef {{key: string, title: string, name: string|null, puzzle: Puzzle|null, position: string[], given: string[], when: number}} Work something begun: a puzzle and how far it is. The key of a puzzle of one's own is its ``work`` */

/** @typedef {{name: string, title: string, atoms?: {role?: string}[]}} OwnGrid a grid of one's own, with all that a file says of it */

const STATE = "puzzlesat.studio.state", WORKS = "puzzlesat.studio.works", GRIDS = "puzzlesat.studio.grids", LONGEST = 2_000_000, MOST_WORKS = 100, MOST_GRIDS = 20;

/** @returns {State} */
export const nothing = () => ({ view: "library", name: null, puzzle: null, work: "", position: [], given: [] });

/** A link that cannot be read. */
export class Broken extends Error {}

/** The part of the address after #, which says the state. @param {State} state */
export async function linkOf(state) {
  const said = { view: state.view, ...(state.name ? { name: state.name } : state.puzzle ? { puzzle: state.puzzle } : {}), ...(state.position.length ? { position: state.position } : {}), ...(state.given.length ? { given: state.given } : {}) };
  const bytes = await through(new CompressionStream("deflate-raw"), new TextEncoder().encode(JSON.stringify(said)));
  return `#p=${inBase64(bytes).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "")}`;
}

/** The state that an address says, or null where it says none. @param {string} hash @returns {Promise<State|null>} @throws {Broken} */
export async function stateOf(hash) {
  const said = new URLSearchParams(hash.replace(/^#/, "")).get("p");
  if (said === null) return null;
  try {
    const bytes = await through(new DecompressionStream("deflate-raw"), bytesOf(said.replaceAll("-", "+").replaceAll("_", "/")));
    return checked(JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes)));
  } catch {
    throw new Broken();
  }
}

/** A state of these kinds of values, whatever a link or the store says. @param {any} said @returns {State} */
function checked(said) {
  if (said === null || typeof said !== "object" || Array.isArray(said)) throw new Broken();
  const { position = [], given = [], work = "" } = said;
  if (typeof work !== "string") throw new Broken();
  for (const names of [position, given]) if (!Array.isArray(names) || names.some((name) => typeof name !== "string")) throw new Broken();
  const view = /^[a-z]{1,20}$/.test(said.view) ? said.view : "play";
  if (said.puzzle) {
    const { name, table } = said.puzzle;
    if (typeof name !== "string" || table === null || typeof table !== "object" || Array.isArray(table)) throw new Broken();
    return { view, name: null, puzzle: { name, table }, work, position, given };
  }
  if (said.name !== undefined && said.name !== null && typeof said.name !== "string") throw new Broken();
  return { view, name: said.name || null, puzzle: null, work: "", position, given };
}

/** Bytes that went through a stream, at most LONGEST of them: a short link could say very much.
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

// what the browser keeps

/** @param {string} key @returns {any} */
function kept(key) {
  try {
    return JSON.parse(keptText(key) || "null");
  } catch {
    return null;
  }
}

/** Where there is no room the address still has the work. @param {string} key @param {unknown} value */
const store = (key, value) => keepText(key, JSON.stringify(value));

export function keptState() {
  try {
    return checked(kept(STATE));
  } catch {
    return nothing();
  }
}

const /** @type {Map<string, string>} what this page kept last of each work: what is kept now may be of another page */ mine = new Map();
const contentOf = (/** @type {{puzzle: Puzzle|null, position: string[], given: string[]}} */ { puzzle, position, given }) => JSON.stringify([puzzle, position, given]);

/** Keep the state, and its puzzle among the works. A puzzle of one's own that another page has changed since becomes a work of its own.
 * @param {State} state @param {string} title @returns {Work[]} those for which there is no room any more */
export function keepState(state, title) {
  const list = works(), now = contentOf(state), before = list.find((work) => work.key === keyOf(state));
  if (state.puzzle && (!state.work || (before && ![now, mine.get(state.work)].includes(contentOf(before))))) state.work = `${Date.now()} ${Math.random()}`;
  store(STATE, state);
  const key = keyOf(state);
  if (!key || !(state.puzzle || state.position.length)) return [];
  mine.set(key, now);
  const kept = [{ key, title, name: state.name, puzzle: state.puzzle, position: state.position, given: state.given, when: Date.now() }, ...list.filter((work) => work.key !== key)], gone = [];
  while (kept.length > MOST_WORKS || (kept.length && !store(WORKS, kept))) gone.push(...kept.splice(kept.map(({ puzzle }, i) => i > 0 && !puzzle).lastIndexOf(true), 1)); // positions first, then the oldest drawing
  return kept.length ? gone : [];
}

/** What tells a puzzle among the works: its name in the package, or the work that it is. @param {{name: string|null, puzzle: Puzzle|null, work: string}} state */
const keyOf = ({ name, puzzle, work }) => (name ? `package ${name}` : puzzle ? work : "");

/** What was begun of the puzzle of a state, if anything. @param {State} state @returns {Work|undefined} */
export const begunOf = (state) => works().find((work) => work.key === keyOf(state));

/** The work that a puzzle of one's own is, if it is the same in all; "" for a new one. @param {Puzzle} puzzle */
export const workOf = (puzzle) => works().find((work) => JSON.stringify(work.puzzle) === JSON.stringify(puzzle))?.key ?? "";

/** @returns {Work[]} */
export function works() {
  const list = kept(WORKS);
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

/** Take back that a work was forgotten. @param {Work} work */
export const remember = (work) => store(WORKS, [...works().filter(({ key }) => key !== work.key), work].sort((a, b) => b.when - a.when));

/** The grids of one's own that were drawn on, the last one first. @returns {OwnGrid[]} */
export function ownGrids() {
  const list = kept(GRIDS);
  return Array.isArray(list) ? list.filter((one) => one && typeof one.name === "string" && typeof one.title === "string") : [];
}

/** Keep a grid of one's own, to be chosen again; one of the same name is replaced. @param {OwnGrid} grid */
export const keepGrid = (grid) => store(GRIDS, [grid, ...ownGrids().filter((one) => one.name !== grid.name)].slice(0, MOST_GRIDS));

/** A choice of the person, as the language: kept by itself. @param {string} key
 * @param {string} [value] to be kept; without it what is kept is returned */
export function choice(key, value) {
  if (value !== undefined) store(`puzzlesat.studio.${key}`, value);
  return kept(`puzzlesat.studio.${key}`);
}
