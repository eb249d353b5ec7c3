"""What the commands that count were told: the options of the command line, and the plan that they make."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from threading import Event

from puzzlesat.cover.instance import build_instance
from puzzlesat.cover.problem import Condition
from puzzlesat.errors import PuzzleError
from puzzlesat.puzzle.instance import Instance
from puzzlesat.solvers.registry import solver as solver_by_name
from puzzlesat.solvers.run import Limits
from puzzlesat.solvers.strategy import AUTO, CHECKING_SECONDS, COUNTING, Plan


@dataclass(frozen=True)
class Switches:
    """The options of the command line, as they were given."""

    solver: str | None = None
    budget: float = CHECKING_SECONDS
    full: bool = False
    transformed: bool = False
    no_symmetry: bool = False
    no_parity: bool = False
    no_reduction: bool = False
    time: float | None = None
    limit: int | None = None
    memory: float | None = None
    colouring: bool = False
    disk: Path | None = None
    disk_space: float | None = None

    def limits(self, stop: Event) -> Limits:
        """Return when to stop."""
        return Limits(self.limit, self.time, stop, _bytes(self.memory), self.disk, _bytes(self.disk_space))

    def plan(self, instance: Instance | None, limits: Limits) -> Plan:
        """Return the plan for one instance, or for a cover problem (None). Raises PuzzleError for a solver that does not exist."""
        names = COUNTING if self.solver is None else tuple(self.solver.split(","))
        for name in names[names[0] == AUTO :]:
            if name == AUTO:
                raise PuzzleError(f"--solver {self.solver}: {AUTO} must come first: it counts, and the others check")
            solver_by_name(name)
        return Plan(
            names, self.budget, self.full, not self.no_symmetry, not self.no_parity, not self.no_reduction, self.transformed,
            self._conditions(instance), limits,
        )  # fmt: skip

    def _conditions(self, instance: Instance | None) -> tuple[Condition, ...]:
        if not self.colouring or instance is None:
            return ()
        from puzzlesat.proof.conditions import found_conditions

        return found_conditions(build_instance(instance))


def _bytes(gibibytes: float | None) -> int | None:
    return None if gibibytes is None else int(gibibytes * 2**30)
