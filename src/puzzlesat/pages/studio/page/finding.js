// Search for puzzles by typed words, tolerant of case, accents, hyphens and typing errors, like "puzzlesat list".

/** @typedef {{name: string, title: string, set: string, family: string, maker: string, grid_title: string, aliases: string[], like: string[]}}
 * Named the names of a puzzle of the library; ``set``: the kind of its pieces; ``aliases``: names in shops and in other languages;
 * ``like``: puzzles that the package lacks and that this puzzle resembles */

const MIN_FOR_ONE = 4, MIN_FOR_TWO = 7; // minimum lengths of words for tolerating one and two typing errors

/** Fold words to lower case without accents, with one blank between words. @param {string} words */
export const folded = (words) => words.toLowerCase().replaceAll("ß", "ss").normalize("NFKD").replace(/\p{M}/gu, "").replace(/[^\p{L}\p{N}]+/gu, " ").trim();

/** The edit distance of two words (insertion, deletion, substitution, transposition of neighbours), cut off above `most`.
 * @param {string} a @param {string} b @param {number} most */
export function distance(a, b, most) {
  if (Math.abs(a.length - b.length) > most) return most + 1;
  let [before, last] = [/** @type {number[]} */ ([]), Array.from({ length: b.length + 1 }, (_, j) => j)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      row[j] = Math.min(last[j] + 1, row[j - 1] + 1, last[j - 1] + Number(a[i - 1] !== b[j - 1]));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) row[j] = Math.min(row[j], before[j - 2] + 1);
    }
    if (Math.min(...row) > most) return most + 1;
    [before, last] = [last, row];
  }
  return last[b.length];
}

/** Build a search function. @template {Named} Entry @param {Entry[]} entries
 * @param {(title: string) => string} titled the title in the user's language */
export function makeFinder(entries, titled) {
  const index = entries.map((entry) => {
    const names = [entry.title, titled(entry.title), ...entry.aliases].map(folded), like = entry.like.map(folded);
    const searchText = [...names, ...[entry.name, entry.family, entry.set, titled(entry.set), entry.maker, entry.grid_title].map(folded)].join(" ");
    return { entry, names, like, searchText, packed: searchText.replaceAll(" ", "") };
  });
  const vocabulary = [...new Set(index.flatMap(({ searchText, like }) => [searchText, ...like].join(" ").split(" ")))];

  /** The most similar word of the library. @param {string} word */
  function corrected(word) {
    if (index.some(({ searchText, like }) => searchText.includes(word) || like.some((name) => name.includes(word))) || word.length < MIN_FOR_ONE) return word;
    let [best, least] = [word, word.length < MIN_FOR_TWO ? 2 : 3];
    for (const known of vocabulary) {
      const start = known.length > word.length + 1 ? known.slice(0, word.length) : known; // the user may still be typing
      for (const [part, cost] of /** @type {[string, number][]} */ ([[known, 0], [start, 0.5]])) {
        const far = distance(word, part, Math.ceil(least) - 1) + cost;
        if (far < least) [best, least] = [known, far];
      }
    }
    return best;
  }

  /** The puzzles that contain every word, best matches first: title or alias before other texts. @param {string[]} words */
  function having(words) {
    const whole = words.join(" "), packed = words.join("");
    const found = index.filter((candidate) => words.every((word) => candidate.searchText.includes(word)) || candidate.packed.includes(packed)).map(({ entry, names }) => {
      const rank = names.some((name) => name === whole) ? 0 : names.some((name) => name.startsWith(whole)) ? 1 : names.some((name) => name.includes(whole)) ? 2 : 3;
      return { entry, rank };
    });
    return found.sort((a, b) => a.rank - b.rank).map(({ entry }) => entry);
  }

  /** Search; `meant`: the corrected words, if the typed words have no match; `like`: the name of a puzzle that the package lacks, if the hits
   * are similar puzzles.
   * @param {string} typed @returns {{hits: Entry[], meant: string, like: string}} */
  return function find(typed) {
    const words = folded(typed).split(" ").filter(Boolean);
    if (!words.length) return { hits: entries, meant: "", like: "" };
    for (const tried of [words, words.map(corrected)]) {
      const understood = tried === words ? "" : tried.join(" "), hits = having(tried);
      if (hits.length) return { hits, meant: understood, like: "" };
      const whole = tried.join(" "), near = index.filter(({ like }) => like.some((name) => name.includes(whole) || name.replaceAll(" ", "").includes(tried.join(""))));
      if (near.length) return { hits: near.map(({ entry }) => entry), meant: understood, like: near[0].entry.like.find((name) => folded(name).includes(whole)) ?? whole };
    }
    return { hits: [], meant: "", like: "" };
  };
}
