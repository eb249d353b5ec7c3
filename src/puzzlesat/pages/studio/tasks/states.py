"""``states``: the graph of the states of the assembly on the board, laid out: every position before the first piece is removed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from puzzlesat.disassembly import States, bodies_of
from puzzlesat.pages.studio.tasks.position import asked_position
from puzzlesat.pages.studio.telling import STUDIO_APART_SECONDS, Tell, limits
from puzzlesat.pictures import StateGraph


def do(question: Mapping[str, Any], tell: Tell) -> dict[str, Any]:
    """Return the figures of the graph, as in ``apart --states FILE.json``, and its picture.

    The picture has a ``width``, a ``height``, the height of a ``row``, the ``radius`` of a state, the ``lines`` and the shortest ``way``s,
    each as an SVG path, and ``nodes``: ``x``, ``y``, ``depth``, ``number``, ``kind``, and the previous node (``from``) with the step of
    ``takeapart.js`` (``step``) that leads from it. The assembly itself has neither.
    """
    bounds = limits(STUDIO_APART_SECONDS)
    position = asked_position(question, tell, bounds)
    bodies = bodies_of(position.built)
    return StateGraph(States.of(bodies, position.everything, bounds, progress=tell.progress(bounds))).as_json()
