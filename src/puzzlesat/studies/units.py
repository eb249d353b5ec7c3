"""The units of a study, and the messages about them between coordinator and workers.

A unit is a puzzle, a question about it, and a prefix: a part of its search space, or the number of an attempt. Messages are JSON text that
pydantic checks before anything of it is used. A puzzle travels as plain data, from which a worker on any machine makes the same puzzle.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from hashlib import sha256
from math import inf
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from puzzlesat.base import SILENT, VERSION, Progress, PuzzleWarning
from puzzlesat.counting import Labelling, conjugates
from puzzlesat.puzzles import (
    MOST_OF_A_PUZZLE,
    BuiltInstance,
    CoverProblem,
    Form,
    Grid,
    GridFile,
    Instance,
    InstanceFile,
    Library,
    ModelFile,
    build_instance,
    data_folder,
    find_grid,
    find_model,
    form_from_table,
    kind_of_table,
    make_grid,
    quotient,
    reduce,
    remove_dead,
    table_of,
    text_of,
    validated,
)

Find = Literal["proof", "solution", "count", "check"]

Verdict = Literal["impossible", "solvable", "contradiction"]
Count = Literal["labelled", "all", "distinct", "labelled_distinct", "labelled_turns"]
COUNTS: tuple[Count, ...] = ("labelled", "all", "distinct", "labelled_distinct", "labelled_turns")

UNIT_SECONDS: Final = 30.0
"""CPU seconds for a unit of a question that can be split."""
LEAST_SECONDS: Final = 0.25
"""CPU seconds for such a unit at least, however often it was lost with the process that worked on it."""
Outcome = Literal["answered", "not decided", "too long", "stopped", "failed"]
"""``failed``: the puzzle or the limits are at fault. ``stopped``: the worker was told to stop."""

_Natural = Annotated[int, Field(ge=0)]
_Words = Annotated[str, Field(max_length=10_000)]
_Seconds = Annotated[float, Field(ge=0, le=1e15)]


Place = tuple[str, int]


class Message(BaseModel):
    """Plain data that is read from JSON exactly as stated, or refused."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", strict=True, allow_inf_nan=False, ser_json_bytes="base64", val_json_bytes="base64"
    )


class Subject(Message):
    """A puzzle as plain data."""

    name: str
    key: str
    """A digest of name, ``files``, and of ``table`` without title, source and expected figures."""
    table: dict[str, Any]
    """The puzzle as the table of an instance file."""
    files: dict[str, str] = Field(default={})
    """The texts of models and grids that it names and that do not come with the package, by their names."""


class Question(Message):
    """A question about a puzzle. Its text identifies it in a store."""

    find: Literal["proof", "solution", "count", "check", "part"]
    seconds: float | None = None
    """CPU seconds for the whole question; None: no limit."""
    memory: int | None = None
    """Bytes; None: a share of the memory of the worker's machine."""
    of: str = ""
    """For a part: the cover problem that is counted (see ``Facts``)."""
    check: dict[str, Any] | None = None
    """For a check: how to count, and digests of the program's version and of the expected figures."""

    @property
    def text(self) -> str:
        """The question as canonical JSON."""
        return self.model_dump_json(exclude_defaults=True)


class Unit(Message):
    """A unit on its way to a worker."""

    version: str
    number: int
    subject: Subject
    question: Question
    prefix: tuple[int, ...] = ()
    seconds: float | None = None
    """CPU seconds for this answer; None: no limit."""
    hint: str | None = None
    """For a part: the solver that is expected to count it soonest."""
    answered: tuple[str, ...] = ()
    """The solvers that have answered this unit; the worker uses another way, if there is one."""
    took: float = 0.0
    """CPU seconds of the first answer."""
    apart: tuple[Place, ...] = ()
    """The hosts and numbers of the processes that have this unit, or have answered it."""


class Claim(Message):
    """What an answer claims: two answers to a unit are compared by this alone."""

    verdict: Verdict | None = None
    argument: _Words | None = None
    """Why the puzzle is impossible."""
    counts: dict[Count, _Natural] = Field(default={})
    found: _Natural | None = None
    """For a part: the number of solutions in it, each with its weight."""
    problem: str | None = None
    """For a part: the fingerprint of its cover problem."""
    check: _Words | None = None
    """For a check: its result in a word."""

    def answers(self, question: Question) -> bool:
        """Tell whether this claims what a question asks, and nothing else: evidence must show all of a claim."""
        part, check = question.find == "part", question.find == "check"
        if self == Claim(verdict="contradiction"):
            return True
        if part or (self.found, self.problem) != (None, None):
            return part and None not in (self.found, self.problem) and self == Claim(found=self.found, problem=self.problem)
        if check or self.check is not None:
            return check and self.check is not None
        if question.find == "count":
            return "all" in self.counts and self.verdict == ("solvable" if self.counts["all"] else "impossible")
        return self.verdict is not None and not any(self.counts.values())


