"""Disassembly in pictures and as plain data: the graph of states, drawn in layers, and the moves as a strip of pictures."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from puzzlesat.base import Flags, Longs, Reals, listed
from puzzlesat.disassembly import Disassembly, Move, Parting, Rotation, States
from puzzlesat.pictures.bodies import Solid, seen_areas
from puzzlesat.pictures.canvases import canvas, make_canvas
from puzzlesat.pictures.flat import piece
from puzzlesat.pictures.isometric import at_home, solids_picture
from puzzlesat.pictures.palette import solution_colours
from puzzlesat.pictures.pieces import draw_piece
from puzzlesat.pictures.svg import Picture, beneath, disc, in_rows, number, path, text, text_width
from puzzlesat.puzzles import AtomId, BuiltInstance, Cell, Grid, translate

MAX_DRAWN_STATES = 1_000
"""Largest number of states in a picture."""
WIDEST = 1100.0
ROW, GAP, NARROWEST = 40.0, 36.0, 2.5
"""Distance between layers; largest and smallest distance between states of a layer."""
LEFT = 70.0
"""Width of the column with each layer's number and number of states."""
SWEEPS = 8
"""Sweeps that sort each layer by the mean position of its neighbours, to reduce crossings (Sugiyama, Tagawa, Toda, 1981)."""
LINE, SHORTEST, SOFT = "#a9b3bc", "#0072b2", "#5a6570"


class StateMark(NamedTuple):
    """Fill, outline and shape of a state in the picture."""

    fill: str
    stroke: str
    square: bool = False
    crossed: bool = False


ON_SHORTEST, EXIT = StateMark(SHORTEST, SHORTEST), StateMark("#009e73", "#00593f", square=True)
DEAD_END, OTHER = StateMark("#ffffff", "#b4460f", crossed=True), StateMark("#dfe4e8", SOFT)
LEGEND = (("on a shortest way out", ON_SHORTEST), ("way out", EXIT), ("dead end", DEAD_END), ("other state", OTHER))


@dataclass(frozen=True, eq=False)
class Laid:
    """A laid out graph of states."""

    shown: Longs
    """Numbers of the states that are drawn, ascending."""
    at: Reals
    """Array (shown, 2): coordinates of the states."""
    edges: Longs
    """Array (edges, 2): edges as pairs of indices into ``shown``."""
    radius: float
    width: float
    height: float


def lay_out(states: States) -> Laid:
    """Lay out a graph of states. If it is too large, keep first the states on shortest ways, then those with low numbers."""
    shown = np.sort(np.lexsort((np.arange(len(states)), ~states.shortest))[:MAX_DRAWN_STATES])
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
    """Return the place of each state in its layer, in gaps from the middle.

    A state is placed near its neighbours, so that few edges cross.
    """
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


