// The citation of a count: the number, the programs that confirmed it, the version, the date, and the certificate or the command that makes one.
import { button, bytesOf, element, starter, working } from "../dom.js";
import { titled } from "../said.js";
import { claims, knownCount, upToSymmetry } from "./counting.js";
import { copyText, fileName } from "./more.js";

/** @import { App } from "../app.js" */

/** @typedef {{title: string, file: string, published?: import("./counting.js").Published, version: () => string}} Cited ``file``: the puzzle's
 * name in commands; ``published``: published counts; ``version``: returns the program's version, once known */

/** @param {App} app @param {object} asked the description of the puzzle in requests @param {Cited} cited */
export function citePanel(app, asked, { title, file, published, version }) {
  const { t } = app, busy = working(t("progress")), text = element("div", {}), name = `${fileName(file.replace(/\.toml$/, ""))}.proof`;
  let certificate = "";
  const { start, run, end } = starter(app, t("cite_make"), async (signal) => {
    const known = /** @type {any} */ (knownCount(asked) ?? {});
    if (!knownCount(asked)) await work("counting_on", () => app.ask("count", { puzzle: asked }, { found: (part) => Object.assign(known, part), told: busy.told, signal }));
    show(known);
  });
  const root = element("details", { class: "panel citing" }, element("summary", {}, t("cite")), element("p", { class: "soft small" }, t("cite_words")), start, busy.root, text);

  /** Show a progress line during a request. @param {string} key @param {() => Promise<any>} ask */
  const work = (key, ask) => (busy.begin(t(key)), ask().finally(() => busy.end()));

  /** Make the certificate, offer it for download, and name its file in the citation. @param {any} known */
  const certify = (known) => run(async (signal) => {
    const answer = await work("certifying", () => app.ask("certificate", { puzzle: asked }, { told: busy.told, signal })), bytes = bytesOf(answer.file), digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
    certificate = t("cite_file", { file: answer.filename, n: bytes.length, digest: Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("") });
    app.keep(answer.filename, "application/octet-stream", bytes);
    show(known);
  });

  /** @param {any} known known the result of a count */
  function citation({ area, counts, complete, confirmed, by, sentence }) {
    const quantities = { title: titled(title), n: counts.distinct ?? counts.all }, how = confirmed ? claims({ confirmed, by }) : [sentence];
    return [complete === false ? t("cite_at_least", quantities) : upToSymmetry(app, (counts.distinct ?? null) === null ? "cite_all" : "cite_distinct", area?.symmetries ?? [], quantities),
      t("cite_by", { version: version(), date: new Date().toISOString().slice(0, 10) }), ...how.map((claim) => `- ${claim}`), ...(published ? knownWords(published) : []),
      ...(certificate ? [certificate] : [t("cite_certificate"), `puzzlesat certify ${file} -o ${name}`]), `puzzlesat verify ${name} --instance ${file}`].join("\n");
  }

  /** The published counts with their sources. @param {import("./counting.js").Published} published */
  const knownWords = ({ counts, published: words, source, symmetries }) => [`${t("known_counts")}:`, ...["distinct", "all"].filter((key) => counts[key] !== undefined).map((key) => `- ${app.number(counts[key])} ${upToSymmetry(app, key === "all" ? "count_all_all" : "count_distinct", symmetries)}`),
    ...(words ? [`- ${t("known_published", { words })}`] : []), ...(source ? [`- ${t("known_source", { words: source })}`] : [])];

  function show(/** @type {any} */ known) {
    const words = citation(known), box = element("textarea", { readonly: true, rows: words.split("\n").length + 2, "aria-label": t("cite") }, words);
    text.replaceChildren(box, element("div", { class: "row" }, button(t("copy"), () => copyText(app, words, t("copied"))), ...(app.program && known.complete !== false ? [button(t("cite_certify"), () => certify(known)), button(t("cite_proof"), () => app.go("proof"), { class: "link" })] : [])));
  }

  return { root, end };
}
