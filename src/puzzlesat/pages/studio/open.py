"""Puzzles in the page's formats: a name of the package, the table of an instance file, or the text of a file; and the library.

A question from the page may name only models and grids of the package, so that no file of the user is read for it. A custom grid is part of
the table. The only files read are the file named on the command line and the files beside it that it needs.
"""

from __future__ import annotations

import json
from base64 import b64decode
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from hashlib import sha256
from importlib.resources import files
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Any
from warnings import catch_warnings, simplefilter

from puzzlesat import puzzles
from puzzlesat.base import Limits, Progress, PuzzleError, PuzzleWarning, Sentence, data_files, json_of, near_match, shown, write_file
from puzzlesat.formats import chosen, instance_in, is_cover_file, is_foreign, read_tables, without_file
from puzzlesat.pages.studio.telling import STUDIO_SECONDS, Tell, limits

STUDIO_KEPT = 8
"""Largest number of built puzzles that a process keeps: the most recently used."""
STUDIO_KEPT_PLACEMENTS = 300_000
"""Largest number of placements of all of them; the most recently used puzzle is kept in any case."""

PAGE = Path("page")
"""Placeholder for the file in messages on a puzzle of the page; it is removed from them."""
LONGEST_NAME = 100
FIRST_TILES = 3
"""Number of cells of the polyforms on a new sheet of a custom grid."""


@dataclass(frozen=True)
class PagePuzzle:
    """A puzzle of the page: its name, and its table, or None for a puzzle of the package."""

    name: str
    table: Mapping[str, Any] | None = None
    file: Path | None = None
    """The file of the command line, if the puzzle is this file."""

    @property
    def digest(self) -> str:
        """A digest that identifies the puzzle."""
        identity = json.dumps([self.name, self.table, None if self.file is None else str(self.file)], sort_keys=True)
        return sha256(identity.encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True)
class _BuiltPuzzle:
    """A built puzzle, and the warnings from building it."""

    built: puzzles.BuiltInstance
    remarks: tuple[str, ...]


_kept: OrderedDict[str, _BuiltPuzzle] = OrderedDict()
"""The puzzles that this process has built; the most recently used come last."""


def begun(question: Mapping[str, Any], tell: Tell, seconds: float = STUDIO_SECONDS) -> tuple[puzzles.BuiltInstance, Limits, Progress]:
    """Return the puzzle of a question, built now or kept from before, and the limits and the progress of the work on it, which begins now.

    Raises PuzzleError with every error in the puzzle.
    """
    bounds = limits(seconds)
    progress = tell.progress(bounds)
    puzzle = puzzle_of(question)
    digest = puzzle.digest
    if digest not in _kept:
        with catch_warnings(record=True) as caught:
            simplefilter("always", PuzzleWarning)
            built = puzzles.build_instance(instance_of(puzzle), progress=progress, limits=bounds)
        _kept[digest] = _BuiltPuzzle(built, tuple(str(w.message).removeprefix(f"{PAGE}: ") for w in caught))
    _kept.move_to_end(digest)
    while len(_kept) > 1 and (len(_kept) > STUDIO_KEPT or sum(len(k.built.placements) for k in _kept.values()) > STUDIO_KEPT_PLACEMENTS):
        _kept.popitem(last=False)
    return _kept[digest].built, bounds, progress


def table_in(question: Mapping[str, Any]) -> dict[str, Any]:
    """Return the table of the puzzle of a question as in its file, with referenced models and grids inserted."""
    puzzle = puzzle_of(question)
    if puzzle.table is not None:
        return dict(puzzle.table)
    return puzzles.read_table(path_in_package(puzzle.name)) if puzzle.file is None else tables_of_named(puzzle.file)[0][1]


def remarks_on(question: Mapping[str, Any]) -> list[str]:
    """Return the warnings on a built puzzle: it is valid, but probably contains a slip."""
    return list(_kept[puzzle_of(question).digest].remarks)


def puzzle_of(question: Mapping[str, Any]) -> PagePuzzle:
    """Return the puzzle that a question names, ``{"puzzle": {"name": ..., "table": ...}}``."""
    entry = question.get("puzzle")
    if not isinstance(entry, Mapping):
        raise PuzzleError('puzzle: expected an object, such as {"name": "soma"}')
    name, table = entry.get("name"), entry.get("table")
    if not isinstance(name, str) or not 0 < len(name) <= LONGEST_NAME:
        raise PuzzleError(f"puzzle.name: expected a string of {LONGEST_NAME} characters at most")
    if table is not None and not isinstance(table, Mapping):
        raise PuzzleError("puzzle.table: expected an object with the keys of an instance file")
    file = question.get("named")  # the file of the command line, which the server adds to a question about it
    return PagePuzzle(name, table, Path(file) if table is None and isinstance(file, str) else None)


