"""``puzzlesat.count``: count the solutions of a puzzle and check the count.

``puzzlesat.solve``: list solutions, find them by number, or draw them at random.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, overload

from puzzlesat.base import Clock, PuzzleError, check_number
from puzzlesat.cli.functions.given import LimitOptions, begun, checked
from puzzlesat.counting import COUNTING
from puzzlesat.solvers import LISTING, SEED, names_of

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from puzzlesat.counting import CoverReport, CoverSolution, Report
    from puzzlesat.formats import ExactCover, Given
    from puzzlesat.puzzles import Solution


@overload
def count(
    puzzle: ExactCover, *, solver: str | Sequence[str] = ..., budget: float | None = ..., full: bool = ..., **options: Unpack[LimitOptions]
) -> CoverReport: ...


@overload
def count(
    puzzle: Given, *, solver: str | Sequence[str] = ..., budget: float | None = ..., full: bool = ..., **options: Unpack[LimitOptions]
) -> Report: ...


@checked
def count(
    puzzle: Given | ExactCover,
    *,
    solver: str | Sequence[str] = COUNTING,
    budget: float | None = None,
    full: bool = False,
    **options: Unpack[LimitOptions],
) -> Report | CoverReport:
    """Count the solutions of puzzles, checked by independent solvers.

    Parameters
    ----------
    puzzle
        A name, a file, text or tables, as ``load`` takes them; an instance that ``load`` returned, or its ``puzzle``. Or an exact cover
        problem that ``cover`` returned.
    solver
        One name (``"tally"``), several with commas (``"backtrack,sat"``), or a sequence of names. The first solver counts, the others
        check. ``auto`` lets the tally and the backtracker take turns.
    budget
        Seconds that the certificate and the checking solvers may take together. After that they check a sample. None: 20 seconds; but if a
        certificate of the whole search was accepted, the others take as long as the work before, at least 1 second and at most 5.
    full
        Check everything, however long it takes.

    Returns
    -------
    Report
        ``sentence`` is the answer. ``counts`` has ``labelled``, ``all``, ``distinct`` and ``fixed``. ``agree`` is True if a second solver
        confirmed at least a part of the count and nothing contradicts it. ``rows`` tells what each solver found, or why it refused.
        ``solutions`` are the distinct solutions that were listed. If a limit ended the count, ``complete`` is False, ``why`` tells how
        far it was, and the counts are None.
    CoverReport
        The same for an exact cover problem. Of the counts, it has ``all``.

    Raises
    ------
    PuzzleError
        If the puzzle cannot be read, there is no solver of that name, or a limit leaves nothing.

    Examples
    --------
    >>> report = puzzlesat.count("absolut-knifflig", solver="backtrack,sat")
    >>> report.counts.all, report.counts.distinct, report.agree
    (148, 37, True)
    >>> print(report.sentence)
    37 solutions up to symmetry; confirmed by sat
    >>> [(row.solver, row.all) for row in report.rows]
    [('backtrack', 148), ('sat', 148)]
    >>> len(report.solutions), len(report.solutions[0].names)
    (37, 9)

    A count that is not finished is never shown as a count:

    >>> stopped = puzzlesat.count("pentominoes-6x10", solver="backtrack", seconds=0.01)
    >>> stopped.complete, stopped.counts.all
    (False, None)

    """
    from puzzlesat.counting import Plan, count_cover
    from puzzlesat.counting import count as cross_checked
    from puzzlesat.formats import ExactCover, instance_given

    names = names_of(solver)
    if not names:
        raise PuzzleError("solver: give at least one, such as 'backtrack'")
    if budget is not None:
        check_number("budget", budget)
        if not budget >= 0:  # nor what is no number at all
            raise PuzzleError(f"budget: {budget} leaves nothing; expected 0 or more, or None for the default")
    limits, _ = begun(options)
    clock = Clock(limits)
    plan = Plan(solvers=names, budget=budget, full=full, limits=limits)
    if isinstance(puzzle, ExactCover):
        return count_cover(puzzle, plan)
    return replace(cross_checked(instance_given(puzzle), plan), seconds=clock.seconds)


@overload
def solve(
    puzzle: ExactCover,
    *,
    solver: str | Sequence[str] | None = ...,
    given: Sequence[Hashable] = ...,
    limit: int | None = ...,
    seed: int | None = ...,
    partial: bool = ...,
    **options: Unpack[LimitOptions],
) -> Iterator[CoverSolution]: ...


@overload
def solve(
    puzzle: Given,
    *,
    solver: str | Sequence[str] | None = ...,
    given: Sequence[str] = ...,
    distinct: bool = ...,
    limit: int | None = ...,
    nth: int | Sequence[int] | None = ...,
    random: int | None = ...,
    seed: int | None = ...,
    partial: bool = ...,
    **options: Unpack[LimitOptions],
) -> Iterator[Solution]: ...


@checked
def solve(
    puzzle: Given | ExactCover,
    *,
    solver: str | Sequence[str] | None = None,
    given: Sequence[str] | Sequence[Hashable] = (),
    distinct: bool = False,
    limit: int | None = None,
    nth: int | Sequence[int] | None = None,
    random: int | None = None,
    seed: int | None = None,
    partial: bool = False,
    **options: Unpack[LimitOptions],
) -> Iterator[Solution] | Iterator[CoverSolution]:
    """Find solutions, one by one: all, those with given numbers, or some at random.

    Parameters
    ----------
    puzzle
        A name, a file, text or tables, as ``load`` takes them; an instance that ``load`` returned, or its ``puzzle``. Or an exact cover
        problem that ``cover`` returned.
    solver
        The name of one solver. By default ``backtrack`` lists the solutions. For ``nth`` and ``random`` the default is the tally, which
        counts and lists nothing.
    given
        Names of placements, such as ``"Q.1@3.1"``, that each solution must contain. For a cover problem, names of options.
    distinct
        Yield one solution of each class that the symmetries of the form turn into each other. With ``random``, all classes are equally
        likely.
    limit
        Stop after so many solutions. If the search finds none for a while, solutions are also looked for at random.
    nth
        Numbers of solutions, from 1 to the count. The order is always the same: go through the form as the tally does; where two
        solutions first differ, the one with the earlier placement comes first.
    random
        Draw so many solutions independently; all are equally likely.
    seed
        Random seed; the same seed gives the same solutions. Default: a new one for ``random``, else a fixed one.
    partial
        If a limit is reached, end as if there were no more solutions. By default ``LimitReached`` is raised; it has the solutions yielded
        until then, and they are kept in memory for it.

    Yields
    ------
    Solution
        Each as soon as it is found. It has the ``names`` of its placements and the ``placements`` with their atoms; ``print`` draws it.
        With ``nth`` and ``random`` it has its ``number`` and the number ``of`` all solutions.
    CoverSolution
        The same for an exact cover problem. It has the ``names`` of its options.

    Raises
    ------
    PuzzleError
        If the puzzle cannot be read; if there is no such solver, placement or solution number; if a limit leaves nothing.
    LimitReached
        If ``seconds`` or ``memory`` end the search before all solutions are found. Its ``solutions`` are those found until then.
        Reaching ``limit`` raises nothing.
    NotSupportedError
        If the solver cannot solve such a puzzle, or only counts; if there is too little memory to find solutions by their numbers.

    Examples
    --------
    >>> for solution in puzzlesat.solve("domino-and-square-3x2"):
    ...     print(*solution.names)
    I2.2@3.1 O4.1@1.1
    I2.2@1.1 O4.1@2.1

    With one piece in its place, and one solution of each class:

    >>> len(list(puzzlesat.solve("soma", given=["T.4@1.3.1"], limit=100)))
    100
    >>> len(list(puzzlesat.solve("absolut-knifflig", distinct=True)))
    37

    By number and at random, out of millions:

    >>> for solution in puzzlesat.solve("dominoes-8x8", nth=[1, 12_988_816]):
    ...     print(solution.number, "of", solution.of, solution.names[0])
    1 of 12988816 D.1@1.1
    12988816 of 12988816 D.2@1.1
    >>> [solution.number for solution in puzzlesat.solve("dominoes-8x8", random=3, seed=1)]
    [2254258, 9549657, 12814012]

    A list that a limit cut short is never taken for all solutions:

    >>> try:
    ...     found = list(puzzlesat.solve("pentominoes-6x10", seconds=0.001))
    ... except puzzlesat.LimitReached as ended:
    ...     found = ended.solutions
    >>> len(found)
    0
    >>> list(puzzlesat.solve("pentominoes-6x10", seconds=0.001, partial=True))
    []

    """
    from puzzlesat.counting import Pick, solve_cover, solve_listed, solve_numbered
    from puzzlesat.formats import ExactCover, instance_given

    _check_pick(nth, random, distinct=distinct)
    name = _one_solver(solver)
    limits, _ = begun(options)
    to_list = replace(limits, solutions=limit, seed=None if limit is None else SEED if seed is None else seed)
    if isinstance(puzzle, ExactCover):
        if nth is not None or random is not None or distinct:
            raise PuzzleError(f"nth, random and distinct are for puzzles; {puzzle.name} is a cover problem: remove them")
        return solve_cover(puzzle, name or LISTING, given, to_list, quietly=partial)
    instance = instance_given(puzzle)
    placements = [str(placement) for placement in given]
    if nth is None and random is None:
        return solve_listed(instance, name or LISTING, placements, to_list, distinct=distinct, quietly=partial)
    wanted = Pick((nth,) if isinstance(nth, int) else nth or (), random, **({} if seed is None else {"seed": seed}), distinct=distinct)
    return islice(solve_numbered(instance, name, placements, wanted, limits, quietly=partial), limit)


def _one_solver(given: str | Sequence[str] | None) -> str | None:
    """The name of the solver. Raises PuzzleError for several, and for none in a sequence."""
    if given is None:
        return None
    names = names_of(given)
    if len(names) != 1:
        raise PuzzleError(f"solver: 'solve' takes one solver, such as 'backtrack', got {', '.join(names) or 'none'}")
    return names[0]


def _check_pick(nth: int | Sequence[int] | None, random: int | None, *, distinct: bool) -> None:
    """Raise PuzzleError for arguments that contradict each other."""
    if nth is not None and random is not None:
        raise PuzzleError("use nth or random, not both")
    if nth is not None and distinct:
        raise PuzzleError("nth numbers all solutions, so it does not work with distinct; remove distinct, or use random")
    if random is not None and random < 1:
        raise PuzzleError(f"random: expected a number of solutions, 1 or more, got {random}")
