"""``puzzlesat count``: puzzles or cover problems, counted one after the other, and their reports; ``check`` counts in the same way.

The first answer of ``count`` on a terminal: the number as soon as it is known, and a line for each confirmation.

``puzzlesat count --store FILE``: one puzzle in units that a file holds, so that whoever ends it loses seconds at most.
"""

from __future__ import annotations

import json as jsonlib
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from threading import Event, Timer
from typing import TYPE_CHECKING, Any, TypeVar

from rich.console import Console
from rich.text import Text

from puzzlesat.base import SILENT, ChildPool, Clock, EndedError, Limits, Progress, PuzzleError, many
from puzzlesat.cli.command import Call
from puzzlesat.cli.exit_status import DONE, FAILED, STOPPED_EARLY, status_after, worse
from puzzlesat.cli.output import cut_short, write_csv, write_disagreements
from puzzlesat.cli.report_text import print_report
from puzzlesat.cli.terminal import between, console, progress, say, say_error, stoppable, working
from puzzlesat.counting import CoverReport, Judgement, Plan, Report, confirmation, count, count_cover, reading_words, report_as_json
from puzzlesat.formats import ExactCover, exact_cover, instance_in, is_cover_file, tables_in
from puzzlesat.kernels import clock
from puzzlesat.proofs import HOW_TO_BUILD, program
from puzzlesat.puzzles import Instance, InstanceFile, make_instance

if TYPE_CHECKING:
    from puzzlesat.studies import StoredCount

Item = TypeVar("Item")
Problem = Instance | ExactCover
Unread = Callable[..., int]
"""Says why a puzzle was not read, and returns the exit status."""


@dataclass(frozen=True)
class Counting:
    """How a command counts and shows one problem after the other."""

    plan: Plan
    show: Callable[[Console, Any, float], None]
    """Print a report and the seconds that the count took."""
    columns: Sequence[str]
    """Of the table of reports."""
    row: Callable[[Report], Mapping[str, object]]
    way: Callable[[Instance, Plan, Progress], Report] = count
    """How a puzzle is counted, or what is to be found out is found out in another way."""
    as_json: bool = False

    def of_each(self, problems: Iterable[tuple[Problem | Unread, Limits]], number: int, csv: Path | None) -> int:
        """Count so many problems, each within its limits, until somebody ends that; write their table, and return the exit status."""
        status, rows, interrupted = DONE, list[Mapping[str, object]](), False
        with stoppable() as stop:
            for problem, limits in problems:
                if not isinstance(problem, Instance | ExactCover):
                    status = worse(status, problem(as_json=self.as_json))
                else:
                    report = self._report(problem, limits, stop)
                    status = worse(status, self._status(report))
                    if isinstance(report, Report):
                        rows.append(self.row(report))
                        interrupted |= report.interrupted
                if stop.is_set():
                    status = worse(status, STOPPED_EARLY)
                    break
        write_csv(csv, self.columns, rows, stopped=interrupted or len(rows) < number)
        return status

    def _report(self, problem: Problem, limits: Limits, stop: Event) -> Report | CoverReport:
        out, began = console(), clock()
        with working(problem.name, limits, stop=stop) as (begun, told):
            plan = replace(self.plan, limits=begun)
            report = count_cover(problem, plan, told) if isinstance(problem, ExactCover) else self.way(problem, plan, told)
        if self.as_json:
            print(jsonlib.dumps(report_as_json(report), ensure_ascii=False), flush=True)
        else:
            self.show(out, report, clock() - began)
        return report

    def _status(self, report: Report | CoverReport) -> int:
        """Say which files have the differences, and why a count is not proved that was to be; return the exit status."""
        if isinstance(report, Report):
            say_disagreements(report)
            if self.plan.proved and (why := confirmation(report).why_not_proved) is not None:
                say_error(f"puzzlesat: {report.instance.name}: not proved: {why}")
                return FAILED
        return status_of(report)