class Answer(Message):
    """A worker's answer to one unit."""

    version: str
    number: int
    key: str
    question: str
    prefix: tuple[int, ...]
    outcome: Outcome
    claim: Claim = Claim()
    sentences: Annotated[tuple[_Words, ...], Field(max_length=1000)] = ()
    solution: tuple[_Words, ...] = ()
    """A solution, by names of placements."""
    certificate: Annotated[bytes, Field(max_length=64 << 20)] | None = None
    report: str | None = None
    """For a check: its report as JSON text."""
    solver: _Words = ""
    hint: str | None = None
    """With ``too long``: the solver that is expected to count parts of it soonest."""
    estimate: _Seconds | None = None
    """With ``too long``: the CPU seconds that all of it may take."""
    host: _Words = ""
    process: _Natural = 0
    cpu: _Seconds = 0.0

    def is_to(self, unit: Unit) -> bool:
        """Tell whether this is an answer to a unit, by a worker of this version."""
        same = (self.number, self.key, self.question, self.prefix) == (unit.number, unit.subject.key, unit.question.text, unit.prefix)
        fits = self.outcome != "answered" or self.claim.answers(unit.question)
        return same and fits and self.version == unit.version == VERSION

    @property
    def place(self) -> Place:
        """The host and the number of the process that gave the answer."""
        return self.host, self.process


@dataclass(frozen=True)
class Findings:
    """What is settled about a puzzle."""

    verdict: str = "not decided"
    argument: str | None = None
    sentences: tuple[str, ...] = ()
    solution: tuple[str, ...] = ()
    counts: Mapping[Any, int] = field(default_factory=dict)
    check: str | None = None

    def settles(self, step: Question) -> bool:
        """Tell whether a step need not be done any more."""
        if self.verdict == "contradiction":
            return True
        if step.find == "check":
            return self.check is not None
        if step.find == "count":
            return self.verdict == "impossible" or "all" in self.counts
        return self.verdict != "not decided"


def limit_of(question: Question, tries: int, unit_seconds: float = UNIT_SECONDS) -> float | None:
    """Return the CPU seconds for one answer to a unit that was lost ``tries`` times with its process."""
    if question.find in ("proof", "check"):
        return question.seconds
    seconds = unit_seconds if question.find == "part" else 2 * unit_seconds
    if question.find in ("part", "count"):
        seconds = max(LEAST_SECONDS, seconds / 4**tries)
    return min(seconds, inf if question.seconds is None else question.seconds)


KEPT = 256
"""Sets of models and grids that a process keeps."""
KEPT_LOADED = 8
"""Puzzles that a process keeps; each may be large."""
NOT_COUNTED = ("title", "source", "expect")
"""Keys of an instance on which no count depends."""
WHOLE = "whole"
FIXED = "fixed by "


class Facts(Message):
    """What the counts of a puzzle follow from, once its problems are counted."""

    problem_of: dict[str, str]
    """For each symmetry the problem that counts what it leaves unchanged: the same for symmetries of one kind."""
    copies: int | None
    """In how many ways the copies in a solution can be told apart; None where solutions differ in that."""
    turns: int | None
    """In how many ways the tiles of a solution can lie and look the same; None where solutions differ in that."""

    @property
    def problems(self) -> list[str]:
        """The names of the problems, that of all solutions first."""
        return list(dict.fromkeys(self.problem_of.values()))


class Loaded:
    """A subject with the puzzle that is made of it, on first use; its cover problems are kept from one unit to the next."""

    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self._built: BuiltInstance | None = None
        self._problems: dict[tuple[str, bool], CoverProblem] = {}
        self._fingerprints: dict[str, str] = {}

    @cached_property
    def instance(self) -> Instance:
        """The puzzle and its expected figures. Raises PuzzleError with everything that is wrong with it."""
        return load(self.subject)

    def built(self, progress: Progress = SILENT, *, memory: int | None = None) -> BuiltInstance:
        """Return the puzzle as it is built. Raises PuzzleError with everything that is wrong with it, and what ``progress`` raises."""
        if self._built is None:
            self._built = build_instance(self.instance, progress=progress, memory=memory)
        return self._built

    def problem(self, name: str, *, reduced: bool = True) -> CoverProblem:
        """Return one of the cover problems: the whole with its symmetry broken, or what a symmetry leaves unchanged.

        With ``reduced`` without the options that lead nowhere. Options have the same numbers with and without these.
        """
        if (name, reduced) not in self._problems:
            whole = self.built().problem
            if name == WHOLE:
                made = reduce(whole, dead=reduced, break_on=self.instance.break_on).problem
            else:
                made = quotient(whole, whole.symmetries.index(name.removeprefix(FIXED)))
                made = remove_dead(made) if reduced else made
            self._problems[name, reduced] = made
        return self._problems[name, reduced]

    def fingerprint(self, name: str) -> str:
        """Return the fingerprint of one of the cover problems."""
        if name not in self._fingerprints:
            self._fingerprints[name] = fingerprint(self.problem(name))
        return self._fingerprints[name]

    @cached_property
    def facts(self) -> Facts:
        """What is to be counted for the puzzle, and what follows from it."""
        problem, labelling = self.built().problem, Labelling(self.built())
        kinds = zip(problem.symmetries, conjugates(problem, SILENT), strict=True)
        return Facts(
            problem_of={name: f"{FIXED}{problem.symmetries[kind]}" if kind else WHOLE for name, kind in kinds},
            copies=labelling.of_all(1),
            turns=labelling.turns(),
        )


