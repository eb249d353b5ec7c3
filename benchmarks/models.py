"""Compare variants of the SAT and CP-SAT models: engines, encodings, parity, symmetry breaking.

    python benchmarks/models.py tritetratan --seconds 120
    python benchmarks/models.py bits-and-bytes --engines glucose4,cadical195 --encodings pairwise,sequential

Prints for each variant the result, whether the search was complete, and the seconds.
"""

from __future__ import annotations

import argparse

import puzzlesat
from puzzlesat.base.limits import Limits
from puzzlesat.puzzles.building import build_instance
from puzzlesat.puzzles.reductions import reduce
from puzzlesat.solvers.cnf import AT_MOST_ONE
from puzzlesat.solvers.registry import solver


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("instance")
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--engines", default="glucose4,minisat22,cadical153,cadical195")
    parser.add_argument("--encodings", default=",".join(AT_MOST_ONE))
    arguments = parser.parse_args()
    instance = puzzlesat.load(arguments.instance)
    whole = build_instance(instance.puzzle).problem
    broken = reduce(whole, dead=False, break_on=instance.break_on).problem
    reduced = reduce(whole, break_on=instance.break_on).problem
    problems = {"whole": whole, "symmetry broken": broken, "reduced": reduced, "reduced, no parity": reduced.without_implied()}
    names = [f"sat:{e}:{c}" for e in arguments.engines.split(",") for c in arguments.encodings.split(",")]
    print("| problem | solver | found | status | seconds |\n| --- | --- | ---: | --- | ---: |")
    for label, problem in problems.items():
        for name in ("backtrack", "cpsat", *names):
            outcome = solver(name)(problem)(lambda rows: None, Limits(seconds=arguments.seconds))
            print(f"| {label} | {name} | {outcome.found} | {outcome.status} | {outcome.seconds:.2f} |", flush=True)


if __name__ == "__main__":
    main()
