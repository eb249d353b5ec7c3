"""The commands that count: ``count`` and ``check``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Optional

import typer

from puzzlesat.cli import options
from puzzlesat.cli.endings import says_errors
from puzzlesat.cli.options import (
    LONG,
    SOLVING,
    Apart,
    AsJson,
    Audit,
    Budget,
    Colouring,
    Colours,
    Cpu,
    Csv,
    Dask,
    Disk,
    DiskSpace,
    FaultFree,
    Forbidden,
    Full,
    HoldsOption,
    Inside,
    Memory,
    Names,
    NoCrossroads,
    NoParity,
    NoReduction,
    NoSymmetry,
    OneOf,
    Problem,
    Seconds,
    Solvers,
    Strictly,
    Symmetric,
    SymmetricOutline,
    TouchBorder,
)

commands = typer.Typer()


@commands.command(epilog="Examples:\n\npuzzlesat count soma\n\npuzzlesat count tritetratan octogram --budget 20 -v")
@says_errors
def count(
    instances: Names,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Also show what each solver did, the symmetries and the sources.")
    ] = False,
    solver: Solvers = None,
    budget: Budget = None,
    full: Full = False,
    proved: Annotated[
        bool,
        typer.Option(
            "--proved",
            rich_help_panel=SOLVING,
            help="Make a certificate, and have the checker that is proved sound prove every count; if it cannot, end with status 1.",
        ),
    ] = False,
    transformed: Annotated[
        bool, typer.Option("--transformed", rich_help_panel=SOLVING, help="Also count a rotated or reflected copy, as a further check.")
    ] = False,
    no_symmetry: NoSymmetry = False,
    no_parity: NoParity = False,
    no_reduction: NoReduction = False,
    colouring: Colouring = False,
    time: Seconds = None,
    limit: Annotated[
        Optional[int],  # noqa: UP045
        typer.Option(min=1, metavar="N", help="Stop after N solutions; rotations and reflections count as one."),
    ] = None,
    memory: Memory = None,
    cpu: Cpu = False,
    disk: Disk = None,
    disk_space: DiskSpace = None,
    store: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(
            metavar="FILE",
            rich_help_panel=LONG,
            help="Count one puzzle in units, and keep each result in FILE. Repeat the command to resume a count that was stopped.",
        ),
    ] = None,
    jobs: Annotated[
        Optional[int],  # noqa: UP045
        typer.Option(min=1, metavar="N", rich_help_panel=LONG, help="With --store: count N units in parallel (default: one per core)."),
    ] = None,
    dask: Dask = None,
    audit: Audit = None,
    csv: Csv = None,
    problem: Problem = None,
    json: AsJson = False,
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
    """Count the solutions of puzzles, checked by independent solvers."""
    from puzzlesat.cli.count import run_count
    from puzzlesat.cli.switches import Switches, rules_said

    rules = rules_said(locals())
    switches = Switches(
        solver, budget, full, transformed, no_symmetry, no_parity, no_reduction, time, limit, memory, colouring, cpu, disk, disk_space,
        proved,
    )  # fmt: skip
    if store is not None:
        if proved:
            raise typer.BadParameter("--proved is not available with --store; remove one of the two", param_hint="--proved")
        if csv is not None:
            raise typer.BadParameter("--csv is not available with --store; remove one of the two", param_hint="--csv")
        from puzzlesat.cli.count_stored import Stored, run_count_stored

        raise typer.Exit(
            run_count_stored(
                instances, switches, Stored(store, jobs, dask, audit), as_json=json, problem=problem, rules=rules, detailed=verbose
            )
        )
    for option, value in (("--jobs", jobs), ("--dask", dask), ("--audit", audit)):
        if value is not None:
            raise typer.BadParameter("this option needs --store FILE", param_hint=option)
    raise typer.Exit(run_count(instances, switches, json, problem, csv=csv, rules=rules, detailed=verbose or solver is not None))


@commands.command(epilog="Example: puzzlesat check instances/legespiel --budget 10")
@says_errors
def check(
    paths: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="PATH",
            autocompletion=options.instances,
            help="Puzzles: names, files or folders (default: everything in the package).",
        ),
    ] = None,
    solver: Solvers = None,
    budget: Budget = None,
    full: Full = False,
    time: Seconds = None,
    memory: Memory = None,
    cpu: Cpu = False,
    jobs: Annotated[
        Optional[int],  # noqa: UP045
        typer.Option(min=1, metavar="N", help="Check N puzzles in parallel (default: 1, or one per core with --store)."),
    ] = None,
    store: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option("--store", metavar="FILE", help="Keep results in FILE, and skip what FILE says was checked in the same way."),
    ] = None,
    csv: Csv = None,
    json: AsJson = False,
) -> None:
    """Compare expected counts ([expect]) with a fresh count.

    An instance may state a solution only. Then the command checks that solution.
    """
    from puzzlesat.cli.check import run_check
    from puzzlesat.cli.switches import Switches

    switches = Switches(solver, budget, full, time=time, memory=memory, cpu=cpu)
    if store is not None or (jobs or 1) > 1:
        from puzzlesat.cli.check import run_check_stored

        raise typer.Exit(run_check_stored(paths or [], switches, jobs, store, as_json=json, csv=csv))
    raise typer.Exit(run_check(paths or [], switches, as_json=json, csv=csv))
