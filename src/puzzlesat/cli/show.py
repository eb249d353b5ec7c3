"""``puzzlesat show``: the puzzle as the program understands it.

The pieces of a puzzle as files to be printed: ``puzzlesat show --stl`` and ``--3mf``.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import hypot
from pathlib import Path
from typing import Literal

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from puzzlesat.base import Limits, NotSupportedError, PuzzleError, many, write_file
from puzzlesat.cli.exit_status import DONE
from puzzlesat.cli.output import check_output, write_picture
from puzzlesat.cli.terminal import MOST_LINES, console, folds, print_picture, say, say_error
from puzzlesat.cli.working import Bounds, working
from puzzlesat.counting import facts, placements_words, solutions
from puzzlesat.formats import instance_in
from puzzlesat.pictures import (
    Body,
    Making,
    Mesh,
    copies,
    picture,
    piece_mesh,
    puzzle_svg,
    shapes,
    side_by_side,
    solution_colours,
    stl,
    three_mf,
    tile_colours,
    together,
)
from puzzlesat.puzzles import AtomId, Built, Grid, Mark, Puzzle, Tile, build_instance, orientations, reduce
from puzzlesat.solvers import LISTING, tile_to_break

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
        write_file(asked.three_mf, packed)
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
        write_file(folder / name, stl(mesh))
        say(out, f"mesh: {folder / name}{copies(tile)}: {_about(mesh)}", hang=4)
    if lying:
        whole = together(lying)
        write_file(folder / names[-1], stl(whole))
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


REQUIRED, OPTIONAL = 4, 9
"""Colours of the form."""
HEADINGS = ("tile", "copies", "orientations", "placements", "flips", "turns", "picture")


def run_show(
    name: str,
    bounds: Bounds,
    *,
    svg: Path | None = None,
    png: Path | None = None,
    problem: int | str | None = None,
    printed: Printed = Printed(),
    sizes: Mapping[str, float | None] | None = None,
) -> int:
    """Print form, tiles, placements, symmetries and facts; draw form and tiles where a file for it is named.

    ``printed`` says which meshes are written, ``sizes`` what of ``Making`` is said for them.
    """
    said = {key: size for key, size in (sizes or {}).items() if size is not None}
    if said and not printed.files:
        raise PuzzleError(f"--{next(iter(said)).replace('rounding', 'round')} is a size for meshes; add --stl FOLDER or --3mf FILE")
    if printed.assembled and not printed.files:
        raise PuzzleError("--assembled is for meshes; add --stl FOLDER or --3mf FILE")
    making = Making(**said)
    check_output(svg, ".svg")
    check_output(png, ".png")
    with working(name, bounds) as (limits, told):
        built = build_instance(instance_in(name, problem, progress=told), progress=told, memory=limits.memory)
        with told.overseen():
            broken_on = tile_to_break(built.problem, built.instance.break_on)
            known, placements = facts(built), placements_words(reduce(built.problem, break_on=broken_on, progress=told))
        told.of("printing")({})
        if printed.files:
            check_printed(built.puzzle, printed)
    out = console()
    instance, puzzle = built.instance, built.puzzle
    say(out, f"{instance.title}  ({instance.name}, grid {puzzle.grid.name}: {puzzle.grid.title})", style="bold")
    sources = {"puzzle": instance.source, "counts": instance.expect.source}
    if instance.source == instance.expect.source:
        sources = {"source": instance.source}
    for what, source in sources.items():
        if source:
            say(out, f"{what}: {source}", style="dim", hang=4)
    out.print()
    required, optional = _main(built, puzzle.form.required), _main(built, puzzle.form.optional)
    colours = dict.fromkeys(required, REQUIRED) | dict.fromkeys(optional, OPTIONAL)
    print_picture(out, picture(puzzle.grid, colours, optional=set(optional)), "draw it with --svg FILE or --png FILE")
    out.print()
    say(
        out,
        f"form: {many(len(puzzle.form.required), 'atom')} to cover"
        + (f", {len(puzzle.form.optional):,} that may be{_drawn_as(built)}" if puzzle.form.optional else ""),
    )
    for fact in known:
        say(out, fact.text, style="bold red" if fact.impossible else "", hang=4)
    say(out, f"symmetries of the form that the rules allow: {', '.join(built.problem.symmetries)}", hang=4)
    say(out, f"placements: {placements}", hang=4)
    out.print()
    _tiles(out, built)
    for file in (svg, png):
        if file is not None:
            write_picture(puzzle_svg(built), file, as_png=file is png)
            print(f"picture: {file}")
    if printed.files:
        write_meshes(out, instance.title, built, printed, making, limits)
    return DONE


def _drawn_as(built: Built) -> str:
    """How the picture shows atoms that may be covered, if it can."""
    optional = set(built.puzzle.form.optional)
    glyphs = {g for site in built.puzzle.grid.layout.sites for g, atoms in site.optional.items() if any(a[-1] in atoms for a in optional)}
    return f" ({' '.join(sorted(glyphs))})" if glyphs else ""


def _tiles(out: Console, built: Built) -> None:
    """A table of the tiles; where it would be too wide, or a picture too long, a sentence for each tile with its picture below."""
    rows = [(_about_tile(built, number), _tile_picture(built, number)) for number in range(len(built.puzzle.tiles))]
    drawn = max((cell_len(line) for _, picture in rows for line in picture.plain.splitlines()), default=0)
    widths = [max(len(heading), *(cell_len(cells[i]) for cells, _ in rows)) for i, heading in enumerate(HEADINGS[:-1])] if rows else []
    most = max((len(picture.plain.splitlines()) for _, picture in rows), default=0)
    if most > MOST_LINES or (folds(out) and sum(widths) + 2 * len(widths) + drawn > out.width):
        for (name, copies, turned, placements, flips, turns), picture in rows:
            ways = f"{many(int(turned), 'orientation')}, {placements} {'placement' if placements == '1' else 'placements'}"
            say(out, f"tile {name}: {copies} {'copy' if copies == '1' else 'copies'}, {ways}, flips: {flips}, turns: {turns}", hang=4)
            print_picture(out, picture, "draw it with --svg FILE or --png FILE")
        return
    table = Table(box=None, pad_edge=False)
    for heading in HEADINGS:
        justify: Literal["left", "right"] = "right" if heading in ("orientations", "placements") else "left"
        table.add_column(heading, justify=justify, header_style="dim", overflow="fold")
    for cells, picture in rows:
        table.add_row(*map(Text, cells), picture)
    out.print(table)


def _about_tile(built: Built, number: int) -> tuple[str, ...]:
    """The cells of a tile: name, copies, orientations, placements, flips and turns."""
    puzzle, tile = built.puzzle, built.puzzle.tiles[number]
    allowed = puzzle.allowed_symmetries(tile)
    turns = sum(not g.mirror for g in allowed)
    every = sum(not g.mirror for g in puzzle.grid.motions)
    return (
        tile.name,
        f"{tile.low}" if tile.low == tile.high else f"{tile.low}–{'any' if tile.high is None else tile.high}",
        str(len(orientations(puzzle.grid, tile))),
        f"{int((built.placements.tile == number).sum()):,}",
        "yes" if any(g.mirror for g in allowed) else "no",
        "all" if turns == every else "none" if turns == 1 else ", ".join(g.name for g in allowed if not g.mirror),
    )


def _tile_picture(built: Built, number: int) -> Text:
    tile, grid = built.puzzle.tiles[number], built.puzzle.grid
    text = picture(grid, dict.fromkeys(_main(built, tile.atoms), number))
    sides = [m for m in tile.marks if not m.is_colour]
    if sides and len(tile.atoms) == 1 and grid.dimension == 2:
        text = _card(text, sides, grid)
    elif sides:
        text.append(" ".join(m.name for m in sides) + "\n")
    elif beside := Counter(grid.atoms[a[-1]].kind for a in tile.atoms if grid.atoms[a[-1]].kind != grid.main_kind):
        text.append(f"and {', '.join(many(count, kind) for kind, count in beside.items())}\n")
    if colours := Counter(m.name for m in tile.marks if m.is_colour):
        text.append(", ".join(f"{count} {name}" for name, count in colours.items()) + "\n")
    return text


def _card(face: Text, marks: Sequence[Mark], grid: Grid) -> Text:
    """One face with the names of its marks round it, as they lie."""
    known = shapes(grid)
    ways = {m: known.cartesian(known.corners(m.side)).mean(axis=0) - known.cartesian(known.corners(m.face)).mean(axis=0) for m in marks}
    ordered = sorted(marks, key=lambda m: ways[m][0])

    def names(low: float, high: float, *, to_right: bool | None = None) -> str:
        """The names of the marks whose way leads up by a share of its length between two."""
        lying = [m for m in ordered if low < ways[m][1] / float(hypot(*ways[m])) <= high]
        return "  ".join(m.name for m in lying if to_right is None or (ways[m][0] > 0) == to_right)

    left, right, above, below = names(-0.4, 0.4, to_right=False), names(-0.4, 0.4, to_right=True), names(0.4, 2), names(-2, -0.4)
    middle = max(len(left) + 1, (max(len(above), len(below)) - 1) // 2)
    text = Text(f"{' ' * (middle - len(above) // 2)}{above}\n{left:>{middle - 1}} ")
    face.rstrip()
    return text.append_text(face).append(f" {right}\n{' ' * (middle - len(below) // 2)}{below}\n")


def _main(built: Built, atoms: Iterable[AtomId]) -> list[AtomId]:
    grid = built.puzzle.grid
    return [a for a in atoms if grid.atoms[a[-1]].kind == grid.main_kind]
