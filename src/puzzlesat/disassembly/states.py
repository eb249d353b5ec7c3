"""The state graph of an assembly: all relative positions of its pieces before the first separation, and the moves between them.

A state from which pieces can be taken away is a way out. It is not expanded, because free pieces have infinitely many positions. The kernel
of the search computes the successors of a state; this module builds the graph.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from puzzlesat.base import SILENT, Clock, Displayed, EndedError, Flags, Limits, Longs, NotSupportedError, Progress, many
from puzzlesat.disassembly.data import Move, PlacedBodies
from puzzlesat.disassembly.kernel import AWAY, COUNT, FIELD, FULL, MAX_PIECES, TOO_FAR, TOO_MANY, explore
from puzzlesat.disassembly.taking import Bench, bench_of, larger, lay
from puzzlesat.puzzles import Cell

MAX_STATES = 1_000_000
AT_ONCE = 1024
"""States between two checks of the limits."""
ROOM = 1000
"""Approximate memory of a state with its moves, without the positions of its pieces, in bytes."""


@dataclass(frozen=True, eq=False, repr=False)
class States(Displayed):
    """The state graph of an assembly. States are numbered by depth; 0 is the assembly itself. ``print`` shows its figures."""

    depth: Longs
    """The least number of moves to each state."""
    places: Longs
    """Array (states, pieces, coordinates): the translation of each piece from the assembly, in lattice steps. The first piece stays."""
    exits: Flags
    """True if pieces can be taken away."""
    edges: Longs
    """Array (edges, 2): two states with one move between them, the lower number first."""
    directions: tuple[Cell, ...]
    sizes: tuple[int, ...]
    """The number of atoms of each piece."""
    why: str | None
    """The reason why states are missing; None if none are."""

    @classmethod
    def of(
        cls, bodies: PlacedBodies, options: Sequence[int], limits: Limits, *, most: int = MAX_STATES, progress: Progress = SILENT
    ) -> States:
        """Return the state graph of an assembly, given by its placements; incomplete if a limit, or ``most`` states, is reached."""
        if len(options) > MAX_PIECES:
            raise NotSupportedError(f"{len(options)} pieces; up to {MAX_PIECES} can be taken apart")
        walk = _Walk(bench_of(bodies), options)
        clock, told = Clock(limits), progress.of("going through states")
        most = min(most, limits.free_memory() // (ROOM + 24 * len(options)))
        why: str | None = None
        while walk.done < len(walk.found) and why is None:
            if walk.done % AT_ONCE == 0:
                why = clock.verdict(-1)
                with suppress(EndedError):  # the limits were checked in the line above
                    told({"states": len(walk.found)})
            if len(walk.found) > most:
                why = f"there are more than {most:,} states"
            why = why or walk.step()
        return walk.states(why)

    def __len__(self) -> int:
        return len(self.depth)

    def __repr__(self) -> str:
        return f"<States: {'' if self.complete else 'at least '}{len(self):,}, {many(len(self.edges), 'move')} between them>"

    def __str__(self) -> str:
        return "\n".join(self.sentences())

    @property
    def complete(self) -> bool:
        """True if no states are missing."""
        return self.why is None

    @cached_property
    def layers(self) -> list[int]:
        """The number of states of each depth."""
        layers: list[int] = np.bincount(self.depth).tolist()
        return layers

    @cached_property
    def ahead(self) -> Longs:
        """The edges between states of different depths, each from the lesser to the greater depth."""
        far = self.depth[self.edges]
        apart = self.edges[far[:, 0] != far[:, 1]]
        turned = self.depth[apart[:, 0]] > self.depth[apart[:, 1]]
        return np.asarray(np.where(turned[:, None], apart[:, ::-1], apart))

    @cached_property
    def dead_ends(self) -> Flags:
        """True if no move leads to a deeper state, and the state is not a way out."""
        onward = np.zeros(len(self), dtype=np.bool_)
        onward[self.ahead[:, 0]] = True
        return ~(onward | self.exits)

    @property
    def first(self) -> int | None:
        """The least number of moves of a separation; None if there is none."""
        return int(self.depth[self.exits].min()) + 1 if self.exits.any() else None

    @cached_property
    def branching(self) -> float:
        """The mean number of moves from a state that is not a way out, including the move back."""
        inner = ~self.exits
        return float(inner[self.edges].sum() / inner.sum()) if inner.any() else 0.0

    @cached_property
    def shortest(self) -> Flags:
        """True if the state is on a shortest way out."""
        on = np.asarray(self.exits & (self.depth + 1 == (self.first or 0)))
        for near, far in self.ahead[np.argsort(self.depth[self.ahead[:, 1]])[::-1]].tolist():
            on[near] |= on[far]
        return on

    @cached_property
    def ways(self) -> int:
        """The number of shortest ways out, as sequences of states; the pieces taken away at the end make no difference."""
        if self.first is None:
            return 0
        number = [1, *[0] * (len(self) - 1)]
        for near, far in self.ahead[np.argsort(self.depth[self.ahead[:, 0]])].tolist():
            number[far] += number[near]
        return sum(number[n] for n in np.flatnonzero(self.exits & (self.depth + 1 == self.first)).tolist())

    @property
    def figures(self) -> dict[str, Any]:
        """The figures as plain data, as docs/json.md describes them."""
        return {
            "states": len(self),
            "moves": len(self.edges),
            "layers": self.layers,
            "exits": int(self.exits.sum()),
            "dead_ends": int(self.dead_ends.sum()),
            "branching": round(self.branching, 3),
            "first": self.first,
            "shortest": self.ways,
            "complete": self.complete,
            "why": self.why,
        }

    def sentences(self) -> Iterator[str]:
        """Yield the figures in sentences."""
        least = "" if self.complete else "at least "
        when = " before the first piece is away" if self.first is not None else ""
        yield f"{least}{many(len(self), 'state')}{when}, {many(len(self.edges), 'move')} between them"
        yield f"states by number of moves from the start: {' '.join(map(str, self.layers))}"
        dead, exits = int(self.dead_ends.sum()), int(self.exits.sum())
        yield f"{many(dead, 'dead end')}; {self.branching:.1f} moves to choose from in a state, on average"
        if self.first is not None:
            yield f"{many(exits, 'way')} out; {many(self.ways, 'shortest way')}, of {many(self.first, 'move')}"
        if not self.complete:
            yield f"not complete: {self.why}"

    @cached_property
    def moves(self) -> list[Move]:
        """The move along each edge, from its first state to the other."""
        return [self.move(*edge) for edge in self.edges.tolist()]

    @cached_property
    def parent(self) -> Longs:
        """The predecessor of each state on a shortest path from the assembly; -1 for the assembly.

        States on a shortest way out are preferred, then lower numbers.
        """
        near, far = self.ahead.T
        parent = np.full(len(self), 2 * len(self), dtype=np.int64)
        np.minimum.at(parent, far, np.where(self.shortest[near], near, near + len(self)))
        parent %= len(self)
        parent[0] = -1
        return parent

    def move(self, here: int, there: int) -> Move:
        """Return the move between two adjacent states: the smaller of the two groups of pieces moves."""
        by = self.places[there] - self.places[here]
        moved = by.any(axis=1)
        step = by[moved][0]
        who, others = (tuple(np.flatnonzero(moved == on).tolist()) for on in (True, False))
        size = [(len(group), sum(self.sizes[p] for p in group)) for group in (who, others)]
        if size[1] < size[0]:
            who, step = others, -step
        far = int(np.abs(step).max())
        for direction in self.directions:
            steps = far // max(map(abs, direction))
            if steps and (steps * np.array(direction) == step).all():
                return Move(who, direction, steps)
        raise ValueError(f"no move leads from state {here} to state {there}")

    def to_json(self, names: Sequence[str], about: dict[str, Any]) -> str:
        """Return the graph as JSON; ``names`` are the names of the placements."""
        flags = zip(self.exits.tolist(), self.dead_ends.tolist(), self.shortest.tolist(), strict=True)
        nodes = [
            {"depth": depth, "exit": out, "dead_end": dead, "shortest": short, "places": places}
            for (out, dead, short), depth, places in zip(flags, self.depth.tolist(), self.places.tolist(), strict=True)
        ]
        edges = [
            {"from": here, "to": there, "pieces": list(move.pieces), "direction": list(move.direction), "by": move.steps}
            for (here, there), move in zip(self.edges.tolist(), self.moves, strict=True)
        ]
        return json.dumps({**about, "placements": list(names), **self.figures, "nodes": nodes, "edges": edges}, ensure_ascii=False) + "\n"

    def to_graphml(self, names: Sequence[str]) -> str:
        """Return the graph as GraphML, for programs that draw and analyse graphs (graphml.graphdrawing.org)."""
        from networkx import Graph, generate_graphml

        graph = Graph()
        for number, places in enumerate(self.places.tolist()):
            kind = "way out" if self.exits[number] else "dead end" if self.dead_ends[number] else "state"
            where = " ".join(f"{name}:{','.join(map(str, place))}" for name, place in zip(names, places, strict=True) if any(place))
            graph.add_node(number, depth=int(self.depth[number]), kind=kind, shortest=int(self.shortest[number]), places=where)
        for (here, there), move in zip(self.edges.tolist(), self.moves, strict=True):
            pieces = " ".join(names[p] for p in move.pieces)
            graph.add_edge(here, there, pieces=pieces, direction=move.along, by=move.steps)
        return "\n".join(generate_graphml(graph)) + "\n"


class _Walk:
    """Breadth-first enumeration of states; ``done`` counts those that were expanded."""

    def __init__(self, bench: Bench, options: Sequence[int]) -> None:
        self.bench, self.pieces = bench, len(options)
        self.options = np.array(options, dtype=np.int64)
        self.start = bench.place[self.options] - bench.place[self.options[0]]
        self.table = bench.table_for(self.pieces)
        lay(bench, self.table.part, 0, self.options, self.start)
        self.found = [self.start.tobytes()]
        self.number = {self.found[0]: 0}
        self.depth = [0]
        self.exits: list[bool] = []
        self.edges: list[tuple[int, int]] = []
        self.done = 0

    def step(self) -> str | None:
        """Expand one more state; return the reason if that is not possible."""
        here, begun = self.done, False
        self.table.part.position[0, : self.pieces] = np.frombuffer(self.found[here], dtype=np.int64)
        while (end := explore(self.bench.scene, self.table.tree, self.table.part, 0, 1, begun, 1)[1]) == FULL:
            self.table.tree = larger(self.table.tree, self.pieces)
        if end in (TOO_FAR, TOO_MANY):
            return "pieces move too far" if end == TOO_FAR else "pieces can be moved in too many groups"
        tree = self.table.tree
        self.exits.append(bool(tree.state[AWAY]))
        self.done += 1
        for place in tree.position[1 : tree.state[COUNT], : self.pieces]:
            there = self.number.setdefault(place.tobytes(), len(self.found))
            if there == len(self.found):
                self.found.append(place.tobytes())
                self.depth.append(self.depth[here] + 1)
            if there > here or self.exits[there]:  # a lower state has added the edge already, unless it is a way out
                self.edges.append((min(here, there), max(here, there)))
        return None

    def states(self, why: str | None) -> States:
        """Return the states found so far."""
        words = np.frombuffer(b"".join(self.found), dtype=np.int64).reshape(-1, self.pieces)
        return States(
            np.array(self.depth, dtype=np.int64),
            _cells(words - self.start)[:, :, : len(self.bench.directions[0])],
            np.array(self.exits + [False] * (len(self.found) - self.done), dtype=np.bool_),
            np.array(self.edges, dtype=np.int64).reshape(-1, 2),
            self.bench.directions,
            tuple(self.bench.sizes[self.bench.bodies.shape[self.options]].tolist()),
            why,
        )


def _cells(words: Longs) -> Longs:
    """Unpack words of the kernel into cells."""
    half, found = 1 << (FIELD - 1), []
    for _ in range(3):
        x = ((words + half) & (2 * half - 1)) - half
        found.append(x)
        words = (words - x) >> FIELD
    return np.stack(found, axis=-1)
