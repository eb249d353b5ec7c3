"""The solvers by name, each imported only when it is used."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from puzzlesat.errors import PuzzleError, near_match
from puzzlesat.solvers.run import Outcome

Solve = Callable[..., Outcome]
"""``solve(problem, on_solutions, limits, given=(), progress=None)``."""

SOLVERS: dict[str, str] = {
    "backtrack": "exhaustive search by bitsets, compiled by numba",
    "sat": "clauses and a CDCL solver of python-sat (sat:ENGINE chooses it, sat:ENGINE:ENCODING the encoding too)",
    "cpsat": "a constraint model and OR-Tools CP-SAT",
}


def solver(name: str) -> Solve:
    """Return the solve function of ``backtrack``, ``cpsat``, ``sat``, ``sat:ENGINE`` or ``sat:ENGINE:ENCODING``.

    Raises PuzzleError for a name that is none of these.
    """
    family, *rest = name.split(":")
    if family not in SOLVERS or (rest and family != "sat") or len(rest) > 2:
        raise PuzzleError(f"there is no solver {name!r}{near_match(family, SOLVERS)}")
    if family == "backtrack":
        from puzzlesat.solvers import backtrack

        return backtrack.solve
    if family == "cpsat":
        from puzzlesat.solvers import cpsat

        return cpsat.solve
    from puzzlesat.solvers import cnf, sat

    if len(rest) == 2 and rest[1] not in cnf.AT_MOST_ONE:
        raise PuzzleError(f"there is no encoding {rest[1]!r}{near_match(rest[1], cnf.AT_MOST_ONE)}")
    sat.open_engine(rest[0] if rest else sat.DEFAULT_ENGINE).delete()
    return partial(sat.solve, **dict(zip(("engine", "encoding"), rest, strict=False)))
