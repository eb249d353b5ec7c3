"""The command for families of burrs: ``design``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Optional

import typer

from puzzlesat.cli import completion
from puzzlesat.cli.bounds import Bounds
from puzzlesat.cli.endings import says_errors
from puzzlesat.cli.options import LIMITS, OUTPUT, AsJson, Cpu, Memory, Seconds

commands = typer.Typer()

ASSEMBLIES = "Assemblies"
"""A panel of the help."""


@commands.command(
    epilog="Examples:\n\npuzzlesat design six-piece-burrs\n\npuzzlesat design notchable-solid-six-piece-burrs --apart\n\n"
    "puzzlesat design six-piece-burrs --sample 10000 -o sample.jsonl --best best.toml"
)
@says_errors
def design(
    design: Annotated[
        str,
        typer.Argument(
            metavar="DESIGN",
            autocompletion=completion.designs,
            help="The rods of a burr, and which pieces may be cut from them: a file (.toml), or a design of the package.",
        ),
    ],
    apart: Annotated[
        bool, typer.Option("--apart", rich_help_panel=ASSEMBLIES, help="Take apart every assembly in which something can move.")
    ] = False,
    sample: Annotated[
        Optional[int],  # noqa: UP045
        typer.Option(
            "--sample", min=1, max=10**7, metavar="N", rich_help_panel=ASSEMBLIES, help="Take apart N assemblies that are drawn at random."
        ),
    ] = None,
    seed: Annotated[
        int,
        typer.Option(
            "--seed", min=0, metavar="N", rich_help_panel=ASSEMBLIES, help="Random seed; the same seed draws the same assemblies."
        ),
    ] = 0,
    unique: Annotated[
        int,
        typer.Option(
            "--unique",
            min=0,
            max=10_000,
            metavar="N",
            rich_help_panel=ASSEMBLIES,
            help="For N assemblies of the highest levels, count the other assemblies of their pieces, and those that come apart.",
        ),
    ] = 0,
    part: Annotated[
        str,
        typer.Option(
            "--part",
            metavar="K/N",
            rich_help_panel=ASSEMBLIES,
            help="With --apart: take only part K of N. All N parts together have each assembly once.",
        ),
    ] = "1/1",
    output: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            rich_help_panel=OUTPUT,
            help="Keep what is done, as lines of JSON. Repeat the command to resume.",
        ),
    ] = None,
    best: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(
            "--best",
            metavar="FILE",
            rich_help_panel=OUTPUT,
            help="Write the pieces of the assembly with the highest level as a puzzle (.toml).",
        ),
    ] = None,
    jobs: Annotated[
        Optional[int],  # noqa: UP045
        typer.Option("--jobs", min=1, metavar="N", rich_help_panel=LIMITS, help="Number of processes (default: one per core)."),
    ] = None,
    time: Seconds = None,
    memory: Memory = None,
    cpu: Cpu = False,
    json: AsJson = False,
) -> None:
    """Count all assemblies of a family of burrs, and see which come apart.

    A design says where the rods of a burr lie. From the cubes where rods meet, any may be cut away.
    """
    if apart and sample is not None:
        raise typer.BadParameter("use --apart or --sample, not both")
    if (output or best or unique) and not apart and sample is None:
        raise typer.BadParameter("--output, --best and --unique are for assemblies that are taken apart; add --apart or --sample")
    which, _, number = part.partition("/")
    if not (which.isdecimal() and number.isdecimal() and 1 <= int(which) <= int(number)):
        raise typer.BadParameter(f"--part: expected such as 1/100, got {part!r}")
    if part != "1/1" and not apart:
        raise typer.BadParameter("--part is for --apart")
    from puzzlesat.burrs.run import Asked
    from puzzlesat.cli.design import run_design

    asked = Asked(apart, sample, seed, output, unique, (int(which), int(number)))
    raise typer.Exit(run_design(design, asked, best, jobs=jobs, bounds=Bounds(time, memory, cpu), as_json=json))
