"""Published counts under a rule that the format lacks: each solution is checked, and those that keep the rule are counted."""

from itertools import combinations

import pytest

import puzzlesat

PARTS = """
   1           2
1 1 1 1     2 2 2 2
 1   1   1   2   2
1 1 1 1   2 2 2 2 2
   1   1       2
      3   3 2
         3
      3 3 3 3
       3   3
      3 3 3 3
         3
"""
"""The form of polytrigs-2-3-trefoil-2: which of its three forms each edge belongs to."""


def passed(placement):
    """The points through which a stick runs straight."""
    edges = set(placement.atoms)
    steps = {0: (1, 0), 1: (0, 1)}
    return {(x + steps[a][0], y + steps[a][1]) for x, y, a in edges if (x + steps[a][0], y + steps[a][1], a) in edges}


@pytest.mark.full
def test_no_digit_but_0_is_crossed_and_0_once():
    """Polyform Puzzler's class SevenSegmentDigits6x5 lets a tile cross 0 at one of its two straight points, and forbids other crossings."""
    crossed = []
    for solution in puzzlesat.solve("seven-segment-digits-5x4"):
        pairs = combinations(solution.placements, 2)
        crossed.append([{p.name[0], q.name[0]} for p, q in pairs for _ in passed(p) & passed(q)])
    assert crossed == [[{"0", "7"}]] * 20


@pytest.mark.full
def test_tiles_that_each_lie_in_one_of_three_forms():
    """Polyform Puzzler's class Polytrigs23ThreeCongruent1Combined2: 8 solutions up to the three turns."""
    solutions = list(puzzlesat.solve("polytrigs-2-3-trefoil-2"))
    kept = 0
    for solution in solutions:
        rows = zip(str(solution).splitlines(), PARTS.strip("\n").splitlines(), strict=False)  # a legend follows the picture
        pairs = {pair for drawn, parts in rows for pair in zip(drawn, parts, strict=True)} - {(" ", " ")}
        assert all(" " not in pair for pair in pairs)
        kept += len(pairs) == len({tile for tile, _ in pairs})
    assert (len(solutions), kept) == (210, 24)
