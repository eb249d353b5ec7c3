"""The motions that take a form, its placements and its rules to themselves: as permutations of the placements."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from operator import add, sub

import numpy as np

from .arrays import Ints, Permutation
from .conditions import CheckedConditions
from .grid import Atom, BallMotion, Point, StatedSymmetry, back, ball_motions
from .puzzle import StatedPlacement, StatedPuzzle, StatedTile
from .solution_rules import ONE_OF, SolutionRule, kept_by
from .surface import Mark, Surface

Go = Callable[[Atom], Atom]


@dataclass(frozen=True, eq=False)
class FormMotion:
    """A motion that takes the form and all but sums of weights to themselves."""

    number: int
    """On a flat form that of the symmetry of the grid, behind these those of balls; on one that wraps around they are numbered on."""
    turn: StatedSymmetry | BallMotion
    move: Point
    """What comes after the turn."""
    permutation: Permutation
    """Of the placements."""
    kept: bool
    """Whether sums of weights are the same, too: then two solutions count as one."""


def motions(puzzle: StatedPuzzle, placements: list[StatedPlacement], go_on: Callable[[], object] = bool) -> Iterator[FormMotion]:
    """Yield the motions that take form, placements and all rules but sums of weights to themselves.

    Each takes the required atoms, the colours, the fixed placements and the set of rules on solutions to themselves, and all placements of
    a tile to those of a tile with the same copies (itself if it can be). Mirrors count only where the puzzle says so; on a form that is
    joined mirrored every motion is no mirror, too, carried round it. On a form that wraps around the first counts of motions that do the
    same to atoms and sides. ``go_on`` is called at each, and may raise.
    """
    places, conditions = _Places(puzzle.surface), CheckedConditions(puzzle, placements)
    table, rules = _MotionTable(puzzle, placements, places), _Rules(puzzle, placements)
    mirrors = puzzle.mirrored or puzzle.surface.seams.glide is not None
    signs = places.signs(puzzle)
    seen = set[bytes]()
    for number, (turn, move, goes) in enumerate(_arrangements(puzzle, places)):
        go_on()
        if goes is None or (turn.mirror and not mirrors) or any(signs[i] != signs[j] for i, j in enumerate(goes[: len(signs)].tolist())):
            continue
        if puzzle.surface.wraps and goes.tobytes() in seen:
            continue
        seen.add(goes.tobytes())
        permutation = table.after(goes)
        if permutation is not None and rules.kept_by(turn, permutation):
            yield FormMotion(number, turn, move, permutation, conditions.kept_by(permutation))


def _arrangements(puzzle: StatedPuzzle, places: _Places) -> Iterator[tuple[StatedSymmetry | BallMotion, Point, Ints | None]]:
    """Everything that may take the form to itself: a turn, what comes after it, and where each place goes.

    On a form that wraps around, a turn and two moves differ by a translation, which takes the form to itself if both of them do.
    """
    shifts: dict[Atom, Ints | None] = {}
    seams = puzzle.surface.seams
    for turn, moves in _turns(puzzle):
        first: tuple[Point, Ints] | None = None
        for move in moves:
            if first is None:
                goes = places.after(partial(turn, move=move))
                first = None if goes is None else (move, goes)
            else:
                shift = seams.reduced((*map(sub, move, first[0]), 0))
                if shift not in shifts:
                    shifts[shift] = places.after(partial(_shifted, by=shift))
                after = shifts[shift]
                goes = None if after is None else after[first[1]]
            yield turn, move, goes


def _shifted(atom: Atom, by: Atom) -> Atom:
    return tuple(map(add, atom, by))


def _turns(puzzle: StatedPuzzle) -> Iterator[tuple[StatedSymmetry | BallMotion, Iterable[Point]]]:
    """What may turn the form, with what may come after it."""
    turns: list[StatedSymmetry | BallMotion | None] = [*puzzle.symmetries]
    if puzzle.wide and puzzle.grid.of_balls:
        turns += [motion.about(puzzle.form) for motion in ball_motions(puzzle.grid)]
    for turn in turns:
        if turn is not None:
            yield turn, _moves(puzzle.surface, turn) if puzzle.surface.wraps else [back(turn, puzzle.form)]


def _moves(surface: Surface, turn: StatedSymmetry | BallMotion) -> Iterator[Point]:
    """What may come after a turn on a form that wraps around, so that what is the same goes to what is the same, one atom into the form."""
    seams, still = surface.seams, (0,) * surface.grid.dimension
    steps = [turn.vector(step) for _, step in seams.translations]
    if any(step is None or not seams.has(step) for step in steps):
        return
    one = min(surface.atoms)
    there = turn(one, still)
    for target in sorted(a for a in surface.atoms if a[-1] == there[-1]):
        move = tuple(map(sub, target[:-1], there))
        if _keeps_glide(surface, turn, move):
            yield move


def _keeps_glide(surface: Surface, turn: StatedSymmetry | BallMotion, move: Point) -> bool:
    """Whether the glide before a motion is the glide after it, up to a translation of the seams."""
    if surface.seams.glide is None:
        return True
    assert isinstance(turn, StatedSymmetry), "forms of balls have no mirrored seam"
    mirror, way = surface.seams.glide
    still = surface.grid.still[0]
    if any(turn.vector(mirror.vector(v)) != mirror.vector(turn.vector(v)) for v in still):
        return False
    one = min(surface.atoms)
    before, after = turn(mirror(one, way), move), mirror(turn(one, move), way)
    return before[-1] == after[-1] and surface.seams.has(tuple(map(sub, before[:-1], after)))


class _Places:
    """The atoms of a form and the sides of its faces, numbered; atoms first."""

    def __init__(self, surface: Surface) -> None:
        self.surface, self.atoms = surface, sorted(surface.atoms)
        grid = surface.grid
        sides = [(side, face) for side, kind in enumerate(grid.kinds) if kind != grid.kinds[0] for face in grid.faces_at[side]]
        self.flags = [((*map(sub, at[:-1], face), side), at) for at in self.atoms for side, face in sides if face[-1] == at[-1]]
        """Sides, each with one of its faces: with another it is another place."""
        self.number: dict[Atom, int] = {a: i for i, a in enumerate(self.atoms)}
        self.number_of_flag = {surface.seams.settled(*flag): i for i, flag in enumerate(self.flags, start=len(self.atoms))}

    def signs(self, puzzle: StatedPuzzle) -> list[object]:
        """What of each atom must be that of the one to which it goes."""
        required = frozenset(puzzle.required)
        return [(a in required, a in puzzle.keep, puzzle.coloured.get(a)) for a in self.atoms]

    def after(self, go: Go) -> Ints | None:
        """Where each place goes; None where that is not always in the form."""
        homes = [self.surface.home(go(a)) for a in self.atoms]
        inside = [self.number[a] for a in homes if a is not None]
        if len(inside) < len(homes):
            return None
        flags = [self.number_of_flag[self.surface.seams.settled(go(side), go(face))] for side, face in self.flags]
        return np.array([*inside, *flags], dtype=np.int32)


class _MotionTable:
    """Placements as rows of numbers, of what they cover and show, so that all of them are moved at once."""

    def __init__(self, puzzle: StatedPuzzle, placements: list[StatedPlacement], places: _Places) -> None:
        self.supplies, self.size, self.places = [_supply(tile) for tile in puzzle.tiles], len(placements), places
        self.names = {name: i for i, name in enumerate(sorted({name for p in placements for _, _, name in p.look[1]}), start=1)}
        things = [[*((places.number[a], 0) for a in p.look[0]), *map(self._shown, p.look[1])] for p in placements]
        self.things = sorted({thing for own in things for thing in own})
        """What is covered, and what is shown: a place, and the number of a name, from 1."""
        self.number = {thing: i for i, thing in enumerate(self.things)}
        width = max(map(len, things), default=0)
        self.rows = np.full((len(placements), width), len(self.number), dtype=np.int32)
        for row, own in zip(self.rows, things, strict=True):
            row[: len(own)] = sorted(self.number[thing] for thing in own)
        self.of_tile: list[list[int]] = [[] for _ in puzzle.tiles]
        for o, p in enumerate(placements):
            self.of_tile[p.tile].append(o)
        self.place = [{self.rows[o].tobytes(): o for o in own} for own in self.of_tile]

    def _shown(self, mark: Mark) -> tuple[int, int]:
        side, face, name = mark
        return self.places.number[face] if side == face else self.places.number_of_flag[side, face], self.names[name]

    def after(self, goes: Ints) -> Permutation | None:
        """The number of the placement that each has become, or None where some tile has become no tile with the same copies."""
        there = goes.tolist()
        numbers = [self.number.get((there[place], name)) for place, name in self.things]
        if None in numbers:
            return None  # no placement covers or shows what one becomes
        moved = np.sort(np.array([*numbers, len(numbers)], dtype=np.int32)[self.rows], axis=1)
        whole, size = moved.tobytes(), self.rows.itemsize * self.rows.shape[1]
        permutation, taken = np.empty(self.size, dtype=np.int64), set[int]()
        for t, own in enumerate(self.of_tile):
            rows = [whole[o * size : (o + 1) * size] for o in own]
            target = self._target(t, rows, taken)
            if target is None:
                return None
            taken.add(target[0])
            permutation[own] = target[1]
        return permutation

    def _target(self, tile: int, rows: list[bytes], taken: set[int]) -> tuple[int, list[int]] | None:
        """The tile that one becomes, and the numbers of its placements: itself if it can be, else the first that no other has become."""
        for u in (tile, *(u for u, supply in enumerate(self.supplies) if u != tile and supply == self.supplies[tile])):
            if u not in taken and len(self.place[u]) == len(rows):
                found = [o for row in rows if (o := self.place[u].get(row)) is not None]
                if len(found) == len(rows):
                    return u, found
        return None


class _Rules:
    """Fixed placements, and rules on solutions other than sums of weights."""

    def __init__(self, puzzle: StatedPuzzle, placements: list[StatedPlacement]) -> None:
        self.grid, self.pieces = puzzle.grid, puzzle.pieces(placements)
        wanted = set(puzzle.fixed)
        self.fixed = {o for o, p in enumerate(placements) if (p.tile, p.look) in wanted}
        # that one of some placements is there is a sum of weights, too
        self.rules = [rule for rule in puzzle.rules if isinstance(rule, SolutionRule) and rule.kind != ONE_OF]

    def kept_by(self, turn: StatedSymmetry | BallMotion, permutation: Permutation) -> bool:
        """Tell whether they are the same after a motion."""
        if {int(permutation[o]) for o in self.fixed} != self.fixed:
            return False
        return not self.rules or kept_by(self.grid, turn.matrix, self.rules, self.pieces, permutation.tolist())


def _supply(tile: StatedTile) -> object:
    return tile.low if tile.low == tile.high else sorted(tile.ranges)
