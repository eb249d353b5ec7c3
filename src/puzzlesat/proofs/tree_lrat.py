"""Turn a search tree into an LRAT proof that the formula of ``checker.formula`` has no model.

The tree is replayed (``checker.tree``). A node where an item has no options left gives a clause: one of the choices that rule these options
out is wrong. A node with several branches resolves their clauses into its own. A branch whose clause does not contain the choice that began
it settles the node at once. The clause of the root is empty.

- A choice without alternative follows from the others, so no clause contains it. The clause of the first node below it with several
  branches or none is resolved with the reasons for the choice, as in clause learning from conflicts (J. Marques-Silva, K. Sakallah,
  "GRASP", IEEE Transactions on Computers 48, 1999, section 3.2).
- If several choices rule an option out, the clause takes one that it contains already, else the first. Choices are visited from the latest
  to the first. This makes the latest choice of the clause as early as possible, so that the clause settles as many nodes as possible.
- An item that needs no option has one more branch, in which all its options are ruled out. A clause below this branch may hold these
  options as positive literals. They are resolved with the clauses of the other branches, each of which says that its option is wrong.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import IO, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzlesat.base import Bytes, Flags, Ints, Longs, NotSupportedError, Words
from puzzlesat.checker import Problem, Rejected
from puzzlesat.kernels import compiled, lowest_bit, part, popcount
from puzzlesat.proofs.lrat import ADD, DELETE, MAX_BYTES, LratWriter, put, put_end, put_kind

Records = NDArray[np.uint32]
"""The log of a search tree, node after node."""

DEPTH, ENTERING, SETTLED, RESULT, LAST, FOUND, STEPS, WAITING, NOW, NEEDY, AT = range(11)
CONTROLS = 11
UNSETTLED = 1 << 40
NONE = -1
ONE = np.uint64(1)


class Tables(NamedTuple):
    """Constant tables. n options, m items, W words of a set of options; the extra item m has all options that are not forced."""

    exclude: Words  # (n, W)
    pair: Longs  # (n, W) number of the first clause that pairs the row's option with a later option of the word
    start: Ints  # CSR option → items
    item: Ints
    item_start: Longs  # CSR item → options; for an item in need, only the options that are possible at the root
    item_option: Ints
    low: Longs  # (m,)
    clause: Longs  # (m,) number of the clause that says that one of these options is chosen
    unit: Longs  # (n,) number of the clause that says that an option is not chosen, or 0
    forced: Longs  # numbers of the clauses of the forced options
    solutions: Ints  # (solutions, k) options, padded with -1
    blocking: int  # number of the clause of the first solution
    apart: bool  # no solution is a part of another: the clause of a solution names only its own options


class State(NamedTuple):
    """The state of the replay. Level 0 is the root; the choice of level l leads from the node of level l - 1 to the node of level l."""

    possible: Words  # (levels, W)
    choice: Ints  # (levels,) an option, or NONE for the branch in which all options of the item are ruled out
    branched: Ints  # (levels,) the item that the node of a level branches on
    cursor: Longs  # (levels,) where the node's next option may be
    forked: Ints  # (levels,) the last level up to this one whose node has several branches, or -1
    first: Longs  # (levels,) where the clauses of a node's branches begin in ``waiting``
    waiting: Longs  # numbers of the clauses of branches; negative if the clause must not be deleted
    needs: Bytes  # (levels, levels) the choices in the clauses of a node's branches
    plus: Words  # (levels, W) the positive literals in the clauses of a node's branches
    mark: Bytes  # (levels,) the choices in the clause made last
    mark_plus: Words  # (W,)
    removed: Ints  # (n,) the level whose choice last ruled the option out, or 0
    chosen: Bytes  # (n,)
    stamp: Longs  # (n,) NOW if the option is already false in the clause being made
    head: Ints  # (levels,) heads of lists: the options that must be ruled out, by the level whose choice did so first
    following: Ints  # list entries: the next entry, the option, the last level whose choice may be the reason
    entry: Ints
    limit: Ints
    control: Longs  # registers: DEPTH; ENTERING a node; SETTLED level or UNSETTLED; RESULT clause; LAST clause number; FOUND solutions;
    # STEPS; WAITING clauses; NOW, the stamp of the current clause; NEEDY items; AT, the position in the tree's chunk


@compiled
def pair_number(exclude: Words, pair: Longs, one: int, other: int) -> int:
    """Return the number of the clause that forbids two options that exclude each other."""
    low, high = min(one, other), max(one, other)
    w = high >> 6
    before = exclude[low, w] & ((ONE << np.uint64(high & 63)) - ONE)
    if w == low >> 6:
        before &= ~((np.uint64(2) << np.uint64(low & 63)) - ONE)
    return pair[low, w] + np.int64(popcount(before))  # type: ignore[no-any-return]


@part
def has(row: Words, option: int) -> bool:
    """Tell whether an option is in a set."""
    return row[option >> 6] >> np.uint64(option & 63) & ONE != 0  # type: ignore[no-any-return]


@part
def add(row: Words, option: int) -> None:
    """Put an option into a set."""
    row[option >> 6] |= ONE << np.uint64(option & 63)


@part
def remove(row: Words, option: int) -> None:
    """Take an option out of a set."""
    row[option >> 6] &= ~(ONE << np.uint64(option & 63))


@part
def follows_from(s: State, level: int) -> int:
    """Return the level of the last choice with an alternative; later choices follow from it and the choices before it."""
    return s.forked[level - 1] + 1 if level > 0 else 0


@part
def reason(t: Tables, s: State, option: int, first: int, last: int) -> int:
    """Return the level of the first choice of the clause being made, between two levels, that excludes an option; 0 if there is none."""
    for level in range(first, last + 1):
        if s.mark[level] and s.choice[level] >= 0 and has(t.exclude[s.choice[level]], option):
            return level
    return 0


@part
def want(t: Tables, s: State, item: int, level: int, entries: int) -> int:
    """List the options of an item that are not possible at a level: each must be ruled out. Return the number of list entries."""
    for k in range(t.item_start[item], t.item_start[item + 1]):
        option = np.int64(t.item_option[k])
        if has(s.possible[level], option) or s.removed[option] == 0 or s.chosen[option]:
            continue
        s.entry[entries], s.limit[entries] = option, level
        s.following[entries] = s.head[s.removed[option]]
        s.head[s.removed[option]] = entries
        entries += 1
    return entries


@part
def select(t: Tables, s: State, level: int, item: int) -> None:
    """Add to the clause the choices and positive literals that rule out the options listed; ``item`` is the node's item or NONE."""
    follows = follows_from(s, level)
    for k in range(level + 1):
        s.head[k] = -1
    entries = 0
    if item != NONE:
        entries = want(t, s, item, level, entries)
    for here in range(level, 0, -1):
        k = np.int64(s.head[here])
        while k >= 0:
            option = np.int64(s.entry[k])
            if not has(s.mark_plus, option) and reason(t, s, option, here, np.int64(s.limit[k])) == 0:
                if s.choice[here] >= 0:
                    s.mark[here] = 1
                else:
                    add(s.mark_plus, option)
            k = np.int64(s.following[k])
        if s.mark[here] and here > follows:
            entries = want(t, s, np.int64(s.branched[here - 1]), here - 1, entries)


