"""Try many forms, several at a time, each as a record of plain data for the file of results."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from threading import Event
from typing import Any

from rich.text import Text

from puzzlesat.candidates.generate import Candidate
from puzzlesat.candidates.kit import Kit, key_of, load_kit, refs
from puzzlesat.candidates.results import Record
from puzzlesat.candidates.trial import CONTRADICTION, IMPOSSIBLE, NOT_DECIDED, REFUSED, SOLVABLE, Draw, Effort, Trial, try_form
from puzzlesat.children import ChildEndedError, Children, told_to_stop
from puzzlesat.errors import PuzzleError
from puzzlesat.grid.picture import plain_picture
from puzzlesat.puzzle.data import Puzzle
from puzzlesat.solvers.run import Limits

FORMS_A_PROCESS = 8
"""Fewer forms are not worth the start of another process."""
WAITING_A_PROCESS = 4
POLL_SECONDS = 0.2
SAME_SIGNAL_SECONDS = 1.0
"""How long after a signal has ended another process it may take until this one hears of it."""

_here: dict[str, Any] = {}
"""What this process was given when it began to try forms, and whether it has tried one."""


@dataclass(frozen=True)
class Task:
    """A form to be tried."""

    candidate: Candidate
    proof: Path | None = None
    """The file for the certificate of a proof that it is impossible."""

    @property
    def key(self) -> str:
        """What stands for the form in the file of results."""
        return key_of(self.candidate.table, self.candidate.without)


@dataclass(frozen=True)
class Order:
    """What is asked of all forms: plain data, for other processes."""

    model: str
    some: bool
    seconds: float | None
    count: bool
    problem: int | str | None = None
    """Which puzzle of the file that has the tiles."""
    memory: int | None = None
    """Bytes for a form."""
    cpu: bool = False
    """Whether seconds are CPU seconds."""

    def effort(self, stop: Event, draw: Draw | None, cores: int | None = None) -> Effort:
        """Return what a form may cost."""
        return Effort(Limits(seconds=self.seconds, stop=stop, memory=self.memory, cores=cores, cpu=self.cpu), self.count, draw)

    def is_done(self, task: Task, record: Record | None) -> bool:
        """Tell whether a record answers what is asked; one that ran out of time does not if there is more time now."""
        if record is None or record["verdict"] in (CONTRADICTION, REFUSED):
            return False
        longer = record["time"] is not None and (self.seconds is None or self.seconds > record["time"])
        if record["verdict"] == NOT_DECIDED:
            return not longer
        if record["verdict"] == IMPOSSIBLE:
            return task.proof is None or task.proof.is_file()
        return not self.count or record["all"] is not None or (record["count"] and not longer)


def run(
    tasks: Sequence[Task], order: Order, kit: Kit, jobs: int, stop: Event, *, draw: Draw | None = None
) -> Iterator[tuple[Record, Text | None]]:
    """Yield a record, and what ``draw`` makes of it, for each form as soon as it is decided, until ``stop`` is set."""
    jobs = min(jobs, len(tasks) // FORMS_A_PROCESS)
    if jobs > 1:
        yield from _in_processes(tasks, order, jobs, stop, draw)
        return
    for task in tasks:
        if stop.is_set() or (done := _try(task, kit, order.effort(stop, draw))) is None:
            return
        yield done


def _try(task: Task, kit: Kit, effort: Effort) -> tuple[Record, Text | None] | None:
    """Try a form; None where that was interrupted."""
    own = task.candidate
    instance = kit.to_fill(own.name, own.table, path=own.path, without=own.without)
    puzzle = instance.puzzle
    try:
        trial = try_form(instance, effort, task.proof)
        if not _here.get("compiled") and (trial.verdict == NOT_DECIDED or (effort.count and trial.all is None)):
            # the first time after an installation, compiling may have taken all the time there was
            trial = try_form(instance, effort, task.proof)
    except PuzzleError as error:
        trial = Trial(REFUSED, sentences=error.problems)
    except KeyboardInterrupt:
        return None
    _here["compiled"] = True
    faces = _faces(puzzle)
    record = {
        "form": own.name,
        "key": task.key,
        "area": sum(a in faces for a in puzzle.form.required),
        "without": own.without,
        "verdict": trial.verdict,
        "argument": trial.argument,
        "sentences": list(trial.sentences),
        "solution": list(trial.solution) or None,
        "all": trial.all,
        "distinct": trial.distinct,
        "agree": trial.agree,
        "certificate": str(task.proof) if task.proof is not None and trial.verdict == IMPOSSIBLE else None,
        "seconds": trial.seconds,
        "time": effort.limits.seconds,
        "count": effort.count and trial.verdict == SOLVABLE,
        "picture": plain_picture(puzzle.grid, faces, optional=faces & set(puzzle.form.optional)),
        "atoms": refs(puzzle.grid, faces),
    }
    return record, trial.picture


def _faces(puzzle: Puzzle) -> set[tuple[int, ...]]:
    return {a for a in puzzle.form.atoms if puzzle.grid.atoms[a[-1]].kind == puzzle.grid.main_kind}


# other processes ---------------------------------------------------------------------------------------------------------------


def _begin(order: Order, draw: Draw | None) -> None:
    _here.update(kit=load_kit(order.model, some=order.some, problem=order.problem), effort=order.effort(told_to_stop, draw, cores=1))


def _try_here(task: Task) -> tuple[Record, Text | None] | None:
    effort = _here["effort"]
    return None if effort.limits.stop.is_set() else _try(task, _here["kit"], replace(effort, limits=replace(effort.limits)))


def _in_processes(tasks: Sequence[Task], order: Order, jobs: int, stop: Event, draw: Draw | None) -> Iterator[tuple[Record, Text | None]]:
    """Share forms out to processes of their own, a few at a time."""
    waiting = iter(tasks)
    running: set[Future[tuple[Record, Text | None] | None]] = set()
    with Children(jobs, partial(_begin, order, draw)) as children:
        try:
            while True:
                while len(running) < jobs * WAITING_A_PROCESS and not stop.is_set() and (task := next(waiting, None)) is not None:
                    running.add(children.submit(_try_here, task))
                if not running:
                    return
                done, running = wait(running, POLL_SECONDS, FIRST_COMPLETED)
                if stop.is_set():
                    children.stop()
                for future in done:
                    if (result := future.result()) is not None:
                        yield result
        except ChildEndedError:
            if stop.wait(SAME_SIGNAL_SECONDS):
                return
            raise PuzzleError("a process that tried forms ended by itself, perhaps for want of memory; try again with --jobs 1") from None
        finally:
            children.stop()
