"""Counting by a sweep over the positions, with nothing kept but two neighbouring frontiers.

After each position there is one number of ways a state: what is filled beyond it, and what is used (see ``merging``). How states hang
together is never kept. For tiles without limit, of which the states are the shapes themselves, this goes far beyond those that fit into
memory as a graph. It is the dynamic programme over broken profiles of the textbooks, but for the frontiers, which are sorted and merged.
"""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from time import monotonic

import numpy as np

from puzzlesat.arrays import Longs
from puzzlesat.errors import PuzzleError
from puzzlesat.solvers.tally import merging
from puzzlesat.solvers.tally.levels import Work
from puzzlesat.solvers.tally.merging import Frontier, Streams
from puzzlesat.solvers.tally.moves import REFUSE, Moves, Record
from puzzlesat.solvers.tally.shapes import TooLargeError
from puzzlesat.solvers.tally.stored import Folder, drop_frontier, keep_frontier, kept_frontier, new_frontier, open_folder, remove_folder

KEY_BITS = 63
STATES_A_TURN = 1 << 20
"""States of a frontier that a core goes through at once."""
SECONDS_TO_KEEP: float = 120
"""After so many a frontier is kept on disk, if there is a folder for that."""


def can_sweep(moves: Moves, record: Record) -> bool:
    """Tell whether each move keeps the order of the states that it is made from, and states fit into a word."""
    ordered = moves.dying.shape[1] == 0 and all(field.kind == REFUSE for field in record.fields)
    return ordered and record.bits + _window(moves) <= KEY_BITS


def sweep(moves: Moves, record: Record, most: int | None, work: Work, disk: Path | None = None) -> Counter[int]:
    """Return the number of solutions by the record that they end with.

    With a folder ``disk`` two frontiers may be larger than ``work.memory`` bytes, and a run that was ended goes on with the last one kept.
    Raises TooLargeError for a frontier of more than ``most`` states, and for two that do not fit; PuzzleError for what the folder cannot
    take.
    """
    folder = None if disk is None else open_folder(disk, _fingerprint(moves, record))
    frontier = _through(moves, record, most, work, folder)
    if folder is not None:
        remove_folder(folder)
    ways = [sum(int(word) << 64 * w for w, word in enumerate(column)) for column in frontier.ways.T]
    records = frontier.key >> np.uint64(_window(moves))
    good = np.ones(len(records), dtype=bool)
    for field in record.fields:
        good &= field.holds(records)
    return Counter({int(key): number for key, number, right in zip(records, ways, good, strict=True) if right})


def _through(moves: Moves, record: Record, most: int | None, work: Work, folder: Folder | None) -> Frontier:
    """Go through all positions; now and then, and when the work is stopped, the frontier is kept in the folder."""
    begin, frontier = 0, Frontier(np.zeros(1, dtype=np.uint64), np.ones((1, 1), dtype=np.uint64))
    if folder is not None and (kept := kept_frontier(folder)) is not None:
        begin, frontier = kept
    kept_at = monotonic()
    for position in range(begin, len(moves.optional)):
        try:
            after = _next(_streams(moves, record, position), frontier, most, work, folder, position + 1)
        except BaseException:
            if folder is not None and position > begin:
                with suppress(PuzzleError):  # what is wrong with the folder is being said already
                    keep_frontier(folder, position, frontier)
            raise
        work.states += len(after.key)
        if folder is not None:
            drop_frontier(folder, position)
            if monotonic() - kept_at > SECONDS_TO_KEEP:
                keep_frontier(folder, position + 1, after)
                kept_at = monotonic()
        frontier = after
    return frontier


def _fingerprint(moves: Moves, record: Record) -> str:
    """A name for all that the numbers depend on."""
    parts = [np.array([record.bits]), *moves, *record.labels]
    return sha256(b"".join(f"{a.dtype}{a.shape}".encode() + np.ascontiguousarray(a).tobytes() for a in parts)).hexdigest()


def _window(moves: Moves) -> int:
    """The bits of the window."""
    return max(1, moves.reach)


