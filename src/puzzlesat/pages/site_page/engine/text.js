// A position as a picture in text, as ``pictures/text_pictures.py`` draws it, so that the program reads it.

/** @typedef {{layers: number, rows: number, columns: number, places: number[], empty: string, letters: (string|null)[], spare: string}} TextData as ``text_as_json`` in text.py writes it: where each atom is drawn (-1: nowhere), and the letters of the tiles */
/** @typedef {{atoms: number[], tile: number, name: string}} Piece the atoms that a placement covers, its tile, and its name */

const FREE = "·", WIDTH = 80, GAP = "  ";

/** @param {TextData} data @param {number[]} options @param {Piece[]} every all placements of the puzzle @param {string[]} tiles their names
 * @returns {string|null} null where there are more pieces than letters */
export function picture(data, options, every, tiles) {
  const pieces = options.map((option) => every[option]), letters = lettersOf(data, pieces);
  if (!letters) return null;
  const drawn = (/** @type {Piece} */ { atoms }) => String(atoms.filter((atom) => data.places[atom] >= 0).sort((a, b) => a - b));
  const /** @type {Map<string, string[]>} the tiles that can be drawn so */ alike = new Map();
  for (const piece of every) alike.set(drawn(piece), [...(alike.get(drawn(piece)) ?? []), tiles[piece.tile]]);
  /** Whether shape and letter do not tell which placement it is. @param {Piece} piece @param {string} letter */
  const unclear = (piece, letter) => {
    const fitting = alike.get(drawn(piece)) ?? [], named = fitting.filter((tile) => tile === letter);
    return (named.length || fitting.length) > 1;
  };
  const { layers, rows, columns, places, empty } = data, shown = new Array(layers * rows * columns).fill(empty);
  for (const place of places) if (place >= 0) shown[place] = FREE;
  pieces.forEach(({ atoms }, i) => atoms.forEach((atom) => places[atom] >= 0 && (shown[places[atom]] = letters[i])));
  const row = (/** @type {number} */ i) => `${shown.slice(i * columns, (i + 1) * columns).join("").trimEnd()}\n`;
  const pictures = Array.from({ length: layers }, (_, z) => Array.from({ length: rows }, (_, y) => row(z * rows + y)).join(""));
  return pictures.join("\n") + folded(pieces.flatMap((piece, i) => (unclear(piece, letters[i]) || tiles[piece.tile] !== letters[i] ? [`${letters[i]} ${piece.name}`] : [])));
}

/** The letter of its tile for each piece; if another has it, the same letter small or capital; else one that is no tile's. @param {TextData} data @param {Piece[]} pieces */
function lettersOf({ letters, spare }, pieces) {
  const /** @type {Set<string>} */ taken = new Set();
  const free = [...spare], found = pieces.map(({ tile }) => {
    const own = letters[tile], other = own && swapped(own);
    const letter = [...(own ? [own] : []), ...(other && free.includes(other) ? [other] : []), ...free].find((one) => !taken.has(one)) ?? "";
    taken.add(letter);
    return letter;
  });
  return taken.has("") ? null : found;
}

/** @param {string} letter */
const swapped = (letter) => (letter === letter.toUpperCase() ? letter.toLowerCase() : letter.toUpperCase());

/** Entries in lines that are not too wide. @param {string[]} words */
function folded(words) {
  const /** @type {string[]} */ lines = [];
  for (const word of words) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + GAP.length + word.length <= WIDTH) lines[lines.length - 1] = last + GAP + word;
    else lines.push(word);
  }
  return lines.map((line) => `${line}\n`).join("");
}
