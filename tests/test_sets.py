"""Sets of tiles: published figures, plain enumeration, and forms filled at the same time; and tiles that fill the same form."""

from collections import Counter
from dataclasses import replace
from itertools import combinations, product
from math import prod

import pytest
from hypothesis import assume, given, note

from brute_force import TooMuch
from compare import judged_and_built
from puzzlesat import count, load
from puzzlesat.base import ContradictionError, Limits, NotSupportedError, PuzzleError, padded_rows
from puzzlesat.designing import Candidate
from puzzlesat.designing import sets as counting
from puzzlesat.designing.common import Common, in_the_form, smallest_common
from puzzlesat.designing.sets import SetCount, SetsFound, build_form, count_sets, tile_images, together
from puzzlesat.designing.tile_set import Kit, load_kit
from puzzlesat.proofs.statement import solution_check
from puzzlesat.puzzles import FormTable, build_instance
from strategies import puzzles, to_toml
from tiers import every

LONG = 60.0
PUBLISHED = {
    "3x5": 7, "4x5": 50, "5x5": 107, "5x6": 541, "5x7": 1396, "5x8": 3408, "5x9": 5902, "5x10": 6951, "3x10": 145, "3x15": 201,
    "4x10": 2085, "5x12": 1010, "3x20": 2,
}  # fmt: skip
"""Rectangles filled with different pentominoes, up to symmetry. Source: a page "Pentominos" ("This site examines the four “classic”
rectangular pentomino puzzles … and a number of “degenerate” cases …")."""
WITH_I = [[0, 1], [4, 0, 1], [47, 8, 0, 1], [394, 94, 12, 0, 1], [2082, 1608, 282, 32, 0, 2]]
"""OEIS A247703: tilings of a 5 x n rectangle with pentominoes of any shape, by the number of I; n = 1 to 5."""
WITH_U = [[1], [5], [39, 16, 1], [369, 120, 12], [2908, 1000, 98]]
"""OEIS A247708: the same by the number of U."""
OF_F_U_N = [0, 0, 0, 2, 0, 0, 0, 4]
"""OEIS A234931: with F, U and N alone; n = 1 to 8."""


def rectangle(kit, name):
    width, height = map(int, name.split("x"))
    return build_form(kit, Candidate(name, FormTable(box=[width, height])), Limits())


def sets_of(kit, name, budget=0.0):
    return count_sets(rectangle(kit, name), Limits(), budget)


