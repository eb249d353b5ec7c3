"""BurrTools' ``.xmpuzzle`` files: shapes on one of five grids, and problems that fill one of the shapes with others.

The pictures of the five grids have BurrTools' layout of voxels: voxel x, y, z is the character in column x, row y, layer z. BurrTools
counts assemblies, which is the count ``distinct``: one for each orbit under the rotations of the result, and under its reflections only if
every piece is its own mirror image or has a twin that is. Copies are pieces of the same shape. BurrTools distinguishes congruent shapes of
a problem, so they get different colours here.

The files place a piece by a position x, y, z and the number of a rotation. A shape is rotated about its hotspot, which moves to x, y, z.
Rotations act on voxels as the pictures of the grids have them: for cubes, rhombic tetrahedra and tetrahedra with octahedra on the voxels
themselves, for prisms on their centres. A rotation of balls must map the piece exactly onto other balls, or the piece has no such rotation.
"""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from puzzlesat.base import PuzzleError, PuzzleWarning, data_folder, many, shown
from puzzlesat.formats.puzzles import Foreign
from puzzlesat.formats.xml import read_xml
from puzzlesat.puzzles import AtomId, Grid, Mark, Tile, atom_order, load_grid, orientations, translate

Voxel = tuple[int, int, int]
Matrix = tuple[tuple[int, ...], ...]
CUBE, PRISMS, BALLS, RHOMBIC, TETRA_OCTA = range(5)
"""Numbers of the grids."""
TWICE_MIDDLE = {RHOMBIC: 4, TETRA_OCTA: 5}
"""Twice the coordinates of a point about which all rotations map the grid to itself."""
SCALE = 6
"""Matrices are multiplied by this number, which makes their entries integers."""
UNPLACED = "x"
"""Mark of a piece that is not used."""

OF_CUBES = "xyz xZy xYZ xzY Zyx YZx zYx yzx XyZ XZY XYz Xzy zyX yZX ZYX YzX Yxz zxy yxZ ZxY yXz ZXy YXZ zXY"  # the image of x, y, z
OF_BALLS = "xyz zYx Yxz yzx XYz Zyx yXz YZx zxy xzY Xzy ZxY ZXy XZY xZy zXY zyX xYZ YzX yxZ ZYX XyZ yZX YXZ"
BETWEEN = """
122ZI2 2Z121Z 1Z22IZ 221Z12 IZ2212 12ZZ21 I2ZZ12 1Z2221 1ZZ2I2 22IZ1Z 12ZZIZ 2ZI212 I22Z1Z 1ZZ22I IZZ21Z 122Z2I
21212Z 12Z212 21Z122 12221Z 2I2I22 1ZZZ1Z 2IZI2Z 1Z2Z12 ZZ12I2 Z1ZZZ1 Z1Z1ZZ 2I222I I22ZZ1 ZZ1I22 22II22 1ZZZZ1
22I1ZZ ZZ11ZZ I2222I ZZ1Z1Z I222I2 2I2ZZ1 Z1ZI22 22I2I2 Z1Z22I 2I21ZZ Z21IZ2 ZIZIZ2 2ZI12Z IZ22ZI 212Z21 Z21212
ZIZZ21 ZIZ2ZI 2ZIZIZ Z21ZIZ 2122ZI Z2112Z 212IZ2 IZ2Z21 2ZIIZ2 ZIZ12Z 12Z2ZI IZ2ZIZ ZI22Z1 Z2IZI2 ZI2IZZ 21ZZ2I
2Z1122 1222Z1 IZZ2Z1 Z2I122 Z2IIZZ IZZZ2I 2Z1IZZ 2Z1ZI2 21Z2Z1 ZI2122 Z2I21Z IZZZI2 ZI2Z2I 21ZIZZ Z121Z2 2IZ221
ZZI2IZ Z12ZZI 2211Z2 ZZI1Z2 I2Z221 I2ZZZI ZZII2Z 221I2Z 1Z2ZZI 2212IZ Z12221 2IZ1Z2 ZZIZ12 I2Z2IZ 2IZZZI Z12I2Z
"""
"""The rotations of balls that map some balls between the others: the first two rows in thirds, I for -1 and Z for -2."""
THIRDS = {"1": 1, "2": 2, "I": -1, "Z": -2}


