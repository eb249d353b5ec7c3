import { makeBoard } from "./board.js";
import { htmlElement } from "./elements.js";
import { offlineAsk } from "./offline.js";
import { inflated } from "./packing.js";

// The sheet of forms. Scrolling appends cards page by page and unpacks each picture when it comes near. The address holds the reader's choices.
(() => {
  const at = (id) => document.getElementById(id);
  const found = JSON.parse(at("rows").textContent), packed = JSON.parse(at("packed").textContent), boards = JSON.parse(at("boards").textContent);
  const PAGE = 120;
  const CHOICES = ["kind", "symmetry", "stars", "area"], TICKS = ["none", "solved"], KEYS = ["sort", "text", ...CHOICES, ...TICKS];
  const SAID = { unique: "one solution", several: "several", solvable: "solvable, not counted", impossible: "none", open: "not decided" };
  const RANK = { unique: 0, several: 1, solvable: 2, impossible: 3, open: 4 };
  const because = (argument) => (argument === "nothing fits" ? "because nothing fits" : `by ${argument}`);
  const number = (n) => n.toLocaleString("en");
  const names = new Intl.Collator("en", { numeric: true });
  const counts = found.map((row) => (row.distinct === null || row.kind === "impossible" ? null : BigInt(row.distinct)));

  const orders = {
    unique: (a, b) => RANK[found[a].kind] - RANK[found[b].kind],
    count,
    symmetry: (a, b) => (found[b].symmetry ?? 0) - (found[a].symmetry ?? 0),
    difficulty: (a, b) => (found[b].stars ?? 0) - (found[a].stars ?? 0),
    name: (a, b) => names.compare(found[a].name, found[b].name),
  };

  /** Compare by number of solutions; forms with an unknown number or without a solution come last. */
  function count(a, b) {
    const p = counts[a], q = counts[b];
    return p === null || q === null ? (p === null) - (q === null) : p < q ? -1 : p > q ? 1 : 0;
  }

  const state = () => Object.fromEntries(KEYS.map((key) => [key, new URLSearchParams(location.hash.slice(1)).get(key) ?? ""]));

  function change(key, value) {
    const next = new URLSearchParams(Object.entries({ ...state(), [key]: value }).filter(([, chosen]) => chosen !== ""));
    history.replaceState(null, "", `#${next}`);
    show();
  }

  // pictures

  const unpacked = new Map(); // Cache of the unpacked forms, least recent first.
  function opened(i) {
    if (!unpacked.has(i)) {
      unpacked.set(i, inflated(packed[i]).json());
      if (unpacked.size > 600) unpacked.delete(unpacked.keys().next().value);
    }
    return unpacked.get(i);
  }

  async function draw(root, i, solved, isCurrent = () => true) {
    await new Promise(requestAnimationFrame); // After fast scrolling the card is gone by the next frame.
    if (!isCurrent()) return;
    const { form, solution } = await opened(i);
    if (!isCurrent()) return;
    const drawn = new DOMParser().parseFromString(solved && solution ? solution : form || "<svg xmlns='http://www.w3.org/2000/svg'/>", "image/svg+xml");
    root.replaceChildren(document.importNode(drawn.documentElement, true));
  }

  const close = new Set();
  const near = new IntersectionObserver((seen) => {
    for (const { isIntersecting, target } of seen) {
      if (isIntersecting) {
        close.add(target);
        draw(target, Number(target.dataset.form), state().solved !== "", () => close.has(target));
      } else {
        close.delete(target);
        target.replaceChildren();
      }
    }
  }, { rootMargin: "900px" });

  // cards

  const plural = (n, one, more) => `${number(n)} ${n === 1 || n === 1n ? one : more}`;

  function verdict(row, i) {
    if (row.kind === "unique") return "One solution";
    if (row.kind === "several") return plural(counts[i], "solution", "solutions");
    return row.kind === "solvable" ? "Solvable" : row.kind === "impossible" ? "No solution" : row.verdict;
  }

  const starred = (n) => htmlElement("span", { class: "stars", role: "img", "aria-label": `${n} of 5 stars` }, "★".repeat(n), htmlElement("span", {}, "☆".repeat(5 - n)));

  function card(i) {
    const row = found[i], picture = htmlElement("div", { class: "picture", "data-form": i }), small = (words) => htmlElement("span", { class: "small" }, words);
    near.observe(picture);
    return htmlElement("li", { class: row.kind }, htmlElement("button", { type: "button", click: () => look(i) },
      picture, htmlElement("b", { class: row.style }, verdict(row, i)), small(row.name), row.kind === "impossible" && row.argument ? small(because(row.argument)) : null,
      row.symmetry > 1 && small(`${row.symmetry} symmetries`), row.stars !== null && starred(row.stars)));
  }

  let order = [], made = 0;
  function more() {
    at("sheet").append(...order.slice(made, made + PAGE).map(card));
    made = Math.min(made + PAGE, order.length);
    at("more").hidden = made === order.length;
  }
  new IntersectionObserver((seen) => { if (seen.some((each) => each.isIntersecting) && made < order.length) more(); }, { rootMargin: "1500px" }).observe(at("end"));
  at("more").addEventListener("click", more);

  function show() {
    const chosen = state(), text = chosen.text.toLowerCase(), by = orders[chosen.sort] ?? orders.unique;
    const some = found.some((row) => row.kind !== "impossible");
    const withNone = chosen.none !== "" || !some || chosen.kind === "impossible";
    order = found.map((_, i) => i).filter((i) => {
      const row = found[i];
      return (withNone || row.kind !== "impossible") && row.name.toLowerCase().includes(text) && CHOICES.every((c) => chosen[c] === "" || String(row[c] ?? "") === chosen[c]);
    });
    order.sort((a, b) => by(a, b) || count(a, b) || a - b);
    near.disconnect();
    close.clear();
    at("sheet").replaceChildren();
    made = 0;
    more();
    for (const key of ["text", ...CHOICES]) if (at(key).value !== chosen[key]) at(key).value = chosen[key];
    at("sort").value = chosen.sort in orders ? chosen.sort : "unique";
    for (const tick of TICKS) at(tick).checked = chosen[tick] !== "";
    at("shown").textContent = `${number(order.length)} of ${number(found.length)}`;
    at("nothing").hidden = order.length > 0;
  }

  // the dialog of one form

  let current = -1, turned = false;
  async function look(i) {
    const row = found[i], { sentences, solution, puzzle } = await opened(i);
    current = i;
    turned = state().solved !== "" && solution !== "";
    at("one-name").textContent = row.name;
    at("one-verdict").textContent = verdict(row, i);
    at("one-verdict").className = `verdict ${row.style}`;
    const facts = [plural(row.area, "cell", "cells")];
    if (row.symmetry !== null) facts.push(plural(row.symmetry, "symmetry", "symmetries") + " that the rules allow");
    if (row.all !== null) facts.push(`${plural(BigInt(row.all), "solution", "solutions")} in all` + (row.distinct === null ? "" : `, ${number(BigInt(row.distinct))} distinct`));
    if (row.all !== null) facts.push(row.agree ? "counted in two ways that agree" : "counted in one way only");
    if (row.kind === "impossible" && row.argument) facts.push(`impossible ${because(row.argument)}`);
    at("one-facts").replaceChildren(...[...facts, ...sentences].map((words) => htmlElement("li", {}, words)));
    if (row.stars !== null) at("one-facts").append(htmlElement("li", {}, "for a person: ", starred(row.stars)));
    at("turn").hidden = solution === "";
    at("play").hidden = !row.plays;
    leave();
    at("keep").disabled = puzzle === "";
    at("one-beside").textContent = row.beside.length ? `It needs ${row.beside.join(" and ")} in the same folder.` : "";
    at("to-report").textContent = `puzzlesat report ${row.file}.toml -o ${row.file}.html`;
    at("to-studio").textContent = `puzzlesat studio ${row.file}.toml`;
    const place = order.indexOf(i);
    at("before").disabled = place <= 0;
    at("after").disabled = place < 0 || place === order.length - 1;
    turn();
    if (!at("one").open) at("one").showModal();
  }

  function turn() {
    at("turn").textContent = turned ? "Show the form" : "Show a solution";
    const i = current, wasTurned = turned;
    return draw(at("one-picture"), i, wasTurned, () => i === current && wasTurned === turned);
  }

  // the board of the form in the dialog; the page has one board at a time

  async function play() {
    const i = current, { board, rows, complete } = await inflated(boards[i]).json();
    if (i !== current) return;
    const language = navigator.language, root = htmlElement("div", { class: "playable" });
    at("one-both").hidden = true;
    at("one-board").hidden = at("leave").hidden = false;
    at("one-board").replaceChildren(root);
    makeBoard(root, board, { language, ask: offlineAsk(board, { rows: Uint32Array.from(rows.flat()), width: rows[0].length, complete }, language) });
  }

  function leave() {
    at("one-board").replaceChildren();
    at("one-board").hidden = at("leave").hidden = true;
    at("one-both").hidden = false;
  }

  function step(by) {
    const next = order[order.indexOf(current) + by];
    if (next !== undefined) look(next);
  }

  at("turn").addEventListener("click", () => { turned = !turned; turn(); });
  at("play").addEventListener("click", play);
  at("leave").addEventListener("click", leave);
  at("one").addEventListener("close", leave);
  at("one").addEventListener("cancel", (event) => { if (!at("one-board").hidden) event.preventDefault(); }); // The board uses Escape.
  at("before").addEventListener("click", () => step(-1));
  at("after").addEventListener("click", () => step(1));
  at("close").addEventListener("click", () => at("one").close());
  at("one").addEventListener("click", (event) => { if (event.target === at("one")) at("one").close(); });
  at("one").addEventListener("keydown", (event) => {
    if (!at("one-board").hidden) return; // The board uses the arrow keys.
    if (event.key === "ArrowLeft" || event.key === "ArrowRight") step(event.key === "ArrowLeft" ? -1 : 1);
  });
  at("keep").addEventListener("click", async () => {
    const { puzzle } = await opened(current), href = URL.createObjectURL(new Blob([puzzle], { type: "application/toml" }));
    htmlElement("a", { href, download: `${found[current].file}.toml` }).click();
    setTimeout(() => URL.revokeObjectURL(href), 10_000);
  });
  for (const button of document.querySelectorAll("[data-copies]")) {
    button.addEventListener("click", async () => {
      const code = at(button.dataset.copies);
      try {
        await navigator.clipboard.writeText(code.textContent);
        button.textContent = "Copied";
      } catch {
        getSelection().selectAllChildren(code); // If the browser forbids copying, select the text for the reader.
      }
      setTimeout(() => (button.textContent = "Copy"), 1500);
    });
  }

  // choices

  for (const c of CHOICES) {
    const count = new Map();
    for (const row of found) if (row[c] !== null) count.set(row[c], (count.get(row[c]) ?? 0) + 1);
    const values = [...count].sort(([a], [b]) => (c === "kind" ? RANK[a] - RANK[b] : a - b));
    at(c).append(new Option("all", ""), ...values.map(([value, n]) => new Option(`${c === "kind" ? SAID[value] : number(value)} (${number(n)})`, value)));
    at(c).parentElement.hidden = values.length < 2;
    at(c).addEventListener("change", () => change(c, at(c).value));
  }
  at("none").parentElement.hidden = !found.some((row) => row.kind === "impossible");
  at("sort").addEventListener("change", () => change("sort", at("sort").value));
  for (const tick of TICKS) at(tick).addEventListener("change", () => change(tick, at(tick).checked ? "1" : ""));
  at("text").addEventListener("input", () => change("text", at("text").value));
  at("reset").addEventListener("click", () => { history.replaceState(null, "", location.pathname + location.search); show(); });
  addEventListener("hashchange", show);
  at("choose").hidden = false;
  show();
})();
