// The studio: the current view, its puzzle, and the services that all views share.
import { button, element, keep } from "./dom.js";
import { Lost, Refused, isStop } from "./ask.js";
import { PROGRAM, TEXTS, VIEWS, ask, begin, found, home, knows } from "./engine.js";
import { inBase64 } from "./packing.js";
import { Broken, begunOf, choice, keepState, keptState, linkOf, stateOf, workOf } from "./state.js";
import { speak, titled } from "./said.js";
import { texts as english } from "./texts/en.js";
import { texts as german } from "./texts/de.js";

/** @import { State, Puzzle, Work } from "./state.js" */
/** @typedef {{puzzle: Puzzle, asked: {name: string, table?: object}, board: any, area: Area, rules: string[], title: string, known?: import("./views/counting.js").Published, command?: string}} Opened a puzzle that the program has read, with its board; asked: its description in requests; rules: the conditions on solutions; known: published counts; command: the command line that opens it in the program, on a page without the program */
/** @typedef {{form: {required: number, optional: number}, tiles: {low: number, high: number|null}}} Area numbers of cells in the form and in the tiles */

/**
 * The services for views.
 * @typedef {object} App
 * @property {State} state read-only for views; `change` and `go` modify it
 * @property {(part: Partial<State>) => void} change records the user's changes in the current view: saves them, and updates the address
 * @property {(view: string, part?: Partial<State>) => void} go opens a view, optionally with another puzzle or position; Back returns to the current view
 * @property {() => Promise<Opened>} opened returns the puzzle of the state, read by the program; requested only once
 * @property {(question: string, body: object, telling?: import("./ask.js").Telling) => Promise<any>} ask sends a request to the program; throws Refused, Lost, or AbortError
 * @property {(key: string, values?: Record<string, unknown>) => string} t a text in the user's language
 * @property {(n: number|bigint|string) => string} number formats a number in the user's language
 * @property {(words: string, action?: {words: string, does: () => void}) => void} toast shows a message that disappears
 * @property {(error: unknown) => void} failed reports an error to the user; ignores aborts and errors that are reported elsewhere
 * @property {<T>(work: () => Promise<T>) => Promise<T|undefined>} attempt runs work and reports its errors to the user
 * @property {typeof keep} keep offers a file for download
 * @property {(file: File) => Promise<void>} openFile opens the puzzle of a file
 * @property {string} language "en" or "de"
 * @property {boolean} program whether the page has the program, which draws, proves, exports and reads files
 * @property {(view: string) => boolean} shows whether this page has a view
 */
/** @typedef {(root: HTMLElement, app: App) => (void|(() => void)|Promise<void|(() => void)>)} Show the export of a view: it fills the root and returns its cleanup function */

const WITHOUT_PUZZLE = new Set(["library", "draw", "tiles"]);
const DRAWN = new Set(["draw", "tiles"]); // views with their own style sheet
const LANGUAGES = /** @type {Record<string, Record<string, string>>} */ ({ en: Object.assign(english, TEXTS.en), de: Object.assign(german, TEXTS.de) });
const STAY = 6000, AGAIN = 2500; // milliseconds: lifetime of a message; interval of reconnecting to a lost program

const at = (/** @type {string} */ id) => /** @type {HTMLElement} */ (document.getElementById(id));
const /** @type {Record<string, Promise<{show: Show}>>} */ views = {};
let /** @type {(() => void)|void} */ end;
let showing = 0, saving = 0; // the numbers of the latest calls of show and keepNow
let /** @type {{key: string, answer: Promise<Opened>, holds?: boolean}|null} holds: whether its pieces may interlock */ opened = null;
let title = "";

