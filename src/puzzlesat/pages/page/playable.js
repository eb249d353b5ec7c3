import { makeBoard } from "./board.js";
import { allSolutions, offlineAsk } from "./offline.js";
import { wordPage } from "./wording.js";

// Boards in a generated page.

/** @import { BoardData } from "./types.js" */

// A saved page in another language uses that language throughout.
const LANGUAGE = document.documentElement.lang === "en" ? navigator.language : document.documentElement.lang;

const dataOf = (/** @type {string} */ id) => JSON.parse(document.getElementById(id)?.textContent ?? "null");

/** The board of a report, with all solutions embedded in the page. @param {HTMLElement} root @param {BoardData} board */
function playReport(root, board) {
  const data = dataOf("data");
  const number = new Map(board.placements.name.map((name, p) => [name, p]));
  const used = data.placements.map((/** @type {{name: string}} */ { name }) => number.get(name));
  makeBoard(root, board, { language: LANGUAGE, ask: offlineAsk(board, allSolutions(data, used, board.placements.tile.length), LANGUAGE) });
}

/** The board of a challenge: its given pieces stay fixed, and all its solutions are known. @param {HTMLElement} root @param {BoardData} board */
function playChallenge(root, board) {
  const { given, rows } = dataOf("challenges")[Number(root.dataset.challenge)];
  const solutions = { rows: Uint32Array.from(rows.flat()), width: rows[0].length, complete: true };
  makeBoard(root, board, { language: LANGUAGE, given, ask: offlineAsk(board, solutions, LANGUAGE) });
}

let /** @type {BoardData|null} */ playedBoard = null;
const inGerman = dataOf("german");
if (inGerman && LANGUAGE.startsWith("de")) wordPage(document, "de", new Map(Object.entries(inGerman)), (playedBoard = /** @type {BoardData} */ (dataOf("board"))));

function beginToPlay(/** @type {HTMLElement} */ root) {
  playedBoard ??= /** @type {BoardData} */ (dataOf("board"));
  (root.dataset.challenge ? playChallenge : playReport)(root, playedBoard);
}

const waiting = new IntersectionObserver((seen) => {
  for (const { isIntersecting, target } of seen) {
    if (!isIntersecting || !(target instanceof HTMLElement)) continue;
    waiting.unobserve(target);
    beginToPlay(target);
  }
}, { rootMargin: "600px" });
document.documentElement.classList.add("plays");
const /** @type {HTMLElement[]} */ playables = [...document.querySelectorAll(".playable")].filter((node) => node instanceof HTMLElement);
// A single board starts at once, to prevent later layout shifts; of several boards, each starts when it comes near.
for (const node of playables) playables.length === 1 ? beginToPlay(node) : waiting.observe(node);
