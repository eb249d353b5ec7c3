// The solutions view: one large solution, by number or at random; a gallery of all; and the filters.
import { button, bytesOf, element } from "../dom.js";
import { Refused, isStop } from "../ask.js";
import { boardSpeech } from "../boardwords.js";
import { makeLookup, shadesOf } from "../lookup.js";
import { pngOf, svgText } from "../pictures.js";
import { titled } from "../said.js";
import { linkOf } from "../state.js";
import { makeTable } from "../table.js";
import { citePanel } from "./citing.js";
import { upToSymmetry } from "./counting.js";
import { makeGallery } from "./gallery.js";
import { copyText, fileName, inCommands, morePanel } from "./more.js";
import { makeRules } from "./rules.js";

/** @import { App, Opened } from "../app.js" */
/** @typedef {{distinct: boolean|null, rules: Record<string, any>, levels: boolean|null}} Wish the filters; null: the program chooses */
/** @typedef {{numbers: (number|bigint)[], solutions: number[][], levels?: (string|null)[]|null}} Some solutions as numbers of placements */
/** @typedef {Some & {total: number|bigint, exact: boolean, distinct: boolean, how?: string, symmetries: string[], rules?: Record<string, any>[], symmetric?: string[], pieces?: string[], colours?: string[], words?: string[], every_level?: [string|null, number][]|null, version?: string}} Known */
/** @typedef {{options: number[], level: string|null|undefined}} One */

const TOGETHER = 60n, KEPT = 300; // solutions per request; cached blocks of solutions
const PATIENT = 500; // milliseconds after which an arbitrary solution is shown until the first one is known

/** @type {import("../app.js").Show} */
export async function show(root, app) {
  const opened = await app.opened(), { asked, board } = opened;
  const [taking, solid] = await Promise.all([app.program ? import("./taking.js") : null, board.solid ? import("./solidtexts.js") : null]);
  return look(root, app, opened, taking?.takingPanel(app, asked, board) ?? null, solid);
}

/** @param {HTMLElement} root @param {App} app @param {Opened} opened
 * @param {ReturnType<typeof import("./taking.js").takingPanel>|null} taking if the program can disassemble solutions
 * @param {typeof import("./solidtexts.js")|null} solid for a form in space @returns {() => void} */
