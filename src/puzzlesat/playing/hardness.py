"""Rate how hard a position is for a person: count the placements to try, in a search that uses only human reasoning.

A person looks for forced moves: an atom that only one placement still covers, or a piece with only one place left. Forced moves cost
nothing. Where no move is forced, the search takes the atom or piece with the fewest placements left and tries these placements in turn;
each one tried is a branch. A branch fails only when some atom cannot be covered or some piece has no place; no subtler reasoning is used.
The search ends with the first solution.

The number of branches depends on the order of the tries. Therefore ``RUNS`` searches use different random orders, and their median is
turned into stars by ``STARS``. Each search gives up after ``PATIENCE`` branches. The random seeds are fixed, so the rating does not depend
on a clock unless a time limit is reached.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from statistics import median_low

import numpy as np

from puzzlesat.base import Clock, Limits, Sentence
from puzzlesat.playing.position import Position
from puzzlesat.puzzles import CoverProblem

RUNS = 9
"""Number of searches with different random orders; odd, so that the median is one of them."""
PATIENCE = 3_000
"""Branches after which a search gives up."""
STARS = (0, 5, 40, 400)
"""Largest numbers of branches for one, two, three and four stars; a position with more branches has five."""
LOOK_NODES = 64
"""Nodes between two looks at the clock."""


@dataclass(frozen=True)
class Difficulty:
    """The difficulty of a position."""

    branches: int
    """Placements to try where nothing is forced; the median of all runs."""
    depth: int
    """Largest number of nested guesses in the median run."""
    forced: int
    """Pieces that are forced in turn before the first guess, in the median run."""
    solved: bool
    """True if the median run found a solution. If False, the solution needs more branches, or there is none."""
    possible: bool = True
    """False if the position is known to have no completion."""
    complete: bool = True
    """False if a limit was reached before the runs determined the median."""

    @property
    def stars(self) -> int | None:
        """Stars from one to five; None if there is no solution."""
        if not self.possible:
            return None
        return len(STARS) + 1 if not self.solved else 1 + sum(self.branches > most for most in STARS)

    @property
    def words(self) -> str:
        """A sentence that explains the stars."""
        if not self.possible:
            return Sentence("It cannot be finished.")
        if not self.solved:
            return Sentence("More than {n} {n|placement|placements} have to be tried.", n=self.branches)
        if not self.branches:
            return Sentence("Every piece is forced in turn: nothing has to be tried.")
        deep = Sentence("one guess at a time") if self.depth == 1 else Sentence("up to {n} guesses deep", n=str(self.depth))
        if not self.forced:
            return Sentence("About {n} {n|placement|placements} {n|has|have} to be tried, {deep}.", n=self.branches, deep=deep)
        first = Sentence("{n} {n|piece|pieces} {n|is|are} forced first", n=self.forced)
        template = "{first}; then about {n} {n|placement|placements} {n|has|have} to be tried, {deep}."
        return Sentence(template, first=first, n=self.branches, deep=deep)


def difficulty(position: Position, limits: Limits) -> Difficulty:
    """Return how hard it is to finish a position. The result is always the same, unless a limit is reached before all runs."""
    left = position.built.problem.settle(position.placed)
    if left is None:
        return Difficulty(0, 0, 0, solved=False, possible=False)
    clock, table = Clock(limits), _Spots(left)
    tried: list[_Person] = []
    for number in range(RUNS):
        person = _Person(table, Random(number), clock)
        person.solve()
        if person.interrupted:
            break
        tried.append(person)
        if not person.solved and person.branches < PATIENCE:  # the search was exhaustive
            return Difficulty(person.branches, person.depth, person.forced, solved=False, possible=False)
        if _settled(tried):
            break
    if not tried:
        return Difficulty(person.branches, person.depth, person.forced, solved=False, complete=False)
    middle = median_low([p.branches for p in tried])
    typical = next(p for p in tried if p.branches == middle)
    complete = len(tried) == RUNS or _settled(tried)
    return Difficulty(middle, typical.depth, typical.forced, solved=typical.solved, complete=complete)


def _settled(tried: Sequence[_Person]) -> bool:
    """Return whether further runs cannot change the median: most runs gave up, or a run needed no branch."""
    half = RUNS // 2
    return sum(not p.solved for p in tried) > half or any(p.solved and not p.branches for p in tried)


class _Spots:
    """A cover problem as people see it: for each item, a bit set of the options that cover it."""

    def __init__(self, problem: CoverProblem) -> None:
        self.problem = problem
        self.options = [sum(1 << o for o in options.tolist()) for options in problem.options_of]
        self.needed = [i for i in range(len(problem.items)) if problem.low[i] > 0]
        self.once = [bool(high == 1) and not coloured for high, coloured in zip(problem.high, problem.coloured, strict=True)]
        self._out: dict[int, int] = {}

    def out(self, option: int) -> int:
        """The options that exclude this option, as a bit set which includes the option itself."""
        if option not in self._out:
            problem, excluded = self.problem, 1 << option
            for entry in range(int(problem.start[option]), int(problem.start[option + 1])):
                item, colour = int(problem.item[entry]), int(problem.colour[entry])
                if self.once[item]:
                    excluded |= self.options[item]
                elif problem.coloured[item]:
                    excluded |= sum(1 << o for o, other in self._coloured(item) if other != colour or not colour)
            self._out[option] = excluded
        return self._out[option]

    def _coloured(self, item: int) -> list[tuple[int, int]]:
        problem = self.problem
        return [(int(problem.rows[e]), int(problem.colour[e])) for e in (problem.item == item).nonzero()[0].tolist()]


@dataclass
class _Person:
    """One run of the search, with its own random order."""

    table: _Spots
    random: Random
    clock: Clock
    branches: int = 0
    depth: int = 0
    forced: int = 0
    solved: bool = False
    interrupted: bool = False
    nodes: int = 0

    def solve(self) -> None:
        """Look for a solution."""
        problem = self.table.problem
        copies = {i: int(problem.high[i]) for i in range(len(problem.items)) if not self.table.once[i] and not problem.coloured[i]}
        needs = {i: int(problem.low[i]) for i in self.table.needed}
        self.solved = self._finish((1 << problem.size) - 1, needs, copies, [], 0)

    def _finish(self, possible: int, needs: dict[int, int], copies: dict[int, int], chosen: list[int], depth: int) -> bool:
        """Place forced pieces, then try each placement at the tightest item; return whether a solution was found."""
        while True:
            if self._ends():
                return False
            tightest, fewest = -1, 0
            for item, need in needs.items():
                ways = (self.table.options[item] & possible).bit_count()
                if ways < need:
                    return False
                if tightest < 0 or ways < fewest:
                    tightest, fewest = item, ways
                    if ways == 1:
                        break
            if tightest < 0:
                return self._keeps_rules(chosen)
            spots = self.table.options[tightest] & possible
            if fewest > 1:
                break
            possible, needs, copies = self._laid(spots.bit_length() - 1, possible, needs, copies)
            chosen = [*chosen, spots.bit_length() - 1]
            self.forced += not depth
        self.depth = max(self.depth, depth + 1)
        tries = _bits(spots)
        self.random.shuffle(tries)
        for option in tries:
            if self.branches >= PATIENCE or self.interrupted:
                return False
            self.branches += 1
            if self._finish(*self._laid(option, possible, needs, copies), [*chosen, option], depth + 1):
                return True
        return False

    def _keeps_rules(self, chosen: list[int]) -> bool:
        """Return whether placements that cover everything also satisfy side conditions and colouring."""
        problem, row = self.table.problem, np.array([chosen or [-1]], dtype=np.int32)
        return all(c.holds(int(c.weights[chosen].sum())) for c in problem.conditions) and bool(problem.can_be_coloured(row).all())

    def _laid(
        self, option: int, possible: int, needs: dict[int, int], copies: dict[int, int]
    ) -> tuple[int, dict[int, int], dict[int, int]]:
        """Return the possible options, the needs and the copies that are left after an option is placed."""
        possible &= ~self.table.out(option)
        needs, copies = dict(needs), dict(copies)
        for item in self.table.problem.items_of(option).tolist():
            if item in needs:
                needs[item] -= 1
                if not needs[item]:
                    del needs[item]
            if item in copies and copies[item] != CoverProblem.UNLIMITED:
                copies[item] -= 1
                if not copies[item]:
                    possible &= ~self.table.options[item]
        return possible, needs, copies

    def _ends(self) -> bool:
        self.nodes += 1
        if self.nodes % LOOK_NODES == 0 and self.clock.verdict(-1) is not None:
            self.interrupted = True
        return self.interrupted


def _bits(number: int) -> list[int]:
    """Positions of the bits that are set."""
    positions = []
    while number:
        low = number & -number
        positions.append(low.bit_length() - 1)
        number ^= low
    return positions
