"""The graph of the states of an assembly, drawn in layers: the assembly above, below it what one move leads to, and so on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from puzzlesat.arrays import Flags, Longs, Reals
from puzzlesat.disassembly.states import States
from puzzlesat.draw.svg import Picture, beneath, disc, document, number, path, text, text_width, titled

MOST_DRAWN = 1_000
"""States in a picture."""
WIDEST = 1100.0
ROW, GAP, NARROWEST = 40.0, 36.0, 2.5
"""Between layers; between states of a layer, at most and at least."""
LEFT = 70.0
"""Room for the number of each layer and of its states."""
SWEEPS = 8
"""How often states are put in the order of the middle of what they are joined to (Sugiyama, Tagawa, Toda, 1981)."""
LINE, SHORTEST, SOFT = "#a9b3bc", "#0072b2", "#5a6570"


class Mark(NamedTuple):
    """How a state is drawn."""

    fill: str
    stroke: str
    square: bool = False
    crossed: bool = False


ON_SHORTEST, EXIT = Mark(SHORTEST, SHORTEST), Mark("#009e73", "#00593f", square=True)
DEAD_END, OTHER = Mark("#ffffff", "#b4460f", crossed=True), Mark("#dfe4e8", SOFT)
LEGEND = (("on a shortest way out", ON_SHORTEST), ("way out", EXIT), ("dead end", DEAD_END), ("other state", OTHER))


@dataclass(frozen=True, eq=False)
class Laid:
    """A graph of states, laid out."""

    shown: Longs
    """The numbers of the states that are drawn, in ascending order."""
    at: Reals
    """(shown, 2): where each is."""
    edges: Longs
    """(edges, 2): between which of those that are shown."""
    radius: float
    width: float
    height: float


def lay_out(states: States) -> Laid:
    """Lay out a graph of states: all of them, or of too many those on the shortest ways first, then those of low numbers."""
    shown = np.sort(np.lexsort((np.arange(len(states)), ~states.shortest))[:MOST_DRAWN])
    index = np.full(len(states), -1, dtype=np.int64)
    index[shown] = np.arange(len(shown))
    edges = index[states.edges]
    edges = edges[(edges >= 0).all(axis=1)]
    depth = states.depth[shown]
    layers = [np.flatnonzero(depth == d) for d in range(int(depth.max()) + 1)]
    most = max(map(len, layers))
    gap = min(GAP, max(NARROWEST, (WIDEST - LEFT) / most))
    x = _across(layers, edges, depth)
    at = np.stack([LEFT + gap * (x + most / 2), ROW * (depth + 0.5)], axis=1)
    return Laid(shown, at, edges, min(8.0, 0.36 * gap), LEFT + gap * most, ROW * len(layers))


def _across(layers: Sequence[Longs], edges: Longs, depth: Longs) -> Reals:
    """Where each state is in its layer, in gaps from the middle: few lines cross if each is near what it is joined to."""
    x = np.zeros(len(depth))
    for layer in layers:
        x[layer] = np.arange(len(layer)) - (len(layer) - 1) / 2
    both = np.concatenate([edges, edges[:, ::-1]])
    for sweep in range(SWEEPS):
        down = sweep % 2 == 0
        step = depth[both[:, 1]] - depth[both[:, 0]]
        joined = both[step == (1 if down else -1)]
        for layer in layers[1:] if down else layers[-2::-1]:
            here = np.isin(joined[:, 1], layer)
            count = np.bincount(joined[here, 1], minlength=len(x))
            total = np.bincount(joined[here, 1], weights=x[joined[here, 0]], minlength=len(x))
            middle = np.where(count[layer] > 0, total[layer] / np.maximum(count[layer], 1), x[layer])
            x[layer[np.argsort(middle, kind="stable")]] = np.arange(len(layer)) - (len(layer) - 1) / 2
    return x


def states_svg(states: States, *, title: str = "") -> str:
    """Return the picture of a graph of states."""
    laid = lay_out(states)
    short, out, dead = (flags[laid.shown] for flags in (states.shortest, states.exits, states.dead_ends))
    on = on_shortest(states, laid)
    parts = [
        _lines(laid, laid.edges[~on], LINE, min(1.0, laid.radius / 6)),
        _lines(laid, laid.edges[on], SHORTEST, min(2.5, laid.radius / 2)),
        *(
            _marks(laid.at[those], laid.radius, mark)
            for those, mark in ((~(short | out | dead), OTHER), (dead, DEAD_END), (short & ~out, ON_SHORTEST), (out, EXIT))
        ),
        *(
            text(0, ROW * (d + 0.5), f"{d}: {n:,}", 12, fill=SOFT, anchor="start")
            for d, n in enumerate(states.layers)
            if ROW * d < laid.height
        ),
    ]
    graph = Picture(laid.width, laid.height, "\n".join(filter(None, parts)))
    words = [*states.sentences(), *([f"drawn: {len(laid.shown):,} of {len(states):,} states"] if len(laid.shown) < len(states) else [])]
    below = [_legend(), *(Picture(text_width(line, 12), 14, text(0, 7, line, 12, anchor="start")) for line in words)]
    return document(titled(beneath([graph, *below], 6), title), title)


def on_shortest(states: States, laid: Laid) -> Flags:
    """Return which of the lines are on a shortest way out."""
    ends = laid.shown[laid.edges]
    return np.asarray(states.shortest[ends].all(axis=1) & (states.depth[ends[:, 0]] != states.depth[ends[:, 1]]))


def _legend() -> Picture:
    """What the marks stand for."""
    first = "moves from the start: states"
    parts, x = [text(0, 10, first, 12, fill=SOFT, anchor="start")], text_width(first, 12) + 20
    for words, mark in LEGEND:
        parts += [_marks([(x, 10.0)], 6.0, mark), text(x + 12, 10, words, 12, anchor="start")]
        x += text_width(words, 12) + 34
    return Picture(x, 22, "\n".join(parts))


def _lines(laid: Laid, edges: Longs, colour: str, width: float) -> str:
    drawn = "".join(edge_path(laid, one, other) for one, other in edges.tolist())
    return f'<path d="{drawn}" fill="none" stroke="{colour}" stroke-width="{number(width)}"/>' if drawn else ""


def edge_path(laid: Laid, one: int, other: int) -> str:
    """Return the line between two states; within a layer it is bent, so that it does not go through others."""
    (x, y), (u, v) = laid.at[one], laid.at[other]
    if y != v:
        return path([(x, y), (u, v)], closed=False)
    return f"M{number(x)} {number(y)}Q{number((x + u) / 2)} {number(y + min(0.45 * ROW, 0.4 * abs(x - u)))} {number(u)} {number(v)}"


def _marks(at: Iterable[Sequence[float] | Reals], r: float, mark: Mark) -> str:
    """States at some points, all with one mark."""
    drawn = "".join((_square if mark.square else disc)(point, r) + (_cross(point, r) if mark.crossed else "") for point in at)
    return f'<path d="{drawn}" fill="{mark.fill}" stroke="{mark.stroke}" stroke-width="{number(min(1.5, 0.3 * r))}"/>' if drawn else ""


def _square(at: Sequence[float] | Reals, r: float) -> str:
    x, y = at
    return path([(x - r, y - r), (x + r, y - r), (x + r, y + r), (x - r, y + r)])


def _cross(at: Sequence[float] | Reals, r: float) -> str:
    x, y = at
    return path([(x - 0.6 * r, y - 0.6 * r), (x + 0.6 * r, y + 0.6 * r)], closed=False) + path(
        [(x - 0.6 * r, y + 0.6 * r), (x + 0.6 * r, y - 0.6 * r)], closed=False
    )
