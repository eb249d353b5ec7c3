"""Read and validate files. Every error names the file, the key and the expected value."""

from __future__ import annotations

import re
import sys
import typing
from collections.abc import Mapping, Sequence
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

from puzzlesat.base import MAX_DIGITS, PuzzleError, near_match, shown, text_of
from puzzlesat.puzzles import cures

if TYPE_CHECKING:  # both take a twentieth of a second to import
    from pydantic import BaseModel

    from puzzlesat.puzzles.schema import InstanceFile

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
    "float_type": "a number",
    "tuple_type": "a list",
    "frozen_set_type": "a list",
}
"""The expected types in the words of TOML, by Pydantic's names of errors."""
BOUNDS = {
    "greater_than_equal": "{} or more",
    "greater_than": "more than {}",
    "less_than_equal": "{} at most",
    "less_than": "less than {}",
    "string_too_short": "a text",
    "finite_number": "a number that is not infinite",
    "invalid_key": "a text as key",
    "whole_list": "{}",
}
"""The expected values, by Pydantic's names of errors about bounds."""
EACH = {"list_type": "a list of lists", "model_type": "a list of tables", "int_type": "a list of integers"}
MISSING = {
    "title": ': title = "NAME"',
    "form": ": a line [form], and box = [6, 10] below it, or a picture",
    "puzzles": ': a line [[puzzles]], and from = ["NAME"] below it',
    "steps": ': a line [[steps]], and find = "count" below it',
    "flips": ": flips = true if tiles may be turned over, else flips = false",
}
"""Cures for missing keys."""
APART = {(key,) for key in ("source", "mirrored", "break_on", "together", "conditions", "solutions", "split", "best", "expect")} | {
    ("form", "fixed")
}
"""Keys of an instance on which neither its tiles nor its form depend."""
OTHERS = (".xmpuzzle", ".xml", ".jsonl")
"""Suffixes of puzzle files of other programs."""
DEEPEST = 10
"""The deepest nesting of tables, lists and dotted keys. Files of the package nest six levels at most."""
STRING = re.compile(
    r""""{3}[^"\\]*(?:(?:\\.|"(?!""))[^"\\]*)*(?:"{3,5}|\\?\Z)|'{3}[^']*(?:'(?!'')[^']*)*(?:'{3,5}|\Z)"""
    r"""|"[^"\\\n]*(?:\\.[^"\\\n]*)*"?|'[^'\n]*'?|\#[^\n]*""",
    re.DOTALL,
)
"""A TOML string, closed or not, or a comment."""
MAX_OF_A_PUZZLE = 2**22
"""Size limit of a puzzle file in bytes. A list of 100,000 atoms takes half of it."""
MAX_PARTS = 50_000
"""Most dots in the keys and headings of a file; the parser takes a kilobyte for each."""
DOTTED = re.compile(rf"(?:\.[ \t]*[\w-]+[ \t]*){{{DEEPEST}}}")
PART = re.compile(r"\.|^[ \t]*\[[^,\n]*$", re.MULTILINE)
File = TypeVar("File", bound="BaseModel")


def read_file(schema: type[File], path: Path) -> File:
    """Read a file with a schema, such as ``ModelFile``; raise PuzzleError with every problem in the file."""
    return validated(schema, read_table(path), path)


def without_wrong_keys(data: dict[str, Any], path: Path | str) -> InstanceFile | None:
    """Return the instance of a table without its wrong keys, so that other problems can be found; None if tiles or form depend on them."""
    from pydantic import ValidationError

    from puzzlesat.puzzles.schema import InstanceFile

    try:
        left = _with_shape(data, path)
        for depth in (2, 1):  # first remove wrong parts of a key, then the whole key
            for where in _wrong_places(InstanceFile, left):
                left = _without(left, where[:depth])
        return InstanceFile.model_validate(left)
    except (PuzzleError, ValidationError):
        return None


def _wrong_places(schema: type[BaseModel], data: dict[str, Any]) -> list[tuple[str | int, ...]]:
    from pydantic import ValidationError

    try:
        schema.model_validate(data)
    except ValidationError as error:
        return [e["loc"] for e in error.errors(include_url=False)]
    return []


