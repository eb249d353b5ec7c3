"""``puzzlesat.solve``: list solutions, find them by number, or draw them at random."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import overload

from puzzlesat.api import checked
from puzzlesat.counting.exact_cover import CoverSolution, solve_cover
from puzzlesat.counting.listing import solve as stream
from puzzlesat.counting.numbering import Pick, any_seed
from puzzlesat.counting.numbering import solve as pick
from puzzlesat.cover.solution import Solution
from puzzlesat.errors import PuzzleError
from puzzlesat.formats.exact_cover import ExactCover
from puzzlesat.formats.puzzles import Given, instance_given
from puzzlesat.solvers.registry import names_of
from puzzlesat.solvers.run import limits_of
from puzzlesat.solvers.strategy import LISTING, SEED


@overload
def solve(
    puzzle: ExactCover,
    *,
    solver: str | Sequence[str] | None = ...,
    given: Sequence[Hashable] = ...,
    limit: int | None = ...,
    seed: int | None = ...,
    seconds: float | None = ...,
    memory: float | None = ...,
    cpu: bool = ...,
    partial: bool = ...,
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
    seconds: float | None = ...,
    memory: float | None = ...,
    cpu: bool = ...,
    partial: bool = ...,
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
    seconds: float | None = None,
    memory: float | None = None,
    cpu: bool = False,
    partial: bool = False,
) -> Iterator[Solution] | Iterator[CoverSolution]:
    """Yield the solutions of a puzzle one by one: all, those with given numbers, or some at random.

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
    seconds
        Stop after so many seconds.
    memory
        Memory limit in GiB.
    cpu
        Measure the seconds as CPU seconds, child processes included.
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
    _check_pick(nth, random, distinct=distinct)
    name = _one_solver(solver)
    limits = limits_of(seconds, memory, cpu=cpu).begun()
    to_list = replace(limits, solutions=limit, seed=None if limit is None else SEED if seed is None else seed)
    if isinstance(puzzle, ExactCover):
        if nth is not None or random is not None or distinct:
            raise PuzzleError(f"nth, random and distinct are for puzzles; {puzzle.name} is a cover problem: remove them")
        return solve_cover(puzzle, name or LISTING, given, to_list, quietly=partial)
    instance = instance_given(puzzle)
    placements = [str(placement) for placement in given]
    if nth is None and random is None:
        return stream(instance, name or LISTING, placements, to_list, distinct=distinct, quietly=partial)
    wanted = Pick((nth,) if isinstance(nth, int) else nth or (), random, any_seed() if seed is None else seed, distinct)
    return islice(pick(instance, name, placements, wanted, limits, quietly=partial), limit)


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
