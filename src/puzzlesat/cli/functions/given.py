"""Limits and argument checks of the public functions, and the bundles of keyword arguments that they share."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import replace
from functools import wraps
from inspect import Parameter, Signature, cleandoc, signature
from numbers import Integral, Real
from os import PathLike
from pathlib import Path
from typing import Any, ParamSpec, TypedDict, TypeVar

from puzzlesat.base import SILENT, Clock, Limits, Progress, PuzzleError, Sentence, shown

P = ParamSpec("P")
R = TypeVar("R")


def extends(base: type) -> Callable[[type[R]], type[R]]:
    """Return a decorator that adds the parameters of the base of a bundle to the docstring of the bundle."""

    def extended(bundle: type[R]) -> type[R]:
        bundle.__doc__ = cleandoc(bundle.__doc__ or "") + "\n" + cleandoc(base.__doc__ or "").partition("----------\n")[2] + "\n"
        return bundle

    return extended


class MemoryOptions(TypedDict, total=False):
    """A limit on memory.

    Parameters
    ----------
    memory
        Memory limit per puzzle in GiB.

    """

    memory: float | None


class MachineOptions(MemoryOptions, total=False):
    """Limits on the use of the machine.

    Parameters
    ----------
    memory
        Memory limit in GiB.
    cpu
        Measure the seconds as CPU seconds, child processes included.

    """

    cpu: bool


@extends(MachineOptions)
class LimitOptions(MachineOptions, total=False):
    """Limits of a call.

    Parameters
    ----------
    seconds
        Time limit in seconds.

    """

    seconds: float | None


@extends(MachineOptions)
class WorkOptions(MachineOptions, total=False):
    """Work on many forms or tiles.

    Parameters
    ----------
    output
        File for the results, one line of JSON each. Results that are already there are not worked out again.
    jobs
        Number of processes (default: one per core).
    problem
        Which of several puzzles in a file has the tiles: its number, from 1, or its name.

    """

    output: str | Path | None
    jobs: int | None
    problem: int | str | None


@extends(WorkOptions)
class FormOptions(WorkOptions, total=False):
    """Forms that are generated, and the work on them.

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


@extends(FormOptions)
class TrialOptions(FormOptions, total=False):
    """Trials of forms.

    Parameters
    ----------
    replicas
        Try each tile, enlarged K times, with the other tiles; no tile is used more often than the set has it.
    some
        Allow tiles to be left over.
    count
        Count the solutions of each solvable form.
    proofs
        Write a certificate for each impossible form into this folder.

    """

    replicas: Sequence[int]
    some: bool
    count: bool
    proofs: str | Path | None


@extends(FormOptions)
class SetOptions(FormOptions, total=False):
    """A search for sets of tiles.

    Parameters
    ----------
    together
        Also report which N forms (or N copies of one form) can be filled simultaneously from one set of tiles.
    budget
        Seconds for the list of solutions that confirms the counts of a form (None: 20).
    seconds
        Time limit for each form.

    """

    together: int | None
    budget: float | None
    seconds: float | None


@extends(LimitOptions)
class ListOptions(LimitOptions, total=False):
    """Options of a list of solutions.

    Parameters
    ----------
    solver
        The name of one solver. By default ``backtrack`` lists the solutions. For ``nth`` and ``random`` the default is the tally, which
        counts and lists nothing.
    limit
        Stop after so many solutions. If the search finds none for a while, solutions are also looked for at random.
    seed
        Random seed; the same seed gives the same solutions. Default: a new one for ``random``, else a fixed one.
    partial
        If a limit is reached, end as if there were no more solutions. By default ``LimitReached`` is raised; it has the solutions yielded
        until then, and they are kept in memory for it.

    """

    solver: str | Sequence[str] | None
    limit: int | None
    seed: int | None
    partial: bool


@extends(LimitOptions)
class PositionOptions(LimitOptions, total=False):
    """Requirements on starting positions.

    Parameters
    ----------
    hardest
        One position with as few given pieces as possible, and whether that minimum is proven.
    placed
        Number of given pieces in each position.
    most
        Given pieces in the easiest position (default: three quarters).
    fewest
        Given pieces in the hardest position (default: as few as possible).
    seed
        Random seed; the same seed gives the same positions (default: a new seed).

    """

    hardest: bool
    placed: int | None
    most: int | None
    fewest: int | None
    seed: int | None


