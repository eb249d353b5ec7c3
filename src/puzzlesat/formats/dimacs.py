"""DIMACS CNF: the formula that the SAT solver gets, with the map of variables to placements as comments."""

from __future__ import annotations

from collections.abc import Iterator

from puzzlesat.cover.problem import CoverProblem
from puzzlesat.solvers.cnf import encode


def dimacs_lines(problem: CoverProblem, encoding: str = "mixed") -> Iterator[str]:
    """Yield the lines of a DIMACS file; variable v up to the number of placements is placement v - 1."""
    cnf = encode(problem, encoding)
    yield from (f"c {v} {name}" for v, name in enumerate(problem.options, start=1))
    yield f"p cnf {cnf.variables} {len(cnf.clauses)}"
    yield from (" ".join(map(str, (*clause, 0))) for clause in cnf.clauses)
