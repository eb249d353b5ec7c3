"""Puzzles as the page has them: a name of the package, a table as an instance file has it, or the text of a file.

What comes through the page may name models and grids of the package alone: nothing of the user's disk is read for it. A grid of one's own
stands in the table itself. Only the file that the command line named is read, and what that needs beside it.
"""

from __future__ import annotations

import json
from base64 import b64decode
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Any
from warnings import catch_warnings, simplefilter

from puzzlesat.base import SILENT, Progress, PuzzleError, PuzzleWarning, Sentence, near_match, shown, write_file
from puzzlesat.formats import chosen, instance_in, is_cover_file, is_foreign, read_tables, without_file
from puzzlesat.puzzles import (
    MOST_OF_A_PUZZLE,
    BuiltInstance,
    Grid,
    GridFile,
    Instance,
    InstanceFile,
    Library,
    ModelFile,
    build_instance,
    data_files,
    grid_of,
    json_of,
    kind_of_table,
    load_grid,
    make_grid,
    make_instance,
    read_file,
    read_table,
    validated,
)

STUDIO_KEPT = 8
"""Largest number of built puzzles that a process keeps: those used last."""
STUDIO_KEPT_PLACEMENTS = 300_000
"""Largest number of placements of all of them; the puzzle used last is kept in any case."""

PAGE = Path("page")
"""Stands for the file in the messages on a puzzle of the page, and is taken out of them."""
LONGEST_NAME = 100
FIRST_TILES = 3
"""Cells of the polyforms with which one begins on a grid of one's own."""


@dataclass(frozen=True)
class PagePuzzle:
    """A puzzle of the page: its name, and its table, or None where the package has a puzzle of that name."""

    name: str
    table: Mapping[str, Any] | None = None
    file: Path | None = None
    """The file of the command line, where that is meant."""

    @property
    def digest(self) -> str:
        """What tells it from every other."""
        said = json.dumps([self.name, self.table, None if self.file is None else str(self.file)], sort_keys=True)
        return sha256(said.encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True)
class _BuiltPuzzle:
    """A puzzle that is built, and what is odd in it."""

    built: BuiltInstance
    remarks: tuple[str, ...]


_kept: OrderedDict[str, _BuiltPuzzle] = OrderedDict()
"""The puzzles that this process has built, those asked about last at the end."""


def built_puzzle(question: Mapping[str, Any], *, progress: Progress = SILENT, memory: int | None = None) -> BuiltInstance:
    """Return the puzzle of a question as it is built, perhaps from what was kept. Raises PuzzleError with everything that is wrong."""
    puzzle = puzzle_of(question)
    digest = puzzle.digest
    if digest not in _kept:
        with catch_warnings(record=True) as said:
            simplefilter("always", PuzzleWarning)
            built = build_instance(instance_of(puzzle), progress=progress, memory=memory)
        _kept[digest] = _BuiltPuzzle(built, tuple(str(w.message).removeprefix(f"{PAGE}: ") for w in said))
    _kept.move_to_end(digest)
    while len(_kept) > 1 and (len(_kept) > STUDIO_KEPT or sum(len(k.built.placements) for k in _kept.values()) > STUDIO_KEPT_PLACEMENTS):
        _kept.popitem(last=False)
    return _kept[digest].built


def remarks_on(question: Mapping[str, Any]) -> list[str]:
    """Return what is odd in a puzzle that was built: most likely a slip of the hand."""
    return list(_kept[puzzle_of(question).digest].remarks)


def puzzle_of(question: Mapping[str, Any]) -> PagePuzzle:
    """Return the puzzle that a question names, ``{"puzzle": {"name": ..., "table": ...}}``."""
    said = question.get("puzzle")
    if not isinstance(said, Mapping):
        raise PuzzleError('puzzle: expected an object, such as {"name": "soma"}')
    name, table = said.get("name"), said.get("table")
    if not isinstance(name, str) or not 0 < len(name) <= LONGEST_NAME:
        raise PuzzleError(f"puzzle.name: expected a string of {LONGEST_NAME} characters at most")
    if table is not None and not isinstance(table, Mapping):
        raise PuzzleError("puzzle.table: expected an object with the keys of an instance file")
    return PagePuzzle(name, table, _named(question) if table is None else None)


def _named(question: Mapping[str, Any]) -> Path | None:
    """The file of the command line; the server says it where a question means it."""
    file = question.get("named")
    return Path(file) if isinstance(file, str) else None


def instance_of(puzzle: PagePuzzle) -> Instance:
    """Return the instance of a puzzle. Raises PuzzleError with everything that is wrong, in sentences that name no file."""
    if puzzle.table is not None:
        table = dict(puzzle.table)
        made = without_file(lambda: make_instance(validated(InstanceFile, table, PAGE), PAGE, library=PACKAGE), PAGE)
        return replace(made, name=puzzle.name, path=None)
    return instance_in(path_in_package(puzzle.name) if puzzle.file is None else puzzle.file)


def path_in_package(name: str) -> Path:
    """Return the file of an instance of the package by its name. Raises PuzzleError where it has none; no other file is looked at."""
    known = {file.stem: file for file in data_files("instances")}
    known |= {f"{file.parent.name}/{file.stem}": file for file in known.values()}
    if name not in known:
        near = near_match(name, known) or Sentence("; the library shows all")
        raise PuzzleError(Sentence("no puzzle is called {name}{near}", name=repr(shown(name)), near=near))
    return known[name]


