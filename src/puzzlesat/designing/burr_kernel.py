"""Assemblies of a diagram one after the other, one of each class of turned and mirrored copies: compiled.

A class may be met several times: in several diagrams, and in one of them as several copies. It counts in the first diagram that has a copy,
and there as the copy which comes first in the order of a dictionary. So nobody need remember what came before.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzlesat.base import Ints, Longs
from puzzlesat.kernels import compiled, part

Owners = NDArray[np.int8]
"""Assemblies of a burr: array (assemblies, cubes), the rod that owns each shared cube in the order of the burr, or -1 for a hole."""

# mypy: allow-untyped-calls


class DiagramArrays(NamedTuple):
    """A diagram as arrays, block after block."""

    nodes: Longs  # (blocks + 1): how many nodes a layer has
    choices: Longs  # (blocks)
    step_at: Longs  # where the steps of a block begin
    step: Ints  # for each choice and node the node that follows; -1: none
    ways_at: Longs
    ways: Longs  # of each node
    cube_at: Longs  # (blocks + 1)
    cube: Ints  # the cubes of a block
    owner_at: Longs
    owner: Owners  # for each choice, of each of these cubes


class Copies(NamedTuple):
    """What tells whether an assembly is the first of its copies. A move is a step of a group of rods along an axis."""

    beside_at: Longs  # (4): where the pairs of an axis begin
    beside: Ints  # (pairs, 2): a cube, and the next one along the axis; behind the shared cubes stand the rods, for their own cubes
    first: Ints  # (3, groups): the first diagram that has the copies in which such a move is possible; -1: none
    cube: Ints  # (motions, cubes): the cube that a motion takes to this one
    rod: Owners  # (motions, rods): where each rod goes
    axis: Longs  # (motions): of the move that a motion takes to the one of this diagram
    group: Longs


class Place(NamedTuple):
    """Where one is in a diagram."""

    node: Longs  # (blocks + 1)
    begin: Longs  # (blocks + 1): the first number that goes through this node
    owner: Owners  # of each cube; then the number of each rod
    blocked: Longs  # (3, rods): which rods are in front of each rod, as bits


@part
def _go_to(flat: Any, place: Any, number: Any) -> None:
    """Write the owners of the assembly with a number, which is no less than the one before."""
    blocks = len(flat.choices)
    at = blocks
    while at > 0 and number >= place.begin[at] + flat.ways[flat.ways_at[at] + place.node[at]]:
        at -= 1
    while at < blocks:
        begin, many = place.begin[at], 0
        node = -1
        choice = -1
        while node < 0 or number >= begin + many:
            begin += many
            choice += 1
            node = flat.step[flat.step_at[at] + choice * flat.nodes[at] + place.node[at]]
            many = flat.ways[flat.ways_at[at + 1] + node] if node >= 0 else 0
        place.begin[at + 1] = begin
        place.node[at + 1] = node
        cubes = flat.cube_at[at + 1] - flat.cube_at[at]
        for k in range(cubes):
            place.owner[flat.cube[flat.cube_at[at] + k]] = flat.owner[flat.owner_at[at] + choice * cubes + k]
        at += 1


@part
def _look_ahead(copies: Any, place: Any) -> None:
    """Write which rods are in front of each rod."""
    for axis in range(3):
        for rod in range(place.blocked.shape[1]):
            place.blocked[axis, rod] = 0
        for k in range(copies.beside_at[axis], copies.beside_at[axis + 1]):
            one, other = place.owner[copies.beside[k, 0]], place.owner[copies.beside[k, 1]]
            if one >= 0 and other >= 0 and one != other:
                place.blocked[axis, one] |= 1 << other


@part
def _can_move(place: Any, axis: Any, group: Any) -> Any:
    """Whether a group of rods can go a step along an axis."""
    free = True
    for rod in range(place.blocked.shape[1]):
        free = free and ((group >> rod) & 1 == 0 or place.blocked[axis, rod] & ~group == 0)
    return free


@part
def _comes_before(copies: Any, place: Any, motion: Any) -> Any:
    """Whether the copy that a motion makes comes before the assembly itself."""
    for cube in range(copies.cube.shape[1]):
        owner, image = place.owner[cube], place.owner[copies.cube[motion, cube]]
        if image >= 0:
            image = copies.rod[motion, image]
        if image != owner:
            return image < owner
    return False


@part
def _is_first(copies: Any, place: Any, diagram: Any) -> Any:
    for axis in range(3):
        for group in range(1, copies.first.shape[1] - 1):
            if copies.first[axis, group] < diagram and _can_move(place, axis, group):
                return False
    for motion in range(1, len(copies.axis)):
        if _can_move(place, copies.axis[motion], copies.group[motion]) and _comes_before(copies, place, motion):
            return False
    return True


@compiled
def list_first(flat: Any, copies: Any, place: Any, diagram: Any, number: Any, last: Any, found: Any) -> Any:
    """List the assemblies of a diagram from a number on which are the first of their copies, until one after the last, or there is no room.

    Return the next number, and how many were found.
    """
    count = 0
    while number < last and count < len(found):
        _go_to(flat, place, number)
        _look_ahead(copies, place)
        if _is_first(copies, place, diagram):
            for cube in range(found.shape[1]):
                found[count, cube] = place.owner[cube]
            count += 1
        number += 1
    return number, count
