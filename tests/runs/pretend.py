"""Units that only pretend to count, for tests and for measuring what the machinery itself takes: their total is known beforehand.

The task ``{"do": "pretend", "from": a, "to": b, "most": m, "sleep": s, "burn": c}`` adds up the weights of the numbers from ``a`` below
``b``, ``m`` of them at most, each some seconds asleep or at work; the rest follows, in two halves. A weight has 256 bits
and looks like chance: a total in which a number is missing, or stands twice, is another one. As told by ``"faults"``, a list of
``{"at": number, "kind": kind, "roles": [...]}``, a unit that comes to a number does not do well: it ``dies``, ``takes its parent
along``, ``hangs``, is ``wrong``, or says what is ``bad``; ``"once": file`` makes it behave from the second time on.
"""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from threading import Event
from time import monotonic, process_time
from typing import Annotated, Any

from pydantic import Field

from puzzlesat.base import PuzzleError, told_to_stop
from puzzlesat.studies import wire
from puzzlesat.studies.units import Answer, Job, Subject, Task, VersionError
from puzzlesat.version import VERSION

SUBJECT = Subject("pretended", "pretended", {})


class Pretended(wire.ResultShape):
    """The result of a unit that pretends."""

    found: int
    parts: list[Annotated[list[int], Field(min_length=2, max_length=2)]]


wire.RESULTS["pretend"] = Pretended


def weight(number: int) -> int:
    """Return what a number adds to the total."""
    return int.from_bytes(sha256(str(number).encode()).digest(), "big")


def total(numbers: Iterable[int]) -> int:
    """Return what some numbers come to."""
    return sum(map(weight, numbers))


def task(numbers: int, most: int = 1, **others: Any) -> Task:
    """Return the task for the numbers from 0 on, so many altogether, and so many in each unit."""
    return {"do": "pretend", "from": 0, "to": numbers, "most": most, **others}


def do(job: Job, stop: Event) -> tuple[Mapping[str, Any], Sequence[Task], bool]:
    """Return the sum of some numbers and which they are, the tasks that follow, and whether anything was done before ``stop`` was set."""
    what = job.task
    numbers = range(what["from"], what["to"])[: what["most"]] if job.known is None else range(*job.known["parts"][0])
    found = 0
    for number in numbers:
        if not _take_time(what, stop):
            return {}, (), False
        found += weight(number) + _fault(what, number, job.role)
    middle = (numbers.stop + what["to"]) // 2
    halves = [(numbers.stop, middle), (middle, what["to"])]
    follow = [{**what, "from": first, "to": end} for first, end in halves if first < end]
    return {"found": found, "parts": [[numbers.start, numbers.stop]]}, follow if job.known is None else (), True


def answers(jobs: Sequence[Job]) -> list[Answer]:
    """Do some jobs as a worker does, with nothing but what stands here."""
    if any(job.version != VERSION for job in jobs):
        raise VersionError(f"a worker has version {VERSION} of puzzlesat; it must be the same everywhere")
    return [_answer(job) for job in jobs]


def _answer(job: Job) -> Answer:
    began, worked = monotonic(), process_time()
    error = None
    try:
        result, follow, complete = do(job, told_to_stop)
    except PuzzleError as said:
        result, follow, complete, error = {}, (), True, str(said)
    taken = (process_time() - worked, monotonic() - began)
    return Answer(job.unit, job.role, result, follow, complete, error, "pretend", socket.gethostname(), os.getpid(), VERSION, *taken)


def _take_time(what: Task, stop: Event) -> bool:
    """Take the time of one number; tell whether it was not stopped."""
    if stop.wait(what.get("sleep", 0)) if what.get("sleep") else stop.is_set():
        return False
    until = process_time() + what.get("burn", 0)
    while process_time() < until:
        if stop.is_set():
            return False
    return True


def _fault(what: Task, number: int, role: str) -> int:
    """Do what goes wrong at a number; return by how much its weight is wrong."""
    for fault in what.get("faults", ()):
        if fault["at"] != number or role not in fault.get("roles", [role]) or not _still(fault):
            continue
        if fault["kind"] == "dies":
            os.kill(os.getpid(), signal.SIGKILL)
        elif fault["kind"] == "takes its parent along":
            os.kill(os.getppid(), signal.SIGKILL)
            Event().wait()
        elif fault["kind"] == "hangs":
            Event().wait()
        elif fault["kind"] == "bad":
            raise PuzzleError("this number cannot be added")
        return int(fault.get("by", 1))
    return 0


def _still(fault: Mapping[str, Any]) -> bool:
    """Tell whether a fault that happens once has not happened yet."""
    if "once" not in fault:
        return True
    try:
        Path(fault["once"]).mkdir()
    except FileExistsError:
        return False
    return True
