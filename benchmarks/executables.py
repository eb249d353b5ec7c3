"""Other people's stand-alone programs: their paths, their input formats, and how to read the count from their output.

Some must be built from source; README.md explains how. An environment variable holds the path of such a program; ``peers.py`` sets it.
"""

from __future__ import annotations

import os
import re
import resource
import signal
import subprocess
import sysconfig
from collections.abc import Callable
from pathlib import Path

from matrices import plain_file

from puzzlesat.base.errors import NotSupportedError
from puzzlesat.puzzles.problem import CoverProblem

Count = Callable[[], int]

PENTOMINOES = "FILNPTUVWXYZ"
MAX_CELLS = 64
"""Largest rectangle, in cells, that the bitboard solver supports."""


def is_built(variable: str) -> bool:
    """Return whether the environment variable names an existing file."""
    return Path(os.environ.get(variable, "")).is_file()


def cpu_seconds() -> float:
    """Return the CPU seconds of all finished child processes."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def ssxcc(problem: CoverProblem) -> Count:
    """Knuth's dancing cells in C, his program SSXCC. It counts, and prints the number among its final statistics."""
    command, matrix = [os.environ["SSXCC"]], plain_file(problem)
    return lambda: number_in(run(command, matrix).stderr, r"Altogether (\d+) solution")


def miniexact(problem: CoverProblem) -> Count:
    """Dancing links in C, Knuth's algorithm X. It prints each solution, then the number."""
    command, matrix = [str(Path(sysconfig.get_path("scripts"), "miniexact")), "-x", "-e", "/dev/stdin"], plain_file(problem)
    return lambda: number_in(run(command, matrix).stdout, r"Found (\d+) solutions")


def pentomino_bitboards(problem: CoverProblem) -> Count:
    """Bitboards in Rust, for the twelve pentominoes only. Its arguments are the sides of a rectangle; it prints the count.

    Raises NotSupportedError for any other puzzle.
    """
    corners = [re.fullmatch(r"\[(\d+), (\d+)\]", item) for item in problem.items]
    cells = {(int(corner[1]), int(corner[2])) for corner in corners if corner}
    width, height = (max(sides, default=0) for sides in zip(*cells, strict=True)) if cells else (0, 0)
    tiles = "".join(item for item, corner in zip(problem.items, corners, strict=True) if not corner)
    if tiles != PENTOMINOES or len(cells) != width * height or len(cells) > MAX_CELLS or problem.broken_on is not None:
        raise NotSupportedError("it fills rectangles with the twelve pentominoes, and nothing else")
    return lambda: int(run([os.environ["PENTOMINOES"], str(height), str(width)], "").stdout)


def number_in(output: str, pattern: str) -> int:
    """Return the number that matches a pattern in the output of a program; raise ValueError if there is none."""
    if not (found := re.search(pattern, output)):
        raise ValueError(f"no number of solutions at the end of {output[-200:]!r}")
    return int(found[1])


def run(command: list[str], standard_input: str) -> subprocess.CompletedProcess[str]:
    """Run a program to its end. If it exceeds its inherited CPU limit, end this process with the same signal."""
    ended = subprocess.run(command, input=standard_input, capture_output=True, text=True, check=False)
    if ended.returncode == -signal.SIGXCPU:
        os.kill(os.getpid(), signal.SIGXCPU)
    return ended
