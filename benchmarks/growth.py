"""Measure how time and memory grow with the length and the width of the board.

    python benchmarks/growth.py             # minutes; --quick: a minute or two
    python benchmarks/growth.py --plot      # draw again from growth.csv

Families: dominoes and L trominoes, in any number, in w x n; the twelve pentominoes in 3 x 20 … 6 x 10; the 18 one-sided pentominoes in
3 x 30 … 9 x 10. In each series a program stops at the first board that exceeds the time limit. Writes ``plots/growth.csv`` and,
for every family, ``plots/FAMILY.svg`` and ``plots/FAMILY.png``.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from measure import SHORT, Child
from programs import OURS, available

from puzzlesat.base.files import new_file, write_file

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PLOTS = Path(__file__).with_name("plots")
BEST_PEERS = ("Sage", "xcover")
GIGABYTES = 14.0
MAX_SOLUTIONS = 2**63 - 1
"""Boards with more solutions than a 64-bit integer can hold are skipped."""

INSTANCE = """
title = "{model} in {width} x {length}"
model = "{model}"

[form]
box = [{length}, {width}]
"""


@dataclass(frozen=True)
class Board:
    """A board of a family and the instance that describes it."""

    family: str
    width: int
    length: int
    instance: str | None = None
    """The name of an instance of the package. None: the family names a model, and the board is written to a file."""
    solutions: int | None = None


@dataclass(frozen=True)
class Point:
    """The measurement of one program on one board."""

    family: str
    program: str
    width: int
    length: int
    options: int
    solutions: int
    seconds: float
    megabytes: float
    """Peak memory in MB."""
    grown: float
    """Growth of memory during the solve, in MB."""


def domino_tilings(width: int, length: int) -> int:
    """Count the domino tilings of a rectangle cell by cell: bit c of a state means that column c is already covered."""
    states = {0: 1}
    for _ in range(length):
        for column in range(width):
            after: dict[int, int] = {}
            for state, ways in states.items():
                bit, right = 1 << column, 2 << column
                if state & bit:
                    moves = [state ^ bit]
                else:
                    moves = [state | bit] + ([state | right] if column + 1 < width and not state & right else [])
                for move in moves:
                    after[move] = after.get(move, 0) + ways
            states = after
    return states.get(0, 0)


def dominoes(width: int, lengths: Sequence[int]) -> list[Board]:
    """Return boards of one width for dominoes, with their counts."""
    counts = {length: domino_tilings(width, length) for length in lengths}
    return [Board("dominoes", width, n, solutions=count) for n, count in counts.items() if 0 < count <= MAX_SOLUTIONS]


def l_trominoes(width: int, lengths: Sequence[int]) -> list[Board]:
    """Return boards of one width for L trominoes with an area divisible by 3."""
    return [Board("l-trominoes", width, n) for n in lengths if width * n % 3 == 0]


def instances(family: str, sizes: Sequence[tuple[int, int]]) -> list[Board]:
    """Return boards that are instances of the package."""
    return [Board(family, width, length, f"{family}-{width}x{length}") for width, length in sizes]


def series_of(quick: bool) -> list[list[Board]]:
    """Return the series: boards of growing difficulty. A program gives up a series at its first board beyond the time limit."""
    lengths = [4, 6, 8, 10, 12, 16, 24, 32, *([] if quick else [48, 64])]
    small = [dominoes(w, lengths) for w in (2, 4, 6, 8, *([] if quick else [10, 12]))]
    corners = [l_trominoes(w, lengths) for w in (3, 6, *([] if quick else [9]))]
    rectangles = [instances("pentominoes", [size]) for size in [(3, 20), (4, 15), (5, 12), (6, 10)]]
    sizes = [(3, 30), (5, 18), (6, 15), *([] if quick else [(9, 10)])]
    return [*small, *corners, *rectangles, instances("one-sided-pentominoes", sizes)]


def measured(series: Sequence[Board], program: str, limit: float, folder: Path) -> Iterator[Point]:
    """Yield a point for each board until one exceeds the time limit or fails."""
    for board in series:
        child = Child(program, written(board, folder), "all", GIGABYTES)
        child.solve(limit, warm=True)
        if not child.done and not child.run.times:
            child.solve(max(limit, SHORT))
        child.close()
        run = child.run
        right = child.facts.get("expected", board.solutions)
        if run.seconds is None:
            print(f"{board.family} {board.width} x {board.length}: {program}: {run.failed} {run.why}", file=sys.stderr)
            return
        if right is not None and run.counts[-1] != right:
            raise SystemExit(f"{board}: {program} counts {run.counts[-1]}, not {right}")
        options, grown = child.facts["options"], (run.peak - run.before) / 2**20
        yield Point(board.family, program, board.width, board.length, options, run.counts[-1], run.seconds, run.peak / 2**20, grown)


def written(board: Board, folder: Path) -> str:
    """Return the name of a board's instance, or of a file written for it."""
    if board.instance is not None:
        return board.instance
    file = folder / f"{board.family}-{board.width}x{board.length}.toml"
    write_file(file, INSTANCE.format(model=board.family, width=board.width, length=board.length))
    return str(file)


