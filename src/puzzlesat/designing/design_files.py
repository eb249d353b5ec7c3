"""The keys of the file of a design: rods of a burr, or pieces with free cells. Field names are the keys; see docs/guide/design.md."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, PrivateAttr, model_validator

from puzzlesat.base import PuzzleError, data_files, is_file, near_match, shown
from puzzlesat.formats import is_foreign
from puzzlesat.puzzles import FileTable, FormTable, GridRef, TileName, read_table, validated


class PieceTable(FileTable):
    """A piece: its fixed cells, and free cells, drawn as ``+``."""

    picture: str
    copies: Annotated[int, Field(ge=1, le=52)] = 1


class Published(FileTable):
    """Published figures of a design, and their source. Each kind of design has its own figures."""

    source: str = ""

    def agreeing(self, figures: Mapping[str, int]) -> dict[str, int]:
        """Return the figures that equal the published ones."""
        stated = self.model_dump()
        return {key: found for key, found in figures.items() if stated.get(key) == found}

    def differing(self, figures: Mapping[str, int]) -> dict[str, tuple[int, int]]:
        """Return the figures that differ from published ones: the published figure, and the result."""
        stated = self.model_dump()
        return {key: (stated[key], found) for key, found in figures.items() if stated.get(key) not in (None, found)}


class ExpectedSets(Published):
    """Published figures of pieces with free cells."""

    choices: int | None = None
    sets: int | None = None
    assemblies: int | None = None
    once: int | None = None
    apart: int | None = None


class PiecesFile(FileTable):
    """A design of pieces with free cells."""

    title: str
    source: str = ""
    grid: GridRef = "cube"
    flips: bool = False
    form: FormTable
    holes: Annotated[int, Field(ge=0)] | None = None
    pieces: Annotated[dict[TileName, PieceTable], Field(min_length=1, max_length=52)]
    expect: ExpectedSets = ExpectedSets()
    _path: Path = PrivateAttr(Path("design"))

    @property
    def path(self) -> Path:
        """The path of the file."""
        return self._path


Corner = Annotated[list[Annotated[int, Field(ge=1, le=100)]], Field(min_length=3, max_length=3)]
"""The coordinates x, y and z of a cube."""
Cut = Literal["any", "notches"]


class ExpectedFigures(Published):
    """Published figures of a burr."""

    pieces: int | None = None
    all: int | None = None
    distinct: int | None = None
    apart: int | None = None
    sets: int | None = None
    used: int | None = None
    highest: int | None = None
    highest_unique: int | None = None


class DesignFile(FileTable):
    """A design of the rods of a burr, such as six-piece-burrs.toml."""

    title: str
    source: str = ""
    rods: Annotated[dict[str, Annotated[list[Corner], Field(min_length=2, max_length=2)]], Field(min_length=2, max_length=12)]
    cut: Cut = "any"
    solid: bool = False
    mirrors: bool = True
    expect: ExpectedFigures = ExpectedFigures()

    @model_validator(mode="after")
    def _boxes(self) -> DesignFile:
        for name, (low, high) in self.rods.items():
            if any(a > b for a, b in zip(low, high, strict=True)):
                example = "such as [[1, 3, 4], [6, 4, 5]]; x, y and z of the last must not be smaller"
                raise ValueError(f"rods.{name}: expected its first cube and its last, {example}")
        return self


def design_given(design: str | Path | Mapping[str, Any]) -> DesignFile | PiecesFile:
    """Return the design of a file, one of the package by its name, or one given as tables. Raises PuzzleError with every problem found."""
    if isinstance(design, Mapping):
        return _design(dict(design), "this design")
    name = str(design)
    known = {file.stem: file for file in data_files("designs")}
    if not is_file(name) and name not in known:
        near = near_match(name, known)
        if "did you mean" not in near and any(file.stem == name for file in data_files("instances")):
            raise PuzzleError(_is_a_puzzle(name))
        raise PuzzleError(f"there is no design {shown(name)!r}{near}")
    path = Path(name) if is_file(name) else known[name]
    if is_foreign(path):
        raise PuzzleError(_is_a_puzzle(path))
    found = _design(read_table(path), path)
    if isinstance(found, PiecesFile):
        found._path = path
    return found


def _design(table: dict[str, Any], where: Path | str) -> DesignFile | PiecesFile:
    if {"tiles", "model"} & table.keys() and not {"rods", "pieces"} & table.keys():
        raise PuzzleError(_is_a_puzzle(where))
    return validated(PiecesFile, table, where) if "pieces" in table else validated(DesignFile, table, where)


def _is_a_puzzle(name: Path | str) -> str:
    return f"{name}: is a puzzle, not a design; 'puzzlesat apart {name}' takes it apart, and --carve N searches for a better one"
