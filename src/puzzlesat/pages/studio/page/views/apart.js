// The assemblies of a puzzle with their disassembly: the number of assemblies of each level, and for one of them the steps and the graph of its states.
import { button, element } from "../dom.js";
import { Refused } from "../ask.js";
import { atTerminal } from "./more.js";
import { stateGraph } from "./stategraph.js";
import { makePlayer } from "./taking.js";

/** @import { App, Show } from "../app.js" */
/** @typedef {{number: number, options: number[], apart: boolean|null, level: string|null, least: boolean, burrtools: string|null, moves: number[]|null, states: number|null}} Assembly ``moves``: the number of moves before each separation */
/** @typedef {{key: string, name: string, assemblies: Assembly[]}} Level */

const AT_FIRST = 100; // assemblies of a level listed at first

/** @type {{key: string, found: Assembly[], decided: boolean}} */
let last = { key: "", found: [], decided: false }; // the result for the puzzle viewed last

/** @type {Show} */
export async function show(root, app) {
  const { t, number } = app, { asked, board } = await app.opened(), key = JSON.stringify(asked);
  const fixed = new Set(board.fixed), names = board.placements.name;
  if (last.key !== key) last = { key, found: [], decided: false };
  const mine = last;
  let /** @type {AbortController|null} */ job = null, /** @type {AbortController|null} */ asking = null;
  let /** @type {string|null} */ level = null, /** @type {number|null} */ current = null, all = false;

  const many = element("p", { class: "many", "aria-live": "polite" }), status = element("p", { class: "soft small told", role: "status" }), wait = element("progress", { "aria-label": t("progress"), hidden: true });
  const start = button("", () => (job ? job.abort() : take()), { class: "main" });
  const levels = element("div", { class: "levels" }), list = element("div", { class: "assemblies" });
  const heading = element("h2", { id: "apart-one" }), stage = element("div", { class: "bodies" }), steps = element("div", {}), note = element("div", {}), graph = element("div", {});
  const back = button(t("apart_whole_way"), () => restore(), { hidden: true }), toBoard = button(t("apart_to_board"), () => app.go("play", { position: placements(), given: [] }));
  const player = makePlayer(app, board, stage, steps);
  const single = element("section", { class: "apart-one", "aria-labelledby": "apart-one", hidden: true }, heading, stage, element("div", { class: "apart-way" }, note, steps, element("div", { class: "row" }, back, toBoard)),
    element("div", { class: "apart-states" }, element("h2", {}, t("states_title")), graph));
  root.append(element("h1", {}, t("levels_title")), many, wait, status, element("p", { class: "row" }, start),
    element("div", { class: "apart-parts" }, element("aside", { "aria-label": t("levels") }, levels, list), single));
  let /** @type {import("../takeapart.js").Taking|null} */ whole = null;

  // search for assemblies

  async function take() {
    const stop = (job = new AbortController());
    Object.assign(mine, { found: [], decided: false });
    level = current = null;
    running();
    try {
      const found = (/** @type {{assemblies: Assembly[]}} */ { assemblies }) => {
        if (stop.signal.aborted) return;
        mine.found.push(...assemblies);
        tables();
      };
      const end = await app.ask("levels", { puzzle: asked }, { found, told: ({ words }) => (status.textContent = words), signal: stop.signal });
      mine.decided = end.decided;
    } catch (error) {
      if (error instanceof Refused) many.textContent = error.sentences.join(" ");
      else app.failed(error);
    }
    job = null;
    status.textContent = "";
    running();
    if (mine.found.length) shown();
  }

  function running() {
    wait.hidden = !job;
    start.textContent = t(job ? "stop" : mine.found.length ? "apart_all_again" : "apart_all");
    start.hidden = !job && mine.decided;
  }

  function shown() {
    tables();
    if (current === null && mine.found.length) choose(grouped()[0].key);
  }

  /** The levels, highest first, then assemblies that do not come apart, then undecided assemblies. @returns {Level[]} */
  function grouped() {
    const /** @type {Map<string, Level>} */ groups = new Map();
    for (const each of [...mine.found].sort(inOrder)) {
      const at = each.level ?? (each.apart === null ? "undecided" : "held");
      if (!groups.has(at)) groups.set(at, { key: at, name: each.level ?? t(each.apart === null ? "level_undecided" : "level_none"), assemblies: [] });
      groups.get(at)?.assemblies.push(each);
    }
    return [...groups.values()];
  }

  function tables() {
    const groups = grouped(), apart = groups.filter(({ assemblies: [{ apart }] }) => apart), n = mine.found.length, loose = apart.reduce((sum, { assemblies }) => sum + assemblies.length, 0);
    many.replaceChildren(...(mine.decided ? [] : [t("at_least")]), element("b", { class: mine.decided ? "" : "unfinished" }, t("assemblies_many", { n })), t("assemblies_apart", { n: loose }), " ", mine.decided ? only(apart) : t("so_far"));
    const row = (/** @type {Level} */ { key, name, assemblies }) => element("tr", {}, element("th", { scope: "row" }, button(name, () => choose(key), { "aria-pressed": String(key === level) }), notLeast(assemblies)), element("td", {}, range(assemblies.map(total), number)), element("td", {}, number(assemblies.length)));
    levels.replaceChildren(element("table", {}, head(["levels_level", "levels_moves", "levels_assemblies"]), element("tbody", {}, ...groups.map(row))));
    listed(groups.find((group) => group.key === level));
  }

  /** A note if some levels are not proven minimal. @param {Assembly[]} assemblies @returns {string} */
  function notLeast(assemblies) {
    const n = assemblies.filter(({ apart, least }) => apart && !least).length, words = t("level_not_least");
    return n === 0 ? "" : ` (${n === assemblies.length ? words : `${number(n)} / ${number(assemblies.length)} ${words}`})`;
  }

  /** A sentence if exactly one assembly comes apart or has the highest level. @param {Level[]} apart */
  function only(apart) {
    if (mine.found.length === 1 || apart[0]?.assemblies.length !== 1 || (apart.length > 1 && !apart[0].assemblies[0].least)) return "";
    const [{ name, assemblies: [{ number: n }] }] = apart;
    return t(apart.length === 1 ? "apart_unique" : "apart_unique_highest", { number: number(n), level: name });
  }

  function listed(/** @type {Level|undefined} */ group) {
    if (!group) return list.replaceChildren();
    const { assemblies } = group, some = all ? assemblies : assemblies.slice(0, AT_FIRST), numberCell = (/** @type {number|null|undefined} */ n) => (n === null || n === undefined ? "–" : number(n));
    const differs = assemblies.some(({ level: ours, burrtools }) => burrtools && burrtools !== ours);
    const row = (/** @type {Assembly} */ each) => element("tr", {}, element("th", { scope: "row" }, button(number(each.number), () => look(each), { "aria-pressed": String(each.number === current) })),
      differs && element("td", {}, each.burrtools ?? "–"),
      element("td", {}, numberCell(each.moves?.[0])), element("td", {}, numberCell(total(each))), element("td", {}, numberCell(each.states)));
    return list.replaceChildren(element("h2", {}, group.key === "held" || group.key === "undecided" ? group.name : t("apart_level", { level: group.name })),
      element("table", {}, head(["levels_assembly", ...(differs ? ["levels_burrtools"] : []), "levels_first", "levels_moves", "levels_states"]), element("tbody", {}, ...some.map(row))),
      ...(some.length < assemblies.length ? [button(t("show_all", { n: assemblies.length }), () => ((all = true), tables()))] : []));
  }

  /** @param {string[]} keys */
  const head = (keys) => element("thead", {}, element("tr", {}, ...keys.map((words) => element("th", { scope: "col" }, t(words)))));

  function choose(/** @type {string} */ key) {
    level = key;
    all = false;
    const first = grouped().find((group) => group.key === key)?.assemblies[0];
    if (first) look(first);
  }

  // a single assembly

  const placements = () => (mine.found.find((each) => each.number === current)?.options ?? []).filter((p) => !fixed.has(p)).map((p) => names[p]);

  async function look(/** @type {Assembly} */ each) {
    asking?.abort();
    const { signal } = (asking = new AbortController());
    current = each.number;
    tables();
    heading.textContent = t("apart_assembly", { number: number(each.number) });
    single.hidden = false;
    back.hidden = true;
    player.end();
    note.replaceChildren();
    graph.replaceChildren();
    const question = { puzzle: asked, position: placements() };
    try {
      const answer = await app.ask("apart", question, { signal });
      if (signal.aborted) return;
      whole = answer.taking;
      player.show(answer);
      const found = await app.ask("states", question, { signal });
      if (signal.aborted) return;
      graph.append(stateGraph(app, found, each.options.length, answer.basis ? 2 : 3, { look: player.look, words: player.words, choose: way }));
    } catch (error) {
      if (error instanceof Refused && !signal.aborted) note.append(atTerminal(app, asked, board, "apart", error));
      else app.failed(error);
    }
  }

  /** Show the steps to a state. @param {import("../takeapart.js").Slide[]} steps @param {number} state */
  function way(steps, state) {
    if (!whole || !steps.length) return restore();
    heading.textContent = t("apart_way_to", { number: number(state), assembly: number(/** @type {number} */ (current)) });
    player.play({ ...whole, level: null, steps, stuck: [] });
    player.go(steps.length);
    back.hidden = false;
  }

  function restore() {
    if (!whole) return;
    heading.textContent = t("apart_assembly", { number: number(/** @type {number} */ (current)) });
    player.play(whole);
    back.hidden = true;
  }

  running();
  if (mine.decided) shown();
  else if (board.holds) take();
  else many.textContent = t("apart_free");
  return () => {
    job?.abort();
    asking?.abort();
    player.end();
  };
}

/** The total number of moves of a disassembly. @param {Assembly} each */
const total = ({ moves }) => (moves ? moves.reduce((sum, n) => sum + n, 0) : null);

function range(/** @type {(number|null)[]} */ some, /** @type {(n: number) => string} */ format) {
  const known = /** @type {number[]} */ (some.filter((n) => n !== null)), least = Math.min(...known), most = Math.max(...known);
  return known.length ? (least === most ? format(least) : `${format(least)}–${format(most)}`) : "–";
}

/** Compare assemblies: most moves to the first separation first, then to the next ones; then by number. @param {Assembly} a @param {Assembly} b */
function inOrder(a, b) {
  if (!a.moves || !b.moves) return Number(!a.moves) - Number(!b.moves) || Number(a.apart === null) - Number(b.apart === null) || a.number - b.number;
  for (let i = 0; i < Math.max(a.moves.length, b.moves.length); i++) {
    const by = (b.moves[i] ?? Infinity) - (a.moves[i] ?? Infinity);
    if (by) return by;
  }
  return a.number - b.number;
}
