"""Sentences that can be translated: English text that carries its template and its values; and how objects are displayed.

The commands print the text of a sentence. A page in another language looks the template up, and fills its own words with the same values.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from importlib import import_module
from typing import Any, ClassVar

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

    @staticmethod
    def in_a_row(sentences: Iterable[str]) -> str:
        """Return sentences as one, with semicolons between them; without sentences, an empty text."""
        texts = list(sentences)
        return reduce(lambda one, other: Sentence("{one}; {other}", one=one, other=other), texts) if texts else ""

    @staticmethod
    def joined(names: Sequence[str]) -> str:
        """Return a list of names for a sentence: ``a, b and c``."""
        if len(names) < 2:
            return names[0] if names else ""
        return Sentence("{names} and {last}", names=[*names[:-1]], last=names[-1])


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


@dataclass(frozen=True, kw_only=True)
class Ending:
    """The end of the work on an answer. It is the base of the answers of commands, which also have a ``sentence``."""

    why: str | None = None
    """Why the answer is not complete, in a sentence; None where it is."""
    seconds: float = 0.0
    """How long the call took; CPU seconds if you asked for them."""

    @property
    def complete(self) -> bool:
        """Whether the answer is complete: no limit ended the work before."""
        return self.why is None


class Displayed:
    """An object that a notebook displays as a picture: IPython, Jupyter and marimo ask by this name.

    Displays are made by modules far above the classes that have them, so ``puzzlesat/__init__.py`` registers their makers.
    """

    __slots__ = ()
    makers: ClassVar[dict[str, str]] = {}
    """The function that makes each kind of display, as ``module:function``. Its module is loaded when a display is first wanted."""

    @classmethod
    def display(cls, kind: str, shown: Any) -> Any:
        """Return the ``notebook`` display of an object, the ``drawing`` of a built puzzle, or the ``report`` of a count."""
        module, _, function = cls.makers[kind].partition(":")
        return getattr(import_module(module), function)(shown)

    def _repr_mimebundle_(self, *, include: Collection[str] | None = None, exclude: Collection[str] | None = None) -> dict[str, str]:
        """Return this as text, SVG and HTML by MIME type: the types in ``include``, without those in ``exclude``."""
        found: dict[str, str] = self.display("notebook", self)
        return {kind: data for kind, data in found.items() if (not include or kind in include) and kind not in (exclude or ())}
