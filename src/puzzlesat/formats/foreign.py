"""Puzzles in other people's files, as the tables of instances."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from puzzlesat.config.read import OTHERS
from puzzlesat.formats.burrtools import read_xmpuzzle
from puzzlesat.formats.legespiel import is_legespiel, read_legespiel


@dataclass(frozen=True)
class Foreign:
    """One puzzle of a file: its name, its table as an instance has it, and remarks for the head of a file."""

    name: str
    table: dict[str, Any]
    remarks: tuple[str, ...] = ()


def is_foreign(name: str | Path) -> bool:
    """Tell by its suffix whether a file is one of another program's puzzles."""
    return Path(name).suffix.lower() in OTHERS


def read_foreign(path: Path) -> list[Foreign]:
    """Return the puzzles of a file of BurrTools or of the Legespiel solver. Raises PuzzleError for what cannot be read."""
    if path.suffix.lower() == ".xml" and is_legespiel(path):
        name, table, remarks = read_legespiel(path)
        return [Foreign(name, table, tuple(remarks))]
    return [Foreign(name, table) for name, table in read_xmpuzzle(path)]
