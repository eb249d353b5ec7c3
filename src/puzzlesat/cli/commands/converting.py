"""The commands that write puzzles in other forms: ``convert`` and ``compile``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Optional

import typer

from puzzlesat.cli import completion
from puzzlesat.cli.bounds import Bounds
from puzzlesat.cli.endings import says_errors
from puzzlesat.cli.options import Colouring, Cpu, Memory, Name, Problem, Seconds
from puzzlesat.formats.table import foreign, read, said, suffixes, written

commands = typer.Typer()


@commands.command(
    epilog="Examples:\n\npuzzlesat convert burr.xmpuzzle burr.toml\n\npuzzlesat convert soma soma.xcc\n\npuzzlesat convert soma soma.jsonl"
)
@says_errors
def convert(
    source: Annotated[
        str,
        typer.Argument(
            metavar="IN",
            autocompletion=completion.instances,
            help=f"An instance, {said(foreign())}; {said(read('cover problem'))}; or solutions: {said(read('solutions'))}.",
        ),
    ],
    target: Annotated[
        Path,
        typer.Argument(
            metavar="OUT",
            help=f"What to write, by its suffix: .toml, or a folder; {', '.join(suffixes(written('cover problem')))}; "
            f"{', '.join(suffixes(written('solutions')))} (solutions).",
        ),
    ],
    problem: Problem = None,
    instance: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(
            "--instance",
            metavar="INSTANCE",
            autocompletion=completion.instances,
            help="The instance that solutions belong to, where their file does not name it.",
        ),
    ] = None,
    map: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option("--map", metavar="FILE", help="For a solver's output: the map of variable to placement that 'compile --map' wrote."),
    ] = None,
    distinct: Annotated[
        bool, typer.Option("--distinct", help="Only one of each class of solutions that are turned or mirrored copies.")
    ] = False,
    time: Seconds = None,
    memory: Memory = None,
    cpu: Cpu = False,
) -> None:
    """Convert puzzles, cover problems and solutions between formats; what a format cannot say is refused."""
    from puzzlesat.cli.convert import Options, run_convert

    raise typer.Exit(run_convert(source, target, Options(problem, instance, map, distinct, Bounds(time, memory, cpu))))


@commands.command(name="compile", epilog="Example: puzzlesat compile soma --format cnf -o soma.cnf --map soma.map")
@says_errors
def compile_(
    instance: Name,
    format: Annotated[
        str,
        typer.Option(
            "--format",
            "-f",
            metavar="NAME",
            autocompletion=completion.formats,
            help=", ".join(f"{f.name} ({f.by})" if f.by else f.name for f in written("cover problem")) + ".",
        ),
    ] = "cnf",
    output: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option("--output", "-o", metavar="FILE", help="File to write; default: standard output."),
    ] = None,
    map: Annotated[Optional[Path], typer.Option("--map", metavar="FILE", help="File for the map of variable to placement.")] = None,  # noqa: UP045
    symmetry: Annotated[bool, typer.Option("--symmetry/--no-symmetry", help="Break the symmetry of the form.")] = False,
    reduction: Annotated[bool, typer.Option("--reduction/--no-reduction", help="Remove placements without continuation.")] = False,
    parity: Annotated[bool, typer.Option("--parity/--no-parity", help="Add chess parity and its like.")] = False,
    colouring: Colouring = False,
    encoding: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(
            metavar="NAME",
            autocompletion=completion.encodings,
            help="For cnf alone, at-most-one: mixed (default), pairwise, sequential, binary, commander.",
        ),
    ] = None,
    time: Seconds = None,
    memory: Memory = None,
    cpu: Cpu = False,
    problem: Problem = None,
) -> None:
    """Write the puzzle as DIMACS CNF, OPB, CP-SAT proto text or in Knuth's exact-cover format."""
    from puzzlesat.cli.compile import run_compile

    raise typer.Exit(
        run_compile(instance, format, output, map, symmetry, reduction, parity, colouring, encoding, Bounds(time, memory, cpu), problem)
    )
