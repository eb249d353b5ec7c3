"""Counts that follow from the solutions, in a second way: what is symmetric, what is different, and in how many ways it can be labelled."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from typing import Any

from puzzlesat.arrays import Rows
from puzzlesat.counting.report import Disagreement, Report
from puzzlesat.progress import Progress
from puzzlesat.recheck.byhand import figures_again, labelled_again
from puzzlesat.sentences import Sentence
from puzzlesat.solvers.run import Clock, Limits

SECOND_COUNT = "second count"
"""Who says so where what follows from the solutions is another number."""
BY_SOLUTIONS = Sentence("the listed solutions, counted in a second way")
BY_TREES = Sentence("a checked search for the solutions that symmetries leave unchanged")
BY_COPIES = Sentence("the copies of each tile, counted in a second way")
NO_SYMMETRY = Sentence("no symmetry to count up to")
"""How counts were found again."""
SECONDS_A_SOLUTION = 1e-5
"""To search and check a tree, by the solutions that a symmetry leaves unchanged: what was measured for dominoes in 10x8."""


def counted_again(report: Report, rows: Rows, go_on: Callable[[], object]) -> Report:
    """Return the report with what all solutions say, each of which is once in ``rows``. ``go_on`` is called now and then, and may raise."""
    return _held_against(report, figures_again(report.built, rows, go_on), BY_SOLUTIONS)


def fixed_again(report: Report, limits: Limits, progress: Progress) -> Report:
    """Return the report of a count without a list, with what can be said of it within some limits."""
    counts, built = report.counts, report.built
    if not report.found or counts.all is None:
        return report
    labelled = labelled_again(built, counts.all)
    report = report if labelled is None else _held_against(report, {"labelled": labelled}, BY_COPIES)
    if len(built.problem.symmetries) == 1:
        return _held_against(report, {"distinct": counts.all, "fixed": {built.problem.symmetries[0]: counts.all}}, NO_SYMMETRY)
    if counts.fixed is None or any("fixed" in row.figures for row in report.rows if row.all is not None):
        return report
    left, most = Clock(limits).left, max(n for name, n in counts.fixed.items() if name != built.problem.symmetries[0])
    if left is not None and left < most * SECONDS_A_SOLUTION:
        return report
    from puzzlesat.counting.certified import check_fixed_by_trees  # who needs no trees need not wait for what makes them

    fixed = check_fixed_by_trees(built, limits, progress)
    if isinstance(fixed, Disagreement):
        return replace(report, disagreements=(*report.disagreements, fixed))
    if fixed is None:
        return report
    fixed = dict.fromkeys(built.problem.symmetries, counts.all) | fixed
    distinct, rest = divmod(sum(fixed.values()), len(fixed))
    return _held_against(report, {"fixed": fixed, "distinct": distinct if not rest else None}, BY_TREES)


def _held_against(report: Report, found: Mapping[str, Any], how: str) -> Report:
    """Note which counts were found again, and which are another number; what the report does not know cannot differ."""
    counts = asdict(report.counts)
    known = {name: figure for name, figure in found.items() if counts[name] is not None}
    wrong = tuple(Disagreement(SECOND_COUNT, _difference(name, counts[name], n)) for name, n in known.items() if n != counts[name])
    again = {name: how for name, figure in known.items() if figure == counts[name] and name != "all"}
    return replace(report, found_again={**report.found_again, **again}, disagreements=(*report.disagreements, *wrong))


def _difference(name: str, counted: Any, again: Any) -> str:
    if isinstance(counted, dict) and isinstance(again, dict):
        said = [f"{key}: {again.get(key)}, not {counted.get(key)}" for key in {**counted, **again} if again.get(key) != counted.get(key)]
        return Sentence("{name}, counted in a second way, differs: {again}", name=name, again="; ".join(said))
    return Sentence("{name}, counted in a second way, is {again}, not {counted}", name=name, again=str(again), counted=str(counted))
