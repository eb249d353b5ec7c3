"""``levels``: every assembly of a puzzle, disassembled, with the number of moves and of states."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from time import monotonic
from typing import Any

from puzzlesat.base import Limits, Outcome
from puzzlesat.counting import ApartOptions, Assembly, assemblies
from puzzlesat.disassembly import States, bodies_of
from puzzlesat.pages.studio.open import built_puzzle
from puzzlesat.pages.studio.telling import TELL_SECONDS, Tell, limits
from puzzlesat.puzzles import BuiltInstance

STUDIO_STATES_SECONDS: float = 10
"""Time limit in seconds for counting the states of all listed assemblies."""

MAX_ASSEMBLIES = 100_000
"""Largest number of assemblies that are disassembled."""
MAX_STATES = 5_000
"""Largest number of states of an assembly that are counted."""


def do(question: Mapping[str, Any], tell: Tell) -> dict[str, Any]:
    """Return the number of ``assemblies``, how many come ``apart``, how many were ``checked``, and whether all are ``decided``.

    Partial results are ``assemblies``, several at a time: each with its ``number``, its placement numbers (``options``), whether it comes
    ``apart`` (None: not decided), its ``level``, whether the level is known to be the ``least``, the level that BurrTools prints
    (``burrtools``, None: not known), its ``moves`` (the number of moves of each separation), and the number of ``states`` before the first
    piece is removed (None: counting takes too long).
    """
    bounds = limits()
    progress = tell.progress(bounds)
    built = built_puzzle(question, progress=progress, memory=bounds.memory)
    count = _Count(built, bounds)
    outcome: list[Outcome] = []
    assembled: list[Assembly] = []
    batch: list[dict[str, Any]] = []
    last = monotonic()
    every = assemblies(built, ApartOptions(), jobs=1, limits=bounds, progress=progress, on_end=outcome.append)
    for assembly in islice(every, MAX_ASSEMBLIES):
        assembled.append(assembly)
        batch.append(_plain(assembly, count))
        if monotonic() - last > TELL_SECONDS:
            tell({"assemblies": batch})
            batch, last = [], monotonic()
    tell({"assemblies": batch})
    return {
        "assemblies": len(assembled),
        "apart": sum(assembly.apart is True for assembly in assembled),
        "checked": sum(assembly.checked for assembly in assembled),
        "decided": ApartOptions().why_undecided(assembled, outcome) is None,
    }


def _plain(assembly: Assembly, count: _Count) -> dict[str, Any]:
    return {
        "number": assembly.number,
        "options": list(assembly.options),
        "apart": assembly.apart,
        "level": assembly.level,
        "least": assembly.least,
        "burrtools": assembly.burrtools_level,
        "moves": assembly.moves,
        "states": count(assembly),
    }


class _Count:
    """Counts the states of assemblies, within a time limit for all of them."""

    def __init__(self, built: BuiltInstance, bounds: Limits) -> None:
        self._bodies, self._bounds = bodies_of(built), bounds
        self._left = STUDIO_STATES_SECONDS

    def __call__(self, assembly: Assembly) -> int | None:
        if assembly.first == 1:
            return 1
        if assembly.answer.stuck and len(assembly.answer.stuck) == len(assembly.options):
            return assembly.answer.closed
        if assembly.answer.undecided or (not assembly.answer.stuck and assembly.apart is False) or self._left <= 0:
            return None
        began = monotonic()
        states = States.of(self._bodies, assembly.options, self._bounds.within(self._left), most=MAX_STATES)
        self._left -= monotonic() - began
        return len(states) if states.complete else None
