"""The tables in the files of a puzzle: the instance, its model if it names one, and the grid."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from ..values import Rejected, shown

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

Table = Mapping[str, Any]
NOTHING: Mapping[str, Table] = MappingProxyType({})


@dataclass(frozen=True)
class PuzzleFiles:
    """The content of the files of a puzzle, as TOML tables."""

    puzzle: Table
    model: Table | None
    grid: Table


def tables_near(puzzle: Table, near: Path, models: Path, more: Mapping[str, Table] = NOTHING) -> PuzzleFiles:
    """Return the tables of an instance that lies in, or beside, the file ``near``.

    A table that it names is searched for in ``more``, then beside the file that names it, then in ``models`` or its folder ``grids``.
    """
    if "model" not in puzzle:
        return PuzzleFiles(puzzle, None, _grid(puzzle, near.parent, models, more))
    if "grid" in puzzle:
        raise Rejected("grid: the model has one already")
    model, place = _named(puzzle["model"], "model", (near.parent, models), more)
    return PuzzleFiles(puzzle, model, _grid(model, place, models, more))


def _grid(says: Table, place: Path, models: Path, more: Mapping[str, Table]) -> Table:
    """Return the grid of a model, or of an instance without model, from its own table or by name."""
    if "grid" not in says:
        raise Rejected("grid: the key is missing")
    if isinstance(says["grid"], Mapping):
        return says["grid"]
    return _named(says["grid"], "grid", (place, models / "grids"), more)[0]


def _named(name: Any, key: str, places: tuple[Path, Path], more: Mapping[str, Table]) -> tuple[Table, Path]:
    """Return the table with a name, and its folder. A file with this name but another kind of table is skipped."""
    if type(name) is not str or not name or set(name) & set("/\\") or name.startswith("."):
        raise Rejected(f"{key}: {shown(name)} is not a file name")
    if name in more:
        return more[name], places[0]
    for place in places:
        if (path := place / f"{name}.toml").is_file() and _is(key, table := _read(path)):
            return table, place
    raise Rejected(f"{key}: there is no file {shown(f'{name}.toml')}")


def _is(key: str, table: Table) -> bool:
    """Tell whether a table is a grid or a model, and neither an instance nor a study."""
    grid = "gram" in table or isinstance(table.get("atoms"), list)
    return grid if key == "grid" else not grid and table.keys().isdisjoint(("form", "expect", "model", "puzzles", "steps"))


def _read(path: Path) -> Table:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise Rejected(f"{path.name}: it cannot be read as TOML: {error}") from error


def only(stated: Any, where: str, keys: Iterable[str], needed: Iterable[str] = ()) -> Table:
    """Return a table that has only these keys, and all ``needed`` ones."""
    if not isinstance(stated, Mapping):
        raise Rejected(f"{where}: expected a table, got {shown(stated)}")
    if unknown := sorted(stated.keys() - set(keys)):
        raise Rejected(f"{where}: unknown key {shown(unknown[0])}")
    if missing := [key for key in needed if key not in stated]:
        raise Rejected(f"{where}: the key {shown(missing[0])} is missing")
    return stated


def listed(stated: Any, where: str) -> list[Any]:
    """Return an array with any content."""
    if not isinstance(stated, list | tuple):
        raise Rejected(f"{where}: expected a list, got {shown(stated)}")
    return list(stated)


def number(stated: Any, where: str) -> int:
    """Return a whole number."""
    if type(stated) is not int:
        raise Rejected(f"{where}: expected a whole number, got {shown(stated)}")
    return stated


def one_of(stated: Table, where: str, keys: Iterable[str]) -> str:
    """Return the only one of some keys that a table has."""
    there = [key for key in keys if key in stated]
    if len(there) != 1:
        raise Rejected(f"{where}: expected one of {', '.join(keys)}; it has {' and '.join(there) or 'none'}")
    return there[0]
