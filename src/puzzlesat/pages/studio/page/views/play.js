// The play view: the board with its tray, the number of completions, pieces to take back, and the known facts about the puzzle.
import { button, bytesOf, element } from "../dom.js";
import { makeBoard } from "../board.js";
import { markSpeech } from "../boardwords.js";
import { titled } from "../said.js";
import { countPanel } from "./counting.js";

/** @import { App, Opened, Show } from "../app.js" */
/** @typedef {{pieces: string[], completions: number|bigint, exact: boolean}} Choice a set of pieces to take back, and the number of completions after it */
/** @typedef {{completions?: number|bigint|null, exact?: boolean, finished?: boolean, dead?: {atom: string, number: number, reason: string}[],
 *   words?: string[], how?: {choices: Choice[], fewest: boolean, every: boolean}|null, first_wrong?: {number: number, name: string}|null}} Known
 * The program's answer on a position. ``completions``: the number of ways to finish it, or null if unknown; ``exact``: false for a lower bound;
 * ``dead``: places that no piece can cover; ``how``: pieces to take back; ``first_wrong``: the placement after which it could no longer be
 *   finished */

const PAUSE = 300; // milliseconds between the pieces when a solution is shown
const WAIT = 300; // milliseconds before a busy indicator appears
const CHOICES = 6;
const FEW = 5000; // largest number of completions for which the solution with the highest level is searched

/** @type {Show} */
export async function show(root, app) {
  const opened = await app.opened();
  const place = element("div", { class: "table" });
  const side = element("aside", { class: "side", "aria-label": app.t("beside") });
  const { asked, board } = opened;
  const [taking, more, solid] = await Promise.all([app.program ? import("./taking.js") : null, app.program ? import("./more.js") : null, board.solid ? import("./solidtexts.js") : null]);
  root.append(element("h1", { class: "hidden" }, titled(opened.title)), place, side);
  return play(place, side, app, opened, taking?.takingPanel(app, asked, board) ?? null, more, solid);
}

/** @param {HTMLElement} place @param {HTMLElement} side @param {App} app @param {Opened} opened
 * @param {ReturnType<typeof import("./taking.js").takingPanel>|null} taking if the program can disassemble the assembly on the board
 * @param {typeof import("./more.js")|null} more commands of the program @param {typeof import("./solidtexts.js")|null} solid for a board in space
 * @returns {() => void} */
