// The graph of the states of an assembly, in layers by the number of moves from the start. The user can preview and choose states.
import { element, shape } from "../dom.js";

/** @import { App } from "../app.js" */
/** @import { Slide } from "../takeapart.js" */
/** @typedef {{x: number, y: number, depth: number, number: number, kind: "exit"|"dead"|"short"|"other", from?: number, step?: Slide}} Node a state; ``from``: its predecessor; ``step``: the step from the predecessor */
/** @typedef {{states: number, moves: number, layers: number[], exits: number, dead_ends: number, branching: number, first: number|null, shortest: number, complete: boolean, width: number, height: number, row: number, radius: number, lines: string, way: string, nodes: Node[]}} Graph */
/** @typedef {{look: (moves: number[][]|null) => void, choose: (steps: Slide[], number: number) => void, words: (slide: Slide) => string}} Handlers handlers of a previewed state (null: preview ended) and of a chosen state */

const MARKS = /** @type {const} */ (["short", "exit", "dead", "other"]);
let graphs = 0;

/** @param {App} app @param {Graph} graph @param {number} pieces the number of pieces @param {number} dimension of the grid @param {Handlers} handlers */
export function stateGraph(app, graph, pieces, dimension, handlers) {
  const { t } = app, { nodes, radius } = graph, id = `states-${++graphs}`;
  let at = 0;
  const status = element("p", { class: "state-said", "aria-live": "polite" }); // below the picture, since a growing text above would move the picture under the pointer
  const drawn = nodes.map((node, i) => shape("g", { role: "option", id: `${id}-${i}`, class: `state ${node.kind}`, "aria-selected": "false", "aria-label": words(node), "data-node": i, transform: `translate(${node.x} ${node.y})` }, mark(node.kind, radius)));
  const layers = graph.layers.slice(0, Math.round(graph.height / graph.row)).map((n, depth) => shape("text", { x: 0, y: graph.row * (depth + 0.5) + 4 }, `${app.number(depth)}: ${app.number(n)}`));
  const picture = shape("svg", { viewBox: `-14 0 ${graph.width + 28} ${graph.height}`, width: graph.width + 28, height: graph.height, role: "listbox", tabindex: 0, "aria-label": t("states_title"), "aria-activedescendant": `${id}-0`,
    onkeydown: keyed, onfocus: () => look(at), onblur: () => handlers.look(null), onpointerover: (/** @type {PointerEvent} */ event) => over(event), onpointerleave: () => document.activeElement === picture || handlers.look(null), onclick: pressed },
    shape("g", { "aria-hidden": "true" }, shape("path", { class: "state-lines", d: graph.lines, "stroke-width": Math.min(1, radius / 6) }), shape("path", { class: "state-way", d: graph.way, "stroke-width": Math.min(2.5, radius / 2) }), ...layers), ...drawn);
  const legend = element("ul", { class: "state-legend small" }, ...MARKS.map((kind) => element("li", {}, shape("svg", { width: 16, height: 16, viewBox: "-8 -8 16 16", "aria-hidden": "true" }, shape("g", { class: `state ${kind}` }, mark(kind, 6))), t(`states_${kind}`))));
  const numbers = element("ul", { class: "state-figures" }, ...figures(app, graph).map((line) => element("li", {}, line)));
  if (graph.states === 1) return element("div", { class: "state-graph" }, numbers); // no states to choose from
  return element("div", { class: "state-graph" }, numbers, legend, element("div", { class: "state-picture" }, picture), status, element("p", { class: "soft small" }, t("states_hint")));

  /** The steps from the start to a state. @param {number} i */
  function way(i) {
    const /** @type {Slide[]} */ steps = [];
    for (let here = nodes[i]; here.step; here = nodes[/** @type {number} */ (here.from)]) steps.unshift(here.step);
    return steps;
  }

  function look(/** @type {number} */ i) {
    drawn[at].setAttribute("aria-selected", "false");
    at = i;
    drawn[at].setAttribute("aria-selected", "true");
    picture.setAttribute("aria-activedescendant", `${id}-${at}`);
    const moves = Array.from({ length: pieces }, () => Array(dimension).fill(0)), steps = way(at);
    for (const { pieces: some, by } of steps) for (const p of some) moves[p] = moves[p].map((x, c) => x + by[c]);
    handlers.look(moves);
    const last = steps.at(-1);
    status.textContent = `${words(nodes[at])}${last ? `: ${handlers.words(last)}` : ""}`;
  }

  function words(/** @type {Node} */ { number, depth, kind }) {
    return `${t("states_state", { number: app.number(number), n: depth })}${kind === "other" ? "" : `, ${t(`states_${kind}`)}`}`;
  }

  /** @param {Event} event @returns {number|null} the node under an event */
  function nodeOf(event) {
    const node = /** @type {Element} */ (event.target).closest("[data-node]");
    return node ? Number(node.getAttribute("data-node")) : null;
  }

  function over(/** @type {PointerEvent} */ event) {
    const node = nodeOf(event);
    if (node !== null) look(node);
  }

  function pressed(/** @type {MouseEvent} */ event) {
    const node = nodeOf(event);
    if (node === null) return;
    look(node);
    handlers.choose(way(node), nodes[node].number);
  }

  function keyed(/** @type {KeyboardEvent} */ event) {
    const { x, depth } = nodes[at], where = (/** @type {(node: Node) => boolean} */ is) => [...nodes.keys()].filter((i) => is(nodes[i]));
    const nearest = (/** @type {number[]} */ some) => some.sort((i, j) => Math.abs(nodes[i].x - x) - Math.abs(nodes[j].x - x))[0];
    const go = { ArrowUp: () => nodes[at].from, ArrowDown: () => nearest(where((one) => one.from === at)) ?? nearest(where((one) => one.depth === depth + 1)),
      ArrowLeft: () => nearest(where((one) => one.depth === depth && one.x < x)), ArrowRight: () => nearest(where((one) => one.depth === depth && one.x > x)), Home: () => 0 }[event.key];
    if (event.key === "Enter" || event.key === " ") handlers.choose(way(at), nodes[at].number);
    else if (go) look(go() ?? at);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}

function mark(/** @type {string} */ kind, /** @type {number} */ r) {
  const width = Math.min(1.5, 0.3 * r);
  if (kind === "exit") return shape("rect", { x: -r, y: -r, width: 2 * r, height: 2 * r, "stroke-width": width });
  const c = 0.55 * r, disc = `M${-r} 0a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0Z`;
  return shape("path", { "stroke-width": width, d: kind === "dead" ? `${disc}M${-c} ${-c}L${c} ${c}M${-c} ${c}L${c} ${-c}` : disc });
}

/** Measures of difficulty, as sentences. @param {App} app @param {Graph} graph */
function figures({ t, number, language }, graph) {
  const n = graph.states, more = graph.complete ? "" : t("at_least"), mean = graph.branching.toLocaleString(language, { maximumFractionDigits: 1 });
  if (n === 1) return [t(graph.first === null ? "states_held_many" : "states_many", { n })];
  return [
    more + t(graph.first === null ? "states_held_many" : "states_many", { n }) + (graph.complete ? "" : ` ${t("so_far")}`), t("states_moves", { n: graph.moves, mean }), t("states_dead_ends", { n: graph.dead_ends }),
    ...(graph.first === null ? [] : [t("states_exits", { n: graph.exits }), t("states_ways", { n: graph.shortest, moves: t("states_in_moves", { n: graph.first }) })]),
    ...(graph.nodes.length < n ? [t("states_cut", { n: graph.nodes.length, all: number(n) })] : []),
  ];
}
