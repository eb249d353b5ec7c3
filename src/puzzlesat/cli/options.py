"""Arguments and options that several commands share, and their completion in the shell.

Completion looks only at the names of files, to be quick. If it has no candidate, the shell completes file names itself.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from math import isfinite
from pathlib import Path
from typing import Any, ForwardRef, TypedDict

import typer
from typer.core import HAS_RICH, TyperCommand, TyperGroup

from puzzlesat.base import PuzzleError, data_files, data_folder, is_file
from puzzlesat.cli.functions.given import extends
from puzzlesat.counting import AUTO, CERTIFICATE, CHECKING_SECONDS
from puzzlesat.formats import readable
from puzzlesat.puzzles import PLACE_RULES
from puzzlesat.solvers import SOLVERS, spelled

ENCODINGS = ("mixed", "pairwise", "sequential", "binary", "commander")
KINDS = ("tree", "lrat", "cadical", "tally")


def instances(incomplete: str) -> list[str]:
    """Complete the name of an instance of the package, FAMILY/NAME, or a file of puzzles in the current folder."""
    if "/" in incomplete:
        return _begin(incomplete, (f"{file.parent.name}/{file.stem}" for file in data_files("instances")))
    return _and_files(incomplete, (file.stem for file in data_files("instances")))


def tiles(incomplete: str) -> list[str]:
    """Complete the name of a model, an instance, or a file of puzzles in the current folder."""
    return _and_files(incomplete, (file.stem for file in (*data_files("models"), *data_files("instances"))))


def listed(incomplete: str) -> list[str]:
    """Complete an argument of ``list``: the name of a family, a grid or a model."""
    families = (folder.name for folder in data_folder("instances").iterdir() if folder.is_dir())
    return _begin(incomplete, (*families, *(file.stem for file in (*data_files("grids"), *data_files("models")))))


def words(*known: str) -> Callable[[str], list[str]]:
    """Return a function that completes a word from this list."""
    return lambda incomplete: _begin(incomplete, known)


def beside(suffix: str) -> Callable[[str], list[str]]:
    """Return a function that completes files with this suffix in the current folder."""
    return lambda incomplete: _beside(incomplete, (suffix,))


def solvers(incomplete: str) -> list[str]:
    """Complete the last name in a list of solvers, as ``--solver`` takes it."""
    before, comma, last = incomplete.rpartition(",")
    names = [CERTIFICATE, *SOLVERS] if comma else [AUTO, *SOLVERS]  # auto can only be first, and certificate cannot
    return [f"{before}{comma}{name}" for name in names if name.startswith(last) and name not in before.split(",")]


def designs(incomplete: str) -> list[str]:
    """Complete the name of a design of the package, or a file in the current folder."""
    return [*_begin(incomplete, (file.stem for file in data_files("designs"))), *_beside(incomplete, (".toml",))]


def _beside(incomplete: str, known: Collection[str]) -> list[str]:
    return _begin(incomplete, (file.name for file in Path().iterdir() if file.suffix in known))


def _begin(incomplete: str, words: Iterable[str]) -> list[str]:
    return sorted({word for word in words if word.startswith(incomplete)})


def _and_files(incomplete: str, names: Iterable[str]) -> list[str]:
    """Complete names and files in the current folder; if no name matches, nothing, so that the shell completes paths with folders."""
    found = _begin(incomplete, names)
    known = [*readable("puzzles").suffixes, *readable("cover problem").suffixes]
    return [*found, *(_beside(incomplete, known) if found else [])]


PUZZLES = str(readable("puzzles"))
PROBLEMS = f"{PUZZLES}, {', '.join(readable('cover problem').suffixes)}"
"""The files of puzzles, and of puzzles and cover problems, for the help of commands."""


# Panels of a help page. Options that everyone needs are in no panel, and come first.
SOLVING = "Solvers"
PREPARING = "Preparation"
LIMITS = "Limits"
OUTPUT = "Output"
LONG = "Long runs"
ON_SOLUTIONS = "Rules"
TURNS = "Turns"


def _instance(help: str) -> Any:
    return typer.Argument(metavar="INSTANCE", autocompletion=instances, help=help)


def _finite(value: float | None) -> float | None:
    """Refuse infinity and NaN."""
    if value is not None and not isfinite(value):
        raise typer.BadParameter(f"{value} is not a finite number; remove the option for no limit")
    return value


def above_zero(value: float | None) -> float | None:
    """Refuse a limit that is not above zero."""
    if value is not None and not (_finite(value) or 0) > 0:
        raise typer.BadParameter(f"{value:g} is too small; use a number greater than 0, such as 60 or 0.5")
    return value


SHARED: dict[str, Any] = {
    "puzzle": _instance(f"A puzzle: a name from 'puzzlesat list', or a file ({PUZZLES})."),
    "instances": _instance(f"Puzzles: names from 'puzzlesat list', or files ({PROBLEMS})."),
    "problem": typer.Option(
        metavar="N", rich_help_panel="Input", help="In a file with several problems: the number or the name of the one to use."
    ),
    "json": typer.Option(help="Print JSON, one object per line."),
    "solver": typer.Option(
        metavar="A,B,…",
        rich_help_panel=SOLVING,
        autocompletion=solvers,
        help=f"Solvers, separated by commas. The first one counts, the others check it: {AUTO}, {CERTIFICATE}, {spelled(SOLVERS)}.",
    ),
    "budget": typer.Option(
        min=0,
        metavar="SECONDS",
        rich_help_panel=SOLVING,
        callback=_finite,
        help="Total time per puzzle for the certificate and the checking solvers "
        f"(default: {CHECKING_SECONDS:g} CPU seconds, less once the whole count is confirmed).",
    ),
    "full": typer.Option(rich_help_panel=SOLVING, help="Let the checking solvers search everything, however long it takes."),
    "memory": typer.Option(
        metavar="GIB",
        rich_help_panel=LIMITS,
        callback=above_zero,
        help="Memory limit per puzzle in GiB (default: half of the free memory, per solver).",
    ),
    "seconds": typer.Option("--time", metavar="SECONDS", callback=above_zero, help="Time limit per puzzle, for everything together."),
    "cpu": typer.Option(
        rich_help_panel=LIMITS,
        help="Measure every time limit in CPU seconds, child processes included. Then results do not depend on machine load.",
    ),
    "dask": typer.Option(
        metavar="ADDRESS", rich_help_panel=LONG, help="Use the workers of this Dask scheduler, such as tcp://192.0.2.1:8786."
    ),
    "single": typer.Option(
        rich_help_panel=LONG,
        help="Let one process answer each unit. It takes half the time, and the results say that they were counted once.",
    ),
    "svg": typer.Option(metavar="FILE", rich_help_panel=OUTPUT, help="Write a picture as SVG."),
    "png": typer.Option(metavar="FILE", rich_help_panel=OUTPUT, help="Write a picture as PNG."),
    "csv": typer.Option(metavar="FILE", rich_help_panel=OUTPUT, help="Also write the table as CSV, for spreadsheets."),
}
"""Parameters that have the same option and the same help in every command."""
TEXTS = ("solver", "problem")
"""Parameters that are one text on the command line, also if the function takes other types."""
USUAL: dict[str, Any] = {"output": typer.Option("--output", "-o", metavar="FILE"), "jobs": typer.Option(min=1, rich_help_panel=LIMITS)}
"""Declarations of parameters that a command may replace. Their help comes from the docstring."""

RULES: dict[str, Any] = {
    name: typer.Option(*names, metavar=metavar, rich_help_panel=ON_SOLUTIONS)
    for name, metavar, *names in (
        ("symmetric", "SYMMETRY"),
        ("symmetric_outline", "TILES: SYMMETRY"),
        ("touch_border", "TILES"),
        ("inside", "TILES"),
        ("apart", "TILES"),
        ("strictly", None),
        ("forbidden", "PLACEMENT", "--forbid"),
        ("one_of", "PLACEMENTS"),
        ("holds", "TILES: N COLOUR"),
    )
} | {"colours": typer.Option(min=1, max=12, rich_help_panel=ON_SOLUTIONS)}
RULES |= {key: typer.Option(rich_help_panel=ON_SOLUTIONS) for key in PLACE_RULES}
"""Options for rules on solutions."""


class RuleOptions(TypedDict, total=False):
    """Rules on solutions, as options of the command line.

    Parameters
    ----------
    symmetric
        Only solutions that look the same after this symmetry, such as 'turn 180'.
    symmetric_outline
        Only solutions in which these tiles together keep their outline after the symmetry, such as 'F,I: turn 180'.
    colours
        Only solutions that can be coloured with N colours such that touching tiles differ.
    touch_border
        Only solutions in which each of these tiles (or 'all') touches the border.
    inside
        Only solutions in which none of these tiles touches the border.
    apart
        Only solutions in which these tiles do not touch each other.
    strictly
        With ``apart`` and ``colours``: tiles also touch at corners.
    forbidden
        Only solutions without this placement, such as F.3@4.1.
    one_of
        Only solutions with one of these placements, separated by commas.
    holds
        Only solutions in which each of these tiles covers N atoms of a colour of the form, such as 'F,I: 1 red'.

    """

    symmetric: Sequence[str]
    symmetric_outline: Sequence[str]
    colours: int | None
    touch_border: str | None
    inside: str | None
    apart: Sequence[str]
    strictly: bool
    forbidden: Sequence[str]
    one_of: Sequence[str]
    holds: Sequence[str]


RuleOptions.__doc__ = (RuleOptions.__doc__ or "").replace(
    "----------\n", "----------\n" + "".join(f"    {key}\n        {rule.help}\n" for key, rule in PLACE_RULES.items())
)
RuleOptions.__annotations__ |= dict.fromkeys(PLACE_RULES, ForwardRef("bool"))


@extends(RuleOptions)
class CountOptions(RuleOptions, total=False):
    """Options of a count.

    Parameters
    ----------
    proved
        Make a certificate, and have the checker that is proved sound prove every count; if it cannot, end with status 1.
    transformed
        Also count a rotated or reflected copy, as a further check.
    no_symmetry
        Do not break the symmetry of the form.
    no_parity
        Do not use chess parity and similar arguments.
    no_reduction
        Keep placements that cannot be part of any solution.
    colouring
        Look for a colouring that rules the puzzle out, and give it to every solver as a condition.
    limit
        Stop after N solutions; rotations and reflections count as one.
    disk
        Folder where the tally keeps what exceeds memory. Repeat the command with the same folder to resume a stopped tally.
    disk_space
        Disk space limit for ``disk`` in GiB (default: all free space).
    dask
        The address of a Dask scheduler.
    single
        Let one process answer each unit.

    """

    proved: bool
    transformed: bool
    no_symmetry: bool
    no_parity: bool
    no_reduction: bool
    colouring: bool
    limit: int | None
    disk: Path | None
    disk_space: float | None
    dask: str | None
    single: bool


def rules_said(options: RuleOptions) -> dict[str, Any]:
    """Return these rules as the table ``solutions`` of a puzzle file. Raises PuzzleError if an option cannot be parsed."""
    stated = {key: value for key, value in options.items() if (value or value == "") and key in RuleOptions.__annotations__}
    return {key: READ[key](value) if key in READ else value for key, value in stated.items()}


def _names(text: str) -> list[str]:
    return [name for name in re.split(r"[,\s]+", text) if name]


def _tiles(option: str, text: str) -> list[str] | str:
    if not (names := _names(text)):
        raise PuzzleError(f"{option} {text!r}: expected tiles such as 'F,I', or 'all'")
    return "all" if names == ["all"] else names


def _outline(text: str) -> dict[str, Any]:
    tiles, colon, under = text.partition(":")
    if not colon:
        raise PuzzleError(f"--symmetric-outline {text!r}: expected tiles and a symmetry of the form, such as 'F,I: turn 180'")
    return {"tiles": _names(tiles), "under": under.strip()}


def _holds(text: str) -> dict[str, Any]:
    match = re.fullmatch(r"(?:(?P<tiles>[^:]+):)?\s*(?P<low>[0-9]{1,9})(?:-(?P<high>[0-9]{1,9}))?\s+(?P<colour>\S+)\s*", text)
    if match is None:
        raise PuzzleError(f"--holds {text!r}: expected a number of atoms and a colour of the form, such as '1 red', or 'F,I: 0-2 red'")
    low, high = int(match["low"]), int(match["high"] or match["low"])
    return {"tiles": _tiles("--holds", match["tiles"] or "all"), "colour": match["colour"], "between": [low, high]}


READ: Mapping[str, Callable[[Any], Any]] = {
    "symmetric_outline": lambda texts: [_outline(text) for text in texts],
    "touch_border": partial(_tiles, "--touch-border"),
    "inside": partial(_tiles, "--inside"),
    "apart": lambda texts: [_names(text) for text in texts],
    "one_of": lambda texts: [_names(text) for text in texts],
    "holds": lambda texts: [_holds(text) for text in texts],
}
"""Parsers of the rules that are texts on the command line."""


IN_OUR_WORDS = (
    (r"Input should be greater than or equal to (\S+)", r"expected \1 or more"),
    (r"Input should be less than or equal to (\S+)", r"expected \1 at most"),
    ("Input should be a valid integer.*", "expected a whole number"),
    ("Input should be a valid number.*", "expected a number"),
    ("Input should be ", "expected "),
)
"""Patterns of pydantic's error messages, and their replacements."""


