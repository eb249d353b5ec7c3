"""What is counted one after the other: the way that ``count``, of puzzles and of cover problems, and ``check`` share."""

from __future__ import annotations

import json as jsonlib
from collections.abc import Callable, Iterable
from functools import partial
from threading import Event

from rich.console import Console

from puzzlesat.cli.disagreements import write_disagreements
from puzzlesat.cli.exit_status import DONE, STOPPED_EARLY, status_after, worse
from puzzlesat.cli.switches import Switches
from puzzlesat.cli.terminal import console, progress, say_error, stoppable
from puzzlesat.counting.crosscheck import count
from puzzlesat.counting.report import Report
from puzzlesat.counting.report_json import report_as_json
from puzzlesat.counting.verdict import fails
from puzzlesat.puzzle.instance import Instance


def count_each(instances: Iterable[Instance], switches: Switches, as_json: bool, show: Callable[[Console, Report], None]) -> int:
    """Count one instance after the other and show its report, or print it as JSON; return the exit status of the whole."""
    out = console()

    def count_one(instance: Instance, stop: Event) -> int:
        plan = switches.plan(instance, switches.limits(stop))
        with progress(instance.name) as told:
            report = count(instance, plan, told)
        if as_json:
            print(jsonlib.dumps(report_as_json(report), ensure_ascii=False), flush=True)
        else:
            show(out, report)
        for path in write_disagreements(report):
            say_error(f"puzzlesat: what differs is written to {path}")
        return status_of(report)

    return one_after_another(partial(count_one, instance) for instance in instances)


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
    return status_after(fails(report), report.complete and not report.interrupted)
