"""Measure the time to an answer of ten commands, cold and warm, as a table.

    python benchmarks/first_answer.py               # some minutes
    python benchmarks/first_answer.py --rounds 1 -o table.md

Cold: the first run after ``pip install`` into a new environment, which this script makes (about a minute); numba's cache is empty then.
Warm: the fastest of several later rounds. CPU seconds are of the process and its children; the wall clock also depends on the load.
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

from puzzlesat.base.files import write_file

ROOT = Path(__file__).resolve().parent.parent
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
    """The time of one command."""

    cpu: float
    wall: float


def installed(folder: Path) -> Path:
    """Install the package into a new environment; return its Python."""
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    subprocess.run([python, "-m", "pip", "install", "--quiet", ROOT], check=True)
    return python


def run(python: Path, words: str, kept: Path) -> Seconds:
    """Run a command with a folder for numba's cache."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")} | {"NUMBA_CACHE_DIR": str(kept)}
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), perf_counter()
    command = [python, "-m", "puzzlesat", *words.split()]
    subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wall, after = perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    return Seconds(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, wall)


def row(python: Path, words: str, rounds: int) -> str:
    """Measure a command and return its row of the table."""
    with TemporaryDirectory() as kept:
        cold, *warm = [run(python, words, Path(kept)) for _ in range(1 + rounds)]
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
    with TemporaryDirectory() as folder:
        python = installed(Path(folder))
        for words in COMMANDS:
            lines.append(row(python, words, options.rounds))
            print(lines[-1], file=sys.stderr, flush=True)
    text = "\n".join(lines) + "\n"
    if options.output is None:
        print(text, end="")
    else:
        write_file(options.output, text)


if __name__ == "__main__":
    main()
