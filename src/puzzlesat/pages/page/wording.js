import { markSpeech } from "./boardwords.js";
import { cardNumber, isOfCards } from "./lookup.js";

// Translation of the sentences of a generated page.

/** Translate the sentences of a page and the marks in its pictures.
 * @param {Document} page @param {string} language @param {Map<string, string>} translations the translations, by English sentence
 * @param {import("./types.js").BoardData} board of the puzzle */
export function wordPage(page, language, translations, board) {
  const marked = markSpeech(language), cards = isOfCards(board), texts = page.createTreeWalker(page, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const text = /** @type {Text} */ (texts.currentNode), english = text.data.trim(), own = translations.get(english);
    if (own !== undefined) text.data = text.data.replace(english, () => own);
    else if (text.parentElement?.closest("svg")) text.data = marked(cards ? cardNumber(text.data) : text.data);
  }
  page.documentElement.lang = language;
}
