"""Take assemblies apart by slides: in the fewest moves into two parts, then each of these.

``first_found`` takes an assembly apart as BurrTools does, whose level is that of the first way apart in its order of pieces and directions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from itertools import pairwise

import numpy as np

from puzzlesat.base import SILENT, Clock, Flags, Ints, Limits, Longs, NotSupportedError, Progress
from puzzlesat.disassembly.bodies import PlacedBodies
from puzzlesat.disassembly.burrtools_order import Tried, first_away
from puzzlesat.disassembly.data import Disassembly, Move, Parting, Rotation, StuckError, UndecidedError
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
from puzzlesat.disassembly.search import Search, longer
from puzzlesat.disassembly.steps import GridSteps, steps_of
from puzzlesat.puzzles import Cell, Grid

PAIRS = 1 << 16
"""Of shapes in a relative position, whose free ways are kept."""
FIRST_ROOM = 1 << 10
MOST_AWAY = 1 << 10
AT_ONCE = 4096
"""Positions between two looks at the clock."""
ROWS_AT_ONCE = 64
"""Assemblies that the kernel gets in one call, at most."""


@dataclass
class WorkArrays:
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
    """What all assemblies have in common: the shapes of the bodies, and what was found out about them on the way."""

    scene: Scene
    shape: Ints
    """Of each body."""
    place: Longs
    """The cell of each body, as a word of the kernel."""
    together: Longs
    """Of each body the group of bodies that may stay together, or the union of those that share pieces; -1: none."""
    member: Flags
    """Array (bodies, groups): whether a body is one of a group."""
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
    def tables(self) -> list[WorkArrays]:
        """The table at which one works, where there is one."""
        return []

    def table_for(self, pieces: int) -> WorkArrays:
        """Return a table for so many pieces."""
        if not self.tables or self.tables[-1].rows.shape.shape[1] < pieces:
            self.tables[:] = [
                WorkArrays(new_tree(pieces, len(self.directions)), new_rows(ROWS_AT_ONCE, pieces), new_rows(1, pieces), new_tried())
            ]
        return self.tables[-1]


def make_bench(bodies: PlacedBodies) -> Bench:
    """Lay out the shapes of bodies. Raises NotSupportedError where the grid has none that could be moved."""
    steps = steps_of(bodies.grid)
    first = np.unique(bodies.shape, return_index=True)[1]
    cell = np.zeros((len(bodies.shape), 3), dtype=np.int64)
    cell[:, : bodies.cell.shape[1]] = bodies.cell
    shapes = [np.array([_in_space(a) for a in bodies.atoms(i)], dtype=np.int64) - [*cell[i], 0] for i in first.tolist()]
    return Bench(
        _scene(steps, shapes),
        bodies.shape,
        _words(cell),
        _united(bodies.member),
        bodies.member,
        tuple(tuple(d[: bodies.grid.dimension]) for d in steps.directions.tolist()),
    )


def _united(member: Flags) -> Longs:
    """A number for each body of a group, the same for all bodies of groups that share one; -1 for the other bodies."""
    number = np.where(member.any(axis=1), np.arange(len(member)), -1)
    for group in member.T[member.any(axis=0)]:
        number[np.isin(number, number[group])] = number[group].min()
    return number


def _in_space(atom: Sequence[int]) -> list[int]:
    return [*atom[:-1], *[0] * (4 - len(atom)), atom[-1]]


def _words(cells: Longs) -> Longs:
    """Cells as words of the kernel."""
    return np.ascontiguousarray(cells @ np.array([1, 1 << FIELD, 1 << 2 * FIELD], dtype=np.int64))


def _scene(steps: GridSteps, bodies: Sequence[Longs]) -> Scene:
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


def take_apart(bench: Bench, options: Sequence[int], limits: Limits, *, progress: Progress = SILENT) -> Disassembly:
    """Find out whether an assembly comes apart, and how.

    The number of moves until the first parting is the least that there is. Where several partings take as few moves, that is taken of which
    the numbers for the parts are the least, in the order of a dictionary. Whatever is taken away first: if the whole comes apart, so do
    its parts, from wherever they are; so one part that does not is enough to know that the whole does not.
    """
    return next(take_all_apart(bench, [options], limits, progress=progress))


def take_all_apart(bench: Bench, rows: Sequence[Sequence[int]], limits: Limits, *, progress: Progress = SILENT) -> Iterator[Disassembly]:
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
            yield from [Disassembly(None, undecided=why)] * (len(rows) - done)
            return
        row, end = explore(bench.scene, table.tree, table.rows, done, len(rows), begun, AT_ONCE)
        for number in range(done, row):
            closed = int(table.rows.closed[number])
            yield Disassembly(None, stuck=tuple(range(len(rows[number]))) if closed else (), closed=closed, positions=closed)
        done, begun = row, False
        if end != EXHAUSTED:
            work = SlideSearch(bench, table, row, np.array(rows[row], dtype=np.int64), clock=clock, progress=progress.of("searching"))
            yield work.answer(partial(searched, work, tuple(range(len(rows[row]))), end))
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
class SlideSearch(Search):
    """An assembly that is being taken apart by slides."""

    bench: Bench
    table: WorkArrays
    row: int
    options: Longs
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


def _part(work: SlideSearch, pieces: tuple[int, ...], position: Sequence[int]) -> Parting | None:
    """How pieces come apart that are at some positions; None where they need not. Raises StuckError where they do not."""
    if len(pieces) == 1 or _may_stay(work, pieces):
        return None
    key = pieces, tuple([p - position[0] for p in position])  # as words of the kernel, the first piece at 0
    if key not in work.known:
        lay(work.bench, work.table.part, 0, work.options[[*pieces]], np.array(key[1], dtype=np.int64))
        work.known[key] = searched(work, pieces)
    return work.known[key]


def _parted(work: SlideSearch, pieces: tuple[int, ...], found: _Found) -> Parting:
    """The parting of which the numbers are the least."""

    def is_least(best: Parting) -> bool:
        return len(pieces) > 2 and len(best.sequence) < max(2, _to_part(work, pieces)) and max(best.sequence[1:], default=1) == 1

    def rank(parting: Parting) -> tuple[tuple[int, ...], int]:
        return parting.sequence, work.size(parting.moves[-1].pieces)  # of two single pieces the smaller one is taken away

    return work.best(found.away, partial(_parting, work, pieces), whole=found.whole, rank=rank, is_least=is_least)


def _may_stay(work: SlideSearch, pieces: Sequence[int]) -> bool:
    """Whether some pieces of an assembly, but not all, need not come apart."""
    return work.bench.grouped and bool(work.bench.member[work.options[[*pieces]]].all(axis=0).any())


def _to_part(work: SlideSearch, pieces: Sequence[int]) -> int:
    """Into how many parts pieces are to come apart at least."""
    return _parts([work.groups[p] for p in pieces]) if work.bench.grouped else len(pieces)


def _parting(work: SlideSearch, pieces: tuple[int, ...], found: _Away) -> Parting:
    """The parting that takes some pieces away."""
    apart, stay = ([i for i in range(len(pieces)) if (found.mask >> i & 1) == gone] for gone in (1, 0))
    left = _part(work, tuple([pieces[i] for i in stay]), [found.position[i] for i in stay])
    away = _part(work, tuple([pieces[i] for i in apart]), [found.position[i] for i in apart])
    directions = work.bench.directions
    moves: list[Move | Rotation] = [Move(tuple([pieces[i] for i in apart]), directions[found.direction], None)]
    for moved, way, steps in found.moves:
        who, others = (tuple([p for i, p in enumerate(pieces) if (moved >> i & 1) == moves_on]) for moves_on in (1, 0))
        if len(who) == len(others) and work.size(who) > work.size(others):
            moves.append(Move(others, directions[way ^ 1], steps))  # the same move, of the smaller half
        else:
            moves.append(Move(who, directions[way], steps))
    return Parting(pieces, tuple(reversed(moves)), left, away)


# the search -------------------------------------------------------------------------------------------------------------------


def searched(work: SlideSearch, pieces: tuple[int, ...], end: int | None = None) -> Parting:
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
        work.tell()
        if end == FULL:
            work.check_memory(table.tree)
            table.tree = grown(table.tree, len(pieces))
        end = None


def _single(work: SlideSearch, pieces: tuple[int, ...]) -> Parting:
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


DIRECTIONS = {"cube": ((1, 0, 0), (0, 1, 0), (0, 0, 1)), "prisms": ((0, 0, 1), (2, 0, 0), (1, 1, 0), (-1, 1, 0))}
"""The directions of BurrTools' grids in its order, each of them before the opposite one, in voxels."""


