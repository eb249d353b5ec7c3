"""What travels between a coordinator and workers that are not its own children: text in JSON, checked before anything of it is used.

A pickle can do whatever its maker likes as soon as it is opened. So jobs go out as text, and answers come back as text: nothing in it is
run, and what is not exactly as ``jobs`` and ``answers`` have it is refused as a whole. What a worker raises comes back as text, too.

What an answer must look like to be taken: the shapes of results and of what follows, for each kind of task.

Whether it is *right* is no question of shape. But whoever reads a store need not fear one that no worker of ours would have given.
"""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final, Literal, NoReturn, TypeVar

from pydantic import BaseModel, ConfigDict, Field, StrictFloat, StrictInt, ValidationError

from puzzlesat.base import ChildEndedError
from puzzlesat.studies import units
from puzzlesat.studies.units import EXACTLY, MOST_CERTIFICATE, Answer, Do, Job, MalformedError, RaisedError, Task, VersionError
from puzzlesat.version import VERSION

if TYPE_CHECKING:
    from pydantic import TypeAdapter

T = TypeVar("T")

MOST_BYTES: Final = 256 << 20
"""Of the answers to a batch, with their certificates; nothing longer is read."""
MOST_SAID = 2000
"""Characters of what a worker says went wrong."""


@dataclass(frozen=True)
class _Request:
    """What goes to a worker."""

    __pydantic_config__: ClassVar[Any] = EXACTLY
    version: str
    """Of who asks. Another version may mean something else by the same words, and does not read on."""
    do: str
    """Who does the jobs, as ``module:function``."""
    jobs: Sequence[Job]


@dataclass(frozen=True)
class _Failed:
    """What kept a worker from answering."""

    __pydantic_config__: ClassVar[Any] = EXACTLY
    kind: Literal["version", "lacks", "ended", "raised"]
    said: str = ""
    status: int = 0
    """Of a process that ended."""


@dataclass(frozen=True)
class _Reply:
    """What comes back: answers, or why there are none."""

    __pydantic_config__: ClassVar[Any] = EXACTLY
    answers: Sequence[Answer]
    failed: _Failed | None = None


@cache
def _schema(kind: Any) -> TypeAdapter[Any]:
    """How such data is read: it is put together where it is first needed, which takes a while."""
    from pydantic import TypeAdapter

    return TypeAdapter(kind)


# where jobs are handed out -------------------------------------------------------------------------------------------------------


def name_of(do: Do) -> str:
    """Return the name by which workers find who does jobs: a function of some module, which they have too."""
    return f"{do.__module__}:{do.__qualname__}"


def write_jobs(do: Do, jobs: Sequence[Job]) -> bytes:
    """Return the text that asks a worker to do jobs."""
    return _text(_Request(VERSION, name_of(do), jobs))


def read_answers(packed: object, jobs: Sequence[Job]) -> list[Answer]:
    """Return the answers that a worker gave to jobs, once all is checked that can be without doing the work again.

    Raises MalformedError for what no worker of this version would send, and else what kept the worker from answering: VersionError,
    ImportError, ChildEndedError, or RaisedError.
    """
    told = _read(_Reply, packed)
    if told.failed is not None:
        _raise(told.failed)
    for answer in told.answers:
        if (why := why_refused(answer, jobs)) is not None:
            raise MalformedError(f"a worker sent something that is not an answer: {why}")
    return list(told.answers)


def _raise(failed: _Failed) -> NoReturn:
    """Raise what kept a worker from answering."""
    said = failed.said[:MOST_SAID]
    if failed.kind == "version":
        raise VersionError(said)
    if failed.kind == "lacks":
        raise ImportError(said)
    if failed.kind == "ended":
        raise ChildEndedError(failed.status)
    raise RaisedError(said)


# where they are done -------------------------------------------------------------------------------------------------------------


def do(packed: bytes) -> bytes:
    """Do the jobs that a text asks for, and return the text of the answers: for workers that find who does them by name."""
    try:
        version = json.loads(packed).get("version")
        if version != VERSION:
            raise VersionError(f"a worker has puzzlesat {VERSION}, and the study is run by {version}; install the same version everywhere")
        asked = _read(_Request, packed)
        return done(_found(asked.do), asked.jobs)
    except Exception as error:  # that goes back as text
        return failed(error)


def done(do: Do, jobs: Sequence[Job]) -> bytes:
    """Do jobs, and return the text of the answers: for executors, which open nothing else of what comes back."""
    try:
        return write_answers(do(jobs))
    except Exception as error:  # that goes back as text
        return failed(error)


def write_answers(answers: Sequence[Answer]) -> bytes:
    """Return the text of answers. Raises RaisedError for what whoever asked would not take."""
    for answer in answers:
        if len(answer.certificate or b"") > MOST_CERTIFICATE:
            raise RaisedError(f"the certificate has more than {MOST_CERTIFICATE >> 20} MiB, too many to be sent")
    return _text(_Reply(answers))


def failed(error: Exception) -> bytes:
    """Return the text that tells of an exception."""
    if isinstance(error, ChildEndedError):
        return _text(_Reply((), _Failed("ended", status=error.status)))
    said = str(error)[:MOST_SAID]
    if isinstance(error, VersionError):
        return _text(_Reply((), _Failed("version", said)))
    if isinstance(error, ImportError | AttributeError):
        return _text(_Reply((), _Failed("lacks", said)))
    return _text(_Reply((), _Failed("raised", said if isinstance(error, RaisedError) else f"{type(error).__name__}: {said}")))


def _found(name: str) -> Do:
    """Who does jobs, by name."""
    module, _, function = name.partition(":")
    does: Do = getattr(import_module(module), function)
    return does


