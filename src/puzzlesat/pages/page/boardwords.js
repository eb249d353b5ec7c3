// The texts of a board, by language.

const /** @type {Record<string, Record<string, string>>} */ BOARD_WORDS = {
  en: {
    board: "Board. Arrow keys move, Enter picks up and puts down, R turns, F flips, Delete takes back.",
    tray: "Pieces", layer: "layer {n}",
    tools: "Tools",
    turn: "Turn", back: "Turn back", flip: "Flip", tip: "Tip over", mirror: "Mirror",
    undo: "Undo", redo: "Redo", clear: "Start over", takeBack: "Take back",
    keyBack: "Shift+R", keyTakeBack: "Delete", keyUndo: "Ctrl+Z", keyRedo: "Ctrl+Y",
    hint: "Hint", which: "Which piece?", how: "Exactly how?", lay: "Lay it",
    piece: "piece {name}", card: "the card with {words}",
    left: "{n} left", none: "all placed", any: "as many as you like",
    chosen: "{piece} chosen. Tap a place to lay it. Tap again: it turns there.",
    picked: "{piece} picked up",
    at: "{piece} at {place}", fits: "fits", blocked: "does not fit here",
    laid: "{piece} laid at {place}",
    noFit: "{piece} does not fit there.",
    noRoom: "There is no room to turn {piece} here.",
    noWay: "{piece}, turned this way, cannot cover {place}. Turn it, or choose another place.",
    noPlace: "{piece} cannot cover {place} now. Choose another place.",
    choose: "Choose a piece first, then tap a place.",
    back_: "{piece} taken back",
    kept: "{piece} belongs to the puzzle and stays where it is.",
    gone: "All copies of {piece} are on the board.",
    empty: "empty", undone: "Undone", redone: "Redone", cleared: "The board is empty again.",
    dropped: "{n} pieces of this position do not fit.", swapped: "{piece} and {other} changed places",
    ways1: "One way to finish", ways: "{n} ways to finish", waysMore: "At least {n} ways to finish", startWaysMore: "At least {n} solutions", waysMore1: "At least one way to finish", startWaysMore1: "At least one solution", ways0: "This cannot be finished.",
    waysUnknown: "Whether this can be finished is not known yet.", counting: "Counting …",
    startWays1: "One solution", startWays: "{n} solutions", takeBackOf: "Take back {names} to be able to finish.",
    mismatch1: "One pair of sides does not match.", mismatch: "{n} pairs of sides do not match.",
    dead1: "Nothing can cover {place}: {reason}.", dead: "Nothing can cover {places}.",
    hintWhere: "One piece covers all places that glow.",
    hintForced: "Only one piece can cover the places that glow.",
    hintWhich: "It is {piece}.", hintHow: "Lay {piece} as shown.",
    hintNone: "There is no way on from here.", hintUnknown: "None of the solutions on this page continues from here; another one may.",
    hintShared: "{n} of {m} solutions have it there.",
    hintAll: "Every way to finish has it there.", hintTakeBack: "This cannot be finished: take something back first.",
    deadReason: "none of the remaining pieces fits there", onlyOne: "Nothing else can cover {place}.",
    doneMany: "Done. Every place is covered.", doneCards: "Done. All sides match.",
    searching: "Looking for a hint …", clock: "Clock",
    moves: "{n} moves", moves1: "one move", oneOf: "one of {n} solutions", onlySolution: "the only solution",
  },
  de: {
    board: "Brett. Pfeiltasten bewegen, Eingabe nimmt auf und legt ab, R dreht, F wendet, Entf nimmt zurück.",
    tray: "Teile", layer: "Schicht {n}",
    tools: "Werkzeuge",
    turn: "Drehen", back: "Zurückdrehen", flip: "Wenden", tip: "Kippen", mirror: "Spie\u00adgeln",
    undo: "Rück\u00adgängig", redo: "Wieder\u00adholen", clear: "Von vorn", takeBack: "Zurück\u00adnehmen",
    keyBack: "Umschalt+R", keyTakeBack: "Entf", keyUndo: "Strg+Z", keyRedo: "Strg+Y",
    hint: "Tipp", which: "Welches Teil?", how: "Wie genau?", lay: "Legen",
    piece: "Teil {name}", card: "die Karte mit {words}",
    left: "noch {n}", none: "alle gelegt", any: "beliebig viele",
    chosen: "{piece} gewählt. Tippe auf einen Platz. Tippe noch einmal: Es liegt anders.",
    picked: "{piece} aufgenommen",
    at: "{piece} bei {place}", fits: "passt", blocked: "passt hier nicht",
    laid: "{piece} liegt bei {place}",
    noFit: "{piece} passt dort nicht.",
    noRoom: "Hier ist kein Platz, um {piece} zu drehen.",
    noWay: "{piece} kann so {place} nicht bedecken. Dreh es oder wähle einen anderen Platz.",
    noPlace: "{piece} kann {place} jetzt nicht bedecken. Wähle einen anderen Platz.",
    choose: "Wähle zuerst ein Teil, dann tippe auf einen Platz.",
    back_: "{piece} zurückgenommen",
    kept: "{piece} gehört zur Aufgabe und bleibt liegen.",
    gone: "{piece}: Alle Exemplare liegen schon auf dem Brett.",
    empty: "leer", undone: "Rückgängig gemacht", redone: "Wiederholt", cleared: "Das Brett ist wieder leer.",
    dropped: "{n} Teile dieser Stellung passen nicht.", swapped: "{piece} und {other} haben die Plätze getauscht",
    ways1: "Eine Lösung möglich", ways: "{n} Lösungen möglich", waysMore: "Mindestens {n} Lösungen möglich", startWaysMore: "Mindestens {n} Lösungen", waysMore1: "Mindestens eine Lösung möglich", startWaysMore1: "Mindestens eine Lösung", ways0: "So geht es nicht mehr auf.",
    waysUnknown: "Ob es aufgeht, ist noch nicht bekannt.", counting: "Ich zähle …",
    startWays1: "Eine Lösung", startWays: "{n} Lösungen", takeBackOf: "Nimm {names} zurück, dann geht es wieder auf.",
    mismatch1: "An einer Stelle passen die Seiten nicht zusammen.", mismatch: "An {n} Stellen passen die Seiten nicht zusammen.",
    dead1: "Nichts kann {place} bedecken: {reason}.", dead: "Nichts kann {places} bedecken.",
    hintWhere: "Ein Teil bedeckt alle Plätze, die leuchten.",
    hintForced: "Nur ein Teil passt auf die Plätze, die leuchten.",
    hintWhich: "Es ist {piece}.", hintHow: "Leg {piece} so, wie du es siehst.",
    hintNone: "Von hier aus geht es nicht weiter.", hintUnknown: "Keine der Lösungen auf dieser Seite führt von hier aus weiter; vielleicht gibt es noch andere.",
    hintShared: "So liegt es in {n} von {m} Lösungen.",
    hintAll: "So liegt es in jeder Lösung.", hintTakeBack: "So geht es nicht auf: Nimm zuerst etwas zurück.",
    deadReason: "kein Teil, das noch da ist, passt dorthin", onlyOne: "Nichts anderes kann {place} bedecken.",
    doneMany: "Fertig. Jeder Platz ist bedeckt.", doneCards: "Fertig. Alle Seiten passen.",
    searching: "Ich suche einen Tipp …", clock: "Uhr",
    moves: "{n} Züge", moves1: "ein Zug", oneOf: "eine von {n} Lösungen", onlySolution: "die einzige Lösung",
  },
};

