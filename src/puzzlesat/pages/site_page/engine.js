// The engine of the page without the program: a worker in the page, and the data scripts of the site. The studio's page has a module with the same name and exports.
import { Lost, Refused } from "./ask.js";
import { htmlElement } from "./elements.js";
import { inflated } from "./packing.js";
import { withSentences } from "./said.js";
import { nothing, works } from "./state.js";
import { texts as english } from "./texts/site-en.js";
import { texts as german } from "./texts/site-de.js";
import { german as sentences } from "./texts/said-de.js";
import { german as titles } from "./texts/titles-de.js";
import { unpacked, whole } from "./unpacking.js";

/** @import { State } from "./state.js" */
/**
 * @typedef {object} Site the data of the loaded scripts of the site
 * @property {string} index packed: the cards of the puzzles, and German titles and sentences
 * @property {string} version the version of the program that wrote the site
 * @property {string|null} only the name of the puzzle, if the page has only one
 * @property {Record<string, string>} puzzles the packed puzzles loaded so far
 * @property {Record<string, string>} pictures the packed pictures loaded so far
 * @property {string} laying the worker's script for drawn puzzles, once loaded
 * @property {{source: string, wasm: string}|null} engine the packed script and WebAssembly code of the worker
 * @property {(address: string) => Promise<void>} load
 */
/** @typedef {{board: any, cover: any, area: any, rules: any[], choices: any, text: any, facts: any, known: any, marked: boolean, command: string, table: any}} Known marked: marks identify the pieces; table: the table of its file */

const site = /** @type {Site} */ (/** @type {any} */ (globalThis).puzzlesat);
const /** @type {Map<string, any>} the cards of the puzzles by name */ cards = new Map();

export const PROGRAM = false;
export const VIEWS = site.only ? ["play", "solutions"] : ["library", "play", "solutions", "draw", "tiles"];
const DRAWN = ["grids", "polyforms", "export", "prove"]; // questions of the drawing view
/** @type {Record<string, Record<string, string>>} */
export const TEXTS = { en: english, de: german };

/** Return whether the page can show a state: a puzzle of this site, a drawn puzzle, or none. @param {State} state */
export const knows = ({ name }) => (name ? cards.has(name) : !site.only);

/** The first state: the library, or the last position of the only puzzle. @returns {State} */
export function home() {
  if (!site.only) return nothing();
  const left = works().find(({ name }) => name === site.only);
  return { ...nothing(), view: "play", name: site.only, position: left?.position ?? [] };
}

/** Read the index of puzzles; if the page came from a server, register the service worker for offline use. */
export async function begin() {
  const index = await unpacked(site.index);
  for (const card of index.cards) cards.set(card.name, card);
  Object.assign(titles, index.de.titles);
  Object.assign(sentences, index.de.said);
  if (!/^https?:$/.test(location.protocol) || site.only) return;
  document.head.append(htmlElement("link", { rel: "manifest", href: "manifest.webmanifest" }));
  navigator.serviceWorker?.register("sw.js").catch(console.warn);
}

/** @param {string} question @param {any} body @param {import("./ask.js").Telling} [telling] @returns {Promise<any>}
 * @throws {Refused} if a puzzle cannot be loaded @throws {Lost} if the worker has stopped */
export async function ask(question, body, telling = {}) {
  const answers = { library: () => ({ puzzles: [...cards.values()] }), picture, open }[question];
  if ((DRAWN.includes(question) && body.format !== "text") || body.puzzle?.table) return (await import("./drawn/questions.js")).answer(question, body, telling, asksWorker);
  if (answers) return answers(body);
  const { name } = body.puzzle, { board, cover, choices, text, facts, marked } = await opened(name), { found: part } = telling, placements = board.placements.name;
  return asksWorker(question, name, { name, cover, placements, called: marked ? called(board) : placements, choices, text, facts: plain(facts) }, body, { ...telling, found: part && ((said) => part(said.area ? { ...said, area: facts } : said)) });
}

const picture = async (/** @type {{name: string}} */ { name }) => unpacked(await packed("pictures", name));

async function open(/** @type {{name: string}} */ { name }) {
  const { table, ...answer } = await opened(name);
  return { puzzles: [], puzzle: { name, table }, ...answer };
}

// puzzles

let /** @type {{name: string, puzzle: Promise<Known>}|null} the puzzle used last */ last = null;