@dataclass(frozen=True, eq=False)
class StateGraph:
    """The graph of the states of an assembly, drawn in layers by the number of moves from the assembly at the top."""

    states: States

    @cached_property
    def laid(self) -> Laid:
        """The layout of the graph."""
        return lay_out(self.states)

    def svg(self, title: str = "") -> str:
        """Return the picture."""
        states, laid = self.states, self.laid
        short, out, dead = (flags[laid.shown] for flags in (states.shortest, states.exits, states.dead_ends))
        on = on_shortest(states, laid)
        parts = [
            _lines(laid, laid.edges[~on], LINE, min(1.0, laid.radius / 6)),
            _lines(laid, laid.edges[on], SHORTEST, min(2.5, laid.radius / 2)),
            *(
                _marks(laid.at[selected], laid.radius, mark)
                for selected, mark in ((~(short | out | dead), OTHER), (dead, DEAD_END), (short & ~out, ON_SHORTEST), (out, EXIT))
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
        return beneath([graph, *below], 6).titled(title).document(title)

    def as_json(self) -> dict[str, Any]:
        """Return the graph as ``stategraph.js`` expects it."""
        states, laid = self.states, self.laid
        on = on_shortest(states, laid)
        paths = ["".join(edge_path(laid, *edge) for edge in laid.edges[selected].tolist()) for selected in (~on, on)]
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
    """The node before a state and the move that leads from it to the state."""
    before = int(states.parent[number])
    if before < 0:
        return {}
    move = states.move(before, number)
    assert move.steps is not None
    by = [move.steps * x for x in move.direction]
    return {"from": index[before], "step": {"pieces": list(move.pieces), "by": by, "far": move.steps, "along": move.along}}


def on_shortest(states: States, laid: Laid) -> Flags:
    """Return which edges are on a shortest way out."""
    ends = laid.shown[laid.edges]
    return np.asarray(states.shortest[ends].all(axis=1) & (states.depth[ends[:, 0]] != states.depth[ends[:, 1]]))


def _legend() -> Picture:
    """The legend of the marks."""
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
    """Return the line between two states. Within a layer it is curved, to pass other states."""
    (x, y), (u, v) = laid.at[one], laid.at[other]
    if y != v:
        return path([(x, y), (u, v)], closed=False)
    return f"M{number(x)} {number(y)}Q{number((x + u) / 2)} {number(y + min(0.45 * ROW, 0.4 * abs(x - u)))} {number(u)} {number(v)}"


def _marks(at: Iterable[Sequence[float] | Reals], r: float, mark: StateMark) -> str:
    """States at the given points, all with the same mark."""
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


WIDEST_STRIP = 1200.0
SMALLER = 0.7
"""Scale of a picture in the strip relative to a picture of the puzzle."""
MAX_NAMED = 3
SEEN, HIDING = 0.1, 0.05
"""If less than the share ``SEEN`` of the moving pieces is visible, pieces that hide more than the share ``HIDING`` of them are drawn as
glass."""
Pieces = dict[int, tuple[AtomId, ...]]
"""Current atoms of each piece that is drawn."""


@dataclass(frozen=True, eq=False)
class TakingApart:
    """A strip of pictures of a disassembly: all pieces of the assembly, then after each move the pieces that this move separates."""

    built: BuiltInstance
    options: Sequence[int]
    answer: Disassembly

    def svg(self, title: str = "") -> str:
        """Return a strip of pictures."""
        built, options, grid = self.built, self.options, self.built.puzzle.grid
        whole: Pieces = {i: built.placements[o].atoms for i, o in enumerate(options)}
        colours = solution_colours(built, options)
        labels = numbered([built.puzzle.tiles[built.placements.tile[o]].name for o in options])
        frames = [_frame(built, whole, colours, labels, (), "together")]
        for step, slide in enumerate(slides(grid, whole, self.answer.parting), start=1):
            move = slide.move
            who = listed((labels[p] for p in move.pieces), MAX_NAMED)
            frames.append(_frame(built, slide.pieces, colours, labels, move.pieces, f"{step}. {who}: {move.words}"))
        return in_rows(frames, WIDEST_STRIP).titled(title).document(title or built.instance.title)

    def as_json(self) -> dict[str, Any]:
        """Return the disassembly as the type ``Taking`` of ``takeapart.js`` describes it."""
        built, options, answer, parting = self.built, self.options, self.answer, self.answer.parting
        whole: Pieces = {i: built.placements[o].atoms for i, o in enumerate(options)}
        steps, before = [], None
        for slide in slides(built.puzzle.grid, whole, parting):
            step = {"pieces": list(slide.move.pieces), **_moved(slide)}
            steps.append(step if slide.of == before else {"of": list(slide.of), **step})
            before = slide.of
        return {
            "level": None if parting is None else parting.level,
            "least": answer.least,
            "steps": steps,
            "stuck": list(answer.stuck),
            "undecided": answer.undecided,
            "colours": solution_colours(built, options),
        }

    def lattice(self) -> dict[str, list[Any]]:
        """Return the drawing coordinates of a plane lattice: the steps of its ``basis``, and the ``middle`` of the cell at the origin."""
        board = canvas(self.built.puzzle)
        basis = [
            [round(float(x * f), 3) for x, f in zip(row[:2], (board.factor, -board.factor), strict=True)] for row in board.shapes.basis[:2]
        ]
        return {"basis": basis, "middle": board.corners((0, 0, 0)).mean(axis=0).round(3).tolist()}


def numbered(names: Sequence[str]) -> list[str]:
    """Return the names of pieces, numbered where a name occurs more than once: ``L 1``, ``L 2``."""
    return [f"{name} {names[: i + 1].count(name)}" if names.count(name) > 1 else name for i, name in enumerate(names)]


def _moved(slide: Slide) -> dict[str, Any]:
    """The motion of a step as plain data."""
    move = slide.move
    if isinstance(move, Rotation):
        return {"turn": {"axis": move.axis, "about": [x / 2 for x in move.about], "quarters": move.quarters}}
    return {"by": list(slide.by), "far": move.steps, "along": move.along}


@dataclass(frozen=True)
class Slide:
    """A move during the disassembly of some pieces."""

    of: tuple[int, ...]
    move: Move | Rotation
    by: Cell
    """Distance in the drawing; pieces that leave stay visible. Zero for a turn."""
    pieces: Pieces
    """The pieces after the move."""


def slides(grid: Grid, pieces: Pieces, parting: Parting | None) -> Iterator[Slide]:
    """Yield the moves of a disassembly in the order in which a person makes them."""
    if parting is None:
        return
    for move in parting.moves:
        before = pieces
        if isinstance(move, Rotation):
            pieces = {p: move.turned(atoms) if p in move.pieces else atoms for p, atoms in before.items()}
            yield Slide(parting.pieces, move, (0,) * grid.dimension, pieces)
            continue
        steps = _clear(grid, before, move) if move.steps is None else move.steps
        by = tuple(steps * x for x in move.direction)
        pieces = {p: tuple(translate(a, by) for a in atoms) if p in move.pieces else atoms for p, atoms in before.items()}
        yield Slide(parting.pieces, move, by, pieces)
    gone = set(parting.moves[-1].pieces)
    yield from slides(grid, {p: atoms for p, atoms in before.items() if p not in gone}, parting.left)
    yield from slides(grid, {p: atoms for p, atoms in before.items() if p in gone}, parting.away)


def _clear(grid: Grid, pieces: Mapping[int, Sequence[AtomId]], move: Move) -> int:
    """Number of steps until there is a gap between the moving and the other pieces."""
    goes = [_along(grid, move.direction, grid.centre(a)) for p in move.pieces for a in pieces[p]]
    stays = [_along(grid, move.direction, grid.centre(a)) for p, atoms in pieces.items() if p not in move.pieces for a in atoms]
    return max(1, (max(stays) - min(goes)) // _along(grid, move.direction, move.direction) + 2)


def _along(grid: Grid, direction: Cell, point: Iterable[Fraction | int]) -> Fraction:
    return sum((x * g * y for x, row in zip(direction, grid.gram, strict=True) for g, y in zip(row, point, strict=True)), start=Fraction(0))


def _frame(
    built: BuiltInstance, pieces: Pieces, colours: Sequence[str], labels: Sequence[str], moved: Collection[int], words: str
) -> Picture:
    """The pieces with a caption. Pieces that hide the moved ones are drawn as glass."""
    puzzle, factor = built.puzzle, SMALLER * canvas(built.puzzle).factor
    if puzzle.grid.dimension == 3:
        solids = at_home([Solid(atoms, colours[p], labels[p], name=labels[p]) for p, atoms in pieces.items()])
        if moved and not puzzle.grid.of_balls:
            solids = _with_glass(puzzle.grid, solids, [p in moved for p in pieces], factor)
        return solids_picture(puzzle.grid, solids, factor).named(words)
    board = make_canvas(puzzle.grid, [a for atoms in pieces.values() for a in atoms], factor=factor)
    drawn = [piece(puzzle, board, draw_piece(board, atoms), colours[p], labels[p], labels[p]) for p, atoms in pieces.items()]
    return Picture(board.width, board.height, "\n".join(drawn)).named(words)


def _with_glass(grid: Grid, solids: Sequence[Solid], moved: Sequence[bool], factor: float) -> list[Solid]:
    """The same solids; if little of the moved ones is visible, the solids that hide them are glass."""
    own = [solid for solid, is_moved in zip(solids, moved, strict=True) if is_moved]
    alone = sum(seen_areas(grid, own, factor))

    def shown(*others: Solid) -> float:
        return sum(seen_areas(grid, [*own, *others], factor)[: len(own)])

    others = [solid for solid, is_moved in zip(solids, moved, strict=True) if not is_moved]
    if shown(*others) >= SEEN * alone:
        return [*solids]
    return [
        solid if is_moved or shown(solid) >= (1 - HIDING) * alone else replace(solid, glass=True)
        for solid, is_moved in zip(solids, moved, strict=True)
    ]
