"""``puzzlesat count``: puzzles, or cover problems, and their reports.

``puzzlesat count`` of a cover problem: a file of Knuth's, OPB or DIMACS, without a form and tiles.

The first answer of ``count`` on a terminal: the number as soon as it is known, and a line for each confirmation.
"""

from __future__ import annotations

import json as jsonlib
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from threading import Event
from typing import Any

from rich.console import Console
from rich.text import Text

from puzzlesat.base import Clock, Progress, PuzzleError, check_output, many
from puzzlesat.cli.count_each import count_each, loaded, one_after_another
from puzzlesat.cli.endings import LESS_MEMORY
from puzzlesat.cli.exit_status import FAILED, status_after
from puzzlesat.cli.output import write_csv
from puzzlesat.cli.report_text import print_report, say_agreement, say_solvers, say_time, sentence_text, wants_details
from puzzlesat.cli.switches import Switches
from puzzlesat.cli.terminal import console, say, say_error, say_named
from puzzlesat.cli.working import Bounds, working
from puzzlesat.counting import CoverReport, Plan, Report, confirmation, count, count_cover, reading_words, report_as_json
from puzzlesat.formats import ExactCover, exact_cover, is_cover_file, tables_in
from puzzlesat.kernels import clock
from puzzlesat.proofs import HOW_TO_BUILD, program
from puzzlesat.puzzles import Instance

FOR_PUZZLES = ("transformed", "no_symmetry", "no_parity", "no_reduction", "colouring", "proved")
"""Switches that mean something for the geometry of a puzzle alone."""


def run_count_cover_files(names: Sequence[str], switches: Switches, as_json: bool, *, detailed: bool) -> int:
    """Count each cover problem and print its report; return the exit status."""
    if wrong := [name for name in FOR_PUZZLES if getattr(switches, name)]:
        raise PuzzleError(f"--{wrong[0].replace('_', '-')} is for puzzles; {names[0]} has no form and no tiles; remove it")
    covers = [_read(name, switches.bounds) for name in names]
    out = console()

    def count_one(cover: ExactCover, bounds: Bounds, stop: Event) -> int:
        began = clock()
        with working(cover.name, bounds, switches.limit, stop=stop) as (limits, told):
            report = count_cover(cover, switches.plan(None, limits, told), told)
        if as_json:
            print(jsonlib.dumps(report_as_json(report), ensure_ascii=False), flush=True)
        else:
            print_cover(out, report, clock() - began, detailed=detailed)
        unfinished = switches.full and any(row.sampled is not None for row in report.rows)
        return status_after(report.agree is False, report.complete and not report.interrupted and not unfinished)

    return one_after_another(partial(count_one, *cover) for cover in covers)


def _read(name: str, bounds: Bounds) -> tuple[ExactCover, Bounds]:
    """A cover problem, and what reading it leaves of the bounds."""
    clock = Clock(bounds.limits(Event()))
    cover = exact_cover(Path(name))
    return cover, bounds.after(clock.seconds)


def print_cover(out: Console, report: CoverReport, seconds: float, *, detailed: bool) -> None:
    """Print a report for people: the answer alone, or with what each solver did."""
    problem = report.cover.problem
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
        if report.status == "out of memory":
            say_named(out, "", LESS_MEMORY)
    say_time(out, seconds, detailed=detailed)
    out.print()


def count_aloud(out: Console, instance: Instance, plan: Plan, told: Progress) -> Report:
    """Count an instance; on a terminal, print what is known of the count as soon as it is known. In a pipe, print nothing."""
    if not out.is_terminal:
        return count(instance, plan, told)
    return count(instance, plan, told, known=FirstAnswer(out, instance.name))


class FirstAnswer:
    """Prints what is new in each report that it is called with."""

    def __init__(self, out: Console, name: str) -> None:
        self.out, self.name = out, name
        self.rows: set[str] = set()
        """The solvers whose results were looked at."""
        self.last: Report | None = None

    def __call__(self, report: Report) -> None:
        """Print the number if it is the first report, and who has confirmed or contradicted it since the last one."""
        if not report.complete:
            return
        if not self.rows:
            self._say_number(report)
        for row in report.rows:
            if row.solver not in self.rows and (words := row.words(report)) is not None:
                self._say_after(row.after, words)
            self.rows.add(row.solver)
        known, contradicted = (None, 0) if self.last is None else (self.last.twice, len(self.last.disagreements))
        if report.twice is not None and report.twice != known and report.twice.alike is not False:
            self._say_after(report.twice.after, reading_words(report.twice))
        for wrong in report.disagreements[contradicted:]:
            self._say(Text(f"  {wrong.solver} contradicts the count: {wrong.what}", style="bold red"), hang=4)
        self.last = report

    def _say_number(self, report: Report) -> None:
        first = report.rows[0]
        self.rows.add(first.solver)
        found = f"; {'found' if report.found else 'searched'} by {first.solver} in {first.seconds:.2f} s; checking …"
        self._say(Text(f"{self.name}: ").append(confirmation(report).number, style="bold").append(found), hang=2)

    def _say_after(self, after: float | None, words: str) -> None:
        self._say(Text().append(f"  {after or 0.0:6.2f} s  ", style="dim").append(words), hang=12)

    def _say(self, line: Text, *, hang: int) -> None:
        """Print a line above the one that shows how far the work is: that one takes what is written to ``sys.stdout``, and nothing else."""
        with self.out.capture() as captured:
            say(self.out, line, hang=hang)
        print(captured.get(), end="", flush=True)


def run_count(
    names: Sequence[str],
    switches: Switches,
    as_json: bool,
    problem: int | str | None = None,
    *,
    csv: Path | None = None,
    rules: Mapping[str, Any] | None = None,
    detailed: bool = False,
) -> int:
    """Count each instance, perhaps with rules on solutions, or cover problem, and print its report; return the exit status.

    ``detailed``: with what each solver did.
    """
    check_output(csv, ".csv")
    if covers := [name for name in names if is_cover_file(name)]:
        if problem is not None:
            raise PuzzleError(f"--problem is for files of puzzles, and {covers[0]} is a cover problem; remove it")
        if rules:
            raise PuzzleError(f"rules on solutions ({', '.join(rules)}) are for puzzles, and {covers[0]} is a cover problem; remove them")
        if len(covers) < len(names):
            raise PuzzleError(f"{covers[0]} is a cover problem; count puzzles and cover problems with separate commands")
        if csv is not None:
            raise PuzzleError(f"--csv is for puzzles, and {covers[0]} is a cover problem; remove it")
        return run_count_cover_files(covers, switches, as_json, detailed=detailed)
    # what is wrong with a file is said before anything is counted
    puzzles = [*loaded([table for name in names for table in tables_in(name, problem, rules=rules)], switches.bounds)]
    rows, interrupted = [], False

    def keep(report: Report) -> None:
        nonlocal interrupted
        rows.append(report.as_row())
        interrupted |= report.interrupted

    if switches.proved and program() is None:
        say_error(f"puzzlesat: nothing can be proved: {HOW_TO_BUILD}")
        return FAILED
    way = count if as_json else partial(count_aloud, console())
    status = count_each(puzzles, switches, as_json, partial(print_report, detailed=detailed), way, keep=keep)
    write_csv(csv, Report.COLUMNS, rows, stopped=interrupted or len(rows) < len(puzzles))
    return status
