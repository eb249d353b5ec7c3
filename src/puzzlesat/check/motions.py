"""The motions that take a form, its placements and its rules to themselves: as permutations of the placements."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from operator import sub

import numpy as np

from .arrays import Permutation
from .balls import BallMotion, ball_motions
from .conditions import Conditions
from .grid import Atom, Point, Symmetry, back
from .puzzle import Placement, Puzzle, Tile
from .seams import Mark, Surface
from .solution_rules import ONE_OF, SolutionRule, kept_by

Go = Callable[[Atom], Atom]


@dataclass(frozen=True, eq=False)
class Motion:
    """A motion that takes the form and all but sums of weights to themselves."""

    number: int
    """On a flat form that of the symmetry of the grid, behind these those of balls; on one that wraps around they are numbered on."""
    turn: Symmetry | BallMotion
    move: Point
    """What comes after the turn."""
    permutation: Permutation
    """Of the placements."""
    kept: bool
    """Whether sums of weights are the same, too: then two solutions count as one."""


def motions(puzzle: Puzzle, placements: list[Placement], go_on: Callable[[], object] = bool) -> Iterator[Motion]:
    """Yield the motions that take form, placements and all rules but sums of weights to themselves.

    Each takes the required atoms, the colours, the fixed placements and the set of rules on solutions to themselves, and all placements of
    a tile to those of a tile with the same copies (itself if it can be). Mirrors count only where the puzzle says so; on a form that is
    joined mirrored every motion is no mirror, too, carried round it. On a form that wraps around the first counts of motions
    that do the same to atoms and sides. ``go_on`` is called at each, and may raise.
    """
    surface, conditions, table, seen = puzzle.surface, Conditions(puzzle, placements), _Table(puzzle, placements), set[object]()
    mirrors = puzzle.mirrored or surface.seams.glide is not None
    flags = _flags(surface) if surface.wraps else []
    parts = (frozenset(puzzle.required), frozenset(puzzle.optional), puzzle.keep)
    for number, (turn, move) in enumerate(_all_motions(puzzle)):
        go_on()
        if turn.mirror and not mirrors:
            continue

        def go(atom: Atom, turn: Symmetry | BallMotion = turn, move: Point = move) -> Atom:
            return turn(atom, move)

        image = _image(surface, go)
        if image is None or any({image[a] for a in part} != part for part in parts):
            continue
        if any(puzzle.coloured.get(a) != puzzle.coloured.get(b) for a, b in image.items()):
            continue
        key = tuple(image.values()), tuple(surface.seams.settled(*map(go, flag)) for flag in flags)
        if surface.wraps and key in seen:
            continue
        seen.add(key)
        permutation = table.after(image, go)
        if permutation is not None and _keeps_rules(puzzle, placements, turn, permutation):
            yield Motion(number, turn, move, permutation, conditions.kept_by(permutation))


def _all_motions(puzzle: Puzzle) -> Iterator[tuple[Symmetry | BallMotion, Point]]:
    """Everything that may take the form to itself, each with what comes after it; on a flat form one move for each turn."""
    turns: list[Symmetry | BallMotion | None] = [*puzzle.symmetries]
    if puzzle.wide and puzzle.grid.of_balls:
        turns += [motion.about(puzzle.form) for motion in ball_motions(puzzle.grid)]
    for turn in turns:
        if turn is not None and not puzzle.surface.wraps:
            yield turn, back(turn, puzzle.form)
        elif turn is not None:
            yield from ((turn, move) for move in _moves(puzzle.surface, turn))


def _moves(surface: Surface, turn: Symmetry | BallMotion) -> Iterator[Point]:
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


def _keeps_glide(surface: Surface, turn: Symmetry | BallMotion, move: Point) -> bool:
    """Whether the glide before a motion is the glide after it, up to a translation of the seams."""
    if surface.seams.glide is None:
        return True
    assert isinstance(turn, Symmetry), "forms of balls have no mirrored seam"
    mirror, way = surface.seams.glide
    still = surface.grid.still[0]
    if any(turn.vector(mirror.vector(v)) != mirror.vector(turn.vector(v)) for v in still):
        return False
    one = min(surface.atoms)
    before, after = turn(mirror(one, way), move), mirror(turn(one, move), way)
    return before[-1] == after[-1] and surface.seams.has(tuple(map(sub, before[:-1], after)))


def _image(surface: Surface, go: Go) -> dict[Atom, Atom] | None:
    """Where each atom of the form goes; None where that is not always in the form."""
    image = {}
    for atom in surface.atoms:
        there = surface.home(go(atom))
        if there is None:
            return None
        image[atom] = there
    return image


def _flags(surface: Surface) -> list[tuple[Atom, Atom]]:
    """Each side of each face of the form, with this face."""
    grid = surface.grid
    sides = [(side, face) for side, kind in enumerate(grid.kinds) if kind != grid.kinds[0] for face in grid.faces_at[side]]
    return [((*map(sub, at[:-1], face), side), at) for at in sorted(surface.atoms) for side, face in sides if face[-1] == at[-1]]


class _Table:
    """Placements as rows of numbers, of what they cover and show, so that all of them are moved at once."""

    def __init__(self, puzzle: Puzzle, placements: list[Placement]) -> None:
        self.puzzle, self.size = puzzle, len(placements)
        self.atoms = sorted({a for p in placements for a in p.look[0]})
        self.marks = sorted({mark for p in placements for mark in p.look[1]})
        self.number: dict[object, int] = {thing: i for i, thing in enumerate((*self.atoms, *self.marks))}
        width = max((len(p.look[0]) + len(p.look[1]) for p in placements), default=0)
        self.rows = np.full((len(placements), width), len(self.number), dtype=np.int32)
        for o, p in enumerate(placements):
            own = sorted(self.number[thing] for thing in (*p.look[0], *p.look[1]))
            self.rows[o, : len(own)] = own
        self.of_tile: list[list[int]] = [[] for _ in puzzle.tiles]
        for o, p in enumerate(placements):
            self.of_tile[p.tile].append(o)
        self.place = [{self.rows[o].tobytes(): o for o in own} for own in self.of_tile]

    def after(self, image: dict[Atom, Atom], go: Go) -> Permutation | None:
        """The number of the placement that each has become, or None where some tile has become no tile with the same copies."""
        things = [*(image[a] for a in self.atoms), *(self._mark_after(mark, image, go) for mark in self.marks)]
        goes = [self.number.get(thing) for thing in things]
        if None in goes:
            return None  # no placement shows or covers what one becomes
        moved = np.sort(np.array([*goes, len(goes)], dtype=np.int32)[self.rows], axis=1)
        permutation, taken = np.empty(self.size, dtype=np.int64), set[int]()
        for t, own in enumerate(self.of_tile):
            there = [moved[o].tobytes() for o in own]
            target = self._target(t, there, taken)
            if target is None:
                return None
            taken.add(target)
            permutation[own] = [self.place[target][row] for row in there]
        return permutation

    def _mark_after(self, mark: Mark, image: dict[Atom, Atom], go: Go) -> object:
        side, face, name = mark
        if side == face:
            return image[face], image[face], name
        return (*self.puzzle.surface.seams.settled(go(side), go(face)), name)

    def _target(self, tile: int, there: list[bytes], taken: set[int]) -> int | None:
        """The tile that one becomes: itself if it can be, else the first that it can be and that no other has become."""
        tiles = self.puzzle.tiles
        others = [u for u, other in enumerate(tiles) if u != tile and _supply(other) == _supply(tiles[tile])]
        for u in (tile, *others):
            if u not in taken and len(self.place[u]) == len(there) and all(row in self.place[u] for row in there):
                return u
        return None


def _keeps_rules(puzzle: Puzzle, placements: list[Placement], turn: Symmetry | BallMotion, permutation: Permutation) -> bool:
    """Whether fixed placements and rules on solutions are the same after a motion."""
    fixed = {o for o, p in enumerate(placements) if (p.tile, p.look) in puzzle.fixed}
    # that one of some placements is there is a sum of weights, too
    of_solutions = [rule for rule in puzzle.rules if isinstance(rule, SolutionRule) and rule.kind != ONE_OF]
    if of_solutions and not kept_by(puzzle.grid, turn.matrix, of_solutions, puzzle.pieces(placements), permutation.tolist()):
        return False
    return {int(permutation[o]) for o in fixed} == fixed


def _supply(tile: Tile) -> object:
    return tile.low if tile.low == tile.high else sorted(tile.ranges)
