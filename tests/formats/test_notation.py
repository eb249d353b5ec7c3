"""Names of placements and bit arrays, against the printed solution of TriTetraTan."""

import pytest

import puzzlesat
from puzzlesat.puzzles.building import build_instance


@pytest.fixture(scope="module")
def tans():
    return build_instance(puzzlesat.load("tritetratan"))


def test_a_name_says_tile_orientation_and_first_cell(tans):
    assert len(set(tans.problem.options)) == len(tans.problem.options) == 1421
    for option, p in enumerate(tans.placements):
        tile = tans.puzzle.tiles[p.tile].name
        lowest = min(a[1] for a in p.atoms)
        leftmost = min(a[0] for a in p.atoms if a[1] == lowest)
        assert tans.problem.options[option] == f"{tile}.{p.orientation}@{leftmost}.{lowest}"


def test_in_space_the_first_cell_is_in_the_lowest_layer():
    built = build_instance(puzzlesat.load("soma"))
    for p in built.placements:
        z = min(a[2] for a in p.atoms)
        y = min(a[1] for a in p.atoms if a[2] == z)
        x = min(a[0] for a in p.atoms if a[1:3] == (y, z))
        assert p.name.split("@")[1] == f"{x}.{y}.{z}"


def test_the_last_digit_is_filled_up_with_zeros():
    built = build_instance(puzzlesat.load("absolut-knifflig"))  # nine cells: three digits, of which the last has one bit
    values = {built.bit_array(o) for o in range(len(built.placements))}
    assert values == {"800", "400", "200", "100", "080", "040", "020", "010", "008"}
