"""The command for families of burrs: ``design``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Optional

import typer

from puzzlesat.cli import options
from puzzlesat.cli.endings import says_errors
from puzzlesat.cli.options import LIMITS, OUTPUT, AsJson, Cpu, Memory, Seconds
from puzzlesat.cli.working import Bounds

commands = typer.Typer()

ASSEMBLIES = "Assemblies"
"""A panel of the help."""


@commands.command(
    epilog="Examples:\n\npuzzlesat design six-piece-burrs\n\npuzzlesat design notchable-solid-six-piece-burrs --apart\n\n"
    "puzzlesat design six-piece-burrs --sample 10000 -o sample.jsonl --best best.toml\n\n"
    "puzzlesat design pieces.toml --apart\n\npuzzlesat design dubois-burr --carve 10000 --best best.toml"
)
@says_errors
def design(
    design: Annotated[
        str,
        typer.Argument(
            metavar="DESIGN",
            autocompletion=options.designs,
            help="Rods, or pieces with free cells: a file (.toml), or a design of the package. With --carve, a puzzle.",
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
            help="For N assemblies of the highest levels, count the other assemblies of their pieces, and those that come apart. "
            "Of pieces with free cells, list the N best sets (default: 10).",
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
    carve: Annotated[
        Optional[int],  # noqa: UP045
        typer.Option(
            "--carve",
            min=1,
            max=10**9,
            metavar="N",
            rich_help_panel=ASSEMBLIES,
            help="DESIGN is a puzzle: give its cells to pieces in N other ways, in search of a high level.",
        ),
    ] = None,
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
            help="Write the pieces of the assembly with the highest level, or the best set of pieces, as a puzzle (.toml).",
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

    A design says where the rods of a burr lie, and any cubes may be cut away where rods meet. Or it has pieces with free cells: then
    the command finds all sets of pieces that fill the form.
    """
    if apart and sample is not None:
        raise typer.BadParameter("use --apart or --sample, not both")
    if part != "1/1" and not apart:
        raise typer.BadParameter("--part is for --apart")
    from puzzlesat.cli.design import run_carve, run_design
    from puzzlesat.designing import DesignOptions

    asked, bounds = DesignOptions(apart, sample, seed, output, unique, DesignOptions.part_of(part)), Bounds(time, memory, cpu)
    if carve is not None:
        raise typer.Exit(run_carve(design, carve, asked, best, bounds=bounds, as_json=json))
    raise typer.Exit(run_design(design, asked, best, jobs=jobs, bounds=bounds, as_json=json))
