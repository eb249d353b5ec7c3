"""A set of tiles with its rules, and the puzzles that it makes with forms."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from fractions import Fraction
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

from puzzlesat.base import PuzzleError, near_match, shown
from puzzlesat.formats import Given, is_cover_file, is_foreign, table_given, tables_in, without_file
from puzzlesat.puzzles import (
    AtomId,
    FormTable,
    Grid,
    Instance,
    InstanceFile,
    Library,
    ModelFile,
    Puzzle,
    Symmetry,
    Tile,
    data_files,
    find_instance,
    is_file,
    is_folder,
    kind_of_table,
    orientations,
    read_file,
    read_table,
    translate,
    validated,
)

NO_FILE = Path("puzzle")
"""The place of the file in messages about tiles that come from none."""
OF_THE_FORM = ("form", "rules", "border", "fixed", "split")
"""What a puzzle has from its form; all else is the tiles and their rules."""


@dataclass(frozen=True, eq=False)
class Kit:
    """Tiles and rules that wait for a form."""

    instance: InstanceFile
    """The model, or the instance whose form is replaced."""
    path: Path
    sample: Puzzle
    """Some puzzle with these tiles."""
    some: bool
    """Whether tiles may be left out."""
    has_form: bool = True
    """Whether somebody has said the form of the instance, which is else one of a single face."""

    @property
    def title(self) -> str:
        """What to call the tiles."""
        return self.instance.title

    @property
    def grid(self) -> Grid:
        """The grid of the tiles."""
        return self.sample.grid

    @property
    def tiles(self) -> tuple[Tile, ...]:
        """The tiles, with as many copies as may be used."""
        return self.sample.tiles

    def size(self, tile: Tile) -> int:
        """Return the number of faces of a tile."""
        return self.grid.number_of(tile.atoms)

    def refs_of(self, tile: Tile) -> list[list[int | str]]:
        """Return the faces of a tile as files write them."""
        return refs(self.grid, (a for a in tile.atoms if self.grid.atoms[a[-1]].kind == self.grid.main_kind))

    @property
    def area(self) -> tuple[int, int | None]:
        """The fewest and the most faces that the tiles cover; None: there is no limit."""
        return self.sample.covered()

    @cached_property
    def fingerprint(self) -> str:
        """A text that is the same only for the same tiles and rules."""
        own = {f.name: getattr(self.sample, f.name) for f in fields(Puzzle) if f.name not in ("grid", *OF_THE_FORM)}
        own["mirrored_stated"] = self.instance.mirrored is not None  # no count depends on it, but results of earlier versions are kept
        if not self.sample.solutions:
            del own["solutions"]  # for the same reason
        rules = [condition.model_dump() for condition in self.instance.conditions]
        form = self.instance.form
        return digest([self.grid.gram, self.grid.atoms, own, rules, form.border, form.inner, form.outer])

    def alike(self) -> tuple[Symmetry, ...]:
        """Return the symmetries of the grid that exchange tiles for tiles: forms that one of them turns into each other are one form.

        Where there are conditions, or rules on solutions, which may look at coordinates, that is the identity alone.
        """
        if self.instance.conditions or self.sample.solutions:
            return self.grid.symmetries[:1]
        looks = [frozenset((o.atoms, o.marks) for o in orientations(self.grid, tile)) for tile in self.tiles]
        supplies = [tile.supply for tile in self.tiles]
        before = Counter(zip(looks, supplies, strict=True))
        kept = []
        for g in self.grid.symmetries:
            moved = [
                frozenset(replace(t, atoms=a, marks=m).transform(g) for a, m in look) for t, look in zip(self.tiles, looks, strict=True)
            ]
            if Counter(zip(moved, supplies, strict=True)) == before:
                kept.append(g)
        return tuple(kept)

    def table(self, atoms: Iterable[AtomId] = (), *, picture: str | None = None) -> FormTable:
        """Return the form of some faces, or of a picture, with the border and the atoms beside faces that the instance asks for.

        Raises PuzzleError where the tiles cover atoms beside faces and nobody says whether the form has them.
        """
        form, grid = self.instance.form, self.grid
        said = {grid.main_kind, *grid.crossing_kinds, *form.inner, *form.outer}
        if silent := sorted({grid.atoms[a[-1]].kind for tile in self.tiles for a in tile.atoms} - said):
            raise PuzzleError(
                f"{self.path}: the tiles cover {silent[0]}s too, and a model does not say which of them a form has; instead of the model, "
                f"give an instance whose form has inner = {{ {silent[0]} = … }} or outer"
            )
        drawn = {"atoms": refs(grid, atoms)} if picture is None else {"picture": picture}
        return FormTable.model_validate({**drawn, "border": form.border, "inner": form.inner, "outer": form.outer})

    @cached_property
    def stated(self) -> str:
        """The tables of the model or the instance as JSON, for a process that does not find them in a file."""
        assert self.instance.said is not None
        return json.dumps(self.instance.said, ensure_ascii=False)

    def without(self, name: str | None) -> tuple[Tile, ...]:
        """Return the tiles, or, where one is named, what is left when a copy of it is away: any may then be left out."""
        return self.tiles if name is None else tuple(_one_less(t) if t.name == name else t for t in _optional(self.tiles))

    def to_fill(self, name: str, table: FormTable, *, path: Path | None = None, without: str | None = None) -> Instance:
        """Return the puzzle to fill a form, perhaps without one of the tiles. Raises PuzzleError with every problem found."""
        tiles = tuple(tile for tile in self.without(without) if tile.high != 0)
        return Library().fill(table, tiles, self.instance, self.path, name, path, whole=not (self.some or without))


def load_kit(name: str, *, some: bool = False, own_form: bool = False, problem: int | str | None = None) -> Kit:
    """Return the tiles of a model, or of a puzzle, by name or file; with ``some`` any of them may be left out.

    ``problem`` chooses one of several puzzles in a file of another program. Raises PuzzleError where there is neither, or something is
    wrong with it; and for tiles whose placements are listed, unless they are to fill their ``own_form`` alone.
    """
    if is_foreign(name) or is_cover_file(name) or problem is not None:
        ((_, instance, path),) = tables_in(name, problem, single=True)
    elif kind_of_table(read_table(path := _find(name))) == "model":
        model = read_file(ModelFile, path)
        instance = InstanceFile(title=model.title, model=path.stem, form=_one_face(model, path))
        said = {"title": model.title, "model": path.stem, "form": instance.form.model_dump(exclude_defaults=True)}
        return _kit(instance.saying(said), path, some=some, has_form=False)
    else:
        instance = read_file(InstanceFile, path)
    return _kit(instance, path, some=some, own_form=own_form)


def kit_given(tiles: Given, *, some: bool = False, own_form: bool = False, problem: int | str | None = None) -> Kit:
    """Return the same of what a function of the library takes: also a loaded instance, or a model or an instance as text or tables.

    Raises PuzzleError for a puzzle alone too, which does not say what its tiles and rules are on another form.
    """
    if isinstance(tiles, Puzzle) or (isinstance(tiles, Instance) and tiles.file is None):
        raise PuzzleError("a puzzle alone does not say what its rules mean for another form; give the instance that 'load' returned")
    if isinstance(tiles, Instance):
        assert tiles.file is not None
        return _kit(tiles.file, NO_FILE if tiles.path is None else tiles.path, some=some, own_form=own_form)
    if (table := table_given(tiles)) is None:
        if not isinstance(tiles, str | Path):
            raise PuzzleError(f"tiles: expected a name, a file, text in TOML, tables, or what 'load' returned, got {type(tiles).__name__}")
        return load_kit(str(tiles), some=some, own_form=own_form, problem=problem)
    if problem is not None:
        raise PuzzleError("problem is for files with several puzzles, and this is not one; remove it")
    return without_file(lambda: _kit_of_table(table, some=some, own_form=own_form), NO_FILE)


def kit_stated(stated: str, near: str, *, some: bool = False) -> Kit:
    """Return the tiles that ``Kit.stated`` says; models and grids that they name are beside the file ``near``, or in the package."""
    return _kit(validated(InstanceFile, json.loads(stated), Path(near)), Path(near), some=some)


def _kit(instance: InstanceFile, path: Path, *, some: bool, has_form: bool = True, own_form: bool = False) -> Kit:
    sample = Library().instance(instance, path).puzzle
    if not own_form:
        _refuse_listed(path, (tile.name for tile in sample.tiles if tile.listed))
    return Kit(instance, path, replace(sample, tiles=_optional(sample.tiles)) if some else sample, some, has_form)


def _kit_of_table(table: dict[str, Any], *, some: bool, own_form: bool) -> Kit:
    """The tiles of a table with the keys of an instance or of a model."""
    own = {key: value for key, value in table.items() if key != "name"}
    if kind_of_table(own) != "model":
        return _kit(validated(InstanceFile, own, NO_FILE), NO_FILE, some=some, own_form=own_form)
    model = validated(ModelFile, own, NO_FILE)
    form = _one_face(model, NO_FILE)
    instance = InstanceFile.model_validate({key: own[key] for key in ModelFile.model_fields if key in own} | {"form": form})
    said = {**own, "form": form.model_dump(exclude_defaults=True)}
    return _kit(instance.saying(said), NO_FILE, some=some, has_form=False)


def _refuse_listed(path: Path, names: Iterable[str]) -> None:
    if name := next(iter(names), None):
        raise PuzzleError(f"{path}: tiles.{name}: its placements are listed for one form, so its placements in another form are not known")


def key_of(table: FormTable, without: str | None) -> str:
    """Return a text that is the same only for the same form, and the same tile left out."""
    return digest([table.model_dump(), without])


def refs(grid: Grid, atoms: Iterable[AtomId]) -> list[list[int | str]]:
    """Write faces as files do, moved so that the smallest coordinates are 1."""
    atoms = sorted(atoms)
    home = tuple(1 - min(a[i] for a in atoms) for i in range(grid.dimension))
    return [grid.ref(translate(a, home)) for a in atoms]


def digest(value: Any) -> str:
    """Return a short text that stands for plain data."""
    return sha256(json.dumps(_plain(value), separators=(",", ":")).encode()).hexdigest()[:20]


def _plain(value: Any) -> Any:
    """Plain data as JSON has it, in an order that does not depend on hashes."""
    if is_dataclass(value):
        said = (f for f in fields(value) if f.compare and (not f.metadata.get("later") or getattr(value, f.name)))
        return [[f.name, _plain(getattr(value, f.name))] for f in said]
    if isinstance(value, Mapping):
        return sorted(([_plain(k), _plain(v)] for k, v in value.items()), key=json.dumps)
    if isinstance(value, set | frozenset):
        return sorted(map(_plain, value), key=json.dumps)
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_plain(v) for v in value]
    return str(value) if isinstance(value, Fraction) else value


def _optional(tiles: Iterable[Tile]) -> tuple[Tile, ...]:
    return tuple(replace(t, low=0, ranges=tuple((0, high) for _, high in t.ranges)) for t in tiles)


def _one_less(tile: Tile) -> Tile:
    """A tile with one copy less, as if that of its last member that has one were away."""
    if tile.high is None:
        return tile
    last = max(i for i, (_, high) in enumerate(tile.ranges) if high)
    ranges = tuple((low, high - 1 if i == last and high else high) for i, (low, high) in enumerate(tile.ranges))
    return replace(tile, high=tile.high - 1, ranges=ranges)


def _one_face(model: ModelFile, path: Path) -> FormTable:
    """The smallest form on the grid of a model. Raises PuzzleError for tiles whose placements are listed, for these lie in another."""
    _refuse_listed(path, (name for name, tile in model.tiles.items() if tile.placements))
    grid = Library().grid_of(model.grid, path)
    return FormTable(atoms=refs(grid, [(*([1] * grid.dimension), 0)]))


def _find(name: str) -> Path:
    """The file of a model or, where there is none of that name, of an instance."""
    path = Path(name)
    if not is_file(path):
        own = {file.stem: file for file in data_files("models")}
        if name in own:
            return own[name]
        try:
            return find_instance(name)
        except PuzzleError:
            if path.suffix == ".toml" or is_folder(path):
                raise
        raise PuzzleError(f"there is no model and no instance {shown(name)!r}{near_match(name, own) or ';'} 'puzzlesat list' shows all")
    if kind_of_table(read_table(path)) == "grid":
        raise PuzzleError(f"{name}: is a grid; give a model or an instance with the tiles to use")
    return path
