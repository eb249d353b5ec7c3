"""Files of pieces for printing: binary STL, and 3MF with colours.

A binary STL file has 80 bytes of title, the number of triangles, and 50 bytes a triangle (3D Systems, StereoLithography Interface
Specification, 1989). 3MF is written by lib3mf, the reference library of the 3MF Consortium.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from importlib import import_module
from types import ModuleType

import numpy as np

from puzzlesat.base import NotSupportedError
from puzzlesat.pictures.flat import copies
from puzzlesat.pictures.mesh import Making, Mesh, piece_mesh, together
from puzzlesat.pictures.palette import solution_colours, tile_colours
from puzzlesat.puzzles import BuiltInstance

ASSEMBLED = "assembled"
"""Stem of the file of an assembled solution."""
GAP = 5.0
"""Millimetres between pieces that lie side by side."""
TITLE = b"puzzlesat, millimetres"
TRIANGLE = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])


def stl(mesh: Mesh) -> bytes:
    """Return the content of an STL file of a mesh. A point of the mesh has the same bytes in each of its triangles."""
    corners = mesh.points[mesh.triangles]
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    length = np.linalg.norm(normal, axis=1, keepdims=True)
    found = np.zeros(len(corners), dtype=TRIANGLE)
    found["normal"] = np.divide(normal, length, out=np.zeros_like(normal), where=length > 0)
    found["corners"] = corners
    return TITLE.ljust(80) + len(found).to_bytes(4, "little") + bytes(found.tobytes())


TO_INSTALL = '3MF needs lib3mf; install it with pip install "puzzlesat[print]", or write STL'


@dataclass(frozen=True, eq=False)
class Body:
    """A piece in a file: its name, mesh, colour as ``#rrggbb``, and the minimum corner of each of its copies."""

    name: str
    mesh: Mesh
    colour: str
    places: tuple[tuple[float, float, float], ...]


def three_mf(title: str, bodies: Sequence[Body]) -> bytes:
    """Return the content of a 3MF file with these bodies, in millimetres. Raises NotSupportedError if lib3mf is not installed."""
    library = _library()
    wrapper = library.get_wrapper()
    model = wrapper.CreateModel()
    model.SetUnit(library.ModelUnit.MilliMeter)
    model.GetMetaDataGroup().AddMetaData("", "Title", title, "xs:string", True)  # noqa: FBT003
    materials = model.AddBaseMaterialGroup()
    for body in bodies:
        red, green, blue = (int(body.colour[i : i + 2], 16) for i in (1, 3, 5))
        material = materials.AddMaterial(body.name, wrapper.RGBAToColor(red, green, blue, 255))
        thing = model.AddMeshObject()
        thing.SetName(body.name)
        points = [library.Position(tuple(map(float, point))) for point in body.mesh.points]
        thing.SetGeometry(points, [library.Triangle(tuple(triangle)) for triangle in body.mesh.triangles.tolist()])
        thing.SetObjectLevelProperty(materials.GetResourceID(), material)
        for place in body.places:
            model.AddBuildItem(thing, wrapper.GetTranslationTransform(*map(float, place)))
    return bytes(model.QueryWriter("3mf").WriteToBuffer())


def _library() -> ModuleType:
    try:
        return import_module("lib3mf")
    except ImportError:
        raise NotSupportedError(TO_INSTALL) from None


def side_by_side(sizes: Sequence[tuple[float, float]], gap: float) -> list[tuple[float, float, float]]:
    """Return places for boxes with the given widths and depths, in rows on the plate, in their order."""
    width = max(max((w for w, _ in sizes), default=0.0), float(np.sqrt(sum((w + gap) * (d + gap) for w, d in sizes))))
    places = []
    x = y = deepest = 0.0
    for w, d in sizes:
        if x and x + w > width:
            x, y, deepest = 0.0, y + deepest + gap, 0.0
        places.append((x, y, 0.0))
        x, deepest = x + w + gap, max(deepest, d)
    return places


