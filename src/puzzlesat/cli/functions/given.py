"""Limits and argument checks of the public functions, and the bundles of keyword arguments that they share."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextvars import ContextVar
from functools import wraps
from inspect import Parameter, Signature, cleandoc, signature
from numbers import Integral, Real
from os import PathLike
from typing import Any, ParamSpec, TypedDict, TypeVar

from puzzlesat.base import SILENT, Limits, Progress, PuzzleError, either, shown

P = ParamSpec("P")
R = TypeVar("R")


class MachineOptions(TypedDict, total=False):
    """Limits on the use of the machine.

    Parameters
    ----------
    memory
        Memory limit in GiB.
    cpu
        Measure the seconds as CPU seconds, child processes included.

    """

    memory: float | None
    cpu: bool


class LimitOptions(MachineOptions, total=False):
    """Limits of a call.

    Parameters
    ----------
    seconds
        Time limit in seconds.
    memory
        Memory limit in GiB.
    cpu
        Measure the seconds as CPU seconds, child processes included.

    """

    seconds: float | None


class FormOptions(MachineOptions, total=False):
    """Forms that are generated, and limits.

    Parameters
    ----------
    boxes
        Try all rectangles, parallelograms or, in space, boxes.
    frames
        Try all boxes with a box-shaped hole inside.
    shapes
        Try the shapes of the grid: triangles, hexagons …
    convex
        Try all convex forms (in the plane).
    polyforms
        Try all connected forms (use ``symmetry`` if there are many).
    cut
        Try these boxes (8x8) or shapes (hexagon=4) with faces cut out.
    symmetry
        Keep generated forms with these symmetries: full, or names such as 'turn 90' or 'mirror 0,mirror 90' (default: none).
    within
        Keep generated forms that fit, unrotated, into a box of rows x columns (layers first), such as 8x10.
    area
        Generate forms of N faces, or of N-M (default: the area of the tiles).
    memory
        Memory limit in GiB, for each form.
    cpu
        Measure all seconds as CPU seconds, child processes included.

    """

    boxes: bool
    frames: bool
    shapes: bool
    convex: bool
    polyforms: bool
    cut: Sequence[str]
    symmetry: str | None
    within: str | None
    area: str | None


begun_by_command: ContextVar[tuple[Limits, Progress] | None] = ContextVar("begun_by_command", default=None)
"""The limits and the progress of the command, if a command calls the function."""


def begun(options: LimitOptions) -> tuple[Limits, Progress]:
    """Return the limits and the progress of a call: the command's, if a command makes the call, or new ones, which begin now."""
    if (work := begun_by_command.get()) is not None:
        return work
    limits = Limits.of(**options).begun()
    return limits, limits.heeding(SILENT)


KINDS: Mapping[str, tuple[type | tuple[type, ...], str]] = {
    "int": (Integral, "a whole number"),
    "float": (Real, "a number such as 5"),
    "bool": (bool, "True or False"),
    "str": (str, "a text"),
    "Path": (PathLike, "a path"),
    "Mapping[str, Any]": (Mapping, "a dictionary"),
    "None": (type(None), "None"),
}
"""Names in annotations, each with the type that an argument must have, and the words for it in messages."""
SIGNED = ("seed", "nth")
"""Integers that may be negative, or that the functions check themselves."""


def checked(function: Callable[P, R]) -> Callable[P, R]:
    """Return a function that first raises PuzzleError if an argument does not have the type of its annotation.

    It checks annotations that consist of ``KINDS`` and of sequences of them; the function checks arguments with other annotations itself.
    Signature and docstring of the result list the keyword arguments of a bundle one by one.
    """
    expected = unbundled(function)

    @wraps(function)
    def called(*args: P.args, **kwargs: P.kwargs) -> R:
        for name, value in expected.bind(*args, **kwargs).arguments.items():
            _check(name, value, str(expected.parameters[name].annotation))
        return function(*args, **kwargs)

    called.__doc__ = _described(function)
    called.__signature__ = expected  # type: ignore[attr-defined]
    called.__annotations__ = {name: each.annotation for name, each in expected.parameters.items()} | {"return": expected.return_annotation}
    return called


def unbundled(function: Callable[..., Any]) -> Signature:
    """Return the signature of a function, with the fields of a bundle in place of ``**options``."""
    stated = signature(function)
    if (bundle := bundle_of(function)) is None:
        return stated
    found = [each for each in stated.parameters.values() if each.kind is not Parameter.VAR_KEYWORD]
    for name in described(bundle):
        hint = bundle.__annotations__[name].__forward_arg__
        default = False if hint == "bool" else () if hint.startswith("Sequence") else None
        found.append(Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=hint))
    return stated.replace(parameters=found)


def bundle_of(function: Callable[..., Any]) -> Any:
    """Return the TypedDict of the ``**options`` of a function, which its module must import; None if it has none."""
    last = list(signature(function).parameters.values())[-1]
    named = re.fullmatch(r"Unpack\[(\w+)\]", str(last.annotation))
    return None if named is None else function.__globals__[named[1]]


def described(thing: Callable[..., Any]) -> dict[str, str]:
    """Return the description of each parameter in a numpy docstring."""
    section = cleandoc(thing.__doc__ or "").partition("Parameters\n----------\n")[2].partition("\n\n")[0]
    return {name: " ".join(text.split()) for name, text in re.findall(r"^(\w+)\n((?:    .*\n?)+)", section, re.M)}


def _described(function: Callable[..., Any]) -> str:
    """Return the docstring of a function, with the fields of its bundle after its own parameters."""
    text = cleandoc(function.__doc__ or "")
    if (bundle := bundle_of(function)) is None:
        return text
    section = cleandoc(bundle.__doc__ or "").partition("----------\n")[2]
    before, parameters, after = text.partition("Parameters\n----------\n")
    own, _, rest = after.partition("\n\n")
    return f"{before}{parameters}{own}\n{section}\n\n{rest}"


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
    """Return the types of a union."""
    return re.split(r" \| (?![^\[]*\])", annotation)


def _is(value: object, kind: str) -> bool:
    return isinstance(value, KINDS[kind][0]) and (kind == "bool" or not isinstance(value, bool))
