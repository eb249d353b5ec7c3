// German for published counts, which are written in English with a small vocabulary. A text is translated only if all its words are in the vocabulary.

const /** @type {[string, string][]} longer phrases first, since the first match wins */ PHRASES = [
  ["no solution, where tiles must not cross", "keine Lösung, wenn die Teile sich nicht kreuzen dürfen"],
  ["a small brute-force program", "ein kleines Programm, das alles durchprobiert"],
  ["recounted by an independent program", "mit einem unabhängigen Programm nachgezählt"],
  ["a certificate of the whole search that the proved checker accepts", "ein Zertifikat der ganzen Suche, das das bewiesene Prüfprogramm annimmt"],
  ["mirrored answers not told apart", "Spiegelbilder gelten als gleich"],
  ["mirror images told apart", "Spiegelbilder gelten als verschieden"],
  ["up to turning and mirroring", "bis auf Drehungen und Spiegelungen"],
  ["up to turning", "bis auf Drehungen"],
  ["up to mirroring", "bis auf Spiegelungen"],
  ["up to symmetry and the exchange of equal pieces", "bis auf Symmetrie und den Tausch gleicher Teile"],
  ["up to the symmetries of", "bis auf die Symmetrien"],
  ["up to the 8 symmetries of", "bis auf die 8 Symmetrien"],
  ["up to symmetry", "bis auf Symmetrie"],
  ["in a form without symmetry", "in einer Form ohne Symmetrie"],
  ["the example", "das Beispiel"],
  ["that comes with BurrTools", "aus BurrTools"],
  ["no other figure is known", "eine andere Zahl ist nicht bekannt"],
  ["counted by the program", "von puzzlesat gezählt"],
  ["found by the program", "von puzzlesat gefunden"],
  ["documentation of", "Dokumentation von"],
  ["in the text of class", "im Text der Klasse"],
  ["published 0 solutions", "dort 0 Lösungen"],
  ["a colouring with period", "eine Färbung mit der Periode"],
  ["a colouring modulo", "eine Färbung modulo"],
  ["cells modulo", "Zellen modulo"],
  ["the two corners have the same colour", "Die beiden Ecken haben dieselbe Farbe"],
  ["without turning a piece", "ohne ein Teil zu drehen"],
  ["the closed formula", "die geschlossene Formel"],
  ["chess parity", "Schachbrettfärbung"],
  ["original solutions", "Grundlösungen"],
  ["original solution", "Grundlösung"],
  ["four solvers", "vier Löser"],
  ["three ways", "auf drei Wegen"],
  ["the rectangle", "des Rechtecks"],
  ["blocks of", "Blöcke aus"],
  ["no solution", "keine Lösung"],
  ["one solution", "eine Lösung"],
  ["two solutions", "zwei Lösungen"],
  ["the tally", "die Zähltabelle"],
  ["the board", "des Bretts"],
  ["the form", "der Form"],
  ["the tube", "der Röhre"],
  ["assemblies", "Zusammenbauten"],
  ["assembly", "Zusammenbau"],
  ["backtracking", "Backtracking"],
  ["chessboard", "Schachbrett"],
  ["impossible", "unmöglich"],
  ["solutions", "Lösungen"],
  ["solution", "Lösung"],
  ["distinct", "bis auf Symmetrie"],
  ["of them", "davon"],
  ["stripes", "Streifen"],
  ["agree", "sind sich einig"],
  ["class", "Klasse"],
  ["ours", "eigene Zählung"],
  ["all", "alle"],
  ["and", "und"],
  ["by", "mit"],
];
const PHRASE = new RegExp(`\\b(?:${PHRASES.map(([english]) => english).join("|")})\\b`, "g");
const GERMAN = new Map(PHRASES);
const NAME = /\S*[A-Z/.]\S*/g; // a person, a program, a paper or a page

/** Translate words if possible; `lang` is the language of the result if it differs from the wanted language.
 * @param {string} words in English @param {string} language @returns {{words: string, lang: string|null}} */
export function inLanguage(words, language) {
  if (language !== "de") return { words, lang: null };
  if (/\p{Ll}{2}/u.test(words.replace(PHRASE, "").replace(NAME, ""))) return { words, lang: "en" };
  const german = words.replace(PHRASE, (english) => GERMAN.get(english) ?? english).replace(/(\d),(?=\d{3}\b)/g, "$1.");
  return { words: german, lang: null };
}
