"""What the search by slides and the search by slides and turns have in common: limits, parts that are known, and the least numbers."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from puzzlesat.base import Clock, EndedError, Progress
from puzzlesat.disassembly.data import Disassembly, Parting, StuckError, UndecidedError

MOST_PARTS = 20_000
"""Sets of pieces that are parted to find the least numbers, for an assembly; when there were so many, the first way is taken."""
Way = TypeVar("Way")


@dataclass(kw_only=True)
class Search:
    """An assembly that is being taken apart."""

    clock: Clock
    progress: Progress
    known: dict[Hashable, Parting | None] = field(default_factory=dict)
    """How parts come apart, by their pieces and where they are to each other."""
    positions: int = 0
    least: bool = True

    def answer(self, find: Callable[[], Parting | None]) -> Disassembly:
        """Return what is known of the assembly once the search for its parting has ended."""
        try:
            parting = find()
        except StuckError as stuck:
            return Disassembly(None, stuck=stuck.pieces, closed=stuck.closed, positions=self.positions, least=self.least)
        except UndecidedError as why:
            return Disassembly(None, undecided=str(why), positions=self.positions)
        return Disassembly(parting, positions=self.positions, least=self.least)

    def best(
        self,
        ways: Iterable[Way],
        parting_by: Callable[[Way], Parting],
        *,
        whole: bool,
        rank: Callable[[Parting], Any] = lambda parting: parting.sequence,
        is_least: Callable[[Parting], bool] = lambda _: False,
    ) -> Parting:
        """Return the parting of the least rank, of all ways to take something away; ``whole`` tells whether these are all ways."""
        best: Parting | None = None
        for way in ways:
            if best is not None and len(self.known) > MOST_PARTS:
                self.least = False
                break
            try:
                parting = parting_by(way)
            except UndecidedError:
                if best is None:
                    raise
                self.least = False
                break
            if best is None or rank(parting) < rank(best):
                best = parting
            if is_least(best):
                break
        else:
            self.least &= whole
        assert best is not None
        return best

    def tell(self) -> None:
        """Tell how many positions were looked at. Raises UndecidedError where a limit ends the search."""
        if (why := self.clock.verdict(-1)) is not None:
            raise UndecidedError(why)
        with suppress(EndedError):  # the clock has just been asked
            self.progress({"positions": self.positions})

    def check_memory(self, arrays: Collection[NDArray[Any]]) -> None:
        """Raise UndecidedError where there is no memory for arrays four times as large beside these."""
        if 5 * sum(array.nbytes for array in arrays) > self.clock.limits.free_memory():
            raise UndecidedError("out of memory")


def longer(array: NDArray[Any], room: int) -> NDArray[Any]:
    """Return an array of so many rows that begins with those of another."""
    found = np.zeros((room, *array.shape[1:]), dtype=array.dtype)
    found[: len(array)] = array
    return found
