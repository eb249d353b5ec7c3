"""``puzzlesat count --store FILE``: one puzzle in units that a file holds, so that whoever ends it loses seconds at most."""

from __future__ import annotations

import json as jsonlib
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from pathlib import Path
from threading import Event, Timer
from typing import Any

from puzzlesat.base import Limits, PuzzleError, many
from puzzlesat.cli.count_each import status_of
from puzzlesat.cli.exit_status import STOPPED_EARLY, worse
from puzzlesat.cli.output import write_disagreements
from puzzlesat.cli.report_text import print_report
from puzzlesat.cli.runs import with_share
from puzzlesat.cli.switches import Switches
from puzzlesat.cli.terminal import between, console, progress, say, say_error, stoppable
from puzzlesat.cli.working import gibibytes
from puzzlesat.counting import CHECKING_SECONDS, Report, fixed_again, report_as_json
from puzzlesat.formats import instance_in, is_cover_file
from puzzlesat.studies import (
    HANGS_SECONDS,
    PLAN,
    Forecast,
    Loaded,
    Processes,
    Reader,
    Totals,
    Workers,
    as_begun,
    audit,
    check_workers,
    cluster,
    coordinator,
    forecast,
    heading_of,
    open_store,
    processes_of_late,
    report_of,
    subject_in,
    with_its_tile,
)

TAKEN = ("time", "memory")
"""What a count in a store heeds of the switches of ``count``."""


@dataclass(frozen=True)
class Stored:
    """Where a count is kept, and by whom it is done."""

    file: Path
    jobs: int | None = None
    """Units at the same time; None: as many as there are cores."""
    dask: str | None = None
    """The address of a scheduler whose workers do them."""
    audit: float | None = None
    """The share of the units that are done again; None: as it is usual."""


def run_count_stored(
    names: Sequence[str],
    switches: Switches,
    where: Stored,
    *,
    as_json: bool,
    problem: int | str | None = None,
    rules: Mapping[str, Any] | None = None,
    detailed: bool = False,
) -> int:
    """Count one puzzle as far as it gets, or go on with that, and print what is known; return the exit status.

    With ``rules``, keys of [solutions], in the place of its own.
    """
    _check(names, switches, where)
    subject = subject_in(names[0], problem, rules=rules)
    memory = gibibytes(switches.memory)
    with progress(subject.name) as told, stoppable() as stop, _stopped_after(switches.time, stop):
        built = Loaded(subject, instance_in(names[0], problem, rules=rules)).built(memory=memory)
        with (
            _workers(where) as workers,
            open_store(where.file, heading_of(subject, audit.SHARE if where.audit is None else where.audit)) as store,
        ):
            if not any(True for _ in store.subjects()):
                room = {} if memory is None else {"memory": memory}
                store.add([(with_its_tile(subject, built), [{**PLAN, "seconds": HANGS_SECONDS, "audit": True, **room}])])
            end = coordinator.run(store, workers, stop=stop, progress=with_share(told, store))
            number = next(number for number, _ in store.subjects())
            report, known = report_of(store, number, as_begun(built, store.subject(number)), end.stopped)
            far = _far(store)
        if report.complete and report.agree is not False and not report.counted_once:
            report = fixed_again(report, Limits(seconds=CHECKING_SECONDS, memory=memory, stop=stop).begun(), told)
    if as_json:
        _print_json(report, known, far, where.file)
    else:
        _print(report, known, far, where.file, detailed=detailed)
    for sentence in end.sentences:
        say_error(f"puzzlesat: {where.file}: {sentence}")
    for path in write_disagreements(report):
        say_error(f"puzzlesat: the differences are written to {path}")
    return status_of(report) if known.complete else worse(status_of(report), STOPPED_EARLY)


@contextmanager
def _workers(where: Stored) -> Iterator[Workers]:
    """Whoever does the units."""
    if where.dask is None:
        yield Processes(where.jobs)
        return
    with cluster(where.dask) as workers:
        yield workers


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


def _check(names: Sequence[str], switches: Switches, where: Stored) -> None:
    """Raise PuzzleError for what does not go with a store."""
    check_workers(where.jobs, where.dask)
    if len(names) != 1:
        raise PuzzleError(f"--store is for the count of one puzzle, not of {len(names)}; to count many, write a study for 'puzzlesat run'")
    if is_cover_file(names[0]):
        raise PuzzleError(f"--store is for puzzles, and {names[0]} is a cover problem; remove --store")
    for field in fields(Switches):
        if field.name not in TAKEN and getattr(switches, field.name) != field.default:
            option = field.name.replace("_", "-")
            raise PuzzleError(
                f"--{option} does not work with --store, which counts units with tally or backtrack and repeats them; remove it"
            )


@dataclass(frozen=True)
class _Far:
    """How far a count is."""

    done: int
    units: int
    cpu: float
    """CPU seconds that it took so far."""
    left: Forecast | None
    """Those that it will take; None: nobody knows."""

    @property
    def share(self) -> float:
        """What part of the work is done, as far as it is known."""
        if self.left is None:
            return 0.0
        return self.cpu / (self.cpu + self.left.seconds) if self.left.seconds else 1.0

    def __str__(self) -> str:
        share, left = "", ""
        if self.left is not None and self.left.seconds:
            share = f", about {100 * self.share:.0f} % of the work"
            left = f", {between((self.left.low, self.left.high))} of CPU time left"
        return f"{self.done:,} of {many(self.units, 'unit')} so far{share}{left}; repeat the command to resume"


def _far(store: Reader) -> _Far:
    """How far the count is that a store holds."""
    states = store.counts_by_state()
    return _Far(states["done"], sum(states.values()), store.cpu_seconds()[1], forecast(store, {}, processes_of_late(store)))


def _print_json(report: Report, known: Totals, far: _Far, store: Path) -> None:
    """Print the report as ``count --json`` does, and how far it is."""
    share: dict[str, Any] = {
        "file": str(store),
        "units": report.units,
        "share": 1.0 if known.complete else round(far.share, 6),
        "cpu_seconds_left": None if far.left is None else round(far.left.seconds),
        "cpu_seconds_left_between": None if far.left is None else [round(far.left.low), round(far.left.high)],
    }
    print(jsonlib.dumps({**report_as_json(report), "store": share}, ensure_ascii=False), flush=True)


def _print(report: Report, known: Totals, far: _Far, store: Path, *, detailed: bool) -> None:
    """Print the report as ``count`` does, and how far it is."""
    out = console()
    print_report(out, report, far.cpu, detailed=detailed, clock=" of CPU time")
    if not known.complete:
        say(out, f"  {store}: {far}", hang=4)
