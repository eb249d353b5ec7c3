"""The arguments and options that several commands have."""

from __future__ import annotations

from math import isfinite
from pathlib import Path
from typing import Annotated, Any, Optional

import typer
from rich.markup import escape
from typer.core import HAS_RICH, TyperCommand, TyperGroup

from puzzlesat.cli import completion
from puzzlesat.formats.table import read, said, suffixes
from puzzlesat.solvers.registry import SOLVERS, spelled
from puzzlesat.solvers.strategy import AUTO, CERTIFICATE

PUZZLES = said(read("puzzles"))
PROBLEMS = ", ".join(suffixes(read("cover problem")))
"""The files that commands take, for their help."""


def _instance(help: str) -> Any:
    return typer.Argument(metavar="INSTANCE", autocompletion=completion.instances, help=help)


def _finite(value: float | None) -> float | None:
    """Refuse what is no number to count with."""
    if value is not None and not isfinite(value):
        raise typer.BadParameter(f"{value} is no number to count with; leave the option out for no limit")
    return value


def above_zero(value: float | None) -> float | None:
    """Refuse a limit within which nothing can be done."""
    if value is not None and not (_finite(value) or 0) > 0:
        raise typer.BadParameter(f"{value:g} leaves nothing; expected a number above 0, such as 60 or 0.5")
    return value


