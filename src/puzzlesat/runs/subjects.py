"""Puzzles as plain data, and back: what a worker on any machine needs to make the same puzzle, and the puzzle that it makes."""

from __future__ import annotations

import json
import warnings
from collections import OrderedDict
from collections.abc import Mapping
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from puzzlesat.config.files import MOST_OF_A_PUZZLE, text_of
from puzzlesat.config.library import find_grid, find_model
from puzzlesat.config.package import data_folder
from puzzlesat.config.read import instance_from, kind_of_table, table_of, validated
from puzzlesat.config.schema import GridFile, InstanceFile, ModelFile
from puzzlesat.cover.instance import BuiltInstance, build_instance
from puzzlesat.errors import PuzzleWarning
from puzzlesat.grid.lattice import Grid
from puzzlesat.progress import SILENT, Progress
from puzzlesat.puzzle.data import Form
from puzzlesat.puzzle.form import form_from_table
from puzzlesat.puzzle.grids import make_grid
from puzzlesat.puzzle.instance import Instance
from puzzlesat.puzzle.load import FILES, Library, grid_of, make_instance
from puzzlesat.runs.jobs import Subject

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
    if isinstance(grid := said.get("grid"), str) and (found := find_grid(grid, near)).parent != data_folder("models") / "grids":
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
        return make_instance(instance_from(dict(subject.table), path), path, subject.name, library=_library(subject.files))


def look(subject: Subject) -> tuple[InstanceFile, Grid, Form]:
    """Return the file of a subject, its grid and its form, without its tiles: these may take far longer to make."""
    path = Path(subject.name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PuzzleWarning)
        file, library = instance_from(dict(subject.table), path), _library(subject.files)
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
