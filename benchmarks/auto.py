"""Compare the time of ``auto`` with the faster of its two solvers: python benchmarks/auto.py [INSTANCE …]

All counts run without a budget for checks, in CPU seconds of this process. An instance that ``auto`` does not count within ``--limit`` is
skipped. The tally and the backtracker get as much time as ``auto`` took; if neither finishes, ``auto`` was faster than both.
"""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path
from time import process_time

import puzzlesat
from puzzlesat.base.errors import PuzzleError
from puzzlesat.base.limits import GIB, Limits
from puzzlesat.base.package import data_files
from puzzlesat.counting.crosscheck import AUTO_LISTER, AUTO_TALLY, count
from puzzlesat.counting.plan import AUTO, Plan
from puzzlesat.counting.report import Report
from puzzlesat.puzzles.building import BuiltInstance, build_instance

TINY = "tetrominoes-4x5"
SMALL = 0.2
"""Slack in CPU seconds for comparisons of times."""
CLASSES = (1.0, 1.5, 2.0, 2.5, 3.0, 4.0)


def main() -> None:
    """Print a line for each instance, and the number of instances in each class of ratios."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("instances", nargs="*", help="by name; all of the package unless they are named")
    parser.add_argument("--limit", type=float, default=5.0, help="CPU seconds for a count")
    parser.add_argument("--memory", type=int, default=3, help="GiB for a count")
    arguments = parser.parse_args()
    for name in (AUTO, AUTO_TALLY, AUTO_LISTER):  # Load and compile everything first.
        _counted(name, build_instance(puzzlesat.load(TINY)), 60.0, arguments.memory)
    print("| instance | auto | tally | backtrack | ratio | more than twice the better, by |\n| --- | ---: | ---: | ---: | ---: | ---: |")
    seen: Counter[str] = Counter()
    for name in arguments.instances or [str(file) for file in data_files("instances")]:
        try:
            seen[_line(name, arguments.limit, arguments.memory)] += 1
        except PuzzleError as error:
            print(f"| {Path(name).stem} | {error} |", flush=True)
            seen["not measured"] += 1
    print()
    for what, number in sorted(seen.items()):
        print(f"- {what}: {number}")


def _line(name: str, limit: float, memory: int) -> str:
    """Measure an instance, print its times, and return the class of its ratio."""
    built = build_instance(puzzlesat.load(name))
    auto, done = _counted(AUTO, built, limit, memory)
    if not done:
        print(f"| {Path(name).stem} | > {limit:.0f} |", flush=True)
        return "not measured"
    alone = {solver: _counted(solver, built, auto + SMALL, memory) for solver in (AUTO_TALLY, AUTO_LISTER)}
    times = [seconds for seconds, finished in alone.values() if finished]
    shown = [f"{seconds:.3f}" if finished else "–" for seconds, finished in alone.values()]
    if not times:
        print(f"| {Path(name).stem} | {auto:.3f} | {' | '.join(shown)} | < 1 | |", flush=True)
        return "up to 1.0"
    if auto > 2 * min(times) + SMALL:  # The first count may have compiled a rarely used inner loop.
        auto = min(auto, _counted(AUTO, built, limit, memory)[0])
    ratio, over = auto / min(times), auto - 2 * min(times)
    print(f"| {Path(name).stem} | {auto:.3f} | {' | '.join(shown)} | {ratio:.2f} | {over if over > 0 else 0:.3f} |", flush=True)
    if auto <= SMALL:
        return f"auto takes {SMALL} s or less"
    return next((f"up to {bound}" for bound in CLASSES if ratio <= bound), f"above {CLASSES[-1]}") + (
        "" if over <= SMALL else f", and more than {SMALL} s above twice the better"
    )


def _counted(name: str, built: BuiltInstance, limit: float, memory: int) -> tuple[float, bool]:
    """Return the CPU seconds of a count, and whether the count finished."""
    began = process_time()
    report = count(built, Plan((name,), budget=0.0, limits=Limits(seconds=limit, cpu=True, memory=memory * GIB)))
    seconds = process_time() - began
    return seconds, isinstance(report, Report) and report.complete


if __name__ == "__main__":
    main()
