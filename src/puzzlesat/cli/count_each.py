"""What is counted one after the other: the way that ``count``, of puzzles and of cover problems, and ``check`` share."""

from __future__ import annotations

import json as jsonlib
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from threading import Event
from typing import TypeVar

from rich.console import Console

from puzzlesat.base import SILENT, Clock, EndedError, Limits, Progress
from puzzlesat.cli.exit_status import DONE, FAILED, STOPPED_EARLY, status_after, worse
from puzzlesat.cli.output import cut_short, write_disagreements
from puzzlesat.cli.switches import Switches
from puzzlesat.cli.terminal import console, say_error, stoppable
from puzzlesat.cli.working import Bounds, working
from puzzlesat.counting import Judgement, Plan, Report, confirmation, count, report_as_json
from puzzlesat.kernels import clock
from puzzlesat.puzzles import Instance, InstanceFile, make_instance

Way = Callable[[Instance, Plan, Progress], Report]
Item = TypeVar("Item")
Unread = Callable[..., int]
"""Says why a puzzle was not read, and returns the exit status."""


def loaded(tables: Iterable[tuple[str, InstanceFile, Path]], bounds: Bounds) -> Iterator[tuple[Instance | Unread, Bounds]]:
    """Yield the puzzles that are made from tables, each with what that leaves of the bounds for one; a function that says what ended it."""
    for name, table, path in tables:
        yield read_within(bounds, name, partial(make_instance, table, path, name))


def read_within(bounds: Bounds, name: str, read: Callable[[], Item]) -> tuple[Item | Unread, Bounds]:
    """Return what is read, or a function that says what ended that, and what it leaves of the bounds."""
    limits = bounds.limits(Event()).begun()
    clock = Clock(limits)
    found: Item | Unread
    try:
        with limits.heeding(SILENT.of("reading")).overseen():
            found = read()
    except EndedError as ended:
        found = partial(cut_short, {"instance": name}, f"{name}: {ended.words}")
    return found, bounds.after(clock.seconds)


def count_each(
    instances: Iterable[tuple[Instance | Unread, Bounds]],
    switches: Switches,
    as_json: bool,
    show: Callable[[Console, Report, float], None],
    way: Way = count,
    *,
    keep: Callable[[Report], None] | None = None,
) -> int:
    """Count one instance after the other within its bounds and show its report, or print it as JSON; return the status of the whole.

    ``show`` is told the seconds that the count took, too. ``keep`` gets each report.
    """
    out = console()

    def count_one(instance: Instance | Unread, bounds: Bounds, stop: Event) -> int:
        if not isinstance(instance, Instance):
            return instance(as_json=as_json)
        began = clock()
        with working(instance.name, bounds, switches.limit, stop=stop) as (limits, told):
            report = counted(instance, switches, limits, told, way)
        if as_json:
            print(jsonlib.dumps(report_as_json(report), ensure_ascii=False), flush=True)
        else:
            show(out, report, clock() - began)
        if keep is not None:
            keep(report)
        for path in write_disagreements(report):
            say_error(f"puzzlesat: the differences are written to {path}")
        if switches.proved and (why := confirmation(report).why_not_proved) is not None:
            say_error(f"puzzlesat: {instance.name}: not proved: {why}")
            return FAILED
        return status_of(report)

    return one_after_another(partial(count_one, instance, bounds) for instance, bounds in instances)


def counted(instance: Instance, switches: Switches, limits: Limits, told: Progress, way: Way = count) -> Report:
    """Count an instance as the switches say, or find out in another way what is to be found out."""
    try:
        plan = switches.plan(instance, limits, told)
    except EndedError as ended:
        return Report.unbegun(Plan(limits=limits), instance, ended)
    return way(instance, plan, told)


def one_after_another(counts: Iterable[Callable[[Event], int]]) -> int:
    """Let each count and say what came out, until somebody ends that; return the exit status of the whole, from what each returns."""
    worst = DONE
    with stoppable() as stop:
        for count_one in counts:
            worst = worse(worst, count_one(stop))
            if stop.is_set():
                return worse(worst, STOPPED_EARLY)
    return worst


def status_of(report: Report) -> int:
    """Return the exit status that a report stands for."""
    return status_after(report.begun and Judgement(report).fails, report.finished)
