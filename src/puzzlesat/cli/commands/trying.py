"""The commands that try many forms: ``forms``, ``sets`` and ``common``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Optional

import typer

from puzzlesat.cli import options
from puzzlesat.cli.defaults import FORM_SECONDS, MOST_COMMON
from puzzlesat.cli.endings import says_errors
from puzzlesat.cli.options import LIMITS, OUTPUT, AsJson, Budget, Cpu, Csv, Memory, Problem, Seconds, above_zero
from puzzlesat.cli.working import gibibytes
from puzzlesat.counting import CHECKING_SECONDS
from puzzlesat.formats import readable

commands = typer.Typer()

FORMS = "Forms"
"""A panel of the help."""

Boxes = Annotated[bool, typer.Option("--boxes", rich_help_panel=FORMS, help="Try all rectangles, parallelograms or, in space, boxes.")]
Frames = Annotated[bool, typer.Option("--frames", rich_help_panel=FORMS, help="Try all boxes with a box-shaped hole inside.")]
Shapes = Annotated[bool, typer.Option("--shapes", rich_help_panel=FORMS, help="Try the shapes of the grid: triangles, hexagons …")]
Convex = Annotated[bool, typer.Option("--convex", rich_help_panel=FORMS, help="Try all convex forms (in the plane).")]
Polyforms = Annotated[
    bool, typer.Option("--polyforms", rich_help_panel=FORMS, help="Try all connected forms (use --symmetry if there are many).")
]
Cut = Annotated[
    list[str] | None,
    typer.Option(metavar="FORM", rich_help_panel=FORMS, help="Try this box (8x8) or shape (hexagon=4) with faces cut out. Repeatable."),
]
Symmetry = Annotated[
    str,
    typer.Option(
        metavar="NAMES",
        rich_help_panel=FORMS,
        help="Keep generated forms with these symmetries: full, or names such as 'turn 90' or 'mirror 0,mirror 90'.",
    ),
]
Within = Annotated[
    Optional[str],  # noqa: UP045
    typer.Option(
        metavar="BOX",
        rich_help_panel=FORMS,
        help="Keep generated forms that fit, unrotated, into a box of rows x columns (layers first), such as 8x10.",
    ),
]
Area = Annotated[
    Optional[str],  # noqa: UP045
    typer.Option(metavar="N", rich_help_panel=FORMS, help="Generate forms of N faces, or of N-M (default: the area of the tiles)."),
]
Tiles = Annotated[
    str,
    typer.Argument(
        metavar="TILES",
        autocompletion=options.tiles,
        help=f"The tiles: name or file of a model or an instance; also {' or '.join(readable('puzzles').foreign.suffixes)}. "
        "An instance brings its rules.",
    ),
]
Paths = Annotated[
    list[Path] | None,
    typer.Argument(
        metavar="PATH",
        help=f"Forms to try: text pictures (.txt), forms of puzzles ({', '.join(readable('puzzles').suffixes)}), folders of them.",
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
            min=2,
            max=9,
            metavar="K",
            rich_help_panel=FORMS,
            help="Try each tile, enlarged K times, with the other tiles; no tile is used more often than the set has it.",
        ),
    ] = None,
    symmetry: Symmetry = "none",
    within: Within = None,
    area: Area = None,
    some: Annotated[bool, typer.Option("--some", help="Allow tiles to be left over.")] = False,
    count: Annotated[bool, typer.Option("--count", help="Count the solutions of each solvable form.")] = False,
    time: Annotated[float, typer.Option(metavar="SECONDS", callback=above_zero, help="Time limit per form.")] = FORM_SECONDS,
    memory: Memory = None,
    cpu: Cpu = False,
    output: Annotated[
        list[Path] | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="File for the results: .html is a sheet of pictures; any other has one line of JSON per form, and forms already there "
            "are skipped. Repeat it to write both.",
        ),
    ] = None,
    proofs: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(metavar="FOLDER", rich_help_panel=OUTPUT, help="Write a certificate for each impossible form into this folder."),
    ] = None,
    jobs: Annotated[
        Optional[int],  # noqa: UP045
        typer.Option(min=1, metavar="N", rich_help_panel=LIMITS, help="Try N forms in parallel (default: one per core)."),
    ] = None,
    pictures: Annotated[
        Optional[bool],  # noqa: UP045
        typer.Option(
            "--pictures/--no-pictures",
            rich_help_panel=OUTPUT,
            help="Show each form or its solution (default: if there are at most 30 forms).",
        ),
    ] = None,
    csv: Csv = None,
    problem: Problem = None,
    json: AsJson = False,
) -> None:
    """Try many forms with one set of tiles.

    You learn which forms are impossible and why, which are solvable, and, with --count, how many solutions each has.
    """
    from puzzlesat.cli.forms import Output, results_and_sheet, run_forms
    from puzzlesat.designing import Order, Sources

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
        typer.Option(metavar="K", help="Use each tile up to K times, or 'any' number of times (default: as often as the set has it)."),
    ] = None,
    together: Annotated[
        Optional[int],  # noqa: UP045
        typer.Option(
            min=2,
            max=9,
            metavar="N",
            help="Also report which N forms (or N copies of one form) can be filled simultaneously from one set of tiles.",
        ),
    ] = None,
    top: Annotated[
        Optional[int],  # noqa: UP045
        typer.Option(min=1, metavar="N", rich_help_panel=OUTPUT, help="Show N sets per form (default: 20; on a sheet 300)."),
    ] = None,
    budget: Budget = None,
    time: Seconds = None,
    memory: Memory = None,
    cpu: Cpu = False,
    output: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(
            "--output", "-o", metavar="FILE", help="File for the results, one line of JSON per form; forms already there are skipped."
        ),
    ] = None,
    sheet: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(metavar="FILE", rich_help_panel=OUTPUT, help="Write a page (.html) with a solution for each set."),
    ] = None,
    jobs: Annotated[
        Optional[int],  # noqa: UP045
        typer.Option(min=1, metavar="N", rich_help_panel=LIMITS, help="Count N forms in parallel (default: one per core)."),
    ] = None,
    csv: Csv = None,
    problem: Problem = None,
    json: AsJson = False,
) -> None:
    """Find the sets of tiles that fill a form.

    You learn in how many ways each set fills it, and which forms can be filled by the most sets.
    """
    from puzzlesat.cli.sets import SetsQuestion, run_sets
    from puzzlesat.cli.working import Bounds
    from puzzlesat.designing import Sources

    sources = Sources(paths or (), boxes, frames, shapes, convex, polyforms, cut or (), (), symmetry, within, area)
    asked = SetsQuestion(model, sources, copies, together, top, problem)
    seconds = CHECKING_SECONDS if budget is None else budget
    raise typer.Exit(run_sets(asked, Bounds(time, memory, cpu), seconds, output, sheet, csv, jobs, as_json=json))


@commands.command(epilog="Examples:\n\npuzzlesat common pentominoes F U\n\npuzzlesat common tetrominoes --sheet pairs.html")
@says_errors
def common(
    model: Tiles,
    names: Annotated[list[str] | None, typer.Argument(metavar="TILE", help="Names of two or more tiles (default: every pair).")] = None,
    most: Annotated[int, typer.Option(min=1, metavar="N", help="Try forms of up to N faces.")] = MOST_COMMON,
    time: Annotated[
        float, typer.Option(metavar="SECONDS", callback=above_zero, help="Time limit per pair, and again for a second solver.")
    ] = FORM_SECONDS,
    memory: Memory = None,
    cpu: Cpu = False,
    output: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(
            "--output", "-o", metavar="FILE", help="File for the results, one line of JSON per pair; pairs already there are skipped."
        ),
    ] = None,
    sheet: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(metavar="FILE", rich_help_panel=OUTPUT, help="Write a page (.html) with the forms, filled by each tile."),
    ] = None,
    jobs: Annotated[
        Optional[int],  # noqa: UP045
        typer.Option(min=1, metavar="N", rich_help_panel=LIMITS, help="Try N pairs in parallel (default: one per core)."),
    ] = None,
    csv: Csv = None,
    problem: Problem = None,
    json: AsJson = False,
) -> None:
    """Find the smallest form that two tiles can each fill with copies.

    Tiles with such a form are called compatible.
    """
    from puzzlesat.cli.common import CommonQuestion, run_common
    from puzzlesat.cli.working import Bounds

    raise typer.Exit(
        run_common(CommonQuestion(model, names or [], most, problem), Bounds(time, memory, cpu), output, sheet, csv, jobs, as_json=json)
    )
