"""Sentences that can be translated: English text that carries its template and its values.

The commands print the text and see no difference. A page in another language looks the template up, and fills its own words with
the same values.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import reduce
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
