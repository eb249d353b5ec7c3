"""What goes to workers and what comes back: plain data, which a store keeps as JSON.

What is to be found out of a puzzle, step by step from cheap to dear: which steps are left, and what the answers come to.

All of this is plain data, and nothing is done here: ``whole`` does the steps.

Puzzles as plain data, and back: what a worker on any machine needs to make the same puzzle, and the puzzle that it makes.

The cover problems of a puzzle that is counted in parts: all its solutions, and for each kind of symmetry those that it fixes.
"""

from __future__ import annotations

import json
import warnings
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any, ClassVar, Final, Literal

import numpy as np
from annotated_types import Ge, Le, Lt, MaxLen

from puzzlesat.base import SILENT, Progress, PuzzleError, PuzzleWarning
from puzzlesat.counting import CERTIFICATE, Labelling, conjugates
from puzzlesat.puzzles import (
    FILES,
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
    grid_of,
    kind_of_table,
    make_grid,
    make_instance,
    quotient,
    reduce,
    remove_dead,
    table_of,
    text_of,
    validated,
)
from puzzlesat.solvers import LISTING, TALLY

SEARCH, JUDGE = LISTING, "sat"
"""The solver that counts parts by search, and the solver that repeats what is done twice."""
AUDITS, THIRDS = (JUDGE, TALLY, SEARCH, CERTIFICATE), (CERTIFICATE, JUDGE, "cpsat")
"""The solvers that repeat the count of a whole puzzle, and those that decide between two results: the first that manages it in time, except
the solver that has counted."""

Task = Mapping[str, Any]
"""What is to be done with a subject, as JSON has it; ``task["do"]`` names the module that does it."""

FIRST: Final = "first"
AUDIT: Final = "audit"
THIRD: Final = "third"
AGAIN: Final = "again"
Role = Literal["first", "audit", "third", "again"]
"""Why a unit is done: for its answer, to check that in another way, to settle which of two answers is right, or once more as at first."""


MOST_CERTIFICATE: Final = 64 << 20
"""Bytes of a certificate that a worker sends; a larger one stays where it was made."""
MOST_TEXT: Final = 10_000
"""Characters of what is only said: a sentence, the name of a solver or of a machine."""

EXACTLY: Final[Any] = {"strict": True, "extra": "forbid", "val_json_bytes": "base64", "allow_inf_nan": False}
"""How pydantic reads such data from text (in ``wire``; not loaded here, for children are to start quickly): exactly so, or not at all."""

_Words = Annotated[str, MaxLen(MOST_TEXT)]
_Number = Annotated[int, Ge(0), Lt(2**63)]
_Seconds = Annotated[float, Ge(0), Le(1e15)]


class VersionError(PuzzleError):
    """A worker has another version of puzzlesat than whoever hands out the jobs: two versions need not mean the same by a task."""


class MalformedError(RuntimeError):
    """What a worker sent is no answer, in one sentence: nothing of it is believed."""

    def __init__(self, said: str, *, sent_away: bool = False) -> None:
        super().__init__(said)
        self.sent_away = sent_away
        """Whether it is known which worker that was, and it gets nothing any more: then it was not the unit's fault."""


class RaisedError(RuntimeError):
    """What a worker could not do, in its own words: what was raised there."""


@dataclass(frozen=True)
class Subject:
    """A puzzle as plain data, from which a worker on any machine makes the same one."""

    __pydantic_config__: ClassVar[Any] = EXACTLY
    name: str
    key: str
    """The same only for the same puzzle by the same name: a digest of name, ``files``, and ``table`` but for what is only said."""
    table: Mapping[str, Any]
    """The puzzle as an instance file has it."""
    files: Mapping[str, str] = field(default_factory=dict)
    """The texts of models and grids that it names and that do not come with the package, by their names."""


@dataclass(frozen=True)
class Job:
    """A unit on its way to a worker."""

    __pydantic_config__: ClassVar[Any] = EXACTLY
    unit: int
    """Its number in the store."""
    subject: Subject
    task: Task
    role: Role = FIRST
    known: Mapping[str, Any] | None = None
    """For an audit: the result to check. It says what exactly was done; it is not looked at for what was found."""
    seconds: float | None = None
    """CPU seconds that it may take, as the task says; None: as many as it needs."""
    memory: int | None = None
    """Bytes that it may take, as the task says."""
    version: str = ""
    """Of the puzzlesat that hands it out; workers of another one refuse it."""


