"""Compatible tiles: the smallest form that each of several tiles fills with copies of itself alone.

Each tile fills the form in a layer of its own, and every face is covered in all layers or in none. So all forms of one size are a single
cover problem; a solution is a form with a filling by each tile. The problem need not require a connected form: tiles are connected, so each
connected part of the form is filled by all tiles too, and the search would have found the part before, as a smaller form.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from math import lcm
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from puzzlesat import base
from puzzlesat.counting import Record
from puzzlesat.designing.tile_set import Kit, Working, deal
from puzzlesat.designing.trial import open_results
from puzzlesat.puzzles import AtomId, BuiltInstance, Cell, CoverProblem, Grid, Placements, Tile, all_placements, build_instance, translate
from puzzlesat.solvers import ONE_BY_SAT, solver

if TYPE_CHECKING:
    from pandas import DataFrame

NONE_BY_CP = "cpsat"
"""The solver that repeats a search in which ``ONE_BY_SAT`` found nothing."""

Fillings = tuple[tuple[tuple[AtomId, ...], ...], ...]
"""The faces of the copies of each tile."""


@dataclass(frozen=True)
class Common:
    """The smallest form that each of the tiles fills with copies of itself."""

    tiles: tuple[str, ...]
    """The names of the tiles."""
    area: int | None
    """The number of faces of the smallest form; None if no form was found."""
    none_to: int
    """No form has this number of faces or fewer."""
    fillings: Fillings = ()
    """The faces of the copies of each tile in this form; the smallest coordinates are 1."""
    confirmed_to: int = 0
    """A second solver confirmed ``none_to`` up to this number of faces."""


@dataclass(frozen=True, eq=False, repr=False)
class CommonFound(base.Displayed):
    """The smallest common forms of some choices of tiles."""

    kit: Kit
    """The tiles."""
    most: int
    """The largest number of faces of a form that was searched."""
    found: Sequence[Common]
    """The result for each choice of tiles, in the order of the request."""
    seconds: float = 0.0
    """The duration of the call; CPU seconds if you asked for them."""
    columns: ClassVar = ("tiles", "area", "none_to", "confirmed_to")
    """The columns of the table, which has one row for each choice of tiles."""

    @property
    def complete(self) -> bool:
        """True if every choice of tiles has a form, or all sizes were searched for it."""
        return self.why is None

    @property
    def why(self) -> str | None:
        """A sentence on the choices of tiles that were not finished; None if all were."""
        left = [" ".join(common.tiles) for common in self.found if not self.is_settled(common)]
        return f"a limit was reached before all forms of up to {self.most} faces were looked at: {base.listed(left)}" if left else None

    def next_size(self, common: Common) -> int:
        """Return the smallest number of faces of a common form that is not excluded yet."""
        return common.none_to + _step(self.kit, common.tiles)

    def is_settled(self, common: Common) -> bool:
        """Return whether a form was found, or all sizes were searched."""
        return common.area is not None or self.next_size(common) > self.most

    @property
    def sentence(self) -> str:
        """The answer in one sentence: how many choices of tiles have a common form."""
        none = sum(common.area is None for common in self.found)
        left = "" if self.complete else ", not complete"
        choices = base.many(len(self.found), "choice")
        return f"{self.kit.title}: {choices} of tiles, {none:,} without a form of {self.most} faces or fewer{left}"

    def __repr__(self) -> str:
        return f"<CommonFound of {self.kit.title!r}{self.sentence.removeprefix(self.kit.title)}>"

    def to_pandas(self) -> DataFrame:
        """Return a table, one row for each choice of tiles: ``tiles``, ``area``, ``none_to``, ``confirmed_to``."""
        from pandas import DataFrame

        return DataFrame(self.rows, columns=list(self.columns)).astype({"area": "Int64"})

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The rows of the table, by its ``columns``."""
        return [dict(zip(self.columns, (" ".join(one.tiles), one.area, one.none_to, one.confirmed_to), strict=True)) for one in self.found]

    def fillings(self, common: Common) -> list[tuple[BuiltInstance, tuple[int, ...]]]:
        """Return, for each tile, the compiled form and the placements of its copies."""
        return in_the_form(self.kit, common)


