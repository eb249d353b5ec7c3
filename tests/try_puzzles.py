"""Try random puzzles for a given time: every solver, the certificates and the whole command against the judge.

    python tests/try_puzzles.py --minutes 60 --cores 2 --seed 1

Prints the number of puzzles, the rate per minute, the pairs of features seen and the disagreements, once a minute. Puzzles with a
disagreement are reduced, and written to ``disagreement-SEED.toml``. Exit status 1 if anything disagreed.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import traceback
from collections import Counter
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from brute_force import TooMuch
from compare import check_everything
from random_puzzles import random_puzzle
from strategies import to_toml
from test_random_puzzles import PAIRS, pairs_of

BATCH = 40
"""Puzzles that a process tries before it reports."""
THOROUGH = 4
"""One puzzle in ``THOROUGH`` also gets a certificate and a run of the whole command, which take longer than all the rest."""


@dataclass
class Tried:
    """Results of a batch of puzzles."""

    counts: Counter = field(default_factory=Counter)
    pairs: set = field(default_factory=set)
    wrong: list = field(default_factory=list)

    def add(self, other):
        self.counts += other.counts
        self.pairs |= other.pairs
        self.wrong += other.wrong


def one_puzzle(seed):
    """A random puzzle, one in three with a wanted pair of features, and the number of a placement to fix, or None."""
    random = Random(seed)
    want = random.choice(sorted(PAIRS)) if random.random() < 1 / 3 else ()
    return random_puzzle(random, want=want), random.choice([None, None, random.randint(0, 1000)])


def what_is_wrong(table, fixed, thorough=True):
    """Return the difference from the judge (None if equal, "too much" if the judge gives up) and the judge's result."""
    try:
        judged = check_everything(table, fixed, thorough)
    except TooMuch:
        return "too much", None
    except Exception as error:  # any error is a finding
        where = traceback.extract_tb(error.__traceback__)[-1]
        return f"{type(error).__name__} in {where.name}, line {where.lineno}: {str(error).split('random.toml: ')[-1]}", None
    return None, judged


def try_batch(first):
    """Try the puzzles of some seeds."""
    tried = Tried()
    for seed in range(first, first + BATCH):
        table, fixed = one_puzzle(seed)
        wrong, judged = what_is_wrong(table, fixed, thorough=seed % THOROUGH == 0)
        tried.counts["too much" if wrong == "too much" else "wrong" if wrong else "solvable" if judged.all else "impossible"] += 1
        tried.pairs |= pairs_of(table)
        if wrong not in (None, "too much"):
            table, fixed = smaller(table, fixed, wrong.split(":")[0])
            tried.wrong.append((seed, what_is_wrong(table, fixed)[0], f"# fixed: {fixed}\n{to_toml(table)}"))
    return tried


def smaller(table, fixed, kind):
    """Remove entries of a table as long as the same kind of error remains."""

    def still(other, number=fixed):
        wrong = what_is_wrong(other, number)[0]
        return wrong is not None and wrong.startswith(kind)

    if fixed is not None and still(table, None):
        fixed = None
    shrinking = True
    while shrinking:
        shrinking = False
        for path in sorted(places(table), key=len):
            other = without(table, path)
            if other is not None and still(other, fixed):
                table, shrinking = other, True
                break
    return table, fixed


def places(value, path=()):
    """The paths to all entries of nested tables and lists."""
    entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, entry in entries:
        yield (*path, key)
        yield from places(entry, (*path, key))


def without(table, path):
    """A copy of a table without the entry at a path."""
    copy = json.loads(json.dumps(table))
    inner = copy
    for key in path[:-1]:
        inner = inner[key]
    del inner[path[-1]]
    return copy


def show(tried, seconds):
    counts = tried.counts
    puzzles = sum(counts.values()) - counts["too much"]
    pairs = f"  {len(tried.pairs & PAIRS):,} of {len(PAIRS):,} pairs of features" if tried.pairs else ""
    print(
        f"{seconds / 60:6.1f} min  {puzzles:,} tried, {counts['solvable']:,} solvable ({counts['too much']:,} too much for the judge)"
        f"  {puzzles / seconds * 60:,.0f} a minute{pairs}  {counts['wrong']} disagreements",
        flush=True,
    )


def tell(found):
    """Print each disagreement, and write its puzzle to a file."""
    for number, wrong, toml in found:
        print(f"seed {number}: {wrong}")
        Path(f"disagreement-{number}.toml").write_text(toml, encoding="utf-8")


def asked(what):
    """Return the options of the command line."""
    parser = argparse.ArgumentParser(description=what.split("\n")[0])
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1, help="of the first; the others follow")
    return parser.parse_args()


def until_time_is_up(limits, batch_of, size):
    """Try batch after batch, ``batch_of(seed)`` with ``size`` seeds each; return 1 if anything was wrong, else 0."""
    begin, shown, seed, tried = time.monotonic(), 0, limits.seed, Tried()
    waiting: set[Future[Tried]] = set()
    with ProcessPoolExecutor(limits.cores) as pool:
        while waiting or time.monotonic() - begin < 60 * limits.minutes:
            while time.monotonic() - begin < 60 * limits.minutes and len(waiting) < 2 * limits.cores:
                waiting.add(pool.submit(batch_of, seed))
                seed += size
            done, waiting = wait(waiting, timeout=5, return_when=FIRST_COMPLETED)
            for future in done:
                tried.add(future.result())
                tell(future.result().wrong)
            if time.monotonic() - begin > 60 * (shown + 1):
                shown = int((time.monotonic() - begin) // 60)
                show(tried, time.monotonic() - begin)
    show(tried, time.monotonic() - begin)
    print(f"the next seed is {seed}")
    return 1 if tried.wrong else 0


if __name__ == "__main__":
    sys.exit(until_time_is_up(asked(__doc__), try_batch, BATCH))
