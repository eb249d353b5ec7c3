"""Measure ``puzzlesat apart`` in CPU seconds of one process, as a table, optionally with BurrTools for comparison.

    python benchmarks/taking_apart.py                               # the burrs that come with puzzlesat, a minute
    python benchmarks/taking_apart.py loves-dozen X.xmpuzzle        # the named puzzles or files
    python benchmarks/taking_apart.py --burrtools burrTxt           # also BurrTools, on the puzzles of cubes

The column of the whole command covers the process from the start of Python to its end, with the assemblies and the second look. The other
columns (the whole job, the search, the second look) are measured in this process, with kernels loaded and the geometry of the grid
known. Each figure is the least of the rounds.

BurrTools' command line tool gets each puzzle as an ``.xmpuzzle`` file. Its figure is the time of the whole program, with or without its
option ``-r`` (reduce), whichever is less. Your own program around BurrTools' library also works. It is called as ``PROGRAM -d [-r] FILE``,
prints ``level: 4.9.3`` for each assembly that comes apart, and then a line that begins ``96 assemblies and 1 solutions``. PROGRAM may
include options: ``--burrtools "burrTxt -t 1"`` limits multithreaded versions to one thread.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time

import puzzlesat
from puzzlesat.base.limits import Limits
from puzzlesat.counting.listing import solutions
from puzzlesat.disassembly.data import bodies_of
from puzzlesat.disassembly.run import Taker
from puzzlesat.disassembly.taking import ROWS_AT_ONCE, take_all_apart
from puzzlesat.puzzles.building import build_instance
from puzzlesat.solvers.registry import LISTING

BURRS = ("dubois-burr", "piston-burr", "computers-choice-unique-10", "loves-dozen", "cube-in-cage", "six-piece-burr", "hex-sticks")
TAKEN_APART_THERE = "cube"
"""The grid on which both programs disassemble with the same rules."""


@dataclass(frozen=True)
class Outcome:
    """The result of a program."""

    assemblies: int
    apart: int
    levels: Counter[str]


def timed(words: Sequence[str]) -> tuple[float, str]:
    """Run a program; return its CPU seconds and its output."""
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        printed = process.stdout.read()
        _, status, took = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{shlex.join(words)}: ended with status {process.returncode}")
    return took.ru_utime + took.ru_stime, printed


def command(name: str) -> tuple[float, Outcome]:
    """Run the whole command; return its CPU seconds and its result."""
    seconds, printed = timed([sys.executable, "-m", "puzzlesat", "apart", name, "--jobs", "1", "--json"])
    last = json.loads(printed.splitlines()[-1])
    return seconds, Outcome(last["assemblies"], last["apart"], Counter(last["levels"]))


def looks(name: str, rounds: int) -> tuple[float, float, float]:
    """Return the times of the whole job, of the search, and of the second look in this process."""
    whole, search, second = [], [], []
    for _ in range(rounds + 1):
        started = process_time()
        built = build_instance(puzzlesat.load(name))
        rows = [*solutions(built, LISTING, Limits(), distinct=True)]
        some = [rows[first : first + ROWS_AT_ONCE] for first in range(0, len(rows), ROWS_AT_ONCE)]
        take = Taker(bodies_of(built))
        bench, _ = take.bench, take.ground  # build before the clock starts
        began = process_time()
        found = [[*take_all_apart(bench, these, Limits())] for these in some]
        searched = process_time()
        for these, answers in zip(some, found, strict=True):
            take.verdicts(these, answers, Limits())
        ended = process_time()
        whole.append(ended - started)
        search.append(searched - began)
        second.append(ended - searched)
    return min(whole[1:]), min(search[1:]), min(second[1:])  # the first round loads kernels and computes the geometry


def burrtools(program: Sequence[str], name: str, rounds: int) -> tuple[float, Outcome]:
    """Return the CPU seconds of BurrTools, the less of those with and without ``-r``, and its result."""
    with TemporaryDirectory() as folder:
        file = str(Path(folder) / "puzzle.xmpuzzle")
        puzzlesat.convert(name, file)
        runs = [timed([*program, *options, file]) for options in (("-d",), ("-d", "-r")) for _ in range(rounds)]
    return min(seconds for seconds, _ in runs), outcome(runs[0][1])


def outcome(printed: str) -> Outcome:
    """Parse the output of BurrTools."""
    said = re.search(r"^([0-9]+) assemblies and ([0-9]+) solutions", printed, re.MULTILINE)
    if said is None:
        raise SystemExit(f"BurrTools printed no number of assemblies, but {printed[-200:]!r}")
    return Outcome(int(said[1]), int(said[2]), Counter(re.findall(r"^level: ([0-9.]+)", printed, re.MULTILINE)))


def agreement(ours: Outcome, theirs: Outcome) -> str:
    """Describe how BurrTools' result agrees with puzzlesat's. BurrTools counts mirrored assemblies as one wherever the pieces allow it."""
    if (ours.assemblies, ours.apart) != (theirs.assemblies, theirs.apart):
        return f"{theirs.assemblies:,} assemblies, {theirs.apart:,} come apart"
    if ours.levels == theirs.levels:
        return "the same"
    return "the same; later numbers of levels differ" if first_numbers(ours) == first_numbers(theirs) else "other levels"


def first_numbers(found: Outcome) -> Counter[str]:
    """Return the number of assemblies by the number of moves before the first separation."""
    return Counter(level.partition(".")[0] for level in found.levels.elements())


def main() -> None:
    """Measure all puzzles and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("puzzles", nargs="*", default=BURRS)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument(
        "--burrtools", metavar="PROGRAM", type=shlex.split, help="BurrTools' burrTxt, or a program like it, and its options"
    )
    asked = parser.parse_args()
    heads = ["puzzle", "assemblies", "come apart", "highest level", "whole command, CPU s", "in a running process", "search", "second look"]
    if asked.burrtools:
        heads += ["BurrTools, CPU s", "BurrTools / whole command", "BurrTools / running process", "BurrTools found"]
    print(f"| {' | '.join(heads)} |")
    print(f"| {' | '.join('---' if head in ('puzzle', 'highest level', 'BurrTools found') else '---:' for head in heads)} |")
    for name in asked.puzzles:
        commands = [command(name) for _ in range(asked.rounds)]
        whole, found = min(seconds for seconds, _ in commands), commands[0][1]
        running, first, second = looks(name, asked.rounds)
        cells = [name, f"{found.assemblies:,}", f"{found.apart:,}", next(iter(found.levels), "")]
        cells += [f"{whole:.2f}", f"{running:.3f}", f"{first:.3f}", f"{second:.3f}"]
        if asked.burrtools and puzzlesat.load(name).puzzle.grid.name == TAKEN_APART_THERE:
            theirs, there = burrtools(asked.burrtools, name, asked.rounds)
            cells += [f"{theirs:.3f}", f"{theirs / whole:.2g}", f"{theirs / running:.2g}", agreement(found, there)]
        elif asked.burrtools:
            cells += ["", "", "", "not cubes"]
        print(f"| {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
