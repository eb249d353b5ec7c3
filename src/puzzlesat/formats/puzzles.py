"""Puzzles by name or file, whoever wrote it: instances, JSON lines, and those in the files of BurrTools and of the Legespiel solver.

An instance and the model that it names become one table, to be sent as one file.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, TypeVar

from puzzlesat.base import SILENT, NotSupportedError, Progress, PuzzleError, PuzzleWarning, listed, near_match, shown
from puzzlesat.formats.exact_covers import ExactCover, is_cover_file
from puzzlesat.formats.table import INSTANCE, Format, by_suffix, claimed, function, integer, readable
from puzzlesat.puzzles import (
    CHANGES,
    LONGEST,
    Grid,
    Instance,
    InstanceFile,
    ModelFile,
    Puzzle,
    data_files,
    data_folder,
    find_grid,
    find_instance,
    find_model,
    is_file,
    is_folder,
    kind_of_table,
    make_instance,
    read_table,
    table_of,
    tiles_of_generators,
    translate,
    validated,
    where,
    why_missing,
    with_solution_rules,
)


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
    return any(f.reads and f is not INSTANCE for f in by_suffix(name, "puzzles"))


def format_of(name: str | Path) -> Format:
    """Return the format of a file of puzzles, by its suffix, and where that is not enough by its content; that of instances for a name."""
    formats = by_suffix(name, "puzzles") or [INSTANCE]
    return formats[0] if len(formats) == 1 else claimed(formats, Path(name))


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
        return with_solution_rules(Instance.of(puzzle), rules) if rules else Instance.of(puzzle)
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
        return without_file(lambda: table_of(given, NO_FILE))
    return None


def _from_table(table: dict[str, Any], rules: Mapping[str, Any]) -> Instance:
    """The instance of a table with the keys of an instance file, and perhaps its name, as in a file of JSON lines."""
    name = table.pop("name", Instance.name)
    if not isinstance(name, str):
        raise PuzzleError(f"name: expected a string, got {shown(repr(name))}")
    table = _with_rules(table, rules) if rules else table
    return replace(without_file(lambda: make_instance(validated(InstanceFile, table, NO_FILE), NO_FILE)), name=name, path=None)


def _as_lists(value: Any) -> Any:
    """What a table says, with lists where Python has tuples."""
    if isinstance(value, Mapping):
        return {key: _as_lists(inside) for key, inside in value.items()}
    return [_as_lists(inside) for inside in value] if isinstance(value, list | tuple) else value


def without_file(work: Callable[[], T], file: Path = NO_FILE) -> T:
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
        ((own, table, path),) = tables_in(name, problem, rules=rules, single=True)
        return make_instance(table, path, own)


def tables_in(
    name: str | Path, problem: int | str | None = None, *, rules: Mapping[str, Any] | None = None, single: bool = False
) -> list[tuple[str, InstanceFile, Path]]:
    """Return the name, the table and the file of each puzzle of which ``instances_in`` makes an instance.

    Raises PuzzleError for several where only a ``single`` one will do.
    """
    raw = raw_tables_in(name, problem, rules=rules)
    found = [(own, validated(InstanceFile, table, where(path, own)), path) for own, table, path in raw]
    if single and len(found) > 1:
        names = numbered(name, [own for own, _, _ in found])
        raise PuzzleError(f"{name}: holds {len(found)} problems ({names}); choose one with --problem N")
    return found


def _with_rules(table: Mapping[str, Any], rules: Mapping[str, Any]) -> dict[str, Any]:
    """Return the table of a puzzle with rules on solutions, and without what is expected of its counts, which are others then."""
    own = table.get("solutions", {})
    kept = {key: value for key, value in table.items() if key != "expect"}
    return {**kept, "solutions": {**own, **rules}} if isinstance(own, dict) else kept


def raw_tables_in(
    name: str | Path, problem: int | str | None = None, *, rules: Mapping[str, Any] | None = None
) -> list[tuple[str, dict[str, Any], Path]]:
    """Return the same with the tables as they stand in the file; nothing has looked at what they say."""
    found = _raw_tables_in(name, problem)
    return [(own, _with_rules(table, rules), path) for own, table, path in found] if rules else found


def _raw_tables_in(name: str | Path, problem: int | str | None) -> list[tuple[str, dict[str, Any], Path]]:
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
    own = [file for file in data_files("instances") if any(fnmatchcase(n, name) for n in (file.stem, f"{file.parent.name}/{file.stem}"))]
    if not files and not own:
        what = "no file that it matches is a puzzle" if found else "no such file, and no instance of such a name"
        raise PuzzleError(f"{name}: {what}; 'puzzlesat list' shows those of the package")
    return list(dict.fromkeys(files)) or own


def _inside(folder: Path) -> list[Path]:
    """The puzzles below a folder."""
    found = [file for file in sorted(folder.rglob("*.toml")) if _is_puzzle(file)]
    found += sorted(file for suffix in readable("puzzles").foreign.unmistakable for file in folder.rglob(f"*{suffix}"))
    if not found:
        raise PuzzleError(f"{folder}: there is no instance file in this folder")
    return found


def _is_puzzle(file: Path) -> bool:
    return is_foreign(file) or (file.suffix == ".toml" and kind_of_table(read_table(file)) == "instance")


FIRST = (
    "title",
    "source",
    "grid",
    "flips",
    "turns",
    "may_cross",
    "mirrored",
    "use",
    "break_on",
    "together",
    "marks",
    "colours",
    "generate",
    "tiles",
    "form",
)
"""The order of the keys; others follow."""


def read_folded(name: str | Path) -> list[Foreign]:
    """Return the one puzzle of an instance, by name or file, as ``folded`` does."""
    return [Foreign(*folded(str(name)))]


def folded(name: str) -> tuple[str, dict[str, Any]]:
    """Return the name and the table of an instance that needs no other file: its model is in it, and a grid that is not of the package.

    It loads as the same puzzle. Raises PuzzleError for an instance that is wrong.
    """
    puzzle = instance_in(name).puzzle  # says everything that is wrong
    path = find_instance(name)
    instance = read_table(path)
    model_path = find_model(instance["model"], path) if "model" in instance else path
    model = read_table(model_path) if "model" in instance else {}
    holder = model or instance
    if isinstance(said := holder["grid"], str) and (file := find_grid(said, model_path)).parent != data_folder("grids"):
        holder["grid"] = stated(file)
    table = fold(puzzle.grid, model, instance)
    return path.stem, table


def stated(file: Path) -> dict[str, Any]:
    """Return the table of a grid as a puzzle's file holds it that shall need no other file."""
    return {"name": file.stem, **{key: value for key, value in read_table(file).items() if key != "about"}}


