// Painted cells in blocks with cached paths: a stroke rebuilds few blocks, and invisible blocks cost no time.
import { atomOf } from "./lattice.js";

/** @import { Atom, Lattice, Point } from "./lattice.js" */
/** @import { Look } from "./strokes.js" */
/** @typedef {{left: number, top: number, right: number, bottom: number}} Box */
/** @typedef {{kinds: Map<string, Path2D>, under: Path2D|null, ends: Path2D|null, border: Path2D, box: Box}} Laid the paths of a block: by kind of look, of the layer below, of the ends of edges, and of the outline */
/** @typedef {{atoms: Map<string, Look>, laid: Laid|null}} Block */

const SIDE = 16, FAR = 131_072; // side length of a block in cells; a bound above the number of blocks in any direction

export function widen(/** @type {Box} */ box, /** @type {Point[]} */ points) {
  for (const [x, y] of points) {
    if (x < box.left) box.left = x;
    if (x > box.right) box.right = x;
    if (y < box.top) box.top = y;
    if (y > box.bottom) box.bottom = y;
  }
}
/** @returns {Box} */
export const noBox = () => ({ left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity });
/** @param {Box} a @param {Box} b */
const meet = (a, b) => a.left <= b.right && a.right >= b.left && a.top <= b.bottom && a.bottom >= b.top;
const kindOf = (/** @type {Look} */ { optional, colour }) => `${optional ? "?" : "!"}${colour}`;

export function makeBlocks(/** @type {Lattice} */ lattice) {
  const n = lattice.dimension, { grid } = lattice, across = acrossSides(lattice);
  const reach = Math.max(1, ...across.flat(3).flatMap((other) => [Math.abs(other[0]), Math.abs(other[1])]));
  const far = Math.max(...grid.atoms.flatMap((shape) => shape.sections.flatMap(({ points }) => points.map(([x, y]) => Math.hypot(x, y))))) + grid.radius + grid.line;
  const /** @type {Map<number, Block>} */ blocks = new Map();
  let /** @type {Map<string, Look>} */ painted = new Map();
  let layer = 0;

  const numberOf = (/** @type {number} */ u, /** @type {number} */ v) => (u + FAR) * 2 * FAR + v + FAR;
  const at = (/** @type {number} */ x) => Math.floor(x / SIDE);

  function put(/** @type {string} */ key, /** @type {Look|undefined} */ look, /** @type {Box} */ changed) {
    const [x, y] = atomOf(key), own = numberOf(at(x), at(y));
    const block = blocks.get(own) ?? { atoms: new Map(), laid: null };
    blocks.set(own, block);
    if (look) block.atoms.set(key, look);
    else block.atoms.delete(key);
    const [px, py] = lattice.home(atomOf(key));
    widen(changed, [[px - far, py - far], [px + far, py + far]]);
    for (let u = at(x - reach); u <= at(x + reach); u++) { // the outlines of neighbours also change
      for (let v = at(y - reach); v <= at(y + reach); v++) {
        const near = blocks.get(numberOf(u, v));
        if (near) near.laid = null;
      }
    }
  }

  /** @param {Block} block @returns {Laid} */
  function lay({ atoms }) {
    const /** @type {Laid} */ laid = { kinds: new Map(), under: null, ends: null, border: new Path2D(), box: noBox() };
    for (const [key, look] of atoms) {
      const atom = atomOf(key), { drawn, sections } = grid.atoms[atom[n]], inside = layer - (n === 3 ? atom[2] * grid.rise : 0);
      for (let k = 0; k < sections.length; k++) {
        const beneath = sections[k].layer === inside - 1;
        if (sections[k].layer !== inside && !beneath) continue;
        const points = /** @type {Point[]} */ (lattice.corners(atom, beneath ? layer - 1 : layer));
        widen(laid.box, points);
        if (beneath) {
          if (!sections.some((section) => section.layer === inside)) outline((laid.under ??= new Path2D()), points, drawn, grid.radius);
          continue;
        }
        const kind = kindOf(look), path = laid.kinds.get(kind) ?? new Path2D();
        laid.kinds.set(kind, path);
        outline(path, points, drawn, grid.radius);
        if (drawn === "segment") dotted((laid.ends ??= new Path2D()), points, grid.line * 0.3);
        else if (drawn === "face") bordered(laid.border, atom, across[atom[n]][k], points);
      }
    }
    return laid;
  }

  /** Add the sides without a painted atom beyond them to a path. @param {Path2D} path @param {Atom} atom @param {Atom[][]} beyond by side @param {Point[]} points */
  function bordered(path, atom, beyond, points) {
    for (let i = 0; i < points.length; i++) {
      if (beyond[i].some((other) => painted.has(n === 3 ? `${atom[0] + other[0]},${atom[1] + other[1]},${atom[2] + other[2]},${other[3]}` : `${atom[0] + other[0]},${atom[1] + other[1]},${other[2]}`))) continue;
      const [x, y] = points[(i + 1) % points.length];
      path.moveTo(points[i][0], points[i][1]);
      path.lineTo(x, y);
    }
  }

  return {
    /** Replace the painted atoms; return the box of all changes. @param {Map<string, Look>} next */
    paint(next) {
      const before = painted, changed = noBox();
      painted = next;
      for (const [key, look] of next) if (before.get(key) !== look) put(key, look, changed);
      for (const key of before.keys()) if (!next.has(key)) put(key, undefined, changed);
      return changed;
    },
    layer(/** @type {number} */ next) {
      layer = next;
      for (const block of blocks.values()) block.laid = null;
    },
    /** The paths of the blocks that are visible in a box. @param {Box} box */
    seen(box) {
      const found = [];
      for (const [number, block] of blocks) {
        if (!block.atoms.size) blocks.delete(number);
        else if (meet((block.laid ??= lay(block)).box, box)) found.push(block.laid);
      }
      return found;
    },
    /** The bounding box of all painted atoms in all layers. */
    box() {
      const box = noBox();
      for (const key of painted.keys()) {
        const atom = atomOf(key), [x, y] = lattice.home(atom);
        for (const p of grid.atoms[atom[n]].sections[0]?.points ?? []) widen(box, [[p[0] + x, p[1] + y]]);
      }
      return box;
    },
  };
}

