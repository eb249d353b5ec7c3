// The painting canvas: the grid, the painted atoms and faint overlays; input by mouse, fingers and keys.
import { element } from "../dom.js";
import { dotted, makeBlocks, noBox, outline, widen } from "./blocks.js";
import { keyOf, middleOf } from "./lattice.js";

/** @import { Atom, Lattice, Point, Motion } from "./lattice.js" */
/** @import { Paint, Look } from "./strokes.js" */
/** @import { Box, Laid } from "./blocks.js" */
/** @typedef {{atoms: Atom[], colour: string}} Patch atoms in one colour, drawn over the painted atoms */
/**
 * @typedef {object} Hands handlers of user input
 * @property {(at: Point, atom: Atom|null) => void} begin begins a stroke
 * @property {(from: Point, to: Point) => void} go continues the stroke
 * @property {(cancelled: boolean) => void} end ends the stroke
 * @property {(atom: Atom) => void} press handles a key press at an atom
 * @property {(atom: Atom) => void} hover handles the pointer or keyboard cursor over an atom
 * @property {(by: number) => void} layer moves by layers, up or down
 */
/** @typedef {ReturnType<typeof makeEasel>} Easel */

const MAX_LINES = 9000, MIN_SCALE = 0.02, MAX_SCALE = 6, ROOM = 28, SHORT = 0.24, LINED = 5, RIM = 4, KEYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
/** Colours of named colours of forms, as in all pictures. */
const NAMED = { red: "#d7263d", green: "#009e73", blue: "#0072b2", yellow: "#f0e442", orange: "#e69f00", purple: "#8f2d60", violet: "#5544aa", pink: "#cc79a7", black: "#222222", white: "#ffffff", grey: "#888888", gray: "#888888", brown: "#994400" };
const OTHERS = ["#0072b2", "#e69f00", "#009e73", "#d55e00", "#56b4e9", "#cc79a7", "#f0e442", "#8f2d60"];

const /** @type {Map<string, string>} */ given = new Map(); // colours assigned to other names

/** The colour of a name; different names have different colours until the palette is exhausted. @param {string} name */
export function colourOf(name) {
  const known = /** @type {Record<string, string>} */ (NAMED)[name.toLowerCase()];
  if (known) return known;
  const free = OTHERS.filter((colour) => ![...given.values()].includes(colour));
  if (!given.has(name)) given.set(name, free[0] ?? OTHERS[given.size % OTHERS.length]);
  return /** @type {string} */ (given.get(name));
}

/** @param {HTMLElement} root @param {Lattice} lattice @param {Hands} hands @param {string} label
 * @param {number} [room] visible atoms on each side of the middle of an empty sheet */
