"""What an answer must look like to be taken: the shapes of results and of what follows, for each kind of task.

Whether it is *right* is no question of shape. But whoever reads a store need not fear one that no worker of ours would have given.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final

from pydantic import BaseModel, ConfigDict, Field, StrictFloat, StrictInt, ValidationError

from puzzlesat.runs import steps
from puzzlesat.runs.jobs import Answer, Job, Task

MOST_FOLLOW: Final = 100_000
"""Tasks that follow from one."""
MOST_DEEP: Final = 32
"""Lists in lists, and objects, of a result or a task."""

_Number = Annotated[int, Field(ge=0)]
_Seconds = Annotated[StrictFloat | StrictInt, Field(ge=0, le=1e15)]
_Bytes = Annotated[int, Field(ge=0, lt=2**62)]


class _Shape(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False)


class _Steps(_Shape):
    """See ``steps.NOTHING``, which says what other keys there may be."""

    model_config = ConfigDict(extra="allow")

    verdict: steps.Verdict = steps.NOT_DECIDED
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


class _Group(_Shape):
    of: str
    problem: str
    parts: list[list[int]]
    found: _Number = 0


class _Facts(_Shape):
    problem_of: list[Annotated[list[str], Field(min_length=2, max_length=2)]]
    copies: _Number | None
    turns: _Number | None


class _Sampled(_Shape):
    parts: _Number
    found: _Number
    of: _Number


class _Parts(_Shape):
    """What was counted; other keys may say more about how."""

    model_config = ConfigDict(extra="allow")

    parts: list[_Group]
    by: dict[str, str]
    puzzle: _Facts | None = None
    too_large: _Number | None = None
    sampled: _Sampled | None = None


class _Check(_Shape):
    checked: dict[str, Any]
    report: str


class _Form(_Shape):
    record: str
    drawn: Any


class _Pretended(_Shape):
    found: int
    parts: list[Annotated[list[int], Field(min_length=2, max_length=2)]]


class _Task(_Shape):
    """What a coordinator reads of a task; the rest is for the worker that does it."""

    model_config = ConfigDict(extra="allow")

    do: str
    seconds: _Seconds | None = None
    memory: _Bytes | None = None
    estimate: _Seconds | None = None
    audit: bool = False


RESULTS: Final[Mapping[str, type[_Shape]]] = {"steps": _Steps, "parts": _Parts, "check": _Check, "forms": _Form, "pretend": _Pretended}
"""By ``task["do"]``."""


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
    if kind == "steps" and (unknown := result.keys() - steps.NOTHING.keys()):
        raise ValueError(f"a result has no {min(unknown)[:40]!r}")
    if (shape := RESULTS.get(kind)) is not None:
        shape.model_validate(dict(result))


def _too_deep(value: Any, left: int = MOST_DEEP) -> bool:
    if not isinstance(value, dict | list):
        return False
    inside = value.values() if isinstance(value, dict) else value
    return left == 0 or any(_too_deep(one, left - 1) for one in inside)
