"""A grid as the page draws it and paints on it: plain data, made of the grid's file alone."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from itertools import product
from typing import Any

import numpy as np

from puzzlesat.arrays import Reals
from puzzlesat.candidates.motions import Group, groups
from puzzlesat.draw.canvas import STROKE, pixels
from puzzlesat.draw.geometry import BALL, ball_radius, shapes
from puzzlesat.grid.isometry import Matrix, multiply
from puzzlesat.grid.lattice import Grid, Symmetry

Json = dict[str, Any]
UPRIGHT = 1e-9
"""How far the upright direction may stray to be called kept."""


@cache
def grid_as_json(grid: Grid) -> Json:
    """Return what the page needs of a grid.

    ``basis``: pixels to the right and down of each lattice step. ``atoms``: of the unit cell, each with its ``sections``: the layer,
    counted from that of the cell, and the corners in pixels; an atom of a plane grid has one. ``rise``: layers from one cell to the next
    above. ``neighbours``: of each atom of the cell, those that share a side; ``sides``: those on its sides that carry marks,
    clockwise where the grid's file says so. ``symmetries``: the atom (c, a) goes to
    (matrix c + shift[a], image[a]), divided by ``over``. ``chess``: weights of cell and atom of which neighbours never have the same sum
    modulo 2, if there are any.
    """
    known, (factor, unit) = shapes(grid), pixels(grid)
    levels = sorted({height % known.scale for shape in known.of for height, _ in shape.sections})
    flip = np.array([factor, -factor])

    def placed(points: Reals) -> list[list[float]]:
        return [[round(float(x), 3), round(float(y), 3)] for x, y in points[:, :2] * flip]

    def layer(height: int) -> int:
        return height // known.scale * len(levels) + levels.index(height % known.scale)

    ball = ball_radius(grid) * factor if known.of[0].drawn == BALL else 0.0
    return {
        "name": grid.name,
        "title": grid.title,
        "dimension": grid.dimension,
        "basis": placed(known.basis),
        "rise": len(levels),
        "unit": round(unit, 3),
        "line": round(STROKE * unit, 3),
        "radius": round(ball, 3),
        "atoms": [
            {
                "name": atom.name,
                "drawn": shape.drawn,
                "main": atom.kind == grid.main_kind,
                "crossing": atom.kind in grid.crossing_kinds,
                "kind": atom.kind,
                "role": atom.role,
                "sections": [{"layer": layer(height), "points": placed(known.cartesian(corners))} for height, corners in shape.sections],
            }
            for atom, shape in zip(grid.atoms, known.of, strict=True)
        ],
        "neighbours": [_neighbours(grid, number) for number in range(len(grid.atoms))],
        "sides": [_sides(grid, number) for number in range(len(grid.atoms))],
        "symmetries": [_symmetry(g) for g in grid.motions],
        "parts": _parts(grid),
        "shapes": sorted(grid.shapes),
        "beside": sorted({a.kind for a in grid.atoms if a.role == "cover"} - {grid.main_kind} - grid.crossing_kinds),
        "crossings": [{"through": [*c.through], "blocks": [*c.blocks]} for c in sorted(grid.all_crossings, key=lambda c: c.through)],
        "chess": _chess(grid),
        "brushes": _brushes(grid),
    }


def _neighbours(grid: Grid, number: int) -> list[list[int]]:
    origin = (0,) * grid.dimension
    return [[*other] for other in grid.neighbours((*origin, number)) if grid.atoms[number].kind == grid.main_kind]


def _sides(grid: Grid, number: int) -> list[list[int]]:
    """The atoms on the sides of a face of the plane that carry marks."""
    if grid.dimension != 2 or grid.atoms[number].kind != grid.main_kind:
        return []
    found = [side for side in grid.sides_of((0, 0, number)) if grid.atoms[side[-1]].role == "mark"]
    ring = grid.rings.get(number, ())
    return [[*side] for side in (ring if {*ring} == {*found} else found)]


def _symmetry(g: Symmetry) -> Json:
    return {
        "name": g.name,
        "matrix": g.matrix,
        "image": g.image,
        "shift": g.shift,
        "mirror": g.mirror,
        "degrees": g.degrees,
        "over": g.over,
    }


def _parts(grid: Grid) -> list[Json]:
    """Glyphs that stand for several atoms of a cell, which one may paint at once."""
    return [{"glyph": glyph, "atoms": [*meant]} for site in grid.layout.sites for glyph, meant in site.glyphs.items() if len(meant) > 1]


def _chess(grid: Grid) -> Json | None:
    """Weights 0 and 1 along the lattice and of each atom, so that neighbours differ; None where there are none."""
    main = [a for a, atom in enumerate(grid.atoms) if atom.kind == grid.main_kind]
    for along in product((1, 0), repeat=grid.dimension):
        shift = {main[0]: 0}
        todo = [main[0]]
        while todo:
            here = todo.pop()
            for *cell, other in _neighbours(grid, here):
                weight = (shift[here] + 1 + sum(a * c for a, c in zip(along, cell, strict=True))) % 2
                if other not in shift:
                    shift[other] = weight
                    todo.append(other)
                elif shift[other] != weight:
                    break
            else:
                continue
            break
        else:
            if len(shift) == len(main):
                return {"along": [*along], "shift": [shift.get(a, 0) for a in range(len(grid.atoms))]}
    return None


def _brushes(grid: Grid) -> list[Json]:
    """The groups of turns and mirrors that a brush may have, each with its places: one of each kind of centre."""
    found: dict[frozenset[Matrix], tuple[Json, list[Group]]] = {}
    upright = _upright(grid)
    for name, generators in _generators(grid, upright):
        chosen = _closed(grid, generators)
        level = not any(_flips_layers(grid, g) for g in chosen)
        if (key := frozenset(g.matrix for g in chosen)) not in found and (places := groups(grid, chosen, level=level)):
            found[key] = {"name": name, "order": len(chosen), "mirrors": any(g.mirror for g in chosen)}, places
    return [
        {**about, "groups": [[{"symmetry": grid.symmetries.index(m.symmetry), "move": [*m.move]} for m in group] for group in places]}
        for about, places in found.values()
    ]


def _generators(grid: Grid, upright: list[Symmetry]) -> Iterable[tuple[str, list[Symmetry]]]:
    """What makes each group: a turn, a mirror, or both; in space those that leave layers layers, and the mirror between layers."""
    turns = sorted((g for g in upright if not g.mirror and _order(g) > 1 and _is_turn(grid, g)), key=_order)
    mirrors = [g for g in upright if g.mirror and _order(g) == 2 and g not in turns and not _inverts(grid, g)]
    for turn in turns:
        yield f"turn {_order(turn)}", [turn]
    for mirror in mirrors:
        yield mirror.name, [mirror]
    flat = [g for g in mirrors if grid.dimension == 2 or not _flips_layers(grid, g)]
    for turn in turns:
        for mirror in flat:
            yield f"turn {_order(turn)} and {mirror.name}", [turn, mirror]


def _upright(grid: Grid) -> list[Symmetry]:
    """In the plane all symmetries; in space those that keep the direction in which layers lie above each other, or reverse it."""
    if grid.dimension == 2:
        return list(grid.symmetries)
    return [g for g in grid.symmetries if abs(abs(_cartesian(grid, g)[2, 2]) - 1) < UPRIGHT]


def _cartesian(grid: Grid, g: Symmetry) -> Reals:
    """The matrix of a symmetry in Cartesian coordinates, acting on columns."""
    basis = shapes(grid).basis
    found: Reals = basis.T @ np.array(g.matrix) @ np.linalg.inv(basis.T)
    return found


def _flips_layers(grid: Grid, g: Symmetry) -> bool:
    return grid.dimension == 3 and _cartesian(grid, g)[2, 2] < 0


def _is_turn(grid: Grid, g: Symmetry) -> bool:
    """Is it a turn in the plane of the layers?"""
    return not _flips_layers(grid, g)


def _inverts(grid: Grid, g: Symmetry) -> bool:
    """Is it the inversion of space, which is no mirror?"""
    return grid.dimension == 3 and bool(np.trace(_cartesian(grid, g)) < -2)


def _order(g: Symmetry) -> int:
    one = power = g.matrix
    order = 1
    identity = tuple(tuple(int(i == j) for j in range(len(one))) for i in range(len(one)))
    while power != identity:
        power = multiply(power, one)
        order += 1
    return order


def _closed(grid: Grid, generators: list[Symmetry]) -> list[Symmetry]:
    """The symmetries of the group that some generate."""
    chosen = {grid.symmetries[0].matrix, *(g.matrix for g in generators)}
    while more := {multiply(a, b) for a in chosen for b in chosen} - chosen:
        chosen |= more
    return [g for g in grid.symmetries if g.matrix in chosen]
