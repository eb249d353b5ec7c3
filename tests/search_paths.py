"""Every way in which the program's search code can process a cover problem, each forced on all problems that it supports."""

from functools import partial

import pytest

from helpers import solution_set, whole_solutions
from puzzlesat.base import Limits, NotSupportedError, padded_rows
from puzzlesat.solvers import backtrack, narrowing, small_problem, solver
from puzzlesat.solvers.backtrack import LAYOUTS
from tally_ways import WAYS, tally_by


def _listed(layout, problem):
    return solution_set(problem, f"backtrack:{layout}")


def _counted(way, problem):
    with tally_by(way) as limits:
        outcome = solver("tally")(problem)(None, limits)
    assert outcome.complete
    return outcome.found


def _narrowed(level, problem):
    with pytest.MonkeyPatch.context() as patch:
        narrow_at(patch, level)
        return _listed("bitsets", problem)


def narrow_at(patch, level, nodes=2):
    """Make the backtracker build smaller bitsets below a level, after a few nodes."""
    patch.setattr(narrowing, "NODES_BEFORE", nodes)
    patch.setattr(narrowing, "SHARE", 1)
    patch.setattr(narrowing, "lowest_level", lambda s: len(s.given) + level if len(s.given) + level < len(s.tries) else None)


def _at_once(problem):
    with pytest.MonkeyPatch.context() as patch:
        at_once(patch)
        if (counted := small_problem.count_at_once(problem)) is None:
            raise NotSupportedError("not for words")
        return counted[2]


def at_once(patch, first=1 << 40, most=1 << 40):
    """Make the backtracker count by words whenever it can, however long this takes."""
    patch.setattr(small_problem, "FIRST_NODES", first)
    patch.setattr(small_problem, "MAX_NODES", most)
    patch.setattr(small_problem, "SHARE", 1 << 40)


def _by_representatives(problem):
    """Count with the symmetry broken on some tiles and atoms, and compare weights, images and classes with the whole list."""
    whole, images = solution_set(problem), problem.option_images
    for item in (*problem.breaking_tiles()[:2], *problem.breaking_atoms()[:2]):
        broken = problem.break_symmetry(item)
        some = padded_rows(sorted(whole_solutions(broken)))
        found = {tuple(sorted(o for o in row if o >= 0)) for image in images.array for row in image[some].tolist()}
        assert found == whole
        assert sorted(images.one_of_each(some, broken).tolist()) == images.distinct(padded_rows(sorted(whole))).tolist()
        assert backtrack.solve(broken, None, Limits()).weighted == len(whole)
    return len(whole)


LISTING = {f"backtrack:{layout}": partial(_listed, layout) for layout in LAYOUTS}
LISTING |= {f"backtrack: smaller bitsets below level {level}": partial(_narrowed, level) for level in (1, 2)}
"""Ways that list solutions: functions from a problem to the set of them."""
COUNTING = {f"tally: {way}": partial(_counted, way) for way in WAYS}
COUNTING["backtrack: words"] = _at_once
COUNTING["backtrack: symmetry broken"] = _by_representatives
"""Ways that only count: functions from a problem to their number; each may refuse a problem (NotSupportedError)."""


def answer(name, problem):
    """The solutions that a way lists, or their number if it only counts; None if it refuses the problem."""
    try:
        return (LISTING | COUNTING)[name](problem)
    except NotSupportedError:
        return None


def agree(name, problem, expected):
    """Return whether a solver finds the expected solutions, or refuses."""
    return answer(name, problem) in (None, expected if name in LISTING else len(expected))
