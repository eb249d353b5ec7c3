"""Read and validate files; every error names the file, the key and what was expected."""

from __future__ import annotations

import sys
import typing
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from puzzlesat.config.schema import FormTable, GridFile, InstanceFile, ModelFile
from puzzlesat.errors import PuzzleError, near_match

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

TYPES = {
    "model_type": "a table",
    "dict_type": "a table",
    "list_type": "a list",
    "string_type": "a string",
    "int_type": "an integer",
    "bool_type": "true or false",
}
"""Pydantic's names of errors, in the words of TOML."""
OTHERS = (".xmpuzzle", ".xml")
"""Suffixes of other people's puzzles."""
File = TypeVar("File", GridFile, ModelFile, InstanceFile)


def read_grid(path: Path) -> GridFile:
    """Read a grid file; raise PuzzleError with everything that is wrong with it."""
    return _validate(GridFile, read_table(path), path)


def read_model(path: Path) -> ModelFile:
    """Read a model file; raise PuzzleError with everything that is wrong with it."""
    return _validate(ModelFile, read_table(path), path)


def read_instance(path: Path) -> InstanceFile:
    """Read an instance file; raise PuzzleError with everything that is wrong with it."""
    return instance_from(read_table(path), path)


def instance_from(data: dict[str, Any], path: Path) -> InstanceFile:
    """Return the instance that a table says; raise PuzzleError with everything that is wrong with it."""
    if isinstance(form := data.get("form"), dict):
        shapes = [key for key, value in form.items() if key not in FormTable.model_fields and type(value) is int]
        if len(shapes) > 1:
            raise PuzzleError(f"{path}: form: expected exactly one way to say the form; it has {' and '.join(shapes)}")
        if shapes:
            form["shape"] = (shapes[0], form.pop(shapes[0]))
    return _validate(InstanceFile, data, path)


def kind_of(path: Path) -> str:
    """Tell what a file holds by its keys: ``grid``, ``model`` or ``instance``."""
    data = read_table(path)
    if "gram" in data or isinstance(data.get("atoms"), list):
        return "grid"
    return "instance" if "form" in data or "expect" in data or "model" in data else "model"


def read_table(path: Path) -> dict[str, Any]:
    """Return the tables of a TOML file as they stand there; raise PuzzleError where it is none, or empty."""
    if path.suffix.lower() in OTHERS:
        raise PuzzleError(f"{path}: not a TOML file; 'puzzlesat convert {path.name} {path.name.split('.')[0]}.toml' makes one of it")
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except tomllib.TOMLDecodeError as error:
        raise PuzzleError(f"{path}: not a TOML file: {error}") from None
    except UnicodeDecodeError:
        raise PuzzleError(f"{path}: not a text file in UTF-8") from None
    except OSError as error:
        if path.is_dir():
            raise PuzzleError(f"{path}: is a folder; name a file in it") from None
        raise PuzzleError(f"{path}: cannot be read: {error.strerror}") from None
    if not data:
        raise PuzzleError(f"{path}: the file is empty; docs/format.md says what belongs into a grid, a model and an instance")
    return data


def _validate(schema: type[File], data: dict[str, Any], path: Path) -> File:
    try:
        return schema.model_validate(data)
    except ValidationError as error:
        raise PuzzleError(*(f"{path}: {_sentence(schema, dict(e))}" for e in error.errors(include_url=False))) from None


def _sentence(schema: type[BaseModel], error: dict[str, Any]) -> str:
    """One validation error as key, what is wrong, what was expected."""
    where = [str(part) for part in error["loc"] if part != "[key]"]
    key = ".".join(where)
    what = str(error["msg"]).removeprefix("Value error, ")
    if error["type"] == "extra_forbidden":
        return f"unknown key {key!r}{near_match(where[-1], _known_keys(schema, error['loc']))}"
    if error["type"] == "missing":
        return f"{key}: this key is missing; add it"
    if error["type"] == "literal_error":
        return f"{key}: expected {error['ctx']['expected']}, got {error['input']!r}"
    if what.startswith("Input should be"):
        what = TYPES.get(error["type"], what.removeprefix("Input should be "))
        return f"{key}: expected {what}, got {error['input']!r}"
    return f"{key}: {what}" if key else what


def _known_keys(schema: type[BaseModel], location: tuple[str | int, ...]) -> list[str]:
    """The keys that may stand in the table that holds the last part of a location."""
    table: type[BaseModel] | None = schema
    inside: type[BaseModel] | None = None
    for part in location[:-1]:
        if table is not None and part in table.model_fields:
            inside = _table_of(table.model_fields[str(part)].annotation)
            table = inside
    return [field.alias or name for name, field in (table or schema).model_fields.items() if name != "shape"]


def _table_of(annotation: Any) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((t for a in typing.get_args(annotation) if (t := _table_of(a))), None)
