// Text pictures of forms and tiles, parsed with the rules of puzzles/text_pictures.py.
import { atHome } from "../engine/laying.js";
import { refused } from "./refusing.js";

/** @import { Atom } from "../engine/laying.js" */
/** @typedef {{at: number[], glyphs: Record<string, number[]>, optional: Record<string, number[]>}} Site */
/** @typedef {{name: string, dimension: number, layout: {steps: number[][], sites: Site[]}}} Drawable */
/** @typedef {{atoms: Atom[], optional: boolean}} Read the meaning of a character */

const BLANK = ".", FREE = "·", MAX_PLACES = 20_000;

/** Parse a picture: its atoms, moved to smallest coordinates 1, and the optional atoms.
 * @param {Drawable} grid @param {string} text @param {boolean} ofForm @returns {{atoms: Atom[], optional: Atom[]}}
 * @throws {import("./refusing.js").NotDrawn} */
export function parsePicture(grid, text, ofForm) {
  const layers = layersOf(text), characters = charactersOf(grid, layers, ofForm), places = [...characters.keys()];
  if (places.length > MAX_PLACES) throw refused("drawn_large");
  if (layers.some((layer) => layer.length !== layers[0].length)) throw refused("drawn_rows");
  const fits = anchors(grid).map((anchor) => readAt(grid, characters, anchor)).filter((read) => read.length === places.length);
  if (!places.length || fits.length !== 1) throw refused("drawn_picture", { grid: grid.name });
  const read = fits[0].flatMap(({ atoms, optional }) => atoms.map((atom) => ({ atom, optional }))), moved = atHome(read.map(({ atom }) => atom), 1);
  return { atoms: moved, optional: moved.filter((_, i) => read[i].optional) };
}

/** Split a text into the rows of its layers. @param {string} text @returns {string[][]} */
function layersOf(text) {
  const lines = text.split("\n").map((line) => line.replace(/\r$/, "")), full = lines.map((line, i) => (line.trim() ? i : -1)).filter((i) => i >= 0);
  const /** @type {string[][]} */ layers = [[]];
  for (const line of lines.slice(full[0], full[full.length - 1] + 1)) {
    if (line.trim()) layers[layers.length - 1].push(line.trimEnd());
    else if (line) throw refused("drawn_blanks");
    else if (layers[layers.length - 1].length) layers.push([]);
  }
  return layers;
}

/** Map each place (column, row from below, layer) to its character, without blanks. @param {Drawable} grid @param {string[][]} layers @param {boolean} ofForm @returns {Map<number[], string>} */
function charactersOf(grid, layers, ofForm) {
  const found = new Map(), blank = new Set(ofForm || special(grid).has(FREE) ? [BLANK, " "] : [BLANK, " ", FREE]);
  layers.forEach((layer, z) => [...layer].reverse().forEach((line, y) => [...line].forEach((character, x) => {
    if (!blank.has(character)) found.set(grid.dimension === 2 ? [x, y] : [x, y, z], character);
  })));
  return found;
}

/** The grid's own characters. @param {Drawable} grid */
const special = (grid) => new Set(grid.layout.sites.flatMap(({ glyphs, optional }) => [...Object.keys(glyphs), ...Object.keys(optional)]));

/** Return whether a character that is not a glyph means all atoms of its place. @param {string} character */
const isWhole = (character) => character === "#" || character === FREE || /^[\p{L}\p{N}]$/u.test(character);

/** Reduce a place modulo the steps: the cell, and the remainder. @param {number[][]} steps @param {number[]} place @returns {[number[], number[]]} */
function reduced(steps, place) {
  let rest = place;
  const cell = steps.map(() => 0);
  for (let i = steps.length - 1; i >= 0; i--) {
    cell[i] = Math.floor(rest[i] / steps[i][i]);
    rest = rest.map((x, j) => x - cell[i] * steps[i][j]);
  }
  return [cell, rest];
}

/** One representative of each class of places modulo the steps. @param {Drawable} grid @returns {number[][]} */
function anchors({ layout: { steps } }) {
  const reach = Math.max(...steps.flat().map(Math.abs)), found = new Map();
  let /** @type {number[][]} */ places = [[]];
  for (const _ of steps) places = places.flatMap((place) => Array.from({ length: reach }, (_, x) => [...place, x]));
  for (const place of places) {
    const key = reduced(steps, place)[1].join();
    if (!found.has(key)) found.set(key, place);
  }
  return [...found.values()];
}

/** The meanings of all characters that are valid with this anchor. @param {Drawable} grid @param {Map<number[], string>} characters @param {number[]} anchor @returns {Read[]} */
function readAt(grid, characters, anchor) {
  const { steps, sites } = grid.layout, own = special(grid), read = [];
  const /** @type {Map<string, {site: Site, home: number[]}[]>} */ byPlace = new Map();
  for (const site of sites) {
    const [home, place] = reduced(steps, site.at);
    byPlace.set(place.join(), [...(byPlace.get(place.join()) ?? []), { site, home }]);
  }
  for (const [position, character] of characters) {
    const [cell, place] = reduced(steps, position.map((x, i) => x + anchor[i]));
    let /** @type {Read|null} */ here = null;
    for (const { site, home } of byPlace.get(place.join()) ?? []) {
      const meant = site.glyphs[character] ?? site.optional[character] ?? (!own.has(character) && isWhole(character) ? Object.values(site.glyphs)[0] : undefined);
      if (meant) here = { atoms: meant.map((a) => [...cell.map((x, i) => x - home[i]), a]), optional: character in site.optional };
    }
    if (here) read.push(here);
  }
  return read;
}
