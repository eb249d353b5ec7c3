"""The arguments and options that several commands have."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Optional

import typer
from typer.core import TyperCommand, TyperGroup

from puzzlesat.cli import completion
from puzzlesat.formats.table import read, said, suffixes
from puzzlesat.solvers.registry import SOLVERS, spelled
from puzzlesat.solvers.strategy import AUTO

PUZZLES = said(read("puzzles"))
PROBLEMS = ", ".join(suffixes(read("cover problem")))
"""The files that commands take, for their help."""


def _instance(help: str) -> Any:
    return typer.Argument(metavar="INSTANCE", autocompletion=completion.instances, help=help)


Names = Annotated[list[str], _instance(f"Names (see 'puzzlesat list'), or files: {PUZZLES}, {PROBLEMS}.")]
Name = Annotated[str, _instance(f"Name (see 'puzzlesat list'), or file: {PUZZLES}.")]
NameOrCover = Annotated[str, _instance(f"Name (see 'puzzlesat list'), or file: {PUZZLES}, {PROBLEMS}.")]
Problem = Annotated[
    Optional[int],  # noqa: UP045
    typer.Option("--problem", min=1, metavar="N", help="The N-th problem of a file of another program that holds several."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object a line.")]
Solvers = Annotated[
    Optional[str],  # noqa: UP045 - typer reads this at run time on Python 3.10
    typer.Option(
        "--solver",
        metavar="A,B,…",
        autocompletion=completion.solvers,
        help=f"Solvers with commas: the first counts, the others check it: {AUTO}, {spelled(SOLVERS)}.",
    ),
]
Budget = Annotated[
    float, typer.Option(min=0, metavar="SECONDS", help="Seconds that the checking solvers may take for an instance, all together.")
]
Full = Annotated[bool, typer.Option("--full", help="Let the checking solvers go through everything, however long it takes.")]
NoSymmetry = Annotated[bool, typer.Option("--no-symmetry", help="Do not break the symmetry of the form.")]
NoParity = Annotated[bool, typer.Option("--no-parity", help="Do not use chess parity and its like.")]
NoReduction = Annotated[bool, typer.Option("--no-reduction", help="Do not remove placements without continuation.")]
Colouring = Annotated[
    bool, typer.Option("--colouring", help="Look for a colouring that rules the puzzle out, and give it to every solver as a condition.")
]
Memory = Annotated[
    Optional[float],  # noqa: UP045
    typer.Option("--memory", min=0.01, metavar="GIB", help="Gibibytes that the tally may take; default: half of what there is."),
]
Disk = Annotated[
    Optional[Path],  # noqa: UP045
    typer.Option(
        "--disk", metavar="FOLDER", help="Where the tally puts what does not fit into memory; a run that was ended goes on there."
    ),
]
DiskSpace = Annotated[
    Optional[float],  # noqa: UP045
    typer.Option("--disk-space", min=0.01, metavar="GIB", help="Gibibytes that it may take there; default: what is free."),
]
Seconds = Annotated[Optional[float], typer.Option("--time", min=0, metavar="SECONDS", help="Stop after so long.")]  # noqa: UP045

Svg = Annotated[Optional[Path], typer.Option("--svg", metavar="FILE", help="Write a picture as SVG.")]  # noqa: UP045
Png = Annotated[Optional[Path], typer.Option("--png", metavar="FILE", help="Write a picture as PNG.")]  # noqa: UP045


class CommandWithSwitches(TyperCommand):
    """A command whose help does not say of a switch that it takes a truth value: it takes none."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters, also ``--help``."""
        return _without_values(super().get_params(ctx))


class GroupWithSwitches(TyperGroup):
    """The same for the program as a whole."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters, also ``--help``."""
        return _without_values(super().get_params(ctx))


def _without_values(params: list[Any]) -> list[Any]:
    for param in params:
        if getattr(param, "is_flag", False):
            param.metavar = ""
    return params
