// Laying tiles: every orientation of every tile at every place of a form, and the symmetries of the form. This is puzzles/placements.py and puzzles/symmetry.py for forms without seams and tiles without marks.

/** @typedef {number[]} Atom the coordinates of the cell, and the number of the atom in the cell */
/** @typedef {{name: string, matrix: number[][], image: number[], shift: number[][], mirror: boolean, over: number}} Motion maps the atom (c, a) to ((matrix c + shift[a]) / over, image[a]) */
/** @typedef {{atoms: {name: string, main: boolean, kind: string}[], symmetries: Motion[], colouring: {of: number, along: number[], shift: number[]}|null}} Grid ``colouring``: (along · c + shift[a]) modulo ``of`` differs between neighbours */
/** @typedef {{name: string, atoms: Atom[], colour?: string, low: number, high: number|null, symmetries: number[], ranges: [number, number|null][]}} Tile ``high`` is null if there is no limit */
/** @typedef {{grid: Grid, tiles: Tile[], required: Atom[], optional: Atom[], mirrored: boolean}} Plan a puzzle to lay; ``mirrored``: mirror images count as one */
/** @typedef {{number: number, atoms: Atom[]}} Orientation ``number``: 1 + the number of the first symmetry that yields it */
/** @typedef {{atoms: Atom[], names: string[], tile: number[], orientation: number[], cell: number[][], covered: number[][], symmetries: string[], images: Int32Array[]}} Laid ``covered``: the numbers of the atoms of each placement */

export const MAX_PLACEMENTS = 50_000;

/** Compare atoms in the order of forms: layers from below, rows from below, left to right. @param {Atom} a @param {Atom} b */
export function byPlace(a, b) {
  for (let i = a.length - 2; i >= 0; i--) if (a[i] !== b[i]) return a[i] - b[i];
  return a[a.length - 1] - b[b.length - 1];
}

/** The image of an atom, with its cell multiplied by ``over``. @param {Motion} motion @param {Atom} atom @returns {Atom} */
function moved({ matrix, image, shift }, atom) {
  const a = atom[atom.length - 1];
  return [...matrix.map((row, i) => row.reduce((sum, x, j) => sum + x * atom[j], shift[a][i])), image[a]];
}

/** Divide the cells by ``over``; null if a quotient is not integral. @param {Atom[]} atoms @param {number} over */
function divided(atoms, over) {
  if (over === 1) return atoms;
  const last = (/** @type {Atom} */ atom) => atom.length - 1;
  if (atoms.some((atom) => atom.some((x, i) => i < last(atom) && x % over))) return null;
  return atoms.map((atom) => atom.map((x, i) => (i < last(atom) ? x / over : x)));
}

/** Move atoms to smallest coordinates ``to``. @param {Atom[]} atoms @param {number} to */
export function atHome(atoms, to) {
  const last = atoms[0].length - 1, low = Array.from({ length: last }, (_, i) => Math.min(...atoms.map((atom) => atom[i])) - to);
  return atoms.map((atom) => atom.map((x, i) => (i < last ? x - low[i] : x)));
}

/** The normal form of atoms up to translation. @param {Atom[]} atoms */
const written = (atoms) => atHome(atoms, 0).sort(byPlace);

/** The image of atoms in normal form; null if the image is not in the grid. @param {Motion} motion @param {Atom[]} atoms */
export function turned(motion, atoms) {
  const there = divided(atHome(atoms.map((atom) => moved(motion, atom)), 0), motion.over);
  return there && written(there);
}

/** The distinct orientations of a tile. @param {Grid} grid @param {Tile} tile @returns {Orientation[]} */
export function orientations(grid, tile) {
  const seen = new Set(), found = [];
  for (const index of tile.symmetries) {
    const atoms = turned(grid.symmetries[index], tile.atoms), key = atoms?.join(" ");
    if (!atoms || seen.has(key)) continue;
    seen.add(key);
    found.push({ number: index + 1, atoms });
  }
  return found;
}

