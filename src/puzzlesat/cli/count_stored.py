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

from puzzlesat.base import ChildPool, Limits, PuzzleError, many
from puzzlesat.cli.count_each import status_of
from puzzlesat.cli.exit_status import STOPPED_EARLY, worse
from puzzlesat.cli.output import write_disagreements
from puzzlesat.cli.report_text import print_report
from puzzlesat.cli.switches import Switches
from puzzlesat.cli.terminal import between, console, progress, say, say_error, stoppable
from puzzlesat.cli.working import gibibytes
from puzzlesat.counting import report_as_json
from puzzlesat.formats import instance_in, is_cover_file
from puzzlesat.studies import RunOptions, StoredCount, count_in_store, subject_in, workers

TAKEN = ("time", "memory")
"""What a count in a store heeds of the switches of ``count``."""


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
    names: Sequence[str],
    switches: Switches,
    where: CountStore,
    *,
    as_json: bool,
    problem: int | str | None = None,
    rules: Mapping[str, Any] | None = None,
    detailed: bool = False,
) -> int:
    """Count one puzzle as far as it gets, or go on with that, and print what is known; return the exit status.

    With ``rules``, keys of [solutions], in the place of its own.
    """
    _check(names, switches)
    subject = subject_in(names[0], problem, rules=rules)
    with progress(subject.name) as told, stoppable() as stop, _stopped_after(switches.time, stop):
        instance = instance_in(names[0], problem, rules=rules)
        limits = Limits(stop=stop, memory=gibibytes(switches.memory))
        with workers(where.jobs, where.dask, where.first) as there:
            found = count_in_store(subject, instance, where.file, there, limits, options=RunOptions(single=where.single), progress=told)
    if as_json:
        _print_json(found, where.file)
    else:
        _print(found, where.file, detailed=detailed)
    for sentence in found.end.sentences:
        say_error(f"puzzlesat: {where.file}: {sentence}")
    for path in write_disagreements(found.report):
        say_error(f"puzzlesat: the differences are written to {path}")
    return status_of(found.report) if found.report.complete else worse(status_of(found.report), STOPPED_EARLY)


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


def _check(names: Sequence[str], switches: Switches) -> None:
    """Raise PuzzleError for what does not go with a store."""
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


def _print_json(found: StoredCount, store: Path) -> None:
    """Print the report as ``count --json`` does, and how far it is."""
    share: dict[str, Any] = {
        "file": str(store),
        "units": found.report.units,
        "share": round(found.share, 6),
        "single": bool(found.report.counted_once),
        "cpu_seconds_left": None if found.left is None else round(found.left["seconds"]),
        "cpu_seconds_left_between": None if found.left is None else [round(found.left["low"]), round(found.left["high"])],
    }
    print(jsonlib.dumps({**report_as_json(found.report), "store": share}, ensure_ascii=False), flush=True)


def _print(found: StoredCount, store: Path, *, detailed: bool) -> None:
    """Print the report as ``count`` does, and how far it is."""
    out = console()
    print_report(out, found.report, found.cpu, detailed=detailed, clock=" of CPU time")
    if not found.report.complete:
        done, units, left = found.end.states["settled"], sum(found.end.states.values()) - found.end.states["split"], ""
        share = f", about {100 * found.share:.0f} % of the work" if found.share else ""
        if found.left is not None and found.left["seconds"]:
            left = f", {between((found.left['low'], found.left['high']))} of CPU time left"
        far = f"{done:,} of {many(units, 'unit')} so far{share}{left}; repeat the command to resume"
        say(out, f"  {store}: {far}", hang=4)
