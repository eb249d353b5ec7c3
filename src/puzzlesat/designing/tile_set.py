"""A set of tiles with its rules, the puzzles that it makes with forms, and the distribution of work on these to processes."""

from __future__ import annotations

import json
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import dataclass, fields, is_dataclass, replace
from fractions import Fraction
from functools import cached_property, partial
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

from puzzlesat import puzzles
from puzzlesat.base import (
    ALONE_SECONDS,
    SILENT,
    ChildEndedError,
    Limits,
    Progress,
    PuzzleError,
    data_files,
    dealt,
    is_file,
    is_folder,
    near_match,
    shown,
)
from puzzlesat.formats import Given, is_cover_file, is_foreign, table_given, tables_in, without_file

NO_FILE = Path("puzzle")
"""Replaces the path in messages about tiles without a file."""
OF_THE_FORM = ("form", "rules", "border", "fixed", "split")
"""The fields of a puzzle that belong to its form; all others belong to the tiles and their rules."""


@dataclass(frozen=True, eq=False)
class Kit:
    """Tiles and rules, without a form."""

    instance: puzzles.InstanceFile
    """The model, or the instance whose form is replaced."""
    path: Path
    sample: puzzles.Puzzle
    """Some puzzle with these tiles."""
    some: bool
    """True if tiles may be omitted."""
    has_form: bool = True
    """True if the instance has a form of its own; else its form is a single face."""

    @classmethod
    def of(cls, tiles: Given, *, some: bool = False, own_form: bool = False, problem: int | str | None = None) -> Kit:
        """Return the tiles of an argument of the library: a name, a file, a loaded instance, or a model or an instance as text or tables.

        Raises PuzzleError as ``load_kit`` does, and for a ``Puzzle``, which does not define its rules on another form.
        """
        if isinstance(tiles, puzzles.Puzzle) or (isinstance(tiles, puzzles.Instance) and tiles.file is None):
            raise PuzzleError("a puzzle alone does not say what its rules mean for another form; give the instance that 'load' returned")
        if isinstance(tiles, puzzles.Instance):
            assert tiles.file is not None
            return _kit(tiles.file, NO_FILE if tiles.path is None else tiles.path, some=some, own_form=own_form)
        if (table := table_given(tiles)) is None:
            if not isinstance(tiles, str | Path):
                kind = type(tiles).__name__
                raise PuzzleError(f"tiles: expected a name, a file, text in TOML, tables, or what 'load' returned, got {kind}")
            return load_kit(str(tiles), some=some, own_form=own_form, problem=problem)
        if problem is not None:
            raise PuzzleError("problem is for files with several puzzles, and this is not one; remove it")
        return without_file(lambda: _kit_of_table(table, some=some, own_form=own_form), NO_FILE)

    @property
    def title(self) -> str:
        """The title of the tiles."""
        return self.instance.title

    @property
    def grid(self) -> puzzles.Grid:
        """The grid of the tiles."""
        return self.sample.grid

    @property
    def tiles(self) -> tuple[puzzles.Tile, ...]:
        """The tiles, with the number of copies that may be used."""
        return self.sample.tiles

    @property
    def area(self) -> tuple[int, int | None]:
        """The smallest and the largest number of faces that the tiles cover; None means no limit."""
        return self.sample.covered()

    @cached_property
    def fingerprint(self) -> str:
        """A text that identifies the tiles and rules."""
        own = {f.name: getattr(self.sample, f.name) for f in fields(puzzles.Puzzle) if f.name not in ("grid", *OF_THE_FORM)}
        own["mirrored_stated"] = self.instance.mirrored is not None  # fingerprints of earlier versions have this entry
        if not self.sample.solutions:
            del own["solutions"]  # fingerprints of earlier versions lack it
        rules = [condition.model_dump() for condition in self.instance.conditions]
        form = self.instance.form
        return digest([self.grid.gram, self.grid.atoms, own, rules, form.border, form.inner, form.outer])

    def alike(self) -> tuple[puzzles.Symmetry, ...]:
        """Return the symmetries of the grid that map the set of tiles to itself: they map forms to equivalent forms.

        With conditions or rules on solutions, which may depend on coordinates, only the identity remains.
        """
        if self.instance.conditions or self.sample.solutions:
            return self.grid.symmetries[:1]
        looks = [frozenset((o.atoms, o.marks) for o in puzzles.orientations(self.grid, tile)) for tile in self.tiles]
        supplies = [tile.supply for tile in self.tiles]
        before = Counter(zip(looks, supplies, strict=True))
        symmetries = []
        for g in self.grid.symmetries:
            moved = [
                frozenset(replace(t, atoms=a, marks=m).transform(g) for a, m in look) for t, look in zip(self.tiles, looks, strict=True)
            ]
            if Counter(zip(moved, supplies, strict=True)) == before:
                symmetries.append(g)
        return tuple(symmetries)

    def table(self, atoms: Iterable[puzzles.AtomId] = (), *, picture: str | None = None) -> puzzles.FormTable:
        """Return the form of some faces, or of a picture, with the border and the other atoms that the instance requires.

        Raises PuzzleError if the tiles cover other atoms than faces, and the instance does not define which ones a form has.
        """
        form, grid = self.instance.form, self.grid
        defined = {grid.main_kind, *grid.crossing_kinds, *form.inner, *form.outer}
        if unknown := sorted({grid.atoms[a[-1]].kind for tile in self.tiles for a in tile.atoms} - defined):
            raise PuzzleError(
                f"{self.path}: the tiles cover {unknown[0]}s too, and a model does not say which of them a form has; instead of the model, "
                f"give an instance whose form has inner = {{ {unknown[0]} = … }} or outer"
            )
        drawn = {"atoms": refs(grid, atoms)} if picture is None else {"picture": picture}
        return puzzles.FormTable.model_validate({**drawn, "border": form.border, "inner": form.inner, "outer": form.outer})

    def with_copies(self, most: int | None) -> Kit:
        """Return the tiles with up to ``most`` copies of each; None means no limit. Members of a tile become one."""
        tiles = tuple(replace(t, low=0, high=most, members=t.members[:1], ranges=((0, most),), symmetries_of=()) for t in self.tiles)
        return replace(self, sample=replace(self.sample, tiles=tiles))

    def without(self, name: str | None) -> tuple[puzzles.Tile, ...]:
        """Return the tiles; if a name is given, without a copy of this tile, and any tile may be omitted."""
        return self.tiles if name is None else tuple(_one_less(t) if t.name == name else t for t in _optional(self.tiles))

    def to_fill(self, name: str, table: puzzles.FormTable, *, path: Path | None = None, without: str | None = None) -> puzzles.Instance:
        """Return the puzzle to fill a form, with all tiles or without a copy of one. Raises PuzzleError with every problem found."""
        tiles = tuple(tile for tile in self.without(without) if tile.high != 0)
        return puzzles.Library().fill(table, tiles, self.instance, self.path, name, path, whole=not (self.some or without))


