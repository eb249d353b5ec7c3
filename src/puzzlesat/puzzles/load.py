"""Make the puzzle of an instance from its file and its model, and report every error at once.

``load_instance`` reads a file; ``Library.instance`` takes a table that was read. ``puzzlesat.load`` reaches these two by way of
``formats.puzzles``, which also reads the files of other programs.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial, reduce
from itertools import chain
from pathlib import Path
from typing import Any, TypeVar

from puzzlesat.base import PuzzleError, PuzzleWarning, data_folder, listed, many, near_match, text_of
from puzzlesat.puzzles.forms import form_from_table, rule_from_table, split_from_table
from puzzlesat.puzzles.grid import Grid
from puzzlesat.puzzles.grids import check_grid, load_grid, make_grid, stated_grid
from puzzlesat.puzzles.lattice import multiply
from puzzlesat.puzzles.library import find_grid, find_instance, find_model, named_files
from puzzlesat.puzzles.puzzle import Form, Instance, Puzzle, Rule, Split, Tile, Written
from puzzlesat.puzzles.reading import kind_of_table, nth_table, read_file, read_table, table_of, validated, where, without_wrong_keys
from puzzlesat.puzzles.schema import (
    CHANGES,
    ConditionTable,
    FormTable,
    GenerateTable,
    GridFile,
    InstanceFile,
    MarkTable,
    ModelFile,
    StatedGrid,
    SumTable,
    TileTable,
)
from puzzlesat.puzzles.solution_rules import rules_by_name, solution_rules_from_table
from puzzlesat.puzzles.tiles import check_listed, generated_tiles, join_identical, parts_remark, picture_remark, tile_from_table, with_sizes

Result = TypeVar("Result")
LABELLED = ("labelled", "labelled_distinct", "labelled_turns", "split_labelled")
"""Counts in which copies of a tile are different."""
CACHED_LIBRARIES = 256
"""Size of the cache of libraries of texts."""


class _Problems:
    """Collects errors: one run reports all of them."""

    def __init__(self, where: Path | str) -> None:
        self.where = where
        self.found: list[str] = []

    def attempt(self, key: str, make: Callable[[], Result]) -> Result | None:
        """Return the result of ``make``. On a PuzzleError, note its sentences under ``key`` and return None."""
        try:
            return make()
        except PuzzleError as error:
            self.found += [f"{self.where}: {key}{p}" for p in error.problems]
            return None

    def note(self, problem: str) -> None:
        self.found.append(f"{self.where}: {problem}")


def _model_file(name: str, near: Path) -> tuple[ModelFile, Path]:
    path = find_model(name, near)
    return read_file(ModelFile, path), path


@dataclass(frozen=True)
class Library:
    """Finds the models and grids that files name, by default in the folder of the file that names one, then in the package."""

    model: Callable[[str, Path], tuple[ModelFile, Path]] = _model_file
    """Returns a model and its file, by its name and the file that names it."""
    grid: Callable[[str, Path], Grid] = lambda name, near: load_grid(find_grid(name, near))
    """Returns a grid, by its name and the file that names it."""
    files: Mapping[str, str] = field(default_factory=dict)
    """The texts of models and grids that are not files, by name."""

    @staticmethod
    @lru_cache(CACHED_LIBRARIES)
    def of_texts(files: tuple[tuple[str, str], ...]) -> Library:
        """Return a library of named texts of models and grids, and of the package. It reads no other folder, and each file once."""
        own, package_file = Library(), data_folder("models") / "any.toml"
        tables = [(name, Path(f"{name}.toml"), table_of(text, Path(f"{name}.toml"))) for name, text in files]
        models, grids = (  # a model and a grid may have the same name
            {name: (table, path) for name, path, table in tables if (kind_of_table(table) == "model") == model} for model in (True, False)
        )

        @lru_cache(None)
        def model(name: str) -> tuple[ModelFile, Path]:
            return (validated(ModelFile, *models[name]), models[name][1]) if name in models else own.model(name, package_file)

        @lru_cache(None)
        def grid(name: str) -> Grid:
            return own.grid_of(validated(GridFile, *grids[name]), grids[name][1]) if name in grids else own.grid(name, package_file)

        return Library(lambda name, _: model(name), lambda name, _: grid(name), dict(files))

    @staticmethod
    def own_texts(table: Mapping[str, Any], path: Path) -> dict[str, str]:
        """Return the texts of the model and the grid that the table of the instance file ``path`` names, unless the package has them.

        Raises PuzzleError if one of them does not exist.
        """
        named = (one for one in named_files(table, path) if one[2].parent != data_folder(f"{one[0]}s"))
        return {name: text_of(file) for _, name, file in named}  # ``named_files`` has bounded their sizes

    def grid_of(self, stated: str | GridFile | Mapping[str, Any], near: Path) -> Grid:
        """Return the grid that the file ``near`` names, states or is. Raises PuzzleError if it does not exist or is wrong."""
        if isinstance(stated, str):
            return self.grid(stated, near)
        found = validated(StatedGrid, dict(stated), f"{near}: grid") if isinstance(stated, Mapping) else stated
        return stated_grid(found, near) if isinstance(found, StatedGrid) else make_grid(found, near)

    def instance(self, file: InstanceFile, path: Path, name: str | None = None) -> Instance:
        """Return the instance of a file that was read from ``path``. Its name is ``name``, or else the name of the file.

        Raises PuzzleError with every error in the file.
        """
        instance, wrong = instance_and_problems(file, path, name, library=self)
        if wrong or instance is None:
            raise PuzzleError(*wrong)
        return instance

    def fill(
        self, form: FormTable, tiles: Sequence[Tile], file: InstanceFile, path: Path, name: str, origin: Path | None = None, *, whole: bool
    ) -> Instance:
        """Return the puzzle of filling a form with tiles that were made before, under the rules of a file that was read from ``path``.

        The file's expected counts and ``[split]`` are ignored. Say ``whole`` if the tiles are all tiles of the file: then the second reader
        can read the puzzle too. Raises PuzzleError with every error; the messages begin with ``origin``, the file of the form.
        """
        problems = _Problems(path)
        stated = file.model_copy(update={"form": form, "split": None})
        try:
            model, model_path = _model_of(stated, path, path, self)
            _, puzzle = _puzzle(stated, model, self.grid_of(model.grid, model_path), problems, tiles)
            if problems.found or puzzle is None:
                raise PuzzleError(*problems.found)
        except PuzzleError as error:
            here = path if origin is None else where(origin, name)
            raise PuzzleError(*(f"{here}: {p.removeprefix(f'{path}: ')}" for p in error.problems)) from None
        written = None
        if whole and file.said is not None:
            tables = {key: value for key, value in file.said.items() if key not in ("split", "expect")}
            keys = form.model_dump(mode="json", exclude_defaults=True, exclude={"shape"})
            written = Written({**tables, "form": keys | dict([form.shape] if form.shape else [])}, path, {})
        return Instance(puzzle, name=name, title=name, path=origin, written=written)

    def describe(self, path: Path) -> str:
        """Return a sentence that describes the file of a grid or a model.

        Raises PuzzleError with every error in the file and in the grid of a model.
        """
        table = read_table(path)
        if kind_of_table(table) == "grid":
            grid = check_grid(path)
            return f"grid of {many(len(grid.atoms), 'atom')} a cell, {many(len(grid.symmetries), 'symmetry', 'symmetries')}"
        try:
            model = validated(ModelFile, table, path)
        except PuzzleError as error:
            raise PuzzleError(*error.problems, *self._problems_of_names(table, path)) from None
        tiles = model_tiles(self.grid_of(model.grid, path), model, path)
        return f"model of {many(len(tiles), 'tile')} on grid {model.grid_name!r}; it has no form, so it cannot be counted"

    def problems_in(self, table: dict[str, Any], path: Path, name: str, build: Callable[[Instance], object]) -> list[str]:
        """Return everything that is wrong with a puzzle's table. Wrong parts on which nothing else depends do not hide other problems."""
        wrong: list[str] = []
        try:
            file: InstanceFile | None = validated(InstanceFile, table, path, name)
        except PuzzleError as error:
            wrong += error.problems
            file = without_wrong_keys(table, where(path, name))
        try:
            if file is None:
                return wrong + self._problems_of_names(table, path)
            instance, more = instance_and_problems(file, path, name, library=self)
            wrong += more
            if instance is not None:
                build(instance)
        except PuzzleError as error:
            wrong += error.problems
        return wrong

    def _problems_of_names(self, data: Mapping[str, Any], path: Path) -> list[str]:
        """Return the errors in the model or the grid that a table names. The table may have other errors."""
        model, grid = data.get("model"), data.get("grid")
        try:
            if isinstance(model, str):
                file, path = self.model(model, path)
                self.grid_of(file.grid, path)
            elif isinstance(grid, str):
                self.grid(grid, path)
        except PuzzleError as error:
            return [*error.problems]
        return []


