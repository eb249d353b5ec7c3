"""Whether the pieces of a solution can be coloured (``CoverProblem.colouring``), and in which colours.

Two options touch that have the two items of a pair; they are to have different colours. To decide whether k colours suffice, the
option with the fewest choices left is coloured next (D. Brélaz, "New methods to color the vertices of a graph", CACM 22, 1979, which
is exact where it goes back from a dead end).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

import numpy as np

from puzzlesat.base import Flags, Longs, Rows
from puzzlesat.puzzles.problem import Colouring, CoverProblem

MOST_AT_ONCE = 2_000
"""Solutions whose items are laid out at once."""


def can_be_coloured(problem: CoverProblem, rows: Rows) -> Flags:
    """Return for each solution whether it can be coloured as ``problem.colouring`` says, together with what is placed already."""
    colouring = problem.colouring
    if colouring is None:
        return np.ones(len(rows), dtype=np.bool_)
    found = np.empty(len(rows), dtype=np.bool_)
    for first in range(0, len(rows), MOST_AT_ONCE):
        some = rows[first : first + MOST_AT_ONCE]
        owners, pieces = _owners(problem, colouring, some)
        a, b = owners[:, colouring.pairs[:, 0]], owners[:, colouring.pairs[:, 1]]
        touch = (a >= 0) & (b >= 0) & (a != b)
        for i in range(len(some)):
            graph = _graph(a[i, touch[i]], b[i, touch[i]], pieces)
            found[first + i] = _colourable(graph, colouring.colours)
    return found


def placed_can_be_coloured(problem: CoverProblem) -> bool:
    """Return whether what is placed already can be coloured, if that is asked for: if not, nothing that is added helps."""
    return bool(can_be_coloured(problem, np.full((1, 1), -1, dtype=np.int32)).all())


def colours_of(problem: CoverProblem, options: Sequence[int]) -> list[int] | None:
    """Return a colour for each of some options that are a piece each, numbered from 0, as ``problem.colouring`` asks.

    None where it asks nothing, or in vain.
    """
    colouring = problem.colouring
    if colouring is None or not len(options):
        return None
    (owner,), size = _owners(problem, colouring, np.array([options], dtype=np.int32))
    a, b = owner[colouring.pairs[:, 0]], owner[colouring.pairs[:, 1]]
    touch = (a >= 0) & (b >= 0) & (a != b)
    classes = [0] * colouring.colours
    if not _finish(_graph(a[touch], b[touch], size), classes, list(range(size))):
        return None
    return [next(c for c, members in enumerate(classes) if members >> i & 1) for i in range(len(options))]


def _owners(problem: CoverProblem, colouring: Colouring, rows: Rows) -> tuple[Longs, int]:
    """Array (solutions, items): which piece has an item, -1 where none has; and how many numbers of pieces there are.

    Pieces are counted along the row; those that are placed already come after it.
    """
    owners, pieces = _own_options(problem, rows) if colouring.pieces is None else _own_pieces(colouring, colouring.pieces, rows)
    for number, items in enumerate(colouring.placed):
        owners[:, list(items)] = pieces + number
    return owners, pieces + len(colouring.placed)


def _own_options(problem: CoverProblem, rows: Rows) -> tuple[Longs, int]:
    """The same where each option is a piece, without those that are placed."""
    owners = np.full((len(rows), len(problem.items)), -1, dtype=np.int64)
    for place in range(rows.shape[1]):
        there = np.flatnonzero(rows[:, place] >= 0)
        options = rows[there, place]
        sizes = (problem.start[options + 1] - problem.start[options]).astype(np.int64)
        first = np.repeat(problem.start[options] - (np.cumsum(sizes) - sizes), sizes)
        entries = first + np.arange(int(sizes.sum()))
        owners[np.repeat(there, sizes), problem.item[entries]] = place
    return owners, rows.shape[1]


def _own_pieces(colouring: Colouring, pieces: Sequence[Sequence[Sequence[int]]], rows: Rows) -> tuple[Longs, int]:
    """The same where options have several pieces, with the items that these had."""
    every = chain(*pieces, colouring.placed)
    width = 1 + max([int(colouring.pairs.max(initial=-1)), *(item for piece in every for item in piece)])
    owners, most = np.full((len(rows), width), -1, dtype=np.int64), 0
    for own, row in zip(owners, rows.tolist(), strict=True):
        number = -1
        for number, items in enumerate(piece for option in row if option >= 0 for piece in pieces[option]):
            own[list(items)] = number
        most = max(most, number + 1)
    return owners, most


def _graph(one: Longs, other: Longs, size: int) -> list[int]:
    """For each option those that it touches, as the bits of a number."""
    graph = [0] * size
    for a, b in set(zip(one.tolist(), other.tolist(), strict=True)):
        graph[a] |= 1 << b
        graph[b] |= 1 << a
    return graph


def _colourable(graph: list[int], colours: int) -> bool:
    """Whether so many colours suffice."""
    classes = [0] * colours
    return _finish(graph, classes, [v for v, near in enumerate(graph) if near.bit_count() >= colours])


def _finish(graph: list[int], classes: list[int], left: list[int]) -> bool:
    """Whether the vertices left can be added to the classes of those coloured. Vertices with fewer neighbours than colours always can."""
    if not left:
        return True
    choices = [[c for c, members in enumerate(classes) if not graph[v] & members] for v in left]
    best = min(range(len(left)), key=lambda i: (len(choices[i]), -graph[left[i]].bit_count()))
    rest = left[:best] + left[best + 1 :]
    tried_empty = False
    for c in choices[best]:
        if classes[c] == 0:
            if tried_empty:  # one colour that nobody has is as good as another
                continue
            tried_empty = True
        classes[c] |= 1 << left[best]
        if _finish(graph, classes, rest):
            return True
        classes[c] ^= 1 << left[best]
    return False
