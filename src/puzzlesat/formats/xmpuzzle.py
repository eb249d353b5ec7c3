"""Files of BurrTools (``.xmpuzzle``): puzzles are written, problems are read with the solutions that the file stores.

A puzzle on squares or triangles becomes a single layer of cubes or prisms, where BurrTools turns pieces over. In space BurrTools rotates
pieces, and never reflects them. Its one rule is a limit on holes. Other puzzles are refused: puzzles with marks, with other rules, or with
pieces that may be rotated in some ways only.

Of the rotated and reflected copies of an assembly, BurrTools keeps the least: it compares the numbers of rotations, then places. The first
piece is the piece with the fewest symmetries in common with the result, if it has one copy. The others follow in the order of the file,
copies in the order of their rotations and places. An ``<assembly>`` has the place and the rotation of each piece.
"""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from colorsys import hsv_to_rgb
from dataclasses import replace
from functools import cache, cached_property
from pathlib import Path
from typing import Any
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

import numpy as np

from puzzlesat.base import NotSupportedError, PuzzleError, data_folder, write_file
from puzzlesat.formats import burrtools
from puzzlesat.formats.burrtools import GRIDS, ShapeCopies, ShapeOf, Voxel, grid_named, laid, names_of, root_of, whole_number
from puzzlesat.formats.puzzles import format_of
from puzzlesat.formats.xml import escape, quoteattr, xml_text
from puzzlesat.puzzles import AtomId, BuiltInstance, Grid, Instance, InstanceFile, Library, Mark, Puzzle, Tile, orientations, validated

FLAT = {"square": "cube", "triangle": "prisms"}
"""Grids of the plane, and the grids of which they are a layer."""
EMPTY, FULL, MAYBE = "_", "#", "+"


def xmpuzzle_text(table: Mapping[str, Any], remarks: Iterable[str] = ()) -> str:
    """Return the file of the puzzle in a table. Raises NotSupportedError if BurrTools cannot express it."""
    here = data_folder("models") / "puzzle"  # the table includes its model, and refers at most to a grid of the package
    instance = Library().instance(validated(InstanceFile, dict(table), here), here)
    return xmpuzzle_of(instance, remarks)


def copied_text(path: Path, name: str | None = None) -> str:
    """Return the text of a file with everything that it holds, or with only one of its problems, by its name in puzzlesat.

    Raises PuzzleError, without the file's name, if it is not a file of BurrTools.
    """
    root = root_of(path)
    problems = root.find("problems")
    if name is not None and problems is not None:
        for other, problem in zip(names_of(path.stem, root), problems.findall("problem"), strict=True):
            if other != name:
                problems.remove(problem)
    return xml_text(root)


def packed(text: str) -> bytes:
    """Return a text as BurrTools writes it to a file: compressed by gzip."""
    return gzip.compress(text.encode(), mtime=0)


def xmpuzzle_of(instance: Instance, remarks: Iterable[str] = ()) -> str:
    """Return the file of a puzzle. Raises NotSupportedError if BurrTools cannot express it."""
    puzzle, title = instance.puzzle, instance.title
    kind = FLAT.get(puzzle.grid.name, puzzle.grid.name)
    if kind not in GRIDS:
        raise NotSupportedError(f"BurrTools has no grid {puzzle.grid.name!r}; it has {', '.join([*FLAT, *GRIDS])}")
    _check(puzzle)
    grid = grid_named(kind)
    flat = kind != puzzle.grid.name
    colours = _numbers(puzzle)
    form = dict.fromkeys(puzzle.form.required, FULL) | dict.fromkeys(puzzle.form.optional, MAYBE)
    shapes = [_shape(grid, _coloured(form, puzzle.form.colours, colours), "form", flat=flat)]
    for tile in puzzle.tiles:
        own = _coloured(dict.fromkeys(tile.atoms, FULL), {mark.face: mark.name for mark in tile.marks}, colours)
        shapes.append(_shape(grid, own, tile.name, flat=flat))
    pieces = "".join(
        f"<shape id={quoteattr(str(i))} {_copies(puzzle, t)}{_groups(puzzle, t, instance.together)}"
        for i, t in enumerate(puzzle.tiles, start=1)
    )
    comment = escape("\n".join([title, *remarks, *filter(None, [instance.source])]))
    known = "".join(map(_paint, range(max(colours.values(), default=0))))
    holes = "" if (most := _most_holes(puzzle)) is None else f' maxHoles="{most}"'
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<puzzle version="2">\n<gridType type="{GRIDS.index(kind)}"/>\n<colors>{known}</colors>\n'
        f'<shapes>\n{"".join(shapes)}</shapes>\n<problems>\n<problem name={quoteattr(title)} state="0"{holes}>\n'
        f'<shapes>{pieces}</shapes>\n<result id="0"/>\n<bitmap>{"".join(_pairs(puzzle, colours))}</bitmap>\n</problem>\n</problems>\n'
        f"<comment>{comment}</comment>\n</puzzle>\n"
    )


