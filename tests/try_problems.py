"""Try random cover problems for a given time: every way to search and to count, against plain enumeration.

    python tests/try_problems.py --minutes 60 --cores 2 --seed 1

It tries some thousands a minute on one core, many more than ``try_puzzles.py``, because they need no files, no geometry and no SAT solver.
Prints the number of problems, the rate per minute and the disagreements, once a minute. Exit status 1 if anything disagreed.
"""

from __future__ import annotations

import sys
from itertools import pairwise
from random import Random

import numpy as np

from brute_force import TooMuch, puzzleless_solutions
from puzzlesat.puzzles.problem import Condition, CoverProblem
from search_paths import COUNTING, LISTING, agree
from strategies import problem_of
from try_puzzles import Tried, asked, until_time_is_up

BATCH = 500
"""Problems that a process tries before it reports."""
SHARES = 5
"""Each problem is counted by every fifth way of the tally, each in its turn."""
SYMMETRIC = 3
"""Every third problem has symmetries."""


def random_problem(random: Random) -> CoverProblem:
    """A cover problem of any kind; about half of them are made around a solution, so that they have one."""
    items, tiles = random.randint(1, 12), random.choice([0, 0, 1, 2, 3, 4, 5])
    kinds = random.choices("rrrrrrromc", k=items) if random.random() < 0.5 else ["r"] * items
    low = [random.randint(0, 2) if kind == "m" else int(kind == "r") for kind in kinds]
    high = [max(1, least + random.randint(0, 2)) if kind == "m" else 1 for kind, least in zip(kinds, low, strict=True)]
    parts = list(_partition(random, items)) if random.random() < 0.6 else []
    others = [sorted(random.sample(range(items), random.randint(1, min(items, 4)))) for _ in range(random.randint(0, 14))]
    rows = random.sample(parts + others, len(parts) + len(others))
    lists, colours = [], []
    own = {id(part): random.choice([number, random.randrange(max(tiles, 1))]) for number, part in enumerate(parts)}
    for row in rows:
        colours.append([random.choice([0, 1, 1, 2, 3]) if kinds[i] == "c" else 0 for i in row])
        if tiles:
            row = [*row, items + own.get(id(row), random.randrange(tiles)) % tiles]
            colours[-1].append(0)
        lists.append(row)
    once = random.random() < 0.5
    supplies = [(1, 1), (0, 1), (0, 2), (2, 2), (1, 3), (0, CoverProblem.UNLIMITED), (1, CoverProblem.UNLIMITED)]
    for least, most in ((1, 1) if once else random.choice(supplies) for _ in range(tiles)):
        low, high = [*low, least], [*high, most]
    count = len(lists)
    return problem_of(
        lists,
        low,
        high,
        [i for i, kind in enumerate(kinds) if kind == "c"],
        colours,
        tiles=range(items, items + tiles),
        conditions=tuple(_conditions(random, count)),
        forced=tuple(random.sample(range(count), 1)) if count and random.random() < 0.1 else (),
    )


def symmetric_problem(random: Random) -> CoverProblem:
    """A cover problem with the symmetries that a permutation of its items generates; they keep most of its tiles."""
    problem = random_problem(random)
    tiled = set(problem.tiles.tolist())
    kinds = [(*bounds, i in tiled) for i, bounds in enumerate(zip(problem.low, problem.high, problem.coloured, strict=True))]
    to, length = list(range(len(kinds))), random.choice([2, 2, 2, 3, 4])
    for kind in sorted(set(kinds)):
        alike = [i for i, other in enumerate(kinds) if other == kind]
        alike = random.sample(alike, len(alike))
        while len(alike) >= length:
            cycle, alike = alike[:length], alike[length:]
            if random.random() < (0.2 if kind[-1] else 0.7):
                for here, there in zip(cycle, [*cycle[1:], cycle[0]], strict=True):
                    to[here] = there
    entries = list(zip(problem.item.tolist(), problem.colour.tolist(), strict=True))
    given = [frozenset(entries[a:b]) for a, b in pairwise(problem.start.tolist())]
    options = list(dict.fromkeys(given))
    for option in options:  # it grows
        image = frozenset((to[i], colour) for i, colour in option)
        if image not in options:
            options.append(image)
    random.shuffle(options)
    number = {option: o for o, option in enumerate(options)}
    once = np.array([number[frozenset((to[i], colour) for i, colour in option)] for option in options], dtype=np.int32)
    images = [np.arange(len(options), dtype=np.int32)]
    while (more := once[images[-1]]).tolist() != images[0].tolist():
        images.append(more)
    lists, colours = ([[entry[k] for entry in sorted(option)] for option in options] for k in (0, 1))
    return problem_of(
        lists,
        problem.low,
        problem.high,
        np.flatnonzero(problem.coloured),
        colours,
        tiles=problem.tiles,
        symmetries=tuple(f"s{s}" for s in range(len(images))),
        images=np.array(images) if options else None,
    )


def _partition(random, items):
    """Divide the items into parts of one to four, in random order."""
    left = random.sample(range(items), items)
    while left:
        size = random.randint(1, 4)
        yield sorted(left[:size])
        left = left[size:]


def _conditions(random, options):
    for number in range(random.choice([0, 0, 0, 1, 2])):
        weights = np.array([random.randint(-2, 3) for _ in range(options)], dtype=np.int64)
        modulus, least = random.choice([0, 0, 2, 3]), random.randint(-2, 4)
        yield Condition(f"c{number}", weights, least, least + random.randint(0, 6), modulus, random.randrange(modulus) if modulus else 0)


def what_is_wrong(name, problem, expected):
    """Return a description of a solver's error, or None."""
    try:
        return None if agree(name, problem, expected) else f"it is not what enumeration says: {len(expected)}"
    except Exception as error:  # any error is a finding
        return f"{type(error).__name__}: {error}"


def try_batch(first: int) -> Tried:
    """Try the problems of some seeds."""
    tried = Tried()
    for seed in range(first, first + BATCH):
        random = Random(seed)
        problem = symmetric_problem(random) if seed % SYMMETRIC == 0 else random_problem(random)
        try:
            expected = set(puzzleless_solutions(problem))
        except TooMuch:
            tried.counts["too much"] += 1
            continue
        ways = (*LISTING, *list(COUNTING)[seed % SHARES :: SHARES])
        wrong = [(name, said) for name in ways if (said := what_is_wrong(name, problem, expected)) is not None]
        tried.counts["wrong" if wrong else "solvable" if expected else "impossible"] += 1
        tried.wrong += [(seed, f"{name}: {said}", f"{problem}\n") for name, said in wrong]
    return tried


if __name__ == "__main__":
    sys.exit(until_time_is_up(asked(__doc__), try_batch, BATCH))