function look(root, app, { asked, board, title, known: published, command }, taking, solid) {
  const { t } = app, lookup = makeLookup(board), say = boardSpeech(app.language);
  const table = makeTable(board, lookup, say), small = makeTable(board, lookup, say); // the large picture, and the template of thumbnails
  const fixed = new Set(board.fixed), names = board.placements.name;
  const /** @type {Wish} */ wish = { distinct: null, rules: {}, levels: null };
  let /** @type {Known|null} */ known = null;
  let total = 0n, current = 1n, turn = 0;
  let /** @type {number[]} */ shown = [];
  let /** @type {AbortController|null} */ stop = null;
  let source = blocks(() => Promise.reject(new Error("not asked yet")));

  const many = element("p", { class: "many", "aria-live": "polite", "aria-atomic": "true" }), status = element("p", { class: "soft small told", role: "status" }), wait = element("progress", { "aria-label": t("progress"), hidden: true });
  const which = element("input", { type: "text", inputmode: "numeric", size: 6, value: "1", "aria-label": t("solution_number"), onchange: () => typed() }), of = element("span", { class: "soft" });
  const back = button("‹", () => go(current - 1n), { "aria-label": t("solution_back"), title: t("solution_back") }), next = button("›", () => go(current + 1n), { "aria-label": t("solution_next"), title: t("solution_next") }), random = button(t("solution_random"), () => drawOne());
  const level = element("p", { class: "level" }), stage = element("div", { class: "solution-stage", onclick: (/** @type {MouseEvent} */ event) => keepAt(event) }, table.picture), bodyStage = element("div", { class: "bodies" });
  const walk = element("div", { class: "row walk", role: "group", "aria-label": t("solutions_walk") }, back, which, of, next, random);
  const filters = element("div", {}), more = makeRules(app, (rules) => ((wish.rules = rules), load()), "touch_border"), keptPieces = element("details", { class: "kept" });
  const cite = citePanel(app, asked, { title, file: inCommands(app, board, command), published, version: () => known?.version ?? "" });
  const bodies = solid ? solid.makeSolidView(bodyStage, app, board) : null;
  const gallery = makeGallery({ words: t("gallery"), shape: board.frame[3] / board.frame[2], drawn: thumbnail, chosen: (n) => go(n) });
  const share = element("section", { class: "panel", "aria-label": t("take_away") }, element("div", { class: "row" }, button(t("solution_play"), () => app.go("play", { position: own(), given: [] })),
    button(t("copy_picture"), copyPicture), button(t("copy_text"), copyAsText), button(t("copy_link"), copyLink), button(t("save_svg"), () => app.keep(`${file()}.svg`, "image/svg+xml", svgText(table.picture))), button(t("save_png"), savePng)));
  root.append(element("h1", {}, t("solutions_title")), many, wait, status,
    element("div", { class: "solutions-parts" }, element("section", { class: "solution-large", "aria-label": t("solution_large") }, stage, walk, level, gallery.root),
      element("aside", { class: "solution-side", "aria-label": t("beside") }, bodyStage, ...(taking ? [taking.root] : []), share, element("section", { class: "panel filters", "aria-label": t("filters") }, element("h2", {}, t("filters")), filters, more.root, keptPieces), cite.root, morePanel(app, asked, board),
        ...(command ? [element("p", { class: "soft small" }, t("solutions_with_python"), element("br"), element("code", {}, command))] : []))));

  const question = (/** @type {object} */ part) => ({ puzzle: asked, ...(app.state.position.length ? { position: app.state.position } : {}), ...(Object.keys(wish.rules).length ? { rules: wish.rules } : {}), ...(wish.distinct === null ? {} : { distinct: wish.distinct }), ...(wish.levels === null ? {} : { levels: wish.levels }), ...part });
  const own = () => shown.filter((p) => !fixed.has(p)).map((p) => names[p]);
  const file = () => `${fileName(board.name)}-${current}`;

  /** Request the solutions and show the first. */
  async function load() {
    stop?.abort();
    const mine = (stop = new AbortController()), began = Date.now(), time = setTimeout(() => (wait.hidden = false), PATIENT / 2);
    root.classList.add("busy");
    try {
      const any = (/** @type {{first: number[]}} */ { first }) => setTimeout(() => stop === mine && !mine.signal.aborted && known === null && large(first), Math.max(0, PATIENT - Date.now() + began));
      known = null;
      const answer = /** @type {Known} */ (await app.ask("solutions", question({ number: 1 }), { found: any, told: ({ words }) => (status.textContent = words), signal: mine.signal }));
      if (stop !== mine) return;
      known = answer;
      total = BigInt(answer.total);
      source = blocks((from) => app.ask("solutions", question({ from: plain(from), number: Number(TOGETHER), ...chosen(answer) })));
      many.replaceChildren(...headline(answer));
      status.textContent = "";
      filled(answer);
      gallery.show(total);
      await go(1n);
    } catch (error) {
      if (isStop(error) || stop !== mine) return;
      if (!(error instanceof Refused)) throw error;
      refused(error.sentences);
    } finally {
      clearTimeout(time);
      if (stop === mine) {
        wait.hidden = true;
        root.classList.remove("busy");
      }
    }
  }

  /** Show why the filters have no result, and offer all solutions. @param {string[]} sentences */
  function refused(sentences) {
    total = 0n;
    gallery.show(total);
    large([]);
    status.textContent = "";
    many.replaceChildren(...sentences, " ", button(t("filters_none"), everything));
  }

  function everything() {
    wish.rules = {};
    keepPieces([]);
  }

  function headline(/** @type {Known} */ { exact, distinct, how, symmetries, words = [], every_level: levels }) {
    const pieceCount = app.state.position.length, some = pieceCount > 0 || words.length > 0, all = some ? [" ", button(t("filters_none"), everything)] : [];
    if (total === 0n && exact) return [element("b", { class: "bad" }, t(some ? "solutions_none_such" : "none")), ...all];
    const n = element("b", { class: exact ? "" : "unfinished" }, app.number(total)), kind = symmetries.length < 2 ? "" : upToSymmetry(app, distinct ? "solutions_distinct" : "solutions_all", symmetries);
    const [before, after = ""] = t("solutions_many", { n: total }).split(app.number(total));
    const sure = !exact ? t("solutions_cut") : how === "tally" ? t("solutions_numbered") : how === "browser" ? t("solutions_browser") : t("solutions_listed");
    return [...(exact ? [] : [t("at_least")]), before, n, after, exact ? "" : t("so_far"), element("span", { class: "soft small" }, ` ${kind} ${sure}`), ...all, ...[...(pieceCount ? [t("solutions_with", { n: pieceCount })] : []), ...words].map((rule) => element("span", { class: "rule soft small" }, `${rule}`)),
      ...(levels ? [element("span", { class: "rule soft small" }, t("solutions_levels", { levels: levels.map(([own, n]) => `${own ?? t("level_none")} (${app.number(n)})`).join(", ") }))] : [])];
  }

  // one solution

  /** Show a solution by its number. @param {bigint} n */
  async function go(n) {
    if (n < 1n || n > total) return where();
    const mine = ++turn;
    current = n;
    where();
    try {
      const solution = await source.one(n);
      if (mine !== turn) return;
      large(solution.options, solution.level);
      gallery.mark(n);
    } catch (error) {
      if (mine === turn) app.failed(error);
    }
  }

  function where() {
    which.value = String(total ? current : 0);
    which.disabled = random.disabled = total === 0n;
    of.textContent = total ? t("solution_of", { n: total }) : "";
    back.disabled = current <= 1n;
    next.disabled = current >= total;
  }

  function typed() {
    const n = /^\s*\d+\s*$/.test(which.value) ? BigInt(which.value.trim()) : 0n;
    if (n < 1n || n > total) app.toast(t("solution_no_number", { n: total }));
    go(n);
  }

  function drawOne() {
    return app.attempt(async () => {
      const { numbers } = await app.ask("solutions", question({ random: true, number: 1, ...(known ? chosen(known) : {}) }));
      if (numbers.length) go(BigInt(numbers[0]));
    });
  }

  /** @param {number[]} options @param {string|null} [own] the level of the solution */
  function large(options, own) {
    shown = options;
    table.show(lying(options));
    bodies?.show(options.map((p) => names[p]));
    taking?.offer(options.length ? options.filter((p) => !fixed.has(p)).map((p) => names[p]) : null);
    level.textContent = own === undefined ? "" : own === null ? t("apart_held") : t("apart_level", { level: own });
    pieces();
  }

  /** The drawing attributes of the placements of a solution. @param {number[]} options */
  function lying(options) {
    const shades = shadesOf(board, options);
    return options.map((p) => ({ p, shade: shades.get(p) ?? "", kept: false, chosen: app.state.position.includes(names[p]), lifted: false }));
  }

  async function thumbnail(/** @type {bigint} */ n) {
    try {
      const { options, level: own } = await source.one(n);
      small.show(lying(options));
      const levelWords = own === undefined ? "" : own === null ? ` · ${t("level_none")}` : ` · ${own}`;
      return { picture: small.picture.cloneNode(true), label: `${app.number(n)}${levelWords}`, words: t("solution_named", { n }) + levelWords };
    } catch {
      return null;
    }
  }

  // filters

  /** @param {Known} answer */
  function filled({ distinct, levels, symmetries, rules = [], symmetric = [], pieces = [], colours = [] }) {
    const check = (/** @type {string} */ words, /** @type {boolean} */ on, /** @type {(on: boolean) => void} */ changed) => {
      const box = element("input", { type: "checkbox", checked: on, onchange: () => (changed(box.checked), load()) });
      return element("label", { class: "choice" }, box, " ", words);
    };
    const keys = rules.flatMap((rule) => Object.keys(rule)), { touch_border: border, ...others } = wish.rules;
    filters.replaceChildren(...[
      symmetries.length > 1 && check(upToSymmetry(app, "filter_distinct", symmetries), distinct, (on) => (wish.distinct = on)),
      app.program && board.holds && check(t("filter_levels"), Boolean(levels), (on) => (wish.levels = on)),
      keys.includes("touch_border") && check(t("filter_touch_border"), Boolean(border), (on) => (wish.rules = { ...others, ...(on && { touch_border: "all" }) })),
    ].filter((part) => part instanceof Node));
    filters.hidden = !filters.childNodes.length;
    more.show({ rules: keys, pieces, colours, symmetric }, wish.rules);
  }

  /** Toggle buttons for the pieces of this solution; a pressed piece filters for solutions with this placement. */
  function pieces() {
    const { position } = app.state, here = own(), open = keptPieces.open;
    const list = [...new Set([...position, ...here])].map((name) => button(name, () => toggle(name), { "aria-pressed": String(position.includes(name)) }));
    keptPieces.replaceChildren(element("summary", {}, t("filter_pieces", { n: position.length })), element("p", { class: "soft small" }, t("filter_pieces_words")), element("div", { class: "row pieces" }, ...list), ...(position.length ? [button(t("filters_none"), everything)] : []));
    keptPieces.open = open || position.length > 0;
  }

  function toggle(/** @type {string} */ name) {
    const { position } = app.state;
    keepPieces(position.includes(name) ? position.filter((other) => other !== name) : [...position, name]);
  }

  function keepPieces(/** @type {string[]} */ position) {
    app.change({ position, given: app.state.given.filter((name) => position.includes(name)) });
    load();
  }

  function keepAt(/** @type {MouseEvent} */ event) {
    const atom = table.atomAt(event.clientX, event.clientY), p = shown.find((placement) => board.placements.atoms[placement].includes(atom));
    if (p !== undefined && !fixed.has(p)) toggle(names[p]);
  }

  // copying and saving

  async function copyPicture() {
    try {
      await navigator.clipboard.write([new ClipboardItem({ "image/png": pngOf(table.picture) })]);
      app.toast(t("picture_copied"));
    } catch {
      await savePng();
    }
  }

  function savePng() {
    return app.attempt(async () => {
      app.keep(`${file()}.png`, "image/png", new Uint8Array(await (await pngOf(table.picture)).arrayBuffer()));
    });
  }

  async function copyAsText() {
    let text = own().join(" ");
    try {
      const { base64 } = await app.ask("export", { puzzle: asked, format: "text", position: own() });
      text = `${new TextDecoder().decode(bytesOf(base64)).trimEnd()}\n${text}`;
    } catch (error) {
      if (!(error instanceof Refused)) throw error; // without a text picture, copy the placements only
    }
    await copyText(app, text, t("copied"));
  }

  async function copyLink() {
    const link = await linkOf({ ...app.state, view: "solutions", position: own(), given: [] });
    await copyText(app, `${location.href.split("#")[0]}${link}`, t("solution_link_copied"));
  }

  function keyed(/** @type {KeyboardEvent} */ event) {
    const by = event.key === "ArrowRight" ? 1n : event.key === "ArrowLeft" ? -1n : 0n, on = /** @type {Element} */ (event.target);
    if (!by || event.ctrlKey || event.altKey || event.metaKey || on.closest("input, select, textarea, canvas, dialog, nav")) return;
    event.preventDefault();
    go(current + by);
  }

  document.addEventListener("keydown", keyed);
  where();
  load().catch(app.failed);
  return () => {
    stop?.abort();
    turn++;
    document.removeEventListener("keydown", keyed);
    gallery.destroy();
    taking?.end();
    cite.end();
    bodies?.destroy();
  };
}

