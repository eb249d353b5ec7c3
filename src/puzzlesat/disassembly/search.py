"""Take an assembly apart: in the fewest moves into two parts, then each part. Slides and turns share this search."""

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

MAX_PARTS = 20_000
"""Largest number of subproblems per assembly; beyond it, the first way out is taken, and the numbers may not be the least."""
Place = TypeVar("Place")
"""The position of a piece: a word of the kernel, or a set of cubes."""
Lying = Mapping[int, Place]
"""The place of each piece; pieces in ascending order."""


class WayOut(NamedTuple):
    """A shortest sequence of moves to a separation."""

    moves: tuple[tuple[tuple[int, ...], Sequence[int]], ...]
    """Pairs, one per move: the pieces that move, and the move as a row of the kernel's ``way``."""
    away: tuple[int, ...]
    direction: int


@dataclass(kw_only=True)
class Search(ABC, Generic[Place]):
    """The search for a disassembly of an assembly."""

    groups: Sequence[frozenset[int]]
    """The groups of pieces that may stay together."""
    clock: Clock
    progress: Progress
    known: dict[Hashable, Parting | None] = field(default_factory=dict)
    """Memo of the partings of parts, by ``key``."""
    positions: int = 0
    least: bool = True

    @abstractmethod
    def key(self, lying: Lying[Place]) -> Hashable:
        """Return a key that depends only on the pieces and their relative position."""

    @abstractmethod
    def begin(self, lying: Lying[Place]) -> None:
        """Start a search with some pieces."""

    @abstractmethod
    def look(self) -> int:
        """Continue the search, and return how it stopped."""

    @property
    @abstractmethod
    def tree(self) -> Tree | Found:
        """The positions found by the search."""

    @abstractmethod
    def widen(self) -> None:
        """Allow larger distances between pieces. Raises UndecidedError if that is not possible."""

    @abstractmethod
    def grow(self, pieces: int) -> None:
        """Enlarge the arrays of positions."""

    @abstractmethod
    def moved(self, lying: Lying[Place], way: WayOut) -> tuple[list[Move | Rotation], Lying[Place]]:
        """Return all moves of a way out, in the frame of ``lying``, and the places of the pieces before the last move."""

    def single(self, pieces: tuple[int, ...]) -> Parting:
        """Return the parting by single moves that the kernel has found. Only the kernel of slides returns ``SINGLE``."""
        raise NotImplementedError

    def rank(self, parting: Parting) -> Any:
        """Return the key by which partings are compared; less is better."""
        return parting.sequence

    def is_least(self, _pieces: Sequence[int], _best: Parting) -> bool:
        """Return True if no parting of the pieces can be better."""
        return False

    def answer(self, find: Callable[[], Parting | None]) -> Disassembly:
        """Return the disassembly of the assembly whose parting ``find`` returns."""
        try:
            parting = find()
        except StuckError as stuck:
            return Disassembly(None, stuck=stuck.pieces, closed=stuck.closed, positions=self.positions, least=self.least)
        except UndecidedError as why:
            return Disassembly(None, undecided=str(why), positions=self.positions)
        return Disassembly(parting, positions=self.positions, least=self.least)

    def part(self, lying: Lying[Place]) -> Parting | None:
        """Return the parting of pieces; None if they may stay together. Raises StuckError if they do not come apart."""
        if len(lying) == 1 or any(group.issuperset(lying) for group in self.groups):
            return None
        key = self.key(lying)
        if key not in self.known:
            self.begin(lying)
            self.known[key] = self.parted(lying)
        return self.known[key]

    def parted(self, lying: Lying[Place], end: int | None = None) -> Parting:
        """Return the parting of pieces, by a search that was started; ``end`` is how it stopped, if it did.

        Raises StuckError if they do not come apart, UndecidedError if the search does not decide it.
        """
        pieces, before = tuple(lying), self.positions
        while True:
            end = self.look() if end is None else end
            state = self.tree.state.tolist()
            self.positions = before + state[LOOKED]
            if end == SINGLE:
                self.positions += len(pieces) - 2  # one position for each further parting
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
            with suppress(EndedError):  # the limits were checked in the line above
                self.progress({"positions": self.positions})
            if end == FULL:
                if 5 * sum(array.nbytes for array in self.tree) > self.clock.limits.free_memory():
                    raise UndecidedError("out of memory")  # the new arrays, four times as large, exist beside the old ones
                self.grow(len(pieces))
            end = None

    def best(self, lying: Lying[Place], ways: Sequence[WayOut], *, whole: bool) -> Parting:
        """Return the parting of the least rank among some ways out; ``whole`` is True if these are all shortest ways out."""
        best: Parting | None = None
        for way in ways:
            if best is not None and len(self.known) > MAX_PARTS:
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
        """Return the parting that begins with a way out."""
        moves, there = self.moved(lying, way)
        left, away = ({p: there[p] for p in there if (p in way.away) == gone} for gone in (False, True))
        return Parting(tuple(lying), tuple(moves), self.part(left), self.part(away))


def those(pieces: Sequence[int], mask: int) -> tuple[int, ...]:
    """Return the pieces in a bit mask."""
    return tuple([p for i, p in enumerate(pieces) if mask >> i & 1])


def _ways_out(tree: Tree | Found, pieces: tuple[int, ...]) -> list[WayOut]:
    """Return the ways out recorded in a tree."""
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
    """Return arrays with four times as many rows for positions. The hash table is left uninitialised."""
    room = 4 * len(arrays.parent)
    larger: dict[str, NDArray[Any]] = {"table": np.empty(4 * room, dtype=np.int32)}
    for name in ("parent", "depth", "moved", "way", *positions):
        old: NDArray[Any] = getattr(arrays, name)
        larger[name] = np.zeros((room, *old.shape[1:]), dtype=old.dtype)
        larger[name][: len(old)] = old
    return arrays._replace(**larger)
