"""The commands that tell of puzzles: ``show``, ``report``, ``validate`` and ``list``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Optional

import typer

from puzzlesat.cli import completion
from puzzlesat.cli.bounds import Bounds
from puzzlesat.cli.endings import says_errors
from puzzlesat.cli.options import AsJson, Budget, Cpu, Memory, Name, Png, Problem, Seconds, Solvers, Svg, above_zero
from puzzlesat.formats.table import foreign, said
from puzzlesat.solvers.strategy import CHECKING_SECONDS, REPORT_LISTING_SECONDS, REPORT_SOLUTIONS

commands = typer.Typer()


@commands.command(
    epilog="Examples:\n\npuzzlesat show bits-and-bytes\n\npuzzlesat show soma --png soma.png\n\npuzzlesat show soma --stl pieces --cell 15"
)
@says_errors
def show(
    instance: Name,
    svg: Svg = None,
    png: Png = None,
    stl: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(metavar="FOLDER", help="Folder for the pieces to be printed, a closed mesh a file; made where it is not there."),
    ] = None,
    cell: Annotated[
        Optional[float],  # noqa: UP045
        typer.Option(metavar="MM", help="With --stl: the shortest side of a cell; default: 20."),
    ] = None,
    clearance: Annotated[
        Optional[float],  # noqa: UP045
        typer.Option(metavar="MM", help="With --stl: what is free between two pieces; default: 0.2."),
    ] = None,
    bevel: Annotated[
        Optional[float],  # noqa: UP045
        typer.Option(metavar="MM", help="With --stl: what of each face is cut off at an edge; default: 1, with noses 1/40 of a cell."),
    ] = None,
    rounding: Annotated[
        Optional[float],  # noqa: UP045
        typer.Option("--round", metavar="MM", help="With --stl: the radius of rounded edges, in place of bevels."),
    ] = None,
    thickness: Annotated[
        Optional[float],  # noqa: UP045
        typer.Option(metavar="MM", help="With --stl: of flat pieces; default: 6."),
    ] = None,
    time: Seconds = None,
    memory: Memory = None,
    cpu: Cpu = False,
    problem: Problem = None,
) -> None:
    """Show a puzzle: the form, the tiles, their placements, the symmetries, and facts on area and parity."""
    from puzzlesat.cli.show import run_show

    sizes = {"cell": cell, "clearance": clearance, "bevel": bevel, "rounding": rounding, "thickness": thickness}
    raise typer.Exit(run_show(instance, Bounds(time, memory, cpu), svg=svg, png=png, problem=problem, stl=stl, sizes=sizes))


@commands.command(epilog="Example: puzzlesat report octogram -o octogram.html --budget 20")
@says_errors
def report(
    instance: Name,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="File for the page.")],
    solver: Solvers = None,
    budget: Budget = CHECKING_SECONDS,
    most: Annotated[int, typer.Option(min=1, max=100_000, metavar="N", help="Show no more solutions than this.")] = REPORT_SOLUTIONS,
    time: Annotated[
        Optional[float],  # noqa: UP045
        typer.Option(
            "--time",
            metavar="SECONDS",
            callback=above_zero,
            help=f"Stop counting and listing after so long, all together (default: {REPORT_LISTING_SECONDS:g} s of listing).",
        ),
    ] = None,
    memory: Memory = None,
    cpu: Cpu = False,
    problem: Problem = None,
) -> None:
    """Write a page of HTML: the puzzle, its counts and how each was obtained, and a gallery of the distinct solutions to search."""
    from puzzlesat.cli.report import run_report
    from puzzlesat.cli.switches import Switches

    raise typer.Exit(run_report(instance, output, Switches(solver, budget, time=time, memory=memory, cpu=cpu), most, problem))


@commands.command(epilog="Example: puzzlesat validate my-puzzle.toml")
@says_errors
def validate(
    files: Annotated[list[Path], typer.Argument(metavar="FILE", help=f"Grids, models, instances; {said(foreign())}.")],
    time: Seconds = None,
    memory: Memory = None,
    cpu: Cpu = False,
    twice: Annotated[bool, typer.Option("--twice", help="Read each puzzle a second time by code of its own, and compare.")] = False,
) -> None:
    """Check files and report every error."""
    from puzzlesat.cli.validate import run_validate

    raise typer.Exit(run_validate(files, Bounds(time, memory, cpu), twice=twice))


@commands.command(name="list", epilog="Examples:\n\npuzzlesat list\n\npuzzlesat list soma\n\npuzzlesat list hexagon --json")
@says_errors
def list_(
    word: Annotated[
        Optional[str],  # noqa: UP045
        typer.Argument(
            metavar="FAMILY|WORD",
            autocompletion=completion.listed,
            help="A family, to see its instances; or only what has this in its name, family, grid or title.",
        ),
    ] = None,
    json: AsJson = False,
) -> None:
    """List the puzzles that come with the package: all families; the instances of one; or what has a word in its name or title."""
    from puzzlesat.cli.listing import run_list

    raise typer.Exit(run_list(word, as_json=json))
