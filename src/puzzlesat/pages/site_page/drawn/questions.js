// Requests of the drawing view, answered in the page from the grids and sets of pieces that pages/site.py wrote; the worker counts.
import { Refused } from "../ask.js";
import { inBase64 } from "../packing.js";
import { german as titles } from "../texts/titles-de.js";
import { texts as english } from "../texts/en.js";
import { texts as german } from "../texts/de.js";
import { texts as drawEnglish } from "../texts/draw-en.js";
import { texts as drawGerman } from "../texts/draw-de.js";
import { texts as drawnEnglish } from "../texts/drawn-en.js";
import { texts as drawnGerman } from "../texts/drawn-de.js";
import { unpacked } from "../unpacking.js";
import { boardOf } from "./board.js";
import { polyforms } from "./polyforms.js";
import { formOf, isTable, joined, modelOf, planOf, tilesOf } from "./reading.js";
import { NotDrawn, refused } from "./refusing.js";
import { tilePicture } from "./shapes.js";
import { formTable, tileTable, tomlOf } from "./writing.js";

/** @import { Atom } from "../engine/laying.js" */
/** @import { Grid, Known, Table, Tile, Form } from "./reading.js" */
/** @typedef {(question: string, key: string, puzzle: object, body: object, telling: import("../ask.js").Telling) => Promise<any>} Worker */

const MAX_SHOWN = 400, OWN_COLOUR = /^#[0-9a-f]{6}$/i;
const TEXTS = /** @type {Record<string, Record<string, string>>} */ ({ en: english, de: german });
Object.assign(english, drawEnglish, drawnEnglish);
Object.assign(german, drawGerman, drawnGerman);
const style = document.createElement("link"), styled = new Promise((done) => (style.onload = style.onerror = done));
Object.assign(style, { rel: "stylesheet", href: "draw.css", id: "draw-style" });
document.head.append(style);

let /** @type {Promise<Known & {palette: string[]}>|null} */ data = null;

/** Load the grids and the sets of pieces together with the style sheet of the drawing view. */
function known() {
  data ??= Promise.all([unpacked(/** @type {any} */ (globalThis).puzzlesat.drawing), styled]).then(([said]) => {
    Object.assign(titles, said.titles.de);
    style.disabled = !document.querySelector(".view.draw, .view.tiles");
    return said;
  });
  return data;
}

/** Answer a request of the drawing view, or a request about a drawn puzzle.
 * @param {string} question @param {any} body @param {import("../ask.js").Telling} telling @param {Worker} worker @throws {Refused} */
export async function answer(question, body, telling, worker) {
  const here = await known(), own = { grids, polyforms: sets, export: body.format === "text" ? null : saved, prove }[question];
  try {
    if (own) return own(here, body);
    const { name, table } = body.puzzle, { grid, ...plan } = planOf(here, table), { atoms, symmetries, colouring } = grid;
    const puzzle = { plan: { ...plan, grid: { atoms, symmetries, colouring } } };
    const request = (/** @type {string} */ what) => worker(what, JSON.stringify([name, table]), puzzle, body, listening(telling));
    return question === "open" ? opened(here, body.puzzle, await request("")) : await request(question);
  } catch (error) {
    throw error instanceof NotDrawn ? new Refused([words(error)]) : error;
  }
}

/** Render an error in the language of the page. @param {NotDrawn} error */
const words = ({ key, values }) => TEXTS[document.documentElement.lang][key].replace(/\{(\w+)\}/g, (_, name) => String(values[name]));

/** Open a drawn puzzle for play. @param {Known & {palette: string[]}} known @param {{name: string, table: Table}} puzzle
 * @param {import("../engine/laying.js").Laid} laid */
