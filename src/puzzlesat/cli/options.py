"""The arguments and options that several commands have.

What the shell offers when a word of a command is completed.

Only names of files are looked at, so that it is quick. Where nothing is offered the shell offers files itself.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from math import isfinite
from pathlib import Path
from typing import Any, ForwardRef, TypedDict

import typer
from rich.markup import escape
from typer.core import HAS_RICH, TyperCommand, TyperGroup

from puzzlesat.base import PuzzleError
from puzzlesat.counting import AUTO, CERTIFICATE, CHECKING_SECONDS
from puzzlesat.formats import readable
from puzzlesat.puzzles import PLACE_RULES, data_files, data_folder, is_file
from puzzlesat.solvers import SOLVERS, spelled

ENCODINGS = ("mixed", "pairwise", "sequential", "binary", "commander")
KINDS = ("tree", "lrat", "cadical", "tally")


def instances(incomplete: str) -> list[str]:
    """Return the instances that come with the package whose name, or FAMILY/NAME, begins so, and files of puzzles beside the user."""
    if "/" in incomplete:
        return _begin(incomplete, (f"{file.parent.name}/{file.stem}" for file in data_files("instances")))
    return _and_files(incomplete, (file.stem for file in data_files("instances")))


def tiles(incomplete: str) -> list[str]:
    """Return the models and instances whose name begins so, and files of puzzles beside the user."""
    return _and_files(incomplete, (file.stem for file in (*data_files("models"), *data_files("instances"))))


def listed(incomplete: str) -> list[str]:
    """Return what ``list`` takes: families, grids and models whose name begins so."""
    families = (folder.name for folder in data_folder("instances").iterdir() if folder.is_dir())
    return _begin(incomplete, (*families, *(file.stem for file in (*data_files("grids"), *data_files("models")))))


def words(*known: str) -> Callable[[str], list[str]]:
    """Return what completes a word by those that are known."""

    def complete(incomplete: str) -> list[str]:
        return _begin(incomplete, known)

    return complete


def beside(suffix: str) -> Callable[[str], list[str]]:
    """Return what completes the name of a file beside the user."""

    def complete(incomplete: str) -> list[str]:
        return _beside(incomplete, (suffix,))

    return complete


def solvers(incomplete: str) -> list[str]:
    """Return lists of solvers, as ``--solver`` takes them, with the last one completed."""
    before, comma, last = incomplete.rpartition(",")
    names = [CERTIFICATE, *SOLVERS] if comma else [AUTO, *SOLVERS]  # auto comes first or not at all, a certificate never first
    return [f"{before}{comma}{name}" for name in names if name.startswith(last) and name not in before.split(",")]


def designs(incomplete: str) -> list[str]:
    """Return the designs of the package whose name begins so, and files beside the user."""
    return [*_begin(incomplete, (file.stem for file in data_files("designs"))), *_beside(incomplete, (".toml",))]


def _beside(incomplete: str, known: Collection[str]) -> list[str]:
    return _begin(incomplete, (file.name for file in Path().iterdir() if file.suffix in known))


def _begin(incomplete: str, words: Iterable[str]) -> list[str]:
    return sorted({word for word in words if word.startswith(incomplete)})


def _and_files(incomplete: str, names: Iterable[str]) -> list[str]:
    """Names, and with them files; where no name begins so it is left to the shell, which goes into folders as well."""
    found = _begin(incomplete, names)
    known = [*readable("puzzles").suffixes, *readable("cover problem").suffixes]
    return [*found, *(_beside(incomplete, known) if found else [])]


PUZZLES = str(readable("puzzles"))
PROBLEMS = ", ".join(readable("cover problem").suffixes)
"""The files that commands take, for their help."""


# the panels of a help page; what everyone needs stands in none of them, and comes first
SOLVING = "Solvers"
PREPARING = "Preparation"
LIMITS = "Limits"
INPUT = "Input"
OUTPUT = "Output"
LONG = "Long runs"
ON_SOLUTIONS = "Rules"
TURNS = "Turns"


def _instance(help: str) -> Any:
    return typer.Argument(metavar="INSTANCE", autocompletion=instances, help=help)


def _finite(value: float | None) -> float | None:
    """Refuse infinity and what is not a number."""
    if value is not None and not isfinite(value):
        raise typer.BadParameter(f"{value} is not a finite number; remove the option for no limit")
    return value


def above_zero(value: float | None) -> float | None:
    """Refuse a limit within which nothing can be done."""
    if value is not None and not (_finite(value) or 0) > 0:
        raise typer.BadParameter(f"{value:g} is too small; use a number greater than 0, such as 60 or 0.5")
    return value


SHARED: dict[str, Any] = {
    "puzzle": _instance(f"A puzzle: a name from 'puzzlesat list', or a file ({PUZZLES})."),
    "instances": _instance(f"Puzzles: names from 'puzzlesat list', or files ({PUZZLES}, {PROBLEMS})."),
    "problem": typer.Option(
        metavar="N", rich_help_panel=INPUT, help="In a file with several problems: the number or the name of the one to use."
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
        f"(default: {CHECKING_SECONDS:g}, less once a certificate is accepted).",
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
"""Parameters that have the same option in every command, with the same help."""
TEXTS = ("solver", "problem")
"""Parameters that are one text on the command line, whatever the function takes."""
USUAL: dict[str, Any] = {"output": typer.Option("--output", "-o", metavar="FILE"), "jobs": typer.Option(min=1, rich_help_panel=LIMITS)}
"""How parameters are written, unless a command says otherwise."""

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
"""How rules on solutions are written."""


class RuleOptions(TypedDict, total=False):
    """Rules on solutions, as the command line states them.

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


