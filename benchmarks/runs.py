"""What long runs take and survive: ``python benchmarks/runs.py throughput`` (or kills, bytes, tiny, overhead, simulate).

Nothing here needs a cluster; ``kills --dask`` starts one on this machine. Figures and what they mean: benchmarks/README.md.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "runs"))

import dask_cluster
import pretend
from simulation import Setting, simulate

from puzzlesat.base.files import write_file
from puzzlesat.base.processes import cpu_seconds
from puzzlesat.studies import coordinator, wire, worker
from puzzlesat.studies.coordinator import run_study
from puzzlesat.studies.dask import cluster
from puzzlesat.studies.executors import Processes, Workers
from puzzlesat.studies.opening import StudyHeading, open_store
from puzzlesat.studies.store import Store
from puzzlesat.studies.stored import heading_of, subject_in
from puzzlesat.studies.units import Answer, Job

TESTS = Path(__file__).parents[1] / "tests" / "runs"
UNIT_SECONDS = 30.0


class AtOnce:
    """Workers that answer at once, and say that it took as long as units take: so each is handed out and recorded by itself."""

    shared = False
    cure = ""

    def __init__(self, slots: int) -> None:
        self._slots = slots

    def slots(self) -> int:
        return self._slots

    def submit(self, jobs: Sequence[Job], apart: object = ()) -> Future[list[Answer]]:
        future: Future[list[Answer]] = Future()
        future.set_result([replace(answer, wall=UNIT_SECONDS, cpu=UNIT_SECONDS) for answer in pretend.answers(jobs)])
        return future

    def lost(self, error: BaseException) -> int:
        return 0

    def give_up(self, future: object) -> None:
        """Nothing hangs."""

    renew = stop = end = lambda self: None


def throughput(told: argparse.Namespace) -> None:
    """Units a second that coordinator and store take."""
    print("| who answers | units | by the clock, a second | a CPU second of the coordinator | bytes of the store a unit |")
    print("| --- | ---: | ---: | ---: | ---: |")
    if told.dask:
        coordinator.MOST_IN_BATCH = 1  # units of 30 s are handed out one by one
        with tempfile.TemporaryDirectory() as folder, dask_cluster.cluster(Path(folder), workers=2, threads=4) as there:
            for number in (200, told.number):  # the first warm up
                with cluster(there.address, pretend.answers) as workers:
                    _throughput("Dask, two workers of four threads, one by one", workers, number)
        return
    each = [(f"at once, {slots} at a time", AtOnce(slots), told.number) for slots in (1, 8, 64, 1000)]
    each += [(f"{count} processes, in batches", Processes(count, do=pretend.answers), told.number) for count in (1, 2, 8)]
    for name, workers, number in each:
        _throughput(name, workers, number)


def _throughput(name: str, workers: Workers, number: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "study.sqlite"
        with open_store(path, StudyHeading("pretended", "1", "{}", 0.02)) as store:
            tasks = [{**pretend.task(1), "from": first, "to": first + 1} for first in range(number)]
            store.add([(pretend.SUBJECT, tasks)])
            began, worked = time.monotonic(), time.process_time()
            end = coordinator.run(store, workers)
            took, cpu = time.monotonic() - began, time.process_time() - worked
            _must(end.complete and _sum(store) == pretend.total(range(number)), "the total is wrong")
        print(f"| {name} | {number:,} | {number / took:,.0f} | {number / cpu:,.0f} | {path.stat().st_size / number:,.0f} |", flush=True)


def bytes_a_unit(told: argparse.Namespace) -> None:
    """Bytes that a unit of a real count sends there and back."""
    print("| unit | job | answer |\n| --- | ---: | ---: |")
    for name in told.puzzles or ["bedlam", "octogram", "tritetratan"]:
        subject = subject_in(name)
        with tempfile.TemporaryDirectory() as folder, open_store(Path(folder) / "a.sqlite", heading_of(subject, 0.0)) as store:
            store.add([(subject, [{"do": "parts", "plan": True}])])
            job = store.job(1)
            answers = worker.do([job])
        print(f"| {name}, first unit | {len(wire.write_jobs(worker.do, [job])):,} | {len(wire.write_answers(answers)):,} |", flush=True)


def tiny(told: argparse.Namespace) -> None:
    """Thousands of tiny puzzles: dominoes and monominoes on forms of a few squares, counted."""
    chance = random.Random(1)
    with tempfile.TemporaryDirectory() as folder:
        lines = ['{"format": "puzzlesat puzzles", "version": 1}']
        for number in range(told.number):
            picture = "\n".join(("#" * chance.randint(1, 5)).ljust(5, ".") for _ in range(3))
            table = {"title": f"Tiny {number}", "grid": "square", "flips": True, "form": {"picture": picture},
                     "tiles": {"D": {"picture": "##", "copies": "any"}, "M": {"picture": "#", "copies": "any"}}}  # fmt: skip
            lines.append(json.dumps({"name": f"tiny-{number}", **table}))
        write_file(Path(folder) / "tiny.jsonl", "\n".join([*lines, ""]))
        study = Path(folder) / "study.toml"
        write_file(study, 'name = "tiny"\n[[puzzles]]\nfrom = ["tiny.jsonl"]\n[[steps]]\nfind = "count"\nseconds = 10\n')
        for jobs in (1, 2):
            store = study.with_name(f"{jobs}.sqlite")
            began, worked = time.monotonic(), cpu_seconds()
            end = run_study(study, store, jobs=jobs)
            took, cpu = time.monotonic() - began, cpu_seconds() - worked
            print(f"{told.number:,} puzzles, {jobs} processes: {end.states}; {took:.1f} s by the clock, {cpu:.1f} CPU seconds: "
                  f"{told.number / took:.0f} a second, {told.number / cpu:.0f} a CPU second", flush=True)  # fmt: skip


def overhead(told: argparse.Namespace) -> None:
    """What units and store add to a count: CPU seconds of all processes, against those that the answers say the counting took."""
    for name in told.puzzles or ["bedlam"]:
        subject = subject_in(name)
        for jobs in (1, 2):
            with tempfile.TemporaryDirectory() as folder, open_store(Path(folder) / "a.sqlite", heading_of(subject, 0.0)) as store:
                store.add([(subject, [{"do": "parts", "plan": True}])])
                began, worked = time.monotonic(), cpu_seconds()
                end = coordinator.run(store, Processes(jobs))
                took, cpu = time.monotonic() - began, cpu_seconds() - worked
                _must(end.complete, "it is not complete")
                answers = list(store.answers())
                counting, wall = sum(answer.cpu for answer in answers), sum(answer.wall for answer in answers)
                print(f"{name}, {jobs} processes: {len(answers)} units, {took:.1f} s by the clock, {cpu:.1f} CPU seconds, of it counting "
                      f"{counting:.1f}; {wall / took:.2f} at work at a time", flush=True)  # fmt: skip


def kills(told: argparse.Namespace) -> None:
    """Kill runs at random moments, and see that nothing is lost."""
    command = [sys.executable, str(TESTS / "try_kills.py"), "--kills", str(told.number), "--seed", str(told.seed)]
    os.execv(sys.executable, [*command, *(["--dask"] if told.dask else [])])


def simulated(told: argparse.Namespace) -> None:
    """Ten thousand workers and a million units by a false clock."""
    base = Setting(workers=told.workers, units=told.number, coordinator=1 / told.rate)
    rows = [("as it is", base, 1)]
    rows += [
        (f"{parts} studies by ranges", replace(base, workers=base.workers // parts, units=base.units // parts), parts)
        for parts in (2, 4, 8)
    ]
    rows += [
        ("units of 10 s", replace(base, mean=10.0, units=3 * base.units), 1),
        ("units of 10 s, 4 studies", replace(base, mean=10.0, units=3 * base.units // 4, workers=base.workers // 4), 4),
        ("a worker fails every hour", replace(base, hours=1.0), 1),
        ("a scheduler of 1,000 tasks a second", replace(base, scheduler=1 / 1000), 1),
        ("a coordinator of 500 units a second", replace(base, coordinator=1 / 500), 1),
        ("a coordinator of 200 units a second", replace(base, coordinator=1 / 200), 1),
        ("the same, 4 studies", replace(base, coordinator=1 / 200, units=base.units // 4, workers=base.workers // 4), 4),
    ]
    print(f"{base.workers:,} workers, {base.units:,} units of {base.mean:.0f} s; coordinator {told.rate:,.0f} units a second")
    print("| setting | minutes | busy | lost | waiting | at the end | away | coordinator | scheduler | failures | units lost |")
    print("| --- " + "| ---: " * 10 + "|")
    for name, setting, parts in rows:
        of = simulate(setting)
        shares = (of.busy, of.lost, of.waiting, of.tail, of.away, of.coordinator, of.scheduler)
        percents = " | ".join(f"{100 * share:.2f} %" for share in shares)
        print(f"| {name} | {of.seconds / 60:.1f} | {percents} | {of.failures * parts:,} | {of.again * parts:,} |", flush=True)


def _sum(store: Store) -> int:
    return sum(answer.result["found"] for answer in store.answers())


def _must(right: bool, otherwise: str) -> None:
    if not right:
        sys.exit(otherwise)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parts = parser.add_subparsers(required=True)
    for name, part, number in (
        ("throughput", throughput, 5000), ("bytes", bytes_a_unit, 0), ("tiny", tiny, 10_000), ("overhead", overhead, 0),
        ("kills", kills, 100), ("simulate", simulated, 1_000_000),
    ):  # fmt: skip
        one = parts.add_parser(name, help=part.__doc__)
        one.set_defaults(part=part)
        one.add_argument("--number", type=int, default=number)
        one.add_argument("--seed", type=int, default=1)
        if part in (kills, throughput):
            one.add_argument("--dask", action="store_true")
        if part in (bytes_a_unit, overhead):
            one.add_argument("puzzles", nargs="*")
        if part is simulated:
            one.add_argument("--workers", type=int, default=10_000)
            one.add_argument("--rate", type=float, default=1500.0, help="units a second that the coordinator takes")
    told = parser.parse_args()
    told.part(told)


if __name__ == "__main__":
    main()
