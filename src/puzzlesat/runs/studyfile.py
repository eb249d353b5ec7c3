"""What may stand in the file of a study. Field names are the keys of the file; see docs/studies.md."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from puzzlesat.candidates.motions import NONE
from puzzlesat.config.schema import Table
from puzzlesat.runs.audit import SHARE
from puzzlesat.runs.steps import Find

STEP_SECONDS = 60.0
MOST_SHOWN = 60
"""Letters of what is wrong."""


def _listed(value: Any) -> Any:
    """One of something may stand without brackets."""
    return value if isinstance(value, list) else [value]


def _area(value: Any) -> Any:
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _line(value: str) -> str:
    if not value.strip() or not value.isprintable():
        raise ValueError(f"expected a line of text, got {value[:MOST_SHOWN]!r}")
    return value


def _some(value: list[Any]) -> list[Any]:
    if not value:
        raise ValueError("expected one at least, got none")
    return value


Names = Annotated[list[str], BeforeValidator(_listed)]
Above = Annotated[float, Field(gt=0)]


class PuzzlesTable(Table):
    """Some puzzles: those that files hold, or forms for the tiles of one."""

    from_: Annotated[Annotated[Names, AfterValidator(_some)] | None, Field(alias="from")] = None
    tiles: str | None = None
    some: bool = False
    forms: Names = Field(default=[])
    boxes: bool = False
    frames: bool = False
    shapes: bool = False
    convex: bool = False
    polyforms: bool = False
    cut: Names = Field(default=[])
    replicas: Annotated[list[Annotated[int, Field(ge=2, le=9)]], BeforeValidator(_listed)] = Field(default=[])
    symmetry: str = NONE
    within: str | None = None
    area: Annotated[str | None, BeforeValidator(_area)] = None

    @model_validator(mode="after")
    def _one_way(self) -> PuzzlesTable:
        if (self.from_ is None) == (self.tiles is None):
            has = "both; split it into two [[puzzles]]" if self.tiles else "neither"
            raise ValueError(f'expected either from = ["NAME"], for existing puzzles, or tiles = "NAME", to make forms; it has {has}')
        others = sorted(key for key in self.model_fields_set - {"from_", "tiles"})
        if self.tiles is None and others:
            raise ValueError(f'{others[0]}: is for forms that are made; it needs tiles = "NAME", and no from')
        return self


class StepTable(Table):
    """One thing to be found out of each puzzle."""

    find: Find
    seconds: Above = STEP_SECONDS
    """CPU seconds; inf: as many as it needs."""
    memory: Above | None = None
    """Gibibytes; inf: as many as it needs."""


class StudyFile(Table):
    """A file such as study.toml."""

    name: Annotated[str, AfterValidator(_line)]
    audit: Annotated[float, Field(ge=0, le=1)] = SHARE
    puzzles: Annotated[list[PuzzlesTable], AfterValidator(_some)]
    steps: Annotated[list[StepTable], Field(max_length=100), AfterValidator(_some)]
