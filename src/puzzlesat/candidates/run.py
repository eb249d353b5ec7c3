"""What is asked of forms, and how each is tried: what was found out is a record of plain data for the file of results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from threading import Event
from typing import Any, Literal

from rich.text import Text

from puzzlesat.candidates.generate import Candidate
from puzzlesat.candidates.kit import Kit, key_of, refs
from puzzlesat.candidates.trial import CONTRADICTION, IMPOSSIBLE, NOT_DECIDED, REFUSED, SOLVABLE, Draw, Effort, Trial, try_form
from puzzlesat.config.results import Record
from puzzlesat.errors import NOT_ENOUGH_MEMORY, PuzzleError, is_want_of_memory, many
from puzzlesat.grid.picture import plain_picture
from puzzlesat.puzzle.data import Puzzle
from puzzlesat.puzzle.instance import Instance
from puzzlesat.solvers.run import Limits

Verdict = Literal["impossible", "solvable", "not decided", "refused", "contradiction"]


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
    """What is asked of all forms: plain data, for other processes too."""

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
    stated: str | None = None
    """The tiles themselves, as ``Kit.stated``, where no file says them; ``model`` then is a file beside those that they name."""

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


@dataclass(frozen=True, kw_only=True)
class FormFound:
    """What is known of one form. The attributes are the keys of a line of ``puzzlesat forms --json``; ``record`` is that line."""

    form: str
    """Its name."""
    key: str
    """A text that is the same only for the same form, and the same tile left out."""
    area: int
    """How many faces must be covered."""
    without: str | None
    """The tile of which one copy is left out, if ``replicas`` made the form."""
    verdict: Verdict
    """``impossible``, ``solvable``, ``not decided``, ``refused`` (something is wrong with the form) or ``contradiction``."""
    argument: str | None
    """Why it is impossible: ``area``, ``nothing fits``, ``condition``, ``colouring`` or ``search``."""
    sentences: tuple[str, ...]
    """The argument in words, or what is wrong with the form."""
    solution: tuple[str, ...] | None
    """The names of the placements of one solution, if one was found."""
    all: int | None
    """The number of all solutions, if they were counted."""
    distinct: int | None
    """The number of solutions up to symmetry, if they were counted."""
    agree: bool | None
    """True if a second way of counting confirmed the number; else None."""
    certificate: str | None
    """The file of the certificate, if one was written."""
    seconds: float
    """How long the work on this form took."""
    time: float | None
    """The limit in seconds."""
    count: bool
    """Whether its solutions were to be counted."""
    picture: str
    """The form as a text picture."""
    atoms: tuple[tuple[int | str, ...], ...]
    """The form as ``form.atoms`` of an instance lists it."""
    complete: bool
    """Whether everything is known that you asked of the form."""
    why: str | None
    """Why not, in a sentence; None if it is complete."""

    @classmethod
    def from_record(cls, record: Record) -> FormFound:
        """Return what a line of JSON says; a key that the line lacks is None."""
        return cls(**{key.name: _fixed(record.get(key.name)) for key in fields(cls)})

    @property
    def record(self) -> Record:
        """The same as a JSON object."""
        return {key.name: _plain(getattr(self, key.name)) for key in fields(self)}


def _fixed(value: Any) -> Any:
    """Lists as tuples."""
    return tuple(map(_fixed, value)) if isinstance(value, list) else value


def _plain(value: Any) -> Any:
    """Tuples as lists."""
    return list(map(_plain, value)) if isinstance(value, tuple) else value


def in_short(records: Sequence[Record], total: int) -> str:
    """Return in a sentence what became of so many forms."""
    by_verdict = Counter(record["verdict"] for record in records)
    arguments = Counter(record["argument"] for record in records if record["verdict"] == IMPOSSIBLE)
    words = [f"{by_verdict[SOLVABLE]:,} solvable"]
    if arguments:
        words.append(f"{by_verdict[IMPOSSIBLE]:,} impossible ({', '.join(f'{n:,} {a}' for a, n in arguments.most_common())})")
    words += [f"{by_verdict[v]:,} {v}" for v in (NOT_DECIDED, REFUSED, CONTRADICTION) if by_verdict[v]]
    words += [f"{total - len(records):,} not tried"] if len(records) < total else []
    return f"{many(total, 'form')}: {'; '.join(words)}"


def why_open(record: Record, *, count: bool) -> str | None:
    """Return why what was asked of a form is not known, in a sentence; None where it is. ``count``: its solutions were to be counted."""
    time = "the time available" if record["time"] is None else f"{record['time']:g} s"
    if record["verdict"] == NOT_DECIDED:
        return f"not decided in {time}"
    if record["verdict"] in (REFUSED, CONTRADICTION):
        return "; ".join(record["sentences"])
    return f"not counted in {time}" if count and record["verdict"] == SOLVABLE and record["all"] is None else None


def run(tasks: Sequence[Task], order: Order, kit: Kit, stop: Event, *, draw: Draw | None = None) -> Iterator[tuple[Record, Text | None]]:
    """Yield a record, and what ``draw`` makes of it, for each form as soon as it is decided in this process, until ``stop`` is set."""
    compiled = False
    for task in tasks:
        effort = order.effort(stop, draw)
        found = None if stop.is_set() else attempt(task, kit, effort)
        if not compiled and found is not None and _ran_out(found[0]):
            # the first time after an installation, compiling may have taken all the time available, for the first form that needs it
            compiled = True
            found = attempt(task, kit, effort)
        if found is None:
            return
        yield found


def attempt(task: Task, kit: Kit, effort: Effort) -> tuple[Record, Text | None] | None:
    """Try a form, and return a record and what was drawn of it; None where that was interrupted."""
    instance = _instance(task, kit)
    try:
        trial = try_form(instance, effort, task.proof)
    except PuzzleError as error:
        trial = Trial(REFUSED, sentences=error.problems)
    except (MemoryError, RuntimeError) as error:  # the next form may need less
        if not is_want_of_memory(error):
            raise
        trial = Trial(REFUSED, sentences=(NOT_ENOUGH_MEMORY,))
    except KeyboardInterrupt:
        return None
    return _record(task, instance.puzzle, trial, effort), trial.picture


def refused(task: Task, kit: Kit, effort: Effort, *sentences: str) -> Record:
    """Return the record of a form of which nothing could be found out, with the reasons."""
    return _record(task, _instance(task, kit).puzzle, Trial(REFUSED, sentences=sentences), effort)


def _instance(task: Task, kit: Kit) -> Instance:
    own = task.candidate
    return kit.to_fill(own.name, own.table, path=own.path, without=own.without)


def _record(task: Task, puzzle: Puzzle, trial: Trial, effort: Effort) -> Record:
    faces = _faces(puzzle)
    return {
        "form": task.candidate.name,
        "key": task.key,
        "area": sum(a in faces for a in puzzle.form.required),
        "without": task.candidate.without,
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


def _ran_out(record: Record) -> bool:
    """Tell whether a form was not decided, or not counted, in its time."""
    return record["verdict"] == NOT_DECIDED or (record["count"] and record["all"] is None)


def _faces(puzzle: Puzzle) -> set[tuple[int, ...]]:
    return {a for a in puzzle.form.atoms if puzzle.grid.atoms[a[-1]].kind == puzzle.grid.main_kind}
