"""Names of placements and bit arrays, against the printed solution of TriTetraTan."""

import pytest

import puzzlesat
from puzzlesat.formats.notation import solution_as_json
from puzzlesat.puzzles.building import build_instance
from puzzlesat.solvers.registry import listing
from tiers import every

PRINTED = {
    "Z.1@1.1": "A00000F000014000000000000000000000",
    "K.2@1.1": "5F00000C00000000000000000000000000",
    "Q.1@3.1": "00F0000168000000000000000000000000",
    "F.1@4.1": "000F000017000000000000000000000000",
    "H.1@5.1": "0000FF0000000000000000000000000000",
    "R.3@3.2": "00000002800017C0000000000000000000",
    "C.3@5.2": "0000000000F00005000000000000000000",
    "M.3@6.2": "00000000000C0000F00001400000000000",
    "G.8@1.3": "000000000002A80005C000000000000000",
    "B.1@4.3": "0000000000000030000F00000000000000",
    "I.6@5.3": "000000000000000A000016800005000000",
    "V.3@1.4": "00000000000000000A3000170000000000",
    "S.2@4.4": "00000000000000000000E8001700000000",
    "W.4@1.5": "0000000000000000000000280000FA0000",
    "X.1@2.5": "000000000000000000000000E80005C000",
    "D.1@4.5": "00000000000000000000000000C0003C00",
    "J.2@5.5": "000000000000000000000000003A0003C0",
    "A.3@5.6": "000000000000000000000000000000003F",
}


@pytest.fixture(scope="module")
def tans():
    return build_instance(puzzlesat.load("tritetratan"))


def test_the_printed_arrays(tans):
    for name, bits in PRINTED.items():
        (option,) = tans.options_by_name([name])
        assert tans.placements[option].name == name
        assert tans.bit_array(option) == bits
    values = [int(bits, 16) for bits in PRINTED.values()]
    assert sum(values) == (1 << 136) - 1  # they part the form
    assert sum(value.bit_count() for value in values) == 136 == len(tans.puzzle.form.atoms)


@pytest.mark.full
def test_the_printed_solution_is_found_by_an_exhaustive_search():
    found = {frozenset(s.names) for s in puzzlesat.solve("tritetratan", solver="backtrack")}
    assert len(found) == 124
    assert frozenset(PRINTED) in found


@every("solver", listing(), fast=("backtrack",))
def test_the_printed_solution_is_the_only_one_with_some_of_its_placements(solver):
    given = ["Z.1@1.1", "K.2@1.1", "Q.1@3.1", "F.1@4.1", "H.1@5.1", "R.3@3.2", "C.3@5.2"]
    found = [dict(zip(s.names, s.bits, strict=True)) for s in puzzlesat.solve("tritetratan", solver=solver, given=given)]
    assert PRINTED in found


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
    built = build_instance(puzzlesat.load("absolut-knifflig"))  # nine cells: three digits, the last of which has one bit
    values = {built.bit_array(o) for o in range(len(built.placements))}
    assert values == {"800", "400", "200", "100", "080", "040", "020", "010", "008"}


def test_a_solution_as_a_dictionary(tans):
    row = tans.options_by_name(PRINTED)
    record = solution_as_json(tans, [*row, -1, -1])
    assert record["instance"] == "tritetratan"
    assert {p["name"]: p["bits"] for p in record["placements"]} == PRINTED
    assert [p["tile"] for p in record["placements"]] == [name.split(".")[0] for name in PRINTED]
    (x,) = [p for p in record["placements"] if p["tile"] == "X"]
    assert sorted(x["atoms"]) == sorted(
        [[2, 5, "T"], [2, 5, "R"], [3, 5, "L"], [3, 5, "T"], [2, 6, "B"], [2, 6, "R"], [3, 6, "L"], [3, 6, "B"]]
    )
