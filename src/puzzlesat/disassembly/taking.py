"""Take assemblies of a puzzle apart: in the fewest moves into two parts, then each of these.

The level as BurrTools prints it: that of the first way apart that it finds, in its order of pieces and directions.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from puzzlesat.base import SILENT, Clock, EndedError, Flags, Ints, Limits, Longs, NotSupportedError, Progress
from puzzlesat.disassembly.burrtools_order import Tried, first_away
from puzzlesat.disassembly.data import Answer, Move, Parting, StuckError, Turn, UndecidedError
from puzzlesat.disassembly.kernel import (
    AWAY,
    COUNT,
    EXHAUSTED,
    FIELD,
    FOUND,
    FULL,
    LOOKED,
    MOST_PIECES,
    MOST_SETS,
    NOT_ALL,
    SINGLE,
    TOO_FAR,
    TOO_MANY,
    Rows,
    Scene,
    Tree,
    explore,
    fill_table,
)
from puzzlesat.disassembly.steps import Steps, steps_of
from puzzlesat.puzzles import Built, BuiltInstance, Cell, Grid, Puzzle

PAIRS = 1 << 16
"""Of shapes in a relative position, whose free ways are kept."""
FIRST_ROOM = 1 << 10
MOST_AWAY = 1 << 10
AT_ONCE = 4096
"""Positions between two looks at the clock."""
ROWS_AT_ONCE = 64
"""Assemblies that the kernel gets in one call, at most."""
MOST_PARTS = 20_000
"""Sets of pieces that are parted to find the least numbers, for an assembly; when there were so many, the first way is taken."""
Placed = tuple[tuple[int, ...], tuple[int, ...]]
"""Pieces by number, and where each of them is as a word of the kernel, the first of them at 0."""


@dataclass
class Table:
    """The room in which a bench works. It is the same for all assemblies: a kernel is called faster with what it was called with before."""

    tree: Tree
    rows: Rows
    """Of whole assemblies."""
    part: Rows
    """Of some pieces of one of them."""
    tried: Tried
    """For moves whose order counts."""


@dataclass(frozen=True)
class Bench:
    """What all assemblies of a puzzle have in common: the shapes of the pieces, and what was found out about them on the way."""

    scene: Scene
    shape: Ints
    """Of each placement."""
    place: Longs
    """The first cell of each placement, as a word of the kernel."""
    together: Longs
    """Of each placement the group of pieces that may stay together, or the union of those that share pieces; -1: none."""
    member: Flags
    """Array (placements, groups): whether a piece is one of a group."""
    directions: tuple[Cell, ...]
    """With as many coordinates as the grid has."""

    @cached_property
    def grouped(self) -> bool:
        """Whether any pieces may stay together."""
        return bool((self.together >= 0).any())

    @cached_property
    def sizes(self) -> Longs:
        """How many atoms each shape has."""
        return np.diff(self.scene.start).astype(np.int64)

    @cached_property
    def tables(self) -> list[Table]:
        """The table at which one works, where there is one."""
        return []

    def table_for(self, pieces: int) -> Table:
        """Return a table for so many pieces."""
        if not self.tables or self.tables[-1].rows.shape.shape[1] < pieces:
            self.tables[:] = [
                Table(new_tree(pieces, len(self.directions)), new_rows(ROWS_AT_ONCE, pieces), new_rows(1, pieces), new_tried()),
            ]
        return self.tables[-1]


def make_bench(built: Built, together: Sequence[Collection[str]] = ()) -> Bench:
    """Lay out the shapes of a puzzle. ``together`` names tiles that need not come apart from each other once others are away.

    Raises NotSupportedError where its pieces are no bodies or their placements are listed, and where the form wraps around.
    """
    puzzle, placements = built.puzzle, built.placements
    check_movable(puzzle)
    steps = steps_of(puzzle.grid)
    kinds = np.stack([placements.tile, placements.orientation], axis=1)
    _, first, shape = np.unique(kinds, axis=0, return_index=True, return_inverse=True)
    cell = np.zeros((len(placements), 3), dtype=np.int64)
    cell[:, : placements.cell.shape[1]] = placements.cell
    bodies = [np.array([_in_space(a) for a in placements[o].atoms], dtype=np.int64) - [*cell[o], 0] for o in first.tolist()]
    member = np.array([[tile.name in names for names in together] for tile in puzzle.tiles], dtype=np.bool_)
    return Bench(
        _scene(steps, bodies),
        shape.reshape(-1).astype(np.int32),
        _words(cell),
        _united(member)[placements.tile],
        member[placements.tile],
        tuple(tuple(d[: puzzle.grid.dimension]) for d in steps.directions.tolist()),
    )


def _united(member: Flags) -> Longs:
    """A number for each tile of a group, the same for all tiles of groups that share one; -1 for the other tiles."""
    number = np.where(member.any(axis=1), np.arange(len(member)), -1)
    for group in member.T[member.any(axis=0)]:
        number[np.isin(number, number[group])] = number[group].min()
    return number


def check_movable(puzzle: Puzzle) -> None:
    """Raise NotSupportedError where the placements of pieces are listed, and where the form wraps around."""
    if puzzle.form.wrap is not None:
        raise NotSupportedError("the form wraps around, so there is nowhere to take a piece to")
    if (listed := next((tile.name for tile in puzzle.tiles if tile.listed), None)) is not None:
        raise NotSupportedError(f"the placements of tile {listed!r} are listed, so it is not known how it could move")


def _in_space(atom: Sequence[int]) -> list[int]:
    return [*atom[:-1], *[0] * (4 - len(atom)), atom[-1]]


def _words(cells: Longs) -> Longs:
    """Cells as words of the kernel."""
    return np.ascontiguousarray(cells @ np.array([1, 1 << FIELD, 1 << 2 * FIELD], dtype=np.int64))


def _scene(steps: Steps, bodies: Sequence[Longs]) -> Scene:
    """Lay out shapes, of which the atoms are given: by themselves, and by the lines along each axis."""
    atoms = np.concatenate([*bodies, np.zeros((0, 4), dtype=np.int64)])
    frames = np.ascontiguousarray(steps.frames[::2])
    place = np.einsum("dij,aj->dai", frames, atoms[:, :3])
    start = np.cumsum([0, *map(len, bodies)])
    patch = np.zeros((len(frames), len(bodies), 5), dtype=np.int64)
    lines, heights, kinds = [np.zeros(1, dtype=np.int64)], [], []
    number = 0
    for axis, own in enumerate(place):
        for shape, (begin, end) in enumerate(pairwise(start.tolist())):
            low = own[begin:end, :2].min(axis=0)
            wide = own[begin:end, :2].max(axis=0) - low + 1
            patch[axis, shape] = number, *low, *wide
            line = (own[begin:end, :2] - low) @ [wide[1], 1]
            order = np.lexsort((own[begin:end, 2], line))
            lines.append(np.bincount(line, minlength=int(wide.prod())))
            heights.append(own[begin:end, 2][order])
            kinds.append(atoms[begin:end, 3][order])
            number += int(wide.prod())
    return Scene(
        start=start.astype(np.int32),
        atom=atoms[:, 3].astype(np.int32),
        place=place.astype(np.int32),
        frames=frames,
        meets=np.ascontiguousarray(steps.meets[::2]),
        reach=steps.reach,
        patch=patch,
        line=np.cumsum(np.concatenate(lines)).astype(np.int32),
        height=np.concatenate([*heights, np.zeros(0, dtype=np.int64)]).astype(np.int32),
        kind=np.concatenate([*kinds, np.zeros(0, dtype=np.int64)]).astype(np.int32),
        steps=_words(steps.directions),
        keys=np.full((PAIRS, 2), -1, dtype=np.int64),
        free=np.zeros((PAIRS, len(steps.directions)), dtype=np.int16),
        used=np.zeros(1, dtype=np.int64),
    )


# assemblies ---------------------------------------------------------------------------------------------------------------------


def take_apart(bench: Bench, options: Sequence[int], limits: Limits, *, progress: Progress = SILENT) -> Answer:
    """Find out whether an assembly comes apart, and how.

    The number of moves until the first parting is the least that there is. Where several partings take as few moves, that is taken of which
    the numbers for the parts are the least, in the order of a dictionary. Whatever is taken away first: if the whole comes apart, so do
    its parts, from wherever they are; so one part that does not is enough to know that the whole does not.
    """
    return next(take_all_apart(bench, [options], limits, progress=progress))


def take_all_apart(bench: Bench, rows: Sequence[Sequence[int]], limits: Limits, *, progress: Progress = SILENT) -> Iterator[Answer]:
    """Yield the same of up to ``ROWS_AT_ONCE`` assemblies, one after the other."""
    most = max(map(len, rows))
    if most > MOST_PIECES:
        raise NotSupportedError(f"{most} pieces; up to {MOST_PIECES} can be taken apart")
    clock = Clock(limits)
    table = bench.table_for(most)
    for number, options in enumerate(rows):
        lay(bench, table.rows, number, np.array(options, dtype=np.int64), bench.place[[*options]])
    done, begun = 0, False
    while done < len(rows):
        if (why := clock.verdict(-1)) is not None:
            yield from [Answer(None, undecided=why)] * (len(rows) - done)
            return
        row, end = explore(bench.scene, table.tree, table.rows, done, len(rows), begun, AT_ONCE)
        for number in range(done, row):
            closed = int(table.rows.closed[number])
            yield Answer(None, stuck=tuple(range(len(rows[number]))) if closed else (), closed=closed, positions=closed)
        done, begun = row, False
        if end != EXHAUSTED:
            work = Work(bench, table, row, np.array(rows[row], dtype=np.int64), clock, progress.of("searching"))
            yield _answer(work, end)
            done += 1


def lay(bench: Bench, rows: Rows, number: int, options: Longs, position: Longs) -> None:
    """Write pieces into a row; ``position`` has where they are, as words."""
    pieces = len(options)
    rows.size[number] = pieces
    rows.shape[number, :pieces] = bench.shape[options]
    rows.position[number, :pieces] = position
    rows.grouped[number] = 0
    if bench.grouped:
        rows.grouped[number] = _parts(bench.together[options].tolist()) < pieces


def _parts(groups: Sequence[int]) -> int:
    """Into how many parts pieces come apart at least, by their groups or unions of groups."""
    return groups.count(-1) + len({*groups} - {-1})


@dataclass
class Work:
    """An assembly that is being taken apart."""

    bench: Bench
    table: Table
    row: int
    options: Longs
    clock: Clock
    progress: Progress
    known: dict[Placed, Parting | None] = field(default_factory=dict)
    positions: int = 0
    least: bool = True
    order: Longs | None = None
    """The directions in the order in which they are tried, where the first way that is found counts."""

    @cached_property
    def groups(self) -> list[int]:
        """The groups of the pieces."""
        groups: list[int] = self.bench.together[self.options].tolist()
        return groups

    @cached_property
    def sizes(self) -> list[int]:
        """How many atoms the pieces have."""
        sizes: list[int] = self.bench.sizes[self.bench.shape[self.options]].tolist()
        return sizes

    def size(self, pieces: Sequence[int]) -> int:
        """Return how many atoms some pieces have."""
        return sum(self.sizes[p] for p in pieces)


def _answer(work: Work, end: int) -> Answer:
    """What is known of an assembly whose search so ended, or paused."""
    pieces = tuple(range(len(work.options)))
    try:
        parting = searched(work, pieces, end)
    except StuckError as stuck:
        return Answer(None, stuck=stuck.pieces, closed=stuck.closed, positions=work.positions, least=work.least)
    except UndecidedError as why:
        return Answer(None, undecided=str(why), positions=work.positions)
    return Answer(parting, positions=work.positions, least=work.least)


# partings -----------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Away:
    """Some pieces that can be taken away: where all are then, and how they came there."""

    position: tuple[int, ...]
    moves: tuple[tuple[int, int, int], ...]
    """The pieces that moved, as a mask, in which direction, how far; the last one first."""
    mask: int
    direction: int


@dataclass(frozen=True)
class _Found:
    """All that can be taken away after the fewest moves."""

    away: tuple[_Away, ...]
    whole: bool
    """Whether these are all."""


def _part(work: Work, pieces: tuple[int, ...], position: Sequence[int]) -> Parting | None:
    """How pieces come apart that are at some positions; None where they need not. Raises StuckError where they do not."""
    if len(pieces) == 1 or _may_stay(work, pieces):
        return None
    key = pieces, tuple([p - position[0] for p in position])
    if key not in work.known:
        lay(work.bench, work.table.part, 0, work.options[[*pieces]], np.array(key[1], dtype=np.int64))
        work.known[key] = searched(work, pieces)
    return work.known[key]


def _parted(work: Work, pieces: tuple[int, ...], found: _Found) -> Parting:
    """The parting of which the numbers are the least."""
    best: Parting | None = None
    for away in found.away:
        if best is not None and len(work.known) > MOST_PARTS:
            work.least = False
            break
        try:
            parting = _parting(work, pieces, away)
        except UndecidedError:
            if best is None:
                raise
            work.least = False
            break
        if best is None or (parting.sequence, _atoms(work, parting)) < (best.sequence, _atoms(work, best)):
            best = parting
        if len(pieces) > 2 and len(best.sequence) < max(2, _to_part(work, pieces)) and max(best.sequence[1:], default=1) == 1:
            break  # no sequence is less
    else:
        work.least &= found.whole
    assert best is not None
    return best


def _may_stay(work: Work, pieces: Sequence[int]) -> bool:
    """Whether some pieces of an assembly, but not all, need not come apart."""
    return work.bench.grouped and bool(work.bench.member[work.options[[*pieces]]].all(axis=0).any())


def _to_part(work: Work, pieces: Sequence[int]) -> int:
    """Into how many parts pieces are to come apart at least."""
    return _parts([work.groups[p] for p in pieces]) if work.bench.grouped else len(pieces)


def _atoms(work: Work, parting: Parting) -> int:
    """How many atoms are taken away: of two single pieces the smaller one."""
    return work.size(parting.moves[-1].pieces)


def _parting(work: Work, pieces: tuple[int, ...], found: _Away) -> Parting:
    """The parting that takes some pieces away."""
    apart, stay = ([i for i in range(len(pieces)) if (found.mask >> i & 1) == gone] for gone in (1, 0))
    left = _part(work, tuple([pieces[i] for i in stay]), [found.position[i] for i in stay])
    away = _part(work, tuple([pieces[i] for i in apart]), [found.position[i] for i in apart])
    directions = work.bench.directions
    moves: list[Move | Turn] = [Move(tuple([pieces[i] for i in apart]), directions[found.direction], None)]
    for moved, way, steps in found.moves:
        who, others = (tuple([p for i, p in enumerate(pieces) if (moved >> i & 1) == moves_on]) for moves_on in (1, 0))
        if len(who) == len(others) and work.size(who) > work.size(others):
            moves.append(Move(others, directions[way ^ 1], steps))  # the same move, of the smaller half
        else:
            moves.append(Move(who, directions[way], steps))
    return Parting(pieces, tuple(reversed(moves)), left, away)


# the search -------------------------------------------------------------------------------------------------------------------


def searched(work: Work, pieces: tuple[int, ...], end: int | None = None) -> Parting:
    """Search for the parting of pieces. Raises StuckError where there is none, UndecidedError where that is not found out.

    ``end`` tells how the search of the whole assembly, which was begun, came to a stop; None: a part is searched, as it was laid.
    """
    table, scene, before = work.table, work.bench.scene, work.positions
    rows, row = (table.part, 0) if end is None else (table.rows, work.row)
    begun = end is not None
    while True:
        if end is None and work.order is None:
            _, end = explore(scene, table.tree, rows, row, row + 1, begun, AT_ONCE)
        elif end is None:
            end = first_away(scene, table.tree, table.tried, rows, work.order, begun, AT_ONCE)
        begun = True
        state = table.tree.state.tolist()
        work.positions = before + state[LOOKED]
        if end == SINGLE:
            work.positions += len(pieces) - 2  # the parts are where they were
            return _single(work, pieces)
        if end == FOUND:
            return _parted(work, pieces, _found(table.tree, len(pieces)))
        if end == EXHAUSTED:
            raise StuckError(pieces, state[COUNT])
        if end == TOO_FAR:
            raise UndecidedError("pieces move further from each other than can be told")
        if end == TOO_MANY:
            raise UndecidedError("pieces can be moved in too many groups")
        if (why := work.clock.verdict(-1)) is not None:
            raise UndecidedError(why)
        with suppress(EndedError):  # the clock has just been asked
            work.progress({"positions": work.positions})
        if end == FULL:
            if 5 * sum(array.nbytes for array in table.tree) > work.clock.limits.free_memory():
                raise UndecidedError("out of memory")
            table.tree = grown(table.tree, len(pieces))
        end = None


def _single(work: Work, pieces: tuple[int, ...]) -> Parting:
    """The parting by single moves that the kernel has found."""
    moves = {whole: (away, d) for whole, away, d in work.table.tree.single[: len(pieces) - 1].tolist()}
    directions, apart = work.bench.directions, dict[int, Parting]()
    for whole, (away, d) in reversed(moves.items()):
        those, gone = (tuple([p for i, p in enumerate(pieces) if mask >> i & 1]) for mask in (whole, away))
        apart[whole] = Parting(those, (Move(gone, directions[d], None),), apart.get(whole & ~away), apart.get(away))
    return apart[next(iter(moves))]


def _found(tree: Tree, pieces: int) -> _Found:
    """What can be taken away, with the moves before."""
    count = int(tree.state[AWAY])
    reached: dict[int, tuple[tuple[int, ...], tuple[tuple[int, int, int], ...]]] = {}
    for number in {*tree.away[:count, 0].tolist()}:
        moves, at = [], number
        while at:
            moves.append((int(tree.moved[at]), *tree.way[at].tolist()))
            at = int(tree.parent[at])
        reached[number] = tuple(tree.position[number, :pieces].tolist()), tuple(moves)
    away = tuple([_Away(*reached[number], mask, d) for number, mask, d in tree.away[:count].tolist()])
    return _Found(away, not tree.state[NOT_ALL])


def new_tree(pieces: int, directions: int) -> Tree:
    """Return room for the first positions of up to so many pieces."""
    return Tree(
        shape=np.zeros(pieces, dtype=np.int32),
        position=np.zeros((FIRST_ROOM, pieces), dtype=np.int64),
        parent=np.zeros(FIRST_ROOM, dtype=np.int32),
        depth=np.zeros(FIRST_ROOM, dtype=np.int32),
        moved=np.zeros(FIRST_ROOM, dtype=np.uint64),
        way=np.zeros((FIRST_ROOM, 2), dtype=np.int32),
        slot=np.zeros(FIRST_ROOM, dtype=np.int32),
        table=np.full(4 * FIRST_ROOM, -1, dtype=np.int32),
        state=np.zeros(4, dtype=np.int64),
        away=np.zeros((MOST_AWAY, 3), dtype=np.int64),
        single=np.zeros((pieces, 3), dtype=np.int64),
        sets=np.zeros(MOST_SETS, dtype=np.uint64),
        free=np.zeros((directions, pieces, pieces), dtype=np.int16),
        along=np.zeros((directions, pieces), dtype=np.uint64),
        far=np.zeros((directions, pieces), dtype=np.uint64),
    )


def new_tried() -> Tried:
    """Return room for the sets of pieces that were tried."""
    return Tried(np.zeros(MOST_SETS, dtype=np.uint64), np.zeros(MOST_SETS, dtype=np.int64))


def new_rows(rows: int, pieces: int) -> Rows:
    """Return room for so many assemblies of up to so many pieces."""
    return Rows(
        size=np.zeros(rows, dtype=np.int64),
        shape=np.zeros((rows, pieces), dtype=np.int32),
        position=np.zeros((rows, pieces), dtype=np.int64),
        grouped=np.zeros(rows, dtype=np.int64),
        closed=np.zeros(rows, dtype=np.int64),
    )


def grown(tree: Tree, pieces: int) -> Tree:
    """Return the same tree with room for four times as many positions."""
    room = 4 * len(tree.parent)
    tree = tree._replace(
        position=longer(tree.position, room),
        parent=longer(tree.parent, room),
        depth=longer(tree.depth, room),
        moved=longer(tree.moved, room),
        way=longer(tree.way, room),
        slot=longer(tree.slot, room),
        table=np.empty(4 * room, dtype=np.int32),
    )
    fill_table(tree, pieces)
    return tree


def longer(array: NDArray[Any], room: int) -> NDArray[Any]:
    """Return an array of so many rows that begins with those of another."""
    found = np.zeros((room, *array.shape[1:]), dtype=array.dtype)
    found[: len(array)] = array
    return found


DIRECTIONS = {
    "cube": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "prisms": ((0, 0, 1), (2, 0, 0), (1, 1, 0), (-1, 1, 0)),
}
"""The directions of BurrTools' grids in its order, each of them before the opposite one, in voxels."""


