"""Starting positions with a wanted number of completions, from easy to hard; and the fewest pieces that leave one way to finish a puzzle.

A set of placements leaves one way where it tells its solution from every other one: some placement of the set is not in that one. So the
fewest are a least hitting set of the differences between a solution and all others, for the solution that needs the fewest. Where all
solutions can be listed, one of each class under the symmetries is gone through, and what is found is proven least. Where they are too many,
solutions are drawn, and for each the differences are found as they are needed: a least set for those known so far is held against the
puzzle, and another completion of it is one more difference (the method of implicit hitting sets: E. Moreno-Centeno and R. M. Karp, The
implicit hitting set approach to solve combinatorial optimization problems, Operations Research 61, 2013).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from random import Random, randrange
from threading import Event

import numpy as np

from puzzlesat.base import (
    SILENT,
    Clock,
    ContradictionError,
    EndedError,
    Limits,
    NotSupportedError,
    Progress,
    PuzzleError,
    Rows,
    Sentence,
    many,
    padded_rows,
)
from puzzlesat.playing.position import Position, asked, count_completions, list_completions, rest
from puzzlesat.puzzles import BuiltInstance, CoverProblem, Solutions, make_recheck
from puzzlesat.solvers import LISTING, MOST_SHAPES, TALLY, SolverStep, as_told, solver

CHALLENGE_SEARCHER, CHALLENGE_CHECKER = LISTING, "cpsat"
"""The solver that lists the solutions from which challenges are drawn, and rates them by its nodes; and the solver that finds their
completions again."""
CHALLENGE_SECONDS: float = 60
"""Time limit of one count. Only a puzzle that is too hard for challenges takes so long."""
LISTED_FOR_CHALLENGES = 50_000
"""Largest number of solutions of the whole puzzle with which every class of solutions is drawn with equal chance."""
NODES_FOR_CHALLENGES = 50_000_000
"""Node limit of the search for these: some seconds. No clock stops it, so that a seed gives the same result everywhere."""
LISTED_FOR_HARDEST = 1_000_000
"""Largest number of solutions among which the fewest given pieces are looked for."""
NODES_FOR_HARDEST = 1_000_000_000
"""Node limit of the search for these: a few minutes."""
RECOUNT_FOR_HARDEST = SolverStep(TALLY, share=0.5, shapes=MOST_SHAPES)
"""The solver that counts that list again."""

FEW = 1_000
"""Completions up to which a random one is drawn from the list."""
POSITIONS = 6
"""That are made unless somebody says how many."""
SEEDS = 10_000
TRIES = 40
"""Solutions that are taken apart before the search for a position of a given size is given up."""


@dataclass(frozen=True)
class Wish:
    """What positions are wished for."""

    completions: int = 1
    most: int | None = None
    """Pieces placed in the easiest position; None: three quarters of those in its solution."""
    fewest: int = 0
    """Pieces placed in the hardest position, if it can do with so few."""
    exactly: bool = False
    """Whether each position must have ``fewest`` pieces."""


def wish_of(completions: int = 1, *, placed: int | None = None, most: int | None = None, fewest: int | None = None) -> Wish:
    """Return the wish for positions with so many pieces placed, or from the most in the easiest to the fewest in the hardest.

    Raises PuzzleError for wishes that contradict each other, in the words of the command's options.
    """
    if placed is not None:
        if most is not None or fewest is not None:
            raise PuzzleError("use --placed, or --from and --to, not both")
        return Wish(completions, placed, placed, exactly=True)
    if most is not None and fewest is not None and most < fewest:
        raise PuzzleError(f"--from {most} --to {fewest}: --from is for the easiest position, which has the most pieces; swap the two")
    return Wish(completions, most, fewest or 0)


def any_seed() -> int:
    """Return a seed by chance, short enough to be typed again."""
    return randrange(SEEDS)


@dataclass(frozen=True)
class Challenge:
    """A starting position."""

    position: Position
    """The pieces placed, and the puzzle."""
    made_from: tuple[int, ...]
    """The solution that it was made from, as placement numbers."""
    completions: tuple[tuple[int, ...], ...]
    """All solutions that contain the position, as placement numbers."""
    minimal: bool
    """Whether every piece is needed: without any one of them there are more solutions."""
    nodes: int
    """How many nodes the backtracker visits to find all solutions and to show that there are no others."""
    forced: int
    """How many pieces can be placed one after the other because an atom can be covered, or a tile placed, in one way only."""
    confirmed: bool = False
    """Whether a second solver found the same solutions."""
    least: bool | None = None
    """Whether it is proven that no position with fewer pieces has so few solutions; None if you did not ask for the hardest."""

    @property
    def solutions(self) -> Solutions:
        """All solutions that contain the position."""
        return Solutions(self.position.built, self.completions)

    @property
    def left(self) -> int:
        """The number of pieces still to be placed."""
        return len(self.made_from) - len(self.position.everything)


def _nobody(_made: Challenge) -> None:
    """Hear nothing."""


def challenges(
    built: BuiltInstance,
    count: int,
    wish: Wish,
    seed: int,
    limits: Limits,
    progress: Progress = SILENT,
    *,
    made: Callable[[Challenge], None] = _nobody,
) -> list[Challenge]:
    """Return starting positions of growing difficulty, the same for the same seed.

    A random solution is taken apart, piece by piece in random order, as long as no more completions remain than wished. Of the
    positions on this way one is taken: the first of the series with the most pieces, the last with the fewest. Each is made from a
    solution of its own class under the symmetries of the form, unless there are fewer classes. They are put in the order of the
    nodes that a search needs; ``made`` gets each as soon as it is.

    Raises PuzzleError where the puzzle has no solution, or no such position was found. Fewer than asked for are returned where
    a limit is reached, or somebody stops it.
    """
    random = Random(seed)
    supply = _random_solutions(built, random, limits, progress)
    found: list[Challenge] = []
    seen: set[tuple[int, ...]] = set()
    for number in range(count):
        share = number / (count - 1) if count > 1 else 1.0
        try:
            chosen = _one(built, supply, random, wish, share, seen, limits)
            if limits.over():
                break
            new = None if chosen is None else confirmed(built, described(built, *chosen, wish.completions, limits), limits)
        except EndedError:
            break
        if new is None:
            if found and not wish.exactly:
                break
            raise PuzzleError(_none_found(built, wish, found))
        found.append(new)
        seen.add(new.position.placed)
        made(new)
        progress.of("positions")({"made": len(found), "wished": count})
    return sorted(found, key=lambda c: (c.nodes, c.left))


def _one(
    built: BuiltInstance,
    supply: Iterator[tuple[int, ...]],
    random: Random,
    wish: Wish,
    share: float,
    seen: set[tuple[int, ...]],
    limits: Limits,
) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    """A position and its solution: the one nearest to the size that its place in the series asks for."""
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
    problem: CoverProblem, solution: tuple[int, ...], random: Random, wish: Wish, limits: Limits
) -> list[tuple[tuple[int, ...], int]]:
    """The positions on the way from a solution to as few pieces as can be, with their numbers of completions.

    The solution itself is none of them: nothing is left to place.
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
        known = count_completions(problem, trial, limits)
        if known.exact and known.found <= wish.completions:
            placed = trial
            way.append((tuple(trial), known.found))
    return way


