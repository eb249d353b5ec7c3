"""Counting without storing the shapes, where any tile may be used any number of times: one position after the other.

At each position there is a frontier: the states that the positions from there on can be in, with the number of ways to each. Only two
neighbouring frontiers are needed. States are numbers whose highest bit is the next position. So a frontier in ascending order stays in
order when a move is made in all states that allow it, and the next frontier is the merge of a few sorted streams: nothing is hashed or
sorted.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from time import monotonic

import numpy as np

from puzzlesat.arrays import Longs, Words
from puzzlesat.errors import PuzzleError
from puzzlesat.solvers.tally.merge import Frontier, Streams, merge
from puzzlesat.solvers.tally.moves import Moves, Record
from puzzlesat.solvers.tally.shapes import TooLargeError
from puzzlesat.solvers.tally.stored import Folder, Growing, drop_frontier, keep_frontier, kept_frontier, open_folder, remove_folder

STATES_A_TURN = 1 << 20
"""States that one core merges before the next ones are handed out."""
SECONDS_TO_KEEP: float = 120
"""After so many a frontier is kept on disk, if there is a folder for that."""
SAMPLES = 64
"""States of each turn that are looked at to part the next frontier evenly."""
WORD = 64
NOTHING_LAID = (1,)
"""The ways to the empty form, in words, the lowest first."""


@dataclass
class Sweep:
    """What was done, and what watches over it."""

    memory: int
    cores: int
    go_on: Callable[[int], None]
    """Called now and then with the number of states so far; may raise."""
    most: int | None = None
    """States of a frontier beyond which it gives up."""
    disk: Path | None = None
    """A folder for frontiers that do not fit, and for one to go on from."""
    states: int = 0
    widest: int = 0
    """The states of the largest frontier."""
    peak: int = 0


def can_sweep(moves: Moves, record: Record) -> bool:
    """Tell whether a problem can be counted so: nothing is recorded but what is filled, and that in one word."""
    return not record.fields and not moves.dying.shape[1] and moves.reach <= WORD


def sweep(moves: Moves, work: Sweep) -> int:
    """Return the number of ways to fill all positions.

    With a folder ``work.disk`` frontiers may be larger than ``work.memory``, and a run that was ended goes on from the last one kept.
    Raises TooLargeError where frontiers do not fit, or states are more than wanted; PuzzleError for what the folder cannot take.
    """
    folder = None if work.disk is None else open_folder(work.disk, _fingerprint(moves))
    last = _through(moves, work, folder)
    assert len(last.key) <= 1, "nothing lies beyond the last position"
    ways = sum(int(limb) << (WORD * w) for w, limb in enumerate(last.ways[0])) if len(last.key) else 0
    if folder is not None:
        remove_folder(folder)
    return ways


def _through(moves: Moves, work: Sweep, folder: Folder | None) -> Frontier:
    """Go through all positions; now and then, and where the work is stopped, a frontier is kept in the folder."""
    reach = max(1, moves.reach)
    masks = _mirrored(moves.mask[:, 0], reach)
    begin, now = 0, Frontier(np.zeros(1, dtype=np.uint64), np.array([NOTHING_LAID], dtype=np.uint64))
    if folder is not None and (kept := kept_frontier(folder)) is not None:
        begin, now = kept
    most = int(now.ways[:, -1].max(initial=0))
    kept_at = monotonic()
    with ThreadPoolExecutor(work.cores) as pool:
        for place in range(begin, len(moves.optional)):
            here = masks[moves.start[place] : moves.start[place + 1]]
            turns = _turns(now, here, 1 << (reach - 1), optional=bool(moves.optional[place]))
            after = _room(now, most, turns, work, folder, place + 1)
            try:
                most = _step(now, turns, 1 << (reach - 1), after, work, pool)
            except BaseException:
                after.drop()
                if folder is not None and place > begin:
                    with suppress(PuzzleError):  # what is wrong with the folder is being said
                        keep_frontier(folder, place, now)
                raise
            now = after.done()
            if folder is not None:
                drop_frontier(folder, place)
                if monotonic() - kept_at > SECONDS_TO_KEEP:
                    keep_frontier(folder, place + 1, now)
                    kept_at = monotonic()
    return now


def _fingerprint(moves: Moves) -> str:
    """A name for all that the numbers depend on."""
    parts = (moves.start, moves.mask, moves.optional)
    return sha256(b"".join(f"{a.dtype}{a.shape}".encode() + np.ascontiguousarray(a).tobytes() for a in parts)).hexdigest()


def _mirrored(masks: Words, reach: int) -> Words:
    """The masks with their lowest bit as the highest of a state."""
    found = np.zeros_like(masks)
    for i in range(reach):
        found |= ((masks >> np.uint64(i)) & np.uint64(1)) << np.uint64(reach - 1 - i)
    return found


def _turns(now: Frontier, masks: Words, top: int, *, optional: bool) -> list[Streams]:
    """Part what the moves make of a frontier into turns that follow one another."""
    filled = int(np.searchsorted(now.key, np.uint64(top)))
    none = np.zeros(1, dtype=np.uint64)
    mask = np.concatenate([none, *([none] if optional else []), masks])
    begin = np.array([filled] + [0] * (len(mask) - 1))
    end = np.array([len(now.key)] + [filled] * (len(mask) - 1))
    cuts = _cuts(now.key, mask, begin, end, top, -(-int((end - begin).sum()) // STATES_A_TURN))
    return [Streams(mask, a.copy(), b, np.empty(len(mask), dtype=np.uint64)) for a, b in pairwise(cuts)]


def _room(now: Frontier, most: int, turns: list[Streams], work: Sweep, folder: Folder | None, place: int) -> Growing:
    """Room for the frontier that the turns make, as far as there is memory; ``most`` is the largest highest limb of the ways so far."""
    bound = sum(int((s.end - s.at).sum()) for s in turns)
    limbs = now.ways.shape[1] + ((most + 1) * len(turns[0].mask) >= 1 << (WORD - 1))
    room = max(0, work.memory - now.key.nbytes - now.ways.nbytes) // (8 * (1 + limbs))
    return Growing(min(bound, room), limbs, folder, place)


def _step(now: Frontier, turns: list[Streams], top: int, after: Growing, work: Sweep, pool: ThreadPoolExecutor) -> int:
    """Fill the next frontier, turn after turn; returns the largest highest limb of its ways."""
    limbs, most = after.ways.shape[1], 0
    for i in range(0, len(turns), work.cores):
        some = turns[i : i + work.cores]
        sides = [_empty(int((s.end - s.at).sum()), limbs) for s in some]
        running = [pool.submit(merge, now, s, top, side) for s, side in zip(some, sides, strict=True)]
        wait(running)
        for side, future in zip(sides, running, strict=True):
            count, highest = future.result()
            try:
                after.add(side.key[:count], side.ways[:count])
            except TooLargeError:
                what = f"a frontier of more than {after.made:,} states and the one before need more than {work.memory >> 20:,} MiB"
                raise TooLargeError(f"{what}; allow more with --memory, or a folder for them with --disk") from None
            most = max(most, highest)
        if work.most is not None and after.made > work.most:
            raise TooLargeError(f"more than {work.most:,} shapes at once, as many as auto lets it try; --solver tally tries more")
        work.go_on(work.states + after.made)
    work.states += after.made
    work.widest = max(work.widest, after.made)
    if not after.files:
        work.peak = max(work.peak, now.key.nbytes + now.ways.nbytes + 8 * (1 + limbs) * after.made)
    return most


def _empty(states: int, limbs: int) -> Frontier:
    """Room for so many states."""
    return Frontier(np.empty(states, dtype=np.uint64), np.empty((states, limbs), dtype=np.uint64))


def _cuts(key: Words, mask: Words, begin: Longs, end: Longs, top: int, turns: int) -> list[Longs]:
    """Where to cut the streams, so that each turn makes all that lies between two states: (turns + 1) rows of places."""
    if turns < 2:
        return [begin, end]
    every = max(1, int((end - begin).sum()) // (turns * SAMPLES))
    inside = np.uint64(top - 1)
    samples = []
    for m, a, b in zip(mask, begin, end, strict=True):
        some = key[a:b:every]
        samples.append((some[some & m == 0] | m) & inside)
    states = np.sort(np.concatenate(samples))
    borders = np.unique(states[len(states) * np.arange(1, turns) // turns])
    rows = [begin]
    tops = np.where(begin > 0, np.uint64(top), np.uint64(0))  # the first stream has it in all its states, the others in none
    for border in borders:  # where state + mask reaches the border; states that do not allow the move may lie on either side
        low = np.maximum(border.astype(np.int64) - (mask & inside).astype(np.int64), 0).astype(np.uint64) | tops
        rows.append(np.clip(np.searchsorted(key, low), begin, end))
    return [*rows, end]
