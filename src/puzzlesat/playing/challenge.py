"""Starting positions with a given number of completions, from easy to hard; and the fewest pieces that leave only one completion.

A set of placements determines a solution if every other solution lacks some placement of the set. The smallest such sets are minimum
hitting sets of the differences between the solution and all others; the best solution is the one with the smallest set. If all solutions
can be listed, one of each class under the symmetries is tried, and the result is proven minimal. If there are too many, solutions are
sampled, and their differences are found as needed: a minimum hitting set of the known differences is tried on the puzzle, and a second
completion of it yields another difference (implicit hitting sets: E. Moreno-Centeno and R. M. Karp, The implicit hitting set approach to
solve combinatorial optimization problems, Operations Research 61, 2013).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from random import Random, randrange
from threading import Event

import numpy as np

from puzzlesat import base
from puzzlesat.playing.position import Position, asked, count_completions, list_completions, rest
from puzzlesat.proofs import solution_check
from puzzlesat.puzzles import BuiltInstance, CoverProblem, Solutions
from puzzlesat.solvers import LISTING, MAX_SHAPES, TALLY, SolverStep, as_told, solver

CHALLENGE_SEARCHER, CHALLENGE_CHECKER = LISTING, "cpsat"
"""The solver that lists the solutions from which challenges are drawn and whose nodes rate them, and the solver that confirms their
completions."""
CHALLENGE_SECONDS: float = 60
"""Time limit of one count in seconds. Only a puzzle too hard for challenges reaches it."""
LISTED_FOR_CHALLENGES = 50_000
"""Largest number of solutions of a puzzle for which every class of solutions is drawn with equal chance."""
NODES_FOR_CHALLENGES = 50_000_000
"""Node limit of the search for these solutions: a few seconds. It is no time limit, so a seed gives the same result on every machine."""
LISTED_FOR_HARDEST = 1_000_000
"""Largest number of solutions among which the fewest given pieces are searched for."""
NODES_FOR_HARDEST = 1_000_000_000
"""Node limit of the search for these solutions: a few minutes."""
RECOUNT_FOR_HARDEST = SolverStep(TALLY, share=0.5, shapes=MAX_SHAPES)
"""The solver that counts the listed solutions again."""

FEW = 1_000
"""Largest number of completions that are listed to draw one of them."""
POSITIONS = 6
"""Default number of positions."""
SEEDS = 10_000
TRIES = 40
"""Solutions tried before the search for a position of a given size gives up."""


@dataclass(frozen=True)
class Wish:
    """The positions to make: completions and numbers of placed pieces."""

    completions: int = 1
    most: int | None = None
    """Pieces placed in the easiest position; None: three quarters of the pieces of its solution."""
    fewest: int = 0
    """Pieces placed in the hardest position, if so few can determine it."""
    exactly: bool = False
    """True if each position must have exactly ``fewest`` pieces."""


def wish_of(completions: int = 1, *, placed: int | None = None, most: int | None = None, fewest: int | None = None) -> Wish:
    """Return the wish for positions with ``placed`` pieces, or from ``most`` pieces (easiest) to ``fewest`` (hardest).

    Raises PuzzleError for contradictory values; the message names the options of the command.
    """
    if placed is not None:
        if most is not None or fewest is not None:
            raise base.PuzzleError("use --placed, or --from and --to, not both")
        return Wish(completions, placed, placed, exactly=True)
    if most is not None and fewest is not None and most < fewest:
        raise base.PuzzleError(f"--from {most} --to {fewest}: --from is for the easiest position, which has the most pieces; swap the two")
    return Wish(completions, most, fewest or 0)


def any_seed() -> int:
    """Return a random seed that is short enough to type."""
    return randrange(SEEDS)


@dataclass(frozen=True)
class Challenge:
    """A starting position."""

    position: Position
    """The placed pieces and the puzzle."""
    made_from: tuple[int, ...]
    """The solution from which the position was made, as placement numbers."""
    completions: tuple[tuple[int, ...], ...]
    """All solutions that contain the position, as placement numbers."""
    minimal: bool
    """True if the position has more solutions without any one of its pieces."""
    nodes: int
    """Nodes that the backtracker visits to find all completions and to show that there are no others."""
    forced: int
    """Number of pieces that can be placed in turn because an atom can be covered, or a tile placed, in only one way."""
    confirmed: bool = False
    """True if a second solver found the same solutions."""
    least: bool | None = None
    """True if it is proven that no position with fewer pieces has as few solutions; None if you did not ask for the hardest."""

    @property
    def solutions(self) -> Solutions:
        """All solutions that contain the position."""
        return Solutions(self.position.built, self.completions)

    @property
    def left(self) -> int:
        """The number of pieces still to be placed."""
        return len(self.made_from) - len(self.position.everything)


def challenges(
    built: BuiltInstance,
    count: int,
    wish: Wish,
    seed: int,
    limits: base.Limits,
    progress: base.Progress = base.SILENT,
    *,
    made: Callable[[Challenge], object] = bool,
) -> list[Challenge]:
    """Return starting positions of increasing difficulty, the same for the same seed.

    For each challenge, remove pieces of a random solution in random order while there are no more completions than wished, and take one of
    the positions on this path: for the first challenge the one with the most pieces, for the last the one with the fewest. Each challenge
    uses a solution of another class under the symmetries of the form, unless there are fewer classes. The challenges are sorted by the
    nodes of their search; ``made`` receives each challenge as soon as it is made.

    Raises PuzzleError if the puzzle has no solution or no such position was found. Returns fewer challenges if a limit is reached or the
    work is interrupted.
    """
    random = Random(seed)
    supply = _random_solutions(built, random, limits, progress)
    results: list[Challenge] = []
    seen: set[tuple[int, ...]] = set()
    for number in range(count):
        share = number / (count - 1) if count > 1 else 1.0
        try:
            chosen = _one(built, supply, random, wish, share, seen, limits)
            if limits.over():
                break
            new = None if chosen is None else confirmed(built, described(built, *chosen, wish.completions, limits), limits)
        except base.EndedError:
            break
        if new is None:
            if results and not wish.exactly:
                break
            raise base.PuzzleError(_none_found(built, wish, results))
        results.append(new)
        seen.add(new.position.placed)
        made(new)
        progress.of("positions")({"made": len(results), "wished": count})
    return sorted(results, key=lambda c: (c.nodes, c.left))


def _one(
    built: BuiltInstance,
    supply: Iterator[tuple[int, ...]],
    random: Random,
    wish: Wish,
    share: float,
    seen: set[tuple[int, ...]],
    limits: base.Limits,
) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    """Return a position and its solution. The size of the position is the closest to its target in the series."""
    for _ in range(TRIES):
        solution = next(supply, None)
        if solution is None or limits.over():
            return None
        if wish.exactly and wish.fewest > len(solution):
            continue
        fitting = [p for p, n in _taken_apart(built.problem, solution, random, wish, limits) if n == wish.completions and p not in seen]
        if wish.exactly:
            fitting = [p for p in fitting if len(p) == wish.fewest]
        if fitting:
            sizes = [len(p) for p in fitting]
            most = 3 * len(solution) // 4 if wish.most is None else wish.most
            target = most + (max(min(sizes), wish.fewest) - most) * share
            return min(fitting, key=lambda p: (abs(len(p) - target), len(p))), solution
    return None


def _taken_apart(
    problem: CoverProblem, solution: tuple[int, ...], random: Random, wish: Wish, limits: base.Limits
) -> list[tuple[tuple[int, ...], int]]:
    """Remove pieces of a solution in random order, as far as the wish allows; return each position, with its number of completions.

    The solution itself is not included, since nothing is left to place.
    """
    placed = [o for o in solution if o not in problem.forced]
    order = list(placed)
    random.shuffle(order)
    limits = replace(limits, solutions=wish.completions + 1, seconds=CHALLENGE_SECONDS)
    way: list[tuple[tuple[int, ...], int]] = []
    for option in order:
        if len(placed) <= wish.fewest:
            break
        trial = [o for o in placed if o != option]
        completions = count_completions(problem, trial, limits)
        if completions.exact and completions.found <= wish.completions:
            placed = trial
            way.append((tuple(trial), completions.found))
    return way


def described(built: BuiltInstance, placed: tuple[int, ...], solution: tuple[int, ...], completions: int, limits: base.Limits) -> Challenge:
    """Return the challenge of a position. Its solutions are checked against the geometry."""
    problem = built.problem
    position = Position(built, placed)
    rows, every = list_completions(problem, placed, replace(limits, solutions=completions + 1))
    if (ended := limits.over()) is not None:
        raise base.EndedError(ended)
    solutions = tuple(tuple(sorted([*position.everything, *(o for o in row if o >= 0)])) for row in rows.tolist())
    if not every or len(solutions) != completions or solution not in solutions:
        message = f"a position with {completions} completions has {len(solutions)} when they are listed"
        raise base.ContradictionError(f"{built.instance.name}: {message}")
    wrong = solution_check(built)(base.padded_rows(solutions))
    if wrong is not None:
        raise base.ContradictionError(f"a solution of a challenge fails the check against the geometry: {wrong}")
    count_limits = replace(limits, solutions=completions + 1, seconds=CHALLENGE_SECONDS)
    fewer = [count_completions(problem, [o for o in placed if o != option], count_limits).found for option in placed]
    return Challenge(
        position, solution, solutions, all(n > completions for n in fewer), _nodes(problem, placed, limits), _forced(problem, placed)
    )


def _nodes(problem: CoverProblem, placed: Sequence[int], limits: base.Limits) -> int:
    """Nodes of the search for all completions, without reduction beforehand."""
    left = problem.settle(placed)
    assert left is not None
    outcome = asked(CHALLENGE_SEARCHER, left, None, replace(limits, cores=1))
    if (ended := limits.over()) is not None:
        raise base.EndedError(ended)
    return outcome.work["nodes"]


def _forced(problem: CoverProblem, placed: Sequence[int]) -> int:
    """Number of pieces that are forced in turn, each because some atom or tile has only one place left."""
    extended = list(placed)
    while (left := problem.settle(extended)) is not None:
        single = next((options[0] for i, options in enumerate(left.options_of) if left.low[i] == len(options) == 1), None)
        if single is None:
            break
        extended.append(int(single if left.origin is None else left.origin[single]))
    return len(extended) - len(placed)


def confirmed(built: BuiltInstance, challenge: Challenge, limits: base.Limits) -> Challenge:
    """Find the completions by CP-SAT, which shares no search code with the backtracker. Raises ContradictionError if they differ."""
    completions: list[tuple[int, ...]] = []

    def keep(rows: base.Rows) -> None:
        completions.extend(tuple(o for o in row if o >= 0) for row in rows.tolist())

    limits = replace(limits, solutions=len(challenge.completions) + 1, seconds=CHALLENGE_SECONDS)
    outcome = asked(CHALLENGE_CHECKER, built.problem, keep, limits, given=challenge.position.placed)
    if not {*completions} <= {*challenge.completions} or (outcome.complete and len(completions) != len(challenge.completions)):
        raise base.ContradictionError(f"{built.instance.name}: CP-SAT and the backtracker find different completions of a position")
    return replace(challenge, confirmed=outcome.complete)


def _none_found(built: BuiltInstance, wish: Wish, made: Sequence[Challenge]) -> str:
    name, number = built.instance.name, base.Sentence("{n} {n|completion|completions}", n=wish.completions)
    most = sum(t.low for t in built.puzzle.tiles)
    if wish.exactly and all(t.low == t.high for t in built.puzzle.tiles) and wish.fewest > most:
        template = "{name}: its solutions have {n} {n|piece|pieces}, so no position has {fewest}"
        return base.Sentence(template, name=name, n=most, fewest=str(wish.fewest))
    values = {"name": name, "n": len(made), "pieces": wish.fewest, "number": number, "tries": str(TRIES)}
    if made and wish.exactly:
        template = "{name}: only {n} {n|position|positions} with {pieces} {pieces|piece|pieces} placed and {number} {n|was|were} found"
        only = base.Sentence(template, **values)
    elif made:
        only = base.Sentence("{name}: only {n} {n|position|positions} and {number} {n|was|were} found", **values)
    elif wish.exactly:
        template = "{name}: no position with {pieces} {pieces|piece|pieces} placed that has exactly {number} was found in {tries} solutions"
        return base.Sentence.in_a_row([base.Sentence(template, **values), base.Sentence("ask for other numbers")])
    else:
        template = "{name}: no position that has exactly {number} was found in {tries} solutions"
        return base.Sentence.in_a_row([base.Sentence(template, **values), base.Sentence("ask for other numbers")])
    return base.Sentence.in_a_row([only, base.Sentence("ask for fewer, or for another number")])


# ---------------------------------------------------------------- random solutions


def _random_solutions(built: BuiltInstance, random: Random, limits: base.Limits, progress: base.Progress) -> Iterator[tuple[int, ...]]:
    """Yield solutions forever. If all can be listed, each class under the symmetries comes once before any comes again."""
    problem = built.problem
    rows, every = all_solutions(problem, limits, progress)
    images = problem.option_images
    if every:
        rows = rows[images.are_least(rows)]
        if not len(rows):
            raise base.PuzzleError(base.Sentence("{name} has no solution, so there is no position to start from", name=built.instance.name))
    while not limits.over():
        if not every:
            yield drawn(built, random, limits)
            continue
        for number in random.sample(range(len(rows)), len(rows)):
            row = rows[number]
            yield tuple(sorted(images.array[random.randrange(len(images.array))][row[row >= 0]].tolist()))


def all_solutions(
    problem: CoverProblem, limits: base.Limits, progress: base.Progress, *, most: int | None = None, nodes: int = NODES_FOR_CHALLENGES
) -> tuple[base.Rows, bool]:
    """Return all solutions and True; no row and False if there are more than ``most``, or the search needs more than ``nodes``.

    Rows are option numbers, ascending, padded with -1.
    """
    blocks: list[base.Rows] = []
    enough = Event()

    def watch(what: str, work: Mapping[str, int]) -> None:
        if work["nodes"] > nodes or limits.over():
            enough.set()
        progress.of("looking for solutions")({"nodes": work["nodes"]})

    bounds = replace(limits, solutions=LISTED_FOR_CHALLENGES if most is None else most, stop=enough, cores=1)

    try:
        outcome = asked(CHALLENGE_SEARCHER, problem, blocks.append, bounds, progress=base.Progress(watch))
    except base.NotSupportedError:
        return np.empty((0, 0), dtype=np.int32), False
    return (np.concatenate(blocks) if blocks and outcome.complete else np.empty((0, 1), dtype=np.int32)), outcome.complete


def drawn(built: BuiltInstance, random: Random, limits: base.Limits) -> tuple[int, ...]:
    """Return a random solution; an empty tuple if a limit is reached.

    Pieces are placed at random as long as the position can be finished, until there are few enough completions to list and draw from.
    """
    problem = built.problem
    placed: list[int] = []
    while True:
        rows, every = list_completions(problem, placed, replace(limits, solutions=FEW, seconds=CHALLENGE_SECONDS))
        if limits.over():
            return ()
        if not len(rows):
            none = "{name} has no solution, so there is no position to start from"
            hard = "{name} is too hard: no solution was found in time, so there is no position to start from"
            raise base.PuzzleError(base.Sentence(none if every and not placed else hard, name=built.instance.name))
        left = rest(problem, placed)
        if every or left is None or not (left.low > 0).any():
            row = rows[random.randrange(len(rows))]
            return tuple(sorted([*problem.forced, *placed, *(o for o in row.tolist() if o >= 0)]))
        needed = np.flatnonzero(left.low > 0)
        options = left.options_of[needed[random.randrange(len(needed))]].tolist()
        random.shuffle(options)
        for option in options if left.origin is None else left.origin[options].tolist():
            if count_completions(problem, [*placed, option], replace(limits, solutions=1, seconds=CHALLENGE_SECONDS)).found:
                placed.append(option)
                break
        else:
            placed += [o for o in rows[0].tolist() if o >= 0][:1]


DRAWN = 40
"""Number of solutions sampled if not all can be listed."""


@dataclass(frozen=True)
class Hardest:
    """A position with as few placed pieces as were found to be enough, and the evidence that fewer are not."""

    challenge: Challenge
    listed: int | None
    """Number of solutions of the puzzle, if all were listed."""
    recounted: bool
    """True if another solver counted the same number."""
    tried: int
    """Number of solutions tried; one of each class if all were listed."""

    @property
    def words(self) -> str:
        """A sentence on whether it is proven that no position has fewer pieces."""
        if not self.challenge.least:
            tried = f"{base.many(self.tried, 'solution')} {'was' if self.tried == 1 else 'were'} tried"
            return f"It is not proven that fewer pieces are too few: {tried}."
        if self.listed is None:
            return "Fewer pieces are not enough."
        twice = "counted by another solver too" if self.recounted else "nothing confirmed the list"
        all_of = "its only solution was listed" if self.listed == 1 else f"all {self.listed:,} solutions were listed"
        return f"Fewer pieces are not enough: {all_of} ({twice}), and one of each class was tried with every choice of its pieces."


def hardest(built: BuiltInstance, seed: int, limits: base.Limits, progress: base.Progress = base.SILENT) -> Hardest | None:
    """Return a position with the fewest pieces and only one completion; None if a limit was reached before any was found.

    ``seed`` draws the sample of solutions if not all can be listed. Raises PuzzleError if the puzzle has no solution, or no solution is
    determined by some of its pieces, and ContradictionError if two solvers differ.
    """
    problem = built.problem
    rows, every = all_solutions(problem, limits, progress, most=LISTED_FOR_HARDEST, nodes=NODES_FOR_HARDEST)
    try:
        if not every:
            return _of_some(built, seed, limits, progress)
        if not len(rows):
            raise base.PuzzleError(f"{built.instance.name} has no solution, so there is no position to start from")
        recounted = _recounted(built, len(rows), limits)
        return _of_all(built, rows, limits, progress, recounted=recounted)
    except base.EndedError:
        return None


# all solutions are listed ----------------------------------------------------------------------------------------------------


def _of_all(built: BuiltInstance, rows: base.Rows, limits: base.Limits, progress: base.Progress, *, recounted: bool) -> Hardest | None:
    """The minimum over all solutions. One solution of each class is tried, because its images need the same number of pieces."""
    first = np.flatnonzero(built.problem.option_images.are_least(rows)).tolist()
    table = _SolutionTable(built.problem, rows)
    best: tuple[int, tuple[int, ...]] | None = None
    tried = 0
    for number in first:
        if limits.over():
            break
        pieces = table.least(number, None if best is None else len(best[1]) - 1)
        best = best if pieces is None else (number, pieces)
        tried += 1
        progress.of("telling solutions apart")({"tried": tried, "classes": len(first)} | ({} if best is None else {"pieces": len(best[1])}))
    if best is None:
        if tried < len(first):
            return None
        raise base.PuzzleError(
            f"{built.instance.name}: none of its positions has exactly one completion: each solution is a part of another"
        )
    solution = tuple(o for o in rows[best[0]].tolist() if o >= 0)
    return Hardest(_challenge(built, best[1], solution, limits, least=tried == len(first)), len(rows), recounted, tried)


class _SolutionTable:
    """Solutions, and for each option the bit set of the solutions that contain it."""

    def __init__(self, problem: CoverProblem, rows: base.Rows) -> None:
        self.forced = set(problem.forced)
        self.rows: list[tuple[int, ...]] = []
        self.having: dict[int, int] = {}
        lanes, options = np.nonzero(rows >= 0)[0], rows[rows >= 0]
        order = np.argsort(options, kind="stable")
        lanes, options = lanes[order], options[order]
        bounds = [0, *(np.flatnonzero(np.diff(options)) + 1).tolist(), len(options)]
        self.rows = [tuple(o for o in row if o >= 0) for row in rows.tolist()]
        for start, end in pairwise(bounds):
            if start < end:
                bits = np.zeros(len(rows), dtype=np.bool_)
                bits[lanes[start:end]] = True
                self.having[int(options[start])] = int.from_bytes(np.packbits(bits, bitorder="little").tobytes(), "little")

    def add(self, row: tuple[int, ...]) -> None:
        """Add a solution."""
        for option in row:
            self.having[option] = self.having.get(option, 0) | 1 << len(self.rows)
        self.rows.append(row)

    def least(self, number: int, most: int | None = None) -> tuple[int, ...] | None:
        """Return the fewest options of a solution that no other solution contains together; None if this takes more than ``most``."""
        own = [o for o in self.rows[number] if o not in self.forced]
        every = (1 << len(self.rows)) - 1
        most, best = len(own) if most is None else most, None
        while most >= 0 and (options := self._telling(number, every, own, most)) is not None:
            best, most = tuple(sorted(options)), len(options) - 1
        return best

    def _telling(self, number: int, among: int, own: Sequence[int], most: int) -> list[int] | None:
        """Find at most ``most`` of the options ``own`` that tell the solution from all others in the bit set ``among``."""
        others = among & ~(1 << number)
        if not others:
            return []
        if not most:
            return None
        other = self.rows[(others & -others).bit_length() - 1]
        left = {o: among & self.having[o] for o in own}
        telling = sorted((o for o in own if o not in other), key=lambda o: left[o].bit_count())
        if most == 1:
            return next(([o] for o in telling if left[o] == 1 << number), None)
        rest = list(own)
        for option in telling:
            rest.remove(option)  # this branch tries all sets that contain the option
            further = self._telling(number, left[option], rest, most - 1)
            if further is not None:
                return [option, *further]
        return None


# too many solutions -----------------------------------------------------------------------------------------------------------


def _of_some(built: BuiltInstance, seed: int, limits: base.Limits, progress: base.Progress) -> Hardest | None:
    """The minimum over a sample of solutions. A position of another solution may need fewer pieces."""
    best: tuple[tuple[int, ...], tuple[int, ...]] | None = None
    tried = 0
    try:
        for solution in _some(built, seed, limits):
            pieces = _fewest(built, solution, None if best is None else len(best[0]) - 1, limits)
            best = best if pieces is None else (pieces, solution)
            tried += 1
            progress.of("telling solutions apart")({"tried": tried} | ({} if best is None else {"pieces": len(best[0])}))
    except base.EndedError:  # keep the result so far
        pass
    if best is None:
        if limits.over():
            return None
        raise base.PuzzleError(f"{built.instance.name}: no position with one completion was found in {tried} solutions")
    # one piece is minimal: without any piece, all solutions remain
    return Hardest(_challenge(built, *best, limits, least=len(best[0]) <= 1), None, recounted=False, tried=tried)


def _some(built: BuiltInstance, seed: int, limits: base.Limits) -> Iterator[tuple[int, ...]]:
    random = Random(seed)
    for _ in range(DRAWN):
        solution = drawn(built, random, limits)
        if limits.over():
            return
        yield solution


def _fewest(built: BuiltInstance, solution: tuple[int, ...], most: int | None, limits: base.Limits) -> tuple[int, ...] | None:
    """The fewest pieces with only one completion; None if this takes more than ``most``, or it is not decided in time."""
    problem = built.problem
    table = _SolutionTable(problem, np.array([solution], dtype=np.int32))
    while (pieces := table.least(0, most)) is not None:
        rows, complete = list_completions(problem, pieces, replace(limits, solutions=2, seconds=CHALLENGE_SECONDS))
        if (ended := limits.over()) is not None:
            raise base.EndedError(ended)
        completions = [tuple(sorted([*problem.forced, *pieces, *(o for o in row if o >= 0)])) for row in rows.tolist()]
        others = [row for row in completions if row != solution]
        if not others:
            return pieces if complete and completions else None
        table.add(others[0])
    return None


# ------------------------------------------------------------------------------------------------------------------------------


def _challenge(built: BuiltInstance, placed: tuple[int, ...], solution: tuple[int, ...], limits: base.Limits, *, least: bool) -> Challenge:
    """The challenge, checked against the geometry and by another solver. Its time is not limited if the limit is already reached."""
    own = base.Limits(memory=limits.memory) if limits.over() else limits
    return replace(confirmed(built, described(built, placed, tuple(sorted(solution)), 1, own), own), least=least)


def _recounted(built: BuiltInstance, number: int, limits: base.Limits) -> bool:
    """Return whether a second solver counts the same number of solutions. Raises ContradictionError if it counts another number."""
    name = RECOUNT_FOR_HARDEST.solver
    try:
        outcome = solver(name)(as_told(name, built.problem))(None, RECOUNT_FOR_HARDEST.limits(base.Clock(limits)))
    except base.NotSupportedError:
        return False
    if outcome.complete and outcome.found != number:
        raise base.ContradictionError(f"{built.instance.name}: {number:,} solutions are listed, and {name} counts {outcome.found:,}")
    return outcome.complete
