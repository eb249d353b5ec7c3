"""The problem in conjunctive normal form, with a clause against each listed solution: an LRAT proof refutes this formula.

Variable o + 1 says that placement o is chosen. The clauses are in this order, and a proof numbers them from 1: for each item that needs an
option, one of its options is chosen; for each two options that exclude each other, lexicographically, one is not chosen; the counters of
items that can be covered more than once; fixed placements; placements that are not possible; the solutions.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from .arrays import Flags, Ints, Longs, Rows
from .problem import Problem
from .values import TooLarge


@dataclass(frozen=True, eq=False)
class Clauses:
    """A formula in conjunctive normal form. Clause i, numbered from 1, is ``literals[start[i - 1] : start[i]]``."""

    start: Longs
    literals: Ints
    """Literals as in DIMACS: v or -v for a variable v from 1 to ``variables``."""
    variables: int

    def __len__(self) -> int:
        """Return the number of clauses."""
        return self.start.size - 1

    def __getitem__(self, number: int) -> list[int]:
        """Return the literals of the clause with a number, counted from 1."""
        if not 1 <= number <= len(self):
            raise IndexError(number)
        found: list[int] = self.literals[self.start[number - 1] : self.start[number]].tolist()
        return found


MAX_LITERALS = 1 << 28
FLAGS_AT_ONCE = 1 << 26


def make_formula(problem: Problem, possible: Flags, solutions: Rows) -> Clauses:
    """Return the formula. It has no model if and only if the listed solutions are all solutions among the possible options.

    The rules of a puzzle are not part of it. Variables after the options' variables count copies; their values follow from the options.
    Raises TooLarge, before the formula is made, if it is too large.
    """
    if (literals := _literals(problem, solutions)) > MAX_LITERALS:
        raise TooLarge(f"lrat: the formula would have {literals:,} literals, and {MAX_LITERALS:,} are the most")
    needed = [problem.options_of(i) + 1 for i in np.flatnonzero(problem.low >= 1).tolist()]
    counters, variables = _counters(problem)
    units = np.array([*(o + 1 for o in problem.forced), *(-(np.flatnonzero(~possible) + 1))], dtype=np.int32)
    parts = [
        _joined(needed), *(_same_length(-pairs) for pairs in _pairs(problem)), _joined(counters), _same_length(units.reshape(-1, 1)),
        *_blocking(problem, solutions),
    ]  # fmt: skip
    start = np.concatenate([[0], np.cumsum(np.concatenate([lengths for lengths, _ in parts]))]).astype(np.int64)
    return Clauses(start, np.concatenate([literals for _, literals in parts]).astype(np.int32), variables)


def _literals(problem: Problem, solutions: Rows) -> int:
    """Return an upper bound of the number of literals."""
    degree: list[int] = np.bincount(problem.item, minlength=len(problem.items)).tolist()
    counted = np.flatnonzero((problem.low > 1) | (problem.high > 1)).tolist()
    counters = sum(degree[i] * _top(int(problem.low[i]), int(problem.high[i]), degree[i]) for i in counted)
    pairs = sum(int(np.bitwise_count(row).sum()) for row in problem.exclude)
    of_solution = problem.atoms if _apart(problem) else problem.options
    return int(len(problem.item) + pairs + 12 * counters + problem.options + len(solutions) * of_solution)


def _top(low: int, high: int, options: int) -> int:
    """Return how far a counter counts the chosen options of an item."""
    return high + 1 if high < options else min(low, options)


def _joined(clauses: list[Longs] | list[list[int]]) -> tuple[Ints, Ints]:
    """Return the lengths of clauses, and their concatenated literals."""
    literals = [np.asarray(c, dtype=np.int32) for c in clauses]
    return np.array([len(c) for c in clauses], dtype=np.int32), np.concatenate([np.empty(0, dtype=np.int32), *literals])


def _same_length(clauses: Ints) -> tuple[Ints, Ints]:
    return np.full(len(clauses), clauses.shape[1], dtype=np.int32), clauses.ravel()


def _pairs(problem: Problem) -> Iterator[Ints]:
    """Yield the variables of each two options that exclude each other, lexicographically, in arrays (pairs, 2)."""
    at_once = max(1, FLAGS_AT_ONCE // max(problem.options, 1))
    for begin in range(0, problem.options, at_once):
        rows = problem.exclude[begin : begin + at_once]
        flags = np.unpackbits(rows.view(np.uint8), axis=1, count=problem.options, bitorder="little")
        yield np.add(np.argwhere(np.triu(flags, begin + 1)), (begin + 1, 1), dtype=np.int32, casting="unsafe")


def _counters(problem: Problem) -> tuple[list[list[int]], int]:
    """Return the counters of items that need or allow several options, and the number of variables.

    A variable means that at least j of the first i options are chosen; clauses define it in both directions, and bound the count.
    """
    clauses: list[list[int]] = []
    variables = problem.options
    for i in np.flatnonzero((problem.low > 1) | (problem.high > 1)).tolist():
        literals = (problem.options_of(i) + 1).tolist()
        low, high = int(problem.low[i]), int(problem.high[i])
        if low > len(literals):
            clauses.append([])
            continue
        top = _top(low, high, len(literals))
        before: list[int | None] = [None] * (top + 1)  # the variable for each j > 0; None is false
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


def _apart(problem: Problem) -> bool:
    """Tell whether no solution can be a part of another: each option has an item whose minimum is its maximum."""
    fixed = problem.low == problem.high
    return bool(np.logical_or.reduceat(fixed[problem.item], problem.start[:-1]).all()) if problem.options else True


def _blocking(problem: Problem, solutions: Rows) -> Iterator[tuple[Ints, Ints]]:
    """Yield for each solution the clause that one of its options is not chosen or, unless solutions are apart, that another one is."""
    if _apart(problem):
        yield (solutions >= 0).sum(axis=1, dtype=np.int32), -(solutions[solutions >= 0] + 1)
        return
    every = np.arange(problem.options, dtype=np.int32)
    for row in solutions:
        chosen = row[row >= 0]
        yield _joined([np.concatenate([-(chosen + 1), np.setdiff1d(every, chosen) + 1])])
