"""``puzzlesat report``: one page of HTML with all that is known of a puzzle and its solutions."""

from __future__ import annotations

import shlex
import subprocess
import sys
from contextlib import closing
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np

from puzzlesat.base import Clock, EndedError, Limits, NotSupportedError, Progress, PuzzleError, all_cores, write_file
from puzzlesat.cli.count_each import counted, status_of
from puzzlesat.cli.exit_status import STOPPED_EARLY, worse
from puzzlesat.cli.output import check_output, with_size, write_disagreements
from puzzlesat.cli.switches import Switches
from puzzlesat.cli.terminal import console, say, say_error
from puzzlesat.cli.working import working
from puzzlesat.counting import Apart, Assembly, Disagreement, Report, confirmation, first_sentence, lister, turn_options
from puzzlesat.disassembly import answers, check_turns, may_hold
from puzzlesat.formats import instance_in
from puzzlesat.pages import (
    MOST_REACHED,
    Contents,
    Gallery,
    Reason,
    about_list,
    kept_distinct,
    list_distinct,
    make_drawings,
    page,
    with_list,
)
from puzzlesat.pictures import colouring_svg
from puzzlesat.proofs import AREA, COLOURING, CONDITION, NOTHING_FITS, SEARCH, SOLVABLE, StoppedError, make_case, prove
from puzzlesat.solvers import REPORT_APART_SECONDS, REPORT_LISTING_SECONDS, REPORT_PROOF_SECONDS, REPORT_SOLUTIONS
from puzzlesat.version import VERSION

PROOF = "proof"
PROOFS = {
    AREA: "the area",
    NOTHING_FITS: "what fits nowhere",
    CONDITION: "a condition that nothing keeps",
    COLOURING: "a colouring",
    SEARCH: "a search through all cases, which nothing confirmed",
}
"""The arguments, as a sentence calls them; each but the search is held against the checker of certificates."""


def run_report(
    name: str, output: Path, switches: Switches, most: int, problem: int | str | None = None, *, turns: Fraction | None = None
) -> int:
    """Count, list, prove where there is none, and write the page; return the exit status. ``turns``: the bevel, if pieces may be turned."""
    check_output(output, ".html", ".htm")
    before = output.is_file()
    with working(name, switches.bounds) as (limits, told):
        instance = instance_in(name, problem, progress=told)
        if turns is not None:
            check_turns(instance.puzzle)
        report = counted(instance, switches, limits, told)
        if not report.begun:
            say_error(f"puzzlesat: {first_sentence(report)}; no page is written")
            return STOPPED_EARLY
        gallery = _gallery(report, most, limits, told)
        report = with_list(report, gallery)
        report, gallery, reason = _reason(report, gallery, limits, told)
        apart = _apart(report, gallery, limits, told, turns)
        interrupted = limits.stop.is_set()
        contents = Contents(
            report,
            gallery,
            reason,
            interrupted,
            _command(name, output, switches, most, problem, turns),
            apart,
        )
        write_file(output, page(contents, make_drawings(report.built), VERSION))
    for path in write_disagreements(report):
        say_error(f"puzzlesat: the differences are written to {path}")
    for contradiction in confirmation(report).contradictions:
        say_error(f"puzzlesat: {contradiction}")
    if interrupted:
        replaced = "; it replaced the earlier page" if before else ""
        say_error(f"puzzlesat: interrupted: {output} is incomplete and says so{replaced}")
    say(console(), first_sentence(report))
    say(console(), f"{with_size(output)}. {about_list(report, gallery)}")
    return worse(status_of(report), STOPPED_EARLY) if interrupted else status_of(report)


def _gallery(report: Report, most: int, limits: Limits, told: Progress) -> Gallery:
    """List the distinct solutions, unless the count knows that there is none; what the count has listed is taken where no time is left."""
    solver = lister(report.plan.solvers)
    if report.complete and not report.counts.all:
        return Gallery(np.empty((0, 1), dtype=np.int32), "complete", report.counter)
    limits = replace(limits, solutions=None)
    listing = limits if limits.until is not None else limits.within(REPORT_LISTING_SECONDS)
    gallery = list_distinct(report.built, solver, most, listing, told.of(f"listing with {solver}"))
    if gallery.status in ("complete", MOST_REACHED) or report.placement_numbers is None:
        return gallery
    rows = kept_distinct(report.built.problem, report.placement_numbers, most)
    if len(rows) <= len(gallery.rows):
        return gallery
    whole = "complete" if report.complete and report.listed else gallery.status
    return replace(gallery, rows=rows[:most], status=MOST_REACHED if len(rows) > most else whole)


