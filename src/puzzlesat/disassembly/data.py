"""The bodies of which assemblies are made, and how these come apart: as plain data, as a record in JSON, and in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from puzzlesat.base import Flags, Ints, Longs, NotSupportedError, PuzzleError, listed
from puzzlesat.puzzles import AtomId, BuiltInstance, Cell, Grid, Puzzle

AXES = "xyz"


@dataclass(frozen=True, eq=False)
class PlacedBodies:
    """Bodies on a grid, by number. An assembly is a row of their numbers."""

    grid: Grid
    places: Sequence[AtomId]
    """The atoms of the grid that bodies cover, by number."""
    start: Longs
    covered: Ints
    """Body i covers the places ``covered[start[i]:start[i + 1]]``."""
    shape: Ints
    """A number from 0 for each body, the same for all that differ by a translation."""
    cell: Ints
    """Array (bodies, dimension): bodies of one shape differ by the difference of their cells."""
    names: Sequence[str]
    member: Flags
    """Array (bodies, groups): whether a body is in a group of bodies that need not come apart from each other."""

    def atoms(self, body: int) -> list[AtomId]:
        """Return the atoms of a body."""
        return [self.places[place] for place in self.covered[self.start[body] : self.start[body + 1]].tolist()]

    def named(self, row: Sequence[int]) -> str:
        """Return the names of the bodies of an assembly."""
        return " ".join(self.names[body] for body in row)

    def groups(self, row: Sequence[int]) -> list[frozenset[int]]:
        """Return the groups of pieces of an assembly that need not come apart from each other, by their indices in it."""
        return [frozenset(np.flatnonzero(group).tolist()) for group in self.member[np.array(row, dtype=np.int64)].T]


@lru_cache(maxsize=4)
def bodies_of(built: BuiltInstance) -> PlacedBodies:
    """Return the placements of a puzzle as bodies. Raises NotSupportedError where they cannot be moved."""
    puzzle, placements, together = built.puzzle, built.placements, built.instance.together
    check_movable(puzzle)
    kinds = np.stack([placements.tile, placements.orientation], axis=1)
    member = np.array([[tile.name in names for names in together] for tile in puzzle.tiles], dtype=np.bool_)
    return PlacedBodies(
        puzzle.grid,
        puzzle.form.numbering.atoms,
        placements.atoms.start,
        placements.atoms.numbers.astype(np.int32, copy=False),
        np.unique(kinds, axis=0, return_inverse=True)[1].reshape(-1).astype(np.int32),
        placements.cell,
        built.problem.options,
        member.reshape(len(puzzle.tiles), len(together))[placements.tile],
    )


def check_movable(puzzle: Puzzle) -> None:
    """Raise NotSupportedError where the placements of pieces are listed, and where the form wraps around."""
    if puzzle.form.wrap is not None:
        raise NotSupportedError("the form wraps around, so there is nowhere to take a piece to")
    if (listed := next((tile.name for tile in puzzle.tiles if tile.listed), None)) is not None:
        raise NotSupportedError(f"the placements of tile {listed!r} are listed, so it is not known how it could move")


def in_space(cell: Sequence[int]) -> Cell:
    """Return a cell with three coordinates; cells of the plane lie at z = 0."""
    x, y, *z = cell
    return x, y, z[0] if z else 0


def atom_in_space(atom: AtomId) -> AtomId:
    """Return an atom whose cell has three coordinates."""
    return *in_space(atom[:-1]), atom[-1]


def plus(v: Cell, w: Cell) -> Cell:
    """Return the sum of two cells with three coordinates."""
    return v[0] + w[0], v[1] + w[1], v[2] + w[2]


# answers ----------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Move:
    """Some pieces go so many steps in a direction, all the others stay."""

    pieces: tuple[int, ...]
    direction: Cell
    steps: int | None
    """None: as far as one likes, and they are away."""

    @property
    def along(self) -> str:
        """The direction in words: ``+x`` for a lattice step, else by its coordinates."""
        return direction_words(self.direction)

    @property
    def words(self) -> str:
        """How far the pieces go, along which direction."""
        return f"{'away' if self.steps is None else self.steps} along {self.along}"


@dataclass(frozen=True)
class Rotation:
    """Some pieces are turned about an axis of the grid, all the others stay. Pieces of the plane are turned in space, about the axis 2."""

    pieces: tuple[int, ...]
    axis: int
    """The coordinate that stays."""
    about: tuple[int, int, int]
    """Twice the coordinates of a point of the axis, of which that one is 0. The middle of a cell has whole coordinates."""
    quarters: int
    """How far: 1 to 3 quarters counterclockwise, as seen by somebody to whom the axis points; -1 to -3 clockwise."""

    @property
    def words(self) -> str:
        """How far the pieces are turned, about which axis."""
        there = [f"{name} = {x / 2:g}" for r, (name, x) in enumerate(zip(AXES, self.about, strict=True)) if r != self.axis]
        sense = "counterclockwise" if self.quarters > 0 else "clockwise"
        return f"turn {90 * abs(self.quarters)}° {sense}, seen from +{AXES[self.axis]}, about {', '.join(there)}"


@dataclass(frozen=True)
class Parting:
    """How some pieces become two parts, and how each of these comes apart."""

    pieces: tuple[int, ...]
    """Their numbers in the assembly."""
    moves: tuple[Move | Rotation, ...]
    """The last one takes pieces away, and no other does."""
    left: Parting | None
    """How the pieces that are left come apart, from where they are before the last move; None: one piece, or such as may stay together."""
    away: Parting | None
    """The same of the pieces that are away."""

    @cached_property
    def sequence(self) -> tuple[int, ...]:
        """How many moves this takes, then how many the parts of what is left take, then those of what is away."""
        return (len(self.moves), *(n for part in (self.left, self.away) if part is not None for n in part.sequence))

    @property
    def level(self) -> str:
        """The same in the notation of BurrTools: ``7.2.3``; of parts that come apart by single moves it says nothing."""
        return ".".join([str(len(self.moves)), *(p.level for p in (self.left, self.away) if p is not None and max(p.sequence) > 1)])

    @property
    def turns(self) -> bool:
        """Whether any piece is turned."""
        return any(isinstance(move, Rotation) for part in self.partings() for move in part.moves)

    def partings(self) -> Iterator[Parting]:
        """Yield this one and those of its parts, in the order in which somebody does them."""
        yield self
        for part in (self.left, self.away):
            if part is not None:
                yield from part.partings()


@dataclass(frozen=True)
class Disassembly:
    """What is known of an assembly."""

    parting: Parting | None
    """None: it does not come apart, or that was not decided."""
    undecided: str = ""
    """Why it is not known whether it comes apart."""
    stuck: tuple[int, ...] = ()
    """The pieces that cannot be parted, where it does not come apart: all, or some that are left when others are away."""
    closed: int = 0
    """In how many positions to each other these can come, which is all of them."""
    checked: bool = False
    """Whether code that shares nothing with the search came to the same: it replayed the moves, or went through these positions."""
    positions: int = 0
    """How many positions were looked at."""
    least: bool = True
    """Whether it is known that the numbers behind the first are the least, of all ways with as few moves until the first parting."""


class StuckError(Exception):
    """Pieces cannot be parted: they come in so many positions, and no others."""

    def __init__(self, pieces: tuple[int, ...], closed: int) -> None:
        super().__init__(pieces)
        self.pieces = pieces
        self.closed = closed


class UndecidedError(Exception):
    """It was not found out whether pieces can be parted; the reason."""


def as_record(number: int, names: Sequence[str], answer: Disassembly) -> dict[str, Any]:
    """Return the record of an assembly: its number, the names of its placements, and what is known of it."""
    parting = answer.parting
    return {
        "number": number,
        "placements": list(names),
        "apart": None if answer.undecided else parting is not None,
        "level": None if parting is None else parting.level,
        "moves": None if parting is None else list(parting.sequence),
        "first": None if parting is None else len(parting.moves),
        "total": None if parting is None else sum(parting.sequence),
        "least": answer.least,
        "steps": None if parting is None else [_step(part, move) for part in parting.partings() for move in part.moves],
        "stuck": list(answer.stuck),
        "closed": answer.closed,
        "checked": answer.checked,
        "undecided": answer.undecided,
        "positions": answer.positions,
    }


def _step(parting: Parting, move: Move | Rotation) -> dict[str, Any]:
    if isinstance(move, Rotation):
        turn = {"axis": move.axis, "about": list(move.about), "quarters": move.quarters}
        return {"of": list(parting.pieces), "pieces": list(move.pieces), "turn": turn}
    return {"of": list(parting.pieces), "pieces": list(move.pieces), "direction": list(move.direction), "by": move.steps}


def answer_of(record: Mapping[str, Any]) -> Disassembly:
    """Return what a record says. Raises PuzzleError where it is none."""
    try:
        steps = None if record["steps"] is None else iter([_Step(step) for step in record["steps"]])
        parting = None if steps is None else _parting(steps, next(steps))[0]
        found = Disassembly(parting, str(record["undecided"]), tuple(map(int, record["stuck"])))
        found = replace(found, positions=int(record["positions"]), least=bool(record["least"]))
        return replace(found, closed=int(record.get("closed", 0)), checked=bool(record.get("checked", parting is not None)))
    except (KeyError, TypeError, ValueError, StopIteration) as error:
        raise PuzzleError(f"not the steps of an assembly: {error!r}") from None


class _Step:
    """A step of a record."""

    def __init__(self, step: Mapping[str, Any]) -> None:
        self.of = tuple(map(int, step["of"]))
        self.move = _move(step)
        self.last = isinstance(self.move, Move) and self.move.steps is None


def _move(step: Mapping[str, Any]) -> Move | Rotation:
    pieces = tuple(map(int, step["pieces"]))
    if "turn" in step:
        turn = step["turn"]
        x, y, z = map(int, turn["about"])
        return Rotation(pieces, int(turn["axis"]), (x, y, z), int(turn["quarters"]))
    by = step["by"]
    return Move(pieces, tuple(map(int, step["direction"])), None if by is None else int(by))


def _parting(steps: Iterator[_Step], first: _Step) -> tuple[Parting, _Step | None]:
    """The parting that begins with a step, with those of its parts that follow; and the step behind all that."""
    moves, step = [first.move], first
    while not step.last:
        step = next(steps)
        if step.of != first.of:
            raise ValueError(f"the pieces {first.of} are not parted")
        moves.append(step.move)
    after = next(steps, None)
    parts: list[Parting | None] = []
    gone = set(moves[-1].pieces)
    for part in ([p for p in first.of if p not in gone], [p for p in first.of if p in gone]):
        found = None
        if after is not None and after.of == tuple(part):
            found, after = _parting(steps, after)
        parts.append(found)
    return Parting(first.of, tuple(moves), parts[0], parts[1]), after


NOT_LEAST = "not known to be the least"
"""Of a level whose later numbers may not be the smallest."""
HOW_CHECKED = "independent code replayed the moves, and searched again where pieces hold each other"


def checked_words(checked: int, decided: int) -> str:
    """Return how many of some answers are confirmed, and how."""
    return f"checked: {HOW_CHECKED}" if checked == decided else f"checked: {checked:,} of {decided:,} ({HOW_CHECKED})"


def sentences(answer: Disassembly, names: Sequence[str]) -> Iterator[str]:
    """Yield a sentence for each step; ``names`` are those of the pieces."""
    if answer.undecided:
        yield f"not decided: {answer.undecided}"
    elif answer.parting is None:
        if not answer.stuck:
            yield "there is nothing to take apart"
            return
        what = "it" if len(answer.stuck) == len(names) else f"what is left of it, {_named(answer.stuck, names)},"
        yield f"{what} does not come apart"
    else:
        number = 0
        for parting in answer.parting.partings():
            for move in parting.moves:
                number += 1
                yield f"{number}. {_named(move.pieces, names)}: {move.words}"
                if isinstance(move, Move) and move.steps is None:
                    rest = [p for p in parting.pieces if p not in move.pieces]
                    for part, after in ((rest, parting.left), (move.pieces, parting.away)):
                        if after is None and len(part) > 1:
                            yield f"   {_named(part, names)} may stay together"


def _named(pieces: Sequence[int], names: Sequence[str]) -> str:
    return listed((names[p] for p in pieces), len(pieces))


def direction_words(direction: Cell) -> str:
    """Return a direction: ``+x`` for a lattice step, else by its coordinates."""
    steps = [(axis, x) for axis, x in zip(AXES, direction, strict=False) if x]
    if len(steps) == 1 and abs(steps[0][1]) == 1:
        return ("+" if steps[0][1] > 0 else "-") + steps[0][0]
    return f"({', '.join(map(str, direction))})"