def _step(kit: Kit, names: Iterable[str]) -> int:
    """Return the number whose multiples are the areas that copies of each tile can have."""
    return lcm(*(len(_named(kit, name).atoms) for name in names))


def smallest_common(
    kit: Kit, names: Sequence[str], most: int, limits: base.Limits, *, known: Common | None = None, progress: base.Progress = base.SILENT
) -> Common:
    """Search for the smallest form of at most ``most`` faces that each of the tiles fills with copies of itself.

    The search begins after the sizes that are ``known`` to have none, and ends with the first form or at a limit. Raises PuzzleError for an
    unknown tile, for a tile that is not connected or has marks or atoms beside faces, and for conditions and rules on solutions.
    """
    if kit.sample.rules or kit.sample.solutions:
        raise base.PuzzleError("common forms work with tiles alone, without [[conditions]] and [solutions]; remove them")
    tiles = [_named(kit, name) for name in names]
    result = known or Common(tuple(names), None, 0)
    if result.area is not None:
        return result
    step = _step(kit, names)
    with suppress(base.EndedError):
        for area in range(result.none_to + step, most + 1, step):
            progress.of(" ".join(names))({"faces": area})
            fillings = _of_area(kit, tiles, area, limits)
            if fillings is None:
                break
            if fillings:
                return replace(result, area=area, fillings=fillings)
            result = replace(result, none_to=area)
    return result


def confirm_none(kit: Kit, found: Common, limits: base.Limits, *, progress: base.Progress = base.SILENT) -> Common:
    """Confirm ``none_to`` by a second solver: it searches the sizes without a form, the smallest first, until the limits end it.

    Raises ContradictionError if it finds a form.
    """
    tiles = [_named(kit, name) for name in found.tiles]
    step = _step(kit, found.tiles)
    with suppress(base.EndedError):
        for area in range(found.confirmed_to + step, found.none_to + 1, step):
            progress.of(" ".join(found.tiles))({"faces, for the second time": area})
            rows: list[base.Rows] = []
            outcome = solver(NONE_BY_CP)(_problem(kit, tiles, area)[1])(rows.append, replace(limits, solutions=1))
            if rows:
                raise base.ContradictionError(
                    f"{' '.join(found.tiles)}: {ONE_BY_SAT} finds no common form of {area} faces, but {NONE_BY_CP} finds one"
                )
            if not outcome.complete:
                break
            found = replace(found, confirmed_to=area)
    return found


def find_common(
    kit: Kit, names: Sequence[str], most: int, file: Path | None, working: Working, tell: Callable[[Record], None] = lambda _: None
) -> CommonFound:
    """Search for the smallest common form of some tiles, or of each pair, until stopped. Results in ``file`` are reused, new ones added.

    ``tell`` gets the record of each choice of tiles as soon as it is known. The second solver has the same time limit as the first. Raises
    PuzzleError for a single tile.
    """
    if len(names) == 1:
        raise base.PuzzleError(f"{names[0]}: give a second tile, or no tile for all pairs")
    clock, choices = base.Clock(working.limits), [tuple(names)] if names else [*combinations([tile.name for tile in kit.tiles], 2)]
    done: dict[int, Common] = {}
    with closing(open_results(kit, file, "common")) as results:
        records = [results.known.get(" ".join(names)) for names in choices]
        commons = [from_record(kit, record) if record else Common(names, None, 0) for names, record in zip(choices, records, strict=True)]
        named = [(" ".join(common.tiles), (number, common)) for number, common in enumerate(commons)]
        with closing(deal(kit, named, partial(_looked, most=most), working)) as answers:
            for (number, before), answer in answers:
                done[number] = answer or before
                record, alone = as_record(kit, done[number]), CommonFound(kit, most, [done[number]])
                if done[number] != before:
                    results.add(record)
                tell(record | {"complete": alone.complete, "why": alone.why})
    return CommonFound(kit, most, [done[number] for number in sorted(done)], clock.seconds)


