"""``puzzlesat count`` of a cover problem: a file of Knuth's, OPB or DIMACS, without a form and tiles."""

from __future__ import annotations

import json as jsonlib
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from threading import Event

from rich.console import Console

from puzzlesat.check.compiling import clock
from puzzlesat.cli.bounds import Bounds
from puzzlesat.cli.count_each import one_after_another
from puzzlesat.cli.exit_status import status_after
from puzzlesat.cli.report_text import say_agreement, say_solvers, say_time, sentence_text, wants_details
from puzzlesat.cli.switches import Switches
from puzzlesat.cli.terminal import console, say, say_named
from puzzlesat.cli.working import working
from puzzlesat.counting.puzzleless import PuzzlelessReport, count_puzzleless
from puzzlesat.counting.report_json import puzzleless_as_json
from puzzlesat.cover.problem import CoverProblem
from puzzlesat.errors import LESS_MEMORY, PuzzleError, many
from puzzlesat.formats.cover_files import read_cover_file
from puzzlesat.solvers.run import MEMORY, Clock

FOR_PUZZLES = ("transformed", "no_symmetry", "no_parity", "no_reduction", "colouring")
"""Switches that mean something for the geometry of a puzzle alone."""


def run_count_cover_files(names: Sequence[str], switches: Switches, as_json: bool, *, detailed: bool) -> int:
    """Count each cover problem and print its report; return the exit status."""
    if wrong := [name for name in FOR_PUZZLES if getattr(switches, name)]:
        raise PuzzleError(f"--{wrong[0].replace('_', '-')} is for puzzles; {names[0]} has no form and no tiles; remove it")
    problems = [_read(name, switches.bounds) for name in names]
    out = console()

    def count_one(name: str, problem: CoverProblem, bounds: Bounds, stop: Event) -> int:
        began = clock()
        with working(name, bounds, switches.limit, stop=stop) as (limits, told):
            report = count_puzzleless(name, problem, switches.plan(None, limits, told), told)
        if as_json:
            print(jsonlib.dumps(puzzleless_as_json(report), ensure_ascii=False), flush=True)
        else:
            print_puzzleless(out, report, clock() - began, detailed=detailed)
        unfinished = switches.full and any(row.sampled is not None for row in report.rows)
        return status_after(report.agree is False, report.complete and not report.interrupted and not unfinished)

    return one_after_another(partial(count_one, *problem) for problem in problems)


def _read(name: str, bounds: Bounds) -> tuple[str, CoverProblem, Bounds]:
    """A cover problem, and what reading it leaves of the bounds."""
    clock = Clock(bounds.limits(Event()))
    problem = read_cover_file(Path(name))
    return name, problem, bounds.after(clock.seconds)


def print_puzzleless(out: Console, report: PuzzlelessReport, seconds: float, *, detailed: bool) -> None:
    """Print a report for people: the answer alone, or with what each solver did."""
    problem = report.problem
    say(out, report.name, style="bold", hang=2)
    say(out, sentence_text(report), hang=4)
    conditions = f", {many(len(problem.conditions), 'condition')}" if problem.conditions else ""
    say_named(out, "problem", f"{many(problem.size, 'option')}, {many(len(problem.items), 'item')}{conditions}")
    if detailed := detailed or wants_details(report):
        say_solvers(out, report)
        say_agreement(out, report)
    if report.complete:
        say_named(out, "solutions", f"{report.found:,}")
    else:
        say_named(out, "solutions", f"not known: {report.status} after {report.found:,}", style="yellow")
        if report.status == MEMORY:
            say_named(out, "", LESS_MEMORY)
    say_time(out, seconds, detailed=detailed)
    out.print()
