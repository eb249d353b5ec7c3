"""Checking what instances expect, in the hands of a worker: the count that ``puzzlesat check`` makes, and what is said of it."""

from __future__ import annotations

import json
from dataclasses import asdict
from hashlib import sha256
from threading import Event

from puzzlesat.base import Limits
from puzzlesat.counting import Plan, checked, hold, report_as_json
from puzzlesat.studies.store import to_json
from puzzlesat.studies.units import Done, Job, Loaded, Subject, Task
from puzzlesat.version import VERSION


def task_of(subject: Subject, plan: Plan) -> Task:
    """Return the task to check an instance: another one for other figures, in another way, or by another version of the program."""
    figures = sha256(to_json(subject.table.get("expect", {})).encode()).hexdigest()[:16]
    ways = {"solvers": [*plan.solvers], "budget": plan.budget, "full": plan.full}
    own = ways | {"time": plan.limits.seconds, "memory": plan.limits.memory, "cpu": plan.limits.cpu}
    return {"do": "check", "expect": figures, "version": VERSION, **{key: value for key, value in own.items() if value is not None}}


def do(subject: Loaded, job: Job, stop: Event) -> Done:
    """Count as the task says, and hold the counts against what is expected; the report comes back as the text of its JSON."""
    task = job.task
    limits = Limits(seconds=task.get("time"), stop=stop, memory=task.get("memory"), cores=1, cpu=task["cpu"]).begun()
    report = hold(subject.instance, Plan(tuple(task["solvers"]), task.get("budget"), task["full"], limits=limits))
    result = {"checked": asdict(checked(report)), "report": json.dumps(report_as_json(report), ensure_ascii=False)}
    return Done(result, complete=not stop.is_set(), solver=report.counter)
