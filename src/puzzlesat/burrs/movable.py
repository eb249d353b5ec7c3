"""The assemblies of a burr in which something can move at all, up to symmetry: the others do not come apart.

If a group of rods can go one step along an axis, then on each line of cubes along this axis none of the group has a cube of another rod
in front of it. So for each axis and each group the lines are decided one by one, and the diagram holds just these assemblies.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from itertools import combinations, product

import numpy as np

from puzzlesat.arrays import Owners
from puzzlesat.burrs.burr import NOBODY, Burr, Cube, Motion
from puzzlesat.burrs.diagram import Block, Choice, Diagram

Way = tuple[int, frozenset[int]]
"""An axis, and a group of rods that goes along it."""


def every(diagram: Diagram) -> Owners:
    """All assemblies of a diagram."""
    return diagram.numbered(np.arange(diagram.total, dtype=np.int64))


def ways_of(burr: Burr) -> dict[Way, list[Way]]:
    """Return each axis and group of rods that may move along it, one of those that motions take to each other; with these, for each motion.

    If a group moves the other way along an axis, then its other rods move this way.
    """
    rods = frozenset(range(len(burr.rods)))
    found: dict[Way, list[Way]] = {}
    seen: set[Way] = set()
    for size, axis in product(range(1, len(rods)), range(3)):
        for group in map(frozenset, combinations(rods, size)):
            if (axis, group) not in seen:
                found[axis, group] = [_image(burr, motion, axis, group) for motion in burr.motions]
                seen.update(found[axis, group])
    return found


def _image(burr: Burr, motion: Motion, axis: int, group: frozenset[int]) -> Way:
    to, sign = motion.axes[axis]
    image = frozenset(motion.rods[rod] for rod in group)
    return to, image if sign > 0 else frozenset(range(len(burr.rods))) - image


def lines_of(burr: Burr, axis: int, group: frozenset[int]) -> list[Block]:
    """Return the owners that the cubes of each line may have where the group can go one step along the axis."""
    always = {cube: i for i, rod in enumerate(burr.rods) for cube in rod.own}
    lines: dict[Cube, list[Cube]] = defaultdict(list)
    for cube in sorted({*always, *burr.owners}):
        lines[_on(cube, axis, 0)].append(cube)
    blocks: list[Block] = []
    for line in lines.values():
        shared = [cube for cube in line if cube in burr.owners]
        choices: list[Choice] = []
        for owners in product(*([*burr.owners[cube], *(() if burr.solid else (NOBODY,))] for cube in shared)):
            owner = always | dict(zip(shared, owners, strict=True))
            if not any(owner[cube] in group and _is_before(owner, group, _on(cube, axis, cube[axis] + 2)) for cube in line):
                choices.append(tuple(zip(shared, owners, strict=True)))
        blocks.append(choices)
    return blocks


def _is_before(owner: Mapping[Cube, int], group: frozenset[int], cube: Cube) -> bool:
    """Whether another rod than those of the group has this cube."""
    return owner.get(cube, NOBODY) != NOBODY and owner[cube] not in group


def _on(cube: Cube, axis: int, at: int) -> Cube:
    x, y, z = (at if a == axis else c for a, c in enumerate(cube))
    return x, y, z


# up to symmetry -----------------------------------------------------------------------------------------------------------------


def least(burr: Burr, assemblies: Owners) -> Owners:
    """Return each assembly as that of its turned and mirrored copies which comes first in the order of a dictionary, each once."""
    best = assemblies
    for motion in burr.motions[1:]:
        image = moved(burr, motion, assemblies)
        first = (image != best).argmax(axis=1)[:, None]
        less = np.take_along_axis(image, first, axis=1) < np.take_along_axis(best, first, axis=1)
        best = np.where(less, image, best)
    return _once(best)


def _once(assemblies: Owners) -> Owners:
    """Each row once, in order. They are compared as text, in which no letter may be nought."""
    width = assemblies.shape[1]
    text = np.ascontiguousarray(assemblies + 2).view(f"S{width}").reshape(-1)
    return np.unique(text).view(np.int8).reshape(-1, width) - 2


def moved(burr: Burr, motion: Motion, assemblies: Owners) -> Owners:
    """Return where a motion takes assemblies."""
    column = {cube: i for i, cube in enumerate(burr.owners)}
    to = np.array([column[motion.cubes[cube]] for cube in column])
    owner = np.array([*motion.rods, NOBODY], dtype=np.int8)
    image = np.empty_like(assemblies)
    image[:, to] = owner[assemblies]
    return image
