"""A solver to start from: complete, slow, and independent of the other solvers. Copy it, and replace ``_search``.

A row in ``registry.SOLVERS`` makes it a solver. The row has its name, a description in one line, and this module:

    Solver(name="template", says="plain search in Python", module="puzzlesat.solvers.template")

From then on ``--solver template`` counts, ``--solver auto,template`` checks, shells complete the name, and the tests that go over the table
(``tests/solvers/test_registry.py``, the random puzzles, the truth tests) compare it with the judge and all other solvers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from puzzlesat.base import SILENT, Clock, Limits, OnSolutions, Outcome, Progress, Status, padded_rows
from puzzlesat.puzzles import CoverProblem
from puzzlesat.solvers.coloured import Ask

NAME = "template"
"""The solver's name in its outcomes. The registry rejects an outcome that has the name of another solver."""


def prepare(problem: CoverProblem) -> Ask:
    """Return a solver that can be queried repeatedly with different options fixed.

    Build here what all queries share, such as a formula. A solver with variants (``sat:ENGINE``) takes them as further arguments, and has a
    function ``check_variant`` that raises PuzzleError for an unknown variant.
    """
    return partial(solve, problem)


def solve(
    problem: CoverProblem, on_solutions: OnSolutions | None, limits: Limits, *, given: Sequence[int] = (), progress: Progress = SILENT
) -> Outcome:
    """Find all solutions that contain the options ``given``.

    If the solver does not support the problem, it raises NotSupportedError with one sentence, and its row lists the feature in ``cannot``.
    It never guesses.
    """
    clock = Clock(limits)  # the time limit counts from here
    found = 0
    status: Status = "complete"  # unless a limit ends the search
    for chosen in _from(problem, given):
        found += 1
        if on_solutions is not None:  # None: solutions are only counted
            on_solutions(padded_rows([sorted(chosen)]))  # a block of solutions: one here; use thousands if that is faster
        progress({"solutions": found})  # does nothing without a listener
        if (verdict := clock.verdict(found)) is not None:  # limits: time, number of solutions, Ctrl-C
            status = verdict
            break
    return Outcome(NAME, found, status, clock.seconds, {"solutions": found})


def _from(problem: CoverProblem, given: Sequence[int]) -> Iterator[list[int]]:
    """Yield the solutions that contain the given options and the forced ones."""
    chosen: list[int] = []
    possible = _beside(problem, chosen, range(problem.size))
    for option in dict.fromkeys((*problem.forced, *given)):
        if option not in possible:
            return
        chosen.append(option)
        possible = _beside(problem, chosen, possible)
    yield from _search(problem, chosen, possible)


def _search(problem: CoverProblem, chosen: list[int], possible: list[int]) -> Iterator[list[int]]:
    """Yield the solutions that add some of the possible options to those chosen. Replace this function."""
    covered = _covered(problem, chosen)
    needy = [i for i in range(len(problem.items)) if covered[i] < problem.low[i]]
    if not needy and not possible:
        if all(c.holds(sum(int(c.weights[o]) for o in chosen)) for c in problem.conditions):
            yield chosen
        return
    # branch on the item in need with the fewest options; if no item is in need, choose the next option or skip it
    choices = min(([o for o in possible if i in problem.items_of(o)] for i in needy), key=len) if needy else possible[:1]
    for option in choices:
        possible = [o for o in possible if o != option]  # later branches are without this option
        yield from _search(problem, [*chosen, option], _beside(problem, [*chosen, option], possible))
    if not needy:
        yield from _search(problem, chosen, possible)


def _covered(problem: CoverProblem, chosen: Sequence[int]) -> list[int]:
    """Return how often each item is covered."""
    covered = [0] * len(problem.items)
    for option in chosen:
        for item in problem.items_of(option).tolist():
            covered[item] += 1
    return covered


def _beside(problem: CoverProblem, chosen: Sequence[int], possible: Sequence[int]) -> list[int]:
    """Return the options that may still be chosen: no item is covered more often than it may be, or in two colours.

    Options of a coloured item may cover it any number of times if they all give it the same colour. An option that gives it no colour (0)
    must be the only one.
    """
    covered = _covered(problem, chosen)
    colours = {i: colour for o in chosen for i, colour in _entries(problem, o) if problem.coloured[i]}

    def fits(option: int) -> bool:
        return all(
            (i not in colours or 0 != colours[i] == colour) if problem.coloured[i] else covered[i] < problem.high[i]
            for i, colour in _entries(problem, option)
        )

    return [o for o in possible if o not in chosen and fits(o)]


def _entries(problem: CoverProblem, option: int) -> list[tuple[int, int]]:
    """Return the items of an option, each with the colour that the option gives it."""
    span = slice(problem.start[option], problem.start[option + 1])
    return list(zip(problem.item[span].tolist(), problem.colour[span].tolist(), strict=True))
