"""Each pair of compatible features occurs among the random puzzles."""

from itertools import combinations
from random import Random

from random_puzzles import FEATURES, features, possible, random_puzzle
from tiers import every

PAIRS = frozenset(pair for pair in combinations(sorted(FEATURES), 2) if possible(*pair))
"""The table of pairs."""
TRIES = 100
"""Many times the average number of tries that the rarest pair needs."""


def pairs_of(puzzle):
    return frozenset(combinations(sorted(features(puzzle)), 2))


def test_every_feature_goes_together_with_most_others():
    for feature in FEATURES:
        assert sum(feature in pair for pair in PAIRS) > len(FEATURES) // 2


@every("step", [1, 400], fast=("400",))
def test_each_pair_occurs_when_it_is_wanted(step):
    """Each missing pair, if wanted, comes within a few tries. Pairs declared impossible never come."""
    random = Random(2026)
    missing = set(sorted(PAIRS)[::step])
    while missing:
        pair = min(missing)
        for _ in range(TRIES):
            seen = pairs_of(random_puzzle(random, want=pair))
            assert seen <= PAIRS, seen - PAIRS
            missing -= seen
            if pair in seen:
                break
        assert pair not in missing, pair