def _check(puzzle: Puzzle) -> None:
    """Raise NotSupportedError if BurrTools cannot express a puzzle."""
    odd = {
        "marks": any(not mark.is_colour for tile in puzzle.tiles for mark in tile.marks) or puzzle.border,
        "forms that wrap round": puzzle.form.wrap,
        "conditions": puzzle.rules and _most_holes(puzzle) is None,
        "fixed placements": puzzle.fixed,
        "rules on solutions": bool(puzzle.solutions),
        "tiles whose placements are listed": any(tile.listed for tile in puzzle.tiles),
    }
    if found := [what for what, there in odd.items() if there]:
        raise NotSupportedError(f"BurrTools has no {found[0]}, as this puzzle has")
    flips = puzzle.grid.dimension == 2
    everything = tuple(i for i, g in enumerate(puzzle.grid.motions) if flips or not g.mirror)
    for tile in puzzle.tiles:
        if _looks(puzzle.grid, tile) != _looks(puzzle.grid, replace(tile, symmetries=everything)):
            how = "turns every piece in all ways, and over" if flips else "turns every piece in all ways, and never mirrors it"
            raise NotSupportedError(f"BurrTools {how}; tile {tile.name!r} has other rules")


# colours and holes ------------------------------------------------------------------------------------------------------------


def _numbers(puzzle: Puzzle) -> dict[str, int]:
    """Return a number from 1 for each colour, in the order of their names; 0 for a colour that restricts nothing.

    Congruent shapes in a file of BurrTools got colours of their own when it was read, such as ``plain-2`` and ``c1-2``. They get the
    colours again that the shapes have there.
    """
    tiles = [{mark.name for mark in tile.marks} for tile in puzzle.tiles]
    below = set(puzzle.form.colours.values())
    fits = {name: puzzle.fits.get(name, frozenset()) & below for own in tiles for name in own}
    same = {}
    for name in fits:
        base = re.sub("-[0-9]+$", "", name)
        if base != name and fits.get(base, below) == fits[name] and not any({base, name} <= own for own in tiles):
            same[name] = base
    none = {"plain"} if fits.get("plain", below) == below else set()
    for tile, own in zip(puzzle.tiles, tiles, strict=True):
        if len(own) == 1 and len(tile.marks) == len(tile.atoms) and all(fits[name] == below for name in own):
            none |= own  # a piece in one colour that fits everywhere
    left = {same.get(name, name) for name in fits.keys() | below} - none
    order = sorted(left, key=lambda name: [int(part) if part.isdecimal() else part for part in re.split("([0-9]+)", name)])
    numbers = {name: number for number, name in enumerate(order, start=1)}
    return {name: 0 if name in none else numbers.get(same.get(name, name), 0) for name in fits.keys() | below}


def _coloured(states: Mapping[AtomId, str], colours: Mapping[AtomId, str], numbers: Mapping[str, int]) -> dict[AtomId, str]:
    """Return each atom with its state and the number of its colour."""
    return {atom: f"{state}{numbers[colours[atom]] or ''}" if atom in colours else state for atom, state in states.items()}


def _paint(number: int) -> str:
    """Return a colour for display: consecutive numbers are far apart on the colour wheel."""
    red, green, blue = (round(255 * part) for part in hsv_to_rgb(number * 0.382 % 1, 0.65, 0.85))
    return f'<color red="{red}" green="{green}" blue="{blue}"/>'


def _pairs(puzzle: Puzzle, numbers: Mapping[str, int]) -> list[str]:
    """Return the pairs of a colour of pieces and a colour of the result that may meet."""
    own = {mark.name for tile in puzzle.tiles for mark in tile.marks}
    found = {(numbers[name], numbers[below]) for name in own for below in puzzle.fits.get(name, ()) if numbers.get(below)}
    return [f'<pair piece="{piece - 1}" result="{result - 1}"/>' for piece, result in sorted(found) if piece]


