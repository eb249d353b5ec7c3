"""The command that takes solutions apart: ``apart``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Optional

import typer

from puzzlesat.cli.bounds import Bounds
from puzzlesat.cli.endings import says_errors
from puzzlesat.cli.options import AsJson, Cpu, Memory, Name, Problem, Seconds

commands = typer.Typer()


@commands.command(
    epilog="Examples:\n\npuzzlesat apart six-piece-burr\n\npuzzlesat apart six-piece-burr --nth 26 --svg steps.svg\n\n"
    "puzzlesat apart puzzle.xmpuzzle -o apart.jsonl --json"
)
@says_errors
def apart(
    instance: Name,
    everything: Annotated[bool, typer.Option("--all", help="Every solution, not one of each class of turned or mirrored copies.")] = False,
    limit: Annotated[
        Optional[int],  # noqa: UP045
        typer.Option("--limit", min=1, metavar="N", help="So many assemblies at most."),
    ] = None,
    nth: Annotated[
        Optional[int],  # noqa: UP045
        typer.Option("--nth", min=1, metavar="K", help="The assembly with this number alone, and its steps."),
    ] = None,
    output: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(
            "--output", "-o", metavar="FILE", help="Keep a line of JSON for each assembly; the same command goes on where it ended."
        ),
    ] = None,
    jobs: Annotated[
        Optional[int],  # noqa: UP045
        typer.Option("--jobs", min=1, metavar="N", help="Processes at work at the same time; default: as many as there are cores."),
    ] = None,
    time: Seconds = None,
    memory: Memory = None,
    cpu: Cpu = False,
    json: AsJson = False,
    svg: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option("--svg", metavar="FILE", help="Draw the steps of the assembly that takes most moves, or of that of --nth."),
    ] = None,
    png: Annotated[Optional[Path], typer.Option("--png", metavar="FILE", help="The same as PNG.")] = None,  # noqa: UP045
    problem: Problem = None,
) -> None:
    """Say which solutions can be taken apart by moving pieces, in how many moves, and by which."""
    if nth is not None and limit is not None:
        raise typer.BadParameter("say --nth or --limit, not both")
    from puzzlesat.cli.apart import Shown, run_apart
    from puzzlesat.counting.assemblies import Asked

    raise typer.Exit(
        run_apart(
            instance,
            Asked(everything, limit, nth, output),
            Shown(json, svg, png),
            jobs=jobs,
            bounds=Bounds(time, memory, cpu),
            problem=problem,
        )
    )
