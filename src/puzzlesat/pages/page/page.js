// The gallery of a report. The page embeds all its data: solutions as numbers of placements, and one drawing of each placement.
import { SVG, htmlElement, svgElement } from "./elements.js";
import { numbersOf } from "./packing.js";

(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const at = (id) => document.getElementById(id);
  const EMPTY = -1; // The choice "left empty" among the tiles.
  const GAP = 10, BEYOND = 500; // Pixels: the gap between cards, and the margin beyond the visible area in which cards exist.
  const SLICE = 6; // Milliseconds of painting per frame.
  const number = (n) => n.toLocaleString("en");
  const { tiles, placements, atoms, symmetries, groups, kinds, width } = data;
  const NONE = placements.length;
  const kept = numbersOf(data.kept, 2), images = data.images && numbersOf(data.images, data.bytes);
  // The searched list: the distinct solutions, or all images. `from` is the distinct solution of an entry, `by` the symmetry that maps it to the entry.
  const distinct = { rows: numbersOf(data.rows, data.bytes), count: data.count, from: (s) => s, by: () => 0 };
  const ONCE = "once", EACH = "each", LISTED = "listed"; // Modes: each class of solutions once; every image separately; the solutions exactly as listed.
  let all = null, list = distinct, mode = ONCE;

  const solution = (s) => Array.from(list.rows.subarray(s * width, (s + 1) * width)).filter((p) => p < NONE).sort((p, q) => p - q);
  const groupOf = (s) => groups[kept[list.from(s)]];
  const nameOf = (s) => `${number(list.from(s) + 1)}${list.by(s) ? `, ${symmetries[list.by(s)]}` : ""}`;

  // Every distinct image of every solution; the images of a solution are adjacent, beginning with the solution itself.
  function everything() {
    const order = symmetries.length;
    let total = 0;
    for (let s = 0; s < distinct.count; s++) total += order / groups[kept[s]].length;
    const rows = new (data.bytes === 2 ? Uint16Array : Uint32Array)(total * width), from = new Uint32Array(total), by = new Uint16Array(total);
    let n = 0;
    for (let s = 0; s < distinct.count; s++) {
      const seen = groups[kept[s]].length > 1 ? new Set() : null;
      for (let g = 0; g < order; g++) {
        const row = rows.subarray(n * width, (n + 1) * width);
        for (let i = 0; i < width; i++) row[i] = distinct.rows[s * width + i] < NONE ? images[g * NONE + distinct.rows[s * width + i]] : NONE;
        if (seen) {
          const key = Array.from(row).sort((p, q) => p - q).join();
          if (seen.has(key)) continue;
          seen.add(key);
        }
        from[n] = s;
        by[n++] = g;
        if (n === total) break;
      }
    }
    return { rows, count: total, from: (s) => from[s], by: (s) => by[s] };
  }
  const frame = data.frame.join(" ");

  // The colour of each placement: the colour of its tile, a shade of it if copies touch, or one of the few colours of `data.few`.
  const few = data.few && { ...data.few, of: numbersOf(data.few.of, 2) };
  const inks = new Map(few ? few.colours.map((colour, i) => [colour, few.inks[i]]) : []);
  function colours(s) {
    if (few) {
      const row = Array.from(list.rows.subarray(s * width, (s + 1) * width)), first = list.from(s) * width;
      return new Map(row.map((p, i) => [p, few.colours[few.of[first + i]]]).filter(([p]) => p < NONE).sort(([p], [q]) => p - q));
    }
    const here = solution(s), level = here.map(() => 0);
    if (data.neighbours) {
      const owner = new Map();
      here.forEach((p, i) => placements[p].atoms.forEach((a) => owner.set(a, i)));
      here.forEach((p, i) => {
        const taken = new Set();
        for (const a of placements[p].atoms)
          for (const b of data.neighbours[a]) {
            const j = owner.get(b);
            if (j < i && tiles[placements[here[j]].tile].shades[0] === tiles[placements[p].tile].shades[0]) taken.add(level[j]);
          }
        while (taken.has(level[i])) level[i]++;
      });
    }
    return new Map(here.map((p, i) => [p, shadeOf(tiles[placements[p].tile], level[i])]));
  }

  const shadeOf = (tile, level) => tile.shades[level % tile.shades.length];

  function picture(s, named = false) {
    const drawn = [...colours(s)].map(([p, colour]) => {
      const names = named ? placements[p].labels.map((label) => nameAt(label, tiles[placements[p].tile], inks.get(colour))).join("") : "";
      return `<g data-placement="${p}" color="${colour}">${placements[p].drawing}${names}</g>`;
    });
    return `<svg viewBox="${frame}" text-anchor="middle" aria-hidden="true">${data.ground}${drawn.join("")}</svg>`;
  }

  // The same picture on a canvas. Drawing a placement's paths is much faster if its SVG is parsed once.
  const brushes = new Map();

  function brushesOf(p) {
    if (!brushes.has(p)) {
      const parsed = new DOMParser().parseFromString(`<svg xmlns="${SVG}">${placements[p].drawing}</svg>`, "image/svg+xml");
      brushes.set(p, Array.from(parsed.querySelectorAll("path"), (node) => {
        const attribute = (key, otherwise) => node.closest(`[${key}]`)?.getAttribute(key) ?? otherwise;
        return { path: new Path2D(node.getAttribute("d")), fill: attribute("fill", "#000"), rule: attribute("fill-rule", "nonzero"), stroke: attribute("stroke", "none"),
          lineWidth: Number(attribute("stroke-width", 1)), lineCap: attribute("stroke-linecap", "butt"), lineJoin: attribute("stroke-linejoin", "miter") };
      }));
    }
    return brushes.get(p);
  }

  function paint(canvas, s) {
    const pen = canvas.getContext("2d");
    pen.resetTransform();
    pen.clearRect(0, 0, canvas.width, canvas.height);
    pen.scale(canvas.width / data.frame[2], canvas.height / data.frame[3]);
    for (const [p, colour] of colours(s))
      for (const { path, fill, rule, stroke, lineWidth, lineCap, lineJoin } of brushesOf(p)) {
        if (fill !== "none") { pen.fillStyle = fill === "currentColor" ? colour : fill; pen.fill(path, rule); }
        if (stroke !== "none") { Object.assign(pen, { strokeStyle: stroke === "currentColor" ? colour : stroke, lineWidth, lineCap, lineJoin }); pen.stroke(path); }
      }
  }

  function nameAt([x, y, radius], tile, fill = tile.ink) {
    const size = Math.min((1.9 * radius) / Math.hypot(Bodies.breadth(tile.name), 0.75), 16);
    if (size < 5) return "";
    return svgElement("text", { x, y: y + 0.36 * size, "font-size": size.toFixed(1), fill }, tile.name).outerHTML;
  }

  const piecesOf = (s) => [...colours(s)].map(([p, colour]) => ({ id: p, atoms: placements[p].atoms, colour, name: tiles[placements[p].tile].name }));

  function unchangedBy(s) {
    const names = stabiliser(s).filter((g) => g > 0).map((g) => symmetries[g]);
    return names.length ? `unchanged by ${names.join(", ")}` : "no symmetry";
  }

  function stabiliser(s) {
    if (!list.by(s) || groupOf(s).length === 1) return groupOf(s);
    const row = solution(s), key = row.join();
    return symmetries.map((_, g) => g).filter((g) => row.map((p) => images[g * NONE + p]).sort((p, q) => p - q).join() === key);
  }

  // ------------------------------------------------------------------ search conditions

  const placementsAt = atoms.map(() => []);
  placements.forEach((placement, p) => placement.atoms.forEach((a) => placementsAt[a].push(p)));
  let conditions = []; // {atom, tile} or {placement}
  let symmetry = "any"; // Or "none", "some", or the number of a kind of symmetry.
  let chosenTile = null, chosenAtom = null;
  let hits = new Uint32Array(0); // The entries of the list that satisfy all conditions.
  let matching = hits; // The shown hits: all, or the first of each class.
  let current = 0; // Index into `matching`.

  function test(condition) {
    const marked = new Uint8Array(NONE);
    if ("placement" in condition) marked[condition.placement] = 1;
    else for (const p of placementsAt[condition.atom]) if (condition.tile === EMPTY || placements[p].tile === condition.tile) marked[p] = 1;
    const expected = condition.tile !== EMPTY;
    const { rows } = list;
    return (s) => {
      for (let i = s * width; i < (s + 1) * width && rows[i] < NONE; i++) if (marked[rows[i]]) return expected;
      return !expected;
    };
  }

  function symmetryTest() {
    if (symmetry === "any") return null;
    const good = groups.map((group) =>
      symmetry === "none" ? group.length === 1 : symmetry === "some" ? group.length > 1 : group.some((g) => String(kinds[g]) === symmetry));
    return (s) => good[kept[list.from(s)]];
  }

  function search() {
    list = mode === LISTED || !images ? distinct : (all ??= everything());
    const tests = conditions.map(test);
    if (symmetryTest()) tests.push(symmetryTest());
    const found = [];
    for (let s = 0; s < list.count; s++) if (tests.every((holds) => holds(s))) found.push(s);
    hits = Uint32Array.from(found);
    matching = mode === ONCE ? hits.filter((s, i) => i === 0 || list.from(s) !== list.from(hits[i - 1])) : hits;
    current = 0;
    showState();
    showChoice();
    layOut();
    if (window.requestIdleCallback) requestIdleCallback(showSheets); else setTimeout(showSheets);
  }

  function add(condition) {
    const same = (other) => JSON.stringify(other) === JSON.stringify(condition);
    if (!conditions.some(same)) conditions.push(condition);
    chosenTile = chosenAtom = null;
    search();
    remember();
  }

  function drop(i) {
    conditions.splice(i, 1);
    search();
    remember();
    at("matches").focus();
  }

  function wordsOf(condition) {
    if ("placement" in condition) return `${placements[condition.placement].name} exactly`;
    const place = atoms[condition.atom].name;
    return condition.tile === EMPTY ? `${place} left empty` : `${tiles[condition.tile].name} on ${place}`;
  }

  function showState() {
    const { count } = offered();
    const whole = `${number(count)} solution${count === 1 ? "" : "s"}${data.complete ? "" : " listed here"}`;
    const unasked = !conditions.length && symmetry === "any";
    at("matches").textContent = unasked ? whole : `${number(matching.length)} of ${whole} ${matching.length === 1 ? "matches" : "match"}`;
    at("nothing").hidden = matching.length > 0;
    at("reset").disabled = unasked && mode === ONCE;
    at("chips").replaceChildren(...conditions.map((condition, i) => {
      const button = htmlElement("button", { type: "button", "aria-label": `Drop the condition: ${wordsOf(condition)}`, click: () => drop(i) }, wordsOf(condition), htmlElement("span", { "aria-hidden": "true" }, " ✕"));
      const tile = "placement" in condition ? placements[condition.placement].tile : condition.tile;
      if (tile !== EMPTY) button.style.setProperty("--tile", tiles[tile].shades[0]);
      return htmlElement("li", {}, button);
    }));
  }

  // ------------------------------------------------------------------ choosing a tile and a place

  const place = at("place"), spots = [];
  place.setAttribute("viewBox", frame);
  place.setAttribute("text-anchor", "middle");
  place.style.maxWidth = `${1.7 * data.frame[2]}px`;
  place.innerHTML = data.ground;
  atoms.forEach((atom, a) => {
    const spot = svgElement("path", { d: atom.path, id: `spot-${a}`, role: "option", "aria-label": `place ${atom.name}`, "aria-selected": "false", class: atom.optional ? "spot optional" : "spot", click: () => chooseAtom(a) });
    spots.push(spot);
    place.append(spot);
  });
  const signs = svgElement("g", { class: "signs" });
  place.append(signs);
  let lit = 0; // The spot with the keyboard focus.

  function chooseAtom(a) {
    chosenAtom = chosenAtom === a ? null : a;
    lit = a;
    if (chosenAtom !== null && chosenTile !== null) add({ atom: a, tile: chosenTile });
    else showChoice();
  }

  function chooseTile(t) {
    chosenTile = chosenTile === t ? null : t;
    if (chosenAtom !== null && chosenTile !== null) add({ atom: chosenAtom, tile: t });
    else showChoice();
  }

  function tilesHere(a) {
    const { rows } = list, found = new Map(tiles.map((_, t) => [t, 0]).concat([[EMPTY, 0]]));
    const covering = new Uint8Array(NONE);
    for (const p of placementsAt[a]) covering[p] = 1;
    for (const s of hits) {
      let tile = EMPTY;
      for (let i = s * width; i < (s + 1) * width && rows[i] < NONE; i++) if (covering[rows[i]]) tile = placements[rows[i]].tile;
      found.set(tile, found.get(tile) + 1);
    }
    return found;
  }

  function placesOf(t) {
    const { rows } = list, found = new Uint32Array(atoms.length);
    for (const s of hits)
      for (let i = s * width; i < (s + 1) * width && rows[i] < NONE; i++)
        if (t === EMPTY || placements[rows[i]].tile === t) for (const a of placements[rows[i]].atoms) found[a]++;
    return t === EMPTY ? found.map((n) => hits.length - n) : found;
  }

  const buttons = new Map();
  const choices = tiles.map((_, t) => t).concat(atoms.some((atom) => atom.optional) ? [EMPTY] : []);
  for (const t of choices) {
    const swatch = htmlElement("span", { class: "swatch", "aria-hidden": "true" });
    if (t !== EMPTY) swatch.style.background = tiles[t].shades[0];
    const button = htmlElement("button", { type: "button", "aria-pressed": "false", click: () => chooseTile(t) }, swatch, htmlElement("span", { class: "name" }, t === EMPTY ? "left empty" : tiles[t].name), htmlElement("span", { class: "number" }));
    buttons.set(t, button);
    at("tile-buttons").append(button);
  }

  function showChoice() {
    const here = chosenAtom === null ? null : tilesHere(chosenAtom);
    const heat = chosenTile === null ? null : placesOf(chosenTile);
    for (const [t, button] of buttons) {
      button.setAttribute("aria-pressed", String(t === chosenTile));
      button.disabled = here !== null && !here.get(t);
      button.lastChild.textContent = here === null ? "" : number(here.get(t));
    }
    const most = heat === null ? 0 : Math.max(...heat, 1);
    const colour = chosenTile === null || chosenTile === EMPTY ? "#555555" : tiles[chosenTile].shades[0];
    const named = new Map();
    for (const condition of conditions) {
      if ("placement" in condition) for (const a of placements[condition.placement].atoms) named.set(a, placements[condition.placement].tile);
      else named.set(condition.atom, condition.tile);
    }
    spots.forEach((spot, a) => {
      spot.setAttribute("aria-selected", String(a === chosenAtom));
      spot.classList.toggle("impossible", heat !== null && !heat[a]);
      const held = named.has(a) && heat === null;
      const fill = held ? (named.get(a) === EMPTY ? "#ffffff" : tiles[named.get(a)].shades[0]) : heat !== null && heat[a] ? colour : "";
      spot.style.fill = fill;
      spot.style.fillOpacity = held || heat === null || !heat[a] ? "" : String(0.12 + 0.88 * heat[a] / most);
      const told = heat === null ? "" : `: ${number(heat[a])} of ${number(hits.length)} ${list === distinct ? "solutions" : "solutions, with their images"}`;
      spot.setAttribute("aria-label", `place ${atoms[a].name}${held ? `, ${named.get(a) === EMPTY ? "left empty" : tiles[named.get(a)].name} wanted` : ""}${told}`);
      spot.replaceChildren(svgElement("title", {}, `${atoms[a].name}${told}`));
    });
    const size = Math.sqrt(data.frame[2] * data.frame[3] / atoms.length) * 0.42;
    signs.replaceChildren(...[...named].map(([a, t]) => {
      const fill = t === EMPTY ? "#000000" : tiles[t].ink, words = t === EMPTY ? "∅" : tiles[t].name.slice(0, 3);
      return svgElement("text", { x: atoms[a].x, y: atoms[a].y, "font-size": size, fill }, words);
    }));
    at("how").textContent = chosenAtom !== null ? `Which tile lies on ${atoms[chosenAtom].name}? The numbers say in how many solutions.`
      : chosenTile !== null ? `Where does ${chosenTile === EMPTY ? "no tile" : tiles[chosenTile].name} lie? The stronger its colour, the more solutions; none where there is no colour.`
      : "Choose a tile and a place, in either order; several conditions hold together.";
  }

  place.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (step) light(nearest(lit, step));
    else if (event.key === "Enter" || event.key === " ") chooseAtom(lit);
    else if (event.key === "Escape") { chosenAtom = chosenTile = null; showChoice(); }
    else return;
    event.preventDefault();
  });
  place.addEventListener("focus", () => light(lit));
  place.addEventListener("blur", () => spots.forEach((spot) => spot.classList.remove("lit")));

  function light(a) {
    lit = a;
    spots.forEach((spot, i) => spot.classList.toggle("lit", i === a));
    place.setAttribute("aria-activedescendant", `spot-${a}`);
  }

  function nearest(from, [dx, dy]) {
    let best = from, least = Infinity;
    atoms.forEach((atom, a) => {
      const along = (atom.x - atoms[from].x) * dx + (atom.y - atoms[from].y) * dy;
      const aside = Math.abs((atom.x - atoms[from].x) * dy) + Math.abs((atom.y - atoms[from].y) * dx);
      if (along > 1e-6 && along + 3 * aside < least) [best, least] = [a, along + 3 * aside];
    });
    return best;
  }

  // ------------------------------------------------------------------ symmetries

  // The list to which the numbers in the gallery refer.
  const offered = () => (mode === EACH ? list : distinct);

  function offerSymmetries() {
    const select = at("symmetry"), { count, from } = offered();
    select.replaceChildren();
    const option = (value, text, n) => select.append(htmlElement("option", { value }, `${text} (${number(n)})`));
    const inGroup = new Uint32Array(groups.length);
    for (let s = 0; s < count; s++) inGroup[kept[from(s)]]++;
    const having = (holds) => groups.reduce((sum, group, i) => sum + (holds(group) ? inGroup[i] : 0), 0);
    option("any", "any", count);
    option("none", "none: every image of it is another solution", having((group) => group.length === 1));
    const some = having((group) => group.length > 1);
    if (some) option("some", "some", some);
    for (const kind of new Set(kinds)) {
      const members = symmetries.filter((_, g) => kinds[g] === kind);
      const n = having((group) => group.some((g) => kinds[g] === kind));
      if (kind && n) option(String(kind), `unchanged by ${members.join(" or ")}`, n);
    }
    select.value = symmetry;
    at("images").value = mode;
  }

  function look() {
    search();
    offerSymmetries();
  }

  // ------------------------------------------------------------------ the gallery: cards exist only near the visible area

  const grid = at("grid"), cards = new Map();
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const DIMMED = { 'fill="#e4e4e4"': "#aab4bc", 'fill="#f6f6f6"': "#c3cbd2", 'stroke="#bdbdbd"': "#7d8891", 'fill="#666666"': "#14181c", 'fill="#b0006d"': "#4a002e", 'stroke="#b0006d"': "#4a002e" }; // the dark colours of the style sheet
  const [cardWidth, cardHeight] = data.card.map((side, i) => side - data.picture[i]); // size of a card without its picture
  const painted = new WeakSet();
  let columns = 1, stepX = 0, stepY = 0, sides = data.picture, waiting = false, painting = false;

  // Pictures have a fixed size; on a narrow screen they shrink to fit two columns, if they remain recognisable.
  function layOut() {
    const room = grid.clientWidth, pair = ((room - GAP) / 2 - cardWidth) / data.picture[0], single = (room - cardWidth) / data.picture[0];
    const scale = pair >= 1 ? 1 : pair >= 0.6 ? pair : Math.min(1, single);
    sides = data.picture.map((side) => Math.floor(side * scale));
    sides.forEach((side, i) => grid.style.setProperty(["--picture-width", "--picture-height"][i], `${side}px`));
    columns = Math.max(1, Math.floor((room + GAP) / (sides[0] + cardWidth + GAP)));
    stepX = (room + GAP) / columns;
    stepY = sides[1] + cardHeight + GAP;
    grid.style.setProperty("--card-width", `${stepX - GAP}px`);
    grid.style.setProperty("--card-height", `${stepY - GAP}px`);
    grid.style.height = `${Math.ceil(matching.length / columns) * stepY}px`;
    for (const card of cards.values()) card.remove();
    cards.clear();
    showCards();
  }

  function showGround() {
    const drawn = dark.matches ? data.ground.replace(/(fill|stroke)="#\w+"/g, (said, key) => (said in DIMMED ? `${key}="${DIMMED[said]}"` : said)) : data.ground;
    const ground = `<svg xmlns="${SVG}" viewBox="${frame}" text-anchor="middle" font-family="sans-serif">${drawn}</svg>`;
    grid.style.setProperty("--drawn", `url("data:image/svg+xml,${encodeURIComponent(ground)}")`);
  }

  showGround();
  dark.addEventListener("change", showGround);

  function showCards() {
    waiting = false;
    const top = -grid.getBoundingClientRect().top;
    const first = Math.max(0, Math.floor((top - BEYOND) / stepY)) * columns;
    const last = Math.min(matching.length, Math.ceil((top + window.innerHeight + BEYOND) / stepY) * columns);
    const free = [];
    for (const [i, card] of cards) if (i < first || i >= last) { free.push(card); cards.delete(i); }
    for (let i = first; i < last; i++) if (!cards.has(i)) cards.set(i, fill(free.pop() || blankCard(), i));
    for (const card of free) card.remove();
    mark();
    paintSome();
  }

  // Cards appear immediately; each frame paints as many of their pictures as its time allows.
  function paintSome() {
    const until = performance.now() + SLICE;
    for (const [i, card] of cards) {
      if (painted.has(card)) continue;
      if (performance.now() > until) { if (!painting) requestAnimationFrame(() => { painting = false; paintSome(); }); painting = true; return; }
      paint(card.firstChild, matching[i]);
      painted.add(card);
    }
  }

  function blankCard() {
    const [wide, high] = sides.map((side) => Math.round(side * devicePixelRatio));
    const made = htmlElement("div", { class: "card", role: "option" }, htmlElement("canvas", { width: wide, height: high }),
      htmlElement("div", { class: "caption" }, htmlElement("span"), htmlElement("span", { class: "symmetric" })));
    grid.append(made);
    return made;
  }

  function fill(card, i) {
    const s = matching[i], [plain, symmetric] = card.lastChild.children;
    card.id = `card-${i}`;
    card.setAttribute("aria-posinset", i + 1);
    card.setAttribute("aria-setsize", matching.length);
    card.setAttribute("aria-label", `solution ${nameOf(s)}; ${unchangedBy(s)}`);
    plain.textContent = nameOf(s);
    symmetric.textContent = symmetryLabel(s);
    symmetric.title = unchangedBy(s);
    card.style.transform = `translate(${(i % columns) * stepX}px, ${Math.floor(i / columns) * stepY}px)`;
    painted.delete(card);
    return card;
  }

  grid.addEventListener("click", (event) => {
    const card = event.target.closest(".card");
    if (card) { current = Number(card.id.slice(5)); open(); remember(true); }
  });

  function symmetryLabel(s) {
    const [, first, ...others] = stabiliser(s);
    return first === undefined ? "" : others.length ? `⟲ ${symmetries[first]} +${others.length}` : `⟲ ${symmetries[first]}`;
  }

  function mark() {
    for (const [i, card] of cards) card.setAttribute("aria-selected", String(i === current));
    if (cards.has(current)) grid.setAttribute("aria-activedescendant", `card-${current}`);
    else grid.removeAttribute("aria-activedescendant");
  }

  function later() {
    if (!waiting) { waiting = true; requestAnimationFrame(showCards); }
  }

  addEventListener("scroll", later, { passive: true });
  let measured = "";
  function measure() {
    const now = `${grid.clientWidth} ${devicePixelRatio}`;
    if (now !== measured) { measured = now; layOut(); }
  }
  new ResizeObserver(measure).observe(grid);
  addEventListener("resize", () => { measure(); later(); });

  function reveal() {
    const upper = grid.getBoundingClientRect().top + Math.floor(current / columns) * stepY;
    const bar = at("bar").offsetHeight + GAP;
    if (upper < bar) scrollBy(0, upper - bar);
    else if (upper + stepY > innerHeight) scrollBy(0, upper + stepY - innerHeight);
    showCards();
  }

  grid.addEventListener("keydown", (event) => {
    const screen = Math.max(1, Math.floor(innerHeight / stepY) - 1) * columns;
    const to = { ArrowLeft: current - 1, ArrowRight: current + 1, ArrowUp: current - columns, ArrowDown: current + columns,
      PageUp: current - screen, PageDown: current + screen, Home: 0, End: matching.length - 1 }[event.key];
    if (to !== undefined) { current = Math.max(0, Math.min(matching.length - 1, to)); reveal(); }
    else if ((event.key === "Enter" || event.key === " ") && matching.length) { open(); remember(true); }
    else return;
    event.preventDefault();
  });

  // ------------------------------------------------------------------ the dialog of one solution

  const dialog = at("one");

  function open() {
    const s = matching[current];
    at("one-title").textContent = `Solution ${nameOf(s)}`;
    at("one-where").textContent = matching.length === distinct.count && mode !== EACH ? `of ${number(distinct.count)}` : `${number(current + 1)} of ${number(matching.length)} shown`;
    at("one-symmetry").textContent = unchangedBy(s);
    at("one-flat").innerHTML = picture(s, true);
    for (const drawn of at("one-flat").querySelectorAll("[data-placement]"))
      drawn.addEventListener("click", () => keep(Number(drawn.dataset.placement)));
    at("one-names").replaceChildren(...solution(s).map((p) => {
      const on = () => point(p), off = () => point(null);
      const button = htmlElement("button", { type: "button", title: "only solutions with this placement", click: () => keep(p), mouseenter: on, focus: on, mouseleave: off, blur: off }, placements[p].name);
      button.style.setProperty("--tile", tiles[placements[p].tile].shades[0]);
      return htmlElement("li", {}, button);
    }));
    if (data.solid) showBodies(s);
    at("before").disabled = current === 0;
    at("after").disabled = current >= matching.length - 1;
    at("copy").textContent = "Copy the notation";
    at("take-apart").hidden = !takenApart.has(list.from(s) + 1);
    if (!dialog.open) dialog.showModal();
  }

  let bodies = null;
  function showBodies(s) {
    bodies ??= makeSolidPieces(at("one-bodies"), data.solid, { onclick: (piece) => piece && keep(piece.id) });
    bodies.show(piecesOf(s));
    for (const drawn of at("one-bodies").querySelectorAll("[data-placement]")) drawn.addEventListener("click", () => keep(Number(drawn.dataset.placement)));
  }

  function point(p) {
    bodies?.single(p);
    for (const drawn of at("one-picture").querySelectorAll("[data-placement]"))
      drawn.classList.toggle("faint", p !== null && Number(drawn.dataset.placement) !== p);
  }

  function keep(p) {
    write("replaceState", address(), null); // the condition's address replaces the solution's: Back leads to the address before both
    dialog.close();
    add({ placement: p });
    at("bar").scrollIntoView();
  }

  function turn(by) {
    const to = current + by;
    if (to < 0 || to >= matching.length) return;
    current = to;
    open();
    write("replaceState", address(true), history.state);
  }

  at("before").addEventListener("click", () => turn(-1));
  at("after").addEventListener("click", () => turn(1));
  at("close").addEventListener("click", () => dialog.close());
  at("take-apart").addEventListener("click", () => {
    const chosen = list.from(matching[current]) + 1;
    dialog.addEventListener("close", () => setTimeout(() => takenApart.choose(chosen)), { once: true }); // after the gallery has scrolled to the solution
    dialog.close();
  });
  at("copy").addEventListener("click", async () => {
    const text = solution(matching[current]).map((p) => placements[p].name).join(" ");
    try { await navigator.clipboard.writeText(text); at("copy").textContent = "Copied"; } catch { prompt("The notation:", text); }
  });
  dialog.addEventListener("keydown", (event) => {
    if (event.key === "ArrowLeft") turn(-1);
    else if (event.key === "ArrowRight") turn(1);
  });
  dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
  dialog.addEventListener("close", () => { forget(); reveal(); grid.focus({ preventScroll: true }); });

  // ------------------------------------------------------------------ printed sheets

  function showSheets() {
    const sheets = at("sheets"), [across, down] = data.sheet, each = across * down;
    const pages = Math.min(Math.max(Number(at("pages").value) || 0, 0), Number(at("pages").max));
    const shown = Math.min(matching.length, pages * each);
    const what = conditions.map(wordsOf).concat(symmetry === "any" ? [] : [at("symmetry").selectedOptions[0].textContent]).join("; ");
    sheets.replaceChildren();
    for (let first = 0; first < shown; first += each) {
      const last = Math.min(first + each, shown);
      const sheet = htmlElement("section", { class: "sheet" }, htmlElement("h2", {}, `Solutions ${number(first + 1)} to ${number(last)} of ${number(matching.length)}`),
        htmlElement("p", {}, `${what ? `${number(matching.length)} of ${number(offered().count)} match: ${what}. ` : ""}On paper: ${number(shown)} of them, ${each} a page.`));
      const paper = htmlElement("div", { class: "paper" });
      paper.style.gridTemplateColumns = `repeat(${across}, 1fr)`;
      for (let i = first; i < last; i++) {
        const figure = htmlElement("figure");
        figure.innerHTML = picture(matching[i]);
        figure.append(htmlElement("figcaption", {}, `${nameOf(matching[i])} ${symmetryLabel(matching[i])}`));
        paper.append(figure);
      }
      sheet.append(paper);
      sheets.append(sheet);
    }
    if (!shown && matching.length) sheets.append(htmlElement("p", {}, `No solution is printed; ${number(matching.length)} match.`));
  }

  at("pages").addEventListener("change", showSheets);
  addEventListener("beforeprint", showSheets);

  // ------------------------------------------------------------------ addresses: the conditions and the open solution

  const spotOf = (a) => atoms[a].name.replace(/[[\]" ]/g, "").replaceAll(",", ".");
  const plain = (text) => encodeURIComponent(text).replace(/%40/g, "@").replace(/%3A/g, ":");

  // For example #place=3.1:F&exactly=Q.1@3.1&symmetry=none&images=each&solution=12&turned=turn%2090
  function address(withSolution = false) {
    const entries = conditions.map((c) => ("placement" in c ? ["exactly", placements[c.placement].name]
      : ["place", `${spotOf(c.atom)}:${c.tile === EMPTY ? "" : tiles[c.tile].name}`]));
    if (symmetry !== "any") entries.push(["symmetry", symmetry]);
    if (mode !== ONCE) entries.push(["images", mode]);
    if (withSolution) {
      const s = matching[current];
      entries.push(["solution", list.from(s) + 1]);
      if (list.by(s)) entries.push(["turned", symmetries[list.by(s)]]);
    }
    return entries.length ? `#${entries.map(([key, value]) => `${key}=${plain(value)}`).join("&")}` : location.href.split("#")[0];
  }

  // The page must work even where it may not change its address, for example in a frame.
  function write(how, to, state) {
    try { history[how](state, "", to); } catch { /* see above */ }
  }

  function remember(withSolution = false) {
    const to = address(withSolution);
    if (to !== (to.startsWith("#") ? location.hash : location.href)) write("pushState", to, withSolution ? "opened here" : null);
  }

  // Closing a solution goes back to the address before it; if the page began with the solution, remove it from the address.
  function forget() {
    if (!/[#&]solution=/.test(location.hash)) return;
    if (history.state === "opened here") history.back();
    else write("replaceState", address(), null);
  }

  function read(hash) {
    const query = { conditions: [], symmetry: "any", mode: ONCE, solution: null, turned: 0, unknown: [] };
    for (const part of hash.slice(1).split("&").filter(Boolean)) {
      const [key, value] = [part.slice(0, part.indexOf("=")), decoded(part.slice(part.indexOf("=") + 1))];
      const [spot, tile] = [value.slice(0, value.indexOf(":")), value.slice(value.indexOf(":") + 1)];
      const atom = atoms.findIndex((_, a) => spotOf(a) === spot), named = tile ? tiles.findIndex((t) => t.name === tile) : EMPTY;
      const placement = placements.findIndex((p) => p.name === value), way = symmetries.indexOf(value);
      if (key === "place" && atom >= 0 && (!tile || named >= 0)) query.conditions.push({ atom, tile: named });
      else if (key === "exactly" && placement >= 0) query.conditions.push({ placement });
      else if (key === "symmetry" && (value === "none" || value === "some" || kinds.includes(Number(value)))) query.symmetry = value;
      else if (key === "images" && [EACH, LISTED].includes(value) && images) query.mode = value;
      else if (key === "solution" && Number(value) >= 1 && Number(value) <= distinct.count) query.solution = Number(value) - 1;
      else if (key === "turned" && way >= 0 && images) query.turned = way;
      else query.unknown.push(part);
    }
    return query;
  }

  function decoded(text) {
    try { return decodeURIComponent(text); } catch { return text; }
  }

  function follow() {
    const { hash } = location;
    if (hash && !hash.includes("=")) return unfold(hash.slice(1)); // The hash names a section of the page.
    if (dialog.open && !/[#&]solution=/.test(hash)) dialog.close();
    const query = read(hash), before = address();
    ({ conditions, symmetry, mode } = query);
    if (address() !== before || !hits.length) { chosenTile = chosenAtom = null; look(); }
    let missing = query.unknown.length ? `This page has nothing that ${query.unknown.map(decoded).join(", ")} could mean.` : "";
    if (query.solution !== null) {
      const at = matching.findIndex((s) => list.from(s) === query.solution && (!query.turned || list.by(s) === query.turned));
      const same = at >= 0 || mode === LISTED ? at : matching.findIndex((s) => list.from(s) === query.solution);
      if (same >= 0) { current = same; open(); } else missing += ` Solution ${number(query.solution + 1)} does not meet all conditions.`;
    }
    at("missing").textContent = missing;
    at("missing").hidden = !missing;
    if (missing || query.conditions.length) at("gallery").scrollIntoView();
  }

  // ------------------------------------------------------------------ folding sections

  const parts = Array.from(document.querySelectorAll("details"));

  function unfold(id) {
    const target = document.getElementById(id);
    if (target instanceof HTMLDetailsElement && !target.open) { target.open = true; target.scrollIntoView(); }
  }

  if (matchMedia("(max-width: 44rem)").matches) for (const part of parts) part.open = false;
  let folded = [];
  addEventListener("beforeprint", () => { folded = parts.filter((part) => !part.open); for (const part of folded) part.open = true; });
  addEventListener("afterprint", () => { for (const part of folded) part.open = false; });
  for (const link of document.querySelectorAll('a[href^="#"]')) link.addEventListener("click", (event) => {
    unfold(link.hash.slice(1));
    if (link.closest("#bar")) { event.preventDefault(); document.querySelector(link.hash).scrollIntoView(); } // keep the conditions in the address
  });

  // ------------------------------------------------------------------ start

  at("images").closest("label").hidden = !images;
  at("as-listed").hidden = images || symmetries.length === 1;
  at("images").addEventListener("change", () => { mode = at("images").value; look(); remember(); });
  at("symmetry").addEventListener("change", () => { symmetry = at("symmetry").value; search(); remember(); });
  at("reset").addEventListener("click", () => {
    [conditions, chosenTile, chosenAtom, symmetry, mode] = [[], null, null, "any", ONCE];
    look();
    remember();
  });
  at("print").addEventListener("click", () => print());
  addEventListener("popstate", follow);
  look();
  follow();
})();
