"""What the tiles can reach at all, and that forms of thousands of atoms are not held up by what comes before a search."""

from itertools import combinations_with_replacement, pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from puzzlesat.cover.reach import reachable_sums


class Asked:
    """As much of a cover problem as is looked at: for each tile its copies, and the options that it has."""

    def __init__(self, tiles):
        self.tiles = np.arange(len(tiles))
        self.low = np.array([low for low, _, _ in tiles])
        self.high = np.array([high for _, high, _ in tiles])
        ends = np.cumsum([0, *(len(weights) for *_, weights in tiles)])
        self.options_of_tiles = [np.arange(a, b) for a, b in pairwise(ends)]


class Weighed:
    def __init__(self, tiles, modulus):
        self.weights = np.array([w for *_, weights in tiles for w in weights])
        self.modulus = modulus


TILE = st.tuples(st.integers(0, 3), st.integers(0, 4), st.lists(st.integers(-3, 3), min_size=7, max_size=9))


@given(st.lists(TILE, min_size=1, max_size=3), st.integers(0, 5).filter(lambda m: m != 1))
def test_sums_are_those_of_plain_enumeration(tiles, modulus):
    tiles = [(low, low + more, weights) for low, more, weights in tiles]
    sums = {0}
    for low, high, weights in tiles:
        own = {sum(c) for n in range(low, high + 1) for c in combinations_with_replacement(sorted(set(weights)), n)}
        sums = {s + o for s in sums for o in own}
    expected = {s % modulus for s in sums} if modulus else sums
    assert reachable_sums(Asked(tiles), Weighed(tiles, modulus)) == expected
