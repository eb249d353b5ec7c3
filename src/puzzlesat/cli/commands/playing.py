"""The commands for somebody with the puzzle on the table: ``hint`` and ``challenge``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Optional

import typer

from puzzlesat.cli.bounds import Bounds
from puzzlesat.cli.endings import says_errors
from puzzlesat.cli.options import AsJson, Cpu, Memory, Name, Problem, Seconds, above_zero
from puzzlesat.solvers.strategy import HINT_SECONDS

commands = typer.Typer()


@commands.command(epilog="Examples:\n\npuzzlesat hint octogram F.3@4.1 I.1@1.8 --next\n\npuzzlesat hint soma --blank > position.txt")
@says_errors
def hint(
    instance: Name,
    placements: Annotated[
        list[str] | None,
        typer.Argument(metavar="PLACEMENT", help="The pieces placed, such as Q.1@3.1, in the order in which they were."),
    ] = None,
    picture: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(metavar="FILE", help="Text picture of the position ('-': standard input), or what 'solve' printed, as text or JSON."),
    ] = None,
    blank: Annotated[bool, typer.Option("--blank", help="Print the empty form, to draw a position into it for --picture.")] = False,
    more: Annotated[bool, typer.Option("--next", help="Give one more piece, a forced one if there is one.")] = False,
    svg: Annotated[Optional[Path], typer.Option("--svg", metavar="FILE", help="File for a picture of the position.")] = None,  # noqa: UP045
    png: Annotated[Optional[Path], typer.Option("--png", metavar="FILE", help="The same as PNG.")] = None,  # noqa: UP045
    time: Annotated[
        float, typer.Option("--time", min=0.1, metavar="SECONDS", callback=above_zero, help="Seconds to think at most.")
    ] = HINT_SECONDS,
    memory: Memory = None,
    cpu: Cpu = False,
    json: AsJson = False,
    problem: Problem = None,
) -> None:
    """Say whether a position can be finished, in how many ways, which piece to take back, and give one more."""
    from puzzlesat.cli.hint import run_hint

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
        typer.Option("--count", "-n", min=1, metavar="N", help="So many positions, from easy to hard; default: 6."),
    ] = None,
    hardest: Annotated[
        bool, typer.Option("--hardest", help="One position with the fewest pieces that do, and whether it is proven that fewer do not.")
    ] = False,
    placed: Annotated[Optional[int], typer.Option(min=0, metavar="K", help="Pieces placed in each position.")] = None,  # noqa: UP045
    most: Annotated[
        Optional[int],  # noqa: UP045
        typer.Option("--from", min=0, metavar="K", help="Pieces placed in the easiest position; default: three quarters."),
    ] = None,
    fewest: Annotated[
        Optional[int],  # noqa: UP045
        typer.Option("--to", min=0, metavar="K", help="Pieces placed in the hardest position; default: as few as can be."),
    ] = None,
    completions: Annotated[int, typer.Option(min=1, metavar="N", help="In how many ways exactly each position can be finished.")] = 1,
    seed: Annotated[Optional[int], typer.Option(metavar="N", help="The same number gives the same positions; default: any.")] = None,  # noqa: UP045
    output: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(
            "--output", "-o", metavar="FILE", help="File: .html to play or print, .svg or .png (solutions in a second file), .txt, .json."
        ),
    ] = None,
    time: Seconds = None,
    memory: Memory = None,
    cpu: Cpu = False,
    json: AsJson = False,
    problem: Problem = None,
) -> None:
    """Make starting positions, from easy to hard, that can be finished in one way only (or in as many as wished)."""
    from puzzlesat.cli.challenge import run_challenge

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
