"""Meshes as binary STL (3D Systems, StereoLithography Interface Specification, 1989): 80 bytes of title, a number, 50 bytes a triangle.

Pieces in their colours as 3MF, by lib3mf, the library of those who keep the format.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from types import ModuleType

import numpy as np

from puzzlesat.base import NotSupportedError
from puzzlesat.pictures.mesh import Mesh

TITLE = b"puzzlesat, millimetres"
TRIANGLE = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])


def stl(mesh: Mesh) -> bytes:
    """Return what a file of a mesh holds. Points that are one in the mesh are the same bytes."""
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
    """A piece in a file: its name, its mesh, its colour as ``#rrggbb``, and where the least corner of each of its copies is."""

    name: str
    mesh: Mesh
    colour: str
    places: tuple[tuple[float, float, float], ...]


def three_mf(title: str, bodies: Sequence[Body]) -> bytes:
    """Return what a file with some bodies holds, in millimetres. Raises NotSupportedError where lib3mf is not installed."""
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
    """Return places for boxes of some widths and depths, in rows on the plate, in the order given."""
    width = max(max((w for w, _ in sizes), default=0.0), float(np.sqrt(sum((w + gap) * (d + gap) for w, d in sizes))))
    places = []
    x = y = deepest = 0.0
    for w, d in sizes:
        if x and x + w > width:
            x, y, deepest = 0.0, y + deepest + gap, 0.0
        places.append((x, y, 0.0))
        x, deepest = x + w + gap, max(deepest, d)
    return places
