"""What may stand in the file of a design with free cells. Field names are the keys; see docs/design.md."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

from pydantic import Field, PrivateAttr

from puzzlesat.config.schema import FormTable, GridRef, Table, TileName


class PieceTable(Table):
    """A piece: cells that it has, and free cells, which ``+`` draws."""

    picture: str
    copies: Annotated[int, Field(ge=1, le=52)] = 1


class Published(Table):
    """Published figures of a design: those that a kind of design has, and who published them."""

    source: str = ""

    def agreeing(self, figures: Mapping[str, int]) -> dict[str, int]:
        """Return the figures that are as published."""
        stated = self.model_dump()
        return {key: found for key, found in figures.items() if stated.get(key) == found}

    def differing(self, figures: Mapping[str, int]) -> dict[str, tuple[int, int]]:
        """Return the figures that differ from published ones: what is published, and what was found."""
        stated = self.model_dump()
        return {key: (stated[key], found) for key, found in figures.items() if stated.get(key) not in (None, found)}


class ExpectedSets(Published):
    """Those of pieces with free cells."""

    choices: int | None = None
    sets: int | None = None
    assemblies: int | None = None
    once: int | None = None
    apart: int | None = None


class PiecesFile(Table):
    """A file with pieces some of whose cells are free."""

    title: str
    source: str = ""
    grid: GridRef = "cube"
    flips: bool = False
    form: FormTable
    holes: Annotated[int, Field(ge=0)] | None = None
    pieces: Annotated[dict[TileName, PieceTable], Field(min_length=1, max_length=52)]
    expect: ExpectedSets = ExpectedSets()
    _path: Path = PrivateAttr(Path("design"))

    def read_from(self, path: Path) -> PiecesFile:
        """Return the same, from this file: a grid that it names may lie beside it."""
        self._path = path
        return self

    @property
    def path(self) -> Path:
        """Where it was read."""
        return self._path
