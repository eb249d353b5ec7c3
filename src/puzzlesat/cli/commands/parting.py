"""The command that takes solutions apart: ``apart``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Optional

import typer

from puzzlesat.cli.endings import says_errors
from puzzlesat.cli.options import LIMITS, OUTPUT, AsJson, Bevel, Cpu, Memory, Name, Problem, Seconds, Turns
from puzzlesat.cli.working import Bounds

commands = typer.Typer()


@commands.command(
    epilog="Examples:\n\npuzzlesat apart six-piece-burr\n\npuzzlesat apart six-piece-burr --nth 26 --svg steps.svg\n\n"
    "puzzlesat apart puzzle.xmpuzzle -o apart.jsonl --json\n\npuzzlesat apart puzzle.xmpuzzle -o solved.xmpuzzle\n\n"
    "puzzlesat apart loves-dozen --states states.svg\n\npuzzlesat apart sliproad --turns --bevel 1/10"
)
@says_errors
def apart(
    instance: Name,
    everything: Annotated[
        bool, typer.Option("--all", help="Try every solution, not one of each class of rotations and reflections.")
    ] = False,
    limit: Annotated[
        Optional[int],  # noqa: UP045
        typer.Option("--limit", min=1, metavar="N", help="Try at most N assemblies."),
    ] = None,
    nth: Annotated[
        Optional[int],  # noqa: UP045
        typer.Option("--nth", min=1, metavar="K", help="Try assembly number K only, and show its steps."),
    ] = None,
    output: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            rich_help_panel=OUTPUT,
            help="Keep one line of JSON per assembly; repeat the command to resume. "
            "If FILE ends in .xmpuzzle, write it at the end, for BurrTools to play the steps.",
        ),
    ] = None,
    turns: Turns = False,
    bevel: Bevel = "0",
    jobs: Annotated[
        Optional[int],  # noqa: UP045
        typer.Option("--jobs", min=1, metavar="N", rich_help_panel=LIMITS, help="Number of processes (default: one per core)."),
    ] = None,
    time: Seconds = None,
    memory: Memory = None,
    cpu: Cpu = False,
    json: AsJson = False,
    svg: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(
            "--svg",
            metavar="FILE",
            rich_help_panel=OUTPUT,
            help="Draw the steps of the assembly with the most moves, or of the one of --nth.",
        ),
    ] = None,
    png: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option("--png", metavar="FILE", rich_help_panel=OUTPUT, help="Draw these steps as PNG."),
    ] = None,
    states: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(
            "--states",
            metavar="FILE",
            rich_help_panel=OUTPUT,
            help="Of this assembly, write the graph of all positions before the first piece is away: .svg, .json or .graphml.",
        ),
    ] = None,
    problem: Problem = None,
) -> None:
    """Find out whether solutions can be taken apart by moving pieces.

    For each solution you see how many moves it takes, and which.
    """
    if nth is not None and limit is not None:
        raise typer.BadParameter("use --nth or --limit, not both")
    if states is not None and turns:
        raise typer.BadParameter("--states is about pieces that slide; leave out --turns")
    from puzzlesat.cli.apart import Shown, run_apart
    from puzzlesat.counting import ApartOptions
    from puzzlesat.disassembly import bevel_of

    raise typer.Exit(
        run_apart(
            instance,
            ApartOptions(everything, limit, nth, output, bevel_of(bevel, turns=turns)),
            Shown(json, svg, png, states),
            jobs=jobs,
            bounds=Bounds(time, memory, cpu),
            problem=problem,
        )
    )
