"""A report on the terminal, for people."""

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
from puzzlesat.cli.terminal import duration, folds, say, say_named
from puzzlesat.counting import CoverReport, Judgement, Report, Verdict, facts, order_of_sides
from puzzlesat.solvers import SOLVERS, family

MOST_FIXED = 12
"""Symmetries of which a report says how many solutions they leave unchanged."""
WHOLE = (0, 1, 4)
"""Columns of the table of solvers that are not folded: names and numbers."""
LEAST_FOLDED = 44
"""Columns of the terminal that are needed by those that are folded."""
MOST_FOLDED = 44
"""Columns of each of those that are folded, however wide the terminal is: why a solver cannot do a puzzle takes a whole sentence."""
SHORT_SECONDS = 10
"""Times below this are printed with a digit behind the point."""


def print_report(out: Console, report: Report | CoverReport, seconds: float, *, detailed: bool, clock: str = "") -> None:
    """Print a report for people: the answer, and how long it took; with details where they were asked for, or something is wrong.

    ``clock`` says by which clock the seconds were measured, where it is not the one on the wall.
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
    """Say that a number is not known, and what to do about that."""
    say_named(out, name, f"not known: {report.status} after {found}", style="yellow")
    if report.status == "out of memory":
        say_named(out, "", LESS_MEMORY)


def report_in_text(report: Report) -> str:
    """Return a report as plain text, for people who write Python: they have no option for details, so none is missing."""
    page = StringIO()
    print_report(Console(file=page, width=200, highlight=False, color_system=None), report, report.seconds, detailed=True)
    return page.getvalue().rstrip()


def wants_details(report: Report | CoverReport) -> bool:
    """Whether the table of solvers is shown unasked: something is wrong, or no solver could count, and the table says why."""
    refused = bool(report.rows) and all(row.refusal is not None for row in report.rows)
    return refused or report.agree is False or (isinstance(report, Report) and Judgement(report).fails)


def say_time(out: Console, seconds: float, *, detailed: bool, clock: str = "") -> None:
    """Print how long a count took, and where details are left out, how to see them."""
    took = (f"{seconds:.1f} s" if seconds < SHORT_SECONDS else duration(seconds)) + clock
    say_named(out, "time", took if detailed else f"{took}; add -v to see what each solver did", style="" if detailed else "dim")


def _print_facts(out: Console, report: Report) -> None:
    """What can be said without a search: of the tiles, and why there is no solution."""
    for fact in facts(report.built, notable=True):
        say(out, f"  {fact.text}", hang=4)
    if report.complete and not report.counts.all and (hint := order_of_sides(report.built.puzzle)):
        say(out, f"  {hint}", hang=4)


def _print_left_out(out: Console, report: Report) -> None:
    """The solvers that could not check because their library is not installed."""
    for row in report.rows:
        if row.refusal is not None and (solver := SOLVERS.get(family(row.solver))) is not None and solver.lacks is not None:
            say_named(out, "left out", row.refusal)


def _print_counts(out: Console, report: Report, *, detailed: bool) -> None:
    """The counts in each convention, or that they are not known."""
    instance, counts = report.instance, report.counts
    if not report.complete:
        _print_unknown(out, "counts", report, many(report.found, "solution"))
        return
    labelled = "not defined (copies without limit)" if counts.labelled is None else f"{counts.labelled:,}"
    distinct = "not known" if counts.distinct is None else f"{counts.distinct:,}"
    figures = {"labelled": labelled, "all": f"{counts.all:,}", "distinct": distinct}
    sound = report.confirmation.proved_sound
    said = "; ".join(f"{name} {value}{' (proved sound)' if name in sound else ''}" for name, value in figures.items())
    say_named(out, "counts", f"{said}; fixed: {_fixed(counts.fixed or {})}" if detailed else said)
    if counts.split is not None and instance.puzzle.split is not None:
        say_named(out, f"by {instance.puzzle.split.name}", ", ".join(f"{k}: {n:,}" for k, n in counts.split.items()))


def sentence_text(report: Report | CoverReport) -> Text:
    """Return the first sentence, for the terminal."""
    style = "bold red" if report.agree is False else "bold green" if report.agree else "yellow"
    return Text(f"  {report.sentence}", style=style)


def say_solvers(out: Console, report: Report | CoverReport) -> None:
    """Print a table of what each solver did; where that would be too narrow, a sentence for each."""
    headings, *cells = report.solver_table
    columns = list(zip(headings, *cells, strict=True))
    taken = sum(max(map(cell_len, columns[i])) + 2 for i in WHOLE)
    if folds(out) and out.width - taken < LEAST_FOLDED:
        for solver, found, status, how, seconds, work in cells:
            said = "; ".join(part for part in (f"all {found}", status, how, f"{seconds} s", work) if part)
            say(out, f"  {solver}: {said}", hang=4)
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
            max_width=None if number in WHOLE else MOST_FOLDED,
        )
    for solver, *others in cells:
        table.add_row(*map(Text, (f"  {solver}", *others)))
    return table


def say_agreement(out: Console, report: Report | CoverReport) -> None:
    """Print who confirmed what, or what contradicts what."""
    found = report.confirmation
    style = "bold red" if found.contradictions else "yellow" if found.word == "nothing" else ""
    for number, line in enumerate(found.agreement):
        say_named(out, "" if number else "agreement", line, style=style)


def _fixed(fixed: dict[str, int]) -> str:
    """The symmetries that leave some solution unchanged, and how many leave none."""
    some = [f"{name} {n:,}" for name, n in fixed.items() if n or name == "identity"]
    none = len(fixed) - len(some)
    if len(some) > MOST_FIXED:  # forms that wrap around have one for each place that they can be moved to
        more = sum(list(fixed.values())) - sum(n for n in list(filter(None, fixed.values()))[:MOST_FIXED])
        return (
            ", ".join(some[:MOST_FIXED])
            + f" and {more:,} by the other {many(len(fixed) - MOST_FIXED, 'symmetry', 'symmetries')} (--json says which)"
        )
    return ", ".join(
        some + ([f"the other {none} symmetries 0"] if none > 1 else [f"{n} 0" for n, k in fixed.items() if not k and n != "identity"])
    )


def _print_verdicts(out: Console, report: Report, *, detailed: bool) -> None:
    """How the counts compare with what the instance expects, and with details, where that was published."""
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
