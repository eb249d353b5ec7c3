// A position as a text picture that the program can parse, like ``pictures/text_pictures.py``.

/** @typedef {{layers: number, rows: number, columns: number, places: number[], empty: string, letters: (string|null)[], spare: string}} TextData in the format of ``text_as_json`` in pages/site_puzzle.py: the place of each atom (-1: none), and the letters of the tiles */
/** @typedef {{atoms: number[], tile: number, name: string}} Piece the covered atoms, the tile and the name of a placement */

const FREE = "·", WIDTH = 80, GAP = "  ";

/** @param {TextData} data @param {number[]} options @param {Piece[]} every all placements of the puzzle @param {string[]} tiles the names of the tiles
 * @returns {string|null} null if there are more pieces than letters */
export function picture(data, options, every, tiles) {
  const pieces = options.map((option) => every[option]), letters = lettersOf(data, pieces);
  if (!letters) return null;
  const drawn = (/** @type {Piece} */ { atoms }) => String(atoms.filter((atom) => data.places[atom] >= 0).sort((a, b) => a - b));
  const /** @type {Map<string, string[]>} the tiles of all placements with the same picture */ alike = new Map();
  for (const piece of every) alike.set(drawn(piece), [...(alike.get(drawn(piece)) ?? []), tiles[piece.tile]]);
  /** Return whether shape and letter fail to identify a placement. @param {Piece} piece @param {string} letter */
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

/** The letter of each piece: the letter of its tile; if taken, the same letter in the other case; else a letter of no tile. @param {TextData} data @param {Piece[]} pieces */
function lettersOf({ letters, spare }, pieces) {
  const /** @type {Set<string>} */ taken = new Set();
  const free = [...spare], found = pieces.map(({ tile }) => {
    const own = letters[tile], other = own && swapped(own);
    const letter = [...(own ? [own] : []), ...(other && free.includes(other) ? [other] : []), ...free].find((candidate) => !taken.has(candidate)) ?? "";
    taken.add(letter);
    return letter;
  });
  return taken.has("") ? null : found;
}

/** @param {string} letter */
const swapped = (letter) => (letter === letter.toUpperCase() ? letter.toLowerCase() : letter.toUpperCase());

/** Wrap entries into lines of limited width. @param {string[]} words */
function folded(words) {
  const /** @type {string[]} */ lines = [];
  for (const word of words) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + GAP.length + word.length <= WIDTH) lines[lines.length - 1] = last + GAP + word;
    else lines.push(word);
  }
  return lines.map((line) => `${line}\n`).join("");
}
