"""The commands of long runs: ``run`` and ``runs``."""

from __future__ import annotations

from pathlib import Path

import typer

from puzzlesat.cli import functions, options
from puzzlesat.cli.command import Call, command

commands = typer.Typer()


@command(
    commands, functions.run, "puzzlesat run study.toml", "puzzlesat run study.toml --dask tcp://192.0.2.1:8786",
    "puzzlesat run study.toml --share 2/8 --store part-2.sqlite",
    study=typer.Argument(
        metavar="STUDY.toml", autocompletion=options.beside(".toml"), help="The study: which puzzles, and what to find out about them."
    ),
    store=typer.Option(
        metavar="FILE", help="Keep all results in FILE, and skip what is already there (default: STUDY.sqlite)."
    ),
    jobs=typer.Option(min=1),
    share=typer.Option(metavar="I/N"),
)  # fmt: skip
def run(call: Call, *, json: bool = False) -> int:
    """Print what became of each puzzle."""
    from puzzlesat.cli.runs import run_study_file

    return run_study_file(call, as_json=json)


@command(
    commands, None, "puzzlesat runs study.sqlite", "puzzlesat runs study.sqlite --export table.html --export table.csv",
    "puzzlesat runs --check study.sqlite", "puzzlesat runs --merge part-1.sqlite part-2.sqlite -o whole.sqlite",
    stores=typer.Argument(metavar="STORE", autocompletion=options.beside(".sqlite")),
)  # fmt: skip
def runs(
    call: Call,
    stores: list[Path],
    *,
    export: list[Path] | None = None,
    merge: bool = False,
    check: bool = False,
    output: Path | None = None,
    json: bool = False,
) -> int:
    """Show progress, time left and disagreements of a run.

    You can also check its evidence, export its table, and merge stores.

    Parameters
    ----------
    stores
        Stores written by 'puzzlesat run', finished or not.
    export
        Write a table of the puzzles: .csv, .jsonl or .html.
    merge
        Merge stores of one study into a new one (-o).
    check
        Check all evidence in each store again: the chain of answers, solutions, certificates.
    output
        With ``merge``: the new store.

    """
    from puzzlesat.cli.runs import run_runs

    return run_runs(stores, export=export or (), together=merge, check=check, output=output, as_json=json)
