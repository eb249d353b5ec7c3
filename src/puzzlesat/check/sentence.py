"""Sentences that say what was checked; each carries what it was made from, so that a page may say it in another language."""

from __future__ import annotations

import re
from typing import Any

_PLACE = re.compile(r"\{(\w+)(?:\|([^|{}]*)\|([^|{}]*))?\}")
"""``{name}``, a value; ``{name|one|several}``, the first word where the value is 1, else the second."""


class Sentence(str):
    """A template filled with values: whole numbers, text and sentences. It is a ``str``, and joined to other text it is that alone."""

    __slots__ = ("template", "values")
    template: str
    values: dict[str, Any]

    def __new__(cls, template: str, /, **values: Any) -> Sentence:
        """Fill a template; one without values stays as it is."""
        made = super().__new__(cls, _PLACE.sub(lambda place: _word(place, values), template) if values else template)
        made.template, made.values = template, values
        return made

    def __getnewargs_ex__(self) -> tuple[tuple[str], dict[str, Any]]:
        """Say how to make it again, in another process too."""
        return (self.template,), self.values


def _word(place: re.Match[str], values: dict[str, Any]) -> str:
    name, one, several = place.groups()
    value = values[name]
    if several is not None:
        return str(one) if str(value) == "1" else str(several)
    return f"{value:,}" if isinstance(value, int) else str(value)