def _streams(moves: Moves, record: Record, position: int) -> Streams:
    """What can be done at a position: it is filled already, it stays empty, or a move fills it."""
    reach, labels = _window(moves), record.labels
    rows: list[tuple[int, int, int]] = [(0, 1, 0)]
    rooms: list[list[tuple[int, int, int]]] = [[]]
    if moves.optional[position]:
        rows.append((1, 0, 1))
        rooms.append([])
    for move in range(moves.start[position], moves.start[position + 1]):
        label, mask = int(moves.label[move]), int(moves.mask[move, 0])
        wide = range(labels.start[label], labels.start[label + 1])
        fields = [(int(labels.shift[e]) + reach, int(labels.mask[e]), int(labels.cap[e] - labels.amount[e])) for e in wide]
        more = sum(int(labels.amount[e]) << (int(labels.shift[e]) + reach) for e in wide)
        rows.append((mask | int(labels.zero[label]) << reach, 0, mask + more + (int(labels.add[label]) << reach)))
        rooms.append(fields)
    zero, one, add = np.array(rows, dtype=np.uint64).T.copy()
    shift, mask, most = np.array([field for fields in rooms for field in fields], dtype=np.uint64).reshape(-1, 3).T.copy()
    start = np.concatenate([[0], np.cumsum([len(fields) for fields in rooms])]).astype(np.int64)
    return Streams(zero, one, add, start, shift, mask, most, np.uint64((1 << reach) - 1))


def _next(s: Streams, f: Frontier, most: int | None, work: Work, folder: Folder | None, position: int) -> Frontier:
    """Return the frontier after one more position; its numbers get another word where they need it."""
    turns = _turns(s, f)
    nothing = Frontier(np.empty(0, dtype=np.uint64), np.empty((len(f.ways), 0), dtype=np.uint64))
    sizes = _in_turns(s, f, nothing, turns, np.zeros(len(turns), dtype=np.int64), work, write=False)
    rows = np.concatenate([[0], np.cumsum(sizes)])
    if most is not None and rows[-1] > most:
        raise TooLargeError(f"more than {most:,} shapes at once, as many as auto lets it try; --solver tally tries more")
    while True:
        out = _room(f, int(rows[-1]), work, folder, position)
        if merging.TOO_WIDE not in _in_turns(s, f, out, turns, rows, work, write=True):
            return out
        f = Frontier(f.key, np.concatenate([f.ways, np.zeros_like(f.ways[:1])]))


def _room(f: Frontier, rows: int, work: Work, folder: Folder | None, position: int) -> Frontier:
    """Room for the frontier after another: in memory where both fit, else in a file."""
    words = len(f.ways)
    need = 8 * (1 + words) * (len(f.key) + rows)
    if need <= work.memory:
        work.peak = max(work.peak, need)
        return Frontier(np.empty(rows, dtype=np.uint64), np.empty((words, rows), dtype=np.uint64))
    if folder is None:
        what = f"a frontier of {rows:,} states and the one before need {need >> 20:,} MiB"
        raise TooLargeError(f"{what}; allow more with --memory, or a folder for them with --disk")
    return new_frontier(folder, position, words, rows)


def _turns(s: Streams, f: Frontier) -> list[tuple[Longs, Longs]]:
    """Part the next frontier: from where to where each stream is merged in each part."""
    count = 1 + len(f.key) // STATES_A_TURN
    keys = f.key[np.arange(1, count) * len(f.key) // count]
    pivots = np.unique((keys & ~s.window) | ((keys & s.window) >> np.uint64(1)))
    bounds = [np.zeros(len(s.add), dtype=np.int64)]
    for pivot in pivots.tolist():
        window = int(s.window)
        least = (pivot & ~window) + ((pivot & window) << 1)  # a state leads beyond the pivot if its key and what is added are not less
        bounds.append(np.searchsorted(f.key, np.array([max(0, least - int(add)) for add in s.add], dtype=np.uint64)))
    bounds.append(np.full(len(s.add), len(f.key), dtype=np.int64))
    return list(pairwise(bounds))


def _in_turns(
    s: Streams, f: Frontier, out: Frontier, turns: list[tuple[Longs, Longs]], rows: Longs, work: Work, *, write: bool
) -> list[int]:
    """Merge part after part, on several cores; returns what ``merge`` returns for each."""

    def turn(number: int) -> int:
        begin, end = turns[number]
        ahead, sums = np.empty(len(begin), dtype=np.uint64), np.empty(len(f.ways), dtype=np.uint64)
        return int(merging.merge(s, f, begin.copy(), end, ahead, sums, out, int(rows[number]), write))

    if len(turns) == 1:
        work.go_on(work.states)
        return [turn(0)]
    with ThreadPoolExecutor(work.cores) as pool:
        waiting = [pool.submit(turn, number) for number in range(len(turns))]
        try:
            for future in waiting:
                future.result()
                work.go_on(work.states)
        finally:
            for future in waiting:
                future.cancel()
        return [future.result() for future in waiting]
