"""What a file holds that is to be converted: puzzles, a cover problem, or solutions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from puzzlesat.config.library import find_instance
from puzzlesat.config.read import read_table
from puzzlesat.cover.instance import BuiltInstance
from puzzlesat.cover.problem import CoverProblem
from puzzlesat.errors import NotSupportedError, PuzzleError
from puzzlesat.formats.cover_files import is_cover_file, read_cover_file
from puzzlesat.formats.foreign import chosen, holds_solutions, is_foreign, numbered, read_tables
from puzzlesat.formats.puzzles import instance_in
from puzzlesat.formats.solution_files import Row, read_solutions
from puzzlesat.formats.table import by_suffix, read, suffixes
from puzzlesat.puzzle.instance import Instance

Build = Callable[[Instance], BuiltInstance]


@dataclass(frozen=True)
class Which:
    """Which of several puzzles is meant, and what a file of solutions does not say."""

    problem: int | str | None = None
    """The number of the puzzle in the file, or its name."""
    instance: str | None = None
    """The puzzle to which the solutions belong."""
    map_file: Path | None = None
    """The map of variables that ``compile`` wrote."""


@dataclass(frozen=True)
class Found:
    """A puzzle in a file: its name, its table, and remarks for the head of a file."""

    name: str
    table: Mapping[str, Any]
    remarks: tuple[str, ...] = ()
    instance: str | None = None
    """The instance that it is, where it is none of other people's."""


@dataclass(frozen=True)
class Solved:
    """What a file says are solutions, and the instance they belong to."""

    built: BuiltInstance
    rows: tuple[Row, ...]


Content = list[Found] | CoverProblem | Solved


def read_content(source: str, which: Which, build: Build, fold: bool) -> Content:
    """Return what a file holds, by its suffix; an instance with its model in it where ``fold`` asks for that."""
    content = _content(source, which, build, fold)
    if not isinstance(content, Solved) and (which.instance or which.map_file):
        raise PuzzleError(f"--{'instance' if which.instance else 'map'} is for files of solutions, and {source} is not one; remove it")
    if not isinstance(content, list) and which.problem is not None and which.instance is None:
        raise PuzzleError(f"--problem is for files of puzzles, and {source} is not one; remove it")
    return content


def the_one(source: str, puzzles: list[Found]) -> Found:
    """Return the only puzzle of those that were read. Raises PuzzleError where nothing says which is meant."""
    if len(puzzles) > 1:
        names = numbered(source, [found.name for found in puzzles])
        raise PuzzleError(
            f"{source}: holds {len(puzzles)} problems ({names}); choose one with --problem N, or give a folder as OUT for all"
        )
    return puzzles[0]


def _content(source: str, which: Which, build: Build, fold: bool) -> Content:
    path = Path(source)
    if is_cover_file(source):
        return read_cover_file(path)
    if holds_solutions(path):
        return _read_solved(path, which, build)
    if unread := by_suffix(path, "cover problem"):
        *others, last = suffixes(read("cover problem"))
        raise NotSupportedError(f"{source}: {unread[0].what} are written, not read; give it as {', '.join(others)} or {last}")
    own = None if is_foreign(path) else source
    if own is None or fold:
        return [Found(one.name, one.table, one.remarks, own) for one in read_tables(source, which.problem)]
    path = find_instance(source)
    if which.problem is not None:
        chosen(source, [path.stem], which.problem)
    return [Found(path.stem, read_table(path), instance=own)]


def _read_solved(path: Path, which: Which, build: Build) -> Solved:
    def find(name: str | None) -> BuiltInstance:
        if (wanted := which.instance or name) is None:
            raise PuzzleError("it does not name its puzzle; give it with --instance NAME")
        try:
            return build(instance_in(wanted, which.problem))
        except PuzzleError as error:
            cure = "" if which.instance else "; give the file with --instance FILE"
            raise PuzzleError(*(f"{problem}{cure}" for problem in error.problems)) from None

    built, rows = read_solutions(path, find, which.map_file)
    return Solved(built, tuple(rows))
