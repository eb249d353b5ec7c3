"""Removals: placements that cannot be used, because the rest of some atom or tile could then not be covered any more."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from .arrays import Flags, Longs
from .problem import Problem, bits
from .rejected import Rejected
from .sentence import Sentence


def check_removals(problem: Problem, possible: Flags, removals: Iterable[tuple[int, int]]) -> Flags:
    """Return which options are possible after removals ``(option, item)``, one after the other.

    Each is allowed where the option is not of the item and excludes so many of the possible options of the item that fewer than the item
    needs are left. Raises Rejected for one that is not.
    """
    possible = possible.copy()
    of_item: dict[int, Longs] = {}
    for option, item in removals:
        if not (0 <= option < problem.options and 0 <= item < len(problem.items)):
            raise Rejected(f"removals: there is no placement {option} or no item {item}")
        if item not in of_item:
            of_item[item] = problem.options_of(item)
        options = of_item[item][possible[of_item[item]]]
        excluded = problem.exclude[option, options // 64] >> (options % 64).astype(np.uint64) & np.uint64(1)
        if not possible[option]:
            raise Rejected(f"removals: placement {option} is left out already")
        if (
            item in problem.item[problem.start[option] : problem.start[option + 1]]
            or len(options) - int(excluded.sum()) >= problem.low[item]
        ):
            raise Rejected(f"removals: with placement {option}, {problem.items[item]} can still be covered")
        possible[option] = False
    return possible


def check_starved(problem: Problem, possible: Flags) -> Sentence:
    """Confirm that some item has fewer possible options than it needs; return what it says. Raises Rejected where there is none."""
    left = bits(np.flatnonzero(possible), problem.options)
    for i, (options, need) in enumerate(zip(problem.sets(), problem.low.tolist(), strict=True)):
        count = int(np.bitwise_count(options & left).sum())
        if count < need:
            none, some = (
                "{item} needs {need} {need|placement|placements}, and none can be used",
                "{item} needs {need} {need|placement|placements}, and {n} can be used",
            )
            return Sentence(some if count else none, item=problem.items[i], need=str(need), n=str(count))
    raise Rejected("removals: after them every atom and every tile can still be covered")
