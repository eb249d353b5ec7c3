"""The commands for a player with the puzzle on the table: ``hint``, ``challenge`` and ``apart``."""

from __future__ import annotations

from pathlib import Path

import typer

from puzzlesat.cli import functions
from puzzlesat.cli.command import Call, command
from puzzlesat.cli.options import OUTPUT, TURNS, above_zero

commands = typer.Typer()

POSITIONS = "Positions"
"""A panel of the help."""


@command(
    commands, functions.hint, "puzzlesat hint octogram F.3@4.1 I.1@1.8 --next", "puzzlesat hint soma --blank > position.txt",
    placed=typer.Argument(metavar="PLACEMENT", help="The pieces on the table, such as Q.1@3.1, in the order in which you placed them."),
    more=typer.Option("--next"),
    seconds=typer.Option("--time", min=0.1, metavar="SECONDS", callback=above_zero, help="Time limit."),
)  # fmt: skip
def hint(
    call: Call, *, picture: Path | None = None, blank: bool = False, svg: Path | None = None, png: Path | None = None, json: bool = False
) -> int:
    """Print what is known of a position.

    Parameters
    ----------
    picture
        Read the position from a text picture, or from output of 'solve' ('-': standard input).
    blank
        Print the empty form; draw your position into it, and pass it to --picture.

    """
    from puzzlesat.cli.play import print_blank, run_hint

    return print_blank(call) if blank else run_hint(call)


@command(
    commands, functions.challenge, "puzzlesat challenge octogram --seed 7 -o octogram.html", "puzzlesat challenge soma --placed 3 -n 2",
    "puzzlesat challenge soma --hardest",
    count=typer.Option("--count", "-n", min=1),
    placed=typer.Option(min=0, metavar="K", rich_help_panel=POSITIONS),
    most=typer.Option("--from", min=0, metavar="K", rich_help_panel=POSITIONS),
    fewest=typer.Option("--to", min=0, metavar="K", rich_help_panel=POSITIONS),
    completions=typer.Option(min=1, rich_help_panel=POSITIONS),
    seed=typer.Option(rich_help_panel=POSITIONS),
)  # fmt: skip
def challenge(call: Call, *, output: Path | None = None, json: bool = False) -> int:
    """Print starting positions, or write them to a file.

    Parameters
    ----------
    output
        File to write: .html to play or print, .svg or .png (solutions in a second file; beside .svg also the board and the pieces in their
        true size), .txt, .json.

    """
    from puzzlesat.cli.play import run_challenge

    return run_challenge(call)


@command(
    commands, functions.apart, "puzzlesat apart six-piece-burr", "puzzlesat apart six-piece-burr --nth 26 --svg steps.svg",
    "puzzlesat apart puzzle.xmpuzzle -o apart.jsonl --json", "puzzlesat apart puzzle.xmpuzzle -o solved.xmpuzzle",
    "puzzlesat apart loves-dozen --states states.svg", "puzzlesat apart sliproad --turns --bevel 1/10",
    everything=typer.Option("--all"),
    limit=typer.Option(min=1),
    nth=typer.Option(min=1, metavar="K"),
    output=typer.Option("--output", "-o", metavar="FILE", rich_help_panel=OUTPUT),
    turns=typer.Option("--turns", rich_help_panel=TURNS),
    bevel=typer.Option(metavar="FRACTION", rich_help_panel=TURNS),
    svg=typer.Option(metavar="FILE", rich_help_panel=OUTPUT),
    png=typer.Option(metavar="FILE", rich_help_panel=OUTPUT),
    states=typer.Option(metavar="FILE", rich_help_panel=OUTPUT),
)  # fmt: skip
def apart(call: Call, *, svg: Path | None = None, png: Path | None = None, states: Path | None = None, json: bool = False) -> int:
    """Print which assemblies come apart, and how.

    Parameters
    ----------
    svg
        Draw the steps of the assembly with the most moves, or of the one of --nth.
    png
        Draw these steps as PNG.
    states
        Of this assembly, write the graph of all positions before the first piece is away: .svg, .json or .graphml.

    """
    from puzzlesat.cli.play import run_apart

    return run_apart(call)
