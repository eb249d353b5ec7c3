"""Puzzles by name or file, in any format: instances, JSON lines, and files of BurrTools and of the Legespiel solver.

An instance and the model that it names can be merged into one table, to be sent as one file.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, TypeVar

from puzzlesat import base, puzzles
from puzzlesat.formats.exact_covers import ExactCover, is_cover_file
from puzzlesat.formats.table import INSTANCE, Format, by_suffix, claimed, function, integer, readable


@dataclass(frozen=True)
class Foreign:
    """One puzzle of a file: its name, its table as in an instance, and remarks for the head of a file."""

    name: str
    table: dict[str, Any]
    remarks: tuple[str, ...] = ()
    error: base.PuzzleError | None = None
    """Why the problem is a draft, and no puzzle like others in the file. A draft keeps its number and its name."""
    unfinished: bool = False
    """True if the draft lacks parts, so that it cannot be mistaken for a puzzle."""


def is_foreign(name: str | Path) -> bool:
    """Tell by its suffix whether a file is in a format of puzzles other than instances; JSON lines may also hold solutions."""
    return any(f.reads and f is not INSTANCE for f in by_suffix(name, "puzzles"))


def format_of(name: str | Path) -> Format:
    """Return the format of a file of puzzles, by its suffix and, if necessary, its content; for a name, the format of instances."""
    formats = by_suffix(name, "puzzles") or [INSTANCE]
    return formats[0] if len(formats) == 1 else claimed(formats, Path(name))


def holds_solutions(path: Path) -> bool:
    """Tell by its suffix and, if necessary, its content whether a file holds solutions."""
    puzzles = [f for f in by_suffix(path, "puzzles") if f.reads]
    return bool(by_suffix(path, "solutions")) and not any(f.is_one and function(f.is_one)(path) for f in puzzles)


def read_tables(name: str | Path, problem: int | str | None = None) -> list[Foreign]:
    """Return the puzzles of a file, or one of them by its number or name, or the instance of a name with its model included.

    Drafts are skipped, with a warning if they are not merely unfinished. Raises PuzzleError if the file cannot be read, and if a draft is
    chosen.
    """
    found = _with_drafts(name)
    if problem is not None:
        entry = found[chosen(name, [each.name for each in found], problem)]
        if entry.error is not None:
            raise entry.error
        return [entry]
    for draft in found:
        if draft.error is not None and not draft.unfinished:
            warnings.warn(f"{draft.error}; the other problems are read", base.PuzzleWarning, stacklevel=2)
    return [each for each in found if each.error is None]


def _with_drafts(name: str | Path) -> list[Foreign]:
    format = format_of(name)
    found: list[Foreign] = function(format.reads)(name if format is INSTANCE else Path(name))
    return found


def number_of(path: Path, name: str) -> int | None:
    """Return the number of a named puzzle in another program's file; None if the file needs no number."""
    found = _with_drafts(path) if is_foreign(path) else []
    names = [entry.name for entry in found]
    return names.index(name) + 1 if sum(entry.error is None for entry in found) > 1 and name in names else None


def numbered(path: str | Path, names: Sequence[str]) -> str:
    """Return the names of several puzzles in a file with their numbers, for a message."""
    return base.listed(f"{number_of(Path(path), own) or i} {own}" for i, own in enumerate(names, start=1))


def chosen(path: str | Path, names: Sequence[str], problem: int | str) -> int:
    """Return the index of a puzzle in a file, by number, from 1, or name; for FAMILY/NAME, a unique NAME is enough.

    Raises PuzzleError if there is no such puzzle.
    """
    name = str(problem)
    try:
        number = integer(name)
    except ValueError:
        meant = [own for own in names if own == name] or [own for own in names if own.rpartition("/")[2] == name]
        if len(meant) != 1:
            known = (
                f"; there are {base.listed(meant)}"
                if meant
                else base.near_match(name, [*names, *(own.rpartition("/")[2] for own in names)])
            )
            raise base.PuzzleError(f"{path}: there is no problem {base.shown(name)!r}{known}") from None
        return names.index(meant[0])
    if not 1 <= number <= len(names):
        raise base.PuzzleError(f"{path}: there is no problem {number}; it holds {len(names)}")
    return number - 1


T = TypeVar("T")
Given = puzzles.Instance | puzzles.Puzzle | str | Path | Mapping[str, Any]
"""An argument for a puzzle: a loaded puzzle, or a name, a file, the text of a file in TOML, or its tables."""
NO_FILE = Path("puzzle")
"""A placeholder for the file in messages about a puzzle without a file; it is removed from the messages."""


