// The drawing view: paint a form on any grid and see the verdict at once.
import { bytesOf, button, element, svgFrom } from "../dom.js";
import { atomOf, keyOf, makeLattice } from "../paint/lattice.js";
import { colourOf as colourNamed, makeEasel } from "../paint/easel.js";
import { namer } from "../paint/naming.js";
import { gridAt, gridOptions, saidBy } from "../paint/grids.js";
import { icon } from "../paint/icons.js";
import { alongLine, empty, imagesOf, inRectangle, likeIt, makeHistory, moved, paintOf, placedAt, placementOf, saidOf, turned } from "../paint/strokes.js";
import { nameOf, textOf, usualTiles, withForm, withTiles } from "../paint/table.js";
import { makeVerdict } from "../paint/verdict.js";
import { keepGrid } from "../state.js";
import { shadesOfColour } from "../colours.js";
import { makeRules } from "./rules.js";

/** @import { Atom, Point, Brush, Motion, Grid } from "../paint/lattice.js" */
/** @import { Paint, Look } from "../paint/strokes.js" */
/** @typedef {{grids: {name: string, title: string, dimension: number, marks: boolean}[], models: {name: string, title: string, grid: string, marks: boolean}[]}} Known */

const WAIT = 150, TOOLS = ["brush", "erase", "line", "rectangle", "fill", "hand"], FORMATS = ["toml", "text", "xmpuzzle", "svg", "png"];
const CLASSES = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#d55e00", "#56b4e9", "#f0e442", "#8f2d60", "#994400"]; // colours of the weights in a proof
let /** @type {Known|null} */ known = null;

/** The available grids and models, requested once. @param {import("../app.js").App} app @returns {Promise<Known>} */
export const knownTo = async (app) => (known ??= await app.ask("grids", {}));

/** The table to edit: the table of the page's puzzle, of a puzzle of the library, or a new table. @param {import("../app.js").App} app */
export async function tableOf(app) {
  if (app.state.puzzle?.table) return { name: app.state.puzzle.name, table: app.state.puzzle.table };
  if (app.state.name) {
    const { puzzle } = await app.opened();
    return { name: app.state.name ?? puzzle.name, table: puzzle.table };
  }
  const { models } = await knownTo(app);
  return { name: "", table: { title: app.t("draw_new_title"), ...usualTiles("square", models) } };
}