# models and grids of the package -------------------------------------------------------------------------------------------


def _own(name: str, files: list[Path], what: str) -> Path:
    """The file of the package with that name, whatever stands in the name."""
    found = {file.stem: file for file in files}
    if name not in found:
        raise PuzzleError(f"{what}: there is no {what} {shown(name)!r} in the package{near_match(name, found)}")
    return found[name]


def _own_model(name: str, _near: Path) -> tuple[ModelFile, Path]:
    path = _own(name, data_files("models"), "model")
    return read_file(ModelFile, path), path


def own_grid(name: str, _near: Path = PAGE) -> Grid:
    """Return a grid of the package by its name. Raises PuzzleError where there is none."""
    return load_grid(_own(name, data_files("grids"), "grid"))


def grid_said(said: object) -> Grid:
    """Return the grid that the page means: one of the package by its name, or one that stands there itself. Raises PuzzleError."""
    return without_file(lambda: grid_of(said if isinstance(said, Mapping) else str(said), PAGE, library=PACKAGE), PAGE)


PACKAGE = Library(_own_model, own_grid)
"""Models and grids of the package, by their names and by nothing else."""


def file_name(name: str) -> str:
    """Return a name for a file of a puzzle, without suffix: what else stands in the puzzle's name is no part of it."""
    return "".join(c if c.isalnum() or c in "-_" else "-" for c in name).strip("-") or "puzzle"


# files -----------------------------------------------------------------------------------------------------------------------


def tables_of_file(filename: str, text: str, *, base64: bool = False) -> list[tuple[str, dict[str, Any]]]:
    """Return the puzzles in a file that the user chose in the page: the name and the table of each.

    Raises PuzzleError with everything that is wrong with it, in sentences that begin with the name that the file has at the user's.
    """
    name = PurePosixPath(filename.replace("\\", "/")).name[-LONGEST_NAME:].replace("\0", "") or "puzzle.toml"
    try:
        data = b64decode(text, validate=True) if base64 else text.encode("utf-8", "replace")
    except ValueError:
        raise PuzzleError(f"{name}: expected the content of the file in base64") from None
    if is_cover_file(name):
        raise PuzzleError(Sentence("{name}: this is a cover problem without a form and tiles; the studio shows only puzzles", name=name))
    with TemporaryDirectory(prefix="puzzlesat-") as folder:
        path = Path(folder) / name
        write_file(path, data)
        try:
            if name.lower().endswith(".jsonl"):
                _check_names_in_lines(data)
            found = read_tables(path) if is_foreign(path) else None
            tables = [(path.stem, read_table(path))] if found is None else [(one.name, one.table) for one in found]
            if found is None and kind_of_table(tables[0][1]) == "grid":
                return [(path.stem, sheet_on(path))]
            for own, table in tables:
                make_instance(validated(InstanceFile, table, path), path, own, library=PACKAGE)
        except PuzzleError as error:
            raise type(error)(*(problem.replace(str(path), name) for problem in error.problems)) from None
    return tables


def _check_names_in_lines(data: bytes) -> None:
    """Raise PuzzleError where a file of puzzles as JSON lines names a grid that is none of the package; the rest is checked later."""
    known = {file.stem for file in data_files("grids")}
    for line in data.split(b"\n"):
        try:
            said = json_of(line) if len(line) <= MOST_OF_A_PUZZLE else None
        except PuzzleError:
            continue
        models = said.get("models", {}) if isinstance(said, dict) else {}
        tables = [said, *(models.values() if isinstance(models, dict) else ())]
        for grid in [table["grid"] for table in tables if isinstance(table, dict) and "grid" in table]:
            if not isinstance(grid, dict) and (not isinstance(grid, str) or grid not in known):
                raise PuzzleError(f"grid: there is no grid {shown(str(grid))!r} in the package{near_match(str(grid), known)}")


def tables_of_named(file: Path) -> list[tuple[str, dict[str, Any]]]:
    """Return the puzzles in the file that the command line named, each with the model and the grid of one's own in it that it names.

    A grid is an empty sheet of it.
    """
    if not is_foreign(file) and kind_of_table(read_table(file)) == "grid":
        return [(file.stem, sheet_on(file))]
    return [(one.name, one.table) for one in read_tables(file)]


def sheet_on(file: Path) -> dict[str, Any]:
    """Return the table of a puzzle without form on a grid of one's own, with the pieces that one begins with.

    Raises PuzzleError where the grid is wrong.
    """
    table = read_table(file)
    grid = make_grid(validated(GridFile, table, file), file)
    stated = {"name": file.stem, **{key: value for key, value in table.items() if key != "about"}}
    return {"title": grid.title, "grid": stated, "flips": True, "generate": [{"free": FIRST_TILES}]}


def one_of(tables: list[tuple[str, dict[str, Any]]], problem: int | str | None, name: str) -> tuple[str, dict[str, Any]] | None:
    """Return the one puzzle of a file that is meant; None where it must be chosen."""
    if problem is None:
        return tables[0] if len(tables) == 1 else None
    return tables[chosen(name, [own for own, _ in tables], problem)]
