"""Measure certificates: the time to make them, their size, and the time to check them.

    python benchmarks/certificates.py -o table.md [INSTANCE[:KIND] ...]

The command line makes and checks every certificate, one process per command, after a run that compiles. Times are wall-clock seconds of
the whole process. Counts are compared with the instance's ``[expect]``. The exit status is 1 if a count is wrong.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from datetime import date
from pathlib import Path
from time import perf_counter
from typing import Any

from measure import machine

import puzzlesat
from puzzlesat.base.files import write_file

ROWS = (
    "tritetratan:tree", "tritetratan:lrat", "tritetratan:tally", "octogram:tree", "octogram:lrat", "absolut-knifflig:tree",
    "absolut-knifflig:lrat", "absolut-knifflig:cadical", "bits-and-bytes:tree", "pentominoes-3x20:tree", "pentominoes-3x20:lrat",
    "pentominoes-3x20:cadical", "pentominoes-3x20:tally", "pentominoes-4x15:tree", "pentominoes-5x12:tree", "pentominoes-6x10:tree",
    "pentominoes-6x10:lrat", "pentominoes-6x10:tally", "pentominoes-8x8-centre:tree", "pentominoes-8x8-centre:lrat", "soma:tree",
    "soma:lrat", "soma:tally", "bedlam:tree", "conway-packing:tree",
    "hexominoes-14x15:prove", "mutilated-chessboard:prove",
)  # fmt: skip


def run(*arguments: str) -> tuple[dict[str, Any], float]:
    """Run a command of puzzlesat; return its JSON answer and the wall-clock seconds."""
    began = perf_counter()
    answer = subprocess.run([sys.executable, "-m", "puzzlesat", *arguments, "--json"], capture_output=True, text=True, check=True)
    return json.loads(answer.stdout), perf_counter() - began


def row(name: str, kind: str, folder: Path) -> str:
    """Make and check a certificate; return its line of the table."""
    path = folder / f"{name}.{kind}"
    make = ("prove", name, "-o", str(path)) if kind == "prove" else ("certify", name, "-o", str(path), "--kind", kind)
    _, making = run(*make)
    size = path.stat().st_size
    checked, checking = run("verify", str(path), "--instance", name)
    path.unlink()
    counts, expected = checked["counts"], puzzlesat.load(name).expect
    for key in ("labelled", "all", "distinct"):
        if (known := getattr(expected, key)) is not None and counts[key] not in (known, None):
            sys.exit(f"{name}: {key} is {counts[key]}, expected is {known}")
    numbers = " | ".join("" if counts[key] is None else f"{counts[key]:,}" for key in ("all", "distinct"))
    return f"| {name} | {checked['kind'] if kind == 'prove' else kind} | {numbers} | {making:.1f} | {size / 1e6:,.3f} | {checking:.1f} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", nargs="*", metavar="INSTANCE[:KIND]")
    parser.add_argument("-o", "--output", type=Path)
    arguments = parser.parse_args()
    lines = [f"{machine()}, {date.today()}, seconds by the clock, megabytes", ""]
    lines += ["| puzzle | kind | all | distinct | to make | size | to check |", "| --- | --- | ---: | ---: | ---: | ---: | ---: |"]
    with tempfile.TemporaryDirectory() as folder:
        for kind in ("tree", "lrat", "tally"):
            row("domino-and-square-3x2", kind, Path(folder))  # compiles
        for entry in arguments.rows or ROWS:
            name, _, kind = entry.partition(":")
            lines.append(row(name, kind or "tree", Path(folder)))
            print(lines[-1], flush=True)
    if arguments.output:
        write_file(arguments.output, "\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