def disagreements(points: Sequence[Point]) -> list[str]:
    """Return a sentence for each board on which the programs disagree."""
    counts: dict[tuple[str, int, int], set[int]] = {}
    for p in points:
        counts.setdefault((p.family, p.width, p.length), set()).add(p.solutions)
    return [f"{family} {width} x {length}: {sorted(found)}" for (family, width, length), found in counts.items() if len(found) > 1]


def save(points: Sequence[Point], file: Path) -> None:
    """Write the points as CSV."""
    out = StringIO()
    table = csv.DictWriter(out, [f.name for f in fields(Point)], lineterminator="\n")
    table.writeheader()
    for p in points:
        table.writerow(asdict(p) | {"seconds": f"{p.seconds:.7f}", "megabytes": f"{p.megabytes:.1f}", "grown": f"{p.grown:.1f}"})
    write_file(file, out.getvalue())


def read(file: Path) -> list[Point]:
    """Read the points that ``save`` wrote."""
    with file.open(newline="") as table:
        return [
            Point(
                row["family"],
                row["program"],
                *(int(row[key]) for key in ("width", "length", "options", "solutions")),
                *(float(row[key]) for key in ("seconds", "megabytes", "grown")),
            )
            for row in csv.DictReader(table)
        ]


def draw(points: Sequence[Point], folder: Path) -> None:
    """Draw the time and memory of every family, as SVG and PNG. Memory is drawn as at least one megabyte."""
    import matplotlib as mpl

    mpl.use("Agg")
    mpl.rcParams["svg.hashsalt"] = "puzzlesat"
    import matplotlib.pyplot as plt

    for family in dict.fromkeys(p.family for p in points):
        own = [p for p in points if p.family == family and p.seconds > 0]  # times of zero have no logarithm
        growing = len({p.length * p.width for p in own}) > 1
        draw_family = draw_endless if growing else draw_set
        columns = 3 if growing else 2
        figure, axes = plt.subplots(1, columns, figsize=(4.8 * columns, 4.8), layout="constrained")
        draw_family(own, list(axes))
        figure.suptitle(family)
        handles, names = axes[0].get_legend_handles_labels()
        figure.legend(handles, names, loc="outside lower center", ncols=5, fontsize="small")
        for ending in ("svg", "png"):
            with new_file(folder / f"{family}.{ending}") as file:
                figure.savefig(file, format=ending, dpi=110, metadata={"Date": None} if ending == "svg" else None)
        plt.close(figure)


