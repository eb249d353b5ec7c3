// The proof that there is no solution, with its colouring; and a certificate to download.
import { button, bytesOf, element, svgFrom, working } from "../dom.js";
import { Refused, isStop } from "../ask.js";
import { worded } from "../said.js";
import { atTerminal } from "./more.js";

/** @type {import("../app.js").Show} */
export async function show(root, app) {
  const { t } = app, { asked, board } = await app.opened();
  const stop = new AbortController();
  const why = element("div", { class: "argument", "aria-live": "polite" }), whyWork = working(t("progress"));
  const certificate = element("div", { "aria-live": "polite" }), keptWork = working(t("progress"));
  const ask = button(t("prove"), () => prove()), make = button(t("certificate_make"), () => certify(), { class: "main" });
  root.append(
    element("section", {}, element("h1", {}, t("proof_title")), element("p", { class: "soft" }, t("proof_words")), element("div", { class: "row" }, ask), whyWork.root, why),
    element("section", {}, element("h2", {}, t("certificate")), element("p", { class: "soft" }, t("certificate_words")), element("div", { class: "row" }, make), keptWork.root, certificate));
  prove();

  async function prove() {
    ask.disabled = true;
    whyWork.begin(t("proving"));
    try {
      const answer = await app.ask("prove", { puzzle: asked }, { told: whyWork.told, signal: stop.signal });
      const sentences = /** @type {string[]} */ ([answer.sentences || answer.words || []].flat());
      const proved = sentences.length > 0 && !answer.solvable, first = proved ? [element("p", { class: "first bad" }, t("none"))] : [];
      const text = element("div", {}, ...first, ...sentences.map((words, i) => element("p", { class: i === 0 && !proved && "first" }, words)), !sentences.length && element("p", {}, t("no_argument")));
      why.replaceChildren(text, ...(answer.picture ? [element("figure", {}, worded(svgFrom(answer.picture), answer.written ?? []))] : []));
      ask.hidden = true;
    } catch (error) {
      failed(error, why, "prove");
    }
    ask.disabled = false;
    whyWork.end();
  }

  async function certify() {
    make.disabled = true;
    keptWork.begin(t("certifying"));
    try {
      const answer = await app.ask("certificate", { puzzle: asked }, { told: keptWork.told, signal: stop.signal });
      const bytes = bytesOf(answer.file);
      certificate.replaceChildren(
        element("blockquote", {}, element("ul", {}, ...answer.words.checked.map((/** @type {string} */ words) => element("li", {}, words)))),
        element("p", { class: "soft" }, t("certificate_believed")), element("ul", { class: "soft" }, ...answer.words.believed.map((/** @type {string} */ words) => element("li", {}, words))),
        button(t("certificate_keep", { words: `${answer.filename}, ${size(bytes.length)}` }), () => app.keep(answer.filename, "application/octet-stream", bytes)));
    } catch (error) {
      failed(error, certificate, "certificate");
    }
    make.disabled = false;
    keptWork.end();
  }

  /** Show a refusal beside the question, with the command that continues. @param {unknown} error @param {HTMLElement} place @param {"prove"|"certificate"} key */
  function failed(error, place, key) {
    if (!(error instanceof Refused)) return isStop(error) || app.failed(error);
    place.replaceChildren(atTerminal(app, asked, board, key, error));
  }

  /** @param {number} bytes */
  const size = (bytes) => (bytes < 1e6 ? `${app.number(Math.ceil(bytes / 1000))} kB` : `${app.number(Math.round(bytes / 1e5) / 10)} MB`);

  return () => stop.abort();
}