@part
def put_ruled_out(t: Tables, s: State, item: int, level: int, out: Bytes, size: int, text: bool) -> int:
    """Write the clauses that make false the options of an item that are not possible at a level."""
    for k in range(t.item_start[item], t.item_start[item + 1]):
        option = np.int64(t.item_option[k])
        if has(s.possible[level], option) or s.stamp[option] == s.control[NOW] or s.chosen[option]:
            continue
        s.stamp[option] = s.control[NOW]
        if s.removed[option] == 0:
            size = put(out, size, t.unit[option], text)
        else:
            by = s.choice[reason(t, s, option, np.int64(s.removed[option]), level)]
            size = put(out, size, pair_number(t.exclude, t.pair, np.int64(by), option), text)
    return size


@part
def put_literals(s: State, level: int, follows: int, out: Bytes, size: int, text: bool) -> int:
    """Write the number and the literals of the clause being made."""
    s.control[NOW] += 1
    s.control[STEPS] += 1
    s.control[LAST] += 1
    size = put_kind(out, size, ADD, s.control[LAST], text)
    for here in range(1, follows + 1):
        if here <= level and s.mark[here]:
            size = put(out, size, -np.int64(s.choice[here]) - 1, text)
    for w in range(s.mark_plus.size):
        rest = s.mark_plus[w]
        while rest != 0:
            option = (w << 6) + np.int64(lowest_bit(rest))
            rest &= rest - ONE
            s.stamp[option] = s.control[NOW]
            size = put(out, size, option + 1, text)
    return put(out, size, 0, text)


@part
def begin_clause(t: Tables, s: State, level: int, out: Bytes, size: int, text: bool) -> int:
    """Write the number and the literals of the marked clause, and the reasons for choices without alternative."""
    follows = follows_from(s, level)
    size = put_literals(s, level, follows, out, size, text)
    for here in range(follows + 1, level + 1):
        if s.mark[here]:
            by = np.int64(s.branched[here - 1])
            size = put_ruled_out(t, s, by, here - 1, out, size, text)
            size = put(out, size, t.clause[by], text)
    return size