def instance_given(puzzle: Given, problem: int | str | None = None, *, rules: Mapping[str, Any] | None = None) -> puzzles.Instance:
    """Return the instance of an argument, with ``rules`` as in ``instances_in``; a string of several lines is text.

    Raises PuzzleError with all errors of the puzzle.
    """
    rules = _as_lists(rules or {})
    if isinstance(puzzle, puzzles.Instance | puzzles.Puzzle):
        return puzzles.with_rules(puzzles.Instance.of(puzzle), rules) if rules else puzzles.Instance.of(puzzle)
    if (table := table_given(puzzle)) is not None:
        return _from_table(table, rules)
    if isinstance(puzzle, ExactCover):
        raise base.NotSupportedError(
            f"{puzzle.name}: a cover problem has no form and no tiles; 'count', 'solve', 'compile' and 'convert' take it"
        )
    if not isinstance(puzzle, str | Path):
        raise base.PuzzleError(
            f"puzzle: expected a name, a file, text in TOML, tables, or what 'load' returned, got {type(puzzle).__name__}"
        )
    if isinstance(puzzle, str) and "=" in puzzle and not base.is_file(Path(puzzle)):
        raise base.PuzzleError(f"{base.shown(puzzle)!r} is neither a name nor a file; as text, a puzzle needs several lines")
    return instance_in(puzzle, problem, rules=rules)


def table_given(given: Mapping[str, Any] | str | Path) -> dict[str, Any] | None:
    """Return tables that are given as such, or as text of several lines; None for a name or a file."""
    if isinstance(given, Mapping):
        return {key: _as_lists(value) for key, value in given.items()}
    if isinstance(given, str) and "\n" in given:
        return without_file(lambda: puzzles.table_of(given, NO_FILE))
    return None


def _from_table(table: dict[str, Any], rules: Mapping[str, Any]) -> puzzles.Instance:
    """Return the instance of a table with the keys of an instance file and an optional name, as in a file of JSON lines."""
    name = table.pop("name", puzzles.Instance.name)
    if not isinstance(name, str):
        raise base.PuzzleError(f"name: expected a string, got {base.shown(repr(name))}")
    table = _with_rules(table, rules) if rules else table
    file = without_file(lambda: puzzles.validated(puzzles.InstanceFile, table, NO_FILE))
    return replace(without_file(lambda: puzzles.Library().instance(file, NO_FILE)), name=name, path=None)


def _as_lists(value: Any) -> Any:
    """Return a value of a table with lists instead of tuples."""
    if isinstance(value, Mapping):
        return {key: _as_lists(inside) for key, inside in value.items()}
    return [_as_lists(inside) for inside in value] if isinstance(value, list | tuple) else value


def without_file(work: Callable[[], T], file: Path = NO_FILE) -> T:
    """Return the result of ``work``; remove the name of the file from each sentence of a PuzzleError."""
    try:
        return work()
    except base.PuzzleError as error:
        raise type(error)(*(problem.removeprefix(f"{file}: ") for problem in error.problems)) from None


def instances_in(name: str | Path, problem: int | str | None = None, *, rules: Mapping[str, Any] | None = None) -> list[puzzles.Instance]:
    """Return an instance, by name or file, or all puzzles of a file that holds several, or one of them by its number or name.

    ``rules`` are keys of the table ``solutions`` of a file. They replace the rules on solutions that the file has under the same keys, and
    its expected counts are dropped.

    Raises PuzzleError with all errors, and NotSupportedError for cover problems, which are not puzzles.
    """
    return [puzzles.Library().instance(table, path, own) for own, table, path in tables_in(name, problem, rules=rules)]


def instance_in(
    name: str | Path, problem: int | str | None = None, *, rules: Mapping[str, Any] | None = None, progress: base.Progress = base.SILENT
) -> puzzles.Instance:
    """Return the only instance of a file or a name, as ``instances_in`` does. Raises PuzzleError also if the file holds several."""
    progress.of("reading")({})
    with progress.overseen():
        if problem is None and not rules and (file := _of_package(name)) is not None:
            return _made_before(file)
        ((own, table, path),) = tables_in(name, problem, rules=rules, single=True)
        return puzzles.Library().instance(table, path, own)


def _of_package(name: str | Path) -> Path | None:
    """Return the file of an instance of the package; None for another puzzle."""
    if len(str(name)) > base.LONGEST or is_foreign(name) or is_cover_file(str(name)):
        return None
    path = puzzles.find_instance(str(name))
    return path if path.is_relative_to(base.data_folder("instances")) else None


