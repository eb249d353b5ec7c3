"""The graph of the states of an assembly for other programs: JSON, GraphML."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from puzzlesat.disassembly.states import States
from puzzlesat.disassembly.words import direction_words


def states_json(states: States, names: Sequence[str], about: dict[str, Any]) -> str:
    """Return the whole graph as JSON; ``names`` are those of the placements."""
    flags = zip(states.exits.tolist(), states.dead_ends.tolist(), states.shortest.tolist(), strict=True)
    nodes = [
        {"depth": depth, "exit": out, "dead_end": dead, "shortest": short, "places": places}
        for (out, dead, short), depth, places in zip(flags, states.depth.tolist(), states.places.tolist(), strict=True)
    ]
    edges = [
        {"from": here, "to": there, "pieces": list(move.pieces), "direction": list(move.direction), "by": move.steps}
        for (here, there), move in zip(states.edges.tolist(), states.moves, strict=True)
    ]
    return json.dumps({**about, "placements": list(names), **states.figures, "nodes": nodes, "edges": edges}, ensure_ascii=False) + "\n"


def states_graphml(states: States, names: Sequence[str]) -> str:
    """Return the whole graph as GraphML, for programs that draw and study graphs (graphml.graphdrawing.org)."""
    from networkx import Graph, generate_graphml

    graph = Graph()
    for number, places in enumerate(states.places.tolist()):
        kind = "way out" if states.exits[number] else "dead end" if states.dead_ends[number] else "state"
        where = " ".join(f"{name}:{','.join(map(str, place))}" for name, place in zip(names, places, strict=True) if any(place))
        graph.add_node(number, depth=int(states.depth[number]), kind=kind, shortest=int(states.shortest[number]), places=where)
    for (here, there), move in zip(states.edges.tolist(), states.moves, strict=True):
        pieces = " ".join(names[p] for p in move.pieces)
        graph.add_edge(here, there, pieces=pieces, direction=direction_words(move.direction), by=move.steps)
    return "\n".join(generate_graphml(graph)) + "\n"