def described(built: BuiltInstance, placed: tuple[int, ...], solution: tuple[int, ...], completions: int, limits: Limits) -> Challenge:
    """Return what there is to say of a position, with its solutions held against the geometry."""
    problem = built.problem
    position = Position(built, placed)
    rows, every = list_completions(problem, placed, replace(limits, solutions=completions + 1))
    if (ended := limits.over()) is not None:
        raise EndedError(ended)
    solutions = tuple(tuple(sorted([*position.everything, *(o for o in row if o >= 0)])) for row in rows.tolist())
    if not every or len(solutions) != completions or solution not in solutions:
        said = f"a position with {completions} completions has {len(solutions)} when they are listed"
        raise ContradictionError(f"{built.instance.name}: {said}")
    wrong = make_recheck(built.puzzle, built.placements)(padded_rows(solutions))
    if wrong is not None:
        raise ContradictionError(f"a solution of a challenge fails the check against the geometry: {wrong}")
    each = replace(limits, solutions=completions + 1, seconds=CHALLENGE_SECONDS)
    fewer = [count_completions(problem, [o for o in placed if o != option], each).found for option in placed]
    return Challenge(
        position, solution, solutions, all(n > completions for n in fewer), _nodes(problem, placed, limits), _forced(problem, placed)
    )


def _nodes(problem: CoverProblem, placed: Sequence[int], limits: Limits) -> int:
    """The nodes of the search for all completions, by the rules alone: nothing is removed before."""
    left = problem.settle(placed)
    assert left is not None
    outcome = asked(CHALLENGE_SEARCHER, left, None, replace(limits, cores=1))
    if (ended := limits.over()) is not None:
        raise EndedError(ended)
    return outcome.work["nodes"]