def _looked(kit: Kit, given: tuple[int, Common], limits: base.Limits, progress: base.Progress, *, most: int) -> Common:
    """Return the result for some tiles after both solvers have worked on it."""
    _, before = given
    first = limits.begun()
    searched = smallest_common(kit, before.tiles, most, first, known=before, progress=first.heeding(progress))
    second = limits.begun()
    return confirm_none(kit, searched, second, progress=second.heeding(progress))


def as_record(kit: Kit, found: Common) -> Record:
    """Return a result as a line of JSON."""
    refs = [[[kit.grid.ref(face) for face in copy] for copy in copies] for copies in found.fillings]
    return {
        "key": " ".join(found.tiles),
        "tiles": list(found.tiles),
        "area": found.area,
        "none_to": found.none_to,
        "confirmed_to": found.confirmed_to,
        "atoms": None if found.area is None else sorted(face for copy in refs[0] for face in copy),
        "copies": refs,
        "fillings": [] if found.area is None else [[built.placements[o].name for o in row] for built, row in in_the_form(kit, found)],
    }


def from_record(kit: Kit, record: Record) -> Common:
    """Return the result of a line of JSON. Raises PuzzleError if its tiles are unknown, or their copies do not fill a form."""
    try:
        faces = tuple(tuple(tuple(kit.grid.atom_at(face) for face in copy) for copy in copies) for copies in record["copies"])
        fillings = () if record["area"] is None else _checked(faces, record["area"])
        result = Common(tuple(str(record["key"]).split()), record["area"], int(record["none_to"]), fillings, int(record["confirmed_to"]))
        step = _step(kit, result.tiles)
        if result.none_to % step or not 0 <= result.confirmed_to <= result.none_to or result.area not in (None, result.none_to + step):
            raise ValueError
        if result.fillings:
            in_the_form(kit, result)
    except (KeyError, TypeError, ValueError, base.PuzzleError, base.ContradictionError):
        raise base.PuzzleError(f"the results for {record.get('key')!r} are damaged; remove their line from the file") from None
    return result


def _named(kit: Kit, name: str) -> Tile:
    """Return a tile with an unlimited number of copies."""
    tile = next((tile for tile in kit.with_copies(None).tiles if tile.name == name), None)
    if tile is None:
        raise base.PuzzleError(f"there is no tile {name!r}{base.near_match(name, [tile.name for tile in kit.tiles])}")
    if tile.marks or kit.grid.number_of(tile.atoms) < len(tile.atoms):
        raise base.PuzzleError(
            f"{name}: it has marks, colours or atoms beside its faces; common forms work only with tiles that consist of faces"
        )
    if len(kit.grid.parts(tile.atoms)) > 1:
        raise base.PuzzleError(f"{name}: it is in several parts; common forms work only with connected tiles")
    return tile


def _of_area(kit: Kit, tiles: Sequence[Tile], area: int, limits: base.Limits) -> Fillings | None:
    """Return the fillings of a common form of an area: empty if no form has this area; None if a limit ended the search."""
    placements, problem = _problem(kit, tiles, area)
    found: list[base.Rows] = []
    outcome = solver(ONE_BY_SAT)(problem)(found.append, replace(limits, solutions=1))
    if not found:
        return () if outcome.complete else None
    chosen = [placements[o] for o in found[0][0].tolist() if 0 <= o < len(placements)]
    fillings = [[p.atoms for p in chosen if p.tile == t] for t in range(len(tiles))]
    by = _home(kit.grid, (face for copy in fillings[0] for face in copy))
    return _checked(tuple(tuple(tuple(translate(face, by) for face in copy) for copy in copies) for copies in fillings), area)


def _home(grid: Grid, faces: Iterable[AtomId]) -> Cell:
    """Return the translation after which the smallest coordinates of some faces are 1."""
    known = list(faces)
    return tuple(1 - min(face[i] for face in known) for i in range(grid.dimension))


