"""The commands that write puzzles in other forms: ``convert`` and ``compile``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Optional

import typer

from puzzlesat.cli import options
from puzzlesat.cli.endings import says_errors
from puzzlesat.cli.options import PREPARING, Colouring, Cpu, Memory, Name, Problem, Seconds
from puzzlesat.cli.working import Bounds
from puzzlesat.formats import readable, writable

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
            autocompletion=options.instances,
            help=f"A puzzle ({readable('puzzles').foreign}), a cover problem ({readable('cover problem')}) "
            f"or solutions ({readable('solutions')}).",
        ),
    ],
    target: Annotated[
        Path,
        typer.Argument(
            metavar="OUT",
            help=f"File to write; its suffix chooses the format: .toml, or a folder; {', '.join(writable('cover problem').suffixes)}; "
            f"{', '.join(writable('solutions').suffixes)} (solutions).",
        ),
    ],
    problem: Problem = None,
    instance: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(
            "--instance",
            metavar="INSTANCE",
            autocompletion=options.instances,
            help="The puzzle to which the solutions belong, if their file does not name it.",
        ),
    ] = None,
    map: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option("--map", metavar="FILE", help="For a solver's output: the map of variables that 'compile --map' wrote."),
    ] = None,
    distinct: Annotated[
        bool, typer.Option("--distinct", help="Keep one of each class of solutions that are rotations or reflections of each other.")
    ] = False,
    time: Seconds = None,
    memory: Memory = None,
    cpu: Cpu = False,
) -> None:
    """Convert puzzles, cover problems and solutions between formats.

    If the target format cannot express something, the command stops with an error.
    """
    from puzzlesat.cli.files import run_convert
    from puzzlesat.formats import Which

    raise typer.Exit(run_convert(source, target, Which(problem, instance, map), Bounds(time, memory, cpu), distinct=distinct))


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
            autocompletion=options.formats,
            help=", ".join(f"{f.name} ({f.by})" if f.by else f.name for f in writable("cover problem")) + ".",
        ),
    ] = "cnf",
    output: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option("--output", "-o", metavar="FILE", help="File to write (default: standard output)."),
    ] = None,
    map: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option("--map", metavar="FILE", help="Also write a map of variables to placements into this file."),
    ] = None,
    symmetry: Annotated[
        bool, typer.Option("--symmetry/--no-symmetry", rich_help_panel=PREPARING, help="Break the symmetry of the form.")
    ] = False,
    reduction: Annotated[
        bool,
        typer.Option(
            "--reduction/--no-reduction", rich_help_panel=PREPARING, help="Remove placements that cannot be part of any solution."
        ),
    ] = False,
    parity: Annotated[
        bool, typer.Option("--parity/--no-parity", rich_help_panel=PREPARING, help="Add chess parity and similar arguments.")
    ] = False,
    colouring: Colouring = False,
    encoding: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(
            metavar="NAME",
            rich_help_panel=PREPARING,
            autocompletion=options.encodings,
            help="For cnf only, the at-most-one encoding: mixed (default), pairwise, sequential, binary, commander.",
        ),
    ] = None,
    time: Seconds = None,
    memory: Memory = None,
    cpu: Cpu = False,
    problem: Problem = None,
) -> None:
    """Write a puzzle as a problem for other solvers.

    The formats are DIMACS CNF, OPB, CP-SAT proto text and Knuth's exact-cover format.
    """
    from puzzlesat.cli.compilation import ToCompile
    from puzzlesat.cli.files import run_compile

    wanted = ToCompile(format, symmetry, reduction, parity, colouring, encoding)
    raise typer.Exit(run_compile(instance, wanted, output, map, Bounds(time, memory, cpu), problem))
