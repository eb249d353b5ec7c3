"""The commands that count: ``count`` and ``check``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Optional

import typer

from puzzlesat.cli import completion
from puzzlesat.cli.endings import says_errors
from puzzlesat.cli.options import (
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
from puzzlesat.solvers.strategy import CHECKING_SECONDS

commands = typer.Typer()


@commands.command(epilog="Example: puzzlesat count tritetratan octogram --budget 20")
@says_errors
def count(
    instances: Names,
    solver: Solvers = None,
    budget: Budget = CHECKING_SECONDS,
    full: Full = False,
    transformed: Annotated[bool, typer.Option("--transformed", help="Count a turned or mirrored copy too.")] = False,
    no_symmetry: NoSymmetry = False,
    no_parity: NoParity = False,
    no_reduction: NoReduction = False,
    colouring: Colouring = False,
    time: Seconds = None,
    limit: Annotated[
        Optional[int],  # noqa: UP045
        typer.Option(min=1, metavar="N", help="Stop when N are found; of those that are turned or mirrored copies one counts."),
    ] = None,
    memory: Memory = None,
    cpu: Cpu = False,
    disk: Disk = None,
    disk_space: DiskSpace = None,
    store: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(
            metavar="FILE", help="Count one puzzle in units that FILE holds: whatever ends it, the same command goes on where it was."
        ),
    ] = None,
    jobs: Annotated[
        Optional[int],  # noqa: UP045
        typer.Option(min=1, metavar="N", help="Units counted at the same time, with --store; default: as many as there are cores."),
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
    """Count the solutions of puzzles, cross-checked by solvers that share no search code."""
    from puzzlesat.cli.count import run_count
    from puzzlesat.cli.rules import rules_said
    from puzzlesat.cli.switches import Switches

    rules = rules_said(locals())
    switches = Switches(
        solver, budget, full, transformed, no_symmetry, no_parity, no_reduction, time, limit, memory, colouring, cpu, disk, disk_space
    )
    if store is not None:
        if csv is not None:
            raise typer.BadParameter("it is for the table of several counts, and --store is for one; leave one out", param_hint="--csv")
        from puzzlesat.cli.count_stored import Stored, run_count_stored

        raise typer.Exit(
            run_count_stored(instances, switches, Stored(store, jobs, dask, audit), as_json=json, problem=problem, rules=rules)
        )
    for option, value in (("--jobs", jobs), ("--dask", dask), ("--audit", audit)):
        if value is not None:
            raise typer.BadParameter("it is for counts in units: name their file by --store", param_hint=option)
    raise typer.Exit(run_count(instances, switches, json, problem, csv=csv, rules=rules))


@commands.command(epilog="Example: puzzlesat check instances/legespiel --budget 10")
@says_errors
def check(
    paths: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="PATH",
            autocompletion=completion.instances,
            help="Instances, files or folders; default: all that come with the package.",
        ),
    ] = None,
    solver: Solvers = None,
    budget: Budget = CHECKING_SECONDS,
    full: Full = False,
    time: Seconds = None,
    memory: Memory = None,
    cpu: Cpu = False,
    jobs: Annotated[
        Optional[int],  # noqa: UP045
        typer.Option(min=1, metavar="N", help="Instances checked at the same time; default: 1, with --store as many as there are cores."),
    ] = None,
    store: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option("--store", metavar="FILE", help="File for what is known; what was checked in the same way is not checked again."),
    ] = None,
    csv: Csv = None,
    json: AsJson = False,
) -> None:
    """Compare the counts that instances expect ([expect]) with a fresh count; where they state only a solution, check that."""
    from puzzlesat.cli.check import run_check
    from puzzlesat.cli.switches import Switches

    switches = Switches(solver, budget, full, time=time, memory=memory, cpu=cpu)
    if store is not None or (jobs or 1) > 1:
        from puzzlesat.cli.check_stored import run_check_stored

        raise typer.Exit(run_check_stored(paths or [], switches, jobs, store, as_json=json, csv=csv))
    raise typer.Exit(run_check(paths or [], switches, as_json=json, csv=csv))