Names = Annotated[list[str], _instance(f"Names (see 'puzzlesat list'), or files: {PUZZLES}, {PROBLEMS}.")]
Name = Annotated[str, _instance(f"Name (see 'puzzlesat list'), or file: {PUZZLES}.")]
NameOrCover = Annotated[str, _instance(f"Name (see 'puzzlesat list'), or file: {PUZZLES}, {PROBLEMS}.")]
Problem = Annotated[
    Optional[str],  # noqa: UP045
    typer.Option("--problem", metavar="N", help="The N-th problem of a file that holds several, or the one of that name."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object a line.")]
Solvers = Annotated[
    Optional[str],  # noqa: UP045 - typer reads this at run time on Python 3.10
    typer.Option(
        "--solver",
        metavar="A,B,…",
        autocompletion=completion.solvers,
        help=f"Solvers with commas: the first counts, the others check it: {AUTO}, {CERTIFICATE}, {spelled(SOLVERS)}.",
    ),
]
Budget = Annotated[
    float,
    typer.Option(
        min=0,
        metavar="SECONDS",
        callback=_finite,
        help="Seconds for the certificate and the checking solvers of a puzzle, all together.",
    ),
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
    typer.Option(
        "--memory",
        metavar="GIB",
        callback=above_zero,
        help="Gibibytes that the work on a puzzle may take; default: half of what there is, for a solver.",
    ),
]
Seconds = Annotated[
    Optional[float],  # noqa: UP045
    typer.Option("--time", metavar="SECONDS", callback=above_zero, help="Stop the work on a puzzle after so long, whatever it is."),
]
Cpu = Annotated[
    bool, typer.Option("--cpu", help="Take all seconds as CPU seconds, of the program and its children: a loaded machine decides the same.")
]
Dask = Annotated[
    Optional[str],  # noqa: UP045
    typer.Option("--dask", metavar="ADDRESS", help="Let the workers of a Dask scheduler do the work, such as tcp://192.0.2.1:8786."),
]
Audit = Annotated[
    Optional[float],  # noqa: UP045
    typer.Option(
        "--audit", min=0, max=1, metavar="SHARE",
        help="The share of the units that other processes do again; default: 1, all. Less is cheaper, and nothing is confirmed.",
    ),
]  # fmt: skip
Disk = Annotated[
    Optional[Path],  # noqa: UP045
    typer.Option(
        "--disk", metavar="FOLDER", help="Where the tally puts what does not fit into memory; a run that was ended goes on there."
    ),
]
DiskSpace = Annotated[
    Optional[float],  # noqa: UP045
    typer.Option("--disk-space", metavar="GIB", callback=above_zero, help="Gibibytes that it may take there; default: what is free."),
]

Svg = Annotated[Optional[Path], typer.Option("--svg", metavar="FILE", help="Write a picture as SVG.")]  # noqa: UP045
Png = Annotated[Optional[Path], typer.Option("--png", metavar="FILE", help="Write a picture as PNG.")]  # noqa: UP045

Csv = Annotated[Optional[Path], typer.Option("--csv", metavar="FILE", help="Write the table as CSV too, for spreadsheets.")]  # noqa: UP045


ON_SOLUTIONS = "Rules on solutions"
"""The part of a help text where these stand."""
NoCrossroads = Annotated[
    bool, typer.Option("--no-crossroads", rich_help_panel=ON_SOLUTIONS, help="Only solutions without a point where four tiles meet.")
]
FaultFree = Annotated[
    bool, typer.Option("--fault-free", rich_help_panel=ON_SOLUTIONS, help="Only solutions without a straight line that goes through.")
]
Symmetric = Annotated[
    list[str] | None,
    typer.Option(
        "--symmetric",
        metavar="SYMMETRY",
        rich_help_panel=ON_SOLUTIONS,
        help="Only solutions that look the same after it, such as 'turn 180'; may be repeated.",
    ),
]
SymmetricOutline = Annotated[
    list[str] | None,
    typer.Option(
        "--symmetric-outline",
        metavar="TILES: SYMMETRY",
        rich_help_panel=ON_SOLUTIONS,
        help="Only solutions in which these tiles together look the same after it, such as 'F,I: turn 180'; may be repeated.",
    ),
]
Colours = Annotated[
    Optional[int],  # noqa: UP045
    typer.Option(
        "--colours",
        min=1,
        max=12,
        metavar="N",
        rich_help_panel=ON_SOLUTIONS,
        help="Only solutions that N colours do for, if tiles that touch have different ones.",
    ),
]
TouchBorder = Annotated[
    Optional[str],  # noqa: UP045
    typer.Option(
        "--touch-border",
        metavar="TILES",
        rich_help_panel=ON_SOLUTIONS,
        help="Only solutions in which these tiles, or 'all', touch the border.",
    ),
]
Inside = Annotated[
    Optional[str],  # noqa: UP045
    typer.Option(metavar="TILES", rich_help_panel=ON_SOLUTIONS, help="Only solutions in which none of these tiles touches the border."),
]
Apart = Annotated[
    list[str] | None,
    typer.Option(
        metavar="TILES", rich_help_panel=ON_SOLUTIONS, help="Only solutions in which these tiles do not touch each other; may be repeated."
    ),
]
Strictly = Annotated[
    bool, typer.Option("--strictly", rich_help_panel=ON_SOLUTIONS, help="For --apart and --colours, tiles touch at a corner too.")
]
Forbidden = Annotated[
    list[str] | None,
    typer.Option(
        "--forbid", metavar="PLACEMENT", rich_help_panel=ON_SOLUTIONS, help="Only solutions without this placement; may be repeated."
    ),
]
OneOf = Annotated[
    list[str] | None,
    typer.Option(
        "--one-of",
        metavar="PLACEMENTS",
        rich_help_panel=ON_SOLUTIONS,
        help="Only solutions with one of these placements, written with commas; may be repeated.",
    ),
]
HoldsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--holds",
        metavar="TILES: N COLOUR",
        rich_help_panel=ON_SOLUTIONS,
        help="Only solutions in which each of these tiles covers N atoms of a colour of the form, such as '1 red'; may be repeated.",
    ),
]


class CommandWithSwitches(TyperCommand):
    """A command whose help is plain text: ``[expect]`` is no markup. Of a switch it does not say that it takes a truth value."""

    def __init__(self, *args: Any, **attributes: Any) -> None:
        super().__init__(*args, **_as_plain_text(attributes))

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters, also ``--help``."""
        return _without_values(super().get_params(ctx))


class GroupWithSwitches(TyperGroup):
    """The same for the program as a whole."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**_as_plain_text(attributes))

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters, also ``--help``."""
        return _without_values(super().get_params(ctx))


def _as_plain_text(attributes: dict[str, Any]) -> dict[str, Any]:
    """Escape the help texts of a command and of its parameters where rich would take what stands in brackets for markup."""
    if not HAS_RICH:
        return attributes
    for param in attributes.get("params") or ():
        if param.help:
            param.help = escape(param.help)
    texts = {key: escape(attributes[key]) for key in ("help", "short_help", "epilog") if attributes.get(key)}
    return {**attributes, **texts}


def _without_values(params: list[Any]) -> list[Any]:
    for param in params:
        if getattr(param, "is_flag", False):
            param.metavar = ""
    return params
