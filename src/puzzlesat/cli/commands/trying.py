"""The commands that try many forms: ``forms``, ``sets`` and ``common``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Optional

import typer

from puzzlesat.cli import completion
from puzzlesat.cli.bounds import gibibytes
from puzzlesat.cli.endings import says_errors
from puzzlesat.cli.options import AsJson, Budget, Cpu, Csv, Memory, Problem, Seconds, above_zero
from puzzlesat.formats.table import foreign, read, suffixes
from puzzlesat.solvers.strategy import CHECKING_SECONDS, FORM_SECONDS, MOST_COMMON

commands = typer.Typer()

Boxes = Annotated[bool, typer.Option("--boxes", help="Forms: all rectangles, parallelograms or, in space, boxes.")]
Frames = Annotated[bool, typer.Option("--frames", help="Forms: all boxes with a box cut out inside.")]
Shapes = Annotated[bool, typer.Option("--shapes", help="Forms: the shapes that the grid knows: triangles, hexagons …")]
Convex = Annotated[bool, typer.Option("--convex", help="Forms: all convex ones, in the plane.")]
Polyforms = Annotated[bool, typer.Option("--polyforms", help="Forms: all connected ones (with --symmetry, where there are many).")]
Cut = Annotated[
    list[str] | None,
    typer.Option(metavar="FORM", help="Forms: this box (8x8) or shape (hexagon=4) with faces cut out; may be repeated."),
]
Symmetry = Annotated[
    str,
    typer.Option(metavar="NAMES", help="Only made forms with these symmetries: full, or such as 'turn 90' or 'mirror 0,mirror 90'."),
]
Within = Annotated[
    Optional[str],  # noqa: UP045
    typer.Option(metavar="BOX", help="Only made forms that fit into so many rows and columns (layers first), as they lie, such as 8x10."),
]
Area = Annotated[
    Optional[str],  # noqa: UP045
    typer.Option(metavar="N", help="Make forms of N faces, or N-M; default: the area of the tiles."),
]
Tiles = Annotated[
    str,
    typer.Argument(
        metavar="TILES",
        autocompletion=completion.tiles,
        help=f"The tiles: name or file of a model, or of an instance, {' or '.join(suffixes(foreign()))} too (with its rules).",
    ),
]
Paths = Annotated[
    list[Path] | None,
    typer.Argument(
        metavar="PATH",
        help=f"Forms: folders, puzzles ({', '.join(suffixes(read('puzzles')))}; the form alone is used), text pictures (.txt).",
    ),
]


@commands.command(
    epilog="Examples:\n\npuzzlesat forms tetrominoes --boxes --frames\n\npuzzlesat forms hexiamonds my-forms --count -o results.jsonl\n\n"
    "puzzlesat forms pentominoes --cut 8x8 --symmetry full --count -o results.jsonl -o sheet.html"
)
@says_errors
def forms(
    model: Tiles,
    paths: Paths = None,
    boxes: Boxes = False,
    frames: Frames = False,
    shapes: Shapes = False,
    convex: Convex = False,
    polyforms: Polyforms = False,
    cut: Cut = None,
    replicas: Annotated[
        list[int] | None,
        typer.Option(
            min=2, max=9, metavar="K", help="Forms: each tile K times as large, for the other tiles, each at most as often as it is there."
        ),
    ] = None,
    symmetry: Symmetry = "none",
    within: Within = None,
    area: Area = None,
    some: Annotated[bool, typer.Option("--some", help="Tiles may be left over.")] = False,
    count: Annotated[bool, typer.Option("--count", help="Count the solutions of each form that has one.")] = False,
    time: Annotated[float, typer.Option(metavar="SECONDS", callback=above_zero, help="Seconds for each form.")] = FORM_SECONDS,
    memory: Memory = None,
    cpu: Cpu = False,
    output: Annotated[
        list[Path] | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="File for the results: .html is a sheet of pictures; any other has a line of JSON a form, and what is there already "
            "is not tried again. May be said for both.",
        ),
    ] = None,
    proofs: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(metavar="FOLDER", help="Folder for the certificate of each proof that a form is impossible."),
    ] = None,
    jobs: Annotated[
        Optional[int],  # noqa: UP045
        typer.Option(min=1, metavar="N", help="Forms tried at the same time; default: as many as there are cores."),
    ] = None,
    pictures: Annotated[
        Optional[bool],  # noqa: UP045
        typer.Option("--pictures/--no-pictures", help="Show each form, or a solution of it; default: where there are 30 forms or fewer."),
    ] = None,
    csv: Csv = None,
    problem: Problem = None,
    json: AsJson = False,
) -> None:
    """Try many forms with one set of tiles, and say of each: impossible and why, solvable, or how many solutions."""
    from puzzlesat.candidates.asked import Sources
    from puzzlesat.candidates.run import Order
    from puzzlesat.cli.forms import Output, results_and_sheet, run_forms

    sources = Sources(paths or (), boxes, frames, shapes, convex, polyforms, cut or (), replicas or (), symmetry, within, area)
    asked = Order(model, some, time, count, problem, gibibytes(memory), cpu)
    results, sheet = results_and_sheet(output or ())
    raise typer.Exit(run_forms(sources, asked, Output(results, sheet, proofs, pictures, json, csv), jobs))


@commands.command(
    epilog="Examples:\n\npuzzlesat sets pentominoes --boxes --area 30\n\npuzzlesat sets pentominoes --boxes --area 15-45 --together 2\n\n"
    "puzzlesat sets tetrominoes --boxes --area 20 --copies any --sheet sets.html"
)
@says_errors
def sets(
    model: Tiles,
    paths: Paths = None,
    boxes: Boxes = False,
    frames: Frames = False,
    shapes: Shapes = False,
    convex: Convex = False,
    polyforms: Polyforms = False,
    cut: Cut = None,
    symmetry: Symmetry = "none",
    within: Within = None,
    area: Area = None,
    copies: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(metavar="K", help="Each tile up to K times, or 'any' number of times; default: as often as it is there."),
    ] = None,
    together: Annotated[
        Optional[int],  # noqa: UP045
        typer.Option(min=2, max=9, metavar="N", help="Say too which N forms (or N times one form) can be filled at the same time."),
    ] = None,
    top: Annotated[
        Optional[int],  # noqa: UP045
        typer.Option(min=1, metavar="N", help="Show so many sets of each form; default: 20, on a sheet 300."),
    ] = None,
    budget: Budget = CHECKING_SECONDS,
    time: Seconds = None,
    memory: Memory = None,
    cpu: Cpu = False,
    output: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(
            "--output", "-o", metavar="FILE", help="File for the results, a line of JSON a form. What is there already is not tried again."
        ),
    ] = None,
    sheet: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(metavar="FILE", help="File for a page (.html) with a solution of each set."),
    ] = None,
    jobs: Annotated[
        Optional[int],  # noqa: UP045
        typer.Option(min=1, metavar="N", help="Forms counted at the same time; default: as many as there are cores."),
    ] = None,
    csv: Csv = None,
    problem: Problem = None,
    json: AsJson = False,
) -> None:
    """Say which sets of tiles fill a form, each in how many ways, and which forms most sets fill."""
    from puzzlesat.candidates.asked import Sources
    from puzzlesat.cli.bounds import Bounds
    from puzzlesat.cli.sets import Asked, run_sets

    sources = Sources(paths or (), boxes, frames, shapes, convex, polyforms, cut or (), (), symmetry, within, area)
    asked = Asked(model, sources, copies, together, top, problem)
    raise typer.Exit(run_sets(asked, Bounds(time, memory, cpu), budget, output, sheet, csv, jobs, as_json=json))


@commands.command(epilog="Examples:\n\npuzzlesat common pentominoes F U\n\npuzzlesat common tetrominoes --sheet pairs.html")
@says_errors
def common(
    model: Tiles,
    names: Annotated[
        list[str] | None, typer.Argument(metavar="TILE", help="Two tiles or more, by their names; default: each pair of them.")
    ] = None,
    most: Annotated[int, typer.Option(min=1, metavar="N", help="Look at forms of up to N faces.")] = MOST_COMMON,
    time: Annotated[
        float, typer.Option(metavar="SECONDS", callback=above_zero, help="Seconds for each pair, and as many again for a second solver.")
    ] = FORM_SECONDS,
    memory: Memory = None,
    cpu: Cpu = False,
    output: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option("--output", "-o", metavar="FILE", help="File for the results, a line of JSON a pair. It goes on from what is there."),
    ] = None,
    sheet: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(metavar="FILE", help="File for a page (.html) with the forms, filled by each tile."),
    ] = None,
    jobs: Annotated[
        Optional[int],  # noqa: UP045
        typer.Option(min=1, metavar="N", help="Pairs looked at at the same time; default: as many as there are cores."),
    ] = None,
    csv: Csv = None,
    problem: Problem = None,
    json: AsJson = False,
) -> None:
    """Look for the smallest form that each of two tiles fills with copies of itself (whether they are compatible)."""
    from puzzlesat.cli.bounds import Bounds
    from puzzlesat.cli.common import Asked, run_common

    raise typer.Exit(
        run_common(Asked(model, names or [], most, problem), Bounds(time, memory, cpu), output, sheet, csv, jobs, as_json=json)
    )
