"""``levels``: every assembly of a puzzle, taken apart: how many moves each takes, and how many states it has."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from time import monotonic
from typing import Any

from puzzlesat.base import Limits, Outcome
from puzzlesat.counting import ApartOptions, Assembly, assemblies
from puzzlesat.disassembly import bodies_of, states_of
from puzzlesat.pages.studio.open import built_puzzle
from puzzlesat.pages.studio.telling import TELL_SECONDS, Tell, limits
from puzzlesat.puzzles import BuiltInstance

STUDIO_STATES_SECONDS: float = 10
"""Time limit for counting the states of all listed assemblies."""

MOST = 100_000
"""Assemblies that are taken apart."""
MOST_STATES = 5_000
"""States up to which they are counted."""


def do(question: Mapping[str, Any], tell: Tell) -> dict[str, Any]:
    """Return how many ``assemblies`` there are, how many come ``apart``, how many were ``checked``, and whether all are ``decided``.

    Found are ``assemblies``, some at a time: each with its ``number``, its placements by number (``options``), whether it comes ``apart``
    (None: not decided), its ``level``, whether this is known to be the ``least``, the one that BurrTools prints (``burrtools``, None: not
    known), its ``moves`` (how many each parting takes), and how many ``states`` it has before the first piece is away (None: that would
    take too long).
    """
    bounds = limits()
    told = tell.progress(bounds)
    built = built_puzzle(question, progress=told, memory=bounds.memory)
    count = _Count(built, bounds)
    outcome: list[Outcome] = []
    found: list[Assembly] = []
    some: list[dict[str, Any]] = []
    last = monotonic()
    for each in islice(assemblies(built, ApartOptions(), jobs=1, limits=bounds, progress=told, on_end=outcome.append), MOST):
        found.append(each)
        some.append(_plain(each, count))
        if monotonic() - last > TELL_SECONDS:
            tell({"assemblies": some})
            some, last = [], monotonic()
    tell({"assemblies": some})
    return {
        "assemblies": len(found),
        "apart": sum(each.apart is True for each in found),
        "checked": sum(each.checked for each in found),
        "decided": ApartOptions().why_undecided(found, outcome) is None,
    }


def _plain(each: Assembly, count: _Count) -> dict[str, Any]:
    return {
        "number": each.number,
        "options": list(each.options),
        "apart": each.apart,
        "level": each.level,
        "least": each.least,
        "burrtools": each.burrtools_level,
        "moves": each.moves,
        "states": count(each),
    }


class _Count:
    """Counts the states of assemblies, as long as that does not take too long altogether."""

    def __init__(self, built: BuiltInstance, bounds: Limits) -> None:
        self._bodies, self._bounds = bodies_of(built), bounds
        self._left = STUDIO_STATES_SECONDS

    def __call__(self, each: Assembly) -> int | None:
        if each.first == 1:
            return 1
        if each.answer.stuck and len(each.answer.stuck) == len(each.options):
            return each.answer.closed
        if each.answer.undecided or (not each.answer.stuck and each.apart is False) or self._left <= 0:
            return None
        began = monotonic()
        states = states_of(self._bodies, each.options, self._bounds.within(self._left), most=MOST_STATES)
        self._left -= monotonic() - began
        return len(states) if states.complete else None
