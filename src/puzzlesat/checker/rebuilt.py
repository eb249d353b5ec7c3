"""A puzzle rebuilt from its statement, with everything that is checked of it. Begin here to see what the checker can say of a puzzle."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from .arrays import Flags, Longs, Permutation, Rows
from .form_motions import FormMotion, motions
from .formula import Clauses, make_formula
from .grid import Atom
from .problem import Problem, make_problem, orbits, symmetries
from .puzzle import StatedPlacement, StatedPuzzle, all_placements, lay_placement
from .solutions import CertifiedCounts, SolutionCheck, check_solutions, count_solutions, labelled_alike
from .surface import Mark
from .values import CheckerSentence, Rejected, TooLarge

ToldPlacement = tuple[str, int, Sequence[Atom], Iterable[Mark], int]
"""A name, the number of the tile, what is covered and shown, and the place in the list where a tile has one, from 1."""
MOST_SUMS = 1_000_000
"""That are held."""
MOST_ADDED = 100_000_000
"""That are made, the same one perhaps often."""


@dataclass(frozen=True, eq=False)
class RebuiltPuzzle:
    """A puzzle as stated, and everything that follows from the statement."""

    puzzle: StatedPuzzle
    go_on: Callable[[], object]
    """Is called now and then, and may raise."""

    @cached_property
    def placements(self) -> list[StatedPlacement]:
        """Every placement that is allowed, in the order in which certificates number them."""
        return all_placements(self.puzzle, self.go_on)

    @cached_property
    def problem(self) -> Problem:
        """What a solution has to satisfy, without the rules; option o is placement o."""
        return make_problem(self.puzzle, self.placements)

    @cached_property
    def solution_check(self) -> SolutionCheck:
        """What is wrong with solutions."""
        return SolutionCheck(self.puzzle, len(self.placements), self.placements.__getitem__)

    def check_of(self, size: int, placement: Callable[[int], ToldPlacement]) -> Callable[[Rows], tuple[int, str] | None]:
        """Return a check of solutions made of placements of another program, which numbers them from 0 to ``size`` - 1.

        The check takes rows of numbers, padded with -1. It returns the place of a row that is no solution, and what is wrong with it; None
        where all are solutions. Each placement is checked when a row first has it; the check raises Rejected for a wrong one.
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
        """The symmetries under which two solutions count as one, by their numbers."""
        return symmetries(self.puzzle, self.placements, self.go_on)

    def motions(self) -> Iterator[FormMotion]:
        """Yield the motions that take form, placements and all rules but sums of weights to themselves."""
        return motions(self.puzzle, self.placements, self.go_on)

    def orbits(self, tile: int, numbers: Iterable[int]) -> dict[int, frozenset[int]]:
        """Return the orbit of each placement of a tile under some symmetries of the group."""
        return orbits(self.problem.options_of(self.problem.atoms + tile), [self.group[s] for s in numbers])

    def formula(self, possible: Flags, solutions: Rows) -> Clauses:
        """Return the formula that has no model if and only if these are all solutions of possible placements."""
        return make_formula(self.problem, possible, solutions)

    def check_weighting(self, possible: Flags, weights: Mapping[int, int], modulus: int) -> str:
        """Confirm that a weighting of the atoms rules out every solution; return what it says.

        Every solution covers each required atom once, so the weights of its placements add up to those of the form (modulo ``modulus``,
        if that is not 0). Raises Rejected where the tiles can reach that sum, or where an optional atom, which need not be covered, has a
        weight.
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

    def check_solutions(self, possible: Flags, blocks: Iterable[Rows]) -> Rows:
        """Return the rows of all blocks. Raises Rejected unless each is a solution of possible placements, and no two are alike."""
        return check_solutions(self.solution_check, possible, blocks)

    def rules_kept(self, rows: Rows) -> Flags:
        """Tell for each row of placements, padded with -1, whether it keeps the rules."""
        return self.solution_check.rules_kept(rows)

    def count(self, rows: Rows, factors: Longs) -> CertifiedCounts:
        """Count what rows of solutions stand for, each for ``factor`` many that look alike."""
        return count_solutions(self.puzzle, self.placements, rows, factors, list(self.group.values()))

    def count_labelled(self, found: int) -> int | None:
        """Return how many solutions there are with copies told apart; None where they may not use equally many copies."""
        return labelled_alike(self.puzzle, found)


def _with_copies(sums: set[int], values: set[int], low: int, high: int, modulus: int) -> set[int]:
    """The sums after between low and high copies of a tile, each with any of its values."""
    reached = sums if low == 0 else set()
    step, added = sums, 0
    for copy in range(1, high + 1):
        added += len(step) * len(values)
        if added > MOST_ADDED:
            raise TooLarge("weighting: too many sums to go through")
        step = _sums(step, values, modulus)
        if copy >= low:
            if step <= reached:
                break  # more copies reach nothing that is not reached already, for what follows is made of these
            reached = reached | step
    return reached


def _sums(some: set[int], others: set[int], modulus: int) -> set[int]:
    """Every sum of one and another. Raises Rejected where there are too many, as soon as there are."""
    found: set[int] = set()
    for other in others:
        found.update(_residue(one + other, modulus) for one in some)
        if len(found) > MOST_SUMS:
            raise TooLarge("weighting: too many different sums")
    return found


def _residue(total: int, modulus: int) -> int:
    return total % modulus if modulus else total
