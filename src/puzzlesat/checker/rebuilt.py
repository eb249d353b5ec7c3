"""A puzzle rebuilt from its statement, with all checks of it. Begin here to see what the checker can prove about a puzzle.

``Unmoved`` is a problem for counting the solutions that a symmetry leaves unchanged, by a tree or a tally. Such a solution consists of
whole orbits of placements. So each orbit whose placements do not exclude each other is one option. It has all their items, and each tile as
often as the orbit has placements of the tile. In a tree, a tile is not an item if some orbit has several placements of it: its number of
copies is checked on each solution found, like the rules. A solution of the tree that fails this check is not counted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import gcd
from typing import Any

import numpy as np

from .arrays import Flags, Ints, Longs, Permutation, Records, Rows
from .form_motions import FormMotion, motions
from .formula import Clauses, make_formula
from .grid import Atom
from .problem import Problem, bits, make_problem, orbits, symmetries
from .puzzle import UNLIMITED, StatedPlacement, StatedPuzzle, StatedRule, all_placements, lay_placement
from .solution_rules import Entries
from .solutions import CertifiedCounts, SolutionCheck, check_solutions, count_solutions, labelled_alike
from .surface import Mark
from .tally import check_tally
from .tree import replay
from .values import CheckerSentence, Rejected, TooLarge

ForeignPlacement = tuple[str, int, Sequence[Atom], Iterable[Mark], int]
"""A name, the number of the tile, the atoms covered, the marks shown, and the number in the list (from 1) if placements are listed."""
MAX_SUMS = 1_000_000
"""Maximum number of sums that are held."""
NO_RULE = StatedRule("nothing", {}, {}, 0, 0, 0, 0)
"""The rule to which each placement adds 0: weights that bound its sum away from 0 show that there is no solution."""
MAX_ADDED = 100_000_000
"""Maximum number of sums that are made, repetitions included."""


@dataclass(frozen=True, eq=False)
class RebuiltPuzzle:
    """A puzzle as stated, and everything that follows from the statement."""

    puzzle: StatedPuzzle
    go_on: Callable[[], object]
    """Called now and then; may raise."""

    @cached_property
    def placements(self) -> list[StatedPlacement]:
        """Every allowed placement, in the order in which certificates number them."""
        return all_placements(self.puzzle, self.go_on)

    @cached_property
    def problem(self) -> Problem:
        """The problem of the puzzle without its rules; option o is placement o."""
        return make_problem(self.puzzle, self.placements)

    @cached_property
    def solution_check(self) -> SolutionCheck:
        """The check of solutions on the geometry."""
        return SolutionCheck(self.puzzle, len(self.placements), self.placements.__getitem__)

    def check_of(self, size: int, placement: Callable[[int], ForeignPlacement]) -> Callable[[Rows], tuple[int, str] | None]:
        """Return a check of solutions made of placements of another program, which numbers them from 0 to ``size`` - 1.

        The check takes rows of numbers, padded with -1. It returns the index of a row that is not a solution, and its error; None if all
        rows are solutions. Each placement is checked when a row first contains it; the check raises Rejected for a wrong placement.
        """

        def laid(number: int) -> StatedPlacement:
            self.go_on()
            told = placement(number)
            try:
                return lay_placement(self.puzzle, *told[1:])
            except Rejected as error:
                raise Rejected(f"{told[0]}: {error}") from None

        return SolutionCheck(self.puzzle, size, laid).wrong

    @cached_property
    def group(self) -> dict[int, Permutation]:
        """The symmetries under which solutions count as one, by their numbers."""
        return symmetries(self.puzzle, self.placements, self.go_on)

    def motions(self) -> Iterator[FormMotion]:
        """Yield the motions that map form, placements and all rules except sums of weights to themselves."""
        return motions(self.puzzle, self.placements, self.go_on)

    def orbits(self, item: int, numbers: Iterable[int]) -> dict[int, frozenset[int]]:
        """Return for each placement of an item those of its placements to which some symmetries of the group take it, one after another."""
        options = self.problem.options_of(item)
        found = orbits(options, [self.group[s] for s in numbers])
        return {option: found[option].intersection(options.tolist()) for option in options.tolist()}

    def formula(self, possible: Flags, solutions: Rows) -> Clauses:
        """Return the formula that has no model if and only if these are all solutions of possible placements."""
        return make_formula(self.problem, possible, solutions)

    def check_weighting(self, possible: Flags, weights: Mapping[int, int], modulus: int) -> str:
        """Confirm that a weighting of the atoms rules out every solution; return a sentence that says so.

        Every solution covers each required atom once, so the weights of its placements add up to the weights of the form (modulo
        ``modulus``, if this is not 0). Raises Rejected if the tiles can reach this sum, or if an optional atom, which need not be covered,
        has a weight.
        """
        problem = self.problem
        if modulus < 0 or any(not 0 <= i < problem.atoms or problem.low[i] != 1 for i in weights):
            raise Rejected("weighting: a weight belongs to a required atom, a modulus is 0 or more")
        of_item = [weights.get(i, 0) for i in range(len(problem.items))]
        target = _residue(sum(of_item), modulus)
        sums = {0}
        for tile in range(problem.atoms, len(problem.items)):
            options = [o for o in problem.options_of(tile).tolist() if possible[o]]
            items = (problem.items_of(o).tolist() for o in options)
            values = {_residue(sum(of_item[i] for i in of_option), modulus) for of_option in items}
            sums = _with_copies(sums, values, int(problem.low[tile]), min(int(problem.high[tile]), problem.atoms), modulus)
        if target in sums:
            raise Rejected(f"weighting: the form needs {target}, and the tiles can add up to that")
        rest = "the weights of the form add up to {target} modulo {modulus}, and no choice of tiles reaches this sum"
        whole = "the weights of the form add up to {target}, and no choice of tiles reaches this sum"
        return CheckerSentence(rest if modulus else whole, target=str(target), modulus=str(modulus))

    def check_bound(self, rule: StatedRule, weights: Longs, times: int, *, most: bool) -> int:
        """Confirm by weights of the items that no solution reaches the bound of a rule; return the weight of all that may be covered.

        With ``most``, each placement weighs at least ``times`` what it adds to the sum of the rule, so the sum is at most the returned
        weight divided by ``times``; else it weighs at most this, and the sum is at least the quotient. What each placement adds is a
        multiple of their greatest common divisor, so the next possible sum must be below ``rule.low``, or above ``rule.high``. Raises
        Rejected if it is not.
        """
        problem, sign, added = self.problem, 1 if most else -1, self.added(rule)
        unit = gcd(*added) or 1
        if times < 1 or len(weights) != len(problem.items):
            raise Rejected("bound: there is one weight for each item, and a positive number of times")
        for option, adds in enumerate(added):
            if sign * (sum(weights[problem.items_of(option)].tolist()) - times * adds) < 0:
                raise Rejected(f"bound: placement {option} weighs too {'little' if most else 'much'} for what it adds")
        total = 0
        for weight, low, high in zip(weights.tolist(), problem.low.tolist(), problem.high.tolist(), strict=True):
            if sign * weight > 0 and high >= UNLIMITED:
                raise Rejected("bound: a tile with any number of copies has a weight")
            total += (max if most else min)(weight * low, weight * high)
        least, greatest = -(-rule.low // unit) * unit, rule.high // unit * unit
        if not (total < times * least if most else total > times * greatest):
            raise Rejected("bound: the sum can be reached")
        return total

    def added(self, rule: StatedRule) -> list[int]:
        """Return what each placement adds to the sum of a rule."""
        return [rule.weight((self.puzzle.tiles[placed.tile].name, placed.look)) for placed in self.placements]

    def check_solutions(self, possible: Flags, blocks: Iterable[Rows]) -> Rows:
        """Return the rows of all blocks. Raises Rejected unless each row is a solution of possible placements, and all rows differ."""
        return check_solutions(self.solution_check, possible, blocks)

    def rules_kept(self, rows: Rows) -> Flags:
        """Tell for each row of placements, padded with -1, whether it keeps the rules."""
        return self.solution_check.rules_kept(rows)

    def count(self, rows: Rows, factors: Longs) -> CertifiedCounts:
        """Count the solutions that rows represent, each row as many as its factor says."""
        return count_solutions(self.puzzle, self.placements, rows, factors, list(self.group.values()))

    def count_labelled(self, found: int) -> int | None:
        """Return the number of solutions with copies told apart; None if solutions may use different numbers of copies."""
        return labelled_alike(self.puzzle, found)


def _with_copies(sums: set[int], values: set[int], low: int, high: int, modulus: int) -> set[int]:
    """Return the sums after ``low`` to ``high`` copies of a tile, each with any of its values."""
    reached = sums if low == 0 else set()
    step, added = sums, 0
    for copy in range(1, high + 1):
        added += len(step) * len(values)
        if added > MAX_ADDED:
            raise TooLarge("weighting: too many sums to go through")
        step = _sums(step, values, modulus)
        if copy >= low:
            if step <= reached:
                break  # more copies reach nothing new, because they add to these sums
            reached = reached | step
    return reached


def _sums(some: set[int], others: set[int], modulus: int) -> set[int]:
    """Return every sum of a member of one set and a member of the other. Raises Rejected as soon as there are too many."""
    found: set[int] = set()
    for other in others:
        found.update(_residue(one + other, modulus) for one in some)
        if len(found) > MAX_SUMS:
            raise TooLarge("weighting: too many different sums")
    return found


def _residue(total: int, modulus: int) -> int:
    return total % modulus if modulus else total


@dataclass(frozen=True, eq=False)
class Unmoved:
    """The problem of a symmetry; its solutions include the solutions that the symmetry leaves unchanged."""

    puzzle: StatedPuzzle
    orbits: tuple[tuple[int, ...], ...]
    """The placements of each option."""
    whole: Problem
    """The problem whose options are orbits, with all items of their placements."""
    problem: Problem
    """The same problem without the tiles of which an orbit has several placements."""

    def count_by_tree(self, placements: list[StatedPlacement], records: Iterator[Records]) -> int:
        """Return how many solutions a symmetry leaves unchanged, by a tree. Raises Rejected unless the tree leads to all of them."""
        found, width = 0, max(map(len, self.orbits), default=0)
        members = np.array([[*orbit, *[-1] * (width - len(orbit))] for orbit in (*self.orbits, ())], dtype=np.int32)

        check = SolutionCheck(self.puzzle, len(placements), placements.__getitem__)

        def look(rows: Rows) -> None:
            nonlocal found
            covered = Entries.of(self.whole.start, self.whole.item, rows).count(len(rows), len(self.whole.items))
            kept = rows[((self.whole.low <= covered) & (covered <= self.whole.high)).all(axis=1)]
            found += int(check.rules_kept(members[kept].reshape(len(kept), kept.shape[1] * width)).sum())

        replay(self.problem, bits(np.arange(self.problem.options), self.problem.options), records, look)
        return found

    @property
    def tallied(self) -> tuple[Problem, Flags] | None:
        """The problem of a tally, and its possible options; None if there are rules or marks, which a tally cannot hold.

        The options that a forced option excludes are impossible, and the first atom of a forced option must be covered. So every solution
        has the forced options.
        """
        whole, low = self.whole, self.whole.low.copy()
        if self.puzzle.late_rules or self.puzzle.mates:
            return None
        low[whole.item[whole.start[list(whole.forced)]]] = 1
        excluded = np.bitwise_or.reduce(whole.exclude[list(whole.forced)], axis=0)
        possible = np.unpackbits(excluded.view(np.uint8), count=whole.options, bitorder="little") == 0
        return replace(whole, low=low), possible

    def count_by_tally(self, stated: Any, members: Mapping[str, bytes]) -> int:
        """Return how many solutions a symmetry leaves unchanged, by a tally as in a certificate. Raises Rejected if the tally is wrong."""
        if self.tallied is None:
            raise Rejected("tally: rules and marks are not part of it")
        problem, possible = self.tallied
        alone = np.ones(problem.options, dtype=np.int64)
        return check_tally(problem, possible, alone, stated, lambda name: len(members[name]), lambda name, _: members[name])[0]


def classes(group: dict[int, Permutation]) -> list[list[int]]:
    """Return the conjugacy classes of a group of symmetries; conjugate symmetries leave equally many solutions unchanged."""
    number = {permutation.tobytes(): s for s, permutation in group.items()}
    found: dict[int, list[int]] = {}
    for s, permutation in group.items():
        if not any(s in members for members in found.values()):
            # the conjugate of s by p maps p(x) to p(s(x))
            moved = {number[p[permutation[np.argsort(p)]].tobytes()] for p in group.values()}
            found[s] = sorted(moved)
    return list(found.values())


def unmoved_by(puzzle: StatedPuzzle, problem: Problem, permutation: Permutation) -> Unmoved | None:
    """Return the problem of a symmetry; None if forced placements show that it leaves no solution unchanged."""
    together = dict.fromkeys(tuple(sorted(orbit)) for orbit in orbits(np.arange(problem.options), [permutation]).values())
    excluded = {orbit: np.bitwise_or.reduce(problem.exclude[list(orbit)]) for orbit in together}
    allowed = [orbit for orbit, others in excluded.items() if not (others & bits(np.array(orbit), problem.options)).any()]
    owner = {o: number for number, orbit in enumerate(allowed) for o in orbit}
    if not owner.keys() >= set(problem.forced):
        return None
    items = [np.concatenate([problem.items_of(o) for o in orbit]) for orbit in allowed]
    several = {int(item) for own in items for item, n in zip(*np.unique(own, return_counts=True), strict=True) if n > 1}
    exclude = np.zeros((len(allowed), max(1, (len(allowed) + 63) // 64)), dtype=np.uint64)
    for number, orbit in enumerate(allowed):
        there = np.unpackbits(excluded[orbit].view(np.uint8), count=problem.options, bitorder="little")
        others = {owner[o] for o in np.flatnonzero(there).tolist() if o in owner}
        exclude[number] = bits(np.array(sorted(others), dtype=np.int64), len(allowed))
    forced = tuple(sorted({owner[o] for o in problem.forced}))
    whole = replace(problem, options=len(allowed), exclude=exclude, forced=forced)
    every = [*range(len(problem.items))]
    once = [item for item in every if item not in several]
    return Unmoved(puzzle, tuple(allowed), _with_items(whole, items, every), _with_items(whole, items, once))


def _with_items(problem: Problem, items: list[Ints], left: list[int]) -> Problem:
    """Return a problem with only the items ``left``, in which option i has ``items[i]``."""
    number_of = {item: number for number, item in enumerate(left)}
    rows = [sorted(number_of[item] for item in own.tolist() if item in number_of) for own in items]
    start = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int32)
    item = np.array([item for row in rows for item in row], dtype=np.int32)
    names = tuple(problem.items[item] for item in left)
    return replace(problem, items=names, low=problem.low[left], high=problem.high[left], start=start, item=item)
