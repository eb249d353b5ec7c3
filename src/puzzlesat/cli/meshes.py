"""The pieces of a puzzle as files to be printed: ``puzzlesat show --stl``."""

from __future__ import annotations

import re
from pathlib import Path

from rich.console import Console

from puzzlesat.cli.terminal import say, say_error
from puzzlesat.draw.flat import copies
from puzzlesat.draw.making import Making
from puzzlesat.draw.mesh import Mesh, piece_mesh
from puzzlesat.draw.stl import stl
from puzzlesat.errors import NotSupportedError, PuzzleError, many
from puzzlesat.files import write_bytes
from puzzlesat.puzzle.data import Puzzle


def write_pieces(out: Console, puzzle: Puzzle, folder: Path, making: Making) -> None:
    """Write the mesh of each tile to a file of its own. Raises PuzzleError for pieces that have none, before anything is written."""
    if (listed := next((tile.name for tile in puzzle.tiles if tile.listed), None)) is not None:
        raise PuzzleError(f"--stl: the placements of tile {listed!r} are listed, so its shape is not known")
    try:
        meshes = [(tile, piece_mesh(puzzle.grid, tile.atoms, making)) for tile in puzzle.tiles]
    except NotSupportedError as error:
        raise PuzzleError(f"--stl: {error}") from None
    if folder.exists() and not folder.is_dir():
        raise PuzzleError(f"--stl {folder}: this is a file; give a folder")
    names = _file_names([tile.name for tile in puzzle.tiles])
    if wrong := next((tile.name for tile, mesh in meshes if not mesh.parts), None):
        raise PuzzleError(f"--stl: nothing of piece {wrong!r} is left; use less clearance, less bevel or larger cells")
    folder.mkdir(parents=True, exist_ok=True)
    out.print()
    for (tile, mesh), name in zip(meshes, names, strict=True):
        write_bytes(folder / name, stl(mesh))
        say(out, f"mesh: {folder / name}{copies(tile)}: {_about(mesh)}", hang=4)
        if mesh.parts > 1:
            say_error(
                f"puzzlesat: piece {tile.name!r} falls into {mesh.parts} parts: its cells touch only in edges or corners, or nearly so"
            )
    if any(tile.marks for tile in puzzle.tiles):
        say_error("puzzlesat: the meshes do not show the marks and colours of the pieces")


def _about(mesh: Mesh) -> str:
    size = " x ".join(f"{length:.1f}" for length in mesh.points.max(axis=0))
    return f"{size} mm, {mesh.volume / 1000:.2f} cm3, {many(len(mesh.triangles), 'triangle')}"


def _file_names(names: list[str]) -> list[str]:
    """A name of a file for each tile; on some systems large letters and small ones are the same in it."""
    found: list[str] = []
    for name in names:
        stem = re.sub(r"[^\w.@()*+=-]+", "_", name)
        known = {other.lower() for other in found}
        number = next(n for n in range(1, len(names) + 1) if _numbered(stem, n).lower() not in known)
        found.append(_numbered(stem, number))
    return found


def _numbered(stem: str, number: int) -> str:
    return f"{stem}.stl" if number == 1 else f"{stem}-{number}.stl"
