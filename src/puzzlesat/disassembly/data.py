"""How an assembly comes apart, as plain data."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from puzzlesat.grid.lattice import Cell

NEVER = 32767
"""Steps after which a piece is as far as one likes; also what stands for two atoms that never meet."""


@dataclass(frozen=True)
class Move:
    """Some pieces go so many steps in a direction, all the others stay."""

    pieces: tuple[int, ...]
    direction: Cell
    steps: int | None
    """None: as far as one likes, and they are away."""


@dataclass(frozen=True)
class Turn:
    """Some pieces are turned about an axis of the grid, all the others stay. Pieces of the plane are turned in space, about the axis 2."""

    pieces: tuple[int, ...]
    axis: int
    """The coordinate that stays."""
    about: tuple[int, int, int]
    """Twice the coordinates of a point of the axis, of which that one is 0. The middle of a cell has whole coordinates."""
    quarters: int
    """How far: 1 to 3 quarters counterclockwise, as seen by somebody to whom the axis points; -1 to -3 clockwise."""


@dataclass(frozen=True)
class Parting:
    """How some pieces become two parts, and how each of these comes apart."""

    pieces: tuple[int, ...]
    """Their numbers in the assembly."""
    moves: tuple[Move | Turn, ...]
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
        return any(isinstance(move, Turn) for part in self.partings() for move in part.moves)

    def partings(self) -> Iterator[Parting]:
        """Yield this one and those of its parts, in the order in which somebody does them."""
        yield self
        for part in (self.left, self.away):
            if part is not None:
                yield from part.partings()


@dataclass(frozen=True)
class Answer:
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
