"""The CP-SAT model as the text of its protocol buffer."""

from __future__ import annotations

from collections.abc import Iterator

from puzzlesat.puzzles import CoverProblem


def cpsat_lines(problem: CoverProblem) -> Iterator[str]:
    """Yield the lines of the model's text; its variables have the names of the placements."""
    from puzzlesat.solvers import build_model

    model, _ = build_model(problem)
    yield from str(model.proto).splitlines()
