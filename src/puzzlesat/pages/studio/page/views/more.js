// What the program makes that the page does not: the commands to type.
import { Refused } from "../ask.js";
import { button, bytesOf, element } from "../dom.js";

/** @import { App } from "../app.js" */

/** What is typed in a terminal for a puzzle. @param {string} said its name, or its file @param {string} name for files that are written @returns {Record<string, string>} */
const commands = (said, name) => ({
  report: `puzzlesat report ${said} -o ${name}.html`, spreadsheet: `puzzlesat solve ${said} --all --distinct --csv ${name}.csv`, certificate: `puzzlesat certify ${said} -o ${name}.proof`, prove: `puzzlesat prove ${said}`,
  count: `puzzlesat count ${said} --store ${name}.sqlite`, apart: `puzzlesat apart ${said} --svg ${name}-steps.svg`, stl: `puzzlesat show ${said} --stl ${name}-stl`, forms: `puzzlesat forms ${said} --boxes --count -o ${name}-forms.html`,
  sets: `puzzlesat sets ${said} --sheet ${name}-sets.html`, study: "puzzlesat run study.toml" });

/** Commands for what takes longer. @param {App} app @param {object} asked the puzzle, as questions say it @param {any} board */
export function morePanel(app, asked, board) {
  const { t } = app, { all, keep } = typed(app, asked, board), shown = Object.keys(all).filter((key) => key !== "prove" && (key !== "apart" || board.holds));
  return element("details", { class: "panel more-commands" }, element("summary", {}, t("more")), element("p", { class: "soft small" }, t("more_words")), keep,
    element("dl", {}, ...shown.flatMap((key) => [element("dt", {}, t(`more_${key}`)), element("dd", { class: "row" }, element("code", {}, all[key]), copying(app, all[key]))])));
}

/** Where the page stops: the command that goes on. @param {App} app @param {object} asked @param {any} board
 * @param {"certificate"|"prove"|"count"|"apart"|"forms"} key @param {unknown} [error] what the program said, if it refused; it stays to be read */
export function atTerminal(app, asked, board, key, error) {
  const { all, keep } = typed(app, asked, board), said = error instanceof Refused ? error.sentences : [];
  return element("div", { class: "at-terminal", role: "status" }, ...said.map((words) => element("p", {}, words)), element("p", { class: "soft small" }, app.t("at_terminal")), keep,
    element("p", { class: "row" }, element("code", {}, all[key]), copying(app, all[key])));
}

/** The commands for a puzzle; and where it is one's own, what saves the file that they name.
 * @param {App} app @param {object} asked @param {any} board */
function typed(app, asked, board) {
  const { t } = app, name = fileName(board.name), said = inCommands(app, board);
  return { all: commands(said, name), keep: !app.state.name && element("p", {}, element("span", { class: "soft small" }, t("more_own"), " "), button(t("more_keep", { name: said }), keepFile)) };

  function keepFile() {
    return app.attempt(async () => {
      const file = await app.ask("export", { puzzle: asked, format: "toml" });
      app.keep(said, file.type, bytesOf(file.base64));
    });
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

/** Copy a text, and say so; where the browser does not let the page, the text is shown to be copied.
 * @param {App} app @param {string} text @param {string} words */
export async function copyText(app, text, words) {
  try {
    await navigator.clipboard.writeText(text);
    app.toast(words);
  } catch {
    app.toast(`${app.t("copy_by_hand")} ${text}`);
  }
}