# text ----------------------------------------------------------------------------------------------------------------------------


def _text(what: _Request | _Reply) -> bytes:
    return json.dumps(asdict(what), allow_nan=False, separators=(",", ":"), default=_in_letters).encode()


def _in_letters(value: object) -> str:
    """Bytes, which JSON has not, as letters."""
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    raise TypeError(f"{type(value).__name__} is not plain data")


def _read(kind: type[T], packed: object) -> T:
    """What a text says. Raises MalformedError where it is not exactly of that kind."""
    if type(packed) is not bytes:
        raise MalformedError("a worker sent something that is not text")
    if len(packed) > MOST_BYTES:
        raise MalformedError(f"a worker sent more than {MOST_BYTES >> 20} MiB at once")
    from pydantic import ValidationError

    own: Any = kind
    try:
        json.loads(packed, parse_constant=_no_number, parse_float=_finite)  # the next line would let infinite numbers pass in places
        read: T = _schema(own).validate_json(packed)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        where = ".".join(str(part)[:40] for part in first["loc"][:8])
        raise MalformedError(f"a worker sent something that is not an answer: {where}: {first['msg'][:200]}") from None
    except (ValueError, RecursionError) as error:
        raise MalformedError(f"a worker sent something that is not an answer: {str(error)[:200]}") from None
    return read


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number")


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise ValueError(f"{digits[:40]} is not a finite number")
    return number


MOST_FOLLOW: Final = 100_000
"""Tasks that follow from one."""
MOST_DEEP: Final = 32
"""Lists in lists, and objects, of a result or a task."""

_Number = Annotated[int, Field(ge=0)]
_Seconds = Annotated[StrictFloat | StrictInt, Field(ge=0, le=1e15)]
_Bytes = Annotated[int, Field(ge=0, lt=2**62)]


class ResultShape(BaseModel):
    """What the result of a task must look like."""

    model_config = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False)


class _Steps(ResultShape):
    """See ``steps.NOTHING``, which says what other keys there may be."""

    model_config = ConfigDict(extra="allow")

    verdict: units.Verdict = units.NOT_DECIDED
    argument: str | None = None
    sentences: list[str] = []
    solution: list[str] | None = None
    labelled: _Number | None = None
    all: _Number | None = None
    distinct: _Number | None = None
    labelled_distinct: _Number | None = None
    labelled_turns: _Number | None = None
    agree: bool | None = None
    by: str | None = None
    certificate: dict[str, Any] | None = None


class _GroupResult(ResultShape):
    of: str
    problem: str
    parts: list[list[int]]
    found: _Number = 0


class _Facts(ResultShape):
    problem_of: list[Annotated[list[str], Field(min_length=2, max_length=2)]]
    copies: _Number | None
    turns: _Number | None


class _Sampled(ResultShape):
    parts: _Number
    found: _Number
    of: _Number


class _PartsResult(ResultShape):
    """What was counted; other keys may say more about how."""

    model_config = ConfigDict(extra="allow")

    parts: list[_GroupResult]
    by: dict[str, str]
    puzzle: _Facts | None = None
    too_large: _Number | None = None
    sampled: _Sampled | None = None


class _Check(ResultShape):
    checked: dict[str, Any]
    report: str


class _FormResult(ResultShape):
    record: str
    drawn: Any


class _Task(ResultShape):
    """What a coordinator reads of a task; the rest is for the worker that does it."""

    model_config = ConfigDict(extra="allow")

    do: str
    seconds: _Seconds | None = None
    memory: _Bytes | None = None
    estimate: _Seconds | None = None
    audit: bool = False


RESULTS: Final[dict[str, type[ResultShape]]] = {"steps": _Steps, "parts": _PartsResult, "check": _Check, "forms": _FormResult}
"""By ``task["do"]``; a test adds its own."""


def why_refused(answer: Answer, jobs: Sequence[Job]) -> str | None:
    """Say why an answer cannot be one to any of these jobs; None where it can."""
    job = next((job for job in jobs if (job.unit, job.role) == (answer.unit, answer.role)), None)
    if job is None:
        return f"there was no request for unit {answer.unit} as {answer.role}"
    if len(answer.follow) > MOST_FOLLOW:
        return f"more than {MOST_FOLLOW:,} tasks follow"
    if any(_too_deep(value) for value in (answer.result, *answer.follow)):
        return f"more than {MOST_DEEP} levels"
    try:
        for task in answer.follow:
            _follows(task, job)
        if answer.complete and answer.error is None:
            _fits(answer.result, job.task["do"])
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        return f"{'.'.join(str(part)[:40] for part in first['loc'][:8])}: {first['msg'][:200]}"
    except ValueError as error:
        return str(error)
    return None


def _follows(task: Task, job: Job) -> None:
    """Raise ValueError for what cannot be a task that follows."""
    known = _Task.model_validate(dict(task))
    if known.do not in RESULTS:
        raise ValueError(f"there is no task {known.do[:40]!r} that could follow {job.task['do']!r}")


def _fits(result: Mapping[str, Any], kind: str) -> None:
    """Raise ValueError for what cannot be the result of such a task."""
    if kind == "steps" and (unknown := result.keys() - units.NOTHING.keys()):
        raise ValueError(f"a result has no {min(unknown)[:40]!r}")
    if (shape := RESULTS.get(kind)) is not None:
        shape.model_validate(dict(result))


def _too_deep(value: Any, left: int = MOST_DEEP) -> bool:
    if not isinstance(value, dict | list):
        return False
    inside = value.values() if isinstance(value, dict) else value
    return left == 0 or any(_too_deep(one, left - 1) for one in inside)
