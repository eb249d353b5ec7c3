"""Many assemblies at once: the kernels' decisions and their check, sums over parts, and sets of pieces with one solution."""

import json
from collections import Counter
from functools import cache

import numpy as np
import pytest

from puzzlesat.base import ContradictionError, Limits
from puzzlesat.designing.burr import NOBODY, built_burr, burr_of, kept_by, pieces_of
from puzzlesat.designing.design_files import design_given
from puzzlesat.designing.diagram import blocks_of, diagram_of, listing_of
from puzzlesat.designing.parting import PartOptions, Pieces, Tally, drawn, tallies, tally_from
from puzzlesat.disassembly import Bulk, answers, bodies_of
from puzzlesat.disassembly import run as bulk_module
from tiers import every

pytestmark = pytest.mark.full
NOTCHABLE = "notchable-six-piece-burrs"


@cache
def sample(number):
    """Return random notchable burrs as rows of placements."""
    burr = burr_of(design_given(NOTCHABLE))
    built, rows = built_burr(burr, kept_by(burr, drawn(diagram_of(burr, blocks_of(burr)), number, 0)))
    return built, np.array([*rows])


@cache
def solid():
    """Return all solid burrs of notchable pieces, part by part."""
    listing = listing_of(burr_of(design_given("notchable-solid-six-piece-burrs")))
    return listing, [*tallies(listing, listing.parts, PartOptions(3, sets=True), None, 1, Limits())]


def test_many_at_once_come_to_the_same_as_each():
    built, rows = sample(300)
    found = Bulk(bodies_of(built), 6).outcomes(rows, Limits())
    each = [answer for _, _, answer in answers(bodies_of(built), map(tuple, rows.tolist()), 1, Limits())]
    assert found.level == ["" if a.parting is None else a.parting.level for a in each]
    assert found.opens.tolist() == [a.parting is not None or len(a.stuck) < 6 for a in each]
    assert found.checked.all()
    assert not found.undecided.any()
    assert {"", "1", "2", "3", "1.2"} <= {*found.level}


@every(
    "change, said",
    [*((change, "are not free") for change in ("stays", "other way", "not apart", "other pieces")), ("held", "more than 1 positions")],
)
def test_a_wrong_kernel_is_found(change, said, monkeypatch):
    """The answer of the kernel is falsified before the check, which shares no code with it."""
    built, rows = sample(300)
    explored = bulk_module._explored

    def changed(*arguments):
        simple = explored(*arguments)
        row = next(i for i in range(len(rows)) if simple.closed[i] == 0 and simple.first[i] == 2)
        moves = simple.moves[row]
        if change == "held":
            simple.closed[row] = 1
        elif change == "stays":
            moves[0, 3] = -1
        elif change == "other way":
            moves[1, 2] ^= 1
        elif change == "not apart":
            simple.length[row] -= 1
        else:
            moves[1, 1] = moves[1, 0] & ~moves[1, 1]
        return simple

    monkeypatch.setattr(bulk_module, "_explored", changed)
    with pytest.raises(ContradictionError, match=said):
        Bulk(bodies_of(built), 6).outcomes(rows, Limits())


@pytest.mark.slow
def test_notchable_burrs_with_one_hole():
    """Bill Cutler, 1987: four of them have level 2 or higher."""
    burr = burr_of(design_given(NOTCHABLE))
    listing = listing_of(burr)
    some = np.concatenate([found[(found == NOBODY).sum(axis=1) == 1] for part in listing.parts for found in listing.assemblies(part)])
    built, rows = built_burr(burr, kept_by(burr, some))
    found = Counter(Bulk(bodies_of(built), 6).outcomes(np.array([*rows]), Limits()).level)
    assert found == {"1": 1162, "1.2": 204, "2": 4, "1.1.2": 1, "": 3}


def test_parts_come_to_the_whole():
    """Bill Cutler and Tom O'Beirne: 314 assemblies of 25 pieces, in 221 sets."""
    listing, parts = solid()
    total = Tally(sets={})
    for part in reversed(parts):
        total.add(part, 3)
    assert (total.decided, total.apart, total.checked, total.undecided) == (318, 314, 318, 0)
    assert total.levels == {"1.2": 57, "1": 257}
    sets = Pieces(listing.burr).counted(total.sets)
    assert (sets.pieces, sets.sets, sets.once) == (25, 221, {"1.2": 29, "1": 126})
    assert [one.level for one in total.best] == ["1.2"] * 3
    assert total.numbers == sum(listing.totals)
    # a part is read back as it was written; a limit leaves a part unfinished
    record = json.loads(json.dumps(parts[0].record))
    assert tally_from(record).record == record
    with pytest.raises(ValueError):
        tally_from(record | {"levels": {"1": 5}})
    assert not [*tallies(listing, listing.parts, PartOptions(3, sets=True), None, 1, Limits(seconds=0.0).begun())]


def test_sets_in_one_way_only_are_those_that_come_once():
    """Counted again by the names of pieces; mirror images are one."""
    burr = burr_of(design_given(NOTCHABLE))
    chosen = drawn(diagram_of(burr, blocks_of(burr)), 4000, 1)
    kept, pieces = kept_by(burr, chosen), Pieces(burr)
    names = [burr.set_of(each) for each in pieces_of(burr, kept)]
    many = Counter(names)
    found = pieces.counted({"2": [pieces.sets(kept)[:2000]], "1": [pieces.sets(kept)[2000:]]})
    assert found.sets == len(many)
    assert found.once == {level: sum(many[n] == 1 for n in some) for level, some in (("2", names[:2000]), ("1", names[2000:]))}
    assert found.once["1"] < 2000
