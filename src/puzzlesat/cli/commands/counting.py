"""The commands that count and list solutions: ``count``, ``check`` and ``solve``."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from puzzlesat.cli import functions, options
from puzzlesat.cli.command import Call, command
from puzzlesat.cli.options import LIMITS, LONG, PREPARING, PROBLEMS, RULES, SOLVING, CountOptions, RuleOptions, above_zero, rules_said
from puzzlesat.solvers import LISTING, SEED, TALLY, listing, spelled

if TYPE_CHECKING:
    from typing_extensions import Unpack

commands = typer.Typer()


@command(
    commands, functions.count, "puzzlesat count soma", "puzzlesat count tritetratan octogram --budget 20 -v",
    **RULES,
    puzzle=None,
    verbose=typer.Option("--verbose", "-v"),
    proved=typer.Option(rich_help_panel=SOLVING),
    transformed=typer.Option(rich_help_panel=SOLVING),
    **dict.fromkeys(("no_symmetry", "no_parity", "no_reduction", "colouring"), typer.Option(rich_help_panel=PREPARING)),
    limit=typer.Option(min=1),
    disk=typer.Option(metavar="FOLDER", rich_help_panel=LIMITS),
    disk_space=typer.Option(metavar="GIB", rich_help_panel=LIMITS, callback=above_zero),
    store=typer.Option(metavar="FILE", rich_help_panel=LONG),
    jobs=typer.Option(min=1, rich_help_panel=LONG),
)  # fmt: skip
def count(
    call: Call,
    instances: list[str],
    *,
    verbose: bool = False,
    store: Path | None = None,
    jobs: int | None = None,
    csv: Path | None = None,
    problem: str | None = None,
    json: bool = False,
    **options: Unpack[CountOptions],
) -> int:
    """Print the reports.

    Parameters
    ----------
    verbose
        Also show what each solver did, the symmetries and the sources.
    store
        Count one puzzle in units, and keep each result in FILE. Repeat the command to resume a count that was stopped.
    jobs
        With ``store``: count N units in parallel (default: one per core).

    """
    table = rules_said(options)
    room = None if (space := options.get("disk_space")) is None else int(space * 2**30)
    plan = call.plan(
        **{key: not call[f"no_{key}"] for key in ("symmetry", "parity", "reduction")},
        **{key: call[key] for key in ("transformed", "colouring", "proved")},
        limits=replace(call.limits, solutions=options.get("limit"), disk=options.get("disk"), disk_space=room),
    )
    if store is None:
        for option, value in (("--jobs", jobs), ("--dask", options.get("dask")), ("--single", options.get("single") or None)):
            if value is not None:
                raise typer.BadParameter("this option needs --store FILE", param_hint=option)
        from puzzlesat.cli.count import run_count

        return run_count(call, plan, table)
    for option, given in (("--proved", options.get("proved")), ("--csv", csv)):
        if given:
            raise typer.BadParameter(f"{option} is not available with --store; remove one of the two", param_hint=option)
    from puzzlesat.cli.count import run_count_stored

    return run_count_stored(call, plan, table)


@command(
    commands, functions.count, "puzzlesat check instances/legespiel --budget 10",
    puzzle=None,
    paths=typer.Argument(metavar="PATH", autocompletion=options.instances),
    jobs=typer.Option(min=1),
    store=typer.Option(metavar="FILE"),
    own_words=True,
)  # fmt: skip
def check(
    call: Call,
    paths: list[str] | None = None,
    *,
    jobs: int | None = None,
    store: Path | None = None,
    csv: Path | None = None,
    json: bool = False,
) -> int:
    """Compare expected counts ([expect]) with a fresh count.

    An instance may state a solution only. Then the command checks that solution.

    Parameters
    ----------
    paths
        Puzzles: names, files or folders (default: everything in the package).
    jobs
        Check N puzzles in parallel (default: 1, or one per core with --store).
    store
        Keep results in FILE, and skip what FILE says was checked in the same way.

    """
    from puzzlesat.cli.count import run_check, run_check_stored

    return run_check_stored(call) if store is not None or (jobs or 1) > 1 else run_check(call)


WHICH = "Which solutions"
"""A panel of the help."""


@command(
    commands, functions.solve, "puzzlesat solve soma -n 3 --svg soma.svg", "puzzlesat solve octogram --with I.1@1.1 --json",
    "puzzlesat solve pentominoes-6x10 --nth 4711", "puzzlesat solve octogram --random 5 --seed 1",
    **RULES,
    puzzle=typer.Argument(
        metavar="INSTANCE",
        autocompletion=options.instances,
        help=f"A puzzle: a name from 'puzzlesat list', or a file ({PROBLEMS}).",
    ),
    number=typer.Option("-n", "--number", min=1),
    everything=typer.Option("--all"),
    nth=typer.Option(
        min=1, metavar="K", rich_help_panel=WHICH, help="Print solution number K (from 1) without listing the earlier ones."
    ),
    random=typer.Option(min=1, rich_help_panel=WHICH, help="Print N random solutions; every solution is equally likely."),
    seed=typer.Option(
        rich_help_panel=WHICH,
        help="Random seed; the same seed gives the same solutions. Default for --random: a new seed, which is printed.",
    ),
    distinct=typer.Option(help="Print one of each class of solutions that are rotations or reflections of each other."),
    given=typer.Option(
        "--with", metavar="PLACEMENT", rich_help_panel=WHICH, help="Only solutions with this placement, such as I.1@1.1."
    ),
    solver=typer.Option(
        metavar="NAME",
        rich_help_panel=SOLVING,
        autocompletion=options.words(*listing()),
        help=f"The solver: {spelled(listing())} (default: {LISTING}; {TALLY} for --nth and --random).",
    ),
    limit=None,
    partial=None,
    own_words=True,
)  # fmt: skip
def solve(
    call: Call,
    *,
    number: int | None = None,
    everything: bool = False,
    solver: str | None = None,
    svg: Path | None = None,
    png: Path | None = None,
    csv: Path | None = None,
    json: bool = False,
    **rules: Unpack[RuleOptions],
) -> int:
    """Find and print solutions, as text, JSON or pictures.

    --svg and --png draw all solutions on one sheet. Put {} into the file name to get one file per solution: 'soma-{}.svg' makes soma-1.svg.

    Parameters
    ----------
    number
        Print N solutions (default: 1).
    everything
        Print all solutions.

    """
    nth, random, seed, distinct = call["nth"], call["random"], call["seed"], call["distinct"]
    chosen = [option for option, is_given in {"-n": number, "--all": everything, "--nth": nth, "--random": random}.items() if is_given]
    if len(chosen) > 1:
        raise typer.BadParameter(f"use {' or '.join(chosen)}, not both")
    if nth and distinct:
        raise typer.BadParameter("--nth numbers all solutions, so it does not work with --distinct; remove --distinct, or use --random N")
    table = rules_said(rules)
    if nth or random:
        from puzzlesat.cli.show import run_solve_numbered
        from puzzlesat.counting import Pick

        pick = Pick(nth or (), random, distinct=distinct) if seed is None else Pick(nth or (), random, seed, distinct)
        return run_solve_numbered(call, pick, solver, table)
    from puzzlesat.cli.show import run_solve

    wanted = None if everything else number or 1
    return run_solve(call, wanted, SEED if seed is None else seed, LISTING if solver is None else solver, table)
