"""``puzzlesat check``: every instance with an [expect], one line each.

``puzzlesat check --jobs`` and ``--store``: several instances at a time, and what was checked before is known.
"""

from __future__ import annotations

import json as jsonlib
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

from puzzlesat.base import check_output, many
from puzzlesat.cli.count import Counting, loaded
from puzzlesat.cli.exit_status import BAD_INPUT, DONE, STOPPED_EARLY, status_after, worse
from puzzlesat.cli.output import write_csv
from puzzlesat.cli.terminal import console, progress, say, say_error, stoppable
from puzzlesat.counting import Checked, Plan, Report, checked, hold, report_as_json
from puzzlesat.formats import puzzle_files, tables_in
from puzzlesat.puzzles import ExpectTable, data_files

NOTHING = "puzzlesat: nothing to check: none of these puzzles states expected counts; count them with 'puzzlesat count'"


COLUMNS = ("instance", "checked", "labelled", "all", "distinct", "complete", "agree", "said", "claims")
"""The columns of the table that ``--csv`` writes."""


def run_check(paths: Sequence[str], plan: Plan, *, as_json: bool, csv: Path | None = None) -> int:
    """Check each instance that expects something; return the exit status."""
    tables = [one for path in files_named(paths) for one in tables_in(path) if one[1].expect != ExpectTable()]
    if not tables:
        say_error(NOTHING)
        return BAD_INPUT

    def show(out: Console, report: Report, _seconds: float) -> None:
        print_checked(out, checked(report))

    def row(report: Report) -> dict[str, object]:
        return check_row(checked(report), report_as_json(report))

    return Counting(plan, show, COLUMNS, row, hold, as_json).of_each(loaded(tables, plan.limits), len(tables), csv)


def check_row(found: Checked, report: Mapping[str, Any]) -> dict[str, object]:
    """Return what stands in the columns, by what is said of a check and the report on its count as JSON."""
    counts = {what: report["counts"][what] for what in ("labelled", "all", "distinct")}
    said = "".join(text for text, _ in found.line[2:]).strip()
    row = {"instance": report["instance"], "checked": found.word, "complete": report["complete"], "agree": report["agree"]}
    return row | counts | {"said": said, "claims": "; ".join(found.claims)}


def files_named(paths: Sequence[str]) -> list[Path]:
    """Return the instance files that the arguments name: files, folders, or names."""
    return [file for path in paths for file in puzzle_files(path)] if paths else data_files("instances")


def print_checked(out: Console, found: Checked) -> None:
    """Print what is said of a check."""
    (first, style), *rest = found.line
    line = Text(first, style=style)
    for text, own in rest:
        line += Text(text, style=own)
    say(out, line, hang=9)
    for claim in found.claims:
        say(out, f"         {claim}", style="magenta", hang=9)


def run_check_stored(
    paths: Sequence[str], plan: Plan, jobs: int | None, store: Path | None, *, as_json: bool, csv: Path | None = None
) -> int:
    """Check each instance that expects something; return the exit status."""
    from puzzlesat.studies import StoredChecks, instances_to_check

    check_output(store)
    subjects = instances_to_check(files_named(paths))
    if not subjects:
        say_error(NOTHING)
        return BAD_INPUT
    checks = StoredChecks(store, subjects, plan)
    saying = _Saying(checks.number, as_json=as_json)

    def begun(known: int) -> None:
        if known:
            say_error(f"{many(checks.number, 'instance')}, {known:,} of them known from {store}")

    with stoppable() as stop, progress("check") as told:
        end = checks.run(jobs, stop, told, begun, saying.tell)
        for sentence in end.sentences:
            say_error(f"puzzlesat: {sentence}")
        write_csv(csv, COLUMNS, saying.rows, stopped=stop.is_set())
        return saying.ending()


class _Saying:
    """Prints the result of each check."""

    def __init__(self, number: int, *, as_json: bool) -> None:
        self.waiting, self.number, self.as_json, self.out = number, number, as_json, console()
        self.words: Counter[str] = Counter()
        self.status = DONE
        self.rows: list[dict[str, object]] = []
        """The rows of the table for a file."""

    def tell(self, name: str, result: Mapping[str, Any] | None, why: str | None) -> None:
        """Print the result of one check, or why there is none."""
        self.waiting -= 1
        if result:
            self._say(result)
        else:
            say_error(f"puzzlesat: {name}: {why}")
            self._note(Checked.STOPPED, STOPPED_EARLY)

    def ending(self) -> int:
        """Print the result of all of them; return the exit status."""
        if not self.as_json:
            words = [f"{self.words[word]:,} {word}" for word in Checked.WORDS if self.words[word]]
            words += [f"{self.waiting:,} not checked"] if self.waiting else []
            say(self.out, f"{many(self.number, 'instance')}: {', '.join(words)}", style="bold")
        return worse(self.status, STOPPED_EARLY) if self.waiting else self.status

    def _say(self, result: Mapping[str, Any]) -> None:
        said = result["checked"]
        found = Checked(said["word"], tuple((text, style) for text, style in said["line"]), tuple(said["claims"]))
        self.rows.append(check_row(found, result["report"]))
        if self.as_json:
            print(jsonlib.dumps(result["report"], ensure_ascii=False), flush=True)
        else:
            print_checked(self.out, found)
        self._note(found.word, status_after(found.failed, found.complete))

    def _note(self, word: str, status: int) -> None:
        self.words[word] += 1
        self.status = worse(self.status, status)
