// What the program makes that the page does not: the commands to type.
import { button, bytesOf, element } from "../dom.js";

/** @typedef {import("../app.js").App} App */

/**
 * @param {App} app
 * @param {object} asked the puzzle, as questions say it
 * @param {any} board
 * @param {string} said what commands call the puzzle
 */
export function morePanel(app, asked, board, said) {
  const { t } = app, own = !app.state.name, name = fileName(board.name);
  const commands = [["report", `puzzlesat report ${said} -o ${name}.html`], ["spreadsheet", `puzzlesat solve ${said} --all --distinct --csv ${name}.csv`],
    ...(board.holds ? [["apart", `puzzlesat apart ${said} --svg ${name}-steps.svg`]] : []), ["stl", `puzzlesat show ${said} --stl ${name}-stl`],
    ["forms", `puzzlesat forms ${said} --boxes --count -o ${name}-forms.html`], ["sets", `puzzlesat sets ${said} --sheet ${name}-sets.html`]];
  return element("details", { class: "panel more-commands" }, element("summary", {}, t("more")),
    element("p", { class: "soft small" }, t("more_words")),
    own && element("p", {}, element("span", { class: "soft small" }, t("more_own"), " "), button(t("more_keep", { name: said }), keepFile)),
    element("dl", {}, ...commands.flatMap(([key, command]) => [element("dt", {}, t(`more_${key}`)), element("dd", { class: "row" }, element("code", {}, command), copying(app, command))])));

  async function keepFile() {
    try {
      const file = await app.ask("export", { puzzle: asked, format: "toml" });
      app.keep(said, file.type, bytesOf(file.base64));
    } catch (error) {
      app.failed(error);
    }
  }
}

/** What commands call a puzzle: its name, or that of its file. @param {App} app @param {any} board @param {string} [command] one that has it */
export const inCommands = ({ state }, board, command) => command?.replace(/^puzzlesat \w+ /, "") ?? state.name ?? `${fileName(board.name)}.toml`;

/** A name for files that a shell takes as it is. @param {string} name */
export const fileName = (name) => name.replace(/[^\p{L}\p{N}_-]+/gu, "-").replace(/^-+|-+$/g, "") || "puzzle";

/** A button that copies a text. @param {App} app @param {string} text */
function copying(app, text) {
  return button(app.t("copy"), () => copyText(app, text, app.t("copied")), { class: "link", "aria-label": `${app.t("copy")}: ${text}` });
}

/**
 * Copy a text, and say so; where the browser does not let the page, the text is shown to be copied.
 * @param {App} app
 * @param {string} text
 * @param {string} words
 */
export async function copyText(app, text, words) {
  try {
    await navigator.clipboard.writeText(text);
    app.toast(words);
  } catch {
    app.toast(`${app.t("copy_by_hand")} ${text}`);
  }
}
