"""The backtracker beside other people's exact-cover programs, on the same matrices, alternating in one run.

    pip install '.[benchmarks]'
    python benchmarks/peers.py                      # the quick ones
    python benchmarks/peers.py pentominoes-6x10     # any instance that is a plain exact cover
    python benchmarks/peers.py --reduced octogram   # symmetry broken and dead placements removed, for all programs alike

Peers that are not installed are left out. Every count is checked; times are of the solver alone (process time), the median of the rounds.
"""

from __future__ import annotations

import argparse
import platform
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from time import process_time

import numpy as np

import puzzlesat
from puzzlesat.cover.build import build
from puzzlesat.cover.problem import CoverProblem
from puzzlesat.cover.reduce import reduce
from puzzlesat.solvers import backtrack
from puzzlesat.solvers.run import Limits

QUICK = ("pentominoes-3x20", "pentominoes-4x15", "pentominoes-8x8-centre", "soma", "hexiamonds-6x6", "tritetratan")


def ours(problem: CoverProblem) -> int:
    return backtrack.solve(problem, lambda rows: None, Limits()).found


def xcover_count(problem: CoverProblem) -> int:
    import xcover

    options = [[int(i) for i in problem.items_of(o)] for o in range(problem.size)]
    return sum(1 for _ in xcover.covers(options))


def exact_cover_count(problem: CoverProblem) -> int:
    import exact_cover

    matrix = np.zeros((problem.size, len(problem.items)), dtype=bool)
    matrix[problem.rows, problem.item] = True
    return int(exact_cover.get_solution_count(matrix))


def sage_count(problem: CoverProblem) -> int:
    from sage.combinat.matrices.dancing_links import dlx_solver

    return int(dlx_solver([[int(i) for i in problem.items_of(o)] for o in range(problem.size)]).number_of_solutions(ncpus=1))


PEERS: dict[str, tuple[str, Callable[[CoverProblem], int]]] = {
    "xcover": ("xcover", xcover_count),
    "exact-cover": ("exact_cover", exact_cover_count),
    "Sage dancing links": ("sage.combinat.matrices", sage_count),
}


def installed() -> dict[str, Callable[[CoverProblem], int]]:
    found = {}
    for name, (module, run) in PEERS.items():
        try:
            if find_spec(module) is not None:
                found[name] = run
        except ModuleNotFoundError:
            continue
    return found


def matrix_of(name: str, reduced: bool) -> CoverProblem:
    """The instance as a plain exact cover: every item exactly once, no conditions but the implied ones, which go."""
    puzzle = puzzlesat.load(name)
    problem = build(puzzle).problem.without_implied()
    if problem.conditions or (problem.low != 1).any() or (problem.high != 1).any():
        raise SystemExit(f"{name} is no plain exact cover")
    return reduce(problem, symmetry=reduced, dead=reduced, break_on=puzzle.break_on).problem


def measure(name: str, reduced: bool, rounds: int, programs: dict[str, Callable[[CoverProblem], int]]) -> tuple[int, dict[str, float]]:
    problem = matrix_of(name, reduced)
    times: dict[str, list[float]] = {program: [] for program in programs}
    counts: dict[str, int] = {}
    for _ in range(rounds):
        for program, run in programs.items():
            began = process_time()
            counts[program] = run(problem)
            times[program].append(process_time() - began)
    if len(set(counts.values())) != 1:
        raise SystemExit(f"{name}: the programs disagree: {counts}")
    return counts["puzzlesat"], {program: median(t) for program, t in times.items()}


def machine() -> str:
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    model = next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), platform.processor())
    return f"{model}, {platform.system()}, Python {platform.python_version()}, puzzlesat {puzzlesat.__version__}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("instances", nargs="*", default=QUICK)
    parser.add_argument("--reduced", action="store_true")
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    programs = {"puzzlesat": ours, **installed()}
    for run in programs.values():  # compile before measuring
        run(matrix_of("tetrominoes-4x5", False))
    print(f"{machine()}; CPU seconds, median of {arguments.rounds}\n")
    peers = [p for p in programs if p != "puzzlesat"]
    print("| instance | solutions | puzzlesat | " + " | ".join(peers) + " | best peer / puzzlesat |")
    print("| --- | ---: | ---: | " + " | ".join("---:" for _ in peers) + " | ---: |")
    for name in arguments.instances:
        count, times = measure(name, arguments.reduced, arguments.rounds, programs)
        best = min((times[p] for p in peers), default=float("nan"))
        cells = " | ".join(f"{times[p]:.3f}" for p in peers)
        print(f"| {name} | {count} | {times['puzzlesat']:.3f} | {cells} | {best / times['puzzlesat']:.1f} |", flush=True)


if __name__ == "__main__":
    main()