const /** @type {App} */ app = {
  state: home(),
  language: "en",
  program: PROGRAM,
  shows: (view) => VIEWS.includes(view),
  change(part) {
    Object.assign(app.state, "puzzle" in part || "name" in part ? { given: [], ...(app.state.puzzle ? {} : { work: "" }) } : {}, part);
    if (part.puzzle) named(String(part.puzzle.table.title || part.puzzle.name));
    if (at("views").querySelector(":disabled")) navigation(); // the first puzzle enables all views
    keepNow("replace");
  },
  go(view, part = {}) {
    const other = "name" in part || "puzzle" in part;
    Object.assign(app.state, other ? { name: null, puzzle: null, work: part.puzzle ? workOf(part.puzzle) : "", position: [], given: [] } : {}, part, { view });
    if (other) offerBegun();
    keepNow("push");
    show();
  },
  opened() {
    const { name, puzzle } = app.state;
    const key = keyOfOpened();
    if (opened?.key !== key) {
      const answer = app.ask("open", name ? { name } : { puzzle }).then((answered) => {
        if (!answered.board) throw elsewhere(answered, name);
        if (name && !`/${name}`.endsWith(`/${answered.puzzle.name}`) && opened?.key === key) return inState(answered);
        return { puzzle: answered.puzzle, asked: name ? { name } : answered.puzzle, board: answered.board, area: answered.area, rules: answered.rules, known: answered.known, command: answered.command, title: answered.board.title || answered.puzzle.table.title || answered.puzzle.name };
      });
      const own = (opened = { key, answer });
      answer.then((puzzleRead) => opened === own && known(puzzleRead), () => opened === own && (opened = null));
    }
    return opened.answer;
  },
  async ask(question, body, telling) {
    try {
      return await ask(question, body, telling);
    } catch (error) {
      if (error instanceof Lost) lost();
      throw error;
    }
  },
  t(key, values = {}) {
    const words = LANGUAGES[app.language];
    const singular = "n" in values && String(values.n) === "1" ? words[`${key}_one`] : undefined;
    return (singular ?? words[key] ?? english[/** @type {keyof typeof english} */ (key)] ?? key).replace(/\{(\w+)\}/g, (_, name) => {
      const value = values[name];
      return typeof value === "number" || typeof value === "bigint" ? app.number(value) : String(value ?? "");
    });
  },
  number: (n) => (typeof n === "string" ? n : n.toLocaleString(app.language)),
  toast(words, action) {
    const box = element("div", { class: "toast" }, element("p", {}, words));
    if (action) box.append(button(action.words, () => (box.remove(), action.does())));
    box.append(button("×", () => box.remove(), { class: "close", "aria-label": app.t("close") }));
    at("toasts").append(box);
    setTimeout(() => box.remove(), action ? 2 * STAY : STAY);
  },
  failed(error) {
    if (isStop(error) || error instanceof Lost) return; // the banner reports a lost program
    app.toast(error instanceof Refused ? error.sentences.join(" ") : app.t("failed", { words: String(error) }));
    if (!(error instanceof Refused)) console.error(error);
  },
  async attempt(work) {
    try {
      return await work();
    } catch (error) {
      app.failed(error);
    }
  },
  keep,
  openFile: (file) => app.attempt(async () => {
    const request = { file: inBase64(new Uint8Array(await file.arrayBuffer())), base64: true, filename: file.name }; // files of BurrTools are compressed, so read bytes
    const answer = await app.ask("open", request);
    if (answer.puzzle) app.go(answer.board ? "play" : "draw", { puzzle: answer.puzzle });
    else chosen(answer.puzzles, (name) => app.ask("open", { ...request, problem: name }));
  }),
};

/** Store the puzzle of the command line's file in the state, so that links contain it.
 * @param {{puzzle: Puzzle, board: any, rules: string[], area?: any}} said @returns {Opened} */
function inState({ puzzle, board, rules, area }) {
  Object.assign(app.state, { name: null, puzzle, work: workOf(puzzle) });
  if (opened) opened.key = keyOfOpened();
  keepNow("replace");
  return { puzzle, asked: puzzle, board, area, rules, title: board.title || puzzle.table.title || puzzle.name };
}

const keyOfOpened = () => JSON.stringify([app.state.name, app.state.puzzle]);

/** Handle a file that is not a single puzzle: let the user choose one of several, or draw on a grid. Return an AbortError for the calling view.
 * @param {{puzzle: Puzzle|null, puzzles: {name: string, title: string}[]}} said @param {string|null} name */