function play(place, side, app, { asked, board, rules, known: published, command }, taking, more, solid) {
  const { t } = app, marked = markSpeech(app.language);
  let solving = false; // whether a solution is being shown piece by piece
  let ways = Infinity; // number of completions, if known
  const count = element("p", { class: "ways", "aria-live": "polite", "aria-atomic": "true" });
  const back = element("div", { class: "back" });
  const none = button(t("why_none"), () => app.go("proof"), { hidden: true, class: "main" });
  const solve = button(t("solve"), () => (solving ? ended() : finish()));
  const panel = countPanel(app, asked, published, () => more?.atTerminal(app, asked, board, "count") ?? null);
  const free = app.state.given.length ? element("p", { class: "row" }, element("span", { class: "soft" }, t("challenge_stays")), button(t("challenge_free"), () => app.go("play", { given: [] }))) : null;
  side.append(
    element("section", { class: "panel state" }, count),
    element("section", { class: "panel advice" }, ...rules.map((rule) => element("p", { class: "rule soft" }, rule)), back, none, free),
    ...(taking ? [taking.root] : []),
    panel.root,
    element("section", { class: "row", "aria-label": t("take_away") }, solve, button(t("copy_link"), copyLink), button(t("print"), () => print()), app.program && exports(), app.shows("solutions") && button(t("look_at_solutions"), () => app.go("solutions"))),
    ...(more ? [more.morePanel(app, asked, board)] : []),
    ...(command ? [withPython(app, command, board.holds)] : []));

  const fixed = board.fixed.map((/** @type {number} */ p) => board.placements.name[p]);
  const stage = element("section", { class: "bodies" }), bodies = solid ? solid.makeSolidView(stage, app, board) : null;
  const table = element("div", {});
  place.append(table);
  if (bodies) side.querySelector(".advice")?.after(stage);
  const made = makeBoard(table, board, { language: app.language, position: app.state.position, given: app.state.given, ask: { completions: look, hint: (position, signal) => app.ask("hint", { puzzle: asked, position }, { signal }).then((hint) => sentence(app, hint)) } });
  bodies?.show([...fixed, ...made.position()]);
  made.onchange = (position) => {
    taking?.offer(null);
    bodies?.show([...fixed, ...position]);
    if (JSON.stringify(position) !== JSON.stringify(app.state.position)) app.change({ position });
  };

  /** @param {string[]} position @param {AbortSignal} signal @param {(part: import("../types.js").Standing) => void} found
   * @returns {Promise<import("../types.js").Standing>} */
  async function look(position, signal, found) {
    let /** @type {Known} */ known = {};
    count.classList.add("busy");
    const late = setTimeout(() => waits(true), WAIT);
    const tell = (/** @type {Known} */ part) => {
      known = { ...known, ...part };
      if (!signal.aborted) say(known, position);
      return standing(known);
    };
    try {
      const all = tell(await app.ask("position", { puzzle: asked, position }, { found: (part) => found(tell(part)), signal }));
      if (!signal.aborted) waits(false);
      return all;
    } catch (error) {
      if (!signal.aborted) {
        count.classList.remove("busy");
        waits(false);
        count.textContent = "–";
      }
      app.failed(error);
      return {};
    } finally {
      clearTimeout(late);
    }
  }

  /** Show or hide the busy indicator. @param {boolean} at */
  function waits(at) {
    count.classList.toggle("waits", at);
    if (at && !count.textContent) count.textContent = t("counting_on");
  }

  /** @param {Known} known @param {string[]} position */
  function say({ completions, exact = true, finished, how, first_wrong: wrong }, position) {
    if (completions === undefined) return;
    count.classList.remove("busy");
    ways = exact && completions !== null ? Number(completions) : Infinity;
    const stuck = Number(completions) === 0 && completions !== null && exact;
    count.replaceChildren(...(finished ? [element("b", {}, t("finished"))] : completions === null ? [t("ways_unknown")] : number(completions, exact, position)));
    count.classList.toggle("good", Boolean(finished) || (exact && !stuck && completions !== null)); // a lower bound is not green
    count.classList.toggle("bad", stuck);
    none.hidden = !(app.program && stuck && !position.length);
    solve.disabled = stuck || (Boolean(finished) && !solving);
    taking?.offer(finished ? position : null);
    back.replaceChildren();
    if (stuck && position.length) back.append(...(how === undefined ? [element("p", { class: "soft" }, t("looking_back"))] : takeBack(how?.choices || [], wrong, position)));
  }

  function number(/** @type {number|bigint} */ n, /** @type {boolean} */ exact, /** @type {string[]} */ position) {
    const [before, after = ""] = t(position.length ? "ways_to_finish" : "solutions", { n }).split(app.number(n));
    return exact ? [before, element("b", {}, app.number(n)), after] : [t("at_least"), before, element("b", { class: "unfinished" }, app.number(n)), after, t("so_far")];
  }

  /** @param {Choice[]} choices @param {Known["first_wrong"]} wrong @param {string[]} position @returns {HTMLElement[]} */
  function takeBack(choices, wrong, position) {
    const rows = choices.slice(0, CHOICES).map(({ pieces, completions, exact }) => element("li", {},
      button(t("take_back", { words: pieces.map(called).join(" + ") }), () => made.set(position.filter((name) => !pieces.includes(name)))),
      element("span", { class: "soft" }, (exact ? "" : t("at_least")) + t("then_ways", { n: completions }))));
    const list = rows.length ? [element("h2", {}, t("what_to_take_back")), element("ul", { class: "choices" }, ...rows)] : [element("p", {}, t("none_at_all"))];
    const alone = choices.some(({ pieces }) => pieces.length === 1 && pieces[0] === wrong?.name); // the first wrong piece alone is one of the choices
    if (wrong && rows.length && !alone && wrong.number < position.length - 1) {
      list.push(element("p", { class: "soft" }, t("first_wrong", { tile: called(wrong.name) })), element("p", {}, button(t("back_before", { tile: called(wrong.name) }), () => made.set(position.slice(0, wrong.number)))));
    }
    return list;
  }

  /** The name of a piece for players: its marks, or else its name. @param {string} placement */
  function called(placement) {
    const tile = board.tiles.find((/** @type {any} */ candidate) => candidate.name === placement.split(".")[0]);
    return marked(tile?.orientations[0].words || "") || placement.split(".")[0];
  }

  /** Lay piece after piece until the board is full or the player changes the position. */
  async function finish() {
    solving = true;
    solve.textContent = t("stop");
    try {
      const best = await highest();
      let reached = made.position();
      const on = () => solving && !made.finished() && JSON.stringify(made.position()) === JSON.stringify(reached);
      while (on()) {
        const next = best.shift() ?? (await app.ask("hint", { puzzle: asked, position: reached })).placement;
        if (!on() || !next) break;
        made.set([...reached, next]);
        reached = made.position();
        if (!made.finished()) await new Promise((resolve) => setTimeout(resolve, PAUSE));
      }
    } catch (error) {
      app.failed(error);
    }
    ended();
  }

  /** For a burr, the remaining placements of the solution whose disassembly takes the most moves. @returns {Promise<string[]>} */
  async function highest() {
    const position = made.position();
    if (!board.holds || ways > FEW) return [];
    const { solutions } = await app.ask("solutions", { puzzle: asked, position, number: 1, levels: true });
    return (solutions[0] ?? []).map((/** @type {number} */ p) => board.placements.name[p]).filter((/** @type {string} */ name) => !position.includes(name) && !fixed.includes(name));
  }

  function ended() {
    solving = false;
    solve.textContent = t("solve");
    solve.disabled = made.finished();
  }

  async function copyLink() {
    try {
      await navigator.clipboard.writeText(location.href);
      app.toast(t("link_copied"));
    } catch {
      app.toast(t("link_there"));
    }
  }

  function exports() {
    const choose = element("select", { "aria-label": t("save_as"), onchange: async () => {
      const format = choose.value;
      choose.value = "";
      await app.attempt(async () => {
        const file = await app.ask("export", { puzzle: asked, format, position: made.position() });
        app.keep(file.filename, file.type, bytesOf(file.base64));
      });
    } }, element("option", { value: "" }, t("save_as")), ...["svg", "png", "toml", "text", "xmpuzzle"].map((format) => element("option", { value: format }, t(`format_${format}`))));
    return choose;
  }

  return () => {
    solving = false;
    panel.end();
    taking?.end();
    made.destroy();
    bodies?.destroy();
  };
}

