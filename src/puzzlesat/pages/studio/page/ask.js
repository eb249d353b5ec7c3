// Requests to the program: each is a POST, and its answer is a stream of events that arrive during the work.
import { keepText, keptText } from "./packing.js";
import { withSentences } from "./said.js";

/** @typedef {{found?: (found: any) => void, told?: (told: {words: string, share?: number}) => void, signal?: AbortSignal}} Telling handlers
 * of events before the end; ``found``: a partial answer; ``told``: the progress; ``signal``: aborts the work */

/** An error answer of the program: sentences for the user. */
export class Refused extends Error {
  constructor(/** @type {string[]} */ sentences) {
    super(sentences.join(" "));
    this.name = "Refused";
    this.sentences = sentences;
  }
}

/** No answer from the program: it has exited, or this page belongs to an earlier start of the program. */
export class Lost extends Error {
  constructor() {
    super("the program does not answer");
    this.name = "Lost";
  }
}

const BASE = "puzzlesat.studio.base";
/** The address of the program: the address of this page, or of the page opened most recently if the program was restarted. */
let base = location.pathname.replace(/[^/]*$/, "");

export const rememberBase = () => keepText(BASE, base);

/** Look for the program at this page's address and at the address opened most recently. Return true if it answers. */
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
      // no answer at this address
    }
  }
  return false;
}

/** Send a request and return the final answer. @param {string} question @param {object} body @param {Telling} [telling] @returns {Promise<any>}
 * @throws {Refused} with the program's sentences @throws {Lost} if the program does not answer */
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
  throw new Lost(); // the stream ended without a final event
}

function sentences(/** @type {any} */ data) {
  const content = data?.error ?? data;
  return Array.isArray(content) ? content.map(String) : [String(content)];
}

/** @param {Response} answer @returns {Promise<Error>} */
async function refusal(answer) {
  if (answer.status === 403 || answer.status === 404) return new Lost(); // the token belongs to an earlier start of the program
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

/** The events of a stream. @param {Response} answer @param {AbortSignal|undefined} signal */
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

/** Parse JSON, with integers beyond the precision of a double as BigInt. @param {string} text */
export function parsed(text) {
  const marked = text.replace(/"(?:[^"\\]|\\.)*"|(?<![\d.eE+-])-?\d{16,}(?![\d.eE])/g, (part) => (part.startsWith('"') ? part : `{"\\u0000whole":"${part}"}`));
  return JSON.parse(marked, (_, value) => (value !== null && typeof value === "object" && "\u0000whole" in value ? BigInt(value["\u0000whole"]) : value));
}

/** @param {unknown} error */
export const isStop = (error) => error instanceof DOMException && error.name === "AbortError";
