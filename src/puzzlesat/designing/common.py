"""Tiles that are compatible: the smallest form that each of several tiles fills with copies of itself alone.

A form is laid once with each tile, one layer above the other: every face is covered in all layers or in none. So all forms of a size are
one cover problem, whose solutions are a form with a filling by each tile. It need not be said that the form hangs together: a tile does,
so a part of a form that all tiles fill is filled by all of them too, and would have been found before, as a smaller form.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from math import lcm
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from puzzlesat.base import (
    SILENT,
    Clock,
    ContradictionError,
    Displayed,
    EndedError,
    Limits,
    Progress,
    PuzzleError,
    Rows,
    listed,
    many,
    near_match,
)
from puzzlesat.counting import Record, Results
from puzzlesat.designing.candidate_forms import Working, deal
from puzzlesat.designing.tile_set import Kit
from puzzlesat.designing.trial import open_results
from puzzlesat.puzzles import (
    AtomId,
    BuiltInstance,
    Cell,
    CoverProblem,
    Grid,
    Placements,
    Puzzle,
    Tile,
    all_placements,
    build_instance,
    translate,
)
from puzzlesat.solvers import ONE_BY_SAT, solver

if TYPE_CHECKING:
    from pandas import DataFrame

NONE_BY_CP = "cpsat"
"""The solver that repeats a search in which ``ONE_BY_SAT`` found nothing."""

Fillings = tuple[tuple[tuple[AtomId, ...], ...], ...]
"""For each tile the faces of its copies."""


@dataclass(frozen=True)
class Common:
    """The smallest form that each of some tiles fills with copies of itself."""

    tiles: tuple[str, ...]
    """The names of the tiles."""
    area: int | None
    """How many faces the smallest form has; None if no form was found."""
    none_to: int
    """There is no form of so many faces or fewer."""
    fillings: Fillings = ()
    """For each tile the faces of its copies in that form; the smallest coordinates are 1."""
    confirmed_to: int = 0
    """A second solver confirms this up to so many faces."""


@dataclass(frozen=True, eq=False, repr=False)
class CommonFound(Displayed):
    """The smallest common forms of some choices of tiles."""

    kit: Kit
    """The tiles."""
    most: int
    """Forms of up to so many faces were looked at."""
    found: Sequence[Common]
    """What was found out about each choice of tiles, in the order in which you asked for them."""
    seconds: float = 0.0
    """How long the call took; CPU seconds if you asked for them."""
    columns: ClassVar = ("tiles", "area", "none_to", "confirmed_to")
    """Of the table, one row for each choice of tiles."""

    @property
    def complete(self) -> bool:
        """Whether for each choice of tiles a form was found, or all sizes were tried."""
        return self.why is None

    @property
    def why(self) -> str | None:
        """Which choices of tiles were not finished, in a sentence; None if all were."""
        left = [" ".join(one.tiles) for one in self.found if not self.is_settled(one)]
        return _not_gone_through(listed(left), self.most) if left else None

    def next_size(self, one: Common) -> int:
        """Return how many faces the next form would have that a choice of tiles may have in common."""
        return one.none_to + _step([_named(self.kit, name) for name in one.tiles])

    @property
    def sentence(self) -> str:
        """The answer in one sentence: how many choices of tiles have a common form."""
        return f"{self.kit.title}: {self._how_many}"

    @property
    def _how_many(self) -> str:
        none = sum(one.area is None for one in self.found)
        left = "" if self.complete else ", not complete"
        return f"{many(len(self.found), 'choice')} of tiles, {none:,} without a form of {self.most} faces or fewer{left}"

    def __repr__(self) -> str:
        return f"<CommonFound of {self.kit.title!r}: {self._how_many}>"

    def to_pandas(self) -> DataFrame:
        """Return a table, one row for each choice of tiles: ``tiles``, ``area``, ``none_to``, ``confirmed_to``."""
        from pandas import DataFrame

        return DataFrame(self.rows, columns=list(self.columns)).astype({"area": "Int64"})

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The rows of that table, by its ``columns``."""
        return [dict(zip(self.columns, (" ".join(one.tiles), one.area, one.none_to, one.confirmed_to), strict=True)) for one in self.found]

    def is_settled(self, one: Common) -> bool:
        """Tell whether a form was found, or all sizes were tried."""
        return _is_settled(self.kit, one, self.most)

    def fillings(self, one: Common) -> list[tuple[BuiltInstance, tuple[int, ...]]]:
        """Return the form that was found once for each tile, with the placements of its copies."""
        return in_the_form(self.kit, one)