def _forced(problem: CoverProblem, placed: Sequence[int]) -> int:
    """How many pieces follow one after the other, each because some atom or tile has one place left."""
    given = list(placed)
    while (left := problem.settle(given)) is not None:
        single = next((options[0] for i, options in enumerate(left.options_of) if left.low[i] == len(options) == 1), None)
        if single is None:
            break
        given.append(int(single if left.origin is None else left.origin[single]))
    return len(given) - len(placed)


def confirmed(built: BuiltInstance, challenge: Challenge, limits: Limits) -> Challenge:
    """Let CP-SAT, which shares no search code with the backtracker, find the completions too; ContradictionError where they differ."""
    found: list[tuple[int, ...]] = []

    def keep(rows: Rows) -> None:
        found.extend(tuple(o for o in row if o >= 0) for row in rows.tolist())

    limits = replace(limits, solutions=len(challenge.completions) + 1, seconds=CHALLENGE_SECONDS)
    outcome = asked(CHALLENGE_CHECKER, built.problem, keep, limits, given=challenge.position.placed)
    if not {*found} <= {*challenge.completions} or (outcome.complete and len(found) != len(challenge.completions)):
        raise ContradictionError(f"{built.instance.name}: CP-SAT and the backtracker find different completions of a position")
    return replace(challenge, confirmed=outcome.complete)


def _none_found(built: BuiltInstance, wish: Wish, made: Sequence[Challenge]) -> str:
    name, number = built.instance.name, Sentence("{n} {n|completion|completions}", n=wish.completions)
    most = sum(t.low for t in built.puzzle.tiles)
    if wish.exactly and all(t.low == t.high for t in built.puzzle.tiles) and wish.fewest > most:
        said = "{name}: its solutions have {n} {n|piece|pieces}, so no position has {fewest}"
        return Sentence(said, name=name, n=most, fewest=str(wish.fewest))
    values = {"name": name, "n": len(made), "pieces": wish.fewest, "number": number, "tries": str(TRIES)}
    if made and wish.exactly:
        said = "{name}: only {n} {n|position|positions} with {pieces} {pieces|piece|pieces} placed and {number} {n|was|were} found"
        only = Sentence(said, **values)
    elif made:
        only = Sentence("{name}: only {n} {n|position|positions} and {number} {n|was|were} found", **values)
    elif wish.exactly:
        said = "{name}: no position with {pieces} {pieces|piece|pieces} placed that has exactly {number} was found in {tries} solutions"
        return Sentence.in_a_row([Sentence(said, **values), Sentence("ask for other numbers")])
    else:
        said = "{name}: no position that has exactly {number} was found in {tries} solutions"
        return Sentence.in_a_row([Sentence(said, **values), Sentence("ask for other numbers")])
    return Sentence.in_a_row([only, Sentence("ask for fewer, or for another number")])


# ---------------------------------------------------------------- random solutions


def _random_solutions(built: BuiltInstance, random: Random, limits: Limits, progress: Progress) -> Iterator[tuple[int, ...]]:
    """Solutions without end: one of each class under the symmetries before any class comes again, where all can be listed."""
    problem = built.problem
    rows, every = all_solutions(problem, limits, progress)
    images = problem.option_images
    if every:
        rows = rows[images.are_least(rows)]
        if not len(rows):
            raise PuzzleError(Sentence("{name} has no solution, so there is no position to start from", name=built.instance.name))
    while not limits.over():
        if not every:
            yield drawn(built, random, limits)
            continue
        for number in random.sample(range(len(rows)), len(rows)):
            row = rows[number]
            yield tuple(sorted(images.array[random.randrange(len(images.array))][row[row >= 0]].tolist()))


def all_solutions(
    problem: CoverProblem, limits: Limits, progress: Progress, *, most: int | None = None, nodes: int = NODES_FOR_CHALLENGES
) -> tuple[Rows, bool]:
    """Return solutions, and whether they are all: not so where they, or the nodes of the search for them, are more than these.

    Rows are numbers of options, ascending, padded with -1.
    """
    blocks: list[Rows] = []
    enough = Event()

    def watch(what: str, work: Mapping[str, int]) -> None:
        if work["nodes"] > nodes or limits.over():
            enough.set()
        progress.of("looking for solutions")({"nodes": work["nodes"]})

    whole = replace(limits, solutions=LISTED_FOR_CHALLENGES if most is None else most, stop=enough, cores=1)

    try:
        outcome = asked(CHALLENGE_SEARCHER, problem, blocks.append, whole, progress=Progress(watch))
    except NotSupportedError:
        return np.empty((0, 0), dtype=np.int32), False
    return (np.concatenate(blocks) if blocks else np.empty((0, 1), dtype=np.int32)), outcome.complete