def loaded(tables: Iterable[tuple[str, InstanceFile, Path]], limits: Limits) -> Iterator[tuple[Instance | Unread, Limits]]:
    """Yield the puzzles that are made from tables, each with what that leaves of the limits for one; a function that says what ended it."""
    for name, table, path in tables:
        yield read_within(limits, name, partial(make_instance, table, path, name))


def read_within(limits: Limits, name: str, read: Callable[[], Item]) -> tuple[Item | Unread, Limits]:
    """Return what is read, or a function that says what ended that, and what it leaves of the limits."""
    clock = Clock(limits)
    found: Item | Unread
    try:
        with limits.begun().heeding(SILENT.of("reading")).overseen():
            found = read()
    except EndedError as ended:
        found = partial(cut_short, {"instance": name}, f"{name}: {ended.words}")
    return found, clock.rest()


def status_of(report: Report | CoverReport) -> int:
    """Return the exit status that a report stands for."""
    failed = report.begun and Judgement(report).fails if isinstance(report, Report) else report.agree is False
    return status_after(failed, report.finished)


def say_disagreements(report: Report) -> None:
    """Write what differs to a file beside the user, and say so."""
    for path in write_disagreements(report):
        say_error(f"puzzlesat: the differences are written to {path}")


def for_puzzles(plan: Plan) -> dict[str, bool]:
    """Return the options that mean something for the geometry of a puzzle alone, and whether each was given."""
    return {
        "transformed": plan.transformed, "no-symmetry": not plan.symmetry, "no-parity": not plan.parity,
        "no-reduction": not plan.reduction, "colouring": plan.colouring, "proved": plan.proved,
    }  # fmt: skip


def run_count(
    call: Call, names: Sequence[str], plan: Plan, rules: Mapping[str, Any], *, as_json: bool, csv: Path | None, detailed: bool
) -> int:
    """Count each instance, perhaps with rules on solutions, or cover problem, and print its report; return the exit status.

    ``detailed``: with what each solver did. What is wrong with a file is said before anything is counted.
    """
    problems: list[tuple[Problem | Unread, Limits]]
    if any(map(is_cover_file, names)):
        _check_covers(call, names, plan, rules, csv)
        problems = [read_within(plan.limits, name, partial(exact_cover, Path(name))) for name in names]
    else:
        problems = [*loaded((table for name in names for table in tables_in(name, call.problem, rules=rules)), plan.limits)]
    if plan.proved and program() is None:
        say_error(f"puzzlesat: nothing can be proved: {HOW_TO_BUILD}")
        return FAILED
    way = count if as_json else partial(count_aloud, console())
    counting = Counting(plan, partial(print_report, detailed=detailed), Report.COLUMNS, Report.as_row, way, as_json)
    return counting.of_each(problems, len(problems), csv)


def _check_covers(call: Call, names: Sequence[str], plan: Plan, rules: Mapping[str, Any], csv: Path | None) -> None:
    """Raise PuzzleError for what cover problems have not."""
    first = next(filter(is_cover_file, names))
    if call.problem is not None:
        raise PuzzleError(f"--problem is for files of puzzles, and {first} is a cover problem; remove it")
    if rules:
        raise PuzzleError(f"rules on solutions ({', '.join(rules)}) are for puzzles, and {first} is a cover problem; remove them")
    if not all(map(is_cover_file, names)):
        raise PuzzleError(f"{first} is a cover problem; count puzzles and cover problems with separate commands")
    if csv is not None:
        raise PuzzleError(f"--csv is for puzzles, and {first} is a cover problem; remove it")
    if wrong := [option for option, given in for_puzzles(plan).items() if given]:
        raise PuzzleError(f"--{wrong[0]} is for puzzles; {first} has no form and no tiles; remove it")


# the first answer ------------------------------------------------------------------------------------------------------------


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


# in a store ------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class CountStore:
    """Where a count is kept, and by whom it is done."""

    file: Path
    jobs: int | None = None
    """Units at the same time; None: as many as there are cores."""
    dask: str | None = None
    """The address of a scheduler whose workers do them."""
    single: bool = False
    """Whether one answer a unit is enough."""
    first: ChildPool | None = None
    """A process that begins to load the program."""


