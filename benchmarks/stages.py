"""Check that time limits and Ctrl-C work before a solver begins, with puzzles that are each slow in another stage, for every command.

    python benchmarks/stages.py                      twelve puzzles by every command, each with 2 CPU seconds and 0.5 GiB
    python benchmarks/stages.py --interrupt          the same, without a time limit, and with Ctrl-C after 2 CPU seconds
    python benchmarks/stages.py conditions tile --command count,solve

A run may use two CPU seconds more than showing a puzzle of 16 cells takes, and a quarter of a gibibyte more than its limit, with all its
children. After Ctrl-C it may use two CPU seconds.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

from puzzlesat.base.files import write_file

MIB = 1 << 20
SECONDS, MEMORY = 2, 0.5
MORE_SECONDS, MORE_MIB = 2.0, 256
LOOK_SECONDS = 0.02
HEAD = 'title = "{name}"\ngrid = "{grid}"\n'
COMMANDS = {
    "count": (),
    "count --solver sat": ("--solver", "sat,cpsat"),
    "count --fixed": ("--fixed",),
    "solve": ("-n", "1000000"),
    "prove": (),
    "certify": ("-o", "x.proof"),
    "certify --kind tally": ("-o", "x.proof"),
    "challenge": (),
    "hint": (),
    "show": (),
    "validate": (),
    "check": (),
    "convert": ("x.xcc",),
    "compile": ("-o", "x.cnf"),
    "report": ("-o", "x.html"),
    "apart": (),
}


def conditions() -> str:
    """Return a puzzle with many conditions whose sums are nearly all different."""
    draw = random.Random(3)
    cells = [[x + 1, y + 1] for x in range(6) for y in range(6)]
    said = f'flips = true\n[tiles.M]\npicture = "#"\ncopies = [0, 36]\n[form]\nbox = [6, 6]\noptional = {cells}\n'
    for number in range(60):
        atoms = [[*cell, draw.randrange(1, 10**6)] for cell in draw.sample(cells, 30)]
        said += f'[[conditions]]\nname = "c{number}"\natoms = {atoms}\nbetween = [0, {10**6}]\n'
    return said


def residues() -> str:
    """Return a puzzle with many conditions modulo large primes, from which the coverage must be eliminated."""
    draw = random.Random(4)
    said = 'flips = true\n[tiles.D]\npicture = "##"\ncopies = "any"\n[form]\nbox = [18, 18]\n'
    for number in range(60):
        atoms = [[x + 1, y + 1, draw.randrange(10**6)] for x in range(18) for y in range(18)]
        said += f'[[conditions]]\nname = "c{number}"\natoms = {atoms}\nmodulo = {{ of = {999999937 - number}, is = 5 }}\n'
    return said


def tile() -> str:
    """Return a puzzle with a comb of 3,336 atoms and single squares."""
    atoms = [[x, y] for x in range(70) for y in range(70) if x in (0, 69) or y == 0 or (x % 3 and y % 3)]
    return f'flips = true\n[tiles.B]\natoms = {atoms}\n[tiles.M]\npicture = "#"\ncopies = "any"\n[form]\nbox = [140, 140]\n'


def form() -> str:
    """Return a puzzle whose form has the largest allowed number of cells."""
    return 'flips = true\n[[generate]]\nfree = 4\ncopies = "any"\n[form]\nbox = [300, 300]\n'


def tiles() -> str:
    """Return a puzzle with all 1,285 nonominoes."""
    return "flips = true\n[[generate]]\nfree = 9\ncopies = [0, 1]\n[form]\nbox = [30, 30]\n"


def symmetries() -> str:
    """Return a puzzle on a torus with 4,608 symmetries."""
    return (
        'flips = true\n[tiles.D]\npicture = "##"\ncopies = "any"\n[form]\nbox = [24, 24]\nwrap = [{ move = [24, 0] }, { move = [0, 24] }]\n'
    )


def marks() -> str:
    """Return a puzzle of 400 cards with the marks of a solution."""
    draw = random.Random(5)
    size = 20
    across = [[draw.randrange(60) for _ in range(size + 1)] for _ in range(size)]
    along = [[draw.randrange(60) for _ in range(size + 1)] for _ in range(size)]
    said = "flips = false\n[marks]\n" + "".join(f'm{i} = {{ kind = "self" }}\n' for i in range(60))
    for x in range(size):
        for y in range(size):
            around = [f"m{m}" for m in (along[x][y + 1], across[y][x + 1], along[x][y], across[y][x])]
            said += f"[tiles.c{x}x{y}]\naround = {around}\n"
    return said + f"[form]\nbox = [{size}, {size}]\n"


def copies() -> str:
    """Return a puzzle with thousands of copies of tiles, and with many reachable sums."""
    said = "flips = true\n[form]\nbox = [100, 100]\n"
    for name, picture in {"I": "###", "L": "##\n#.", "D": "##", "M": "#"}.items():
        said += f"[tiles.{name}]\npicture = '''\n{picture}\n'''\ncopies = [0, 1000000]\n"
    for number in range(30):
        said += f'[[conditions]]\nname = "c{number}"\nalong = [1, {number + 1}]\nvalues = {[i * i for i in range(40)]}\n'
        said += "between = [0, 1000000]\n"
    return said


def rules() -> str:
    """Return a puzzle with rules on solutions: crossroads, straight lines, and pieces that may not touch."""
    pairs = ", ".join(f'["{a}", "{b}"]' for a in "FILNPTUVWXYZ" for b in "FILNPTUVWXYZ" if a < b)
    said = (
        "flips = true\n[[generate]]\nfree = 5\ncopies = 8\n[form]\nbox = [24, 20]\n[solutions]\nno_crossroads = true\nfault_free = true\n"
    )
    return said + f'strictly = true\ncolours = 3\napart = [{pairs}]\nsymmetric = "turn 180"\n'


def conflicts() -> str:
    """Return a puzzle with tens of thousands of placements, each of which excludes thousands."""
    return "flips = true\n[[generate]]\nfree = 8\ncopies = [0, 1]\n[form]\nbox = [16, 16]\n"


def space() -> str:
    """Return a puzzle in space: a cube filled with pieces of five cubes."""
    return 'flips = false\n[[generate]]\none_sided = 5\ncopies = "any"\n[form]\nbox = [12, 12, 12]\n'


def wall() -> str:
    """Return an unsolvable puzzle of 10,000 cells without a colouring proof."""
    said = 'flips = true\n[tiles.D]\npicture = "##"\ncopies = "any"\n[tiles.T]\natoms = [[1, 1], [2, 1], [3, 1], [2, 2]]\ncopies = [0, 2]\n'
    return said + "[form]\nbox = [100, 100]\nremove = [[1, 1], [100, 100]]\n"


GRIDS = {"marks": "square-marks", "space": "cube"}
PUZZLES: tuple[Callable[[], str], ...] = (
    conditions, residues, tile, form, tiles, symmetries, marks, copies, rules, conflicts, space, wall,
)  # fmt: skip


@dataclass(frozen=True)
class Run:
    """The exit status of a run, its CPU seconds (after the signal, if one was sent), its peak in MiB, and its messages."""

    status: int
    seconds: float
    peak: int
    said: str

    def faults(self, seconds: float, memory: float = MEMORY) -> str:
        """Return the names of the limits that the run exceeded and of its other faults."""
        late, large = self.seconds > seconds + MORE_SECONDS, self.peak > memory * 1024 + MORE_MIB
        return " ".join(["late"] * late + ["large"] * large + ["Traceback"] * ("Traceback" in self.said) + ["status"] * (self.status < 0))


def written(folder: Path, *chosen: str) -> dict[str, Path]:
    """Write the files of the chosen puzzles, by default of all."""
    files = {}
    for make in PUZZLES:
        if not chosen or (name := make.__name__) in chosen:
            name = make.__name__
            files[name] = folder / f"{name}.toml"
            write_file(files[name], HEAD.format(name=name, grid=GRIDS.get(name, "square")) + make())
    return files


def taken(program: psutil.Process) -> tuple[float, int]:
    """Return the CPU seconds of a program and its children so far, and their resident memory in bytes without mapped files."""
    seconds, size = 0.0, 0
    for one in (program, *program.children(recursive=True)):
        with suppress(psutil.Error):
            info, worked = one.memory_info(), one.cpu_times()
            size += info.rss - getattr(info, "shared", 0)
            seconds += sum(worked[: 4 if one is program else 2])
    return seconds, size


def ended_children() -> float:
    """Return the CPU seconds of all finished descendants."""
    return os.times().children_user + os.times().children_system


def run(command: str, file: Path, *, interrupt: bool = False, seconds: float = SECONDS, memory: float = MEMORY) -> Run:
    """Run a command on a puzzle until it ends, and sample its memory."""
    words = [sys.executable, "-m", "puzzlesat", *command.split()[:1], str(file), *COMMANDS[command], *command.split()[1:]]
    words += ["--memory", str(memory), *([] if interrupt else ["--time", str(seconds), "--cpu"])]
    before, peak, at = ended_children(), 0, None
    program = psutil.Popen(words, cwd=file.parent, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    while program.poll() is None:
        with suppress(psutil.Error):
            worked, size = taken(program)
            peak = max(peak, size)
            if interrupt and at is None and worked >= seconds:
                at = worked
                program.send_signal(signal.SIGINT)
        time.sleep(LOOK_SECONDS)
    said = program.communicate()[1]  # a few lines, which fit in the pipe
    return Run(program.returncode, ended_children() - before - (at or 0.0), peak // MIB, said)


def to_start(folder: Path) -> float:
    """Return the CPU seconds for showing a small puzzle."""
    small = folder / "small.toml"
    write_file(small, HEAD.format(name="small", grid="square") + 'flips = true\nform.box = [4, 4]\ntiles.M.picture = "#"\n')
    return min(run("show", small).seconds for _ in range(2))


def table(files: dict[str, Path], commands: list[str], *, interrupt: bool) -> Iterator[tuple[str, str, Run]]:
    """Run all commands on all puzzles."""
    for name, file in files.items():
        for command in commands:
            yield name, command, run(command, file, interrupt=interrupt)


def main() -> int:
    """Run everything and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("puzzles", nargs="*")
    parser.add_argument("--command", default=",".join(COMMANDS))
    parser.add_argument("--interrupt", action="store_true")
    asked = parser.parse_args()
    failed = 0
    print("| puzzle | command | exit status | CPU seconds | MiB | |\n| --- | --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as folder:
        files = written(Path(folder), *asked.puzzles)
        start = to_start(Path(folder))
        print(f"| small | show | 0 | {start:.1f} | | |", flush=True)
        for name, command, ran in table(files, asked.command.split(","), interrupt=asked.interrupt):
            faults = ran.faults(0 if asked.interrupt else SECONDS + start)
            failed += bool(faults)
            last = (ran.said.strip().splitlines() or [""])[-1].replace(folder, "")[:110]
            print(f"| {name} | {command} | {ran.status} | {ran.seconds:.1f} | {ran.peak} | {faults} {last} |", flush=True)
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
