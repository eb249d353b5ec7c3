"""From an instance and its model to a puzzle, with everything that is wrong said at once."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TypeVar

from puzzlesat.config.library import find_grid, find_instance, find_model
from puzzlesat.config.read import read_instance, read_model
from puzzlesat.config.schema import GenerateTable, InstanceFile, MarkTable, ModelFile, TileTable
from puzzlesat.errors import PuzzleError, PuzzleWarning, listed, near_match
from puzzlesat.grid.isometry import multiply
from puzzlesat.grid.lattice import Grid
from puzzlesat.puzzle.data import Puzzle, Rule, Tile
from puzzlesat.puzzle.form import form_from_table, rule_from_table, split_from_table
from puzzlesat.puzzle.grids import load_grid
from puzzlesat.puzzle.tiles import generated_tiles, join_identical, remark_on_parts, tile_from_table

Result = TypeVar("Result")
LABELLED = ("labelled", "labelled_distinct", "labelled_turns", "split_labelled")
"""Figures for which copies are told apart."""


class _Problems:
    """Collects what is wrong, so that one run says it all."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.found: list[str] = []

    def attempt(self, key: str, make: Callable[[], Result]) -> Result | None:
        """Return what ``make`` returns; on PuzzleError note it under ``key`` and return None."""
        try:
            return make()
        except PuzzleError as error:
            self.found += [f"{self.path}: {key}{p}" for p in error.problems]
            return None

    def note(self, problem: str) -> None:
        self.found.append(f"{self.path}: {problem}")


def load_puzzle(name: str | Path) -> Puzzle:
    """Load an instance by name or path. Raises PuzzleError with every problem found."""
    path = find_instance(str(name))
    return make_puzzle(read_instance(path), path)


def make_puzzle(instance: InstanceFile, path: Path, known: Sequence[Tile] | None = None) -> Puzzle:
    """Return the puzzle that an instance describes, as read from ``path``, or with tiles that are ``known``.

    Raises PuzzleError with every problem found.
    """
    model, model_path = _model_of(instance, path)
    grid = load_grid(find_grid(model.grid, model_path))
    problems = _Problems(path)
    mates = _mates(model.marks, problems)
    fits = _fits(model.colours, mates, problems)
    tiles = _tiles(grid, model, instance, problems, mates) if known is None else list(known)
    form = problems.attempt("", lambda: form_from_table(grid, instance.form, may_cross=model.may_cross))
    names = {m for tile in tiles for m in tile.members}
    rules = []
    split = None
    if form is not None:
        rules = [problems.attempt("", partial(rule_from_table, grid, form, names, c)) for c in instance.conditions]
        if instance.split is not None:
            split = problems.attempt("", partial(split_from_table, grid, form, instance.split))
    for rule in rules:
        if rule is not None:
            _check_joined_weights(tiles, rule, problems)
    border = instance.form.border
    if border is not None and border not in mates:
        problems.note(f"form.border: there is no mark {border!r}{near_match(border, mates)}")
    if instance.break_on is not None and instance.break_on not in names:
        problems.note(f"break_on: there is no tile {instance.break_on!r}{near_match(instance.break_on, names)}")
    if any(instance.break_on in t.members and (t.low, t.high) != (1, 1) for t in tiles):
        problems.note(f"break_on: tile {instance.break_on!r} is not used exactly once; name one that is, or leave the key out")
    if limitless := [t.name for t in tiles if t.high is None]:
        for key in LABELLED:
            if getattr(instance.expect, key) is not None:
                problems.note(f"expect.{key}: not defined, for tile {limitless[0]!r} has copies without limit; take the key out")
    if problems.found or form is None:
        raise PuzzleError(*problems.found)
    return Puzzle(
        name=path.stem,
        title=instance.title,
        path=path,
        grid=grid,
        tiles=tuple(tiles),
        form=form,
        rules=tuple(r for r in rules if r is not None),
        mates=mates,
        fits=fits,
        border=border,
        may_cross=model.may_cross,
        fixed=tuple(instance.form.fixed),
        mirrored_same=(model.flips if instance.mirrored is None else instance.mirrored == "same"),
        mirrored_stated=instance.mirrored is not None,
        break_on=next((t.name for t in tiles if instance.break_on in t.members), None),
        split=split,
        expect=instance.expect,
        source=instance.source or model.source,
    )


def _check_joined_weights(tiles: list[Tile], rule: Rule, problems: _Problems) -> None:
    """Identical tiles are copies of one: a rule cannot tell them apart."""
    for tile in tiles:
        if len({rule.tiles.get(m, 0) for m in tile.members}) > 1:
            names = ", ".join(tile.members)
            problems.note(f"conditions.{rule.name}: tiles {names} are identical and count as copies; give them the same weight")


def model_tiles(grid: Grid, model: ModelFile, path: Path) -> list[Tile]:
    """Return the tiles of a model by itself. Raises PuzzleError with every problem found."""
    problems = _Problems(path)
    bare = InstanceFile.model_construct(model="", tiles={}, generate=[], use=None)
    tiles = _tiles(grid, model, bare, problems, _mates(model.marks, problems))
    if problems.found:
        raise PuzzleError(*problems.found)
    return tiles


