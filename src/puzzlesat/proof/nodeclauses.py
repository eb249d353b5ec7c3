"""The clauses that the nodes of a search tree stand for, each derived by a step of LRAT.

Which choices a clause speaks of is chosen by going from the latest choice to the first; ``proof.treelrat`` says why.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from puzzlesat.arrays import Bytes, Ints, Longs, Words
from puzzlesat.check.bits import ONE, add
from puzzlesat.check.kernels import compiled, part
from puzzlesat.check.lratfile import ADD, DELETE
from puzzlesat.proof.lrat import put, put_end, put_kind
from puzzlesat.solvers.bits import lowest_bit, popcount

DEPTH, ENTERING, SETTLED, RESULT, LAST, FOUND, STEPS, WAITING, NOW, NEEDY, AT = range(11)
CONTROLS = 11
UNSETTLED = 1 << 40
NONE = -1


class Tables(NamedTuple):
    """What does not change. n options, m items, W words of a set of options; item m is none but has all options."""

    exclude: Words  # (n, W)
    pair: Longs  # (n, W) number of the first clause of two options, the first of them the row's, the other from the word on
    start: Ints  # CSR option → items
    item: Ints
    item_start: Longs  # CSR item → options; where the item needs one, those that are possible at first
    item_option: Ints
    low: Longs  # (m,)
    clause: Longs  # (m,) number of the clause that says that one of these options is chosen
    unit: Longs  # (n,) number of the clause that says that an option is not chosen, or 0
    forced: Longs  # numbers of the clauses of the forced options
    solutions: Ints  # (solutions, k) options, padded with -1
    blocking: int  # number of the clause of the first of them
    apart: bool  # no solution is a part of another: its clause names no options but its own


class State(NamedTuple):
    """Where the replay stands. Level 0 is the root; the choice of level l leads from the node of level l - 1 to that of level l."""

    possible: Words  # (levels, W)
    choice: Ints  # (levels,) an option, or NONE where those of the item are ruled out
    branched: Ints  # (levels,) the item that the node of a level branches on
    cursor: Longs  # (levels,) where its next option may be
    forked: Ints  # (levels,) the last level up to this one whose node has several branches, or -1
    first: Longs  # (levels,) where the clauses of a node's branches begin in ``waiting``
    waiting: Longs  # numbers of clauses of branches; negative where the clause is not to be deleted
    needs: Bytes  # (levels, levels) the choices in the clauses of a node's branches
    plus: Words  # (levels, W) and the positive literals
    mark: Bytes  # (levels,) the choices in the clause made last
    mark_plus: Words  # (W,)
    removed: Ints  # (n,) the choice that has last ruled an option out, or 0
    chosen: Bytes  # (n,)
    stamp: Longs  # (n,) NOW where the option is false already in the clause being made
    head: Ints  # (levels,) lists of options that must be ruled out, by the choice that has first done it
    following: Ints  # entries of the lists: the next one, the option, the last choice that may be the reason
    entry: Ints
    limit: Ints
    control: Longs  # DEPTH; ENTERING a node; the SETTLED level or UNSETTLED; RESULT clause; LAST number; FOUND solutions; STEPS;
    # WAITING clauses; NOW; NEEDY items; AT which number of the tree's chunk


@compiled
def pair_number(exclude: Words, pair: Longs, one: int, other: int) -> int:
    """Return the number of the clause that two options that exclude each other are not both chosen."""
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
def follows_from(s: State, level: int) -> int:
    """Return the last choice up to a level that had an alternative: later ones follow from it and those before."""
    return s.forked[level - 1] + 1 if level > 0 else 0


@part
def reason(t: Tables, s: State, option: int, first: int, last: int) -> int:
    """Return the first choice of the clause being made, from a level to another, that excludes an option; 0 where there is none."""
    for level in range(first, last + 1):
        if s.mark[level] and s.choice[level] >= 0 and has(t.exclude[s.choice[level]], option):
            return level
    return 0


@part
def want(t: Tables, s: State, item: int, level: int, entries: int) -> int:
    """Note the options of an item that are not possible at a level: each must be ruled out. Returns the number of entries."""
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
    """Add to the clause the choices and positive literals that rule out what must be; ``item`` is the one of the node or NONE."""
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
    """Write the clauses by which the options of an item that are not possible at a level become false."""
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
    """Write the number and literals of the step that makes what is marked a clause, and the reasons for choices without alternative."""
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
    """End the step. What is marked then is what the clause speaks of: no choice without alternative."""
    for here in range(follows_from(s, level) + 1, level + 1):
        s.mark[here] = 0
    s.control[RESULT] = s.control[LAST]
    return put_end(out, size, text)


@part
def put_deletion(s: State, level: int, out: Bytes, size: int, text: bool) -> int:
    """Delete the clauses of a node's branches, which are needed no more."""
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
    """Make the clause of a solution; it is the one of the formula where that names nothing but choices."""
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
    """Make the clause of a node from those of its branches, which are deleted then; a dead end has none."""
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
