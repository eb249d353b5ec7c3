"""A puzzle rebuilt from its statement, with everything that is checked of it. Begin here to see what the checker can say of a puzzle."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from .arrays import Flags, Longs, Permutation, Rows
from .form_motions import Motion, motions
from .formula import Clauses, make_formula
from .problem import Problem, make_problem, orbits, symmetries
from .puzzle import Placement, Puzzle, all_placements
from .solutions import Counts, check_solutions, count_solutions, keeps_rules, labelled_alike
from .weighting import check_weighting


@dataclass(frozen=True, eq=False)
class RebuiltPuzzle:
    """A puzzle as stated, and everything that follows from the statement."""

    puzzle: Puzzle
    go_on: Callable[[], object]
    """Is called now and then, and may raise."""

    @cached_property
    def placements(self) -> list[Placement]:
        """Every placement that is allowed, in the order in which certificates number them."""
        return all_placements(self.puzzle, self.go_on)

    @cached_property
    def problem(self) -> Problem:
        """What a solution has to satisfy, without the rules; option o is placement o."""
        return make_problem(self.puzzle, self.placements)

    @cached_property
    def group(self) -> dict[int, Permutation]:
        """The symmetries under which two solutions count as one, by their numbers."""
        return symmetries(self.puzzle, self.placements, self.go_on)

    def motions(self) -> Iterator[Motion]:
        """Yield the motions that take form, placements and all rules but sums of weights to themselves."""
        return motions(self.puzzle, self.placements, self.go_on)

    def orbits(self, tile: int, numbers: Iterable[int]) -> dict[int, frozenset[int]]:
        """Return the orbit of each placement of a tile under some symmetries of the group."""
        return orbits(self.problem.options_of(self.problem.atoms + tile), [self.group[s] for s in numbers])

    def formula(self, possible: Flags, solutions: Rows) -> Clauses:
        """Return the formula that has no model if and only if these are all solutions of possible placements."""
        return make_formula(self.problem, possible, solutions)

    def check_weighting(self, possible: Flags, weights: Mapping[int, int], modulus: int) -> str:
        """Confirm that weights of the atoms rule out every solution; return what they say. Raises Rejected where they do not."""
        return check_weighting(self.problem, possible, weights, modulus)

    def check_solutions(self, possible: Flags, blocks: Iterable[Rows]) -> Rows:
        """Return the rows of all blocks. Raises Rejected unless each is a solution of possible placements, and no two are alike."""
        return check_solutions(self.puzzle, self.placements, self.problem, possible, blocks)

    def keeps_rules(self, chosen: list[int]) -> bool:
        """Tell whether a choice of placements keeps the rules."""
        return keeps_rules(self.puzzle, self.placements, chosen)

    def count(self, rows: Rows, factors: Longs) -> Counts:
        """Count what rows of solutions stand for, each for ``factor`` many that look alike."""
        return count_solutions(self.puzzle, self.placements, rows, factors, list(self.group.values()))

    def count_labelled(self, found: int) -> int | None:
        """Return how many solutions there are with copies told apart; None where they may not use equally many copies."""
        return labelled_alike(self.puzzle, found)
