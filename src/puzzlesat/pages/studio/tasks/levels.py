"""``levels``: every assembly of a puzzle, disassembled, with the number of moves and of states."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from time import monotonic
from typing import Any

from puzzlesat.base import Limits, Outcome
from puzzlesat.counting import ApartOptions, Assembly, assemblies
from puzzlesat.disassembly import bodies_of, make_bench, states_of
from puzzlesat.pages.studio.open import built_puzzle
from puzzlesat.pages.studio.telling import TELL_SECONDS, Tell, limits
from puzzlesat.puzzles import BuiltInstance

STUDIO_STATES_SECONDS: float = 10
"""Time limit in seconds for counting the states of all listed assemblies."""

MOST = 100_000
"""Largest number of assemblies that are disassembled."""
MOST_STATES = 5_000
"""Largest number of states of an assembly that are counted."""


def do(question: Mapping[str, Any], tell: Tell) -> dict[str, Any]:
    """Return the number of ``assemblies``, how many come ``apart``, how many were ``checked``, and whether all are ``decided``.

    Partial results are ``assemblies``, several at a time: each with its ``number``, its placement numbers (``options``), whether it comes
    ``apart`` (None: not decided), its ``level``, whether the level is known to be the ``least``, the level that BurrTools prints
    (``burrtools``, None: not known), its ``moves`` (the number of moves of each separation), and the number of ``states`` before the first
    piece is removed (None: counting takes too long).
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
    """Counts the states of assemblies, within a time limit for all of them."""

    def __init__(self, built: BuiltInstance, bounds: Limits) -> None:
        self._bench, self._bounds = make_bench(bodies_of(built)), bounds
        self._left = STUDIO_STATES_SECONDS

    def __call__(self, each: Assembly) -> int | None:
        if each.first == 1:
            return 1
        if each.answer.stuck and len(each.answer.stuck) == len(each.options):
            return each.answer.closed
        if each.answer.undecided or (not each.answer.stuck and each.apart is False) or self._left <= 0:
            return None
        began = monotonic()
        states = states_of(self._bench, each.options, self._bounds.within(self._left), most=MOST_STATES)
        self._left -= monotonic() - began
        return len(states) if states.complete else None