function opened(/** @type {string} */ name) {
  if (last?.name !== name) {
    const puzzle = packed("puzzles", name).then(unpacked).then(whole).then(withSentences);
    last = { name, puzzle };
    puzzle.catch(() => (last = null));
  }
  return last.puzzle;
}

/** The packed data of a puzzle, loaded on demand. A name that is not in the index is rejected, so that links cannot load other scripts.
 * @param {"puzzles"|"pictures"} what @param {string} name */
async function packed(what, name) {
  if (!cards.has(name)) throw refused("not_here");
  if (!Object.hasOwn(site[what], name)) await site.load(`${what}/${name}.js`).catch(() => Promise.reject(refused("not_loaded")));
  return site[what][name];
}

/** @param {string} key the key of a text */
const refused = (key) => new Refused([(TEXTS[document.documentElement.lang] ?? english)[key]]);

// the worker

let /** @type {Promise<Worker>|null} */ worker = null;
let used = "", questions = 0, lays = "";
let /** @type {Promise<any>} the worker's answer to the last `use` */ given = Promise.resolve();
const /** @type {Map<number, (answer: {event: string, data: any}) => void>} */ waiting = new Map();

/** Restart the worker after it has stopped. */
export async function found() {
  try {
    await begun();
    return true;
  } catch {
    return false;
  }
}

function begun() {
  worker ??= begins().catch((error) => {
    console.error(error);
    stopped();
    throw new Lost();
  });
  return worker;
}

async function begins() {
  if (!site.engine) await site.load("engine.js");
  const { source, wasm } = /** @type {{source: string, wasm: string}} */ (site.engine);
  const address = URL.createObjectURL(new Blob([await inflated(source).text(), site.laying], { type: "text/javascript" }));
  const made = new Worker(address);
  lays = site.laying;
  made.onmessage = ({ data }) => waiting.get(data.id)?.(data);
  made.onerror = (event) => (console.error(event.message), stopped());
  made.postMessage({ load: { wasm: new Uint8Array(await inflated(wasm).arrayBuffer()) } });
  return made;
}

/** Terminate the worker and fail its pending requests. */
function stopped() {
  worker?.then((running) => running.terminate(), () => {});
  worker = null;
  used = "";
  for (const answer of [...waiting.values()]) answer({ event: "lost", data: null });
}

/** @param {string} question or "" for the answer to `use` @param {string} key identifies the puzzle
 * @param {object} puzzle @param {object} body @param {import("./ask.js").Telling} telling */
async function asksWorker(question, key, puzzle, body, telling) {
  if (worker && lays !== site.laying) stopped(); // it started before the script for drawn puzzles was loaded
  const engine = await begun();
  telling.signal?.throwIfAborted();
  if (used !== key) {
    used = key;
    given = request(engine, "use", { puzzle }, {});
    given.catch(() => (used = ""));
  }
  const useAnswer = await given;
  if (!question) return useAnswer;
  const answer = await request(engine, question, body, telling);
  return question === "solutions" ? { ...answer, version: site.version } : answer;
}

/** The names of placements, with their marks. @param {import("./types.js").BoardData} board */
const called = ({ tiles, placements: { name, tile, orientation } }) => name.map((its, p) => [its, tiles[tile[p]].orientations[orientation[p]].words]).map(([its, words]) => (words ? `${its} (${words})` : its));

/** A copy that can be sent to the worker, with sentences in English. @param {any} value */
const plain = (value) => JSON.parse(JSON.stringify(value));

/** @param {Worker} engine @param {string} question @param {object} body @param {import("./ask.js").Telling} telling @returns {Promise<any>} */
function request(engine, question, body, { found: part, told, signal }) {
  const id = ++questions;
  return new Promise((done, failed) => {
    const stop = () => {
      engine.postMessage({ id, stop: true });
      end();
      failed(new DOMException("stopped", "AbortError"));
    };
    const end = () => {
      waiting.delete(id);
      signal?.removeEventListener("abort", stop);
    };
    waiting.set(id, ({ event, data }) => {
      const answer = data && withSentences(data);
      if (event === "told") return told?.(answer);
      if (event === "found") return part?.(answer);
      end();
      if (event === "done") done(answer);
      else failed(event === "failed" ? new Refused([answer.error ?? answer].flat().map(String)) : new Lost());
    });
    signal?.addEventListener("abort", stop);
    engine.postMessage({ id, question, body });
  });
}
