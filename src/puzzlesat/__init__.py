"""Count the solutions of packing and edge-matching puzzles so that the count can be trusted.

Examples
--------
>>> import puzzlesat
>>> instance = puzzlesat.load("absolut-knifflig")
>>> report = puzzlesat.count(instance, solvers=("backtrack", "sat"))
>>> report.counts.all, report.counts.distinct, report.agree
(148, 37, True)
>>> len(next(puzzlesat.solve(instance)).names)
9

"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from itertools import islice
from typing import TYPE_CHECKING, Any

from puzzlesat.errors import NotSupportedError, PuzzleError
from puzzlesat.solvers.strategy import CHECKING_SECONDS, COUNTING, LISTING, SEED

if TYPE_CHECKING:
    from puzzlesat.api.arrays import conflict_graph, solutions_array
    from puzzlesat.api.drawing import draw
    from puzzlesat.api.filling import common, sets
    from puzzlesat.api.parting import apart
    from puzzlesat.api.playing import challenge, hint
    from puzzlesat.api.proving import certify, prove, verify
    from puzzlesat.api.running import Ran, run
    from puzzlesat.api.stopped import Stopped
    from puzzlesat.api.trying import forms
    from puzzlesat.candidates.common import CommonFound
    from puzzlesat.candidates.sets import SetsFound
    from puzzlesat.counting.assemblies import Apart, Assembly
    from puzzlesat.counting.counts import Counts
    from puzzlesat.counting.listing import Draw, Solution
    from puzzlesat.counting.report import Disagreement, Report, Row, Sample, Unbegun
    from puzzlesat.cover.build import Built
    from puzzlesat.formats.puzzles import Given
    from puzzlesat.play.hint import Hint
    from puzzlesat.play.sheet import Sheet
    from puzzlesat.proof.certify import Certified
    from puzzlesat.proof.check.certificate import Verified
    from puzzlesat.proof.check.rejected import Rejected
    from puzzlesat.proof.prove import Proof
    from puzzlesat.puzzle.data import Puzzle
    from puzzlesat.puzzle.instance import Instance

__all__ = [
    "Apart",
    "Assembly",
    "Certified",
    "CommonFound",
    "Counts",
    "Disagreement",
    "Hint",
    "Instance",
    "NotSupportedError",
    "Proof",
    "Puzzle",
    "PuzzleError",
    "Ran",
    "Rejected",
    "Report",
    "Row",
    "Sample",
    "SetsFound",
    "Sheet",
    "Solution",
    "Stopped",
    "Unbegun",
    "Verified",
    "apart",
    "certify",
    "challenge",
    "common",
    "conflict_graph",
    "count",
    "draw",
    "forms",
    "hint",
    "load",
    "prove",
    "run",
    "sets",
    "solutions_array",
    "solve",
    "verify",
]  # fmt: skip
__version__ = "0.7.0"

_ELSEWHERE = {
    "Apart": "puzzlesat.counting.assemblies", "Assembly": "puzzlesat.counting.assemblies", "apart": "puzzlesat.api.parting",
    "Counts": "puzzlesat.counting.counts", "Disagreement": "puzzlesat.counting.report", "Instance": "puzzlesat.puzzle.instance",
    "Puzzle": "puzzlesat.puzzle.data", "Report": "puzzlesat.counting.report", "Row": "puzzlesat.counting.report",
    "Sample": "puzzlesat.counting.report", "Solution": "puzzlesat.counting.listing",
    "Unbegun": "puzzlesat.counting.report",
    "Certified": "puzzlesat.proof.certify", "Hint": "puzzlesat.play.hint", "Proof": "puzzlesat.proof.prove", "Ran": "puzzlesat.api.running",
    "Rejected": "puzzlesat.proof.check.rejected", "Sheet": "puzzlesat.play.sheet", "Stopped": "puzzlesat.api.stopped",
    "Verified": "puzzlesat.proof.check.certificate",
    "certify": "puzzlesat.api.proving", "challenge": "puzzlesat.api.playing", "conflict_graph": "puzzlesat.api.arrays",
    "forms": "puzzlesat.api.trying", "hint": "puzzlesat.api.playing", "prove": "puzzlesat.api.proving", "run": "puzzlesat.api.running",
    "solutions_array": "puzzlesat.api.arrays", "verify": "puzzlesat.api.proving",
    "CommonFound": "puzzlesat.candidates.common", "SetsFound": "puzzlesat.candidates.sets", "common": "puzzlesat.api.filling",
    "sets": "puzzlesat.api.filling",
}  # fmt: skip
"""What stands elsewhere: the package is imported without it."""


def load(puzzle: Given, problem: int | str | None = None, *, rules: Mapping[str, Any] | None = None) -> Instance:
    """Load an instance by the name it has in the package, or a puzzle from a file, or as its file would say it.

    Parameters
    ----------
    puzzle
        A name, or a file: ``.toml``, ``.jsonl`` (puzzles as JSON lines), ``.xmpuzzle`` (BurrTools), ``.xml`` (Legespiel-Solver). The text
        of an instance in TOML, of several lines, or its tables as a dictionary, perhaps with a ``name``; the model and the grid that it
        names stand in the package, or in the folder where the program runs. What is loaded is returned as it is.
    problem
        Which of several puzzles in a file: its number, from 1, or its name.
    rules
        Rules on solutions, with the keys of the table ``[solutions]`` of a file: the puzzle as it is, of which only solutions that keep
        these count; they take the place of what it has under the same keys. What is expected of its counts is left out.

    Returns
    -------
    Instance
        Its ``puzzle`` has what a count depends on, such as ``grid``, ``tiles`` and ``form``; beside it stand ``name``, ``title``, ``path``,
        ``source`` and what is expected of the counts, ``expect``.

    Raises
    ------
    PuzzleError
        With one sentence in ``problems`` for everything that is wrong with the file.

    Examples
    --------
    >>> soma = puzzlesat.load("soma")
    >>> len(soma.puzzle.tiles), len(soma.puzzle.form.atoms)
    (7, 27)
    >>> puzzlesat.count(puzzlesat.load("dominoes-6x6", rules={"no_crossroads": True}), solvers="backtrack").counts.all
    2
    >>> board = puzzlesat.load({"title": "Dominoes", "model": "dominoes", "form": {"box": [3, 4]}})
    >>> puzzlesat.count(board, solvers="tally").counts.all
    11
    >>> puzzlesat.load("somma")
    Traceback (most recent call last):
        ...
    puzzlesat.errors.PuzzleError: there is no instance 'somma'; did you mean 'soma'? 'puzzlesat list' shows all

    """
    from puzzlesat.formats.puzzles import instance_given

    return instance_given(puzzle, problem, rules=rules)


def count(
    puzzle: Given,
    *,
    solvers: Sequence[str] | str = COUNTING,
    budget: float = CHECKING_SECONDS,
    full: bool = False,
    seconds: float | None = None,
    memory: float | None = None,
    cpu: bool = False,
) -> Report | Unbegun:
    """Count the solutions of a puzzle with the first solver and check the count with the others.

    Parameters
    ----------
    puzzle
        What ``load`` takes, or what it returns, or its ``puzzle`` alone.
    solvers
        Names of solvers, one at least; the first one counts. ``auto`` lets the tally and the backtracker take turns.
    budget
        Seconds that the certificate and the checking solvers may take together; past it they check a sample.
    full
        Check everything, however long it takes.
    seconds
        Stop after so long, whatever is being done; where that was before the count was, the report is not ``complete``.
    memory
        Gibibytes that the work may take; what needs more is done in another way, refused or stopped.
    cpu
        Take all seconds as CPU seconds, of this process and its children.

    Returns
    -------
    Report
        ``report.counts`` has ``labelled``, ``all``, ``distinct`` and ``fixed``; ``report.agree`` is True only where a second solver
        confirmed at least a part of the count and nothing contradicted it. ``report.rows`` says what each solver did, or why it refused.
        What was stopped before there was anything to count is an ``Unbegun``, with the same ``complete``, ``counts`` and ``agree``.

    Raises
    ------
    PuzzleError
        Where the puzzle cannot be read, there is no solver of that name, or a limit leaves nothing.

    Examples
    --------
    >>> report = puzzlesat.count("absolut-knifflig", solvers=("backtrack", "sat"))
    >>> report.counts.all, report.counts.distinct
    (148, 37)
    >>> [(row.solver, row.all) for row in report.rows]
    [('backtrack', 148), ('sat', 148)]
    >>> report.agree
    True

    What was not finished is never shown as a count:

    >>> stopped = puzzlesat.count("pentominoes-6x10", solvers="backtrack", seconds=0.01)
    >>> stopped.complete, stopped.counts.all
    (False, None)

    """
    from puzzlesat.counting.crosscheck import count as cross_checked
    from puzzlesat.solvers.run import limits_of
    from puzzlesat.solvers.strategy import Plan

    solvers = (solvers,) if isinstance(solvers, str) else tuple(solvers)
    if not solvers:
        raise PuzzleError("solvers: name one at least, such as 'backtrack'")
    plan = Plan(solvers=solvers, budget=budget, full=full, limits=limits_of(seconds, memory, cpu=cpu).begun())
    return cross_checked(load(puzzle), plan)


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
        End after so long.
    memory
        Gibibytes that the work may take.
    cpu
        Take the seconds as CPU seconds, of this process and its children.

    Yields
    ------
    Solution
        As soon as it is found. It has the ``names`` of its placements, the ``placements`` with their atoms, and is drawn by ``str``. With
        ``nth`` and ``random`` it has its ``number`` too, and how many there are, ``of``.

    Raises
    ------
    PuzzleError
        Where the puzzle cannot be read, there is no solver of that name, no such placement, no solution of that number, or a limit leaves
        nothing; and where ``nth`` or ``random`` are asked for, and time is up before the solutions are counted.
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

    """
    from puzzlesat.counting.listing import solve as stream
    from puzzlesat.counting.numbering import Pick, any_seed
    from puzzlesat.counting.numbering import solve as pick
    from puzzlesat.draw.text import SolutionPictures
    from puzzlesat.solvers.run import limits_of

    def draws(built: Built) -> Draw:
        return SolutionPictures(built).plain

    _check_pick(nth, random, distinct=distinct)
    limits = limits_of(seconds, memory, cpu=cpu).begun()
    instance = load(puzzle)
    if nth is None and random is None:
        limits = replace(limits, solutions=limit, seed=None if limit is None else SEED if seed is None else seed)
        return stream(instance, LISTING if solver is None else solver, given, limits, distinct=distinct, draws=draws)
    wanted = Pick((nth,) if isinstance(nth, int) else nth or (), random, any_seed() if seed is None else seed, distinct)
    return islice(pick(instance, solver, given, wanted, limits, draws), limit)


def _check_pick(nth: int | Sequence[int] | None, random: int | None, *, distinct: bool) -> None:
    """Raise PuzzleError for wishes that contradict each other."""
    if nth is not None and random is not None:
        raise PuzzleError("say nth or random, not both")
    if nth is not None and distinct:
        raise PuzzleError("nth numbers all solutions: leave distinct out, or say random with it")
    if random is not None and random < 1:
        raise PuzzleError(f"random is how many solutions are drawn: expected 1 or more, got {random}")


def __getattr__(name: str) -> Any:
    """Load what stands elsewhere when it is first asked for."""
    if name == "draw":
        return import_module("puzzlesat.draw")  # the package, which can be called: it has this name as soon as it is loaded
    if name not in _ELSEWHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_ELSEWHERE[name]), name)
