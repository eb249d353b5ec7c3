// What the program makes that the page does not: the commands to type.
import { button, bytesOf, element } from "../dom.js";

/** @typedef {import("../app.js").App} App */

/**
 * @param {App} app
 * @param {object} asked the puzzle, as questions say it
 * @param {any} board
 */
export function morePanel(app, asked, board) {
  const { t } = app, own = !app.state.name, name = fileName(board.name), said = own ? `${name}.toml` : app.state.name;
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
      app.keep(/** @type {string} */ (said), file.type, bytesOf(file.base64));
    } catch (error) {
      app.failed(error);
    }
  }
}

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