@part
def end_clause(s: State, level: int, out: Bytes, size: int, text: bool) -> int:
    """End the step, and unmark the choices without alternative, which the clause does not contain."""
    for here in range(follows_from(s, level) + 1, level + 1):
        s.mark[here] = 0
    s.control[RESULT] = s.control[LAST]
    return put_end(out, size, text)


@part
def put_deletion(s: State, level: int, out: Bytes, size: int, text: bool) -> int:
    """Delete the clauses of a node's branches, which are no longer needed."""
    first = s.first[level]
    some = False
    for k in range(first, s.control[WAITING]):
        some |= s.waiting[k] > 0
    if some:
        size = put_kind(out, size, DELETE, s.control[LAST], text)
        for k in range(first, s.control[WAITING]):
            if s.waiting[k] > 0:
                size = put(out, size, s.waiting[k], text)
        size = put_end(out, size, text)
        s.control[STEPS] += 1
    s.control[WAITING] = first
    return size


@part
def put_solution(t: Tables, s: State, level: int, number: int, out: Bytes, size: int, text: bool) -> int:
    """Make the clause of a solution. If it would hold all choices and nothing else, it is the clause of the formula."""
    for here in range(1, level + 1):
        s.mark[here] = s.choice[here] >= 0
    for w in range(s.mark_plus.size):
        s.mark_plus[w] = 0
    if t.apart and t.forced.size == 0 and follows_from(s, level) >= level:
        s.control[RESULT] = -(t.blocking + number)
        return size
    select(t, s, level, NONE if t.apart else t.low.size)
    size = begin_clause(t, s, level, out, size, text)
    for k in range(t.forced.size):
        size = put(out, size, t.forced[k], text)
    if not t.apart:
        size = put_ruled_out(t, s, t.low.size, level, out, size, text)
    size = put(out, size, t.blocking + number, text)
    return end_clause(s, level, out, size, text)


@part
def put_node(t: Tables, s: State, level: int, out: Bytes, size: int, text: bool) -> int:
    """Make the clause of a node from the clauses of its branches, and delete these; a dead end has no branches."""
    item = np.int64(s.branched[level])
    for here in range(1, level + 1):
        s.mark[here] = s.needs[level, here]
    for w in range(s.mark_plus.size):
        s.mark_plus[w] = s.plus[level, w]
    select(t, s, level, item if t.low[item] > 0 else NONE)
    size = begin_clause(t, s, level, out, size, text)
    for k in range(s.first[level], s.control[WAITING]):
        size = put(out, size, abs(s.waiting[k]), text)
    if t.low[item] > 0:
        size = put_ruled_out(t, s, item, level, out, size, text)
        size = put(out, size, t.clause[item], text)
    size = end_clause(s, level, out, size, text)
    return put_deletion(s, level, out, size, text)


OPEN, SOLUTION = 0, 1
"""Kinds of nodes: one whose branches are visited (a dead end has none), or a solution."""
HUNGRY, FULL, DONE, NO_ITEM, NO_OPTION, OTHER_SOLUTION = range(2, 8)
"""Reasons to stop the walk: it needs more of the tree, it needs room to write, it is done, or the tree is wrong."""


@part
def is_solution(s: State, level: int) -> bool:
    """Tell whether no option is possible and no item is in need."""
    if s.control[NEEDY] > 0:
        return False
    for w in range(s.possible.shape[1]):  # noqa: SIM110 - compiled
        if s.possible[level, w] != 0:
            return False
    return True


@part
def is_listed(t: Tables, s: State, level: int) -> bool:
    """Tell whether the chosen options are the next solution of the list."""
    number = s.control[FOUND]
    if number >= t.solutions.shape[0]:
        return False
    count = 0
    for k in range(t.solutions.shape[1]):
        option = t.solutions[number, k]
        if option >= 0:
            if not s.chosen[option]:
                return False
            count += 1
    for here in range(1, level + 1):
        count -= s.choice[here] >= 0
    return count == t.forced.size


@part
def count_options(t: Tables, s: State, item: int, level: int) -> int:
    """Return how many options of an item are possible at a level."""
    count = 0
    for k in range(t.item_start[item], t.item_start[item + 1]):
        count += has(s.possible[level], np.int64(t.item_option[k]))
    return count


@part
def is_covered(t: Tables, s: State, item: int) -> bool:
    """Tell whether an option of an item is chosen."""
    covered = False
    for k in range(t.item_start[item], t.item_start[item + 1]):
        covered |= s.chosen[t.item_option[k]] != 0
    return covered