@dataclass(frozen=True)
class Answer:
    """What a worker found out about a unit."""

    __pydantic_config__: ClassVar[Any] = EXACTLY
    unit: _Number
    role: Role
    result: Mapping[str, Any]
    """What was found out, as JSON has it; of two ways to do a unit the same, but for what ``audit.agree`` leaves out."""
    follow: Sequence[Task] = ()
    """What is to be done next with the same subject."""
    complete: bool = True
    """Whether the task is done; one that was interrupted is not, and is done again."""
    error: _Words | None = None
    """Why nothing was found out, in one sentence: the puzzle or the limits are at fault, not the worker."""
    solver: _Words = ""
    """Who found it out."""
    host: _Words = ""
    process: _Number = 0
    version: _Words = ""
    cpu: _Seconds = 0.0
    """CPU seconds that it took."""
    wall: _Seconds = 0.0
    work: Mapping[str, int] = field(default_factory=dict)
    """Machine-independent work, such as nodes."""
    certificate: Annotated[bytes, MaxLen(MOST_CERTIFICATE)] | None = None


Do = Callable[[Sequence[Job]], list[Answer]]
"""What a worker does with jobs."""


@dataclass(frozen=True)
class Done:
    """What whoever does a task makes of it; ``work`` adds who it was, and what it took."""

    result: Mapping[str, Any]
    follow: Sequence[Task] = ()
    complete: bool = True
    solver: str = ""
    work: Mapping[str, int] = field(default_factory=dict)
    certificate: bytes | None = None


Find = Literal["proof", "solution", "count", "check"]
PROOF: Final = "proof"
SOLUTION: Final = "solution"
COUNT: Final = "count"
CHECK: Final = "check"

IMPOSSIBLE: Final = "impossible"
SOLVABLE: Final = "solvable"
NOT_DECIDED: Final = "not decided"
CONTRADICTION: Final = "contradiction"
Verdict = Literal["impossible", "solvable", "not decided", "contradiction"]

Result = Mapping[str, Any]
"""What was found out of a puzzle, as ``NOTHING`` has it."""
COUNTS = ("labelled", "all", "distinct", "labelled_distinct", "labelled_turns")
NOTHING: Result = {
    "verdict": NOT_DECIDED,
    "argument": None,
    "sentences": [],
    "solution": None,
    **dict.fromkeys(COUNTS),
    "agree": None,
    "by": None,
    "certificate": None,
    "check": None,
}
"""Nothing is known. ``verdict``, and for what is impossible ``argument`` and ``sentences``; ``solution``: names of placements; the counts,
``by`` whom, and whether another one agrees (``agree``); ``certificate``: digest and size of that of an argument; ``check``: what a check of
the figures expected has said."""


@dataclass(frozen=True)
class Step:
    """One thing to be found out."""

    find: Find
    seconds: float | None = None
    """CPU seconds that it may take; None: as many as it needs."""
    memory: int | None = None
    """Bytes that it may take."""
    seed: int = 1
    """Of a solution that is looked for by chance."""


UNIT_SECONDS: Final = 60.0
"""A search for a solution, or a count, that takes longer than that goes on as other units."""


def task_of(steps: Sequence[Step], known: Result = NOTHING) -> Task:
    """Return the task to do steps, with what is known from those before, and what one unit of it takes at most."""
    said = {"verdict": known["verdict"], "solution": known["solution"]} if known["verdict"] != NOT_DECIDED else {}
    seconds = [seconds_of(step) for step in steps]
    limits: dict[str, float | None] = {
        "seconds": None if None in seconds else sum(filter(None, seconds)),
        "memory": None if any(step.memory is None for step in steps) else max(step.memory or 0 for step in steps),
    }
    own = {key: limit for key, limit in limits.items() if limit is not None}
    return {"do": "steps", "steps": [asdict(step) for step in steps], **({"known": said} if said else {}), **own}


def seconds_of(step: Step) -> float | None:
    """Return the CPU seconds of a step that one unit takes at most; None: as many as it needs."""
    if step.find in (PROOF, CHECK):
        return step.seconds
    return UNIT_SECONDS if step.seconds is None else min(step.seconds, UNIT_SECONDS)


def rest_of(step: Step, seconds: float) -> Step | None:
    """Return what is left of a step after so many seconds; None: nothing."""
    if step.seconds is None:
        return step
    return replace(step, seconds=step.seconds - seconds) if step.seconds > seconds else None