def run_count_stored(
    call: Call, names: Sequence[str], plan: Plan, where: CountStore, rules: Mapping[str, Any], *, as_json: bool, detailed: bool
) -> int:
    """Count one puzzle as far as it gets, or go on with that, and print what is known; return the exit status.

    With ``rules``, keys of [solutions], in the place of its own.
    """
    from puzzlesat.studies import RunOptions, count_in_store, subject_in, workers

    _check_stored(call, names, plan)
    subject = subject_in(names[0], call.problem, rules=rules)
    with progress(subject.name) as told, stoppable() as stop, _stopped_after(plan.limits.seconds, stop):
        instance = instance_in(names[0], call.problem, rules=rules)
        limits = Limits(stop=stop, memory=plan.limits.memory)
        with workers(where.jobs, where.dask, where.first) as there:
            found = count_in_store(subject, instance, where.file, there, limits, options=RunOptions(single=where.single), progress=told)
    if as_json:
        _print_json(found, where.file)
    else:
        _print(found, where.file, detailed=detailed)
    for sentence in found.end.sentences:
        say_error(f"puzzlesat: {where.file}: {sentence}")
    say_disagreements(found.report)
    return status_of(found.report) if found.complete else worse(status_of(found.report), STOPPED_EARLY)


@contextmanager
def _stopped_after(seconds: float | None, stop: Event) -> Iterator[None]:
    """Set an event when so long has passed, if the block is not done before."""
    timer = Timer(threading.TIMEOUT_MAX if seconds is None else min(seconds, threading.TIMEOUT_MAX), stop.set)
    timer.daemon = True
    if seconds is not None:
        timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _check_stored(call: Call, names: Sequence[str], plan: Plan) -> None:
    """Raise PuzzleError for what does not go with a store."""
    if len(names) != 1:
        raise PuzzleError(f"--store is for the count of one puzzle, not of {len(names)}; to count many, write a study for 'puzzlesat run'")
    if is_cover_file(names[0]):
        raise PuzzleError(f"--store is for puzzles, and {names[0]} is a cover problem; remove --store")
    said = {option: call[option] for option in ("solver", "budget", "full")} | for_puzzles(plan)
    said |= {"limit": plan.limits.solutions, "cpu": plan.limits.cpu, "disk": plan.limits.disk, "disk-space": plan.limits.disk_space}
    if wrong := [option for option, given in said.items() if given is not None and given is not False]:
        raise PuzzleError(
            f"--{wrong[0]} does not work with --store, which counts units with tally or backtrack and repeats them; remove it"
        )


def _print_json(found: StoredCount, store: Path) -> None:
    """Print the report as ``count --json`` does, and how far it is."""
    share: dict[str, Any] = {
        "file": str(store),
        "units": found.report.units,
        "share": round(found.share, 6),
        "single": bool(found.report.counted_once),
        "cpu_seconds_left": None if found.left is None else round(found.left.seconds),
        "cpu_seconds_left_between": None if found.left is None else [round(found.left.low), round(found.left.high)],
    }
    print(jsonlib.dumps({**report_as_json(found.report), "store": share}, ensure_ascii=False), flush=True)


def _print(found: StoredCount, store: Path, *, detailed: bool) -> None:
    """Print the report as ``count`` does, and how far it is."""
    out = console()
    print_report(out, found.report, found.cpu, detailed=detailed, clock=" of CPU time")
    if not found.complete:
        left = ""
        share = f", about {100 * found.share:.0f} % of the work" if found.share else ""
        if found.left is not None and found.left.seconds:
            left = f", {between((found.left.low, found.left.high))} of CPU time left"
        far = f"{found.done:,} of {many(found.units, 'unit')} so far{share}{left}; repeat the command to resume"
        say(out, f"  {store}: {far}", hang=4)
