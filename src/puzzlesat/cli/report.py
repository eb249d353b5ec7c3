"""``puzzlesat report``: one page of HTML with all that is known of a puzzle and its solutions."""

from __future__ import annotations

import shlex
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
from rich.text import Text

from puzzlesat.cli.count import (
    FAILED,
    Switches,
    agreement,
    lister,
    refutation_words,
    report_as_json,
    solver_cells,
    status_of,
    write_disagreements,
)
from puzzlesat.cli.output import check_output
from puzzlesat.cli.terminal import Announce, progress, stoppable
from puzzlesat.crosscheck import count
from puzzlesat.draw.colouring import colouring_svg
from puzzlesat.draw.page.contents import Contents, Reason, about_list, list_contradicts
from puzzlesat.draw.page.drawings import make_drawings
from puzzlesat.draw.page.gallery import MOST, Gallery, list_distinct
from puzzlesat.draw.page.html import page
from puzzlesat.errors import PuzzleError
from puzzlesat.formats.puzzles import puzzle_in
from puzzlesat.proof.case import make_case
from puzzlesat.proof.certificate import new_file
from puzzlesat.proof.certify import StoppedError
from puzzlesat.proof.prove import SOLVABLE, prove
from puzzlesat.report import DEFAULT_BUDGET, Report
from puzzlesat.solvers.run import COMPLETE, LIMIT, Limits
from puzzlesat.verdict import refutations

LISTING_SECONDS = 60.0
PROOF_SECONDS = 20.0
"""How long the solutions are listed, and an argument is looked for why there is none, unless ``--time`` says otherwise."""


def run_report(name: str, output: Path, switches: Switches, most: int, problem: int | None = None) -> int:
    """Count, list, prove where there is none, and write the page; return the exit status."""
    check_output(output, ".html", ".htm")
    puzzle = puzzle_in(name, problem)
    with new_file(output) as file, stoppable() as stop, progress(puzzle.name) as announce:
        limits = switches.limits(stop)
        report = count(puzzle, switches.plan(puzzle, limits), announce)
        gallery = _gallery(report, most, limits, announce)
        gallery, reason, wrong = _reason(report, gallery, limits, announce)
        if (contradiction := list_contradicts(report, gallery)) is not None:
            wrong = (*wrong, contradiction)
        contents = Contents(
            report,
            report_as_json(report),
            [solver_cells(row, report) for row in report.rows],
            Text.from_markup(agreement(report)).plain,
            [refutation_words(r) for r in refutations(report)],
            gallery,
            reason,
            wrong,
            _command(name, output, switches, most, problem),
        )
        file.write(page(contents, make_drawings(report.built, _first_in_space(report, gallery))).encode("utf-8"))
    for path in write_disagreements(report):
        print(f"puzzlesat: what differs is written to {path}", file=sys.stderr)
    for sentence in wrong:
        print(f"puzzlesat: {sentence}", file=sys.stderr)
    print(f"{output}: {output.stat().st_size:,} bytes. {about_list(report, gallery)}")
    return FAILED if wrong else status_of(report)


def _gallery(report: Report, most: int, limits: Limits, announce: Announce | None) -> Gallery:
    """List the distinct solutions, unless the count knows that there is none."""
    solver = lister(report)
    if report.complete and not report.counts.all:
        return Gallery(np.empty((0, 1), dtype=np.int32), COMPLETE, report.rows[0].solver)
    seconds = LISTING_SECONDS if limits.seconds is None else limits.seconds
    show = None if announce is None else (lambda n: announce(f"listing with {solver}", {"distinct solutions": n}))
    return list_distinct(report.built, solver, most, Limits(seconds=seconds, stop=limits.stop), show)


def _reason(report: Report, gallery: Gallery, limits: Limits, announce: Announce | None) -> tuple[Gallery, Reason | None, tuple[str, ...]]:
    """Look for an argument why there is no solution, where none is known; return it, or the solution that was found, and contradictions."""
    if len(gallery.rows) or report.found or limits.stop.is_set():
        return gallery, None, ()
    searched = f"{gallery.solver} went through everything and found none."
    seconds = PROOF_SECONDS if limits.seconds is None else min(limits.seconds, PROOF_SECONDS)
    show = None if announce is None else (lambda work: announce("proof", work))
    try:
        finding = prove(make_case(report.built), Limits(seconds=seconds, stop=limits.stop), show)
    except (PuzzleError, StoppedError) as error:
        if not gallery.complete:
            return gallery, None, ()
        why = f"No shorter argument was found in {seconds:.0f} s." if isinstance(error, StoppedError) else str(error)
        return gallery, Reason("search", (searched, why)), ()
    if finding.argument == SOLVABLE:
        row = np.array([finding.solution], dtype=np.int32)
        wrong = ("the count says that there is no solution, and there is one",) if gallery.complete else ()
        return replace(gallery, rows=row, status=LIMIT, solver=gallery.solver), None, wrong
    weights = finding.weighting
    picture = "" if weights is None else colouring_svg(report.built, weights.weights, weights.modulus)
    return gallery, Reason(finding.argument, finding.sentences, picture), ()


def _first_in_space(report: Report, gallery: Gallery) -> str:
    """The first solution as a body, where the puzzle is one in space."""
    if report.built.puzzle.grid.dimension < 3 or not len(gallery.rows):
        return ""
    from puzzlesat.draw.isometric import isometric_svg

    first = [o for o in gallery.rows[0].tolist() if o >= 0]
    return isometric_svg(report.built, first)


def _command(name: str, output: Path, switches: Switches, most: int, problem: int | None) -> str:
    """The command that makes the page again."""
    words = ["puzzlesat", "report", name, "-o", output.name]
    words += ["--problem", str(problem)] if problem is not None else []
    words += ["--solver", switches.solver] if switches.solver else []
    words += ["--budget", f"{switches.budget:g}"] if switches.budget != DEFAULT_BUDGET else []
    words += ["--most", str(most)] if most != MOST else []
    words += ["--time", f"{switches.time:g}"] if switches.time is not None else []
    return shlex.join(words)