def steps_of(task: Task) -> list[Step]:
    """Return the steps of a task."""
    return [Step(**step) for step in task["steps"]]


def known_of(task: Task) -> Result:
    """Return what a task says of the steps before."""
    return {**NOTHING, **task.get("known", {})}


def settled(step: Step, known: Result) -> bool:
    """Tell whether a step need not be done any more: what is impossible is so for all of them, but for a check, which judges figures."""
    if known["verdict"] == CONTRADICTION:
        return True
    if step.find == CHECK:
        return known["check"] is not None
    if step.find == COUNT:
        return bool(known["verdict"] == IMPOSSIBLE or known["all"] is not None)
    return bool(known["verdict"] != NOT_DECIDED)


def left(steps: Sequence[Step], known: Result) -> list[Step]:
    """Return the steps that are still to be done."""
    return [step for step in steps if not settled(step, known)]


def came_to(results: Sequence[Result]) -> Result:
    """Return what results for one puzzle come to together, those of steps and the totals of parts, in the order of their units.

    Two that cannot both be right are a contradiction, and nothing else is said then.
    """
    known = dict(NOTHING)
    for result in results:
        if (why := contradiction(known, result)) is not None:
            return {**NOTHING, "verdict": CONTRADICTION, "sentences": [why]}
        known |= {key: value for key, value in result.items() if key in NOTHING and value not in (None, [], NOT_DECIDED)}
    return known


def contradiction(one: Result, other: Result) -> str | None:
    """Say why two results cannot both be right; None where they can."""
    verdicts = {one.get("verdict"), other.get("verdict")}
    if {IMPOSSIBLE, SOLVABLE} <= verdicts:
        return "there is a solution, and a proof that there is none"
    for key in COUNTS:
        a, b = one.get(key), other.get(key)
        if a is not None and b is not None and a != b:
            return f"{key} is {a:,} and {b:,}"
    for known, verdict in ((one, other.get("verdict")), (other, one.get("verdict"))):
        number = known.get("all")
        if number is not None and verdict == (IMPOSSIBLE if number else SOLVABLE):
            return f"all is {number:,}, and the puzzle is {verdict}"
    return None


KEPT = 256
"""Models and grids that a worker keeps."""
KEPT_LOADED = 8
"""Puzzles that are kept: the units of one come one after the other, and each may be large."""


ONLY_SAID = ("title", "source", "expect")
"""Keys of an instance on which no count depends."""


class Loaded:
    """A subject in the hands of a worker: what is made of it is made when it is first asked for, and kept."""

    def __init__(self, subject: Subject, instance: Instance | None = None) -> None:
        self.subject = subject
        self._instance = instance
        self._built: BuiltInstance | None = None
        self.kept: dict[str, Any] = {}
        """What whoever does tasks with it wants to find again at the next one."""

    @property
    def instance(self) -> Instance:
        """The puzzle and what is said of it. Raises PuzzleError with everything that is wrong with it."""
        if self._instance is None:
            self._instance = load(self.subject)
        return self._instance

    def built(self, progress: Progress = SILENT, *, memory: int | None = None) -> BuiltInstance:
        """Return the puzzle as it is built. Raises PuzzleError with everything that is wrong with it, and what ``progress`` raises."""
        if self._built is None:
            self._built = build_instance(self.instance, progress=progress, memory=memory)
        return self._built


_loaded: OrderedDict[str, Loaded] = OrderedDict()


def loaded(subject: Subject) -> Loaded:
    """Return a subject as it was loaded before in this process, or new; the last ones are kept."""
    known = _loaded.pop(subject.key, None)
    if known is None or known.subject != subject:  # what is said of a puzzle may have changed
        known = Loaded(subject)
    _loaded[subject.key] = known
    while len(_loaded) > KEPT_LOADED:
        _loaded.popitem(last=False)
    return known