def load_kit(name: str, *, some: bool = False, own_form: bool = False, problem: int | str | None = None) -> Kit:
    """Return the tiles of a model or a puzzle, by name or file; with ``some``, any of them may be omitted.

    ``problem`` chooses one of several puzzles in a file of another program. Raises PuzzleError if there is no model or puzzle, or it is
    invalid, and for tiles with listed placements, unless they fill their ``own_form`` alone.
    """
    if is_foreign(name) or is_cover_file(name) or problem is not None:
        ((_, instance, path),) = tables_in(name, problem, single=True)
    elif puzzles.kind_of_table(own := puzzles.read_table(path := _find(name))) == "model":
        model = puzzles.validated(puzzles.ModelFile, own, path)
        instance = puzzles.InstanceFile(title=model.title, model=path.stem, form=_one_face(model, path))
        table = {"title": model.title, "model": path.stem, "form": instance.form.model_dump(exclude_defaults=True)}
        return _kit(instance.saying(table), path, some=some, has_form=False)
    else:
        instance = puzzles.validated(puzzles.InstanceFile, own, path)
    return _kit(instance, path, some=some, own_form=own_form)


def _kit(instance: puzzles.InstanceFile, path: Path, *, some: bool, has_form: bool = True, own_form: bool = False) -> Kit:
    sample = puzzles.Library().instance(instance, path).puzzle
    if not own_form:
        _refuse_listed(path, (tile.name for tile in sample.tiles if tile.listed))
    return Kit(instance, path, replace(sample, tiles=_optional(sample.tiles)) if some else sample, some, has_form)