def _most_holes(puzzle: Puzzle) -> int | None:
    """Return how many atoms may stay empty if this is the only rule; None for another rule, or if BurrTools would not heed it."""
    if len(puzzle.rules) != 1 or all(tile.low == tile.high for tile in puzzle.tiles):
        return None
    (rule,) = puzzle.rules
    optional = puzzle.form.optional
    if rule.tiles or rule.modulus or rule.high < len(optional) or rule.atoms != dict.fromkeys(optional, 1):
        return None
    return max(len(optional) - rule.low, 0)


def _looks(grid: Grid, tile: Tile) -> set[tuple[AtomId, ...]]:
    return {orientation.atoms for orientation in orientations(grid, tile)}


def _most(puzzle: Puzzle, tile: Tile) -> int:
    return len(puzzle.form.atoms) // len(tile.atoms) if tile.high is None else tile.high


def _copies(puzzle: Puzzle, tile: Tile) -> str:
    high = _most(puzzle, tile)
    return f'count="{high}"' if tile.low == high else f'min="{tile.low}" max="{high}"'


def _groups(puzzle: Puzzle, tile: Tile, together: Sequence[Collection[str]]) -> str:
    """Return the end of the tag of a piece, with the groups of pieces that need not come apart from each other."""
    groups = [number for number, names in enumerate(together, start=1) if tile.name in names]
    if len(groups) < 2:
        return "".join(f' group="{number}"' for number in groups) + "/>"
    return ">" + "".join(f'<group group="{number}" count="{_most(puzzle, tile)}"/>' for number in groups) + "</shape>"


def _shape(grid: Grid, states: Mapping[AtomId, str], name: str, *, flat: bool) -> str:
    """Return a shape, translated by whole cells of the grid so that no coordinate in its box is negative."""
    voxels = {voxel_of(grid, (*atom[:-1], 0, atom[-1]) if flat else atom): state for atom, state in states.items()}
    home = _home(grid, voxels)
    moved = {tuple(v + h for v, h in zip(voxel, home, strict=True)): state for voxel, state in voxels.items()}
    width, depth, height = (max(axis) + 1 for axis in zip(*moved, strict=True))
    text = "".join(moved.get((x, y, z), EMPTY) for z in range(height) for y in range(depth) for x in range(width))
    return f'<voxel x="{width}" y="{depth}" z="{height}" type="0" name={quoteattr(name)}>{text}</voxel>\n'


def voxel_of(grid: Grid, atom: AtomId) -> Voxel:
    """Return the voxel at which the picture of the grid draws an atom."""
    at = next(site.at for site in grid.layout.sites if next(iter(site.glyphs.values()))[0] == atom[-1])
    x, y, z = (a + sum(c * step[i] for c, step in zip(atom[:-1], grid.layout.steps, strict=True)) for i, a in enumerate(at))
    return x, y, z


