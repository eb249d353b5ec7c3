"""The commands that write puzzles in other formats: ``convert`` and ``compile``."""

from __future__ import annotations

from pathlib import Path

import typer

from puzzlesat.cli import functions, options
from puzzlesat.cli.command import Call, command
from puzzlesat.cli.options import PREPARING
from puzzlesat.formats import readable, writable

commands = typer.Typer()


@command(
    commands, functions.convert, "puzzlesat convert burr.xmpuzzle burr.toml", "puzzlesat convert soma soma.xcc",
    "puzzlesat convert soma soma.jsonl",
    format=None,
    source=typer.Argument(
        metavar="IN",
        autocompletion=options.instances,
        help=f"A puzzle ({readable('puzzles').foreign}), a cover problem ({readable('cover problem')}) "
        f"or solutions ({readable('solutions')}).",
    ),
    output=typer.Argument(
        metavar="OUT",
        help=f"File to write; its suffix chooses the format: .toml, or a folder; {', '.join(writable('cover problem').suffixes)}; "
        f"{', '.join(writable('solutions').suffixes)} (solutions).",
    ),
    instance=typer.Option(autocompletion=options.instances),
    map=typer.Option(metavar="FILE"),
)  # fmt: skip
def convert(call: Call, output: Path) -> int:
    """Print what was written."""
    from puzzlesat.cli.files import run_convert

    return run_convert(call)


@command(
    commands, functions.compile, "puzzlesat compile soma --format cnf -o soma.cnf --map soma.map",
    format=typer.Option(
        "--format", "-f", metavar="NAME", autocompletion=options.words(*(f.name for f in writable("cover problem"))),
        help=", ".join(f"{f.name} ({f.by})" if f.by else f.name for f in writable("cover problem")) + ".",
    ),
    output=typer.Option("--output", "-o", metavar="FILE", help="File to write (default: standard output)."),
    map=typer.Option(metavar="FILE"),
    symmetry=typer.Option("--symmetry/--no-symmetry", rich_help_panel=PREPARING),
    reduction=typer.Option("--reduction/--no-reduction", rich_help_panel=PREPARING),
    parity=typer.Option("--parity/--no-parity", rich_help_panel=PREPARING),
    colouring=typer.Option(rich_help_panel=PREPARING),
    encoding=typer.Option(metavar="NAME", rich_help_panel=PREPARING, autocompletion=options.words(*options.ENCODINGS)),
)  # fmt: skip
def compile(call: Call) -> int:
    """Print the problem if no file is named."""
    from puzzlesat.cli.files import run_compile

    return run_compile(call)
