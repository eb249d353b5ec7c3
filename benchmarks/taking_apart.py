"""How long ``puzzlesat apart`` takes, in CPU seconds of one process, as a table.

    python benchmarks/taking_apart.py                               # the burrs that come with puzzlesat, a minute
    python benchmarks/taking_apart.py loves-dozen X.xmpuzzle        # these puzzles, or files

The whole command: from the start of Python to the last line, with the assemblies and the second look. The search and the second look by
themselves are measured in this process, where the geometry of the grid is known by then. Each figure is the least of the rounds.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from time import process_time

import puzzlesat
from puzzlesat.counting.listing import solutions
from puzzlesat.cover.instance import build_instance
from puzzlesat.disassembly.ground import ground_of
from puzzlesat.disassembly.run import verdicts
from puzzlesat.disassembly.taking import ROWS_AT_ONCE, make_bench, take_all_apart
from puzzlesat.solvers.run import Limits
from puzzlesat.solvers.strategy import LISTING

BURRS = ("dubois-burr", "piston-burr", "computers-choice-unique-10", "loves-dozen", "cube-in-cage", "six-piece-burr", "hex-sticks")


def command(name: str) -> tuple[float, dict[str, int | dict[str, int]]]:
    """Run the whole command; return the CPU seconds that it took, and the last line that it printed."""
    words = [sys.executable, "-m", "puzzlesat", "apart", name, "--jobs", "1", "--json"]
    with subprocess.Popen(words, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        lines = process.stdout.read().splitlines()
        _, status, took = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{name}: the command ended with status {process.returncode}")
    return took.ru_utime + took.ru_stime, json.loads(lines[-1])


def looks(name: str, rounds: int) -> tuple[float, float]:
    """Return what the search and the second look take."""
    built = build_instance(puzzlesat.load(name))
    rows = [*solutions(built, LISTING, Limits(), distinct=True)]
    some = [rows[first : first + ROWS_AT_ONCE] for first in range(0, len(rows), ROWS_AT_ONCE)]
    search, second = [], []
    for _ in range(rounds + 1):
        bench, ground = make_bench(built, built.instance.together), ground_of(built)
        began = process_time()
        found = [[*take_all_apart(bench, these, Limits())] for these in some]
        searched = process_time()
        for these, answers in zip(some, found, strict=True):
            verdicts(built, ground, these, answers, Limits())
        search.append(searched - began)
        second.append(process_time() - searched)
    return min(search[1:]), min(second[1:])  # in the first round kernels are loaded, and the geometry of the grid is worked out


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("puzzles", nargs="*", default=BURRS)
    parser.add_argument("--rounds", type=int, default=3)
    asked = parser.parse_args()
    print("| puzzle | assemblies | come apart | highest level | whole command, CPU s | search | second look |")
    print("| --- | ---: | ---: | --- | ---: | ---: | ---: |")
    for name in asked.puzzles:
        commands = [command(name) for _ in range(asked.rounds)]
        whole, last = min(took for took, _ in commands), commands[0][1]
        first, second = looks(name, asked.rounds)
        highest = next(iter(last["levels"]), "")
        print(f"| {name} | {last['assemblies']:,} | {last['apart']:,} | {highest} | {whole:.2f} | {first:.3f} | {second:.3f} |", flush=True)


if __name__ == "__main__":
    main()