@pytest.mark.full
@every(("name", "distinct"), PUBLISHED.items(), fast=("3x5", "3x20"))
def test_rectangles_of_different_pentominoes(name, distinct):
    found = sets_of(Kit.of("pentominoes", some=True), name)
    assert found.distinct == distinct
    assert found.all == 4 * distinct if name != "5x5" else found.all == 8 * distinct
    assert all(sum(each.uses) == prod(map(int, name.split("x"))) // 5 and max(each.uses) == 1 for each in found.table)


@pytest.mark.full
def test_rectangles_of_any_pentominoes():
    kit = Kit.of("pentominoes", some=True).with_copies(None)
    names = [tile.name for tile in kit.tiles]
    for n in range(1, 6):
        found = sets_of(kit, f"{n}x5", budget=LONG)
        assert found.agree
        for letter, published in (("I", WITH_I), ("U", WITH_U)):
            number = Counter()
            for each in found.table:
                number[each.uses[names.index(letter)]] += each.all
            assert [number[k] for k in range(max(number) + 1)] == published[n - 1]
    for n, published in enumerate(OF_F_U_N, start=1):
        few = replace(kit, sample=replace(kit.sample, tiles=tuple(t for t in kit.tiles if t.name in "FUN")))
        assert sets_of(few, f"{n}x5").all == published


@given(table=puzzles(flat=False))
def test_random_puzzles_against_plain_enumeration(table):
    note(to_toml(table))
    try:
        check_sets(table)
    except TooMuch:
        assume(False)


def test_sets_that_a_mirror_exchanges():
    """A mirror exchanges S and Z: it is a symmetry of the sets with neither or both, but not of those with only one of them."""
    tiles = {"S": {"atoms": [[1, 1], [2, 1], [2, 2], [3, 2]]}, "Z": {"atoms": [[1, 2], [2, 2], [2, 1], [3, 1]]}}
    tiles = {name: tile | {"copies": [0, 1], "flips": False} for name, tile in tiles.items()} | {"O": {"atoms": [[1, 1]], "copies": "any"}}
    check_sets({"title": "t", "grid": "square", "flips": True, "tiles": tiles, "form": {"box": [4, 2]}})


def check_sets(table):
    judged, built = judged_and_built(table)
    piece = {name: i for i, p in enumerate(judged.pieces) for name in p.names}
    column = [piece[tile.name] for tile in built.puzzle.tiles]
    wanted = Counter()
    for solution in judged.solutions:
        used = Counter(number for number, _, _ in solution)
        wanted[tuple(used[i] for i in column)] += 1
    moved = tile_images(built.problem)
    for budget in (0.0, LONG):
        found = count_sets(built, Limits(), budget)
        if found.table is None:
            assert "not supported" in found.reason or "fills" in found.reason
            continue
        assert {each.uses: each.all for each in found.table} == wanted
        images = {each.uses: {tuple(each.uses[i] for i in row) for row in moved.tolist()} for each in found.table}
        if not built.puzzle.grid.of_balls:
            assert sum(each.distinct / len(images[each.uses]) for each in found.table) == pytest.approx(judged.distinct)


def test_a_wrong_tally_is_found(monkeypatch):
    own = counting.by_sums

    def wrong(problem, many, limits, progress):
        outcome, found = own(problem, many, limits, progress=progress)
        return outcome, found + Counter(list(found)[:1])

    monkeypatch.setattr(counting, "by_sums", wrong)
    with pytest.raises(ContradictionError, match=r"adds up to|lists"):
        sets_of(Kit.of("tetrominoes", some=True).with_copies(None), "3x4", budget=LONG)


@pytest.mark.full
def test_where_the_tally_refuses_a_listing_counts(monkeypatch):
    kit = Kit.of("tetrominoes", some=True).with_copies(None)
    expected = sets_of(kit, "3x4")

    def refuse(*_, **__):
        raise NotSupportedError("tally: too much")

    monkeypatch.setattr(counting, "by_sums", refuse)
    found = sets_of(kit, "3x4")
    assert (found.table, found.agree) == (expected.table, None)
    stopped = count_sets(rectangle(kit, "10x10"), Limits(seconds=0.01), LONG)
    assert stopped.table is None
    assert stopped.reason == "tally: too much; backtrack: limit reached"


def test_a_solution_of_each_set():
    built = rectangle(Kit.of("tetrominoes", some=True).with_copies(None), "4x4")
    for each in count_sets(built, Limits(), 0.0).table:
        row = SetsFound.solution(built, each, Limits())
        used = Counter(built.placements[o].tile for o in row)
        assert tuple(used[i] for i in range(5)) == each.uses
        assert solution_check(built)(padded_rows([row])) is None


@pytest.mark.full
def test_simultaneous_pentomino_rectangles():
    """All results of H. Picciotto, "Simultaneous Pentomino Rectangles" (M. Keller's 'zine, no. 9, December 1989; mathedpage.org)."""
    kit = Kit.of("pentominoes", some=True)
    names = ["1x5", "3x5", "2x10", "4x5", "5x5", "3x10", "5x6", "5x7", "4x10", "5x8", "3x15", "5x9", "5x10", "5x11"]
    area = {name: prod(map(int, name.split("x"))) for name in names}
    found = together(names, [sets_of(kit, name).table for name in names], [1] * 12, 2)
    pairs = {one.together: one.distinct for one in found if sum(area[name] for name in one.together) <= 60}
    assert all(one.distinct == 0 for one in found if sum(area[name] for name in one.together) > 60)
    del pairs["1x5", "1x5"]
    impossible = [pair for pair, ways in pairs.items() if not ways]
    assert (len(pairs), len(impossible)) == (46, 13)
    assert sum("2x10" in pair for pair in impossible) == 9
    assert [pair for pair in pairs if "2x10" in pair and pair not in impossible] == [("2x10", "3x10")]
    assert [pair for pair in impossible if "1x5" in pair] == [("1x5", "2x10")]
    assert {pair for pair, ways in pairs.items() if ways == 1} == {("5x5", "5x7"), ("3x5", "5x9"), ("2x10", "3x10")}
    assert max((p for p in pairs if "1x5" not in p), key=pairs.get) == ("4x5", "5x6")
    three = ["3x5", "4x5", "2x10"]
    assert not any(one.choices for one in together(three, [sets_of(kit, name).table for name in three], [1] * 12, 3))


@every("supply", [[1, 1], [2, 2], [3, None]])
def test_together_against_plain_enumeration(supply):
    """Ways to fill several forms are chosen one by one; exchanging equal forms with their contents gives the same way."""
    tables = [[SetCount((1, 0), 2, 2), SetCount((0, 1), 1, 1), SetCount((1, 1), 3, 3)], [SetCount((2, 0), 1, 1), SetCount((0, 1), 2, 2)]]
    ways = [[(n, i) for n, each in enumerate(table) for i in range(each.distinct)] for table in tables]
    for times in (1, 2, 3):
        for one in together([0, 1], tables, supply, times):
            seen = set()
            for chosen in product(*(ways[form] for form in one.together)):
                used = [sum(tables[f][n].uses[i] for f, (n, _) in zip(one.together, chosen, strict=True)) for i in range(2)]
                if all(have is None or number <= have for number, have in zip(used, supply, strict=True)):
                    seen.add(tuple(sorted(zip(one.together, chosen, strict=True))))
            assert one.distinct == len(seen)


@every(
    "rules", [{"colours": 2}, {"colours": 3}, {"no_crossroads": True, "colours": 3}, {"fault_free": True}, {"touch_border": ["I"]}], fast=1
)
def test_rules_on_solutions_hold_for_every_set(rules):
    names = ["F", "I", "L", "N", "P", "T", "U", "V", "W", "X", "Y", "Z"]
    table = {"title": "5x4", "model": "pentominoes", "form": {"box": [5, 4]}, "tiles": {name: {"copies": [0, 1]} for name in names}}
    instance = load(table, rules=rules)
    found = count_sets(build_instance(instance), Limits(), 0.0)
    expected = count(instance, solver="backtrack").counts
    assert (found.all, found.distinct) == (expected.all, expected.distinct)


# tiles that fill the same form ------------------------------------------------------------------------------------------------

TETROMINOES = {"I": "0000", "L": "000/0", "O": "00/00", "S": "00/.00", "T": "000/.0"}


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
        assert solution_check(built)(padded_rows([row])) is None


RULES = 'title = "x"\nmodel = "tetrominoes"\n[form]\nbox = [5, 4]\n[solutions]\nno_crossroads = true\n'


def test_kits_and_tiles_that_cannot_be_asked(tmp_path):
    (tmp_path / "rules.toml").write_text(RULES, encoding="utf-8")
    for kit, names, sentence in (
        ("tetrominoes", ("Q", "I"), "there is no tile 'Q'"),
        ("bits-and-bytes", ("11111111", "10101010"), "marks, colours or atoms beside its faces"),
        (str(tmp_path / "rules.toml"), ("I", "L"), "remove them"),
    ):
        with pytest.raises(PuzzleError, match=sentence):
            smallest_common(load_kit(kit, some=True), names, 8, Limits())
