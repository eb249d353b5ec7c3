"""Puzzles in files that are no instance of ours, as the tables of instances."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from puzzlesat.config.files import integer
from puzzlesat.errors import PuzzleError, PuzzleWarning, listed, near_match, shown
from puzzlesat.formats.table import INSTANCE, Format, by_suffix, claimed, foreign, function


@dataclass(frozen=True)
class Foreign:
    """One puzzle of a file: its name, its table as an instance has it, and remarks for the head of a file."""

    name: str
    table: dict[str, Any]
    remarks: tuple[str, ...] = ()
    error: PuzzleError | None = None
    """Why it is no puzzle, though others in the file are: a draft. It keeps its number and its name."""
    unfinished: bool = False
    """Whether nobody can take this draft for a puzzle, since parts of it are missing."""


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


def read_tables(name: str | Path, problem: int | str | None = None) -> list[Foreign]:
    """Return the puzzles of a file, or one of them by its number or name, or the instance of a name with its model in it.

    Drafts are left out with a warning. Raises PuzzleError for what cannot be read, and for a draft that is chosen.
    """
    found = _with_drafts(name)
    if problem is not None:
        one = found[chosen(name, [each.name for each in found], problem)]
        if one.error is not None:
            raise one.error
        return [one]
    for draft in found:
        if draft.error is not None and not draft.unfinished:
            warnings.warn(f"{draft.error}; the other problems are read", PuzzleWarning, stacklevel=2)
    return [each for each in found if each.error is None]


def _with_drafts(name: str | Path) -> list[Foreign]:
    format = format_of(name)
    found: list[Foreign] = function(format.reads)(name if format is INSTANCE else Path(name))
    return found


def number_of(path: Path, name: str) -> int | None:
    """Return which of several puzzles in another program's file has a name; None where the file alone says it."""
    found = _with_drafts(path) if is_foreign(path) else []
    names = [one.name for one in found]
    return names.index(name) + 1 if sum(one.error is None for one in found) > 1 and name in names else None


def numbered(path: str | Path, names: Sequence[str]) -> str:
    """Return the names of several puzzles in a file with their numbers, for a message."""
    return listed(f"{number_of(Path(path), own) or i} {own}" for i, own in enumerate(names, start=1))


def chosen(path: str | Path, names: Sequence[str], problem: int | str) -> int:
    """Return the index of one of the puzzles in a file, by number, from 1, or name; of FAMILY/NAME the latter is enough where one has it.

    Raises PuzzleError where it is none.
    """
    name = str(problem)
    try:
        number = integer(name)
    except ValueError:
        meant = [own for own in names if own == name] or [own for own in names if own.rpartition("/")[2] == name]
        if len(meant) != 1:
            known = f"; there are {listed(meant)}" if meant else near_match(name, [*names, *(own.rpartition("/")[2] for own in names)])
            raise PuzzleError(f"{path}: there is no problem {shown(name)!r}{known}") from None
        return names.index(meant[0])
    if not 1 <= number <= len(names):
        raise PuzzleError(f"{path}: there is no problem {number}; it holds {len(names)}")
    return number - 1