/** Return a function that renders a text by its key, with numbers in the format of the language.
 * @param {string} language @returns {(key: string, values?: Record<string, string|number>) => string} */
export function boardSpeech(language) {
  const code = language.toLowerCase().startsWith("de") ? "de" : "en";
  const texts = BOARD_WORDS[code];
  return (key, values = {}) =>
    texts[key].replace(/\{(\w+)\}/g, (_, name) => {
      const value = values[name];
      return typeof value === "number" ? value.toLocaleString(code) : String(value);
    });
}

/** Translations of the English names of marks and colours. @type {Record<string, Record<string, string>>} */
const MARK_WORDS = {
  de: {
    red: "Rot", green: "Grün", blue: "Blau", yellow: "Gelb", white: "Weiß", black: "Schwarz", gray: "Grau", pink: "Rosa",
    pippi: "Pippi", monkey: "Affe", horse: "Pferd", asterix: "Asterix", chief: "Häuptling", druid: "Druide", obelix: "Obelix",
    man: "Mann", hat: "Hut", stripes: "Streifen", drops: "Tropfen", spots: "Flecken", balloons: "Luftballons", bear: "Bär", girl: "Mädchen", boy: "Junge",
    dog: "Hund", glass: "Glas", reaching: "Greifen", football: "Fußball", tea: "Tee", penguin: "Pinguin", mouse: "Maus", cat: "Katze", pig: "Schwein",
    katze: "Katze", maus: "Maus", pinguin: "Pinguin", schwein: "Schwein", rot: "Rot", gelb: "Gelb", grün: "Grün", blau: "Blau", month: "Monat", day: "Tag",
  },
};

/** Return a function that translates marks such as "monkey −, horse +" and halves such as "horse+". Unknown names are not translated.
 * @param {string} language @returns {(marks: string) => string} */
export function markSpeech(language) {
  const known = MARK_WORDS[language.toLowerCase().slice(0, 2)];
  return (marks) => (known ? marks.split(", ").map((mark) => mark.replace(/^\S+?(?=[+-]?$| )/, (name) => (Object.hasOwn(known, name) ? known[name] : name))).join(", ") : marks);
}
