"""Take assemblies apart by slides: in the fewest moves into two parts, then each part.

``first_found`` takes an assembly apart as BurrTools does: the level belongs to the first separation in its order of pieces and directions.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from itertools import pairwise

import numpy as np

from puzzlesat.base import SILENT, Clock, Flags, Limits, Longs, NotSupportedError, Progress
from puzzlesat.disassembly.burrtools_order import Tried, first_away
from puzzlesat.disassembly.data import Disassembly, Move, Parting, PlacedBodies, Rotation, UndecidedError, atom_in_space
from puzzlesat.disassembly.kernel import EXHAUSTED, FIELD, MAX_PIECES, MAX_SETS, Rows, Scene, Tree, explore, fill_table
from puzzlesat.disassembly.search import Lying, Search, WayOut, grown, those
from puzzlesat.disassembly.steps import GridSteps, steps_of
from puzzlesat.puzzles import Cell, Grid

PAIRS = 1 << 16
"""Rows of the cache of free distances, one for each pair of shapes in a relative position."""
FIRST_ROOM = 1 << 10
MAX_AWAY = 1 << 10
AT_ONCE = 4096
"""Positions between two checks of the limits."""
ROWS_AT_ONCE = 64
"""Largest number of assemblies in one call of the kernel."""


@dataclass
class WorkArrays:
    """The arrays of the kernels. All assemblies share them, because a call with the same arrays as before is faster."""

    tree: Tree
    rows: Rows
    """Whole assemblies."""
    part: Rows
    """One row, for a part of an assembly."""
    tried: Tried
    """Used by ``first_found``."""


@dataclass(frozen=True)
class Bench:
    """Data shared by all assemblies of some bodies: their shapes, and the cache of free distances."""

    scene: Scene
    bodies: PlacedBodies
    place: Longs
    """The cell of each body, as a word of the kernel."""
    together: Longs
    """The number of the group of each body, where groups that share bodies are united; -1: none."""
    directions: tuple[Cell, ...]
    """The directions, with the coordinates of the grid."""

    @cached_property
    def grouped(self) -> bool:
        """True if some pieces may stay together."""
        return bool((self.together >= 0).any())

    @cached_property
    def sizes(self) -> Longs:
        """The number of atoms of each shape."""
        return np.diff(self.scene.start).astype(np.int64)

    @cached_property
    def tables(self) -> list[WorkArrays]:
        """The work arrays; empty until they are needed."""
        return []

    def table_for(self, pieces: int) -> WorkArrays:
        """Return work arrays for assemblies of up to ``pieces`` pieces."""
        if not self.tables or self.tables[-1].rows.shape.shape[1] < pieces:
            self.tables[:] = [work_arrays(pieces, len(self.directions), ROWS_AT_ONCE)]
        return self.tables[-1]


@lru_cache(maxsize=1)
def bench_of(bodies: PlacedBodies) -> Bench:
    """Return the bench of bodies, cached. Raises NotSupportedError if the bodies of the grid cannot be moved."""
    steps = steps_of(bodies.grid)
    first = np.unique(bodies.shape, return_index=True)[1]
    cell = np.zeros((len(bodies.shape), 3), dtype=np.int64)
    cell[:, : bodies.cell.shape[1]] = bodies.cell
    shapes = [np.array([atom_in_space(a) for a in bodies.atoms(i)], dtype=np.int64) - [*cell[i], 0] for i in first.tolist()]
    return Bench(
        _scene(steps, shapes),
        bodies,
        _words(cell),
        _united(bodies.member),
        tuple(tuple(d[: bodies.grid.dimension]) for d in steps.directions.tolist()),
    )


def _united(member: Flags) -> Longs:
    """Return the group number of each body, where groups that share bodies are united; -1 for bodies in no group."""
    number = np.where(member.any(axis=1), np.arange(len(member)), -1)
    for group in member.T[member.any(axis=0)]:
        number[np.isin(number, number[group])] = number[group].min()
    return number


def _words(cells: Longs) -> Longs:
    """Pack cells into words of the kernel."""
    return np.ascontiguousarray(cells @ np.array([1, 1 << FIELD, 1 << 2 * FIELD], dtype=np.int64))


def _scene(steps: GridSteps, bodies: Sequence[Longs]) -> Scene:
    """Lay out shapes, given by their atoms: as lists of atoms, and by the lines along each axis."""
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


def _search_of(
    bench: Bench, table: WorkArrays, options: Sequence[int], row: int, clock: Clock, progress: Progress, order: Longs | None = None
) -> SlideSearch:
    own = np.array(options, dtype=np.int64)
    return SlideSearch(bench, table, own, row, order, groups=bench.bodies.groups(options), clock=clock, progress=progress)


def take_all_apart(bench: Bench, rows: Sequence[Sequence[int]], limits: Limits, *, progress: Progress = SILENT) -> Iterator[Disassembly]:
    """Yield the disassemblies of up to ``ROWS_AT_ONCE`` assemblies, with the lexicographically least numbers of moves.

    If an assembly comes apart, so does each of its parts, from any position. So one part that does not come apart proves that the whole
    does not, whatever was taken away first.
    """
    most = max(map(len, rows))
    if most > MAX_PIECES:
        raise NotSupportedError(f"{most} pieces; up to {MAX_PIECES} can be taken apart")
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
            work = _search_of(bench, table, rows[row], row, clock, progress.of("searching"))
            yield work.answer(partial(work.parted, work.start, end))
            done += 1


def lay(bench: Bench, rows: Rows, number: int, options: Longs, position: Longs) -> None:
    """Write pieces into a row; ``position`` has their positions as words."""
    pieces = len(options)
    rows.size[number] = pieces
    rows.shape[number, :pieces] = bench.bodies.shape[options]
    rows.position[number, :pieces] = position
    rows.grouped[number] = 0
    if bench.grouped:
        rows.grouped[number] = _parts(bench.together[options].tolist()) < pieces


def _parts(groups: Sequence[int]) -> int:
    """Return the least number of parts into which pieces come apart, from their group numbers."""
    return groups.count(-1) + len({*groups} - {-1})


@dataclass
class SlideSearch(Search[int]):
    """The search for a disassembly by slides. The place of a piece is a word of the kernel."""

    bench: Bench
    table: WorkArrays
    options: Longs
    row: int | None
    """The row of the assembly in ``table.rows`` while the whole is searched; None while a part is searched."""
    order: Longs | None = None
    """The order of directions for ``first_found``, which takes the first separation; None: find the least numbers."""
    begun: bool = True

    @property
    def start(self) -> Lying[int]:
        """The places of all pieces at the start."""
        return dict(enumerate(self.bench.place[self.options].tolist()))

    @property
    def tree(self) -> Tree:
        """The positions found by the search."""
        return self.table.tree

    @cached_property
    def unions(self) -> list[int]:
        """The group number of each piece."""
        unions: list[int] = self.bench.together[self.options].tolist()
        return unions

    @cached_property
    def sizes(self) -> list[int]:
        """The number of atoms of each piece."""
        sizes: list[int] = self.bench.sizes[self.bench.bodies.shape[self.options]].tolist()
        return sizes

    def size(self, pieces: Iterable[int]) -> int:
        """Return the number of atoms of some pieces."""
        return sum(self.sizes[p] for p in pieces)

    def key(self, lying: Lying[int]) -> Hashable:
        """Return the pieces, and their places relative to the first one."""
        first, *_ = words = tuple(lying.values())
        return tuple(lying), tuple([word - first for word in words])

    def begin(self, lying: Lying[int]) -> None:
        """Start a search with some pieces."""
        self.row, self.begun = None, False
        lay(self.bench, self.table.part, 0, self.options[[*lying]], np.array([*lying.values()], dtype=np.int64))

    def look(self) -> int:
        """Continue the search, and return how it stopped."""
        scene, table = self.bench.scene, self.table
        rows, row = (table.part, 0) if self.row is None else (table.rows, self.row)
        begun, self.begun = self.begun, True
        if self.order is not None:
            return int(first_away(scene, table.tree, table.tried, rows, self.order, begun, AT_ONCE))
        return int(explore(scene, table.tree, rows, row, row + 1, begun, AT_ONCE)[1])

    def widen(self) -> None:
        """Raise UndecidedError: the distance of pieces has a fixed limit."""
        raise UndecidedError("pieces move further from each other than can be told")

    def grow(self, pieces: int) -> None:
        """Enlarge the arrays of positions."""
        self.table.tree = larger(self.tree, pieces)

    def moved(self, lying: Lying[int], way: WayOut) -> tuple[list[Move | Rotation], Lying[int]]:
        """Return the moves of a way out, and the places before the last move. If two halves of the pieces part, the smaller one moves."""
        pieces, directions, there = tuple(lying), self.bench.directions, dict(lying)
        moves: list[Move | Rotation] = []
        for who, (d, steps) in way.moves:
            for p in who:
                there[p] += steps * int(self.bench.scene.steps[d])
            others = tuple([p for p in pieces if p not in who])
            smaller = len(who) == len(others) and self.size(who) > self.size(others)
            moves.append(Move(others, directions[d ^ 1], steps) if smaller else Move(who, directions[d], steps))
        return [*moves, Move(way.away, directions[way.direction], None)], there

    def single(self, pieces: tuple[int, ...]) -> Parting:
        """Return the parting by single moves from ``tree.single``."""
        moves = {whole: (away, d) for whole, away, d in self.tree.single[: len(pieces) - 1].tolist()}
        directions, apart = self.bench.directions, dict[int, Parting]()
        for whole, (away, d) in reversed(moves.items()):
            last = Move(those(pieces, away), directions[d], None)
            apart[whole] = Parting(those(pieces, whole), (last,), apart.get(whole & ~away), apart.get(away))
        return apart[next(iter(moves))]

    def rank(self, parting: Parting) -> tuple[tuple[int, ...], int]:
        """Return the numbers of moves, then the size of the pieces taken away: of two pieces, the smaller one is taken away."""
        return parting.sequence, self.size(parting.moves[-1].pieces)

    def is_least(self, pieces: Sequence[int], best: Parting) -> bool:
        """Return True if all parts come apart by single moves, and there are as few partings as possible."""
        parts = _parts([self.unions[p] for p in pieces]) if self.bench.grouped else len(pieces)
        return len(pieces) > 2 and len(best.sequence) < max(2, parts) and max(best.sequence[1:], default=1) == 1


# the search -------------------------------------------------------------------------------------------------------------------


def work_arrays(pieces: int, directions: int, rows: int) -> WorkArrays:
    """Return work arrays for ``rows`` assemblies of up to ``pieces`` pieces."""
    tried = Tried(np.zeros(MAX_SETS, dtype=np.uint64), np.zeros(MAX_SETS, dtype=np.int64))
    return WorkArrays(_new_tree(pieces, directions), _new_rows(rows, pieces), _new_rows(1, pieces), tried)


def _new_tree(pieces: int, directions: int) -> Tree:
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
        away=np.zeros((MAX_AWAY, 3), dtype=np.int64),
        single=np.zeros((pieces, 3), dtype=np.int64),
        sets=np.zeros(MAX_SETS, dtype=np.uint64),
        free=np.zeros((directions, pieces, pieces), dtype=np.int16),
        along=np.zeros((directions, pieces), dtype=np.uint64),
        far=np.zeros((directions, pieces), dtype=np.uint64),
    )


def _new_rows(rows: int, pieces: int) -> Rows:
    return Rows(
        size=np.zeros(rows, dtype=np.int64),
        shape=np.zeros((rows, pieces), dtype=np.int32),
        position=np.zeros((rows, pieces), dtype=np.int64),
        grouped=np.zeros(rows, dtype=np.int64),
        closed=np.zeros(rows, dtype=np.int64),
    )


def larger(tree: Tree, pieces: int) -> Tree:
    """Return a tree with room for four times as many positions."""
    tree = grown(tree, "position", "slot")
    fill_table(tree, pieces)
    return tree


DIRECTIONS = {"cube": ((1, 0, 0), (0, 1, 0), (0, 0, 1)), "prisms": ((0, 0, 1), (2, 0, 0), (1, 1, 0), (-1, 1, 0))}
"""The directions of BurrTools' grids in its order, in voxels; each one precedes its opposite, which is omitted."""


def takes_apart(grid: Grid) -> bool:
    """Return True if BurrTools disassembles on this grid, so its order of directions is known."""
    return grid.name in DIRECTIONS


def first_found(bodies: PlacedBodies, row: Sequence[int], limits: Limits) -> Parting | None:
    """Return the parting that BurrTools finds first; ``row`` has the bodies in the order of its pieces.

    Return None if there is none, if there are fewer than two pieces, if BurrTools does not disassemble on the grid, or if a limit ended the
    search.
    """
    if len(row) < 2 or not takes_apart(bodies.grid):
        return None
    bench = bench_of(bodies)
    work = _search_of(bench, bench.table_for(len(row)), row, 0, Clock(limits), SILENT, order=_order(bodies.grid, bench.directions))
    work.begin(work.start)
    return work.answer(partial(work.parted, work.start)).parting


def _order(grid: Grid, directions: Sequence[Cell]) -> Longs:
    """Return the indices of directions in the order of BurrTools."""
    steps = np.array(grid.layout.steps)
    voxels = [tuple((np.array(direction) @ steps).tolist()) for direction in directions]
    first = [voxels.index(direction) for direction in DIRECTIONS[grid.name]]
    return np.array([number for d in first for number in (d, d ^ 1)], dtype=np.int64)
