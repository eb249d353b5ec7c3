// A worker that answers requests about a puzzle without a server. It receives ``{load: {wasm}}`` first, then ``{id, question, body}`` and
// ``{id, stop: true}``; the question ``use`` selects the puzzle for later questions, and lays it if it was drawn. It sends ``{id, event, data}``; the last event of a question is ``done`` or ``failed``.
import { Answers, Refusal, unanswered } from "./answers.js";
import { NotDone } from "./tables.js";
import { sentence, spoken } from "./sentence.js";

/** @typedef {{load?: {wasm: BufferSource}, id: number, question?: string, body?: any, stop?: boolean}} Message */
/** @typedef {{onmessage: (event: {data: Message}) => void, postMessage: (answer: {id: number, event: string, data: any}) => void}} Scope */

const QUESTIONS = /** @type {const} */ (["position", "hint", "count", "solutions", "export"]);
const scope = /** @type {Scope} */ (/** @type {any} */ (globalThis));
const /** @type {Map<number, import("./kernel.js").Signal>} the running questions */ running = new Map();
let /** @type {WebAssembly.Module} */ module;
let /** @type {Answers|null} */ answers = null;

async function answered(/** @type {number} */ id, /** @type {string} */ question, /** @type {any} */ body) {
  if (question === "use") {
    for (const signal of running.values()) signal.stopped = true; // requests about another puzzle
    answers = null;
    const { plan } = body.puzzle, drawn = plan && new (await import("./laid.js")).DrawnAnswers(module, plan);
    answers = drawn ?? new Answers(module, body.puzzle);
    return drawn?.laid ?? {};
  }
  const known = QUESTIONS.find((name) => name === question);
  if (!known || !answers) throw unanswered();
  const signal = { stopped: false };
  running.set(id, signal);
  return answers[known](body, (event, data) => scope.postMessage({ id, event, data: spoken(data) }), signal);
}

/** @param {unknown} error @returns {any[]} */
function sentencesOf(error) {
  if (error instanceof Refusal) return error.sentences;
  if (error instanceof NotDone || error instanceof RangeError) return [sentence("This puzzle is too large for a browser. Ask the program.")];
  return [String(error)];
}

scope.onmessage = async ({ data: { load, id, question = "", body = {}, stop } }) => {
  if (load) {
    module = new WebAssembly.Module(load.wasm);
    return;
  }
  if (stop) {
    const signal = running.get(id);
    if (signal) signal.stopped = true;
    return;
  }
  try {
    scope.postMessage({ id, event: "done", data: spoken(await answered(id, question, body)) });
  } catch (error) {
    scope.postMessage({ id, event: "failed", data: spoken({ error: sentencesOf(error) }) });
  } finally {
    running.delete(id);
  }
};