/** Lay the tiles of a plan. @param {Plan} plan @returns {Laid} @throws {RangeError} if there are too many placements */
export function lay(plan) {
  const { grid, tiles } = plan, atoms = [...plan.required, ...plan.optional].sort(byPlace), numbers = new Map(atoms.map((atom, i) => [atom.join(), i])), last = atoms[0].length - 1;
  const /** @type {Laid} */ laid = { atoms, names: [], tile: [], orientation: [], cell: [], covered: [], symmetries: [], images: [] };
  for (const [t, tile] of tiles.entries()) {
    for (const { number, atoms: body } of orientations(grid, tile)) {
      const first = body.find((atom) => grid.atoms[atom[last]].main) ?? body[0];
      for (const start of atoms) {
        if (start[last] !== body[0][last]) continue;
        const covered = [];
        for (const atom of body) {
          const there = numbers.get(atom.map((x, i) => (i < last ? x + start[i] - body[0][i] : x)).join());
          if (there === undefined) break;
          covered.push(there);
        }
        if (covered.length < body.length) continue;
        if (laid.names.length >= MAX_PLACEMENTS) throw new RangeError("there are too many placements");
        const cell = first.slice(0, last).map((x, i) => x + start[i] - body[0][i]);
        laid.names.push(`${tile.name}.${number}@${cell.join(".")}`);
        laid.tile.push(t);
        laid.orientation.push(number);
        laid.cell.push(cell);
        laid.covered.push(covered.sort((a, b) => a - b));
      }
    }
  }
  return withSymmetries(plan, laid, numbers);
}

/** @param {Plan} plan @param {Laid} laid @param {Map<string, number>} numbers the number of each atom */
function withSymmetries(plan, laid, numbers) {
  const ownLooks = looksOf(plan, laid, null), motions = plan.grid.symmetries.filter(({ mirror }) => plan.mirrored || !mirror);
  for (const motion of motions.sort((a, b) => Number(a.mirror) - Number(b.mirror))) {
    const there = formImage(plan, laid, motion, numbers), image = there && placementImage(plan, laid, ownLooks, there);
    if (!image) continue;
    laid.symmetries.push(motion.name);
    laid.images.push(image);
  }
  return laid;
}

/** The permutation of the form's atoms under a motion; null if the motion does not map the form to itself. @param {Plan} plan @param {Laid} laid @param {Motion} motion @param {Map<string, number>} numbers */
function formImage({ required, optional }, { atoms }, motion, numbers) {
  const last = atoms[0].length - 1, raw = atoms.map((atom) => moved(motion, atom)), may = optional.length && required.length ? new Set(optional.map((atom) => atom.join())) : null;
  const least = (/** @type {Atom[]} */ some, /** @type {number} */ i) => some.reduce((low, atom) => Math.min(low, atom[i]), Infinity);
  const move = Array.from({ length: last }, (_, i) => least(atoms, i) * motion.over - least(raw, i));
  const there = divided(raw.map((atom) => atom.map((x, i) => (i < last ? x + move[i] : x))), motion.over);
  const image = there?.map((atom) => numbers.get(atom.join()) ?? -1);
  if (!image || image.includes(-1) || (may && atoms.some((atom, i) => may.has(atom.join()) !== may.has(atoms[image[i]].join())))) return null;
  return image;
}

/** The placements of each tile by their covered atoms, optionally after a permutation of the atoms. @param {Plan} plan @param {Laid} laid @param {number[]|null} image @returns {Map<string, number>[]} */
function looksOf({ tiles }, { tile, covered }, image) {
  const looks = tiles.map(() => new Map());
  covered.forEach((atoms, p) => looks[tile[p]].set((image ? atoms.map((a) => image[a]).sort((a, b) => a - b) : atoms).join(), p));
  return looks;
}

/** The image of each placement; a tile maps to itself if possible, else to a tile with the same copies. @param {Plan} plan @param {Laid} laid @param {Map<string, number>[]} own @param {number[]} image */
function placementImage(plan, laid, own, image) {
  const found = new Int32Array(laid.names.length), taken = new Set();
  for (const [t, looks] of looksOf(plan, laid, image).entries()) {
    const goes = (/** @type {number} */ u) => !taken.has(u) && own[u].size === looks.size && supply(plan.tiles[u]) === supply(plan.tiles[t]) && [...looks.keys()].every((key) => own[u].has(key));
    const target = [t, ...plan.tiles.keys()].find(goes);
    if (target === undefined) return null;
    taken.add(target);
    for (const [key, p] of looks) found[p] = /** @type {number} */ (own[target].get(key));
  }
  return found;
}

/** A key of the copies of a tile: a symmetry may exchange two tiles only if their keys are equal. @param {Tile} tile */
const supply = ({ low, high, ranges }) => (low === high ? `${low}` : ranges.map(([a, b]) => `${a}-${b ?? "∞"}`).sort().join());