def _home(grid: Grid, voxels: Iterable[Voxel]) -> Voxel:
    """Return a translation of the grid, in voxels, that makes no coordinate negative; layers first, because their step may go aside."""
    low = [min(axis) for axis in zip(*voxels, strict=True)]
    home = [0, 0, 0]
    for i in (2, 1, 0):
        step = grid.layout.steps[i]
        times = -((low[i] + home[i]) // step[i])
        home = [h + times * s for h, s in zip(home, step, strict=True)]
    return home[0], home[1], home[2]


Row = tuple[int, ...]


def pose_of(built: BuiltInstance) -> Callable[[Sequence[int]], Row]:
    """Return a function from an assembly to the placements of the copy that BurrTools keeps, in the order of its pieces.

    The puzzle is on one of BurrTools' grids in space.
    """
    puzzle, placements = built.puzzle, built.placements
    kind, steps = GRIDS.index(puzzle.grid.name), np.array(puzzle.grid.layout.steps)
    images = built.problem.option_images.array
    first = _compared_first(puzzle) if len(images) > 1 else None
    order = sorted(range(len(puzzle.tiles)), key=lambda tile: (tile != first, tile))

    @cache
    def turn(tile: int, orientation: int, option: int) -> int:
        there = placements[option]
        own = puzzle.tiles[tile]
        found = laid(kind, _voxels(puzzle.grid, own.atoms, own.marks), (0, 0, 0), _voxels(puzzle.grid, there.atoms, there.marks))
        return -1 if found is None else found[1]

    some: dict[tuple[int, int], int] = {}

    def turned(option: int) -> Row:
        """Return the number of a rotation, and a place."""
        tile, orientation = int(placements.tile[option]), int(placements.orientation[option])
        representative = some.setdefault((tile, orientation), option)  # placements of one orientation have one rotation
        return (turn(tile, orientation, representative), *(placements.cell[option] @ steps).tolist())

    def ordered(row: Sequence[int]) -> Row:
        copies = [(int(placements.tile[o]), o) for o in row]
        return tuple(o for _, _, o in sorted((tile, turned(o) if [t for t, _ in copies].count(tile) > 1 else (), o) for tile, o in copies))

    def pose(row: Sequence[int]) -> Row:
        left = np.unique(np.sort(images[:, list(row)], axis=1), axis=0)
        for tile in order:
            if len(left) == 1:
                break
            looks = [sorted(turned(o) for o in option_row if placements.tile[o] == tile) for option_row in left.tolist()]
            least = min(looks)
            left = left[[look == least for look in looks]]
        return ordered(left[0].tolist())

    return pose


def _voxels(grid: Grid, atoms: Sequence[AtomId], marks: Sequence[Mark]) -> dict[tuple[int, int, int], str]:
    names = {mark.face: mark.name for mark in marks}
    return {voxel_of(grid, atom): names.get(atom, "") for atom in atoms}


def _compared_first(puzzle: Puzzle) -> int | None:
    """Return the tile that is compared first; None if it may have several copies, or if tiles may be left unused."""
    if any(tile.low != tile.high for tile in puzzle.tiles):
        return None
    common = _conjugates(puzzle.grid, _symmetries(puzzle.grid, _as_tile(puzzle)))
    number = [(tile.low, len(common & _symmetries(puzzle.grid, tile))) for tile in puzzle.tiles]
    first = number.index(min(number))
    return first if puzzle.tiles[first].low == 1 else None


def _as_tile(puzzle: Puzzle) -> Tile:
    """Return the form as a tile with its colours; atoms that may stay empty have colours of their own."""
    form = puzzle.form
    names = {atom: f"{form.colours.get(atom, '')}{'+' if atom in form.optional else ''}" for atom in form.atoms}
    return replace(puzzle.tiles[0], atoms=tuple(names), marks=tuple(sorted(Mark(atom, atom, name) for atom, name in names.items())))


def _symmetries(grid: Grid, tile: Tile) -> set[int]:
    """Return the numbers of the motions of the grid that map a tile to itself."""
    looks = [next((o.atoms, o.marks) for o in orientations(grid, replace(tile, symmetries=(i,)))) for i in range(len(grid.motions))]
    return {i for i, look in enumerate(looks) if look == looks[0]}


def _conjugates(grid: Grid, motions: set[int]) -> set[int]:
    """Return these motions and their conjugates."""
    matrices = np.array([motion.matrix for motion in grid.motions])
    number = {matrix.tobytes(): i for i, matrix in enumerate(matrices)}
    backward = [next(j for j, other in enumerate(matrices) if (one @ other == matrices[0]).all()) for one in matrices]
    return {number[(one @ matrices[i] @ matrices[back]).tobytes()] for i in motions for one, back in zip(matrices, backward, strict=True)}


Point = tuple[int, ...]


class BurrToolsProblem:
    """A problem in a file of BurrTools, and its puzzle: in the file that the puzzle comes from, or in a new file.

    Raises NotSupportedError if BurrTools cannot express the puzzle.
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
        """Tell whether the file of a puzzle is a file of BurrTools."""
        return instance.path is not None and format_of(instance.path).name == "xmpuzzle"

    @staticmethod
    def new_text(instance: Instance) -> str:
        """Return the text of a new file of a puzzle. Raises NotSupportedError if BurrTools cannot express it."""
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
        """Write the file, compressed as BurrTools compresses it."""
        write_file(file, packed(self.text))

    @property
    def _kind(self) -> str:
        return FLAT.get(self.puzzle.grid.name, self.puzzle.grid.name)

    @cached_property
    def _grid(self) -> Grid:
        return grid_named(self._kind)

    @cached_property
    def _shapes(self) -> ShapeOf:
        return burrtools.shape_of(self._grid, self.root)

    @cached_property
    def _parts(self) -> list[ShapeCopies]:
        return list(burrtools.parts_of(self._shapes, self.node))

    @cached_property
    def _shift(self) -> Voxel:
        """The translation from the form as the puzzle draws it to the result in the file."""
        result = self.node.find("result")
        assert result is not None  # every puzzle has a result
        theirs = self._shapes(whole_number(result, "id", "result")).atoms
        return _minus(_low(theirs), _low(map(self._voxel, self.puzzle.form.atoms)))

    @cached_property
    def _atoms(self) -> dict[Voxel, AtomId]:
        return {_plus(self._voxel(atom), self._shift): atom for atom in self.puzzle.form.atoms}

    def _voxel(self, atom: AtomId) -> Voxel:
        """Return the voxel at which a picture draws an atom of the puzzle."""
        return voxel_of(self._grid, (*atom[:-1], 0, atom[-1]) if self._kind != self.puzzle.grid.name else atom)

    def _coloured(self, atoms: Iterable[AtomId], marks: Iterable[Mark]) -> dict[Voxel, str]:
        """Return the colours of atoms of the puzzle, by their voxels in the file."""
        names = {mark.face: mark.name for mark in marks}
        return {_plus(self._voxel(a), self._shift): names.get(a, "") for a in atoms}

    def direction(self, cell: Sequence[int]) -> Point:
        """Return a step of the lattice in voxels."""
        steps = np.array(self._grid.layout.steps)[: len(cell)]
        return tuple((np.array(cell) @ steps).tolist())

    def cell(self, way: Point) -> tuple[int, ...]:
        """Return the step of the lattice for a vector in voxels. Raises PuzzleError if there is none."""
        found = np.rint(np.array(way) @ np.linalg.inv(np.array(self._grid.layout.steps, dtype=float))).astype(int)
        cell = tuple(found.tolist())
        if self.direction(cell) != way:
            raise PuzzleError("a piece is not at a place of the grid")
        return cell

    def store_solutions(self, *, complete: bool, assemblies: int, apart: int, seconds: float) -> Element:
        """Replace the solutions of the file, state their number, and return the element for new solutions."""
        for name in ("assembler", "solutions"):
            for old in self.node.findall(name):
                self.node.remove(old)
        self.node.set("state", burrtools.SOLVED if complete else burrtools.SOLVING)
        self.node.set("assemblies", str(assemblies))
        self.node.set("solutions", str(apart))
        self.node.set("time", str(round(seconds)))
        return SubElement(self.node, "solutions") if apart else Element("solutions")

    def place_of(self, built: BuiltInstance, option: int) -> tuple[Voxel, int]:
        """Return the place and the rotation of a placement."""
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
        """Return the slot of each piece of an assembly; a problem has a slot for each possible copy of a piece."""
        free = {}
        start = 0
        for part in self._parts:
            free[part.name] = iter(range(start, start + part.high))
            start += part.high
        return [next(free[built.puzzle.tiles[built.placements.tile[option]].name]) for option in row]

    def assembly(self, places: Mapping[int, tuple[Voxel, int]]) -> str:
        """Return the text of an assembly, with the place and the rotation of the piece in each used slot."""
        text = {slot: " ".join(map(str, (*voxel, turn))) for slot, (voxel, turn) in places.items()}
        return " ".join(text.get(i, burrtools.UNPLACED) for i in range(sum(part.high for part in self._parts)))

    def pieces(self, solution: Element) -> dict[int, tuple[str, frozenset[AtomId]]]:
        """Return the tile and the atoms of the piece in each slot that a solution uses.

        Raises PuzzleError if a piece is not inside the result.
        """
        numbers = iter((solution.findtext("assembly") or "").split())
        found: dict[int, tuple[str, frozenset[AtomId]]] = {}
        for slot, part in enumerate(shape_copies for shape_copies in self._parts for _ in range(shape_copies.high)):
            if (first := next(numbers, burrtools.UNPLACED)) == burrtools.UNPLACED:
                continue
            x, y, z, turn = int(first), *(int(next(numbers, "")) for _ in range(3))
            voxels = burrtools.lying(GRIDS.index(self._kind), part.shape.atoms, part.shape.hotspot, (x, y, z), turn)
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
