"""How objects are shown, and what is said of them first.

Pictures and sentences are made far above the classes that have them. They are asked for by name.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from importlib import import_module
from typing import Any


class Displayed:
    """An object that a notebook shows as a picture: IPython, Jupyter and marimo ask by this name."""

    __slots__ = ()

    def _repr_mimebundle_(self, *, include: Collection[str] | None = None, exclude: Collection[str] | None = None) -> dict[str, str]:
        """Return this as text, SVG and HTML, by their MIME types; of these some may be asked for, or left out."""
        found: Any = import_module("puzzlesat.notebook").shown(self)
        return {kind: data for kind, data in found.items() if (not include or kind in include) and kind not in (exclude or ())}


def drawn_in_text(built: Any) -> Callable[[Sequence[int]], str]:
    """Return the function that draws the solutions of a puzzle in text, each given by its placement numbers."""
    drawn: Callable[[Sequence[int]], str] = import_module("puzzlesat.draw.text").SolutionPictures(built).plain
    return drawn


def report_in_text(report: Any) -> str:
    """Return what the command prints of a count."""
    said: str = import_module("puzzlesat.cli.report_text").report_in_text(report)
    return said


def first_sentence(report: Any) -> str:
    """Return the sentence that answers a count: how many solutions, and who confirmed it."""
    said: str = import_module("puzzlesat.counting.confirmation").first_sentence(report)
    return said