@part
def open_node(t: Tables, s: State, level: int, item: int, options: int) -> None:
    """Prepare to visit the branches of a node."""
    s.branched[level] = item
    s.cursor[level] = t.item_start[item]
    s.first[level] = s.control[WAITING]
    before = np.int32(-1) if level == 0 else s.forked[level - 1]
    s.forked[level] = level if options > 1 or t.low[item] == 0 else before
    for here in range(level + 1):
        s.needs[level, here] = 0
    for w in range(s.possible.shape[1]):
        s.plus[level, w] = 0


@part
def rule_out(s: State, level: int, w: int, gone: Any) -> None:
    """Copy a word of the possible options to the next level without the options ``gone``, and note the level that removes them."""
    s.possible[level + 1, w] = s.possible[level, w] & ~gone
    gone &= s.possible[level, w]
    while gone != 0:
        s.removed[(w << 6) + np.int64(lowest_bit(gone))] = level + 1
        gone &= gone - ONE


@part
def next_branch(t: Tables, s: State, level: int) -> bool:
    """Go down the next branch of a node; return False if there is none."""
    item = s.branched[level]
    behind = t.item_start[item + 1]
    k = s.cursor[level]
    while k < behind and not has(s.possible[level], np.int64(t.item_option[k])):
        k += 1
    s.cursor[level] = k + 1
    if k < behind:
        option = np.int64(t.item_option[k])
        s.choice[level + 1] = option
        s.chosen[option] = 1
        for w in range(s.possible.shape[1]):
            rule_out(s, level, w, t.exclude[option, w] | (ONE << np.uint64(option & 63) if w == option >> 6 else np.uint64(0)))
        for entry in range(t.start[option], t.start[option + 1]):
            s.control[NEEDY] -= t.low[t.item[entry]]
        return True
    if k > behind or t.low[item] > 0:
        return False
    s.choice[level + 1] = NONE
    for w in range(s.possible.shape[1]):
        s.possible[level + 1, w] = s.possible[level, w]
    for entry in range(t.item_start[item], behind):
        option = np.int64(t.item_option[entry])
        if has(s.possible[level], option):
            remove(s.possible[level + 1], option)
            s.removed[option] = level + 1
    return True


@part
def undo(t: Tables, s: State, level: int) -> None:
    """Undo the choice of a level."""
    option = np.int64(s.choice[level])
    if option >= 0:
        s.chosen[option] = 0
        for entry in range(t.start[option], t.start[option + 1]):
            s.control[NEEDY] += t.low[t.item[entry]]


@part
def speaks_of_choice(t: Tables, s: State, level: int) -> bool:
    """Tell whether the clause made last needs the choice of a level, and unmark this choice."""
    if s.choice[level] >= 0:
        used: bool = s.mark[level] != 0
        s.mark[level] = 0
        return used
    used = False
    item = s.branched[level - 1]
    for k in range(t.item_start[item], t.item_start[item + 1]):
        option = np.int64(t.item_option[k])
        if has(s.mark_plus, option) and has(s.possible[level - 1], option):
            used = True
            remove(s.mark_plus, option)
    return used


@part
def hand_up(t: Tables, s: State, level: int, out: Bytes, size: int, text: bool) -> int:
    """Pass the clause of a node to its parent: it settles the parent, or waits there."""
    if not speaks_of_choice(t, s, level):
        s.control[SETTLED] = level - 1
        return put_deletion(s, level - 1, out, size, text)
    for here in range(1, level):
        s.needs[level - 1, here] |= s.mark[here]
    for w in range(s.mark_plus.size):
        s.plus[level - 1, w] |= s.mark_plus[w]
    s.waiting[s.control[WAITING]] = s.control[RESULT]
    s.control[WAITING] += 1
    return size


@part
def enter(t: Tables, s: State, level: int, records: Records) -> int:
    """Enter a new node. Return SOLUTION, OPEN, or the reason to stop the walk."""
    control = s.control
    if is_solution(s, level):
        return SOLUTION if is_listed(t, s, level) else OTHER_SOLUTION
    if control[AT] == records.size:
        return HUNGRY
    item = np.int64(records[control[AT]])
    control[AT] += 1
    if item >= t.low.size:
        return NO_ITEM
    options = count_options(t, s, item, level)
    if options == 0 and (t.low[item] == 0 or is_covered(t, s, item)):
        return NO_OPTION
    open_node(t, s, level, item, options)
    return OPEN


