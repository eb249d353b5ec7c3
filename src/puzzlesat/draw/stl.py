"""Meshes as binary STL (3D Systems, StereoLithography Interface Specification, 1989): 80 bytes of title, a number, 50 bytes a triangle."""

from __future__ import annotations

import numpy as np

from puzzlesat.draw.mesh import Mesh

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