def load_instance(name: str | Path) -> Instance:
    """Load an instance by name or path. Raises PuzzleError with every error in its files."""
    path = find_instance(str(name))
    return Library().instance(read_file(InstanceFile, path), path)


def instance_and_problems(
    file: InstanceFile, path: Path, name: str | None = None, *, library: Library
) -> tuple[Instance | None, list[str]]:
    """Return the instance of a file without its wrong parts, or None if its tiles or its form are wrong; and a sentence for each error.

    Raises PuzzleError if its model or grid cannot be read, or if it has no tiles.
    """
    problems = _Problems(where(path, name))
    model, model_path = _model_of(file, path, problems.where, library)
    tiles, puzzle = _puzzle(file, model, library.grid_of(model.grid, model_path), problems)
    _check_break_on(file, tiles, problems)
    _check_together(file, tiles, problems)
    _check_expect(file, tiles, problems)
    if puzzle is None:
        return None, problems.found
    instance = Instance(
        puzzle,
        name=path.stem if name is None else name,
        title=file.title,
        path=path,
        source=file.source or model.source,
        expect=file.expect,
        break_on=next((t.name for t in tiles if file.break_on in t.members), None),
        together=tuple(frozenset(t.name for t in tiles if not group.isdisjoint(t.members)) for group in map(set, file.together)),
        mirrored_stated=file.mirrored is not None,
        file=file,
        written=None if file.said is None else Written(file.said, path, library.files),
    )
    return instance, problems.found


