"""The units of a study, and the messages about them between coordinator and workers.

A unit consists of a puzzle, a question about it, and a prefix: a part of its search space, or the number of an attempt. Messages are JSON
text that pydantic validates before use. A puzzle is sent as plain data, from which every worker on any machine makes the same puzzle.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from hashlib import sha256
from math import inf
from pathlib import Path
from typing import Annotated, Any, Final, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field

from puzzlesat.base import SILENT, VERSION, Limits, PuzzleWarning
from puzzlesat.counting import Labelling, conjugates
from puzzlesat.puzzles import BuiltInstance, CoverProblem, Instance, InstanceFile, Library, build_instance, quotient, reduce, validated
from puzzlesat.solvers import LISTING, SOLVERS, TALLY, family

Find = Literal["proof", "solution", "count", "check"]
Count = Literal["labelled", "all", "distinct", "labelled_distinct", "labelled_turns"]
COUNTS: tuple[Count, ...] = get_args(Count)

UNIT_SECONDS: Final = 30.0
"""CPU seconds for one answer to a part of a count."""
MIN_SECONDS: Final = 0.25
"""Minimum of the CPU seconds of a part or a count whose processes were lost."""
Outcome = Literal["answered", "not decided", "too long", "stopped", "failed"]
"""``failed``: the puzzle or the limits are at fault. ``stopped``: the worker got the signal to stop."""

_Natural = Annotated[int, Field(ge=0)]
_Words = Annotated[str, Field(max_length=10_000)]
_Seconds = Annotated[float, Field(ge=0, le=1e15)]

Place = tuple[str, int]
"""The host and the number of a process."""


class Message(BaseModel):
    """Plain data, read from JSON without any conversion of types; unknown keys are errors."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", strict=True, allow_inf_nan=False, ser_json_bytes="base64", val_json_bytes="base64"
    )


class Subject(Message):
    """A puzzle as plain data: the table of an instance file, and the texts of its models and grids outside the package, by their names.

    ``key`` is a digest of the name, the texts, and the table without title, source and expected figures.
    """

    name: str
    key: str
    table: dict[str, Any]
    files: dict[str, str] = Field(default={})

    def __hash__(self) -> int:
        return hash(self.key)


class Question(Message):
    """A question about a puzzle, with limits in CPU seconds and bytes. Its text identifies it in a store.

    A part names its cover problem in ``of`` (see ``Facts``). A check has options, the version of the program, and a digest of the expected
    figures. Without a limit of memory, a worker takes a share of its machine's.
    """

    find: Literal["proof", "solution", "count", "check", "part"]
    seconds: float | None = None
    memory: int | None = None
    of: str = ""
    check: dict[str, Any] | None = None

    @property
    def text(self) -> str:
        """The question as canonical JSON."""
        return self.model_dump_json(exclude_defaults=True)


class Unit(Message):
    """A message to a worker: one unit, with the limit of this answer in CPU seconds.

    ``solver`` is the solver to count with; None: the worker chooses. The unit has ``answers`` usable answers already. The processes in
    ``apart`` have this unit or have answered it.
    """

    version: str
    number: int
    subject: Subject
    question: Question
    prefix: tuple[int, ...] = ()
    seconds: float | None = None
    solver: str | None = None
    answers: int = 0
    apart: tuple[Place, ...] = ()

    @property
    def unlimited(self) -> bool:
        """True for a first answer without a limit. The time of the first answer limits the further ones."""
        return self.seconds is None and not self.answers


class Claim(Message):
    """The claim of an answer. Two answers to a unit are compared by their claims alone.

    ``argument`` tells why a puzzle is impossible. The claim of a part is ``found``, the weighted number of its solutions, with the
    fingerprint of its cover problem. The claim of a check is its result in a word.
    """

    verdict: Literal["impossible", "solvable", "contradiction"] | None = None
    argument: _Words | None = None
    counts: dict[Count, _Natural] = Field(default={})
    found: _Natural | None = None
    problem: str | None = None
    check: _Words | None = None

    def answers(self, question: Question) -> bool:
        """Tell whether the claim answers a question and claims nothing else, which evidence might not show."""
        if self == Claim(verdict="contradiction"):
            return True
        if question.find == "part":
            return None not in (self.found, self.problem) and self == Claim(found=self.found, problem=self.problem)
        if (self.found, self.problem) != (None, None) or (question.find == "check") != (self.check is not None):
            return False
        if question.find == "count":
            return "all" in self.counts and self.verdict == ("solvable" if self.counts["all"] else "impossible")
        return question.find == "check" or (self.verdict is not None and not any(self.counts.values()))


