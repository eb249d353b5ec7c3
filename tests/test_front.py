"""Placements, symmetries, the cover problem and its reduction, computed with arrays, against plain loops; and their size limits."""

from dataclasses import replace
from itertools import permutations, product
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers import load
from plain_front import plain_exclusions, plain_placements, plain_reduction, plain_symmetries
from puzzlesat.base.errors import PuzzleError
from puzzlesat.base.progress import Progress
from puzzlesat.puzzles import placements as laying
from puzzlesat.puzzles import reductions, symmetry, wrap
from puzzlesat.puzzles.building import build_instance
from puzzlesat.puzzles.load import load_puzzle
from puzzlesat.puzzles.placements import Lists, all_placements
from puzzlesat.puzzles.puzzle import SolutionRules
from puzzlesat.puzzles.reductions import exclusions, reduce, remove_dead
from puzzlesat.puzzles.symmetry import form_symmetries
from random_puzzles import FEATURES, SEAMS, random_puzzle
from strategies import GRIDS, cover_problems, large_puzzle, problem_of, puzzles, to_toml
from tiers import every, in_parts, tries


def check_front(puzzle):
    """Arrays and loops give the same results in the same order; rules on solutions come later, and conditions have a separate judge."""
    puzzle = replace(puzzle, solutions=SolutionRules(), rules=())
    placements, plain = all_placements(puzzle), plain_placements(puzzle)
    assert list(placements) == plain
    assert [placements[i] for i in range(-len(plain), 0)] == plain
    assert list(placements.names) == [p.name for p in plain] == [placements.names[i] for i in range(len(plain))]
    names, images, _ = form_symmetries(puzzle, placements)
    assert len(names) == len(images) == len(set(names))
    assert images[0].tolist() == list(range(len(plain)))
    assert set(map(tuple, images.tolist())) == plain_symmetries(puzzle, plain)
    return placements


def check_problem(problem):
    """Check which options exclude each other, and which remain after the reduction."""
    exclude, plain = exclusions(problem), plain_exclusions(problem)
    rows = [np.unpackbits(exclude.of(o), count=problem.size, bitorder="little").astype(bool) for o in range(problem.size)]
    assert np.array_equal(np.array(rows, dtype=bool).reshape(plain.shape), plain)
    if len(problem.tiles):
        assert [o.tolist() for o in problem.options_of_tiles] == [problem.options_of[t].tolist() for t in problem.tiles]
    left = remove_dead(problem)
    origin = np.arange(problem.size) if left.origin is None else left.origin
    assert origin.tolist() == np.flatnonzero(plain_reduction(problem)).tolist()


def check_table(table, fixed=None):
    """A random puzzle, perhaps with one placement fixed."""
    print(to_toml(table))  # shown where it fails
    puzzle = load(table).puzzle
    names = list(build_instance(puzzle).placements.names)
    if fixed is not None and names:
        puzzle = replace(puzzle, fixed=(names[fixed % len(names)],))
    check_front(puzzle)
    check_problem(build_instance(puzzle).problem)


def test_a_placement_is_named_by_its_lowest_square_and_the_leftmost_of_these():
    tile = {"J": {"atoms": [[1, 1], [2, 1], [3, 1], [1, 2]]}}
    puzzle = load({"title": "J", "grid": "square", "flips": False, "tiles": tile, "form": {"box": [3, 2]}}).puzzle
    assert list(all_placements(puzzle).names) == ["J.1@1.1", "J.3@3.1"]


fixed_numbers = st.one_of(st.none(), st.none(), st.integers(0, 1000))


@in_parts("grid", GRIDS, 3)
@given(data=st.data(), fixed=fixed_numbers)
def test_arrays_say_what_loops_say(grid, data, fixed):
    check_table(data.draw(puzzles(grid, flat=False, ruled=True)), fixed)


@in_parts("feature", FEATURES, 5, fast=3)
def test_arrays_say_what_loops_say_of_each_feature(feature):
    random = Random(feature)
    for _ in range(tries(5)):
        check_table(random_puzzle(random, want=(feature,)), random.choice([None, 5]))


