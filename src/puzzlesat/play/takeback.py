"""Which pieces to take back where a position cannot be finished."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import comb

from puzzlesat.cover.problem import CoverProblem
from puzzlesat.play.completions import Completions, count_completions
from puzzlesat.play.position import Position
from puzzlesat.solvers.run import Clock, Limits

MOST_SETS = 2_000
"""Sets of pieces that are tried one by one."""


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

    First each piece alone is tried. Where none will do, the solution that keeps most of the pieces says how many have to go, and all sets
    of so many are tried, unless there are too many. Where that solution is not proven to be the nearest, the pieces that it gives up
    are put back one by one as long as that can be finished: none of the rest may then stay, but other, fewer pieces might do.
    """
    from puzzlesat.solvers.nearest import nearest

    clock = Clock(limits)
    problem, placed = position.built.problem, position.placed
    choices, sure = _choices(problem, placed, 1, limits, clock)
    if choices:
        return TakeBack(choices, True, sure)
    near = nearest(problem, placed, replace(limits, seconds=_half(clock)))
    if near.kept is None:
        return TakeBack((), False, False, False if near.proven else None)
    size = len(placed) - len(near.kept)
    if near.proven and comb(len(placed), size) <= MOST_SETS:
        choices, every = _choices(problem, placed, size, limits, clock)
        if choices:
            return TakeBack(choices, True, every)
    kept = near.kept if near.proven else _put_back(problem, placed, near.kept, limits, clock)
    removed = tuple(o for o in placed if o not in kept)
    completions = count_completions(problem, kept, replace(limits, seconds=clock.left))
    return TakeBack((Removal(removed, Completions(max(1, completions.found), completions.exact)),), near.proven, False)


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


def _choices(problem: CoverProblem, placed: Sequence[int], size: int, limits: Limits, clock: Clock) -> tuple[tuple[Removal, ...], bool]:
    """Every set of so many pieces without which the position can be finished, best first, and whether every set was decided."""
    found, sure = [], True
    sets = list(combinations(range(len(placed)), size))
    for number, chosen in enumerate(reversed(sets)):  # the latest pieces first
        if (left := clock.left) is not None:
            left /= 2 if number + 1 < len(sets) else 1
        if clock.verdict(-1) is not None:
            sure = False
            break
        kept = [o for i, o in enumerate(placed) if i not in chosen]
        completions = count_completions(problem, kept, replace(limits, seconds=left))
        if completions.found:
            found.append(Removal(tuple(placed[i] for i in chosen), completions))
        sure &= completions.possible is not None
    return tuple(sorted(found, key=lambda r: -r.completions.found)), sure


def _put_back(problem: CoverProblem, placed: Sequence[int], kept: Sequence[int], limits: Limits, clock: Clock) -> tuple[int, ...]:
    """Keep one piece more, again and again, as long as the position can be finished."""
    stay = list(kept)
    for option in placed:
        if option not in stay:
            seconds = _half(clock)
            known = count_completions(problem, [*stay, option], replace(limits, seconds=seconds, solutions=1))
            stay += [option] if known.found else []
    return tuple(stay)


def _half(clock: Clock) -> float | None:
    return None if clock.left is None else clock.left / 2
