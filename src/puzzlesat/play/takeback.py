"""Which pieces to take back where a position cannot be finished."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from puzzlesat.cover.problem import CoverProblem
from puzzlesat.play.completions import Completions, count_completions, list_completions
from puzzlesat.play.position import Position
from puzzlesat.solvers.run import Clock, Limits
from puzzlesat.solvers.strategy import KEPT_SHARE, PUT_BACK_SHARE, QUICK, SEARCH_SHARE

Pieces = frozenset[int]


@dataclass(frozen=True)
class Removal:
    """Placements that, taken back together, leave a position which can be finished."""

    pieces: tuple[int, ...]
    completions: Completions


@dataclass(frozen=True)
class TakeBack:
    """What to take back."""

    choices: tuple[Removal, ...]
    """The one that leaves most completions first; empty where nothing was found in time, or the puzzle has no solution."""
    fewest: bool
    """Whether it is proven that no smaller number of pieces will do."""
    every: bool
    """Whether these are all choices of that number of pieces."""
    solvable: bool | None = True
    """Whether the puzzle has a solution at all; None: not known."""


def take_back(position: Position, limits: Limits) -> TakeBack:
    """Find the fewest pieces to take back, and every choice of so many, as far as time allows.

    Pieces that cannot all stay are a conflict. Of every conflict one piece has to go, so that sets are tried which meet all
    conflicts known, by growing size; one that does not do shows another conflict (R. Reiter, "A theory of diagnosis from first
    principles", 1987). Where time is up before, pieces are put back one by one to those that some solution has, as long as that can be
    finished; then fewer might do.
    """
    clock = Clock(limits)
    problem, placed = position.built.problem, position.placed
    search = _Search(problem, placed, replace(limits, seconds=clock.share(SEARCH_SHARE)))
    found, fewest = search.smallest()
    if found and fewest:
        choices = [_removal(problem, placed, gone, limits, clock, len(found) - i) for i, gone in enumerate(found)]
        return TakeBack(tuple(sorted(choices, key=lambda r: -r.completions.found)), fewest=True, every=search.sure)
    if frozenset() in search.conflicts and search.sure:
        return TakeBack((), fewest=False, every=False, solvable=False)
    if not search.overlaps:
        return TakeBack((), fewest=False, every=False, solvable=None)
    gone = frozenset(placed) - search.put_back(replace(limits, seconds=clock.share(PUT_BACK_SHARE)))
    return TakeBack((_removal(problem, placed, gone, limits, clock, 1),), fewest=False, every=False)


def first_wrong(position: Position, limits: Limits) -> int | None:
    """Return the place in the order of the first piece after which the position could no longer be finished; None: not known.

    The position as a whole cannot be finished; whether a beginning of it can be is asked by halving.
    """
    clock = Clock(limits)
    good, bad = -1, len(position.placed)
    while bad - good > 1:
        middle = (good + bad) // 2
        known = count_completions(position.built.problem, position.placed[:middle], replace(limits, seconds=clock.left, solutions=1))
        if known.possible is None:
            return None
        good, bad = (middle, bad) if known.possible else (good, middle)
    return bad - 1 if bad else None


def _removal(problem: CoverProblem, placed: Sequence[int], gone: Pieces, limits: Limits, clock: Clock, shares: int) -> Removal:
    """What is taken back, with its completions, counted in one of so many shares of the time left; there is at least one."""
    kept = [o for o in placed if o not in gone]
    known = count_completions(problem, kept, replace(limits, seconds=clock.share(1 / shares)))
    return Removal(tuple(o for o in placed if o in gone), known if known.found else Completions(1, exact=False))


@dataclass
class _Search:
    """The search for the smallest sets of pieces to take back."""

    problem: CoverProblem
    placed: Sequence[int]
    limits: Limits
    conflicts: list[Pieces] = field(default_factory=list)
    """Pieces that cannot all stay."""
    overlaps: list[Pieces] = field(default_factory=list)
    """What solutions that were met share with the position."""
    sure: bool = True
    """Whether every question so far was answered."""

    def __post_init__(self) -> None:
        self.clock = Clock(self.limits)

    def smallest(self) -> tuple[list[Pieces], bool]:
        """Return the smallest sets of pieces without which the position can be finished, and whether it is sure that none is smaller.

        Those with the latest pieces come first. They are all there are if the search is ``sure`` then.
        """
        for size in range(len(self.placed) + 1):
            found: set[Pieces] = set()
            fewest = self.sure
            self._grow(frozenset(), size, found, set())
            if found:
                return sorted(found, key=lambda gone: sorted(map(self.placed.index, gone), reverse=True), reverse=True), fewest
            if frozenset() in self.conflicts or self.clock.verdict(-1) is not None:
                break
        return [], False

    def put_back(self, limits: Limits) -> Pieces:
        """Return as many pieces as the nearest solution met has, and those that can be put back to them."""
        self.limits, self.clock = limits, Clock(limits)
        stay = max(self.overlaps, key=len)
        for option in self.placed:
            if option not in stay and self.clock.verdict(-1) is None and self._possible(stay | {option}):
                stay |= {option}
        return stay

    def _grow(self, gone: Pieces, size: int, found: set[Pieces], seen: set[Pieces]) -> None:
        """Add pieces to those that go, one of each conflict, until all conflicts are met or there are ``size`` of them."""
        if gone in seen:
            return
        if self.clock.verdict(-1) is not None:
            self.sure = False
            return
        seen.add(gone)
        conflict = next((c for c in self.conflicts if not c & gone), None)
        if conflict is None:
            kept = frozenset(self.placed) - gone
            if self._possible(kept):
                found.add(gone)
                return
            conflict = self._conflict_in(kept)
            self.conflicts.append(conflict)
        if len(gone) < size:
            for option in sorted(conflict):
                self._grow(gone | {option}, size, found, seen)

    def _conflict_in(self, kept: Pieces) -> Pieces:
        """Leave out pieces as long as the rest cannot all stay either."""
        for option in self.placed:
            if option in kept and self.clock.verdict(-1) is None and not self._possible(kept - {option}):
                kept -= {option}
        return kept

    def _possible(self, kept: Pieces) -> bool:
        """Whether some solution has all these pieces. Where that is not known the answer is no, and nothing is ``sure`` any more."""
        if any(kept <= overlap for overlap in self.overlaps):
            return True
        if any(conflict <= kept for conflict in self.conflicts):
            return False
        quick = replace(QUICK, solutions=1).limits(self.clock)
        rows, every = list_completions(self.problem, sorted(kept), quick)
        if len(rows):
            self.overlaps.append(kept | frozenset(rows[0].tolist()) & frozenset(self.placed))
            return True
        if every:
            return False
        seconds = self.clock.share(KEPT_SHARE)
        known = count_completions(self.problem, sorted(kept), replace(self.limits, solutions=1, seconds=seconds))
        if known.found:
            self.overlaps.append(kept)
        self.sure &= known.possible is not None
        return bool(known.found)
