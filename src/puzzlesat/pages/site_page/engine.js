// Who answers the page's questions where there is no program: a worker in the page, and the scripts of the site. The page of the studio has a module of this name with the same exports.
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
 * @typedef {object} Site what the scripts of the site have said
 * @property {string} index the cards of its puzzles, and their titles and all sentences in German, packed
 * @property {string} version of the program that wrote it
 * @property {string|null} only the one puzzle of a page that has no other
 * @property {Record<string, string>} puzzles packed, as far as they are loaded
 * @property {Record<string, string>} pictures the same
 * @property {string} laying what the worker lays drawn puzzles with, once it is loaded
 * @property {{source: string, wasm: string}|null} engine the script of the worker, and its code, packed
 * @property {(address: string) => Promise<void>} load
 */
/** @typedef {{board: any, cover: any, area: any, rules: any[], choices: any, text: any, facts: any, known: any, marked: boolean, command: string, table: any}} Known marked: pieces are told by their marks; table: what its file says */

const site = /** @type {Site} */ (/** @type {any} */ (globalThis).puzzlesat);
const /** @type {Map<string, any>} the cards of the puzzles by their names */ cards = new Map();

export const PROGRAM = false;
export const VIEWS = site.only ? ["play", "solutions"] : ["library", "play", "solutions", "draw", "tiles"];
const DRAWN = ["grids", "polyforms", "export", "prove"]; // questions of drawing
/** @type {Record<string, Record<string, string>>} */
export const TEXTS = { en: english, de: german };

/** Whether a state is of a puzzle of this site, of one that was drawn, or of none. @param {State} state */
export const knows = ({ name }) => (name ? cards.has(name) : !site.only);

/** What is shown first: the library, or the one puzzle as it was left. @returns {State} */
export function home() {
  if (!site.only) return nothing();
  const left = works().find(({ name }) => name === site.only);
  return { ...nothing(), view: "play", name: site.only, position: left?.position ?? [] };
}

/** Read which puzzles there are; and where the page came from a server, let the browser keep it for when there is no network. */
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
 * @throws {Refused} where a puzzle cannot be loaded @throws {Lost} when the worker has stopped */
export async function ask(question, body, telling = {}) {
  const answers = { library: () => ({ puzzles: [...cards.values()] }), picture, open }[question];
  if ((DRAWN.includes(question) && body.format !== "text") || body.puzzle?.table) return (await import("./drawn/questions.js")).answer(question, body, telling, asksWorker);
  if (answers) return answers(body);
  const { name } = body.puzzle, { board, cover, choices, text, facts, marked } = await opened(name), { found: part } = telling, placements = board.placements.name;
  return asksWorker(question, name, { name, cover, placements, called: marked ? called(board) : placements, choices, text, facts: plain(facts) }, body, { ...telling, found: part && ((said) => part(said.area ? { ...said, area: facts } : said)) });
}

const picture = async (/** @type {{name: string}} */ { name }) => unpacked(await packed("pictures", name));

async function open(/** @type {{name: string}} */ { name }) {
  const { table, ...said } = await opened(name);
  return { puzzles: [], puzzle: { name, table }, ...said };
}

// puzzles

let /** @type {{name: string, puzzle: Promise<Known>}|null} the last one */ last = null;

function opened(/** @type {string} */ name) {
  if (last?.name !== name) {
    const puzzle = packed("puzzles", name).then(unpacked).then(whole).then(withSentences);
    last = { name, puzzle };
    puzzle.catch(() => (last = null));
  }
  return last.puzzle;
}

/** What a script of the site says of a puzzle; nothing else that a link may name is loaded.
 * @param {"puzzles"|"pictures"} what @param {string} name */
async function packed(what, name) {
  if (!cards.has(name)) throw refused("not_here");
  if (!Object.hasOwn(site[what], name)) await site.load(`${what}/${name}.js`).catch(() => Promise.reject(refused("not_loaded")));
  return site[what][name];
}

/** @param {string} key of a text */
const refused = (key) => new Refused([(TEXTS[document.documentElement.lang] ?? english)[key]]);

// the worker

let /** @type {Promise<Worker>|null} */ worker = null;
let used = "", questions = 0, lays = "";
let /** @type {Promise<any>} what the worker said of the puzzle that it was given last */ given = Promise.resolve();
const /** @type {Map<number, (answer: {event: string, data: any}) => void>} */ waiting = new Map();

/** Begin again after the worker has stopped. */
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

/** The worker does not answer any more, nor do questions that it was asked. */
function stopped() {
  worker?.then((one) => one.terminate(), () => {});
  worker = null;
  used = "";
  for (const answer of [...waiting.values()]) answer({ event: "lost", data: null });
}

/** @param {string} question or "" for what the worker says when it is given the puzzle @param {string} key what tells the puzzle from others
 * @param {object} puzzle @param {object} body @param {import("./ask.js").Telling} telling */
async function asksWorker(question, key, puzzle, body, telling) {
  if (worker && lays !== site.laying) stopped(); // it began before there was something to lay
  const one = await begun();
  telling.signal?.throwIfAborted();
  if (used !== key) {
    used = key;
    given = asked(one, "use", { puzzle }, {});
    given.catch(() => (used = ""));
  }
  const said = await given;
  if (!question) return said;
  const answer = await asked(one, question, body, telling);
  return question === "solutions" ? { ...answer, version: site.version } : answer;
}

/** Placements with the marks that they show. @param {import("./types.js").BoardData} board */
const called = ({ tiles, placements: { name, tile, orientation } }) => name.map((its, p) => [its, tiles[tile[p]].orientations[orientation[p]].words]).map(([its, words]) => (words ? `${its} (${words})` : its));

/** Sentences in English, as they can be sent: those that speak the person's language stay here. @param {any} said */
const plain = (said) => JSON.parse(JSON.stringify(said));

/** @param {Worker} one @param {string} question @param {object} body @param {import("./ask.js").Telling} telling @returns {Promise<any>} */
function asked(one, question, body, { found: part, told, signal }) {
  const id = ++questions;
  return new Promise((done, failed) => {
    const stop = () => {
      one.postMessage({ id, stop: true });
      end();
      failed(new DOMException("stopped", "AbortError"));
    };
    const end = () => {
      waiting.delete(id);
      signal?.removeEventListener("abort", stop);
    };
    waiting.set(id, ({ event, data }) => {
      const said = data && withSentences(data);
      if (event === "told") return told?.(said);
      if (event === "found") return part?.(said);
      end();
      if (event === "done") done(said);
      else failed(event === "failed" ? new Refused([said.error ?? said].flat().map(String)) : new Lost());
    });
    signal?.addEventListener("abort", stop);
    one.postMessage({ id, question, body });
  });
}
