"""All shapes that a filling can go through, and the moves between them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

import numpy as np

from puzzlesat.base import Flags, Ints, Limits, Longs, Words
from puzzlesat.puzzles import CoverProblem
from puzzlesat.solvers.tally import growth, narrow
from puzzlesat.solvers.tally.disk import Disk
from puzzlesat.solvers.tally.growth import Graph, Pockets
from puzzlesat.solvers.tally.moves import Moves, Record

SHAPES_A_TURN = 1 << 14
LOOKED_AT = 1 << 12
"""Shapes whose successors must be known before the number of all shapes is estimated."""
SHARE_OF_SHAPES = 0.5
"""Share of the work that is done when all shapes are found; the rest is to count the ways through them."""
FIRST_SHAPES = 1 << 12
FIRST_EDGES = 1 << 15


class TooLargeError(Exception):
    """The shapes, or the states, need more memory than is allowed."""


class GoOn(Protocol):
    """Reports progress: the value of a counter, and the share done if it is known; may raise."""

    def __call__(self, what: str, number: int, share: float = 0.0) -> None:
        """Report progress."""


@dataclass
class Work:
    """The resources and the counters of a count."""

    memory: int
    """Bytes that shapes, levels or frontiers, and scratch tables may take."""
    cores: int
    go_on: GoOn
    """Called from time to time with a counter."""
    most: int | None = None
    """Shapes, or states of a sweep, beyond which the count gives up."""
    counters: dict[str, int] = field(default_factory=dict)
    """The counters of the whole problem; at first, those of the shards before."""
    disk: Disk | None = None
    """The disk for levels or frontiers that do not fit into memory. An interrupted run continues from the last of these there."""
    states: int = 0
    merged: int = 0
    widest: int = 0
    """Number of states of the largest frontier."""
    peak: int = 0
    """Most bytes in use."""
    share: float = 0.0
    """The share of the work that is done, or an upper estimate of it; 0 if it is not known."""

    def __post_init__(self) -> None:
        self.before = dict(self.counters)

    @classmethod
    def of(cls, limits: Limits, go_on: GoOn, counters: dict[str, int]) -> Work:
        """Return the resources within some limits."""
        return cls(limits.free_memory(), limits.usable_cores, go_on, limits.shapes, counters)

    def tell(self, what: str, number: int) -> None:
        """Report the value of a counter."""
        self.go_on(what, self.before.get(what, 0) + number, self.share)

    def add(self, **numbers: int) -> None:
        """Add to the counters of the shards before."""
        self.counters |= {what: self.before.get(what, 0) + number for what, number in numbers.items()}

    def raise_to(self, **numbers: int) -> None:
        """Raise counters that are maxima over all shards."""
        self.counters |= {what: max(self.before.get(what, 0), number) for what, number in numbers.items()}


class Looks(NamedTuple):
    """The appearance of each shape."""

    first: Ints  # (shapes,) first empty position
    key: Words  # (shapes, words) the filled positions from there on, then the colours


@dataclass(frozen=True)
class ShapeGraph:
    """The shapes from which the end can be reached, and the moves between them in CSR form. Shape 0 is the empty form."""

    start: Longs  # (shapes + 1,)
    to: Ints
    label: Ints
    accepts: Flags
    found: int
    """Number of shapes before those that lead nowhere were dropped."""
    rejected: int
    depth: int
    """The number of positions, and of the moves of any way at most."""
    looks: Looks | None = None
    """None unless requested."""

    @property
    def size(self) -> int:
        """The number of shapes."""
        return len(self.accepts)

    @property
    def bytes(self) -> int:
        """Bytes in use."""
        return sum(a.nbytes for a in (self.start, self.to, self.label, self.accepts, *(self.looks or ())))


def find_shapes(moves: Moves, pockets: Pockets, work: Work, *, looks: bool = False) -> ShapeGraph:
    """Find the shapes breadth first, then drop those from which the end cannot be reached.

    With ``looks`` the graph has the appearance of the shapes. Raises TooLargeError beyond the memory or the shapes of ``work``.
    """
    steps = _steps(moves)
    graph: Any = _empty_graph(moves) if steps is None else _empty_narrow_graph(steps)
    shores: Any = None if steps is None else _shores(steps, pockets)
    status = growth.MORE
    while status != growth.DONE:
        until = int(graph.control[growth.CURSOR]) + SHAPES_A_TURN
        status = growth.grow(moves, pockets, graph, until) if steps is None else narrow.grow(steps, shores, graph, until)
        count, expanded = int(graph.control[growth.SHAPES]), int(graph.control[growth.CURSOR])
        if work.most is not None and count > work.most:
            raise TooLargeError(f"more than {work.most:,} shapes, the most that auto allows; --solver tally tries more")
        if status in (growth.SHAPES_FULL, growth.EDGES_FULL):
            need = 3 * sum(a.nbytes for a in graph)  # old and doubled arrays exist side by side
            if need > work.memory:
                raise TooLargeError(f"{count:,} shapes and what they lead to need more than {need >> 20:,} MiB; allow more with --memory")
            graph = _longer(graph, status, work)
        if expanded >= LOOKED_AT:  # those not yet expanded are likely to lead to as many new shapes each, or more
            work.share = SHARE_OF_SHAPES * (expanded / count) ** 2
        work.tell("shapes", count)
    graph = graph._replace(table=graph.table[:0].copy())  # the search is over, and with it all look-ups
    return _useful(graph, len(moves.optional), looks=looks)


def _steps(moves: Moves) -> narrow.NarrowMoves | None:
    """Return the moves for shapes that fit into one word; None if shapes do not."""
    n = len(moves.optional)
    reach = int(np.bitwise_or.reduce(moves.mask[:, 0], initial=0)).bit_length() if moves.mask.shape[1] == 1 else 65
    if moves.dying.shape[1] or reach > narrow.WINDOW or n > narrow.MAX_POSITIONS:
        return None
    return narrow.NarrowMoves(moves.start, np.ascontiguousarray(moves.mask[:, 0]), moves.label, moves.optional)


def _shores(steps: narrow.NarrowMoves, p: Pockets) -> narrow.Shores:
    """Return the pockets test with words; it tests no part if neighbours are too far apart."""
    n = len(steps.optional)
    pairs = [(q, int(r)) for q in range(n) for r in p.near[p.start[q] : p.start[q + 1]]]
    back = max((q - r for q, r in pairs), default=0)
    near = [0] * n
    for q, r in pairs:
        near[q] |= 1 << (r - q + back)
    known = bool(pairs) and 2 * back < 64 - 1
    optional = sum(1 << q for q in np.flatnonzero(steps.optional).tolist())
    return narrow.Shores(
        known=known,
        all_required=p.all_required,
        near=np.array(near if known else [], dtype=np.uint64),
        back=back,
        border=_borders(steps, np.array(near, dtype=np.uint64), back) if known else np.zeros(len(steps.label), dtype=np.uint64),
        fits=p.fits,
        optional=np.array([(optional >> q) & (2**64 - 1) for q in range(n + 1)], dtype=np.uint64),
        open_sea=p.open_sea,
    )


def _borders(steps: narrow.NarrowMoves, near: Words, back: int) -> Words:
    """Return for each move the positions beside it; bit i means its first position + i."""
    place = np.repeat(np.arange(len(near)), np.diff(steps.start))
    bits = np.unpackbits(steps.mask.astype("<u8", copy=False).view(np.uint8), bitorder="little").view(np.bool_)
    move, i = np.divmod(np.flatnonzero(bits), 64)
    up, down = np.maximum(i - back, 0).astype(np.uint64), np.maximum(back - i, 0).astype(np.uint64)
    around = near[place[move] + i] << up >> down
    beside = np.bitwise_or.reduceat(around, np.flatnonzero(np.diff(move, prepend=-1))) if len(move) else np.zeros_like(steps.mask)
    return beside & ~steps.mask


def pockets_of(problem: CoverProblem, order: Ints, moves: Moves, record: Record) -> Pockets:
    """Prepare the test for parts that are cut off; it is empty if neighbours are unknown or every area can be filled."""
    n = len(order)
    sums = _areas(moves, record)
    sums &= sums[::-1] if not moves.optional.any() else True  # the area left must be a sum as well
    fits = np.concatenate([[0], np.cumsum(sums)]).astype(np.int64)
    near: list[list[int]] = [[] for _ in range(n)]
    if problem.adjacent is not None and not sums[1:].all():
        place = np.full(len(problem.items), -1)
        place[order] = np.arange(n)
        for a, b in place[problem.adjacent].tolist():
            if a >= 0 and b >= 0:
                near[a].append(b)
                near[b].append(a)
    start = np.concatenate([[0], np.cumsum([len(x) for x in near])]).astype(np.int32)
    flat = np.array([q for x in near for q in sorted(x)], dtype=np.int32)
    return Pockets(start, flat, fits, moves.optional, not moves.optional.any(), _open_sea(near))


def _areas(moves: Moves, record: Record) -> Flags:
    """Return which areas from 0 to n are sums of areas of moves, with no tile used more often than it may be."""
    n = len(moves.optional)
    sums, whole = 1, (1 << (n + 1)) - 1
    sizes = np.bitwise_count(moves.mask).sum(axis=1)
    for label in np.unique(moves.label):
        areas = np.unique(sizes[moves.label == label]).tolist()
        for _ in range(min(_copies(record, int(label)), n // min(areas))):
            more = sums
            for area in areas:
                more |= sums << area
            if (more := more & whole) == sums:
                break
            sums = more
    return np.array([sums >> a & 1 for a in range(n + 1)], dtype=bool)


def _copies(record: Record, label: int) -> int:
    """Return how often moves with a label can be made."""
    if record.labels.zero[label]:
        return 1
    wide = range(record.labels.start[label], record.labels.start[label + 1])
    caps = [int(record.labels.cap[e] // record.labels.amount[e]) for e in wide if record.labels.kind[e] == 0]
    return min(caps, default=1 << 30)


def _open_sea(near: list[list[int]]) -> Ints:
    """Return for each q the least t >= q such that the positions from t on are connected."""
    n = len(near)
    parent = list(range(n))

    def root(q: int) -> int:
        while parent[q] != q:
            parent[q] = parent[parent[q]]
            q = parent[q]
        return q

    least = np.full(n + 1, n, dtype=np.int32)
    parts = 0
    for q in range(n - 1, -1, -1):
        parts += 1
        for r in near[q]:
            if r > q and root(r) != root(q):
                parent[root(r)] = root(q)
                parts -= 1
        least[q] = q if parts == 1 else least[q + 1]
    return least


def _empty_graph(moves: Moves) -> Graph:
    n, shapes, edges = len(moves.optional), FIRST_SHAPES + len(moves.label), FIRST_EDGES + len(moves.label)
    width = moves.mask.shape[1] + moves.dying.shape[1]
    graph = Graph(
        first=np.zeros(shapes, dtype=np.int32),
        key=np.zeros((shapes, width), dtype=np.uint64),
        rejected=np.zeros(shapes, dtype=bool),
        accepts=np.zeros(shapes, dtype=bool),
        start=np.zeros(shapes + 1, dtype=np.int64),
        to=np.zeros(edges, dtype=np.int32),
        label=np.zeros(edges, dtype=np.int32),
        table=np.zeros(1 << (2 * shapes - 1).bit_length(), dtype=np.int32),
        control=np.zeros(5, dtype=np.int64),
        seen=np.zeros(n, dtype=np.int64),
        stack=np.zeros(n + 1, dtype=np.int32),
        here=np.zeros(width, dtype=np.uint64),
        after=np.zeros(width, dtype=np.uint64),
    )
    growth.begin(graph)
    return graph


def _empty_narrow_graph(steps: narrow.NarrowMoves) -> narrow.NarrowGraph:
    most = narrow.BATCH + len(steps.label)
    shapes, edges = FIRST_SHAPES + most, FIRST_EDGES + most
    slots = 1 << (2 * shapes + 2 * most).bit_length()
    graph = narrow.NarrowGraph(
        key=np.zeros(shapes, dtype=np.uint64),
        accepts=np.zeros(shapes, dtype=bool),
        start=np.zeros(shapes + 1, dtype=np.int64),
        to=np.zeros(edges, dtype=np.int32),
        label=np.zeros(edges, dtype=np.int32),
        table=np.zeros((slots, 2), dtype=np.uint64),
        control=np.zeros(5, dtype=np.int64),
        keys=np.zeros(most, dtype=np.uint64),
        labels=np.zeros(most, dtype=np.int32),
        free=np.zeros(len(steps.label) + 1, dtype=np.int32),
        ends=np.zeros(narrow.BATCH, dtype=np.int64),
    )
    narrow.begin(graph)
    return graph


def _longer(graph: Any, status: int, work: Work) -> Any:
    """Double the arrays that are full. A hash table, whose entries are all moved then, grows by more if memory allows."""
    if status == growth.EDGES_FULL:
        return graph._replace(to=_doubled(graph.to), label=_doubled(graph.label))
    if isinstance(graph, narrow.NarrowGraph):
        old = graph.table
        graph = graph._replace(key=_doubled(graph.key), accepts=_doubled(graph.accepts), start=_doubled(graph.start))
        if len(old) < 2 * len(graph.key):
            factor = 4 if sum(a.nbytes for a in graph) + 4 * old.nbytes <= work.memory else 2
            graph = graph._replace(table=np.zeros((factor * len(old), 2), dtype=np.uint64))
            narrow.rehash(old, graph.table)
        return graph
    graph = graph._replace(
        first=_doubled(graph.first),
        key=_doubled(graph.key),
        rejected=_doubled(graph.rejected),
        accepts=_doubled(graph.accepts),
        start=_doubled(graph.start),
        table=np.zeros(2 * len(graph.table), dtype=np.int32),
    )
    growth.rehash(graph, int(graph.control[growth.SHAPES]))
    return graph


def _doubled(array: np.ndarray) -> np.ndarray:
    longer = np.zeros((2 * len(array), *array.shape[1:]), dtype=array.dtype)
    longer[: len(array)] = array
    return longer


def _useful(graph: Graph | narrow.NarrowGraph, positions: int, *, looks: bool) -> ShapeGraph:
    """Keep the shapes from which the end can be reached, and the moves between them."""
    found = int(graph.control[growth.SHAPES])
    first = graph.key[:found] >> np.uint64(narrow.WINDOW) if isinstance(graph, narrow.NarrowGraph) else graph.first[:found]
    order = np.argsort(first.astype(np.uint16 if positions < 1 << 16 else np.int32), kind="stable")[::-1]  # a radix sort for short numbers
    number = np.empty(found, dtype=np.int32)
    growth.reach_back(np.ascontiguousarray(order), graph.start, graph.to, graph.accepts, number)
    kept = np.flatnonzero(number >= 0) if looks else None
    seen = None if kept is None else Looks(first[kept].astype(np.int32), _keys(graph, kept))
    count = growth.keep_moves(graph.start, graph.to, graph.label, graph.accepts, number)
    edges = int(graph.start[count])
    for array, length in ((graph.start, count + 1), (graph.to, edges), (graph.label, edges), (graph.accepts, count)):
        array.resize(length, refcheck=False)  # in place: a copy would need as much memory again
    return ShapeGraph(graph.start, graph.to, graph.label, graph.accepts, found, int(graph.control[growth.REJECTED]), positions, seen)


def _keys(graph: Graph | narrow.NarrowGraph, shapes: Longs) -> Words:
    """Return the keys of shapes: a row of words each."""
    return (graph.key[shapes] & narrow.INSIDE)[:, None] if isinstance(graph, narrow.NarrowGraph) else graph.key[shapes]