def takes_apart(grid: Grid) -> bool:
    """Whether BurrTools takes apart what is on a grid, so that its order of directions is known."""
    return grid.name in DIRECTIONS


def first_found(bodies: PlacedBodies, row: Sequence[int], limits: Limits) -> Parting | None:
    """Return the way apart that BurrTools finds first, on a grid where it takes apart; the bodies are in the order of its pieces.

    None where it finds no way, and where a limit ended the search.
    """
    bench = _bench_of(bodies)
    options = np.array(row, dtype=np.int64)
    order = _order(bodies.grid, bench.directions)
    work = SlideSearch(bench, bench.table_for(len(row)), 0, options, clock=Clock(limits), progress=SILENT, order=order)
    lay(bench, work.table.part, 0, options, bench.place[options])
    try:
        return searched(work, tuple(range(len(row))))
    except (StuckError, UndecidedError):
        return None


@lru_cache(maxsize=1)
def _bench_of(bodies: PlacedBodies) -> Bench:
    return make_bench(bodies)


def _order(grid: Grid, directions: Sequence[Cell]) -> Longs:
    """The numbers of a puzzle's directions in the order of BurrTools."""
    steps = np.array(grid.layout.steps)
    voxels = [tuple((np.array(direction) @ steps).tolist()) for direction in directions]
    first = [voxels.index(direction) for direction in DIRECTIONS[grid.name]]
    return np.array([number for d in first for number in (d, d ^ 1)], dtype=np.int64)
