"""Compare our solvers with other people's exact-cover programs on the same matrices, alternating in one run, and with the goals.

    pip install ".[benchmarks]"
    python benchmarks/peers.py -o table.md                  # every row of the table of goals: an hour or two
    python benchmarks/peers.py --quick                      # only the rows that take seconds
    python benchmarks/peers.py --front                      # the six rows of the front table, with the best-known peers
    python benchmarks/peers.py pentominoes-6x10 bedlam      # rows by name, or any other instance that is a plain exact cover
    python benchmarks/peers.py --ssxcc PATH soma            # with Knuth's program, built from its source (see README.md)
    python benchmarks/peers.py --reduced tetrahexes-flower-1    # another instance, with symmetry broken and dead placements removed for all

Every program runs in its own process; times are CPU seconds of the solver alone, compiled beforehand, the median of the rounds.
The time of a stand-alone peer is that of its whole process, which also reads the matrix.
Every count is compared with the known count and with the other programs. Missing programs are skipped. The exit status is 1 if one of our
own solvers fails or returns a wrong count.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from measure import LONG, Child, Run, machine
from programs import JOBS, OURS, PEERS, WHOLE_JOB, available, missing, runs_by_itself

from puzzlesat.base.files import write_file


@dataclass(frozen=True)
class Goal:
    """The goal of our solver on one row: a speed relative to a peer, or a time limit."""

    least: float
    stretch: float
    unit: str = "x"
    """``x``: times as fast as the peer; ``s``: seconds."""
    peer: str | None = None
    """The peer of the comparison; None: the fastest."""
    gigabytes: float | None = None

    def __str__(self) -> str:
        peer = f" {self.peer}" if self.peer else ""
        memory = f", {self.gigabytes:g} GB" if self.gigabytes else ""
        return f"{'< ' if self.unit == 's' else ''}{self.least:g}{' s' if self.unit == 's' else 'x'}{peer}{memory}"


@dataclass(frozen=True)
class Row:
    """One row of the table."""

    instance: str
    variant: str = "all"
    """``all``: the whole problem; ``reduced``: symmetry broken on our chosen tile and dead placements removed, the same for all programs;
    ``distinct``: the whole job, from a loaded puzzle to the number of solutions up to symmetry."""
    goal: Goal | None = None
    quick: bool = False
    peers: bool = True
    """Whether to run the peers."""
    limit: float = 300.0
    """CPU limit of each program per solve."""
    first: str = "tally"
    """The program that runs first. In space this is the backtracker: the tally then gets a minute instead of the full limit."""
    solutions: int | None = None
    """The expected count, if it does not follow from the instance's ``[expect]`` because the reduced solutions have different weights."""


# Goals are multiples of xcover's speed on the same machine. Two programs that must be built from source are faster than those on PyPI (a
# bitboard solver in Rust for the twelve pentominoes, Busche's polycube solver in C++): where they were measured, the goal is to beat them.
# Elsewhere the goal is the speed of puzzlesat 0.1.0. The stretch goal is about twice the goal.
ROWS = (
    Row("pentominoes-6x10", "all", Goal(95, 200, peer="xcover")),
    Row("pentominoes-5x12", "all", Goal(150, 400, peer="xcover")),
    Row("pentominoes-4x15", "all", Goal(250, 500, peer="xcover"), quick=True),
    Row("pentominoes-3x20", "all", Goal(270, 400, peer="xcover"), quick=True),
    Row("one-sided-pentominoes-3x30", "all", Goal(150, 500)),
    Row("octogram", "reduced", Goal(23, 40, peer="xcover")),
    Row("pentominoes-8x8-centre", "all", Goal(33, 60, peer="xcover"), quick=True),
    Row("hexiamonds-6x6", "all", Goal(24, 60, peer="xcover"), quick=True),
    Row("soma", "all", Goal(15, 25, peer="xcover"), quick=True),
    Row("solid-pentominoes-3x4x5", "reduced", Goal(20, 40, peer="xcover"), first="backtrack", solutions=4286),  # weighted: 31,520
    Row("solid-pentominoes-2x5x6", "reduced", Goal(24, 40, peer="xcover"), quick=True, first="backtrack"),
    Row("bedlam", "reduced", Goal(20, 40, peer="xcover"), limit=600.0, first="backtrack"),
    Row("tritetratan", "all", Goal(50, 100, peer="xcover"), quick=True),
    Row("one-sided-pentominoes-5x18", "all", Goal(1, 0.4, "s"), peers=False),
    Row("one-sided-pentominoes-6x15", "all", Goal(3, 1.5, "s"), peers=False),
    Row("one-sided-pentominoes-9x10", "all", Goal(150, 60, "s", gigabytes=12), peers=False, limit=600.0),
)
WHOLE_JOBS = tuple(Row(row.instance, "distinct", quick=row.quick, limit=row.limit) for row in ROWS if row.peers)
FRONT_ROWS = ("pentominoes-6x10", "hexiamonds-6x6", "soma", "tritetratan", "octogram", "bedlam")
FRONT_PROGRAMS = (*OURS, "Rust bitboards", "xcover", "SSXCC", "miniexact", "pyxcc")
"""The columns of the front table."""
BUILT = {peer.built: name for name, peer in PEERS.items() if peer.built}
PATIENCE = 3.0
"""A program is stopped after this multiple of the time of the fastest earlier program of its kind (ours, peers)."""
AT_LEAST = 60.0
"""A program is never stopped before this many CPU seconds."""


