"""What an instance expects, held against its puzzle: by a count, or where a solution is all that is expected, by the geometry alone."""

from __future__ import annotations

from dataclasses import replace

from puzzlesat.config.schema import ExpectedPlacements
from puzzlesat.counting.counts import Counts
from puzzlesat.counting.crosscheck import count
from puzzlesat.counting.report import NOT_COUNTED, Report, unbegun
from puzzlesat.counting.verdict import UNKNOWN, refutations, verdicts
from puzzlesat.cover.instance import BuiltInstance, build_instance
from puzzlesat.cover.reduce import reduce
from puzzlesat.progress import SILENT, Progress
from puzzlesat.puzzle.instance import Instance
from puzzlesat.solvers.run import EndedError, heeding
from puzzlesat.solvers.strategy import Plan


def hold(puzzle: Instance | BuiltInstance, plan: Plan, progress: Progress = SILENT) -> Report:
    """Return a report that says of everything that is expected of a puzzle whether it is so, as far as the limits of the plan allow.

    A solution is held against the geometry, and so is a published claim that there is none; where there is nothing else, nothing is
    counted. All else takes a count, which ``count`` makes as the plan says.
    """
    plan = replace(plan, limits=plan.limits.begun())
    told = heeding(progress, plan.limits)
    instance = puzzle.instance if isinstance(puzzle, BuiltInstance) else puzzle
    if instance.expect.solution is None:
        return count(puzzle, plan, progress)
    try:
        built = puzzle if isinstance(puzzle, BuiltInstance) else build_instance(puzzle, progress=told, memory=plan.limits.memory)
        untouched = reduce(built.problem, symmetry=False, dead=False, progress=told)
        report = Report(built, plan, untouched, Counts(), NOT_COUNTED, 0, (), None, ())
        words = [*(one.word for one in verdicts(report)), *(claim.word for claim in refutations(report))]
    except EndedError as ended:
        return unbegun(plan, instance, ended)
    return report if UNKNOWN not in words and instance.expect.placements == ExpectedPlacements() else count(built, plan, progress)
