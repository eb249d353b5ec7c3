// The tiles view: sets of pieces, all polyforms of a size, or drawn pieces; numbers of copies; and peculiarities.
import { button, element, svgFrom } from "../dom.js";
import { atomOf, keyOf, makeLattice } from "../paint/lattice.js";
import { colourOf, makeEasel } from "../paint/easel.js";
import { colourOfMark, marksOn, marked, marksFrom, marksSaid, namesOf, nextSide, sideAt, wedgesOf } from "../paint/marks.js";
import { namer } from "../paint/naming.js";
import { gridAt, gridOptions, saidBy, valueOf } from "../paint/grids.js";
import { alongLine, empty, makeHistory } from "../paint/strokes.js";
import { nameOf, withTiles } from "../paint/table.js";
import { keepGrid } from "../state.js";
import { knownTo, tableOf } from "./draw.js";
import { titled } from "../said.js";

/** @import { Tile } from "../paint/verdict.js" */
/** @typedef {Record<string, any>} Table */

const DRAWN = new Set(["picture", "atoms", "around", "placements", "outlines", "marks", "colours"]); // keys of a tile that painting defines; other keys are preserved
const MAX_COPIES = 9999, LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

/** Split joined tiles: one tile for each name. @param {any} read */
const singly = (read) => ({ ...read, tiles: read.tiles.flatMap((/** @type {Tile} */ tile) => tile.members.map((name, i) => ({ ...tile, name, low: tile.ranges[i][0], high: tile.ranges[i][1] }))) });

