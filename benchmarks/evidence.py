"""Compare the cost of evidence for a unit (a second count, or a certificate of its subtree) with the cost of its count.

    python benchmarks/evidence.py bedlam tetris-cube --parts 4

Parts of a puzzle are drawn at random, with a minimum run time. The backtracker counts each part as a unit, counts it again as an audit
does, and writes it as a tree, which the checker verifies. CPU seconds of one process; bytes of the tree, compressed as in a certificate.
"""

from __future__ import annotations

import argparse
import zlib
from random import Random
from time import process_time

import numpy as np

from puzzlesat.base.limits import Limits
from puzzlesat.checker.problem import bits
from puzzlesat.checker.tree import replay
from puzzlesat.proofs.case import Case, make_case
from puzzlesat.proofs.written_search import search
from puzzlesat.puzzles.building import BuiltInstance
from puzzlesat.puzzles.problem import CoverProblem
from puzzlesat.puzzles.reductions import reduce
from puzzlesat.solvers.registry import LISTING as SEARCH
from puzzlesat.studies import work as attempt
from puzzlesat.studies.cover_parts import ROOT, Part, split
from puzzlesat.studies.study import subjects
from puzzlesat.studies.units import WHOLE, Loaded

LEAST, MOST = 0.2, 4.0
"""Range of the run time of a measured part, in CPU seconds."""


def main() -> None:
    """Print a line for each puzzle."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("puzzles", nargs="+")
    options.add_argument("--parts", type=int, default=4, help="parts a puzzle (default: 4)")
    given = options.parse_args()
    print("| puzzle | parts | counted | counted again | tree made | tree checked | KiB | KiB a second of counting |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    for name in given.puzzles:
        print(f"| {name} | {given.parts} | {' | '.join(measured(Loaded(*subjects([name])), given.parts))} |", flush=True)


def measured(puzzle: Loaded, parts: int) -> list[str]:
    """Return the summed figures of parts of a puzzle."""
    built = puzzle.built()
    case, whole, plain = make_case(built), puzzle.problem(WHOLE), puzzle.problem(WHOLE, reduced=False)
    attempt.attempt(whole, drawn(whole, Random(0), 0.0)[0], SEARCH, Limits(cores=1))  # compiles
    draw, seen = Random(1), set[Part]()
    sums = np.zeros(5)
    while len(seen) < parts:
        part, seconds, found = drawn(whole, draw, LEAST)
        if part in seen:
            continue
        seen.add(part)
        again, as_many = timed(plain, part)
        made, checked, size, listed = by_tree(case, part, built)
        assert found == as_many, (part, found, as_many)
        sums += (seconds, again, made, checked, size / 1024)
        assert listed <= found or whole.weight is not None
    return [*(f"{value:.2f}" for value in sums[:4]), f"{sums[4]:,.0f}", f"{sums[4] / sums[0]:,.0f}"]


def drawn(problem: CoverProblem, draw: Random, least: float) -> tuple[Part, float, int]:
    """Return a random part of the search tree that takes at least ``least`` seconds, its CPU seconds, and its number of solutions."""
    part = ROOT
    while parts := split(problem, part):
        part = draw.choice(parts)
        tried = attempt.attempt(problem, part, SEARCH, Limits(cores=1, seconds=MOST))
        if tried.complete and tried.seconds >= least:
            return (part, *timed(problem, part))
        if tried.complete:
            part = ROOT
    return part, 0.0, 0


def timed(problem: CoverProblem, part: Part) -> tuple[float, int]:
    """Return the CPU seconds of the count of a part, and its number of solutions."""
    began = process_time()
    done = attempt.attempt(problem, part, SEARCH, Limits(cores=1))
    return process_time() - began, done.found


def by_tree(case: Case, part: Part, built: BuiltInstance) -> tuple[float, float, int, int]:
    """Return the CPU seconds to write the tree of a part and to verify it, its compressed bytes, and its number of solutions."""
    possible = np.zeros(case.problem.options, dtype=np.bool_)
    possible[: built.problem.size] = True
    possible[reduced_away(built)] = False
    for option in part:
        if option < 0:
            possible[~option] = False
            continue
        items = set(case.problem.item[case.problem.start[option] : case.problem.start[option + 1]].tolist())
        for other in np.flatnonzero(possible).tolist():
            own = set(case.problem.item[case.problem.start[other] : case.problem.start[other + 1]].tolist())
            if other != option and own & items:
                possible[other] = False
    blocks: list[np.ndarray] = []
    found = [0]
    began = process_time()
    search(case.problem, possible, blocks.append, lambda rows: found.__setitem__(0, found[0] + len(rows)), Limits())
    packed = zlib.compress(np.concatenate(blocks).tobytes(), 6)
    made = process_time()
    replay(case.problem, bits(np.flatnonzero(possible), case.problem.options), iter(blocks), lambda _: None)
    return made - began, process_time() - made, len(packed), found[0]


def reduced_away(built: BuiltInstance) -> np.ndarray:
    """Return the options that symmetry breaking and reduction remove."""
    kept = reduce(built.problem, break_on=built.instance.break_on).problem.origin
    gone = np.ones(built.problem.size, dtype=bool)
    gone[kept if kept is not None else slice(None)] = False
    return np.flatnonzero(gone)


if __name__ == "__main__":
    main()
