"""The commands of proofs: ``prove``, ``certify``, ``verify`` and ``certificate-to-lrat``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Optional

import typer

from puzzlesat.cli import options
from puzzlesat.cli.endings import says_errors
from puzzlesat.cli.options import AsJson, Cpu, Memory, Name, Problem, Seconds
from puzzlesat.cli.working import Bounds

commands = typer.Typer()


@commands.command(epilog="Examples:\n\npuzzlesat prove mutilated-chessboard\n\npuzzlesat prove my-form.toml -o my-form.proof")
@says_errors
def prove(
    instance: Name,
    output: Annotated[Optional[Path], typer.Option("--output", "-o", metavar="FILE", help="Write a certificate of the proof.")] = None,  # noqa: UP045
    svg: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option("--svg", metavar="FILE", help="Draw the colouring, if the proof uses one."),
    ] = None,
    time: Seconds = None,
    memory: Memory = None,
    cpu: Cpu = False,
    json: AsJson = False,
    problem: Problem = None,
) -> None:
    """Prove that a puzzle has no solution, or show a solution.

    The proof is by area, by a place that no tile fits, by a colouring, or by search.
    """
    from puzzlesat.cli.proof import run_prove

    raise typer.Exit(run_prove(instance, output=output, svg=svg, bounds=Bounds(time, memory, cpu), as_json=json, problem=problem))


@commands.command(epilog="Example: puzzlesat certify tritetratan -o tritetratan.proof")
@says_errors
def certify(
    instance: Name,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="Certificate to write.")],
    kind: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            autocompletion=options.kinds,
            help="Kind: tree (compact), lrat (the same search as LRAT), cadical (LRAT by CaDiCaL), tally (lists no solutions).",
        ),
    ] = "tree",
    time: Seconds = None,
    memory: Memory = None,
    cpu: Cpu = False,
    json: AsJson = False,
    problem: Problem = None,
) -> None:
    """Count the solutions and write a certificate of the count.

    'puzzlesat verify' and other programs can check it.
    """
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
            autocompletion=options.instances,
            help="Also confirm that the certificate is about this puzzle.",
        ),
    ] = None,
    verified: Annotated[
        bool,
        typer.Option(
            "--verified", help="Check with puzzlesat-verified, a program that is proved sound (for trees, removals and weightings)."
        ),
    ] = False,
    time: Seconds = None,
    memory: Memory = None,
    cpu: Cpu = False,
    problem: Problem = None,
    json: AsJson = False,
) -> None:
    """Check certificates with a small, independent program.

    It shares no code with the solvers, and rebuilds the puzzle by itself. The programs that write certificates use its code.
    """
    from puzzlesat.cli.proof import run_verify

    bounds = Bounds(time, memory, cpu)
    raise typer.Exit(run_verify(files, bounds, instance=instance, as_json=json, problem=problem, verified=verified))


@commands.command(name="certificate-to-lrat", epilog="Example: puzzlesat certificate-to-lrat soma.proof -o soma")
@says_errors
def certificate_to_lrat(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A certificate of kind tree or lrat.")],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="NAME", help="Write NAME.cnf and NAME.lrat.")],
    binary: Annotated[bool, typer.Option("--binary", help="Write binary LRAT.")] = False,
) -> None:
    """Write a certificate as DIMACS and LRAT, for other checkers.

    DIMACS has the formula, and LRAT the proof.
    """
    from puzzlesat.cli.proof import run_certificate_to_lrat

    raise typer.Exit(run_certificate_to_lrat(file, output, binary=binary))
