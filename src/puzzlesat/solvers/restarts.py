"""Solutions of large problems by chance, where a plain search gets nowhere: attempts of two kinds by turns, each learns from those before.

- One filling after the other, depth first, the awkward tiles first (see ``filling``), each time in another order. What is awkward is
  learned: a tile is, if it is often among those left over when little is open. The tiles that are left at the end are then those that fit
  almost anywhere, and the last corner, where the search goes through everything, can be filled in many ways. Best for sets of many tiles.
- Many fillings side by side (see ``generations``). Best for hollow and branched forms, where little fits anywhere.

An attempt has so many nodes, or so many fillings; no clock has a say, so a seed gives the same again.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from itertools import count
from math import fsum, log
from random import Random

import numpy as np

from puzzlesat.arrays import Ints, Longs, Rows
from puzzlesat.cover.problem import CoverProblem
from puzzlesat.cover.settle import settle
from puzzlesat.rows import padded_rows
from puzzlesat.solvers import filling, generations, kernel
from puzzlesat.solvers.filling import Fill, Filling
from puzzlesat.solvers.filltables import lay_out
from puzzlesat.solvers.generations import Grown, Start
from puzzlesat.solvers.strategy import ATTEMPT_NODES, LEVEL_BYTES, LONGEST_ATTEMPT, PATIENT_TURNS, WIDEST, WIDTH
from puzzlesat.solvers.turns import Turn

OTHERWISE = 4
"""So often an attempt side by side goes by nothing that was learned."""
MOST_TURNED = 100_000
"""Options up to which it fills the form in another order, too: for each the problem has to be laid out."""
NEAR_END = 6
"""Options of the largest size that what is open would take, from where on tiles are counted as left over."""
ATTEMPTS_A_LESSON = 5
"""After so many attempts the order of the tiles is made anew."""
NOISE = 0.5
"""How far the order of an attempt is from the one learned: a standard deviation, where e times as often left over is 1."""
LEAST_SHARE = 0.05
"""Of the mean: what is added to how often a tile is left over, so that one that never is can be compared."""
PATIENCE = 3000
"""Nodes without progress far from the end, until some of what was placed last is taken back."""
TAKEN_BACK = 8
"""How much, in most cases."""
MOST_STUCK = 200
"""How often in an attempt."""

Row = tuple[int, ...]


def or_by_chance(search: Generator[Turn], problem: CoverProblem, given: Sequence[int], seed: int, most: int | None) -> Generator[Turn]:
    """Yield the turns of a search, and, where the first ones have no solution, after each of them what an attempt found.

    Attempts end with the first solution of the search. Each solution comes once, and there are no more than ``most``.
    """
    tries, seen, found, of_search = attempts(problem, given, seed), set[Row](), 0, 0
    with closing(search):
        for number, turn in enumerate(search, start=1):
            of_search += int(turn.work[kernel.FOUND])
            own = turn if not seen else _without(turn, seen, None if most is None else most - found)
            found += int(own.work[kernel.FOUND])
            yield own
            if number > PATIENT_TURNS and not of_search and not turn.last and (row := next(tries, None)) is not None and row not in seen:
                seen.add(row)
                found += 1
                yield Turn(np.where(np.arange(kernel.COUNTERS) == kernel.FOUND, 1, 0), padded_rows([row]))


def _without(turn: Turn, seen: set[Row], most: int | None) -> Turn:
    """A turn without solutions that were seen before, and with so many at most."""
    assert turn.rows is not None
    new = [k for k, row in enumerate(turn.rows.tolist()) if tuple(o for o in row if o >= 0) not in seen]
    kept = new[:most]
    work = turn.work.copy()
    work[kernel.FOUND] = len(kept)
    return replace(turn, work=work, rows=turn.rows[kept], last=turn.last and len(kept) == len(new))


def attempts(problem: CoverProblem, given: Sequence[int], seed: int) -> Iterator[Row | None]:
    """Yield what each slice of an attempt found: a solution with the options given and those forced, its options ascending, or None.

    Attempts of both kinds take turns. Ends where they cannot help: at once for problems whose items are not cells, covered once or perhaps
    not at all, and tiles; and where an attempt has tried everything. That says nothing of the problem: placements that cover only what may
    stay open are left out.
    """
    chosen = {*problem.forced, *given}
    rest = settle(replace(problem, origin=None), given)
    if rest is None or (laid := lay_out(rest)) is None:
        return
    origin = np.arange(problem.size) if rest.origin is None else rest.origin
    random = Random(seed)
    for both in zip(_one_by_one(*laid, random), _side_by_side(rest, random), strict=False):
        for rows in both:
            solutions = ([*chosen, *origin[row].tolist()] for row in rows)
            yield next((tuple(sorted(found)) for found in solutions if _conditions_hold(problem, found)), None)


def _side_by_side(problem: CoverProblem, random: Random) -> Iterator[Rows]:
    """Yield what attempts found that carry on many fillings at once, and an empty array after each slice of them.

    Every fourth goes by the first costs and fills the form towards another cell, for a lesson, or the usual order, may be a wrong one.
    """
    usual, cells = _towards(problem, None), _cells(problem)
    first = costs = generations.first_costs(usual)
    widest = max(1, LEVEL_BYTES // generations.bytes_of(usual))
    for attempt in count(1):
        width, salt = min(widest, WIDTH * min(_luby(attempt), WIDEST)), random.getrandbits(32)
        if attempt % OTHERWISE == 0:
            start = usual if problem.size > MOST_TURNED else _towards(problem, int(random.choice(cells)))
            grown = yield from _finished(generations.grow(start, first, width, salt))
        else:
            grown = yield from _finished(generations.grow(usual, costs, width, salt))
            costs = costs if grown.crowd is None else generations.learned(costs, grown.crowd)
        yield grown.full
        if grown.everything and not len(grown.full):
            return


def _towards(problem: CoverProblem, end: int | None) -> Start:
    laid = lay_out(problem, end=end)
    assert laid is not None
    return generations.ready(laid)


def _cells(problem: CoverProblem) -> Longs:
    is_cell = problem.low > 0
    is_cell[problem.tiles] = False
    return np.flatnonzero(is_cell)


def _finished(slices: Generator[None, None, Grown]) -> Generator[Rows, None, Grown]:
    """Go through the slices of an attempt, with an empty array after each; return what came of it."""
    while True:
        try:
            next(slices)
        except StopIteration as end:
            grown: Grown = end.value
            return grown
        yield np.zeros((0, 0), dtype=np.int32)


def _one_by_one(t: Fill, s: Filling, options: Ints, random: Random) -> Iterator[Rows]:
    """Yield what attempts found that go through fillings one after the other, depth first."""
    copies = np.maximum(s.left, 1).tolist()
    start = [part.copy() for part in s]
    often, awkward = [0.0] * len(copies), [0.0] * len(copies)
    for attempt in count(1):
        for part, first in zip(map(np.asarray, s), start, strict=True):
            np.copyto(part, first)
        result = _attempt(t, s, awkward, random, ATTEMPT_NODES * min(_luby(attempt), LONGEST_ATTEMPT))
        if result == filling.NONE:
            return
        yield options[s.option[None, : s.depth[0]]][: int(result == filling.FOUND)]
        left = [n / most for n, most in zip(s.remaining.tolist(), copies, strict=True)]
        often = [n + own / max(fsum(left), 1.0) for n, own in zip(often, left, strict=True)]
        if attempt % ATTEMPTS_A_LESSON == 0 and (mean := fsum(often) / len(often)) > 0:
            awkward = [log(n / mean + LEAST_SHARE) for n in often]


def _attempt(t: Fill, s: Filling, awkward: Sequence[float], random: Random, nodes: int) -> int:
    """Fill a form; where the search is stuck far from the end, some of what was placed last is placed otherwise."""
    near_end = NEAR_END * int(np.add.reduceat(t.must[t.cell], t.entry[:-1]).max())
    for stuck in range(1, MOST_STUCK + 1):
        filling.rewind(t, s, max(0, s.depth[0] - TAKEN_BACK * _luby(stuck)))
        s.order[:] = np.argsort([-a - random.gauss(0.0, NOISE) for a in awkward], kind="stable")
        floor = int(s.depth[0])
        result = int(filling.fill(t, s, PATIENCE, nodes, near_end, random.getrandbits(32)))
        if result in (filling.FOUND, filling.GIVEN_UP) or (result == filling.NONE and floor == 0):
            return result
    return filling.STUCK


def _luby(n: int) -> int:
    """1, 1, 2, 1, 1, 2, 4, 1, …: how long to go on, where nobody knows how long it takes.

    M. Luby, A. Sinclair, D. Zuckerman, "Optimal speedup of Las Vegas algorithms", Information Processing Letters 47 (1993).
    """
    while n & (n + 1):
        n -= (1 << (n.bit_length() - 1)) - 1
    return (n + 1) // 2


def _conditions_hold(problem: CoverProblem, chosen: Sequence[int]) -> bool:
    return all(c.holds(int(c.weights[chosen].sum())) for c in problem.conditions)
