// Dasselbe auf Deutsch.
export const texts = {
  lost: "Der Rechner in dieser Seite ist stehen geblieben. Deine Stellung ist in diesem Browser sicher.",
  found_again: "Der Rechner läuft wieder.",
  welcome_words: "Such es unter dem Namen auf der Schachtel. Spiel es hier, hol dir einen Tipp, oder sieh, auf wie viele Arten es sich beenden lässt. Diese Seite braucht kein Netz.",
  no_hits: "Kein Puzzle heißt hier „{words}“.",
  count_all: "Zählen",
  known_counts: "Bekannte Anzahlen",
  known_published: "Veröffentlicht: {words}",
  known_source: "Quelle: {words}",
  not_here: "Das Puzzle dieses Links ist nicht auf dieser Seite.",
  not_loaded: "Dieses Puzzle lässt sich nicht laden. Öffne es einmal, während du mit dem Netz verbunden bist; dann behält es dieser Browser.",
  solutions_browser: "Ein einzelner Rechner hat sie in deinem Browser gefunden.",
  solutions_with_python: "Um Lösungen zu prüfen, nach der Schwierigkeit des Zerlegens zu ordnen, nach weiteren Regeln auszuwählen oder Zertifikate zu schreiben, installiere puzzlesat für Python und gib ein:",
  more_with_python: "Auf dieser Seite zählt ein einzelner Rechner und gibt Tipps. Um eine Anzahl mit mehreren Lösern zu prüfen, zu beweisen oder zu speichern, installiere puzzlesat für Python und gib ein:",
};
