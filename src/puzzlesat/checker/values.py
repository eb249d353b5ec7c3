"""Readers of the values of ``certificate.json``, the errors that the checker raises, and its sentences.

Each reader accepts the values that it is made for and rejects all others, with their place. A sentence carries its template and its values,
so that a page can translate it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from typing import Any, TypeVar


class Rejected(Exception):
    """A certificate does not prove what it claims. The message tells where and why."""


class TooLarge(Rejected):
    """The statement exceeds a limit of the checker, which therefore cannot tell whether it is right."""


Value = TypeVar("Value")
LARGEST = 1 << 62
"""Whole numbers are smaller than this."""


def whole(stated: Any, where: str = "certificate", low: int = 1 - LARGEST, high: int = LARGEST - 1) -> int:
    """Return a whole number from ``low`` to ``high``; booleans and text are rejected."""
    if type(stated) is not int:
        raise Rejected(f"{where}: expected a whole number, got {shown(stated)}")
    if not low <= stated <= high:
        beyond = stated > high or stated < low < 0  # beyond what the checker can count; a negative number where none is allowed is wrong
        raise (TooLarge if beyond else Rejected)(f"{where}: expected a number from {low} to {high}, got {shown(stated)}")
    return stated


def count(stated: Any, where: str) -> int:
    """Return a number of solutions, however large."""
    if type(stated) is not int or stated < 0:
        raise Rejected(f"{where}: expected a number of solutions, got {shown(stated)}")
    return stated


def index(stated: Any, where: str, size: int) -> int:
    """Return the number of one of ``size`` things, counted from 0."""
    if not 0 <= whole(stated, where) < size:
        raise Rejected(f"{where}: there is no number {stated} among {size}, counted from 0")
    return whole(stated)


def flag(stated: Any, where: str) -> bool:
    """Return true or false."""
    if type(stated) is not bool:
        raise Rejected(f"{where}: expected true or false, got {shown(stated)}")
    return stated


def text(stated: Any, where: str) -> str:
    """Return a text."""
    if type(stated) is not str:
        raise Rejected(f"{where}: expected a text, got {shown(stated)}")
    return stated


def name(stated: Any, where: str) -> str:
    """Return a name: a text of at least one character, all of them printable."""
    if not text(stated, where) or not stated.isprintable():
        raise Rejected(f"{where}: it is empty, or has characters that cannot be printed")
    return text(stated, where)


def fraction(stated: Any, where: str) -> Fraction:
    """Return a fraction written as text."""
    found = re.fullmatch("-?[0-9]{1,9}(?:/([0-9]{1,9}))?", text(stated, where))
    if found is None and re.fullmatch("-?[0-9]+(?:/[0-9]+)?", stated):
        raise TooLarge(f"{where}: the numbers of a fraction have nine digits at most, got {shown(stated)}")
    if found is None or int(found[1] or 1) == 0:
        raise Rejected(f"{where}: expected a fraction such as '1/2', got {shown(stated)}")
    return Fraction(stated)


def array(stated: Any, where: str, size: int | None = None) -> list[Any]:
    """Return an array, of ``size`` values if a size is given."""
    if type(stated) is not list or (size is not None and len(stated) != size):
        raise Rejected(f"{where}: expected an array{'' if size is None else f' of {size}'}, got {shown(stated)}")
    return stated


def table(stated: Any, where: str, keys: Iterable[str]) -> Mapping[str, Any]:
    """Return an object with exactly these keys."""
    found, expected = entries(stated, where), set(keys)
    if missing := expected - found.keys():
        raise Rejected(f"{where}: the key {min(missing)!r} is missing")
    if unknown := found.keys() - expected:
        raise Rejected(f"{where}: unknown key {shown(min(unknown))}")
    return found


def entries(stated: Any, where: str) -> Mapping[str, Any]:
    """Return an object with any keys."""
    if type(stated) is not dict:
        raise Rejected(f"{where}: expected an object, got {shown(stated)}")
    return stated


def different(values: Iterable[Value], where: str) -> tuple[Value, ...]:
    """Return values that are all different."""
    found = tuple(values)
    seen: set[Value] = set()
    for value in found:
        if value in seen:
            raise Rejected(f"{where}: {shown(value)} is listed twice")
        seen.add(value)
    return found


def read_all(stated: Any, where: str, read: Callable[[Any, str], Value]) -> list[Value]:
    """Return an array of values, each read in the same way."""
    return [read(value, f"{where}[{i}]") for i, value in enumerate(array(stated, where))]


def shown(value: Any) -> str:
    """Return a value as messages show it, shortened."""
    if isinstance(value, dict | list) and len(value) > 6:
        return f"{'an object' if isinstance(value, dict) else 'an array'} of {len(value):,}"
    if isinstance(value, int) and abs(value) >= LARGEST:
        return "a number that is too large"
    text_shown = repr(value) if isinstance(value, str | int | type(None)) else str(value)
    return text_shown if len(text_shown) <= 60 else text_shown[:57] + "…"


_PLACE = re.compile(r"\{(\w+)(?:\|([^|{}]*)\|([^|{}]*))?\}")
"""``{name}`` is a value; ``{name|one|several}`` is the first word if the value is 1, else the second."""


class CheckerSentence(str):
    """A template filled with values: whole numbers, text and sentences. It is a ``str``; joined to other text, it becomes a plain one."""

    __slots__ = ("template", "values")
    template: str
    values: dict[str, Any]

    def __new__(cls, template: str, /, **values: Any) -> CheckerSentence:
        """Fill a template; a template without values stays as it is."""
        made = super().__new__(cls, _PLACE.sub(lambda place: _word(place, values), template) if values else template)
        made.template, made.values = template, values
        return made

    def __getnewargs_ex__(self) -> tuple[tuple[str], dict[str, Any]]:
        """Return the arguments to make it again, in another process too."""
        return (self.template,), self.values


def _word(place: re.Match[str], values: dict[str, Any]) -> str:
    name, singular, plural = place.groups()
    value = values[name]
    if plural is not None:
        return str(singular) if str(value) == "1" else str(plural)
    return f"{value:,}" if isinstance(value, int) else str(value)
