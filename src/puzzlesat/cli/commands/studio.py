"""The commands for the page in a browser: ``studio``, which opens it, and ``site``, which writes it as files."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Optional

import typer

from puzzlesat.cli import options
from puzzlesat.cli.endings import says_errors
from puzzlesat.cli.options import Memory
from puzzlesat.cli.working import Bounds

commands = typer.Typer()


@commands.command(epilog="Examples:\n\npuzzlesat studio\n\npuzzlesat studio octogram\n\npuzzlesat studio my-puzzle.toml")
@says_errors
def studio(
    puzzle: Annotated[
        Optional[str],  # noqa: UP045
        typer.Argument(metavar="NAME|FILE", autocompletion=options.instances, help="A puzzle to open: its name, or a file."),
    ] = None,
    port: Annotated[
        Optional[int],  # noqa: UP045
        typer.Option(min=1, max=65535, metavar="N", help="Port of the page (default: 8417, or the next free one)."),
    ] = None,
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="Open the page in your browser, or only print its address.")
    ] = True,
) -> None:
    """Play, draw and count puzzles in your browser.

    The page works on this machine only. Press Ctrl-C to quit.
    """
    from puzzlesat.cli.studio import run_studio

    raise typer.Exit(run_studio(puzzle, port=port, browser=browser))


@commands.command(
    epilog="Examples:\n\npuzzlesat site my-site\n\npuzzlesat site my-site soma\n\npuzzlesat site my-site soma octogram my.toml"
)
@says_errors
def site(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="The folder to write into. Files of other programs in it stay.")],
    puzzles: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="PUZZLE",
            autocompletion=options.instances,
            help="Names from 'puzzlesat list', or files (default: all puzzles of the package). One puzzle becomes one file.",
        ),
    ] = None,
    memory: Memory = None,
) -> None:
    """Write puzzles as a page that anyone can open.

    You can open the page from disk, or put the folder on any web space. Nobody who plays or counts there needs Python.
    """
    from puzzlesat.cli.studio import run_site

    raise typer.Exit(run_site(folder, puzzles or [], Bounds(memory=memory)))
