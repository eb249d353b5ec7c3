// Controls for rules on solutions. Their value is a table with the keys of [solutions].
import { button, element } from "../dom.js";

/** @import { App } from "../app.js" */
/** @typedef {Record<string, any>} Rules keys of [solutions] */
/** @typedef {{rules: string[], pieces: string[], colours?: string[], symmetric?: string[]}} Offer the keys that have a meaning for the puzzle, and the names that they may use */

const COLOURS = [2, 3, 4, 5];
const SHOWN = ["colours", "strictly", "symmetric", "touch_border", "inside", "apart", "holds"];

/** Controls for rules. @param {App} app @param {(rules: Rules) => void} changed called after each change
 * @param {string} [without] a key that has its own control elsewhere */
export function makeRules(app, changed, without) {
  const { t } = app, root = element("div", { class: "solution-rules" }), /** @type {Set<string>} */ open = new Set();
  let rules = /** @type {Rules} */ ({}), offer = /** @type {Offer} */ ({ rules: [], pieces: [] });

  function show(/** @type {Offer} */ offered, /** @type {Rules} */ now) {
    offer = offered;
    rules = now;
    const at = controls().indexOf(document.activeElement ?? root);
    const { colours = [], symmetric = [] } = offer, may = (/** @type {string} */ key) => key !== without && (offer.rules.includes(key) || key in rules);
    const plain = [...new Set([...offer.rules, ...Object.keys(rules).filter((key) => typeof rules[key] === "boolean")])].filter((key) => !SHOWN.includes(key)).sort(); // each gets a checkbox
    root.replaceChildren(...[
      ...plain.map((key) => check(t(`filter_${key}`), key)),
      may("colours") && choose(t("filter_colours"), "colours", COLOURS.map((n) => [String(n), n])),
      ("colours" in rules || "apart" in rules) && check(t("rule_strictly"), "strictly"),
      symmetric.length > 0 && choose(t("filter_symmetric"), "symmetric", symmetric.map((name) => [symmetryWords(app, name), [name]])),
      ...["touch_border", "inside"].map((key) => may(key) && folded(key, saidOf(rules[key]), [chips(rules[key], t(`rule_${key}`), (names) => set(key, names))])),
      may("apart") && folded("apart", (rules.apart ?? []).map(saidOf).join("; "), groups()),
      may("holds") && (colours.length > 0 || "holds" in rules) && folded("holds", (rules.holds ?? []).map(heldWords).join("; "), holdControls(colours)),
      ...Object.keys(rules).filter((key) => !SHOWN.includes(key) && !plain.includes(key)).map(other),
    ].filter((part) => part instanceof Node));
    if (at >= 0) /** @type {HTMLElement|undefined} */ (controls()[at])?.focus();
  }

  /** The focusable controls, in order, to restore the focus after rebuilding. @returns {Element[]} */
  const controls = () => [...root.querySelectorAll("button, input, select, summary")];

  /** @param {string} key @param {any} value null, false and empty lists remove the key @param {boolean} [again] whether to rebuild the controls */
  function set(key, value, again = true) {
    const { [key]: _old, ...rest } = rules, nothing = value === null || value === false || (Array.isArray(value) && !value.length);
    const next = nothing ? rest : { ...rest, [key]: value };
    if (!("colours" in next || "apart" in next)) delete next.strictly;
    rules = next;
    if (again) show(offer, next);
    changed(next);
  }

  function check(/** @type {string} */ words, /** @type {string} */ key) {
    const box = element("input", { type: "checkbox", checked: Boolean(rules[key]), onchange: () => set(key, box.checked) });
    return element("label", { class: "choice" }, box, " ", words);
  }

  function choose(/** @type {string} */ words, /** @type {string} */ key, /** @type {[string, any][]} */ choices) {
    const now = JSON.stringify(rules[key] ?? null), all = [[t("filter_any"), null], ...choices];
    const list = element("select", { onchange: () => set(key, all[Number(list.value)][1]) }, ...all.map(([said, value], i) => element("option", { value: i, selected: JSON.stringify(value) === now }, String(said))));
    return element("label", { class: "choice" }, words, " ", list);
  }

  /** A folded rule, whose summary states its value. Browsers send "toggle" late, after a rebuild, which would close the fold again. So the code listens
   * to clicks instead. @param {string} key @param {string} summary @param {Element[]} inside */
  function folded(key, summary, inside) {
    const details = element("details", { class: "rule-fold", open: open.has(key) },
      element("summary", { onclick: () => (details.open ? open.delete(key) : open.add(key)) }, t(`rule_${key}`), summary && element("b", {}, ` ${summary}`)), element("p", { class: "soft small" }, t(`rule_${key}_words`)), ...inside);
    return details;
  }

  /** @param {string[]|"all"|undefined} names */
  const saidOf = (names) => (names === "all" ? t("rule_all") : (names ?? []).join(", "));

  /** Buttons for choosing pieces. @param {string[]|"all"|undefined} chosen @param {string} label
   * @param {(names: string[]|"all") => void} does @param {boolean} [all] whether to offer a button for all pieces */
  function chips(chosen, label, does, all = true) {
    const some = chosen === "all" ? [] : chosen ?? [];
    const chip = (/** @type {string} */ words, /** @type {boolean} */ on, /** @type {() => void} */ pressed) => button(words, pressed, { "aria-pressed": String(on) });
    return element("div", { class: "row pieces", role: "group", "aria-label": label }, all && chip(t("rule_all"), chosen === "all", () => does(chosen === "all" ? [] : "all")),
      ...[...new Set([...offer.pieces, ...some])].map((name) => chip(name, some.includes(name), () => does(some.includes(name) ? some.filter((other) => other !== name) : [...some, name]))));
  }

  /** Groups of pieces that must not touch each other; the last group is empty, for adding one. */
  function groups() {
    const list = /** @type {string[][]} */ (rules.apart ?? []);
    return [...list, []].map((group, i) => chips(group, t("rule_apart_group", { n: i + 1 }), (names) => set("apart", [...list.slice(0, i), ...(names.length ? [/** @type {string[]} */ (names)] : []), ...list.slice(i + 1)]), false));
  }

  /** @param {any} rule */
  const rangeOf = ({ equals, between }) => /** @type {[number, number]} */ (between ?? [equals, equals]);

  function heldWords(/** @type {any} */ rule) {
    const [low, high] = rangeOf(rule);
    return t("rule_holds_said", { pieces: saidOf(rule.tiles ?? "all"), number: low === high ? app.number(low) : `${low}–${high}`, what: rule.colour ?? t("rule_holds_cells", { n: rule.atoms?.length ?? 0 }) });
  }

  /** @param {string[]} colours the colours of the form */
  function holdControls(colours) {
    const all = () => /** @type {any[]} */ (rules.holds ?? []);
    const rows = all().map((rule, i) => {
      const keep = (/** @type {object|null} */ part, again = true) => set("holds", all().flatMap((other, k) => (k !== i ? [other] : part ? [{ ...other, ...part }] : [])), again);
      const [low, high] = rangeOf(rule), head = element("legend", { class: "small" }, heldWords(rule));
      const number = (/** @type {number} */ value, /** @type {string} */ label) => element("input", { type: "number", min: 0, max: 999, value, inputmode: "numeric", "aria-label": label, onchange: ranged });
      const from = number(low, t("rule_holds_from")), to = number(high, t("rule_holds_to"));
      function ranged() {
        const [a, b] = [from, to].map((input) => Math.max(0, Math.min(999, Math.round(Number(input.value)) || 0)));
        keep(a === b ? { equals: a, between: undefined } : { equals: undefined, between: [Math.min(a, b), Math.max(a, b)] }, false); // no rebuild, so that the focus can move to the other number
        head.textContent = heldWords(all()[i]);
      }
      const colour = element("select", { "aria-label": t("rule_holds_colour"), onchange: () => keep({ colour: colour.value }) }, ...[...new Set([...colours, rule.colour])].map((one) => element("option", { value: one, selected: one === rule.colour }, one)));
      return element("fieldset", { class: "held" }, head, chips(rule.tiles ?? "all", t("rule_holds_pieces"), (names) => keep({ tiles: names.length ? names : "all" })),
        element("div", { class: "row" }, from, "–", to, rule.colour === undefined ? t("rule_holds_cells", { n: rule.atoms?.length ?? 0 }) : colour, button(t("rule_drop"), () => keep(null))));
    });
    return [...rows, ...(colours.length ? [button(t("rule_holds_add"), () => set("holds", [...all(), { tiles: "all", colour: colours[0], equals: 1 }]))] : [])];
  }

  /** A rule that only a file can state; the view can only remove it. @param {string} key */
  const other = (key) => element("p", { class: "row" }, t("rule_of_file", { key }), button(t("rule_drop"), () => set(key, null)));

  return { root, show };
}

/** The name of a symmetry. @param {App} app @param {string} name such as "turn 180" */
function symmetryWords({ t }, name) {
  const [, kind, rest] = /^(turn|mirror|invert|turn-mirror)\b\s*(.*)$/.exec(name) ?? [];
  return kind === "turn" && /^\d+$/.test(rest) ? t("symmetry_turn", { n: rest }) : kind === "mirror" && /^\d+$/.test(rest) ? t("symmetry_mirror", { n: rest }) : name;
}
