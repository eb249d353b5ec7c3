"""Take an assembly apart: in the fewest moves into two parts, then each of these. It is the same for slides and for slides and turns."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from puzzlesat.base import Clock, EndedError, Progress
from puzzlesat.disassembly.data import Disassembly, Move, Parting, Rotation, StuckError, UndecidedError
from puzzlesat.disassembly.kernel import AWAY, COUNT, EXHAUSTED, FOUND, FULL, LOOKED, NOT_ALL, SINGLE, TOO_FAR, TOO_MANY, Tree
from puzzlesat.disassembly.rotation_search import Found

MOST_PARTS = 20_000
"""Sets of pieces that are parted to find the least numbers, for an assembly; when there were so many, the first way is taken."""
Place = TypeVar("Place")
"""Where a piece is."""
Lying = Mapping[int, Place]
"""Pieces in ascending order, each with its place."""


class WayOut(NamedTuple):
    """Pieces that can be taken away after the fewest moves."""

    moves: tuple[tuple[tuple[int, ...], Sequence[int]], ...]
    """The pieces that move, and how, in terms of the kernel."""
    away: tuple[int, ...]
    direction: int


@dataclass(kw_only=True)
class Search(ABC, Generic[Place]):
    """An assembly that is being taken apart."""

    groups: Sequence[frozenset[int]]
    """The groups of pieces that need not come apart from each other."""
    clock: Clock
    progress: Progress
    known: dict[Hashable, Parting | None] = field(default_factory=dict)
    """How parts come apart, by their pieces and where they are to each other."""
    positions: int = 0
    least: bool = True

    @abstractmethod
    def key(self, lying: Lying[Place]) -> Hashable:
        """Return what is the same wherever all pieces lie, as long as they lie so to each other."""

    @abstractmethod
    def begin(self, lying: Lying[Place]) -> None:
        """Begin a search with some pieces."""

    @abstractmethod
    def look(self) -> int:
        """Go on with the search, and return how it came to a stop."""

    @property
    @abstractmethod
    def tree(self) -> Tree | Found:
        """The positions that the search has found."""

    @abstractmethod
    def widen(self) -> None:
        """Let pieces be further from each other. Raises UndecidedError where they cannot be."""

    @abstractmethod
    def grow(self, pieces: int) -> None:
        """Make room for more positions of so many pieces."""

    @abstractmethod
    def moved(self, lying: Lying[Place], way: WayOut) -> tuple[list[Move | Rotation], Lying[Place]]:
        """Return all moves of a way out, the last one too, as seen from where pieces lie; and where they are before the last one."""

    def single(self, pieces: tuple[int, ...]) -> Parting:
        """Return the parting by single moves that the kernel has found. Only the kernel of slides ends with ``SINGLE``."""
        raise NotImplementedError

    def rank(self, parting: Parting) -> Any:
        """Return what is the less, the better the parting."""
        return parting.sequence

    def is_least(self, _pieces: Sequence[int], _best: Parting) -> bool:
        """Whether no parting of some pieces can be better."""
        return False

    def answer(self, find: Callable[[], Parting | None]) -> Disassembly:
        """Return what is known of the assembly once the search for its parting has ended."""
        try:
            parting = find()
        except StuckError as stuck:
            return Disassembly(None, stuck=stuck.pieces, closed=stuck.closed, positions=self.positions, least=self.least)
        except UndecidedError as why:
            return Disassembly(None, undecided=str(why), positions=self.positions)
        return Disassembly(parting, positions=self.positions, least=self.least)

    def part(self, lying: Lying[Place]) -> Parting | None:
        """Return how pieces come apart; None where they need not. Raises StuckError where they do not."""
        if len(lying) == 1 or any(group.issuperset(lying) for group in self.groups):
            return None
        key = self.key(lying)
        if key not in self.known:
            self.begin(lying)
            self.known[key] = self.parted(lying)
        return self.known[key]

    def parted(self, lying: Lying[Place], end: int | None = None) -> Parting:
        """Return how pieces come apart, by a search that was begun; ``end`` tells how it came to a stop.

        Raises StuckError where they do not, UndecidedError where that is not found out.
        """
        pieces, before = tuple(lying), self.positions
        while True:
            end = self.look() if end is None else end
            state = self.tree.state.tolist()
            self.positions = before + state[LOOKED]
            if end == SINGLE:
                self.positions += len(pieces) - 2  # the parts are where they were
                return self.single(pieces)
            if end == FOUND:
                return self.best(lying, _ways_out(self.tree, pieces), whole=not state[NOT_ALL])
            if end == EXHAUSTED:
                raise StuckError(pieces, state[COUNT])
            if end == TOO_MANY:
                raise UndecidedError("pieces can be moved in too many groups")
            if end == TOO_FAR:
                self.widen()
            if (why := self.clock.verdict(-1)) is not None:
                raise UndecidedError(why)
            with suppress(EndedError):  # the clock has just been asked
                self.progress({"positions": self.positions})
            if end == FULL:
                if 5 * sum(array.nbytes for array in self.tree) > self.clock.limits.free_memory():
                    raise UndecidedError("out of memory")  # there is no room for arrays four times as large beside these
                self.grow(len(pieces))
            end = None

    def best(self, lying: Lying[Place], ways: Sequence[WayOut], *, whole: bool) -> Parting:
        """Return the parting of the least rank, of all ways to take something away; ``whole`` tells whether these are all ways."""
        best: Parting | None = None
        for way in ways:
            if best is not None and len(self.known) > MOST_PARTS:
                self.least = False
                break
            try:
                parting = self.parting(lying, way)
            except UndecidedError:
                if best is None:
                    raise
                self.least = False
                break
            if best is None or self.rank(parting) < self.rank(best):
                best = parting
            if self.is_least(tuple(lying), best):
                break
        else:
            self.least &= whole
        assert best is not None
        return best

    def parting(self, lying: Lying[Place], way: WayOut) -> Parting:
        """Return the parting that takes some pieces away."""
        moves, there = self.moved(lying, way)
        left, away = ({p: there[p] for p in there if (p in way.away) == gone} for gone in (False, True))
        return Parting(tuple(lying), tuple(moves), self.part(left), self.part(away))


def those(pieces: Sequence[int], mask: int) -> tuple[int, ...]:
    """Return the pieces of a mask."""
    return tuple([p for i, p in enumerate(pieces) if mask >> i & 1])


def _ways_out(tree: Tree | Found, pieces: tuple[int, ...]) -> list[WayOut]:
    """What can be taken away, with the moves before."""
    away = tree.away[: int(tree.state[AWAY])].tolist()
    moves: dict[int, tuple[tuple[tuple[int, ...], Sequence[int]], ...]] = {}
    for number in {number for number, _, _ in away}:
        path, at = [], number
        while at:
            path.append((those(pieces, int(tree.moved[at])), tree.way[at].tolist()))
            at = int(tree.parent[at])
        moves[number] = tuple(reversed(path))
    return [WayOut(moves[number], those(pieces, mask), d) for number, mask, d in away]


Arrays = TypeVar("Arrays", Tree, Found)


def grown(arrays: Arrays, *positions: str) -> Arrays:
    """Return the same arrays with four times as much room in those that have a row for each position; the table is still to be filled."""
    room = 4 * len(arrays.parent)
    larger: dict[str, NDArray[Any]] = {"table": np.empty(4 * room, dtype=np.int32)}
    for name in ("parent", "depth", "moved", "way", *positions):
        old: NDArray[Any] = getattr(arrays, name)
        larger[name] = np.zeros((room, *old.shape[1:]), dtype=old.dtype)
        larger[name][: len(old)] = old
    return arrays._replace(**larger)