def instance_of(puzzle: PagePuzzle) -> puzzles.Instance:
    """Return the instance of a puzzle. Raises PuzzleError with every error in it, in sentences that name no file."""
    if puzzle.table is not None:
        table = dict(puzzle.table)
        made = without_file(lambda: PACKAGE.instance(puzzles.validated(puzzles.InstanceFile, table, PAGE), PAGE), PAGE)
        return replace(made, name=puzzle.name, path=None)
    return instance_in(path_in_package(puzzle.name) if puzzle.file is None else puzzle.file)


def path_in_package(name: str) -> Path:
    """Return the file of an instance of the package by name. Raises PuzzleError if there is none; no other file is read."""
    files = {file.stem: file for file in data_files("instances")}
    files |= {f"{file.parent.name}/{file.stem}": file for file in files.values()}
    if name not in files:
        near = near_match(name, files) or Sentence("; the library shows all")
        raise PuzzleError(Sentence("no puzzle is called {name}{near}", name=repr(shown(name)), near=near))
    return files[name]


# the library ---------------------------------------------------------------------------------------------------------------

REST = "others"
"""The group of puzzles that the file assigns to no group."""


@cache
def arrangement() -> dict[str, dict[str, list[str]]]:
    """Return the content of ``library.toml``, with its ``groups``."""
    file = Path(str(files(__package__).joinpath("library.toml")))
    return puzzles.read_table(file)


def entries() -> list[dict[str, Any]]:
    """Return the library's data of each puzzle: names, titles, maker and group, in the order of the groups."""
    models = {file.stem: puzzles.read_table(file) for file in data_files("models")}
    grids = {file.stem: puzzles.read_table(file)["title"] for file in data_files("grids")}
    order = {name: (g, i) for g, group in reversed([*enumerate(arrangement()["groups"].values())]) for i, name in enumerate(group)}
    with_places = [(_place(file, order), _library_entry(file, puzzles.read_table(file), models, grids)) for file in data_files("instances")]
    groups = [*arrangement()["groups"], REST]
    return [{**entry, "group": groups[place[0]]} for place, entry in sorted(with_places, key=lambda pair: pair[0])]


def _place(file: Path, order: dict[str, tuple[int, int]]) -> tuple[int, int]:
    """The sort key of a puzzle: the number of its group, and the index there of the puzzle or its family."""
    keys = f"{file.parent.name}/{file.stem}", file.stem if file.stem != file.parent.name else "", file.parent.name
    last = len(arrangement()["groups"]), 0
    return next((order[key] for key in keys if key in order), last)


def _library_entry(file: Path, table: dict[str, Any], models: dict[str, dict[str, Any]], grids: dict[str, str]) -> dict[str, Any]:
    model = models.get(table.get("model", ""), table)
    names = puzzles.other_names()
    return {
        "name": file.stem,
        "title": table["title"],
        "set": model["title"],
        "grid": model["grid"],
        "grid_title": grids[model["grid"]],
        "family": file.parent.name,
        "maker": model.get("source", ""),
        "aliases": list(names.of(file)),
        "like": list(names.of(file, like=True)),
    }


# models and grids of the package -------------------------------------------------------------------------------------------


def _own(name: str, files: list[Path], what: str) -> Path:
    """The file of the package with a name, which is never used as a path."""
    by_name = {file.stem: file for file in files}
    if name not in by_name:
        raise PuzzleError(f"{what}: there is no {what} {shown(name)!r} in the package{near_match(name, by_name)}")
    return by_name[name]


def _own_model(name: str, _near: Path) -> tuple[puzzles.ModelFile, Path]:
    path = _own(name, data_files("models"), "model")
    return puzzles.validated(puzzles.ModelFile, puzzles.read_table(path), path), path


def own_grid(name: str, _near: Path = PAGE) -> puzzles.Grid:
    """Return a grid of the package by name. Raises PuzzleError if there is none."""
    return puzzles.load_grid(_own(name, data_files("grids"), "grid"))


def grid_said(reference: object) -> puzzles.Grid:
    """Return the grid of a question: a grid of the package by name, or a custom grid from its table. Raises PuzzleError if it is wrong."""
    return without_file(lambda: PACKAGE.grid_of(reference if isinstance(reference, Mapping) else str(reference), PAGE), PAGE)