function opened(known, puzzle, laid) {
  const { name, table } = puzzle, plan = planOf(known, table), { grid } = modelOf(known, table), colours = plan.tiles.map((tile, i) => colourOf(tile, known.palette[i % known.palette.length]));
  const layer = (/** @type {number} */ n) => TEXTS[document.documentElement.lang].drawn_layer.replace("{n}", String(n)), board = boardOf(grid, plan, laid, colours, { name, title: String(table.title ?? name), layer });
  const size = (/** @type {Atom[]} */ atoms) => atoms.filter((atom) => grid.atoms[atom[grid.dimension]].main).length, limit = plan.tiles.every(({ high }) => high !== null);
  const tiles = { low: plan.tiles.reduce((sum, tile) => sum + tile.low * size(tile.atoms), 0), high: limit ? plan.tiles.reduce((sum, tile) => sum + (tile.high ?? 0) * size(tile.atoms), 0) : null };
  return { puzzles: [], puzzle, board, area: { form: { required: size(plan.required), optional: size(plan.optional) }, tiles }, rules: [], command: `puzzlesat studio ${name}.toml` };
}

let /** @type {unknown[]} the facts that prove the last counted puzzle unsolvable, if any */ never = [];

/** Record the facts that prove a puzzle unsolvable from the messages of a count. @param {import("../ask.js").Telling} telling */
const listening = (telling) => ({ ...telling, found: (/** @type {any} */ part) => {
  if (part.area) never = part.area.facts.filter((/** @type {{impossible: boolean}} */ { impossible }) => impossible).map((/** @type {{text: unknown}} */ { text }) => text);
  telling.found?.(part);
} });

/** The proof that there is no solution, or a sentence that explains how to get a proof. */
const prove = () => ({ sentences: never.length ? never : [words(refused("drawn_proof"))] });

/** Export the puzzle as a TOML file. @param {Known} _known @param {{puzzle: {name: string, table: Table}}} body */
function saved(_known, { puzzle: { name, table } }) {
  return { filename: `${name}.toml`, type: "application/toml", base64: inBase64(new TextEncoder().encode(tomlOf(table))) };
}

/** List all polyforms of a size. @param {Known & {palette: string[]}} known @param {{grid: unknown, kind: string, n: number}} body */
function sets({ grids, models, palette }, { grid: gridTable, kind, n }) {
  const { grid } = modelOf({ grids, models }, { grid: gridTable }), found = [...polyforms(grid, n, kind)];
  const shown = (/** @type {Atom[]} */ atoms, /** @type {number} */ i) => (i < MAX_SHOWN ? tilePicture(grid, atoms, palette[i % palette.length]) : "");
  return { tiles: found.map(([name, atoms], i) => ({ name, atoms: atoms.map((atom) => atom.map((x, k) => (k < grid.dimension ? x + 1 : x))), svg: shown(atoms, i) })) };
}

/** Answer a request of the painting view, like studio/tasks/grids.py. @param {Known & {palette: string[]}} known @param {any} body */
function grids(known, body) {
  if (body.read === null) throw refused("drawn_key", { key: "placements" }); // pages/site_puzzle.py omits tables with placements
  if (body.read) return read(known, body.read);
  if (body.write) {
    const { model, grid } = modelOf(known, body.write), { form: rules = {}, ...rest } = body.write, beside = Object.fromEntries(["inner", "outer"].flatMap((key) => (isTable(rules[key]) ? [[key, rules[key]]] : [])));
    const written = formTable(grid, body.form, beside);
    formOf(grid, written.form, Boolean(rest.may_cross ?? model.may_cross));
    return written;
  }
  if (body.tile) return { tile: tileTable(modelOf(known, { grid: body.on }).grid, body.tile) };
  if (body.grid) return { grid: modelOf(known, { grid: body.grid }).grid };
  return {
    grids: Object.values(known.grids).map(({ name, title, dimension, atoms }) => ({ name, title, dimension, marks: atoms.some(({ role }) => role === "mark") })),
    models: Object.entries(known.models).map(([name, { title, grid }]) => ({ name, title, grid, marks: false })),
  };
}

