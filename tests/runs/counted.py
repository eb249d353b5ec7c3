"""A count in parts without a store: every task is done, and what follows it, in one process."""

from __future__ import annotations

import json
from collections import deque
from dataclasses import dataclass, field
from threading import Event
from time import process_time
from typing import Any

from puzzlesat.formats.puzzles import instance_in
from puzzlesat.puzzles.building import build_instance
from puzzlesat.studies import parts
from puzzlesat.studies.audit import agree
from puzzlesat.studies.store import DONE, UnitFound
from puzzlesat.studies.units import AUDIT, Job, Subject


@dataclass
class InHand:
    """A puzzle as a worker has it."""

    instance: Any
    kept: dict[str, Any] = field(default_factory=dict)

    def built(self):
        if "built" not in self.kept:
            self.kept["built"] = build_instance(self.instance)
        return self.kept["built"]


def in_hand(name):
    return InHand(instance_in(name, None) if isinstance(name, str) else name)


def job_for(task, **words):
    return Job(0, Subject("", "", {}), task, **words)


def counted(subject, first=parts.PLAN, order="first", most=100_000, audit=None, tasks=None):
    """Do tasks until there is none; returns the units. Everything goes through JSON, as it does on its way to a store.

    The tasks are added to ``tasks``.
    """
    waiting, units = deque([first]), []
    while waiting:
        assert len(units) < most, "this does not end"
        task = json.loads(json.dumps(waiting.popleft() if order == "first" else waiting.pop()))
        began = process_time()
        done = parts.do(subject, job_for(task), Event())
        took = process_time() - began
        if tasks is not None:
            tasks.append(task)
        assert done.complete
        result = json.loads(json.dumps(done.result))
        if audit is not None and result["parts"]:
            again = parts.do(subject, job_for(task, role=AUDIT if audit is True else audit, known=result), Event())
            assert again.complete
            assert agree(result, json.loads(json.dumps(again.result)))
        units.append(UnitFound(len(units), None, task["do"], DONE, task.get("estimate"), took, result=result))
        waiting += done.follow
    return units


def without(units, number):
    """The units, one of which is still to be done."""
    return [unit._replace(state="open", result=None) if n == number else unit for n, unit in enumerate(units)]
