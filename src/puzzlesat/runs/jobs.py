"""What goes to workers and what comes back: plain data, which a store keeps as JSON."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, Final, Literal

from annotated_types import Ge, Le, Lt, MaxLen

from puzzlesat.errors import PuzzleError

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