/** The choices that the program made, for later requests. @param {Known} answer */
const chosen = ({ distinct, levels }) => ({ distinct, levels: Boolean(levels) });

/** A number for JSON; numbers beyond the precision of a double become text. @param {bigint} n */
const plain = (n) => (n <= Number.MAX_SAFE_INTEGER ? Number(n) : String(n));

/** Solutions by number, requested in blocks, one request at a time; the most recently wanted block comes first.
 * @param {(from: bigint) => Promise<Some>} ask */
function blocks(ask) {
  const /** @type {Map<bigint, Promise<Some>>} */ cache = new Map();
  const /** @type {{block: bigint, begin: () => Promise<unknown>}[]} */ waiting = [];
  let busy = false;

  async function work() {
    busy = true;
    for (let next = waiting.pop(); next; next = waiting.pop()) await next.begin().catch(() => {});
    busy = false;
  }

  /** @param {bigint} block @returns {Promise<Some>} */
  function block(block) {
    const there = cache.get(block);
    if (there) return there;
    const answer = new Promise((/** @type {(some: Some) => void} */ resolve, reject) => {
      waiting.push({ block, begin: () => ask(block * TOGETHER + 1n).then(resolve, (error) => (cache.delete(block), reject(error))) });
    });
    cache.set(block, answer);
    if (cache.size > KEPT) cache.delete(/** @type {bigint} */ (cache.keys().next().value));
    if (!busy) work();
    return answer;
  }

  return {
    /** @param {bigint} n @returns {Promise<One>} */
    async one(n) {
      const { solutions, levels } = await block((n - 1n) / TOGETHER), i = Number((n - 1n) % TOGETHER);
      return { options: solutions[i] ?? [], level: levels ? levels[i] : undefined };
    },
  };
}