def _choices_of(kit: Kit, given: Sequence[str]) -> list[tuple[str, ...]]:
    """Return the tiles that are asked for, or every pair. Raises PuzzleError for one alone."""
    if len(given) == 1:
        raise PuzzleError(f"{given[0]}: give a second tile, or no tile for all pairs")
    return [tuple(given)] if given else list(combinations([tile.name for tile in kit.tiles], 2))


def last_area(kit: Kit, found: Common, most: int) -> int:
    """Return the largest area up to ``most`` that copies of each tile can have."""
    return most - most % _step(tile for tile in kit.tiles if tile.name in found.tiles)


def _step(tiles: Iterable[Tile]) -> int:
    """The area that copies of each tile can have are its multiples."""
    return lcm(*(len(tile.atoms) for tile in tiles))


def _is_settled(kit: Kit, found: Common, most: int) -> bool:
    """Tell whether a form was found, or all sizes were gone through."""
    return found.area is not None or found.none_to >= last_area(kit, found, most)


def _ending(kit: Kit, found: Common, most: int) -> dict[str, Any]:
    """Return whether a form was found, or all sizes were gone through, and why not, as a line of JSON has it."""
    settled = _is_settled(kit, found, most)
    return {"complete": settled, "why": None if settled else _not_gone_through(" ".join(found.tiles), most)}


def _not_gone_through(choices: str, most: int) -> str:
    return f"a limit was reached before all forms of up to {most} faces were looked at: {choices}"


def smallest_common(
    kit: Kit, names: Sequence[str], most: int, limits: Limits, *, known: Common | None = None, progress: Progress = SILENT
) -> Common:
    """Look for the smallest form of at most ``most`` faces that each of the tiles fills with copies of itself.

    It begins behind what is ``known``, and ends with the first form, or where the limits say so. Raises PuzzleError for a tile that there
    is not, for one in parts, and for one with marks or with atoms beside faces; and for rules on what a solution is.
    """
    if kit.sample.rules or kit.sample.solutions:
        raise PuzzleError("common forms work with tiles alone, without [[conditions]] and [solutions]; remove them")
    tiles = [_named(kit, name) for name in names]
    found = known or Common(tuple(names), None, 0)
    if found.area is not None:
        return found
    step = _step(tiles)
    with suppress(EndedError):
        for area in range(found.none_to + step, most + 1, step):
            progress.of(" ".join(names))({"faces": area})
            fillings = _of_area(kit, tiles, area, limits)
            if fillings is None:
                break
            if fillings:
                return replace(found, area=area, fillings=fillings)
            found = replace(found, none_to=area)
    return found


def confirm_none(kit: Kit, found: Common, limits: Limits, *, progress: Progress = SILENT) -> Common:
    """Let a second solver look for forms of as many faces as are said to have none, the smallest first, until the limits end it.

    Raises ContradictionError where it finds one.
    """
    tiles = [_named(kit, name) for name in found.tiles]
    step = _step(tiles)
    with suppress(EndedError):
        for area in range(found.confirmed_to + step, found.none_to + 1, step):
            progress.of(" ".join(found.tiles))({"faces, for the second time": area})
            rows: list[Rows] = []
            outcome = solver(NONE_BY_CP)(_problem(kit, tiles, area)[1])(rows.append, replace(limits, solutions=1))
            if rows:
                raise ContradictionError(
                    f"{' '.join(found.tiles)}: {ONE_BY_SAT} finds no common form of {area} faces, but {NONE_BY_CP} finds one"
                )
            if not outcome.complete:
                break
            found = replace(found, confirmed_to=area)
    return found