def drawn(built: BuiltInstance, random: Random, limits: Limits) -> tuple[int, ...]:
    """Return a random solution; an empty one where a limit is reached.

    Pieces are laid at random places as long as this can be finished, until few completions are left to draw from.
    """
    problem = built.problem
    given: list[int] = []
    while True:
        rows, every = list_completions(problem, given, replace(limits, solutions=FEW, seconds=CHALLENGE_SECONDS))
        if limits.over():
            return ()
        if not len(rows):
            none = "{name} has no solution, so there is no position to start from"
            hard = "{name} is too hard: no solution was found in time, so there is no position to start from"
            raise PuzzleError(Sentence(none if every and not given else hard, name=built.instance.name))
        left = rest(problem, given)
        if every or left is None or not (left.low > 0).any():
            row = rows[random.randrange(len(rows))]
            return tuple(sorted([*problem.forced, *given, *(o for o in row.tolist() if o >= 0)]))
        needed = np.flatnonzero(left.low > 0)
        options = left.options_of[needed[random.randrange(len(needed))]].tolist()
        random.shuffle(options)
        for option in options if left.origin is None else left.origin[options].tolist():
            if count_completions(problem, [*given, option], replace(limits, solutions=1, seconds=CHALLENGE_SECONDS)).found:
                given.append(option)
                break
        else:
            given += [o for o in rows[0].tolist() if o >= 0][:1]


DRAWN = 40
"""Solutions that are taken where not all can be listed."""


@dataclass(frozen=True)
class Hardest:
    """A position with as few pieces placed as were found to do, and what is known of it."""

    challenge: Challenge
    listed: int | None
    """How many solutions the puzzle has, where all were listed."""
    recounted: bool
    """Whether another solver counted as many."""
    tried: int
    """Solutions that were gone through; one of each class where all were listed."""

    @property
    def words(self) -> str:
        """How sure it is that no position has fewer pieces, in a sentence."""
        if not self.challenge.least:
            tried = f"{many(self.tried, 'solution')} {'was' if self.tried == 1 else 'were'} tried"
            return f"It is not proven that fewer pieces are too few: {tried}."
        if self.listed is None:
            return "Fewer pieces are not enough."
        twice = "counted by another solver too" if self.recounted else "nothing confirmed the list"
        all_of = "its only solution was listed" if self.listed == 1 else f"all {self.listed:,} solutions were listed"
        return f"Fewer pieces are not enough: {all_of} ({twice}), and one of each class was tried with every choice of its pieces."


def hardest(built: BuiltInstance, seed: int, limits: Limits, progress: Progress = SILENT) -> Hardest | None:
    """Return a position with the fewest pieces that can be finished in one way; None where a limit was reached before any was found.

    ``seed`` draws solutions where not all can be listed. Raises PuzzleError where the puzzle has no solution, or none that can be told from
    the others by its pieces, and ContradictionError where two solvers differ.
    """
    problem = built.problem
    rows, every = all_solutions(problem, limits, progress, most=LISTED_FOR_HARDEST, nodes=NODES_FOR_HARDEST)
    try:
        if not every:
            return _of_some(built, seed, limits, progress)
        if not len(rows):
            raise PuzzleError(f"{built.instance.name} has no solution, so there is no position to start from")
        recounted = _recounted(built, len(rows), limits)
        return _of_all(built, rows, limits, progress, recounted=recounted)
    except EndedError:
        return None


# where all solutions are known ------------------------------------------------------------------------------------------------


def _of_all(built: BuiltInstance, rows: Rows, limits: Limits, progress: Progress, *, recounted: bool) -> Hardest | None:
    """The fewest pieces of all: one solution of each class is tried, for the others look like it."""
    first = np.flatnonzero(built.problem.option_images.are_least(rows)).tolist()
    table = _SolutionTable(built.problem, rows)
    best: tuple[int, tuple[int, ...]] | None = None
    tried = 0
    for number in first:
        if limits.over():
            break
        found = table.least(number, None if best is None else len(best[1]) - 1)
        best = best if found is None else (number, found)
        tried += 1
        progress.of("telling solutions apart")({"tried": tried, "classes": len(first)} | ({} if best is None else {"pieces": len(best[1])}))
    if best is None:
        if tried < len(first):
            return None
        raise PuzzleError(f"{built.instance.name}: none of its positions has exactly one completion: each solution is a part of another")
    solution = tuple(o for o in rows[best[0]].tolist() if o >= 0)
    return Hardest(_challenge(built, best[1], solution, limits, least=tried == len(first)), len(rows), recounted, tried)


