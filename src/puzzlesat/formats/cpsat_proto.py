"""The CP-SAT model as the text of its protocol buffer."""

from __future__ import annotations

from collections.abc import Iterator

from puzzlesat import solvers
from puzzlesat.puzzles import CoverProblem


def cpsat_lines(problem: CoverProblem) -> Iterator[str]:
    """Yield the lines of the model's text; its variables have the names of the placements."""
    model, _ = solvers.build_model(problem)
    yield from str(model.proto).splitlines()