def _kit_of_table(table: dict[str, Any], *, some: bool, own_form: bool) -> Kit:
    """Return the tiles of a table with the keys of an instance or a model."""
    own = {key: value for key, value in table.items() if key != "name"}
    if puzzles.kind_of_table(own) != "model":
        return _kit(puzzles.validated(puzzles.InstanceFile, own, NO_FILE), NO_FILE, some=some, own_form=own_form)
    model = puzzles.validated(puzzles.ModelFile, own, NO_FILE)
    form = _one_face(model, NO_FILE)
    instance = puzzles.InstanceFile.model_validate({key: own[key] for key in puzzles.ModelFile.model_fields if key in own} | {"form": form})
    stated = {**own, "form": form.model_dump(exclude_defaults=True)}
    return _kit(instance.saying(stated), NO_FILE, some=some, has_form=False)


def _refuse_listed(path: Path, names: Iterable[str]) -> None:
    if name := next(iter(names), None):
        raise PuzzleError(f"{path}: tiles.{name}: its placements are listed for one form, so its placements in another form are not known")


def refs(grid: puzzles.Grid, atoms: Iterable[puzzles.AtomId]) -> list[list[int | str]]:
    """Return faces as in files, translated to smallest coordinates 1."""
    atoms = sorted(atoms)
    home = tuple(1 - min(a[i] for a in atoms) for i in range(grid.dimension))
    return [grid.ref(puzzles.translate(a, home)) for a in atoms]


def digest(value: Any) -> str:
    """Return a short text that identifies plain data: a hash of it."""
    return sha256(json.dumps(_plain(value), separators=(",", ":")).encode()).hexdigest()[:20]


def _plain(value: Any) -> Any:
    """Return plain data for JSON, in an order that does not depend on hashes."""
    if is_dataclass(value):
        kept = (f for f in fields(value) if f.compare and (not f.metadata.get("later") or getattr(value, f.name)))
        return [[f.name, _plain(getattr(value, f.name))] for f in kept]
    if isinstance(value, Mapping):
        return sorted(([_plain(k), _plain(v)] for k, v in value.items()), key=json.dumps)
    if isinstance(value, set | frozenset):
        return sorted(map(_plain, value), key=json.dumps)
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_plain(v) for v in value]
    return str(value) if isinstance(value, Fraction) else value


def _optional(tiles: Iterable[puzzles.Tile]) -> tuple[puzzles.Tile, ...]:
    return tuple(replace(t, low=0, ranges=tuple((0, high) for _, high in t.ranges)) for t in tiles)


def _one_less(tile: puzzles.Tile) -> puzzles.Tile:
    """Return a tile with one copy less, taken from its last member with a copy."""
    if tile.high is None:
        return tile
    last = max(i for i, (_, high) in enumerate(tile.ranges) if high)
    ranges = tuple((low, high - 1 if i == last and high else high) for i, (low, high) in enumerate(tile.ranges))
    return replace(tile, high=tile.high - 1, ranges=ranges)


def _one_face(model: puzzles.ModelFile, path: Path) -> puzzles.FormTable:
    """Return the form of a single face on the grid of a model. Raises PuzzleError for tiles with listed placements."""
    _refuse_listed(path, (name for name, tile in model.tiles.items() if tile.placements))
    grid = puzzles.Library().grid_of(model.grid, path)
    return puzzles.FormTable(atoms=refs(grid, [(*([1] * grid.dimension), 0)]))


def _find(name: str) -> Path:
    """Return the file of a model or, if none has this name, of an instance."""
    path = Path(name)
    if not is_file(path):
        own = {file.stem: file for file in data_files("models")}
        if name in own:
            return own[name]
        try:
            return puzzles.find_instance(name)
        except PuzzleError:
            if path.suffix == ".toml" or is_folder(path):
                raise
        raise PuzzleError(f"there is no model and no instance {shown(name)!r}{near_match(name, own) or ';'} 'puzzlesat list' shows all")
    if puzzles.kind_of_table(puzzles.read_table(path)) == "grid":
        raise PuzzleError(f"{name}: is a grid; give a model or an instance with the tiles to use")
    return path


