"""What the commands that count were told: the options of the command line, and the plan that they make."""

from __future__ import annotations

from dataclasses import dataclass
from threading import Event

from puzzlesat.counting.report import AUTO, DEFAULT_SOLVERS, Plan
from puzzlesat.cover.build import build
from puzzlesat.cover.problem import Condition
from puzzlesat.errors import PuzzleError
from puzzlesat.puzzle.data import Puzzle
from puzzlesat.solvers.registry import solver as solver_by_name
from puzzlesat.solvers.run import Limits


@dataclass(frozen=True)
class Switches:
    """The options of the command line, as they were given."""

    solver: str | None = None
    budget: float = 60
    full: bool = False
    transformed: bool = False
    no_symmetry: bool = False
    no_parity: bool = False
    no_reduction: bool = False
    time: float | None = None
    limit: int | None = None
    memory: float | None = None
    colouring: bool = False

    def limits(self, stop: Event) -> Limits:
        """Return when to stop."""
        return Limits(self.limit, self.time, stop, None if self.memory is None else int(self.memory * 2**30))

    def plan(self, puzzle: Puzzle | None, limits: Limits) -> Plan:
        """Return the plan for one puzzle, or for a cover problem (None). Raises PuzzleError for a solver that does not exist."""
        names = DEFAULT_SOLVERS if self.solver is None else tuple(self.solver.split(","))
        for name in names[names[0] == AUTO :]:
            if name == AUTO:
                raise PuzzleError(f"--solver {self.solver}: {AUTO} must come first: it counts, and the others check")
            solver_by_name(name)
        return Plan(
            names, self.budget, self.full, not self.no_symmetry, not self.no_parity, not self.no_reduction, self.transformed,
            self._conditions(puzzle), limits,
        )  # fmt: skip

    def _conditions(self, puzzle: Puzzle | None) -> tuple[Condition, ...]:
        if not self.colouring or puzzle is None:
            return ()
        from puzzlesat.proof.conditions import found_conditions

        return found_conditions(build(puzzle))
