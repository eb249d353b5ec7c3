"""How objects are displayed: pictures in a notebook, text and sentences.

Displays are made by modules far above the classes that have them. ``puzzlesat/__init__.py`` registers the makers.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from importlib import import_module
from typing import Any

_MAKERS: dict[str, str] = {}
"""The module and function that make each kind of display, as ``module:function``."""


def register(makers: dict[str, str]) -> None:
    """Register the makers of displays; a module is loaded when its display is first wanted."""
    _MAKERS.update(makers)


def _make(kind: str, shown: Any) -> Any:
    module, _, function = _MAKERS[kind].partition(":")
    return getattr(import_module(module), function)(shown)


class Displayed:
    """An object that a notebook displays as a picture: IPython, Jupyter and marimo ask by this name."""

    __slots__ = ()

    def _repr_mimebundle_(self, *, include: Collection[str] | None = None, exclude: Collection[str] | None = None) -> dict[str, str]:
        """Return this as text, SVG and HTML by MIME type: the types in ``include``, without those in ``exclude``."""
        found: dict[str, str] = _make("notebook", self)
        return {kind: data for kind, data in found.items() if (not include or kind in include) and kind not in (exclude or ())}


def drawn_in_text(built: Any) -> Callable[[Sequence[int]], str]:
    """Return the function that draws the solutions of a puzzle in text, each given by its placement numbers."""
    drawn: Callable[[Sequence[int]], str] = _make("drawing", built).plain
    return drawn


def report_in_text(report: Any) -> str:
    """Return what the command prints of a count."""
    text: str = _make("report", report)
    return text


def first_sentence(report: Any) -> str:
    """Return the sentence that answers a count: how many solutions, and what confirmed the number."""
    sentence: str = _make("sentence", report)
    return sentence
