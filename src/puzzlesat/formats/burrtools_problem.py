"""A problem in a file of BurrTools, with the solutions that the file stores: where their pieces lie.

A solution has an ``<assembly>``: the place and the turn of each piece.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

import numpy as np

from puzzlesat.base import PuzzleError, write_file
from puzzlesat.formats.burrtools import (
    GRIDS,
    SOLVED,
    SOLVING,
    UNPLACED,
    ShapeCopies,
    ShapeOf,
    Voxel,
    laid,
    lying,
    names_of,
    parts_of,
    root_of,
    shape_of,
    whole_number,
)
from puzzlesat.formats.puzzles import format_of
from puzzlesat.formats.xml import xml_text
from puzzlesat.formats.xmpuzzle import FLAT, packed, voxel_of, xmpuzzle_of
from puzzlesat.puzzles import AtomId, BuiltInstance, Cell, Grid, Instance, Mark, data_folder, load_grid

Point = tuple[int, ...]


class BurrToolsProblem:
    """A problem in a file of BurrTools, beside the puzzle that it is here: in the file that the puzzle comes from, or in a new one.

    Raises NotSupportedError for what BurrTools cannot say.
    """

    def __init__(self, instance: Instance) -> None:
        if BurrToolsProblem.holds(instance):
            assert instance.path is not None
            self.root = root_of(instance.path)
            number = names_of(instance.path.stem, self.root).index(instance.name)
        else:
            self.root, number = ElementTree.fromstring(self.new_text(instance)), 0
        self.puzzle = instance.puzzle
        self.node = self.root.findall("problems/problem")[number]

    @staticmethod
    def holds(instance: Instance) -> bool:
        """Tell whether the file of a puzzle is one of BurrTools."""
        return instance.path is not None and format_of(instance.path).name == "xmpuzzle"

    @staticmethod
    def new_text(instance: Instance) -> str:
        """Return the text of a new file of a puzzle. Raises NotSupportedError for what BurrTools cannot say."""
        return xmpuzzle_of(instance)

    @property
    def solutions(self) -> list[Element]:
        """The solutions that the file stores."""
        return self.node.findall("solutions/solution")

    @property
    def text(self) -> str:
        """The text of the file."""
        return xml_text(self.root)

    def write(self, file: Path) -> None:
        """Write the file, packed as BurrTools packs it."""
        write_file(file, packed(self.text))

    @property
    def _kind(self) -> str:
        return FLAT.get(self.puzzle.grid.name, self.puzzle.grid.name)

    @cached_property
    def _grid(self) -> Grid:
        return load_grid(data_folder("models") / "grids" / f"{self._kind}.toml")

    @cached_property
    def _shapes(self) -> ShapeOf:
        return shape_of(self._grid, self.root)

    @cached_property
    def _parts(self) -> list[ShapeCopies]:
        return list(parts_of(self._shapes, self.node))

    @cached_property
    def _shift(self) -> Voxel:
        """From where the puzzle draws the form to where the file has the result."""
        result = self.node.find("result")
        assert result is not None  # else it would be no puzzle
        theirs = self._shapes(whole_number(result, "id", "result")).atoms
        return _minus(_low(theirs), _low(map(self._voxel, self.puzzle.form.atoms)))

    @cached_property
    def _atoms(self) -> dict[Voxel, AtomId]:
        return {_plus(self._voxel(atom), self._shift): atom for atom in self.puzzle.form.atoms}

    def _voxel(self, atom: AtomId) -> Voxel:
        """Where a picture draws an atom of the puzzle."""
        return voxel_of(self._grid, (*atom[:-1], 0, atom[-1]) if self._kind != self.puzzle.grid.name else atom)

    def _coloured(self, atoms: Iterable[AtomId], marks: Iterable[Mark]) -> dict[Voxel, str]:
        """Where atoms of the puzzle are, and which colours are on them, in voxels of the file."""
        names = {mark.face: mark.name for mark in marks}
        return {_plus(self._voxel(a), self._shift): names.get(a, "") for a in atoms}

    def direction(self, cell: Cell) -> Point:
        """Return a step of the lattice in voxels."""
        steps = np.array(self._grid.layout.steps)[: len(cell)]
        return tuple((np.array(cell) @ steps).tolist())

    def cell(self, way: Point) -> Cell:
        """Return the step of the lattice that is a way in voxels. Raises PuzzleError where there is none."""
        found = np.rint(np.array(way) @ np.linalg.inv(np.array(self._grid.layout.steps, dtype=float))).astype(int)
        cell = tuple(found.tolist())
        if self.direction(cell) != way:
            raise PuzzleError("a piece is not at a place of the grid")
        return cell

    def store_solutions(self, *, complete: bool, assemblies: int, apart: int, seconds: float) -> Element:
        """Replace the solutions of the file by an element for new ones, which is returned, and state how many there are."""
        for name in ("assembler", "solutions"):
            for old in self.node.findall(name):
                self.node.remove(old)
        self.node.set("state", SOLVED if complete else SOLVING)
        self.node.set("assemblies", str(assemblies))
        self.node.set("solutions", str(apart))
        self.node.set("time", str(round(seconds)))
        return SubElement(self.node, "solutions") if apart else Element("solutions")

    def place_of(self, built: BuiltInstance, option: int) -> tuple[Voxel, int]:
        """Return where a placement lies, and in which turn."""
        placement = built.placements[option]
        tile = built.puzzle.tiles[placement.tile]
        part = next(part for part in self._parts if part.name == tile.name)
        there = self._coloured(placement.atoms, placement.marks)
        own = self._coloured(tile.atoms, tile.marks)
        home = _minus(_low(part.shape.atoms), _low(own))
        found = laid(GRIDS.index(self._kind), {_plus(v, home): name for v, name in own.items()}, part.shape.hotspot, there)
        if found is None:
            raise PuzzleError(f"BurrTools cannot lay {placement.name}")
        return found

    def slots(self, built: BuiltInstance, row: Sequence[int]) -> list[int]:
        """Return which of the pieces of the problem, with all copies that there may be, each piece of an assembly is."""
        free = {}
        start = 0
        for part in self._parts:
            free[part.name] = iter(range(start, start + part.high))
            start += part.high
        return [next(free[built.puzzle.tiles[built.placements.tile[option]].name]) for option in row]

    def assembly(self, places: Mapping[int, tuple[Voxel, int]]) -> str:
        """Return the text of an assembly, with the place and the turn of the piece in each slot that is used."""
        text = {slot: " ".join(map(str, (*voxel, turn))) for slot, (voxel, turn) in places.items()}
        return " ".join(text.get(i, UNPLACED) for i in range(sum(part.high for part in self._parts)))

    def pieces(self, solution: Element) -> dict[int, tuple[str, frozenset[AtomId]]]:
        """Return the tile and the atoms of the piece in each slot that a solution uses. Raises PuzzleError where it is none."""
        numbers = iter((solution.findtext("assembly") or "").split())
        found: dict[int, tuple[str, frozenset[AtomId]]] = {}
        for slot, part in enumerate(one for one in self._parts for _ in range(one.high)):
            if (first := next(numbers, UNPLACED)) == UNPLACED:
                continue
            x, y, z, turn = int(first), *(int(next(numbers, "")) for _ in range(3))
            voxels = lying(GRIDS.index(self._kind), part.shape.atoms, part.shape.hotspot, (x, y, z), turn)
            if voxels is None or not self._atoms.keys() >= set(voxels):
                raise PuzzleError(f"piece {slot + 1} is not inside the result")
            found[slot] = part.name, frozenset(self._atoms[v] for v in voxels)
        return found


def _low(voxels: Iterable[Voxel]) -> Voxel:
    x, y, z = (min(axis) for axis in zip(*voxels, strict=True))
    return x, y, z


def _plus(a: Voxel, b: Point) -> Voxel:
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


def _minus(a: Voxel, b: Point) -> Voxel:
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]