def _puzzle(
    instance: InstanceFile, model: ModelFile, grid: Grid, problems: _Problems, known: Sequence[Tile] | None = None
) -> tuple[list[Tile], Puzzle | None]:
    """Return the tiles of an instance, and its puzzle without its wrong rules, or None if its tiles or its form are wrong."""
    mates = _mates(model.marks, problems)
    fits = _fits(model.colours, mates, problems)
    tiles = _tiles(grid, model, instance, problems, mates) if known is None else list(known)
    form = problems.attempt("", lambda: form_from_table(grid, instance.form, may_cross=model.may_cross))
    _remark_on_form(grid, model, instance, problems)
    border = _border(instance, mates, problems)
    if form is None:
        return tiles, None
    for tile in tiles:
        problems.attempt(f"tiles.{tile.name}: ", partial(check_listed, grid, tile, form, may_cross=model.may_cross))
    sound = not problems.found
    rules, split = _rules_and_split(grid, form, instance, tiles, problems)
    solutions = problems.attempt("", lambda: solution_rules_from_table(grid, form, tiles, instance.solutions))
    if not sound:
        return tiles, None
    return tiles, Puzzle(
        grid=grid,
        tiles=tuple(tiles),
        form=form,
        rules=rules,
        mates=mates,
        fits=fits,
        border=border,
        may_cross=model.may_cross,
        fixed=tuple(instance.form.fixed),
        mirrored_same=(model.flips if instance.mirrored is None else instance.mirrored == "same"),
        split=split,
        solutions=rules_by_name(instance.solutions) if solutions is None else solutions,
    )


def _remark_on_form(grid: Grid, model: ModelFile, instance: InstanceFile, problems: _Problems) -> None:
    """Warn of colours of the form on which no count depends, and of letters in its picture."""
    form, remarks = instance.form, []
    shown = any(table.placements is not None for table in (*model.tiles.values(), *instance.tiles.values()))  # pictures have the colours
    if form.colours and not shown and not model.colours and not any(rule.colour for rule in instance.solutions.holds):
        remarks.append("form.colours changes nothing: no table [colours] says which tiles may lie where; add one, or remove this key")
    if form.picture is not None and (remark := picture_remark(grid, form.picture, coloured=bool(model.colours) and not form.colours)):
        remarks.append(f"form.{remark}")
    for remark in remarks:
        warnings.warn(f"{problems.where}: {remark}", PuzzleWarning, stacklevel=2)


