"""Families of burrs: pieces, counts, symmetries, and assemblies that can move, against plain enumeration and published figures."""

from itertools import permutations, product
from math import sqrt

import numpy as np
import pytest

from helpers import in_one_part
from puzzlesat.base import Limits, NotSupportedError, PuzzleError
from puzzlesat.designing import diagram as diagram_module
from puzzlesat.designing.burr import NOBODY, built_burr, burr_of, kept_by, pieces_of
from puzzlesat.designing.burr_design import contracted, unchanged
from puzzlesat.designing.design_files import DesignFile, design_given
from puzzlesat.designing.diagram import assemblies_of, blocks_of, canonical, diagram_of, every, lines_of, listing_of, moved, ways_of
from puzzlesat.designing.parting import assemblies_with, between, drawn
from puzzlesat.disassembly import answers, bodies_of
from tiers import every as each_of

THREE = {"title": "Three rods", "rods": {"x": [[1, 2, 2], [4, 3, 3]], "y": [[2, 1, 2], [3, 4, 2]], "z": [[3, 2, 1], [3, 3, 4]]}}
"""They meet in 2 x 2 x 2 cubes, two of which lie in all three rods."""
CROSS = {"title": "A cross", "rods": {"x": [[1, 2, 2], [4, 3, 3]], "y": [[2, 1, 2], [3, 4, 3]]}}
"""Two rods through each other: eight cubes lie in both."""
KINDS = {"any": {}, "solid": {"solid": True}, "notches": {"cut": "notches"}, "turned only": {"mirrors": False}}
TABLES = {"three": THREE, "cross": CROSS}
FAMILIES = [pytest.param(TABLES[t], KINDS[k], id=f"{t}, {k}") for t, k in product(TABLES, KINDS)]


def burr(table, **more):
    return burr_of(DesignFile.model_validate({**table, **more}))


def movable(one):
    listing = listing_of(one)
    return np.concatenate([np.zeros((0, len(one.owners)), dtype=np.int8), *(a for part in listing.parts for a in listing.assemblies(part))])


def boxes(table):
    return {n: set(product(*(range(a, b + 1) for a, b in zip(*box, strict=True)))) for n, box in table["rods"].items()}


def sawn(box, body):
    """Tell whether each removed cube lies in a row across the rod that is removed."""
    along = max(range(3), key=lambda axis: len({c[axis] for c in box}))
    rows = [{c for c in box if all(c[a] == d[a] for a in range(3) if a != axis)} for d in box for axis in range(3) if axis != along]
    return all(any(cube in row and not row & body for row in rows) for cube in box - body)


def all_assemblies(table, solid=False, cut="any", mirrors=True):
    """Return each assembly as the bodies of its rods."""
    rods = boxes(table)
    shared = sorted(c for c in set.union(*rods.values()) if sum(c in box for box in rods.values()) > 1)
    found = []
    for owners in product(*([*(n for n in rods if c in rods[n]), *([] if solid else [None])] for c in shared)):
        owner = dict(zip(shared, owners, strict=True))
        bodies = {n: frozenset(c for c in box if owner.get(c, n) == n) for n, box in rods.items()}
        if all(in_one_part(b) and (cut == "any" or sawn(rods[n], b)) for n, b in bodies.items()):
            found.append(frozenset(bodies.values()))
    return found


def motions(table, mirrors=True):
    """Yield the symmetries of the cube that map the boxes to each other, about their common middle."""
    rods = {frozenset(box) for box in boxes(table).values()}
    ends = [(min(axis), max(axis)) for axis in zip(*set.union(*map(set, rods)), strict=True)]
    for axes, signs in product(permutations(range(3)), product((1, -1), repeat=3)):
        turn = np.zeros((3, 3))
        turn[range(3), axes] = signs

        def image(cube, axes=axes, signs=signs):
            middled = [2 * c - sum(e) for c, e in zip(cube, ends, strict=True)]
            return tuple((s * middled[a] + sum(ends[i])) / 2 for i, (a, s) in enumerate(zip(axes, signs, strict=True)))

        if (mirrors or np.linalg.det(turn) > 0) and {frozenset(map(image, box)) for box in rods} == rods:
            yield image