def find_common(
    kit: Kit, names: Sequence[str], most: int, file: Path | None, working: Working, tell: Callable[[Record], None] = lambda _: None
) -> CommonFound:
    """Look for the smallest common form of some tiles, or of each pair, until told to stop; a file has what is known, and gets the rest.

    ``tell`` gets the record of each choice of tiles as soon as it is known. Raises PuzzleError for one tile alone.
    """
    clock, choices = Clock(working.limits), _choices_of(kit, names)
    known: dict[int, Common] = {}
    with closing(open_results(kit, file, "common")) as results:
        for number, one in common_of_each(kit, choices, most, results, working):
            known[number] = one
            tell(as_record(kit, one) | _ending(kit, one, most))
    return CommonFound(kit, most, [known[number] for number in sorted(known)], clock.seconds)


def common_of_each(
    kit: Kit, choices: Sequence[tuple[str, ...]], most: int, results: Results[str], working: Working
) -> Generator[tuple[int, Common], None, None]:
    """Yield the number of each choice of tiles, from 0, with what is known of it, as soon as it is, until told to stop.

    What the results have not is looked for, and kept there. A second solver has as much time again.
    """
    named = [(" ".join(names), (number, _known(kit, names, results))) for number, names in enumerate(choices)]
    with closing(deal(kit, named, partial(_looked, most=most), working)) as answers:
        for (number, known), answer in answers:
            found = answer or known
            if found != known:
                results.add(as_record(kit, found))
            yield number, found


def _known(kit: Kit, names: tuple[str, ...], results: Results[str]) -> Common:
    record = results.known.get(" ".join(names))
    return Common(names, None, 0) if record is None else from_record(kit, record)


def _looked(kit: Kit, given: tuple[int, Common], limits: Limits, progress: Progress, *, most: int) -> Common:
    """What is known of some tiles when both solvers have had their time."""
    _, known = given
    first = limits.begun()
    found = smallest_common(kit, known.tiles, most, first, known=known, progress=first.heeding(progress))
    second = limits.begun()
    return confirm_none(kit, found, second, progress=second.heeding(progress))


def as_record(kit: Kit, found: Common) -> Record:
    """Return what was found out as a line of JSON has it."""
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
    """Return what a line of JSON says. Raises PuzzleError where it is none of these tiles, or its copies do not fill a form."""
    try:
        faces = tuple(tuple(tuple(kit.grid.atom_at(face) for face in copy) for copy in copies) for copies in record["copies"])
        fillings = () if record["area"] is None else _checked(faces, record["area"])
        found = Common(tuple(str(record["key"]).split()), record["area"], int(record["none_to"]), fillings, int(record["confirmed_to"]))
        step = _step(_named(kit, name) for name in found.tiles)
        if found.none_to % step or not 0 <= found.confirmed_to <= found.none_to or found.area not in (None, found.none_to + step):
            raise ValueError
        if found.fillings:
            in_the_form(kit, found)
    except (KeyError, TypeError, ValueError, PuzzleError, ContradictionError):
        raise PuzzleError(f"the results for {record.get('key')!r} are damaged; remove their line from the file") from None
    return found


def _named(kit: Kit, name: str) -> Tile:
    """A tile, of which there are as many copies as wished."""
    tile = next((tile for tile in kit.tiles if tile.name == name), None)
    if tile is None:
        raise PuzzleError(f"there is no tile {name!r}{near_match(name, [tile.name for tile in kit.tiles])}")
    if tile.marks or kit.size(tile) < len(tile.atoms):
        raise PuzzleError(
            f"{name}: it has marks, colours or atoms beside its faces; common forms work only with tiles that consist of faces"
        )
    if len(kit.grid.parts(tile.atoms)) > 1:
        raise PuzzleError(f"{name}: it is in several parts; common forms work only with connected tiles")
    return replace(tile, low=0, high=None, members=tile.members[:1], ranges=((0, None),), symmetries_of=())