class _WithSwitches:
    """Help in plain text, in which ``[expect]`` is not markup and a switch has no metavar."""

    escaped = False
    """True if the help texts are escaped for rich."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help."""
        if HAS_RICH:
            for command in (self, *getattr(self, "commands", {}).values()):
                command.escape()
        super().format_help(ctx, formatter)  # type: ignore[misc]

    def escape(self) -> None:
        """Escape square brackets in the help texts of the command and its parameters, which rich would read as markup."""
        from rich.markup import escape

        for thing in () if self.escaped else (self, *self.params):  # type: ignore[attr-defined]
            for key in ("help", "short_help", "epilog"):
                if text := getattr(thing, key, None):
                    setattr(thing, key, escape(text))
        self.escaped = True

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters, including ``--help``."""
        params: list[Any] = super().get_params(ctx)  # type: ignore[misc]
        for param in params:
            if getattr(param, "is_flag", False):
                param.metavar = ""
            if getattr(param, "_runtime_param", self) is None:
                param._runtime_param = _Text()
        return params


class _Text:
    """Converts a value that is missing, a text or a default as typer does. For other values, typer loads pydantic, which is slow."""

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        """Return the value for the command."""
        kind, several = param.type_descriptor.annotation, param.multiple or param.nargs == -1
        if value is None:
            return () if several else None
        if type(value) in (kind, int) and kind in (str, int, float) and param.type_descriptor.parameter_info.parser is None:
            return kind(value)
        if several and (value == () or (kind == list[str] and all(isinstance(each, str) for each in value))):
            return list(value)
        param._runtime_param = None
        return param.get_runtime_param().coerce(value, param=param, ctx=ctx)


class CommandWithSwitches(_WithSwitches, TyperCommand):
    """A command with its own error messages for invalid values."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments."""
        try:
            return super().parse_args(ctx, args)
        except Exception as error:
            if isinstance(message := getattr(error, "message", None), str):
                for words, ours in IN_OUR_WORDS:
                    message = re.sub(words, ours, message)
                error.message = message  # type: ignore[attr-defined]
            raise


class GroupWithSwitches(_WithSwitches, TyperGroup):
    """The program. If the user types a puzzle or ``help`` instead of a command, its message tells what to type."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command that the first argument names, with the other arguments."""
        if args and self.get_command(ctx, args[0]) is None and (cure := _instead_of(args, self.commands)):
            ctx.fail(cure)
        return super().resolve_command(ctx, args)


def _instead_of(args: Sequence[str], commands: Collection[str]) -> str | None:
    """Return what to type instead of ``help``, a puzzle or a file in the place of a command; None for other words."""
    word = args[0]
    if word == "help":
        about = next((command for command in args[1:] if command in commands), None)
        return f"type 'puzzlesat {about} --help'" if about else "type 'puzzlesat --help', or 'puzzlesat COMMAND --help' for one command"
    if is_file(word) or word in {file.stem for file in data_files("instances")}:
        what = "a file" if is_file(word) else "a puzzle"
        return f"{word!r} is {what}, not a command; type 'puzzlesat count {word}' or 'puzzlesat show {word}'"
    return None
