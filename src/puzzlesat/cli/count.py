"""``puzzlesat count``, ``puzzlesat check`` and ``puzzlesat report``: count puzzles and cover problems one after the other.

``count`` prints a report on each; a terminal shows the number as soon as it is known, and then a line for each confirmation. ``check``
prints a line for each instance with an [expect]. With ``--store``, the work is divided into units, whose answers a file keeps.
``report`` writes a page.
"""

from __future__ import annotations

import shlex
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from io import StringIO
from pathlib import Path
from threading import Event, Timer
from typing import Any, Literal, TypeVar

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from puzzlesat import base, counting, disassembly, pages, studies
from puzzlesat.cli.command import Call, refuse
from puzzlesat.cli.defaults import REPORT_LISTING_SECONDS, REPORT_SOLUTIONS
from puzzlesat.cli.endings import LESS_MEMORY
from puzzlesat.cli.exit_status import BAD_INPUT, DONE, FAILED, STOPPED_EARLY, status_after, worse
from puzzlesat.cli.output import cut_short, say_disagreements, status_of, with_size, write_csv
from puzzlesat.cli.terminal import between, console, fits, print_json, progress, say, say_error, say_named, stoppable, time_in_words
from puzzlesat.counting import Checked, CoverReport, Judgement, Plan, Report, Verdict, count, count_cover, facts, hold, order_of_sides
from puzzlesat.formats import ExactCover, exact_cover, instance_in, is_cover_file, puzzle_files, tables_in
from puzzlesat.proofs import HOW_TO_BUILD, program
from puzzlesat.puzzles import ExpectTable, Instance, Library
from puzzlesat.solvers import SOLVERS, family

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
    way: Callable[[Instance, Plan, base.Progress], Report] = count
    """Counts a puzzle, or checks its expected solution instead."""

    def of_each(self, problems: Iterable[tuple[Problem | Unread, base.Limits]], number: int) -> int:
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

    def _report(self, problem: Problem, limits: base.Limits, stop: Event) -> Report | CoverReport:
        out, clock = console(), base.Clock(base.Limits())
        with self.call.working(problem.name, limits, stop=stop) as (begun, told):
            plan = replace(self.plan, limits=begun)
            plan.check()
            report = count_cover(problem, plan, told) if isinstance(problem, ExactCover) else self.way(problem, plan, told)
        if self.call["json"]:
            print_json(report.as_json() if isinstance(report, CoverReport) else Judgement(report).as_json())
        else:
            self.show(out, report, clock.seconds)
        return report

    def _status(self, report: Report | CoverReport) -> int:
        """Print which file has the disagreements, and why a count could not be proved; return the exit status."""
        if isinstance(report, Report):
            say_disagreements(report)
            if self.plan.proved and (why := report.confirmation.why_not_proved) is not None:
                say_error(f"puzzlesat: {report.instance.name}: not proved: {why}")
                return FAILED
        return status_of(report)


def read_within(limits: base.Limits, name: str, read: Callable[[], Item]) -> tuple[Item | Unread, base.Limits]:
    """Read a problem; return it, or a function if a limit ended the reading, and the rest of the limits."""
    clock = base.Clock(limits)
    found: Item | Unread
    try:
        with limits.begun().heeding(base.SILENT.of("reading")).overseen():
            found = read()
    except base.EndedError as ended:
        found = partial(cut_short, {"instance": name}, f"{name}: {ended.words}")
    return found, clock.rest()


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
    problems: list[tuple[Problem | Unread, base.Limits]]
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
        raise base.PuzzleError(f"--problem is for files of puzzles, and {first} is a cover problem; remove it")
    if rules:
        raise base.PuzzleError(f"rules on solutions ({', '.join(rules)}) are for puzzles, and {first} is a cover problem; remove them")
    if not all(map(is_cover_file, names)):
        raise base.PuzzleError(f"{first} is a cover problem; count puzzles and cover problems with separate commands")
    if call["csv"] is not None:
        raise base.PuzzleError(f"--csv is for puzzles, and {first} is a cover problem; remove it")
    refuse(for_puzzles(plan), f"is for puzzles; {first} has no form and no tiles; remove it")


# the first answer ------------------------------------------------------------------------------------------------------------


def count_aloud(out: Console, instance: Instance, plan: Plan, told: base.Progress) -> Report:
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
    return [file for path in paths for file in puzzle_files(path)] if paths else base.data_files("instances")


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
    store, plan = call["store"], call.plan()
    base.check_output(store)
    expecting = list({one.key: one for one in studies.subjects(files_named(call["paths"] or ())) if one.table.get("expect")}.values())
    if not expecting:
        say_error(NOTHING)
        return BAD_INPUT
    plan.check()
    printer = _CheckPrinter(len(expecting), as_json=call["json"])

    def begun(known: int) -> None:
        if known:
            say_error(f"{base.many(len(expecting), 'instance')}, {known:,} of them known from {store}")

    with stoppable() as stop, progress("check") as told, studies.workers(call["jobs"], None) as there:
        options = studies.RunOptions(limits=base.Limits(stop=stop), progress=told, begun=begun)
        end = studies.check_in_store(store, expecting, plan, there, options, printer.tell)
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
            say(self.out, f"{base.many(self.number, 'instance')}: {', '.join(words)}", style="bold")
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