def forget_loaded() -> None:
    """Keep no subject any more: they take memory."""
    _loaded.clear()


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
    own = {key: value for key, value in table.items() if key not in ONLY_SAID}
    said = json.dumps([name, own, files], ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return Subject(name, sha256(said.encode()).hexdigest()[:32], table, files)


def load(subject: Subject) -> Instance:
    """Return the puzzle of a subject, and what is said of it. Raises PuzzleError, under its name, with everything that is wrong with it."""
    path = Path(subject.name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PuzzleWarning)  # was said when the study was read
        return make_instance(validated(InstanceFile, dict(subject.table), path), path, subject.name, library=_library(subject.files))


def look(subject: Subject) -> tuple[InstanceFile, Grid, Form]:
    """Return the file of a subject, its grid and its form, without its tiles: these may take far longer to make."""
    path = Path(subject.name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PuzzleWarning)
        file, library = validated(InstanceFile, dict(subject.table), path), _library(subject.files)
        model = None if file.model is None else library.model(file.model, path)[0]
        grid = grid_of(file.grid or (model.grid if model else ""), path, library=library)
        return file, grid, form_from_table(grid, file.form, may_cross=file.may_cross or (model is not None and model.may_cross))


def _library(files: Mapping[str, str]) -> Library:
    """Where models and grids are: among some texts, or in the package. What was read once is kept."""

    def model(name: str, _: Path) -> tuple[ModelFile, Path]:
        if (text := _text(files, name, "model")) is not None:
            return _model_in(text, name), Path(f"{name}.toml")
        return _package_model(name)

    def grid(name: str, _: Path) -> Grid:
        return _package_grid(name) if (text := _text(files, name, "grid")) is None else _grid_in(text, name)

    return Library(model, grid, files)


def _text(files: Mapping[str, str], name: str, kind: str) -> str | None:
    """The text of that name, where it is one of that kind: a model of one's own may have the name of a grid of the package."""
    text = files.get(name)
    return text if text is not None and _kind(text, name) == kind else None


@lru_cache(KEPT)
def _kind(text: str, name: str) -> str:
    return kind_of_table(table_of(text, Path(f"{name}.toml")))


@lru_cache(KEPT)
def _model_in(text: str, name: str) -> ModelFile:
    path = Path(f"{name}.toml")
    return validated(ModelFile, table_of(text, path), path)


@lru_cache(KEPT)
def _grid_in(text: str, name: str) -> Grid:
    path = Path(f"{name}.toml")
    return make_grid(validated(GridFile, table_of(text, path), path), path)


@lru_cache(KEPT)
def _package_model(name: str) -> tuple[ModelFile, Path]:
    return FILES.model(name, data_folder("models") / "any.toml")


@lru_cache(KEPT)
def _package_grid(name: str) -> Grid:
    return FILES.grid(name, data_folder("models") / "any.toml")


WHOLE = "whole"
FIXED = "fixed by "


@dataclass(frozen=True)
class Facts:
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


def make_facts(built: BuiltInstance, progress: Progress = SILENT) -> Facts:
    """Return what is to be counted for a puzzle, and what follows from it."""
    problem = built.problem
    kinds = conjugates(problem, progress)
    named = {name: problem.symmetries[kind] for name, kind in zip(problem.symmetries, kinds, strict=True)}
    identity = problem.symmetries[0]
    labelling = Labelling(built)
    return Facts(
        {name: WHOLE if kind == identity else f"{FIXED}{kind}" for name, kind in named.items()}, labelling.of_all(1), labelling.turns()
    )


def problem_named(built: BuiltInstance, name: str, *, reduced: bool = True, progress: Progress = SILENT) -> CoverProblem:
    """Return one of the problems of a puzzle: the whole with its symmetry broken, or what a symmetry leaves unchanged.

    With ``reduced`` without the options that lead nowhere. Options have the same numbers with and without these.
    """
    if name == WHOLE:
        return reduce(built.problem, dead=reduced, break_on=built.instance.break_on, progress=progress).problem
    small = quotient(built.problem, built.problem.symmetries.index(name.removeprefix(FIXED)))
    return remove_dead(small, progress) if reduced else small


def kept_problem(kept: dict[str, Any], built: BuiltInstance, name: str, *, reduced: bool = True) -> CoverProblem:
    """Return one of the problems as ``problem_named`` does, from among those that were made before."""
    key = f"{name}{'' if reduced else ', not reduced'}"
    if key not in kept:
        kept[key] = problem_named(built, name, reduced=reduced)
    problem = kept[key]
    assert isinstance(problem, CoverProblem)
    return problem


def kept_fingerprint(kept: dict[str, Any], built: BuiltInstance, name: str) -> str:
    """Return what stands for one of the problems, from among those that were made before."""
    key = f"fingerprint of {name}"
    if key not in kept:
        kept[key] = fingerprint(kept_problem(kept, built, name))
    return str(kept[key])


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
