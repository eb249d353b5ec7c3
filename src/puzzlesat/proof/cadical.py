"""CaDiCaL at work on an LRAT proof, in a process of its own; ``proof.lrat`` starts it. Nothing slow to load is imported here."""

from __future__ import annotations

import ctypes
import os
import pickle
import signal
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

PR_SET_PDEATHSIG = 1
MORE = 1 << 13
"""Bytes; more than a block of any disk."""


def refute() -> None:
    """What the process does: read clauses and a path from standard input, solve, answer on standard output."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    start, literals, path = pickle.load(sys.stdin.buffer)
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # an engine that prints must not spoil the answer
    pickle.dump(_solved(start.tolist(), literals.tolist(), path), answers)
    answers.flush()


def _solved(start: list[int], literals: list[int], path: str) -> tuple[bool, int] | str | OSError:
    """Solve with a proof. python-sat only starts DRAT proofs by itself; LRAT is an option that must be set before the proof is begun."""
    try:
        from pysat import solvers

        begin_proof, flush = solvers.pysolvers.cadical195_tracepr, solvers.pysolvers.flushpr
        solver: Any = solvers.Cadical195()
    except (ImportError, AttributeError):
        return "this version of python-sat cannot write proofs of CaDiCaL 1.9.5"
    solver.configure({"lrat": 1, "binary": 1})
    solver.prfile = Path(path).open("w+b")  # noqa: SIM115 - the solver closes it
    solver.prfp = begin_proof(solver.cadical, solver.prfile)
    for first, end in pairwise(start):
        solver.add_clause(literals[first:end])
    flush(solver.prfp)
    size = Path(path).stat().st_size
    unsatisfiable = not solver.solve()
    flush(solver.prfp)
    solver.delete()
    return _no_room(Path(path)) or (unsatisfiable, size)


def _no_room(path: Path) -> OSError | None:
    """What keeps a file from growing: CaDiCaL does not notice when its proof does not reach the disk."""
    size = path.stat().st_size
    try:
        with path.open("ab", buffering=0) as file:
            left = MORE
            while left:
                left -= file.write(bytes(left))
            file.truncate(size)
    except OSError as error:
        return OSError(error.errno, error.strerror)
    return None
