"""A search that records itself: all solutions of a problem, and the tree that shows that there are no others.

The state is one bitset for every item over its own options, all in one row of words. Choosing an option is ``child = state &
~kill[option]``. The search branches on the item with the fewest spare options: its options minus its need. ``checker.tree`` describes the
record. Before the search, ``find_removals`` removes placements that would leave some atom or tile uncoverable.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import IO, Any, NamedTuple

import numpy as np

from puzzlesat.base import SILENT, Bytes, Clock, Flags, Ints, Limits, Longs, Progress, Status, Words, scratch, sorted_rows
from puzzlesat.checker import Problem
from puzzlesat.kernels import compiled, lowest_bit, part, popcount
from puzzlesat.proofs.tree_lrat import Records
from puzzlesat.puzzles import CoverProblem
from puzzlesat.solvers import is_plain, recorded

RECORDS_AT_ONCE = 1 << 18
BYTES_AT_ONCE = 1 << 18
SOLUTIONS_AT_ONCE = 1 << 12
DEPTH, NEEDY, WRITTEN, ROWS = range(4)
CONTROLS = 4
NONE = -1
MANY = 1 << 40


@dataclass(frozen=True)
class Searched:
    """How a search ended."""

    status: Status
    nodes: int
    solutions: int


class Tables(NamedTuple):
    """Constant tables. n options, m items, W words of a state: the bitsets of all items, one after the other."""

    kill: Words  # (n, W) bits that an option clears: itself and all options it excludes, in the bitset of every item
    full: Words  # (m, W) bits that an item clears when it may have no more options
    first: Longs  # (m + 1,) first word of each item's bitset
    start: Ints  # (n + 1,) CSR option → items
    item: Ints
    bit: Longs  # CSR with start: the option's bit in the item's bitset, counted from the first bit of the state
    option_of_bit: Longs  # (64 W,)


class State(NamedTuple):
    """The state of the search. Arrays by level describe the node at this level."""

    words: Words  # (levels, W) the options that are possible
    branched: Ints  # (levels,) the item branched on
    chosen: Ints  # (levels,) the option chosen, or NONE
    needs: Longs  # (m,) how many more options each item needs; 0 or less: none
    room: Longs  # (m,) how many more options each item may have
    control: Longs  # registers: DEPTH of the next node; NEEDY items; of one call: item numbers WRITTEN, ROWS of solutions


def search(
    problem: Problem,
    possible: Flags,
    on_records: Callable[[Records], None],
    on_solutions: Callable[[Ints], None],
    limits: Limits,
    progress: Progress = SILENT,
) -> Searched:
    """Find all solutions among the possible options; the forced options are chosen first.

    ``on_records`` receives the item numbers of the tree, ``on_solutions`` arrays (solutions, options) of ascending options padded with -1.
    """
    clock = Clock(limits)
    nodes = found = 0
    plain = _plain(problem)
    for records, rows, done in _walked(problem, possible) if plain is None else recorded(plain, problem.exclude, possible):
        nodes += len(records) + len(rows)
        found += len(rows)
        on_records(records)
        if len(rows):
            on_solutions(rows if plain is None else sorted_rows(rows))
        if not done and (status := clock.verdict(found)) is not None:
            return Searched(status, nodes, found)
        progress({"nodes": nodes, "solutions": found})
    return Searched("complete", nodes, found)


def _plain(problem: Problem) -> CoverProblem | None:
    """Return the problem for the search of the backtracker, which is several times faster; None if that cannot record its tree."""
    if problem.forced or not problem.options or (problem.high < 1).any():
        return None
    names, no_tiles = ("",) * len(problem.items), np.empty(0, dtype=np.int32)  # an option may have several tiles
    low, high = (np.minimum(bound, CoverProblem.UNLIMITED).astype(np.int32) for bound in (problem.low, problem.high))
    colours, options = np.zeros(len(problem.item), dtype=np.int32), ("",) * problem.options
    coloured = np.zeros(len(names), dtype=np.bool_)
    cover = CoverProblem(names, low, high, coloured, options, problem.start, problem.item, colours, no_tiles)
    return cover if is_plain(cover) else None


def _walked(problem: Problem, possible: Flags) -> Iterator[tuple[Records, Ints, bool]]:
    """Search any problem; yield records and solutions as ``recorded`` does."""
    tables = _tables(problem)
    state = _first(problem, tables, possible)
    if state is None:
        return
    control, done = state.control, False
    records = np.empty(RECORDS_AT_ONCE, dtype=np.uint32)
    table = np.empty((SOLUTIONS_AT_ONCE, len(state.words)), dtype=np.int32)
    while not done:
        control[[WRITTEN, ROWS]] = 0
        done = walk(tables, state, records, table)
        yield records[: control[WRITTEN]].copy(), _with_forced(problem, table[: control[ROWS]]), done


@contextmanager
def searched_tree(problem: Problem, limits: Limits, progress: Progress) -> Iterator[tuple[Searched, Iterator[Records]]]:
    """Search exhaustively; yield how the search ended, and its tree, which a temporary file holds."""
    with scratch() as tree:
        possible = np.ones(problem.options, dtype=np.bool_)
        searched = search(problem, possible, partial(write_tree, tree), lambda _: None, limits, progress)
        yield searched, read_tree(tree, lambda: progress({"bytes": tree.tell()}))


def write_tree(stream: IO[bytes], records: Records) -> None:
    """Append item numbers to a file that ``read_tree`` reads."""
    stream.write(records.astype("<u4").tobytes())


def read_tree(stream: IO[bytes], go_on: Callable[[], object]) -> Iterator[Records]:
    """Yield the item numbers of a file from its beginning, in chunks; ``go_on`` is called before each chunk, and may raise."""
    stream.seek(0)
    while chunk := stream.read(BYTES_AT_ONCE):
        go_on()
        yield np.frombuffer(chunk, dtype="<u4")


def _tables(problem: Problem) -> Tables:
    """Assign each option a bit in the bitset of each of its items, and find the bits that options and full items clear."""
    order = np.argsort(problem.item, kind="stable")
    degree = np.bincount(problem.item, minlength=len(problem.items))
    first = np.concatenate([[0], np.cumsum((degree + 63) // 64)]).astype(np.int64)
    rank = np.empty(len(problem.item), dtype=np.int64)
    rank[order] = np.arange(len(order)) - np.repeat(np.cumsum(degree) - degree, degree)
    bit = first[problem.item] * 64 + rank
    option_of_bit = np.full(int(first[-1]) * 64, -1, dtype=np.int64)
    option_of_bit[bit] = np.repeat(np.arange(problem.options), np.diff(problem.start))
    kill = _spread(problem.exclude | _own(problem), option_of_bit)
    return Tables(kill, _spread(problem.sets(), option_of_bit), first, problem.start, problem.item, bit, option_of_bit)


def _own(problem: Problem) -> Words:
    own = np.zeros_like(problem.exclude)
    o = np.arange(problem.options)
    own[o, o // 64] = np.uint64(1) << (o % 64).astype(np.uint64)
    return own


def _spread(sets: Words, option_of_bit: Longs) -> Words:
    """Convert sets of options to the bits of these options, row by row to save memory."""
    spread = np.zeros((len(sets), len(option_of_bit) // 64), dtype=np.uint64)
    here = option_of_bit >= 0
    for row, options in zip(spread, sets, strict=True):
        flags = np.zeros(len(option_of_bit), dtype=np.uint8)
        flags[here] = np.unpackbits(options.view(np.uint8), bitorder="little")[option_of_bit[here]]
        row[:] = np.packbits(flags, bitorder="little").view(np.uint64)
    return spread


def _first(problem: Problem, tables: Tables, possible: Flags) -> State | None:
    """Return the state at the root, with the forced options chosen; None if these conflict."""
    levels, option = problem.atoms + 2, tables.option_of_bit
    state = State(
        np.zeros((levels, tables.kill.shape[1]), dtype=np.uint64), np.zeros(levels, dtype=np.int32), np.full(levels, NONE, dtype=np.int32),
        problem.low.astype(np.int64), problem.high.astype(np.int64), np.zeros(CONTROLS, dtype=np.int64),
    )  # fmt: skip
    words = state.words[0]
    flags = (option >= 0) & possible[option] if problem.options else np.zeros(len(option), dtype=bool)
    words[:] = np.packbits(flags, bitorder="little").view(np.uint64)
    still = possible.copy()
    for o in problem.forced:
        if not still[o]:
            return None
        still &= ~np.unpackbits(problem.exclude[o].view(np.uint8), count=problem.options, bitorder="little").astype(np.bool_)
        words &= ~tables.kill[o]
        for i in problem.items_of(o).tolist():
            state.needs[i] -= 1
            state.room[i] -= 1
            if state.room[i] == 0:
                words &= ~tables.full[i]
    state.control[NEEDY] = np.count_nonzero(state.needs > 0)
    return None if (state.room < 0).any() else state


def _with_forced(problem: Problem, rows: Ints) -> Ints:
    """Return the solutions with the forced options, ascending, with the padding at the end."""
    forced = np.broadcast_to(np.array(problem.forced, dtype=np.int32), (len(rows), len(problem.forced)))
    return sorted_rows(np.hstack([forced, rows]))


@part
def neediest(t: Tables, s: State, depth: int) -> tuple[int, int]:
    """Return the item in need with the fewest spare options, and their number."""
    best, least = NONE, np.int64(MANY)
    for item in range(t.first.size - 1):
        if s.needs[item] <= 0:
            continue
        spare = -s.needs[item]
        for w in range(t.first[item], t.first[item + 1]):
            spare += np.int64(popcount(s.words[depth, w]))
            if spare >= least:
                break
        if spare < least:
            best, least = item, spare
            if spare <= 0:
                break
    return best, least


@part
def rarest(t: Tables, s: State, depth: int) -> int:
    """Return the item with the fewest options, but at least one; NONE if no option is possible."""
    best, least = NONE, MANY
    for item in range(t.first.size - 1):
        count = 0
        for w in range(t.first[item], t.first[item + 1]):
            count += np.int64(popcount(s.words[depth, w]))
        if 0 < count < least:
            best, least = item, count
    return best


@part
def write_solution(s: State, depth: int, table: Ints) -> None:
    """Write the options chosen above a level to the next row, with padding."""
    row = s.control[ROWS]
    for level in range(table.shape[1]):
        table[row, level] = s.chosen[level] if level < depth else NONE
    s.control[ROWS] += 1


@part
def open_node(t: Tables, s: State, depth: int, records: Records, table: Ints) -> bool:
    """Record a node: a solution, or the item to branch on. Tell whether its branches must be visited."""
    spare = 0
    if s.control[NEEDY] > 0:
        item, spare = neediest(t, s, depth)
    else:
        item = rarest(t, s, depth)
        if item == NONE:
            write_solution(s, depth, table)
            return False
    records[s.control[WRITTEN]] = item
    s.control[WRITTEN] += 1
    s.branched[depth], s.chosen[depth] = item, NONE
    return spare >= 0


@part
def take_back(t: Tables, s: State, depth: int) -> None:
    """Take back the option chosen at a node, if there is one, and rule it out."""
    option = np.int64(s.chosen[depth])
    if option == NONE:
        return
    for k in range(t.start[option], t.start[option + 1]):
        item = t.item[k]
        s.control[NEEDY] += s.needs[item] == 0
        s.needs[item] += 1
        s.room[item] += 1
        s.words[depth, t.bit[k] >> 6] &= ~(np.uint64(1) << np.uint64(t.bit[k] & 63))


@part
def next_option(t: Tables, s: State, depth: int) -> Any:
    """Return the first possible option of the item branched on, or NONE."""
    item = s.branched[depth]
    for w in range(t.first[item], t.first[item + 1]):
        if s.words[depth, w] != 0:
            return t.option_of_bit[(w << 6) + np.int64(lowest_bit(s.words[depth, w]))]
    return NONE


@part
def choose(t: Tables, s: State, depth: int, option: int) -> None:
    """Choose an option at a node, and write the options that stay possible to the next level."""
    for w in range(s.words.shape[1]):
        s.words[depth + 1, w] = s.words[depth, w] & ~t.kill[option, w]
    for k in range(t.start[option], t.start[option + 1]):
        item = t.item[k]
        s.needs[item] -= 1
        s.room[item] -= 1
        s.control[NEEDY] -= s.needs[item] == 0
        if s.room[item] == 0:
            for w in range(s.words.shape[1]):
                s.words[depth + 1, w] &= ~t.full[item, w]


@compiled
def walk(t: Tables, s: State, records: Records, table: Ints) -> bool:
    """Continue the search until it is complete, or ``records`` or ``table`` is full. Tell whether it is complete."""
    depth = s.control[DEPTH]
    while depth >= 0 and s.control[WRITTEN] < len(records) and s.control[ROWS] < len(table):
        if not open_node(t, s, depth, records, table):
            depth -= 1
        while depth >= 0:  # backtrack to a node with another branch, and go down this branch
            take_back(t, s, depth)
            option = next_option(t, s, depth)
            s.chosen[depth] = option
            if option != NONE:
                choose(t, s, depth, option)
                depth += 1
                break
            if s.needs[s.branched[depth]] <= 0:
                break  # none of its options is chosen: a new node at the same level
            depth -= 1
    s.control[DEPTH] = depth
    return depth < 0  # type: ignore[no-any-return]


Removal = tuple[int, int]
"""A placement, and the item that it would leave too few options."""


def find_removals(problem: Problem, possible: Flags, progress: Progress = SILENT) -> tuple[list[Removal], int | None, Flags]:
    """Remove placements until none can be removed or some item has too few left; return the removals, this item, and the rest."""
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
                return removals, i, possible
            for o in _starving(problem, left, int(problem.low[i])):
                if possible[o] and o not in problem.forced:
                    possible[o] = False
                    removals.append((o, i))
        if len(removals) == before:
            return removals, None, possible


def needed_removals(problem: Problem, possible: Flags, removals: list[Removal], starved: int) -> list[Removal]:
    """Return the removals that the starved item depends on, in the same order."""
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
    """Return the placements outside ``left`` that exclude all but fewer than ``need`` placements of ``left``."""
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
