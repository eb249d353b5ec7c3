"""Kill runs at random moments, see that nothing is lost or counted twice, start them again: ``python try_kills.py --kills 1000 --seed 1``.

Real processes of a run (``pretended_run.py``): a worker, all of them, the coordinator, or everything at once gets ``kill -9``, or the
coordinator a SIGTERM. After each, SQLite's own check must find the file whole, no answer that was there may be gone, and no number may
stand in two answers. Runs are started again until they are complete; then the total must be exact. With ``--dask`` the work is done by a
Dask cluster (``dask_cluster.py``), whose scheduler gets killed too; its parts are started again by themselves.
"""

import argparse
import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import closing, nullcontext, suppress
from pathlib import Path

import pretend
from dask_cluster import cluster, jobs_of

from puzzlesat.studies.opening import open_to_read

PROGRAM = Path(__file__).with_name("pretended_run.py")
SECONDS = 120
"""For whatever must happen some time, on a machine that has much else to do."""
VICTIMS = ("a worker", "all workers", "the coordinator", "everything", "SIGTERM")
VICTIMS_OF_DASK = ("a process", "a worker", "all workers", "the scheduler", "the coordinator", "everything", "SIGTERM")
ENDS_THE_RUN = VICTIMS[2:]


class Lost(AssertionError):
    """Something was lost, or is there twice."""


def start(path, numbers, *options, program=PROGRAM):
    """Start a run; return its process once the store is open."""
    command = [sys.executable, str(program), str(path), str(numbers), *map(str, options)]
    with path.with_name("errors").open("a") as errors:
        program = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True)
    said = program.stdout.readline()
    if said != "begun\n":
        program.wait(timeout=SECONDS)
        raise Lost(f"it did not begin: {said} {path.with_name('errors').read_text()[-2000:]}")
    return program


def workers(program):
    """The processes that a process has started."""
    with suppress(OSError):
        texts = [file.read_text() for file in Path(f"/proc/{program.pid}/task").glob("*/children")]
        return [int(number) for text in texts for number in text.split()]
    return []


def kill(program, who, chance):
    """Kill what is meant; tell whether there was anything."""
    below = workers(program)
    victims = {
        "a worker": chance.sample(below, min(1, len(below))),
        "all workers": below,
        "the coordinator": [program.pid],
        "everything": chance.sample([program.pid, *below], 1 + len(below)),
        "SIGTERM": [program.pid],
    }[who]
    for victim in victims:
        with suppress(ProcessLookupError):
            os.kill(victim, signal.SIGTERM if who == "SIGTERM" else signal.SIGKILL)
    return bool(victims)


def kill_in(there, program, who, chance):
    """Kill what is meant of a cluster, or its coordinator; tell whether there was anything."""
    parts = {"a worker": [chance.choice(there.workers)], "all workers": there.workers, "the scheduler": ["scheduler"]}
    if who == "everything":
        kill(program, "the coordinator", chance)
    if who in ("the coordinator", "SIGTERM"):
        return kill(program, who, chance)
    if who == "a process":
        jobs = jobs_of(there)
        for number in chance.sample(jobs, min(1, len(jobs))):
            with suppress(ProcessLookupError):
                os.kill(number, signal.SIGKILL)
        return bool(jobs)
    for name in parts.get(who, list(there.commands)):
        there.kill(name)
    return True


def _lives(number):
    with suppress(OSError):
        return bool(Path(f"/proc/{number}/cmdline").read_bytes())
    return False


def wait_until_gone(numbers):
    """Wait for the end of processes whose parent is dead."""
    until = time.monotonic() + SECONDS
    while any(_lives(number) for number in numbers):
        if time.monotonic() > until:
            raise Lost("workers outlive their coordinator")
        time.sleep(0.02)


def look(path, numbers, known):
    """See that the file is whole and nothing is lost or twice in it; ``known`` are answers that were seen before. Return all there are."""
    with closing(sqlite3.connect(path)) as connection:
        if (said := connection.execute("PRAGMA integrity_check").fetchone()[0]) != "ok":
            raise Lost(f"integrity_check: {said}")
        if connection.execute("PRAGMA foreign_key_check").fetchone():
            raise Lost("a key that leads nowhere")
    with open_to_read(path) as read:
        answers = [(answer.unit, answer.role, answer.result) for answer in read.answers(standing=False) if answer.error is None]
        standing = [answer.result for answer in read.answers()]
    twice = [key for key, times in Counter((unit, role) for unit, role, _ in answers).items() if times > 1]
    if twice:
        raise Lost(f"answered twice: {twice}")
    if any(answer not in answers for answer in known):
        raise Lost("an answer is gone")
    seen = Counter(number for result in standing for part in result["parts"] for number in range(*part))
    if not set(seen.values()) <= {1} or not set(seen) <= set(range(numbers)):
        raise Lost("a number is counted twice")
    if sum(result["found"] for result in standing) != pretend.total(seen):
        raise Lost("a total is wrong")
    return answers, len(seen) == numbers


def one_run(path, numbers, chance, most, kills, longest=0.6, options=(), there=None):
    """Run to the end, with so many kills at most between its beginning and its end; count them by victim."""
    options = (*options, "--dask", there.address) if there else options
    known, complete, starts = [], False, 0
    while not complete:
        program = start(path, numbers, *options)
        starts += 1
        who = None
        while sum(kills.values()) < most and who not in ENDS_THE_RUN and program.poll() is None:
            time.sleep(chance.uniform(0, longest))
            who = chance.choice(VICTIMS_OF_DASK if there else VICTIMS)
            below = workers(program)
            if program.poll() is None:
                kills[who] += kill_in(there, program, who, chance) if there else kill(program, who, chance)
        said = program.communicate(timeout=SECONDS)[0]
        if who in ENDS_THE_RUN:
            wait_until_gone(below)
        known, complete = look(path, numbers, known)
        expected = {0: "complete\n", 3: "stopped\n", -signal.SIGKILL: "", -signal.SIGTERM: ""}
        if not said.startswith(expected.get(program.returncode, "another status")):
            raise Lost(f"exit status {program.returncode}: {said}")
    if path.with_name("errors").stat().st_size:
        raise Lost(path.with_name("errors").read_text())
    return starts


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--numbers", type=int, help="so many a run")
    parser.add_argument("--dask", action="store_true")
    told = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, cluster(Path(folder)) if told.dask else nullcontext() as there:
        if there:
            there.keep()
        many_runs(told.kills, random.Random(told.seed), told.numbers or (1500 if there else 600), there)


def many_runs(most, chance, numbers, there=None):
    """Kill so many times, and say so."""
    kills, runs, starts, began = Counter(), 0, 0, time.monotonic()
    while sum(kills.values()) < most:
        with tempfile.TemporaryDirectory() as folder:
            starts += one_run(Path(folder) / "study.sqlite", numbers, chance, most, kills, longest=2 if there else 0.6, there=there)
        runs += 1
        print(f"{sum(kills.values())} kills in {runs} runs, {time.monotonic() - began:.0f} s", flush=True)
    by = ", ".join(f"{number} of {who}" for who, number in kills.items())
    print(f"{sum(kills.values()):,} kills ({by}), {starts} starts, {runs} runs: nothing lost")


if __name__ == "__main__":
    main()