function read(/** @type {Known & {palette: string[]}} */ known, /** @type {Table} */ table) {
  const { model, grid } = modelOf(known, table), wrong = /** @type {string[]} */ ([]), ofForm = /** @type {string[]} */ ([]);
  const tried = (/** @type {string[]} */ list, /** @type {() => object} */ make) => {
    try {
      return make();
    } catch (error) {
      if (!(error instanceof NotDrawn)) throw error;
      list.push(words(error));
      return {};
    }
  };
  const shapes = Object.fromEntries([model, table].flatMap((own) => Object.entries(isTable(own.tiles) ? own.tiles : {}).filter(([, said]) => isTable(said) && (said.picture ?? said.atoms ?? said.around) !== undefined)));
  const rules = /** @type {Table} */ ({ ...Object.fromEntries(["flips", "turns", "may_cross"].flatMap((key) => ((table[key] ?? model[key]) === undefined ? [] : [[key, table[key] ?? model[key]]]))), marks: {}, colours: {}, tiles: shapes });
  const tiles = tried(wrong, () => {
    const found = joined(grid, tilesOf(known, table)).map((tile, i) => tileShown(grid, tile, known.palette[i % known.palette.length])), limit = found.every(({ high }) => high !== null);
    const area = [found.reduce((sum, { size, low }) => sum + size * low, 0), limit ? found.reduce((sum, { size, high }) => sum + size * (high ?? 0), 0) : null];
    return { tiles: found, area, flips: rules.flips ?? true };
  });
  const form = table.form === undefined ? {} : tried(ofForm, () => ({ form: painted(grid, formOf(grid, table.form, Boolean(rules.may_cross)), table.form) }));
  return { grid, rules, tiles: [], area: [0, 0], flips: true, form: { atoms: [], optional: [], colours: [], removed: [] }, marks: [], fits: [], shades: {}, ...tiles, ...form, wrong: [...wrong, ...ofForm], wrong_form: ofForm };
}

/** The paintable atoms of a form. @param {Grid} grid @param {Form} form @param {Table} formTable */
function painted(grid, { atoms, optional }, formTable) {
  const main = (/** @type {Iterable<string>} */ keys) => [...keys].map((key) => key.split(",").map(Number)).filter((atom) => grid.atoms[atom[grid.dimension]].main);
  const removed = (Array.isArray(formTable.remove) ? formTable.remove : []).map((/** @type {any[]} */ ref) => [...ref.slice(0, grid.dimension), Math.max(0, grid.atoms.findIndex(({ name }) => name === ref[grid.dimension]))]);
  return { atoms: main(atoms), optional: main(optional), colours: [], removed: removed.filter((atom) => !grid.atoms[atom[grid.dimension]].main) };
}

/** @param {{colour?: string}} tile @param {string} otherwise */
const colourOf = ({ colour = "" }, otherwise) => (OWN_COLOUR.test(colour) ? colour : otherwise);

/** A tile in the format of the page. @param {Grid} grid @param {Tile} tile @param {string} otherwise the colour of a tile without one */
function tileShown(grid, tile, otherwise) {
  const colour = colourOf(tile, otherwise), main = tile.atoms.filter((atom) => grid.atoms[atom[grid.dimension]].main);
  return { ...tile, marks: [], colours: [], size: main.length, parts: partsOf(grid, main), colour, svg: tilePicture(grid, tile.atoms, colour) };
}

/** Count the connected parts of a set of atoms. @param {Grid} grid @param {Atom[]} atoms */
function partsOf(grid, atoms) {
  const left = new Map(atoms.map((atom) => [atom.join(), atom])), n = grid.dimension;
  let parts = 0;
  for (const [key, first] of left) {
    parts++;
    const rim = [first];
    left.delete(key);
    for (let atom = rim.pop(); atom; atom = rim.pop()) for (const other of grid.neighbours[atom[n]]) {
      const there = other.map((x, i) => (i < n ? x + /** @type {Atom} */ (atom)[i] : x));
      if (left.delete(there.join())) rim.push(there);
    }
  }
  return parts;
}
