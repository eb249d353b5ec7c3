"""A report in words, as every face of the program says them: the terminal, the page, and whoever reads the JSON."""

from __future__ import annotations

from puzzlesat.base import far_words
from puzzlesat.counting.cover_problem import PuzzlelessReport
from puzzlesat.counting.report import Report, Row
from puzzlesat.counting.verdict import CONFIRMED, UNKNOWN, Refutation, Verdict
from puzzlesat.puzzles import Reduced

NOT_KNOWN = "–"
"""Stands for a number that is not known."""
SOLVER_HEADINGS = ("solver", "all", "status", "how", "seconds", "work")
SHOWN_WORK = ("nodes", "placements", "dead_ends", "shapes", "states", "merged", "conflicts", "variables", "clauses")
"""Work counters that a report shows, the first three that a solver has."""


def number(value: int | None) -> str:
    """Return a number with commas, or a dash for one that is not known."""
    return NOT_KNOWN if value is None else f"{value:,}"


def placements_words(reduced: Reduced) -> str:
    """Return how many placements there are, and how many are left for the solvers."""
    broken = f"(tile {reduced.broken_on})" if reduced.broken_on else "(none)"
    left = reduced.after_reduction
    end = "not reduced, because it would take too long" if left is None else f"after reduction: {left:,}"
    return f"{reduced.placements:,}; after symmetry breaking {broken}: {reduced.after_symmetry:,}; {end}"


def verdict_words(verdict: Verdict) -> str:
    """Return what is not as expected, or where a figure is right instead, in one sentence with the cure."""
    counted = f"{verdict.what}: expected {_figure(verdict.expected)}, counted {_figure(verdict.got)}"
    if verdict.convention is None:
        return counted
    where = f"{_figure(verdict.expected)} is right in the convention: {verdict.convention.words}"
    return f"{counted}; {where}; {verdict.convention.cure}" if verdict.stated else f"{where} ({verdict.what}: {_figure(verdict.got)})"


def refutation_words(refutation: Refutation) -> str:
    """Return what became of a published count that the instance refutes, in one sentence."""
    claim = refutation.claim
    published = f"{claim.what} {claim.published:,}, published by {claim.by}"
    if refutation.word == CONFIRMED:
        return f"FAILED: the instance refutes {published}, but the count bears it out"
    if refutation.convention is not None:
        right = f"it is right in the convention: {refutation.convention.words}"
        return f"FAILED: the instance refutes {published}, but {right}; write this in published, and remove it from [[expect.refuted]]"
    if refutation.word == UNKNOWN:
        return f"not known: whether {published}, is wrong: {claim.evidence}"
    counted = f"at least {refutation.at_least:,}" if refutation.got is None else f"{refutation.got:,}"
    by = f" by {', '.join(refutation.counted_by)}" if refutation.counted_by else ""
    return f"REFUTED: {published}; counted {counted}{by}; {claim.evidence}"


def solver_cells(row: Row, report: Report | PuzzlelessReport) -> tuple[str, ...]:
    """Return what the table of solvers says of one: its name, all, status, how, seconds, work."""
    return row.solver, number(row.all), _status(row), _how(row, report), f"{row.seconds:.2f}", _work(row)


def _status(row: Row) -> str:
    return "sampled" if row.sampled is not None and row.sampled.checked and row.all is None else row.status


def _how(row: Row, report: Report | PuzzlelessReport) -> str:
    if row.refusal is not None:
        return row.refusal
    if row.sampled is None or not row.sampled.checked:
        return row.how
    total = report.found
    share = f", {100 * row.sampled.found / total:.1f} % of the solutions" if total else ""
    return f"{row.how}{share}"


def _work(row: Row) -> str:
    return ", ".join(far_words({key: row.work[key] for key in SHOWN_WORK if key in row.work})[:3])


def _figure(value: object) -> str:
    """A number with commas, and anything else as it is."""
    return f"{value:,}" if type(value) is int else str(value)