/** @type {import("../app.js").Show} */
export async function show(root, app) {
  const { t } = app;
  let { name, table } = await tableOf(app);
  const { grids, models } = await knownTo(app);
  const read = await app.ask("grids", { read: table });
  const lattice = makeLattice(read.grid), solid = lattice.dimension === 3, here = saidBy(table, read.grid);
  if (typeof here !== "string") keepGrid(here);
  const history = makeHistory(paintOf(read.form));
  const tiles = /** @type {import("../paint/verdict.js").Tile[]} */ (read.tiles), area = /** @type {[number, number|null]} */ (read.area);
  const atomsOfTiles = new Map(tiles.map((tile) => [tile.name, tile.atoms])), colourOfTile = new Map(tiles.map((tile) => [tile.name, tile.colour]));
  let tool = "brush", optional = false, colour = "", part = /** @type {number[]|null} */ (null), layer = 0, placing = false;
  let brush = /** @type {Brush|null} */ (null), motions = /** @type {Motion[]|null} */ (null);
  let written = /** @type {number[]} */ (read.grid.basis.map(() => 0)); // translation from painted atoms to the atoms of the file
  let rules = ruled(table.form, lattice.grid); // the keys of the form other than its atoms
  let due = /** @type {ReturnType<typeof setTimeout>|undefined} */ (undefined), turn = 0, asking = new AbortController();

  // canvas and brush

  const board = element("div", { class: "board" }), status = element("p", { class: "hidden", role: "status", "aria-live": "polite" }), where = element("p", { class: "where small soft", "aria-hidden": "true" });
  let /** @type {{from: Point, base: Paint, now: Paint, erase: boolean, picked: Atom[]}|null} */ stroke = null;
  const look = () => ({ optional, colour });
  const same = (/** @type {Look|undefined} */ own) => own !== undefined && own.optional === optional && own.colour === colour;

  /** The atoms that the brush paints: the touched atoms or a part of their cells, with their images under the symmetry. @param {Atom[]} atoms */
  function covered(atoms) {
    const n = lattice.dimension, whole = part ? atoms.flatMap((atom) => /** @type {number[]} */ (part).map((a) => [...atom.slice(0, n), a])) : atoms;
    return imagesOf(lattice, whole, motions);
  }

  function put(/** @type {Paint} */ paint, /** @type {Atom[]} */ atoms, /** @type {boolean} */ erase) {
    const own = look(), changed = covered(atoms).filter((atom) => (erase ? paint.atoms.has(keyOf(atom)) : !same(paint.atoms.get(keyOf(atom)))));
    for (const atom of changed) {
      if (erase) paint.atoms.delete(keyOf(atom));
      else paint.atoms.set(keyOf(atom), own);
    }
    return changed;
  }

  const easel = makeEasel(board, lattice, {
    begin(point, atom) {
      if (placing) return setSymmetry(point);
      if (tool === "fill") return void (atom && fill(atom));
      if (tool === "hand") return;
      const base = history.now(), erase = tool === "erase" || (tool === "brush" && atom !== null && same(base.atoms.get(keyOf(atom))));
      stroke = { from: point, base, now: { ...base, atoms: new Map(base.atoms) }, erase, picked: [] };
      easel.patches([]);
      this.go(point, point);
    },
    go(from, to) {
      if (!stroke) return void (tool === "hand" && easel.pan(to[0] - from[0], to[1] - from[1]));
      if (tool === "line" || tool === "rectangle") {
        stroke.picked = tool === "line" ? alongLine(lattice, stroke.from, to, layer) : inRectangle(lattice, stroke.from, to, layer);
        easel.preview(covered(stroke.picked), stroke.erase);
        where.textContent = t("draw_picked", { n: covered(stroke.picked).length });
      } else {
        easel.touch(put(stroke.now, alongLine(lattice, from, to, layer), stroke.erase), look(), stroke.erase);
      }
    },
    end(cancelled) {
      if (!stroke) return;
      const { base, now, picked, erase } = stroke;
      stroke = null;
      easel.preview(null);
      if (cancelled) return easel.paint(base);
      put(now, picked, erase);
      keep(now);
    },
    press(atom) {
      if (placing) return setSymmetry(lattice.middle(atom, layer));
      if (tool === "fill") return fill(atom);
      const before = history.now(), now = { ...before, atoms: new Map(before.atoms) }, erase = tool === "erase" || same(before.atoms.get(keyOf(atom)));
      put(now, [atom], erase);
      keep(now);
      announce(atom);
    },
    hover(atom) {
      where.textContent = placeOf(atom);
      announce(atom);
    },
    layer: (by) => setLayer(layer + by),
  }, t("draw_canvas"));

  function placeOf(/** @type {Atom} */ atom) {
    const cell = atom.slice(0, lattice.dimension).map((x, i) => x + written[i]), part = lattice.grid.atoms.filter((own) => own.main).length > 1 ? ` ${lattice.grid.atoms[atom[lattice.dimension]].name}` : "";
    return `${cell.join(", ")}${part}`;
  }

  /** Announce the position of the cursor to screen readers. @param {Atom} atom */
  function announce(atom) {
    const own = history.now().atoms.get(keyOf(atom));
    status.textContent = t(own ? (own.optional ? "draw_at_optional" : "draw_at_painted") : "draw_at_empty", { place: placeOf(atom), colour: own?.colour ?? "" });
  }

  function fill(/** @type {Atom} */ atom) {
    const now = history.now(), region = likeIt(lattice, now, atom, solid ? layer : null);
    if (!region) return app.toast(t("draw_not_closed"));
    const next = { ...now, atoms: new Map(now.atoms) };
    const partBefore = part;
    part = null;
    put(next, region, same(now.atoms.get(keyOf(atom))));
    part = partBefore;
    keep(next);
  }

  // changes and their effects

  function keep(/** @type {Paint} */ next) {
    history.keep(next);
    changed();
  }

  function changed() {
    const now = history.now();
    easel.paint(now);
    easel.patches([]);
    undo.disabled = !history.canUndo();
    redo.disabled = !history.canRedo();
    play.disabled = true;
    showLayers();
    asking.abort();
    clearTimeout(due);
    const worth = verdict.atOnce(lattice, now, area, read.tiles.length ? [] : read.wrong);
    due = setTimeout(() => follow(worth), WAIT);
  }

  /** Convert the paint to a form, save it in the page, and count. @param {boolean} worth */
  async function follow(worth) {
    const now = history.now(), own = ++turn;
    asking = new AbortController();
    await app.attempt(async () => {
      if (!now.atoms.size) {
        table = withoutForm(withForm(table, {}));
        keepTable();
        return;
      }
      const answer = await app.ask("grids", { write: { ...table, form: rules }, form: saidOf(now) }, { signal: asking.signal });
      if (own !== turn) return;
      table = withForm(table, answer.form);
      written = answer.moved;
      keepTable();
      play.disabled = false;
      offerRules();
      if (worth) await verdict.count({ name, table });
    });
  }

  function keepTable() {
    if (app.state.name) table = { ...table, title: (title.value = t("draw_changed", { title: table.title ?? app.state.name })) }; // the puzzle now differs from the one of the library
    if (!table.title) table = { title: t("draw_new_title"), ...table };
    name = nameOf(table.title, "drawing");
    app.change({ name: null, puzzle: { name, table }, position: [] });
  }

  /** Convert an atom of the file to its painted position. @param {Atom} atom @returns {Atom} */
  const onSheet = (atom) => atom.map((x, i) => (i < lattice.dimension ? x - written[i] : x));

  /** Map an atom beyond a seam back into the form. Seams with a mirror are ignored. @param {Atom} atom @returns {Atom} */
  function acrossSeams(atom) {
    const seams = (rules.wrap ?? []).filter((/** @type {{mirror?: boolean}} */ seam) => !seam.mirror).map((/** @type {{move: number[]}} */ seam) => seam.move), atoms = history.now().atoms;
    let places = [atom];
    for (const move of seams) places = places.flatMap((own) => [0, 1, -1].map((k) => own.map((x, i) => (i < lattice.dimension ? x + k * move[i] : x))));
    return places.find((own) => atoms.has(keyOf(own))) ?? atom;
  }

  const outcome = element("section", { class: "panel verdict-panel" });
  const verdict = makeVerdict(outcome, app, {
    solution(names) {
      const patches = [], copies = new Map();
      for (const placement of names) {
        const placed = placementOf(lattice, atomsOfTiles, placement);
        if (!placed) continue;
        const copy = copies.get(placed.tile) ?? 0, shades = shadesOfColour(colourOfTile.get(placed.tile) ?? "#888888");
        copies.set(placed.tile, copy + 1);
        patches.push({ atoms: placed.atoms.filter((a) => lattice.grid.atoms[a[lattice.dimension]].main).map((atom) => acrossSeams(onSheet(atom))), colour: shades[copy % shades.length] });
      }
      easel.patches(patches, 0.5);
    },
    async colouring({ weights }) {
      if (!weights?.length) return;
      const now = history.now(), order = /** @type {Atom[]} */ ((await app.ask("grids", { order: table })).order);
      if (weights.length !== order.length || now !== history.now()) return;
      const /** @type {Map<number, Atom[]>} */ classes = new Map();
      order.forEach((atom, i) => lattice.grid.atoms[atom[lattice.dimension]].main && weights[i] && classes.set(weights[i], [...(classes.get(weights[i]) ?? []), onSheet(atom)]));
      const sizeOfClass = (/** @type {number} */ weight) => (classes.get(weight) ?? []).length; // the size of a class; a single class of few atoms is drawn in red
      const different = [...classes.keys()].sort((a, b) => Math.abs(a) - Math.abs(b) || b - a);
      easel.patches(different.map((weight, i) => ({ atoms: /** @type {Atom[]} */ (classes.get(weight)), colour: different.length === 1 && order.length > 3 * sizeOfClass(weight) ? "#d7263d" : CLASSES[i % CLASSES.length] })), 0.8);
    },
  });

  // tools

  /** A tool button. Its label is also shown below the sheet, since touch screens show no titles. @param {string} sign @param {string} words @param {() => void} does @param {Record<string, unknown>} [more] */
  const tap = (sign, words, does, more = {}) => { const made = button("", () => ((where.textContent = words), does()), { "aria-label": words, title: words, class: "tool", ...more }); made.append(icon(sign)); return made; };
  const toolButtons = TOOLS.map((toolName) => tap(toolName, t(`draw_tool_${toolName}`), () => setTool(toolName), { "aria-pressed": String(toolName === tool) }));
  function setTool(/** @type {string} */ next) {
    tool = next;
    setPlacing(false);
    toolButtons.forEach((toolButton, i) => toolButton.setAttribute("aria-pressed", String(TOOLS[i] === tool)));
    board.dataset.tool = tool;
  }
  const undo = tap("undo", t("draw_undo"), () => history.undo() && changed()), redo = tap("redo", t("draw_redo"), () => history.redo() && changed());
  const tools = element("div", { class: "tools", role: "toolbar", "aria-label": t("draw_tools") },
    element("div", { class: "group" }, ...toolButtons), element("div", { class: "group" }, undo, redo, tap("clear", t("draw_clear"), () => history.now().atoms.size && keep(empty()))),
    element("div", { class: "group" }, tap("out", t("draw_zoom_out"), () => easel.zoom(0.8)), tap("in", t("draw_zoom_in"), () => easel.zoom(1.25)), tap("fit", t("draw_fit"), () => easel.fit())));

  // brushes: required, optional, colours; parts of cells

  const colours = new Set([...(read.fits ?? []), ...[...history.now().atoms.values()].map((own) => own.colour)].filter(Boolean));
  const brushes = element("div", { class: "brushes", role: "group", "aria-label": t("draw_brushes") });
  function showBrushes() {
    const kind = (/** @type {string} */ words, /** @type {boolean} */ free, /** @type {string} */ own) => {
      const made = button(words, () => ((optional = free), (colour = own), showBrushes()), { "aria-pressed": String(optional === free && colour === own), class: "brush" });
      made.prepend(element("span", { class: `swatch ${free ? "free" : own ? "coloured" : "must"}` }));
      if (own) /** @type {HTMLElement} */ (made.firstElementChild).style.background = colourNamed(own);
      return made;
    };
    brushes.replaceChildren(kind(t("draw_must"), false, ""), kind(t("draw_may"), true, ""), ...[...colours].map((own) => kind(own, false, own)));
    if (app.program) brushes.append(namer(app, t("draw_new_colour"), [], (own) => {
      colours.add(own);
      optional = false;
      colour = own;
      showBrushes();
      if (!(read.fits ?? []).includes(own)) app.toast(t("draw_new_colour_words", { colour: own }));
    }));
  }
  const parts = element("div", { class: "brushes", role: "group", "aria-label": t("draw_parts") });
  function showParts() {
    const partButton = (/** @type {string} */ words, /** @type {number[]|null} */ own, /** @type {string} */ label) => button(words, () => ((part = own), showParts()), { "aria-pressed": String(part === own), "aria-label": label, title: label, class: "tool glyph" });
    parts.replaceChildren(...(lattice.grid.parts.length ? [partButton("◂", null, t("draw_part_one")), ...lattice.grid.parts.map(({ glyph, atoms }) => partButton(glyph, atoms, t("draw_part", { glyph })))] : []));
    parts.hidden = !lattice.grid.parts.length;
  }

  // symmetry

  const symmetry = element("select", { "aria-label": t("draw_symmetry"), onchange: () => setBrush(Number(symmetry.value)) }, element("option", { value: "-1" }, t("draw_symmetry_none")),
    ...lattice.grid.brushes.map((symmetryBrush, i) => element("option", { value: i }, brushWords(app, symmetryBrush))));
  const centre = tap("centre", t("draw_centre"), () => setPlacing(!placing), { "aria-pressed": "false", disabled: true });
  function setBrush(/** @type {number} */ i) {
    brush = lattice.grid.brushes[i] ?? null;
    centre.disabled = !brush;
    if (!brush) return setPlacing(false), (motions = null), easel.symmetry(null);
    const points = [...history.now().atoms.keys()].map((key) => lattice.middle(atomOf(key), layer));
    const [x, y] = points.length ? [0, 1].map((j) => (Math.min(...points.map((p) => p[j])) + Math.max(...points.map((p) => p[j]))) / 2) : easel.centre();
    setSymmetry([x, y]);
  }
  function setSymmetry(/** @type {Point} */ point) {
    if (!brush) return;
    motions = placedAt(lattice, brush, point, layer);
    easel.symmetry(motions);
    setPlacing(false);
  }
  function setPlacing(/** @type {boolean} */ on) {
    placing = on;
    centre.setAttribute("aria-pressed", String(on));
    if (on) app.toast(t("draw_centre_tap"));
  }

  // transformations of the whole form: shift, turn, mirror

  const turnTo = lattice.grid.symmetries.findIndex((g) => !g.mirror && (solid ? /^turn \d+ about 0,0,1$/.test(g.name) : (g.degrees ?? 0) > 0));
  const mirrorTo = lattice.grid.symmetries.findIndex((g) => g.mirror && (solid ? /^mirror across 1,0,0$/.test(g.name) : g.name.startsWith("mirror 90"))), anyMirror = mirrorTo < 0 ? lattice.grid.symmetries.findIndex((g) => g.mirror) : mirrorTo;
  const whole = (/** @type {(paint: Paint) => Paint} */ how) => () => history.now().atoms.size && keep(how(history.now()));
  const shift = (/** @type {number[]} */ by) => whole((paint) => moved(lattice, paint, { symmetry: 0, move: by.slice(0, lattice.dimension) }));
  const motion = element("div", { class: "group wrap" }, tap("left", t("draw_left"), shift([-1, 0, 0])), tap("right", t("draw_right"), shift([1, 0, 0])), tap("up", t("draw_up"), shift([0, 1, 0])), tap("down", t("draw_down"), shift([0, -1, 0])),
    solid && tap("higher", t("draw_higher"), shift([0, 0, 1])), solid && tap("lower", t("draw_lower"), shift([0, 0, -1])),
    turnTo > 0 && tap("turn", t("draw_turn"), whole((paint) => turned(lattice, paint, turnTo))), anyMirror > 0 && tap("mirror", t("draw_mirror"), whole((paint) => turned(lattice, paint, anyMirror))));

  // layers

  const slider = element("input", { type: "range", min: 0, max: 2, step: 1, value: 0, "aria-label": t("draw_layer"), oninput: () => setLayer(Number(slider.value)) }), layerWords = element("span", { class: "small" });
  const layersRow = element("div", { class: "layers" }, tap("down", t("draw_layer_down"), () => setLayer(layer - 1)), slider, tap("up", t("draw_layer_up"), () => setLayer(layer + 1)), layerWords);
  layersRow.hidden = !solid;
  function setLayer(/** @type {number} */ next) {
    if (!solid) return;
    layer = next;
    easel.layer(layer);
    showLayers();
    status.textContent = layerWords.textContent;
  }
  function showLayers() {
    if (!solid) return;
    const all = [...history.now().atoms.keys()].flatMap((key) => lattice.layersOf(atomOf(key))), low = Math.min(layer, ...all), high = Math.max(layer, ...all);
    slider.min = String(low - 1);
    slider.max = String(high + 1);
    slider.value = String(layer);
    layerWords.textContent = t("draw_layer_of", { n: layer - low + 1, all: high - low + 1 });
  }

  // shapes, grids, tiles, files

  const title = element("input", { value: table.title ?? "", "aria-label": t("draw_title"), maxlength: 120, onchange: () => ((table = { ...table, title: title.value || t("draw_new_title") }), keepTable()) });
  const gridChoice = element("select", { "aria-label": t("draw_grid"), onchange: () => changeGrid(gridAt(gridChoice.value, here)) }, ...gridOptions(app, grids, here));
  function changeGrid(/** @type {import("../paint/grids.js").Said} */ next) {
    const before = { name: app.state.name, puzzle: app.state.puzzle, work: app.state.work };
    app.go("draw", { ...(history.now().atoms.size ? {} : { work: before.work }), puzzle: { name: nameOf(title.value, "drawing"), table: withoutForm(withTiles({ ...table, title: title.value }, usualTiles(next, models))) } });
    if (history.now().atoms.size) app.toast(t("draw_grid_changed"), { words: t("draw_undo"), does: () => app.go("draw", before) });
  }
  const sizes = Array.from({ length: lattice.dimension }, (_, i) => element("input", { type: "number", min: 1, max: 60, value: [10, 6, 3][i], inputmode: "numeric", "aria-label": t(["draw_wide", "draw_high", "draw_deep"][i]) }));
  const shapeChoice = element("select", { "aria-label": t("draw_shape"), onchange: () => sizes.forEach((sizeInput, i) => (sizeInput.hidden = i > 0 && shapeChoice.value !== "box")) }, element("option", { value: "box" }, t(solid ? "draw_box" : isUpright(lattice.grid) ? "draw_rectangle" : "draw_parallelogram")),
    ...lattice.grid.shapes.map((shapeName) => element("option", { value: shapeName }, t(`draw_shape_${shapeName}`))));
  const insert = () => app.attempt(async () => {
    const form = shapeChoice.value === "box" ? { box: sizes.map((sizeInput) => Math.max(1, Math.min(60, Number(sizeInput.value) || 1))) } : { [shapeChoice.value]: Math.max(1, Math.min(60, Number(sizes[0].value) || 1)) };
    const made = await app.ask("grids", { read: { grid: here, form } });
    keep(paintOf(made.form));
    if (solid) setLayer(Math.min(...[...history.now().atoms.keys()].flatMap((key) => lattice.layersOf(atomOf(key)))));
    easel.fit();
  });
  const play = button(t("draw_play"), () => app.go("play", { puzzle: { name, table } }), { class: "main", disabled: true });
  const file = element("input", { type: "file", accept: ".toml,.txt,.xmpuzzle,.xml,.jsonl", hidden: true, onchange: () => file.files?.[0] && opened(file.files[0]) });

  function opened(/** @type {File} */ chosen) {
    return app.attempt(async () => {
      const text = await textOf(chosen);
      if (isPicture(chosen.name, text)) return await pictured(text);
      const ask = (/** @type {string|undefined} */ problem) => app.ask("open", { file: text, filename: chosen.name, ...(problem ? { problem } : {}) });
      const answer = await ask(undefined);
      if (answer.puzzle) return app.go("draw", { puzzle: answer.puzzle });
      const list = element("div", { class: "choices" }, ...answer.puzzles.map((/** @type {{name: string, title: string}} */ puzzle) => button(puzzle.title || puzzle.name, async () => app.go("draw", { puzzle: (await ask(puzzle.name)).puzzle }))));
      files.replaceChildren(element("p", {}, t("choose_problem")), list);
    });
  }

  /** Parse a text picture in the characters of the grid. @param {string} text */
  async function pictured(text) {
    const answer = await app.ask("grids", { read: { grid: here, form: { picture: text } } });
    if (answer.wrong_form.length) return app.toast(answer.wrong_form[0]);
    keep(paintOf(answer.form));
    easel.fit();
  }

  const exported = (/** @type {string} */ format) => app.attempt(async () => {
    if (format === "text" && history.now().atoms.size) {
      const { picture } = await app.ask("grids", { picture: saidOf(history.now()), on: here });
      if (picture) return app.keep(`${name || "drawing"}.txt`, "text/plain", picture);
    }
    const answer = await app.ask("export", { puzzle: { name, table }, format });
    app.keep(answer.filename, answer.type, bytesOf(answer.base64));
  });
  const files = element("div", { class: "row" }, ...(app.program ? [button(t("draw_import"), () => file.click()), file] : []), ...FORMATS.slice(0, app.program ? FORMATS.length : 1).map((format) => button(t(`draw_as_${format}`), () => exported(format), { class: "small-button" })));
  const pictures = element("ul", { class: "tiny-tiles" }, ...tiles.slice(0, 60).map((tile) => element("li", { title: tile.name }, svgFrom(tile.svg), element("span", {}, `${tile.name}${tile.high === 1 ? "" : tile.high === null ? " ×∞" : ` ×${tile.high}`}`))));
  const beside = lattice.grid.beside.flatMap((kind) => ["inner", "outer"].map((side) => {
    const choice = element("select", { "aria-label": t(`draw_rule_${side}`), onchange: () => ((rules = { ...rules, [side]: { ...rules[side], [kind]: choice.value } }), changed()) },
      ...["required", "optional", "none"].map((convention) => element("option", { value: convention, selected: (rules[side]?.[kind] ?? "none") === convention }, t(`draw_slots_${convention}`))));
    return element("label", { class: "field" }, element("span", {}, t(`draw_rule_${side}`)), choice);
  }));
  const marks = /** @type {string[]} */ (read.marks ?? []), border = element("select", { "aria-label": t("draw_border"), onchange: () => ((rules = { ...rules, border: border.value || undefined }), changed()) },
    ...["", ...marks].map((mark) => element("option", { value: mark, selected: mark === (rules.border ?? "") }, mark || t("draw_border_any"))));
  if (marks.length) beside.push(element("label", { class: "field" }, element("span", {}, t("draw_border")), border));
  const others = ["wrap", "fixed", ...(marks.length ? [] : ["border"])].filter((key) => rules[key]?.length).map((key) => {
    const row = element("p", { class: "row" }, t(`draw_rule_${key}`), button(t("draw_rule_drop"), () => {
      const { [key]: _gone, ...rest } = rules;
      rules = rest;
      row.remove();
      changed();
    }));
    return row;
  });
  const onSolutions = makeRules(app, (next) => {
    const { solutions: _old, ...rest } = table;
    table = Object.keys(next).length ? { ...rest, solutions: next } : rest;
    changed();
  });
  let offered = "";
  /** Offer the rules on solutions that have a meaning for the pieces and the painted colours; rebuild the controls when these change. */
  function offerRules() {
    const painted = [...new Set([...history.now().atoms.values()].map((own) => own.colour))].filter(Boolean);
    if (offered === (offered = JSON.stringify(painted))) return;
    onSolutions.show({ rules: read.choices ?? [], pieces: tiles.flatMap((tile) => tile.members), colours: painted, symmetric: solid ? [] : lattice.grid.symmetries.slice(1).map((one) => one.name) }, table.solutions ?? {});
  }
  offerRules();
  const ruleRows = [...beside, ...others].length ? element("section", {}, element("h2", {}, t("draw_rules")), ...beside, ...others) : null;

  root.append(element("h1", { class: "hidden" }, t("view_draw")), element("div", { class: "draw-layout" }, outcome,
    element("section", { class: "stage" }, tools, element("div", { class: "second" }, brushes, parts, element("div", { class: "group symmetry" }, element("span", { class: "small soft", "aria-hidden": "true" }, t("draw_symmetry")), symmetry, centre)), layersRow,
      element("div", { class: "frame" }, board, where), status, element("p", { class: "small soft keys" }, t("draw_keys"))),
    element("div", { class: "side" }, element("div", { class: "row" }, play, button(t("draw_to_tiles"), () => app.go("tiles", table.form || history.now().atoms.size ? { puzzle: { name: name || nameOf(title.value, "drawing"), table } } : { puzzle: { name: "drawing", table } }))),
      element("section", {}, element("h2", {}, t("draw_form")), element("label", { class: "field" }, element("span", {}, t("draw_title")), title), element("label", { class: "field" }, element("span", {}, t("draw_grid")), gridChoice),
        element("div", { class: "field tall" }, element("span", {}, t("draw_insert")), element("div", { class: "row sizes" }, shapeChoice, ...sizes, button(t("draw_insert_do"), insert))), element("div", { class: "field tall" }, element("span", {}, t("draw_whole")), motion)),
      ruleRows, read.choices && element("section", {}, element("h2", {}, t("rules_title")), onSolutions.root), element("section", {}, element("h2", {}, t("draw_tiles", { n: tiles.reduce((sum, tile) => sum + (tile.high ?? 1), 0) })), tiles.length ? pictures : element("p", { class: "soft" }, read.wrong.join(" "))),
      element("section", {}, element("h2", {}, t("draw_files")), files, ...(app.program ? [] : [element("p", { class: "small soft" }, t("drawn_program")), element("pre", { class: "command" }, `puzzlesat count ${name || "drawing"}.toml`)])))));
  setTool("brush");
  showBrushes();
  showParts();
  if (solid) setLayer(Math.min(...(history.now().atoms.size ? [...history.now().atoms.keys()].flatMap((key) => lattice.layersOf(atomOf(key))) : [0])));
  const shortcuts = (/** @type {KeyboardEvent} */ event) => {
    if (!(event.ctrlKey || event.metaKey) || event.target instanceof HTMLInputElement) return;
    if (event.key.toLowerCase() === "z") event.preventDefault(), (event.shiftKey ? history.redo() : history.undo()) && changed();
    else if (event.key.toLowerCase() === "y") event.preventDefault(), history.redo() && changed();
  };
  addEventListener("keydown", shortcuts);
  easel.paint(history.now());
  undo.disabled = redo.disabled = true;
  if (read.wrong.length) app.toast(read.wrong[0]);
  begin();

  /** Show the verdict on the initial form. */
  function begin() {
    const now = history.now(), worth = verdict.atOnce(lattice, now, area, tiles.length && now.atoms.size ? [] : read.wrong);
    play.disabled = !now.atoms.size;
    if (worth) verdict.count(app.state.name ? { name: app.state.name, table } : { name: name || "drawing", table });
  }

  return () => {
    asking.abort();
    clearTimeout(due);
    verdict.stop();
    easel.end();
    removeEventListener("keydown", shortcuts);
  };
}

