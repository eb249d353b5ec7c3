"""The n-th solution without listing those before it: one walk through the shapes, by the numbers of completions.

Their order is that of ``order``: a move is made at the first empty position, and the moves that can be made there come by their numbers.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import accumulate

import numpy as np

from puzzlesat.arrays import Words
from puzzlesat.cover.problem import CoverProblem, refuse_colouring
from puzzlesat.cover.settle import settle
from puzzlesat.errors import ContradictionError, NoMemoryError
from puzzlesat.progress import SILENT, Progress
from puzzlesat.solvers.machine import all_cores, memory_within
from puzzlesat.solvers.run import COMPLETE, Clock, Limits, Outcome
from puzzlesat.solvers.tally.completions import WORD, Completions, find_completions
from puzzlesat.solvers.tally.levels import Work
from puzzlesat.solvers.tally.moves import REFUSE, SATURATE, WRAP, Labels, Moves, Record, make_moves
from puzzlesat.solvers.tally.shapes import Shapes, TooLargeError, find_shapes, pockets_of
from puzzlesat.solvers.tally.solve import NAME, StoppedError, heeding_clock, without_frames

REMEMBERED = 1 << 16
"""States of which it is remembered where they lead: most walks begin alike."""

Solution = Callable[[int], tuple[int, ...]]
"""Returns the solution with a number, from 0, as ascending options."""
Look = tuple[int, int, int]
"""First empty position, the positions filled from there on, the colours, the last two as bits of one number."""


def numbered(problem: CoverProblem, limits: Limits, *, given: Sequence[int] = (), progress: Progress = SILENT) -> tuple[Outcome, Solution]:
    """Count the solutions that contain the options ``given``, so that each can be had by its number.

    Returns the outcome, which is complete or stopped early, and what finds a solution, which is of use only where it is complete. Raises
    NotSupportedError where the tally cannot count the problem, and where shapes or states need more memory than the limits allow.
    """
    refuse_colouring(problem, NAME)
    clock = Clock(limits)
    counters: dict[str, int] = {}

    try:
        count, solution = _numbered(problem, given, limits, counters, heeding_clock(clock, counters, progress))
    except StoppedError as stopped:
        return Outcome(NAME, 0, stopped.status, clock.seconds, counters), _nothing
    except (TooLargeError, MemoryError) as error:
        raise NoMemoryError(f"tally: {str(error) or 'memory ran out'}") from without_frames(error)
    return Outcome(NAME, count, COMPLETE, clock.seconds, counters), solution


def _nothing(number: int) -> tuple[int, ...]:
    raise IndexError(number)


def _numbered(
    problem: CoverProblem, given: Sequence[int], limits: Limits, counters: dict[str, int], go_on: Callable[[str, int], None]
) -> tuple[int, Solution]:
    """The number of solutions, and what finds one of them."""
    left = settle(replace(problem, origin=None), given)  # what remembers the numbers of this problem
    if left is None:
        return 0, _nothing
    memory = memory_within(limits)
    moves, record, order = make_moves(left)
    shapes = find_shapes(moves, pockets_of(left, order, moves, record), memory, limits.shapes, lambda n: go_on("shapes", n), looks=True)
    if not shapes.size:
        return 0, _nothing
    work = Work(memory, limits.cores or all_cores(), lambda n: go_on("states", n))
    completions = find_completions(shapes, record, work)
    counters |= {"useful_shapes": shapes.size, "peak_mib": work.peak >> 20}
    chosen = {*problem.forced, *given}
    origin = np.arange(left.size) if left.origin is None else left.origin
    walk = _walk(moves, record, shapes, completions)
    return completions.of(0, 0), lambda number: tuple(sorted([*chosen, *origin[walk(number)].tolist()]))


def _walk(moves: Moves, record: Record, shapes: Shapes, completions: Completions) -> Callable[[int], list[int]]:
    """Return what finds the moves of the solution with a number, from 0."""
    followers = _followers(moves, shapes)
    moved = _moved(record.labels)
    good = [field.holds for field in record.fields]

    @lru_cache(REMEMBERED)
    def choices(shape: int, used: int) -> tuple[list[int], list[tuple[int, int, int]]]:
        """Where a state leads: how many solutions go there or to one before, and the move, the shape and the record; -1 at the end."""
        numbers: list[int] = []
        found: list[tuple[int, int, int]] = []
        for move, to in followers(shape):
            after = moved(int(moves.label[move]), used)
            ways = 0 if after is None else completions.of(to, after)
            if after is not None and ways:
                numbers.append(ways)
                found.append((int(moves.option[move]), to, after))
        if shapes.accepts[shape] and all(holds(np.array([used], dtype=np.uint64))[0] for holds in good):
            numbers.append(1)
            found.append((-1, shape, used))
        if sum(numbers) != completions.of(shape, used):
            raise ContradictionError("tally: what follows from a state is not as much as was counted")
        return list(accumulate(numbers)), found

    def walk(number: int) -> list[int]:
        options: list[int] = []
        move, shape, used = 0, 0, 0
        while move >= 0:
            numbers, found = choices(shape, used)
            here = bisect_right(numbers, number)
            number -= numbers[here - 1] if here else 0
            move, shape, used = found[here]
            options.append(move)
        return options[:-1]

    return walk


def _followers(moves: Moves, shapes: Shapes) -> Callable[[int], Iterator[tuple[int, int]]]:
    """Return what yields the moves from a shape, and the shapes that they lead to, in the order of the solutions.

    It does for one shape what ``growth.grow`` does for all.
    """
    looks = shapes.looks
    assert looks is not None
    n, words = len(moves.optional), moves.mask.shape[1]
    masks = _as_numbers(moves.mask)
    windows, colours = looks.key[:, :words], looks.key[:, words:]
    gives = [_colours_of(moves, move) for move in range(len(masks))] if moves.dying.shape[1] else [()] * len(masks)
    dying = _as_numbers(moves.dying)
    starts, optional = moves.start.tolist(), moves.optional.tolist()

    def step(first: int, window: int, colour: int) -> Look:
        """Go on to the first empty position and forget the colours that nothing can meet any more."""
        run = (~window & (window + 1)).bit_length() - 1
        for q in range(first + 1, first + run + 1):
            colour &= ~dying[q]
        return first + run, window >> run, colour

    def followers(shape: int) -> Iterator[tuple[int, int]]:
        to = shapes.to[shapes.start[shape] : shapes.start[shape + 1]]
        seen = zip(looks.first[to].tolist(), _as_numbers(windows[to]), _as_numbers(colours[to]), strict=True)
        ends = dict(zip(seen, to.tolist(), strict=True))
        first, (window,), (colour,) = int(looks.first[shape]), _as_numbers(windows[[shape]]), _as_numbers(colours[[shape]])
        while first < n:
            for move in range(starts[first], starts[first + 1]):
                if window & masks[move] or not all(_agree((colour >> at) & every, value, every) for at, every, value in gives[move]):
                    continue
                given = sum(value << at for at, _, value in gives[move])
                end = ends.get(step(first, window | masks[move], colour | given))
                if end is not None:
                    yield move, end
            if not optional[first]:
                return
            first, window, colour = step(first, window | 1, colour)

    return followers


def _agree(there: int, value: int, every: int) -> bool:
    """Whether a colour may meet what is there; see ``growth.colours_agree``."""
    return there == 0 or (there == value and there != every)


def _colours_of(moves: Moves, move: int) -> tuple[tuple[int, int, int], ...]:
    """The colours that a move gives: the place of the field, its bits, the value."""
    span = slice(moves.colour_start[move], moves.colour_start[move + 1])
    at = moves.colour_word[span].astype(np.int64) * WORD + moves.colour_shift[span].astype(np.int64)
    return tuple(zip(at.tolist(), moves.colour_mask[span].tolist(), moves.colour_value[span].tolist(), strict=True))


def _as_numbers(words: Words) -> list[int]:
    """Each row of words as one number, the lowest word first."""
    return [sum(word << (WORD * i) for i, word in enumerate(row)) for row in words.tolist()]


def _moved(labels: Labels) -> Callable[[int, int], int | None]:
    """Return what gives a record after a move with a label, or None where that may not be; see ``pull.moved``."""
    wide = (labels.shift.tolist(), labels.mask.tolist(), labels.amount.tolist(), labels.cap.tolist(), labels.kind.tolist())
    changes = list(zip(*wide, strict=True))
    add, zero, start = labels.add.tolist(), labels.zero.tolist(), labels.start.tolist()

    def moved(label: int, record: int) -> int | None:
        if record & zero[label]:
            return None
        record += add[label]
        for shift, mask, amount, cap, kind in changes[start[label] : start[label + 1]]:
            value = (record >> shift & mask) + amount
            if value > cap or (value == cap and kind == WRAP):
                if kind == REFUSE:
                    return None
                value = cap if kind == SATURATE else value - cap
            record = (record & ~(mask << shift)) | (value << shift)
        return record

    return moved