def _without(data: dict[str, Any], where: tuple[str | int, ...]) -> dict[str, Any]:
    """Return a table without a key on which neither tiles nor form depend."""
    if where == ("title",):
        return {**data, "title": ""}
    if not where:  # an error of the whole file: names of conditions, or expected counts without their key
        return {key: value for key, value in data.items() if key not in ("conditions", "expect")}
    if where[:1] not in APART and where not in APART:
        return data
    head = str(where[0])
    also = ("expect",) if head in ("mirrored", "split", "best") else ()  # expected counts depend on these keys
    kept = {key: value for key, value in data.items() if key != head and key not in also}
    if len(where) == 2 and isinstance(data.get(head), dict):
        kept[head] = {key: value for key, value in data[head].items() if key != where[1]}
    return kept


def _with_shape(data: dict[str, Any], path: Path | str) -> dict[str, Any]:
    """Return the table of an instance with the shape of its form moved to the key ``shape`` of the schema."""
    from puzzlesat.puzzles.schema import FormTable

    if isinstance(stated := data.get("form"), dict):
        form = dict(stated)
        data = {**data, "form": form}
        if "shape" in form:  # only the schema uses this key
            raise PuzzleError(f"{path}: unknown key 'form.shape'; {cures.cure_of_shape(form['shape'])}")
        others = {*FormTable.model_fields, *cures.IN_EXPECT, *cures.IN_TILE, *cures.SYNONYMS["form"], "width", "height", "columns"}
        shapes = [key for key, value in form.items() if key not in others and type(value) is int]
        if len(shapes) > 1:
            raise PuzzleError(f"{path}: form: expected exactly one way to give the form; it has {' and '.join(shapes)}; remove one")
        if shapes:
            form["shape"] = (shapes[0], form.pop(shapes[0]))
    return data


def kind_of_table(data: Mapping[str, Any]) -> str:
    """Return the kind of a file by its keys: ``grid``, ``model``, ``instance``, ``study`` or ``design``."""
    if "gram" in data or isinstance(data.get("atoms"), list):
        return "grid"
    if any(isinstance(data.get(key), list) for key in ("puzzles", "steps")):
        return "study"
    if isinstance(data.get("rods"), dict) or _has_free_cells(data.get("pieces")):
        return "design"
    if {"form", "expect", "model"} & data.keys():
        return "instance"
    from puzzlesat.puzzles.schema import ModelFile

    others = {key.lower(): value for key, value in data.items() if key not in ModelFile.model_fields}
    misplaced = any(cures.belongs_into_form(key, value) for key, value in others.items())
    misnamed = any(key.lower() in cures.FORM_WORDS and isinstance(value, dict) for key, value in data.items())
    return "instance" if misplaced or misnamed else "model"


def _has_free_cells(pieces: Any) -> bool:
    """Return whether tables are pieces of a design, which has a free cell; otherwise they are tiles under a wrong name."""
    tables = pieces.values() if isinstance(pieces, dict) else ()
    return any(isinstance(table, dict) and "+" in str(table.get("picture")) for table in tables)


def read_table(path: Path) -> dict[str, Any]:
    """Return the tables of a TOML file, unchanged. Raises PuzzleError if it is not TOML, or empty."""
    if path.suffix.lower() in OTHERS:
        raise PuzzleError(f"{path}: not a TOML file; 'puzzlesat convert {path.name} {path.stem}.toml' makes one of it")
    return table_of(text_of(path, MAX_OF_A_PUZZLE), path)


def table_of(text: str, path: Path) -> dict[str, Any]:
    """Return the tables of a TOML text, unchanged. Raises PuzzleError with the name of its file if it is not TOML, or empty."""
    if _is_too_deep(text):
        what = "too many tables, or lists or dotted keys that are nested too deeply"
        raise PuzzleError(f"{path}: {what}; no puzzle needs more than {DEEPEST} levels")
    try:
        data = tomllib.loads(text)
        _check_numbers(data)
    except tomllib.TOMLDecodeError as error:
        if unclosed := cures.unclosed_text(text):
            raise PuzzleError(f"{path}: {unclosed}") from None
        raise PuzzleError(f"{path}: not a TOML file: {error}{cures.cure_of_syntax(text, str(error))}") from None
    except (ValueError, OverflowError, RecursionError) as error:  # not caught by the parser: dates, long numbers
        what = f"a number of more than {MAX_DIGITS:,} digits" if "digits" in str(error) else shown(str(error))
        raise PuzzleError(f"{path}: not a TOML file that can be read: {what}") from None
    if not data and all(cures.DRAWN.fullmatch(line) for line in text.splitlines() if line.strip()) and re.search("#[#.]", text):
        raise PuzzleError(
            f"{path}: the file has a drawing alone, and # begins a comment; "
            f"write {cures.PICTURE} below a line [form], with the drawing in it"
        )
    if not data:
        raise PuzzleError(f"{path}: the file is empty; docs/format/README.md explains what belongs in a grid, a model and an instance")
    return data