@extends(LimitOptions)
class PreparationOptions(LimitOptions, total=False):
    """Options of the preparation of a problem for other solvers.

    Parameters
    ----------
    symmetry
        Break the symmetry of the form.
    reduction
        Remove placements that cannot be part of any solution.
    parity
        Add chess parity and similar arguments.
    colouring
        Look for colourings that restrict the solutions, and add them as conditions.
    encoding
        For cnf only, the at-most-one encoding: ``mixed`` (default), ``pairwise``, ``sequential``, ``binary`` or ``commander``.

    """

    symmetry: bool
    reduction: bool
    parity: bool
    colouring: bool
    encoding: str | None


@extends(LimitOptions)
class ConversionOptions(LimitOptions, total=False):
    """Options of a conversion.

    Parameters
    ----------
    problem
        Which of several puzzles in a file: its number, from 1, or its name.
    instance
        The puzzle to which solutions belong, if their file does not name it.
    map
        For a solver's output: the map of variables that 'compile' wrote.
    distinct
        Keep one of each class of solutions that are rotations or reflections of each other.

    """

    problem: int | str | None
    instance: str | Path | None
    map: str | Path | None
    distinct: bool


begun_by_command: ContextVar[tuple[Limits, Progress] | None] = ContextVar("begun_by_command", default=None)
"""The limits and the progress of the command, if a command calls the function."""


def begun(options: LimitOptions) -> tuple[Limits, Progress]:
    """Return the limits and the progress of a call: the command's, if a command makes the call, or new ones, which begin now."""
    if (work := begun_by_command.get()) is not None:
        return work
    limits = Limits.of(options.get("seconds"), memory=options.get("memory"), cpu=options.get("cpu", False)).begun()
    return limits, limits.heeding(SILENT)


def limits_per_form(seconds: float | None, options: WorkOptions) -> Limits:
    """Return the limits of the work on one form. Their time has not begun."""
    return Limits.of(seconds, memory=options.get("memory"), cpu=options.get("cpu", False))


def file_of(options: Mapping[str, Any], key: str = "output") -> Path | None:
    """Return the file or folder that an option names; None if it names none."""
    return None if options.get(key) is None else Path(options[key])


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
    """Return a function that first raises PuzzleError if an argument does not have the type of its annotation, and measures its time.

    It checks annotations that consist of ``KINDS`` and of sequences of them; the function checks arguments with other annotations itself.
    The ``seconds`` of an answer are those of the call. Signature and docstring list the keyword arguments of a bundle one by one.
    """
    expected = unbundled(function)

    @wraps(function)
    def called(*args: P.args, **kwargs: P.kwargs) -> R:
        for name, value in expected.bind(*args, **kwargs).arguments.items():
            _check(name, value, str(expected.parameters[name].annotation))
        clock = Clock(Limits(cpu=bool(kwargs.get("cpu"))).begun())
        answer: Any = function(*args, **kwargs)
        if isinstance(answer, list) and hasattr(answer, "seconds"):
            answer.seconds = clock.seconds
        timed: R = replace(answer, seconds=clock.seconds) if "seconds" in getattr(answer, "__dataclass_fields__", ()) else answer
        return timed

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
        for number, entry in enumerate(value if isinstance(value, Collection) else ()):
            _check(f"{name}[{number}]", entry, items[0])
    else:
        expected = [*(KINDS[kind][1] for kind in kinds if kind != "None"), *(repr(word) for word in literals)]
        expected += ["a list of them" if expected else "a list"] * len(items) + ["None"] * ("None" in kinds)
        quoted = f"; write {str(value)!r}" if words == ["str", "None"] and isinstance(value, Integral) else ""
        raise PuzzleError(f"{name}: expected {Sentence.either(expected)}, got {shown(repr(value))}{quoted}")


def _parts(annotation: str) -> list[str]:
    """Return the types of a union."""
    return re.split(r" \| (?![^\[]*\])", annotation)


def _is(value: object, kind: str) -> bool:
    return isinstance(value, KINDS[kind][0]) and (kind == "bool" or not isinstance(value, bool))


def names_of(given: str | Sequence[str]) -> tuple[str, ...]:
    """Return the names of solvers: from one text, with commas between several, or from a sequence."""
    return tuple(name.strip() for name in given.split(",")) if isinstance(given, str) else tuple(given)
