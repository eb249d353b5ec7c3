// Asking the program that this page came from: a question by POST, the answer as a stream of events that comes while the work goes on.
import { keepText, keptText } from "./packing.js";
import { withSentences } from "./said.js";

/** @typedef {{found?: (found: any) => void, told?: (told: {words: string, share?: number}) => void, signal?: AbortSignal}} Telling what is done
 *   with what comes before the end; ``found``: a part of the answer; ``told``: how far the work is; ``signal``: stops the work */

/** What the program says instead of an answer: sentences for a person. */
export class Refused extends Error {
  constructor(/** @type {string[]} */ sentences) {
    super(sentences.join(" "));
    this.name = "Refused";
    this.sentences = sentences;
  }
}

/** The program does not answer: it was ended, or this page is one of before it was started again. */
export class Lost extends Error {
  constructor() {
    super("the program does not answer");
    this.name = "Lost";
  }
}

const BASE = "puzzlesat.studio.base";
/** Where the program is: the address of this page, or that of the page that was opened last, when the program was started again. */
let base = location.pathname.replace(/[^/]*$/, "");

export const rememberBase = () => keepText(BASE, base);

/** Look for the program, here or where a page was opened since; true when it answers. */
export async function found() {
  for (const place of new Set([base, keptText(BASE) || base])) {
    try {
      const answer = await fetch(`${place}app.js`, { cache: "no-store" });
      await answer.text();
      if (answer.ok) {
        base = place;
        return true;
      }
    } catch {
      // not there; the next
    }
  }
  return false;
}

/** Ask a question. Returns the end of the answer. @param {string} question @param {object} body @param {Telling} [telling] @returns {Promise<any>}
 * @throws {Refused} with the sentences of the program @throws {Lost} when nobody answers */
export async function ask(question, body, { found: part, told, signal } = {}) {
  let answer;
  try {
    answer = await fetch(`${base}api/${question}`, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body), signal });
  } catch (error) {
    throw stopped(error, signal);
  }
  if (!(answer.headers.get("Content-Type") || "").startsWith("text/event-stream")) throw await refusal(answer);
  for await (const { event, data } of events(answer, signal)) {
    if (event === "told") told?.(data);
    else if (event === "found") part?.(data);
    else if (event === "failed") throw new Refused(sentences(data));
    else if (event === "done") return data;
  }
  throw new Lost(); // the stream ended before the answer did
}

function sentences(/** @type {any} */ data) {
  const said = data?.error ?? data;
  return Array.isArray(said) ? said.map(String) : [String(said)];
}

/** @param {Response} answer @returns {Promise<Error>} */
async function refusal(answer) {
  if (answer.status === 403 || answer.status === 404) return new Lost(); // the token is one of before
  try {
    return new Refused(sentences(await answer.json()));
  } catch {
    return new Lost();
  }
}

function stopped(/** @type {unknown} */ error, /** @type {AbortSignal|undefined} */ signal) {
  if (signal?.aborted || (error instanceof DOMException && error.name === "AbortError")) return new DOMException("stopped", "AbortError");
  return new Lost();
}

/** The events of a stream, one by one. @param {Response} answer @param {AbortSignal|undefined} signal */
async function* events(answer, signal) {
  const reader = /** @type {ReadableStream<Uint8Array>} */ (answer.body).getReader();
  const decoder = new TextDecoder();
  let text = "";
  try {
    for (;;) {
      let piece;
      try {
        piece = await reader.read();
      } catch (error) {
        throw stopped(error, signal);
      }
      if (signal?.aborted) throw stopped(null, signal);
      if (piece.done) return;
      text = (text + decoder.decode(piece.value, { stream: true })).replace(/\r\n/g, "\n");
      const blocks = text.split("\n\n");
      text = blocks.pop() || "";
      for (const block of blocks) {
        const lines = block.split("\n");
        const event = lines.find((line) => line.startsWith("event:"))?.slice(6).trim() || "message";
        const data = lines.filter((line) => line.startsWith("data:")).map((line) => line.slice(5)).join("\n");
        if (data.trim()) yield { event, data: withSentences(parsed(data)) };
      }
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

/** What JSON says, with whole numbers that a double cannot hold as BigInt, so that no count loses its last digits. @param {string} text */
export function parsed(text) {
  const marked = text.replace(/"(?:[^"\\]|\\.)*"|(?<![\d.eE+-])-?\d{16,}(?![\d.eE])/g, (part) => (part.startsWith('"') ? part : `{"\\u0000whole":"${part}"}`));
  return JSON.parse(marked, (_, value) => (value !== null && typeof value === "object" && "\u0000whole" in value ? BigInt(value["\u0000whole"]) : value));
}

/** @param {unknown} error */
export const isStop = (error) => error instanceof DOMException && error.name === "AbortError";
