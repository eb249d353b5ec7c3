"""``puzzlesat show``: print a puzzle as the program understands it, draw it, or write its pieces as meshes (``--stl``, ``--3mf``)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from puzzlesat.base import Limits, NotSupportedError, PuzzleError, check_output, many, write_file
from puzzlesat.cli.command import Call
from puzzlesat.cli.exit_status import DONE
from puzzlesat.cli.output import write_picture
from puzzlesat.cli.terminal import MAX_PICTURE_LINES, console, folds, print_picture, say, say_error
from puzzlesat.counting import facts, solutions
from puzzlesat.pictures import Making, PrintedPieces, SolutionPictures, puzzle_svg
from puzzlesat.puzzles import BuiltInstance, Puzzle, build_instance, orientations, reduce
from puzzlesat.solvers import LISTING, tile_to_break


def check_printed(puzzle: Puzzle, call: Call) -> None:
    """Raise PuzzleError if a file cannot be written, or the shape of a piece is not known."""
    if (listed := next((tile.name for tile in puzzle.tiles if tile.listed), None)) is not None:
        raise PuzzleError(f"{_option(call)}: the placements of tile {listed!r} are listed, so its shape is not known")
    if call["stl"] is not None and call["stl"].exists() and not call["stl"].is_dir():
        raise PuzzleError(f"--stl {call['stl']}: this is a file; give a folder")
    check_output(call["three_mf"], ".3mf")


def write_meshes(out: Console, call: Call, built: BuiltInstance, making: Making, limits: Limits) -> None:
    """Write the meshes of the tiles, and of a solution if wanted. Raises PuzzleError before writing if a piece has no mesh."""
    check_printed(built.puzzle, call)
    try:
        pieces = PrintedPieces.of(built, making)
        if call["assembled"]:
            row = next(solutions(built, LISTING, limits), None)
            if row is None:
                raise PuzzleError("--assembled: no solution was found; remove the option to write the pieces alone")
            pieces = pieces.put_together(row)
        if wrong := next((name for name, parts in pieces.parts if not parts), None):
            raise PuzzleError(f"{_option(call)}: nothing of piece {wrong!r} is left; use less clearance, less bevel or larger cells")
        packed = None if call["three_mf"] is None else pieces.three_mf(built.instance.title)
    except NotSupportedError as error:
        raise PuzzleError(f"{_option(call)}: {error}") from None
    out.print()
    folder, file = call["stl"], call["three_mf"]
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        for name, words, data in pieces.stl_files():
            write_file(folder / name, data)
            say(out, f"mesh: {folder / name}{words}", hang=4)
    if file is not None and packed is not None:
        write_file(file, packed)
        lie = "put together" if call["assembled"] else "side by side"
        say(out, f"3MF: {file}: {many(sum(len(body.places) for body in pieces.bodies), 'piece')}, {lie}", hang=4)
    _warn(pieces, shows_colours=call["three_mf"] is not None)


def _option(call: Call) -> str:
    return "--3mf" if call["stl"] is None else "--stl"


def _warn(pieces: PrintedPieces, *, shows_colours: bool) -> None:
    for name, parts in pieces.parts:
        if parts > 1:
            say_error(f"puzzlesat: piece {name!r} falls into {parts} parts: its cells touch only in edges or corners, or nearly so")
    if any(tile.marks for tile in pieces.built.puzzle.tiles):
        also = " (3MF has the colours of whole pieces alone)" if shows_colours else ""
        say_error(f"puzzlesat: the meshes do not show the marks and colours of the pieces{also}")


HEADINGS = ("tile", "copies", "orientations", "placements", "flips", "turns", "picture")


def run_show(call: Call, sizes: Sequence[str]) -> int:
    """Print form, tiles, placements, symmetries and facts; write pictures and meshes if files are named; return the exit status.

    ``sizes`` are the names of the options for ``Making``.
    """
    said = {key: call[key] for key in sizes if call[key] is not None}
    meshes = call["stl"] is not None or call["three_mf"] is not None
    if said and not meshes:
        raise PuzzleError(f"--{next(iter(said)).replace('rounding', 'round')} is a size for meshes; add --stl FOLDER or --3mf FILE")
    if call["assembled"] and not meshes:
        raise PuzzleError("--assembled is for meshes; add --stl FOLDER or --3mf FILE")
    making = Making(**said)
    with call.working(call["puzzle"]) as (limits, told):
        built = build_instance(call.instance(told), progress=told, memory=limits.memory)
        with told.overseen():
            broken_on = tile_to_break(built.problem, built.instance.break_on)
            known, placements = facts(built), reduce(built.problem, break_on=broken_on, progress=told).words
        told.of("printing")({})
        if meshes:
            check_printed(built.puzzle, call)
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
    print_picture(out, SolutionPictures(built).form(), "draw it with --svg FILE or --png FILE")
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
    for file in (call["svg"], call["png"]):
        if file is not None:
            write_picture(puzzle_svg(built), file, as_png=file is call["png"])
            print(f"picture: {file}")
    if meshes:
        write_meshes(out, call, built, making, limits)
    return DONE


def _drawn_as(built: BuiltInstance) -> str:
    """Return the characters for optional atoms in the picture, in parentheses; empty if there are none."""
    optional = set(built.puzzle.form.optional)
    glyphs = {g for site in built.puzzle.grid.layout.sites for g, atoms in site.optional.items() if any(a[-1] in atoms for a in optional)}
    return f" ({' '.join(sorted(glyphs))})" if glyphs else ""


def _tiles(out: Console, built: BuiltInstance) -> None:
    """Print a table of the tiles. If it would be too wide, or a picture too high, print a sentence and a picture for each tile."""
    pictures = SolutionPictures(built)
    rows = [(_about_tile(built, number), pictures.tile(number)) for number in range(len(built.puzzle.tiles))]
    drawn = max((cell_len(line) for _, picture in rows for line in picture.plain.splitlines()), default=0)
    widths = [max(len(heading), *(cell_len(cells[i]) for cells, _ in rows)) for i, heading in enumerate(HEADINGS[:-1])] if rows else []
    most = max((len(picture.plain.splitlines()) for _, picture in rows), default=0)
    if most > MAX_PICTURE_LINES or (folds(out) and sum(widths) + 2 * len(widths) + drawn > out.width):
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


def _about_tile(built: BuiltInstance, number: int) -> tuple[str, ...]:
    """Return the cells of a row: name, copies, orientations, placements, flips and turns."""
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
