import { boardSpeech } from "./boardwords.js";
import { makeLookup } from "./lookup.js";
import { numbersOf } from "./packing.js";

// Answers to a board's requests from solutions embedded in the page, without a server.

/** @import { BoardData, Ask, Hint, Standing } from "./types.js" */

/** @typedef {{rows: Uint32Array, width: number, complete: boolean}} EmbeddedSolutions solutions embedded in a page; ``rows``: placements of the board, `width` for each
 * solution, padded with the number of placements; ``complete``: whether these are all solutions */

/** @param {BoardData} board @param {EmbeddedSolutions} kept @param {string} [language] @returns {Ask} */
export function offlineAsk(board, kept, language = "en") {
  const { placements, tiles, atoms, fixed } = board, { rows, width, complete } = kept, count = width ? rows.length / width : 0;
  const say = boardSpeech(language), lookup = makeLookup(board);

  /** For each solution, the number of placements that it shares with a position. @param {number[]} placed */
  const common = (placed) => {
    const here = new Uint8Array(placements.tile.length + 1), found = new Uint32Array(count);
    for (const p of placed) here[p] = 1;
    for (let i = 0; i < count * width; i += 1) found[Math.floor(i / width)] += here[rows[i]];
    return found;
  };
  /** The numbers of the solutions that contain a position. @param {number[]} placed */
  const containing = (placed) => {
    const /** @type {number[]} */ found = [];
    common(placed).forEach((n, s) => n === placed.length && found.push(s));
    return found;
  };
  const open = (/** @type {number[]} */ placed) => {
    const covered = new Uint8Array(atoms.length), used = tiles.map(() => 0);
    for (const p of new Set([...fixed, ...placed])) {
      for (const a of placements.atoms[p]) covered[a] = 1;
      used[placements.tile[p]] += 1;
    }
    const fits = (/** @type {number} */ p) => {
      const { high } = tiles[placements.tile[p]];
      return (high === null || used[placements.tile[p]] < high) && placements.atoms[p].every((a) => !covered[a]);
    };
    return { covered, fits };
  };
  /** The placements to take back: those outside the solution that shares most with the position. @param {number[]} placed */
  const inTheWay = (placed) => {
    let best = -1, most = -1;
    for (const [s, n] of common(placed).entries()) if (n > most) [best, most] = [s, n];
    const stays = new Set(rows.subarray(best * width, (best + 1) * width));
    return best < 0 ? [] : placed.filter((p) => !stays.has(p));
  };
  const numbered = (/** @type {string[]} */ position) => position.map(lookup.number);

  return {
    completions: async (position) => {
      const placed = numbered(position);
      const n = containing(placed).length;
      if (n || !complete) return { completions: n || null, exact: complete, dead: [] };
      const { covered, fits } = open(placed);
      const dead = atoms.flatMap((atom, a) => (atom.optional || covered[a] || lookup.covering(a).some(fits) ? [] : [{ atom: a, reason: say("deadReason") }]));
      return { completions: 0, exact: true, dead, take_back: inTheWay(placed).map((p) => placements.name[p]) };
    },
    hint: async (position) => {
      const placed = numbered(position);
      const found = containing(placed);
      const done = new Set([...fixed, ...placed]);
      const shared = new Map();
      for (const s of found) {
        for (const p of rows.subarray(s * width, (s + 1) * width)) if (p < placements.tile.length && !done.has(p)) shared.set(p, (shared.get(p) ?? 0) + 1);
      }
      if (!shared.size) return { words: say(found.length ? "hintNone" : complete ? "hintTakeBack" : "hintUnknown") };
      const { covered, fits } = open(placed);
      const /** @type {Map<number, number>} */ only = new Map();
      atoms.forEach((atom, a) => {
        const ways = atom.optional || covered[a] ? [] : lookup.covering(a).filter(fits);
        if (ways.length === 1) only.set(ways[0], a);
      });
      const [p, n] = [...shared].sort((one, other) => other[1] - one[1] || Number(only.has(other[0])) - Number(only.has(one[0])) || one[0] - other[0])[0];
      const forcedAt = only.get(p);
      const reason = forcedAt === undefined ? "" : say("onlyOne", { place: atoms[forcedAt].name });
      return { placement: placements.name[p], forced: forcedAt !== undefined, reason, shared: n, listed: found.length, every: complete, atoms: placements.atoms[p] };
    },
  };
}

/** @typedef {{rows: string, images: string|null, kept: string, groups: number[][], symmetries: string[], count: number, width: number,
 *   bytes: number, complete: boolean}} Packed the solutions of a report: one per class, and the images of placements under the symmetries */

/** All solutions of a report, with distinct images. @param {Packed} packed @param {number[]} numbers the placement of the board for each number in the rows
 * @param {number} none the padding number of rows @returns {EmbeddedSolutions} */
export function allSolutions(packed, numbers, none) {
  const { width, count, bytes, symmetries, groups } = packed;
  const rows = numbersOf(packed.rows, bytes), kept = numbersOf(packed.kept, 2);
  const order = symmetries.length, size = numbers.length;
  const images = packed.images === null ? null : numbersOf(packed.images, bytes);
  const alone = (/** @type {number} */ s) => groups[kept[s]].length === 1;
  let total = 0;
  for (let s = 0; s < count; s += 1) total += images ? order / groups[kept[s]].length : 1;
  const found = new Uint32Array(total * width).fill(none);
  const seen = new Set();
  let n = 0;
  for (let s = 0; s < count; s += 1) {
    seen.clear();
    for (let g = 0; g < (images ? order : 1); g += 1) {
      const row = rows.subarray(s * width, (s + 1) * width).filter((p) => p < size).map((p) => numbers[images ? images[g * size + p] : p]);
      if (!alone(s)) {
        const key = row.sort().join();
        if (seen.has(key)) continue;
        seen.add(key);
      }
      found.set(row, n * width);
      n += 1;
    }
  }
  return { rows: found, width, complete: packed.complete && (images !== null || order === 1) };
}