class Answer(Message):
    """A worker's answer to one unit.

    A solution consists of names of placements; the report of a check is JSON text. The outcome "too long" comes with the solver that is
    expected to count the parts fastest, as ``hint``, and an estimate of the CPU seconds for the whole unit.
    """

    version: str
    number: int
    key: str
    question: str
    prefix: tuple[int, ...]
    outcome: Outcome
    claim: Claim = Claim()
    sentences: Annotated[tuple[_Words, ...], Field(max_length=1000)] = ()
    solution: tuple[_Words, ...] = ()
    certificate: Annotated[bytes, Field(max_length=64 << 20)] | None = None
    report: str | None = None
    solver: _Words = ""
    hint: str | None = None
    estimate: _Seconds | None = None
    host: _Words = ""
    process: _Natural = 0
    cpu: _Seconds = 0.0

    def is_to(self, unit: Unit) -> bool:
        """Tell whether this answers a unit, by the solver that it names, and comes from a worker of this version."""
        same = (self.number, self.key, self.question, self.prefix) == (unit.number, unit.subject.key, unit.question.text, unit.prefix)
        hints = self.hint in (None, LISTING, TALLY)
        by = self.solver == unit.solver if unit.solver else unit.question.find not in ("part", "count") or family(self.solver) in SOLVERS
        fits = by if self.outcome == "too long" else self.outcome != "answered" or (by and self.claim.answers(unit.question))
        return same and fits and hints and self.version == unit.version == VERSION

    @classmethod
    def to(cls, unit: Unit, **found: Any) -> Answer:
        """Return an answer of this version of the program to a unit."""
        return cls(version=VERSION, number=unit.number, key=unit.subject.key, question=unit.question.text, prefix=unit.prefix, **found)

    @property
    def place(self) -> Place:
        """The process that sent the answer."""
        return self.host, self.process


@dataclass(frozen=True)
class Findings:
    """The settled findings about a puzzle."""

    verdict: str = "not decided"
    argument: str | None = None
    sentences: tuple[str, ...] = ()
    solution: tuple[str, ...] = ()
    counts: Mapping[Any, int] = field(default_factory=dict)
    check: str | None = None

    def settles(self, step: Question) -> bool:
        """Tell whether these findings answer a step."""
        if self.verdict == "contradiction":
            return True
        if step.find == "check":
            return self.check is not None
        if step.find == "count":
            return self.verdict == "impossible" or "all" in self.counts
        return self.verdict != "not decided"


def limit_of(question: Question, tries: int, unit_seconds: float = UNIT_SECONDS) -> float | None:
    """Return the CPU seconds for one answer to a unit that has been in flight ``tries`` times without an answer."""
    if question.find in ("proof", "check"):
        return question.seconds
    seconds = unit_seconds if question.find == "part" else 2 * unit_seconds
    if question.find in ("part", "count"):
        seconds = max(MIN_SECONDS, seconds / 4**tries)
    return min(seconds, inf if question.seconds is None else question.seconds)


CACHED_PUZZLES = 8
"""Size of the cache of built puzzles, which may be large."""
NOT_COUNTED = ("title", "source", "expect")
"""Keys of an instance on which no count depends."""
WHOLE = "whole"
FIXED = "fixed by "


