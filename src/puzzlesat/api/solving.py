"""``puzzlesat.solve``: the solutions themselves, one by one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice

from puzzlesat.counting.listing import Draw, Solution
from puzzlesat.counting.listing import solve as stream
from puzzlesat.counting.numbering import Pick, any_seed
from puzzlesat.counting.numbering import solve as pick
from puzzlesat.cover.build import Built
from puzzlesat.draw.text import SolutionPictures
from puzzlesat.errors import PuzzleError
from puzzlesat.formats.puzzles import Given, instance_given
from puzzlesat.solvers.run import limits_of
from puzzlesat.solvers.strategy import LISTING, SEED


def solve(
    puzzle: Given,
    *,
    solver: str | None = None,
    given: Sequence[str] = (),
    distinct: bool = False,
    limit: int | None = None,
    nth: int | Sequence[int] | None = None,
    random: int | None = None,
    seed: int | None = None,
    seconds: float | None = None,
    memory: float | None = None,
    cpu: bool = False,
    partial: bool = False,
) -> Iterator[Solution]:
    """Yield the solutions of a puzzle one by one: all, those with some numbers, or some at random.

    Parameters
    ----------
    puzzle
        What ``load`` takes, or what it returns, or its ``puzzle`` alone.
    solver
        Name of the solver. By default ``backtrack`` lists; for ``nth`` and ``random`` the tally counts, and lists nothing.
    given
        Placements, such as ``"Q.1@3.1"``, that the solutions must contain.
    distinct
        Yield one of each class of solutions that the form's symmetries turn into each other; with ``random``, all classes have equal
        chance.
    limit
        End after so many solutions. Where the search finds none for a while, they are also looked for by chance.
    nth
        Numbers of solutions, from 1 to the count, in an order that is always the same: of two solutions that one comes first which has the
        earlier placement where they first differ, as one goes through the form the way that the tally does.
    random
        Draw so many solutions independently; all have equal chance.
    seed
        What chance goes by: the same number gives the same solutions again. Default: any for ``random``, else always the same.
    seconds
        Stop after so long.
    memory
        Gibibytes that the work may take.
    cpu
        Take the seconds as CPU seconds, of this process and its children.
    partial
        End where a limit is reached, as if there were no more solutions. Else ``LimitReached`` is raised there; it has those that were
        yielded, which are kept for it.

    Yields
    ------
    Solution
        As soon as it is found. It has the ``names`` of its placements, the ``placements`` with their atoms, and is drawn by ``str``. With
        ``nth`` and ``random`` it has its ``number`` too, and how many there are, ``of``.

    Raises
    ------
    PuzzleError
        Where the puzzle cannot be read, there is no solver of that name, no such placement, no solution of that number, or a limit leaves
        nothing.
    LimitReached
        Where ``seconds`` or ``memory`` end it before all solutions are found; its ``found`` are those that were. ``limit`` is no such end.
    NotSupportedError
        Where the solver cannot solve such a puzzle, or only counts; where there is too little memory to find solutions by their numbers.

    Examples
    --------
    >>> for solution in puzzlesat.solve("domino-and-square-3x2"):
    ...     print(*solution.names)
    I2.2@3.1 O4.1@1.1
    I2.2@1.1 O4.1@2.1

    With a piece in its place, and one of each class of solutions that the symmetries of the form turn into each other:

    >>> len(list(puzzlesat.solve("soma", given=["T.4@1.3.1"], limit=100)))
    100
    >>> len(list(puzzlesat.solve("absolut-knifflig", distinct=True)))
    37

    Out of many, by number and at random:

    >>> for solution in puzzlesat.solve("dominoes-8x8", nth=[1, 12_988_816]):
    ...     print(solution.number, "of", solution.of, solution.names[0])
    1 of 12988816 D.1@1.1
    12988816 of 12988816 D.2@1.1
    >>> [solution.number for solution in puzzlesat.solve("dominoes-8x8", random=3, seed=1)]
    [2254258, 9549657, 12814012]

    What was cut short is never taken for all there is:

    >>> try:
    ...     found = list(puzzlesat.solve("pentominoes-6x10", seconds=0.001))
    ... except puzzlesat.LimitReached as ended:
    ...     found = ended.found
    >>> len(found)
    0
    >>> list(puzzlesat.solve("pentominoes-6x10", seconds=0.001, partial=True))
    []

    """

    def draws(built: Built) -> Draw:
        return SolutionPictures(built).plain

    _check_pick(nth, random, distinct=distinct)
    limits = limits_of(seconds, memory, cpu=cpu).begun()
    instance = instance_given(puzzle)
    if nth is None and random is None:
        limits = replace(limits, solutions=limit, seed=None if limit is None else SEED if seed is None else seed)
        return stream(instance, LISTING if solver is None else solver, given, limits, distinct=distinct, quietly=partial, draws=draws)
    wanted = Pick((nth,) if isinstance(nth, int) else nth or (), random, any_seed() if seed is None else seed, distinct)
    return islice(pick(instance, solver, given, wanted, limits, quietly=partial, draws=draws), limit)


def _check_pick(nth: int | Sequence[int] | None, random: int | None, *, distinct: bool) -> None:
    """Raise PuzzleError for wishes that contradict each other."""
    if nth is not None and random is not None:
        raise PuzzleError("use nth or random, not both")
    if nth is not None and distinct:
        raise PuzzleError("nth numbers all solutions, so it does not work with distinct; remove distinct, or use random")
    if random is not None and random < 1:
        raise PuzzleError(f"random: expected a number of solutions, 1 or more, got {random}")
