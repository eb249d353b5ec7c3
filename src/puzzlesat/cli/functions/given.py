"""The public functions, by topic. ``import puzzlesat`` loads each module when you first use one of its functions."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import wraps
from inspect import signature
from numbers import Integral, Real
from os import PathLike
from typing import ParamSpec, TypeVar

from puzzlesat.base import PuzzleError, either, shown

P = ParamSpec("P")
R = TypeVar("R")
KINDS: Mapping[str, tuple[type | tuple[type, ...], str]] = {
    "int": (Integral, "a whole number"),
    "float": (Real, "a number such as 5"),
    "bool": (bool, "True or False"),
    "str": (str, "a text"),
    "Path": (PathLike, "a path"),
    "Mapping[str, Any]": (Mapping, "a dictionary"),
    "None": (type(None), "None"),
}
"""Words of annotations: of which type such an argument is, and what a message calls it."""
SIGNED = ("seed", "nth")
"""Whole numbers that may be negative, or that the functions check themselves."""


def checked(function: Callable[P, R]) -> Callable[P, R]:
    """Let a function raise PuzzleError for an argument of another kind than its annotation says, with its name and what was expected.

    It looks at annotations that consist of ``KINDS``, and of sequences of them; what another annotation says, the function checks itself.
    """
    expected = signature(function)

    @wraps(function)
    def called(*args: P.args, **kwargs: P.kwargs) -> R:
        for name, value in expected.bind(*args, **kwargs).arguments.items():
            _check(name, value, str(expected.parameters[name].annotation))
        return function(*args, **kwargs)

    return called


def _check(name: str, value: object, annotation: str) -> None:
    words = _parts(annotation)
    literals = [found[1] for word in words if (found := re.fullmatch(r"Literal\['(\w+)'\]", word))]
    items = [found[1] for word in words if (found := re.fullmatch(r"(?:Sequence|Iterable)\[(.*)\]", word))]
    kinds = [word for word in words if word in KINDS]
    if len(kinds) + len(literals) + len(items) < len(words) or any(part not in KINDS for item in items for part in _parts(item)):
        return
    if any(_is(value, kind) for kind in kinds) or value in literals:
        if isinstance(value, Integral) and not isinstance(value, bool) and "float" not in kinds and name not in SIGNED and value < 0:
            raise PuzzleError(f"{name}: expected 0 or more, got {value}")
    elif items and isinstance(value, Iterable) and not isinstance(value, str | bytes | Mapping):
        for number, one in enumerate(value if isinstance(value, Collection) else ()):
            _check(f"{name}[{number}]", one, items[0])
    else:
        said = [*(KINDS[kind][1] for kind in kinds if kind != "None"), *(repr(word) for word in literals)]
        said += ["a list of them" if said else "a list"] * len(items) + ["None"] * ("None" in kinds)
        quoted = f"; write {str(value)!r}" if words == ["str", "None"] and isinstance(value, Integral) else ""
        raise PuzzleError(f"{name}: expected {either(said)}, got {shown(repr(value))}{quoted}")


def _parts(annotation: str) -> list[str]:
    """The parts of a union."""
    return re.split(r" \| (?![^\[]*\])", annotation)


def _is(value: object, kind: str) -> bool:
    return isinstance(value, KINDS[kind][0]) and (kind == "bool" or not isinstance(value, bool))
