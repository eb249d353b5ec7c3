"""Print the report of a count on the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from io import StringIO
from typing import Literal

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from puzzlesat.base import many
from puzzlesat.cli.endings import LESS_MEMORY
from puzzlesat.cli.terminal import folds, precise_duration, say, say_named
from puzzlesat.counting import CoverReport, Judgement, Report, Verdict, facts, order_of_sides
from puzzlesat.solvers import SOLVERS, family

MAX_FIXED = 12
"""Maximum number of symmetries listed with their numbers of unchanged solutions."""
WHOLE = (0, 1, 4)
"""Indices of the columns of the table of solvers that are not folded: names and numbers."""
MIN_FOLDED_COLUMNS = 44
"""Minimum width left for the folded columns of the table, in characters."""
MAX_FOLDED_COLUMNS = 44
"""Maximum width of a folded column, in characters: the reason why a solver refuses a puzzle is a whole sentence."""


def print_report(out: Console, report: Report | CoverReport, seconds: float, *, detailed: bool, clock: str = "") -> None:
    """Print the answer and the time of a count; print details if ``detailed``, or if something is wrong.

    ``clock`` is appended to the time if it is not wall-clock time, such as " of CPU time".
    """
    if isinstance(report, CoverReport):
        _print_cover(out, report, seconds, detailed=detailed)
        return
    say(out, Text(f"{report.instance.title}", style="bold") + Text(f"  ({report.instance.name})", style="dim"), hang=2)
    say(out, sentence_text(report), hang=4)
    if report.begun:
        detailed = detailed or wants_details(report)
        _print_facts(out, report)
        if detailed:
            say_named(out, "placements", report.reduced.words)
            say_solvers(out, report)
            say_agreement(out, report)
        _print_counts(out, report, detailed=detailed)
        _print_verdicts(out, report, detailed=detailed)
        if not detailed:
            _print_left_out(out, report)
        say_time(out, seconds, detailed=detailed, clock=clock)
    out.print()


def _print_cover(out: Console, report: CoverReport, seconds: float, *, detailed: bool) -> None:
    """Print a report on a cover problem, which has no form and no tiles."""
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
        _print_unknown(out, "solutions", report, f"{report.found:,}")
    say_time(out, seconds, detailed=detailed)
    out.print()


def _print_unknown(out: Console, name: str, report: Report | CoverReport, found: str) -> None:
    """Print that a number is not known, and what to do about it."""
    say_named(out, name, f"not known: {report.status} after {found}", style="yellow")
    if report.status == "out of memory":
        say_named(out, "", LESS_MEMORY)


def report_in_text(report: Report) -> str:
    """Return a report as plain text with all details, for callers of the Python function, who have no option for details."""
    page = StringIO()
    print_report(Console(file=page, width=200, highlight=False, color_system=None), report, report.seconds, detailed=True)
    return page.getvalue().rstrip()


def wants_details(report: Report | CoverReport) -> bool:
    """Return True if details are printed without -v: a check failed, or no solver could count, and the table of solvers tells why."""
    refused = bool(report.rows) and all(row.refusal is not None for row in report.rows)
    return refused or report.agree is False or (isinstance(report, Report) and Judgement(report).fails)


def say_time(out: Console, seconds: float, *, detailed: bool, clock: str = "") -> None:
    """Print how long a count took and, if details are hidden, how to see them."""
    took = precise_duration(seconds) + clock
    say_named(out, "time", took if detailed else f"{took}; add -v to see what each solver did", style="" if detailed else "dim")


def _print_facts(out: Console, report: Report) -> None:
    """Print what is known without a search: facts about the tiles, and why there is no solution."""
    for fact in facts(report.built, notable=True):
        say(out, f"  {fact.text}", hang=4)
    if report.complete and not report.counts.all and (hint := order_of_sides(report.built.puzzle)):
        say(out, f"  {hint}", hang=4)


def _print_left_out(out: Console, report: Report) -> None:
    """Print the solvers that could not check because their library is not installed."""
    for row in report.rows:
        if row.refusal is not None and (solver := SOLVERS.get(family(row.solver))) is not None and solver.lacks is not None:
            say_named(out, "left out", row.refusal)


def _print_counts(out: Console, report: Report, *, detailed: bool) -> None:
    """Print the counts in each convention, or that they are not known."""
    instance, counts = report.instance, report.counts
    if not report.complete:
        _print_unknown(out, "counts", report, many(report.found, "solution"))
        return
    labelled = "not defined (copies without limit)" if counts.labelled is None else f"{counts.labelled:,}"
    distinct = "not known" if counts.distinct is None else f"{counts.distinct:,}"
    figures = {"labelled": labelled, "all": f"{counts.all:,}", "distinct": distinct}
    sound = report.confirmation.proved_sound
    words = "; ".join(f"{name} {value}{' (proved sound)' if name in sound else ''}" for name, value in figures.items())
    say_named(out, "counts", f"{words}; fixed: {_fixed(counts.fixed or {})}" if detailed else words)
    if counts.split is not None and instance.puzzle.split is not None:
        say_named(out, f"by {instance.puzzle.split.name}", ", ".join(f"{k}: {n:,}" for k, n in counts.split.items()))


def sentence_text(report: Report | CoverReport) -> Text:
    """Return the first sentence of a report in its colour."""
    style = "bold red" if report.agree is False else "bold green" if report.agree else "yellow"
    return Text(f"  {report.sentence}", style=style)


def say_solvers(out: Console, report: Report | CoverReport) -> None:
    """Print a table of what each solver did or, if the terminal is too narrow, a sentence for each solver."""
    headings, *cells = report.solver_table
    columns = list(zip(headings, *cells, strict=True))
    taken = sum(max(map(cell_len, columns[i])) + 2 for i in WHOLE)
    if folds(out) and out.width - taken < MIN_FOLDED_COLUMNS:
        for solver, found, status, how, seconds, work in cells:
            words = "; ".join(part for part in (f"all {found}", status, how, f"{seconds} s", work) if part)
            say(out, f"  {solver}: {words}", hang=4)
    else:
        out.print(_solver_table(headings, cells))


def _solver_table(headings: Sequence[str], cells: Sequence[Sequence[str]]) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), show_edge=False)
    for number, heading in enumerate(headings):
        justify: Literal["left", "right"] = "right" if heading in ("all", "seconds") else "left"
        shown = f"  {heading}" if number == 0 else heading
        table.add_column(
            shown,
            justify=justify,
            header_style="dim",
            overflow="fold",
            no_wrap=number in WHOLE,
            max_width=None if number in WHOLE else MAX_FOLDED_COLUMNS,
        )
    for solver, *others in cells:
        table.add_row(*map(Text, (f"  {solver}", *others)))
    return table


def say_agreement(out: Console, report: Report | CoverReport) -> None:
    """Print which checks confirm or contradict the count."""
    found = report.confirmation
    style = "bold red" if found.contradictions else "yellow" if found.word == "nothing" else ""
    for number, line in enumerate(found.agreement):
        say_named(out, "" if number else "agreement", line, style=style)


def _fixed(fixed: dict[str, int]) -> str:
    """Return the symmetries that leave some solution unchanged, and how many symmetries leave none."""
    some = {name: n for name, n in fixed.items() if n or name == "identity"}
    shown = [f"{name} {n:,}" for name, n in some.items()]
    none = [f"{name} 0" for name in fixed if name not in some]
    if len(some) > MAX_FIXED:  # the translations of a form that wraps around are symmetries
        more = f"{sum([*some.values()][MAX_FIXED:]):,} by the other {many(len(fixed) - MAX_FIXED, 'symmetry', 'symmetries')}"
        return f"{', '.join(shown[:MAX_FIXED])} and {more} (--json says which)"
    return ", ".join([*shown, *([f"the other {len(none)} symmetries 0"] if len(none) > 1 else none)])


def _print_verdicts(out: Console, report: Report, *, detailed: bool) -> None:
    """Print how the counts compare with the expected counts and, with details, where those were published."""
    instance = report.instance
    judgement = Judgement(report)
    found = judgement.verdicts
    if detailed and instance.expect.published:
        say_named(out, "published", instance.expect.published)
    if detailed and (source := instance.credit):
        say_named(out, "source", source, style="dim")
    right = [v for v in found if v.word == Verdict.CONFIRMED]
    for v in found:
        if v.fails:
            say_named(out, "verdict", f"FAILED: {v.words}", style="bold red")
        elif v.word == Verdict.ELSEWHERE:
            say_named(out, "verdict", v.words, style="green")
    for claim in judgement.refutations:
        style = "bold red" if claim.fails else {Verdict.REFUTED: "magenta", Verdict.UNKNOWN: "yellow"}[claim.word]
        say_named(out, "verdict", claim.words, style=style)
    if confirmed := [v.what for v in right if judgement.has_witness(v)]:
        say_named(out, "verdict", f"confirmed: {', '.join(confirmed)}", style="green")
    if once := [v.what for v in right if not judgement.has_witness(v)]:
        say_named(out, "verdict", f"as expected, but not confirmed: {', '.join(once)}", style="yellow")
    if unknown := [v.what for v in found if v.word == Verdict.UNKNOWN]:
        say_named(out, "verdict", f"not known: {', '.join(unknown)}", style="yellow")
    if detailed and not found:
        say_named(out, "verdict", "no expected counts to compare with")
