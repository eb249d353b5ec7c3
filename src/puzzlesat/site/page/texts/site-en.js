// What the page says in English where there is no program behind it. site-de.js has the same keys; some are of en.js, and replace its texts.
export const texts = {
  lost: "The engine in this page has stopped. Your position is safe in this browser.",
  found_again: "The engine works again.",
  welcome_words: "Find it by the name on its box. Play it here, get a hint, or see in how many ways you can finish it. This page works without a network.",
  no_hits: "No puzzle here is called “{words}”.",
  count_all: "Count",
  known_counts: "Known counts",
  known_published: "Published: {words}",
  known_source: "Source: {words}",
  not_here: "This page does not have the puzzle of that link.",
  not_loaded: "This puzzle cannot be loaded. Open it once while you are online; then this browser keeps it.",
  solutions_browser: "One engine found them in your browser.",
  solutions_with_python: "To check solutions, sort them by how hard they are to take apart, choose them by other rules, or write certificates, install puzzlesat for Python and type:",
  more_with_python: "One engine in this page counts and gives hints. To check a count with several solvers, or to prove or export, install puzzlesat for Python and type:",
};
