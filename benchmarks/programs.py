"""The compared programs: our solvers by their names in the registry, and other people's exact-cover programs.

A program is a function that converts a cover problem to the program's own format and returns a function to time, which counts. The
conversion is part of the measured time of our own solvers, but not of the peers, whose callers would already have their matrix.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from time import process_time

import numpy as np
from executables import Count, cpu_seconds, is_built, miniexact, pentomino_bitboards, ssxcc
from matrices import plain_matrix, plain_options

import puzzlesat
from puzzlesat.base.errors import NotSupportedError
from puzzlesat.base.limits import Limits
from puzzlesat.puzzles.building import build_instance
from puzzlesat.puzzles.problem import CoverProblem
from puzzlesat.puzzles.puzzle import Instance
from puzzlesat.solvers.registry import SOLVERS, solver

OURS = ("tally", "backtrack")
"""Names in the registry: the two solvers that ``count`` runs on every puzzle that both support."""
WHOLE_JOB = "count"
"""The whole job with puzzlesat: ``puzzlesat.count`` with ``auto``."""
JOBS = (WHOLE_JOB, "xcover")
"""Programs measured on the whole job: the number of solutions up to symmetry, starting from a loaded puzzle."""
OUR_MEMORY = 10 << 30


@dataclass(frozen=True)
class Peer:
    """Another project's program."""

    prepare: Callable[[CoverProblem], Count]
    package: str = ""
    """Its name on PyPI, if it is there."""
    module: str = ""
    """A module whose presence shows that the package is installed."""
    built: str = ""
    """For a program built from source, the environment variable with its path."""
    runs_by_itself: bool = False
    """Whether it runs as a separate process, whose total CPU seconds count."""

    @property
    def is_here(self) -> bool:
        """Return whether it is installed or built."""
        return is_built(self.built) if self.built else _found(self.module)

    @property
    def wanted(self) -> str:
        """Return how to install a missing program."""
        return f"not built: --{self.built.lower()}" if self.built else f"not installed: {self.package}"


def ours(name: str) -> Callable[[CoverProblem], Count]:
    """Return the program for one of our solvers."""

    limits = Limits(cores=1, memory=OUR_MEMORY)

    def prepare(problem: CoverProblem) -> Count:
        return lambda: solver(name)(replace(problem))(None, limits).found  # a copy has no caches of an earlier solve

    return prepare


def xcover(problem: CoverProblem) -> Count:
    """Knuth's dancing cells, compiled by numba; it enumerates solutions."""
    from xcover import covers

    options = plain_options(problem)
    return lambda: sum(1 for _ in covers(options))


def xcover_zdd(problem: CoverProblem) -> Count:
    """The same package with a ZDD and a memo of subproblems; the solutions are counted from the nodes of the ZDD.

    The memo identifies a subproblem only by a 32-bit hash (0.2.6), so large problems can be miscounted: it counts 125 for TriTetraTan.
    """
    warnings.simplefilter("ignore")  # numba warns about a cast at import
    from xcover import covers_bool_zdd

    matrix = plain_matrix(problem)

    def count() -> int:
        last, solutions = 0, {0: 0, 1: 1}
        for node, _, low, high in covers_bool_zdd(matrix, use_memo_cache=True):
            last = node
            solutions[node] = solutions[low] + solutions[high]
        return solutions[last]

    return count


def exact_cover(problem: CoverProblem) -> Count:
    """Dancing links in C, which counts without returning solutions."""
    from exact_cover import get_solution_count

    matrix = plain_matrix(problem)
    return lambda: int(get_solution_count(matrix))


def exact_cover_py(problem: CoverProblem) -> Count:
    """Dancing links compiled by numba; it enumerates solutions. Its links are 16-bit numbers."""
    from exact_cover_py import exact_covers

    matrix = plain_matrix(problem)
    if 2 + sum(matrix.shape) + int(matrix.sum()) > np.iinfo(np.int16).max:
        raise NotSupportedError("more nodes than its 16 bits can number")
    return lambda: sum(1 for _ in exact_covers(matrix))


