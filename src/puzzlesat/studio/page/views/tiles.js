// The pieces of a puzzle: known sets, all polyforms of a size, or drawn ones; how many copies; what is odd about them.
import { button, cleared, element, svgFrom } from "../dom.js";
import { keyOf, makeLattice } from "../paint/lattice.js";
import { makeEasel } from "../paint/easel.js";
import { alongLine, empty, makeHistory } from "../paint/strokes.js";
import { nameOf, withTiles } from "../paint/table.js";
import { knownTo, tableOf } from "./draw.js";
import { titled } from "../said.js";

/** @typedef {import("../paint/verdict.js").Tile} Tile */
/** @typedef {Record<string, any>} Table */

const MOST = 9999, LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

/** What was read, with a tile for each name: equal ones were joined. @param {any} read */
const singly = (read) => ({ ...read, tiles: read.tiles.flatMap((/** @type {Tile} */ tile) => tile.members.map((name, i) => ({ ...tile, name, low: tile.ranges[i][0], high: tile.ranges[i][1] }))) });

/** @type {import("../app.js").Show} */
export async function show(root, app) {
  const { t } = app;
  let { name, table } = await tableOf(app);
  const { grids, models } = await knownTo(app);
  let read = singly(await app.ask("grids", { read: table }));
  const lattice = makeLattice(read.grid);
  const cards = element("ul", { class: "tile-cards" }), summary = element("p", { class: "badge-line", role: "status", "aria-live": "polite" });

  /** Take over a changed table, and show what it says. @param {Table} next @param {boolean} [stay] the grid is the same */
  async function change(next, stay = true) {
    try {
      const answer = await app.ask("grids", { read: next });
      table = next;
      app.change({ name: null, puzzle: { name: (name = name || nameOf(table.title ?? "", "drawing")), table }, position: [] });
      if (!stay || answer.grid.name !== lattice.grid.name) return app.go("tiles");
      read = singly(answer);
      list();
    } catch (error) {
      app.failed(error);
    }
  }

  // the pieces there are

  /** Whether pieces carry marks or colours, or cover more than one paints: they are changed in their copies alone. */
  const special = () => read.marks?.length > 0 || read.fits?.length > 0 || lattice.grid.beside.length > 0;

  /** The tiles spelled out, each a table of its own: so that one of them can be changed in more than its copies. */
  async function spelled() {
    const tiles = /** @type {Table} */ ({});
    for (const tile of /** @type {Tile[]} */ (read.tiles)) {
      const own = table.tiles?.[tile.name], shape = own && (own.picture || own.atoms || own.around) ? own : (await app.ask("grids", { tile: tile.atoms.filter((atom) => !lattice.grid.atoms[atom[lattice.dimension]].crossing), on: lattice.grid.name })).tile;
      const copies = tile.high === null && tile.low === 0 ? "any" : tile.low === tile.high ? tile.low : [tile.low, tile.high ?? MOST];
      tiles[tile.name] = { ...shape, ...(copies === 1 ? {} : { copies }), ...(tile.flips !== read.flips ? { flips: tile.flips } : {}) };
      if (copies === 1) delete tiles[tile.name].copies;
    }
    const { model, generate, use, tiles: _old, ...rest } = table;
    return { ...rest, grid: lattice.grid.name, flips: read.flips ?? true, tiles };
  }

  /** @param {Tile} tile @param {any} copies */
  async function setCopies(tile, copies) {
    const own = table.tiles?.[tile.name], hasShape = own && (own.picture || own.atoms || own.around);
    if (table.model || hasShape) return change({ ...table, tiles: { ...table.tiles, [tile.name]: { ...own, copies } } });
    const next = await spelled();
    next.tiles[tile.name] = { ...next.tiles[tile.name], copies };
    return change(next);
  }

  /** @param {Tile} tile */
  async function remove(tile) {
    if (table.model && !table.tiles?.[tile.name]?.picture && !table.tiles?.[tile.name]?.atoms) {
      const use = (table.use ?? read.tiles.map((/** @type {Tile} */ one) => one.name)).filter((/** @type {string} */ one) => one !== tile.name);
      const tiles = Object.fromEntries(Object.entries(table.tiles ?? {}).filter(([own]) => own !== tile.name));
      return change({ ...table, use, tiles });
    }
    if (special()) {
      const tiles = Object.fromEntries(Object.entries(table.tiles ?? {}).filter(([own]) => own !== tile.name));
      return change({ ...table, tiles });
    }
    const next = await spelled();
    delete next.tiles[tile.name];
    return change(next);
  }

  /** @param {Tile} tile @param {boolean} flips */
  async function setFlips(tile, flips) {
    const next = await spelled();
    next.tiles[tile.name] = { ...next.tiles[tile.name], flips };
    return change(next);
  }

  /** @param {Tile} tile */
  function card(tile) {
    const kind = tile.high === null ? "any" : tile.low === tile.high ? "exactly" : "range";
    const low = element("input", { type: "number", min: 0, max: MOST, value: tile.low, inputmode: "numeric", "aria-label": t("tiles_copies", { name: tile.name }) });
    const high = element("input", { type: "number", min: 0, max: MOST, value: tile.high ?? tile.low, inputmode: "numeric", "aria-label": `${t("tiles_copies", { name: tile.name })}, ${t("tiles_to")}` });
    const how = element("select", { "aria-label": `${t("tiles_kinds")} ${tile.name}` }, ...["exactly", "range", "any"].map((one) => element("option", { value: one, selected: one === kind }, t(`tiles_${one}`))));
    const laid = () => {
      low.hidden = how.value === "any";
      high.hidden = how.value !== "range";
    };
    const kept = () => {
      const [a, b] = [low, high].map((one) => Math.max(0, Math.min(MOST, Math.round(Number(one.value)) || 0)));
      setCopies(tile, how.value === "any" ? "any" : how.value === "range" ? [Math.min(a, b), Math.max(a, b)] : a);
    };
    how.addEventListener("change", () => (laid(), how.value === "range" && Number(high.value) <= Number(low.value) ? (high.value = String(Number(low.value) + 1), kept()) : kept()));
    low.addEventListener("change", kept);
    high.addEventListener("change", kept);
    laid();
    const flips = element("input", { type: "checkbox", checked: tile.flips, onchange: () => setFlips(tile, flips.checked) });
    const remarks = [tile.parts > 1 && t("tiles_in_parts", { n: tile.parts }), tile.members.length > 1 && t("tiles_equal", { names: tile.members.filter((one) => one !== tile.name).join(", ") }), mirrored(tile) && t("tiles_equal_mirrored", { names: mirrored(tile) })].filter(Boolean);
    return element("li", {}, element("div", { class: "tile-picture" }, svgFrom(tile.svg)),
      element("div", { class: "tile-head" }, element("b", {}, tile.name), lattice.dimension === 2 && !special() && button("✎", () => edit(tile), { class: "close", "aria-label": t("tiles_edit", { name: tile.name }), title: t("tiles_edit", { name: tile.name }) }), button("×", () => remove(tile), { class: "close", "aria-label": t("tiles_remove", { name: tile.name }), title: t("tiles_remove", { name: tile.name }) })),
      element("div", { class: "copies" }, how, low, high), !special() && element("label", { class: "row small" }, flips, t("tiles_flips")), ...remarks.map((words) => element("p", { class: "tile-remark" }, String(words))));
  }

  /** The names of other tiles that are this one turned over, where neither may be. @param {Tile} tile */
  function mirrored(tile) {
    if (tile.flips || special()) return "";
    const looks = imagesUpTo(tile.atoms, (g) => g.mirror);
    return read.tiles.filter((/** @type {Tile} */ one) => !tile.members.includes(one.name) && one.atoms.length === tile.atoms.length && looks.has(plain(one.atoms))).map((/** @type {Tile} */ one) => one.name).join(", ");
  }

  /** @param {number[][]} atoms */
  function plain(atoms) {
    const n = lattice.dimension, low = Array.from({ length: n }, (_, i) => Math.min(...atoms.map((atom) => atom[i])));
    return atoms.map((atom) => keyOf(atom.map((x, i) => (i < n ? x - low[i] : x)))).sort().join(" ");
  }

  /** @param {number[][]} atoms @param {(g: import("../paint/lattice.js").Symmetry) => boolean} which */
  function imagesUpTo(atoms, which) {
    const nowhere = lattice.grid.basis.map(() => 0);
    return new Set(lattice.grid.symmetries.flatMap((g, symmetry) => (which(g) && g.over === 1 ? [plain(atoms.map((atom) => /** @type {number[]} */ (lattice.image({ symmetry, move: nowhere }, atom))))] : [])));
  }

  function list() {
    const tiles = /** @type {Tile[]} */ (read.tiles), [low, high] = read.area, pieces = tiles.reduce((sum, tile) => sum + (tile.high ?? tile.low), 0);
    const has = read.form.atoms.length, least = has - read.form.optional.length, fits = has >= low && (high === null || least <= high);
    cleared(cards).append(...tiles.map(card));
    if (!tiles.length) cards.append(element("li", { class: "soft" }, read.wrong.join(" ") || t("tiles_none")));
    const cover = t("tiles_now", { n: pieces, area: high === null ? t("draw_area_or_more", { n: low }) : low === high ? low : t("draw_area_range", { low, high }) });
    cleared(summary).append(element("b", {}, cover), "; ", element("span", { class: has ? (fits ? "good" : "bad") : "soft" }, has ? t(fits ? "tiles_form_fits" : "tiles_form", { n: has }) : t("tiles_form_none")), ".");
  }

  /** Begin with no piece, as somebody does who draws all of them. */
  async function removeAll() {
    const before = { name: app.state.name, puzzle: { name: name || "drawing", table } };
    await change(withTiles(table, { grid: lattice.grid.name, flips: read.flips ?? true, tiles: {} }));
    app.toast(t("tiles_removed"), { words: t("draw_undo"), does: () => app.go("tiles", before.name ? { name: before.name } : { puzzle: before.puzzle }) });
  }

  // known sets, and polyforms

  const gridChoice = element("select", { "aria-label": t("draw_grid") }, ...grids.map((one) => element("option", { value: one.name, selected: one.name === lattice.grid.name }, t(`grid_${one.name}`) === `grid_${one.name}` ? one.title : t(`grid_${one.name}`))));
  const setChoice = element("select", { "aria-label": t("tiles_set"), onchange: () => setChoice.value && take({ model: setChoice.value }) });
  function sets() {
    cleared(setChoice).append(element("option", { value: "" }, t("tiles_set_choose")), ...models.filter((one) => one.grid === gridChoice.value).map((one) => element("option", { value: one.name, selected: one.name === table.model }, titled(one.title))));
  }
  gridChoice.addEventListener("change", sets);
  /** @param {Table} tiles */
  function take(tiles) {
    const other = (tiles.grid ?? models.find((one) => one.name === tiles.model)?.grid) !== lattice.grid.name, next = withTiles(table, tiles);
    if (other) delete next.form; // a form is one of its grid
    const before = table;
    app.toast(t("tiles_set"), { words: t("draw_undo"), does: () => change(before, false) });
    return change(next, !other);
  }
  const cells = element("input", { type: "number", min: 1, max: 9, value: 5, inputmode: "numeric", "aria-label": t("tiles_cells") });
  const kind = element("select", { "aria-label": t("tiles_kind") }, ...["free", "one_sided", "fixed"].map((one) => element("option", { value: one }, t(`tiles_${one}`))));
  const found = element("div", { class: "tile-choices" });
  const preview = async () => {
    const n = Number(cells.value);
    try {
      const answer = await app.ask("polyforms", { grid: gridChoice.value, kind: kind.value, n });
      cleared(found).append(...answer.tiles.slice(0, 400).map((/** @type {any} */ one) => { const made = button("", () => addOne(one.name, one.atoms), { title: t("tiles_add_one", { name: one.name }), "aria-label": t("tiles_add_one", { name: one.name }) }); made.append(svgFrom(one.svg), one.name); return made; }));
    } catch (error) {
      cleared(found);
      app.failed(error);
    }
  };
  for (const one of [cells, kind, gridChoice]) one.addEventListener("change", preview);
  const polyTable = () => ({ grid: gridChoice.value, flips: kind.value === "free", ...(kind.value === "fixed" ? { turns: "none" } : {}), generate: [{ [kind.value]: Math.max(1, Math.min(9, Number(cells.value) || 1)) }] });
  /** Add polyforms to what is there. */
  function addPolyforms() {
    if (gridChoice.value !== lattice.grid.name) return take(polyTable());
    return change({ ...table, generate: [...(table.generate ?? []), ...polyTable().generate] });
  }

  /** @param {string} wanted @param {number[][]} atoms */
  async function addOne(wanted, atoms) {
    const taken = new Set(read.tiles.flatMap((/** @type {Tile} */ one) => one.members));
    let own = wanted;
    for (let i = 2; taken.has(own); i++) own = `${wanted}${i}`;
    try {
      const { tile } = await app.ask("grids", { tile: atoms, on: gridChoice.value });
      if (gridChoice.value !== lattice.grid.name) return take({ grid: gridChoice.value, flips: kind.value === "free", tiles: { [own]: tile } });
      return change({ ...table, tiles: { ...table.tiles, [own]: tile } });
    } catch (error) {
      app.failed(error);
    }
  }

  // one's own

  const board = element("div", { class: "board" }), history = makeHistory(empty()), ownName = element("input", { "aria-label": t("tiles_own_name"), maxlength: 20, value: freeLetter() });
  let editing = "";
  /** @type {{base: import("../paint/strokes.js").Paint, now: import("../paint/strokes.js").Paint, erase: boolean}|null} */
  let stroke = null;
  let layer = 0;
  const easel = makeEasel(board, lattice, {
    begin(point, atom) {
      const base = history.now();
      stroke = { base, now: { ...base, atoms: new Map(base.atoms) }, erase: atom !== null && base.atoms.has(keyOf(atom)) };
      this.go(point, point);
    },
    go(from, to) {
      if (!stroke) return;
      const atoms = alongLine(lattice, from, to, layer);
      put(stroke.now, atoms, stroke.erase);
      easel.touch(atoms, { optional: false, colour: "" }, stroke.erase);
    },
    end(cancelled) {
      if (!stroke) return;
      if (cancelled) easel.paint(stroke.base);
      else history.keep(stroke.now), easel.paint(stroke.now);
      stroke = null;
    },
    press(atom) {
      const base = history.now(), now = { ...base, atoms: new Map(base.atoms) };
      put(now, [atom], base.atoms.has(keyOf(atom)));
      history.keep(now);
      easel.paint(now);
    },
    hover: () => {},
    layer: (by) => setLayer(layer + by),
  }, t("tiles_own"), 3);
  /** @param {import("../paint/strokes.js").Paint} paint @param {number[][]} atoms @param {boolean} erase */
  function put(paint, atoms, erase) {
    for (const atom of atoms) erase ? paint.atoms.delete(keyOf(atom)) : paint.atoms.set(keyOf(atom), { optional: false, colour: "" });
  }
  const layerWords = element("span", { class: "small" }), layers = element("div", { class: "layers" }, button("−", () => setLayer(layer - 1), { "aria-label": t("draw_layer_down") }), layerWords, button("+", () => setLayer(layer + 1), { "aria-label": t("draw_layer_up") }));
  layers.hidden = lattice.dimension === 2;
  /** @param {number} next */
  function setLayer(next) {
    layer = next;
    easel.layer(next);
    layerWords.textContent = `${t("draw_layer")} ${app.number(next + 1)}`;
  }
  setLayer(0);
  function freeLetter() {
    const taken = new Set(read.tiles.flatMap((/** @type {Tile} */ one) => one.members));
    return [...LETTERS].find((letter) => !taken.has(letter)) ?? `T${taken.size + 1}`;
  }
  const keepOwn = button(t("tiles_own_add"), addOwn, { class: "main" });
  async function addOwn() {
    const atoms = [...history.now().atoms.keys()].map((key) => key.split(",").map(Number)), own = ownName.value.trim();
    if (!atoms.length) return app.toast(t("tiles_own_empty"));
    if (!own || /[\s.@]/.test(own)) return app.toast(t("tiles_name_bad"));
    if (own !== editing && read.tiles.some((/** @type {Tile} */ one) => one.members.includes(own))) return app.toast(t("tiles_name_taken", { name: own }));
    try {
      const { tile } = await app.ask("grids", { tile: atoms, on: lattice.grid.name });
      let next = table;
      if (editing) {
        next = await spelled();
        const { copies, flips } = next.tiles[editing];
        next.tiles = Object.fromEntries(Object.entries(next.tiles).map(([key, old]) => (key === editing ? [own, { ...tile, ...(copies === undefined ? {} : { copies }), ...(flips === undefined ? {} : { flips }) }] : [key, old])));
      } else next = { ...table, tiles: { ...table.tiles, [own]: tile } };
      await change(next);
      editing = "";
      keepOwn.textContent = t("tiles_own_add");
      history.keep(empty());
      easel.paint(history.now());
      ownName.value = freeLetter();
    } catch (error) {
      app.failed(error);
    }
  }
  /** @param {Tile} tile */
  function edit(tile) {
    editing = tile.name;
    ownName.value = tile.name;
    keepOwn.textContent = t("tiles_own_change");
    history.keep({ atoms: new Map(tile.atoms.filter((atom) => lattice.grid.atoms[atom[lattice.dimension]].main).map((atom) => [keyOf(atom), { optional: false, colour: "" }])), removed: new Set() });
    easel.paint(history.now());
    easel.fit();
    board.scrollIntoView({ block: "center" });
    easel.focus();
  }

  root.append(element("h1", {}, t("tiles_title")), element("p", { class: "soft" }, t("tiles_words")),
    element("div", { class: "tile-makers" },
      element("section", { class: "panel" }, element("h2", {}, t("tiles_set")), element("label", { class: "field" }, element("span", {}, t("draw_grid")), gridChoice), element("label", { class: "field" }, element("span", {}, t("tiles_set_short")), setChoice),
        element("h2", {}, t("tiles_polyforms")), element("label", { class: "field" }, element("span", {}, t("tiles_cells")), cells), element("label", { class: "field" }, element("span", {}, t("tiles_kind")), kind),
        element("div", { class: "row" }, button(t("tiles_make"), () => take(polyTable())), button(t("tiles_add"), addPolyforms)), found),
      element("section", { class: "panel small-board" }, element("h2", {}, t("tiles_own")), layers, board, element("div", { class: "row own-row" }, element("label", { class: "row" }, element("span", { class: "small soft" }, t("tiles_own_name")), ownName), keepOwn, button(t("draw_clear"), () => (history.keep(empty()), easel.paint(history.now())))))),
    element("div", { class: "row" }, element("div", { class: "grow" }, summary), button(t("tiles_remove_all"), removeAll, { hidden: special() }), button(t("tiles_to_form"), () => app.go("draw", table.form || app.state.puzzle ? {} : { puzzle: { name: name || "drawing", table } }), { class: "main" })), cards);
  sets();
  list();
  preview();
  return () => easel.end();
}
