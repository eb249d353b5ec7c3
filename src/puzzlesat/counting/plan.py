"""Plan how to count a puzzle and check the count: which solvers, and how long the checks may take."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from puzzlesat.base import Limits, PuzzleError, near_match
from puzzlesat.solvers import SOLVERS, family, solver

if TYPE_CHECKING:
    from puzzlesat.puzzles import Condition

AUTO = "auto"
"""The tally and the backtracker, which take turns."""
CERTIFICATE = "certificate"
"""A certificate of the whole search, made and then checked from the geometry. Plans name it like a solver that checks."""
COUNTING = (AUTO, CERTIFICATE, "sat", "cpsat")
"""Default of ``--solver``: the solver that counts, and those that check."""
CHECKING_SECONDS: float = 20
"""Time limit of the certificate and all checking solvers of a puzzle together: the default of ``--budget``."""
MIN_SAMPLE_SECONDS, MAX_SAMPLE_SECONDS = 0.5, 5.0
"""Minimum and maximum seconds for the other checking solvers if something confirmed the whole count. Between them it is the time used
before."""
FIRST_SECONDS: float = 60
"""Time limit of each first attempt. A longer count is left to the next step."""
MAX_LISTED = 1_000_000
"""Maximum number of solutions up to symmetry that are listed after the tally has counted them."""


@dataclass(frozen=True)
class Plan:
    """The solvers of a count and its checks, with their limits and switches."""

    solvers: Sequence[str] = COUNTING
    budget: float | None = None
    """Seconds for the certificate and all checking solvers of an instance together; None: in proportion (see ``sample_seconds``), in CPU
    seconds, so that the evidence is the same on a busy machine."""
    full: bool = False
    """Check everything, without a time limit for the checks."""
    symmetry: bool = True
    parity: bool = True
    reduction: bool = True
    transformed: bool = False
    conditions: tuple[Condition, ...] = ()
    """Further conditions for all solvers; every solution satisfies them."""
    colouring: bool = False
    """Look for colourings that restrict the solutions, and add them to the conditions."""
    limits: Limits = field(default_factory=Limits)
    proved: bool = False
    """Use all available time for a certificate that the program with the soundness proof can check."""

    @property
    def checking_seconds(self) -> float:
        """Seconds for the certificate and all checking solvers."""
        return CHECKING_SECONDS if self.budget is None else self.budget

    def sample_seconds(self, spent: float) -> float | None:
        """Return the seconds for the other solvers if something confirmed the whole count; None: no reduction.

        ``spent`` is the number of seconds since the work on the puzzle began.
        """
        return None if self.full or self.budget is not None else min(MAX_SAMPLE_SECONDS, max(MIN_SAMPLE_SECONDS, spent))

    def check(self) -> None:
        """Raise PuzzleError if a name is not a solver, ``auto`` or ``certificate``, or if ``auto`` is not first."""
        known = (AUTO, CERTIFICATE, *SOLVERS)
        for name in self.solvers:
            if name not in known and family(name) not in SOLVERS:
                raise PuzzleError(f"there is no solver {name!r}{near_match(family(name), known)}")
        if AUTO in self.solvers[1:]:
            raise PuzzleError(f"solvers {','.join(self.solvers)}: {AUTO} must come first: it counts, and the others check")
        for name in self.solvers:
            if name not in (AUTO, CERTIFICATE, family(name)):
                solver(name)