def pyxcc(problem: CoverProblem) -> Count:
    """Knuth's dancing cells in Rust; it collects all solutions before it reports their number."""
    from pyxcc import Option, Problem, solve

    options = [[str(item) for item in items] for items in plain_options(problem)]
    items = list(dict.fromkeys(item for option in options for item in option))
    stated = Problem(items, [], [Option(str(number), option, []) for number, option in enumerate(options)])
    return lambda: int(solve(stated, True).count())


def sage(problem: CoverProblem) -> Count:
    """Sage's dancing links in C++, on one processor."""
    from sage.combinat.matrices.dancing_links import dlx_solver

    options = plain_options(problem)
    return lambda: int(dlx_solver(options).number_of_solutions(ncpus=1))


PEERS: dict[str, Peer] = {
    "Rust bitboards": Peer(pentomino_bitboards, built="PENTOMINOES", runs_by_itself=True),
    "xcover": Peer(xcover, "xcover", "xcover"),
    "SSXCC": Peer(ssxcc, built="SSXCC", runs_by_itself=True),
    "miniexact": Peer(miniexact, "miniexact", "miniexact", runs_by_itself=True),
    "pyxcc": Peer(pyxcc, "pyxcc", "pyxcc"),
    "Sage": Peer(sage, "passagemath-categories", "sage.combinat.matrices.dancing_links"),
    "xcover ZDD": Peer(xcover_zdd, "xcover", "xcover"),
    "exact-cover-py": Peer(exact_cover_py, "exact-cover-py", "exact_cover_py"),
    "exact-cover": Peer(exact_cover, "exact-cover", "exact_cover"),
}
"""The fastest first: once an early program has finished, later ones get a shorter limit."""


def available() -> list[str]:
    """Return the available programs: our registered solvers, then the installed peers."""
    return [name for name in OURS if name in SOLVERS] + [name for name, peer in PEERS.items() if peer.is_here]


def missing() -> list[str]:
    """Return the missing programs, with reasons."""
    unknown = [f"{name} (not in the registry)" for name in OURS if name not in SOLVERS]
    return unknown + [f"{name} ({peer.wanted})" for name, peer in PEERS.items() if not peer.is_here]


def runs_by_itself(name: str) -> bool:
    """Return whether a program runs as a separate process."""
    return name in PEERS and PEERS[name].runs_by_itself


def clock(name: str) -> Callable[[], float]:
    """Return the clock of a program: a function that returns its CPU seconds so far."""
    return cpu_seconds if runs_by_itself(name) else process_time


def prepare(name: str, problem: CoverProblem) -> Count:
    """Convert the problem for a program; return a function that counts and can be called repeatedly.

    Raises NotSupportedError if the program does not support the problem.
    """
    return PEERS[name].prepare(problem) if name in PEERS else ours(name)(problem)


def prepare_job(name: str, instance: Instance) -> Count:
    """Return a function that does the whole job: it counts the solutions up to symmetry.

    Our program starts from the loaded puzzle. For xcover, the options and their images under the symmetries are prepared; the function
    enumerates all solutions and keeps the least image of each, like typical users of xcover.
    """
    if name == WHOLE_JOB:
        return lambda: puzzlesat.count(replace(instance.puzzle), solver="auto").counts.distinct or 0
    from xcover import covers

    problem = build_instance(instance.puzzle).problem.without_implied()
    options = plain_options(problem)
    images = np.arange(problem.size)[None] if problem.images is None else problem.images

    def count() -> int:
        return len({min(map(tuple, np.sort(images[:, list(rows)], axis=1).tolist())) for rows in covers(options)})

    return count


def versions() -> dict[str, str]:
    """Return the versions of all programs, and of numba and NumPy."""
    packages = ["puzzlesat", *dict.fromkeys(peer.package for peer in PEERS.values() if peer.package), "numba", "numpy"]
    return {package: number for package in packages if (number := _version(package))}


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _found(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:
        return False
