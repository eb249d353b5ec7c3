"""What a page tells, before it is HTML."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from puzzlesat.draw.page.gallery import MOST_REACHED, Gallery, stands_for, unmoved
from puzzlesat.draw.page.words import many
from puzzlesat.report import Report


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
    as_json: Mapping[str, Any]
    """The report as ``count --json`` prints it, for programs that read the page."""
    solvers: Sequence[Sequence[str]]
    """One row a solver: its name, all, status, how, seconds, work."""
    agreement: str
    refuted: Sequence[str]
    """What became of the published counts that the instance refutes, in sentences."""
    gallery: Gallery
    reason: Reason | None = None
    contradictions: Sequence[str] = ()
    """What was found besides what the report itself tells of."""
    command: str = ""


def list_contradicts(report: Report, gallery: Gallery) -> str | None:
    """Say where a complete list of the distinct solutions contradicts the counts; None where it does not, or cannot."""
    if not gallery.complete or not report.complete:
        return None
    counts, listed = report.counts, len(gallery.rows)
    stand = stands_for(unmoved(report.built.problem, gallery.rows))
    if counts.distinct not in (None, listed):
        return f"{gallery.solver} lists {listed:,} distinct solutions, the count is {counts.distinct:,}"
    if counts.all not in (None, stand):
        return f"the {listed:,} distinct solutions listed stand for {stand:,}, the count of all is {counts.all:,}"
    return None


def about_list(report: Report, gallery: Gallery) -> str:
    """Say how many solutions the list has, of how many, and why not more."""
    listed, counts = len(gallery.rows), report.counts
    if gallery.complete:
        if not listed:
            return f"There is no solution: {gallery.solver} went through everything."
        stand = stands_for(unmoved(report.built.problem, gallery.rows))
        several = len(report.built.problem.symmetries) > 1
        images = f" With their images under the symmetries of the form there are {stand:,}; of each, one is listed." if several else ""
        everything = "The one distinct solution" if listed == 1 else f"All {many(listed, 'distinct solution')}"
        return f"{everything}, listed by {gallery.solver}.{images}"
    if not listed:
        return f"No solution was listed: {gallery.status}."
    of = f" of {counts.distinct:,}" if counts.distinct is not None else ""
    why = "no more were asked for (--most)" if gallery.status == MOST_REACHED else f"{gallery.status} after {gallery.seconds:.0f} s"
    return f"The first {listed:,}{of} distinct solutions that {gallery.solver} lists: {why}. Numbers below speak of these alone."