@each_of("table, more", FAMILIES, fast=("cross, solid",))
def test_counts_are_those_of_plain_enumeration(table, more):
    assemblies, group = all_assemblies(table, **more), list(motions(table, more.get("mirrors", True)))
    classes = {frozenset(frozenset(frozenset(map(g, body)) for body in each) for g in group) for each in assemblies}
    one = burr(table, **more)
    counted = assemblies_of(one)
    assert (counted.all, counted.distinct, len(counted.fixed)) == (len(set(assemblies)), len(classes), len(group))
    # the second way of counting agrees
    assert contracted(one) == counted.all
    assert tuple(unchanged(one, motion) for motion in one.motions) == counted.fixed


@pytest.mark.full
@each_of("more", [{"solid": True}, {"solid": True, "cut": "notches"}])
def test_rods_that_all_meet_in_the_same_cubes(more):
    """The removed cubes lie in all three rods, and no cube lies in exactly two."""
    table = {"title": "Middle", "rods": {"x": [[1, 2, 2], [4, 3, 3]], "y": [[2, 1, 2], [3, 4, 3]], "z": [[2, 2, 1], [3, 3, 4]]}}
    counted = assemblies_of(burr(table, **more))
    assert contracted(burr(table, **more)) == counted.all == len(all_assemblies(table, **more)) > 0


def test_every_number_is_another_assembly():
    one = burr(THREE)
    diagram = diagram_of(one, blocks_of(one))
    found = every(diagram)
    assert len(np.unique(found, axis=0)) == len(found) == diagram.total
    kept = kept_by(one, found)
    assert all(k in rod.kept for row in kept.tolist() for k, rod in zip(row, one.rods, strict=True))
    again = diagram.numbered(np.array([diagram.total - 1, 0]))
    assert (again == found[[-1, 0]]).all()
    # a larger sample begins with the smaller one
    assert (drawn(diagram, 50, seed=3)[:20] == drawn(diagram, 20, seed=3)).all()
    assert (drawn(diagram, 20, seed=3) != drawn(diagram, 20, seed=4)).any()
    # one representative of each class
    chosen = canonical(one, found)
    assert len(chosen) == assemblies_of(one).distinct
    for motion in one.motions:
        assert (canonical(one, moved(one, motion, found)) == chosen).all()


@pytest.mark.full
@each_of("table, more", [family for family in FAMILIES if family.values[1] in ({}, {"solid": True})])
def test_what_cannot_move_does_not_come_apart(table, more):
    """All assemblies are taken apart, including those that are not in ``movable``."""
    one = burr(table, **more)
    chosen = canonical(one, every(diagram_of(one, blocks_of(one))))
    built, rows = built_burr(one, kept_by(one, chosen))
    found = [answer.parting is not None for _, _, answer in answers(bodies_of(built), rows, 1, Limits())]
    can_move = {row.tobytes() for row in canonical(one, movable(one))}
    assert can_move <= {row.tobytes() for row in chosen}
    assert all(row.tobytes() in can_move for row, comes_apart in zip(chosen, found, strict=True) if comes_apart)
    assert 0 < sum(found) <= len(can_move)


@each_of("table, more", FAMILIES, fast=("cross, solid",))
def test_parts_list_each_class_once(table, more, monkeypatch):
    """Every class in the diagram of some move is listed once, for any number of parts."""
    monkeypatch.setattr(diagram_module, "ROOM", 5)
    one = burr(table, **more)
    expected = canonical(one, np.concatenate([every(diagram_of(one, lines_of(one, *way))) for way in ways_of(one)]))
    for size in (7, 1 << 19):
        monkeypatch.setattr(diagram_module, "PART", size)
        found = movable(one)
        assert len(found) == len(expected)
        assert (canonical(one, found) == expected).all()


@pytest.mark.full
def test_the_six_piece_burr():
    one = burr_of(design_given("six-piece-burrs"))
    assert [len(rod.kept) for rod in one.rods] == [2225] * 6
    assert (len(one.names), len(one.motions)) == (837, 24)
    assert {"1", "1024", "960", "992", "702", "883"} < set(one.names.values())
    assert len(burr_of(design_given("notchable-six-piece-burrs")).names) == 59
    counted = assemblies_of(one)
    assert (counted.all, sum(counted.fixed[1:]), counted.distinct) == (855_769_655_392, 1_494_248, 35_657_131_235)
    # Jerry McFarland's leaflet: 154 assemblies of Love's Dozen
    assert len(assemblies_with(one, ("88", "512", "704", "960", "992", "1008"))) == 154
    assert len(assemblies_with(one, ("88", "512", "768", "922", "1008", "1008"))) == 10  # the piston burr