def takes_apart(grid: Grid) -> bool:
    """Whether BurrTools takes apart what is on a grid, so that its order of directions is known."""
    return grid.name in DIRECTIONS


def first_found(built: BuiltInstance, row: Sequence[int], limits: Limits) -> Parting | None:
    """Return the way apart that BurrTools finds first, on a grid where it takes apart; the placements are in the order of its pieces.

    None where it finds no way, and where a limit ended the search.
    """
    bench = _bench_of(built)
    options = np.array(row, dtype=np.int64)
    work = Work(bench, bench.table_for(len(row)), 0, options, Clock(limits), SILENT, order=_order(built.puzzle.grid, bench.directions))
    lay(bench, work.table.part, 0, options, bench.place[options])
    try:
        return searched(work, tuple(range(len(row))))
    except (StuckError, UndecidedError):
        return None


@lru_cache(maxsize=1)
def _bench_of(built: BuiltInstance) -> Bench:
    return make_bench(built, built.instance.together)


def _order(grid: Grid, directions: Sequence[Cell]) -> Longs:
    """The numbers of a puzzle's directions in the order of BurrTools."""
    steps = np.array(grid.layout.steps)
    voxels = [tuple((np.array(direction) @ steps).tolist()) for direction in directions]
    first = [voxels.index(direction) for direction in DIRECTIONS[grid.name]]
    return np.array([number for d in first for number in (d, d ^ 1)], dtype=np.int64)
