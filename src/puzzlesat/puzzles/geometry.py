"""Re-check solutions on the geometry alone: what lies where, never mind the cover problem.

Every placement used is shown to be its tile, turned as the rules allow, by exact coordinates of its vertices; every solution is
shown to be disjoint, to cover the form, to use the right number of copies, and to obey marks, rules, rules on solutions and fixed tiles.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from math import lcm
from operator import add, mul, sub
from typing import Any

import numpy as np

from puzzlesat.base import Flags, Ints, Longs, Rows
from puzzlesat.puzzles.geometry_rules import make_rules_recheck
from puzzlesat.puzzles.geometry_wrapped import is_turned_tile
from puzzlesat.puzzles.grid import AtomId, Grid, translate
from puzzlesat.puzzles.lattice import Matrix
from puzzlesat.puzzles.placements import Placement
from puzzlesat.puzzles.puzzle import Puzzle, SolutionRules, Tile

MOST_CELLS = 1_000_000
"""Atoms, tiles and sides of solutions that are looked at together, so that the tables take no more than some tens of megabytes."""

Point = tuple[int, ...]
Outline = tuple[Point, frozenset[Point]]
"""The vertices of an atom in lattice coordinates, as exact integers, all multiplied by the same number: the lowest of each coordinate, and
the vertices as seen from there. What many atoms have in common is worked out once."""


def make_recheck(puzzle: Puzzle, placements: Sequence[Placement], go_on: Callable[[], object] = bool) -> Callable[[Rows], str | None]:
    """Return a function that takes rows of placement numbers (padded with -1) and says what is wrong with the first bad one, or None.

    A placement is looked at when it is first used. ``go_on`` is called after each, for there may be thousands, and may raise.
    """
    shown: dict[tuple[int, int], Placement] = {}
    table = _AtomTable(puzzle)
    line = np.full(len(placements) + 1, -1, dtype=np.int32)
    line[-1] = 0  # the padding, which covers nothing
    needed = frozenset(puzzle.form.required)
    required = np.array([a in needed for a in _order(puzzle)])
    low = np.array([t.low for t in puzzle.tiles])
    high = np.array([len(placements) if t.high is None else t.high for t in puzzle.tiles])
    meets = _meets(puzzle)
    fixed = _numbers(puzzle, placements)
    ruled = puzzle.solutions != SolutionRules()
    broken = make_rules_recheck(puzzle, placements)
    step = max(1, MOST_CELLS // max(1, len(table.atom), len(table.side), len(puzzle.tiles), len(puzzle.rules)))

    def check(rows: Rows) -> str | None:
        new = np.unique(rows)
        for p in new[line[new] < 0].tolist():
            if (wrong := _judge(puzzle, placements[p], shown)) is not None:
                return wrong
            line[p] = table.add(placements[p])
            go_on()
        together = max(1, min(step, MOST_CELLS // max(1, rows.shape[1])))
        return next((wrong for k in range(0, len(rows), together) if (wrong := part(rows[k : k + together])) is not None), None)

    def part(rows: Rows) -> str | None:
        its = line[rows]
        cover = table.atoms.count(its)
        if (cover > 1).any():
            return _blame(rows, (cover > 1).any(axis=1), placements, "two placements overlap")
        if (cover[:, required] == 0).any():
            return _blame(rows, (cover[:, required] == 0).any(axis=1), placements, "an atom of the form stays uncovered")
        copies = table.tiles.count(its)
        if ((copies < low) | (copies > high)).any():
            return _blame(rows, ((copies < low) | (copies > high)).any(axis=1), placements, "a tile is used too often or too seldom")
        clash = ~meets[table.first.sum(its), table.second.sum(its)]
        if clash.any():
            return _blame(rows, clash.any(axis=1), placements, "two marks meet that may not meet")
        for p in fixed:
            if not (rows == p).any(axis=1).all():
                return _blame(rows, ~(rows == p).any(axis=1), placements, f"the fixed placement {placements[p].name} is missing")
        for rule, weights in zip(puzzle.rules, table.weights.T, strict=True):
            totals = weights[its].sum(axis=1)
            bad = (totals - rule.residue) % rule.modulus != 0 if rule.modulus else (totals < rule.low) | (totals > rule.high)
            if bad.any():
                return _blame(rows, bad, placements, f"the condition {rule.name!r} does not hold")
        if ruled and (found := broken(rows, table.atoms.places(its))) is not None:
            return _blame(rows, found[0], placements, found[1])
        return None

    return check


class _Lists:
    """For each placement used so far a list of places, each with a value there: line after line in arrays that grow. Line 0 is empty.

    What is asked of solutions takes as much memory as there are solutions times places, however many placements a solution has.
    """

    def __init__(self, width: int) -> None:
        self.width = width
        self.start: Longs = np.zeros(2, dtype=np.int64)
        """Line i lies from start[i] to start[i + 1]."""
        self.lines = 1
        self.place: Ints = np.zeros(1, dtype=np.int32)
        self.value: Ints = np.zeros(1, dtype=np.int32)

    def add(self, places: Sequence[int], values: Sequence[int]) -> None:
        """Add a line."""
        begin = int(self.start[self.lines])
        end = begin + len(places)
        while len(self.place) < end:
            self.place, self.value = np.tile(self.place, 2), np.tile(self.value, 2)
        if self.lines + 1 == len(self.start):
            self.start = np.tile(self.start, 2)
        self.place[begin:end], self.value[begin:end] = places, values
        self.lines += 1
        self.start[self.lines] = end

    def count(self, its: Ints) -> Longs:
        """Array (solutions, places): on how many of its lines a place stands."""
        cell, _, _ = self._entries(its)
        counts: Longs = np.bincount(cell, minlength=len(its) * self.width).reshape(len(its), self.width)
        return counts

    def sum(self, its: Ints) -> Longs:
        """Array (solutions, places): the sum of the values on its lines."""
        found = np.zeros(len(its) * self.width, dtype=np.int64)
        if self.start[self.lines]:
            cell, entry, _ = self._entries(its)
            np.add.at(found, cell, self.value[entry])
        return found.reshape(len(its), self.width)

    def places(self, its: Ints) -> Longs:
        """Array (solutions, places): which of its lines a place stands on; -1 where on none."""
        owners = np.full(len(its) * self.width, -1, dtype=np.int64)
        cell, _, which = self._entries(its)
        owners[cell] = which
        return owners.reshape(len(its), self.width)

    def _entries(self, its: Ints) -> tuple[Longs, Longs, Longs]:
        """All that stands on the lines of the solutions: the cells of the array asked for, the entries, and which line of its solution."""
        lines = its.ravel()
        sizes: Longs = self.start[lines + 1] - self.start[lines]
        begins = np.cumsum(sizes) - sizes
        entry: Longs = np.repeat(self.start[lines] - begins, sizes) + np.arange(int(sizes.sum()))
        number: Longs = np.repeat(np.arange(len(lines)), sizes)
        solution: Longs = number // max(1, its.shape[1])
        which: Longs = number % max(1, its.shape[1])
        cell: Longs = solution * self.width + self.place[entry]
        return cell, entry, which


class _AtomTable:
    """What the placements used so far cover and show: a line of each array for each; line 0 covers nothing."""

    def __init__(self, puzzle: Puzzle) -> None:
        grid, form = puzzle.grid, puzzle.form
        faces = [a for a in form.atoms if grid.atoms[a[-1]].kind == grid.main_kind] if puzzle.mates else []
        sides = {s for f in faces for s in grid.sides_of(f)} if form.wrap is None else {*form.wrap.sides.values()}
        self.puzzle = puzzle
        self.atom = {a: i for i, a in enumerate(_order(puzzle))}
        self.side = {s: i for i, s in enumerate(sorted(sides))}
        self.name = {name: i for i, name in enumerate(puzzle.mates, start=1)}
        self.atoms, self.tiles = _Lists(len(self.atom)), _Lists(len(puzzle.tiles))
        self.first, self.second = _Lists(len(self.side)), _Lists(len(self.side))
        """The mark, numbered from 1 (0 is none), on either face of each side."""
        self.weights: Longs = np.zeros((1, len(puzzle.rules)), dtype=np.int64)
        """Array (lines, rules)."""

    def add(self, p: Placement) -> int:
        """Give a placement a line, and return its number."""
        line, grid = self.atoms.lines, self.puzzle.grid
        if line == len(self.weights):
            self.weights = np.concatenate([self.weights, np.zeros_like(self.weights)])
        self.atoms.add([self.atom[a] for a in p.atoms], [1] * len(p.atoms))
        self.tiles.add([p.tile], [1])
        member = self.puzzle.tiles[p.tile].members[0]
        self.weights[line] = [sum(r.atoms.get(a, 0) for a in p.atoms) + r.tiles.get(member, 0) for r in self.puzzle.rules]
        shown = [(grid.faces_at(m.side).index(m.face), self.side[m.side], self.name[m.name]) for m in p.marks if not m.is_colour]
        for face, lists in enumerate((self.first, self.second)):
            lists.add([side for at, side, _ in shown if at == face], [name for at, _, name in shown if at == face])
        return line


def _numbers(puzzle: Puzzle, placements: Sequence[Placement]) -> list[int]:
    """The numbers of the placements that are fixed."""
    return [i for i, p in enumerate(placements) if p.name in puzzle.fixed] if puzzle.fixed else []


def _blame(rows: Rows, bad: Flags | np.bool_, placements: Sequence[Placement], what: str) -> str:
    row = rows[int(np.flatnonzero(bad)[0])]
    return f"{what}: {' '.join(placements[p].name for p in row.tolist() if p >= 0)}"


def _order(puzzle: Puzzle) -> list[AtomId]:
    return [*puzzle.form.required, *puzzle.form.optional]


def _meets(puzzle: Puzzle) -> Flags:
    """Which marks, numbered from 1, may meet; 0 is no mark, which may meet every one."""
    names = list(puzzle.mates)
    meets = np.ones((len(names) + 1, len(names) + 1), dtype=bool)
    for i, a in enumerate(names, start=1):
        for j, b in enumerate(names, start=1):
            meets[i, j] = puzzle.mates[a] == b
    return meets


def _judge(puzzle: Puzzle, placement: Placement, shown: dict[tuple[int, int], Placement]) -> str | None:
    """Say what is wrong with a placement as such, or None: it must lie in the form and be its tile turned as allowed.

    ``shown`` holds a placement of each orientation that is known to be right; others need only be moved copies of it.
    """
    if not puzzle.form.atoms.issuperset(placement.atoms):
        return f"{placement.name} sticks out of the form"
    key = placement.tile, placement.orientation
    if puzzle.tiles[placement.tile].listed:
        if not _is_listed(puzzle, placement):
            return f"{placement.name} is not number {placement.orientation} of the placements of tile {puzzle.tiles[placement.tile].name}"
    elif puzzle.form.wrap is not None:
        if not is_turned_tile(puzzle, placement):
            return f"{placement.name} is not tile {puzzle.tiles[placement.tile].name} in an orientation that the rules allow"
    elif key not in shown or not _is_moved_copy(shown[key], placement):
        tile = puzzle.tiles[placement.tile]
        likely = sorted(tile.symmetries, key=lambda index: index + 1 != placement.orientation)  # tried first, and the others if it is not
        if not any(_maps_onto(puzzle.grid, tile, index, placement) for index in likely):
            return f"{placement.name} is not tile {tile.name} in an orientation that the rules allow"
        shown[key] = placement
    for m in (m for m in placement.marks if m.is_colour):
        below = puzzle.form.colours.get(m.face)
        if below is not None and below not in puzzle.fits[m.name]:
            return f"{placement.name} lies with a {m.name} atom on a {below} one"
    if puzzle.border is not None:
        for m in (m for m in placement.marks if not m.is_colour):
            outside = any(puzzle.form.locate(f) is None for f in puzzle.grid.faces_at(m.side))
            if outside and puzzle.mates[m.name] != puzzle.border:
                return f"{placement.name} shows the border a mark that it may not meet"
    return None


def _is_listed(puzzle: Puzzle, placement: Placement) -> bool:
    """Does a placement cover what stands in the list under its number, and show nothing? It is neither turned nor moved."""
    listed, number = puzzle.tiles[placement.tile].listed, placement.orientation
    if not 1 <= number <= len(listed) or placement.marks:
        return False
    here = _outlines(puzzle.grid, _times(puzzle.grid, 1))
    return {here(a) for a in placement.atoms} == {here(a) for a in listed[number - 1]}


def _is_moved_copy(one: Placement, other: Placement) -> bool:
    """Is one placement the other, moved by a lattice vector?"""
    move = tuple(b - a for a, b in zip(min(one.atoms)[:-1], min(other.atoms)[:-1], strict=True))
    marks = {(translate(m.side, move), translate(m.face, move), m.name) for m in one.marks}
    return {translate(a, move) for a in one.atoms} == set(other.atoms) and marks == {(m.side, m.face, m.name) for m in other.marks}


def _maps_onto(grid: Grid, tile: Tile, index: int, placement: Placement) -> bool:
    """Does the linear part of a symmetry, and some translation, take the tile's vertices and marks onto those of a placement?"""
    motion = grid.motions[index]
    turned, there = _outlines(grid, motion.matrix), _outlines(grid, _times(grid, motion.over))  # the placement is enlarged as much
    body, target = [turned(a) for a in tile.atoms], {there(a) for a in placement.atoms}
    move = [t - s for s, t in zip(_lowest(body), _lowest(target), strict=True)]

    def moved(outline: Outline) -> Outline:
        return tuple(map(add, outline[0], move)), outline[1]

    marks = {(moved(turned(m.side)), moved(turned(m.face)), m.name) for m in tile.marks}
    return {*map(moved, body)} == target and marks == {(there(m.side), there(m.face), m.name) for m in placement.marks}