/** The keys of a form other than its atoms. On a grid with slots, a new form contains the slots between two cells.
 * @param {Record<string, any>|undefined} form @param {Grid} grid @returns {Record<string, any>} */
function ruled(form, grid) {
  if (!form) return grid.beside.length ? { inner: Object.fromEntries(grid.beside.map((kind) => [kind, "required"])) } : {};
  return Object.fromEntries(Object.entries(form).filter(([key]) => ["wrap", "fixed", "border", "inner", "outer"].includes(key)));
}

function withoutForm(/** @type {Record<string, any>} */ table) {
  const { form, ...rest } = table;
  return rest;
}

/** Return whether the cells of a box form a rectangle. @param {Grid} grid */
const isUpright = ({ basis: [[ax, ay], [bx, by]] }) => Math.abs(ax * bx + ay * by) < 1e-6;

/** Return whether a file is a text picture: neither TOML nor another format with keys. @param {string} name @param {string} text */
const isPicture = (name, text) => /\.txt$/i.test(name) && !/^\s*[[{<]|=/m.test(text);

/** The name of a symmetry brush. @param {import("../app.js").App} app @param {Brush} brush */
function brushWords(app, brush) {
  const turn = /turn (\d+)/.exec(brush.name), mirror = /mirror (?:across )?(\S+)/.exec(brush.name), { t } = app;
  const lies = mirror && (["0", "45", "90", "135"].includes(mirror[1]) ? t(`draw_mirror_${mirror[1]}`) : t("draw_mirror_other", { angle: /^\d+$/.test(mirror[1]) ? `${mirror[1]}°` : mirror[1] }));
  if (turn && mirror) return t("draw_fold_and_mirror", { n: turn[1], mirror: lies });
  return turn ? t("draw_fold", { n: turn[1] }) : String(lies);
}