class _SolutionTable:
    """Solutions, and for each placement those that have it, as the bits of a number."""

    def __init__(self, problem: CoverProblem, rows: Rows) -> None:
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
        """Take one more solution."""
        for option in row:
            self.having[option] = self.having.get(option, 0) | 1 << len(self.rows)
        self.rows.append(row)

    def least(self, number: int, most: int | None = None) -> tuple[int, ...] | None:
        """Return the fewest placements of a solution that no other one has all of; None where there are no ``most`` that do."""
        own = [o for o in self.rows[number] if o not in self.forced]
        every = (1 << len(self.rows)) - 1
        most, best = len(own) if most is None else most, None
        while most >= 0 and (found := self._telling(number, every, own, most)) is not None:
            best, most = tuple(sorted(found)), len(found) - 1
        return best

    def _telling(self, number: int, among: int, own: Sequence[int], most: int) -> list[int] | None:
        """At most so many of some placements of a solution that tell it from all others among some solutions."""
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
            rest.remove(option)  # what needs it is tried with it alone
            found = self._telling(number, left[option], rest, most - 1)
            if found is not None:
                return [option, *found]
        return None


# where they are too many ------------------------------------------------------------------------------------------------------


def _of_some(built: BuiltInstance, seed: int, limits: Limits, progress: Progress) -> Hardest | None:
    """The fewest pieces for some solutions: one position of any other may do with fewer."""
    best: tuple[tuple[int, ...], tuple[int, ...]] | None = None
    tried = 0
    try:
        for solution in _some(built, seed, limits):
            found = _fewest(built, solution, None if best is None else len(best[0]) - 1, limits)
            best = best if found is None else (found, solution)
            tried += 1
            progress.of("telling solutions apart")({"tried": tried} | ({} if best is None else {"pieces": len(best[0])}))
    except EndedError:  # what was found stands
        pass
    if best is None:
        if limits.over():
            return None
        raise PuzzleError(f"{built.instance.name}: no position with one completion was found in {tried} solutions")
    # one piece fewer than one is none, which leaves all solutions
    return Hardest(_challenge(built, *best, limits, least=len(best[0]) <= 1), None, recounted=False, tried=tried)


def _some(built: BuiltInstance, seed: int, limits: Limits) -> Iterator[tuple[int, ...]]:
    random = Random(seed)
    for _ in range(DRAWN):
        solution = drawn(built, random, limits)
        if limits.over():
            return
        yield solution


def _fewest(built: BuiltInstance, solution: tuple[int, ...], most: int | None, limits: Limits) -> tuple[int, ...] | None:
    """The fewest pieces that leave one solution; None where there are no ``most`` that do, or it is not known in time."""
    problem = built.problem
    table = _SolutionTable(problem, np.array([solution], dtype=np.int32))
    while (given := table.least(0, most)) is not None:
        rows, complete = list_completions(problem, given, replace(limits, solutions=2, seconds=CHALLENGE_SECONDS))
        if (ended := limits.over()) is not None:
            raise EndedError(ended)
        whole = [tuple(sorted([*problem.forced, *given, *(o for o in row if o >= 0)])) for row in rows.tolist()]
        others = [row for row in whole if row != solution]
        if not others:
            return given if complete and whole else None
        table.add(others[0])
    return None


# ------------------------------------------------------------------------------------------------------------------------------


def _challenge(built: BuiltInstance, placed: tuple[int, ...], solution: tuple[int, ...], limits: Limits, *, least: bool) -> Challenge:
    """The position, held against the geometry and another solver, with the time that this takes."""
    own = Limits(memory=limits.memory) if limits.over() else limits
    return replace(confirmed(built, described(built, placed, tuple(sorted(solution)), 1, own), own), least=least)


def _recounted(built: BuiltInstance, number: int, limits: Limits) -> bool:
    """Whether a solver that lists nothing counts as many solutions. Raises ContradictionError where it counts others."""
    name = RECOUNT_FOR_HARDEST.solver
    try:
        outcome = solver(name)(as_told(name, built.problem))(None, RECOUNT_FOR_HARDEST.limits(Clock(limits)))
    except NotSupportedError:
        return False
    if outcome.complete and outcome.found != number:
        raise ContradictionError(f"{built.instance.name}: {number:,} solutions are listed, and {name} counts {outcome.found:,}")
    return outcome.complete
