"""CaDiCaL at work on an LRAT proof, in a process of its own; ``proof.lrat`` starts it. Nothing slow to load is imported here."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

from puzzlesat.arrays import Ints, Longs
from puzzlesat.children import end_at_once_with_parent
from puzzlesat.errors import NotSupportedError
from puzzlesat.libraries import needed

MORE = 1 << 13
"""Bytes; more than a block of any disk."""


def refute(start: Longs, literals: Ints, path: Path) -> tuple[bool, int]:
    """What a child is asked for: whether there is no model, and how long the proof was when all clauses were read.

    Raises NotSupportedError where python-sat writes no LRAT, OSError where the proof does not reach the disk.
    """
    end_at_once_with_parent()
    return solved(start, literals, path)


def solved(start: Longs, literals: Ints, path: Path) -> tuple[bool, int]:
    """Solve with a proof. python-sat only starts DRAT proofs by itself; LRAT is an option that must be set before the proof is begun."""
    needed("pysat")
    try:
        from pysat import solvers

        begin_proof, flush = solvers.pysolvers.cadical195_tracepr, solvers.pysolvers.flushpr
        solver: Any = solvers.Cadical195()
    except (ImportError, AttributeError):
        raise NotSupportedError("this version of python-sat cannot write proofs of CaDiCaL 1.9.5") from None
    solver.configure({"lrat": 1, "binary": 1})
    solver.prfile = path.open("w+b")  # the solver closes it
    solver.prfp = begin_proof(solver.cadical, solver.prfile)
    numbers = literals.tolist()
    for first, end in pairwise(start.tolist()):
        solver.add_clause(numbers[first:end])
    flush(solver.prfp)
    size = path.stat().st_size
    unsatisfiable = not solver.solve()
    flush(solver.prfp)
    solver.delete()
    _check_room(path)
    return unsatisfiable, size


def _check_room(path: Path) -> None:
    """Raise OSError where a file cannot grow: CaDiCaL does not notice when its proof does not reach the disk."""
    size = path.stat().st_size
    with path.open("ab", buffering=0) as file:
        left = MORE
        while left:
            left -= file.write(bytes(left))
        file.truncate(size)
