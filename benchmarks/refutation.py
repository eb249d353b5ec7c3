"""Measure the effect of parity and colourings on refutations: each solver with neither, chess parity, the colouring found, or both.

    python benchmarks/refutation.py -o table.md [--limit 60] [INSTANCE ...]

Every run has its own process and one core. Times are CPU seconds of the solver alone (for sat and cpsat including the construction of the
model), without the time for finding the colouring, which has its own column. The exit status is 1 if a count is wrong.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from dataclasses import replace
from datetime import date
from pathlib import Path
from time import process_time

from measure import machine

import puzzlesat
from puzzlesat.base.files import write_file
from puzzlesat.base.limits import Limits
from puzzlesat.proofs.weighting import found_conditions
from puzzlesat.puzzles.building import build_instance
from puzzlesat.puzzles.reductions import reduce
from puzzlesat.solvers.registry import listing, solver

BY_COLOURING = (
    "tetrominoes-4x5", "mutilated-board-6x6", "mutilated-chessboard", "straight-tetrominoes-6x6", "t-tetrominoes-10x10",
    "l-tetrominoes-10x10", "hexominoes-6x35",
)  # fmt: skip
BY_SEARCH = ("hexiamonds-hexagon-4", "pentominoes-trapezoid-x1", "pentominoes-cross-x1", "hexiamonds-3x12", "tetrahexes-trefoil-x1")
SOLVABLE = ("tritetratan", "soma")
SOLVERS = tuple(listing())
VARIANTS = ("neither", "parity", "colouring", "both")


def measure(name: str, which: str, variant: str, limit: float) -> str:
    """Return the seconds of one run in a child process."""
    command = [sys.executable, __file__, "--child", name, which, variant, str(limit)]
    try:
        answer = subprocess.run(command, capture_output=True, text=True, timeout=2 * limit + 120)
    except subprocess.TimeoutExpired:
        return f"> {limit:.0f}"
    if answer.returncode:
        print(answer.stderr, file=sys.stderr)
        sys.exit(1)
    return answer.stdout.strip()


def child(name: str, which: str, variant: str, limit: float) -> None:
    """Solve twice, first to compile; print the CPU seconds of the second solve, or that it reached the limit."""
    instance = puzzlesat.load(name)
    built = build_instance(instance.puzzle)
    problem = built.problem
    implied = tuple(c for c in problem.conditions if c.implied and variant in ("parity", "both"))
    rules = tuple(c for c in problem.conditions if not c.implied)
    began = process_time()
    found = found_conditions(built) if variant in ("colouring", "both") else ()
    finding = process_time() - began
    problem = reduce(replace(problem, conditions=(*rules, *implied, *found)), break_on=instance.break_on).problem
    for seconds in (0.01, limit):
        began = process_time()
        outcome = solver(which)(problem)(lambda rows: None, Limits(seconds=seconds, cores=1))
        spent = process_time() - began
    expected = instance.expect.all
    if outcome.complete and (outcome.found == 0) != (expected == 0):
        sys.exit(f"{name}: {which} with {variant} finds {outcome.found}, expected are {expected}")
    text = f"{spent:.3f}" if outcome.complete else f"> {limit:.0f}"
    print(text + (f" (+ {finding:.1f})" if found else " (none)" if variant == "colouring" else ""))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("instances", nargs="*")
    parser.add_argument("--limit", type=float, default=60)
    parser.add_argument("-o", "--output", type=Path)
    if sys.argv[1:2] == ["--child"]:
        name, which, variant, limit = sys.argv[2:]
        child(name, which, variant, float(limit))
        return
    arguments = parser.parse_args()
    names = arguments.instances or [*BY_COLOURING, *BY_SEARCH, *SOLVABLE]
    lines = [
        f"{machine()}, {date.today()}, one core, CPU seconds",
        "",
        f"| instance | solver | {' | '.join(VARIANTS)} |",
        "| --- " * 6 + "|",
    ]
    for name in names:
        for which in SOLVERS:
            cells = [measure(name, which, variant, arguments.limit) for variant in VARIANTS]
            lines.append(f"| {name} | {which} | {' | '.join(cells)} |")
            print(lines[-1], flush=True)
    if arguments.output:
        write_file(arguments.output, "\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
