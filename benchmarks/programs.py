"""The programs that are compared: our solvers by their names in the registry, and other people's exact-cover programs.

A program is a function that takes a cover problem, lays it out as the program wants it, and returns the count to be timed: laying out costs
our own solvers their time, but not the peers, whose callers would have their matrix at hand.
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
"""Names of the registry: the two that ``count`` runs on every puzzle that both can do."""
WHOLE_JOB = "count"
"""What does the whole job of ours: ``puzzlesat.count`` with ``auto``."""
JOBS = (WHOLE_JOB, "xcover")
"""Who does the whole job: how many solutions up to symmetry, from a loaded puzzle."""
OUR_MEMORY = 10 << 30


@dataclass(frozen=True)
class Peer:
    """A program of other people."""

    prepare: Callable[[CoverProblem], Count]
    package: str = ""
    """Its name on PyPI, where it has one …"""
    module: str = ""
    """… and the module that is there once it is installed."""
    built: str = ""
    """Where it is built from its sources: the environment variable that says where it is."""
    runs_by_itself: bool = False
    """Whether it runs in a process of its own, whose CPU seconds count, from its start to its end."""

    @property
    def is_here(self) -> bool:
        """Whether it is installed or built."""
        return is_built(self.built) if self.built else _found(self.module)

    @property
    def wanted(self) -> str:
        """What to do where it is not here."""
        return f"not built: --{self.built.lower()}" if self.built else f"not installed: {self.package}"


def ours(name: str) -> Callable[[CoverProblem], Count]:
    """Return the program for one of our solvers."""

    limits = Limits(cores=1, memory=OUR_MEMORY)

    def prepare(problem: CoverProblem) -> Count:
        return lambda: solver(name)(replace(problem))(None, limits).found  # a copy remembers nothing of an earlier solve

    return prepare


def xcover(problem: CoverProblem) -> Count:
    """Knuth's dancing cells, compiled by numba; solution by solution."""
    from xcover import covers

    options = plain_options(problem)
    return lambda: sum(1 for _ in covers(options))


def xcover_zdd(problem: CoverProblem) -> Count:
    """The same package building a ZDD with a memo of subproblems, the solutions counted from its nodes.

    The memo knows a subproblem by a hash of 32 bits alone (0.2.6), so a large problem can be miscounted: TriTetraTan gives 125.
    """
    warnings.simplefilter("ignore")  # numba's remark on a cast, at import
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
    """Dancing links in C, which counts without handing solutions over."""
    from exact_cover import get_solution_count

    matrix = plain_matrix(problem)
    return lambda: int(get_solution_count(matrix))


def exact_cover_py(problem: CoverProblem) -> Count:
    """Dancing links compiled by numba; solution by solution. Its links are numbers of 16 bits."""
    from exact_cover_py import exact_covers

    matrix = plain_matrix(problem)
    if 2 + sum(matrix.shape) + int(matrix.sum()) > np.iinfo(np.int16).max:
        raise NotSupportedError("more nodes than its 16 bits can number")
    return lambda: sum(1 for _ in exact_covers(matrix))


def pyxcc(problem: CoverProblem) -> Count:
    """Knuth's dancing cells in Rust; it gathers the solutions and then tells how many there are."""
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
"""The fastest first: a later one need not be waited for long once an earlier one has finished."""


def available() -> list[str]:
    """Return the programs that there are here: our solvers of the registry, then the peers installed."""
    return [name for name in OURS if name in SOLVERS] + [name for name, peer in PEERS.items() if peer.is_here]


def missing() -> list[str]:
    """Return the programs that there are not, with the reason."""
    unknown = [f"{name} (not in the registry)" for name in OURS if name not in SOLVERS]
    return unknown + [f"{name} ({peer.wanted})" for name, peer in PEERS.items() if not peer.is_here]


def runs_by_itself(name: str) -> bool:
    """Return whether a program runs in a process of its own."""
    return name in PEERS and PEERS[name].runs_by_itself


def clock(name: str) -> Callable[[], float]:
    """Return the function that tells how many CPU seconds a program has taken so far."""
    return cpu_seconds if runs_by_itself(name) else process_time


def prepare(name: str, problem: CoverProblem) -> Count:
    """Lay the problem out for a program; what is returned counts, as often as it is called.

    Raises NotSupportedError where the program cannot.
    """
    return PEERS[name].prepare(problem) if name in PEERS else ours(name)(problem)


def prepare_job(name: str, instance: Instance) -> Count:
    """Return what does the whole job: the number of solutions up to symmetry.

    Ours gets the puzzle as it was loaded. For xcover the options and what the symmetries make of each were listed before; it goes
    through all solutions and keeps the least image of each, as those do who use it.
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
    """Return the version of each package that takes part, and of those that compile or carry them."""
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
