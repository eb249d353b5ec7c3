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
        typer.Argument(metavar="NAME|FILE", autocompletion=completion.instances, help="A puzzle to begin with: its name, or a file."),
    ] = None,
    port: Annotated[
        Optional[int],  # noqa: UP045
        typer.Option(min=1, max=65535, metavar="N", help="The port of the page; default: 8417, or the next one that is free."),
    ] = None,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the page, or only print its address.")] = True,
) -> None:
    """Play, draw and count puzzles in a browser: a page of this machine, for this machine alone. It ends with Ctrl-C."""
    from puzzlesat.cli.studio import run_studio

    raise typer.Exit(run_studio(puzzle, port=port, browser=browser))