def fold(grid: Grid, model: dict[str, Any], instance: dict[str, Any]) -> dict[str, Any]:
    """Return the table of an instance with the keys of the model in it that it names, both as files have them, and each valid by itself.

    Raises PuzzleError where it changes a tile that the model has not.
    """
    table = {key: value for key, value in (model | instance).items() if key != "model"}
    for key in ModelFile.model_fields.keys() & model.keys() & instance.keys():
        if isinstance(model[key], dict):
            table[key] = {**model[key], **instance[key]}
    generate, tiles = _spelled_out(grid, [*model.get("generate", []), *instance.get("generate", [])], model, instance)
    for tile, own in instance.get("tiles", {}).items():
        if _changes(own) and tile not in tiles:
            raise PuzzleError(f"tiles: there is no tile {tile!r}{near_match(tile, tiles)}")
        tiles[tile] = {**tiles.get(tile, {}), **own} if _changes(own) else own
    table |= {"generate": generate, "tiles": tiles}
    order = [key for key in FIRST if table.get(key) not in (None, [], {})] + [key for key in table if key not in FIRST]
    return {key: table[key] for key in order}


def _spelled_out(
    grid: Grid, generators: list[dict[str, Any]], model: dict[str, Any], instance: dict[str, Any]
) -> tuple[list[dict[str, Any]], dict[str, dict[str, Any]]]:
    """The generators, and the tiles of the model; those of a generator of which the instance changes one are spelled out."""
    changed = instance.get("tiles", {}).keys()
    if not changed:
        return generators, dict(model.get("tiles", {}))
    kept: list[dict[str, Any]] = []
    tiles: dict[str, dict[str, Any]] = {}
    named, alone = tiles_of_generators(grid, generators)
    for generator, own in zip(generators, named, strict=True):
        if alone and changed.isdisjoint(tile.name for tile in own):
            kept.append(generator)
            continue
        copies = {key: generator[key] for key in ("copies",) if key in generator}
        tiles |= {tile.name: {"atoms": [grid.ref(translate(atom, (1,) * grid.dimension)) for atom in tile.atoms], **copies} for tile in own}
    return kept, tiles | {name: {**tiles.get(name, {}), **own} if _changes(own) else own for name, own in model.get("tiles", {}).items()}


def _changes(table: dict[str, Any]) -> bool:
    """Whether the table of a tile changes one whose shape is said elsewhere."""
    return bool(table) and table.keys() <= set(CHANGES)
