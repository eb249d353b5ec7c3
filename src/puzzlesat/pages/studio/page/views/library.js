// The library: all puzzles of the package and saved work, with pictures and a search over names, including names in shops.
import { button, element, svgFrom } from "../dom.js";
import { folded, makeFinder } from "../finding.js";
import { titled, worded } from "../said.js";
import { knows } from "../engine.js";
import { forget, remember, works } from "../state.js";

/** @import { App, Show } from "../app.js" */
/** @typedef {import("../finding.js").Named & {group: string}} Entry group: a key of the texts */

const /** @type {Map<string, {svg: string, written: string[]}>} */ pictures = new Map(); // cache of pictures drawn by the program
let /** @type {Entry[]|null} */ entries = null;
let searched = "";
const AT_ONCE = 2; // concurrent requests for pictures
const FEW_BEGUN = 6, FIRST = 15, FEW_MORE = 4; // numbers of saved works and of puzzles per group shown at first; a group with at most FEW_MORE more is shown in full

/** @type {Show} */
export async function show(root, app) {
  const stop = new AbortController();
  const search = element("input", { type: "search", id: "search", placeholder: app.t("search_example"), autocomplete: "off", spellcheck: "false", value: searched });
  const file = element("input", { type: "file", hidden: true, onchange: () => file.files?.[0] && app.openFile(file.files[0]) });
  const drawOwn = (/** @type {Record<string, unknown>} */ how = {}) => button(app.t("draw_own"), () => app.go("draw", { name: null, puzzle: null }), how);
  const count = element("p", { class: "soft", role: "status" });
  const list = element("div", { class: "groups" });
  root.append(
    element("section", { class: "welcome" }, element("h1", {}, app.t("welcome")), element("p", { class: "soft" }, app.t("welcome_words")),
      element("div", { class: "row" }, element("label", { class: "grow", for: "search" }, element("span", { class: "hidden" }, app.t("search")), search),
        ...(app.program ? [drawOwn({ class: "main" }), button(app.t("open_file"), () => file.click()), file] : [])), count),
    ...begun(app), list);
  const drawn = pictureQueue(app, stop.signal);
  let entered = false; // Enter was pressed before the puzzles were loaded
  let /** @type {ReturnType<typeof makeFinder<Entry>>|null} */ find = null;
  const fill = () => {
    searched = search.value;
    root.classList.toggle("searching", Boolean(searched.trim()));
    if (!entries || !find) return;
    const { hits, meant, like } = find(searched), n = hits.length, all = entries.length;
    count.textContent = !searched || !n ? "" : app.t(like ? "hits_like" : meant ? "hits_meant" : "hits", { n, all, words: like || meant });
    list.replaceChildren(...grouped(hits).map(([group, members]) => section(app, group, members, drawn.watch, searched ? Infinity : FIRST)));
    if (!hits.length) list.append(element("p", {}, app.t("no_hits", { words: searched })), ...(app.program ? [drawOwn()] : []));
  };
  const enter = () => {
    const hits = find && search.value.trim() ? find(search.value).hits : [];
    if (hits.length) app.go("play", { name: hits[0].name });
  };
  search.addEventListener("input", fill);
  search.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    entered = true;
    enter();
  });
  if (matchMedia("(pointer: fine)").matches) search.focus({ preventScroll: true });
  try {
    entries ??= /** @type {Entry[]} */ ((await app.ask("library", {}, { signal: stop.signal })).puzzles);
  } catch (error) {
    drawn.end();
    throw error;
  }
  find = makeFinder(entries, titled);
  fill();
  if (entered && !stop.signal.aborted) enter();
  return () => {
    stop.abort();
    drawn.end();
  };
}

