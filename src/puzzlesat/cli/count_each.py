"""What is counted one after the other: the way that ``count``, of puzzles and of cover problems, and ``check`` share."""

from __future__ import annotations

import json as jsonlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from threading import Event

from rich.console import Console

from puzzlesat.base import SILENT, Clock, EndedError, Limits, Progress
from puzzlesat.cli.exit_status import DONE, FAILED, STOPPED_EARLY, status_after, worse
from puzzlesat.cli.output import write_disagreements
from puzzlesat.cli.switches import Switches
from puzzlesat.cli.terminal import console, say_error, stoppable
from puzzlesat.cli.working import Bounds, working
from puzzlesat.counting import Judgement, Plan, Report, confirmation, count, report_as_json
from puzzlesat.kernels import clock
from puzzlesat.puzzles import Instance, InstanceFile, make_instance

Way = Callable[[Instance, Plan, Progress], Report]


def loaded(tables: Sequence[tuple[str, InstanceFile, Path]], bounds: Bounds) -> Iterator[tuple[Instance, Bounds]]:
    """Yield the puzzles that are made from tables, each with what that leaves of the bounds for one.

    Raises EndedError where a limit ends that for the only one; one of several takes the time that it takes, and the others are counted.
    """
    for name, table, path in tables:
        limits = bounds.limits(Event()).begun()
        clock = Clock(limits)
        with limits.heeding(SILENT.of("reading")).overseen() if len(tables) == 1 else nullcontext():
            instance = make_instance(table, path, name)
        yield instance, bounds.after(clock.seconds)


def count_each(
    instances: Iterable[tuple[Instance, Bounds]],
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

    def count_one(instance: Instance, bounds: Bounds, stop: Event) -> int:
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
