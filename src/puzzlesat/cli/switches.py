"""What the commands that count were told: the options of the command line, and the plan that they make."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from puzzlesat.cli.bounds import Bounds
from puzzlesat.cover.instance import build_instance
from puzzlesat.cover.problem import Condition
from puzzlesat.progress import Progress
from puzzlesat.puzzle.instance import Instance
from puzzlesat.solvers.registry import check_counting, names_of
from puzzlesat.solvers.run import Clock, Limits
from puzzlesat.solvers.strategy import CERTIFICATE, COLOURING_SECONDS, COUNTING, Plan


@dataclass(frozen=True)
class Switches:
    """The options of the command line, as they were given."""

    solver: str | None = None
    budget: float | None = None
    full: bool = False
    transformed: bool = False
    no_symmetry: bool = False
    no_parity: bool = False
    no_reduction: bool = False
    time: float | None = None
    limit: int | None = None
    memory: float | None = None
    colouring: bool = False
    cpu: bool = False
    disk: Path | None = None
    disk_space: float | None = None
    proved: bool = False

    @property
    def bounds(self) -> Bounds:
        """What the work on one puzzle may take."""
        return Bounds(self.time, self.memory, self.cpu, self.disk, self.disk_space)

    @property
    def solvers(self) -> tuple[str, ...]:
        """The names of the solvers, the one that counts first. Raises PuzzleError for one that does not exist."""
        names = COUNTING if self.solver is None else names_of(self.solver)
        check_counting(names)
        return (names[0], CERTIFICATE, *names[1:]) if self.proved and CERTIFICATE not in names else names

    def plan(self, instance: Instance | None, limits: Limits, progress: Progress) -> Plan:
        """Return the plan for one instance, or for a cover problem (None). Raises PuzzleError for a solver that does not exist."""
        return Plan(
            self.solvers, self.budget, self.full, not self.no_symmetry, not self.no_parity, not self.no_reduction, self.transformed,
            self._conditions(instance, limits, progress), limits, self.proved,
        )  # fmt: skip

    def _conditions(self, instance: Instance | None, limits: Limits, progress: Progress) -> tuple[Condition, ...]:
        if not self.colouring or instance is None:
            return ()
        from puzzlesat.proof.conditions import found_conditions

        built = build_instance(instance, progress=progress, memory=limits.memory)
        progress.of("colourings")({})
        left = Clock(limits).left
        return found_conditions(built, COLOURING_SECONDS if left is None else min(left, COLOURING_SECONDS))
