"""Find the n-th solution without listing those before it: one walk through the shapes, guided by numbers of completions.

A state of a filling is a shape and the record of the tiles used. First the number of ways to complete each state is counted, and only the
states with these numbers are kept. Then a solution is found by one walk from the empty form. If all solutions end with the same record, the
states of the first positions are found from the empty form, and the states of the last positions from the full form, the smaller side
first. Each half then omits most of the useless states that a search from the other end would find.

The order of the solutions is that of ``in_order``: a move is made at the first empty position, and the moves possible there come in the
order of their numbers.

``by_sums`` counts how many solutions have each sum of weights, so one count answers the question for all sets of tiles at once. The tally
keeps a record of the tiles used beside each shape in any case. So the solutions need only be added up by their final record.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import accumulate, pairwise

import numpy as np

from puzzlesat.base import (
    SILENT,
    Clock,
    ContradictionError,
    Flags,
    Ints,
    Limits,
    Longs,
    NoMemoryError,
    NotSupportedError,
    Outcome,
    Progress,
    Rows,
    Words,
)
from puzzlesat.puzzles import CoverProblem
from puzzlesat.solvers.tally import growth, pull
from puzzlesat.solvers.tally.levels import Edges, count_ways
from puzzlesat.solvers.tally.moves import REFUSE, SATURATE, WRAP, Labels, Moves, Record, make_moves, positions_of, scan_order
from puzzlesat.solvers.tally.pull import States
from puzzlesat.solvers.tally.shapes import GoOn, ShapeGraph, TooLargeError, Work, find_shapes, pockets_of
from puzzlesat.solvers.tally.solve import NAME, StoppedError, heeding_clock, without_frames

FIRST_STATES = 1 << 16
GROWTH = 1.5
"""Factor by which a full array grows."""
SHAPES_A_TURN = STATES_A_TURN = 1 << 16
FIRST_WORDS = 1
"""Words of a number at first. If numbers do not fit, the number of words is doubled."""
PLACE_BYTES = 12
"""Bytes per shape for sorting the shapes."""
CAUTION = 2
"""Divisor of the predicted number of states, which may be too large."""
WORD = 64
"""Bits of a word of a number."""


@dataclass(frozen=True)
class CompletionCounts:
    """The states from which the end can be reached, and others, with their numbers of completions."""

    states: States
    ways: Words
    """Array (states, words): the number of ways to complete a state, the lowest word first."""

    def of(self, shape: int, record: int) -> int:
        """Return the number of ways to complete a shape with a record of the tiles used."""
        begin, stop = int(self.states.begin[shape]), int(self.states.stop[shape])
        at = begin + int(np.searchsorted(self.states.record[begin:stop], record))
        if at == stop or int(self.states.record[at]) != record:
            return 0
        return sum(word << (WORD * i) for i, word in enumerate(self.ways[at].tolist()))


def find_completions(shapes: ShapeGraph, record: Record, work: Work) -> CompletionCounts:
    """Find the states and count their completions exactly. ``shapes`` must have their looks.

    Raises TooLargeError if this needs more than ``work.memory`` bytes.
    """
    slices = _by_position(shapes)
    states = _find_states(shapes, slices, record, work)
    words = FIRST_WORDS
    while (ways := _count(shapes, slices, record, states, words, work)) is None:
        words *= 2
    return CompletionCounts(states, ways)


def _by_position(shapes: ShapeGraph) -> list[Ints]:
    """Return the shapes by their first empty position."""
    assert shapes.looks is not None
    order = np.argsort(shapes.looks.first, kind="stable").astype(np.int32)
    return np.split(order, np.searchsorted(shapes.looks.first[order], np.arange(1, shapes.depth + 1)))


def _find_states(shapes: ShapeGraph, slices: list[Ints], record: Record, work: Work) -> States:
    """Find the states, the records of each shape in ascending order."""
    to_shape: Edges = growth.turn_round(shapes.start, shapes.to, shapes.label)
    from_shape: Edges = (shapes.start, shapes.to, shapes.label)
    nowhere = np.zeros(shapes.size, dtype=np.bool_)
    lists = _SolutionLists(shapes, record, work, sum(a.nbytes for a in to_shape))
    front, back = 1, len(slices)
    ahead = behind = 0
    first = last = 0.0
    while front < back:
        if record.target is None or ahead <= behind:
            more = lists.extend(slices[front], to_shape, nowhere)
            ahead, first = ahead + more, more / max(1, len(slices[front]))
            front += 1
        else:
            back -= 1
            more = lists.extend(slices[back], from_shape, shapes.accepts)
            behind, last = behind + more, more / max(1, len(slices[back]))
        if record.target is not None:
            lists.predict_room(min(first, last), sum(map(len, slices[front:back])))
    if record.target is not None:
        for some in slices[back:]:
            pull.turn_over(some, lists.states, record.target)
    lists.states.record.resize(lists.at, refcheck=False)
    return lists.states


class _SolutionLists:
    """The records of the shapes processed so far, one after the other in an array that grows."""

    def __init__(self, shapes: ShapeGraph, record: Record, work: Work, beside: int) -> None:
        self.work, self.labels = work, record.labels
        begin, stop = np.zeros((2, shapes.size), dtype=np.int64)
        stop[0] = 1  # nothing is used in the empty form
        dtype = np.uint32 if record.bits <= np.iinfo(np.uint32).bits else np.uint64
        self.states = States(begin, stop, np.zeros(FIRST_STATES, dtype=dtype))
        self.at = 1
        self.scratch = np.empty(FIRST_STATES, dtype=np.uint64)
        self.beside = shapes.bytes + beside + begin.nbytes + stop.nbytes + PLACE_BYTES * shapes.size
        """Bytes in use beside the lists."""
        self.room = (work.memory - self.beside) // (self.states.record.itemsize + FIRST_WORDS * WORD // 8)
        """Number of states, each with its number of completions, for which there is room."""

    def extend(self, some: Ints, edges: Edges, ends: Flags) -> int:
        """Find the records of some shapes; return the number of records."""
        before, begin = self.at, 0
        while begin < len(some):
            until = self.at + STATES_A_TURN
            turn = some[begin : begin + SHAPES_A_TURN]
            done, self.at = pull.spread(turn, self.at, until, edges, self.states, ends, self.labels, self.scratch)
            begin += done
            if done < len(turn) and self.at < until:
                self._make_room(int(some[begin]), edges)
            self.work.tell("states", self.at)
        return self.at - before

    def predict_room(self, per_shape: float, left: int) -> None:
        """Raise TooLargeError if room will run out: ``left`` shapes in the middle remain, with more than ``per_shape`` records each."""
        need = self.at + int(per_shape * left / CAUTION)
        if need > self.room:
            raise too_large(need, self.work, self.beside + need * (self.work.memory - self.beside) // max(1, self.room))

    def _make_room(self, shape: int, edges: Edges) -> None:
        """Make the arrays long enough for one more shape."""
        others = edges[1][edges[0][shape] : edges[0][shape + 1]]
        need = 1 + int((self.states.stop - self.states.begin)[others].sum())
        if need > len(self.scratch):
            self.scratch = np.empty(int(GROWTH * need), dtype=np.uint64)
        record = self.states.record
        if self.at + need > self.room:
            raise too_large(self.at, self.work)
        if self.at + need > len(record):
            record.resize(min(self.room, int(GROWTH * (self.at + need))), refcheck=False)


def _count(shapes: ShapeGraph, slices: list[Ints], record: Record, states: States, words: int, work: Work) -> Words | None:
    """Count the completions of all states in numbers of ``words`` words, from the last position to the first; None if one overflows."""
    in_use = shapes.bytes + sum(a.nbytes for a in states)
    if in_use + len(states.record) * words * WORD // 8 > work.memory:
        raise too_large(len(states.record), work)
    work.peak = max(work.peak, in_use + len(states.record) * words * WORD // 8)
    ways = np.zeros((len(states.record), words), dtype=np.uint64)
    ways[_ends(shapes, record, states), 0] = 1
    edges: Edges = (shapes.start, shapes.to, shapes.label)
    with ThreadPoolExecutor(work.cores) as pool:
        for some in reversed(slices):
            sizes = np.cumsum((states.stop - states.begin)[some])
            cuts = np.unique(np.searchsorted(sizes, np.arange(0, sizes[-1] if len(some) else 0, STATES_A_TURN)))
            bounds = [*cuts.tolist(), len(some)]
            turns = [pool.submit(pull.complete, some, one, last, edges, states, record.labels, ways) for one, last in pairwise(bounds)]
            for turn in turns:
                if turn.result():
                    return None
                work.tell("states", len(states.record))
    return ways


def _ends(shapes: ShapeGraph, record: Record, states: States) -> Longs:
    """Return the states that are complete solutions."""
    ends = np.flatnonzero(shapes.accepts)
    sizes = states.stop[ends] - states.begin[ends]
    places: Longs = np.repeat(states.begin[ends] - np.cumsum(sizes) + sizes, sizes) + np.arange(sizes.sum())
    good = np.ones(len(places), dtype=bool)
    for field in record.fields:
        good &= field.holds(states.record[places].astype(np.uint64))
    return places[good]


def too_large(states: int, work: Work, need: int = 0) -> TooLargeError:
    """Return the error for too little memory, with the memory needed at least, if known."""
    most = max(work.memory, need) >> 20
    return TooLargeError(
        f"{states:,} states and more, each with its number, need more than {most:,} MiB; allow more with --memory, or "
        "list them all with --solver backtrack"
    )


REMEMBERED = 1 << 16
"""Number of cached states with their successors. Most walks begin alike."""

Solution = Callable[[int], tuple[int, ...]]
"""Return the solution with a number, from 0, as ascending options."""
Look = tuple[int, int, int]
"""First empty position, filled positions from there on, and colours; the last two are bits of a number each."""


def numbered(problem: CoverProblem, limits: Limits, *, given: Sequence[int] = (), progress: Progress = SILENT) -> tuple[Outcome, Solution]:
    """Count the solutions that contain the options ``given``, so that each can be found by its number.

    Return the outcome, and a function that finds a solution by its number if the outcome is complete. Raises NotSupportedError if the tally
    cannot count the problem, and NoMemoryError if shapes or states need more memory than the limits allow.
    """
    problem.refuse_colouring(NAME)
    clock = Clock(limits)
    counters: dict[str, int] = {}

    try:
        count, solution = _numbered(problem, given, limits, counters, heeding_clock(clock, counters, progress))
    except StoppedError as stopped:
        return Outcome(NAME, 0, stopped.status, clock.seconds, counters), _nothing
    except (TooLargeError, MemoryError) as error:
        raise NoMemoryError(f"tally: {str(error) or 'memory ran out'}") from without_frames(error)
    return Outcome(NAME, count, "complete", clock.seconds, counters), solution


def _nothing(number: int) -> tuple[int, ...]:
    raise IndexError(number)


def _numbered(problem: CoverProblem, given: Sequence[int], limits: Limits, counters: dict[str, int], go_on: GoOn) -> tuple[int, Solution]:
    """Return the number of solutions, and a function that finds a solution by its number."""
    left = replace(problem, origin=None).settle(given)  # so that ``left.origin`` has the option numbers of this problem
    if left is None:
        return 0, _nothing
    work = Work.of(limits, go_on, {})
    moves, record, order = make_moves(left)
    shapes = find_shapes(moves, pockets_of(left, order, moves, record), work, looks=True)
    if not shapes.size:
        return 0, _nothing
    completions = find_completions(shapes, record, work)
    counters |= {"useful_shapes": shapes.size, "peak_mib": work.peak >> 20}
    chosen = {*problem.forced, *given}
    origin = np.arange(left.size) if left.origin is None else left.origin
    walk = _walk(moves, record, shapes, completions)
    return completions.of(0, 0), lambda number: tuple(sorted([*chosen, *origin[walk(number)].tolist()]))


def _walk(moves: Moves, record: Record, shapes: ShapeGraph, completions: CompletionCounts) -> Callable[[int], list[int]]:
    """Return a function that finds the moves of the solution with a number, from 0."""
    followers = _followers(moves, shapes)
    moved = _moved(record.labels)
    good = [field.holds for field in record.fields]

    @lru_cache(REMEMBERED)
    def choices(shape: int, used: int) -> tuple[list[int], list[tuple[int, int, int]]]:
        """Return the cumulative numbers of solutions of a state's successors, and the successors: move (-1: the end), shape and record."""
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


