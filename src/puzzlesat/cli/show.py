"""``puzzlesat show``: the puzzle as the program understands it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import hypot
from pathlib import Path
from typing import Literal

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from puzzlesat.cli.bounds import Bounds
from puzzlesat.cli.exit_status import DONE
from puzzlesat.cli.meshes import Printed, check_printed, write_meshes
from puzzlesat.cli.output import write_picture
from puzzlesat.cli.terminal import MOST_LINES, console, folds, print_picture, say
from puzzlesat.cli.working import working
from puzzlesat.counting.facts import facts
from puzzlesat.counting.words import placements_words
from puzzlesat.cover.build import Built
from puzzlesat.cover.instance import build_instance
from puzzlesat.cover.reduce import reduce
from puzzlesat.draw.flat import puzzle_svg
from puzzlesat.draw.geometry import shapes
from puzzlesat.draw.making import Making
from puzzlesat.draw.text import picture
from puzzlesat.errors import PuzzleError, many
from puzzlesat.files import check_output
from puzzlesat.formats.puzzles import instance_in
from puzzlesat.grid.lattice import AtomId, Grid
from puzzlesat.puzzle.data import Mark
from puzzlesat.puzzle.placements import orientations
from puzzlesat.solvers.tile_choice import tile_to_break

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
    printed: Printed = Printed(),  # noqa: B008 - it is frozen
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