/** The commands for features that need the program, on a page without it. @param {App} app
 * @param {string} command the command that opens the puzzle in the program @param {boolean} holds whether its pieces may interlock */
function withPython({ t }, command, holds) {
  const typed = { studio: command, count: command.replace("studio", "count"), certificate: `${command.replace("studio", "certify")} -o FILE`, ...(holds ? { apart: command.replace("studio", "apart") } : {}), study: "puzzlesat run STUDY" };
  return element("details", { class: "panel more-commands" }, element("summary", {}, t("more")), element("p", { class: "soft small" }, t("more_with_python")),
    element("dl", {}, ...Object.entries(typed).flatMap(([key, words]) => [element("dt", {}, t(`python_${key}`)), element("dd", {}, element("code", {}, words))])));
}

/** The facts that the board shows; the view shows its own sentences beside the board. @param {Known} known */
function standing({ completions, exact, dead }) {
  return { completions: completions === null || completions === undefined ? completions : Number(completions), exact, ...(dead ? { dead: dead.map(({ number }) => ({ atom: number, reason: "" })) } : {}) };
}

/** Convert a hint for the board. The places of a forced piece glow, so the reason does not name them. @param {App} app @param {any} hint with sentences as its words */
const sentence = ({ t }, hint) => ({ ...hint, words: [hint.words || []].flat().join(" "), reason: hint.reason ? t("hint_forced") : "" });
