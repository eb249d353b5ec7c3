"""Measure long runs: ``python benchmarks/runs.py overhead bedlam`` (or throughput). benchmarks/README.md explains the figures."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "runs"))

import pretend

from puzzlesat.base.processes import cpu_seconds
from puzzlesat.studies.units import Question


def main() -> None:
    """Print the chosen figures."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("what", choices=("overhead", "throughput"))
    options.add_argument("puzzles", nargs="*", default=["bedlam"])
    given = options.parse_args()
    if given.what == "throughput":
        throughput()
    else:
        for puzzle in given.puzzles:
            overhead(puzzle)


def throughput() -> None:
    """Print the number of units per second that coordinator and store process if results are instant."""
    boards = [pretend.board(2, 3, name=f"board-{number}") for number in range(100)]
    with tempfile.TemporaryDirectory() as folder:
        steps = (Question(find="count", seconds=20.0),)
        pretend.done(Path(folder) / "warm", boards, pretend.Pretended(), steps)
        began, cpu, there = time.monotonic(), cpu_seconds(), pretend.Pretended()
        pretend.done(Path(folder) / "study", boards, there, steps)
        took, cpu = time.monotonic() - began, cpu_seconds() - cpu
    print(f"{there.answers:,} answers: {there.answers / took:,.0f} a second by the clock, {there.answers / cpu:,.0f} a CPU second")


def overhead(puzzle: str) -> None:
    """Print the CPU seconds of a plain count, and of stored counts with one and with two results per unit."""
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder)
        plain = _counted("count", puzzle, "--solver", "auto", "--budget", "0", "--cpu", "--json")
        seconds = sum(row["seconds"] for row in plain["solvers"])
        print(f"{puzzle}: {seconds:.1f} CPU seconds by {plain['solvers'][0]['solver']}")
        for options in (("--single",), ()):
            found = _counted("count", puzzle, "--store", str(store / f"{len(options)}.sqlite"), "--jobs", "2", *options, "--json")
            assert found["counts"]["all"] == plain["counts"]["all"]
            took = sum(row["seconds"] for row in found["solvers"])
            print(f"  {' '.join(options) or 'two answers a unit'}: {took:.1f}, {took / seconds:.2f} times, {found['store']['units']} units")


def _counted(*words: str) -> dict[str, object]:
    ran = subprocess.run([sys.executable, "-m", "puzzlesat", *words], capture_output=True, text=True, check=False)
    return json.loads(ran.stdout)  # type: ignore[no-any-return]


if __name__ == "__main__":
    main()
