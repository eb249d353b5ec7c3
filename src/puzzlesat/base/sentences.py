"""Translatable sentences: English text with its template and its values. Also the base classes of answers and of displayed objects.

Commands print the text of a sentence. A page in another language looks up the template and fills its translation with the same values.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from importlib import import_module
from typing import Any, ClassVar

_PLACE = re.compile(r"\{(\w+)(?:\|([^|{}]*)\|([^|{}]*))?\}")
"""``{name}`` is replaced by a value; ``{name|one|several}`` by the first word if the value is 1, else by the second."""


class Sentence(str):
    """A template filled with values: numbers, texts, sentences, and lists of them, which are separated by commas.

    ``Sentence("{n} {n|piece|pieces}", n=1331)`` is ``1,331 pieces``. A sentence is a ``str``; joined to other text it becomes a plain one.
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
        """Return the arguments with which pickle makes the sentence again."""
        return (self.template,), self.values

    @staticmethod
    def either(names: Iterable[str]) -> str:
        """Return names as a choice: ``a, b or c``."""
        *others, last = names
        return f"{', '.join(others)} or {last}" if others else last

    @staticmethod
    def in_a_row(sentences: Iterable[str]) -> str:
        """Return sentences joined by semicolons to one sentence, or an empty text if there are none."""
        texts = list(sentences)
        return reduce(lambda one, other: Sentence("{one}; {other}", one=one, other=other), texts) if texts else ""

    @staticmethod
    def joined(names: Sequence[str]) -> str:
        """Return a list of names for a sentence: ``a, b and c``."""
        if len(names) < 2:
            return names[0] if names else ""
        return Sentence("{names} and {last}", names=[*names[:-1]], last=names[-1])


def _word(place: re.Match[str], values: dict[str, Any]) -> str:
    name, singular, plural = place.groups()
    value = values[name]
    if plural is not None:
        return str(singular) if str(value) == "1" else str(plural)
    return _written(value)


def _written(value: Any) -> str:
    if isinstance(value, int | float):
        return f"{value:,}" if isinstance(value, int) else f"{value:.1f}"
    return str(value) if isinstance(value, str) else ", ".join(map(_written, value))


@dataclass(frozen=True, kw_only=True)
class Ending:
    """The reason for an incomplete answer, and the duration of the work. Base class of the answers of commands."""

    why: str | None = None
    """Why the answer is incomplete, in a sentence; None if it is complete."""
    seconds: float = 0.0
    """The duration of the call in seconds; CPU seconds if you asked for them."""

    @property
    def complete(self) -> bool:
        """True if no limit ended the work early."""
        return self.why is None


class Displayed:
    """An object that a notebook displays as a picture: IPython, Jupyter and marimo call ``_repr_mimebundle_``.

    The functions that make displays are in rooms above this one, so ``puzzlesat/__init__.py`` registers them in ``makers``.
    """

    __slots__ = ()
    makers: ClassVar[dict[str, str]] = {}
    """The function that makes each kind of display, as ``module:function``. The module is imported at the first display."""

    @classmethod
    def display(cls, kind: str, shown: Any) -> Any:
        """Return the ``notebook`` display of an object, the ``drawing`` of a built puzzle, or the ``report`` of a count."""
        module, _, function = cls.makers[kind].partition(":")
        return getattr(import_module(module), function)(shown)

    def _repr_mimebundle_(self, *, include: Collection[str] | None = None, exclude: Collection[str] | None = None) -> dict[str, str]:
        """Return the object as text, SVG and HTML by MIME type: the types in ``include`` (default: all), without those in ``exclude``."""
        displays: dict[str, str] = self.display("notebook", self)
        return {kind: data for kind, data in displays.items() if (not include or kind in include) and kind not in (exclude or ())}
