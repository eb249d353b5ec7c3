"""Puzzles by name or file, whoever wrote it: instances, JSON lines, and those in the files of BurrTools and of the Legespiel solver."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, TypeVar

from puzzlesat.config.files import LONGEST, is_file, is_folder, why_missing
from puzzlesat.config.library import find_instance
from puzzlesat.config.package import instance_files
from puzzlesat.config.read import instance_from, kind_of, read_table, table_of
from puzzlesat.config.schema import InstanceFile
from puzzlesat.errors import NotSupportedError, PuzzleError, shown
from puzzlesat.formats.cover_files import is_cover_file
from puzzlesat.formats.exact_cover import ExactCover
from puzzlesat.formats.foreign import is_foreign, numbered, read_tables
from puzzlesat.formats.table import found_in_folders
from puzzlesat.progress import SILENT, Progress
from puzzlesat.puzzle.data import Puzzle
from puzzlesat.puzzle.instance import NAMELESS, Instance, instance_of
from puzzlesat.puzzle.load import make_instance, where
from puzzlesat.puzzle.solution_rules import with_solution_rules

T = TypeVar("T")
Given = Instance | Puzzle | str | Path | Mapping[str, Any]
"""What a function of the library takes as a puzzle: as it is loaded, or a name, a file, the text of one in TOML, or its tables."""
NO_FILE = Path("puzzle")
"""Stands for the file in the messages on a puzzle that comes from none, and is taken out of them."""


def instance_given(puzzle: Given, problem: int | str | None = None, *, rules: Mapping[str, Any] | None = None) -> Instance:
    """Return the instance that is meant, with ``rules`` as ``instances_in`` has them; a string of several lines is text.

    Raises PuzzleError with everything that is wrong with it.
    """
    rules = _as_lists(rules or {})
    if isinstance(puzzle, Instance | Puzzle):
        return with_solution_rules(instance_of(puzzle), rules) if rules else instance_of(puzzle)
    if (table := table_given(puzzle)) is not None:
        return _from_table(table, rules)
    if isinstance(puzzle, ExactCover):
        raise NotSupportedError(
            f"{puzzle.name}: a cover problem has no form and no tiles; 'count', 'solve', 'compile' and 'convert' take it"
        )
    if not isinstance(puzzle, str | Path):
        raise PuzzleError(f"puzzle: expected a name, a file, text in TOML, tables, or what 'load' returned, got {type(puzzle).__name__}")
    if isinstance(puzzle, str) and "=" in puzzle and not is_file(Path(puzzle)):
        raise PuzzleError(f"{shown(puzzle)!r} is neither a name nor a file; as text, a puzzle needs several lines")
    return instance_in(puzzle, problem, rules=rules)


def table_given(given: Mapping[str, Any] | str | Path) -> dict[str, Any] | None:
    """Return the tables that are given as such, or as text of several lines; None for a name or a file."""
    if isinstance(given, Mapping):
        return {key: _as_lists(value) for key, value in given.items()}
    if isinstance(given, str) and "\n" in given:
        return without_file(lambda: table_of(given, NO_FILE), NO_FILE)
    return None


def _from_table(table: dict[str, Any], rules: Mapping[str, Any]) -> Instance:
    """The instance of a table with the keys of an instance file, and perhaps its name, as in a file of JSON lines."""
    name = table.pop("name", NAMELESS)
    if not isinstance(name, str):
        raise PuzzleError(f"name: expected a string, got {shown(repr(name))}")
    table = with_rules(table, rules) if rules else table
    return replace(without_file(lambda: make_instance(instance_from(table, NO_FILE), NO_FILE), NO_FILE), name=name, path=None)


def _as_lists(value: Any) -> Any:
    """What a table says, with lists where Python has tuples."""
    if isinstance(value, Mapping):
        return {key: _as_lists(inside) for key, inside in value.items()}
    return [_as_lists(inside) for inside in value] if isinstance(value, list | tuple) else value


def without_file(work: Callable[[], T], file: Path) -> T:
    """Return what some work does; where it raises PuzzleError, without the name of the file before each sentence."""
    try:
        return work()
    except PuzzleError as error:
        raise type(error)(*(problem.removeprefix(f"{file}: ") for problem in error.problems)) from None


def instances_in(name: str | Path, problem: int | str | None = None, *, rules: Mapping[str, Any] | None = None) -> list[Instance]:
    """Return an instance, by name or file, or all puzzles of a file that holds several, or one of them by its number or name.

    With ``rules``, keys of the table ``solutions`` of a file, it is the puzzle with these rules on solutions: they take the place of what
    the file has under the same keys, and what it expects of its counts is left out.

    Raises PuzzleError with everything that is wrong, and NotSupportedError for cover problems, which are no puzzles.
    """
    return [make_instance(table, path, own) for own, table, path in tables_in(name, problem, rules=rules)]


def instance_in(
    name: str | Path, problem: int | str | None = None, *, rules: Mapping[str, Any] | None = None, progress: Progress = SILENT
) -> Instance:
    """Return the one instance in a file, or of a name, as ``instances_in`` does. Raises PuzzleError also where several are in the file."""
    progress.of("reading")({})
    with progress.overseen():
        own, table, path = table_in(name, problem, rules=rules)
        return make_instance(table, path, own)


def table_in(
    name: str | Path, problem: int | str | None = None, *, rules: Mapping[str, Any] | None = None
) -> tuple[str, InstanceFile, Path]:
    """Return the name, the table and the file of one puzzle, as ``tables_in`` does; raise PuzzleError where there are several."""
    found = tables_in(name, problem, rules=rules)
    if len(found) > 1:
        names = numbered(name, [own for own, _, _ in found])
        raise PuzzleError(f"{name}: holds {len(found)} problems ({names}); choose one with --problem N")
    return found[0]


def tables_in(
    name: str | Path, problem: int | str | None = None, *, rules: Mapping[str, Any] | None = None
) -> list[tuple[str, InstanceFile, Path]]:
    """Return the name, the table and the file of each puzzle of which ``instances_in`` makes an instance."""
    raw = raw_tables_in(name, problem)
    return [(own, instance_from(with_rules(table, rules) if rules else table, where(path, own)), path) for own, table, path in raw]


def with_rules(table: Mapping[str, Any], rules: Mapping[str, Any]) -> dict[str, Any]:
    """Return the table of a puzzle with rules on solutions, and without what is expected of its counts, which are others then."""
    own = table.get("solutions", {})
    kept = {key: value for key, value in table.items() if key != "expect"}
    return {**kept, "solutions": {**own, **rules}} if isinstance(own, dict) else kept


def raw_tables_in(name: str | Path, problem: int | str | None = None) -> list[tuple[str, dict[str, Any], Path]]:
    """Return the same with the tables as they stand in the file; nothing has looked at what they say."""
    path = Path(name)
    if len(str(name)) > LONGEST and not is_file(path):
        raise PuzzleError(f"{shown(str(name), LONGEST)}: {why_missing(path)}")
    if is_foreign(path):
        return [(one.name, one.table, path) for one in read_tables(path, problem)]
    if is_cover_file(str(name)):
        raise NotSupportedError(f"{name}: is a cover problem, without a form and tiles: 'puzzlesat count' counts its solutions, "
                                "'puzzlesat solve' lists them, 'puzzlesat convert' writes it for other programs")  # fmt: skip
    if problem is not None:
        raise PuzzleError(f"--problem is for files that may hold several puzzles, and {name} is not one; remove it")
    path = find_instance(str(name))
    return [(path.stem, read_table(path), path)]


def puzzle_files(name: str, near: Path = Path()) -> list[Path]:
    """Return the files of puzzles that a name stands for: an instance of the package, a file, a whole folder, a pattern.

    Files lie below ``near``; a pattern that no file has may be one of names of the package, such as ``pentominoes/*``. Raises PuzzleError
    where there is none.
    """
    path = near / name
    if is_folder(path):
        return _inside(path)
    if is_foreign(path) or is_file(path):
        return [path]
    if not any(character in name for character in "*?["):
        return [find_instance(name)]
    try:
        found = sorted(Path(path.anchor).glob(str(path.relative_to(path.anchor))))
    except ValueError as error:
        raise PuzzleError(f"{name}: {error}") from None
    files = [file for one in found for file in (_inside(one) if is_folder(one) else [one] if _is_puzzle(one) else [])]
    own = [file for file in instance_files() if any(fnmatchcase(n, name) for n in (file.stem, f"{file.parent.name}/{file.stem}"))]
    if not files and not own:
        what = "no file that it matches is a puzzle" if found else "no such file, and no instance of such a name"
        raise PuzzleError(f"{name}: {what}; 'puzzlesat list' shows those of the package")
    return list(dict.fromkeys(files)) or own


def _inside(folder: Path) -> list[Path]:
    """The puzzles below a folder."""
    found = [file for file in instance_files(folder) if _is_puzzle(file)]
    found += sorted(file for suffix in found_in_folders() for file in folder.rglob(f"*{suffix}"))
    if not found:
        raise PuzzleError(f"{folder}: there is no instance file in this folder")
    return found


def _is_puzzle(file: Path) -> bool:
    return is_foreign(file) or (file.suffix == ".toml" and kind_of(file) == "instance")
