"use strict";
// The table of a study, sorted by a click on a heading and filtered by the reader's choices. The address holds the choices.
(() => {
  const at = (id) => document.getElementById(id);
  const body = at("table").tBodies[0], rows = [...body.rows];
  const found = JSON.parse(at("rows").textContent);
  const CHOICES = ["verdict", "family", "fate"], KEYS = ["text", ...CHOICES, "sort"];
  const NUMBERS = new Set(["area", "all", "distinct", "cpu"]);
  const number = (n) => n.toLocaleString("en");

  const state = () => Object.fromEntries(KEYS.map((key) => [key, new URLSearchParams(location.hash.slice(1)).get(key) ?? ""]));

  function change(key, value) {
    const next = new URLSearchParams(Object.entries({ ...state(), [key]: value }).filter(([, chosen]) => chosen !== ""));
    history.replaceState(null, "", `#${next}`);
    show();
  }

  // Counts can exceed the precision of a JSON number, so they are compared as BigInt from the data attributes.
  const big = (row, key) => { const text = row.dataset[key]; return text === "" ? null : key === "cpu" ? Number(text) : BigInt(text); };

  function compare(key, down) {
    return (p, q) => {
      const a = NUMBERS.has(key) ? big(rows[p], key) : found[p][key], b = NUMBERS.has(key) ? big(rows[q], key) : found[q][key];
      if (a === null || b === null) return (a === null) - (b === null) || p - q; // Unknown values come last in both directions.
      const order = typeof a === "string" ? a.localeCompare(b, "en", { numeric: true }) : a < b ? -1 : a > b ? 1 : 0;
      return (down ? -order : order) || p - q;
    };
  }

  function show() {
    const chosen = state(), text = chosen.text.toLowerCase();
    const down = chosen.sort.startsWith("-"), key = down ? chosen.sort.slice(1) : chosen.sort;
    const order = rows.map((_, i) => i);
    if (heads.has(key)) order.sort(compare(key, down));
    let shown = 0;
    for (const i of order) {
      const row = found[i];
      const met = row.puzzle.toLowerCase().includes(text) && CHOICES.every((c) => chosen[c] === "" || row[c] === chosen[c]);
      rows[i].hidden = !met;
      shown += met;
    }
    body.append(...order.map((i) => rows[i]));
    for (const [name, head] of heads) head.setAttribute("aria-sort", name !== key ? "none" : down ? "descending" : "ascending");
    for (const c of ["text", ...CHOICES]) if (at(c).value !== chosen[c]) at(c).value = chosen[c];
    at("shown").textContent = `${number(shown)} of ${number(rows.length)}`;
    at("nothing").hidden = shown > 0;
  }

  const heads = new Map();
  for (const head of document.querySelectorAll("thead th[data-by]")) {
    const button = document.createElement("button"), key = head.dataset.by;
    button.type = "button";
    button.textContent = head.textContent;
    button.addEventListener("click", () => {
      const first = NUMBERS.has(key) ? `-${key}` : key, other = NUMBERS.has(key) ? key : `-${key}`;
      change("sort", state().sort === first ? other : first);
    });
    head.replaceChildren(button);
    heads.set(key, head);
  }
  for (const c of CHOICES) {
    const count = new Map();
    for (const row of found) count.set(row[c], (count.get(row[c]) ?? 0) + 1);
    at(c).append(new Option("all", ""), ...[...count].map(([value, n]) => new Option(`${value} (${number(n)})`, value)));
    at(c).addEventListener("change", () => change(c, at(c).value));
  }
  at("text").addEventListener("input", () => change("text", at("text").value));
  at("reset").addEventListener("click", () => { history.replaceState(null, "", location.pathname + location.search); show(); });
  addEventListener("hashchange", show);
  at("choose").hidden = false;
  show();
})();