export function makeEasel(root, lattice, hands, label, room = 5) {
  const below = element("canvas", { "aria-hidden": "true" }), middle = element("canvas", { "aria-hidden": "true" });
  const above = element("canvas", { tabindex: "0", role: "application", "aria-label": label });
  root.replaceChildren(below, middle, above);
  root.classList.add("easel");
  const layers = [below, middle, above], blocks = makeBlocks(lattice), stale = [true, true, true];
  let scale = 1, left = 0, top = 0, width = 1, height = 1, layer = 0, frame = 0, style = getComputedStyle(root);
  let /** @type {Patch[]} */ patches = [], patchWeight = 0.55, /** @type {import("./marks.js").Wedge[]} */ wedges = [];
  let /** @type {Atom[]|null} */ preview = null, erasing = false, /** @type {Motion[]|null} */ motions = null;
  let /** @type {Atom|null} */ cursor = null, byKey = false;
  let /** @type {{atoms: Atom[], look: Look, erase: boolean}[]} */ fresh = []; // strokes since the last full drawing, drawn on top to keep dragging fast
  let touched = noBox(), dirty = noBox(); // the boxes of new strokes, and of the part to redraw

  const redraw = (/** @type {number[]} */ ...which) => {
    for (const i of which) stale[i] = true;
    frame ||= requestAnimationFrame(draw);
  };
  const toGrid = (/** @type {number} */ x, /** @type {number} */ y) => /** @type {Point} */ ([(x - left) / scale, (y - top) / scale]);
  const ink = (/** @type {string} */ name) => style.getPropertyValue(name).trim();

  // drawing

  function draw() {
    frame = 0;
    style = getComputedStyle(root);
    const ratio = devicePixelRatio || 1;
    layers.forEach((canvas, i) => {
      const pen = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d")), part = i === 1 && !stale[1] && dirty.left < Infinity ? dirty : null;
      if (!stale[i] && !part) return i === 1 && fresh.length ? drawFresh(pen, ratio) : undefined;
      stale[i] = false;
      if (i === 1) [fresh, dirty] = [[], noBox()];
      if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) [canvas.width, canvas.height] = [Math.round(width * ratio), Math.round(height * ratio)];
      pen.save();
      pen.setTransform(1, 0, 0, 1, 0, 0);
      const at = seen(part);
      if (part) clipped(pen, at, ratio);
      pen.clearRect(0, 0, canvas.width, canvas.height);
      pen.setTransform(ratio * scale, 0, 0, ratio * scale, ratio * left, ratio * top);
      pen.lineJoin = pen.lineCap = "round";
      if (i === 1) drawPaint(pen, at);
      else [drawGrid, null, drawOver][i]?.(pen);
      pen.restore();
      pen.setTransform(ratio * scale, 0, 0, ratio * scale, ratio * left, ratio * top);
    });
  }

  /** Clip to the whole pixels around a box. @param {CanvasRenderingContext2D} pen @param {Box} at @param {number} ratio */
  function clipped(pen, at, ratio) {
    const [x, y] = [Math.floor(ratio * (at.left * scale + left)), Math.floor(ratio * (at.top * scale + top))];
    pen.beginPath();
    pen.rect(x, y, Math.ceil(ratio * (at.right * scale + left)) - x, Math.ceil(ratio * (at.bottom * scale + top)) - y);
    pen.clip();
  }

  function drawFresh(/** @type {CanvasRenderingContext2D} */ pen, /** @type {number} */ ratio) {
    pen.setTransform(ratio * scale, 0, 0, ratio * scale, ratio * left, ratio * top);
    pen.lineJoin = pen.lineCap = "round";
    for (const { atoms, look, erase } of fresh) {
      const path = pathOf(atoms, layer), fill = erase ? ink("--page") : look.colour ? colourOf(look.colour) : ink(look.optional ? "--painted-free" : "--painted");
      filled(pen, path, fill, erase ? ink("--grid-line") : ink("--painted-line"), look.optional && !erase ? [3, 3] : []);
    }
    fresh = [];
  }

  /** The visible part of the grid, optionally limited to a box with its rim. @param {Box|null} [part] @returns {Box} */
  function seen(part = null) {
    const all = { left: -left / scale, top: -top / scale, right: (width - left) / scale, bottom: (height - top) / scale }, rim = RIM / scale;
    if (!part) return all;
    return { left: Math.max(all.left, part.left - rim), top: Math.max(all.top, part.top - rim), right: Math.min(all.right, part.right + rim), bottom: Math.min(all.bottom, part.bottom + rim) };
  }

  function drawGrid(/** @type {CanvasRenderingContext2D} */ pen) {
    const atoms = lattice.within(seen(), layer, MAX_LINES);
    if (!atoms) return;
    pen.lineWidth = 1 / scale;
    pen.strokeStyle = ink("--grid-line");
    pen.stroke(pathOf(atoms, layer));
    if (!atoms.some((atom) => lattice.grid.atoms[atom[lattice.dimension]].drawn === "segment")) return;
    pen.fillStyle = ink("--grid-line"); // end points of edges
    const dots = new Path2D();
    for (const atom of atoms) dotted(dots, lattice.corners(atom, layer) ?? [], lattice.grid.line * 0.28);
    pen.fill(dots);
  }

  function pathOf(/** @type {Atom[]} */ atoms, /** @type {number} */ on) {
    const path = new Path2D(), n = lattice.dimension;
    for (const atom of atoms) {
      const points = lattice.corners(atom, on);
      if (points) outline(path, points, lattice.grid.atoms[atom[n]].drawn, lattice.grid.radius);
    }
    return path;
  }

  /** Return whether cells are large enough for lines between them. */
  const lined = () => lattice.grid.unit * scale >= LINED;

  /** @param {CanvasRenderingContext2D} pen @param {Path2D} path @param {string} fill @param {string} edge @param {number[]} dash */
  function filled(pen, path, fill, edge, dash = []) {
    pen.setLineDash([]);
    if (lattice.grid.atoms[0].drawn === "segment") {
      pen.lineWidth = lattice.grid.line + 2 / scale;
      pen.strokeStyle = edge;
      pen.stroke(path);
      pen.lineWidth = lattice.grid.line;
      pen.strokeStyle = fill;
      pen.stroke(path);
      if (!dash.length) return;
      pen.lineWidth = 1.4 / scale;
      pen.strokeStyle = edge;
    } else {
      pen.fillStyle = fill;
      pen.fill(path);
      if (!lined()) return;
      pen.lineWidth = 1 / scale;
      pen.strokeStyle = edge;
    }
    pen.setLineDash(dash.map((x) => x / scale));
    pen.stroke(path);
    pen.setLineDash([]);
  }

  function drawPaint(/** @type {CanvasRenderingContext2D} */ pen, /** @type {Box} */ at) {
    const laid = blocks.seen(at), line = ink("--painted-line");
    pen.globalAlpha = 0.7;
    for (const { under } of laid) if (under) filled(pen, under, ink("--under"), line, [2, 3]);
    pen.globalAlpha = 1;
    for (const kinds of lined() ? laid.map((block) => block.kinds) : [together(laid)]) {
      for (const [kind, path] of kinds) {
        const optional = kind.startsWith("?"), colour = kind.slice(1);
        filled(pen, path, colour ? colourOf(colour) : ink(optional ? "--painted-free" : "--painted"), line, optional ? [3, 3] : []);
      }
    }
    pen.fillStyle = line;
    for (const { ends } of laid) if (ends) pen.fill(ends);
    if (patches.length) drawPatches(pen);
    pen.lineWidth = 2.2 / scale;
    pen.strokeStyle = ink("--painted-edge");
    for (const { border } of laid) pen.stroke(border);
    wedges.forEach((wedge) => drawWedge(pen, wedge));
  }

  /** Join the paths of all blocks by kind, since no line hides the seams between blocks. @param {Laid[]} laid */
  function together(laid) {
    const /** @type {Map<string, Path2D>} */ all = new Map();
    for (const { kinds } of laid) {
      for (const [kind, path] of kinds) {
        const whole = all.get(kind) ?? new Path2D();
        whole.addPath(path);
        all.set(kind, whole);
      }
    }
    return all;
  }

  /** Draw a mark on a side, with the sign of its half. @param {CanvasRenderingContext2D} pen @param {import("./marks.js").Wedge} wedge */
  function drawWedge(pen, { points, colour, sign }) {
    const path = new Path2D(), { unit } = lattice.grid;
    outline(path, points, "face", 0);
    filled(pen, path, colour, ink("--painted-edge"));
    if (!sign) return;
    const [x, y] = middleOf(points), arm = 0.09 * unit;
    for (const [line, wide] of /** @type {[string, number][]} */ ([["#000", 0.09], ["#fff", 0.05]])) {
      pen.lineWidth = wide * unit;
      pen.strokeStyle = line;
      pen.beginPath();
      pen.moveTo(x - arm, y);
      pen.lineTo(x + arm, y);
      if (sign === "+") pen.moveTo(x, y - arm), pen.lineTo(x, y + arm);
      pen.stroke();
    }
  }

  function drawPatches(/** @type {CanvasRenderingContext2D} */ pen) {
    for (const { atoms, colour } of patches) {
      const here = atoms.filter((atom) => lattice.layersOf(atom).includes(layer));
      if (!here.length) continue;
      const line = lattice.grid.atoms[0].drawn === "segment", path = line ? sticks(here) : pathOf(here, layer);
      pen.globalAlpha = patchWeight;
      if (line) {
        pen.lineWidth = lattice.grid.line * 0.75;
        pen.strokeStyle = colour;
        pen.stroke(path);
      } else {
        pen.fillStyle = colour;
        pen.fill(path);
      }
      pen.globalAlpha = Math.min(1, patchWeight + 0.25);
      pen.lineWidth = 1.6 / scale;
      pen.strokeStyle = ink("--painted-edge");
      if (!line) pen.stroke(outerSides(here.map((atom) => (lattice.grid.atoms[atom[lattice.dimension]].drawn === "face" ? lattice.corners(atom, layer) ?? [] : []))));
      pen.globalAlpha = 1;
    }
  }

  /** The edges of a piece, shortened at its ends to leave room for other pieces. @param {Atom[]} atoms */
  function sticks(atoms) {
    const path = new Path2D(), at = (/** @type {Point} */ [x, y]) => `${Math.round(x * 8)} ${Math.round(y * 8)}`;
    const pairs = atoms.map((atom) => lattice.corners(atom, layer) ?? []), ends = new Map();
    for (const p of pairs.flat()) ends.set(at(p), (ends.get(at(p)) ?? 0) + 1);
    for (const [p, q] of pairs) {
      if (!q) continue;
      const [a, b] = [[p, q], [q, p]].map(([own, other]) => (ends.get(at(own)) > 1 ? own : /** @type {Point} */ ([own[0] + (other[0] - own[0]) * SHORT, own[1] + (other[1] - own[1]) * SHORT])));
      path.moveTo(a[0], a[1]);
      path.lineTo(b[0], b[1]);
    }
    return path;
  }

  function drawOver(/** @type {CanvasRenderingContext2D} */ pen) {
    if (preview?.length) {
      const here = preview.filter((atom) => lattice.layersOf(atom).includes(layer));
      pen.globalAlpha = 0.45;
      filled(pen, pathOf(here, layer), ink(erasing ? "--bad" : "--mark"), ink("--mark"));
      pen.globalAlpha = 1;
    }
    if (motions) drawSymmetry(pen);
    if (!cursor || !lattice.layersOf(cursor).includes(layer)) return;
    const path = pathOf([cursor], layer);
    pen.lineWidth = (byKey ? 5 : 2.5) / scale;
    pen.strokeStyle = ink("--page");
    if (byKey) pen.stroke(path);
    pen.lineWidth = (byKey ? 3 : 2) / scale;
    pen.strokeStyle = ink("--mark");
    pen.stroke(path);
  }

  /** Draw mirror axes as dashed lines and rotation centres as rings. @param {CanvasRenderingContext2D} pen */
  function drawSymmetry(pen) {
    const { left: l, right: r, top: t, bottom: b } = seen(), far = r - l + b - t;
    pen.strokeStyle = pen.fillStyle = ink("--claim");
    pen.lineWidth = 1.5 / scale;
    const all = /** @type {Motion[]} */ (motions);
    for (const motion of all) {
      if (!lattice.grid.symmetries[motion.symmetry].mirror) continue;
      // Two points of the axis: midpoints of points and their images.
      const half = (/** @type {Point} */ p) => { const q = lattice.pointImage(motion, p); return /** @type {Point} */ ([(p[0] + q[0]) / 2, (p[1] + q[1]) / 2]); };
      const places = [half([l, t]), half([r, t]), half([l, b])];
      const [p, q] = [places[0], places.slice(1).reduce((x, y) => (Math.hypot(y[0] - places[0][0], y[1] - places[0][1]) > Math.hypot(x[0] - places[0][0], x[1] - places[0][1]) ? y : x))];
      const long = Math.hypot(q[0] - p[0], q[1] - p[1]);
      if (long < 1e-6 || places.every((x, i) => Math.hypot(x[0] - [l, r, l][i], x[1] - [t, t, b][i]) < 1e-6)) continue;
      const [dx, dy] = [((q[0] - p[0]) / long) * far, ((q[1] - p[1]) / long) * far];
      pen.setLineDash([6 / scale, 5 / scale]);
      pen.beginPath();
      pen.moveTo(p[0] - dx, p[1] - dy);
      pen.lineTo(p[0] + dx, p[1] + dy);
      pen.stroke();
    }
    pen.setLineDash([]);
    const centre = centreOf(all);
    if (!centre) return;
    pen.beginPath();
    pen.arc(centre[0], centre[1], 6 / scale, 0, 7);
    pen.fillStyle = ink("--page");
    pen.fill();
    pen.lineWidth = 2.5 / scale;
    pen.stroke();
  }

  /** The fixed point of rotations: the mean of the images of a point. @param {Motion[]} all @returns {Point|null} */
  function centreOf(all) {
    const turns = all.filter((motion) => !lattice.grid.symmetries[motion.symmetry].mirror);
    if (turns.length < 2) return null;
    return middleOf(turns.map((motion) => lattice.pointImage(motion, [0, 0])));
  }

  // visible section

  function fit() {
    const unit = lattice.grid.unit, all = blocks.box(), some = all.left < Infinity;
    const [low, high] = some ? [[all.left, all.top], [all.right, all.bottom]] : [[-room * unit, -room * unit], [room * unit, room * unit]];
    const rim = some ? 1.5 * unit : 0;
    scale = Math.max(MIN_SCALE, Math.min(1.6, (width - 2 * ROOM) / (high[0] - low[0] + 2 * rim), (height - 2 * ROOM) / (high[1] - low[1] + 2 * rim)));
    left = width / 2 - (scale * (low[0] + high[0])) / 2;
    top = height / 2 - (scale * (low[1] + high[1])) / 2;
    redraw(0, 1, 2);
  }

  function zoom(/** @type {number} */ by, /** @type {number} */ x = width / 2, /** @type {number} */ y = height / 2) {
    const next = Math.max(MIN_SCALE, Math.min(MAX_SCALE, scale * by));
    left = x - ((x - left) * next) / scale;
    top = y - ((y - top) * next) / scale;
    scale = next;
    redraw(0, 1, 2);
  }

  function pan(/** @type {number} */ x, /** @type {number} */ y) {
    left += x;
    top += y;
    redraw(0, 1, 2);
  }

  // mouse and touch: one finger paints, two fingers pan and zoom

  const /** @type {Map<number, {x: number, y: number}>} */ fingers = new Map();
  let stroke = false, panning = false, space = false;
  const place = (/** @type {PointerEvent|WheelEvent} */ event) => { const box = above.getBoundingClientRect(); return { x: event.clientX - box.left, y: event.clientY - box.top }; };

  above.addEventListener("pointerdown", (event) => {
    above.setPointerCapture(event.pointerId);
    const at = place(event);
    fingers.set(event.pointerId, at);
    byKey = false;
    if (fingers.size === 2 && stroke) (stroke = false), hands.end(true);
    panning = fingers.size > 1 || event.button === 1 || space;
    if (panning) return;
    stroke = true;
    const point = toGrid(at.x, at.y);
    hands.begin(point, lattice.at(point, layer));
  });
  above.addEventListener("pointermove", (event) => {
    const before = fingers.get(event.pointerId), at = place(event);
    if (!before) {
      const atom = lattice.at(toGrid(at.x, at.y), layer);
      if (atom && (!cursor || keyOf(atom) !== keyOf(cursor))) (cursor = atom), (byKey = false), hands.hover(atom), redraw(2);
      return;
    }
    if (fingers.size === 2) pinch(event.pointerId, before, at);
    else if (panning) pan(at.x - before.x, at.y - before.y);
    else if (stroke) {
      cursor = lattice.at(toGrid(at.x, at.y), layer) ?? cursor;
      redraw(2);
      for (const part of event.getCoalescedEvents?.().length ? event.getCoalescedEvents() : [event]) {
        const p = place(part), last = /** @type {{x: number, y: number}} */ (fingers.get(event.pointerId));
        hands.go(toGrid(last.x, last.y), toGrid(p.x, p.y));
        fingers.set(event.pointerId, p);
      }
    }
    fingers.set(event.pointerId, at);
  });
  for (const name of /** @type {const} */ (["pointerup", "pointercancel"])) above.addEventListener(name, (event) => {
    if (!fingers.delete(event.pointerId)) return;
    if (stroke && !fingers.size) (stroke = false), hands.end(name === "pointercancel");
    if (!fingers.size) panning = false;
  });
  above.addEventListener("pointerleave", () => {
    if (!byKey && !fingers.size && cursor) (cursor = null), redraw(2);
  });
  above.addEventListener("contextmenu", (event) => event.preventDefault());
  above.addEventListener("wheel", (event) => {
    event.preventDefault();
    const at = place(event);
    zoom(Math.exp(-Math.max(-60, Math.min(60, event.deltaY)) * 0.004), at.x, at.y);
  }, { passive: false });

  /** @param {number} id @param {{x: number, y: number}} before @param {{x: number, y: number}} at */
  function pinch(id, before, at) {
    const other = [...fingers].find(([own]) => own !== id)?.[1] ?? at;
    const far = Math.hypot(at.x - other.x, at.y - other.y) / Math.max(1, Math.hypot(before.x - other.x, before.y - other.y));
    pan((at.x - before.x) / 2, (at.y - before.y) / 2);
    zoom(far, (at.x + other.x) / 2, (at.y + other.y) / 2);
  }

  // keys

  above.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const step = /** @type {Record<string, number[]>} */ (KEYS)[event.key];
    if (step) {
      event.preventDefault();
      const before = cursor;
      walk(step);
      if (event.shiftKey && cursor && before) hands.press(cursor);
    } else if (event.key === " " || event.key === "Enter") {
      event.preventDefault();
      if (cursor) hands.press(cursor);
      else walk([0, 0]);
    } else if (event.key === "PageUp" || event.key === "PageDown") {
      event.preventDefault();
      hands.layer(event.key === "PageUp" ? 1 : -1);
    } else if (event.key === "+" || event.key === "=") zoom(1.25);
    else if (event.key === "-") zoom(0.8);
    else if (event.key === "0") fit();
  });
  above.addEventListener("keyup", () => (space = false));
  above.addEventListener("blur", () => byKey && ((cursor = null), (byKey = false), redraw(2)));

  /** Move the cursor to the next atom in a direction; start in the middle. @param {number[]} step */
  function walk(step) {
    byKey = true;
    const from = cursor && lattice.layersOf(cursor).includes(layer) ? lattice.middle(cursor, layer) : null;
    if (!from) cursor = nearest(toGrid(width / 2, height / 2));
    else cursor = inDirection(from, step) ?? cursor;
    redraw(2);
    if (!cursor) return;
    hands.hover(cursor);
    const [x, y] = lattice.middle(cursor, layer).map((v, i) => v * scale + [left, top][i]), rim = 40;
    if (x < rim || y < rim || x > width - rim || y > height - rim) pan(x < rim ? rim - x : x > width - rim ? width - rim - x : 0, y < rim ? rim - y : y > height - rim ? height - rim - y : 0);
  }

  function nearest(/** @type {Point} */ point) {
    const unit = 2 * lattice.grid.unit, near = lattice.within({ left: point[0] - unit, right: point[0] + unit, top: point[1] - unit, bottom: point[1] + unit }, layer, MAX_LINES) ?? [];
    const far = (/** @type {Atom} */ atom) => Math.hypot(...lattice.middle(atom, layer).map((v, i) => v - point[i]));
    return near.reduce((/** @type {Atom|null} */ best, atom) => (!best || far(atom) < far(best) ? atom : best), null);
  }

  function inDirection(/** @type {Point} */ from, /** @type {number[]} */ step) {
    const unit = 2.6 * lattice.grid.unit, near = lattice.within({ left: from[0] - unit, right: from[0] + unit, top: from[1] - unit, bottom: from[1] + unit }, layer, MAX_LINES) ?? [];
    let /** @type {Atom|null} */ best = null;
    let least = Infinity;
    for (const atom of near) {
      const [x, y] = lattice.middle(atom, layer).map((v, i) => v - from[i]), ahead = x * step[0] + y * step[1], aside = Math.abs(x * step[1] - y * step[0]);
      if (ahead < lattice.grid.unit * 0.05 || aside > ahead * 1.2) continue;
      if (ahead + 2 * aside < least) [best, least] = [atom, ahead + 2 * aside];
    }
    return best;
  }

  // size and colour scheme

  const sized = new ResizeObserver(() => {
    const box = root.getBoundingClientRect(), first = width === 1;
    if (box.width < 2 || box.height < 2) return;
    const [dx, dy] = [(box.width - width) / 2, (box.height - height) / 2];
    [width, height] = [box.width, box.height];
    if (first) fit();
    else pan(dx, dy);
  });
  sized.observe(root);
  const ending = new AbortController();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => redraw(0, 1, 2), { signal: ending.signal });

  return {
    /** Show the atoms of a stroke immediately; the end of the stroke redraws everything. @param {Atom[]} atoms @param {Look} look @param {boolean} erase */
    touch(atoms, look, erase) {
      if (!atoms.length) return;
      fresh.push({ atoms, look, erase });
      for (const atom of atoms) widen(touched, lattice.corners(atom, layer) ?? []);
      redraw();
    },
    paint(/** @type {Paint} */ next) {
      for (const { left, top, right, bottom } of [blocks.paint(next.atoms), touched]) if (left < Infinity) widen(dirty, [[left, top], [right, bottom]]);
      touched = noBox();
      redraw();
    },
    patches(/** @type {Patch[]} */ next, /** @type {number} */ weight = 0.55) {
      if (!patches.length && !next.length) return;
      patches = next;
      patchWeight = weight;
      redraw(1);
    },
    wedges(/** @type {import("./marks.js").Wedge[]} */ next) {
      wedges = next;
      redraw(1);
    },
    preview(/** @type {Atom[]|null} */ atoms, /** @type {boolean} */ erase = false) {
      preview = atoms;
      erasing = erase;
      redraw(2);
    },
    symmetry(/** @type {Motion[]|null} */ next) {
      motions = next;
      redraw(2);
    },
    layer(/** @type {number} */ next) {
      layer = next;
      blocks.layer(layer);
      redraw(0, 1, 2);
    },
    /** Show everything painted, and reset the cursor. */
    fit() {
      [cursor, byKey] = [null, false];
      fit();
    },
    zoom,
    /** @param {number} x @param {number} y pixels of the grid */
    pan: (x, y) => pan(x * scale, y * scale),
    centre: () => toGrid(width / 2, height / 2),
    focus: () => above.focus({ preventScroll: true }),
    canvas: above,
    /** The position of an atom on the screen. @param {Atom} atom */
    where(atom) {
      const box = above.getBoundingClientRect(), [x, y] = lattice.middle(atom, layer);
      return { x: box.left + left + x * scale, y: box.top + top + y * scale };
    },
    end() {
      sized.disconnect();
      ending.abort();
      cancelAnimationFrame(frame);
    },
  };
}

/** The sides that belong to exactly one polygon. @param {Point[][]} polygons */
function outerSides(polygons) {
  const /** @type {Map<number, [Point, Point]>} */ sides = new Map();
  const /** @type {Map<number, number>} */ numbers = new Map(); // numbers of corners, rounded to eighths of a pixel
  const number = (/** @type {Point} */ [x, y]) => {
    const at = (Math.round(x * 8) + 67_108_864) * 134_217_728 + Math.round(y * 8) + 67_108_864, known = numbers.get(at);
    if (known !== undefined) return known;
    numbers.set(at, numbers.size);
    return numbers.size - 1;
  };
  for (const points of polygons) {
    const ends = points.map(number);
    points.forEach((p, i) => {
      const j = (i + 1) % points.length, key = Math.min(ends[i], ends[j]) * 67_108_864 + Math.max(ends[i], ends[j]);
      if (!sides.delete(key)) sides.set(key, [p, points[j]]);
    });
  }
  const path = new Path2D();
  for (const [p, q] of sides.values()) path.moveTo(p[0], p[1]), path.lineTo(q[0], q[1]);
  return path;
}
