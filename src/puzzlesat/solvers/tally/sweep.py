"""Count without storing the shapes, position by position, if any tile may be used any number of times.

At each position there is a frontier: the possible states of the positions from there on, with the number of ways to each. Only two
neighbouring frontiers are needed. States are numbers whose highest bit is the next position. So a frontier in ascending order stays in
order when a move is made in all states that allow it, and the next frontier is the merge of a few sorted streams. Nothing is hashed or
sorted.

The inner loop, compiled by numba, merges sorted streams of states into one and adds up the ways of equal states.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from puzzlesat.base import Longs, Words
from puzzlesat.kernels import compiled
from puzzlesat.solvers.tally.disk import in_memory, pile
from puzzlesat.solvers.tally.moves import Moves, Record
from puzzlesat.solvers.tally.shapes import TooLargeError, Work

ZERO, ONE = np.uint64(0), np.uint64(1)
NONE = np.uint64(0xFFFFFFFFFFFFFFFF)
"""Head of a stream that has ended. It is no state, because shifted states are even."""


class Frontier(NamedTuple):
    """The states at a position in ascending order, and the number of ways to each."""

    key: Words  # (n,) the positions from here on, the first one in the highest bit: 1 if filled
    ways: Words  # (n, limbs) the lowest 64 bits first


class Streams(NamedTuple):
    """The results of each move in the states between two indices of a frontier. A mask of 0 leaves states as they are."""

    mask: Words  # (k,)
    at: Longs  # (k,) index of the current state
    end: Longs  # (k,)
    head: Words  # (k,) scratch: the next result of each stream


@compiled
def merge(before: Frontier, s: Streams, top: int, after: Frontier) -> tuple[int, int]:
    """Fill ``after`` with the results of the streams, one position on.

    Adding a mask to the states that it does not touch keeps their order, so each stream is sorted. Return the number of states and the
    largest highest limb of their ways. ``top`` is the highest bit of a state.
    """
    made, most = 0, ZERO
    limbs, wide = before.ways.shape[1], after.ways.shape[1]
    inside = ~np.uint64(top)
    key = before.key
    for k in range(s.mask.size):
        at, end, mask = s.at[k], s.end[k], s.mask[k]
        while at < end and key[at] & mask:
            at += 1
        s.at[k] = at
        s.head[k] = ((key[at] | mask) & inside) << ONE if at < end else NONE
    while True:
        least = NONE
        for k in range(s.mask.size):
            least = min(least, s.head[k])
        if least == NONE:
            return made, np.int64(min(most, np.uint64(0x7FFFFFFFFFFFFFFF)))
        after.key[made] = least
        for w in range(wide):
            after.ways[made, w] = ZERO
        for k in range(s.mask.size):
            if s.head[k] != least:
                continue
            at, end, mask = s.at[k], s.end[k], s.mask[k]
            carry = ZERO
            for w in range(limbs):
                part = before.ways[at, w] + carry
                carry = ONE if part < carry else ZERO
                total = after.ways[made, w] + part
                carry += ONE if total < part else ZERO
                after.ways[made, w] = total
            if wide > limbs:
                after.ways[made, limbs] += carry
            at += 1
            while at < end and key[at] & mask:
                at += 1
            s.at[k] = at
            s.head[k] = ((key[at] | mask) & inside) << ONE if at < end else NONE
        most = max(most, after.ways[made, wide - 1])
        made += 1


STATES_A_TURN = 1 << 20
"""States that one core merges in a turn."""
SAMPLES = 64
"""States of each turn that are sampled to split the next frontier evenly."""
WORD = 64
NOTHING_LAID = (1,)
"""The number of ways to the empty form, in words, the lowest first."""


def can_sweep(moves: Moves, record: Record) -> bool:
    """Return whether a problem can be swept: nothing is recorded but the filled positions, and they fit into one word."""
    return not record.fields and not moves.dying.shape[1] and moves.reach <= WORD


def sweep(moves: Moves, work: Work) -> int:
    """Return the number of ways to fill all positions.

    Raises TooLargeError if two frontiers fit neither into memory nor on the disk, or if there are more states than allowed.
    """
    reach = max(1, moves.reach)
    top = 1 << (reach - 1)
    masks = _mirrored(moves.mask[:, 0], reach)
    now = Frontier(np.zeros(1, dtype=np.uint64), np.array([NOTHING_LAID], dtype=np.uint64))
    most, begin = NOTHING_LAID[-1], 0
    if work.disk is not None and (state := work.disk.checkpoint()) is not None:
        now, most, begin = _taken_up(state, work)
    with ThreadPoolExecutor(work.cores) as pool:
        for place in range(begin, len(moves.optional)):
            here = masks[moves.start[place] : moves.start[place + 1]]
            work.share = place / len(moves.optional)
            now, most = _step(now, most, here, bool(moves.optional[place]), top, work, pool, place + 1)
    assert len(now.key) <= 1, "nothing lies beyond the last position"
    return sum(int(limb) << (WORD * w) for w, limb in enumerate(now.ways[0])) if len(now.key) else 0


def _taken_up(state: dict[str, Any], work: Work) -> tuple[Frontier, int, int]:
    """Return the frontier of a checkpoint, the largest highest limb of its ways, and its position."""
    assert work.disk is not None
    like = Frontier(np.empty(0, dtype=np.uint64), np.empty((0, state["limbs"]), dtype=np.uint64))
    place, states = state["place"], state["states"]
    work.states, work.widest = state["states_so_far"], state["widest"]
    key, ways = (work.disk.mapped(f"{place}.{i}", column, states) for i, column in enumerate(like))
    return Frontier(key, ways), state["most"], place


def _mirrored(masks: Words, reach: int) -> Words:
    """Return the masks with their lowest bit as the highest of a state."""
    found = np.zeros_like(masks)
    for i in range(reach):
        found |= ((masks >> np.uint64(i)) & np.uint64(1)) << np.uint64(reach - 1 - i)
    return found


def _step(
    now: Frontier, most: int, masks: Words, optional: bool, top: int, work: Work, pool: ThreadPoolExecutor, place: int
) -> tuple[Frontier, int]:
    """Return the next frontier, at ``place``, and the largest highest limb of its ways."""
    filled = int(np.searchsorted(now.key, np.uint64(top)))
    none = np.zeros(1, dtype=np.uint64)
    mask = np.concatenate([none, *([none] if optional else []), masks])
    begin = np.array([filled] + [0] * (len(mask) - 1))
    end = np.array([len(now.key)] + [filled] * (len(mask) - 1))
    limbs = now.ways.shape[1] + ((most + 1) * len(mask) >= 1 << (WORD - 1))
    bound = int((end - begin).sum())
    in_use = in_memory(*now)
    turns = _cuts(now.key, mask, begin, end, top, -(-bound // STATES_A_TURN))
    widest = max(int((b - a).sum()) for a, b in pairwise(turns))
    room = max(0, (work.memory - in_use) // (8 * (1 + limbs)) - work.cores * widest)
    disk = work.disk if bound > room else None
    most = 0
    with pile(min(bound, room), _empty(0, limbs), disk=disk, name=str(place)) as after:
        for part, highest in _merged(
            now, [Streams(mask, a.copy(), b, np.empty_like(mask)) for a, b in pairwise(turns)], top, limbs, work, pool
        ):
            if after.entries + len(part.key) > after.room:
                raise TooLargeError(
                    f"frontiers of {after.entries + len(part.key):,} states and more need more than {work.memory >> 20:,} MiB; "
                    "allow more with --memory, or give a folder with --disk"
                )
            after.add(*part)
            most = max(most, highest)
            if work.most is not None and work.states + after.entries > work.most:
                raise TooLargeError(f"more than {work.most:,} states, the most that auto allows; --solver tally tries more")
            work.tell("states", work.states + after.entries)
    made = Frontier(*after.columns)
    work.states += len(made.key)
    work.widest = max(work.widest, len(made.key))
    work.peak = max(work.peak, in_use + in_memory(*made))
    if disk is not None:
        state = {"place": place, "states": len(made.key), "limbs": limbs, "most": most}
        disk.save([f"{place}.0", f"{place}.1"], **state, states_so_far=work.states, widest=work.widest)
    return made, most


def _merged(
    now: Frontier, turns: list[Streams], top: int, limbs: int, work: Work, pool: ThreadPoolExecutor
) -> Iterator[tuple[Frontier, int]]:
    """Yield the parts of the next frontier in ascending order, each with the largest highest limb of its ways."""
    for i in range(0, len(turns), work.cores):
        some = turns[i : i + work.cores]
        sides = [_empty(int((s.end - s.at).sum()), limbs) for s in some]
        running = [pool.submit(merge, now, s, top, side) for s, side in zip(some, sides, strict=True)]
        for side, future in zip(sides, running, strict=True):
            count, highest = future.result()
            yield Frontier(side.key[:count], side.ways[:count]), highest


def _empty(states: int, limbs: int) -> Frontier:
    """Return a frontier with room for ``states`` states."""
    return Frontier(np.empty(states, dtype=np.uint64), np.empty((states, limbs), dtype=np.uint64))


def _cuts(key: Words, mask: Words, begin: Longs, end: Longs, top: int, turns: int) -> list[Longs]:
    """Return where to cut the streams, so that each turn makes all states between two borders: (turns + 1) rows of indices."""
    if turns < 2:
        return [begin, end]
    every = max(1, int((end - begin).sum()) // (turns * SAMPLES))
    inside = np.uint64(top - 1)
    samples = []
    for m, a, b in zip(mask, begin, end, strict=True):
        some = key[a:b:every]
        samples.append((some[some & m == 0] | m) & inside)
    states = np.sort(np.concatenate(samples))
    if not len(states):  # no sampled state allows a move, so there is little to do
        return [begin, end]
    borders = np.unique(states[len(states) * np.arange(1, turns) // turns])
    rows = [begin]
    tops = np.where(begin > 0, np.uint64(top), np.uint64(0))  # the first stream has this bit in all its states, the others in none
    for border in borders:  # cut where state + mask reaches the border; states that do not allow the move may lie on either side
        low = np.maximum(border.astype(np.int64) - (mask & inside).astype(np.int64), 0).astype(np.uint64) | tops
        rows.append(np.clip(np.searchsorted(key, low), begin, end))
    return [*rows, end]
