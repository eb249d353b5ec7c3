"""Puzzles by name or file, whoever wrote it: instances, JSON lines, and those in the files of BurrTools and of the Legespiel solver."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from puzzlesat.config.files import LONGEST, integer, is_file
from puzzlesat.config.library import find_instance
from puzzlesat.config.read import instance_from, read_instance
from puzzlesat.config.schema import InstanceFile
from puzzlesat.errors import NotSupportedError, PuzzleError, listed, near_match, shown
from puzzlesat.formats.cover_files import is_cover_file
from puzzlesat.formats.foreign import is_foreign, read_tables
from puzzlesat.puzzle.instance import Instance
from puzzlesat.puzzle.load import make_instance, where


def instances_in(name: str | Path, problem: int | str | None = None) -> list[Instance]:
    """Return an instance, by name or file, or all puzzles of a file that holds several, or one of them by its number or name.

    Raises PuzzleError with everything that is wrong, and NotSupportedError for cover problems, which are no puzzles.
    """
    return [make_instance(table, path, own) for own, table, path in tables_in(name, problem)]


def instance_in(name: str | Path, problem: int | str | None = None) -> Instance:
    """Return the one instance in a file, or of a name. Raises PuzzleError, as ``instances_in`` does, and where several are in the file."""
    own, table, path = table_in(name, problem)
    return make_instance(table, path, own)


def table_in(name: str | Path, problem: int | str | None = None) -> tuple[str, InstanceFile, Path]:
    """Return the name, the table and the file of one puzzle, as ``tables_in`` does; raise PuzzleError where there are several."""
    found = tables_in(name, problem)
    if len(found) > 1:
        names = listed(f"{i} {own}" for i, (own, _, _) in enumerate(found, start=1))
        raise PuzzleError(f"{name}: holds {len(found)} problems ({names}); choose one by --problem N")
    return found[0]


def tables_in(name: str | Path, problem: int | str | None = None) -> list[tuple[str, InstanceFile, Path]]:
    """Return the name, the table and the file of each puzzle of which ``instances_in`` makes an instance."""
    path = Path(name)
    if len(str(name)) > LONGEST and not is_file(path):
        raise PuzzleError(f"{shown(str(name), LONGEST)}: no such file")
    if is_foreign(path):
        found = read_tables(path)
        if problem is not None:
            found = [found[chosen(path, [one.name for one in found], problem)]]
        return [(one.name, instance_from(one.table, where(path, one.name)), path) for one in found]
    if is_cover_file(str(name)):
        raise NotSupportedError(f"{name}: is a cover problem, without a form and tiles: 'puzzlesat count' counts its solutions, "
                                "'puzzlesat solve' lists them, 'puzzlesat convert' writes it for other programs")  # fmt: skip
    if problem is not None:
        raise PuzzleError(f"--problem is for files that may hold several puzzles, and {name} is none; leave it out")
    path = find_instance(str(name))
    return [(path.stem, read_instance(path), path)]


def number_of(path: Path, name: str) -> int | None:
    """Return which of several puzzles in another program's file has a name; None where the file alone says it."""
    names = [one.name for one in read_tables(path)] if is_foreign(path) else []
    return names.index(name) + 1 if len(names) > 1 and name in names else None


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
