"""A solver to start from: complete, slow, and without anything that another one is built on. Copy it, and replace ``_search``.

What makes it a solver is a row in ``registry.SOLVERS``, with its name, the line by which it describes itself, and this module:

    Solver(name="template", says="plain search in Python", module="puzzlesat.solvers.template")

From then on ``--solver template`` counts, ``--solver auto,template`` checks, shells complete the name, and the tests that go over the table
(``tests/solvers/test_registry.py``, the random puzzles, the truth tests) hold it against the judge and all other solvers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from puzzlesat.base import SILENT, Clock, Limits, OnSolutions, Outcome, Progress, Status, padded_rows
from puzzlesat.puzzles import CoverProblem
from puzzlesat.solvers.coloured import Ask

NAME = "template"
"""The outcome says who has answered: the table refuses an answer that comes from somebody else."""


def prepare(problem: CoverProblem) -> Ask:
    """Return a solver that can be queried repeatedly with different options fixed.

    What can be made ready for all questions, such as a formula, is made here. A solver with variants (``sat:ENGINE``) takes them as further
    arguments, and has a function ``check_variant`` that refuses those that there are not.
    """
    return partial(solve, problem)


def solve(
    problem: CoverProblem, on_solutions: OnSolutions | None, limits: Limits, *, given: Sequence[int] = (), progress: Progress = SILENT
) -> Outcome:
    """Find all solutions that contain the options ``given``.

    A solver that meets what it cannot do raises NotSupportedError with one sentence, and its row says so (``cannot``); it never guesses.
    """
    clock = Clock(limits)  # the time limit counts from here
    found = 0
    status: Status = "complete"  # only if it went through everything
    for chosen in _from(problem, given):
        found += 1
        if on_solutions is not None:  # otherwise only the number is wanted
            on_solutions(padded_rows([sorted(chosen)]))  # a block of solutions: one here, thousands where that is faster
        progress({"solutions": found})  # nobody may be listening: that needs no question
        if (verdict := clock.verdict(found)) is not None:  # time, number of solutions, Ctrl-C
            status = verdict
            break
    return Outcome(NAME, found, status, clock.seconds, {"solutions": found})


def _from(problem: CoverProblem, given: Sequence[int]) -> Iterator[list[int]]:
    """The solutions that contain the given options and those that are forced."""
    chosen: list[int] = []
    possible = _beside(problem, chosen, range(problem.size))
    for option in dict.fromkeys((*problem.forced, *given)):
        if option not in possible:
            return
        chosen.append(option)
        possible = _beside(problem, chosen, possible)
    yield from _search(problem, chosen, possible)


def _search(problem: CoverProblem, chosen: list[int], possible: list[int]) -> Iterator[list[int]]:
    """All ways to add some of the possible options to those chosen. This is what to replace."""
    covered = _covered(problem, chosen)
    needy = [i for i in range(len(problem.items)) if covered[i] < problem.low[i]]
    if not needy and not possible:
        if all(c.holds(sum(int(c.weights[o]) for o in chosen)) for c in problem.conditions):
            yield chosen
        return
    # one of the options of some item in need must come: of that with the fewest; where none is in need, the next option may come or not
    choices = min(([o for o in possible if i in problem.items_of(o)] for i in needy), key=len) if needy else possible[:1]
    for option in choices:
        possible = [o for o in possible if o != option]  # from now on it is ruled out
        yield from _search(problem, [*chosen, option], _beside(problem, [*chosen, option], possible))
    if not needy:
        yield from _search(problem, chosen, possible)


def _covered(problem: CoverProblem, chosen: Sequence[int]) -> list[int]:
    """How often each item is covered."""
    covered = [0] * len(problem.items)
    for option in chosen:
        for item in problem.items_of(option).tolist():
            covered[item] += 1
    return covered


def _beside(problem: CoverProblem, chosen: Sequence[int], possible: Sequence[int]) -> list[int]:
    """The options that may still be chosen: no item is covered more often than it may be, none in two colours.

    The options of a coloured item may cover it as often as they wish if they all give it the same colour; without a colour (0), alone.
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
    """The items of an option, each with the colour that it gives them."""
    span = slice(problem.start[option], problem.start[option + 1])
    return list(zip(problem.item[span].tolist(), problem.colour[span].tolist(), strict=True))