def _is_too_deep(text: str) -> bool:
    """Return whether brackets or dotted keys are nested so deeply that the parser could take gigabytes of memory."""
    bare = STRING.sub(lambda found: "" if found[0][0] == "#" else "_", text)
    depth = accumulate((character in "[{") - (character in "]}") for character in bare if character in "[]{}")
    return max(depth, default=0) > DEEPEST or DOTTED.search(bare) is not None or len(PART.findall(bare)) > MAX_PARTS


def _check_numbers(value: Any) -> None:
    """Raise ValueError for numbers that Python refuses to print; a file can have them in base 16."""
    if isinstance(value, dict | list):
        for inside in value.values() if isinstance(value, dict) else value:
            _check_numbers(inside)
    elif isinstance(value, int) and abs(value) >= 10**MAX_DIGITS:
        raise ValueError("too many digits")


def where(path: Path | str, name: str | None) -> Path | str:
    """Return the beginning of messages about a puzzle: its file, and its name if this is not the name of the file."""
    return path if name is None or (isinstance(path, Path) and name == path.stem) else f"{path}: {name}"


def validated(schema: type[File], data: dict[str, Any], path: Path | str, name: str | None = None) -> File:
    """Return a table as an object of its schema. ``name`` is that of a puzzle in the file.

    Raises PuzzleError with every problem, each with ``path``, its key and a cure.
    """
    from puzzlesat.puzzles.schema import InstanceFile

    path = where(path, name)
    if schema is not InstanceFile:
        return _validated(schema, data, path)
    if (kind := kind_of_table(data)) in ("study", "design"):
        cure = "run it with 'puzzlesat run" if kind == "study" else "count it with 'puzzlesat design"
        raise PuzzleError(f"{path}: is a {kind}, not a puzzle; {cure} {path}'")
    return cast(File, _validated(InstanceFile, _with_shape(data, path), path).saying(data))


def _validated(schema: type[File], data: dict[str, Any], path: Path | str) -> File:
    from pydantic import ValidationError

    try:
        return schema.model_validate(data)
    except ValidationError as error:
        problems = [_sentence(schema, dict(e), data) for e in error.errors(include_url=False)]
        sentences = dict.fromkeys(line for sentence in problems for line in sentence.split("\n"))
    if any(s.startswith("unknown key") and "[form]" in s for s in sentences):  # the form has a wrong name or is in a wrong place
        sentences = {s: None for s in sentences if not s.startswith("form: this key is missing")}
    raise PuzzleError.of_many(sentences).under(f"{path}: ")