PACKAGE = puzzles.Library(_own_model, own_grid)
"""Models and grids of the package, by name only."""


def file_name(name: str) -> str:
    """Return a file name for a puzzle, without suffix; other characters than letters, digits, - and _ are replaced."""
    return "".join(c if c.isalnum() or c in "-_" else "-" for c in name).strip("-") or "puzzle"


# files -----------------------------------------------------------------------------------------------------------------------


def tables_of_file(filename: str, text: str, *, base64: bool = False) -> list[tuple[str, dict[str, Any]]]:
    """Return the puzzles in a file that the user chose in the page: the name and the table of each.

    Raises PuzzleError with every error in it, in sentences that begin with the name of the user's file.
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
            imported = read_tables(path) if is_foreign(path) else None
            tables = [(path.stem, puzzles.read_table(path))] if imported is None else [(puzzle.name, puzzle.table) for puzzle in imported]
            if imported is None and puzzles.kind_of_table(tables[0][1]) == "grid":
                return [(path.stem, sheet_on(path))]
            for own, table in tables:
                PACKAGE.instance(puzzles.validated(puzzles.InstanceFile, table, path), path, own)
        except PuzzleError as error:
            raise type(error)(*(problem.replace(str(path), name) for problem in error.problems)) from None
    return tables


def _check_names_in_lines(data: bytes) -> None:
    """Raise PuzzleError if a file of JSON lines names a grid that is not in the package. Other errors are found later."""
    grids = {file.stem for file in data_files("grids")}
    for line in data.split(b"\n"):
        try:
            content = json_of(line) if len(line) <= puzzles.MAX_OF_A_PUZZLE else None
        except PuzzleError:
            continue
        models = content.get("models", {}) if isinstance(content, dict) else {}
        tables = [content, *(models.values() if isinstance(models, dict) else ())]
        for grid in [table["grid"] for table in tables if isinstance(table, dict) and "grid" in table]:
            if not isinstance(grid, dict) and (not isinstance(grid, str) or grid not in grids):
                raise PuzzleError(f"grid: there is no grid {shown(str(grid))!r} in the package{near_match(str(grid), grids)}")


def tables_of_named(file: Path) -> list[tuple[str, dict[str, Any]]]:
    """Return the puzzles in the file of the command line, each with its custom model and grid inserted.

    For the file of a grid, return an empty sheet of the grid.
    """
    if not is_foreign(file) and puzzles.kind_of_table(puzzles.read_table(file)) == "grid":
        return [(file.stem, sheet_on(file))]
    return [(puzzle.name, puzzle.table) for puzzle in read_tables(file)]


def sheet_on(file: Path) -> dict[str, Any]:
    """Return the table of a puzzle without a form on a custom grid, with the first pieces.

    Raises PuzzleError if the grid is wrong.
    """
    table = puzzles.read_table(file)
    grid = puzzles.Library().grid_of(puzzles.validated(puzzles.GridFile, table, file), file)
    stated = {"name": file.stem, **{key: value for key, value in table.items() if key != "about"}}
    return {"title": grid.title, "grid": stated, "flips": True, "generate": [{"free": FIRST_TILES}]}


def tables_in(question: Mapping[str, Any]) -> tuple[list[tuple[str, dict[str, Any]]], str]:
    """Return the names and tables of the puzzles of a question, and the name of their source for messages."""
    name, text, file = question.get("name"), question.get("file"), question.get("named")
    if isinstance(text, str):
        filename = question.get("filename", "")
        if not isinstance(filename, str):
            raise PuzzleError("filename: expected a string")
        return tables_of_file(filename, text, base64=question.get("base64") is True), filename
    if isinstance(file, str):
        return tables_of_named(Path(file)), Path(file).name
    if isinstance(name, str):
        path = path_in_package(name)
        return [(path.stem, puzzles.read_table(path))], path.stem
    puzzle = puzzle_of(question)
    if puzzle.table is None:
        return tables_in({"name": puzzle.name})
    return [(puzzle.name, dict(puzzle.table))], puzzle.name


def one_of(tables: list[tuple[str, dict[str, Any]]], problem: int | str | None, name: str) -> tuple[str, dict[str, Any]] | None:
    """Return the selected puzzle of a file; None if there are several and none is selected."""
    if problem is None:
        return tables[0] if len(tables) == 1 else None
    return tables[chosen(name, [own for own, _ in tables], problem)]
