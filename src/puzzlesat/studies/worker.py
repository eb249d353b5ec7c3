"""What a worker does: jobs in, answers out, whatever happens in between."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from time import monotonic
from typing import Any

from puzzlesat.base import (
    Clock,
    ContradictionError,
    EndedError,
    Limits,
    PuzzleError,
    is_want_of_memory,
    told_to_stop,
)
from puzzlesat.kernels import clock
from puzzlesat.studies.units import Answer, Done, Job, VersionError, forget_loaded, loaded
from puzzlesat.version import VERSION

MODULES = {"steps": "whole", "parts": "parts", "check": "check", "forms": "forms"}
"""Who does what; a module is loaded when it is first needed. Each has ``do(subject, job, stop)``, perhaps with options,
and perhaps ``compile_kernels()``."""
BATCH_SECONDS = 2.0
"""After so long no further job of a batch is begun."""

Does = Callable[..., Done]


_ready: dict[str, Does] = {}


def do(jobs: Sequence[Job], **options: Any) -> list[Answer]:
    """Do some jobs, one after the other, and return their answers; those that are not begun when it is told to stop have none.

    So have those that come after one that took long: they are handed out again, for others may be free.

    What is wrong with a puzzle, or takes more than it may, is said in the answer. ``options`` go to whoever does the jobs: what has nothing
    to do with what is found out, and is no part of a task. Raises VersionError for jobs of another version.
    """
    for job in jobs:
        if job.version != VERSION:
            raise VersionError(
                f"a worker has puzzlesat {VERSION}, and the study is run by {job.version}; install the same version everywhere"
            )
    answers: list[Answer] = []
    began = monotonic()
    for job in jobs:
        if told_to_stop.is_set() or monotonic() - began > BATCH_SECONDS:
            break
        answers.append(_answer(job, options))
    return answers


def _answer(job: Job, options: Mapping[str, Any]) -> Answer:
    does = _doer(job.task["do"])
    cpu, wall = Clock(Limits(cpu=True)), clock()
    done, error = Done({}), None
    try:
        done = does(loaded(job.subject), job, told_to_stop, **options)
    except EndedError as ended:
        stopped = told_to_stop.is_set()
        done, error = Done({}, complete=not stopped), None if stopped else ended.words
    except PuzzleError as wrong:
        error = "; ".join(wrong.problems)
    except (ContradictionError, RecursionError) as wrong:
        error = str(wrong)
    except OSError as wrong:
        error = f"{wrong.filename or 'a file'}: {wrong.strerror or wrong}"
    except (MemoryError, RuntimeError) as wrong:
        if not is_want_of_memory(wrong):
            raise
        forget_loaded()
        error = "there was not enough memory"
    return Answer(
        job.unit, job.role, done.result, done.follow, done.complete, error, done.solver, socket.gethostname(), os.getpid(), VERSION,
        round(cpu.seconds, 6), round(clock() - wall, 6), done.work, done.certificate,
    )  # fmt: skip


def _doer(kind: str) -> Does:
    """Return who does such tasks; before the first of them all is compiled, or loaded, that takes no job's seconds then."""
    if kind not in _ready:
        module = import_module(f"puzzlesat.studies.{MODULES[kind]}")
        if hasattr(module, "compile_kernels"):
            module.compile_kernels()
        _ready[kind] = module.do
    return _ready[kind]
