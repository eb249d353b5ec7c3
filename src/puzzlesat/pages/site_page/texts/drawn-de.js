// Dasselbe auf Deutsch.
export const texts = {
  drawn_key: "Diese Seite kann kein Puzzle mit „{key}“ legen. Das Programm kann es: Starte puzzlesat studio und öffne dort den Link dieser Seite.",
  drawn_grid: "Das Gitter oder den Satz von Teilen „{name}“ hat diese Seite nicht.",
  drawn_picture: "Diese Seite kann das Bild auf dem Gitter {grid} nicht lesen.",
  drawn_rows: "Die Schichten eines Bildes haben verschieden viele Zeilen. Schreibe „.“ für jede leere Stelle.",
  drawn_blanks: "Eine Zeile eines Bildes besteht aus Leerzeichen. Schreibe „.“ für jede leere Stelle, und gar nichts zwischen den Schichten.",
  drawn_large: "Das ist zu groß für einen Browser. Das Programm nimmt größere.",
  drawn_wrong: "Diese Seite kann „{key}“ in diesem Puzzle nicht lesen.",
  drawn_layer: "Schicht {n}",
  drawn_first: "Male zuerst mindestens eine Zelle.",
  drawn_no_tiles: "Dieses Puzzle hat noch keine Teile. Wähle welche unter Teile.",
  drawn_name_twice: "Zwei Teile heißen {name}.",
  drawn_proof: "Der Rechner in dieser Seite hat jede Möglichkeit angesehen. Für einen Beweis sichere die Datei und gib ein: puzzlesat prove DATEI",
  drawn_program: "Diese Seite zählt mit einem einzigen Rechner. Für Zertifikate, andere Löser, Zeichen auf Teilen, Nähte und andere Dateiformate sichere die Datei und gib ein:",
};