@pytest.mark.full
@every("part", range(8), fast=1)
def test_arrays_say_what_loops_say_where_numbers_grow(part, monkeypatch):
    """Small blocks of placements, no table of places, looks with several codes, no matrix of options, and no first witnesses."""
    monkeypatch.setattr(laying, "MAX_TOGETHER", 5)
    monkeypatch.setattr(wrap, "MAX_IN_A_BOX", -(10**12))
    monkeypatch.setattr(laying, "LARGEST_CODE", 300)
    monkeypatch.setattr(symmetry, "MAX_MOVED", 3)
    monkeypatch.setattr(reductions, "MAX_IN_A_MATRIX", 0)
    monkeypatch.setattr(reductions, "FIRST_WITNESSES", part % 3)
    random = Random(part)
    for _ in range(tries(10)):
        check_table(random_puzzle(random))


@given(problem=cover_problems(coloured_needs=True), small=st.booleans(), witnesses=st.integers(0, 3))
def test_cover_problems_are_reduced_as_loops_reduce_them(problem, small, witnesses):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reductions, "MAX_IN_A_MATRIX", 100 if small else 0)
        patch.setattr(reductions, "FIRST_WITNESSES", witnesses)
        check_problem(problem)


@every("colour", [[0, 0, 0, 0], [0, 1, 0, 2], [0, 1, 0, 1], [0, 0, 0, 1]])
def test_an_option_without_items_excludes_nothing_and_one_without_colour_every_other(colour):
    problem = problem_of([[], [0], [], [1], [0, 1], []], [1, 1], coloured=[1] if any(colour) else [], colours=[colour])
    check_problem(problem)
    check_problem(replace(problem, coloured=np.array([False, True])))


def test_sums_are_made_list_by_list(monkeypatch):
    monkeypatch.setattr(laying, "MAX_ADDED", 2)
    lengths = [0, 3, 1, 0, 0, 2, 4]
    lists = Lists(np.concatenate([[0], np.cumsum(lengths)]), np.arange(10, dtype=np.int32)[::-1])
    weights = 3 ** np.arange(10)
    assert lists.sums(weights).tolist() == [int(weights[lists[i]].sum()) for i in range(len(lengths))]
    assert Lists(np.zeros(1, dtype=np.int64), np.empty(0, dtype=np.int32)).sums(weights).tolist() == []


@pytest.mark.full
@every("part", range(4))
@every("most", [0, 2500])
def test_large_puzzles_are_reduced_as_loops_reduce_them(part, most, monkeypatch):
    monkeypatch.setattr(reductions, "MAX_IN_A_MATRIX", most)
    random = Random(part)
    for _ in range(tries(6)):
        puzzle = load(large_puzzle(random)).puzzle
        placements = all_placements(puzzle)
        if len(placements) < 400:
            assert list(placements) == plain_placements(puzzle)
            check_problem(build_instance(puzzle).problem)


@pytest.mark.full
@every("seam", SEAMS)
def test_arrays_say_what_loops_say_of_marks_across_each_seam(seam):
    random = Random(seam)
    for _ in range(tries(40)):
        check_table(random_puzzle(random, want=(seam, "marks")))


@every(("copies", "symmetries"), [(1, 8), (2, 4)])
def test_a_mirror_exchanges_twins_only_where_there_are_as_many_of_them(copies, symmetries):
    tiles = {"L": {"atoms": [[1, 1], [1, 2], [1, 3], [2, 1]]}, "J": {"atoms": [[2, 1], [2, 2], [2, 3], [1, 1]], "copies": copies}}
    table = {"title": "twins", "grid": "square", "flips": False, "mirrored": "same", "tiles": tiles, "form": {"box": [4, 4]}}
    puzzle = load(table).puzzle
    assert len(form_symmetries(puzzle, check_front(puzzle))[0]) == symmetries


def test_a_tile_that_goes_straight_over_a_removed_crossing_has_no_place():
    table = {"title": "ring", "grid": "square-edges", "flips": True, "tiles": {"I": {"atoms": [[1, 1, "e"], [2, 1, "e"]], "copies": "any"}}}
    form = {"box": [3, 3], "wrap": [{"move": [3, 0]}, {"move": [0, 3]}]}
    for removed, places in (([], 18), ([[2, 2, "x"]], 16)):
        puzzle = load(table | {"form": form | {"remove": removed}}).puzzle
        assert len(check_front(puzzle)) == places


