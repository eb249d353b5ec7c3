"""How long people wait for an answer: the seconds of ten commands, cold and warm, as a table.

    python benchmarks/first_answer.py               # some minutes
    python benchmarks/first_answer.py --rounds 1 -o table.md

Cold: Python and numba have kept nothing of what they compile, as after the installation by a program that compiles no Python. Warm: the
fastest of some rounds that find what an earlier one kept. CPU seconds are of the process and its children; the wall clock also counts
what other programs do.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

from measure import machine

from puzzlesat.files import write_text

COMMANDS = (
    "--help",
    "list lonpos",
    "show soma",
    "hint octogram F.3@4.1 I.1@1.7 L.1@1.1",
    "solve tritetratan",
    "count soma --solver auto,certificate",
    "count soma",
    "count mutilated-chessboard",
    "count tritetratan octogram absolut-knifflig bits-and-bytes",
    "prove mutilated-chessboard",
)


@dataclass(frozen=True)
class Seconds:
    """What one command took."""

    cpu: float
    wall: float


def run(words: str, kept: Path) -> Seconds:
    """Run a command that keeps what is compiled in a folder."""
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": str(kept / "python"), "NUMBA_CACHE_DIR": str(kept / "numba")}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), perf_counter()
    command = [sys.executable, "-m", "puzzlesat", *words.split()]
    subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wall, after = perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    return Seconds(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, wall)


def row(words: str, rounds: int) -> str:
    """Measure a command and return its row of the table."""
    with TemporaryDirectory() as folder:
        cold = run(words, Path(folder))
        warm = [run(words, Path(folder)) for _ in range(rounds)]
    best = Seconds(min(each.cpu for each in warm), min(each.wall for each in warm))
    figures = " | ".join(f"{seconds:.2f}" for seconds in (cold.cpu, cold.wall, best.cpu, best.wall))
    return f"| `puzzlesat {words}` | {figures} |"


def main() -> None:
    """Measure all commands and print or write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3, metavar="N", help="warm rounds of each command (default: 3)")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="write the table to this file")
    options = parser.parse_args()
    lines = [
        f"{date.today():%d %B %Y}, {machine()}",
        "",
        "| command | cold: CPU | wall | warm: CPU | wall |",
        "| --- | ---: | ---: | ---: | ---: |",
    ]
    for words in COMMANDS:
        lines.append(row(words, options.rounds))
        print(lines[-1], file=sys.stderr, flush=True)
    text = "\n".join(lines) + "\n"
    if options.output is None:
        print(text, end="")
    else:
        write_text(options.output, text)


if __name__ == "__main__":
    main()
