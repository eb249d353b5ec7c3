"""The commands of long runs: ``run`` and ``runs``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Optional

import typer

from puzzlesat.cli import options
from puzzlesat.cli.endings import says_errors
from puzzlesat.cli.options import AsJson, Audit, Dask

commands = typer.Typer()


@commands.command(
    epilog="Examples:\n\npuzzlesat run study.toml\n\npuzzlesat run study.toml --dask tcp://192.0.2.1:8786\n\n"
    "puzzlesat run study.toml --share 2/8 --store part-2.sqlite"
)
@says_errors
def run(
    study: Annotated[
        Path,
        typer.Argument(
            metavar="STUDY.toml", autocompletion=options.studies, help="The study: which puzzles, and what to find out about them."
        ),
    ],
    store: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option("--store", metavar="FILE", help="Keep all results in FILE, and skip what is already there (default: STUDY.sqlite)."),
    ] = None,
    jobs: Annotated[
        Optional[int],  # noqa: UP045
        typer.Option("--jobs", min=1, metavar="N", help="Number of processes (default: one per core)."),
    ] = None,
    dask: Dask = None,
    share: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(
            "--share",
            metavar="I/N",
            help="Take only every N-th puzzle, starting with the I-th. Join the stores later with 'puzzlesat runs --merge'.",
        ),
    ] = None,
    audit: Audit = None,
    json: AsJson = False,
) -> None:
    """Run a study. Stop it whenever you like; run it again to resume.

    A study is a file that names puzzles, and says what to find out about them.
    """
    from puzzlesat.cli.runs import run_study_file

    raise typer.Exit(run_study_file(study, store, jobs=jobs, dask=dask, share=share, audit=audit, as_json=json))


@commands.command(
    epilog="Examples:\n\npuzzlesat runs study.sqlite\n\npuzzlesat runs study.sqlite --export table.html --export table.csv\n\n"
    "puzzlesat runs --check study.sqlite\n\n"
    "puzzlesat runs --merge part-1.sqlite part-2.sqlite -o whole.sqlite"
)
@says_errors
def runs(
    stores: Annotated[
        list[Path],
        typer.Argument(metavar="STORE", autocompletion=options.stores, help="Stores written by 'puzzlesat run', finished or not."),
    ],
    export: Annotated[
        list[Path] | None,
        typer.Option("--export", metavar="FILE", help="Write a table of the puzzles: .csv, .jsonl, .html or .md. Repeatable."),
    ] = None,
    merge: Annotated[bool, typer.Option("--merge", help="Merge stores of one study into a new one (-o).")] = False,
    check: Annotated[
        bool, typer.Option("--check", help="Check all evidence in each store again: the chain of answers, solutions, certificates.")
    ] = False,
    output: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option("--output", "-o", metavar="FILE", help="With --merge: the new store."),
    ] = None,
    json: AsJson = False,
) -> None:
    """Show progress, time left and disagreements of a run.

    You can also check its evidence, export its table, and merge stores.
    """
    from puzzlesat.cli.runs import run_runs

    raise typer.Exit(run_runs(stores, export=export or (), together=merge, check=check, output=output, as_json=json))