def _check_break_on(file: InstanceFile, tiles: Sequence[Tile], problems: _Problems) -> None:
    """Check that the tile of ``break_on`` exists and is used exactly once."""
    names = {m for tile in tiles for m in tile.members}
    if file.break_on is not None and file.break_on not in names:
        problems.note(f"break_on: there is no tile {file.break_on!r}{near_match(file.break_on, names)}")
    if any(file.break_on in t.members and (t.low, t.high) != (1, 1) for t in tiles):
        problems.note(f"break_on: tile {file.break_on!r} is not used exactly once; choose one that is, or remove the key")


def _check_together(file: InstanceFile, tiles: Sequence[Tile], problems: _Problems) -> None:
    """Check that the tiles of ``together`` exist."""
    names = {m for tile in tiles for m in tile.members}
    for name in (n for group in file.together for n in group if n not in names):
        problems.note(f"together: there is no tile {name!r}{near_match(name, names)}")


def _check_expect(file: InstanceFile, tiles: Sequence[Tile], problems: _Problems) -> None:
    """Check that no count with copies told apart is expected if a tile has copies without limit."""
    if limitless := [t.name for t in tiles if t.high is None]:
        for key in LABELLED:
            if getattr(file.expect, key) is not None:
                problems.note(f"expect.{key}: not defined, because tile {limitless[0]!r} has copies without limit; remove the key")


def _rules_and_split(
    grid: Grid, form: Form, instance: InstanceFile, tiles: list[Tile], problems: _Problems
) -> tuple[tuple[Rule, ...], Split | None]:
    """Return the rules of ``[[conditions]]`` and the split of ``[split]``."""
    names = {m for tile in tiles for m in tile.members}
    rules = [problems.attempt("", partial(rule_from_table, grid, form, names, c)) for c in instance.conditions]
    split = None if instance.split is None else problems.attempt("", partial(split_from_table, grid, form, instance.split))
    found = tuple(rule for rule in rules if rule is not None)
    for rule in found:
        _check_joined_weights(tiles, rule, f"conditions.{rule.name}", problems)
    for rule in _sums_of_goal(grid, form, instance, names, problems):
        _check_joined_weights(tiles, rule, "best", problems)
    return found, split


def _sums_of_goal(grid: Grid, form: Form, instance: InstanceFile, names: set[str], problems: _Problems) -> Iterator[Rule]:
    """Yield the sum that ``best`` asks for, as a condition, to be checked like one."""
    stated = None if instance.best is None else instance.best.most or instance.best.fewest
    if isinstance(stated, SumTable):
        table = ConditionTable.model_construct(**{**dict(stated), "name": "best", "between": None, "equals": 0, "modulo": None})
        try:
            yield rule_from_table(grid, form, names, table)
        except PuzzleError as error:
            for problem in error.problems:
                problems.note(problem.replace("conditions.best", "best"))


def _border(instance: InstanceFile, mates: Mapping[str, str | None], problems: _Problems) -> str | None:
    """Check that the mark of ``form.border`` exists."""
    border = instance.form.border
    if border is not None and border not in mates:
        problems.note(f"form.border: there is no mark {border!r}{near_match(border, mates)}")
    return border


def _check_joined_weights(tiles: list[Tile], rule: Rule, where: str, problems: _Problems) -> None:
    """Check that a condition has the same weight for identical tiles, because they count as copies of one."""
    for tile in tiles:
        if len({rule.tiles.get(m, 0) for m in tile.members}) > 1:
            names = ", ".join(tile.members)
            problems.note(f"{where}: tiles {names} are identical and count as copies; give them the same weight")


def model_tiles(grid: Grid, model: ModelFile, path: Path) -> list[Tile]:
    """Return the tiles of a model. Raises PuzzleError with every problem."""
    problems = _Problems(path)
    bare = InstanceFile.model_construct(model="", tiles={}, generate=[], use=None)
    tiles = _tiles(grid, model, bare, problems, _mates(model.marks, problems))
    if problems.found:
        raise PuzzleError(*problems.found)
    return tiles