def _sentence(schema: type[BaseModel], error: dict[str, Any], data: dict[str, Any]) -> str:
    """Return a validation error as a sentence: the key, the problem, the expected value and a cure."""
    error["loc"] = _in_file(error, data)
    if (whole := _whole_list(error, data)) is not None:
        error = whole
    where = [str(part) for part in error["loc"]]
    table, key = _place(error["loc"], data)
    what = str(error["msg"]).removeprefix("Value error, ")
    if error["type"] == "extra_forbidden":
        known = _known_keys(schema, error["loc"])
        cure = cures.cure_of_key(error["loc"], error["input"], known, list(schema.model_fields))
        near = near_match(where[-1], known)
        meant = re.search("did you mean '(.*)'", near)
        if cure is None or (meant is not None and f" {meant[1]} = " in cure):
            return f"{table}unknown key {key!r}{near}" + (f" {cure[0].upper()}{cure[1:]}" if cure else "")
        return f"{table}unknown key {key!r}; {cure}"
    if error["type"] == "missing":
        return f"{table}{key}: this key is missing; add it{MISSING.get('.'.join(where), '')}"
    at = f"{table}{key}: " if key else table
    if error["type"] == "too_short":
        return f"{at}expected {error['ctx']['min_length']} or more in the list, got {_shown(error['input'])}"
    if error["type"] == "too_long":
        return f"{at}expected {error['ctx']['max_length']} at most, got more"
    cure = cures.cure_of_value(error["loc"], error["input"], truth=error["type"] == "bool_type") if where else None
    more = f"; {cure}" if cure else ""
    if error["type"] == "literal_error":
        return f"{at}expected {error['ctx']['expected']}, got {_shown(error['input'])}{more}"
    if error["type"] == "value_error":
        return f"{at}{what}{more if what.startswith('expected') else ''}"
    what = TYPES.get(error["type"]) or BOUNDS.get(error["type"], "another value").format(*error.get("ctx", {}).values())
    return f"{at}expected {what}, got {_shown(error['input'])}{more}"


def nth_table(key: str, index: int) -> str:
    """Return the name of one of several tables with the same key, such as ``[[generate]] number 1``."""
    return f"[[{key}]] number {index + 1}"


def _place(where: Sequence[str | int], data: Any) -> tuple[str, str]:
    """Return the place of a value in a file for a reader: the table or list entry, and the key in it.

    A condition is named by its name, other entries of lists by their number, from 1. The index inside an atom is omitted.
    """
    table, key, value = "", "", data
    for number, part in enumerate(where):
        there = part in (value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ())
        value = value[part] if there else None
        if not isinstance(part, int):
            key = f"{key}.{part}" if key else part
        elif key == "conditions" and isinstance(value, dict) and isinstance(value.get("name"), str):
            key = f"conditions.{value['name']}"
        elif isinstance(value, dict):
            table, key = f"{table}{nth_table(key, part)}: ", ""
        elif not (number and isinstance(where[number - 1], int)):
            table, key = f"{table}{key}: number {part + 1}: ", ""
    return table, key


def _in_file(error: dict[str, Any], data: dict[str, Any]) -> tuple[str | int, ...]:
    """Return the location of an error without the tags that Pydantic adds for unions, which are not in the file."""
    where: tuple[str | int, ...] = error["loc"]
    parts: list[str | int] = []
    value: Any = data
    for number, part in enumerate(where, 1):
        if part in (value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()):
            value = value[part]
        elif error["type"] != "missing" or number < len(where):
            continue
        parts.append(part)
    return tuple(parts)


def _shown(value: Any) -> str:
    """Return a value for a message, as TOML writes it."""
    try:
        return ("true" if value else "false") if isinstance(value, bool) else shown(repr(value))
    except ValueError:  # Python refuses to print long numbers
        return "a number of thousands of digits"


def _whole_list(error: dict[str, Any], data: dict[str, Any]) -> dict[str, Any] | None:
    """Return the error of a whole list of atoms or seams whose entries are not lists or tables; else None."""
    outer, last = error["loc"][:-1], error["loc"][-1:]
    if not outer or not isinstance(last[0], int) or error["type"] not in EACH:
        return None
    value: Any = data
    for part in outer:
        value = value[part]
    if not isinstance(value, list) or cures.cure_of_value(outer, value) is None:
        return None
    return {"type": "whole_list", "loc": outer, "msg": "", "ctx": {"what": EACH[error["type"]]}, "input": value}


def _known_keys(schema: type[BaseModel], location: tuple[str | int, ...]) -> list[str]:
    """Return the keys that the table at the end of a location may have."""
    table: type[BaseModel] | None = schema
    inside: type[BaseModel] | None = None
    for part in location[:-1]:
        if table is not None and part in table.model_fields:
            inside = _table_of(table.model_fields[str(part)].annotation)
            table = inside
    return [field.alias or name for name, field in (table or schema).model_fields.items() if name != "shape"]


def _table_of(annotation: Any) -> type[BaseModel] | None:
    from pydantic import BaseModel

    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((t for a in typing.get_args(annotation) if (t := _table_of(a))), None)