# work on many items ------------------------------------------------------------------------------------------------------------

A_MOMENT = 0.05
"""Seconds before its limit in which work may have ended already, because a solver uses a clock of its own."""

T = TypeVar("T")
Answer = TypeVar("Answer")
Work = Callable[[Kit, T, Limits, Progress], Answer]
"""A function for one item with its own limits, which begin with the call. It must be picklable: a function of a module, or a partial."""


@dataclass(frozen=True)
class Working:
    """The limits, processes and progress reports of work on many items."""

    limits: Limits
    """The limits of each item; ``stop`` ends the work on all items."""
    jobs: int = 1
    """Largest number of processes."""
    telling: Callable[[str], AbstractContextManager[Progress]] = lambda _: nullcontext(SILENT)  # begins to report under a title


def deal(
    kit: Kit, named: Iterable[tuple[str, T]], work: Work[T, Answer], working: Working
) -> Generator[tuple[T, Answer | None], None, None]:
    """Apply ``work`` to each item, and yield the item and its answer as soon as it is known, until the limits' ``stop`` is set.

    The work begins in this process, in order. If it takes long and ``working`` allows several processes, they get the remaining items,
    among them the unfinished one, which starts again. An item whose process died is tried again alone; if that process dies too, the answer
    is None.
    """
    left = deque(named)
    limits, stop = working.limits, working.limits.stop
    ends = limits.now + ALONE_SECONDS
    while left and not stop.is_set():
        name, item = left[0]
        worth = working.jobs > 1 and len(left) > 1
        with working.telling(name) as progress:
            answer = work(kit, item, limits.within(max(0.0, ends - limits.now)).begun() if worth else limits, progress)
        if worth and limits.now > ends - A_MOMENT and not stop.is_set():
            yield from _shared(kit, left, work, working)
            return
        left.popleft()
        yield item, answer


def _shared(
    kit: Kit, left: Iterable[tuple[str, T]], work: Work[T, Answer], working: Working
) -> Generator[tuple[T, Answer | None], None, None]:
    """Apply ``work`` in other processes, last item first: generated forms grow, and the largest must not begin when all others are done."""
    named, limits, done = [*left][::-1], working.limits, 0
    jobs = limits.processes(working.jobs)

    def limits_of(jobs: int) -> Callable[[], Limits]:
        return partial(replace, limits, memory=limits.memory or Limits().free_memory() // jobs)

    answers = dealt_again(partial(_work_on, kit, work), named, (jobs, 1), limits_of)
    with working.telling(kit.title) as progress, closing(answers) as dealing:
        for (name, item), answer in dealing:
            if isinstance(answer, ChildEndedError):
                yield item, None
                continue
            done += 1
            progress.of(name)({"done": done, "in_all": len(named)})
            yield item, answer


def dealt_again(
    make: Callable[[], Callable[[T, Limits], Answer]],
    items: Iterable[T],
    jobs: Sequence[int],
    limits_of: Callable[[int], Callable[[], Limits]],
) -> Generator[tuple[T, Answer | ChildEndedError], None, None]:
    """Yield each item and its answer from child processes (see ``dealt``), until stopped.

    ``jobs`` has the number of processes of each round: an item whose process died is tried again in the next round. Items without an answer
    after the last round follow, with the error.
    """
    lost: list[tuple[T, ChildEndedError]] = []
    for number in jobs:
        limits = limits_of(number)
        stop = limits().stop
        lost = []
        with closing(dealt(make, (item for item in items if not stop.is_set()), number, limits)) as dealing:
            for item, answer in dealing:
                if isinstance(answer, ChildEndedError):
                    lost.append((item, answer))
                else:
                    yield item, answer
        items = [item for item, _ in lost]
    yield from lost


def _work_on(kit: Kit, work: Work[T, Answer]) -> Callable[[tuple[str, T], Limits], Answer]:
    return lambda item, limits: work(kit, item[1], limits, SILENT)
