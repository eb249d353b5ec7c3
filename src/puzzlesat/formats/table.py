"""The table of file formats, from which reading, writing, messages, help and completion are made.

A format is a row. A row names its functions instead of importing them: their module is loaded when a file is read or written, so that the
command line starts without any. Their arguments and results depend on what the files hold:

=============  ================================================  ============================================  ====================
holds          ``reads``                                         ``writes``                                    ``is_one``
=============  ================================================  ============================================  ====================
puzzles        ``(path) -> list[Foreign]``                       ``(table, remarks) -> str``                   ``(path) -> bool``
cover problem  ``(path) -> CoverProblem``                        ``(problem) -> Iterator[str]``, its lines
solutions      ``(text, find, map_file) -> (built, rows)``, see  ``(built, rows) -> Iterator[str]``, its lines  ``(path, text) -> bool``
               ``conversion.read_solutions``
=============  ================================================  ============================================  ====================

They raise PuzzleError if a file cannot be read, and NotSupportedError if the format cannot express the content.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Literal

from puzzlesat.base import MAX_DIGITS

Holds = Literal["puzzles", "cover problem", "solutions"]


@dataclass(frozen=True)
class Format:
    """A format of files. Functions are written ``module:function``, with a module of this package."""

    name: str
    """The name for ``compile --format``, if the format is for cover problems."""
    what: str
    """What the files are, in the plural."""
    holds: Holds
    suffixes: tuple[str, ...]
    also: tuple[str, ...] = ()
    """Other accepted suffixes, which are not advertised."""
    by: str = ""
    """The program or standard known for the suffix."""
    reads: str | None = None
    writes: str | None = None
    copies: str | None = None
    """Function ``(path, name) -> str``: the text of a file with everything that it holds, or with one of its puzzles."""
    packs: str | None = None
    """Function from the text of a file to its bytes; None: UTF-8."""
    is_one: str | None = None
    """Function that recognises a file by its content if the suffix is ambiguous; None: the format has the files that no other claims."""
    comment: str = ""
    """The beginning of a line that is a comment."""
    own_comments: str = ""
    """Regular expression of comments that are made anew whenever a file is written: sizes, and names of options and items."""
    cannot: str = ""
    """What the format cannot express: this is refused, and nothing is written."""


INSTANCE = Format("toml", "instances", "puzzles", (".toml",), reads="puzzles:read_folded", writes="toml:instance_text", comment="# ")
FORMATS = (
    INSTANCE,
    Format("lines", "puzzles as JSON lines", "puzzles", (".jsonl",), reads="lines:read_lines", is_one="lines:are_puzzles"),
    Format(
        "xmpuzzle", "puzzles of BurrTools", "puzzles", (".xmpuzzle",), (".xml",), "BurrTools",
        reads="burrtools:read_xmpuzzle", writes="xmpuzzle:xmpuzzle_text", copies="xmpuzzle:copied_text", packs="xmpuzzle:packed",
        cannot="marks, conditions other than a limit on holes, rules on solutions, fixed placements; forms that wrap round; "
        "pieces turned in some ways alone",
    ),
    Format(
        "legespiel", "card games of Legespiel-Solver", "puzzles", (".xml",), by="Legespiel-Solver",
        reads="legespiel:read_legespiel", is_one="legespiel:is_legespiel",
    ),
    Format(
        "cnf", "formulas", "cover problem", (".cnf",), by="DIMACS", reads="dimacs:read_dimacs", writes="dimacs:dimacs_lines",
        comment="c ", own_comments=r"c \d+ .*", cannot="form and tiles",
    ),
    Format(
        "opb", "pseudo-Boolean problems", "cover problem", (".opb",), reads="opb:read_opb", writes="opb:opb_lines",
        comment="* ", own_comments=r"\* x\d+ .*|\* #variable.*", cannot="form and tiles",
    ),
    Format(
        "xcc", "exact cover problems of Knuth's", "cover problem", (".xcc",), (".dlx", ".mcc"), "Knuth",
        reads="xcc:read_xcc", writes="xcc:xcc_lines", comment="| ", own_comments=r"\| \d+ options[;,] .*|\| i\d+ means .*",
        cannot="form and tiles; conditions; that what has a colour must be covered",
    ),
    Format(
        "cpsat", "models of CP-SAT", "cover problem", (".cpsat",), (".pbtxt",), "proto text",
        writes="cpsat_proto:cpsat_lines", comment="# ", cannot="form and tiles",
    ),
    Format(
        "jsonl", "solutions as JSON lines", "solutions", (".jsonl",),
        reads="conversion:from_json_lines", writes="notation:json_lines", is_one="conversion:are_json_lines",
        cannot="the puzzle: it names the instance",
    ),
    Format(
        "notation", "solutions in the notation", "solutions", (".txt",),
        reads="conversion:from_notation", writes="notation:notation_lines", comment="# ", cannot="the puzzle: it names the instance",
    ),
    Format(
        "answer", "a solver's output", "solutions", (".out", ".log", ".sol"), by="a solver's output",
        reads="conversion:from_answers", is_one="conversion:are_answers", cannot="the puzzle, nor which instance it was",
    ),
)  # fmt: skip


def by_suffix(file: str | Path, holds: Holds | None = None) -> list[Format]:
    """Return the formats that a file may have by its suffix."""
    suffix = Path(file).suffix.lower()
    return [f for f in FORMATS if suffix in (*f.suffixes, *f.also) and holds in (None, f.holds)]


class Formats(tuple[Format, ...]):
    """A selection of formats, with texts for messages and help."""

    __slots__ = ()

    @property
    def suffixes(self) -> list[str]:
        """The suffixes of the formats."""
        return [suffix for f in self for suffix in f.suffixes]

    @property
    def unmistakable(self) -> list[str]:
        """The suffixes that no other files have: folders are searched for these."""
        return [suffix for f in self if f.is_one is None for suffix in f.suffixes]

    @property
    def foreign(self) -> Formats:
        """The formats other than instances."""
        return Formats(f for f in self if f is not INSTANCE)

    def __str__(self) -> str:
        return ", ".join(f"{', '.join(f.suffixes)} ({f.by})" if f.by else ", ".join(f.suffixes) for f in self)


def readable(holds: Holds) -> Formats:
    """Return the readable formats of files that hold this content."""
    return Formats(f for f in FORMATS if f.holds == holds and f.reads)


def writable(holds: Holds) -> Formats:
    """Return the writable formats of files that hold this content."""
    return Formats(f for f in FORMATS if f.holds == holds and f.writes)


def claimed(formats: Iterable[Format], *content: object) -> Format:
    """Return the format of a file, by its content, the arguments of ``is_one``."""
    formats = list(formats)
    own = (f for f in formats if f.is_one and function(f.is_one)(*content))
    return next(own, next(f for f in formats if f.is_one is None))


def function(name: str | None) -> Callable[..., Any]:
    """Return the function that a row names; its module is loaded."""
    assert name is not None
    module, _, own = name.partition(":")
    found: Callable[..., Any] = getattr(import_module(f"puzzlesat.{module}" if "." in module else f"puzzlesat.formats.{module}"), own)
    return found


def integer(word: str) -> int:
    """Return the integer written in ASCII digits, perhaps with a sign. Raises ValueError for other texts and for too many digits."""
    digits = word[1:] if word[:1] in ("+", "-") else word
    if not (digits.isascii() and digits.isdecimal() and len(digits) <= MAX_DIGITS):
        raise ValueError("expected a whole number")
    return int(word)