@dataclass(frozen=True, eq=False)
class PrintedPieces:
    """The meshes of a puzzle's tiles, and of the pieces of a solution in their places if one is assembled."""

    built: BuiltInstance
    making: Making
    meshes: Sequence[Mesh]
    """Meshes by tile number."""
    row: Sequence[int] = ()
    """Placements of the solution."""
    lying: Sequence[Mesh] = ()
    """Mesh of each placement of the solution."""

    @classmethod
    def of(cls, built: BuiltInstance, making: Making) -> PrintedPieces:
        """Make the mesh of each tile. Raises the errors of ``piece_mesh``."""
        return cls(built, making, [piece_mesh(built.puzzle.grid, tile.atoms, making) for tile in built.puzzle.tiles])

    def put_together(self, row: Sequence[int]) -> PrintedPieces:
        """Return a copy with the assembled pieces of a solution."""
        lying = [piece_mesh(self.built.puzzle.grid, self.built.placements[option].atoms, self.making) for option in row]
        return replace(self, row=row, lying=lying)

    @property
    def parts(self) -> list[tuple[str, int]]:
        """The name of each tile, and the number of connected parts of its mesh."""
        return [(tile.name, mesh.parts) for tile, mesh in zip(self.built.puzzle.tiles, self.meshes, strict=True)]

    @cached_property
    def bodies(self) -> list[Body]:
        """The bodies on the plate: the assembled pieces, or else all tiles side by side with their copies.

        A tile with an unlimited number of copies occurs once.
        """
        puzzle = self.built.puzzle
        if self.lying:
            names = [puzzle.tiles[self.built.placements.tile[option]].name for option in self.row]
            low = together(self.lying).corner
            corners = [tuple((mesh.corner - low).tolist()) for mesh in self.lying]
            drawn = zip(names, self.lying, solution_colours(self.built, self.row), corners, strict=True)
            return [Body(name, mesh, colour, ((x, y, z),)) for name, mesh, colour, (x, y, z) in drawn]
        times = [max(tile.high or 1, 1) for tile in puzzle.tiles]
        sizes = [tuple(mesh.points.max(axis=0)[:2].tolist()) for mesh, n in zip(self.meshes, times, strict=True) for _ in range(n)]
        places = iter(side_by_side([(w, d) for w, d in sizes], GAP))
        return [
            Body(tile.name, mesh, colour, tuple(next(places) for _ in range(n)))
            for tile, mesh, colour, n in zip(puzzle.tiles, self.meshes, tile_colours(puzzle), times, strict=True)
        ]

    def three_mf(self, title: str) -> bytes:
        """Return the content of a 3MF file of the bodies."""
        return three_mf(title, self.bodies)

    def stl_files(self) -> Iterator[tuple[str, str, bytes]]:
        """Yield a file for each tile, and one for the assembled pieces: its name, its description, and its content."""
        tiles = self.built.puzzle.tiles
        names = _file_names([tile.name for tile in tiles] + [ASSEMBLED] * bool(self.lying))
        for tile, mesh, name in zip(tiles, self.meshes, names, strict=False):
            yield name, f"{copies(tile)}: {mesh.words}", stl(mesh)
        if self.lying:
            whole = together(self.lying)
            yield names[-1], f": a solution put together, {whole.words}", stl(whole)


def _file_names(names: list[str]) -> list[str]:
    """A file name for each tile. Names differ in more than case, because some file systems ignore case."""
    found: list[str] = []
    for name in names:
        stem = re.sub(r"[^\w.@()*+=-]+", "_", name)
        taken = {other.lower() for other in found}
        number = next(n for n in range(1, len(names) + 1) if _numbered(stem, n).lower() not in taken)
        found.append(_numbered(stem, number))
    return found


def _numbered(stem: str, number: int) -> str:
    return f"{stem}.stl" if number == 1 else f"{stem}-{number}.stl"
