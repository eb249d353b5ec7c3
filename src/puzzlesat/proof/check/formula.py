"""The problem in conjunctive normal form, with a clause against each solution listed: what an LRAT proof refutes.

Variable o + 1 says that placement o is chosen. The clauses stand in this order, and a proof numbers them from 1: for each item that needs
an option, that one of them is chosen; for each two options that exclude each other, lexicographically, that one is not; the counters of
items that can be covered more than once; fixed placements; placements that were left out; the solutions.
"""

from __future__ import annotations

from itertools import chain

import numpy as np
from numpy.typing import NDArray

from puzzlesat.proof.check.clauses import Clauses
from puzzlesat.proof.check.problem import Problem
from puzzlesat.proof.check.solutions import Rows


def make_formula(problem: Problem, possible: NDArray[np.bool_], solutions: Rows) -> Clauses:
    """Return the formula; it has no model if and only if the solutions listed are all there are among the possible options.

    A puzzle's rules are not in it. Variables after those of the options count copies; they are functions of these.
    """
    needed = [problem.options_of(i) + 1 for i in np.flatnonzero(problem.low >= 1).tolist()]
    flags = np.unpackbits(problem.exclude.view(np.uint8), axis=1, count=problem.options, bitorder="little")
    pairs = np.argwhere(np.triu(flags, 1)) + 1
    counters, variables = _counters(problem)
    units = np.array([*(o + 1 for o in problem.forced), *(-(np.flatnonzero(~possible) + 1))], dtype=np.int64)
    parts = [*needed, *-pairs, *counters, *units.reshape(-1, 1), *_blocking(problem, solutions)]
    start = np.cumsum([0, *map(len, parts)]).astype(np.int64)
    literals = np.fromiter(chain.from_iterable(parts), dtype=np.int32, count=int(start[-1]))
    return Clauses(start, literals, variables)


def _counters(problem: Problem) -> tuple[list[list[int]], int]:
    """For items that need or allow more than one: a variable for "at least j of the first i options", defined both ways, and its bounds."""
    clauses: list[list[int]] = []
    variables = problem.options
    for i in np.flatnonzero((problem.low > 1) | (problem.high > 1)).tolist():
        literals = (problem.options_of(i) + 1).tolist()
        low, high = int(problem.low[i]), int(problem.high[i])
        if low > len(literals):
            clauses.append([])
            continue
        top = high + 1 if high < len(literals) else low
        before: list[int | None] = [None] * (top + 1)  # for each j > 0 the variable; None is false
        for x in literals:
            after = before.copy()
            for j in range(1, top + 1):
                fewer = None if j == 1 else before[j - 1]
                if j > 1 and fewer is None:
                    break
                variables += 1
                r, same = variables, before[j]
                more = [] if fewer is None else [fewer]  # r <=> same or (x and fewer)
                clauses += [[r, -x, *(-f for f in more)], *([-r, *([] if same is None else [same]), y] for y in [x, *more])]
                clauses += [] if same is None else [[r, -same]]
                after[j] = r
            before = after
        if low:
            enough = before[low]
            clauses.append([] if enough is None else [enough])
        if high < len(literals):
            over = before[high + 1]
            clauses += [] if over is None else [[-over]]
    return clauses, variables


def _blocking(problem: Problem, solutions: Rows) -> list[list[int]]:
    """For each solution, that one of its options is not chosen, or another is where one solution may be a part of another."""
    fixed = problem.low == problem.high
    apart = bool(np.logical_or.reduceat(fixed[problem.item], problem.start[:-1]).all()) if problem.options else True
    clauses = []
    for row in solutions.tolist():
        chosen = {o for o in row if o >= 0}
        others = [] if apart else [o + 1 for o in range(problem.options) if o not in chosen]
        clauses.append([-(o + 1) for o in sorted(chosen)] + others)
    return clauses