def _made_before(path: Path) -> puzzles.Instance:
    """Return an instance of the package, from the cache if it is there: then nothing is validated again."""

    def made() -> dict[str, Any]:
        return puzzles.Library().instance(puzzles.validated(puzzles.InstanceFile, puzzles.read_table(path), path), path, path.stem).fields

    return puzzles.Instance.of_fields(base.kept(path.stem, [path, *base.data_files("models"), *base.data_files("grids")], made))


def tables_in(
    name: str | Path, problem: int | str | None = None, *, rules: Mapping[str, Any] | None = None, single: bool = False
) -> list[tuple[str, puzzles.InstanceFile, Path]]:
    """Return the name, the table and the file of each puzzle that ``instances_in`` returns.

    Raises PuzzleError if there are several but only a ``single`` one is allowed.
    """
    raw = raw_tables_in(name, problem, rules=rules)
    found = [(own, puzzles.validated(puzzles.InstanceFile, table, path, own), path) for own, table, path in raw]
    if single and len(found) > 1:
        names = numbered(name, [own for own, _, _ in found])
        raise base.PuzzleError(f"{name}: holds {len(found)} problems ({names}); choose one with --problem N")
    return found


def _with_rules(table: Mapping[str, Any], rules: Mapping[str, Any]) -> dict[str, Any]:
    """Return the table of a puzzle with rules on solutions, and without expected counts, which no longer hold."""
    own = table.get("solutions", {})
    kept = {key: value for key, value in table.items() if key != "expect"}
    return {**kept, "solutions": {**own, **rules}} if isinstance(own, dict) else kept


def raw_tables_in(
    name: str | Path, problem: int | str | None = None, *, rules: Mapping[str, Any] | None = None
) -> list[tuple[str, dict[str, Any], Path]]:
    """Return the same as ``tables_in``, with tables that are not validated."""
    found = _raw_tables_in(name, problem)
    return [(own, _with_rules(table, rules), path) for own, table, path in found] if rules else found


def _raw_tables_in(name: str | Path, problem: int | str | None) -> list[tuple[str, dict[str, Any], Path]]:
    path = Path(name)
    if len(str(name)) > base.LONGEST and not base.is_file(path):
        raise base.PuzzleError(f"{base.shown(str(name), base.LONGEST)}: {base.why_missing(path)}")
    if is_foreign(path):
        return [(entry.name, entry.table, path) for entry in read_tables(path, problem)]
    if is_cover_file(str(name)):
        raise base.NotSupportedError(f"{name}: is a cover problem, without a form and tiles: 'puzzlesat count' counts its solutions, "
                                "'puzzlesat solve' lists them, 'puzzlesat convert' writes it for other programs")  # fmt: skip
    if problem is not None:
        raise base.PuzzleError(f"--problem is for files that may hold several puzzles, and {name} is not one; remove it")
    path = puzzles.find_instance(str(name))
    return [(path.stem, puzzles.read_table(path), path)]


def puzzle_files(name: str, near: Path = Path()) -> list[Path]:
    """Return the files of puzzles that a name denotes: an instance of the package, a file, a whole folder, or a pattern.

    Files are relative to ``near``. A pattern that matches no file may match names of the package, such as ``pentominoes/*``. Raises
    PuzzleError if there is no puzzle.
    """
    path = near / name
    if base.is_folder(path):
        return _inside(path)
    if is_foreign(path) or base.is_file(path):
        return [path]
    if not any(character in name for character in "*?["):
        return [puzzles.find_instance(name)]
    try:
        found = sorted(Path(path.anchor).glob(str(path.relative_to(path.anchor))))
    except ValueError as error:
        raise base.PuzzleError(f"{name}: {error}") from None
    files = [file for item in found for file in (_inside(item) if base.is_folder(item) else [item] if _is_puzzle(item) else [])]
    own = [
        file for file in base.data_files("instances") if any(fnmatchcase(n, name) for n in (file.stem, f"{file.parent.name}/{file.stem}"))
    ]
    if not files and not own:
        what = "no file that it matches is a puzzle" if found else "no such file, and no instance of such a name"
        raise base.PuzzleError(f"{name}: {what}; 'puzzlesat list' shows those of the package")
    return list(dict.fromkeys(files)) or own


