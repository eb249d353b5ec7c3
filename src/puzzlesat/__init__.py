"""puzzlesat counts the solutions of packing and edge-matching puzzles, and checks the count.

``load`` reads a puzzle, ``count`` counts its solutions with several solvers, and ``solve`` yields them. docs/api.md lists all functions.

Examples
--------
>>> import puzzlesat
>>> instance = puzzlesat.load("absolut-knifflig")
>>> report = puzzlesat.count(instance, solver="backtrack,sat")
>>> report.counts.all, report.counts.distinct, report.agree
(148, 37, True)
>>> len(next(puzzlesat.solve(instance)).names)
9

"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from puzzlesat.base import VERSION, Displayed
from puzzlesat.cli.functions import __all__ as __all__

if TYPE_CHECKING:
    from puzzlesat.cli.functions import *  # noqa: F403

__version__ = VERSION

Displayed.makers |= {
    "notebook": "puzzlesat.pages.notebook:shown",
    "drawing": "puzzlesat.pictures.text_pictures:SolutionPictures",
    "report": "puzzlesat.cli.count:report_in_text",
}

if not TYPE_CHECKING:  # a type checker then reports a misspelt name

    def __getattr__(name: str) -> Any:
        """Load the module of a name when you first use the name."""
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(import_module("puzzlesat.cli.functions"), name)


def __dir__() -> list[str]:
    """Return the public names, loaded or not."""
    return sorted(__all__)