@dataclass(frozen=True)
class Result:
    """The results of all programs on one row."""

    row: Row
    options: int
    items: int
    solutions: int | None
    """The known count, else the count on which the programs agree, else None."""
    runs: dict[str, Run]

    def fastest(self, names: Iterable[str]) -> Run | None:
        """Return the fastest finished run among programs."""
        finished = [run for name in names if (run := self.runs.get(name)) and run.seconds is not None]
        return min(finished, key=lambda run: run.seconds or 0.0, default=None)

    @property
    def is_job(self) -> bool:
        """Return whether the row measures the whole job."""
        return self.row.variant == "distinct"

    @property
    def ours(self) -> Run | None:
        """Return the fastest finished run of our solvers."""
        return self.fastest(name for name in ours() if name in self.runs)

    def ratio(self, peer: str | None) -> tuple[float, bool] | None:
        """Return a peer's time (None: the fastest peer) divided by ours, and whether the ratio is only a lower bound."""
        names = [peer] if peer else [name for name in self.runs if name in PEERS]
        if self.ours is None or not (seconds := self.ours.seconds):
            return None
        if best := self.fastest(names):
            return (best.seconds or 0.0) / seconds, False
        limits = [run.limit for name in names if (run := self.runs.get(name)) and run.limit is not None]
        return (min(limits) / seconds, True) if limits else None

    def verdict(self) -> str:
        """Return whether the goal was met: ``yes``, ``stretch``, ``no``, or the reason why this is unknown."""
        goal = self.row.goal
        if goal is None:
            return ""
        if self.ours is None or self.ours.seconds is None:
            return "no" if any(name in ours() for name in self.runs) else "not run"
        if goal.unit == "s":
            if goal.gigabytes and self.ours.peak > goal.gigabytes * 2**30:
                return "no (memory)"
            return "stretch" if self.ours.seconds < goal.stretch else "yes" if self.ours.seconds < goal.least else "no"
        if (found := self.ratio(goal.peer)) is None:
            return "no peer"
        ratio, bound = found
        return "stretch" if ratio >= goal.stretch else "yes" if ratio >= goal.least else "open: peers stopped" if bound else "no"


def ours() -> tuple[str, ...]:
    """Return the names of our programs."""
    return (*OURS, WHOLE_JOB)


def measure(row: Row, programs: Sequence[str], rounds: int, limit: float, gigabytes: float) -> Result:
    """Measure the programs on one row, alternating for the given number of rounds, and check their counts."""
    children: dict[str, Child] = {}
    try:
        for name in sorted(programs, key=lambda name: name != row.first):
            child = children[name] = Child(name, row.instance, row.variant, gigabytes)
            child.solve(allowed(name, children, limit), warm=True)
            if child.done:
                child.close()
        for turn in range(rounds):
            for child in children.values():
                if not child.done and len(child.run.times) <= turn:
                    child.solve(limit)
        facts = next((child.facts for child in children.values() if child.facts), {})
        solutions = check([child.run for child in children.values()], facts.get("expected", row.solutions))
    finally:
        for child in children.values():
            child.close()
    return Result(row, facts.get("options", 0), facts.get("items", 0), solutions, {name: child.run for name, child in children.items()})


def allowed(name: str, children: dict[str, Child], limit: float) -> float:
    """Return the CPU limit of a program, given the times of other programs of its kind."""
    kind = [child.run for other, child in children.items() if (other in ours()) == (name in ours()) and not child.run.failed]
    times = [t for run in kind for t in (*run.warm_up, *run.times)]
    return min(limit, max(AT_LEAST, PATIENCE * min(times))) if times else limit


def check(runs: Sequence[Run], expected: int | None) -> int | None:
    """Mark the runs with a wrong count; without an expected count, mark all runs if they disagree. Return the right count."""
    counts = {count for run in runs for count in run.counts}
    right = expected if expected is not None else counts.pop() if len(counts) == 1 else None
    for run in runs:
        if wrong := [count for count in run.counts if count != right]:
            run.fail(f"wrong: {wrong[0]}")
    return right


