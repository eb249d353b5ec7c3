"""The command that lists solutions: ``solve``."""

from __future__ import annotations

from typing import Annotated, Optional

import typer

from puzzlesat.cli import options
from puzzlesat.cli.endings import says_errors
from puzzlesat.cli.options import (
    SOLVING,
    Apart,
    AsJson,
    Colours,
    Cpu,
    Csv,
    FaultFree,
    Forbidden,
    HoldsOption,
    Inside,
    Memory,
    NameOrCover,
    NoCrossroads,
    OneOf,
    Png,
    Problem,
    Seconds,
    Strictly,
    Svg,
    Symmetric,
    SymmetricOutline,
    TouchBorder,
)
from puzzlesat.cli.working import Bounds
from puzzlesat.solvers import LISTING, SEED, TALLY, listing, spelled

commands = typer.Typer()

WHICH = "Which solutions"
"""A panel of the help."""


@commands.command(
    epilog="Examples:\n\npuzzlesat solve soma -n 3 --svg soma.svg\n\npuzzlesat solve octogram --with I.1@1.1 --json\n\n"
    "puzzlesat solve pentominoes-6x10 --nth 4711\n\npuzzlesat solve octogram --random 5 --seed 1"
)
@says_errors
def solve(
    instance: NameOrCover,
    number: Annotated[
        Optional[int],  # noqa: UP045
        typer.Option("-n", "--number", min=1, metavar="N", help="Print N solutions (default: 1)."),
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Print all solutions.")] = False,
    nth: Annotated[
        list[int] | None,
        typer.Option(
            "--nth",
            min=1,
            metavar="K",
            rich_help_panel=WHICH,
            help="Print solution number K (from 1) without listing the earlier ones. Repeatable.",
        ),
    ] = None,
    random: Annotated[
        Optional[int],  # noqa: UP045
        typer.Option(
            "--random", min=1, metavar="N", rich_help_panel=WHICH, help="Print N random solutions; every solution is equally likely."
        ),
    ] = None,
    seed: Annotated[
        Optional[int],  # noqa: UP045
        typer.Option(
            "--seed",
            metavar="N",
            rich_help_panel=WHICH,
            help="Random seed; the same seed gives the same solutions. Default for --random: a new seed, which is printed.",
        ),
    ] = None,
    distinct: Annotated[
        bool, typer.Option("--distinct", help="Print one of each class of solutions that are rotations or reflections of each other.")
    ] = False,
    given: Annotated[
        list[str] | None,
        typer.Option(
            "--with", metavar="PLACEMENT", rich_help_panel=WHICH, help="Only solutions with this placement, such as I.1@1.1. Repeatable."
        ),
    ] = None,
    solver: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(
            metavar="NAME",
            rich_help_panel=SOLVING,
            autocompletion=options.solver,
            help=f"The solver: {spelled(listing())} (default: {LISTING}; {TALLY} for --nth and --random).",
        ),
    ] = None,
    time: Seconds = None,
    memory: Memory = None,
    cpu: Cpu = False,
    json: AsJson = False,
    svg: Svg = None,
    png: Png = None,
    csv: Csv = None,
    problem: Problem = None,
    no_crossroads: NoCrossroads = False,
    fault_free: FaultFree = False,
    symmetric: Symmetric = None,
    symmetric_outline: SymmetricOutline = None,
    colours: Colours = None,
    touch_border: TouchBorder = None,
    inside: Inside = None,
    apart: Apart = None,
    strictly: Strictly = False,
    forbidden: Forbidden = None,
    one_of: OneOf = None,
    holds: HoldsOption = None,
) -> None:
    """Find and print solutions, as text, JSON or pictures.

    --svg and --png draw all solutions on one sheet. Put {} into the file name to get one file per solution: 'soma-{}.svg' makes soma-1.svg.
    """
    chosen = [option for option, said in {"-n": number, "--all": everything, "--nth": nth, "--random": random}.items() if said]
    if len(chosen) > 1:
        raise typer.BadParameter(f"use {' or '.join(chosen)}, not both")
    if nth and distinct:
        raise typer.BadParameter("--nth numbers all solutions, so it does not work with --distinct; remove --distinct, or use --random N")
    from puzzlesat.cli.switches import rules_said

    rules = rules_said(locals())
    if nth or random:
        from puzzlesat.cli.solve import run_solve_numbered
        from puzzlesat.counting import Pick

        numbers = nth or ()
        raise typer.Exit(
            run_solve_numbered(
                instance,
                Pick(numbers, random, distinct=distinct) if seed is None else Pick(numbers, random, seed, distinct),
                given=given or [],
                solver=solver,
                bounds=Bounds(time, memory, cpu),
                as_json=json,
                svg=svg,
                png=png,
                csv=csv,
                problem=problem,
                rules=rules,
            )
        )
    from puzzlesat.cli.solve import run_solve

    raise typer.Exit(
        run_solve(
            instance,
            number=None if everything else number or 1,
            distinct=distinct,
            given=given or [],
            solver=LISTING if solver is None else solver,
            seed=SEED if seed is None else seed,
            bounds=Bounds(time, memory, cpu),
            as_json=json,
            svg=svg,
            png=png,
            csv=csv,
            problem=problem,
            rules=rules,
        )
    )
