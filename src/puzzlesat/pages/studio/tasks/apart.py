"""``apart``: whether the assembly on the board comes apart, in how many moves, and in which."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from puzzlesat.base import PuzzleError
from puzzlesat.disassembly import bevel_of, bodies_of, checked
from puzzlesat.pages.studio.tasks.position import asked_position
from puzzlesat.pages.studio.telling import STUDIO_APART_SECONDS, Tell, limits
from puzzlesat.pictures import TakingApart


def do(question: Mapping[str, Any], tell: Tell) -> dict[str, Any]:
    """Return the ``placements`` on the board with those that the form fixes, and their disassembly, ``taking``, for ``takeapart.js``.

    ``turns`` of the question is the bevel if pieces may be turned: ``"1/10"``. ``basis`` are the steps of a lattice in the plane as they
    are drawn, and ``middle`` is the middle of the cell at the origin; both are None in space. ``checked`` tells whether an independent
    check confirmed the answer.
    """
    turns = question.get("turns")
    if not isinstance(turns, str | None):
        raise PuzzleError("turns: expected the bevel as text, such as '1/10'")
    bevel = None if turns is None else bevel_of(turns, turns=True)
    bounds = limits(STUDIO_APART_SECONDS)
    position = asked_position(question, tell, bounds)
    built, options, progress = position.built, position.everything, tell.progress(bounds)
    answer = checked(bodies_of(built), options, bounds, turns=bevel, progress=progress)
    drawn = TakingApart(built, options, answer)
    return {
        "placements": position.names(options),
        "taking": drawn.as_json(),
        **(drawn.lattice() if built.puzzle.grid.dimension == 2 else {"basis": None, "middle": None}),
        "checked": answer.checked,
    }