@cache
def turns(kind: int) -> tuple[Matrix, ...]:
    """Return the rotations of a grid in the order of their numbers, as matrices for voxels; none of them is a reflection."""
    if kind == PRISMS:
        sixth: Matrix = ((3, -9, 0), (3, 3, 0), (0, 0, 6))
        found = [_letters("xyz")]
        for _ in range(5):
            found.append(_product(sixth, found[-1]))
        return (*found, *(_product(turn, _letters("XyZ")) for turn in found))
    if kind == BALLS:
        return (*map(_letters, OF_BALLS.split()), *map(_between, BETWEEN.split()))
    return tuple(map(_letters, OF_CUBES.split()))


def _letters(image: str) -> Matrix:
    return tuple(tuple(SCALE * ((axis == letter) - (axis == letter.lower() != letter)) for axis in "xyz") for letter in image)


def _between(rows: str) -> Matrix:
    a, b = (tuple(THIRDS[c] * SCALE // 3 for c in row) for row in (rows[:3], rows[3:]))
    return a, b, tuple((a[i - 2] * b[i - 1] - a[i - 1] * b[i - 2]) // SCALE for i in range(3))


def _product(one: Matrix, other: Matrix) -> Matrix:
    return tuple(tuple(sum(a * b for a, b in zip(row, column, strict=True)) // SCALE for column in zip(*other, strict=True)) for row in one)


def _turned(turn: Matrix, x: int, y: int, z: int) -> Voxel:
    """Return the image of a point, multiplied by ``SCALE``."""
    (a, b, c), (d, e, f), (g, h, i) = turn
    return a * x + b * y + c * z, d * x + e * y + f * z, g * x + h * y + i * z


def images(kind: int, turn: Matrix, voxels: Sequence[Voxel], hotspot: Voxel) -> tuple[list[Voxel], Voxel] | None:
    """Return the images of voxels and of a hotspot under a rotation, up to a translation; None if balls would lie between others.

    The least voxel moves to 0, 0, 0, except for prisms, whose places are of two kinds.
    """
    if kind == PRISMS:
        moved = [_prism(turn, *v) for v in (*voxels, hotspot)]
        return moved[:-1], moved[-1]
    x, y, z = min(voxels)
    found = [_turned(turn, v[0] - x, v[1] - y, v[2] - z) for v in voxels]
    if any(c % SCALE for v in found for c in v):
        return None
    whole = [(a // SCALE, b // SCALE, c // SCALE) for a, b, c in found]
    a, b, c = _turned(turn, hotspot[0] - x, hotspot[1] - y, hotspot[2] - z)
    return whole, (round(a / SCALE), round(b / SCALE), round(c / SCALE))


def _prism(turn: Matrix, x: int, y: int, z: int) -> Voxel:
    """Return the prism whose centre is the image of a prism's centre. A column is half a side wide, a row is as high as the triangle."""
    a, b, c = _turned(turn, 3 * (x + 1), 3 * y + 1 + (x + y) % 2, 3 * z)
    return a // (3 * SCALE) - 1, b // (3 * SCALE), c // (3 * SCALE)


def _in_grid(kind: int, turn: Matrix, first: Voxel, move: Voxel) -> bool:
    """Tell whether the translated image of each voxel lies at a place of the grid of the same kind."""
    if kind in (CUBE, BALLS):
        return True
    if kind == PRISMS:
        return (move[0] + move[1]) % 2 == 0
    middle = TWICE_MIDDLE[kind]
    home = _turned(turn, *(2 * v - middle for v in first))
    over = [m - (h // SCALE + middle) // 2 for m, h in zip(move, home, strict=True)]
    return all(c % 5 == 0 for c in over) if kind == RHOMBIC else all(c % 3 == 0 for c in over) and sum(over) % 2 == 0


def lying(kind: int, shape: Iterable[Voxel], hotspot: Voxel, at: Voxel, number: int) -> list[Voxel] | None:
    """Return the voxels of a shape with its hotspot ``at`` a place, in the given order; None if the shape has no such rotation."""
    voxels = list(shape)
    found = images(kind, turns(kind)[number], voxels, hotspot)
    if found is None:
        return None
    moved, spot = found
    return [(x + at[0] - spot[0], y + at[1] - spot[1], z + at[2] - spot[2]) for x, y, z in moved]


def laid(kind: int, shape: Mapping[Voxel, str], hotspot: Voxel, there: Mapping[Voxel, str]) -> tuple[Voxel, int] | None:
    """Return the place of the hotspot and the least number of a rotation by which a shape covers voxels in their colours, or None."""
    voxels = list(shape)
    low = [min(axis) for axis in zip(*there, strict=True)]
    for number, turn in enumerate(turns(kind)):
        found = images(kind, turn, voxels, hotspot)
        if found is None:
            continue
        moved, spot = found
        x, y, z = (low[i] - min(axis) for i, axis in enumerate(zip(*moved, strict=True)))
        image = {(a + x, b + y, c + z): shape[v] for (a, b, c), v in zip(moved, voxels, strict=True)}
        if image == there and _in_grid(kind, turn, min(voxels), (x, y, z)):
            return (spot[0] + x, spot[1] + y, spot[2] + z), number
    return None


GRIDS = ("cube", "prisms", "balls", "rhombic-tetrahedra", "tetra-octa")
"""The grids in the order of BurrTools' grid types."""
SOLVING, SOLVED = "1", "2"
"""The state of a problem whose search has begun, and of a problem whose search is complete."""
NO_NUMBER = 2**32 - 1
"""BurrTools writes this number instead of a count that is too large for it."""
NO_PROBLEM = "no problem with a result and pieces is in the file; define one in BurrTools"
LONGEST_SOURCE = 300
LONGEST_NAME = 100

Body = tuple[tuple[AtomId, ...], tuple[Mark, ...]]


@dataclass(frozen=True)
class Shape:
    """A shape of the file: its atoms, the atoms that may stay empty, and colours from 1."""

    name: str
    atoms: dict[Voxel, AtomId]
    variable: frozenset[Voxel]
    colours: dict[Voxel, int]
    hotspot: Voxel
    """The voxel about which the shape is rotated; it may lie beside the shape."""


ShapeOf = Callable[[int], Shape]
"""Returns the shape with an id; shapes that no problem uses are not read."""


@dataclass(frozen=True)
class ShapeCopies:
    """A shape as a piece of a problem, used from ``low`` to ``high`` times."""

    name: str
    shape: Shape
    low: int
    high: int
    groups: frozenset[int] | None
    """Pieces of the same group need not come apart from each other; None: puzzlesat cannot express the groups of this piece."""


def read_xmpuzzle(path: Path) -> list[Foreign]:
    """Return the problems of a file; a problem that is not a puzzle yet is a draft.

    Raises PuzzleError if the file cannot be read, or if it holds nothing but drafts.
    """
    try:
        found = _instances(path, root_of(path))
        if all(entry.error is not None for entry in found):
            wrong = [problem for entry in found if entry.error is not None and not entry.unfinished for problem in entry.error.problems]
            raise PuzzleError(*(wrong or [NO_PROBLEM]))
    except PuzzleError as error:
        raise error.under(f"{path}: ") from None
    return [entry if entry.error is None else replace(entry, error=entry.error.under(f"{path}: ")) for entry in found]


def _instances(path: Path, root: ElementTree.Element) -> list[Foreign]:
    grid = _grid(root)
    shape = shape_of(grid, root)
    problems = root.findall("problems/problem")
    names = names_of(path.stem, root)
    coloured = root.find("colors/color") is not None
    found = []
    for number, problem in enumerate(problems, start=1):
        title = path.stem if len(problems) == 1 else f"{path.stem}, problem {number}"
        label = problem.get("name", "").strip()
        heads = {"title": f"{title}: {label}" if label and label != path.stem else title, "source": _source(path, root)}
        unfinished = False
        try:
            if unfinished := not _is_ready(problem, len(root.findall("shapes/voxel"))):
                raise PuzzleError("it has no result or no pieces yet; give it both in BurrTools")
            table = heads | _instance(grid, shape, problem, f"{path}: problem {number}", coloured=coloured)
            found.append(Foreign(names[number - 1], table, _comment(root)))
        except PuzzleError as error:
            found.append(Foreign(names[number - 1], {}, error=error.under(f"problem {number}: "), unfinished=unfinished))
    return found


def shape_of(grid: Grid, root: ElementTree.Element) -> ShapeOf:
    """Return a function that returns the shapes of a file; it reads a shape at its first use."""
    nodes = root.findall("shapes/voxel")

    @cache
    def shape(number: int) -> Shape:
        if number >= len(nodes):
            raise PuzzleError(f"there is no shape with id {number}; the ids are 0 to {len(nodes) - 1}")
        return _shape(grid, number + 1, nodes[number])

    return shape


def _is_ready(problem: ElementTree.Element, shapes: int) -> bool:
    """Tell whether a problem has pieces and a result; BurrTools writes an id far beyond the shapes if there is no result yet."""
    result = problem.find("result")
    return result is not None and whole_number(result, "id", "result") < shapes and problem.find("shapes/shape") is not None


def root_of(path: Path) -> ElementTree.Element:
    """Return the root of a file. Raises PuzzleError, without the file's name, if it is not a file of BurrTools."""
    root = read_xml(path)
    if root.tag != "puzzle":
        raise PuzzleError(f"a file of <{shown(root.tag)}>; expected <puzzle>, as BurrTools saves it")
    if (version := root.get("version")) not in ("1", "2"):
        raise PuzzleError(f"version {shown(version or 'missing')}; expected 1 or 2")
    return root


def _grid(root: ElementTree.Element) -> Grid:
    node = root.find("gridType")
    kind = 0 if node is None else whole_number(node, "type", "gridType")
    if kind >= len(GRIDS):
        raise PuzzleError(f"gridType: {kind} is not one of BurrTools' grids 0 to {len(GRIDS) - 1}")
    return grid_named(GRIDS[kind])


def grid_named(name: str) -> Grid:
    """Return a grid of the package, one of ``GRIDS``."""
    return load_grid(data_folder("grids") / f"{name}.toml")


def _shape(grid: Grid, number: int, node: ElementTree.Element) -> Shape:
    name = f"shape {number}" + (f" ({shown(node.get('name', ''))})" if node.get("name") else "")
    width, depth, height = (whole_number(node, axis, name) for axis in "xyz")
    if node.get("type", "0") != "0":
        raise PuzzleError(f"{name}: voxels of type {shown(node.get('type', ''))}; expected 0")
    text = "".join((node.text or "").split())
    cells = re.findall(r"([_#+])([0-9]{0,9})", text)
    if sum(len(state) + len(colour) for state, colour in cells) != len(text):
        strange = next(c for c in text if c not in "_#+0123456789") if set(text) - set("_#+0123456789") else text[0]
        raise PuzzleError(f"{name}: {strange!r} among the voxels; expected _ # + and numbers behind them")
    if len(cells) != width * depth * height:
        raise PuzzleError(f"{name}: {len(cells)} voxels, but {width} x {depth} x {height} are {width * depth * height}")
    atoms: dict[Voxel, AtomId] = {}
    variable = set()
    colours = {}
    for index, (state, colour) in enumerate(cells):
        if state == "_":
            continue
        voxel = index % width, index // width % depth, index // (width * depth)
        atom = _atom_at(grid, voxel)
        if atom is None:
            raise PuzzleError(f"{name}: voxel {voxel} is filled, but there is nothing at that place in grid {grid.name!r}")
        atoms[voxel] = atom
        if state == "+":
            variable.add(voxel)
        if colour and int(colour):
            colours[voxel] = int(colour)
    x, y, z = (int(node.get(axis, "0")) if re.fullmatch("-?[0-9]{1,6}", node.get(axis, "")) else 0 for axis in ("hx", "hy", "hz"))
    return Shape(node.get("name", ""), atoms, frozenset(variable), colours, (x, y, z))


def _atom_at(grid: Grid, voxel: Voxel) -> AtomId | None:
    """Return the atom that the picture of the grid draws at a voxel, or None. Step i of a layout is the first to reach axis i."""
    steps = grid.layout.steps
    for site in grid.layout.sites:
        rest = [v - a for v, a in zip(voxel, site.at, strict=True)]
        cell = [0, 0, 0]
        for i in (2, 1, 0):
            cell[i] = rest[i] // steps[i][i]
            rest = [r - cell[i] * s for r, s in zip(rest, steps[i], strict=True)]
        if not any(rest):
            return (*cell, next(iter(site.glyphs.values()))[0])
    return None


def _instance(grid: Grid, shape: ShapeOf, problem: ElementTree.Element, where: str, *, coloured: bool) -> dict[str, Any]:
    result = _result(shape, problem)
    parts = list(parts_of(shape, problem))
    if not parts:
        raise PuzzleError("no piece is used; give one of them a count")
    for part in parts:
        if part.groups is None:
            remark = "it is in several groups, in some not with all copies; no group is read for it, so 'apart' may miss a way"
            warnings.warn(f"{where}: piece {part.name}: {remark}", PuzzleWarning, stacklevel=2)
    twins, mirrored, odd = _twins(grid, parts, result)
    table: dict[str, Any] = {"grid": grid.name, "flips": False, "mirrored": "same" if mirrored else "different"}
    form_colours = sorted(set(result.colours.values()))
    allowed = _allowed(problem, coloured=coloured)
    fits: dict[str, list[str]] = {}
    tiles: dict[str, Any] = {}
    for part, twin in zip(parts, twins, strict=True):
        by_colour: dict[str, list[list[int | str]]] = {}
        home = _home(part.shape)
        for voxel, atom in part.shape.atoms.items():
            number = part.shape.colours.get(voxel, 0)
            if number or twin:
                colour = _colour_name(number, twin)
                fits[colour] = [_colour_name(f, 0) for f in form_colours if not number or not coloured or (number, f) in allowed]
                by_colour.setdefault(colour, []).append(grid.ref(translate(atom, home)))
        copies = part.high if part.low == part.high else [part.low, part.high]
        tile = _look(grid, part.shape)
        tiles[part.name] = tile | ({} if copies == 1 else {"copies": copies}) | ({"colours": by_colour} if by_colour else {})
    if fits:
        table["colours"] = dict(sorted(fits.items()))
    groups = sorted(frozenset[int]().union(*(part.groups or () for part in parts)))
    if together := [[p.name for p in parts if group in (p.groups or ())] for group in groups]:
        table["together"] = together
    table |= {"tiles": tiles, "form": _form(grid, result)}
    if limit := _hole_limit(grid, problem, result, parts):
        table["conditions"] = [limit]
    return table | {"expect": expect} if (expect := _expect(problem, odd=odd)) else table


def _result(shape: ShapeOf, problem: ElementTree.Element) -> Shape:
    node = problem.find("result")
    assert node is not None  # ``_is_ready`` has checked this
    number = whole_number(node, "id", "result")
    result = shape(number)
    if not result.atoms:
        raise PuzzleError(f"result: shape {number + 1} is empty; nothing can be put into it")
    return result


def parts_of(shape: ShapeOf, problem: ElementTree.Element) -> Iterator[ShapeCopies]:
    """Yield the pieces of a problem, with valid names of tiles."""
    used: set[str] = set()
    for node in problem.findall("shapes/shape"):
        number = whole_number(node, "id", "piece")
        where = f"piece of shape {number + 1}"
        if node.get("count"):
            low = high = whole_number(node, "count", where)
        elif node.get("min") and node.get("max"):
            low, high = whole_number(node, "min", where), whole_number(node, "max", where)
        else:
            low = high = 1
        if low > high:
            raise PuzzleError(f"{where}: at least {low} and at most {high} of them")
        if high == 0:
            continue
        body = shape(number)
        if not body.atoms:
            raise PuzzleError(f"{where}: the shape is empty; a piece needs a voxel")
        if body.variable:
            raise PuzzleError(f"{where}: it has variable voxels, which only a result may have")
        name = re.sub(r"[\s.@]+", "_", body.name.strip()) or f"S{number + 1}"
        while name in used:
            name += f"-S{number + 1}"
        used.add(name)
        yield ShapeCopies(name, body, low, high, _groups(node, high, where))


def _groups(node: ElementTree.Element, high: int, where: str) -> frozenset[int] | None:
    """Return the groups of a piece; None if it has several groups and some of them do not hold all its copies.

    BurrTools heeds the numbers of copies only if there are several groups.
    """
    group = whole_number(node, "group", where) if node.get("group") else 0
    if group:
        return frozenset([group])
    places = [(whole_number(child, "group", where), whole_number(child, "count", where)) for child in node.findall("group")]
    places = [(group, count) for group, count in places if group]
    limited = len(places) > 1 and any(count < high for _, count in places)
    return None if limited else frozenset(group for group, _ in places)


def _twins(grid: Grid, parts: list[ShapeCopies], result: Shape) -> tuple[list[int], bool, bool]:
    """Count the congruent parts before each part; tell whether mirrored solutions count as one, and whether they do so for some only.

    BurrTools pairs each piece that is not its own mirror image with the first unpaired piece that is its mirror image. It counts mirrored
    solutions as one if all pieces have such a partner. If the pieces have ranges, or several shapes share the partners, it does so for some
    solutions only.
    """
    looks = [_looks(grid, part.shape) for part in parts]
    ranges: dict[Body, list[tuple[int, int]]] = {}
    twins = []
    for part, (look, _) in zip(parts, looks, strict=True):
        twins.append(len(ranges.setdefault(look, [])))
        ranges[look].append((part.low, part.high))
    pairs = [(ranges[look], ranges.get(mirror, [])) for look, mirror in looks]
    if all(own == mates for own, mates in pairs):
        return twins, True, False
    never = any(sum(low for low, _ in own) > sum(high for _, high in mates) for own, mates in pairs)
    look, mirror = _looks(grid, result)
    return twins, False, look == mirror and not never


def _looks(grid: Grid, shape: Shape) -> tuple[Body, Body]:
    """Return a body that represents all rotations of a shape, and a body that represents all its reflections."""
    atoms = tuple(sorted(shape.atoms.values(), key=atom_order))
    names = {v: f"{shape.colours.get(v, 0)}{'+' if v in shape.variable else ''}" for v in shape.atoms}
    marks = tuple(sorted(Mark(shape.atoms[v], shape.atoms[v], name) for v, name in names.items()))
    turns = tuple(i for i, g in enumerate(grid.motions) if not g.mirror)
    mirrors = tuple(i for i, g in enumerate(grid.motions) if g.mirror)
    first, second = (
        min((o.atoms, o.marks) for o in orientations(grid, Tile("", atoms, marks, 1, 1, symmetries, ("",), ((1, 1),))))
        for symmetries in (turns, mirrors)
    )
    return first, second


def _allowed(problem: ElementTree.Element, *, coloured: bool) -> set[tuple[int, int]]:
    """Return the pairs of a colour of pieces and a colour of the result that may meet, both from 1; the file counts from 0."""
    pairs = problem.findall("bitmap/pair")
    return {(whole_number(p, "piece", "bitmap") + 1, whole_number(p, "result", "bitmap") + 1) for p in pairs} if coloured else set()


def _colour_name(number: int, twin: int) -> str:
    """Return the name of a colour; a shape that is congruent to an earlier one has its own colours."""
    return (f"c{number}" if number else "plain") + (f"-{twin + 1}" if twin else "")


def _form(grid: Grid, result: Shape) -> dict[str, Any]:
    form = _look(grid, result)
    home = _home(result)
    if "picture" not in form and result.variable:
        form["optional"] = [grid.ref(translate(result.atoms[v], home)) for v in sorted(result.variable, key=_voxel_order)]
    by_colour: dict[str, list[list[int | str]]] = {}
    for voxel in result.atoms:
        if voxel in result.colours:
            by_colour.setdefault(_colour_name(result.colours[voxel], 0), []).append(grid.ref(translate(result.atoms[voxel], home)))
    return form | ({"colours": dict(sorted(by_colour.items()))} if by_colour else {})


def _look(grid: Grid, shape: Shape) -> dict[str, Any]:
    """Return a picture if the grid has glyphs for everything that a shape may hold, else the list of atoms."""
    if len(grid.atoms) > 2:
        home = _home(shape)
        return {"atoms": [grid.ref(translate(atom, home)) for atom in shape.atoms.values()]}
    glyphs = {}
    for site in grid.layout.sites:
        for glyph, meant in site.glyphs.items():
            glyphs[meant[0], False] = glyph
        for glyph, meant in site.optional.items():
            glyphs[meant[0], True] = glyph
    low = [min(axis) for axis in zip(*shape.atoms, strict=True)]
    high = [max(axis) for axis in zip(*shape.atoms, strict=True)]
    layers = []
    for z in range(low[2], high[2] + 1):
        rows = []
        for y in range(high[1], low[1] - 1, -1):
            voxels = [(x, y, z) for x in range(low[0], high[0] + 1)]
            rows.append("".join(glyphs[shape.atoms[v][-1], v in shape.variable] if v in shape.atoms else Grid.BLANK for v in voxels))
        layers.append("\n".join(rows))
    return {"picture": "\n\n".join(layers) + "\n"}


def _hole_limit(grid: Grid, problem: ElementTree.Element, result: Shape, parts: list[ShapeCopies]) -> dict[str, Any] | None:
    """Return the rule for a limit on holes. BurrTools heeds it only if the pieces do not determine the number of holes."""
    settled = sum(len(p.shape.atoms) * (p.high - p.low) for p in parts) == 0
    if settled or not problem.get("maxHoles") or (most := whole_number(problem, "maxHoles", "problem")) >= len(result.variable):
        return None
    home = _home(result)
    refs = [grid.ref(translate(result.atoms[v], home)) for v in sorted(result.variable, key=_voxel_order)]
    weights = [[*ref, 1] for ref in refs]
    return {"name": f"at most {many(most, 'hole')}", "atoms": weights, "between": [len(refs) - most, len(refs)]}


def _expect(problem: ElementTree.Element, *, odd: bool) -> dict[str, Any]:
    if problem.get("state") != SOLVED or not problem.get("assemblies"):
        return {}
    number = whole_number(problem, "assemblies", "problem")
    if number >= NO_NUMBER:
        return {}
    published = f"{number} {'assembly' if number == 1 else 'assemblies'} (BurrTools)"
    if odd:
        return {
            "published": f"{published}, which counts mirrored answers as one if the pieces allow it; these files have no such convention"
        }
    return {"distinct": number, "convention": "not stated", "published": published}


def names_of(stem: str, root: ElementTree.Element) -> list[str]:
    """Return a name for each problem: the stem of the file, followed by a label or a number if there are several problems."""
    problems = root.findall("problems/problem")
    if len(problems) == 1:
        return [stem]
    labels = [re.sub(r"[^\w-]+", "-", problem.get("name", "")).strip("-").lower()[:LONGEST_NAME] for problem in problems]
    often = Counter(labels)
    # a label of digits would be taken for the number of another problem
    good = [bool(label) and often[label] == 1 and not label.isdecimal() for label in labels]
    return [f"{stem}-{label if good[number - 1] else number}" for number, label in enumerate(labels, start=1)]


def _comment(root: ElementTree.Element) -> tuple[str, ...]:
    """Return the lines of a comment that is too long for ``source``."""
    lines = (root.findtext("comment") or "").strip().splitlines()
    return tuple(lines) if len(" ".join(" ".join(lines).split())) > LONGEST_SOURCE else ()


def _source(path: Path, root: ElementTree.Element) -> str:
    """Return the name of the file and its comment, in one line."""
    comment = " ".join((root.findtext("comment") or "").split())
    if len(comment) > LONGEST_SOURCE:
        comment = comment[:LONGEST_SOURCE].rsplit(" ", 1)[0] + " …"
    return f"{path.name}: {comment}" if comment else path.name


def _home(shape: Shape) -> tuple[int, ...]:
    """Return the translation of a shape after which the smallest coordinates of its atoms are 1."""
    return tuple(1 - min(axis) for axis in list(zip(*shape.atoms.values(), strict=True))[:-1])


def _voxel_order(voxel: Voxel) -> tuple[int, ...]:
    return voxel[::-1]


def whole_number(node: ElementTree.Element, key: str, where: str) -> int:
    """Return the number that an element has under a key. Raises PuzzleError if it has none."""
    text = node.get(key, "")
    if not re.fullmatch(r"\s*[0-9]{1,10}\s*", text):
        raise PuzzleError(f"{where}: {key}: expected a number, got {shown(text)!r}")
    return int(text)
