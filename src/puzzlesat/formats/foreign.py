"""Puzzles in files that are no instance of ours, as the tables of instances."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from puzzlesat.formats.table import INSTANCE, Format, by_suffix, claimed, foreign, function


@dataclass(frozen=True)
class Foreign:
    """One puzzle of a file: its name, its table as an instance has it, and remarks for the head of a file."""

    name: str
    table: dict[str, Any]
    remarks: tuple[str, ...] = ()


def is_foreign(name: str | Path) -> bool:
    """Tell by its suffix whether a file is one of puzzles that are no instance of ours; JSON lines may be of solutions as well."""
    return any(f in foreign() for f in by_suffix(name))


def format_of(name: str | Path) -> Format:
    """Return the format of a file of puzzles, by its suffix, and where that is not enough by its content; that of instances for a name."""
    formats = by_suffix(name, "puzzles") or [INSTANCE]
    return formats[0] if len(formats) == 1 else claimed(formats, Path(name))


def is_burrtools(path: Path) -> bool:
    """Tell whether a file of puzzles is one of BurrTools."""
    return format_of(path).name == "xmpuzzle"


def holds_solutions(path: Path) -> bool:
    """Tell by its suffix, and where that is not enough by its content, whether a file holds solutions."""
    puzzles = [f for f in by_suffix(path, "puzzles") if f.reads]
    return bool(by_suffix(path, "solutions")) and not any(f.is_one and function(f.is_one)(path) for f in puzzles)


def read_tables(name: str | Path) -> list[Foreign]:
    """Return the puzzles of a file, or the instance of a name with its model in it. Raises PuzzleError for what cannot be read."""
    format = format_of(name)
    found: list[Foreign] = function(format.reads)(name if format is INSTANCE else Path(name))
    return found
