"""The commands of proofs: ``prove``, ``certify``, ``verify`` and ``certificate-to-lrat``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Optional

import typer

from puzzlesat.cli import completion
from puzzlesat.cli.bounds import Bounds
from puzzlesat.cli.endings import says_errors
from puzzlesat.cli.options import AsJson, Cpu, Memory, Name, Problem, Seconds

commands = typer.Typer()


@commands.command(epilog="Examples:\n\npuzzlesat prove mutilated-chessboard\n\npuzzlesat prove my-form.toml -o my-form.proof")
@says_errors
def prove(
    instance: Name,
    output: Annotated[Optional[Path], typer.Option("--output", "-o", metavar="FILE", help="File for the certificate of the proof.")] = None,  # noqa: UP045
    svg: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option("--svg", metavar="FILE", help="File for a picture of the colouring, where that is the argument."),
    ] = None,
    time: Seconds = None,
    memory: Memory = None,
    cpu: Cpu = False,
    json: AsJson = False,
    problem: Problem = None,
) -> None:
    """Tell why a puzzle has no solution: by area, because nothing fits, by a colouring, or by search; or show a solution."""
    from puzzlesat.cli.proof import run_prove

    raise typer.Exit(run_prove(instance, output=output, svg=svg, bounds=Bounds(time, memory, cpu), as_json=json, problem=problem))


@commands.command(epilog="Example: puzzlesat certify tritetratan -o tritetratan.proof")
@says_errors
def certify(
    instance: Name,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="File for the certificate.")],
    kind: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            autocompletion=completion.kinds,
            help="tree (compact), lrat (the same search as LRAT), cadical (LRAT by CaDiCaL), tally (lists no solutions).",
        ),
    ] = "tree",
    time: Seconds = None,
    memory: Memory = None,
    cpu: Cpu = False,
    json: AsJson = False,
    problem: Problem = None,
) -> None:
    """Count the solutions and write a certificate that 'puzzlesat verify', or another program, can check."""
    from puzzlesat.cli.proof import run_certify

    raise typer.Exit(run_certify(instance, output, kind=kind, bounds=Bounds(time, memory, cpu), as_json=json, problem=problem))


@commands.command(epilog="Example: puzzlesat verify tritetratan.proof --instance tritetratan")
@says_errors
def verify(
    files: Annotated[list[Path], typer.Argument(metavar="FILE", help="Certificates.")],
    instance: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(
            metavar="INSTANCE",
            autocompletion=completion.instances,
            help="Confirm too that the puzzle in the certificate is that of this instance or file.",
        ),
    ] = None,
    verified: Annotated[
        bool,
        typer.Option("--verified", help="Check them by puzzlesat-verified, whose soundness is proved (trees, removals and weightings)."),
    ] = False,
    time: Seconds = None,
    memory: Memory = None,
    cpu: Cpu = False,
    problem: Problem = None,
    json: AsJson = False,
) -> None:
    """Check certificates by a small program of its own, which shares nothing with those that made them."""
    from puzzlesat.cli.verify import run_verify

    bounds = Bounds(time, memory, cpu)
    raise typer.Exit(run_verify(files, bounds, instance=instance, as_json=json, problem=problem, verified=verified))


@commands.command(name="certificate-to-lrat", epilog="Example: puzzlesat certificate-to-lrat soma.proof -o soma")
@says_errors
def certificate_to_lrat(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A certificate of kind tree or lrat.")],
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="NAME", help="Beginning of the names: NAME.cnf and NAME.lrat are written.")
    ],
    binary: Annotated[bool, typer.Option("--binary", help="Write LRAT in its binary form.")] = False,
) -> None:
    """Write the formula and the proof of a certificate as DIMACS and LRAT, for checkers of other people."""
    from puzzlesat.cli.proof import run_certificate_to_lrat

    raise typer.Exit(run_certificate_to_lrat(file, output, binary=binary))
