"""Many forms for one set of tiles in the hands of workers, where none is lost with the process that tried it: ``puzzlesat forms``."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event
from typing import Any

from rich.text import Text

from puzzlesat.base import Progress, PuzzleWarning
from puzzlesat.designing import Candidate, Draw, FormTrials, Kit, Order
from puzzlesat.designing import FormTask as Form
from puzzlesat.designing import run as run_here
from puzzlesat.puzzles import FormTable, Record
from puzzlesat.studies import coordinator, worker
from puzzlesat.studies.executors import Processes
from puzzlesat.studies.opening import StudyHeading, open_store
from puzzlesat.studies.store import OPEN, SET_ASIDE, Store
from puzzlesat.studies.units import Done, Job, Loaded, Subject, Task

FORMS_A_PROCESS = 8
"""Fewer forms are not worth the start of another process."""
HEADING = StudyHeading("puzzlesat forms", "puzzlesat forms", "{}", audit=0.0)

Tell = Callable[[Record, Text | None], None]
"""Gets the record of a form, and what was drawn of it."""


def try_forms(trials: FormTrials, jobs: int, stop: Event, tell: Tell, *, draw: Draw | None = None) -> str | None:
    """Try the forms that are left, and tell of each as soon as it is decided, until ``stop`` is set.

    Returns why not all could be tried, in a sentence, where something else is the reason.
    """

    def keep(record: Record, drawn: Text | None) -> None:
        trials.results.add(record)
        tell(record, drawn)

    return run(trials.left, trials.order, trials.kit, jobs, stop, keep, draw=draw)


def run(forms: Sequence[Form], order: Order, kit: Kit, jobs: int, stop: Event, tell: Tell, *, draw: Draw | None = None) -> str | None:
    """Try forms, some at a time, and tell of each as soon as it is decided, until ``stop`` is set.

    Returns why not all could be tried, in a sentence, where something else is the reason. A form that ends the processes which
    try it, or that nothing can be found out about for another reason, is refused.
    """
    jobs = min(jobs, len(forms) // FORMS_A_PROCESS)
    if jobs <= 1:
        for record, drawn in run_here(forms, order, kit, stop, draw=draw):
            tell(record, drawn)
        return None
    with TemporaryDirectory(prefix="puzzlesat-") as folder, open_store(Path(folder) / "forms.sqlite", HEADING) as store:
        store.add([(_subject(order), [_task(number, form, order) for number, form in enumerate(forms)])])
        waiting = dict(zip(store.left(OPEN), forms, strict=True))
        news = _News(store, waiting, tell, lambda form, why: form.refused(kit, order.effort(stop, None), why))
        workers = Processes(jobs, do=partial(worker.do, draw=draw))
        end = coordinator.run(store, workers, stop=stop, progress=Progress(lambda *_: news.tell()))
        news.tell()
    return end.why


class _News:
    """Tells what a store has of forms, of each once."""

    def __init__(self, store: Store, waiting: dict[int, Form], tell: Tell, refuse: Callable[[Form, str], Record]) -> None:
        self._store, self._waiting, self._tell, self._refuse = store, waiting, tell, refuse
        self._since = 0
        """The number of the latest answer that was told."""

    def tell(self) -> None:
        """Tell of the forms that are answered, or set aside, since the last time."""
        answers = "SELECT id, unit, result FROM answers WHERE id > ? AND error IS NULL ORDER BY id"
        for number, unit, result in self._store.connection.execute(answers, (self._since,)).fetchall():
            self._since = number
            del self._waiting[unit]
            found = json.loads(result)
            self._tell(json.loads(found["record"]), _text(found["drawn"]))
        aside = "SELECT id, error FROM units WHERE state = ? ORDER BY id"
        for unit, error in self._store.connection.execute(aside, (SET_ASIDE,)).fetchall():
            if (form := self._waiting.pop(unit, None)) is not None:
                self._tell(self._refuse(form, error), None)


# as plain data ----------------------------------------------------------------------------------------------------------------


def _subject(order: Order) -> Subject:
    """The tiles, and what is asked of all forms: the same for all of a run."""
    return Subject("forms", "forms", {"order": json.dumps(asdict(order))})


def _task(number: int, form: Form, order: Order) -> Task:
    """The task to try a form, with limits for whoever hands it out; names are in a text of ASCII, for a database takes not all of them.

    With its number it is a task of its own, whatever other forms there are.
    """
    own = form.candidate
    said = {
        "name": own.name,
        "path": None if own.path is None else str(own.path),
        "without": own.without,
        "proof": None if form.proof is None else str(form.proof),
    }
    return {
        "do": "forms",
        "number": number,
        "form": json.dumps(said),
        "table": own.table.model_dump_json(exclude_defaults=True),
        "seconds": order.seconds,
        "memory": order.memory,
    }


def _form(task: Task) -> Form:
    said = json.loads(task["form"])
    path, proof = (None if said[key] is None else Path(said[key]) for key in ("path", "proof"))
    return Form(Candidate(said["name"], FormTable.model_validate_json(task["table"]), path, said["without"]), proof)


def _plain(drawn: Text | None) -> Any:
    return None if drawn is None else [drawn.plain, [[start, end, str(style)] for start, end, style in drawn.spans]]


def _text(plain: Any) -> Text | None:
    if plain is None:
        return None
    text = Text(plain[0])
    for start, end, style in plain[1]:
        text.stylize(style, start, end)
    return text


# in the hands of a worker ------------------------------------------------------------------------------------------------------


def do(subject: Loaded, job: Job, stop: Event, *, draw: Draw | None = None) -> Done:
    """Try a form; its record comes back as the text of its JSON, in which the order of the keys stays."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PuzzleWarning)  # was said by the command
        if not subject.kept:
            order = Order(**json.loads(subject.subject.table["order"]))
            subject.kept.update(order=order, kit=order.kit())
        order, kit = subject.kept["order"], subject.kept["kit"]
        found = _form(job.task).attempt(kit, order.effort(stop, draw, cores=1))
    if found is None:
        return Done({}, complete=False)
    record, drawn = found
    return Done({"record": json.dumps(record), "drawn": _plain(drawn)})
