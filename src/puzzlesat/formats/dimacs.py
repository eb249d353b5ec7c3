"""DIMACS CNF: the formula for the SAT solver, with the map from variables to placements as comments."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from puzzlesat.base import NotSupportedError, PuzzleError, many, text_of
from puzzlesat.formats.constraints import Constraint, check_size, from_constraints
from puzzlesat.formats.table import integer
from puzzlesat.puzzles import CoverProblem
from puzzlesat.solvers import encode


def dimacs_lines(problem: CoverProblem, encoding: str = "mixed") -> Iterator[str]:
    """Yield the lines of a DIMACS file; variable v up to the number of placements is placement v - 1."""
    cnf = encode(problem, encoding=encoding)
    yield from (f"c {v} {name}" for v, name in enumerate(problem.options, start=1))
    yield f"p cnf {cnf.variables} {len(cnf.clauses)}"
    yield from (" ".join(map(str, (*clause, 0))) for clause in cnf.clauses)


def read_dimacs(path: Path) -> CoverProblem:
    """Return the problem whose solutions are the models of a DIMACS CNF file: one option per variable, chosen if it is true.

    Raises PuzzleError for an invalid file, and NotSupportedError for a projected or weighted count.
    """
    names: dict[int, str] = {}
    variables = clauses = None
    numbers: list[int] = []
    for line in text_of(path).splitlines():
        words = line.split()
        if not words:
            continue
        if words[0] == "%":  # the end of files in some old collections
            break
        if words[0] == "c":
            if words[1:2] == ["ind"] or words[1:3] in (["p", "show"], ["p", "weight"]):
                raise NotSupportedError(f"{path}: {line.strip()[:60]!r} asks for a projected or weighted count; only models are counted")
            if found := re.fullmatch(r"c ([0-9]{1,18}) (.+)", line.rstrip()):
                names[int(found[1])] = found[2]
        elif words[0] == "p":
            stated = re.fullmatch(r"p\s+cnf\s+([0-9]{1,18})\s+([0-9]{1,18})", line.strip())
            if variables is not None or stated is None:
                raise PuzzleError(f"{path}: expected one line 'p cnf VARIABLES CLAUSES', got {line.strip()[:60]!r}")
            variables, clauses = int(stated[1]), int(stated[2])
            check_size(path, variables)
        else:
            numbers += _literals(path, words)
    if variables is None or clauses is None:
        raise PuzzleError(f"{path}: the line 'p cnf VARIABLES CLAUSES' is missing")
    found_clauses = _clauses(path, numbers)
    if len(found_clauses) != clauses or any(abs(x) > variables for clause in found_clauses for x in clause):
        most = max((abs(x) for clause in found_clauses for x in clause), default=0)
        raise PuzzleError(
            f"{path}: it announces {many(variables, 'variable')} and {many(clauses, 'clause')}, and has {most} and {len(found_clauses)}"
        )
    constraints = [
        Constraint({abs(x): 1 if x > 0 else -1 for x in clause}, 1 - sum(x < 0 for x in clause), None)
        for clause in found_clauses
        if not any(-x in clause for x in clause)
    ]
    return from_constraints(path, [names.get(v, f"x{v}") for v in range(1, variables + 1)], constraints)


def _literals(path: Path, words: list[str]) -> list[int]:
    try:
        return [integer(word) for word in words]
    except ValueError:
        raise PuzzleError(f"{path}: expected literals, which are numbers, got {' '.join(words)[:60]!r}") from None


def _clauses(path: Path, numbers: list[int]) -> list[frozenset[int]]:
    """Return the clauses of a list of literals, in which 0 ends a clause."""
    clauses: list[frozenset[int]] = []
    clause: list[int] = []
    for number in numbers:
        if number:
            clause.append(number)
        else:
            clauses.append(frozenset(clause))
            clause = []
    if clause:
        raise PuzzleError(f"{path}: the last clause does not end with 0")
    return clauses
