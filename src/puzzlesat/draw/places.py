"""Where a text picture draws the atoms of a form, so that each has a character of its own.

A character of a grid's own pictures may stand for several atoms. Here the picture is made larger until each atom that is drawn has a
character of its own: tans, for one, have three columns and three rows a square.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from puzzlesat.cover.build import Built
from puzzlesat.errors import PuzzleError
from puzzlesat.grid.lattice import AtomId
from puzzlesat.grid.picture import place_of

MOST_SCALE = 8


@dataclass(frozen=True, eq=False)
class Canvas:
    """Where the picture of a puzzle draws the atoms of its form; with scale 1 several atoms may have one place."""

    built: Built
    place: dict[AtomId, tuple[int, int, int]]
    """Layer from below, row from the top, column."""
    layers: int
    rows: int
    columns: int
    scale: int

    @cached_property
    def atom_at(self) -> dict[tuple[int, int, int], AtomId]:
        """The atom of each place."""
        return {place: atom for atom, place in self.place.items()}

    def drawn(self, option: int) -> frozenset[AtomId]:
        """Return the atoms of a placement that the picture draws."""
        return frozenset(a for a in self.built.placements[option].atoms if a in self.place)


def canvas_of(built: Built) -> Canvas:
    """Lay out the form. Raises PuzzleError where no picture gives each atom a character of its own."""
    for scale in range(1, MOST_SCALE + 1):
        canvas = canvas_of_scale(built, scale)
        if len(set(canvas.place.values())) == len(canvas.place):
            return canvas
    name = built.puzzle.grid.name
    raise PuzzleError(f"no picture of grid {name!r} gives each atom a character of its own; give the names of the placements instead")


def canvas_of_scale(built: Built, scale: int) -> Canvas:
    """Lay out the form in so many columns and rows a cell; 1: as in the grid's own pictures."""
    at = {a: _position(built, a, scale) for a in built.puzzle.form.atoms if place_of(built.puzzle.grid, a) is not None}
    low, high = ([f(axis) for axis in zip(*at.values(), strict=True)] if at else [0, 0, 0] for f in (min, max))
    place = {a: (z - low[2], high[1] - y, x - low[0]) for a, (x, y, z) in at.items()}
    return Canvas(built, place, high[2] - low[2] + 1, high[1] - low[1] + 1, high[0] - low[0] + 1, scale)


def _position(built: Built, atom: AtomId, scale: int) -> tuple[int, int, int]:
    """Column, row upwards and layer: those of the grid's own pictures, or, enlarged, those of the centre of the atom."""
    grid = built.puzzle.grid
    if scale == 1:
        found = place_of(grid, atom)
        assert found is not None
        return _in_space(found[0])
    centre = grid.centre(atom)
    axes = [sum((c * step[i] for c, step in zip(centre, grid.layout.steps, strict=True)), Fraction(0)) for i in range(grid.dimension)]
    return _in_space([int(scale * x // 1) for x in axes])


def _in_space(position: Sequence[int]) -> tuple[int, int, int]:
    """A place in the plane is one in the only layer."""
    return position[0], position[1], position[2] if len(position) > 2 else 0
