"""Pictures of forms in space as solids, from the polytopes' own geometry: together, and exploded so that what is hidden shows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from puzzlesat.cover.build import Built
from puzzlesat.cover.instance import BuiltInstance
from puzzlesat.draw.apart import moved_apart
from puzzlesat.draw.balls import draw_balls
from puzzlesat.draw.bodies import Solid, draw_polytopes
from puzzlesat.draw.canvas import canvas
from puzzlesat.draw.geometry import HIDDEN, shapes
from puzzlesat.draw.palette import mark_colours, solution_colours
from puzzlesat.draw.skin import home
from puzzlesat.draw.svg import Picture, document, in_rows, number, titled
from puzzlesat.grid.lattice import AtomId, Grid, translate


def isometric_svg(built: BuiltInstance, options: Sequence[int], *, title: str = "") -> str:
    """Return a picture of placements in space seen from the front, the right and above: together, and exploded."""
    return document(titled(isometric_picture(built, options), title), title or built.instance.title)


def isometric_picture(built: Built, options: Sequence[int]) -> Picture:
    """Return the two views of placements in space as part of a picture.

    Where interlocking pieces cannot be moved apart without running into each other, the second view shows each by itself.
    """
    grid, factor = built.puzzle.grid, canvas(built.puzzle).factor
    solids = _solids(built, options)
    together = solids_picture(grid, solids, factor)
    if all(o < 0 for o in options):
        return together
    shifts = moved_apart(grid, [s.atoms for s in solids])
    if shifts is None:
        return in_rows([together, *(solids_picture(grid, [s], factor) for s in solids)], 1100.0)
    apart = [replace(s, shift=tuple(shift.tolist())) for s, shift in zip(solids, shifts, strict=True)]
    return in_rows([together, solids_picture(grid, apart, factor)], 1100.0)


def together_picture(built: Built, options: Sequence[int]) -> Picture:
    """Return placements in space, or the form where there are none, in the first of these views alone."""
    return solids_picture(built.puzzle.grid, _solids(built, options), canvas(built.puzzle).factor)


def _solids(built: Built, options: Sequence[int]) -> list[Solid]:
    """Placements as solids, or the atoms of the form, where there are none."""
    chosen = [o for o in options if o >= 0]
    grid = built.puzzle.grid
    if not chosen:
        return at_home([Solid((a,), "#dddddd", "", edges="#8a8a8a") for a in sorted(_drawn(grid, built.puzzle.form.atoms))])
    placements = [built.placements[o] for o in chosen]
    colours = solution_colours(built, chosen)
    shown = mark_colours(built.puzzle)
    return at_home(
        [
            Solid(_drawn(grid, p.atoms), c, p.name, name=built.puzzle.tiles[p.tile].name, spots={m.face: shown[m.name] for m in p.marks})
            for p, c in zip(placements, colours, strict=True)
        ]
    )


def _drawn(grid: Grid, atoms: Iterable[AtomId]) -> tuple[AtomId, ...]:
    return tuple(a for a in atoms if shapes(grid).drawn(a) != HIDDEN)


def solids_picture(grid: Grid, solids: Sequence[Solid], factor: float) -> Picture:
    """Return solids seen from the front, the right and above: of each what nothing hides."""
    low, high, body = (draw_balls if grid.of_balls else draw_polytopes)(grid, solids, factor)
    low, high = low - 2, high + 2
    shift = f'<g transform="translate({number(-low[0])} {number(-low[1])})" stroke-linejoin="round" stroke-linecap="round">'
    return Picture(float(high[0] - low[0]), float(high[1] - low[1]), f"{shift}\n{body}\n</g>")


def at_home(solids: Sequence[Solid]) -> list[Solid]:
    """Return the same solids where floats have all their digits; nothing in their pictures says where they were."""
    move = home(a for s in solids for a in s.atoms)
    return [
        replace(s, atoms=tuple(translate(a, move) for a in s.atoms), spots={translate(a, move): c for a, c in s.spots.items()})
        for s in solids
    ]
