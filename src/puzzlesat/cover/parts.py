"""Parts of the solutions of a cover problem: those that keep some decisions, each of which is an option that is chosen or left out.

A part is the decisions on the way to it, in their order: ``o`` for an option that every solution of it has, ``~o`` (which is -o - 1) for
one that none has. Options have the numbers of the problem that theirs came from (``CoverProblem.origin``), so that a part says the same of
a problem whether placements that lead nowhere were removed from it or not.
"""

from __future__ import annotations

from math import prod

import numpy as np

from puzzlesat.arrays import Longs
from puzzlesat.cover.problem import CoverProblem
from puzzlesat.cover.settle import settle
from puzzlesat.errors import PuzzleError

Part = tuple[int, ...]
ROOT: Part = ()


def make_part(problem: CoverProblem, part: Part) -> CoverProblem | None:
    """Return what is left of a problem in a part of it; None where its decisions exclude each other.

    The solutions of what is left, with the options chosen, are those of the part.

    Raises PuzzleError for an option to be chosen that the problem has not.
    """
    chosen, out = _own(problem, part)
    if set(out.tolist()) & {*chosen.tolist(), *problem.forced}:
        return None
    keep = np.ones(problem.size, dtype=bool)
    keep[out] = False
    smaller = problem.select(keep) if len(out) else problem
    return settle(smaller, (np.cumsum(keep) - 1)[chosen].tolist())


def weight_of(problem: CoverProblem, part: Part) -> int:
    """Return how many solutions of the whole problem a solution in a part stands for by what is chosen already."""
    if problem.weight is None:
        return 1
    return prod(problem.weight[sorted({*_own(problem, part)[0].tolist(), *problem.forced})].tolist())


def split(problem: CoverProblem, part: Part, *, by_tiles: bool = False) -> list[Part]:
    """Part a part: every solution of it is in exactly one of the parts returned, each of which has fewer options left.

    It is parted at an item that every solution still covers exactly once, that with the fewest options left (``by_tiles``: at a tile, if
    there is such a tile); where there is none, at an option, with it and without it. What has to be chosen on the way is. The same at each
    call.
    Empty where there is nothing to take apart: no option is left, or what is left excludes each other or has an item without options.
    """
    known = part
    while (left := make_part(problem, part)) is not None and left.size:
        numbers = _numbers(left)
        options = np.bincount(left.item, minlength=len(left.items))
        once = (left.low == 1) & (left.high == 1) & ~left.coloured
        if not once.any():
            widest = int(numbers[np.argmax(np.diff(left.start))])
            return [(*part, widest), (*part, ~widest)]
        if not options[once].all():
            break
        tiles = left.tiles[once[left.tiles] & (options[left.tiles] > 1)] if by_tiles else ()
        among = tiles if len(tiles) and options[once].min() > 1 else np.flatnonzero(once)
        item = int(among[np.argmin(options[among])])
        choices = [(*part, int(o)) for o in numbers[left.options_of[item]]]
        if len(choices) > 1:
            return choices
        part = choices[0]
    return [part] if part != known else []


def _numbers(problem: CoverProblem) -> Longs:
    """The number of each option, in the problem that it came from."""
    return np.arange(problem.size, dtype=np.int64) if problem.origin is None else problem.origin.astype(np.int64)


def _own(problem: CoverProblem, part: Part) -> tuple[Longs, Longs]:
    """The options of a problem that a part has chosen, and left out; those that the problem has not are out anyway."""
    numbers = _numbers(problem)
    chosen, out = np.array([n for n in part if n >= 0], dtype=np.int64), np.array([~n for n in part if n < 0], dtype=np.int64)
    if not np.isin(chosen, numbers).all():
        raise PuzzleError("there is a part with a placement that the puzzle has not; was it made for another puzzle?")
    return np.searchsorted(numbers, chosen), np.searchsorted(numbers, out[np.isin(out, numbers)])
