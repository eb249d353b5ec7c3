"""Part a cover problem into subproblems: prefixes of chosen options, of which every solution contains exactly one."""

from __future__ import annotations

from heapq import heappop, heappush

import numpy as np

from puzzlesat.arrays import Ints
from puzzlesat.cover.conflicts import exclusions
from puzzlesat.cover.problem import CoverProblem
from puzzlesat.progress import SILENT, Progress

Prefix = tuple[int, ...]


def partition(problem: CoverProblem, parts: int, progress: Progress = SILENT) -> list[Prefix]:
    """Return about ``parts`` prefixes, or one empty prefix where no item must be covered exactly once.

    The prefix with the most options left is split first, on the item of it with the fewest; prefixes that leave an item without
    any option are kept, for that they have no solution is to be checked too.
    """
    exact = np.flatnonzero((problem.low == 1) & (problem.high == 1) & ~problem.coloured)
    if not len(exact) or parts <= 1:
        return [()]
    exclude = exclusions(problem)
    members = {int(i): _mask(problem.options_of[i], problem.size) for i in exact}
    everything = (1 << problem.size) - 1
    heap: list[tuple[int, Prefix, int]] = [(-problem.size, (), everything)]
    done: list[Prefix] = []
    while heap and len(heap) + len(done) < parts:
        progress({"subproblems": len(heap) + len(done)})
        _, prefix, alive = heappop(heap)
        covered = {int(i) for o in prefix for i in problem.items_of(o)}
        sizes = [((alive & bits).bit_count(), i) for i, bits in members.items() if i not in covered]
        if not sizes or min(sizes)[0] == 0:
            done.append(prefix)
            continue
        choices = alive & members[min(sizes)[1]]
        while choices:
            option = (choices & -choices).bit_length() - 1
            choices &= choices - 1
            rest = alive & ~int.from_bytes(exclude.of(option).tobytes(), "little") & ~(1 << option)
            heappush(heap, (-rest.bit_count(), (*prefix, option), rest))
    return sorted(done + [prefix for _, prefix, _ in heap])


def _mask(options: Ints, size: int) -> int:
    """Return a set of options as a number with a bit for each."""
    flags = np.zeros(size, dtype=bool)
    flags[options] = True
    return int.from_bytes(np.packbits(flags, bitorder="little").tobytes(), "little")
