// The live verdict on a drawn puzzle: the areas immediately, then the first solution, the count, its confirmation, or the reason for no solution.
import { element, svgFrom } from "../dom.js";
import { isStop } from "../ask.js";
import { atomOf } from "./lattice.js";
import { worded } from "../said.js";
import { claims, upToSymmetry } from "../views/counting.js";

/** @import { App } from "../app.js" */
/** @import { Lattice } from "./lattice.js" */
/** @import { Paint } from "./strokes.js" */
/** @typedef {{name: string, members: string[], ranges: [number, number|null][], atoms: number[][], marks: [number[], number[], string][], colours: [number[], string][], size: number, low: number, high: number|null, flips: boolean, parts: number, colour: string, svg: string}} Tile */

/** Compare the painted area with the area of the tiles. @param {Paint} paint @param {[number, number|null]} area */
function areaOf({ atoms }, [low, high]) {
  const most = atoms.size, least = [...atoms.values()].filter((look) => !look.optional).length;
  const verdict = !most ? "empty" : most < low ? "short" : high !== null && least > high ? "long" : "fits";
  return { most, least, low, high, verdict, off: verdict === "short" ? low - most : verdict === "long" ? least - /** @type {number} */ (high) : 0 };
}

/** The numbers of black and white painted atoms on a chessboard; null if the grid has no chessboard. @param {Lattice} lattice @param {Paint} paint */
function chessOf(lattice, { atoms }) {
  if (!lattice.grid.chess || !atoms.size) return null;
  let black = 0;
  for (const key of atoms.keys()) black += lattice.chess(atomOf(key));
  return [Math.max(black, atoms.size - black), Math.min(black, atoms.size - black)];
}

