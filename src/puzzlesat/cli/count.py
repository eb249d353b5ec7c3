"""``puzzlesat count``: puzzles, or cover problems, and their reports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from puzzlesat.cli.count_cover_file import run_count_cover_files
from puzzlesat.cli.count_each import count_each, loaded
from puzzlesat.cli.exit_status import FAILED
from puzzlesat.cli.first_answer import count_aloud
from puzzlesat.cli.output import write_csv
from puzzlesat.cli.report_text import print_report
from puzzlesat.cli.switches import Switches
from puzzlesat.cli.terminal import console, say_error
from puzzlesat.counting.crosscheck import count
from puzzlesat.counting.report import COLUMNS, Report, row_of
from puzzlesat.errors import PuzzleError
from puzzlesat.files import check_output
from puzzlesat.formats.cover_files import is_cover_file
from puzzlesat.formats.puzzles import tables_in
from puzzlesat.proof.verified import HOW_TO_BUILD, program


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
        rows.append(row_of(report))
        interrupted |= report.interrupted

    if switches.proved and program() is None:
        say_error(f"puzzlesat: nothing can be proved: {HOW_TO_BUILD}")
        return FAILED
    way = count if as_json else partial(count_aloud, console())
    status = count_each(puzzles, switches, as_json, partial(print_report, detailed=detailed), way, keep=keep)
    write_csv(csv, COLUMNS, rows, stopped=interrupted or len(rows) < len(puzzles))
    return status
