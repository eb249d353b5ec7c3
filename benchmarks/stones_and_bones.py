"""Count stones and bones in a triangle of hexagons (OEIS A377309), independently of puzzlesat.

    python benchmarks/stones_and_bones.py 20             # rows from the apex down
    python benchmarks/stones_and_bones.py 20 --upwards   # rows from the base up

A state is the set of filled cells among the next cells. States are processed cell by cell in ascending order, each with its number of ways:
an empty cell becomes the first cell of one of five tiles. A tile adds the same bits to each state with room for it, which preserves the
order, so the states after a cell are a merge of six lists. Numbers are kept modulo 2^64 and modulo 2^61 - 1, which determines numbers below
2^125: up to n = 21.
"""

from __future__ import annotations

import argparse
import resource
import time

import numpy as np
import numpy.typing as npt
from numba import njit

Words = npt.NDArray[np.uint64]

PRIME = (1 << 61) - 1
STONES_AND_BONES = (
    ((0, 0), (1, 0), (1, 1)),
    ((0, 0), (0, 1), (1, 1)),
    ((0, 0), (0, 1), (0, 2)),
    ((0, 0), (1, 0), (2, 0)),
    ((0, 0), (1, 1), (2, 2)),
)
"""Rows and columns of the cells of each tile; the cell at the lower left has the same column, the cell at the lower right the next one."""


def masks_of(side: int, *, upwards: bool) -> list[Words]:
    """Return for each cell, in order, the bits of the cells that each tile fills, relative to this cell."""
    rows = range(side - 1, -1, -1) if upwards else range(side)
    cells = [(row, column) for row in rows for column in range(row + 1)]
    place = {cell: number for number, cell in enumerate(cells)}
    masks: list[list[int]] = [[] for _ in cells]
    for row, column in cells:
        for tile in STONES_AND_BONES:
            filled = [place.get((row + down, column + right)) for down, right in tile]
            if None not in filled:
                first = min(filled)
                masks[first].append(sum(1 << (number - first) for number in filled))
    return [np.array(sorted(some), dtype=np.uint64) for some in masks]


@njit(cache=True)
def merged(states: Words, whole: Words, prime: Words, masks: Words, next_states: Words, next_whole: Words, next_prime: Words) -> int:
    """Fill the next cell in all ways; return the new number of states."""
    one, streams, n = np.uint64(1), masks.size + 1, states.size
    at = np.zeros(streams, dtype=np.int64)
    heads = np.zeros(streams, dtype=np.uint64)
    found = -1
    for k in range(streams):
        at[k] = -1
    fresh = np.ones(streams, dtype=np.bool_)
    while True:
        best = -1
        for k in range(streams):
            if fresh[k]:
                i = at[k] + 1
                if k == masks.size:
                    while i < n and not states[i] & one:
                        i += 1
                    if i < n:
                        heads[k] = states[i] >> one
                else:
                    while i < n and states[i] & masks[k]:
                        i += 1
                    if i < n:
                        heads[k] = (states[i] | masks[k]) >> one
                at[k], fresh[k] = i, False
            if at[k] < n and (best < 0 or heads[k] < heads[best]):
                best = k
        if best < 0:
            return found + 1
        if found < 0 or next_states[found] != heads[best]:
            found += 1
            next_states[found], next_whole[found], next_prime[found] = heads[best], np.uint64(0), np.uint64(0)
        next_whole[found] += whole[at[best]]
        summed = next_prime[found] + prime[at[best]]
        next_prime[found] = summed - np.uint64(PRIME) if summed >= np.uint64(PRIME) else summed
        fresh[best] = True


def count(side: int, *, upwards: bool = False) -> tuple[int, int, int]:
    """Return the number of ways, the total number of states, and the largest number of states at a time."""
    states, whole, prime = np.zeros(1, dtype=np.uint64), np.ones(1, dtype=np.uint64), np.ones(1, dtype=np.uint64)
    altogether, most = 0, 1
    for masks in masks_of(side, upwards=upwards):
        room = int(sum((states & mask == 0).sum() for mask in masks) + (states & np.uint64(1)).sum())
        after = [np.empty(room, dtype=np.uint64) for _ in range(3)]
        number = merged(states, whole, prime, masks, *after)
        states, whole, prime = (array[:number].copy() for array in after)
        altogether, most = altogether + number, max(most, number)
    if not states.size:
        return 0, altogether, most
    a, b = int(whole[0]), int(prime[0])
    return a + (1 << 64) * ((b - a) * pow(1 << 64, -1, PRIME) % PRIME), altogether, most


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sides", type=int, nargs="+")
    parser.add_argument("--upwards", action="store_true", help="begin at the longest row")
    told = parser.parse_args()
    for side in told.sides:
        began = time.process_time()
        found, altogether, most = count(side, upwards=told.upwards)
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
        print(
            f"{side} {found}  # {altogether:,} states, {most:,} at a time, {time.process_time() - began:.1f} CPU seconds, {memory:.2f} GiB",
            flush=True,
        )


if __name__ == "__main__":
    main()