def _apart(report: Report, gallery: Gallery, limits: Limits, told: Progress, turns: Fraction | None) -> Apart | None:
    """Take the solutions that are listed apart, where that is a question, as far as there is time."""
    built = report.built
    if not len(gallery.rows) or (turns is None and not may_hold(built.puzzle)):
        return None
    limits = replace(limits, solutions=None).within(REPORT_APART_SECONDS)
    rows = (tuple(o for o in row if o >= 0) for row in gallery.rows.tolist())
    found: list[Assembly] = []
    try:
        with closing(answers(built, rows, all_cores(), limits, turns=turns, progress=told.of("taking apart"))) as known:
            for number, row, answer in known:
                if answer.undecided:
                    break
                found.append(Assembly(built, number + 1, row, answer))
    except NotSupportedError:  # they have too many pieces
        return None
    found.sort(key=lambda each: each.order)
    whole = gallery.complete and len(found) == len(gallery.rows)
    return Apart(built, tuple(found), None if whole else f"{len(found):,} of the listed solutions are decided", turns=turns)


def _reason(report: Report, gallery: Gallery, limits: Limits, told: Progress) -> tuple[Report, Gallery, Reason | None]:
    """Look for an argument why there is no solution, where none is known; it, or a solution that was found, is added to what is known."""
    if len(gallery.rows) or report.found or limits.stop.is_set():
        return report, gallery, None
    searched = f"{gallery.solver} searched everything and found none."
    clock = Clock(replace(limits, solutions=None).within(REPORT_PROOF_SECONDS))
    try:
        told = told.of("proof")
        finding = prove(make_case(report.built, told), clock.rest(), progress=told)
    except (PuzzleError, StoppedError, EndedError) as error:
        if not gallery.complete:
            return report, gallery, None
        not_known = str(error).removeprefix(f"{report.instance.name}: ")
        why = f"sought, because {not_known}." if isinstance(error, PuzzleError) else f"found in {clock.seconds:.0f} s."
        return report, gallery, Reason("search", (searched, f"No shorter argument was {why}"))
    if finding.argument == SOLVABLE:
        row = np.array([finding.solution], dtype=np.int32)
        if gallery.complete:
            wrong = Disagreement(PROOF, "the count says that there is no solution, and there is one")
            report = replace(report, disagreements=(*report.disagreements, wrong))
        return replace(report, seen=1), replace(gallery, rows=row, status="limit reached", solver=gallery.solver), None
    weights = finding.weighting
    picture = "" if weights is None else colouring_svg(report.built, weights.weights, modulus=weights.modulus)
    proof = None if finding.argument == SEARCH and report.complete else PROOFS[finding.argument]
    return replace(report, proof=proof), gallery, Reason(finding.argument, finding.sentences, picture)


def _command(name: str, output: Path, switches: Switches, most: int, problem: int | str | None, turns: Fraction | None) -> str:
    """The command that makes the page again, for the shell of this system."""
    words = ["puzzlesat", "report", name, "-o", output.name]
    words += ["--problem", str(problem)] if problem is not None else []
    words += turn_options(turns).split()
    words += ["--solver", switches.solver] if switches.solver else []
    words += ["--budget", f"{switches.budget:g}"] if switches.budget is not None else []
    words += ["--most", str(most)] if most != REPORT_SOLUTIONS else []
    words += ["--time", f"{switches.time:g}"] if switches.time is not None else []
    words += ["--memory", f"{switches.memory:g}"] if switches.memory is not None else []
    words += ["--cpu"] if switches.cpu else []
    return subprocess.list2cmdline(words) if sys.platform == "win32" else shlex.join(words)
