"""Taking apart: ``apart`` for the assembly on the board, ``states`` for the graph of its states, ``levels`` for every assembly."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from time import monotonic
from typing import Any

from puzzlesat.base import Limits, Outcome, PuzzleError
from puzzlesat.counting import ApartOptions, Assembly, assemblies
from puzzlesat.disassembly import States, bevel_of, bodies_of, checked
from puzzlesat.pages.studio.open import begun
from puzzlesat.pages.studio.tasks.position import asked_position
from puzzlesat.pages.studio.telling import STUDIO_APART_SECONDS, TELL_SECONDS, Tell
from puzzlesat.pictures import StateGraph, TakingApart
from puzzlesat.puzzles import BuiltInstance


def answer_apart(question: Mapping[str, Any], tell: Tell) -> dict[str, Any]:
    """Return the ``placements`` on the board with those that the form fixes, and their disassembly, ``taking``, for ``takeapart.js``.

    ``turns`` of the question is the bevel if pieces may be turned: ``"1/10"``. ``basis`` are the steps of a lattice in the plane as they
    are drawn, and ``middle`` is the middle of the cell at the origin; both are None in space. ``checked`` tells whether an independent
    check confirmed the answer.
    """
    turns = question.get("turns")
    if not isinstance(turns, str | None):
        raise PuzzleError("turns: expected the bevel as text, such as '1/10'")
    bevel = None if turns is None else bevel_of(turns, turns=True)
    position, bounds, progress = asked_position(question, tell, STUDIO_APART_SECONDS)
    built, options = position.built, position.everything
    answer = checked(bodies_of(built), options, bounds, turns=bevel, progress=progress)
    drawn = TakingApart(built, options, answer)
    return {
        "placements": position.names(options),
        "taking": drawn.as_json(),
        **(drawn.lattice() if built.puzzle.grid.dimension == 2 else {"basis": None, "middle": None}),
        "checked": answer.checked,
    }


def answer_states(question: Mapping[str, Any], tell: Tell) -> dict[str, Any]:
    """Return the figures of the graph, as in ``apart --states FILE.json``, and its picture.

    The picture has a ``width``, a ``height``, the height of a ``row``, the ``radius`` of a state, the ``lines`` and the shortest ``way``s,
    each as an SVG path, and ``nodes``: ``x``, ``y``, ``depth``, ``number``, ``kind``, and the previous node (``from``) with the step of
    ``takeapart.js`` (``step``) that leads from it. The node of the assembly itself has no ``from`` and no ``step``.
    """
    position, bounds, progress = asked_position(question, tell, STUDIO_APART_SECONDS)
    return StateGraph(States.of(bodies_of(position.built), position.everything, bounds, progress=progress)).as_json()


STUDIO_STATES_SECONDS: float = 10
"""Time limit in seconds for counting the states of all listed assemblies."""

MAX_ASSEMBLIES = 100_000
"""Largest number of assemblies that are disassembled."""
MAX_STATES = 5_000
"""Largest number of states of an assembly that are counted."""


def answer_levels(question: Mapping[str, Any], tell: Tell) -> dict[str, Any]:
    """Return the number of ``assemblies``, how many come ``apart``, how many were ``checked``, and whether all are ``decided``.

    Partial results are ``assemblies``, several at a time: each with its ``number``, its placement numbers (``options``), whether it comes
    ``apart`` (None: not decided), its ``level``, whether the level is known to be the ``least``, the level that BurrTools prints
    (``burrtools``, None: not known), its ``moves`` (the number of moves of each separation), and the number of ``states`` before the first
    piece is removed (None: counting takes too long).
    """
    built, bounds, progress = begun(question, tell)
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