/** The list of saved work to resume. @param {App} app */
function begun(app) {
  const list = works().filter((work) => knows({ ...work, work: work.key, view: "play" }));
  if (!list.length) return [];
  const rows = list.map((work) => {
    const words = titled(work.title || work.name || work.puzzle?.name || ""), when = work.puzzle ? ` · ${new Date(work.when).toLocaleString(app.language, { dateStyle: "medium", timeStyle: "short" })}` : "";
    const row = element("li", {}, button(words, () => app.go("play", { name: work.name, puzzle: work.puzzle, work: work.puzzle ? work.key : "", position: work.position, given: work.given ?? [] }), { class: "open" }),
      element("span", { class: "soft" }, (work.position.length ? app.t("placed", { n: work.position.length }) : app.t("own_puzzle")) + when),
      button("×", removed, { class: "close", "aria-label": app.t("forget", { words }), title: app.t("forget", { words }) }));
    function removed() {
      forget(work.key);
      row.hidden = true;
      app.toast(app.t("forgotten", { words }), { words: app.t("undo"), does: () => (remember(work), (row.hidden = false)) });
    }
    return row;
  });
  const shown = element("ul", { class: "begun" }, ...rows.slice(0, FEW_BEGUN)), more = rows.length > FEW_BEGUN && button(app.t("show_all", { n: rows.length }), () => (shown.append(...rows), /** @type {HTMLElement} */ (more).remove()), { class: "more" });
  return [element("section", {}, element("h2", {}, app.t("begun")), shown, more)];
}

/** Group entries, in the order of first appearance. @param {Entry[]} list @returns {[string, Entry[]][]} */
function grouped(list) {
  const /** @type {Map<string, Entry[]>} */ groups = new Map();
  for (const entry of list) groups.set(entry.group, [...(groups.get(entry.group) || []), entry]);
  return [...groups];
}

/** @param {App} app @param {string} group @param {Entry[]} members @param {(card: HTMLElement, name: string) => void} watch
 * @param {number} first number of entries shown at first */
function section(app, group, members, watch, first) {
  const cards = members.map((entry) => {
    const picture = element("div", { class: "picture", "aria-hidden": "true" });
    const title = titled(entry.title), its = titled(entry.set);
    const names = entry.aliases.filter((name) => !folded(title).includes(folded(name)));
    const set = folded(its) !== folded(title) && !folded(title).startsWith(folded(its)) && its;
    const card = element("button", { type: "button", class: "puzzle", onclick: () => app.go("play", { name: entry.name }) }, picture, element("b", {}, title),
      names.length > 0 ? element("span", { class: "alias" }, names.join(" · ")) : set && element("span", { class: "soft" }, set));
    watch(picture, entry.name);
    return element("li", {}, card);
  });
  if (cards.length <= first + FEW_MORE) first = cards.length;
  const list = element("ul", { class: "puzzles" }, ...cards.slice(0, first));
  const more = cards.length > first && button(app.t("show_all", { n: cards.length }), () => (list.append(...cards.slice(first)), /** @type {HTMLElement} */ (more).remove()), { class: "more" });
  return element("section", {}, element("h2", {}, app.t(`group_${group}`)), list, more);
}

/** A cached picture. @param {string} name */
function picture(name) {
  const { svg = "", written = [] } = pictures.get(name) ?? {};
  return worded(svgFrom(svg), written);
}

/** A queue that requests pictures when they come into view, a few at a time. @param {App} app @param {AbortSignal} signal */
function pictureQueue(app, signal) {
  const /** @type {Map<Element, string>} */ names = new Map();
  const /** @type {Set<Element>} */ waiting = new Set();
  let busy = 0;
  const seen = new IntersectionObserver((changes) => {
    for (const { target, isIntersecting } of changes) {
      if (isIntersecting) waiting.add(target);
      else waiting.delete(target);
    }
    next();
  }, { rootMargin: "200px" });

  function next() {
    for (const place of waiting) {
      if (busy >= AT_ONCE) return;
      waiting.delete(place);
      seen.unobserve(place);
      draw(place, /** @type {string} */ (names.get(place)));
    }
  }

  async function draw(/** @type {Element} */ place, /** @type {string} */ name) {
    busy++;
    place.classList.add("waits");
    try {
      if (!pictures.has(name)) pictures.set(name, await app.ask("picture", { name }, { signal }));
      place.replaceChildren(picture(name));
    } catch {
      place.classList.add("without"); // the card stays, without its picture
    }
    busy--;
    place.classList.remove("waits");
    if (!signal.aborted) next();
  }

  return {
    watch(/** @type {HTMLElement} */ place, /** @type {string} */ name) {
      names.set(place, name);
      if (pictures.has(name)) place.append(picture(name));
      else seen.observe(place);
    },
    end: () => seen.disconnect(),
  };
}
