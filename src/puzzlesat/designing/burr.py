"""A burr of intersecting rods: the cubes that rods share, the pieces that can be cut from a rod, and the symmetries of the burr.

A burr is also a puzzle: its pieces are the tiles, the union of the rods is the form, and each assembly is a row of placements.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np

from puzzlesat.base import SILENT, Longs, NotSupportedError, Progress, PuzzleError
from puzzlesat.designing.burr_kernel import Owners
from puzzlesat.designing.design_files import DesignFile
from puzzlesat.designing.partition import owners_of
from puzzlesat.formats import instance_given
from puzzlesat.puzzles import BuiltInstance, Matrix, apply_matrix, build_instance, cube_symmetries

MAX_SHARED = 16
"""Largest number of cubes that one rod may share with other rods."""
NOBODY = -1
"""The owner of a hole."""

Cube = tuple[int, int, int]
"""The centre of a cube, in half cubes from the centre of the burr."""
Piece = tuple[tuple[int, ...], int]
"""A piece, independent of its orientation: the size of its rod, and its missing cubes as bits of a number."""


@dataclass(frozen=True)
class Rod:
    """A rod in its place. Some of the cubes that it shares with other rods may be cut away."""

    name: str
    cubes: tuple[Cube, ...]
    shared: tuple[Cube, ...]
    """The shared cubes, in the order of the bits of ``kept``."""
    kept: tuple[int, ...]
    """The sets of shared cubes that the rod may keep: bit i means cube i of ``shared``."""

    @cached_property
    def own(self) -> frozenset[Cube]:
        """The cubes that belong to no other rod."""
        return frozenset(self.cubes) - frozenset(self.shared)

    def body(self, kept: int) -> frozenset[Cube]:
        """Return all cubes of the piece that keeps the given shared cubes."""
        return self.own | {cube for i, cube in enumerate(self.shared) if kept >> i & 1}

    def cut(self, kept: int) -> list[int]:
        """Return the numbers of the shared cubes that are cut away."""
        return [i for i in range(len(self.shared)) if not kept >> i & 1]

    def piece(self, kept: int) -> Piece:
        """Return the piece that keeps the given shared cubes."""
        size, ways = self._ways
        cut = self.cut(kept)
        return size, min(sum(way[i] for i in cut) for way in ways)

    @cached_property
    def _ways(self) -> tuple[tuple[int, ...], list[list[int]]]:
        """The size of the rod, longest side first; and for each rotation with this bounding box, a bit for each shared cube."""
        size = tuple(sorted((len({cube[axis] for cube in self.cubes}) for axis in range(3)), reverse=True))
        ways = []
        for matrix in (matrix for matrix, mirror in cube_symmetries() if not mirror):
            corners = [(min(axis), max(axis)) for axis in zip(*(apply_matrix(matrix, cube) for cube in self.cubes), strict=True)]
            if tuple((high - low) // 2 + 1 for low, high in corners) == size:
                placed = [[(c - low) // 2 for c, (low, _) in zip(apply_matrix(matrix, cube), corners, strict=True)] for cube in self.shared]
                ways.append([1 << ((x * size[1] + y) * size[2] + z) for x, y, z in placed])
        return size, ways


@dataclass(frozen=True)
class RodSymmetry:
    """A symmetry of the rods: the image of each shared cube, and of each rod by its number."""

    cubes: Mapping[Cube, Cube]
    rods: tuple[int, ...]
    axes: tuple[tuple[int, int], ...]
    """The image of each axis, and 1 or -1 for its direction."""
    mirrors: bool
    """True for a reflection, also one combined with a rotation."""


@dataclass(frozen=True)
class Burr:
    """The rods, which assemblies count (``solid``: without holes), and the motions up to which they are equal."""

    title: str
    rods: tuple[Rod, ...]
    solid: bool
    motions: tuple[RodSymmetry, ...]

    @cached_property
    def owners(self) -> dict[Cube, tuple[int, ...]]:
        """Each shared cube with the rods that contain it."""
        cubes = sorted({cube for rod in self.rods for cube in rod.shared})
        return {cube: tuple(i for i, rod in enumerate(self.rods) if cube in rod.shared) for cube in cubes}

    @cached_property
    def names(self) -> dict[Piece, str]:
        """The pieces with their names.

        A name is the number of Keith Winegar and Jürg von Känel: 1 plus 1, 2, 4, 8 … for the cubes that are cut away, in order from the
        inside of the burr; of all orientations, the smallest number.
        """
        found: dict[Piece, str] = {}
        for rod in self.rods:
            for kept in sorted(rod.kept, key=lambda kept: _number(rod, kept)):
                piece = rod.piece(kept)
                if piece not in found:
                    number = str(_number(rod, kept))
                    found[piece] = f"{rod.name}-{number}" if number in found.values() else number
        return found

    @cached_property
    def mirrored(self) -> dict[str, str]:
        """The mirror image of each piece, if mirror images of assemblies are equal; else empty."""
        motion = next((motion for motion in self.motions if motion.mirrors), None)
        found: dict[str, str] = {}
        for number, rod in enumerate(self.rods if motion is not None else ()):
            assert motion is not None
            other = motion.rods[number]
            bits = [1 << self.rods[other].shared.index(motion.cubes[cube]) for cube in rod.shared]
            for kept, name in self.piece_of[number].items():
                found[name] = self.piece_of[other][sum(bit for i, bit in enumerate(bits) if kept >> i & 1)]
        return found

    def set_of(self, pieces: Sequence[str]) -> tuple[str, ...]:
        """Return the canonical form of a set of pieces: sorted, and the lesser of the set and its mirror image if these are equal."""
        return min(tuple(sorted(pieces)), tuple(sorted(self.mirrored.get(piece, piece) for piece in pieces)))

    @cached_property
    def piece_of(self) -> tuple[dict[int, str], ...]:
        """The names of the pieces of each rod, by the set of shared cubes that it keeps."""
        return tuple({kept: self.names[rod.piece(kept)] for kept in rod.kept} for rod in self.rods)


def burr_of(design: DesignFile) -> Burr:
    """Return the burr of a design. Raises PuzzleError if its rods cannot form a burr."""
    lows, highs = ([min(axis) for axis in zip(*(c[0] for c in design.rods.values()), strict=True)],
                   [max(axis) for axis in zip(*(c[1] for c in design.rods.values()), strict=True)])  # fmt: skip
    cubes = {name: _cubes(box, [a + b for a, b in zip(lows, highs, strict=True)]) for name, box in design.rods.items()}
    rods = tuple(_rod(name, cubes, notches=design.cut == "notches") for name in cubes)
    return Burr(design.title, rods, design.solid, tuple(_motions(rods, mirrors=design.mirrors)))


def _cubes(box: Sequence[Sequence[int]], middle: Sequence[int]) -> tuple[Cube, ...]:
    ranges = [range(2 * a - m, 2 * b - m + 1, 2) for a, b, m in zip(*box, middle, strict=True)]
    return tuple((x, y, z) for x, y, z in product(*ranges))


def _rod(name: str, cubes: Mapping[str, tuple[Cube, ...]], *, notches: bool) -> Rod:
    """Return a rod, with every set of shared cubes that leaves it connected."""
    of_others = {cube for other, its in cubes.items() if other != name for cube in its}
    shared = _in_order(cubes[name], of_others)
    if len(shared) == len(cubes[name]):
        raise PuzzleError(f"rods.{name}: other rods could have each of its cubes; a rod needs one of its own")
    if not 0 < len(shared) <= MAX_SHARED:
        raise NotSupportedError(f"rods.{name}: it shares {len(shared)} cubes with other rods; a rod may share from 1 to {MAX_SHARED}")
    bit = {cube: i for i, cube in enumerate([*shared, *(c for c in cubes[name] if c not in of_others)])}
    beside = [sum(1 << bit[n] for axis in range(3) for way in (1, -1) if (n := shifted(cube, axis, way)) in bit) for cube in bit]
    own = (1 << len(bit)) - (1 << len(shared))
    kept = [mask for mask in range(1 << len(shared)) if _is_connected(mask | own, beside)]
    if notches:
        rows = _rows(cubes[name], bit)
        whole = (1 << len(bit)) - 1
        kept = [mask for mask in kept if _is_notched(whole & ~(mask | own), rows)]
    return Rod(name, cubes[name], shared, tuple(kept))


def _in_order(rod: Sequence[Cube], of_others: set[Cube]) -> tuple[Cube, ...]:
    """Return the shared cubes of a rod: by layers from the centre of the burr, within a layer by rows along the rod."""
    sizes = [len({cube[axis] for cube in rod}) for axis in range(3)]
    along = max(range(3), key=lambda axis: sizes[axis])
    off = max((a for a in range(3) if a != along), key=lambda axis: abs(sum(cube[axis] for cube in rod)))
    side = 3 - along - off
    return tuple(sorted(of_others.intersection(rod), key=lambda cube: (abs(cube[off]), cube[side], cube[along])))


def _number(rod: Rod, kept: int) -> int:
    return 1 + sum(1 << i for i in rod.cut(kept))


def shifted(cube: Cube, axis: int, cubes: int) -> Cube:
    """Return the cube that is some cubes further along an axis."""
    x, y, z = (c + 2 * cubes if a == axis else c for a, c in enumerate(cube))
    return x, y, z


def _is_connected(body: int, beside: Sequence[int]) -> bool:
    seen = front = body & -body
    while front:
        reached = 0
        while front:
            reached |= beside[(front & -front).bit_length() - 1]
            front &= front - 1
        front = reached & body & ~seen
        seen |= front
    return seen == body


def _rows(rod: Sequence[Cube], bit: Mapping[Cube, int]) -> list[list[int]]:
    """Return the rows across the rod through each cube, as sets of bits. The cubes are in the order of the bits."""
    sizes = [len({cube[axis] for cube in rod}) for axis in range(3)]
    along = sizes.index(max(sizes))
    across = [axis for axis in range(3) if axis != along]
    return [
        [sum(1 << bit[c] for c in rod if all(c[a] == cube[a] for a in range(3) if a != axis)) for axis in across]
        for cube in sorted(bit, key=lambda cube: bit[cube])
    ]


def _is_notched(cut: int, rows: Sequence[Sequence[int]]) -> bool:
    """Return whether a saw can make this cut: each missing cube is part of a missing row across the rod."""
    return all(any(row & ~cut == 0 for row in rows[i]) for i in range(cut.bit_length()) if cut >> i & 1)


# symmetries --------------------------------------------------------------------------------------------------------------------


def _motions(rods: Sequence[Rod], *, mirrors: bool) -> Iterator[RodSymmetry]:
    """Yield the symmetries of a cube that map rods to rods, the identity first."""
    number = {frozenset(rod.cubes): i for i, rod in enumerate(rods)}
    order = sorted(cube_symmetries(), key=lambda each: ([[-abs(x) for x in row] for row in each[0]], [-sum(row) for row in each[0]]))
    for matrix, mirror in order:
        images = [number.get(frozenset(_moved(matrix, cube) for cube in rod.cubes), -1) for rod in rods]
        if -1 not in images and mirrors >= mirror:
            to = tuple(next((row, x) for row, x in enumerate(column) if x) for column in zip(*matrix, strict=True))
            yield RodSymmetry({c: _moved(matrix, c) for rod in rods for c in rod.shared}, tuple(images), to, mirror)


def _moved(matrix: Matrix, cube: Cube) -> Cube:
    x, y, z = apply_matrix(matrix, cube)
    return x, y, z


def kept_by(burr: Burr, assemblies: Owners) -> Longs:
    """Return the shared cubes that each rod keeps in each assembly, as bits: array (assemblies, rods)."""
    column = {cube: i for i, cube in enumerate(burr.owners)}
    kept = np.zeros((len(assemblies), len(burr.rods)), dtype=np.int64)
    for number, rod in enumerate(burr.rods):
        for bit, cube in enumerate(rod.shared):
            kept[:, number] |= (assemblies[:, column[cube]] == number).astype(np.int64) << bit
    return kept


def pieces_of(burr: Burr, kept: Longs) -> list[tuple[str, ...]]:
    """Return the names of the pieces of each assembly, in the order of the rods."""
    return [tuple(names[k] for names, k in zip(burr.piece_of, row, strict=True)) for row in kept.tolist()]


def table_of(burr: Burr, kept: Sequence[Collection[int]]) -> dict[str, Any]:
    """Return the puzzle as tables of an instance file. Its tiles are the pieces that keep one of the sets ``kept`` of their rod."""
    bodies: dict[str, frozenset[Cube]] = {}
    for number, rod in enumerate(burr.rods):
        for mask in sorted(kept[number]):
            bodies.setdefault(burr.piece_of[number][mask], rod.body(mask))
    tiles = {name: {"atoms": sorted(map(_place, body)), "copies": [0, len(burr.rods)]} for name, body in bodies.items()}
    cubes = sorted({_place(cube) for rod in burr.rods for cube in rod.cubes})
    form = {"atoms": cubes, "optional": [] if burr.solid else sorted(map(_place, burr.owners))}
    return {"title": burr.title, "grid": "cube", "flips": False, "tiles": tiles, "form": form}


def puzzle_of(burr: Burr, cubes: str) -> dict[str, Any]:
    """Return the tables of a puzzle with the pieces of an assembly, given as text (see ``letters_of``)."""
    kept = kept_by(burr, owners_of([cubes], len(cubes)))
    pieces, table = pieces_of(burr, kept)[0], table_of(burr, kept.T.tolist())
    tiles = {name: {"atoms": tile["atoms"], "copies": pieces.count(name)} for name, tile in table["tiles"].items()}
    return table | {"title": f"{burr.title}: {' '.join(pieces)}", "tiles": tiles}


def _place(cube: Cube) -> tuple[int, int, int]:
    x, y, z = (c // 2 for c in cube)
    return x, y, z


def built_burr(burr: Burr, kept: Longs, progress: Progress = SILENT) -> tuple[BuiltInstance, Iterator[tuple[int, ...]]]:
    """Return the puzzle with its placements, and each assembly as numbers of placements in the order of the rods."""
    built, placement = placements_of(burr, [np.unique(column).tolist() for column in kept.T], progress)
    return built, map(tuple, rows_of(placement, kept).tolist())


def rows_of(placement: Sequence[Longs], kept: Longs) -> Longs:
    """Return assemblies as rows of placements, by the placement of each set that a rod keeps: array (assemblies, rods)."""
    return np.stack([table[column] for table, column in zip(placement, kept.T, strict=True)], axis=1)


def placements_of(burr: Burr, kept: Sequence[Collection[int]], progress: Progress = SILENT) -> tuple[BuiltInstance, list[Longs]]:
    """Return the puzzle with its placements, and for each rod the number of the placement by the set that it keeps; -1: not in ``kept``."""
    built = build_instance(instance_given(table_of(burr, kept)), progress=progress)
    where = {frozenset(atom[:3] for atom in each.atoms): number for number, each in enumerate(built.placements)}
    found = [np.full(1 << len(rod.shared), -1, dtype=np.int64) for rod in burr.rods]
    for rod, table, its in zip(burr.rods, found, kept, strict=True):
        for mask in its:
            table[mask] = where[frozenset(map(_place, rod.body(mask)))]
    return built, found