class Facts(Message):
    """The cover problems of a puzzle, from whose numbers of solutions its counts follow, and the factors for labelled counts.

    The problem ``WHOLE`` has all solutions. For each symmetry, ``problem_of`` names the problem of the solutions that the symmetry leaves
    unchanged; conjugate symmetries share a problem. Burnside's lemma then gives the number of distinct solutions.

    The factors are the number of ways to label the copies of tiles in a solution, and to turn its tiles in place; None if they are not the
    same for all solutions.
    """

    problem_of: dict[str, str]
    copies: int | None
    turns: int | None

    @property
    def problems(self) -> list[str]:
        """The names of the problems, ``WHOLE`` first."""
        return list(dict.fromkeys(self.problem_of.values()))


class Loaded:
    """A subject, with its puzzle and its cover problems, which are made on first use and serve all units of the puzzle."""

    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self._built: BuiltInstance | None = None
        self._problems: dict[tuple[str, bool], CoverProblem] = {}

    @cached_property
    def instance(self) -> Instance:
        """The puzzle with its expected figures. Raises PuzzleError, under its name, with all errors in it."""
        with opened(self.subject) as (file, path, library):
            return library.instance(file, path, self.subject.name)

    def built(self, limits: Limits | None = None) -> BuiltInstance:
        """Return the built puzzle. Raises PuzzleError with all errors in it, and EndedError at a limit."""
        if self._built is None:
            progress = SILENT if limits is None else limits.begun().heeding(SILENT)
            self._built = build_instance(self.instance, progress=progress, limits=limits)
        return self._built

    def problem(self, name: str, *, reduced: bool = True) -> CoverProblem:
        """Return a cover problem by its name: the whole with its symmetry broken, or the solutions that a symmetry leaves unchanged.

        ``reduced`` removes dead options. The other options keep their numbers (``CoverProblem.origin``).
        """
        if (name, reduced) not in self._problems:
            whole = self.built().problem
            if name == WHOLE:
                made = reduce(whole, dead=reduced, break_on=self.instance.break_on).problem
            else:
                made = quotient(whole, whole.symmetries.index(name.removeprefix(FIXED)))
                made = reduce(made, symmetry=False, dead=reduced).problem
            self._problems[name, reduced] = made
        return self._problems[name, reduced]

    @cached_property
    def facts(self) -> Facts:
        """The cover problems to count, and the factors for labelled counts."""
        problem, labelling = self.built().problem, Labelling(self.built())
        kinds = zip(problem.symmetries, conjugates(problem, SILENT), strict=True)
        problem_of = {name: f"{FIXED}{problem.symmetries[kind]}" if kind else WHOLE for name, kind in kinds}
        return Facts(problem_of=problem_of, copies=labelling.of_all(1), turns=labelling.turns())


@lru_cache(CACHED_PUZZLES)
def loaded(subject: Subject) -> Loaded:
    """Return a subject with its puzzle, from the cache of this process if it is there."""
    return Loaded(subject)


def make_subject(name: str, table: dict[str, Any], path: Path, *, family: str = "", library: Library | None = None) -> Subject:
    """Return the puzzle of a table in the file ``path``, with the texts of its own model and grid, which are files in the same folder.

    Raises PuzzleError if its model or grid does not exist; with a library, which has these already, also for all errors in the puzzle.
    """
    if library is not None:
        library.instance(validated(InstanceFile, table, path, name), path, name)
    return subject_of(f"{family}/{name}" if family and "/" not in name else name, table, Library.own_texts(table, path))


def subject_of(name: str, table: Mapping[str, Any], files: Mapping[str, str]) -> Subject:
    """Return a subject with its key. Title, source and expected figures may change: they are not part of the key."""
    own = {key: value for key, value in table.items() if key not in NOT_COUNTED}
    text = json.dumps([name, own, files], ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return Subject(name=name, key=sha256(text.encode()).hexdigest()[:32], table=dict(table), files=dict(files))


@contextmanager
def opened(subject: Subject) -> Iterator[tuple[InstanceFile, Path, Library]]:
    """Yield the file of a subject, its name as a path, and its library, without warnings: they were shown when the study was read."""
    path = Path(subject.name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PuzzleWarning)
        yield validated(InstanceFile, dict(subject.table), path), path, Library.of_texts(tuple(subject.files.items()))
