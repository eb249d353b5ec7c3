"""The graph of the states of an assembly for other programs and in words: figures, JSON, GraphML."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from puzzlesat.disassembly.states import States
from puzzlesat.disassembly.words import direction_words
from puzzlesat.errors import many


def figures(states: States) -> dict[str, Any]:
    """Return the figures of a graph of states as plain data, as docs/json.md describes them."""
    return {
        "states": len(states),
        "moves": len(states.edges),
        "layers": states.layers,
        "exits": int(states.exits.sum()),
        "dead_ends": int(states.dead_ends.sum()),
        "branching": round(states.branching, 3),
        "first": states.first,
        "shortest": states.ways,
        "complete": states.complete,
        "why": states.why,
    }


def figures_words(states: States) -> Iterator[str]:
    """Yield the same in sentences."""
    least = "" if states.complete else "at least "
    when = " before the first piece is away" if states.first is not None else ""
    yield f"{least}{many(len(states), 'state')}{when}, {many(len(states.edges), 'move')} between them"
    yield f"states by number of moves from the start: {' '.join(map(str, states.layers))}"
    dead, exits = int(states.dead_ends.sum()), int(states.exits.sum())
    yield f"{many(dead, 'dead end')}; {states.branching:.1f} moves to choose from in a state, on average"
    if states.first is not None:
        yield f"{many(exits, 'way')} out; {many(states.ways, 'shortest way')}, of {many(states.first, 'move')}"
    if not states.complete:
        yield f"not complete: {states.why}"


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
    return json.dumps({**about, "placements": list(names), **figures(states), "nodes": nodes, "edges": edges}, ensure_ascii=False) + "\n"


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
