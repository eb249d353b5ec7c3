"""The engine of the browser in node: questions to its modules, and their answers."""

from importlib.resources import files

from helpers import in_node

FOLDER = files("puzzlesat.pages").joinpath("site_page/engine")

COUNT = """
import { readFileSync } from "fs";
const { folder, covers } = JSON.parse(readFileSync(0));
const { readCover, broken } = await import(`${folder}/cover.js`), { Engine, Search, run } = await import(`${folder}/kernel.js`);
const module = new WebAssembly.Module(readFileSync(`${folder}/kernels.wasm`)), found = [];
for (const data of covers) {
  const cover = readCover(data), search = new Search(new Engine(module, data.broken ? broken(cover, data.broken) : cover));
  await run(search);
  found.push([search.done, search.nodes, search.found, Number(search.weighted)]);
}
console.log(JSON.stringify(found));
"""
ASK = """
import { readFileSync } from "fs";
const { folder, puzzle, messages } = JSON.parse(readFileSync(0));
globalThis.postMessage = (answer) => console.log(JSON.stringify(answer));
await import(`${folder}/worker.js`);
const send = (data) => globalThis.onmessage({ data });
await send({ load: { wasm: readFileSync(`${folder}/kernels.wasm`) } });
await send({ id: 0, question: "use", body: { puzzle } });
await Promise.all(messages.map(({ after = 0, ...message }) => new Promise((done) => setTimeout(done, after)).then(() => send(message))));
"""


def in_engine(script, **said):
    """Return the lines that a script prints; its input has the engine's folder and ``said``."""
    return in_node(script, {"folder": str(FOLDER), **said})


def counted(covers):
    """Return, for each cover problem, whether the search ended, its nodes, the solutions found, and their weight."""
    return in_engine(COUNT, covers=covers)[0]


def answers(puzzle, messages):
    """Return the last answer to each message by its number, and all earlier events."""
    said = in_engine(ASK, puzzle=puzzle, messages=messages)
    last = {answer["id"]: answer for answer in said if answer["event"] in ("done", "failed")}
    return last, [answer for answer in said if answer["event"] in ("told", "found")]