def loaded(subject: Subject) -> Loaded:
    """Return a subject as it was loaded before in this process, or new; the last ones are kept."""
    return _loaded(subject.model_dump_json())


@lru_cache(KEPT_LOADED)
def _loaded(text: str) -> Loaded:
    return Loaded(Subject.model_validate_json(text))


def forget_loaded() -> None:
    """Keep no subject any more: they take memory."""
    _loaded.cache_clear()


def make_subject(name: str, table: Mapping[str, Any], path: Path) -> Subject:
    """Return the puzzle that a table says, as it stands in the file ``path`` (where it names models and grids of its own, beside it).

    Raises PuzzleError where there is no model or grid of that name.
    """
    files: dict[str, str] = {}
    near, said = path, table
    if isinstance(model := table.get("model"), str):
        near = find_model(model, path)
        text = text_of(near, MOST_OF_A_PUZZLE)
        said = table_of(text, near)
        if near.parent != data_folder("models"):
            files[model] = text
    if isinstance(grid := said.get("grid"), str) and (found := find_grid(grid, near)).parent != data_folder("grids"):
        files[grid] = text_of(found, MOST_OF_A_PUZZLE)
    return subject_of(name, table, files)


def subject_of(name: str, table: Mapping[str, Any], files: Mapping[str, str]) -> Subject:
    """Return a subject, with its key: nothing that is only said of the puzzle has a part in it, for what is said may grow."""
    own = {key: value for key, value in table.items() if key not in NOT_COUNTED}
    said = json.dumps([name, own, files], ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return Subject(name=name, key=sha256(said.encode()).hexdigest()[:32], table=dict(table), files=dict(files))


def load(subject: Subject) -> Instance:
    """Return the puzzle of a subject, and its expected figures. Raises PuzzleError, under its name, with all that is wrong with it."""
    path = Path(subject.name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PuzzleWarning)  # the warnings were shown when the study was read
        return _library(subject).instance(validated(InstanceFile, dict(subject.table), path), path, subject.name)


def look(subject: Subject) -> tuple[InstanceFile, Grid, Form]:
    """Return the file of a subject, its grid and its form, without its tiles: these may take far longer to make."""
    path = Path(subject.name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PuzzleWarning)
        file, library = validated(InstanceFile, dict(subject.table), path), _library(subject)
        model = None if file.model is None else library.model(file.model, path)[0]
        grid = library.grid_of(file.grid or (model.grid if model else ""), path)
        return file, grid, form_from_table(grid, file.form, may_cross=file.may_cross or (model is not None and model.may_cross))


def _library(subject: Subject) -> Library:
    return _library_of(tuple(subject.files.items()))


@lru_cache(KEPT)
def _library_of(files: tuple[tuple[str, str], ...]) -> Library:
    """Return the models and grids among some texts, and those of the package, never those of a folder. Each is read once."""
    nowhere, own = data_folder("models") / "any.toml", {}
    for name, text in files:
        path = Path(f"{name}.toml")
        table = table_of(text, path)
        own[name, kind_of_table(table)] = table, path  # a model of one's own may have the name of a grid of the package

    @lru_cache(None)
    def model(name: str) -> tuple[ModelFile, Path]:
        if (name, "model") not in own:
            return Library().model(name, nowhere)
        table, path = own[name, "model"]
        return validated(ModelFile, table, path), path

    @lru_cache(None)
    def grid(name: str) -> Grid:
        if (name, "grid") not in own:
            return Library().grid(name, nowhere)
        table, path = own[name, "grid"]
        return make_grid(validated(GridFile, table, path), path)

    return Library(lambda name, _: model(name), lambda name, _: grid(name), dict(files))


def fingerprint(problem: CoverProblem) -> str:
    """Return what stands for a problem with the numbers of its options: another problem, or another numbering, has another."""
    digest = sha256()
    for array in (problem.start, problem.item, problem.colour, problem.low, problem.high, problem.coloured, problem.origin, problem.weight):
        numbers = np.empty(0, dtype=np.int64) if array is None else array.astype("<i8")
        digest.update(f"{len(numbers)}:".encode() + numbers.tobytes())
    for one in problem.conditions:
        said = (one.low, one.high, one.modulus, one.residue, one.implied)
        digest.update(f"{said}".encode() + one.weights.astype("<i8").tobytes())
    digest.update(f"{sorted(problem.forced)}".encode())
    if problem.colouring is not None:
        beside = "".join(f" {said}" for said in (problem.colouring.placed, problem.colouring.pieces) if said)
        digest.update(f"{problem.colouring.colours}{beside}".encode() + problem.colouring.pairs.astype("<i8").tobytes())
    return digest.hexdigest()[:16]
