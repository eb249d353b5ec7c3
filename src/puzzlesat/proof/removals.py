"""Placements that cannot be used, because some atom or tile could then not be covered; and chains of them that end in nothing."""

from __future__ import annotations

import numpy as np

from puzzlesat.arrays import Bytes, Flags, Longs, Words
from puzzlesat.check.problem import Problem
from puzzlesat.progress import SILENT, Progress

Removal = tuple[int, int]
"""A placement, and the item that it would have left too little."""


def find_removals(problem: Problem, possible: Flags, progress: Progress = SILENT) -> tuple[list[Removal], int | None]:
    """Remove placements until nothing more can be removed, or some item has too little left; return the removals, and that item."""
    possible = possible.copy()
    removals: list[Removal] = []
    members = [problem.options_of(i) for i in range(len(problem.items))]
    order = sorted((i for i in range(len(members)) if problem.low[i]), key=lambda i: len(members[i]))
    while True:
        before = len(removals)
        for i in order:
            progress({"removals": len(removals)})
            left = members[i][possible[members[i]]]
            if len(left) < problem.low[i]:
                return removals, i
            for o in _starving(problem, left, int(problem.low[i])):
                if possible[o] and o not in problem.forced:
                    possible[o] = False
                    removals.append((o, i))
        if len(removals) == before:
            return removals, None


def needed_removals(problem: Problem, possible: Flags, removals: list[Removal], starved: int) -> list[Removal]:
    """Return the removals that lead to the starved item, without those that it can do without; the order stays."""
    when = {o: k for k, (o, _) in enumerate(removals)}
    needed: set[int] = set()
    rim = [(starved, -1, len(removals))]
    while rim:
        item, cause, before = rim.pop()
        for o in problem.options_of(item).tolist():
            excluded = cause >= 0 and bool(problem.exclude[cause, o // 64] >> np.uint64(o % 64) & np.uint64(1))
            if possible[o] and not excluded and when.get(o, before) < before and o not in needed:
                needed.add(o)
                rim.append((removals[when[o]][1], o, when[o]))
    return [r for r in removals if r[0] in needed]


def _starving(problem: Problem, left: Longs, need: int) -> list[int]:
    """Placements that exclude all but fewer than ``need`` of these, and are none of them (for each would be one itself)."""
    excluded = np.zeros(problem.options, dtype=np.int64)
    if need == 1:
        excluded += _flags(problem, np.bitwise_and.reduce(problem.exclude[left], axis=0))
        starving = excluded > 0
    else:
        for o in left.tolist():
            excluded += _flags(problem, problem.exclude[o])
        starving = len(left) - excluded < need
    starving[left] = False
    return [int(o) for o in np.flatnonzero(starving)]


def _flags(problem: Problem, options: Words) -> Bytes:
    return np.unpackbits(options.view(np.uint8), count=problem.options, bitorder="little")
