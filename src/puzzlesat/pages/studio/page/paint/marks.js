// Marks on the sides of faces: choosing a side, and drawing its mark.
import { atomOf, keyOf, toSegment } from "./lattice.js";

/** @import { Atom, Lattice, Point } from "./lattice.js" */
/** @typedef {Map<string, string>} Marks the name of a mark, by face and side */
/** @typedef {{points: Point[], colour: string, sign: string}} Wedge */

const DEEP = 0.55; // depth of a mark as a share of the distance to the middle of the face, as in all pictures
const HALVES = /[+-]$/;

const placeOf = (/** @type {Atom} */ face, /** @type {Atom} */ side) => `${keyOf(face)} ${keyOf(side)}`;
/** @param {string} place @returns {[Atom, Atom]} the face, and the side */
const partsOf = (place) => /** @type {[Atom, Atom]} */ (place.split(" ").map(atomOf));

/** The sides of a face that may carry marks, clockwise. @param {Lattice} lattice @param {Atom} face @returns {Atom[]} */
const sidesOf = (lattice, face) => lattice.grid.sides[face[lattice.dimension]].map((side) => side.map((x, i) => (i < lattice.dimension ? x + face[i] : x)));

/** The side of a face nearest to a point. @param {Lattice} lattice @param {Atom} face @param {Point} point @returns {Atom|null} */
export function sideAt(lattice, face, point) {
  const far = (/** @type {Atom} */ side) => { const [p, q] = lattice.corners(side, 0) ?? [point, point]; return toSegment(point, p, q); };
  return sidesOf(lattice, face).reduce((/** @type {Atom|null} */ best, side) => (!best || far(side) < far(best) ? side : best), null);
}

/** The side to mark next with the keyboard: the first side without a mark, else the first side. @param {Lattice} lattice @param {Marks} marks @param {Atom} face */
export const nextSide = (lattice, marks, face) => sidesOf(lattice, face).find((side) => !marks.has(placeOf(face, side))) ?? sidesOf(lattice, face)[0] ?? null;

/** Set the mark of a side; remove it if the side has this mark already or the name is empty. @param {Marks} marks @param {Atom} face @param {Atom} side @param {string} name */
export function marked(marks, face, side, name) {
  const next = new Map(marks), place = placeOf(face, side);
  if (!name || next.get(place) === name) next.delete(place);
  else next.set(place, name);
  return next;
}

/** The marks of the faces that still exist. @param {Marks} marks @param {(key: string) => boolean} there */
export const marksOn = (marks, there) => new Map([...marks].filter(([place]) => there(keyOf(partsOf(place)[0]))));

/** Convert marks from the program's format; `marksSaid` converts back. @param {[Atom, Atom, string][]} triples @returns {Marks} */
export const marksFrom = (triples) => new Map(triples.map(([side, face, name]) => [placeOf(face, side), name]));
/** @param {Marks} marks @returns {[Atom, Atom, string][]} */
export const marksSaid = (marks) => [...marks].map(([place, name]) => { const [face, side] = partsOf(place); return [side, face, name]; });

/** The names of all marks; marks of halves have two names. @param {Record<string, {kind: string}>} kinds */
export const namesOf = (kinds) => Object.entries(kinds).flatMap(([name, { kind }]) => (kind === "halves" ? [`${name}+`, `${name}-`] : [name]));

/** The colour of a mark; both halves share one colour. @param {string} name @param {Record<string, string>} shades @param {(name: string) => string} otherwise */
export const colourOfMark = (name, shades, otherwise) => shades[name] ?? shades[name.replace(HALVES, "")] ?? otherwise(name.replace(HALVES, ""));

/** The drawings of marks. @param {Lattice} lattice @param {Marks} marks @param {(name: string) => string} colour
 * @param {(name: string) => boolean} half whether a mark is one of two halves @returns {Wedge[]} */
export function wedgesOf(lattice, marks, colour, half) {
  return [...marks].flatMap(([place, name]) => {
    const [face, side] = partsOf(place), ends = lattice.corners(side, 0);
    if (!ends) return [];
    const [x, y] = lattice.middle(face, 0), [p, q] = ends, inner = (/** @type {Point} */ e) => /** @type {Point} */ ([e[0] + DEEP * (x - e[0]), e[1] + DEEP * (y - e[1])]);
    return [{ points: [p, q, inner(q), inner(p)], colour: colour(name), sign: half(name) ? (name.endsWith("+") ? "+" : "−") : "" }];
  });
}
