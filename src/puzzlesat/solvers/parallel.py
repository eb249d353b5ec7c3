"""The search of the backtracker in turns, on one core or on several.

Several cores share the subtrees below one level of the search tree. Each core has its own state and walks through the few nodes above that
level to the subtree that it is to search. Their solutions are merged in the order of a single core, and their counters add up to those of a
single core: the tree is the same.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from itertools import count
from threading import Condition, Event, Thread
from typing import Any

import numpy as np

from puzzlesat.base import Longs, Rows, sorted_rows
from puzzlesat.solvers import kernel

NODES_A_TURN = 1 << 18
"""Nodes of a turn, some hundredths of a second. ``sparse_set_search`` counts removed options as nodes, too."""
ROWS_A_TURN = 1 << 14
NODES_ALONE = 1 << 21
"""Nodes, 0.1 to 0.2 seconds of search, after which the other cores join in."""
SUBTREES_A_CORE = 50
"""Subtrees for each core. They keep all cores busy to the end, although subtrees differ in size."""
MAX_SUBTREES = 20_000
MAX_STORED = 20_000_000
"""Cells of solution arrays (80 MB) that may wait for their turn."""
MAX_CELLS = 1 << 24
"""Cells of the array for the solutions of a turn. It has fewer rows if solutions are long."""
NO_LIMIT = 1 << 62


@dataclass(frozen=True)
class SearchLayout:
    """A problem laid out for a kernel, and the functions that search its tree (see ``kernel`` and ``sparse_set_search``)."""

    tables: Any
    search: Callable[[Any, Any, int, int, int, int, Rows], int]
    drop: Callable[[Any, Any, int], None]
    copy: Callable[[Any], Any]
    narrow: Callable[[Any], tuple[SearchLayout, Any] | None] | None = None
    """Returns another layout and state for a state, for a faster long search, or None."""
    nodes_before: int = 0
    """Number of nodes after which ``narrow`` is called."""
    lowest: int | None = None
    """The lowest level below which subtrees can be shared out; None: any."""
    cost: int = 1
    """Cost of a node in nodes of a small problem. It keeps turns short for problems of any size."""

    @property
    def nodes_a_turn(self) -> int:
        """Number of nodes that take some hundredths of a second."""
        return max(1, NODES_A_TURN // self.cost)


@dataclass(frozen=True)
class Slice:
    """The result of one turn of the search."""

    work: Longs
    """Counters of this turn, as in ``State.work``."""
    rows: Rows | None
    """The solutions, unless they are only counted."""
    last: bool = False
    """True if the search, or the subtree, is done."""
    share: float = 0.0
    """Share of the search tree that this turn searched, if all branches of a node are equally large."""


def share_done(s: Any, left: int | None = None) -> float:
    """Return the share of its search tree that a state has searched, if all branches of a node are equally large.

    With a level ``left``, the subtree below its node counts as searched.

    D. E. Knuth, "Estimating the efficiency of backtrack programs", Mathematics of Computation 29 (1975). His programs for TAOCP 4B,
    7.2.2.1, report their progress in this way.
    """
    depth = int(s.control[kernel.DEPTH]) if left is None else left
    branches = s.branches[: depth + 1]
    shares = np.cumprod(1.0 / np.maximum(branches, 1))
    branches_done = branches - s.tries[: depth + 1]
    branches_done[:-1] -= 1  # the branches on the path to the current node are not done
    if left is not None:
        branches_done[-1] = branches[-1]
    return float(branches_done @ shares)


def turns(
    layout: SearchLayout, s: Any, *, listing: bool, most_found: int | None, cores: int, may_go_on: Event | None = None
) -> Generator[Slice]:
    """Search turn by turn. With a limit on the number of solutions one core does all the work, because only the first solutions count.

    Other threads search ahead of the turns taken, but only while ``may_go_on`` is set.
    """
    nodes, found = 0, 0
    most = NO_LIMIT if most_found is None else most_found
    if layout.narrow is not None:
        for turn in _alone(layout, s, listing=listing, most_found=most, most_nodes=layout.nodes_before):
            yield turn
            nodes, found = nodes + int(turn.work[kernel.NODES]), found + int(turn.work[kernel.FOUND])
            if turn.last:
                return
        layout, s = layout.narrow(s) or (layout, s)
    for turn in _alone(layout, s, listing=listing, most_found=most - found):
        yield turn
        nodes += int(turn.work[kernel.NODES])
        if cores > 1 and most_found is None and nodes >= NODES_ALONE and not turn.last:
            if (survey := _survey(layout, s, listing=listing, least=SUBTREES_A_CORE * cores)) is not None:
                yield from _Team(layout, s, *survey, listing=listing, cores=cores, may_go_on=may_go_on).turns()
                return
            cores = 1


def _alone(layout: SearchLayout, s: Any, *, listing: bool, most_found: int = NO_LIMIT, most_nodes: int = NO_LIMIT) -> Iterator[Slice]:
    out = _room_for_rows(s, listing=listing)
    found, nodes, done = 0, 0, kernel.PAUSED
    share = share_done(s)
    while done != kernel.FINISHED and nodes < most_nodes:
        s.work[:] = 0
        room = min(most_found - found, len(out)) if listing else most_found - found
        done = layout.search(layout.tables, s, min(layout.nodes_a_turn, most_nodes - nodes), room, kernel.NO_CUT, 0, out)
        rows = int(s.work[kernel.FOUND])
        found += rows
        nodes += int(s.work[kernel.NODES])
        before, share = share, share_done(s)
        yield Slice(s.work.copy(), sorted_rows(out[:rows]) if listing else None, done == kernel.FINISHED, share - before)


def _room_for_rows(s: Any, *, listing: bool) -> Rows:
    """Return an array for the solutions of a turn, without rows if they are only counted."""
    return np.empty((max(1, min(ROWS_A_TURN, MAX_CELLS // len(s.path))) if listing else 0, len(s.path)), dtype=np.int32)


class _Walker:
    """A walker from one subtree below a level of a search tree to another. It begins at the state of a search."""

    def __init__(self, layout: SearchLayout, start: Any, cut: int) -> None:
        self.layout, self.s, self.cut = layout, layout.copy(start), cut
        self.subtree = 0 if start.control[kernel.DEPTH] >= cut else -1

    def next(self, *, listing: bool) -> Slice:
        """Skip the rest of this subtree and search until the next one begins; its turn is the ``last`` if there is none."""
        s, done = self.s, kernel.PAUSED
        out = _room_for_rows(s, listing=listing)
        work, blocks = np.zeros_like(s.work), [out[:0]]
        if self.subtree >= 0:
            self.layout.drop(self.layout.tables, s, self.cut)
        share = share_done(s, self.cut if self.subtree >= 0 else None)
        while done == kernel.PAUSED:
            s.work[:] = 0
            done = self.layout.search(self.layout.tables, s, self.layout.nodes_a_turn, len(out) or NO_LIMIT, self.cut, 0, out)
            work += s.work
            blocks.append(sorted_rows(out[: s.work[kernel.FOUND]]))
        self.subtree += 1
        return Slice(work, np.concatenate(blocks) if listing else None, done == kernel.FINISHED, share_done(s) - share)

    def search(self, subtree: int, *, listing: bool) -> Iterator[Slice]:
        """Search a subtree that the walker has not passed."""
        t, s = self.layout.tables, self.s
        if subtree > self.subtree:
            if self.subtree >= 0:
                self.layout.drop(t, s, self.cut)
            none = np.empty((0, len(s.path)), dtype=np.int32)
            self.layout.search(t, s, NO_LIMIT, NO_LIMIT, self.cut, subtree - self.subtree - 1, none)
            self.subtree = subtree
        base = s.control[kernel.BASE]
        s.control[kernel.BASE] = self.cut
        yield from _alone(self.layout, s, listing=listing)
        s.control[kernel.BASE] = base


def _survey(layout: SearchLayout, s: Any, *, listing: bool, least: int) -> tuple[int, list[Slice]] | None:
    """Return a level with enough subtrees below it, and the turns above it: before each subtree, and after the last.

    If one level has too few subtrees and the next has too many, the upper one is taken, and never a level below the lowest. Return None if
    there is no such level.
    """
    best = None
    first = len(s.given) + 1
    for cut in count(first) if layout.lowest is None else range(first, layout.lowest + 1):
        walker = _Walker(layout, s, cut)
        above = [Slice(np.zeros_like(s.work), None)] if walker.subtree == 0 else [walker.next(listing=listing)]
        while not above[-1].last and len(above) <= MAX_SUBTREES:
            above.append(walker.next(listing=listing))
        if not above[-1].last:
            break
        best = cut, above
        if len(above) > least or len(above) == 1:
            break
    return best


class _Team:
    """Threads that share the subtrees. They take them in order, so the first unfinished subtree is always being searched."""

    def __init__(
        self, layout: SearchLayout, s: Any, cut: int, above: list[Slice], *, listing: bool, cores: int, may_go_on: Event | None = None
    ) -> None:
        self.layout, self.s, self.listing, self.cut, self.above, self.may_go_on = layout, s, listing, cut, above, may_go_on
        self.subtrees = len(above) - 1
        self.taken = 0
        self.first = 0
        """The subtree whose solutions come next; solutions of later subtrees wait."""
        self.waiting: list[deque[Slice]] = [deque() for _ in range(self.subtrees)]
        self.stored = 0
        self.stopped = False
        self.error: BaseException | None = None
        self.changed = Condition()
        self.threads = [Thread(target=self._run, daemon=True) for _ in range(min(cores, self.subtrees))]

    def turns(self) -> Iterator[Slice]:
        """Search everything. Solutions come in the order of a single core; if they are only counted, turns come as they are done."""
        for thread in self.threads:
            thread.start()
        try:
            if self.listing:
                for subtree in range(self.subtrees):
                    yield self.above[subtree]
                    yield from self._turns_of(subtree, 1)
                yield self.above[-1]
            else:
                yield from self.above
                yield from self._turns_of(0, self.subtrees)
        finally:
            with self.changed:
                self.stopped = True
                self.changed.notify_all()
            for thread in self.threads:
                thread.join()

    def _turns_of(self, place: int, parts: int) -> Iterator[Slice]:
        """Yield turns from one queue until ``parts`` subtrees are done."""
        with self.changed:
            self.first = place
            self.changed.notify_all()
        while parts:
            with self.changed:
                self.changed.wait_for(lambda: self.waiting[place] or self.error)
                if self.error is not None:
                    raise self.error
                turn = self.waiting[place].popleft()
                self.stored -= _cells(turn)
                self.changed.notify_all()
            yield turn
            parts -= turn.last

    def _run(self) -> None:
        try:
            walker = _Walker(self.layout, self.s, self.cut)
            while (subtree := self._take()) is not None:
                for turn in walker.search(subtree, listing=self.listing):
                    self._put(subtree, turn)
                    if self.may_go_on is not None:
                        self.may_go_on.wait()
                    if self.stopped:
                        return
        except BaseException as error:
            with self.changed:
                self.error = error
                self.changed.notify_all()

    def _take(self) -> int | None:
        with self.changed:
            if self.taken == self.subtrees:
                return None
            self.taken += 1
            return self.taken - 1

    def _put(self, subtree: int, turn: Slice) -> None:
        with self.changed:
            self.changed.wait_for(lambda: self.stopped or self.stored < MAX_STORED or subtree == self.first)
            self.waiting[subtree if self.listing else 0].append(turn)
            self.stored += _cells(turn)
            self.changed.notify_all()


def _cells(turn: Slice) -> int:
    return 0 if turn.rows is None else turn.rows.size
