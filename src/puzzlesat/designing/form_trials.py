"""Many forms for one set of tiles: what a file of results knows of each, and which are left to be tried."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from pathlib import Path
from threading import Event
from typing import Any

from rich.text import Text

from puzzlesat.base import ChildEndedError, PuzzleWarning, check_writable, dealt, listed, many, told_to_stop
from puzzlesat.designing.generate import Candidate
from puzzlesat.designing.tile_set import Kit
from puzzlesat.designing.trial import Draw, FormTask, Order, open_results, run, why_open
from puzzlesat.puzzles import Record, Results

FORMS_A_PROCESS = 8
"""Fewer forms are not worth the start of another process."""
MOST_DEATHS = 3
"""Processes that may end over one form, the later ones while nothing else is at work."""
ENDED = f"it ended the process that worked on it {MOST_DEATHS} times, perhaps for lack of memory"
MOST_NAMED = 3
"""Forms of which it is said why nothing is known."""


@dataclass(frozen=True)
class FormTrials:
    """The forms, and what is known of them; their file is open."""

    kit: Kit
    order: Order
    tasks: Sequence[FormTask]
    results: Results[str]

    def is_done(self, task: FormTask) -> bool:
        """Tell whether what is asked of a form is known."""
        return self.order.is_done(task, self.results.known.get(task.key))

    @property
    def records(self) -> list[Record]:
        """What is known, in the order of the forms."""
        known = self.results.known
        return [self.said(known[t.key] | {"form": t.candidate.name}) for t in self.tasks if t.key in known]

    def said(self, record: Record) -> Record:
        """Return the record of a form with whether it is ``complete``, and ``why`` not: whether it answers what is asked now."""
        why = why_open(record, count=self.order.count)
        return record | {"complete": why is None, "why": why}

    @property
    def why(self) -> str | None:
        """Why not all that is asked of the forms is known, in a sentence; None where it is."""
        records = self.records
        left = [f"{record['form']}: {record['why']}" for record in records if record["why"] is not None]
        untried = len(self.tasks) - len(records)
        return listed([*([f"{many(untried, 'form')} not tried"] if untried else []), *left], MOST_NAMED) if left or untried else None

    @property
    def left(self) -> list[FormTask]:
        """The forms of which not everything is known that is asked."""
        return [task for task in self.tasks if not self.is_done(task)]


@contextmanager
def open_trials(kit: Kit, found: Sequence[Candidate], order: Order, file: Path | None, proofs: Path | None) -> Iterator[FormTrials]:
    """Yield what is known of forms from a file of results, which gets what is found out, with certificates in a folder.

    Raises PuzzleError for a file of something else, and OSError for what cannot be written.
    """
    if proofs is not None:
        proofs.mkdir(parents=True, exist_ok=True)
        if found:
            check_writable(max((_proof(proofs, c) for c in found), key=lambda path: len(path.name)))
    tasks = [FormTask(c, None if proofs is None else _proof(proofs, c)) for c in found]
    results = open_results(kit, file, "forms", _check)
    try:
        yield FormTrials(kit, replace(order, model=str(kit.path)), tasks, results)
    finally:
        results.close()


def _check(record: Record) -> None:
    """Raise KeyError or TypeError for what says nothing of a form."""
    kinds = {"form": str, "verdict": str, "all": int | None, "time": float | int | None}
    if not all(isinstance(record[key], kind) for key, kind in kinds.items()):
        raise TypeError


def file_stem(name: str) -> str:
    """Return the name of a form as that of a file, without suffix."""
    return re.sub(r"[^\w.@()*+=-]+", "_", name)


def _proof(folder: Path, candidate: Candidate) -> Path:
    """The file for the certificate of a form."""
    return folder / f"{file_stem(candidate.name)}.proof"


Tell = Callable[[Record, Text | None], None]
"""Gets the record of a form, and its picture."""


def try_forms(trials: FormTrials, jobs: int, stop: Event, tell: Tell, *, draw: Draw | None = None) -> None:
    """Try the forms that are left, some at a time, and tell of each as soon as it is decided, until ``stop`` is set."""

    def keep(record: Record, drawn: Text | None) -> None:
        trials.results.add(record)
        tell(record, drawn)

    run_apart(trials.left, trials.order, trials.kit, jobs, stop, keep, draw=draw)


def run_apart(forms: Sequence[FormTask], order: Order, kit: Kit, jobs: int, stop: Event, tell: Tell, *, draw: Draw | None = None) -> None:
    """Try forms in processes of their own, if there are enough for several; a form that ends one process after another is refused."""
    jobs = min(jobs, len(forms) // FORMS_A_PROCESS)
    if jobs <= 1:
        for record, drawn in run(forms, order, kit, stop, draw=draw):
            tell(record, drawn)
        return
    left = list(forms)
    for most in (jobs, *[1] * (MOST_DEATHS - 1)):
        calls = ((form, partial(_in_child, form, order, draw)) for form in left if not stop.is_set())
        left = []
        for form, call in dealt(most, calls, stop):
            try:
                found = call.result()
            except ChildEndedError:
                left.append(form)
                continue
            if found is not None:
                tell(*found)
    for form in left if not stop.is_set() else ():
        tell(form.refused(kit, order.effort(stop, None), ENDED), None)


def _in_child(form: FormTask, order: Order, draw: Draw | None) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PuzzleWarning)  # the command has shown them
        return form.attempt(_kit(order), order.effort(told_to_stop, draw, cores=1))


@lru_cache(maxsize=1)
def _kit(order: Order) -> Kit:
    return order.kit()