def _model_of(instance: InstanceFile, path: Path, where: Path | str, library: Library) -> tuple[ModelFile, Path]:
    """Return the model that an instance names or contains, with the instance's own flips and turns, and its file."""
    if instance.model is None:
        keys = ("title", "source", "grid", "flips", "may_cross", "marks", "colours", "generate", "tiles")
        own = {key: getattr(instance, key) for key in keys}
        if "turns" in instance.model_fields_set:
            own["turns"] = instance.turns
        bare = [name for name, tile in instance.tiles.items() if not (tile.has_shape or (instance.generate and tile.changes_a_tile))]
        if bare:
            raise PuzzleError(*(f"{where}: tiles.{name}: expected one of picture, atoms, around, placements" for name in bare))
        if not instance.tiles and not instance.generate:
            raise PuzzleError(f"{where}: no tiles; add [tiles.NAME] or [[generate]], or give a model")
        return ModelFile.model_construct(**own), path
    model, model_path = library.model(instance.model, path)
    changes = {key: getattr(instance, key) for key in ("flips", "turns", "may_cross") if key in instance.model_fields_set}
    extra = {key: {**getattr(model, key), **getattr(instance, key)} for key in ("marks", "colours")}
    return model.model_copy(update=changes | extra), model_path


def _tiles(grid: Grid, model: ModelFile, instance: InstanceFile, problems: _Problems, mates: dict[str, str | None]) -> list[Tile]:
    """Return the used tiles of ``[[generate]]`` and ``[tiles.NAME]``, with the copies and colours of tables without a shape."""
    tables, changes = _tables(model, instance, problems)
    tiles = _of_generators(grid, model, instance, problems) + _of_tables(grid, model, instance, tables, problems, mates)
    known = [t.name for t in tiles] + list(tables)
    _check_names("use", instance.use or (), known, problems)
    _check_names("tiles", changes, known, problems)
    _check_made_twice(tiles, tables, problems)
    for name in sorted(name for name, number in Counter(instance.use or []).items() if number > 1):
        problems.note(f"use: {name!r} is listed twice; for more copies write [tiles.{name}] with copies = 2")
    chosen = (t for t in tiles if instance.use is None or t.name in instance.use)
    changed = (reduce(_changed, changes.get(t.name, ()), t) for t in chosen)
    return join_identical(grid, (t for t in changed if t.high != 0))


def _tables(model: ModelFile, instance: InstanceFile, problems: _Problems) -> tuple[dict[str, TileTable], dict[str, list[TileTable]]]:
    """Return the tables ``[tiles.NAME]`` with a shape, of the model and the instance; and those that change only copies and colour."""
    tables: dict[str, TileTable] = {}
    changes: dict[str, list[TileTable]] = {}
    for name, table in [*model.tiles.items(), *(instance.tiles.items() if instance.model is not None else ())]:
        if table.has_shape:
            tables[name] = table
        elif table.changes_a_tile:
            changes.setdefault(name, []).append(table)
        else:
            more = ", ".join(sorted(table.model_fields_set - set(CHANGES))) or "nothing"
            cure = "or give its shape too (picture, atoms, around, placements)"
            problems.note(f"tiles.{name}: a tile of the model can be changed in its copies and its colour, not in {more}; {cure}")
    return tables, changes


def _of_generators(grid: Grid, model: ModelFile, instance: InstanceFile, problems: _Problems) -> list[Tile]:
    """Return the tiles of ``[[generate]]``, of the model and the instance."""
    generate = [*model.generate, *(instance.generate if instance.model is not None else [])]
    made = (
        problems.attempt(f"{nth_table('generate', number)}: ", partial(_generated, grid, model, table))
        for number, table in enumerate(generate)
    )
    return list(chain(*with_sizes([(table, tiles or ()) for table, tiles in zip(generate, made, strict=True)])))


def _of_tables(
    grid: Grid, model: ModelFile, instance: InstanceFile, tables: Mapping[str, TileTable], problems: _Problems, mates: dict[str, str | None]
) -> list[Tile]:
    """Return the tiles of ``[tiles.NAME]``, and warn of each used tile that is not connected."""
    tiles = []
    for name, table in tables.items():
        tile = problems.attempt(f"tiles.{name}: ", partial(_tile, grid, model, name, table, mates))
        if tile is not None:
            tiles.append(tile)
            remarks = [problems.attempt(f"tiles.{name}: ", partial(parts_remark, grid, tile, table.parts))]
            if table.picture is not None:
                remarks.append(picture_remark(grid, table.picture, coloured=bool(model.colours) and not table.colours))
            for remark in remarks:
                if remark is not None and name in (instance.use or [name]):
                    warnings.warn(f"{problems.where}: tiles.{name}: {remark}", PuzzleWarning, stacklevel=2)
    return tiles


def _check_names(key: str, names: Iterable[str], known: Collection[str], problems: _Problems) -> None:
    """Check that the tiles named in ``use``, and in ``[tiles.NAME]`` without a shape, exist."""
    for name in names:
        if name not in known:
            problems.note(f"{key}: there is no tile {name!r}{near_match(name, known)}")