def _inside(folder: Path) -> list[Path]:
    """Return the puzzles below a folder."""
    found = [file for file in sorted(folder.rglob("*.toml")) if _is_puzzle(file)]
    found += sorted(file for suffix in readable("puzzles").foreign.unmistakable for file in folder.rglob(f"*{suffix}"))
    if not found:
        raise base.PuzzleError(f"{folder}: there is no instance file in this folder")
    return found


def _is_puzzle(file: Path) -> bool:
    return is_foreign(file) or (file.suffix == ".toml" and puzzles.kind_of_table(puzzles.read_table(file)) == "instance")


FIRST = (
    "title", "source", "grid", "flips", "turns", "may_cross", "mirrored", "use", "break_on", "together",
    "marks", "colours", "generate", "tiles", "form",
)  # fmt: skip
"""The order of the keys; other keys follow."""


def read_folded(name: str | Path) -> list[Foreign]:
    """Return the one puzzle of an instance, by name or file, as ``folded`` does."""
    return [Foreign(*folded(str(name)))]


def folded(name: str) -> tuple[str, dict[str, Any]]:
    """Return the name and the table of an instance that needs no other file: it includes its model, and a grid outside the package.

    The table loads as the same puzzle. Raises PuzzleError for an invalid instance.
    """
    puzzle = instance_in(name).puzzle  # raises all errors
    path = puzzles.find_instance(name)
    instance = puzzles.read_table(path)
    named: dict[str, Path] = {kind: file for kind, _, file in puzzles.named_files(instance, path)}
    model = puzzles.read_table(named["model"]) if "model" in named else {}
    if "grid" in named and named["grid"].parent != base.data_folder("grids"):
        (model or instance)["grid"] = stated(named["grid"])
    table = fold(puzzle.grid, model, instance)
    return path.stem, table


def stated(file: Path) -> dict[str, Any]:
    """Return the table of a grid for the file of a puzzle that needs no other file."""
    return {"name": file.stem, **{key: value for key, value in puzzles.read_table(file).items() if key != "about"}}


def fold(grid: puzzles.Grid, model: dict[str, Any], instance: dict[str, Any]) -> dict[str, Any]:
    """Return the table of an instance merged with the model that it names; both are tables as in files, and valid by themselves.

    Raises PuzzleError if the instance changes a tile that the model lacks.
    """
    table = {key: value for key, value in (model | instance).items() if key != "model"}
    for key in puzzles.ModelFile.model_fields.keys() & model.keys() & instance.keys():
        if isinstance(model[key], dict):
            table[key] = {**model[key], **instance[key]}
    generate, tiles = _spelled_out(grid, [*model.get("generate", []), *instance.get("generate", [])], model, instance)
    for tile, own in instance.get("tiles", {}).items():
        if _changes(own) and tile not in tiles:
            raise base.PuzzleError(f"tiles: there is no tile {tile!r}{base.near_match(tile, tiles)}")
        tiles[tile] = {**tiles.get(tile, {}), **own} if _changes(own) else own
    table |= {"generate": generate, "tiles": tiles}
    order = [key for key in FIRST if table.get(key) not in (None, [], {})] + [key for key in table if key not in FIRST]
    return {key: table[key] for key in order}


def _spelled_out(
    grid: puzzles.Grid, generators: list[dict[str, Any]], model: dict[str, Any], instance: dict[str, Any]
) -> tuple[list[dict[str, Any]], dict[str, dict[str, Any]]]:
    """Return the generators, and the tiles of the model; a generator is spelled out as tiles if the instance changes one of them."""
    changed = instance.get("tiles", {}).keys()
    if not changed:
        return generators, dict(model.get("tiles", {}))
    kept: list[dict[str, Any]] = []
    tiles: dict[str, dict[str, Any]] = {}
    named, alone = puzzles.tiles_of_generators(grid, generators)
    for generator, own in zip(generators, named, strict=True):
        if alone and changed.isdisjoint(tile.name for tile in own):
            kept.append(generator)
            continue
        copies = {key: generator[key] for key in ("copies",) if key in generator}
        for tile in own:
            atoms = [grid.ref(puzzles.translate(atom, (1,) * grid.dimension)) for atom in tile.atoms]
            tiles[tile.name] = {"atoms": atoms, **copies}
    return kept, tiles | {name: {**tiles.get(name, {}), **own} if _changes(own) else own for name, own in model.get("tiles", {}).items()}


def _changes(table: dict[str, Any]) -> bool:
    """Tell whether the table of a tile changes a tile whose shape is defined elsewhere."""
    return bool(table) and table.keys() <= set(puzzles.CHANGES)
