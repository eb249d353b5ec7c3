"""Measure how long it takes until the placements of large puzzles are ready, a placement, and the peak memory.

python benchmarks/placements.py                  four puzzles, each in a process of its own
python benchmarks/placements.py dominoes         one of them
"""

from __future__ import annotations

import resource
import subprocess
import sys
import time

from puzzlesat import load
from puzzlesat.puzzles import build_instance, reduce

DOMINO, PENTACUBE = ({"A": {"picture": picture, "copies": "any"}} for picture in ("##", "####\n.#.."))
PUZZLES = {
    "dominoes": {"grid": "square", "flips": True, "tiles": DOMINO, "form": {"box": [200, 200]}},
    "pentacubes": {"grid": "cube", "flips": False, "tiles": PENTACUBE, "form": {"box": [20, 20, 20]}},
    "million-pentacubes": {"grid": "cube", "flips": False, "tiles": PENTACUBE, "form": {"box": [36, 36, 36]}},
    "million-tetrominoes": {"grid": "square", "flips": True, "generate": [{"free": 4, "copies": "any"}], "form": {"box": [230, 230]}},
}


def measure(name: str) -> str:
    """Return the row of a puzzle."""
    instance = load({"title": name, **PUZZLES[name]})
    began = time.process_time()
    built = build_instance(instance)
    laid = time.process_time()
    words = reduce(built.problem).words
    done, size = time.process_time(), built.problem.size
    cost = " | ".join(f"{(b - a) * 1e6 / size:.2f}" for a, b in ((began, laid), (laid, done)))
    return f"| {name} | {words} | {cost} | {done:.1f} | {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10} |"


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(measure(sys.argv[1]))
    else:
        print("| puzzle | placements | laying, µs a placement | reduction, µs a placement | CPU seconds with the start | MiB |", flush=True)
        print("| --- | --- | --- | --- | --- | --- |", flush=True)
        for each in PUZZLES:
            subprocess.run([sys.executable, __file__, each], check=True)
