"""Take assemblies of a puzzle apart: in the fewest moves into two parts, then each of these."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from puzzlesat.arrays import Ints, Longs
from puzzlesat.cover.build import Built
from puzzlesat.disassembly.data import Answer, Move, Parting
from puzzlesat.disassembly.kernel import (
    EXHAUSTED,
    FOUND,
    FULL,
    MOST_PIECES,
    MOST_SETS,
    TOO_FAR,
    TOO_MANY,
    Scene,
    Tree,
    explore,
    fill_table,
)
from puzzlesat.disassembly.steps import steps_of
from puzzlesat.errors import NotSupportedError
from puzzlesat.grid.lattice import Cell
from puzzlesat.progress import SILENT, Progress
from puzzlesat.solvers.machine import memory_within
from puzzlesat.solvers.run import Clock, EndedError, Limits

PAIRS = 1 << 16
"""Of shapes in a relative position, whose free ways are kept."""
FIRST_ROOM = 1 << 10
MOST_AWAY = 1 << 10
AT_ONCE = 4096
"""Positions between two looks at the clock."""
MOST_PARTS = 500
"""Sets of pieces that are parted to find the least numbers, for an assembly; when there were so many, the first way is taken."""
Placed = tuple[tuple[int, ...], tuple[tuple[int, int, int], ...]]
"""Pieces by number, and where each of them is, the first of them at (0, 0, 0)."""


@dataclass(frozen=True)
class Bench:
    """What all assemblies of a puzzle have in common: the shapes of the pieces, and what was found out about them on the way."""

    scene: Scene
    shape: Ints
    """Of each placement."""
    cell: Ints
    """Array (placements, 3)."""
    together: tuple[int, ...]
    """Of each placement the group of pieces that may stay together; -1: none."""
    directions: tuple[Cell, ...]
    """With as many coordinates as the grid has."""


def make_bench(built: Built, together: Sequence[Collection[str]] = ()) -> Bench:
    """Lay out the shapes of a puzzle. ``together`` names tiles that need not come apart from each other.

    Raises NotSupportedError where its pieces are no bodies or their placements are listed, and where the form wraps around.
    """
    puzzle, placements = built.puzzle, built.placements
    if puzzle.form.wrap is not None:
        raise NotSupportedError("the form wraps around, so there is nowhere to take a piece to")
    if (listed := next((tile.name for tile in puzzle.tiles if tile.listed), None)) is not None:
        raise NotSupportedError(f"the placements of tile {listed!r} are listed, so it is not known how it could move")
    steps = steps_of(puzzle.grid)
    kinds = np.stack([placements.tile, placements.orientation], axis=1)
    _, first, shape = np.unique(kinds, axis=0, return_index=True, return_inverse=True)
    cell = np.zeros((len(placements), 3), dtype=np.int32)
    cell[:, : placements.cell.shape[1]] = placements.cell
    bodies = [np.array([_in_space(a) for a in placements[o].atoms], dtype=np.int64) - [*cell[o], 0] for o in first.tolist()]
    atoms = np.concatenate([*bodies, np.zeros((0, 4), dtype=np.int64)])
    group = {name: number for number, names in enumerate(together) for name in names}
    return Bench(
        Scene(
            start=np.cumsum([0, *map(len, bodies)]).astype(np.int32),
            atom=atoms[:, 3].astype(np.int32),
            place=np.einsum("dij,aj->dai", steps.frames, atoms[:, :3]).astype(np.int32),
            frames=steps.frames,
            meets=steps.meets,
            reach=steps.reach,
            directions=steps.directions.astype(np.int32),
            keys=np.full(PAIRS, -1, dtype=np.int64),
            free=np.zeros((PAIRS, len(steps.directions)), dtype=np.int16),
            used=np.zeros(1, dtype=np.int64),
        ),
        shape.reshape(-1).astype(np.int32),
        cell,
        tuple(group.get(puzzle.tiles[t].name, -1) for t in placements.tile.tolist()),
        tuple(tuple(d[: puzzle.grid.dimension]) for d in steps.directions.tolist()),
    )


def _in_space(atom: Sequence[int]) -> list[int]:
    return [*atom[:-1], *[0] * (4 - len(atom)), atom[-1]]


def take_apart(bench: Bench, options: Sequence[int], limits: Limits, *, progress: Progress = SILENT) -> Answer:
    """Find out whether an assembly comes apart, and how.

    The number of moves until the first parting is the least that there is. Where several partings take as few moves, that is taken of which
    the numbers for the parts are the least, in the order of a dictionary. Whatever is taken away first: if the whole comes apart, so do
    its parts, from wherever they are; so one part that does not is enough to know that the whole does not.
    """
    if len(options) > MOST_PIECES:
        raise NotSupportedError(f"{len(options)} pieces; up to {MOST_PIECES} can be taken apart")
    work = _Work(bench, np.array(options, dtype=np.int64), Clock(limits), progress.of("searching"))
    pieces = tuple(range(len(options)))
    if (why := work.clock.verdict(-1)) is not None:
        return Answer(None, undecided=why)
    try:
        parting = _part(work, pieces, bench.cell[[*options]])
    except _StuckError as stuck:
        return Answer(None, stuck=stuck.pieces, closed=stuck.closed, positions=work.positions, least=work.least)
    except _UndecidedError as why:
        return Answer(None, undecided=str(why), positions=work.positions)
    return Answer(parting, positions=work.positions, least=work.least)


class _StuckError(Exception):
    """Pieces cannot be parted: they come in so many positions, and no others."""

    def __init__(self, pieces: tuple[int, ...], closed: int) -> None:
        super().__init__(pieces)
        self.pieces = pieces
        self.closed = closed


class _UndecidedError(Exception):
    """It was not found out whether pieces can be parted; the reason."""


@dataclass
class _Work:
    """An assembly that is being taken apart."""

    bench: Bench
    options: Longs
    clock: Clock
    progress: Progress
    known: dict[Placed, Parting | None] = field(default_factory=dict)
    positions: int = 0
    least: bool = True


def _part(work: _Work, pieces: tuple[int, ...], position: Ints) -> Parting | None:
    """How pieces come apart that are at some positions; None where they need not. Raises _StuckError where they do not."""
    groups = {work.bench.together[work.options[p]] for p in pieces}
    if len(pieces) <= 1 or (len(groups) == 1 and -1 not in groups):
        return None
    key = pieces, tuple(map(tuple, (position - position[0]).tolist()))
    if key not in work.known:
        work.known[key] = _parted(work, pieces, position)
    return work.known[key]


def _parted(work: _Work, pieces: tuple[int, ...], position: Ints) -> Parting:
    tree = _explored(work, pieces, position)
    best: Parting | None = None
    for number, mask, d in tree.away[: tree.state[2]].tolist():
        if best is not None and len(work.known) > MOST_PARTS:
            work.least = False
            break
        found = _parting(work, pieces, tree, number, mask, d)
        if best is None or (found.sequence, _atoms(work, found)) < (best.sequence, _atoms(work, best)):
            best = found
        if len(pieces) > 2 and len(best.sequence) < _parts(work, pieces) and max(best.sequence[1:], default=1) == 1:  # no sequence is less
            break
    else:
        work.least &= not tree.state[3]
    assert best is not None
    return best


def _parts(work: _Work, pieces: tuple[int, ...]) -> int:
    """Into how many parts pieces are to come apart at least: those of a group may stay together."""
    groups = [work.bench.together[work.options[p]] for p in pieces]
    return groups.count(-1) + len({*groups} - {-1})


def _atoms(work: _Work, parting: Parting) -> int:
    """How many atoms are taken away: of two single pieces the smaller one."""
    return _size(work, parting.moves[-1].pieces)


def _size(work: _Work, pieces: Sequence[int]) -> int:
    start, shapes = work.bench.scene.start, work.bench.shape[work.options[[*pieces]]]
    return int((start[shapes + 1] - start[shapes]).sum())


def _parting(work: _Work, pieces: tuple[int, ...], tree: Tree, number: int, mask: int, d: int) -> Parting:
    """The parting that takes the pieces of ``mask`` away from a position of the tree."""
    apart = [i for i in range(len(pieces)) if mask >> i & 1]
    stay = [i for i in range(len(pieces)) if not mask >> i & 1]
    position = tree.position[number]
    left = _part(work, tuple(pieces[i] for i in stay), position[stay])
    away = _part(work, tuple(pieces[i] for i in apart), position[apart])
    directions = work.bench.directions
    moves = [Move(tuple(pieces[i] for i in apart), directions[d], None)]
    while number:
        moved, (way, steps) = int(tree.moved[number]), tree.way[number].tolist()
        who, others = (tuple(p for i, p in enumerate(pieces) if (moved >> i & 1) == moves_on) for moves_on in (1, 0))
        if len(who) == len(others) and _size(work, who) > _size(work, others):
            who, way = others, way ^ 1  # the same move, of the smaller half
        moves.append(Move(who, directions[way], steps))
        number = int(tree.parent[number])
    return Parting(pieces, tuple(reversed(moves)), left, away)


# the search -------------------------------------------------------------------------------------------------------------------


def _explored(work: _Work, pieces: tuple[int, ...], position: Ints) -> Tree:
    """Search until something can be taken away. Raises _StuckError where nothing can, _UndecidedError where that is not found out."""
    scene = work.bench.scene
    shapes = work.bench.shape[work.options[[*pieces]]]
    ways = np.zeros((len(scene.directions), len(pieces), len(pieces)), dtype=np.int16)
    tree = _planted(position)
    grouped = _parts(work, pieces) < len(pieces)
    before = work.positions
    while True:
        end = explore(scene, shapes, tree, ways, grouped, AT_ONCE)
        work.positions = before + int(tree.state[1])
        if end == FOUND:
            return tree
        if end == EXHAUSTED:
            raise _StuckError(pieces, int(tree.state[0]))
        if end == TOO_FAR:
            raise _UndecidedError("pieces move further from each other than can be told")
        if end == TOO_MANY:
            raise _UndecidedError("pieces can be moved in too many groups")
        if (why := work.clock.verdict(-1)) is not None:
            raise _UndecidedError(why)
        with suppress(EndedError):  # the clock has just been asked
            work.progress({"positions": work.positions})
        if end == FULL:
            if 5 * sum(array.nbytes for array in tree) > memory_within(work.clock.limits):
                raise _UndecidedError("out of memory")
            tree = _grown(tree)


def _planted(position: Ints) -> Tree:
    """The tree with the position where the search begins."""
    pieces = len(position)
    tree = Tree(
        position=np.zeros((FIRST_ROOM, pieces, 3), dtype=np.int32),
        parent=np.zeros(FIRST_ROOM, dtype=np.int32),
        depth=np.zeros(FIRST_ROOM, dtype=np.int32),
        moved=np.zeros(FIRST_ROOM, dtype=np.uint64),
        way=np.zeros((FIRST_ROOM, 2), dtype=np.int32),
        table=np.full(4 * FIRST_ROOM, -1, dtype=np.int32),
        state=np.array([1, 0, 0, 0], dtype=np.int64),
        away=np.zeros((MOST_AWAY, 3), dtype=np.int64),
        sets=np.zeros(MOST_SETS, dtype=np.uint64),
    )
    tree.position[0] = position
    fill_table(tree)
    return tree


def _grown(tree: Tree) -> Tree:
    """The same tree with room for four times as many positions."""
    room = 4 * len(tree.parent)
    tree = tree._replace(
        position=_longer(tree.position, room),
        parent=_longer(tree.parent, room),
        depth=_longer(tree.depth, room),
        moved=_longer(tree.moved, room),
        way=_longer(tree.way, room),
        table=np.empty(4 * room, dtype=np.int32),
    )
    fill_table(tree)
    return tree


def _longer(array: NDArray[Any], room: int) -> NDArray[Any]:
    longer = np.zeros((room, *array.shape[1:]), dtype=array.dtype)
    longer[: len(array)] = array
    return longer
