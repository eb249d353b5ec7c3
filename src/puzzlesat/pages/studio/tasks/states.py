"""``states``: the graph of the states of what lies on the board, laid out: every position before the first piece is away."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from puzzlesat.disassembly import States, bodies_of, make_bench, states_of
from puzzlesat.pages.studio.tasks.position import asked_position
from puzzlesat.pages.studio.telling import STUDIO_APART_SECONDS, Tell, limits
from puzzlesat.pictures import ROW, edge_path, lay_out, on_shortest


def do(question: Mapping[str, Any], tell: Tell) -> dict[str, Any]:
    """Return the figures of the graph, as ``apart --states FILE.json`` has them, and its picture.

    The picture has a ``width``, a ``height``, the height of a ``row``, the ``radius`` of a state, the ``lines`` and the ``way``s that are
    shortest, each as an SVG path, and ``nodes``: ``x``, ``y``, ``depth``, ``number``, ``kind``, and the node (``from``) and the step of
    ``takeapart.js`` (``step``) by which one comes there. The assembly itself has neither.
    """
    bounds = limits(STUDIO_APART_SECONDS)
    position = asked_position(question, tell, bounds)
    built = position.built
    bench = make_bench(bodies_of(built))
    return graph_as_json(states_of(bench, position.everything, bounds, progress=tell.progress(bounds)))


def graph_as_json(states: States) -> dict[str, Any]:
    """Return a graph of states as ``stategraph.js`` draws it."""
    laid = lay_out(states)
    on = on_shortest(states, laid)
    paths = ["".join(edge_path(laid, *edge) for edge in laid.edges[those].tolist()) for those in (~on, on)]
    index = {number: i for i, number in enumerate(laid.shown.tolist())}
    nodes = [
        {
            "x": round(x, 2),
            "y": round(y, 2),
            "depth": int(states.depth[number]),
            "number": number,
            "kind": _kind(states, number),
            **_step(states, number, index),
        }
        for number, (x, y) in zip(index, laid.at.tolist(), strict=True)
    ]
    picture = {"width": laid.width, "height": laid.height, "row": ROW, "radius": laid.radius}
    return {**states.figures, **picture, "lines": paths[0], "way": paths[1], "nodes": nodes}


def _kind(states: States, number: int) -> str:
    kinds = {"exit": states.exits, "dead": states.dead_ends, "short": states.shortest}
    return next((kind for kind, flags in kinds.items() if flags[number]), "other")


def _step(states: States, number: int, index: Mapping[int, int]) -> dict[str, Any]:
    """The node before a state, and the move from there."""
    before = int(states.parent[number])
    if before < 0:
        return {}
    move = states.move(before, number)
    assert move.steps is not None
    by = [move.steps * x for x in move.direction]
    return {
        "from": index[before],
        "step": {"pieces": list(move.pieces), "by": by, "far": move.steps, "along": move.along},
    }
