"""``puzzlesat count`` and ``puzzlesat check``: count puzzles and cover problems one after the other.

``count`` prints a report on each; a terminal shows the number as soon as it is known, and then a line for each confirmation. ``check``
prints a line for each instance with an [expect]. With ``--store``, the work is divided into units, whose answers a file keeps.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from threading import Event, Timer
from typing import TYPE_CHECKING, Any, TypeVar

from rich.console import Console
from rich.text import Text

from puzzlesat.base import SILENT, ChildPool, Clock, EndedError, Limits, Progress, PuzzleError, check_output, many
from puzzlesat.cli.command import Call, refuse
from puzzlesat.cli.exit_status import BAD_INPUT, DONE, FAILED, STOPPED_EARLY, status_after, worse
from puzzlesat.cli.output import cut_short, write_csv, write_disagreements
from puzzlesat.cli.report_text import print_report
from puzzlesat.cli.terminal import between, console, print_json, progress, say, say_error, stoppable, working
from puzzlesat.counting import (
    Checked,
    CoverReport,
    Judgement,
    Plan,
    Report,
    count,
    count_cover,
    hold,
)
from puzzlesat.formats import ExactCover, exact_cover, instance_in, is_cover_file, puzzle_files, tables_in
from puzzlesat.kernels import clock
from puzzlesat.proofs import HOW_TO_BUILD, program
from puzzlesat.puzzles import ExpectTable, Instance, Library, data_files

if TYPE_CHECKING:
    from puzzlesat.studies import StoredCount

Item = TypeVar("Item")
Problem = Instance | ExactCover
Unread = Callable[..., int]
"""A function that prints why a puzzle was not read, and returns the exit status."""


@dataclass(frozen=True)
class Counting:
    """A command that counts problems one after the other and prints a report on each."""

    call: Call
    plan: Plan
    show: Callable[[Console, Any, float], None]
    """Prints a report, and the seconds that the count took."""
    columns: Sequence[str]
    """Columns of the table that ``--csv`` writes."""
    row: Callable[[Report], Mapping[str, object]]
    way: Callable[[Instance, Plan, Progress], Report] = count
    """Counts a puzzle, or checks its expected solution instead."""

    def of_each(self, problems: Iterable[tuple[Problem | Unread, Limits]], number: int) -> int:
        """Count ``number`` problems, each within its limits, until the user interrupts; write the table, and return the exit status."""
        status, rows, interrupted = DONE, list[Mapping[str, object]](), False
        with stoppable() as stop:
            for problem, limits in problems:
                if not isinstance(problem, Instance | ExactCover):
                    status = worse(status, problem(as_json=self.call["json"]))
                else:
                    report = self._report(problem, limits, stop)
                    status = worse(status, self._status(report))
                    if isinstance(report, Report):
                        rows.append(self.row(report))
                        interrupted |= report.interrupted
                if stop.is_set():
                    status = worse(status, STOPPED_EARLY)
                    break
        write_csv(self.call["csv"], self.columns, rows, stopped=interrupted or len(rows) < number)
        return status

    def _report(self, problem: Problem, limits: Limits, stop: Event) -> Report | CoverReport:
        out, began = console(), clock()
        with working(problem.name, limits, stop=stop) as (begun, told):
            plan = replace(self.plan, limits=begun)
            plan.check()
            report = count_cover(problem, plan, told) if isinstance(problem, ExactCover) else self.way(problem, plan, told)
        if self.call["json"]:
            print_json(report.as_json() if isinstance(report, CoverReport) else Judgement(report).as_json())
        else:
            self.show(out, report, clock() - began)
        return report

    def _status(self, report: Report | CoverReport) -> int:
        """Print which file has the disagreements, and why a count could not be proved; return the exit status."""
        if isinstance(report, Report):
            say_disagreements(report)
            if self.plan.proved and (why := report.confirmation.why_not_proved) is not None:
                say_error(f"puzzlesat: {report.instance.name}: not proved: {why}")
                return FAILED
        return status_of(report)


def read_within(limits: Limits, name: str, read: Callable[[], Item]) -> tuple[Item | Unread, Limits]:
    """Read a problem; return it, or a function if a limit ended the reading, and the rest of the limits."""
    clock = Clock(limits)
    found: Item | Unread
    try:
        with limits.begun().heeding(SILENT.of("reading")).overseen():
            found = read()
    except EndedError as ended:
        found = partial(cut_short, {"instance": name}, f"{name}: {ended.words}")
    return found, clock.rest()


def status_of(report: Report | CoverReport) -> int:
    """Return the exit status for a report."""
    failed = report.begun and Judgement(report).fails if isinstance(report, Report) else report.agree is False
    return status_after(failed, report.finished)


def say_disagreements(report: Report) -> None:
    """Write disagreements of solvers to a file in the current folder, and print its name."""
    for path in write_disagreements(report):
        say_error(f"puzzlesat: the differences are written to {path}")


def for_puzzles(plan: Plan) -> dict[str, bool]:
    """Return the options that need the geometry of a puzzle, each with True if the user gave it."""
    return {
        "transformed": plan.transformed, "no-symmetry": not plan.symmetry, "no-parity": not plan.parity,
        "no-reduction": not plan.reduction, "colouring": plan.colouring, "proved": plan.proved,
    }  # fmt: skip


def run_count(call: Call, plan: Plan, rules: Mapping[str, Any]) -> int:
    """Count each instance or cover problem, and print its report; return the exit status.

    All files are read before the first count, so that errors show up at once. ``rules`` are keys of [solutions].
    """
    names = call["instances"]
    problems: list[tuple[Problem | Unread, Limits]]
    if any(map(is_cover_file, names)):
        _check_covers(call, plan, rules)
        problems = [read_within(plan.limits, name, partial(exact_cover, Path(name))) for name in names]
    else:
        tables = (table for name in names for table in tables_in(name, call.problem, rules=rules))
        problems = [read_within(plan.limits, name, partial(Library().instance, table, path, name)) for name, table, path in tables]
    if plan.proved and program() is None:
        say_error(f"puzzlesat: nothing can be proved: {HOW_TO_BUILD}")
        return FAILED
    way = count if call["json"] else partial(count_aloud, console())
    show = partial(print_report, detailed=call["verbose"] or call["solver"] is not None)
    return Counting(call, plan, show, Report.COLUMNS, Report.as_row, way).of_each(problems, len(problems))


def _check_covers(call: Call, plan: Plan, rules: Mapping[str, Any]) -> None:
    """Raise PuzzleError for options and files that do not go with cover problems."""
    names = call["instances"]
    first = next(filter(is_cover_file, names))
    if call.problem is not None:
        raise PuzzleError(f"--problem is for files of puzzles, and {first} is a cover problem; remove it")
    if rules:
        raise PuzzleError(f"rules on solutions ({', '.join(rules)}) are for puzzles, and {first} is a cover problem; remove them")
    if not all(map(is_cover_file, names)):
        raise PuzzleError(f"{first} is a cover problem; count puzzles and cover problems with separate commands")
    if call["csv"] is not None:
        raise PuzzleError(f"--csv is for puzzles, and {first} is a cover problem; remove it")
    refuse(for_puzzles(plan), f"is for puzzles; {first} has no form and no tiles; remove it")


# the first answer ------------------------------------------------------------------------------------------------------------


def count_aloud(out: Console, instance: Instance, plan: Plan, told: Progress) -> Report:
    """Count an instance. On a terminal, print the number and each confirmation as soon as they are known."""
    if not out.is_terminal:
        return count(instance, plan, told)
    return count(instance, plan, told, known=FirstAnswer(out, instance.name))


class FirstAnswer:
    """Prints what each of a series of growing reports adds to the one before."""

    def __init__(self, out: Console, name: str) -> None:
        self.out, self.name = out, name
        self.rows: set[str] = set()
        """Solvers whose results were printed or skipped."""
        self.last: Report | None = None

    def __call__(self, report: Report) -> None:
        """Print the number, in the first report, and the confirmations and contradictions since the last report."""
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
            self._say_after(report.twice.after, report.twice.words)
        for wrong in report.disagreements[contradicted:]:
            self._say(Text(f"  {wrong.solver} contradicts the count: {wrong.what}", style="bold red"), hang=4)
        self.last = report

    def _say_number(self, report: Report) -> None:
        first = report.rows[0]
        self.rows.add(first.solver)
        found = f"; {'found' if report.found else 'searched'} by {first.solver} in {first.seconds:.2f} s; checking …"
        self._say(Text(f"{self.name}: ").append(report.confirmation.number, style="bold").append(found), hang=2)

    def _say_after(self, after: float | None, words: str) -> None:
        self._say(Text().append(f"  {after or 0.0:6.2f} s  ", style="dim").append(words), hang=12)

    def _say(self, line: Text, *, hang: int) -> None:
        """Print a line above the progress line, which redirects only ``sys.stdout``: hence ``print``, not the console."""
        with self.out.capture() as captured:
            say(self.out, line, hang=hang)
        print(captured.get(), end="", flush=True)


# check ------------------------------------------------------------------------------------------------------------------------

NOTHING = "puzzlesat: nothing to check: none of these puzzles states expected counts; count them with 'puzzlesat count'"


COLUMNS = ("instance", "checked", "labelled", "all", "distinct", "complete", "agree", "said", "claims")
"""Columns of the table that ``check --csv`` writes."""


def run_check(call: Call) -> int:
    """Check each instance that has an [expect], in this process; return the exit status."""
    plan = call.plan()
    tables = [entry for path in files_named(call["paths"] or ()) for entry in tables_in(path) if entry[1].expect != ExpectTable()]
    if not tables:
        say_error(NOTHING)
        return BAD_INPUT

    problems = (read_within(plan.limits, name, partial(Library().instance, table, path, name)) for name, table, path in tables)

    def show(out: Console, report: Report, _seconds: float) -> None:
        print_checked(out, Judgement(report).checked)

    def row(report: Report) -> dict[str, object]:
        return check_row(Judgement(report).checked, Judgement(report).as_json())

    return Counting(call, plan, show, COLUMNS, row, hold).of_each(problems, len(tables))


def check_row(found: Checked, report: Mapping[str, Any]) -> dict[str, object]:
    """Return a row of the table of ``check``, from the result of a check and its report as JSON."""
    counts = {what: report["counts"][what] for what in ("labelled", "all", "distinct")}
    words = "".join(text for text, _ in found.line[2:]).strip()
    row = {"instance": report["instance"], "checked": found.word, "complete": report["complete"], "agree": report["agree"]}
    return row | counts | {"said": words, "claims": "; ".join(found.claims)}


def files_named(paths: Sequence[str]) -> list[Path]:
    """Return the instance files for files, folders and names; all of the package if there are none."""
    return [file for path in paths for file in puzzle_files(path)] if paths else data_files("instances")


def print_checked(out: Console, found: Checked) -> None:
    """Print the result of a check."""
    (first, style), *rest = found.line
    line = Text(first, style=style)
    for text, own in rest:
        line += Text(text, style=own)
    say(out, line, hang=9)
    for claim in found.claims:
        say(out, f"         {claim}", style="magenta", hang=9)


def run_check_stored(call: Call) -> int:
    """Check each instance that has an [expect] in worker processes, perhaps with a store; return the exit status."""
    from puzzlesat.studies import RunOptions, check_in_store, subjects, workers

    store, plan = call["store"], call.plan()
    check_output(store)
    expecting = list({one.key: one for one in subjects(files_named(call["paths"] or ())) if one.table.get("expect")}.values())
    if not expecting:
        say_error(NOTHING)
        return BAD_INPUT
    plan.check()
    printer = _CheckPrinter(len(expecting), as_json=call["json"])

    def begun(known: int) -> None:
        if known:
            say_error(f"{many(len(expecting), 'instance')}, {known:,} of them known from {store}")

    with stoppable() as stop, progress("check") as told, workers(call["jobs"], None) as there:
        options = RunOptions(limits=Limits(stop=stop), progress=told, begun=begun)
        end = check_in_store(store, expecting, plan, there, options, printer.tell)
        for sentence in end.sentences:
            say_error(f"puzzlesat: {sentence}")
        write_csv(call["csv"], COLUMNS, printer.rows, stopped=stop.is_set())
        return printer.ending()


class _CheckPrinter:
    """Prints the result of each check, and a summary."""

    def __init__(self, number: int, *, as_json: bool) -> None:
        self.waiting, self.number, self.as_json, self.out = number, number, as_json, console()
        self.words: Counter[str] = Counter()
        self.status = DONE
        self.rows: list[dict[str, object]] = []
        """Rows of the table that ``--csv`` writes."""

    def tell(self, name: str, result: Mapping[str, Any] | None, why: str | None) -> None:
        """Print the result of one check, or why it has no result."""
        self.waiting -= 1
        if result:
            self._say(result)
        else:
            say_error(f"puzzlesat: {name}: {why}")
            self._note(Checked.STOPPED, STOPPED_EARLY)

    def ending(self) -> int:
        """Print the summary; return the exit status."""
        if not self.as_json:
            words = [f"{self.words[word]:,} {word}" for word in Checked.WORDS if self.words[word]]
            words += [f"{self.waiting:,} not checked"] if self.waiting else []
            say(self.out, f"{many(self.number, 'instance')}: {', '.join(words)}", style="bold")
        return worse(self.status, STOPPED_EARLY) if self.waiting else self.status

    def _say(self, result: Mapping[str, Any]) -> None:
        check = result["checked"]
        found = Checked(check["word"], tuple((text, style) for text, style in check["line"]), tuple(check["claims"]))
        self.rows.append(check_row(found, result["report"]))
        if self.as_json:
            print_json(result["report"])
        else:
            print_checked(self.out, found)
        self._note(found.word, status_after(found.failed, found.complete))

    def _note(self, word: str, status: int) -> None:
        self.words[word] += 1
        self.status = worse(self.status, status)


# in a store ------------------------------------------------------------------------------------------------------------------


def run_count_stored(call: Call, plan: Plan, rules: Mapping[str, Any], first: ChildPool | None) -> int:
    """Start or resume the count of one puzzle in a store, and print its report; return the exit status.

    ``rules`` are keys of [solutions], which replace the keys of the file. ``first`` is a process that has begun to load the program.
    """
    from puzzlesat.studies import RunOptions, count_in_store, subjects, workers

    _check_stored(call, plan)
    (name,), file = call["instances"], call["store"]
    tables_in(name, call.problem, rules=rules, single=True)
    (subject,) = subjects([name], problem=call.problem, rules=rules)
    with progress(subject.name) as told, stoppable() as stop, _stopped_after(plan.limits.seconds, stop):
        instance = instance_in(name, call.problem, rules=rules)
        options = RunOptions(call["single"], Limits(stop=stop, memory=plan.limits.memory), told)
        with workers(call["jobs"], call["dask"], first) as there:
            found = count_in_store(subject, instance, file, there, options)
    if call["json"]:
        _print_json(found, file)
    else:
        _print(found, file, detailed=call["verbose"])
    for sentence in found.end.sentences:
        say_error(f"puzzlesat: {file}: {sentence}")
    say_disagreements(found.report)
    return status_of(found.report) if found.report.complete else worse(status_of(found.report), STOPPED_EARLY)


@contextmanager
def _stopped_after(seconds: float | None, stop: Event) -> Iterator[None]:
    """Set an event after ``seconds``, unless the block ends before."""
    timer = Timer(threading.TIMEOUT_MAX if seconds is None else min(seconds, threading.TIMEOUT_MAX), stop.set)
    timer.daemon = True
    if seconds is not None:
        timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _check_stored(call: Call, plan: Plan) -> None:
    """Raise PuzzleError for options that do not work with a store."""
    names = call["instances"]
    if len(names) != 1:
        raise PuzzleError(f"--store is for the count of one puzzle, not of {len(names)}; to count many, write a study for 'puzzlesat run'")
    if is_cover_file(names[0]):
        raise PuzzleError(f"--store is for puzzles, and {names[0]} is a cover problem; remove --store")
    options = {option: call[option] for option in ("solver", "budget", "full")} | for_puzzles(plan)
    options |= {"limit": plan.limits.solutions, "cpu": plan.limits.cpu, "disk": plan.limits.disk, "disk-space": plan.limits.disk_space}
    given = {option: value is not None and value is not False for option, value in options.items()}
    refuse(given, "does not work with --store, which counts units with tally or backtrack and repeats them; remove it")


def _print_json(found: StoredCount, store: Path) -> None:
    """Print the report as JSON, with its progress."""
    report, left = found.report, found.left
    share: dict[str, Any] = {
        "file": str(store), "units": report.units, "share": round(found.share, 6), "single": bool(report.counted_once),
        "cpu_seconds_left": None if left is None else round(left["seconds"]),
        "cpu_seconds_left_between": None if left is None else [round(left["low"]), round(left["high"])],
    }  # fmt: skip
    print_json({**Judgement(report).as_json(), "store": share})


def _print(found: StoredCount, store: Path, *, detailed: bool) -> None:
    """Print the report as text, with its progress."""
    out = console()
    print_report(out, found.report, found.cpu, detailed=detailed, clock=" of CPU time")
    if not found.report.complete:
        done, units, left = found.end.states["settled"], sum(found.end.states.values()) - found.end.states["split"], ""
        share = f", about {100 * found.share:.0f} % of the work" if found.share else ""
        if found.left is not None and found.left["seconds"]:
            left = f", {between((found.left['low'], found.left['high']))} of CPU time left"
        far = f"{done:,} of {many(units, 'unit')} so far{share}{left}; repeat the command to resume"
        say(out, f"  {store}: {far}", hang=4)
