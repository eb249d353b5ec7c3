"""From a search tree to an LRAT proof that the formula of ``check.formula`` has no model.

The tree is replayed (``check.tree``). A node where an item has no options left gives a clause: one of the choices that rule these
options out is wrong. A node with several branches resolves their clauses into its own; a branch whose clause does not speak of the
choice that began it settles the node at once. The clause of the root is empty.

- A choice without alternative follows from the others, so it never stands in a clause: the clause of the first node below it with several
  branches or none is resolved with the reasons for it, as a clause is learnt from a conflict (J. Marques-Silva, K. Sakallah, "GRASP", IEEE
  Transactions on Computers 48, 1999, section 3.2).
- Of the choices that rule an option out, one is taken that is needed anyway; else the first. Going from the latest choice to the
  first, this makes the latest one in the clause as early as can be, so that most is settled.
- An item that needs no option has one more branch, in which all its options are ruled out. A clause below it may hold these as
  positive literals; they are resolved with the clauses of the other branches, each of which says that its option is wrong.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import IO, Any

import numpy as np

from puzzlesat.arrays import Flags, Ints, Records
from puzzlesat.check.problem import Problem, bits
from puzzlesat.check.rejected import Rejected
from puzzlesat.errors import NotSupportedError
from puzzlesat.proof.lrat import MOST_BYTES, LratWriter
from puzzlesat.proof.nodeclauses import AT, CONTROLS, ENTERING, FOUND, LAST, NEEDY, SETTLED, STEPS, UNSETTLED, State, Tables, pair_number
from puzzlesat.proof.treewalk import DONE, FULL, HUNGRY, NO_ITEM, NO_OPTION, OTHER_SOLUTION, follow

BUFFER = 1 << 20
REASONS = {
    NO_ITEM: "a node branches on an item that does not exist",
    NO_OPTION: "a node branches on an item with nothing left to choose",
    OTHER_SOLUTION: "solution {} of the search is not the one that is listed",
}


def tree_lrat(
    problem: Problem,
    possible: Flags,
    removals: Iterable[tuple[int, int]],
    solutions: Ints,
    records: Iterable[Records],
    stream: IO[bytes],
    *,
    binary: bool = True,
) -> int:
    """Write the LRAT proof that a tree stands for; returns the number of its steps.

    It refutes ``make_formula(problem, possible, solutions)``, where ``possible`` are the options before the removals (option, item),
    and ``solutions`` an array (solutions, k) of options padded with -1, in the order of the search. ``records`` are the item numbers of
    the tree in chunks. Raises NotSupportedError where an item needs or allows more than one option, Rejected where the tree does not
    fit the problem.
    """
    if np.any(problem.high != 1) or np.any(problem.low > 1):
        raise NotSupportedError("a tree can be turned into LRAT only where every atom and every tile is used once at most")
    for options in problem.sets():
        rows = problem.exclude[np.unpackbits(options.view(np.uint8), count=problem.options, bitorder="little").astype(bool)]
        if np.any(np.bitwise_count(rows & options).sum(axis=1) != len(rows) - 1):
            raise ValueError("options of one item do not exclude each other")
    writer = LratWriter(stream, binary=binary)
    numbers = _Numbers(problem, possible, solutions)
    writer.last = numbers.last
    if not _units(problem, numbers, removals, writer):
        tables = _tables(problem, numbers, solutions, writer)
        if tables is not None:
            writer.flush()
            return writer.steps + _replay(tables, _state(problem, numbers, tables, writer.last), records, stream, binary=binary)
    writer.flush()
    return writer.steps


class _Numbers:
    """The numbers of the clauses of the formula, and of the units derived from it."""

    def __init__(self, problem: Problem, possible: Flags, solutions: Ints) -> None:
        n = problem.options
        options = np.arange(n)
        flags = np.unpackbits(problem.exclude.view(np.uint8), axis=1, bitorder="little")
        flags &= np.arange(flags.shape[1]) > options[:, None]
        counts = np.bitwise_count(np.packbits(flags, axis=1, bitorder="little").view(np.uint64)).astype(np.int64)
        needy = problem.low >= 1
        self.item = np.where(needy, np.cumsum(needy), 0)
        first = int(needy.sum()) + 1
        self.pair = first + (np.cumsum(counts) - counts.ravel()).reshape(counts.shape)
        first += int(counts.sum())
        self.forced = {o: first + k for k, o in enumerate(problem.forced)}
        first += len(problem.forced)
        self.unit = np.where(possible, 0, first - 1 + np.cumsum(~possible))
        self.blocking = first + int((~possible).sum())
        self.last = self.blocking + len(solutions) - 1

    def of_pair(self, problem: Problem, one: int, other: int) -> int:
        """The clause that two options that exclude each other are not both chosen."""
        return int(pair_number(problem.exclude, self.pair, one, other))


def _units(problem: Problem, numbers: _Numbers, removals: Iterable[tuple[int, int]], writer: LratWriter) -> bool:
    """Derive that options are not chosen that a forced one excludes, or that were removed. Tells whether that was a contradiction."""
    excluded = np.unpackbits(problem.exclude.view(np.uint8), axis=1, count=problem.options, bitorder="little").astype(bool)
    for o, clause in numbers.forced.items():
        if numbers.unit[o]:
            writer.add([], [clause, int(numbers.unit[o])])
            return True
        for p in np.flatnonzero(excluded[o] & (numbers.unit == 0)).tolist():
            numbers.unit[p] = writer.add([-(p + 1)], [clause, numbers.of_pair(problem, o, p)])
    for o, i in removals:
        if numbers.unit[o]:
            continue
        options = problem.options_of(i)
        units = numbers.unit[options]
        if not numbers.item[i] or not (excluded[o][options] | (units > 0)).all():
            raise Rejected(f"removals: with placement {o}, {problem.items[i]} can still be covered")
        pairs = [numbers.of_pair(problem, o, p) for p in options[units == 0].tolist()]
        numbers.unit[o] = writer.add([-(o + 1)], [*units[units > 0].tolist(), *pairs, int(numbers.item[i])])
        if o in numbers.forced:
            writer.add([], [numbers.forced[o], int(numbers.unit[o])])
            return True
    return False


def _tables(problem: Problem, numbers: _Numbers, solutions: Ints, writer: LratWriter) -> Tables | None:
    """Derive the clauses of items without the options that are not possible; None where one is empty."""
    left = [problem.options_of(i) for i in range(len(problem.items))]
    covered = {int(i) for o in problem.forced for i in problem.item[problem.start[o] : problem.start[o + 1]]}
    clause = numbers.item.copy()
    for i in np.flatnonzero(problem.low >= 1).tolist():
        units = numbers.unit[left[i]]
        if i not in covered and units.any():
            left[i] = left[i][units == 0]
            clause[i] = writer.add((left[i] + 1).tolist(), [*units[units > 0].tolist(), int(numbers.item[i])])
            if not left[i].size:
                return None
    left.append(np.setdiff1d(np.arange(problem.options), problem.forced))
    fixed = problem.low == problem.high
    apart = bool(np.logical_or.reduceat(fixed[problem.item], problem.start[:-1]).all()) if problem.options else True
    return Tables(
        problem.exclude, numbers.pair, problem.start, problem.item, np.cumsum([0, *map(len, left)]).astype(np.int64),
        np.concatenate(left).astype(np.int32), problem.low.astype(np.int64), clause.astype(np.int64), numbers.unit.astype(np.int64),
        np.array(list(numbers.forced.values()), dtype=np.int64), np.ascontiguousarray(solutions, dtype=np.int32), numbers.blocking, apart,
    )  # fmt: skip


def _state(problem: Problem, numbers: _Numbers, tables: Tables, last: int) -> State:
    """Return the state at the root."""
    n, words = problem.options, problem.words
    covered = np.zeros(len(problem.items), dtype=bool)
    chosen = np.zeros(n, dtype=np.uint8)
    for o in problem.forced:
        covered[problem.item[problem.start[o] : problem.start[o + 1]]] = True
        chosen[o] = 1
    levels = len(problem.items) + 2  # on the way to a node each item is branched on once at most
    entries = tables.item_option.size + levels
    control = np.zeros(CONTROLS, dtype=np.int64)
    control[[ENTERING, SETTLED, LAST, NEEDY]] = 1, UNSETTLED, last, np.sum((problem.low >= 1) & ~covered)
    root = np.zeros((levels, words), dtype=np.uint64)
    root[0] = bits(np.flatnonzero((numbers.unit == 0) & (chosen == 0)), n)
    small: Any = lambda size: np.zeros(size, dtype=np.int32)  # noqa: E731
    return State(
        root, small(levels), small(levels), np.zeros(levels, dtype=np.int64), small(levels), np.zeros(levels, dtype=np.int64),
        np.zeros(entries, dtype=np.int64), np.zeros((levels, levels), dtype=np.uint8), np.zeros((levels, words), dtype=np.uint64),
        np.zeros(levels, dtype=np.uint8), np.zeros(words, dtype=np.uint64), small(n), chosen, np.zeros(n, dtype=np.int64),
        small(levels), small(entries), small(entries), small(entries), control,
    )  # fmt: skip


def _replay(tables: Tables, state: State, records: Iterable[Records], stream: IO[bytes], *, binary: bool) -> int:
    """Follow the tree to its end; returns the number of steps written."""
    most = MOST_BYTES * (6 * len(tables.unit) + 4 * len(state.choice) + 32)
    out = np.zeros(BUFFER + 2 * most, dtype=np.uint8)
    chunks = iter(records)
    chunk = np.zeros(0, dtype=np.uint32)
    while True:
        status, size = follow(tables, state, chunk, not binary, most, out)
        stream.write(out[:size].tobytes())
        if status == HUNGRY:
            following = next(chunks, None)
            if following is None:
                raise Rejected("tree: the proof ends before the search ends")
            chunk = np.array(following, dtype=np.uint32)  # a copy that is writable, which is the kind that ``follow`` is compiled for
            state.control[AT] = 0
        elif status == DONE:
            if state.control[AT] < len(chunk) or any(len(more) for more in chunks):
                raise Rejected("tree: the proof continues after the search is complete")
            if state.control[FOUND] < len(tables.solutions):
                raise Rejected("tree: the search has not come to all solutions that are listed")
            return int(state.control[STEPS])
        elif status != FULL:
            raise Rejected(f"tree: {REASONS[status].format(state.control[FOUND] + 1)}")