def front_table(results: Sequence[Result], programs: Sequence[str]) -> str:
    """Return the front table: times, and the ratio of the fastest peer to our fastest solver."""
    lines = [["puzzle", "matrix", "solutions", *programs, "ratio"], ["---", "---", *["---:"] * (len(programs) + 2)]]
    for result in results:
        cells = [seconds_cell(result.runs.get(name)).replace("not supported", "–") for name in programs]
        solutions = "" if result.solutions is None else f"{result.solutions:,}"
        lines.append([result.row.instance, result.row.variant, solutions, *cells, ratio_cell(result, None)])
    return as_markdown(lines)


def ratio_cell(result: Result, peer: str | None) -> str:
    """Return a peer's time (None: the fastest peer) divided by ours, or nothing if it is unknown."""
    ratio = result.ratio(peer)
    return f"{'> ' if ratio[1] else ''}{ratio[0]:.1f}x" if ratio else ""


def seconds_table(results: Sequence[Result], programs: Sequence[str]) -> str:
    """Return the table of times, ratios and goals."""
    peers = any(name in PEERS for name in programs)
    head = ["puzzle", "matrix", "solutions", *programs, *(["ratio"] if peers else []), "goal", "stretch", "met"]
    lines = [head, ["---", "---", *["---:"] * (len(head) - 3), "---"]]
    for result in results:
        goal = result.row.goal
        cells = [seconds_cell(result.runs.get(name)) for name in programs]
        speed = ratio_cell(result, goal.peer if goal else None)
        end = [str(goal) if goal else "", f"{goal.stretch:g}{'x' if goal.unit == 'x' else ' s'}" if goal else "", result.verdict()]
        solutions = "" if result.solutions is None else f"{result.solutions:,}"
        lines.append([result.row.instance, result.row.variant, solutions, *cells, *([speed] if peers else []), *end])
    return as_markdown(lines)


def seconds_cell(run: Run | None) -> str:
    """Return the seconds of a run with three significant digits, or the reason for a failure."""
    if run is None:
        return ""
    if run.seconds is None:
        return run.failed or ""
    return f"{run.seconds:.4f}" if run.seconds < 0.1 else f"{run.seconds:.3f}" if run.seconds < 10 else f"{run.seconds:.1f}"


def job_table(results: Sequence[Result]) -> str:
    """Return the table of the whole jobs."""
    lines = [["puzzle", "up to symmetry", "puzzlesat", "xcover", "ratio"], ["---", *["---:"] * 4]]
    for result in results:
        solutions = "" if result.solutions is None else f"{result.solutions:,}"
        cells = [seconds_cell(result.runs.get(name)) for name in JOBS]
        lines.append([result.row.instance, solutions, *cells, ratio_cell(result, "xcover")])
    return as_markdown(lines)


def memory_table(results: Sequence[Result], programs: Sequence[str]) -> str:
    """Return the table of matrix sizes and memory peaks, with the growth during the solve."""
    lines = [["puzzle", "matrix", "options", "items", *programs], ["---", "---", *["---:"] * (2 + len(programs))]]
    for result in results:
        cells = [memory_cell(result.runs.get(name)) for name in programs]
        lines.append([result.row.instance, result.row.variant, f"{result.options:,}", f"{result.items:,}", *cells])
    return as_markdown(lines)


def memory_cell(run: Run | None) -> str:
    """Return ``peak (+growth)`` in megabytes."""
    return "" if run is None or run.seconds is None else f"{run.peak / 2**20:,.0f} (+{(run.peak - run.before) / 2**20:,.0f})"


def as_markdown(lines: Sequence[Sequence[str]]) -> str:
    """Join cells to the lines of a markdown table."""
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def failures(results: Sequence[Result]) -> list[str]:
    """Return a sentence for each failure that is not a limit."""
    return [
        f"{result.row.instance}, {result.row.variant}: {name}: {run.failed} {f'({run.why})' if run.why else ''}".strip()
        for result in results
        for name, run in result.runs.items()
        if run.failed and run.limit is None
    ]


def front_report(results: Sequence[Result], programs: Sequence[str], rounds: int) -> str:
    """Return the front table with the machine, the versions and the method, as markdown."""
    parts = [
        f"{machine()}.",
        f"{date.today()}. CPU seconds, the median of {rounds} rounds, one where a solve takes more than {LONG:.0f} s. "
        "Ratio: the fastest peer over the fastest of ours. –: the program cannot take the puzzle.",
        front_table(results, programs),
    ]
    return "\n\n".join([*parts, *left_out_and_failed(results)]) + "\n"


