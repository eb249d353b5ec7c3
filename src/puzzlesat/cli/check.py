"""``puzzlesat check``: every instance with an [expect], one line each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

from puzzlesat.cli.count_each import count_each, loaded
from puzzlesat.cli.exit_status import BAD_INPUT
from puzzlesat.cli.output import write_csv
from puzzlesat.cli.switches import Switches
from puzzlesat.cli.terminal import say, say_error
from puzzlesat.config.package import instance_files
from puzzlesat.config.schema import ExpectTable
from puzzlesat.counting.checked import Checked, checked
from puzzlesat.counting.expected import hold
from puzzlesat.counting.report import Report
from puzzlesat.counting.report_json import report_as_json
from puzzlesat.files import check_output
from puzzlesat.formats.puzzles import puzzle_files, tables_in

NOTHING = "puzzlesat: nothing to check: none of these puzzles states expected counts; count them with 'puzzlesat count'"


COLUMNS = ("instance", "checked", "labelled", "all", "distinct", "complete", "agree", "said", "claims")
"""The columns of the table that ``--csv`` writes."""


def run_check(paths: Sequence[str], switches: Switches, *, as_json: bool, csv: Path | None = None) -> int:
    """Check each instance that expects something; return the exit status."""
    check_output(csv, ".csv")
    found = [one for path in files_named(paths) for one in tables_in(path)]
    if all(table.expect == ExpectTable() for _, table, _ in found):
        say_error(NOTHING)
        return BAD_INPUT
    puzzles = loaded([one for one in found if one[1].expect != ExpectTable()], switches.bounds)
    rows, interrupted = [], False

    def keep(report: Report) -> None:
        nonlocal interrupted
        rows.append(check_row(checked(report), report_as_json(report)))
        interrupted |= report.interrupted

    status = count_each(puzzles, switches, as_json, _print_lines, hold, keep=keep)
    write_csv(csv, COLUMNS, rows, stopped=interrupted or len(rows) < sum(table.expect != ExpectTable() for _, table, _ in found))
    return status


def check_row(found: Checked, report: Mapping[str, Any]) -> dict[str, object]:
    """Return what stands in the columns, by what is said of a check and the report on its count as JSON."""
    counts = {what: report["counts"][what] for what in ("labelled", "all", "distinct")}
    said = "".join(text for text, _ in found.line[2:]).strip()
    row = {"instance": report["instance"], "checked": found.word, "complete": report["complete"], "agree": report["agree"]}
    return row | counts | {"said": said, "claims": "; ".join(found.claims)}


def files_named(paths: Sequence[str]) -> list[Path]:
    """Return the instance files that the arguments name: files, folders, or names."""
    return [file for path in paths for file in puzzle_files(path)] if paths else instance_files()


def _print_lines(out: Console, report: Report, _seconds: float) -> None:
    """Print one line for the instance, and one more for each published count that it refutes."""
    print_checked(out, checked(report))


def print_checked(out: Console, found: Checked) -> None:
    """Print what is said of a check."""
    (first, style), *rest = found.line
    line = Text(first, style=style)
    for text, own in rest:
        line += Text(text, style=own)
    say(out, line, hang=9)
    for claim in found.claims:
        say(out, f"         {claim}", style="magenta", hang=9)