@part
def settle(t: Tables, s: State, level: int, node: int, out: Bytes, size: int, text: bool) -> int:
    """Make the clause of a finished node, unless a clause from below settles the node or an ancestor."""
    number = s.control[FOUND]
    s.control[FOUND] += node == SOLUTION
    if s.control[SETTLED] == level:
        s.control[SETTLED] = UNSETTLED
    elif s.control[SETTLED] == UNSETTLED:
        if node == SOLUTION:
            return put_solution(t, s, level, number, out, size, text)
        return put_node(t, s, level, out, size, text)
    return size


@compiled
def follow(t: Tables, s: State, records: Records, text: bool, most: int, out: Bytes) -> tuple[int, int]:
    """Continue the walk; return the reason to stop and the number of bytes written. One node needs at most ``most`` bytes."""
    control = s.control
    size = np.int64(0)  # int64 from the start, or numba would compile all writers twice
    level = control[DEPTH]
    status = FULL
    while size + most <= out.size:
        node = enter(t, s, level, records) if control[ENTERING] else OPEN
        if node > SOLUTION:
            status = node
            break
        control[ENTERING] = node == OPEN and next_branch(t, s, level)
        if control[ENTERING]:
            level += 1
            continue
        size = settle(t, s, level, node, out, size, text)
        if level == 0:
            status = DONE
            break
        if control[SETTLED] == UNSETTLED:
            size = hand_up(t, s, level, out, size, text)
        undo(t, s, level)
        level -= 1
    control[DEPTH] = level
    return status, size


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
    """Write the LRAT proof of a tree; return the number of its steps.

    The proof refutes ``make_formula(problem, possible, solutions)``. ``possible`` marks the options before the removals (option, item).
    ``solutions`` is an array (solutions, k) of options padded with -1, in the order of the search. ``records`` are the item numbers of the
    tree in chunks. Raises NotSupportedError if an item needs or allows more than one option, Rejected if the tree does not fit the problem.
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
    """The numbers of the formula's clauses, and of the unit clauses derived from it."""

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
        """Return the number of the clause that forbids two options that exclude each other."""
        return int(pair_number(problem.exclude, self.pair, one, other))


def _units(problem: Problem, numbers: _Numbers, removals: Iterable[tuple[int, int]], writer: LratWriter) -> bool:
    """Derive unit clauses against options that were removed or that a forced option excludes. Tell whether this is a contradiction."""
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
    """Derive the clauses of items without impossible options; return None if one of them is empty."""
    left = [problem.options_of(i) for i in range(len(problem.items))]
    covered = {int(i) for o in problem.forced for i in problem.items_of(o)}
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
        covered[problem.items_of(o)] = True
        chosen[o] = 1
    levels = len(problem.items) + 2  # on a path, each item is branched on at most once
    entries = tables.item_option.size + levels
    control = np.zeros(CONTROLS, dtype=np.int64)
    control[[ENTERING, SETTLED, LAST, NEEDY]] = 1, UNSETTLED, last, np.sum((problem.low >= 1) & ~covered)
    root = np.zeros((levels, words), dtype=np.uint64)
    root[0] = problem.set_of(np.flatnonzero((numbers.unit == 0) & (chosen == 0)))
    small: Any = lambda size: np.zeros(size, dtype=np.int32)  # noqa: E731
    return State(
        root, small(levels), small(levels), np.zeros(levels, dtype=np.int64), small(levels), np.zeros(levels, dtype=np.int64),
        np.zeros(entries, dtype=np.int64), np.zeros((levels, levels), dtype=np.uint8), np.zeros((levels, words), dtype=np.uint64),
        np.zeros(levels, dtype=np.uint8), np.zeros(words, dtype=np.uint64), small(n), chosen, np.zeros(n, dtype=np.int64),
        small(levels), small(entries), small(entries), small(entries), control,
    )  # fmt: skip


def _replay(tables: Tables, state: State, records: Iterable[Records], stream: IO[bytes], *, binary: bool) -> int:
    """Follow the tree to its end; return the number of steps written."""
    most = MAX_BYTES * (6 * len(tables.unit) + 4 * len(state.choice) + 32)
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
            chunk = np.array(following, dtype=np.uint32)  # a writable copy, the type for which ``follow`` is compiled
            state.control[AT] = 0
        elif status == DONE:
            if state.control[AT] < len(chunk) or any(len(more) for more in chunks):
                raise Rejected("tree: the proof continues after the search is complete")
            if state.control[FOUND] < len(tables.solutions):
                raise Rejected("tree: the search has not come to all solutions that are listed")
            return int(state.control[STEPS])
        elif status != FULL:
            raise Rejected(f"tree: {REASONS[status].format(state.control[FOUND] + 1)}")