/** @type {import("../app.js").Show} */
export async function show(root, app) {
  const { t } = app;
  let { name, table } = await tableOf(app);
  const { grids, models } = await knownTo(app);
  let read = singly(await app.ask("grids", { read: table }));
  const lattice = makeLattice(read.grid), here = saidBy(table, read.grid);
  if (typeof here !== "string") keepGrid(here);
  const cards = element("ul", { class: "tile-cards" }), summary = element("p", { class: "badge-line", role: "status", "aria-live": "polite" });

  /** Replace the table and show it. @param {Table} next @param {boolean} [stay] the grid is the same */
  const change = (next, stay = true) => app.attempt(async () => {
    const answer = await app.ask("grids", { read: next });
    table = next;
    app.change({ name: null, puzzle: { name: (name = name || nameOf(table.title ?? "", "drawing")), table }, position: [] });
    if (!stay || valueOf(saidBy(next, answer.grid)) !== valueOf(here)) return app.go("tiles");
    read = singly(answer);
    list();
    showBrushes();
  });

  // the list of pieces

  /** Return whether pieces have atoms that painting cannot change; then only their copies can be changed. */
  const special = () => lattice.grid.beside.length > 0;

  /** The tiles with explicit tables, so that more than their copies can be changed. */
  async function spelled() {
    const tiles = /** @type {Table} */ ({}), { tiles: shapes, ...rules } = read.rules, shown = read.shown ?? {}, flips = rules.flips ?? true;
    for (const tile of /** @type {Tile[]} */ (read.tiles)) {
      const shape = shapes[tile.name] ?? (await app.ask("grids", { tile: tile.atoms.filter((atom) => !lattice.grid.atoms[atom[lattice.dimension]].crossing), on: here })).tile;
      const copies = tile.high === null && tile.low === 0 ? "any" : tile.low === tile.high ? tile.low : [tile.low, tile.high ?? MAX_COPIES];
      tiles[tile.name] = { ...shape, ...(tile.name in shown ? { colour: shown[tile.name] } : {}), ...(copies === 1 ? {} : { copies }), ...(tile.flips !== flips ? { flips: tile.flips } : {}) };
      if (copies === 1) delete tiles[tile.name].copies;
    }
    const { model, generate, use, tiles: _old, ...rest } = table;
    return { ...rest, ...rules, grid: here, flips, tiles };
  }

  async function setCopies(/** @type {Tile} */ tile, /** @type {any} */ copies) {
    const own = table.tiles?.[tile.name], hasShape = own && (own.picture || own.atoms || own.around);
    if (table.model || hasShape) return change({ ...table, tiles: { ...table.tiles, [tile.name]: { ...own, copies } } });
    const next = await spelled();
    next.tiles[tile.name] = { ...next.tiles[tile.name], copies };
    return change(next);
  }

  async function remove(/** @type {Tile} */ tile) {
    if (table.model && !table.tiles?.[tile.name]?.picture && !table.tiles?.[tile.name]?.atoms) {
      const use = (table.use ?? read.tiles.map((/** @type {Tile} */ other) => other.name)).filter((/** @type {string} */ one) => one !== tile.name);
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

  async function setFlips(/** @type {Tile} */ tile, /** @type {boolean} */ flips) {
    const next = await spelled();
    next.tiles[tile.name] = { ...next.tiles[tile.name], flips };
    return change(next);
  }

  /** Set the colour of a piece. @param {Tile} tile @param {string} colour */
  const setColour = (tile, colour) => change({ ...table, tiles: { ...table.tiles, [tile.name]: { ...table.tiles?.[tile.name], colour } } });

  function card(/** @type {Tile} */ tile) {
    const kind = tile.high === null ? "any" : tile.low === tile.high ? "exactly" : "range";
    const low = element("input", { type: "number", min: 0, max: MAX_COPIES, value: tile.low, inputmode: "numeric", "aria-label": t("tiles_copies", { name: tile.name }) });
    const high = element("input", { type: "number", min: 0, max: MAX_COPIES, value: tile.high ?? tile.low, inputmode: "numeric", "aria-label": `${t("tiles_copies", { name: tile.name })}, ${t("tiles_to")}` });
    const how = element("select", { "aria-label": `${t("tiles_kinds")} ${tile.name}` }, ...["exactly", "range", "any"].map((option) => element("option", { value: option, selected: option === kind }, t(`tiles_${option}`))));
    const laid = () => {
      low.hidden = how.value === "any";
      high.hidden = how.value !== "range";
    };
    const keepCopies = () => {
      const [a, b] = [low, high].map((input) => Math.max(0, Math.min(MAX_COPIES, Math.round(Number(input.value)) || 0)));
      setCopies(tile, how.value === "any" ? "any" : how.value === "range" ? [Math.min(a, b), Math.max(a, b)] : a);
    };
    how.addEventListener("change", () => (laid(), how.value === "range" && Number(high.value) <= Number(low.value) ? (high.value = String(Number(low.value) + 1), keepCopies()) : keepCopies()));
    low.addEventListener("change", keepCopies);
    high.addEventListener("change", keepCopies);
    laid();
    const flips = element("input", { type: "checkbox", checked: tile.flips, onchange: () => setFlips(tile, flips.checked) });
    const shown = element("input", { type: "color", value: tile.colour, "aria-label": t("tiles_colour", { name: tile.name }), title: t("tiles_colour", { name: tile.name }), onchange: () => setColour(tile, shown.value) });
    const remarks = [tile.parts > 1 && t("tiles_in_parts", { n: tile.parts }), tile.members.length > 1 && t("tiles_equal", { names: tile.members.filter((member) => member !== tile.name).join(", ") }), mirrored(tile) && t("tiles_equal_mirrored", { names: mirrored(tile) })].filter(Boolean);
    return element("li", {}, element("div", { class: "tile-picture" }, svgFrom(tile.svg)),
      element("div", { class: "tile-head" }, element("b", {}, tile.name), shown, lattice.dimension === 2 && !special() && button("✎", () => edit(tile), { class: "close", "aria-label": t("tiles_edit", { name: tile.name }), title: t("tiles_edit", { name: tile.name }) }), button("×", () => remove(tile), { class: "close", "aria-label": t("tiles_remove", { name: tile.name }), title: t("tiles_remove", { name: tile.name }) })),
      element("div", { class: "copies" }, how, low, high), !special() && element("label", { class: "row small" }, flips, t("tiles_flips")), ...remarks.map((words) => element("p", { class: "tile-remark" }, String(words))));
  }

  /** The names of tiles that are mirror images of a tile, if pieces may not be flipped. @param {Tile} tile */
  function mirrored(tile) {
    if (tile.flips || special() || tile.marks.length || tile.colours.length) return "";
    const looks = imagesUpTo(tile.atoms, (g) => g.mirror);
    return read.tiles.filter((/** @type {Tile} */ other) => !tile.members.includes(other.name) && other.atoms.length === tile.atoms.length && looks.has(plain(other.atoms))).map((/** @type {Tile} */ one) => one.name).join(", ");
  }

  function plain(/** @type {number[][]} */ atoms) {
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
    cards.replaceChildren(...tiles.map(card));
    if (!tiles.length) cards.append(element("li", { class: "soft" }, read.wrong.join(" ") || t("tiles_none")));
    const cover = t("tiles_now", { n: pieces, area: high === null ? t("draw_area_or_more", { n: low }) : low === high ? low : t("draw_area_range", { low, high }) });
    summary.replaceChildren(element("b", {}, cover), "; ", element("span", { class: has ? (fits ? "good" : "bad") : "soft" }, has ? t(fits ? "tiles_form_fits" : "tiles_form", { n: has }) : t("tiles_form_none")), ".");
  }

  /** Remove all pieces, for drawing new ones. */
  async function removeAll() {
    const before = { name: app.state.name, puzzle: { name: name || "drawing", table }, work: app.state.work };
    await change(withTiles(table, { grid: here, flips: read.flips ?? true, tiles: {} }));
    app.toast(t("tiles_removed"), { words: t("draw_undo"), does: () => app.go("tiles", before.name ? { name: before.name } : { puzzle: before.puzzle, work: before.work }) });
  }

  // sets and polyforms

  const gridChoice = element("select", { "aria-label": t("draw_grid") }, ...gridOptions(app, grids, here)), elsewhere = () => gridChoice.value !== valueOf(here), chosenGrid = () => gridAt(gridChoice.value, here);
  const setChoice = element("select", { "aria-label": t("tiles_set"), onchange: () => setChoice.value && take({ model: setChoice.value }) });
  function sets() {
    setChoice.replaceChildren(element("option", { value: "" }, t("tiles_set_choose")), ...models.filter((model) => model.grid === gridChoice.value).map((one) => element("option", { value: one.name, selected: one.name === table.model }, titled(one.title))));
  }
  gridChoice.addEventListener("change", sets);
  function take(/** @type {Table} */ tiles) {
    const other = valueOf(tiles.grid ?? models.find((model) => model.name === tiles.model)?.grid ?? "") !== valueOf(here), next = withTiles(table, tiles);
    if (other) delete next.form; // a form belongs to one grid
    const before = table;
    app.toast(t("tiles_taken"), { words: t("draw_undo"), does: () => change(before, false) });
    return change(next, !other);
  }
  const cells = element("input", { type: "number", min: 1, max: 9, value: 5, inputmode: "numeric", "aria-label": t("tiles_cells") });
  const kind = element("select", { "aria-label": t("tiles_kind") }, ...["free", "one_sided", "fixed"].map((option) => element("option", { value: option }, t(`tiles_${option}`))));
  const found = element("div", { class: "tile-choices" });
  const preview = async () => {
    const n = Number(cells.value);
    try {
      const answer = await app.ask("polyforms", { grid: chosenGrid(), kind: kind.value, n });
      found.replaceChildren(...answer.tiles.slice(0, 400).map((/** @type {any} */ polyform) => { const made = button("", () => addOne(polyform.name, polyform.atoms), { title: t("tiles_add_one", { name: polyform.name }), "aria-label": t("tiles_add_one", { name: polyform.name }) }); made.append(svgFrom(polyform.svg), polyform.name); return made; }));
    } catch (error) {
      found.replaceChildren();
      app.failed(error);
    }
  };
  for (const control of [cells, kind, gridChoice]) control.addEventListener("change", preview);
  const polyTable = () => ({ grid: chosenGrid(), flips: kind.value === "free", ...(kind.value === "fixed" ? { turns: "none" } : {}), generate: [{ [kind.value]: Math.max(1, Math.min(9, Number(cells.value) || 1)) }] });
  /** Return whether pieces carry marks on a grid; such pieces are cards with one side. @param {import("../paint/grids.js").Said} grid */
  const carries = (grid) => (typeof grid === "string" ? grids.find((known) => known.name === grid)?.marks : grid.atoms?.some((atom) => atom.role === "mark")) ?? false;
  /** Add polyforms to the pieces. */
  function addPolyforms() {
    if (elsewhere()) return take(polyTable());
    return change({ ...table, generate: [...(table.generate ?? []), ...polyTable().generate] });
  }

  async function addOne(/** @type {string} */ name, /** @type {number[][]} */ atoms) {
    const taken = new Set(read.tiles.flatMap((/** @type {Tile} */ tile) => tile.members));
    let own = name;
    for (let i = 2; taken.has(own); i++) own = `${name}${i}`;
    await app.attempt(async () => {
      const { tile } = await app.ask("grids", { tile: atoms, on: chosenGrid() });
      if (elsewhere()) return take({ grid: chosenGrid(), flips: kind.value === "free", tiles: { [own]: tile } });
      return change({ ...table, tiles: { ...table.tiles, [own]: tile } });
    });
  }

  // drawing a piece

  const board = element("div", { class: "board" }), history = makeHistory(empty()), ownName = element("input", { "aria-label": t("tiles_own_name"), maxlength: 20, value: freeLetter() });
  let editing = "";
  let /** @type {{base: import("../paint/strokes.js").Paint, now: import("../paint/strokes.js").Paint, erase: boolean}|null} */ stroke = null;
  let layer = 0;
  const easel = makeEasel(board, lattice, {
    begin(point, atom) {
      const base = history.now();
      if (brush.kind === "mark") return void (atom && mark(atom, sideAt(lattice, atom, point)));
      stroke = { base, now: { ...base, atoms: new Map(base.atoms) }, erase: atom !== null && base.atoms.get(keyOf(atom))?.colour === colour() };
      this.go(point, point);
    },
    go(from, to) {
      if (!stroke) return;
      const atoms = alongLine(lattice, from, to, layer);
      put(stroke.now, atoms, stroke.erase);
      easel.touch(atoms, { optional: false, colour: colour() }, stroke.erase);
    },
    end(cancelled) {
      if (!stroke) return;
      if (cancelled) easel.paint(stroke.base);
      else keep(stroke.now);
      stroke = null;
    },
    press(atom) {
      const base = history.now(), now = { ...base, atoms: new Map(base.atoms) };
      if (brush.kind === "mark") return mark(atom, nextSide(lattice, base.marks ?? new Map(), atom));
      put(now, [atom], base.atoms.get(keyOf(atom))?.colour === colour());
      keep(now);
    },
    hover: () => {},
    layer: (by) => setLayer(layer + by),
  }, t("tiles_own"), 3);
  /** @param {import("../paint/strokes.js").Paint} paint @param {number[][]} atoms @param {boolean} erase */
  function put(paint, atoms, erase) {
    for (const atom of atoms) erase ? paint.atoms.delete(keyOf(atom)) : paint.atoms.set(keyOf(atom), { optional: false, colour: colour() });
  }
  function keep(/** @type {import("../paint/strokes.js").Paint} */ paint) {
    history.keep({ ...paint, marks: marksOn(paint.marks ?? new Map(), (key) => paint.atoms.has(key)) });
    shown();
  }
  function shown() {
    const now = history.now(), names = halves();
    easel.paint(now);
    easel.wedges(wedgesOf(lattice, now.marks ?? new Map(), shade, (markName) => names.has(markName)));
  }

  // brushes for a piece: cells, coloured cells, marks on sides

  let brush = /** @type {{kind: "cell"|"mark", name: string}} */ ({ kind: "cell", name: "" });
  const colour = () => (brush.kind === "cell" ? brush.name : "");
  const halves = () => new Set(Object.entries(read.rules.marks).flatMap(([one, { kind }]) => (kind === "halves" ? namesOf({ [one]: { kind } }) : [])));
  const shade = (/** @type {string} */ markName) => colourOfMark(markName, read.shades ?? {}, colourOf);
  /** Put a mark on the side of a cell; add the cell if necessary. @param {number[]} face @param {number[]|null} side */
  function mark(face, side) {
    const base = history.now(), atoms = new Map(base.atoms);
    if (!side) return;
    if (!atoms.has(keyOf(face))) atoms.set(keyOf(face), { optional: false, colour: "" });
    keep({ ...base, atoms, marks: marked(base.marks ?? new Map(), face, side, brush.name) });
  }
  const brushes = element("div", { class: "brushes", role: "group", "aria-label": t("draw_brushes") }), lies = element("div", { class: "lies" });
  function oneBrush(/** @type {"cell"|"mark"} */ kind, /** @type {string} */ brushName, /** @type {string} */ words) {
    const made = button(words, () => ((brush = { kind, name: brushName }), showBrushes()), { "aria-pressed": String(brush.kind === kind && brush.name === brushName), class: "brush" });
    made.prepend(element("span", { class: `swatch ${brushName ? "coloured" : kind === "mark" ? "free" : "must"}` }));
    if (brushName) /** @type {HTMLElement} */ (made.firstElementChild).style.background = shade(brushName);
    return made;
  }
  function showBrushes() {
    const sided = lattice.grid.sides.some((sides) => sides.length), marks = namesOf(read.rules.marks);
    brushes.replaceChildren(oneBrush("cell", "", t("tiles_cells")), ...Object.keys(read.rules.colours).map((colourName) => oneBrush("cell", colourName, colourName)),
      ...(sided && app.program ? [...marks.map((markName) => oneBrush("mark", markName, markName)), ...(marks.length ? [oneBrush("mark", "", t("tiles_no_mark"))] : []), namer(app, t("tiles_new_mark"), ["self", "halves", "lonely"].map((kind) => [kind, t(`tiles_mark_${kind}`)]), newMark)] : []),
      ...(lattice.grid.beside.length || !app.program ? [] : [namer(app, t("draw_new_colour"), [], newColour)]));
    showLies();
  }
  async function newMark(/** @type {string} */ own, /** @type {string} */ kind) {
    await change({ ...table, marks: { ...table.marks, [own]: { kind } } });
    if (read.rules.marks[own]) brush = { kind: "mark", name: namesOf({ [own]: { kind } })[0] };
    showBrushes();
  }
  async function newColour(/** @type {string} */ own) {
    await change({ ...table, colours: { ...table.colours, [own]: [own] } });
    if (read.rules.colours[own]) brush = { kind: "cell", name: own };
    showBrushes();
  }
  /** Show the colours of the form on which each colour of pieces may lie. */
  function showLies() {
    const colours = /** @type {Record<string, string[]>} */ (read.rules.colours), all = [...new Set([...Object.keys(colours), ...Object.values(colours).flat(), ...read.form.colours.map((/** @type {[unknown, string]} */ [, one]) => one)])];
    lies.replaceChildren(...Object.entries(colours).map(([own, on]) => element("fieldset", {}, element("legend", { class: "small soft" }, t("tiles_lies", { colour: own })), ...all.map((formColour) => {
      const box = element("input", { type: "checkbox", checked: on.includes(formColour), onchange: () => change({ ...table, colours: { ...table.colours, [own]: all.filter((other) => (other === formColour ? box.checked : on.includes(other))) } }) });
      return element("label", { class: "row small" }, box, formColour);
    }))));
  }
  const layerWords = element("span", { class: "small" }), layers = element("div", { class: "layers" }, button("−", () => setLayer(layer - 1), { "aria-label": t("draw_layer_down") }), layerWords, button("+", () => setLayer(layer + 1), { "aria-label": t("draw_layer_up") }));
  layers.hidden = lattice.dimension === 2;
  function setLayer(/** @type {number} */ next) {
    layer = next;
    easel.layer(next);
    layerWords.textContent = `${t("draw_layer")} ${app.number(next + 1)}`;
  }
  setLayer(0);
  function freeLetter() {
    const taken = new Set(read.tiles.flatMap((/** @type {Tile} */ tile) => tile.members));
    return [...LETTERS].find((letter) => !taken.has(letter)) ?? `T${taken.size + 1}`;
  }
  const keepOwn = button(t("tiles_own_add"), addOwn, { class: "main" });
  async function addOwn() {
    const atoms = [...history.now().atoms.keys()].map((key) => atomOf(key)), own = ownName.value.trim();
    if (!atoms.length) return app.toast(t("tiles_own_empty"));
    if (!own || /[\s.@]/.test(own)) return app.toast(t("tiles_name_bad"));
    if (own !== editing && read.tiles.some((/** @type {Tile} */ other) => other.members.includes(own))) return app.toast(t("tiles_name_taken", { name: own }));
    await app.attempt(async () => {
      const { marks = new Map(), atoms: painted } = history.now(), colours = [...painted].filter(([, look]) => look.colour).map(([key, look]) => [atomOf(key), look.colour]);
      const { tile } = await app.ask("grids", { tile: atoms, on: here, marks: marksSaid(marks), colours });
      let next = table;
      if (editing) {
        next = await spelled();
        const preserved = Object.fromEntries(Object.entries(next.tiles[editing]).filter(([key]) => !DRAWN.has(key)));
        next.tiles = Object.fromEntries(Object.entries(next.tiles).map(([key, old]) => (key === editing ? [own, { ...tile, ...preserved }] : [key, old])));
      } else next = { ...table, tiles: { ...table.tiles, [own]: tile } };
      await change(next);
      editing = "";
      keepOwn.textContent = t("tiles_own_add");
      keep(empty());
      ownName.value = freeLetter();
    });
  }
  function edit(/** @type {Tile} */ tile) {
    editing = tile.name;
    ownName.value = tile.name;
    keepOwn.textContent = t("tiles_own_change");
    const colours = new Map(tile.colours.map(([atom, cellColour]) => [keyOf(atom), cellColour]));
    keep({ atoms: new Map(tile.atoms.filter((atom) => lattice.grid.atoms[atom[lattice.dimension]].main).map((atom) => [keyOf(atom), { optional: false, colour: colours.get(keyOf(atom)) ?? "" }])), removed: new Set(), marks: marksFrom(tile.marks) });
    easel.fit();
    board.scrollIntoView({ block: "center" });
    easel.focus();
  }

  root.append(element("h1", {}, t("tiles_title")), element("p", { class: "soft" }, t("tiles_words")),
    element("div", { class: "tile-makers" },
      element("section", { class: "panel" }, element("h2", {}, t("tiles_set")), element("label", { class: "field" }, element("span", {}, t("draw_grid")), gridChoice), element("label", { class: "field" }, element("span", {}, t("tiles_set_short")), setChoice),
        element("h2", {}, t("tiles_polyforms")), element("label", { class: "field" }, element("span", {}, t("tiles_cells")), cells), element("label", { class: "field" }, element("span", {}, t("tiles_kind")), kind),
        element("div", { class: "row" }, button(t("tiles_make"), () => take(polyTable())), button(t("tiles_add"), addPolyforms), button(t("tiles_without"), () => take({ grid: chosenGrid(), flips: !carries(chosenGrid()), tiles: {} }))), found),
      element("section", { class: "panel small-board" }, element("h2", {}, t("tiles_own")), brushes, layers, board, element("div", { class: "row own-row" }, element("label", { class: "row" }, element("span", { class: "small soft" }, t("tiles_own_name")), ownName), keepOwn, button(t("draw_clear"), () => keep(empty()))), lies)),
    element("div", { class: "row" }, element("div", { class: "grow" }, summary), button(t("tiles_remove_all"), removeAll, { hidden: special() }), button(t("tiles_to_form"), () => app.go("draw", table.form || app.state.puzzle ? {} : { puzzle: { name: name || "drawing", table } }), { class: "main" })), cards);
  sets();
  list();
  showBrushes();
  preview();
  return () => easel.end();
}