def _times(grid: Grid, number: int) -> Matrix:
    """The matrix that multiplies by a number."""
    return tuple(tuple(number * (i == j) for j in range(grid.dimension)) for i in range(grid.dimension))


@cache
def _outlines(grid: Grid, matrix: Matrix) -> Callable[[AtomId], Outline]:
    """What tells the outline of an atom that a matrix has turned."""
    scale = lcm(*(x.denominator for atom in grid.atoms for v in atom.vertices for x in v))
    rows = [[scale * x for x in row] for row in matrix]
    kinds = [_outline([tuple(int(_scalar(row, v)) for row in rows) for v in atom.vertices]) for atom in grid.atoms]

    def outline(atom: AtomId) -> Outline:
        corner, shape = kinds[atom[-1]]
        return tuple([c + _scalar(row, atom[:-1]) for c, row in zip(corner, rows, strict=True)]), shape

    return outline


def _outline(vertices: Sequence[Point]) -> Outline:
    """The outline of a body with these vertices."""
    corner = tuple(min(axis) for axis in zip(*vertices, strict=True))
    return corner, frozenset(tuple(map(sub, v, corner)) for v in vertices)


def _scalar(row: Sequence[int], vector: Sequence[Any]) -> Any:
    return sum(map(mul, row, vector))


def _lowest(outlines: Iterable[Outline]) -> list[int]:
    return [min(axis) for axis in zip(*(corner for corner, _ in outlines), strict=True)]