def rules_said(options: RuleOptions) -> dict[str, Any]:
    """Return the table ``solutions`` of a file that says these rules. Raises PuzzleError for what cannot be read."""
    given = {key: value for key, value in options.items() if value or value == ""}
    return {key: READ[key](value) if key in READ else value for key, value in given.items()}


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
    found = re.fullmatch(r"(?:(?P<tiles>[^:]+):)?\s*(?P<low>[0-9]{1,9})(?:-(?P<high>[0-9]{1,9}))?\s+(?P<colour>\S+)\s*", text)
    if found is None:
        raise PuzzleError(f"--holds {text!r}: expected a number of atoms and a colour of the form, such as '1 red', or 'F,I: 0-2 red'")
    low, high = int(found["low"]), int(found["high"] or found["low"])
    return {"tiles": _tiles("--holds", found["tiles"] or "all"), "colour": found["colour"], "between": [low, high]}


READ: Mapping[str, Callable[[Any], Any]] = {
    "symmetric_outline": lambda texts: [_outline(text) for text in texts],
    "touch_border": partial(_tiles, "--touch-border"),
    "inside": partial(_tiles, "--inside"),
    "apart": lambda texts: [_names(text) for text in texts],
    "one_of": lambda texts: [_names(text) for text in texts],
    "holds": lambda texts: [_holds(text) for text in texts],
}
"""How rules are read whose option is a text."""


IN_OUR_WORDS = (
    (r"Input should be greater than or equal to (\S+)", r"expected \1 or more"),
    (r"Input should be less than or equal to (\S+)", r"expected \1 at most"),
    ("Input should be a valid integer.*", "expected a whole number"),
    ("Input should be a valid number.*", "expected a number"),
    ("Input should be ", "expected "),
)
"""Texts of a library's refusals, and our messages for them."""


class _WithSwitches:
    """Help that is plain text: ``[expect]`` is no markup. Of a switch it does not say that it takes a truth value."""

    def __init__(self, *args: Any, **attributes: Any) -> None:
        super().__init__(*args, **_as_plain_text(attributes))

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters, also ``--help``."""
        params: list[Any] = super().get_params(ctx)  # type: ignore[misc]
        for param in params:
            if getattr(param, "is_flag", False):
                param.metavar = ""
        return params


class CommandWithSwitches(_WithSwitches, TyperCommand):
    """A command. What is wrong with a value is said in words of our own."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the arguments."""
        try:
            return super().parse_args(ctx, args)
        except Exception as error:
            if isinstance(said := getattr(error, "message", None), str):
                for words, ours in IN_OUR_WORDS:
                    said = re.sub(words, ours, said)
                error.message = said  # type: ignore[attr-defined]
            raise


class GroupWithSwitches(_WithSwitches, TyperGroup):
    """The program as a whole. Where a puzzle or ``help`` takes the place of a command, it says what to type."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command that the first argument names, with the other arguments."""
        if args and self.get_command(ctx, args[0]) is None and (cure := _instead_of(args, self.commands)):
            ctx.fail(cure)
        return super().resolve_command(ctx, args)


def _instead_of(args: Sequence[str], commands: Collection[str]) -> str | None:
    """What to type instead of a word that is no command: for ``help``, and for the name or the file of a puzzle."""
    word = args[0]
    if word == "help":
        about = next((one for one in args[1:] if one in commands), None)
        return f"type 'puzzlesat {about} --help'" if about else "type 'puzzlesat --help', or 'puzzlesat COMMAND --help' for one command"
    if is_file(word) or word in {file.stem for file in data_files("instances")}:
        what = "a file" if is_file(word) else "a puzzle"
        return f"{word!r} is {what}, not a command; type 'puzzlesat count {word}' or 'puzzlesat show {word}'"
    return None


def _as_plain_text(attributes: dict[str, Any]) -> dict[str, Any]:
    """Escape the help texts of a command and of its parameters where rich would take what stands in brackets for markup."""
    if not HAS_RICH:
        return attributes
    for param in attributes.get("params") or ():
        if param.help:
            param.help = escape(param.help)
    texts = {key: escape(attributes[key]) for key in ("help", "short_help", "epilog") if attributes.get(key)}
    return {**attributes, **texts}
