"""``apart``: whether what lies on the board comes apart, in how many moves, and by which."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from puzzlesat.disassembly.run import checked
from puzzlesat.disassembly.taking import make_bench
from puzzlesat.draw.page.taking import basis_of, taking_as_json
from puzzlesat.solvers.strategy import STUDIO_APART_SECONDS
from puzzlesat.studio.tasks.position import asked_position
from puzzlesat.studio.telling import Tell, limits


def do(question: Mapping[str, Any], tell: Tell) -> dict[str, Any]:
    """Return the ``placements`` on the board with those that the form fixes, and their ``taking`` apart, as ``takeapart.js`` takes it.

    ``basis`` are the steps of a lattice in the plane as they are drawn, None in space; ``checked`` says whether a second look confirmed it.
    """
    bounds = limits(STUDIO_APART_SECONDS)
    position = asked_position(question, tell, bounds)
    built, options = position.built, position.everything
    answer = checked(built, make_bench(built, built.instance.together), options, bounds, progress=tell.progress(bounds))
    return {
        "placements": position.names(options),
        "taking": taking_as_json(built, options, answer),
        "basis": basis_of(built) if built.puzzle.grid.dimension == 2 else None,
        "checked": answer.checked,
    }
