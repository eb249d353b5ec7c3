"""Puzzles as JSON lines: thousands of forms in one file, each on its own line, with their common tiles stated once.

The first line is the header, a JSON object: ``format`` and ``version`` identify the file; ``title`` and ``source`` describe it to a person;
``models`` holds tiles and rules by name, as files of models have them. Every other line is a puzzle: the keys of an instance file in JSON,
and a ``name``. The value of ``model`` is a name in the header or, as in an instance, the name of a model's file.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any

from puzzlesat.base import PuzzleError, json_of, near_match, shown, text_of
from puzzlesat.formats.puzzles import Foreign, fold
from puzzlesat.puzzles import MAX_OF_A_PUZZLE, InstanceFile, Library, ModelFile, validated

FORMAT, VERSION = "puzzlesat puzzles", 1
HEADER = ("format", "version", "title", "source", "models")
"""The keys of the first line."""
EXPECTED = json.dumps({"format": FORMAT, "version": VERSION})
PART = r"(?![. ]|[+-]?[0-9]+(?:/|\Z))[^/\\\x00-\x1f\x7f]{1,100}(?<! )"
NAME = re.compile(f"{PART}(?:/{PART})?")
"""A puzzle may become a file with this name, in the folder of its family. Digits alone are no name, but a number in the file."""
Table = dict[str, Any]


def read_lines(path: Path) -> list[Foreign]:
    """Return the puzzles of a file. Raises PuzzleError, with the number of the line, if the file is invalid."""
    lines = ((number, line) for number, line in enumerate(text_of(path).split("\n"), start=1) if line.strip())
    try:
        header = _header(next(lines, (1, "")))
        return _puzzles(path, header.get("source", ""), _models(path, header), lines)
    except PuzzleError as error:
        raise error.under(f"{path}: ") from None


def are_puzzles(path: Path) -> bool:
    """Tell by its first line whether a file of JSON lines holds puzzles; an unreadable file holds none."""
    try:
        with path.open(encoding="utf-8-sig") as file:
            while (line := file.readline(MAX_OF_A_PUZZLE)).isspace():
                pass
            return _is_header(json_of(line))
    except (OSError, ValueError, PuzzleError):
        return False


def puzzle_lines(
    puzzles: Iterable[Foreign], *, title: str = "", source: str = "", models: Mapping[str, Table] | None = None
) -> Iterator[str]:
    """Yield the lines of a file with these puzzles, each as its table; ``models`` may hold the models that the puzzles name."""
    header = {"format": FORMAT, "version": VERSION, "title": title, "source": source, "models": dict(models or {})}
    yield _line({key: value for key, value in header.items() if value not in ("", {})})
    for puzzle in puzzles:
        yield _line({"name": puzzle.name} | {key: value for key, value in puzzle.table.items() if value is not None})


def _line(value: Table) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _object(line: tuple[int, str]) -> Table:
    """Return the JSON object in a line."""
    number, text = line
    if len(text) > MAX_OF_A_PUZZLE:
        raise PuzzleError(f"line {number}: {len(text):,} characters; {MAX_OF_A_PUZZLE:,} are read at most")
    try:
        found = json_of(text, _without_twins)
    except PuzzleError as error:
        raise error.under(f"line {number}: ") from None
    if not isinstance(found, dict):
        raise PuzzleError(
            f'line {number}: expected a JSON object, such as {{"name": "a", "model": "pentominoes", "form": {{"box": [6, 10]}}}}'
        )
    return found


def _without_twins(pairs: list[tuple[str, Any]]) -> Table:
    """Return a JSON object. Raises PuzzleError for duplicate keys, of which JSON readers silently take the last."""
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        raise PuzzleError(f"the key {shown(next(key for key in keys if keys.count(key) > 1))!r} is written twice in one object; remove one")
    return found


def _is_header(found: object) -> bool:
    return isinstance(found, dict) and found.get("format") == FORMAT


def _header(line: tuple[int, str]) -> Table:
    try:
        header = _object(line) if line[1] else {}
    except PuzzleError:
        header = {}
    if not _is_header(header):
        raise PuzzleError(f"not puzzles as JSON lines: the first line must be {EXPECTED}; 'puzzlesat convert' reads files of solutions")
    if header.get("version") != VERSION:
        raise PuzzleError(f"line {line[0]}: version {shown(repr(header.get('version')))}; this puzzlesat reads version {VERSION}")
    for key, value in header.items():
        if key not in HEADER:
            raise PuzzleError(f"line {line[0]}: unknown key {shown(key)!r}{near_match(key, HEADER)}")
        if key in ("title", "source") and not isinstance(value, str):
            raise PuzzleError(f"line {line[0]}: {key}: expected a string")
    return header


def _models(path: Path, header: Table) -> Table:
    """Return the models of the header."""
    models = header.get("models", {})
    if not isinstance(models, dict) or not all(isinstance(model, dict) for model in models.values()):
        raise PuzzleError("models: expected an object of models, each an object with the keys of a model's file")
    found = {}
    for name, model in models.items():
        where = f"models.{shown(name)}"
        found[name] = {"title": name} | model
        stated = validated(ModelFile, found[name], where)
        try:
            Library().grid_of(stated.grid, path)
        except PuzzleError as error:
            raise PuzzleError(*(f"{where}: {problem.removeprefix(f'{path}: ')}" for problem in error.problems)) from None
    return found


def _puzzles(path: Path, source: str, models: Table, lines: Iterable[tuple[int, str]]) -> list[Foreign]:
    """Return the puzzles of the other lines; a puzzle includes its model if the header has it."""
    found: dict[str, Foreign] = {}
    numbers: dict[str, int] = {}
    for number, text in lines:
        table = _object((number, text))
        name = table.pop("name", None)
        if not isinstance(name, str) or not NAME.fullmatch(name):
            what = "it has no name" if name is None else f"name: {shown(repr(name))} is not a name like that of a file, NAME or FAMILY/NAME"
            raise PuzzleError(f'line {number}: {what}; write "name": "…"')
        if name in found:
            raise PuzzleError(f"line {number}: the puzzle of line {numbers[name]} is named {name!r} too; rename one")
        table = {"title": name.rpartition("/")[2]} | ({"source": source} if source else {}) | table
        model = table.get("model")
        if isinstance(model, str) and model in models:
            table = _with_model(path, models[model], name, table)
        found[name] = Foreign(name, table)
        numbers[name] = number
    if not found:
        raise PuzzleError("there is no puzzle below the first line")
    return list(found.values())


def _with_model(path: Path, model: Table, name: str, table: Table) -> Table:
    """Return the table of a puzzle including the model that it names."""
    if not table.keys().isdisjoint(("grid", "tiles", "generate", "marks", "colours")):
        validated(InstanceFile, deepcopy(table), name)  # only valid tables can be merged
    try:
        return fold(Library().grid_of(validated(ModelFile, model, name).grid, path), model, table)
    except PuzzleError as error:
        raise error.under(f"{name}: ") from None