def _model_of(instance: InstanceFile, path: Path) -> tuple[ModelFile, Path]:
    """The model an instance names, or the one it spells out, with the instance's own flips and turns."""
    if instance.model is None:
        keys = ("title", "source", "grid", "flips", "may_cross", "marks", "colours", "generate", "tiles")
        own = {key: getattr(instance, key) for key in keys}
        if "turns" in instance.model_fields_set:
            own["turns"] = instance.turns
        bare = [name for name, tile in instance.tiles.items() if not tile.has_shape]
        if bare:
            raise PuzzleError(f"{path}: tiles.{bare[0]}: expected one of picture, atoms, around")
        if not instance.tiles and not instance.generate:
            raise PuzzleError(f"{path}: no tiles; add [tiles.NAME] or [[generate]], or name a model")
        return ModelFile.model_construct(**own), path
    model_path = find_model(instance.model, path)
    model = read_model(model_path)
    changes = {key: getattr(instance, key) for key in ("flips", "turns", "may_cross") if key in instance.model_fields_set}
    extra = {key: {**getattr(model, key), **getattr(instance, key)} for key in ("marks", "colours")}
    return model.model_copy(update=changes | extra), model_path


def _tiles(grid: Grid, model: ModelFile, instance: InstanceFile, problems: _Problems, mates: dict[str, str | None]) -> list[Tile]:
    tables = dict(model.tiles)
    copies: dict[str, tuple[int, int | None]] = {}
    if instance.model is not None:
        for name, table in instance.tiles.items():
            if table.has_shape:
                tables[name] = table
            elif table.model_fields_set == {"copies"} and table.copies is not None:
                copies[name] = table.copies
            else:
                more = ", ".join(sorted(table.model_fields_set - {"copies"})) or "nothing"
                cure = "or say its shape too (picture, atoms, around)"
                problems.note(f"tiles.{name}: a tile of the model can be changed in its copies, not in {more}; {cure}")
    generate = [*model.generate, *(instance.generate if instance.model is not None else [])]
    tiles: list[Tile] = []
    for number, generator in enumerate(generate):
        made = problems.attempt(f"generate.{number}: ", partial(_generated, grid, model, generator))
        tiles += made or []
    for name, tile_table in tables.items():
        one = problems.attempt(f"tiles.{name}: ", partial(_tile, grid, model, name, tile_table, mates))
        if one is not None:
            tiles.append(one)
            remark = problems.attempt(f"tiles.{name}: ", partial(remark_on_parts, grid, one, tile_table.parts))
            if remark is not None and name in (instance.use or [name]):
                warnings.warn(f"{problems.path}: tiles.{name}: {remark}", PuzzleWarning, stacklevel=2)
    known = [t.name for t in tiles] + list(tables)
    for key, wanted in (("use", instance.use or []), ("tiles", list(copies))):
        for name in wanted:
            if name not in known:
                problems.note(f"{key}: there is no tile {name!r}{near_match(name, known)}")
    repeated = sorted(name for name, number in Counter(t.name for t in tiles).items() if number > 1)
    for name in repeated:
        if name in tables:
            problems.note(f"tiles.{name}: [[generate]] makes a tile {name!r} too; rename this one")
    if twice_made := [name for name in repeated if name not in tables]:
        problems.note(
            f"generate: two tiles are named {listed(map(repr, twice_made))}; for more copies write copies = 2 in one [[generate]], "
            "else say the tiles of one of them by [tiles.NAME]"
        )
    tiles = [_with_copies(t, *copies[t.name]) if t.name in copies else t for t in tiles]
    twice = sorted({n for n in instance.use or [] if (instance.use or []).count(n) > 1})
    for name in twice:
        problems.note(f"use: {name!r} stands there twice; for more copies write [tiles.{name}] with copies = 2")
    if instance.use is not None:
        tiles = [t for t in tiles if t.name in instance.use]
    return join_identical(grid, (t for t in tiles if t.high != 0))


def _generated(grid: Grid, model: ModelFile, table: GenerateTable) -> list[Tile]:
    return generated_tiles(grid, table, _allowed(grid, model, TileTable.model_construct()), may_cross=model.may_cross)


def _tile(grid: Grid, model: ModelFile, name: str, table: TileTable, mates: dict[str, str | None]) -> Tile:
    return tile_from_table(grid, name, table, _allowed(grid, model, table), mates, fits=model.colours, may_cross=model.may_cross)


def _with_copies(tile: Tile, low: int, high: int | None) -> Tile:
    return replace(tile, low=low, high=high, ranges=((low, high),))


def _allowed(grid: Grid, model: ModelFile, table: TileTable) -> tuple[int, ...]:
    """The symmetries that the rules allow for a tile, as indices."""
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
    """Refuse turns that the grid has not, or of which two in a row give a turn that is not allowed."""
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
        raise PuzzleError(f"turns: two turns in a row give {missing[0]} degrees; add it, or take another out")


def _turn_allowed(grid: Grid, index: int, turns: frozenset[int] | None) -> bool:
    if turns is None:
        return True
    return grid.motions[index].degrees in turns if grid.dimension == 2 else index == 0


def _fits(colours: Mapping[str, list[str]], mates: Mapping[str, str | None], problems: _Problems) -> dict[str, frozenset[str]]:
    """For each colour of tiles the colours of the form on which it may lie."""
    for name in colours.keys() & mates.keys():
        problems.note(f"colours.{name}: there is a mark of that name; rename one")
    return {name: frozenset(on) for name, on in colours.items()}


def _mates(marks: dict[str, MarkTable], problems: _Problems) -> dict[str, str | None]:
    """For each mark the one that it meets."""
    mates: dict[str, str | None] = {}
    for name, mark in marks.items():
        own: dict[str, str | None] = {name: name if mark.kind == "self" else None}
        if mark.kind == "halves":
            own = {f"{name}+": f"{name}-", f"{name}-": f"{name}+"}
        if clash := sorted(own.keys() & mates.keys()):
            problems.note(f"marks.{name}: the mark {clash[0]!r} is there already; rename one")
        mates |= own
    return mates
