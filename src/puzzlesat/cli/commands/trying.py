"""The commands on many forms and puzzles: ``forms``, ``sets``, ``common``, ``design``, ``run`` and ``runs``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import typer

from puzzlesat.cli import functions, options
from puzzlesat.cli.command import Call, command
from puzzlesat.cli.options import OUTPUT, above_zero
from puzzlesat.formats import readable

commands = typer.Typer()

FORMS = "Forms"
"""A panel of the help."""
TILES: Any = typer.Argument(
    autocompletion=options.tiles,
    help=f"The tiles: name or file of a model or an instance; also {' or '.join(readable('puzzles').foreign.suffixes)}. "
    "An instance brings its rules.",
)
GENERATED: dict[str, Any] = {
    "paths": typer.Argument(
        metavar="PATH",
        help=f"Forms to try: text pictures (.txt), forms of puzzles ({', '.join(readable('puzzles').suffixes)}), folders of them.",
    ),
    **dict.fromkeys(("boxes", "frames", "shapes", "convex", "polyforms"), typer.Option(rich_help_panel=FORMS)),
    "cut": typer.Option(metavar="FORM", rich_help_panel=FORMS),
    "symmetry": typer.Option(metavar="NAMES", rich_help_panel=FORMS),
    "within": typer.Option(metavar="BOX", rich_help_panel=FORMS),
    "area": typer.Option(metavar="N", rich_help_panel=FORMS),
}
"""Declarations of the parameters for forms."""
TIME: Any = typer.Option("--time", metavar="SECONDS", callback=above_zero)


@command(
    commands, functions.forms, "puzzlesat forms tetrominoes --boxes --frames",
    "puzzlesat forms hexiamonds my-forms --count -o results.jsonl",
    "puzzlesat forms pentominoes --cut 8x8 --symmetry full --count -o results.jsonl -o sheet.html",
    **GENERATED,
    tiles=TILES,
    replicas=typer.Option(min=2, max=9, metavar="K", rich_help_panel=FORMS),
    seconds=TIME,
    proofs=typer.Option(metavar="FOLDER", rich_help_panel=OUTPUT),
    pictures=typer.Option("--pictures/--no-pictures", rich_help_panel=OUTPUT),
)  # fmt: skip
def forms(
    call: Call, *, output: list[Path] | None = None, pictures: bool | None = None, csv: Path | None = None, json: bool = False
) -> int:
    """Print what became of each form.

    Parameters
    ----------
    output
        File for the results: .html is a sheet of pictures; any other has one line of JSON per form, and forms already there are skipped.

    pictures
        Show each form or its solution (default: if there are at most 30 forms).

    """
    from puzzlesat.cli.forms import run_forms

    return run_forms(call)


@command(
    commands, functions.sets, "puzzlesat sets pentominoes --boxes --area 30",
    "puzzlesat sets pentominoes --boxes --area 15-45 --together 2",
    "puzzlesat sets tetrominoes --boxes --area 20 --copies any --sheet sets.html",
    **GENERATED,
    tiles=TILES,
    copies=typer.Option(metavar="K"),
    together=typer.Option(min=2, max=9),
    top=typer.Option(min=1, rich_help_panel=OUTPUT),
    sheet=typer.Option(metavar="FILE", rich_help_panel=OUTPUT),
)  # fmt: skip
def sets(
    call: Call, *, copies: str | None = None, top: int | None = None, sheet: Path | None = None, csv: Path | None = None, json: bool = False
) -> int:
    """Print the sets that fill each form.

    Parameters
    ----------
    copies
        Use each tile up to K times, or 'any' number of times (default: as often as the set has it).
    top
        Show N sets per form (default: 20; on a sheet 300).
    sheet
        Write a page (.html) with a solution for each set.

    """
    from puzzlesat.cli.forms import run_sets

    return run_sets(call)


@command(
    commands, functions.common, "puzzlesat common pentominoes F U", "puzzlesat common tetrominoes --sheet pairs.html",
    tiles=TILES,
    names=typer.Argument(metavar="TILE"),
    most=typer.Option(min=1),
    seconds=TIME,
    sheet=typer.Option(metavar="FILE", rich_help_panel=OUTPUT),
)  # fmt: skip
def common(call: Call, *, sheet: Path | None = None, csv: Path | None = None, json: bool = False) -> int:
    """Print the smallest forms.

    Parameters
    ----------
    sheet
        Write a page (.html) with the forms, filled by each tile.

    """
    from puzzlesat.cli.forms import run_common

    return run_common(call)


ASSEMBLIES = "Assemblies"
"""A panel of the help."""


@command(
    commands, functions.design, "puzzlesat design six-piece-burrs", "puzzlesat design notchable-solid-six-piece-burrs --apart",
    "puzzlesat design six-piece-burrs --sample 10000 -o sample.jsonl --best best.toml", "puzzlesat design pieces.toml --apart",
    "puzzlesat design dubois-burr --carve 10000 --best best.toml",
    design=typer.Argument(
        autocompletion=options.designs,
        help="Rods, or pieces with free cells: a file (.toml), or a design of the package. With --carve, a puzzle.",
    ),
    apart=typer.Option(rich_help_panel=ASSEMBLIES),
    sample=typer.Option(min=1, max=10**7, rich_help_panel=ASSEMBLIES),
    seed=typer.Option(min=0, rich_help_panel=ASSEMBLIES),
    unique=typer.Option(min=0, max=10_000, rich_help_panel=ASSEMBLIES),
    part=typer.Option(metavar="K/N", rich_help_panel=ASSEMBLIES),
    carve=typer.Option(min=1, max=10**9, rich_help_panel=ASSEMBLIES),
    output=typer.Option("--output", "-o", metavar="FILE", rich_help_panel=OUTPUT),
    best=typer.Option(metavar="FILE", rich_help_panel=OUTPUT),
)  # fmt: skip
def design(call: Call, *, best: Path | None = None, json: bool = False) -> int:
    """Print what was found.

    Parameters
    ----------
    best
        Write the pieces of the assembly with the highest level, or the best set of pieces, as a puzzle (.toml).

    """
    from puzzlesat.cli.design import run_design

    return run_design(call)


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
