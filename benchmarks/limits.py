"""Check that ``--time`` and ``--memory`` are kept on puzzles that exceed them: print a table; the exit status is 1 if a limit was not kept.

    python benchmarks/limits.py                      huge puzzles, each with 10 s and 1 GiB
    python benchmarks/limits.py --seconds 30 --memory 2 dominoes-40x40 solid-pentominoes-3x4x5

Tolerances: a quarter of a gibibyte above the memory limit, with all children, and two seconds after the time limit. A run is sampled fifty
times a second, so run nothing else beside it. If a puzzle is counted within its limits, only its memory is judged, not its time. Arguments
are names of instances, files, and boxes of dominoes.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import psutil

import puzzlesat
from puzzlesat.base.files import write_file
from puzzlesat.base.package import data_files

GIB = 1 << 30
MORE_MEMORY, MORE_SECONDS = GIB // 4, 2.0
LOOK_SECONDS = 0.02
HUGE = (
    "dominoes-26x26", "dominoes-40x40", "dominoes-60x60",
    "polyominoes-4-5-8x10", "one-sided-pentominoes-9x10", "one-sided-pentominoes-6x15", "one-sided-pentominoes-5x18",
    "one-sided-pentominoes-3x30", "stones-and-bones-triangle-14", "stones-and-bones-triangle-15", "stones-and-bones-triangle-17",
    "stones-and-bones-triangle-18", "stones-and-bones-triangle-20", "stones-and-bones-triangle-21", "polyhexes-1-2-3-4-5-hexagon-ring",
)  # fmt: skip
"""Instances that reach a limit; ``largest`` adds others."""
MAX_PUZZLES = 30


@dataclass(frozen=True)
class Run:
    """The measurement of a run."""

    name: str
    status: int
    seconds: float
    cpu: float
    peak: int


def taken(process: psutil.Process) -> int:
    """Return the resident memory of a process and all its descendants, without mapped files where the system reports them."""
    total = 0
    for one in (process, *process.children(recursive=True)):
        try:
            info = one.memory_info()
        except psutil.Error:  # The process has ended.
            continue
        total += info.rss - getattr(info, "shared", 0)
    return total


def watched(name: str, file: str, seconds: float, memory: float, *more: str, command: str = "count") -> Run:
    """Run a command on a puzzle and sample its memory until it ends."""
    words = [sys.executable, "-m", "puzzlesat", command, file, "--time", str(seconds), "--memory", str(memory), *more]
    began = time.monotonic()
    program = psutil.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    peak, cpu = 0, 0.0
    while program.poll() is None:
        try:
            peak = max(peak, taken(program))
            cpu = sum(program.cpu_times()[:4])
        except psutil.Error:  # The process ended between two samples.
            break
        time.sleep(LOOK_SECONDS)
    return Run(name, program.wait(), time.monotonic() - began, cpu, peak)


def largest(most: int) -> list[str]:
    """Return the names of the instances with the largest numbers of published or confirmed solutions."""
    known = [(puzzlesat.load(file.stem).expect.all or 0, file.stem) for file in data_files("instances")]
    return [name for _, name in sorted(known, reverse=True)[:most]]


def puzzle_file(name: str, folder: Path) -> str:
    """Return the argument for the program: a file for a box of dominoes, otherwise the name itself."""
    box = re.fullmatch(r"dominoes-(\d+)x(\d+)", name)
    if box is None:
        return name
    file = folder / f"{name}.toml"
    tile = '[tiles.D]\npicture = "██"\ncopies = "any"\n'
    write_file(file, f'title = "{name}"\ngrid = "square"\nflips = true\n{tile}[form]\nbox = [{box[1]}, {box[2]}]\n')
    return str(file)


def main() -> int:
    """Run all puzzles, print the table, and report the limits that were not kept."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("puzzles", nargs="*")
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--memory", type=float, default=1.0, help="in GiB")
    parser.add_argument("--cpu", action="store_true", help="count CPU seconds, on a machine with other work to do")
    parser.add_argument("--command", default="count", help="count, check, or another command with limits")
    asked = parser.parse_args()
    names = asked.puzzles or list(dict.fromkeys([*HUGE, *largest(MAX_PUZZLES)]))[:MAX_PUZZLES]
    failed = 0
    print(f"{'puzzle':<40} {'ended':>9} {'seconds':>8} {'CPU':>7} {'GiB':>6}  limits: {asked.seconds:g} s, {asked.memory:g} GiB")
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            run = watched(name, puzzle_file(name, Path(folder)), asked.seconds, asked.memory, *["--cpu"] * asked.cpu, command=asked.command)
            late = run.status != 0 and (run.cpu if asked.cpu else run.seconds) > asked.seconds + MORE_SECONDS
            large = run.peak > asked.memory * GIB + MORE_MEMORY
            failed += late or large or run.status not in (0, 3)
            said = {0: "complete", 3: "stopped"}.get(run.status, f"exit {run.status}")
            bad = f"  {'TOO LATE ' * late}{'TOO LARGE' * large}".rstrip()
            print(f"{name:<40} {said:>9} {run.seconds:8.1f} {run.cpu:7.1f} {run.peak / GIB:6.2f}{bad}", flush=True)
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