def _followers(moves: Moves, shapes: ShapeGraph) -> Callable[[int], Iterator[tuple[int, int]]]:
    """Return a function that yields the moves from a shape, and the shapes that they lead to, in the order of the solutions.

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
        """Move on to the first empty position, and forget the colours that no move can meet any more."""
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
    """Return whether a colour may meet the colour already there; see ``growth.colours_agree``."""
    return there == 0 or (there == value and there != every)


def _colours_of(moves: Moves, move: int) -> tuple[tuple[int, int, int], ...]:
    """Return the colours that a move gives: the shift of the field, its mask, the value."""
    span = slice(moves.colour_start[move], moves.colour_start[move + 1])
    at = moves.colour_word[span].astype(np.int64) * WORD + moves.colour_shift[span].astype(np.int64)
    return tuple(zip(at.tolist(), moves.colour_mask[span].tolist(), moves.colour_value[span].tolist(), strict=True))


def _as_numbers(words: Words) -> list[int]:
    """Return each row of words as one number, the lowest word first."""
    return [sum(word << (WORD * i) for i, word in enumerate(row)) for row in words.tolist()]


def _moved(labels: Labels) -> Callable[[int, int], int | None]:
    """Return a function from a label and a record to the record after the move, or None if it is refused; see ``pull.moved``."""
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


def in_order(problem: CoverProblem, rows: Rows, given: Sequence[int] = ()) -> Rows:
    """Return the solutions that contain the options ``given`` in their order; ``rows`` must have all of them.

    Positions are the items that are filled once, in the order in which the tally fills them. Of two solutions, the one with the lesser
    option at the first position that they fill differently comes first; an option comes before none.
    """
    left = replace(problem, origin=None).settle(given)  # so that ``left.origin`` has the option numbers of this problem
    if left is None or not rows.size:
        return rows
    place = np.zeros(problem.size + 1, dtype=np.int64)  # options of all solutions come first
    place[np.arange(problem.size) if left.origin is None else left.origin] = 1 + _places(left)
    place[-1] = problem.size + 1
    keys = np.sort(place[rows], axis=1)
    return rows[np.lexsort(keys.T[::-1])]


def _places(problem: CoverProblem) -> Longs:
    """Return the rank of each option, by its first position, and then by its number."""
    order = scan_order(problem, positions_of(problem))
    position = np.full(len(problem.items), len(order))
    position[order] = np.arange(len(order))
    first = np.full(problem.size, len(order))
    np.minimum.at(first, problem.rows, position[problem.item])
    place = np.empty(problem.size, dtype=np.int64)
    place[np.argsort(first, kind="stable")] = np.arange(problem.size)
    return place


Sums = tuple[int, ...]
"""The sum of the weights for each of some conditions."""


def by_sums(problem: CoverProblem, many: int, limits: Limits, *, progress: Progress = SILENT) -> tuple[Outcome, Counter[Sums]]:
    """Count the solutions by their sums for the first ``many`` conditions, whose weights must not be negative.

    Return the outcome, and the numbers of solutions by sums, which are usable only if the outcome is complete. Raises NotSupportedError if
    the tally cannot count the problem, and if shapes or states need more memory than the limits allow.
    """
    problem.refuse_colouring(NAME)
    clock = Clock(limits)
    counters: dict[str, int] = {}
    try:
        found = _by_sums(problem, many, limits, heeding_clock(clock, counters, progress))
    except StoppedError as stopped:
        return Outcome(NAME, 0, stopped.status, clock.seconds, counters), Counter()
    except (TooLargeError, MemoryError) as error:
        raise NotSupportedError(f"tally: {str(error) or 'memory ran out'}") from without_frames(error)
    return Outcome(NAME, sum(found.values()), "complete", clock.seconds, counters), found


def _by_sums(problem: CoverProblem, count: int, limits: Limits, go_on: GoOn) -> Counter[Sums]:
    chosen = [int(c.weights[list(problem.forced)].sum()) for c in problem.conditions[:count]]
    left = problem.settle()
    if left is None:
        return Counter()
    most = [min(left.longest * int(c.weights.max(initial=0)), int(c.weights.sum())) for c in left.conditions[:count]]
    bounded = [replace(c, high=min(c.high, reached)) for c, reached in zip(left.conditions[:count], most, strict=True)]
    if any(c.low > c.high for c in bounded):
        return Counter()
    left = replace(left, conditions=(*bounded, *left.conditions[count:]))
    moves, record, order = make_moves(left)
    work = Work.of(limits, lambda what, number, share=0.0: go_on(what, number), {})
    shapes = find_shapes(moves, pockets_of(left, order, moves, record), work)
    ways = count_ways(shapes, record, work)
    fields = {id(field.condition): field for field in record.fields}
    own = [fields[id(condition)] for condition in bounded]  # each has a field, because its limit is not above the greatest possible sum
    found: Counter[Sums] = Counter()
    for used, number in ways.items():
        sums = (total + (used >> field.shift & ((1 << field.bits) - 1)) for total, field in zip(chosen, own, strict=True))
        found[tuple(sums)] += number
    return +found
