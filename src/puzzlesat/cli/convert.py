"""``puzzlesat convert``: other people's files, and ours, from one into another."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from puzzlesat.errors import PuzzleError, listed
from puzzlesat.formats.toml import instance_text

Tables = list[tuple[str, dict[str, Any]]]
"""Names and tables of the puzzles in a file."""


def run_convert(source: str, target: Path, number: int | None) -> int:
    """Write what ``source`` holds to ``target`` in the format of its suffix; return the exit status."""
    from puzzlesat.formats.burrtools import read_xmpuzzle

    tables = read_xmpuzzle(Path(source))
    _write_puzzles(source, tables, target, number)
    return 0


def _write_puzzles(source: str, tables: Tables, target: Path, number: int | None) -> None:
    """Write one puzzle to a file, or all of them to a folder."""
    if target.suffix == ".toml" and not target.is_dir():
        _, table = _chosen(source, tables, number)
        target.write_text(instance_text(table), encoding="utf-8")
        return
    if target.suffix:
        raise PuzzleError(f"{target}: no known format; OUT must end in .toml, or be a folder")
    target.mkdir(parents=True, exist_ok=True)
    for name, table in tables if number is None else [_chosen(source, tables, number)]:
        (target / f"{name}.toml").write_text(instance_text(table), encoding="utf-8")


def _chosen(source: str, tables: Tables, number: int | None) -> tuple[str, dict[str, Any]]:
    """The one puzzle that is meant."""
    if number is None and len(tables) > 1:
        names = listed(f"{i} {name}" for i, (name, _) in enumerate(tables, start=1))
        raise PuzzleError(f"{source}: holds {len(tables)} problems ({names}); choose one by --problem N, or name a folder as OUT for all")
    if number is not None and number > len(tables):
        raise PuzzleError(f"{source}: there is no problem {number}; it holds {len(tables)}")
    return tables[(number or 1) - 1]