/** For each atom of a cell, each of its layers and each side, the faces on the other side. @param {Lattice} lattice @returns {Atom[][][][]} */
function acrossSides(lattice) {
  const { grid, dimension } = lattice, nowhere = Array(dimension).fill(0);
  const sideOf = (/** @type {Point[]} */ points, /** @type {number} */ i) => [points[i], points[(i + 1) % points.length]].map(([x, y]) => `${Math.round(x * 8)} ${Math.round(y * 8)}`).sort().join(" ");
  return grid.atoms.map((shape, number) => shape.sections.map(({ layer, points }) => {
    if (shape.drawn !== "face" || !shape.main) return points.map(() => []);
    const own = [...nowhere, number].join(), around = noBox();
    widen(around, points);
    const others = (lattice.within(around, layer, Infinity) ?? []).filter((atom) => atom.join() !== own && grid.atoms[atom[dimension]].drawn === "face");
    const sides = others.map((atom) => { const corners = lattice.corners(atom, layer) ?? []; return corners.map((_, i) => sideOf(corners, i)); });
    return points.map((_, i) => others.filter((_, j) => sides[j].includes(sideOf(points, i))));
  }));
}

/** @param {Path2D} path @param {Point[]} points @param {string} drawn @param {number} radius */
export function outline(path, points, drawn, radius) {
  if (drawn === "ball") {
    path.moveTo(points[0][0] + radius, points[0][1]);
    path.arc(points[0][0], points[0][1], radius, 0, 2 * Math.PI);
    return;
  }
  points.forEach(([x, y], i) => (i ? path.lineTo(x, y) : path.moveTo(x, y)));
  if (drawn === "face") path.lineTo(points[0][0], points[0][1]); // closePath would measure the whole path again
}

export function dotted(/** @type {Path2D} */ path, /** @type {Point[]} */ points, /** @type {number} */ radius) {
  for (const [x, y] of points) path.moveTo(x, y), path.arc(x, y, radius, 0, 7);
}
