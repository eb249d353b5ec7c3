"""``puzzlesat check``: every instance with an [expect], one line each.

``puzzlesat check --jobs`` and ``--store``: several instances at a time, and what was checked before is known.
"""

from __future__ import annotations

import json as jsonlib
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from rich.console import Console
from rich.text import Text

from puzzlesat.base import Progress, all_cores, many
from puzzlesat.cli.count_each import count_each, loaded
from puzzlesat.cli.exit_status import BAD_INPUT, DONE, STOPPED_EARLY, status_after, worse
from puzzlesat.cli.output import check_output, write_csv
from puzzlesat.cli.switches import Switches
from puzzlesat.cli.terminal import console, progress, say, say_error, stoppable
from puzzlesat.cli.working import gibibytes
from puzzlesat.counting import FAILS, OK, REFUTES, STOPPED, Checked, Report, checked, hold, report_as_json
from puzzlesat.formats import puzzle_files, tables_in
from puzzlesat.puzzles import ExpectTable, data_files
from puzzlesat.studies import DONE as UNIT_DONE
from puzzlesat.studies import (
    OPEN,
    SET_ASIDE,
    Heading,
    Processes,
    Store,
    Subject,
    Task,
    Unit,
    coordinator,
    in_file,
    kept_library,
    open_store,
    subject_of,
    task_of,
)

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
    return [file for path in paths for file in puzzle_files(path)] if paths else data_files("instances")


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


HEADING = Heading("puzzlesat check", "puzzlesat check", "{}", audit=0.0)


def run_check_stored(
    paths: Sequence[str], switches: Switches, jobs: int | None, store: Path | None, *, as_json: bool, csv: Path | None = None
) -> int:
    """Check each instance that expects something; return the exit status."""
    check_output(csv, ".csv")
    check_output(store)
    library = kept_library()
    subjects = [_plain(subject) for file in files_named(paths) for subject in in_file(file, library) if subject.table.get("expect")]
    if not subjects:
        say_error(NOTHING)
        return BAD_INPUT
    tasks = {subject.key: (subject, _task(subject, switches)) for subject in subjects}
    with ExitStack() as stack:
        path = store or Path(stack.enter_context(TemporaryDirectory(prefix="puzzlesat-"))) / "check.sqlite"
        opened = stack.enter_context(open_store(path, HEADING))
        opened.forget(unit.id for unit in opened.units() if unit.state == OPEN)
        opened.add((subject, [task]) for subject, task in tasks.values())
        saying = _Saying(opened, tasks, as_json=as_json)
        if known := saying.say_done():
            say_error(f"{many(len(tasks), 'instance')}, {known:,} of them known from {store}")
        stop = stack.enter_context(stoppable())
        told = stack.enter_context(progress("check"))
        end = coordinator.run(
            opened, Processes(jobs or all_cores()), stop=stop, progress=Progress(lambda what, work: saying.heard(told, what, work))
        )
        saying.say_done()
        for sentence in end.sentences:
            say_error(f"puzzlesat: {sentence}")
        write_csv(csv, COLUMNS, saying.rows, stopped=stop.is_set())
        return saying.ending(len(tasks))


def _plain(subject: Subject) -> Subject:
    """An instance by its own name, as everywhere but in studies."""
    return subject_of(subject.name.rpartition("/")[2], subject.table, subject.files)


def _task(subject: Subject, switches: Switches) -> Task:
    return task_of(
        subject,
        switches.solvers,
        switches.budget,
        full=switches.full,
        time=switches.time,
        memory=gibibytes(switches.memory),
        cpu=switches.cpu,
    )


class _Saying:
    """Says what became of each instance as soon as it is known."""

    def __init__(self, store: Store, tasks: Mapping[str, tuple[Subject, Task]], *, as_json: bool) -> None:
        self.store, self.tasks, self.as_json, self.out = store, tasks, as_json, console()
        self.waiting = {unit.id for unit in store.units() if self._is_asked(unit)}
        self.words: Counter[str] = Counter()
        self.status = DONE
        self.rows: list[dict[str, object]] = []
        """Of the table for a file."""

    def heard(self, told: Progress, what: str, work: Mapping[str, int]) -> None:
        """Say what is done, and how far it is."""
        self.say_done()
        told.of(what)(work)

    def say_done(self) -> int:
        """Print a line for each instance that is done and was not said yet; return how many."""
        done = [unit for unit in self.store.units() if unit.id in self.waiting and unit.state in (UNIT_DONE, SET_ASIDE)]
        for unit in done:
            self.waiting.discard(unit.id)
            results = [answer.result for answer in self.store.answers(unit.id) if answer.error is None]
            if results:
                self._say(results[0])
            else:
                say_error(f"puzzlesat: {self.store.subject(unit.subject).name}: {unit.error}")
                self._note(STOPPED, STOPPED_EARLY)
        return len(done)

    def ending(self, number: int) -> int:
        """Say what came of all of them; return the exit status."""
        if not self.as_json:
            words = [f"{self.words[word]:,} {word}" for word in (OK, REFUTES, FAILS, STOPPED) if self.words[word]]
            words += [f"{len(self.waiting):,} not checked"] if self.waiting else []
            say(self.out, f"{many(number, 'instance')}: {', '.join(words)}", style="bold")
        return worse(self.status, STOPPED_EARLY) if self.waiting else self.status

    def _say(self, result: Mapping[str, Any]) -> None:
        said = result["checked"]
        found = Checked(said["word"], tuple((text, style) for text, style in said["line"]), tuple(said["claims"]))
        self.rows.append(check_row(found, jsonlib.loads(result["report"])))
        if self.as_json:
            print(result["report"], flush=True)
        else:
            print_checked(self.out, found)
        self._note(found.word, status_after(found.failed, found.complete))

    def _note(self, word: str, status: int) -> None:
        self.words[word] += 1
        self.status = worse(self.status, status)

    def _is_asked(self, unit: Unit) -> bool:
        subject, task = self.tasks.get(self.store.subject(unit.subject).key, (None, None))
        return subject is not None and unit.task == jsonlib.loads(jsonlib.dumps(task))