def _of_area(kit: Kit, tiles: Sequence[Tile], area: int, limits: Limits) -> Fillings | None:
    """The fillings of a form of so many faces: none where there is no such form; None where the limits left no time to tell."""
    placements, problem = _problem(kit, tiles, area)
    found: list[Rows] = []
    outcome = solver(ONE_BY_SAT)(problem)(found.append, replace(limits, solutions=1))
    if not found:
        return () if outcome.complete else None
    chosen = [placements[o] for o in found[0][0].tolist() if 0 <= o < len(placements)]
    fillings = [[p.atoms for p in chosen if p.tile == t] for t in range(len(tiles))]
    by = _home(kit.grid, (face for copy in fillings[0] for face in copy))
    return _checked(tuple(tuple(tuple(translate(face, by) for face in copy) for copy in copies) for copies in fillings), area)


def _home(grid: Grid, faces: Iterable[AtomId]) -> Cell:
    """What moves some faces so that their smallest coordinates are 1."""
    known = list(faces)
    return tuple(1 - min(face[i] for face in known) for i in range(grid.dimension))


def _problem(kit: Kit, tiles: Sequence[Tile], area: int) -> tuple[Placements, CoverProblem]:
    """The placements of the tiles on all faces that a form of so many can have, and what asks for one."""
    region, home = _region(kit.grid, area)
    puzzle = replace(kit, sample=replace(kit.sample, tiles=tuple(tiles))).to_fill("common", kit.table(region)).puzzle
    placements = all_placements(puzzle)
    return placements, _layers(puzzle, placements, home, area // len(tiles[0].atoms))


def _region(grid: Grid, area: int) -> tuple[set[AtomId], Cell]:
    """All faces that a form of an area can have if its first cell is a given one, and that cell.

    First is the one of the lowest layer and row, and leftmost there. The smallest coordinates are 1, as in the form of an instance.
    """
    origin = (0,) * grid.dimension
    seen = edge = {(*origin, i) for i, atom in enumerate(grid.atoms) if atom.kind == grid.main_kind}
    for _ in range(area - 1):
        edge = {b for a in edge for b in grid.neighbours(a) if b[-2::-1] >= origin} - seen
        seen = seen | edge
    by = _home(grid, seen)
    return {translate(a, by) for a in seen}, by


def _layers(puzzle: Puzzle, placements: Placements, home: Cell, copies: int) -> CoverProblem:
    """The cover problem: the faces of each layer, the first cell, which is covered, and the copies of the first tile, which are so many.

    The first options are the placements, each in the layer of its tile; those behind leave a face out of all layers.
    """
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
    return CoverProblem(
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
    """The fillings, if their copies do not overlap and cover the same faces."""
    for copies in fillings:
        covered = [face for copy in copies for face in copy]
        if len(covered) != area or len(set(covered)) != area or set(covered) != {face for copy in fillings[0] for face in copy}:
            raise ContradictionError("some tile does not fill the common form")
    return fillings


def in_the_form(kit: Kit, found: Common) -> list[tuple[BuiltInstance, tuple[int, ...]]]:
    """Return, for each tile, the puzzle to fill the form with it alone, and the filling that was found, as ascending options."""
    faces = [face for copy in found.fillings[0] for face in copy]
    made = []
    for name, copies in zip(found.tiles, found.fillings, strict=True):
        only = replace(kit, sample=replace(kit.sample, tiles=(_named(kit, name),)))
        built = build_instance(only.to_fill(" ".join(found.tiles), kit.table(faces)))
        option = {frozenset(placement.atoms): o for o, placement in enumerate(built.placements)}
        made.append((built, tuple(sorted(option[frozenset(copy)] for copy in copies))))
    return made
