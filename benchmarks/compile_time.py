"""Measure compilation: the first run of each solver with an empty cache, later runs, and the whole command.

    python benchmarks/compile_time.py           # a minute or two
    python benchmarks/compile_time.py --rounds 1 --solvers backtrack

First run: a new process with an empty cache of compiled code solves a tiny instance. Warm: other processes do the same with the cache of
the first. The whole command is ``puzzlesat count tritetratan`` in a shell.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter

from measure import machine
from programs import OURS

from puzzlesat.base.files import write_file
from puzzlesat.solvers.registry import SOLVERS

TINY = "polyominoes-1-2-3-square"
COMMAND = "tritetratan"
CODE = """
import sys, time
import puzzlesat
from puzzlesat.puzzles.building import build_instance
from puzzlesat.solvers.registry import solver
from puzzlesat.base.limits import Limits
problem = build_instance(puzzlesat.load(sys.argv[2]).puzzle).problem
began = time.perf_counter()
solver(sys.argv[1])(problem)(lambda rows: None, Limits())
print(time.perf_counter() - began)
"""


@dataclass(frozen=True)
class Start:
    """Wall-clock seconds of one process."""

    process: float
    """Total time of the process."""
    solver: float
    """Time of the solver, including its imports and compilation."""


def started(name: str, cache: str) -> Start:
    """Solve the tiny instance in a process that keeps its compiled code in ``cache``."""
    command = [sys.executable, "-c", CODE, name, TINY]
    began = perf_counter()
    done = subprocess.run(command, env=os.environ | {"NUMBA_CACHE_DIR": cache}, check=True, capture_output=True, text=True)
    return Start(perf_counter() - began, float(done.stdout))


def first_and_warm(name: str, rounds: int) -> tuple[Start, Start, int]:
    """Return the first run of a solver with an empty cache, the median of the runs after it, and the bytes in the cache."""
    with TemporaryDirectory() as cache:
        first = started(name, cache)
        later = [started(name, cache) for _ in range(rounds)]
        size = sum(file.stat().st_size for file in Path(cache).rglob("*") if file.is_file())
    return first, Start(median(s.process for s in later), median(s.solver for s in later)), size


def command_seconds(name: str, rounds: int) -> float:
    """Return the median wall-clock seconds of the whole command with a solver, after one warm-up run."""
    command = [sys.executable, "-m", "puzzlesat", "count", COMMAND, "--solver", name]
    times = []
    for _ in range(rounds + 1):
        began = perf_counter()
        subprocess.run(command, check=True, capture_output=True)
        times.append(perf_counter() - began)
    return median(times[1:])


def table(names: Sequence[str], rounds: int) -> str:
    """Return the measurements as a markdown table."""
    lines = [
        f"| solver | first run: solver | process | warm: solver | process | cache, MB | `puzzlesat count {COMMAND}`, warm |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for name in names:
        first, warm, size = first_and_warm(name, rounds)
        cells = [first.solver, first.process, warm.solver, warm.process]
        whole = command_seconds(name, rounds)
        lines.append(f"| {name} | {' | '.join(f'{cell:.2f}' for cell in cells)} | {size / 2**20:.1f} | {whole:.2f} |")
    return "\n".join(lines)


def main() -> None:
    """Measure every compiled solver and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--solvers", default=",".join(name for name in OURS if name in SOLVERS))
    parser.add_argument("-o", "--output", type=Path)
    arguments = parser.parse_args()
    head = f"{machine()}.\n\n{date.today()}. Wall-clock seconds; warm ones are medians of {arguments.rounds}."
    text = f"{head}\n\n{table(arguments.solvers.split(','), arguments.rounds)}\n"
    print(text)
    if arguments.output:
        write_file(arguments.output, text)


if __name__ == "__main__":
    main()