@pytest.mark.full
@each_of("name, distinct", [("six-piece-burrs", 35_657_131_235), ("notchable-six-piece-burrs", 13_354_991)])
def test_all_six_piece_burrs_in_the_second_way(name, distinct):
    one = burr_of(design_given(name))
    fixed = [contracted(one), *(unchanged(one, motion) for motion in one.motions[1:])]
    assert divmod(sum(fixed), 24) == (distinct, 0)


@pytest.mark.full
def test_solid_six_piece_burrs_in_which_something_can_move():
    found = movable(burr_of(design_given("solid-six-piece-burrs")))
    assert len(found) == 157_122
    assert NOBODY not in found


@pytest.mark.slow
def test_shares_of_a_sample_hold_what_cutler_counted():
    """Bill Cutler found 5,951,254,866 assemblies from which a piece can be removed."""
    one = burr_of(design_given("six-piece-burrs"))
    chosen = drawn(diagram_of(one, blocks_of(one)), 1500, seed=1)
    built, rows = built_burr(one, kept_by(one, chosen))
    opens = sum(a.parting is not None or len(a.stuck) < 6 for _, _, a in answers(bodies_of(built), rows, 1, Limits()))
    share = 5_951_254_866 / 35_657_131_235
    assert abs(opens / len(chosen) - share) < 3 * sqrt(share * (1 - share) / len(chosen))


@pytest.mark.full
def test_mirror_images_of_pieces():
    one = burr_of(design_given("six-piece-burrs"))
    assert all(one.mirrored[image] == piece for piece, image in one.mirrored.items())
    assert one.mirrored["1"] == "1"
    found = every(diagram_of(one, blocks_of(one, one.motions[7])))[:500]
    pieces = pieces_of(one, kept_by(one, found))
    for motion in one.motions:
        images = pieces_of(one, kept_by(one, moved(one, motion, found)))
        expected = [sorted(one.mirrored[p] if motion.mirrors else p for p in each) for each in pieces]
        assert [sorted(each) for each in images] == expected
        assert [one.set_of(each) for each in images] == [one.set_of(each) for each in pieces]
    assert not burr(CROSS, mirrors=False).mirrored


@each_of(
    "rods, said",
    [
        ({"a": [[1, 1, 1], [2, 1, 1]], "b": [[1, 1, 1], [1, 1, 1]]}, "other rods could have each of its cubes"),
        ({"a": [[1, 1, 1], [2, 1, 1]], "b": [[3, 1, 1], [4, 1, 1]]}, "it shares 0 cubes"),
        ({"a": [[1, 1, 1], [5, 5, 5]], "b": [[1, 1, 2], [9, 9, 9]]}, "a rod may share from 1 to 16"),
    ],
)
def test_rods_that_make_no_burr(rods, said):
    with pytest.raises((PuzzleError, NotSupportedError), match=said):
        burr({"title": "x", "rods": rods})


def test_a_burr_without_assemblies():
    """Each rod is one cube thick and is cut through by the other."""
    one = burr({"title": "x", "rods": {"a": [[1, 2, 1], [3, 2, 1]], "b": [[2, 1, 1], [2, 3, 1]]}})
    assert assemblies_of(one).all == contracted(one) == 0
    assert len(movable(one)) == 0
    with pytest.raises(PuzzleError, match="no assembly"):
        drawn(diagram_of(one, blocks_of(one)), 1, seed=0)


def test_a_rod_that_never_moves_away():
    """Two solid rods share one cube: for a move of one against the other, the cube has no owner, and the diagram has no cube."""
    one = burr({"title": "x", "solid": True, "rods": {"a": [[2, 2, 2], [3, 2, 2]], "b": [[3, 2, 2], [5, 2, 2]]}})
    assert 0 in [diagram_of(one, lines_of(one, *way)).total for way in ways_of(one)]
    assert len(movable(one)) == 2


def test_too_many_assemblies(monkeypatch):
    """More assemblies than 64 bits can hold are refused."""
    one = burr(CROSS)
    total = assemblies_of(one).all
    monkeypatch.setattr(diagram_module, "MAX_ASSEMBLIES", float(total - 1))
    with pytest.raises(NotSupportedError, match=f"about {total:.3g} assemblies"):
        assemblies_of(one)


def test_wilsons_interval():
    low, high = between(50, 100)
    assert (round(low, 4), round(high, 4)) == (0.4038, 0.5962)
    assert between(0, 10)[0] == 0
    assert between(10, 10)[1] == 1
