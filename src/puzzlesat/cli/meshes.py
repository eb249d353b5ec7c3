"""The pieces of a puzzle as files to be printed: ``puzzlesat show --stl`` and ``--3mf``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from puzzlesat.cli.terminal import say, say_error
from puzzlesat.counting.listing import solutions
from puzzlesat.cover.build import Built
from puzzlesat.draw.flat import copies
from puzzlesat.draw.making import Making
from puzzlesat.draw.mesh import Mesh, piece_mesh, together
from puzzlesat.draw.palette import solution_colours, tile_colours
from puzzlesat.draw.stl import stl
from puzzlesat.draw.threemf import Body, side_by_side, three_mf
from puzzlesat.errors import NotSupportedError, PuzzleError, many
from puzzlesat.files import check_output, write_bytes
from puzzlesat.puzzle.data import Puzzle, Tile
from puzzlesat.solvers.run import Limits
from puzzlesat.solvers.strategy import LISTING

ASSEMBLED = "assembled"
"""The file of a solution put together."""
GAP = 5.0
"""Millimetres between pieces that lie side by side."""


@dataclass(frozen=True)
class Printed:
    """What is asked for: a folder of STL files, a 3MF file, and whether the pieces are put together."""

    stl: Path | None = None
    three_mf: Path | None = None
    assembled: bool = False

    @property
    def files(self) -> bool:
        """Whether any file is asked for."""
        return self.stl is not None or self.three_mf is not None


def check_printed(puzzle: Puzzle, asked: Printed) -> None:
    """Raise PuzzleError for what cannot be written or has no shape, before there is any work."""
    if (listed := next((tile.name for tile in puzzle.tiles if tile.listed), None)) is not None:
        raise PuzzleError(f"{_option(asked)}: the placements of tile {listed!r} are listed, so its shape is not known")
    if asked.stl is not None and asked.stl.exists() and not asked.stl.is_dir():
        raise PuzzleError(f"--stl {asked.stl}: this is a file; give a folder")
    check_output(asked.three_mf, ".3mf")


def write_meshes(out: Console, title: str, built: Built, asked: Printed, making: Making, limits: Limits) -> None:
    """Write the meshes of the tiles, and of a solution. Raises PuzzleError for pieces that have none, before anything is written."""
    puzzle = built.puzzle
    check_printed(puzzle, asked)
    try:
        meshes = [piece_mesh(puzzle.grid, tile.atoms, making) for tile in puzzle.tiles]
        row, lying = _assembled(built, making, limits) if asked.assembled else ((), [])
        if wrong := next((tile.name for tile, mesh in zip(puzzle.tiles, meshes, strict=True) if not mesh.parts), None):
            raise PuzzleError(f"{_option(asked)}: nothing of piece {wrong!r} is left; use less clearance, less bevel or larger cells")
        bodies = _lying(built, row, lying) if asked.assembled else _side_by_side(puzzle, meshes)
        packed = None if asked.three_mf is None else three_mf(title, bodies)
    except NotSupportedError as error:
        raise PuzzleError(f"{_option(asked)}: {error}") from None
    out.print()
    if asked.stl is not None:
        _write_stl(out, puzzle.tiles, meshes, lying, asked.stl)
    if asked.three_mf is not None and packed is not None:
        write_bytes(asked.three_mf, packed)
        say(out, f"3MF: {asked.three_mf}: {many(sum(len(body.places) for body in bodies), 'piece')}, {_lie(asked)}", hang=4)
    _warn(puzzle, meshes, shows_colours=asked.three_mf is not None)


def _option(asked: Printed) -> str:
    return "--3mf" if asked.stl is None else "--stl"


def _lie(asked: Printed) -> str:
    return "put together" if asked.assembled else "side by side"


def _assembled(built: Built, making: Making, limits: Limits) -> tuple[tuple[int, ...], list[Mesh]]:
    """The first solution that is found, and the meshes of its pieces."""
    row = next(solutions(built, LISTING, limits), None)
    if row is None:
        raise PuzzleError("--assembled: no solution was found; remove the option to write the pieces alone")
    return row, [piece_mesh(built.puzzle.grid, built.placements[option].atoms, making) for option in row]


def _side_by_side(puzzle: Puzzle, meshes: Sequence[Mesh]) -> list[Body]:
    """All pieces in the colours of their tiles; of a tile with any number of copies, one."""
    times = [max(tile.high or 1, 1) for tile in puzzle.tiles]
    sizes = [tuple(mesh.points.max(axis=0)[:2].tolist()) for mesh, n in zip(meshes, times, strict=True) for _ in range(n)]
    places = iter(side_by_side([(w, d) for w, d in sizes], GAP))
    return [
        Body(tile.name, mesh, colour, tuple(next(places) for _ in range(n)))
        for tile, mesh, colour, n in zip(puzzle.tiles, meshes, tile_colours(puzzle), times, strict=True)
    ]


def _lying(built: Built, row: Sequence[int], meshes: Sequence[Mesh]) -> list[Body]:
    """The pieces of a solution where they lie, moved so that all of them stand on the plate."""
    names = [built.puzzle.tiles[built.placements.tile[option]].name for option in row]
    low = together(meshes).corner
    places = [tuple((mesh.corner - low).tolist()) for mesh in meshes]
    colours = solution_colours(built, row)
    return [Body(name, mesh, colour, ((x, y, z),)) for name, mesh, colour, (x, y, z) in zip(names, meshes, colours, places, strict=True)]


def _write_stl(out: Console, tiles: Sequence[Tile], meshes: Sequence[Mesh], lying: Sequence[Mesh], folder: Path) -> None:
    """Write a file for each tile, and one for all pieces of a solution."""
    folder.mkdir(parents=True, exist_ok=True)
    names = _file_names([tile.name for tile in tiles] + [ASSEMBLED] * bool(lying))
    for tile, mesh, name in zip(tiles, meshes, names, strict=False):
        write_bytes(folder / name, stl(mesh))
        say(out, f"mesh: {folder / name}{copies(tile)}: {_about(mesh)}", hang=4)
    if lying:
        whole = together(lying)
        write_bytes(folder / names[-1], stl(whole))
        say(out, f"mesh: {folder / names[-1]}: a solution put together, {_about(whole)}", hang=4)


def _warn(puzzle: Puzzle, meshes: Sequence[Mesh], *, shows_colours: bool) -> None:
    for tile, mesh in zip(puzzle.tiles, meshes, strict=True):
        if mesh.parts > 1:
            say_error(
                f"puzzlesat: piece {tile.name!r} falls into {mesh.parts} parts: its cells touch only in edges or corners, or nearly so"
            )
    if any(tile.marks for tile in puzzle.tiles):
        also = " (3MF has the colours of whole pieces alone)" if shows_colours else ""
        say_error(f"puzzlesat: the meshes do not show the marks and colours of the pieces{also}")


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
