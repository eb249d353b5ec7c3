"""Tiles that are compatible: the smallest form that each of several tiles fills with copies of itself alone.

A form is laid once with each tile, one layer above the other: every face is covered in all layers or in none. So all forms of a size are
one cover problem, whose solutions are a form with a filling by each tile. It need not be said that the form hangs together: a tile does,
so a part of a form that all tiles fill is filled by all of them too, and would have been found before, as a smaller form.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import lcm

import numpy as np

from puzzlesat.arrays import Rows
from puzzlesat.candidates.kit import Kit
from puzzlesat.cover.instance import BuiltInstance, build_instance
from puzzlesat.cover.problem import UNLIMITED, CoverProblem
from puzzlesat.errors import ContradictionError, PuzzleError, near_match
from puzzlesat.grid.lattice import AtomId, Cell, Grid, translate
from puzzlesat.grid.region import parts
from puzzlesat.progress import SILENT, Progress
from puzzlesat.puzzle.data import Puzzle, SolutionRules, Tile
from puzzlesat.puzzle.laying import all_placements
from puzzlesat.puzzle.placements import Placements
from puzzlesat.solvers.registry import solver
from puzzlesat.solvers.run import Limits
from puzzlesat.solvers.strategy import ONE_BY_SAT

Fillings = tuple[tuple[tuple[AtomId, ...], ...], ...]
"""For each tile the faces of its copies."""


@dataclass(frozen=True)
class Common:
    """What was found out about some tiles."""

    tiles: tuple[str, ...]
    area: int | None
    """Faces of the smallest form; None: none was found."""
    none_to: int
    """There is no form of so many faces, or fewer."""
    fillings: Fillings = ()
    """Of the form that was found."""


def smallest_common(kit: Kit, names: Sequence[str], most: int, limits: Limits, *, progress: Progress = SILENT) -> Common:
    """Look for the smallest form of at most ``most`` faces that each of the tiles fills with copies of itself.

    It ends with the first form, or where the limits say so. Raises PuzzleError for a tile that there is not, for one in parts, and for one
    with marks or with atoms beside faces; and for rules on what a solution is.
    """
    if kit.sample.rules or kit.sample.solutions != SolutionRules():
        raise PuzzleError("a common form is looked for with tiles alone, without [[conditions]] and [solutions]; leave them out")
    tiles = [_named(kit, name) for name in names]
    none_to = 0
    step = lcm(*(len(tile.atoms) for tile in tiles))
    for area in range(step, most + 1, step):
        progress.of(" ".join(names))({"faces": area})
        found = _of_area(kit, tiles, area, limits)
        if found is None:
            break
        if found:
            return Common(tuple(names), area, none_to, found)
        none_to = area
    return Common(tuple(names), None, none_to)


def _named(kit: Kit, name: str) -> Tile:
    """A tile, of which there are as many copies as wished."""
    tile = next((tile for tile in kit.tiles if tile.name == name), None)
    if tile is None:
        raise PuzzleError(f"there is no tile {name!r}{near_match(name, [tile.name for tile in kit.tiles])}")
    if tile.marks or kit.size(tile) < len(tile.atoms):
        raise PuzzleError(f"{name}: it has marks, colours or atoms beside its faces; a common form is looked for with tiles of faces alone")
    if len(parts(kit.grid, tile.atoms)) > 1:
        raise PuzzleError(f"{name}: it is in parts; a common form is looked for with tiles that hang together")
    return replace(tile, low=0, high=None, members=tile.members[:1], ranges=((0, None),))


def _of_area(kit: Kit, tiles: Sequence[Tile], area: int, limits: Limits) -> Fillings | None:
    """The fillings of a form of so many faces: none where there is no such form; None where the limits left no time to tell."""
    region, home = _region(kit.grid, area)
    puzzle = replace(kit, sample=replace(kit.sample, tiles=tuple(tiles))).to_fill("common", kit.table(region)).puzzle
    placements = all_placements(puzzle)
    problem = _layers(puzzle, placements, home, area // len(tiles[0].atoms))
    found: list[Rows] = []
    outcome = solver(ONE_BY_SAT)(problem)(found.append, replace(limits, solutions=1))
    if not found:
        return () if outcome.complete else None
    chosen = [placements[o] for o in found[0][0].tolist() if 0 <= o < len(placements)]
    return _checked(tuple(tuple(p.atoms for p in chosen if p.tile == t) for t in range(len(tiles))), area)


def _region(grid: Grid, area: int) -> tuple[set[AtomId], Cell]:
    """All faces that a form of an area can have if its first cell is a given one, and that cell.

    First is the one of the lowest layer and row, and leftmost there. The smallest coordinates are 1, as in the form of an instance.
    """
    origin = (0,) * grid.dimension
    seen = edge = {(*origin, i) for i, atom in enumerate(grid.atoms) if atom.kind == grid.main_kind}
    for _ in range(area - 1):
        edge = {b for a in edge for b in grid.neighbours(a) if b[-2::-1] >= origin} - seen
        seen = seen | edge
    by = tuple(1 - min(a[i] for a in seen) for i in range(grid.dimension))
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
        high=np.append(once, [UNLIMITED, copies]).astype(np.int32),
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
            raise ContradictionError("a common form is not filled by each tile")
    return fillings


def in_the_form(kit: Kit, found: Common) -> list[tuple[BuiltInstance, tuple[int, ...]]]:
    """Return, for each tile, the puzzle to fill the form with it alone, and the filling that was found, as ascending options."""
    faces = [face for copy in found.fillings[0] for face in copy]
    by = tuple(1 - min(face[i] for face in faces) for i in range(kit.grid.dimension))
    made = []
    for name, copies in zip(found.tiles, found.fillings, strict=True):
        only = replace(kit, sample=replace(kit.sample, tiles=(_named(kit, name),)))
        built = build_instance(only.to_fill(" ".join(found.tiles), kit.table(faces)))
        option = {frozenset(placement.atoms): o for o, placement in enumerate(built.placements)}
        made.append((built, tuple(sorted(option[frozenset(translate(face, by) for face in copy)] for copy in copies))))
    return made