@pytest.mark.full
def test_symmetries_exchange_many_tiles_at_once(tmp_path):
    """Thirty marked cubes, all different: a mirror pairs them without trying all pairings."""
    cubes, grid = marked_cubes()
    (tmp_path / "cube-faces.toml").write_text(to_toml(grid), encoding="utf-8")
    path = tmp_path / "box.toml"
    path.write_text(to_toml(cubes | {"form": {"box": [3, 2, 5]}, "mirrored": "same"}), encoding="utf-8")
    puzzle = load_puzzle(path)
    assert len(puzzle.tiles) == 30
    placements = all_placements(puzzle)
    names, images, _ = form_symmetries(puzzle, placements)
    assert (len(placements), len(names)) == (30 * 24 * 30, 8)
    moved = placements.tile[images]
    paired = [len({(a, b) for a, b in zip(placements.tile.tolist(), row.tolist(), strict=True)}) for row in moved]
    assert paired == [30] * 8
    mirrors = [bool((row != placements.tile).all()) for row in moved]
    assert mirrors == [False] * 4 + [True] * 4


def marked_cubes():
    """MacMahon's cubes of six colours: each way to colour the faces, up to turns; and their grid."""
    axes = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    corners = [list(c) for c in product("01", repeat=3)]
    turns = [(0, 1, 4, 5, 3, 2), (3, 2, 0, 1, 4, 5)]  # about x and about z, for the faces x-, x+, y-, y+, z-, z+
    group = {tuple(range(6))}
    while len(group) < len(more := group | {tuple(g[i] for i in turn) for g in group for turn in turns}):
        group = more
    kinds = {min("".join(c[i] for i in g) for g in group) for c in permutations("ABCDEF")}
    sides = [[*(1 + side * step for step in axis), "xyz"[i]] for i, axis in enumerate(axes) for side in (0, 1)]
    marks = {kind: [{"at": at, "on": [1, 1, 1], "mark": c} for at, c in zip(sides, kind, strict=True)] for kind in sorted(kinds)}
    atoms = [{"name": "f", "kind": "cube", "vertices": corners}]
    atoms += [
        {"name": name, "kind": "face", "role": "mark", "vertices": [c for c in corners if c[i] == "0"]} for i, name in enumerate("xyz")
    ]
    picture = {"steps": axes, "sites": [{"at": [0, 0, 0], "glyphs": {"█": ["f"]}, "optional": {"░": ["f"]}}]}
    tiles = {kind: {"atoms": [[1, 1, 1]], "marks": own} for kind, own in marks.items()}
    grid = {"title": "cubes with a mark on each face", "gram": axes, "symmetries": 48, "atoms": atoms, "picture": picture}
    return {"title": "cubes", "grid": "cube-faces", "flips": False, "marks": {c: {"kind": "self"} for c in "ABCDEF"}, "tiles": tiles}, grid


@pytest.mark.full
def test_what_needs_too_much_memory_is_refused_with_the_figure():
    puzzle = load_puzzle("bedlam")
    with pytest.raises(PuzzleError, match=r"its 4,188 placements need 0\.0\d+ GiB of memory, more than the 9\.31e-07 that may"):
        build_instance(puzzle, memory=1000)
    with pytest.raises(PuzzleError, match=r"its 24 symmetries of 4,188 placements need"):
        form_symmetries(puzzle, all_placements(puzzle), memory=100_000)


class Enough(Exception):
    """Raised by a listener."""


@every("what", ["placements", "symmetries of the form", "symmetries", "reduction"], fast=1)
def test_every_stage_tells_how_far_it_is_and_ends_when_the_listener_raises(what):
    told = []

    def listen(name, counters):
        told.append((name, dict(counters)))
        if name == what and len(told) > 3:
            raise Enough

    puzzle = load_puzzle("octogram")
    with pytest.raises(Enough):
        reduce(build_instance(puzzle, progress=Progress(listen)).problem, progress=Progress(listen))
    assert told[-1][0] == what
    assert all(isinstance(value, int) for _, counters in told for value in counters.values())


@pytest.mark.full
def test_what_is_too_large_is_not_reduced_and_that_is_said(monkeypatch):
    problem = build_instance(load_puzzle("tritetratan")).problem
    found = reduce(problem, break_on="K")
    assert (found.placements, found.after_symmetry, found.after_reduction) == (1421, 1331, 1140)
    assert found.words == "1,421; after symmetry breaking (tile K): 1,331; after reduction: 1,140"
    monkeypatch.setattr(reductions, "MAX_MASKS", 1000)
    found = reduce(problem, break_on="K")
    assert (found.problem.size, found.after_reduction) == (1331, None)
    assert found.words.endswith("1,331; not reduced, because it would take too long")
