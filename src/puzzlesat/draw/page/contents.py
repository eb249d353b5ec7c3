"""What a page tells, before it is HTML."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from puzzlesat.counting.assemblies import Apart
from puzzlesat.counting.confirmation import joined
from puzzlesat.counting.report import Disagreement, Report, Row
from puzzlesat.cover.images import unmoved
from puzzlesat.draw.page.gallery import MOST_REACHED, Gallery, stands_for
from puzzlesat.errors import many
from puzzlesat.solvers.registry import family
from puzzlesat.solvers.run import COMPLETE, STOPPED


@dataclass(frozen=True)
class Reason:
    """Why there is no solution."""

    argument: str
    sentences: Sequence[str]
    picture: str = ""
    """A colouring as SVG, where that is the argument."""


@dataclass(frozen=True)
class Contents:
    """All that a page tells."""

    report: Report
    gallery: Gallery
    reason: Reason | None = None
    interrupted: bool = False
    """Whether somebody ended the work before its time."""
    command: str = ""
    apart: Apart | None = None
    """Which of the solutions listed come apart, by their numbers there; None: that was not asked."""


def with_list(report: Report, gallery: Gallery) -> Report:
    """Return the report with what the list of solutions adds: one more solver with its number, a lower bound, or a contradiction."""
    report = replace(report, seen=len(gallery.rows))
    if (wrong := list_contradicts(report, gallery)) is not None:
        return replace(report, disagreements=(*report.disagreements, Disagreement(gallery.solver, wrong)))
    known = {family(row.solver) for row in report.rows if row.all is not None}
    if not gallery.complete or not report.complete or family(gallery.solver) in known:
        return report
    stand = stands_for(unmoved(report.built.problem, gallery.rows))
    how = f"{len(gallery.rows):,} distinct ones listed on the page"
    row = Row(gallery.solver, stand, COMPLETE, how, gallery.seconds, {}, independent=True)
    return replace(report, rows=(*report.rows, row))


def what_is_missing(contents: Contents) -> str:
    """Say what a page holds that was interrupted, and what it lacks; nothing where it was not."""
    if not contents.interrupted:
        return ""
    report, gallery = contents.report, contents.gallery
    held = ["the count" if report.complete else "no count, which was not finished"]
    checks = [row.solver for row in report.rows if row.status == STOPPED and row.solver != report.counter]
    if report.complete and checks:
        held.append(f"no full check by {joined(checks)}")
    listed = len(gallery.rows)
    if listed or report.found or not report.complete:
        every = "all " if gallery.complete else ""
        held.append(f"{every}{many(listed, 'distinct solution')}" if listed else "no solution")
    elif contents.reason is None:
        held.append("no argument why there is no solution")
    return f"This page is incomplete, because making it was interrupted. It has {'; '.join(held)}."


def list_contradicts(report: Report, gallery: Gallery) -> str | None:
    """Say where a complete list of the distinct solutions contradicts the counts; None where it does not, or cannot."""
    if not gallery.complete or not report.complete:
        return None
    counts, listed = report.counts, len(gallery.rows)
    stand = stands_for(unmoved(report.built.problem, gallery.rows))
    if counts.distinct not in (None, listed):
        return f"{gallery.solver} lists {listed:,} distinct solutions, the count is {counts.distinct:,}"
    if counts.all not in (None, stand):
        return f"the {listed:,} distinct solutions listed represent {stand:,}, the count of all is {counts.all:,}"
    return None


def about_list(report: Report, gallery: Gallery) -> str:
    """Say how many solutions the list has, of how many, and why not more."""
    listed, counts = len(gallery.rows), report.counts
    if gallery.complete:
        if not listed:
            return f"There is no solution: {gallery.solver} searched everything."
        stand = stands_for(unmoved(report.built.problem, gallery.rows))
        several = len(report.built.problem.symmetries) > 1
        images = f" With their images under the symmetries of the form there are {stand:,}; of each, one is listed." if several else ""
        everything = "The one distinct solution" if listed == 1 else f"All {many(listed, 'distinct solution')}"
        return f"{everything}, listed by {gallery.solver}.{images}"
    if not listed:
        return f"No solution was listed: {gallery.status}."
    of = f" of {counts.distinct:,}" if counts.distinct is not None else ""
    why = "no more were asked for (--most)" if gallery.status == MOST_REACHED else f"{gallery.status} after {gallery.seconds:.0f} s"
    return (
        f"The first {listed:,}{of} distinct solutions that {gallery.solver} lists: {why}. The numbers below are about these solutions only."
    )
