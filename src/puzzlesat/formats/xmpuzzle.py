"""Puzzles as BurrTools reads them (``.xmpuzzle``): the form as the result, the tiles as its pieces.

A puzzle on squares or triangles becomes one of a single layer of cubes or prisms, where BurrTools turns pieces over; in space it turns, and
never mirrors. What it cannot say is refused: marks, colours, rules of any kind, and pieces that may be turned in some ways alone.
"""

from __future__ import annotations

import gzip
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from puzzlesat.config.package import data_folder
from puzzlesat.config.read import instance_from
from puzzlesat.errors import NotSupportedError
from puzzlesat.formats.burrtools import GRIDS, names_of, root_of
from puzzlesat.formats.burrturns import Voxel
from puzzlesat.formats.xml import xml_text
from puzzlesat.grid.lattice import AtomId, Grid
from puzzlesat.puzzle.data import Puzzle, SolutionRules, Tile
from puzzlesat.puzzle.grids import load_grid
from puzzlesat.puzzle.load import make_instance
from puzzlesat.puzzle.placements import orientations

FLAT = {"square": "cube", "triangle": "prisms"}
"""Grids of the plane, and those of which they are a layer."""
EMPTY, FULL, MAYBE = "_", "#", "+"


def xmpuzzle_text(table: Mapping[str, Any], remarks: Iterable[str] = ()) -> str:
    """Return the file of the puzzle that a table says. Raises NotSupportedError for what BurrTools cannot say."""
    here = data_folder("models") / "puzzle"  # with its model in it, it names a grid of the package at most
    instance = make_instance(instance_from(dict(table), here), here)
    said = [*remarks, *filter(None, [instance.source])]
    return xmpuzzle_of(instance.puzzle, title=instance.title, remarks=said, together=instance.together)


def copied_text(path: Path, name: str | None = None) -> str:
    """Return the text of a file with everything that it holds, or with one of its problems alone, by the name that it has here.

    Raises PuzzleError, without the file's name, where it is none of BurrTools.
    """
    root = root_of(path)
    problems = root.find("problems")
    if name is not None and problems is not None:
        for other, problem in zip(names_of(path.stem, root), problems.findall("problem"), strict=True):
            if other != name:
                problems.remove(problem)
    return xml_text(root)


def packed(text: str) -> bytes:
    """Return what BurrTools writes to a file: text that gzip has compressed."""
    return gzip.compress(text.encode(), mtime=0)


def xmpuzzle_of(puzzle: Puzzle, *, title: str, remarks: Iterable[str] = (), together: Sequence[Collection[str]] = ()) -> str:
    """Return the file of a puzzle. Raises NotSupportedError for what BurrTools cannot say."""
    kind = FLAT.get(puzzle.grid.name, puzzle.grid.name)
    if kind not in GRIDS:
        raise NotSupportedError(f"BurrTools has no grid {puzzle.grid.name!r}; it has {', '.join([*FLAT, *GRIDS])}")
    _check(puzzle)
    grid = load_grid(data_folder("models") / "grids" / f"{kind}.toml")
    flat = kind != puzzle.grid.name
    form = dict.fromkeys(puzzle.form.required, FULL) | dict.fromkeys(puzzle.form.optional, MAYBE)
    shapes = [_shape(grid, form, "form", flat=flat)]
    shapes += [_shape(grid, dict.fromkeys(tile.atoms, FULL), tile.name, flat=flat) for tile in puzzle.tiles]
    pieces = "".join(
        f"<shape id={quoteattr(str(i))} {_copies(puzzle, t)}{_group(t, together)}/>" for i, t in enumerate(puzzle.tiles, start=1)
    )
    said = escape("\n".join([title, *remarks]))
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<puzzle version="2">\n<gridType type="{GRIDS.index(kind)}"/>\n<colors/>\n'
        f'<shapes>\n{"".join(shapes)}</shapes>\n<problems>\n<problem name={quoteattr(title)} state="0">\n'
        f'<shapes>{pieces}</shapes>\n<result id="0"/>\n<bitmap/>\n</problem>\n</problems>\n<comment>{said}</comment>\n</puzzle>\n'
    )


def _check(puzzle: Puzzle) -> None:
    """Refuse what BurrTools cannot say."""
    odd = {
        "marks or colours": any(tile.marks for tile in puzzle.tiles) or puzzle.form.colours or puzzle.border,
        "forms that wrap round": puzzle.form.wrap,
        "conditions": puzzle.rules,
        "fixed placements": puzzle.fixed,
        "rules on solutions": puzzle.solutions != SolutionRules(),
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


def _looks(grid: Grid, tile: Tile) -> set[tuple[AtomId, ...]]:
    return {orientation.atoms for orientation in orientations(grid, tile)}


def _copies(puzzle: Puzzle, tile: Tile) -> str:
    high = len(puzzle.form.atoms) // len(tile.atoms) if tile.high is None else tile.high
    return f'count="{high}"' if tile.low == high else f'min="{tile.low}" max="{high}"'


def _group(tile: Tile, together: Sequence[Collection[str]]) -> str:
    """The group of the pieces that need not come apart from each other."""
    return next((f' group="{number}"' for number, names in enumerate(together, start=1) if tile.name in names), "")


def _shape(grid: Grid, states: Mapping[AtomId, str], name: str, *, flat: bool) -> str:
    """A shape, moved by whole cells of the grid so that no place in its box is below 0."""
    voxels = {voxel_of(grid, (*atom[:-1], 0, atom[-1]) if flat else atom): state for atom, state in states.items()}
    home = _home(grid, voxels)
    moved = {tuple(v + h for v, h in zip(voxel, home, strict=True)): state for voxel, state in voxels.items()}
    width, depth, height = (max(axis) + 1 for axis in zip(*moved, strict=True))
    text = "".join(moved.get((x, y, z), EMPTY) for z in range(height) for y in range(depth) for x in range(width))
    return f'<voxel x="{width}" y="{depth}" z="{height}" type="0" name={quoteattr(name)}>{text}</voxel>\n'


def voxel_of(grid: Grid, atom: AtomId) -> Voxel:
    """Return where the picture of the grid draws an atom."""
    at = next(site.at for site in grid.layout.sites if next(iter(site.glyphs.values()))[0] == atom[-1])
    x, y, z = (a + sum(c * step[i] for c, step in zip(atom[:-1], grid.layout.steps, strict=True)) for i, a in enumerate(at))
    return x, y, z


def _home(grid: Grid, voxels: Iterable[Voxel]) -> Voxel:
    """A translation of the grid, in voxels, that leaves nothing below 0: layers first, for a step of these may go aside."""
    low = [min(axis) for axis in zip(*voxels, strict=True)]
    home = [0, 0, 0]
    for i in (2, 1, 0):
        step = grid.layout.steps[i]
        times = -((low[i] + home[i]) // step[i])
        home = [h + times * s for h, s in zip(home, step, strict=True)]
    return home[0], home[1], home[2]
