"""Compiled listing of the assemblies of a diagram, one of each class of rotated and reflected copies.

A class may occur several times: in several diagrams, and in one diagram as several copies. It is listed in the first diagram that contains
a copy, as the lexicographically smallest copy there. This test needs no memory of the assemblies listed before.
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

    nodes: Longs  # (blocks + 1): the number of nodes of each layer
    choices: Longs  # (blocks)
    step_at: Longs  # the first step of each block
    step: Ints  # the next node, by choice and node; -1: none
    ways_at: Longs
    ways: Longs  # the number of ways to complete each node
    cube_at: Longs  # (blocks + 1)
    cube: Ints  # the cubes of each block
    owner_at: Longs
    owner: Owners  # by choice, an owner for each cube of the block


class Copies(NamedTuple):
    """The tables that decide whether an assembly is the first of its copies. A move is a step of a group of rods along an axis."""

    beside_at: Longs  # (4): the first pair of each axis
    beside: Ints  # (pairs, 2): a cube, and the next one along the axis; numbers after the shared cubes mean the own cubes of a rod
    first: Ints  # (3, groups): the diagram that lists the copies in which this move is possible; -1: none
    cube: Ints  # (motions, cubes): the image of each cube
    rod: Owners  # (motions, rods): the rod that each motion takes to this one
    axis: Longs  # (motions): the axis of the image of the move of this diagram
    group: Longs


class Place(NamedTuple):
    """The current position in a diagram."""

    node: Longs  # (blocks + 1)
    begin: Longs  # (blocks + 1): the smallest number of an assembly through this node
    owner: Owners  # the owner of each cube, then the number of each rod
    blocked: Longs  # (3, rods): the rods in front of each rod, as bits


@part
def _go_to(flat: Any, place: Any, number: Any) -> None:
    """Write the owners of the assembly with a number. Numbers of successive calls must not decrease."""
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
    """Write the rods in front of each rod."""
    for axis in range(3):
        for rod in range(place.blocked.shape[1]):
            place.blocked[axis, rod] = 0
        for k in range(copies.beside_at[axis], copies.beside_at[axis + 1]):
            one, other = place.owner[copies.beside[k, 0]], place.owner[copies.beside[k, 1]]
            if one >= 0 and other >= 0 and one != other:
                place.blocked[axis, one] |= 1 << other


@part
def _can_move(place: Any, axis: Any, group: Any) -> Any:
    """Return whether a group of rods can go one step along an axis."""
    free = True
    for rod in range(place.blocked.shape[1]):
        free = free and ((group >> rod) & 1 == 0 or place.blocked[axis, rod] & ~group == 0)
    return free


@part
def _comes_before(copies: Any, place: Any, motion: Any) -> Any:
    """Return whether the image under the inverse of a motion comes before the assembly itself."""
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
    """List the assemblies from ``number`` to before ``last`` that are the first of their copies, or until ``found`` is full.

    Return the next number, and how many assemblies were written.
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
