// Dasselbe auf Deutsch.
export const texts = {
  drawn_key: "Diese Seite kann mit „{key}“ nichts anfangen, das Programm schon: Starte puzzlesat studio und öffne dort den Link dieser Seite.",
  drawn_grid: "Das Gitter oder den Teilesatz „{name}“ gibt es auf dieser Seite nicht.",
  drawn_picture: "Diese Seite kann das Bild auf dem Gitter {grid} nicht lesen.",
  drawn_rows: "Die Schichten eines Bildes haben verschieden viele Zeilen. Schreibe „.“ für jede leere Stelle.",
  drawn_blanks: "Eine Zeile eines Bildes besteht aus Leerzeichen. Schreibe „.“ für jede leere Stelle, und gar nichts zwischen den Schichten.",
  drawn_large: "Das ist zu groß für einen Browser. Das Programm kann mehr.",
  drawn_wrong: "Diese Seite kann „{key}“ in diesem Legespiel nicht lesen.",
  drawn_layer: "Schicht {n}",
  drawn_first: "Male zuerst mindestens eine Zelle.",
  drawn_no_tiles: "Dieses Legespiel hat noch keine Teile. Wähle welche unter Teile.",
  drawn_name_twice: "Zwei Teile heißen {name}.",
  drawn_proof: "Das Zählprogramm dieser Seite hat alle Möglichkeiten durchprobiert. Für einen Beweis speichere die Datei und gib ein: puzzlesat prove DATEI",
  drawn_program: "Diese Seite zählt nur mit einem Programm. Für Zertifikate, andere Löser, Markierungen auf Teilen, Nähte und andere Dateiformate speichere die Datei und gib ein:",
};
