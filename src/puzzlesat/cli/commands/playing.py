"""The commands for somebody with the puzzle on the table: ``hint`` and ``challenge``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Optional

import typer

from puzzlesat.cli.defaults import HINT_SECONDS
from puzzlesat.cli.endings import says_errors
from puzzlesat.cli.options import AsJson, Cpu, Memory, Name, Png, Problem, Seconds, Svg, above_zero
from puzzlesat.cli.working import Bounds

commands = typer.Typer()

POSITIONS = "Positions"
"""A panel of the help."""


@commands.command(epilog="Examples:\n\npuzzlesat hint octogram F.3@4.1 I.1@1.8 --next\n\npuzzlesat hint soma --blank > position.txt")
@says_errors
def hint(
    instance: Name,
    placements: Annotated[
        list[str] | None,
        typer.Argument(metavar="PLACEMENT", help="The pieces on the table, such as Q.1@3.1, in the order in which you placed them."),
    ] = None,
    picture: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(metavar="FILE", help="Read the position from a text picture, or from output of 'solve' ('-': standard input)."),
    ] = None,
    blank: Annotated[
        bool, typer.Option("--blank", help="Print the empty form; draw your position into it, and pass it to --picture.")
    ] = False,
    more: Annotated[bool, typer.Option("--next", help="Place one more piece; a forced one if possible.")] = False,
    svg: Svg = None,
    png: Png = None,
    time: Annotated[float, typer.Option("--time", min=0.1, metavar="SECONDS", callback=above_zero, help="Time limit.")] = HINT_SECONDS,
    memory: Memory = None,
    cpu: Cpu = False,
    json: AsJson = False,
    problem: Problem = None,
) -> None:
    """Tell whether you can finish a position, and what to do next.

    You learn in how many ways you can finish it, which piece to take back if you cannot, and, with --next, one more piece.
    """
    from puzzlesat.cli.play import run_hint

    raise typer.Exit(
        run_hint(
            instance,
            placements or [],
            picture=picture,
            blank=blank,
            more=more,
            svg=svg,
            png=png,
            bounds=Bounds(time, memory, cpu),
            json=json,
            problem=problem,
        )
    )


@commands.command(
    epilog="Examples:\n\npuzzlesat challenge octogram --seed 7 -o octogram.html\n\npuzzlesat challenge soma --placed 3 -n 2\n\n"
    "puzzlesat challenge soma --hardest"
)
@says_errors
def challenge(
    instance: Name,
    count: Annotated[
        Optional[int],  # noqa: UP045
        typer.Option("--count", "-n", min=1, metavar="N", help="Number of positions, from easy to hard (default: 6)."),
    ] = None,
    hardest: Annotated[
        bool, typer.Option("--hardest", help="One position with as few given pieces as possible, and whether that minimum is proven.")
    ] = False,
    placed: Annotated[
        Optional[int],  # noqa: UP045
        typer.Option(min=0, metavar="K", rich_help_panel=POSITIONS, help="Number of given pieces in each position."),
    ] = None,
    most: Annotated[
        Optional[int],  # noqa: UP045
        typer.Option(
            "--from", min=0, metavar="K", rich_help_panel=POSITIONS, help="Given pieces in the easiest position (default: three quarters)."
        ),
    ] = None,
    fewest: Annotated[
        Optional[int],  # noqa: UP045
        typer.Option(
            "--to",
            min=0,
            metavar="K",
            rich_help_panel=POSITIONS,
            help="Given pieces in the hardest position (default: as few as possible).",
        ),
    ] = None,
    completions: Annotated[
        int, typer.Option(min=1, metavar="N", rich_help_panel=POSITIONS, help="Number of ways to finish each position.")
    ] = 1,
    seed: Annotated[
        Optional[int],  # noqa: UP045
        typer.Option(
            metavar="N", rich_help_panel=POSITIONS, help="Random seed; the same seed gives the same positions (default: a new seed)."
        ),
    ] = None,
    output: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="File to write: .html to play or print, .svg or .png (solutions in a second file; beside .svg also the "
            "board and the pieces in their true size), .txt, .json.",
        ),
    ] = None,
    time: Seconds = None,
    memory: Memory = None,
    cpu: Cpu = False,
    json: AsJson = False,
    problem: Problem = None,
) -> None:
    """Make starting positions, from easy to hard.

    Each position has exactly one solution, or as many as you choose by --completions.
    """
    from puzzlesat.cli.play import run_challenge

    raise typer.Exit(
        run_challenge(
            instance,
            hardest=hardest,
            count=count,
            placed=placed,
            most=most,
            fewest=fewest,
            completions=completions,
            seed=seed,
            output=output,
            as_json=json,
            bounds=Bounds(time, memory, cpu),
            problem=problem,
        )
    )
