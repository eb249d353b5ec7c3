"""The commands that tell of puzzles: ``show``, ``report``, ``validate`` and ``list``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Optional

import typer

from puzzlesat.cli import options
from puzzlesat.cli.defaults import REPORT_LISTING_SECONDS, REPORT_SOLUTIONS
from puzzlesat.cli.endings import says_errors
from puzzlesat.cli.options import AsJson, Bevel, Budget, Cpu, Memory, Name, Png, Problem, Seconds, Solvers, Svg, Turns, above_zero
from puzzlesat.cli.working import Bounds
from puzzlesat.formats import readable

commands = typer.Typer()

PRINTING = "3D printing, with --stl or --3mf"
"""A panel of the help."""


@commands.command(
    epilog="Examples:\n\npuzzlesat show bits-and-bytes\n\npuzzlesat show soma --png soma.png\n\n"
    "puzzlesat show soma --stl pieces --cell 15\n\npuzzlesat show soma --3mf soma.3mf --assembled"
)
@says_errors
def show(
    instance: Name,
    svg: Svg = None,
    png: Png = None,
    stl: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(
            metavar="FOLDER",
            rich_help_panel=PRINTING,
            help="Write the pieces as STL files, one closed mesh each, into this folder (created if missing).",
        ),
    ] = None,
    three_mf: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(
            "--3mf",
            metavar="FILE",
            rich_help_panel=PRINTING,
            help="Write all pieces in their colours into one 3MF file, side by side.",
        ),
    ] = None,
    assembled: Annotated[
        bool,
        typer.Option(
            "--assembled",
            rich_help_panel=PRINTING,
            help="Put the pieces of a solution together: in the 3MF file, and in assembled.stl.",
        ),
    ] = False,
    cell: Annotated[
        Optional[float],  # noqa: UP045
        typer.Option(metavar="MM", rich_help_panel=PRINTING, help="Length of the shortest side of a cell (default: 20)."),
    ] = None,
    clearance: Annotated[
        Optional[float],  # noqa: UP045
        typer.Option(metavar="MM", rich_help_panel=PRINTING, help="Gap between two pieces (default: 0.2)."),
    ] = None,
    bevel: Annotated[
        Optional[float],  # noqa: UP045
        typer.Option(
            metavar="MM",
            rich_help_panel=PRINTING,
            help="Width cut off each face along its edges (default: 1; 1/40 of a cell for pieces with noses).",
        ),
    ] = None,
    rounding: Annotated[
        Optional[float],  # noqa: UP045
        typer.Option("--round", metavar="MM", rich_help_panel=PRINTING, help="Radius of rounded edges, instead of bevels."),
    ] = None,
    thickness: Annotated[
        Optional[float],  # noqa: UP045
        typer.Option(metavar="MM", rich_help_panel=PRINTING, help="Thickness of flat pieces (default: 6)."),
    ] = None,
    wall: Annotated[
        Optional[float],  # noqa: UP045
        typer.Option(metavar="MM", rich_help_panel=PRINTING, help="Make pieces hollow, with walls of this thickness."),
    ] = None,
    drain: Annotated[
        Optional[float],  # noqa: UP045
        typer.Option(metavar="MM", rich_help_panel=PRINTING, help="Diameter of a hole into each hollow piece (default: none)."),
    ] = None,
    time: Seconds = None,
    memory: Memory = None,
    cpu: Cpu = False,
    problem: Problem = None,
) -> None:
    """Show a puzzle: its form, tiles, placements and symmetries.

    Facts on area and parity follow.
    """
    from puzzlesat.cli.show import Printed, run_show

    sizes = {
        "cell": cell,
        "clearance": clearance,
        "bevel": bevel,
        "rounding": rounding,
        "thickness": thickness,
        "wall": wall,
        "drain": drain,
    }
    printed = Printed(stl, three_mf, assembled)
    raise typer.Exit(run_show(instance, Bounds(time, memory, cpu), svg=svg, png=png, problem=problem, printed=printed, sizes=sizes))


@commands.command(epilog="Example: puzzlesat report octogram -o octogram.html --budget 20")
@says_errors
def report(
    instance: Name,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="HTML file to write.")],
    solver: Solvers = None,
    budget: Budget = None,
    most: Annotated[int, typer.Option(min=1, max=100_000, metavar="N", help="Show at most N solutions.")] = REPORT_SOLUTIONS,
    time: Annotated[
        Optional[float],  # noqa: UP045
        typer.Option(
            "--time",
            metavar="SECONDS",
            callback=above_zero,
            help=f"Time limit for counting and listing together (default: {REPORT_LISTING_SECONDS:g} s for listing).",
        ),
    ] = None,
    memory: Memory = None,
    cpu: Cpu = False,
    problem: Problem = None,
    turns: Turns = False,
    bevel: Bevel = "0",
) -> None:
    """Write a web page with the puzzle, its counts and its solutions.

    The page says how each count was obtained, and has a gallery of the distinct solutions that you can search. It shows how they come
    apart, if that is a question; with --turns, pieces may be turned too.
    """
    from puzzlesat.cli.report import run_report
    from puzzlesat.cli.switches import Switches
    from puzzlesat.disassembly import bevel_of

    switches = Switches(solver, budget, time=time, memory=memory, cpu=cpu)
    raise typer.Exit(run_report(instance, output, switches, most, problem, turns=bevel_of(bevel, turns=turns)))


@commands.command(epilog="Example: puzzlesat validate my-puzzle.toml")
@says_errors
def validate(
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE", help=f"Files of grids, models or instances; {readable('puzzles').foreign}.")
    ],
    time: Seconds = None,
    memory: Memory = None,
    cpu: Cpu = False,
    twice: Annotated[bool, typer.Option("--twice", help="Read each puzzle again with independent code, and compare.")] = False,
    json: AsJson = False,
) -> None:
    """Check files and report every error."""
    from puzzlesat.cli.files import run_validate

    raise typer.Exit(run_validate(files, Bounds(time, memory, cpu), twice=twice, as_json=json))


@commands.command(
    name="list", epilog="Examples:\n\npuzzlesat list\n\npuzzlesat list soma\n\npuzzlesat list 'IQ Fit'\n\npuzzlesat list hexagon --json"
)
@says_errors
def list_(
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="FAMILY|WORD",
            autocompletion=options.listed,
            help="A family, or a word to search for: a name, a maker, a grid, part of a title. Typing errors are forgiven.",
        ),
    ] = None,
    json: AsJson = False,
) -> None:
    """List the puzzles in the package, or search them.

    Without a word, you see all families. With the name of a family, you see its puzzles.
    """
    from puzzlesat.cli.listing import run_list

    raise typer.Exit(run_list(" ".join(words) if words else None, as_json=json))
