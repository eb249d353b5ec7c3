"""Sentences that can be translated: English text that carries its template and its values.

The commands print the text and see no difference. A page in another language looks the template up, and fills its own words with
the same values.

How objects are displayed: pictures in a notebook, text and sentences.

Displays are made by modules far above the classes that have them. ``puzzlesat/__init__.py`` registers the makers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import reduce
from importlib import import_module
from typing import Any

_PLACE = re.compile(r"\{(\w+)(?:\|([^|{}]*)\|([^|{}]*))?\}")
"""``{name}``, a value; ``{name|one|several}``, the first word where the value is 1, else the second."""


class Sentence(str):
    """A template filled with values: numbers, text, sentences, and lists of these, which are written with commas.

    ``Sentence("{n} {n|piece|pieces}", n=1331)`` is ``1,331 pieces``. As text it is a ``str``; joined to other text it is that alone.
    """

    __slots__ = ("template", "values")
    template: str
    values: dict[str, Any]

    def __new__(cls, template: str, /, **values: Any) -> Sentence:
        """Fill a template; without values it stays unchanged."""
        made = super().__new__(cls, _PLACE.sub(lambda place: _word(place, values), template) if values else template)
        made.template, made.values = template, values
        return made

    def __getnewargs_ex__(self) -> tuple[tuple[str], dict[str, Any]]:
        """Tell pickle how to make it again in another process."""
        return (self.template,), self.values


def in_a_row(sentences: Iterable[str]) -> str:
    """Return sentences as one, with semicolons between them."""
    said = list(sentences)
    return reduce(lambda one, other: Sentence("{one}; {other}", one=one, other=other), said) if said else ""


def _word(place: re.Match[str], values: dict[str, Any]) -> str:
    name, one, several = place.groups()
    value = values[name]
    if several is not None:
        return str(one) if str(value) == "1" else str(several)
    return _written(value)


def _written(value: Any) -> str:
    if isinstance(value, int | float):
        return f"{value:,}" if isinstance(value, int) else f"{value:.1f}"
    return str(value) if isinstance(value, str) else ", ".join(map(_written, value))


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