def run_count_stored(call: Call, plan: Plan, rules: Mapping[str, Any]) -> int:
    """Start or resume the count of one puzzle in a store, and print its report; return the exit status.

    ``rules`` are keys of [solutions], which replace the keys of the file.
    """
    _check_stored(call, plan)
    (name,), file = call["instances"], call["store"]
    tables_in(name, call.problem, rules=rules, single=True)
    (subject,) = studies.subjects([name], problem=call.problem, rules=rules)
    with progress(subject.name) as told, stoppable() as stop, _stopped_after(plan.limits.seconds, stop):
        instance = instance_in(name, call.problem, rules=rules)
        options = studies.RunOptions(call["single"], base.Limits(stop=stop, memory=plan.limits.memory), told)
        with studies.workers(call["jobs"], call["dask"]) as there:
            stored = studies.count_in_store(subject, instance, file, there, options)
    if call["json"]:
        _print_json(stored, file)
    else:
        _print(stored, file, detailed=call["verbose"])
    for sentence in stored.end.sentences:
        say_error(f"puzzlesat: {file}: {sentence}")
    say_disagreements(stored.report)
    return status_of(stored.report) if stored.report.complete else worse(status_of(stored.report), STOPPED_EARLY)


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
        raise base.PuzzleError(
            f"--store is for the count of one puzzle, not of {len(names)}; to count many, write a study for 'puzzlesat run'"
        )
    if is_cover_file(names[0]):
        raise base.PuzzleError(f"--store is for puzzles, and {names[0]} is a cover problem; remove --store")
    options = {option: call[option] for option in ("solver", "budget", "full")} | for_puzzles(plan)
    options |= {"limit": plan.limits.solutions, "cpu": plan.limits.cpu, "disk": plan.limits.disk, "disk-space": plan.limits.disk_space}
    stated = {option: value is not None and value is not False for option, value in options.items()}
    refuse(stated, "does not work with --store, which counts units with tally or backtrack and repeats them; remove it")


def _print_json(stored: studies.StoredCount, store: Path) -> None:
    """Print the report as JSON, with its progress."""
    report, left = stored.report, stored.left
    share: dict[str, Any] = {
        "file": str(store), "units": report.units, "share": round(stored.share, 6), "single": bool(report.counted_once),
        "cpu_seconds_left": None if left is None else round(left["seconds"]),
        "cpu_seconds_left_between": None if left is None else [round(left["low"]), round(left["high"])],
    }  # fmt: skip
    print_json({**Judgement(report).as_json(), "store": share})


def _print(stored: studies.StoredCount, store: Path, *, detailed: bool) -> None:
    """Print the report as text, with its progress."""
    out = console()
    print_report(out, stored.report, stored.cpu, detailed=detailed, clock=" of CPU time")
    if not stored.report.complete:
        done, units, left = stored.end.states["settled"], sum(stored.end.states.values()) - stored.end.states["split"], ""
        share = f", about {100 * stored.share:.0f} % of the work" if stored.share else ""
        if stored.left is not None and stored.left["seconds"]:
            left = f", {between((stored.left['low'], stored.left['high']))} of CPU time left"
        far = f"{done:,} of {base.many(units, 'unit')} so far{share}{left}; repeat the command to resume"
        say(out, f"  {store}: {far}", hang=4)


# a page ----------------------------------------------------------------------------------------------------------------------


def run_report(call: Call, turns: Fraction | None) -> int:
    """Count, list the solutions or prove that there is none, and write the page; return the exit status.

    ``turns`` is the bevel of the pieces if they may be turned, else None.
    """
    output, plan = call["output"], call.plan()
    base.check_output(output, ".html", ".htm")
    before = output.is_file()
    with call.working(call["puzzle"]) as (limits, told):
        instance = call.instance(told)
        if turns is not None and (why := disassembly.no_turns(instance.puzzle)) is not None:
            raise base.NotSupportedError(why)
        report = count(instance, replace(plan, limits=limits), told)
        if not report.begun:
            say_error(f"puzzlesat: {report.sentence}; no page is written")
            return STOPPED_EARLY
        command = _command(call, turns)
        contents = pages.contents_of(report, call["most"], limits, REPORT_LISTING_SECONDS, told, turns=turns, command=command)
        report, interrupted = contents.report, contents.interrupted
        base.write_file(output, pages.page(contents))
    say_disagreements(report)
    for contradiction in report.confirmation.contradictions:
        say_error(f"puzzlesat: {contradiction}")
    if interrupted:
        replaced = "; it replaced the earlier page" if before else ""
        say_error(f"puzzlesat: interrupted: {output} is incomplete and says so{replaced}")
    say(console(), report.sentence)
    say(console(), f"{with_size(output)}. {contents.about_list}")
    return worse(status_of(report), STOPPED_EARLY) if interrupted else status_of(report)


