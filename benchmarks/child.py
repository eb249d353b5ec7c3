"""Run one program on one instance in a child process of ``measure.py``.

    python child.py PROGRAM INSTANCE all|reduced|distinct GIGABYTES

Warm up on tiny instances, build the problem, and report it as a line of JSON. Each line on standard input is then a time limit in CPU
seconds; the answer is a line of JSON with the count, the CPU seconds and the memory. SIGXCPU ends the process if a solve exceeds its
limit.
"""

from __future__ import annotations

import json
import os
import resource
import sys
from collections.abc import Callable
from math import ceil
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

from programs import Count, clock, prepare, prepare_job, runs_by_itself

import puzzlesat
from puzzlesat.base.errors import NotSupportedError
from puzzlesat.puzzles.building import build_instance
from puzzlesat.puzzles.problem import CoverProblem
from puzzlesat.puzzles.reductions import reduce
from puzzlesat.solvers.tile_choice import item_to_break

LONG_ENOUGH = 0.2
MAX_REPEATS = 100_000
TINY = ("domino-and-square-3x2", "polyominoes-1-2-3-square", "tetrominoes-4x5")


def matrix_of(name: str, reduced: bool) -> tuple[CoverProblem, int | None]:
    """Return the problem for all programs, and its expected number of solutions.

    The problem has no conditions that follow from the coverage, since no peer supports them. The number is None if it is unknown.
    """
    instance = puzzlesat.load(name)
    whole = build_instance(instance.puzzle).problem.without_implied()
    if not reduced:
        return whole, instance.expect.all
    problem = reduce(whole, break_on=item_to_break(whole, instance.break_on)).problem
    return problem, expected_of(problem, instance.expect.all)


def expected_of(problem: CoverProblem, every: int | None) -> int | None:
    """Return the number of solutions of the reduced problem, if each represents equally many of ``every``; else None."""
    if problem.broken_on is None or problem.weight is None or every is None:
        return every
    weights = set(problem.weight[problem.options_of[problem.broken_on]].tolist())
    return every // weights.pop() if len(weights) == 1 else None


def program_for(program: str, name: str, variant: str) -> tuple[Count, dict[str, int | None]]:
    """Return the counting function, the size of the matrix, and the expected count (None if unknown)."""
    if variant == "distinct":
        instance = puzzlesat.load(name)
        return prepare_job(program, instance), {"expected": instance.expect.distinct}
    problem, expected = matrix_of(name, variant == "reduced")
    return prepare(program, problem), {"options": problem.size, "items": len(problem.items), "expected": expected}


def warm_up(program: str, variant: str) -> None:
    """Compile the program on tiny instances. An external process does not need a warm-up."""
    for name in () if runs_by_itself(program) else TINY:
        program_for(program, name, variant)[0]()


def solve(count: Count, clock: Callable[[], float], limit: float, repeats: int) -> dict[str, Any]:
    """Count ``repeats`` times; return the count, the CPU seconds per solve, and the bytes before and at the peak."""
    reset_peak()
    before, began = peak(), clock()
    soft = ceil(process_time() + limit)
    resource.setrlimit(resource.RLIMIT_CPU, (soft, resource.RLIM_INFINITY))
    found = {count() for _ in range(repeats)}
    seconds = (clock() - began) / repeats
    resource.setrlimit(resource.RLIMIT_CPU, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    if len(found) > 1:
        raise ValueError(f"the same problem has the counts {sorted(found)}")
    return {"count": found.pop(), "seconds": seconds, "before": before, "peak": peak()}


def repeats_for(seconds: float) -> int:
    """Return the number of repetitions needed for a reliable time, since the clock may have a resolution of milliseconds."""
    return max(1, min(MAX_REPEATS, ceil(LONG_ENOUGH / max(seconds, 1e-6))))


def reset_peak() -> None:
    """Reset the memory peak of the process, if the system supports it."""
    if (file := Path("/proc/self/clear_refs")).exists():
        file.write_text("5")


def peak() -> int:
    """Return the peak memory of this process in bytes since ``reset_peak``."""
    if (file := Path("/proc/self/status")).exists():
        return 1024 * next(int(line.split()[1]) for line in file.read_text().splitlines() if line.startswith("VmHWM"))
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def limit_memory(gigabytes: float) -> None:
    """Limit the address space, and disable core dumps."""
    size = int(gigabytes * 2**30)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if sys.platform == "linux":
        resource.setrlimit(resource.RLIMIT_AS, (size, size))


def main(program: str, name: str, variant: str, gigabytes: str) -> None:
    """Write answers to the original standard output; redirect the program's output to standard error."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)

    def say(answer: dict[str, Any]) -> None:
        print(json.dumps(answer), file=answers, flush=True)

    limit_memory(float(gigabytes))
    try:
        warm_up(program, variant)
        count, facts = program_for(program, name, variant)
        say({fact: value for fact, value in facts.items() if value is not None})
        repeats = 1
        for line in sys.stdin:
            began = perf_counter()
            say(solve(count, clock(program), float(line), repeats))
            repeats = repeats_for((perf_counter() - began) / repeats)
    except NotSupportedError as error:
        say({"failed": "not supported", "why": str(error)})
    except MemoryError:
        say({"failed": f"> {gigabytes} GB", "why": "out of memory"})
    except Exception as error:
        say({"failed": "failed", "why": f"{type(error).__name__}: {error}"})


if __name__ == "__main__":
    main(*sys.argv[1:])