def draw_endless(points: Sequence[Point], axes: Sequence[Axes]) -> None:
    """Draw time and memory against the length, a line for each width and program, and time against the width at one length."""
    programs, widths = program_styles(points), sorted({p.width for p in points})
    for program, style in programs.items():
        for i, width in enumerate(widths):
            line = sorted((p for p in points if (p.program, p.width) == (program, width)), key=lambda p: p.length)
            look = {**style, "color": f"C{i}", "label": f"{program}, width {width}"}
            axes[0].plot([p.length for p in line], [p.seconds for p in line], **look)
            axes[1].plot([p.length for p in line], [max(p.grown, 1.0) for p in line], **look)
    length = common_length(points)
    for i, (program, style) in enumerate(programs.items()):
        line = sorted((p for p in points if (p.program, p.length) == (program, length)), key=lambda p: p.width)
        axes[2].plot([p.width for p in line], [p.seconds for p in line], **style, color=f"C{i}", label=program)
    axes[2].legend(fontsize="small")
    label(axes[0], "length n", "CPU seconds", "time against length", log_x=True)
    label(axes[1], "length n", "megabytes added while solving", "memory against length", log_x=True)
    label(axes[2], "width w", "CPU seconds", f"time against width, n = {length}", ticks=widths)


def common_length(points: Sequence[Point]) -> int:
    """Return the length with the most measured points; of several, the longest."""
    lengths = [p.length for p in points]
    return max(set(lengths), key=lambda n: (lengths.count(n), n))


def draw_set(points: Sequence[Point], axes: Sequence[Axes]) -> None:
    """Draw time and memory against the width, for a set of tiles that fills boards of one area."""
    for i, (program, style) in enumerate(program_styles(points).items()):
        line = sorted((p for p in points if p.program == program), key=lambda p: p.width)
        look = {**style, "color": f"C{i}", "label": program}
        axes[0].plot([p.width for p in line], [p.seconds for p in line], **look)
        axes[1].plot([p.width for p in line], [max(p.grown, 1.0) for p in line], **look)
    boards = {p.width: f"{p.width}x{p.length}" for p in points}
    label(axes[0], "board", "CPU seconds", "time", ticks=sorted(boards), names=boards)
    label(axes[1], "board", "megabytes added while solving", "memory", ticks=sorted(boards), names=boards)


def program_styles(points: Sequence[Point]) -> dict[str, dict[str, str]]:
    """Return a line style and a marker for each program."""
    looks = [("-", "o"), ("--", "s"), ("-.", "^"), (":", "x"), ("-", "+")]
    programs = [name for name in (*OURS, *BEST_PEERS) if any(p.program == name for p in points)]
    return {name: {"linestyle": line, "marker": marker} for name, (line, marker) in zip(programs, looks, strict=False)}


def label(
    axes: Axes, x: str, y: str, title: str, *, log_x: bool = False, ticks: Sequence[int] = (), names: dict[int, str] | None = None
) -> None:
    """Label the axes, make them logarithmic, and add a grid."""
    axes.set(xlabel=x, ylabel=y, title=title, yscale="log")
    if log_x:
        axes.set_xscale("log", base=2)
        axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
    if ticks:
        axes.set_xticks(list(ticks), [(names or {}).get(t, str(t)) for t in ticks])
    if y.startswith("megabytes"):
        axes.set_ylim(0.8, max(20.0, axes.get_ylim()[1]))
    axes.grid(visible=True, which="major", alpha=0.3)


def main() -> None:
    """Measure and draw, or only draw."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="fewer and smaller boards, a limit of 3 seconds")
    parser.add_argument("--limit", type=float, help="CPU seconds for a solve; default 60")
    parser.add_argument("--plot", action="store_true", help="measure nothing; draw what the CSV holds")
    parser.add_argument("--folder", type=Path, default=PLOTS)
    arguments = parser.parse_args()
    arguments.folder.mkdir(exist_ok=True)
    file = arguments.folder / "growth.csv"
    if not arguments.plot:
        points: list[Point] = []
        limit = arguments.limit or (3.0 if arguments.quick else 60.0)
        with TemporaryDirectory() as folder:
            for series in series_of(arguments.quick):
                for program in (p for p in available() if p in (*OURS, *BEST_PEERS)):
                    points += measured(series, program, limit, Path(folder))
                    save(points, file)
        if wrong := disagreements(points):
            raise SystemExit("the programs disagree: " + "; ".join(wrong))
    draw(read(file), arguments.folder)


if __name__ == "__main__":
    main()