function elsewhere({ puzzle, puzzles }, name) {
  if (puzzle) app.go("draw", { puzzle });
  else chosen(puzzles, (problem) => app.ask("open", { name, problem }));
  return new DOMException("", "AbortError");
}

/** Let the user choose one of the puzzles of a file. @param {{name: string, title: string}[]} puzzles
 * @param {(name: string) => Promise<any>} open */
function chosen(puzzles, open) {
  const dialog = element("dialog", { "aria-labelledby": "choose" }, element("h2", { id: "choose" }, app.t("choose_problem")));
  const list = element("ul", { class: "choices" });
  for (const { name, title } of puzzles) {
    list.append(element("li", {}, button(titled(title || name), () => {
      dialog.close();
      open(name).then((answer) => app.go("play", { puzzle: answer.puzzle }), app.failed);
    })));
  }
  dialog.append(list, button(app.t("cancel"), () => dialog.close()));
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

// saved work

/** @param {"push"|"replace"} how the method of the browser's history */
async function keepNow(how) {
  const turn = ++saving;
  keepWork();
  const { work } = app.state, link = await linkOf(app.state);
  if (turn !== saving && how === "replace") return; // a later call sets the address
  if (how === "push") history.pushState({ work }, "", link);
  else history.replaceState({ work }, "", link);
}

/** Save the current state to the list of work, and report each entry that was deleted for lack of space. */
function keepWork() {
  for (const work of keepState(app.state, title)) app.toast(app.t("no_room", { words: titled(work.title) }), { words: app.t("no_room_open"), does: () => goOn(work) });
}

/** Resume saved work. @param {Work} work */
const goOn = ({ key, name, puzzle, position, given = [] }) => app.go("play", { name, puzzle, work: puzzle ? key : "", position, given });

/** When a puzzle starts from its beginning, offer to resume saved work. The first piece overwrites the saved work. */
function offerBegun() {
  const { state } = app, left = begunOf(state);
  if (state.view === "play" && left && !state.position.length && left.position.length > 1) app.toast(app.t("left", { n: left.position.length }), { words: app.t("left_go_on"), does: () => goOn(left) });
}

function named(/** @type {string} */ words) {
  title = words;
  at("which").textContent = titled(words);
  document.title = words ? `${titled(words)} · puzzlesat` : "puzzlesat";
  keepWork();
}

/** Use a newly read puzzle: show its title, and enable the view of burrs if its pieces may interlock. @param {Opened} said */
function known({ board, title: words }) {
  named(words);
  if (!board.holds || !opened) return;
  opened.holds = true;
  navigation();
}

async function fromAddress() {
  try {
    const linked = await stateOf(location.hash);
    if (linked?.puzzle) linked.work = history.state?.work || workOf(linked.puzzle);
    if (!linked || knows(linked)) return linked;
    app.toast(app.t("not_here"));
  } catch (error) {
    if (!(error instanceof Broken)) throw error;
    app.toast(app.t("broken_link"));
  }
  return null;
}

// views

async function show() {
  const turn = ++showing;
  if (end) end();
  end = undefined;
  const { state } = app;
  const none = !state.name && !state.puzzle;
  if (!VIEWS.includes(state.view) || (none && !WITHOUT_PUZZLE.has(state.view))) state.view = VIEWS[0];
  const knownTitle = none ? "" : state.puzzle?.table.title || state.puzzle?.name;
  if (knownTitle !== undefined) named(String(knownTitle));
  else app.opened().then((puzzleRead) => turn === showing && named(puzzleRead.title), () => {}); // the view reports the error
  navigation();
  for (const style of document.querySelectorAll("link#draw-style")) /** @type {HTMLLinkElement} */ (style).disabled = !DRAWN.has(state.view);
  const root = element("div", { class: `view ${state.view}`, "data-waits": app.t("opening") });
  at("view").replaceChildren(root);
  scrollTo(0, 0);
  try {
    const view = await viewOf(state.view);
    if (turn !== showing) return;
    const ended = await view.show(root, app);
    if (turn !== showing) ended?.();
    else end = ended;
  } catch (error) {
    if (turn !== showing || isStop(error)) return;
    root.replaceChildren(unreadable(error));
  }
}

/** Load a view once. @param {string} view */
function viewOf(view) {
  const loaded = (views[view] ??= import(`./views/${view}.js`));
  loaded.catch((error) => (console.warn(view, error), delete views[view]));
  return loaded;
}

function unreadable(/** @type {unknown} */ error) {
  if (!(error instanceof Refused || error instanceof Lost)) console.error(error);
  const sentences = error instanceof Refused ? error.sentences : error instanceof Lost ? [app.t("lost")] : [app.t("failed", { words: String(error) })];
  return element("section", { class: "unreadable", role: "alert" }, element("h1", {}, app.t("unreadable")), ...sentences.map((words) => element("p", {}, words)),
    button(app.t("to_library"), () => app.go("library")), button(app.t("try_again"), show));
}

function navigation() {
  const none = !app.state.name && !app.state.puzzle;
  const holds = app.state.view === "apart" || (opened?.key === keyOfOpened() && opened.holds), offered = VIEWS.filter((view) => view !== "apart" || holds);
  at("views").replaceChildren(...offered.map((view) => button(app.t(`view_${view}`), () => app.go(view), {
    "aria-current": view === app.state.view && "page", disabled: none && !WITHOUT_PUZZLE.has(view) })));
  at("views").hidden = VIEWS.length < 2;
  at("views").setAttribute("aria-label", app.t("views"));
  at("views").querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
  const other = app.language === "en" ? "de" : "en";
  at("language").textContent = LANGUAGES[other].language;
  at("language").lang = other;
  at("skip").textContent = app.t("skip");
  at("home").setAttribute("aria-label", `puzzlesat: ${app.t("to_library")}`);
  document.documentElement.lang = app.language;
}

/** Show messages in the half of the window without the pressed or focused element. @param {Event} event */
function makeWay(event) {
  const pressed = /** @type {Element} */ (event.target), box = pressed.getBoundingClientRect(), toasts = at("toasts");
  const middle = event instanceof PointerEvent ? event.clientY : (box.top + box.bottom) / 2;
  if (!toasts.contains(pressed)) toasts.classList.toggle("above", middle > innerHeight / 2);
}

// connection to the program

let /** @type {ReturnType<typeof setInterval>|undefined} */ looking;

function lost() {
  if (looking) return;
  at("lost").replaceChildren(element("p", {}, app.t("lost")), button(app.t("try_again"), look));
  at("lost").hidden = false;
  looking = setInterval(look, AGAIN);
}

async function look() {
  if (!(await found()) || !looking) return;
  clearInterval(looking);
  looking = undefined;
  at("lost").hidden = true;
  app.toast(app.t("found_again"));
  show();
}

// start

async function start() {
  const preferred = choice("language") || (navigator.languages || [navigator.language]).map((tag) => tag.slice(0, 2)).find((tag) => tag in LANGUAGES);
  app.language = preferred in LANGUAGES ? preferred : "en";
  speak(app.language);
  await begin();
  if (PROGRAM) VIEWS.forEach(viewOf); // load all views now; the program may exit before the page closes
  const before = keptState();
  app.state = (await fromAddress()) || (knows(before) ? before : home());
  offerBegun();
  keepNow("replace");
  show();
}

at("home").addEventListener("click", () => app.go("library"));
at("skip").addEventListener("click", (event) => (event.preventDefault(), at("view").focus()));
at("language").addEventListener("click", () => {
  app.language = app.language === "en" ? "de" : "en";
  speak(app.language);
  choice("language", app.language);
  show();
});
for (const kind of ["pointerdown", "focusin"]) addEventListener(kind, makeWay);
addEventListener("popstate", async () => {
  saving++; // discard a pending link, which would replace the opened address
  const linked = await fromAddress();
  if (!linked) return;
  app.state = linked;
  keepWork();
  show();
});
addEventListener("dragover", (event) => event.preventDefault());
addEventListener("drop", (event) => {
  event.preventDefault();
  const file = event.dataTransfer?.files[0];
  if (file && PROGRAM) app.openFile(file);
});
start();