def _check_made_twice(tiles: Sequence[Tile], tables: Collection[str], problems: _Problems) -> None:
    """Check that no two tiles have the same name, from generators or from a table."""
    repeated = sorted(name for name, number in Counter(t.name for t in tiles).items() if number > 1)
    for name in repeated:
        if name in tables:
            problems.note(f"tiles.{name}: [[generate]] makes a tile {name!r} too; rename this one")
    if twice_made := [name for name in repeated if name not in tables]:
        problems.note(
            f"generate: two tiles are named {listed(map(repr, twice_made))}; for more copies write copies = 2 in one [[generate]], "
            "otherwise write the tiles of one of them as [tiles.NAME]"
        )


def _generated(grid: Grid, model: ModelFile, table: GenerateTable) -> list[Tile]:
    return generated_tiles(grid, table, _allowed(grid, model, TileTable.model_construct()), may_cross=model.may_cross)


def _tile(grid: Grid, model: ModelFile, name: str, table: TileTable, mates: dict[str, str | None]) -> Tile:
    return tile_from_table(grid, name, table, _allowed(grid, model, table), mates, fits=model.colours, may_cross=model.may_cross)


def _changed(tile: Tile, table: TileTable) -> Tile:
    low, high = table.copies or (tile.low, tile.high)
    return replace(tile, low=low, high=high, ranges=((low, high),), colour=table.colour or tile.colour)


def _allowed(grid: Grid, model: ModelFile, table: TileTable) -> tuple[int, ...]:
    """Return the indices of the motions that the rules allow for a tile."""
    flips = model.flips if table.flips is None else table.flips
    turns = table.turns if "turns" in table.model_fields_set else model.turns
    _check_turns(grid, turns, flips=flips)
    turned = [i for i, g in enumerate(grid.motions) if not g.mirror and _turn_allowed(grid, i, turns)]
    if not flips:
        return tuple(turned)
    first = next((g for g in grid.symmetries if g.mirror), None)
    if first is None:
        return tuple(turned)
    if turns is None:
        return tuple(range(len(grid.motions)))
    over = {multiply(grid.symmetries[i].matrix, first.matrix) for i in turned}
    return tuple(turned + [i for i, g in enumerate(grid.symmetries) if g.mirror and g.matrix in over])


def _check_turns(grid: Grid, turns: frozenset[int] | None, *, flips: bool) -> None:
    """Raise PuzzleError for turns that the grid lacks, and for a set of turns that is not a group."""
    if turns is None:
        return
    if grid.dimension == 3:
        if turns != frozenset([0]) or flips:
            raise PuzzleError('turns: in space expected "all", or "none" with flips = false')
        return
    known = {g.degrees for g in grid.symmetries if g.degrees is not None}
    if unknown := sorted(turns - known):
        raise PuzzleError(f"turns: grid {grid.name!r} has no turn by {unknown[0]} degrees; it has {', '.join(map(str, sorted(known)))}")
    if missing := sorted({(a + b) % 360 for a in turns for b in turns} - turns):
        raise PuzzleError(f"turns: two turns in a row give {missing[0]} degrees; add it, or remove another")


def _turn_allowed(grid: Grid, index: int, turns: frozenset[int] | None) -> bool:
    if turns is None:
        return True
    return grid.motions[index].degrees in turns if grid.dimension == 2 else index == 0


def _fits(colours: Mapping[str, list[str]], mates: Mapping[str, str | None], problems: _Problems) -> dict[str, frozenset[str]]:
    """Return the colours of the form on which each colour of tiles may lie."""
    for name in colours.keys() & mates.keys():
        problems.note(f"colours.{name}: there is a mark of that name; rename one")
    return {name: frozenset(on) for name, on in colours.items()}


def _mates(marks: dict[str, MarkTable], problems: _Problems) -> dict[str, str | None]:
    """Return the mate of each mark: the mark that it may meet."""
    mates: dict[str, str | None] = {}
    for name, mark in marks.items():
        own: dict[str, str | None] = {name: name if mark.kind == "self" else None}
        if mark.kind == "halves":
            own = {f"{name}+": f"{name}-", f"{name}-": f"{name}+"}
        if clash := sorted(own.keys() & mates.keys()):
            problems.note(f"marks.{name}: the mark {clash[0]!r} is there already; rename one")
        mates |= own
    return mates
