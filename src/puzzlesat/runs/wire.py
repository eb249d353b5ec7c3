"""What travels between a coordinator and workers that are not its own children: text in JSON, checked before anything of it is used.

A pickle can do whatever its maker likes as soon as it is opened. So jobs go out as text, and answers come back as text: nothing in it is
run, and what is not exactly as ``jobs`` and ``answers`` have it is refused as a whole. What a worker raises comes back as text, too.
"""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal, NoReturn, TypeVar

from puzzlesat.children import ChildEndedError
from puzzlesat.runs.jobs import EXACTLY, MOST_CERTIFICATE, Answer, Do, Job, MalformedError, RaisedError, VersionError
from puzzlesat.version import VERSION

if TYPE_CHECKING:
    from pydantic import TypeAdapter

T = TypeVar("T")

MOST_BYTES: Final = 256 << 20
"""Of the answers to a batch, with their certificates; nothing longer is read."""
MOST_SAID = 2000
"""Characters of what a worker says went wrong."""


@dataclass(frozen=True)
class _Asked:
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
class _Told:
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
    return _text(_Asked(VERSION, name_of(do), jobs))


def read_answers(packed: object, jobs: Sequence[Job]) -> list[Answer]:
    """Return the answers that a worker gave to jobs, once all is checked that can be without doing the work again.

    Raises MalformedError for what no worker of this version would send, and else what kept the worker from answering: VersionError,
    ImportError, ChildEndedError, or RaisedError.
    """
    from puzzlesat.runs.answers import why_refused  # and pydantic with it, which a child does without

    told = _read(_Told, packed)
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
        asked = _read(_Asked, packed)
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
    return _text(_Told(answers))


def failed(error: Exception) -> bytes:
    """Return the text that tells of an exception."""
    if isinstance(error, ChildEndedError):
        return _text(_Told((), _Failed("ended", status=error.status)))
    said = str(error)[:MOST_SAID]
    if isinstance(error, VersionError):
        return _text(_Told((), _Failed("version", said)))
    if isinstance(error, ImportError | AttributeError):
        return _text(_Told((), _Failed("lacks", said)))
    return _text(_Told((), _Failed("raised", said if isinstance(error, RaisedError) else f"{type(error).__name__}: {said}")))


def _found(name: str) -> Do:
    """Who does jobs, by name."""
    module, _, function = name.partition(":")
    does: Do = getattr(import_module(module), function)
    return does


# text ----------------------------------------------------------------------------------------------------------------------------


def _text(what: _Asked | _Told) -> bytes:
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
