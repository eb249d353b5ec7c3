// Commands for features that the page does not have.
import { Refused } from "../ask.js";
import { button, bytesOf, element } from "../dom.js";

/** @import { App } from "../app.js" */

/** The terminal commands for a puzzle. @param {string} target the name or the file of the puzzle @param {string} name base name of output files @returns {Record<string, string>} */
const commands = (target, name) => ({
  report: `puzzlesat report ${target} -o ${name}.html`, spreadsheet: `puzzlesat solve ${target} --all --distinct --csv ${name}.csv`, certificate: `puzzlesat certify ${target} -o ${name}.proof`, prove: `puzzlesat prove ${target}`,
  count: `puzzlesat count ${target} --store ${name}.sqlite`, apart: `puzzlesat apart ${target} --svg ${name}-steps.svg`, stl: `puzzlesat show ${target} --stl ${name}-stl`, forms: `puzzlesat forms ${target} --boxes --count -o ${name}-forms.html`,
  sets: `puzzlesat sets ${target} --sheet ${name}-sets.html`, study: "puzzlesat run study.toml" });

/** A panel with the commands for longer work. @param {App} app @param {object} asked the description of the puzzle in requests @param {any} board */
export function morePanel(app, asked, board) {
  const { t } = app, { all, keep } = typed(app, asked, board), shown = Object.keys(all).filter((key) => key !== "prove" && (key !== "apart" || board.holds));
  return element("details", { class: "panel more-commands" }, element("summary", {}, t("more")), element("p", { class: "soft small" }, t("more_words")), keep,
    element("dl", {}, ...shown.flatMap((key) => [element("dt", {}, t(`more_${key}`)), element("dd", { class: "row" }, element("code", {}, all[key]), copying(app, all[key]))])));
}

/** The command that continues where the page stops. @param {App} app @param {object} asked @param {any} board
 * @param {"certificate"|"prove"|"count"|"apart"|"forms"} key @param {unknown} [error] a refusal of the program, shown with the command */
export function atTerminal(app, asked, board, key, error) {
  const { all, keep } = typed(app, asked, board), sentences = error instanceof Refused ? error.sentences : [];
  return element("div", { class: "at-terminal", role: "status" }, ...sentences.map((words) => element("p", {}, words)), element("p", { class: "soft small" }, app.t("at_terminal")), keep,
    element("p", { class: "row" }, element("code", {}, all[key]), copying(app, all[key])));
}

/** The commands for a puzzle; for a user's own puzzle, also a button that saves its file.
 * @param {App} app @param {object} asked @param {any} board */
function typed(app, asked, board) {
  const { t } = app, name = fileName(board.name), target = inCommands(app, board);
  return { all: commands(target, name), keep: !app.state.name && element("p", {}, element("span", { class: "soft small" }, t("more_own"), " "), button(t("more_keep", { name: target }), keepFile)) };

  function keepFile() {
    return app.attempt(async () => {
      const file = await app.ask("export", { puzzle: asked, format: "toml" });
      app.keep(target, file.type, bytesOf(file.base64));
    });
  }
}

/** The puzzle's name in commands: its name in the package or its file. @param {App} app @param {any} board @param {string} [command] a command with the name */
export const inCommands = ({ state }, board, command) => command?.replace(/^puzzlesat \w+ /, "") ?? state.name ?? `${fileName(board.name)}.toml`;

/** Convert a name to a file name that needs no quoting in a shell. @param {string} name */
export const fileName = (name) => name.replace(/[^\p{L}\p{N}_-]+/gu, "-").replace(/^-+|-+$/g, "") || "puzzle";

/** A button that copies a text. @param {App} app @param {string} text */
function copying(app, text) {
  return button(app.t("copy"), () => copyText(app, text, app.t("copied")), { class: "link", "aria-label": `${app.t("copy")}: ${text}` });
}

/** Copy a text and confirm it with a message; if the browser forbids copying, show the text.
 * @param {App} app @param {string} text @param {string} words */
export async function copyText(app, text, words) {
  try {
    await navigator.clipboard.writeText(text);
    app.toast(words);
  } catch {
    app.toast(`${app.t("copy_by_hand")} ${text}`);
  }
}
