"""Tiles that fill the same form: plain enumeration of all forms of a few copies, and published facts."""

from itertools import combinations

import pytest

from puzzlesat.base.errors import PuzzleError
from puzzlesat.base.limits import Limits
from puzzlesat.designing.common import Common, in_the_form, smallest_common
from puzzlesat.designing.tile_set import load_kit
from puzzlesat.proofs.solution_checks import solution_check
from test_sets import as_block
from tiers import every

TETROMINOES = {"I": "0000", "L": "000/0", "O": "00/00", "S": "00/.00", "T": "000/.0"}
LONG = 60.0


def moved(cells):
    x, y = (min(c[i] for c in cells) for i in (0, 1))
    return frozenset((a - x, b - y) for a, b in cells)


def orientations(drawn):
    cells = {(x, y) for y, row in enumerate(drawn.split("/")) for x, c in enumerate(row) if c == "0"}
    found = set()
    for _ in range(4):
        cells = {(-y, x) for x, y in cells}
        found |= {moved(cells), moved({(-x, y) for x, y in cells})}
    return found


def forms(drawn, copies):
    """Return all connected forms of ``copies`` tetrominoes, up to translation."""
    turned = orientations(drawn)
    found = set(turned)
    for _ in range(copies - 1):
        larger = set()
        for form in found:
            beside = {(x + a, y + b) for x, y in form for a, b in ((1, 0), (-1, 0), (0, 1), (0, -1))} - form
            for tile in turned:
                for x, y in beside:
                    for a, b in tile:
                        laid = {(x - a + c, y - b + d) for c, d in tile}
                        if not laid & form:
                            larger.add(moved(form | laid))
        found = larger
    return found


@every(("one", "other"), combinations(TETROMINOES, 2), fast=1)
def test_pairs_of_tetrominoes_against_plain_enumeration(one, other):
    found = smallest_common(load_kit("tetrominoes", some=True), (one, other), 12, Limits(seconds=LONG))
    if alike := forms(TETROMINOES[one], 2) & forms(TETROMINOES[other], 2):
        assert (found.area, found.none_to) == (8, 4)
        assert moved({face[:2] for copy in found.fillings[0] for face in copy}) in alike
    else:
        assert not forms(TETROMINOES[one], 3) & forms(TETROMINOES[other], 3)
        assert found == Common((one, other), None, 12)


@pytest.mark.full
@every(("kit", "names", "area"), [("tetrominoes", "OT", 16), ("pentominoes", "FL", 10)])
def test_a_form_is_filled_by_each(kit, names, area):
    kit = load_kit(kit, some=True)
    found = smallest_common(kit, tuple(names), 24, Limits(seconds=LONG))
    assert found.area == area
    for (built, row), name in zip(in_the_form(kit, found), names, strict=True):
        assert {built.puzzle.tiles[built.placements[o].tile].name for o in row} == {name}
        assert solution_check(built)(as_block(row)) is None


RULES = 'title = "x"\nmodel = "tetrominoes"\n[form]\nbox = [5, 4]\n[solutions]\nno_crossroads = true\n'


@every(
    ("kit", "names", "sentence"),
    [
        ("tetrominoes", ("Q", "I"), "there is no tile 'Q'"),
        ("bits-and-bytes", ("11111111", "10101010"), "marks, colours or atoms beside its faces"),
        ("rules.toml", ("I", "L"), "remove them"),
    ],
)
def test_kits_and_tiles_that_cannot_be_asked(kit, names, sentence, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rules.toml").write_text(RULES, encoding="utf-8")
    with pytest.raises(PuzzleError, match=sentence):
        smallest_common(load_kit(kit, some=True), names, 8, Limits())
