// Boxes and named shapes of a grid (puzzles/grid.py).
import { refused } from "./refusing.js";

/** @import { Atom } from "../engine/laying.js" */
/** @import { Grid } from "./reading.js" */
/** @typedef {{normal: number[], most: number}} Half points x with normal · x ≤ most */

const MAX_CELLS = 100_000;

/** @param {Grid} grid @param {number[]} low @param {number[]} high @returns {Atom[]} the main atoms of a box of cells */
function cells(grid, low, high) {
  if (low.some((x, i) => !Number.isInteger(x) || !Number.isInteger(high[i])) || low.reduce((product, x, i) => product * Math.max(high[i] - x + 1, 0), 1) > MAX_CELLS) throw refused("drawn_large");
  const faces = grid.atoms.flatMap(({ main }, a) => (main ? [a] : []));
  let /** @type {number[][]} */ found = [[]];
  low.forEach((x, i) => (found = found.flatMap((cell) => Array.from({ length: Math.max(high[i] - x + 1, 0) }, (_, k) => [...cell, x + k]))));
  return found.flatMap((cell) => faces.map((a) => [...cell, a]));
}

/** @param {Grid} grid @param {number[]} sides */
export const box = (grid, sides) => cells(grid, sides.map(() => 1), sides);

/** A named shape of a grid. @param {Grid} grid @param {string} name @param {number} size */
export const shape = (grid, name, size) => convex(grid, grid.corners[name].map((corner) => corner.map(([a, b]) => a * size + b)));

/** The main atoms whose middle lies in the convex hull of the corners. @param {Grid} grid @param {number[][]} corners */
export function convex(grid, corners) {
  const n = grid.dimension, halves = n === 2 ? edges(corners) : planes(corners);
  const low = Array.from({ length: n }, (_, i) => Math.min(...corners.map((corner) => corner[i])) - 1), high = Array.from({ length: n }, (_, i) => Math.max(...corners.map((corner) => corner[i])) + 1);
  for (let i = 0; i < n; i++) for (const sign of [1, -1]) halves.push({ normal: low.map((_, j) => (i === j ? sign : 0)), most: sign > 0 ? high[i] - 1 : -low[i] - 1 });
  return cells(grid, low.map((x) => x - 1), high).filter((atom) => {
    const centre = grid.centres[atom[n]], over = centre[n]; // coordinates are multiplied by the denominator
    return halves.every(({ normal, most }) => normal.reduce((sum, k, i) => sum + k * (atom[i] * over + centre[i]), 0) <= most * over);
  });
}

const along = (/** @type {number[]} */ a, /** @type {number[]} */ b) => a.reduce((sum, x, i) => sum + x * b[i], 0);

/** The half spaces through a point, with a normal or its opposite, that contain all corners. @param {number[][]} corners @param {number[]} normal @param {number[]} through @returns {Half[]} */
const holding = (corners, normal, through) => [normal, normal.map((x) => -x)].map((own) => ({ normal: own, most: along(own, through) })).filter(({ normal: own, most }) => normal.some(Boolean) && corners.every((corner) => along(own, corner) <= most));

function edges(/** @type {number[][]} */ corners) {
  return corners.flatMap((p, i) => {
    const q = corners[(i + 1) % corners.length];
    return holding(corners, [q[1] - p[1], p[0] - q[0]], p);
  });
}

function planes(/** @type {number[][]} */ corners) {
  const found = [];
  for (const [i, p] of corners.entries()) for (const [j, q] of corners.entries()) for (const r of corners.slice(j + 1)) {
    if (j <= i) continue;
    const [a, b, c] = q.map((x, k) => x - p[k]), [d, e, f] = r.map((x, k) => x - p[k]);
    found.push(...holding(corners, [b * f - c * e, c * d - a * f, a * e - b * d], p));
  }
  return found;
}