def _region(grid: Grid, area: int) -> tuple[set[AtomId], Cell]:
    """Return all faces that a form of an area with a fixed first cell can have, and this cell.

    The first cell is the leftmost of the lowest row of the lowest layer. The smallest coordinates are 1, as in the form of an instance.
    """
    origin = (0,) * grid.dimension
    seen = edge = {(*origin, i) for i, atom in enumerate(grid.atoms) if atom.kind == grid.main_kind}
    for _ in range(area - 1):
        edge = {b for a in edge for b in grid.neighbours(a) if b[-2::-1] >= origin} - seen
        seen = seen | edge
    by = _home(grid, seen)
    return {translate(a, by) for a in seen}, by


def _problem(kit: Kit, tiles: Sequence[Tile], area: int) -> tuple[Placements, CoverProblem]:
    """Return the placements of the tiles in the region of all forms of an area, and the cover problem whose solutions are common forms.

    Its items are the faces of each layer, the first cell, and the number of copies of the first tile. The first options are the placements,
    each in the layer of its tile; each later option excludes a face from all layers.
    """
    region, home = _region(kit.grid, area)
    puzzle = replace(kit, sample=replace(kit.sample, tiles=tuple(tiles))).to_fill("common", kit.table(region)).puzzle
    placements, copies = all_placements(puzzle), area // len(tiles[0].atoms)
    faces, layers = puzzle.form.numbering.atoms, len(puzzle.tiles)
    many = len(faces)
    first, number = layers * many, layers * many + 1
    at_home = {i for i, face in enumerate(faces) if face[:-1] == home}
    rows = []
    for o, tile in enumerate(placements.tile.tolist()):
        own = placements.atoms[o].tolist()
        beside = [] if tile else [number] if at_home.isdisjoint(own) else [first, number]
        rows.append([tile * many + a for a in own] + beside)
    rows += [[layer * many + a for layer in range(layers)] for a in range(many)]
    once = np.ones(first, dtype=np.int32)
    items = [f"{layer} {i}" for layer in range(layers) for i in range(many)]
    return placements, CoverProblem(
        items=(*items, "first", "copies"),
        low=np.append(once, [1, copies]).astype(np.int32),
        high=np.append(once, [CoverProblem.UNLIMITED, copies]).astype(np.int32),
        coloured=np.zeros(first + 2, dtype=bool),
        options=tuple(map(str, range(len(rows)))),
        start=np.cumsum([0, *map(len, rows)]).astype(np.int32),
        item=np.array([i for row in rows for i in row], dtype=np.int32),
        colour=np.zeros(sum(map(len, rows)), dtype=np.int32),
        tiles=np.empty(0, dtype=np.int32),
    )


def _checked(fillings: Fillings, area: int) -> Fillings:
    """Return the fillings. Raises ContradictionError if copies overlap, or tiles cover different faces."""
    for copies in fillings:
        covered = [face for copy in copies for face in copy]
        if len(covered) != area or len(set(covered)) != area or set(covered) != {face for copy in fillings[0] for face in copy}:
            raise base.ContradictionError("some tile does not fill the common form")
    return fillings


def in_the_form(kit: Kit, found: Common) -> list[tuple[BuiltInstance, tuple[int, ...]]]:
    """Return, for each tile, the puzzle to fill the form with this tile alone, and its filling as ascending options."""
    faces = [face for copy in found.fillings[0] for face in copy]
    made = []
    for name, copies in zip(found.tiles, found.fillings, strict=True):
        only = replace(kit, sample=replace(kit.sample, tiles=(_named(kit, name),)))
        built = build_instance(only.to_fill(" ".join(found.tiles), kit.table(faces)))
        option = {frozenset(placement.atoms): o for o, placement in enumerate(built.placements)}
        made.append((built, tuple(sorted(option[frozenset(copy)] for copy in copies))))
    return made