def left_out_and_failed(results: Sequence[Result]) -> list[str]:
    """Return a paragraph about missing programs and a list of failures, if there are any."""
    left_out, failed = missing(), failures(results)
    lines = [f"Left out: {'; '.join(left_out)}."] if left_out else []
    return lines + (["\n".join(f"- {sentence}" for sentence in failed)] if failed else [])


def report(results: Sequence[Result], programs: Sequence[str], rounds: int) -> str:
    """Return the full report as markdown."""
    matrices, jobs = [r for r in results if not r.is_job], [r for r in results if r.is_job]
    parts = [
        f"{machine()}.",
        f"{date.today()}. CPU seconds of the solver alone, compiled beforehand; the median of {rounds} rounds, one where a solve "
        f"takes more than {LONG:.0f} s. Ratio: the fastest peer (or the one the goal names) over the fastest of ours.",
        seconds_table(matrices, programs),
        'The whole job, from a loaded puzzle to the number of solutions up to symmetry: `puzzlesat.count(puzzle, solver="auto")`, beside '
        "xcover with its options and their images given, the solutions listed and the least image of each kept.",
        job_table(jobs),
        "Memory in megabytes: the peak during the solve, with interpreter, libraries and matrix; in brackets what solving added.",
        memory_table(matrices, [name for name in programs if not runs_by_itself(name)]),
    ]
    return "\n\n".join([*parts, *left_out_and_failed(results)]) + "\n"


def rows_named(names: Sequence[str], quick: bool, variant: str) -> list[Row]:
    """Return the named rows of the table, and new rows for other instances. Without names, return all rows, or the quick ones."""
    table = [*ROWS, *WHOLE_JOBS]
    if not names:
        return [row for row in table if row.quick or not quick]
    return [row for name in names for row in [row for row in table if row.instance == name] or [Row(name, variant)]]


def arguments_of() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("instances", nargs="*", help="rows of the table, or other instances; default: every row")
    parser.add_argument("--quick", action="store_true", help="only the rows that take seconds")
    parser.add_argument("--front", action="store_true", help="the rows and the programs of the front table")
    parser.add_argument("--reduced", action="store_true", help="for instances that are no rows: break the symmetry, remove what is dead")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--limit", type=float, help="CPU seconds for each solve; default: 300, more for some rows")
    parser.add_argument("--memory", type=float, default=14.0, metavar="GB", help="address space for each program")
    parser.add_argument("--programs", help=f"of {', '.join([*OURS, *PEERS])}; separated by commas; default: all that there are")
    for variable, name in BUILT.items():
        parser.add_argument(f"--{variable.lower()}", type=Path, metavar="PATH", help=f"{name}, built from its sources")
    parser.add_argument("-o", "--output", type=Path, help="write the report here too, after every row")
    return parser.parse_args()


def programs_of(arguments: argparse.Namespace) -> list[str]:
    """Return the programs to measure, and pass the paths of built programs to the child processes."""
    for variable in BUILT:
        if path := getattr(arguments, variable.lower()):
            os.environ[variable] = str(path.resolve(strict=True))
    here = available()
    wanted = (
        arguments.programs.split(",") if arguments.programs else [name for name in here if not arguments.front or name in FRONT_PROGRAMS]
    )
    if unknown := [name for name in wanted if name not in here]:
        raise SystemExit(f"not here: {', '.join(unknown)}; there are {', '.join(here)}")
    return sorted(wanted, key=[*OURS, *PEERS].index)


def rows_of(arguments: argparse.Namespace) -> list[Row]:
    """Return the rows that the command line names."""
    if arguments.front:
        return [row for name in arguments.instances or FRONT_ROWS for row in ROWS if row.instance == name]
    return rows_named(arguments.instances, arguments.quick, "reduced" if arguments.reduced else "all")


def main() -> None:
    """Measure row by row; print and write the report."""
    arguments = arguments_of()
    programs, tell = programs_of(arguments), front_report if arguments.front else report
    results = []
    for row in rows_of(arguments):
        taking_part = [name for name in programs if row.peers or name in OURS]
        if row.variant == "distinct":
            taking_part = [name for name in JOBS if name == WHOLE_JOB or name in programs]
        results.append(measure(row, taking_part, arguments.rounds, arguments.limit or row.limit, arguments.memory))
        print(
            f"{row.instance}, {row.variant}: " + ", ".join(f"{n} {seconds_cell(r)}" for n, r in results[-1].runs.items()), file=sys.stderr
        )
        if arguments.output:
            write_file(arguments.output, tell(results, programs, arguments.rounds))
    print(tell(results, programs, arguments.rounds))
    own = [run for result in results for name, run in result.runs.items() if name in ours()]
    if any(run.failed and run.limit is None and run.failed != "not supported" for run in own):
        raise SystemExit(1)


if __name__ == "__main__":
    main()
