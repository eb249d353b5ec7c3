"""The command that opens the studio in a browser."""

from __future__ import annotations

from typing import Annotated, Optional

import typer

from puzzlesat.cli import completion
from puzzlesat.cli.endings import says_errors

commands = typer.Typer()


@commands.command(epilog="Examples:\n\npuzzlesat studio\n\npuzzlesat studio octogram\n\npuzzlesat studio my-puzzle.toml")
@says_errors
def studio(
    puzzle: Annotated[
        Optional[str],  # noqa: UP045
        typer.Argument(metavar="NAME|FILE", autocompletion=completion.instances, help="A puzzle to open: its name, or a file."),
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