/** @param {HTMLElement} root @param {App} app @param {{solution: (names: string[]) => void, colouring: (shown: any) => Promise<void>}} shown */
export function makeVerdict(root, app, shown) {
  const badge = element("p", { class: "badge", role: "status", "aria-live": "polite" }), more = element("p", { class: "soft small more" }), fact = element("p", { class: "area" }), rules = element("div", { class: "soft small" });
  const why = element("div", { class: "why" }), sure = element("ul", { class: "sure small confirmed" }), busy = element("progress", { hidden: true });
  root.replaceChildren(fact, badge, busy, more, rules, why, sure);
  let /** @type {AbortController|null} */ running = null;

  function say(/** @type {string} */ kind, /** @type {string} */ words, /** @type {string} */ also = "") {
    badge.className = `badge ${kind}`;
    if (badge.textContent !== String(words)) badge.textContent = words; // a Said is not a string, but converts to one
    more.textContent = also;
  }

  /** Show the facts that need no count. @param {Lattice} lattice @param {Paint} paint @param {[number, number|null]} area @param {string[]} wrong */
  function atOnce(lattice, paint, area, wrong) {
    stop();
    for (const part of [why, sure, rules]) part.replaceChildren();
    const { most, least, low, high, verdict, off } = areaOf(paint, area), chess = chessOf(lattice, paint), t = app.t;
    const tiles = high === null ? t("draw_area_or_more", { n: low }) : low === high ? app.number(low) : t("draw_area_range", { low, high });
    const own = least === most ? app.number(most) : t("draw_area_range", { low: least, high: most });
    fact.replaceChildren(element("b", {}, high === null && !low ? t("draw_cells", { n: most }) : t("draw_area", { own, tiles })), chess ? element("span", { class: "soft" }, ` · ${t("draw_chess", { black: chess[0], white: chess[1] })}`) : "");
    fact.dataset.verdict = verdict;
    if (wrong.length) say("none", wrong[0], wrong.slice(1).join(" "));
    else if (verdict === "empty") say("idle", t("draw_empty"));
    else if (verdict === "short") say("none", t("draw_short", { n: off }), t("draw_short_more"));
    else if (verdict === "long") say("none", t("draw_long", { n: off }), t("draw_long_more"));
    else say("counting", t("draw_counting"));
    return verdict === "fits" && !wrong.length;
  }

  /** Count until the form changes. @param {import("../state.js").Puzzle} puzzle */
  async function count(puzzle) {
    stop();
    const own = new AbortController();
    running = own;
    busy.hidden = false;
    let /** @type {any} */ counts = null;
    let /** @type {string[]} */ symmetries = [];
    try {
      const done = await app.ask("count", { puzzle }, {
        signal: own.signal,
        told: ({ share }) => { if (share === undefined) busy.removeAttribute("value"); else busy.value = share; },
        found: (part) => {
          if (part.area) sayFacts(part.area), (symmetries = part.area.symmetries ?? []);
          if (part.solution?.length) shown.solution(part.solution), counts || say("counting", app.t("draw_solvable"), app.t("draw_counting_more"));
          if (part.counts) (counts = { ...part.counts, complete: part.complete }), sayCount(counts, symmetries);
          if (part.confirmed) (sure.dataset.how = part.how_well), sure.replaceChildren(...claims(part).map((words) => element("li", {}, words)));
        },
      });
      counts ??= done.counts && { ...done.counts, complete: done.complete };
      if (counts) sayCount(counts, symmetries);
      if (done.complete === false) {
        say("open", app.t("draw_not_counted"), done.why);
        const more = app.program ? await import("../views/more.js") : null;
        if (more && running === own) why.replaceChildren(more.atTerminal(app, puzzle, { name: puzzle.name }, "count"));
      }
      if (counts && String(counts.all) === "0") await prove(puzzle, own.signal);
    } catch (error) {
      if (isStop(error)) return;
      say("open", app.t("draw_not_counted"), error instanceof Error ? error.message : String(error));
    } finally {
      if (running === own) (running = null), (busy.hidden = true);
    }
  }

  /** Show the conditions on solutions and the facts to check by hand; a fact that excludes solutions is the reason. @param {{facts?: {text: string, impossible: boolean}[], rules?: string[]}} area */
  function sayFacts({ facts = [], rules: kept = [] }) {
    rules.replaceChildren(...kept.map((rule) => element("p", { class: "rule" }, rule)));
    const never = facts.find((fact) => fact.impossible);
    if (never) say("none", app.t("draw_none"), never.text);
  }

  /** @param {any} counts @param {string[]} symmetries the symmetries of the puzzle */
  function sayCount(counts, symmetries) {
    const { all, distinct, complete } = counts, some = complete === false, t = app.t, known = distinct ?? all;
    if (known === undefined || known === null) return;
    if (String(all) === "0") return some ? say("counting", t("draw_counting")) : say("none", t("draw_none"), t("draw_none_more"));
    const turned = distinct !== undefined && distinct !== null && String(distinct) !== String(all) ? upToSymmetry(app, "draw_with_turned", symmetries, { n: all }) : "";
    if (some) say("counting", t("draw_at_least", { n: known }), turned);
    else if (String(known) === "1") say("unique", t("draw_unique"), turned || t("draw_unique_more"));
    else say("many", t("draw_many", { n: known }), turned);
  }

  /** Show the proof that there is no solution. @param {import("../state.js").Puzzle} puzzle @param {AbortSignal} signal */
  async function prove(puzzle, signal) {
    const answer = await app.ask("prove", { puzzle }, { signal });
    more.textContent = "";
    why.replaceChildren(...(answer.sentences ?? []).map((/** @type {string} */ words) => element("p", {}, words)));
    if (answer.picture && !answer.weights?.length) why.append(element("div", { class: "picture" }, worded(svgFrom(answer.picture), answer.written ?? [])));
    await shown.colouring(answer);
  }

  function stop() {
    running?.abort();
    running = null;
    busy.hidden = true;
  }

  return { atOnce, count, stop, say };
}