def _command(call: Call, turns: Fraction | None) -> str:
    """Return the command that makes the page again, quoted for the shell of this system."""
    words = ["puzzlesat", "report", call["puzzle"], "-o", call["output"].name]
    words += ["--problem", call.problem] if call.problem is not None else []
    words += counting.ApartOptions(turns=turns).turn_options.split()
    words += ["--solver", call["solver"]] if call["solver"] else []
    words += ["--budget", f"{call['budget']:g}"] if call["budget"] is not None else []
    words += ["--most", str(call["most"])] if call["most"] != REPORT_SOLUTIONS else []
    words += ["--time", f"{call['seconds']:g}"] if call["seconds"] is not None else []
    words += ["--memory", f"{call['memory']:g}"] if call["memory"] is not None else []
    words += ["--cpu"] if call["cpu"] else []
    return subprocess.list2cmdline(words) if sys.platform == "win32" else shlex.join(words)


# text of a report ------------------------------------------------------------------------------------------------------------

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
        for fact in facts(report.built, notable=True):
            say(out, f"  {fact.text}", hang=4)
        if report.complete and not report.counts.all and (hint := order_of_sides(report.built.puzzle)):
            say(out, f"  {hint}", hang=4)
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
    conditions = f", {base.many(len(problem.conditions), 'condition')}" if problem.conditions else ""
    say_named(out, "problem", f"{base.many(problem.size, 'option')}, {base.many(len(problem.items), 'item')}{conditions}")
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
    took = time_in_words(seconds) + clock
    say_named(out, "time", took if detailed else f"{took}; add -v to see what each solver did", style="" if detailed else "dim")


def _print_left_out(out: Console, report: Report) -> None:
    """Print the solvers that could not check because their library is not installed."""
    for row in report.rows:
        if row.refusal is not None and (solver := SOLVERS.get(family(row.solver))) is not None and solver.lacks is not None:
            say_named(out, "left out", row.refusal)


def _print_counts(out: Console, report: Report, *, detailed: bool) -> None:
    """Print the counts in each convention, or that they are not known."""
    instance, counts = report.instance, report.counts
    if not report.complete:
        _print_unknown(out, "counts", report, base.many(report.found, "solution"))
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
    if not fits(out, taken + MIN_FOLDED_COLUMNS):
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
    confirmation = report.confirmation
    style = "bold red" if confirmation.contradictions else "yellow" if confirmation.word == "nothing" else ""
    for number, line in enumerate(confirmation.agreement):
        say_named(out, "" if number else "agreement", line, style=style)


def _fixed(fixed: dict[str, int]) -> str:
    """Return the symmetries that leave some solution unchanged, and how many symmetries leave none."""
    nonzero = {name: n for name, n in fixed.items() if n or name == "identity"}
    shown = [f"{name} {n:,}" for name, n in nonzero.items()]
    none = [f"{name} 0" for name in fixed if name not in nonzero]
    if len(nonzero) > MAX_FIXED:  # the translations of a form that wraps around are symmetries
        more = f"{sum([*nonzero.values()][MAX_FIXED:]):,} by the other {base.many(len(fixed) - MAX_FIXED, 'symmetry', 'symmetries')}"
        return f"{', '.join(shown[:MAX_FIXED])} and {more} (--json says which)"
    return ", ".join([*shown, *([f"the other {len(none)} symmetries 0"] if len(none) > 1 else none)])


def _print_verdicts(out: Console, report: Report, *, detailed: bool) -> None:
    """Print how the counts compare with the expected counts and, with details, where those were published."""
    instance = report.instance
    judgement = Judgement(report)
    verdicts = judgement.verdicts
    if detailed and instance.expect.published:
        say_named(out, "published", instance.expect.published)
    if detailed and (source := instance.credit):
        say_named(out, "source", source, style="dim")
    right = [v for v in verdicts if v.word == Verdict.CONFIRMED]
    for v in verdicts:
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
    if unknown := [v.what for v in verdicts if v.word == Verdict.UNKNOWN]:
        say_named(out, "verdict", f"not known: {', '.join(unknown)}", style="yellow")
    if detailed and not verdicts:
        say_named(out, "verdict", "no expected counts to compare with")
