"""Colouring arguments: found if they exist, never for solvable puzzles, and right when summed by hand."""

from itertools import product

import numpy as np
import pytest
from hypothesis import assume, event, given, note
from hypothesis import strategies as st

from brute_force import TooMuch, puzzleless_solutions
from helpers import load
from puzzlesat.base.errors import PuzzleError
from puzzlesat.proofs.linear import BIG_PRIME, Weighting, integer_vectors, is_one_step, separating, sums_of
from puzzlesat.proofs.weighting import explain, find_weighting
from puzzlesat.puzzles import Condition, atom_order, build_instance
from puzzlesat.puzzles.load import load_instance
from strategies import puzzles, to_toml
from tiers import every

BAR, ELL, TEE = [[1, 1], [2, 1], [3, 1], [4, 1]], [[1, 1], [2, 1], [3, 1], [1, 2]], [[1, 1], [2, 1], [3, 1], [2, 2]]


def puzzle_of(tiles, form, grid="square"):
    """Build a puzzle from tiles as lists of cells with their copies."""
    table = {name: {"atoms": atoms, "copies": copies} for name, (atoms, copies) in tiles.items()}
    return build_instance(load({"title": "own", "grid": grid, "flips": True, "turns": "all", "tiles": table, "form": form}))


def sums_by_hand(built, weighting, removed=()):
    """The definition, without the program's code: the form's total, the values of each tile, and every sum of the tiles.

    Sums are sets of Python integers; a tile without limit may be used as often as there are atoms.
    """
    atoms = sorted(built.puzzle.form.atoms, key=atom_order)
    weight = dict(zip(atoms, weighting.weights, strict=True))
    m = weighting.modulus
    assert all(weight[a] == 0 for a in built.puzzle.form.optional)

    def modulo(x):
        return x % m if m else x

    values = [set() for _ in built.puzzle.tiles]
    for o, p in enumerate(built.placements):
        if o not in removed:
            values[p.tile].add(modulo(sum(weight[a] for a in p.atoms)))
    sums = {0}
    for tile, own in zip(built.puzzle.tiles, values, strict=True):
        high = tile.high if tile.high is not None else max(tile.low, len(atoms))
        levels = [{0}]
        for _ in range(high):
            levels.append({modulo(s + v) for s in levels[-1] for v in own})
        choices = set().union(*levels[tile.low :])
        sums = {modulo(s + c) for s in sums for c in choices}
    return modulo(sum(weight[a] for a in built.puzzle.form.required)), values, sums


def assert_proves(built, weighting):
    """Assert that the weighting holds by hand and gives the program's figures."""
    total, values, sums = sums_by_hand(built, weighting)
    assert total not in sums
    found = sums_of(built.problem, weighting)
    assert found.impossible
    assert (found.total, [set(v) for v in found.values], set(found.reached)) == (total, values, sums)


IMPOSSIBLE = {
    (0, 2): "tetrominoes-4x5 tetrominoes-2x10 mutilated-chessboard mutilated-board-6x6 straight-tetrominoes-6x6 straight-tetrominoes-10x10 "
    "bee-tetrahexes-triangle-7 straight-tetrahexes-6x6 straight-tetracubes-3x6x6 tan-parallelograms-3x3",
    (2, 2): "strips-of-six-triangles-hexagon-2",
    (4, 4): "tan-triangles-3x3",
    (8, 2): "t-tetrominoes-10x10 l-tetrominoes-10x10 triangles-of-four-6x3 t-tetracubes-3x3x4",
}
"""Well-known forms by the modulus that counts, and the most weights that there are."""


@every(
    "name, modulus, most",
    [(name, *key) for key, names in IMPOSSIBLE.items() for name in names.split()],
    fast=("tetrominoes-4x5", "tan-triangles-3x3"),
)
def test_impossible_forms_have_a_colouring(name, modulus, most):
    built = build_instance(load_instance(name).puzzle)
    found = find_weighting(built)
    assert found.modulus == modulus
    assert len(set(found.weights)) <= most
    assert_proves(built, found)
    assert is_one_step(sums_of(built.problem, found), modulus)


def test_a_bound_that_only_a_linear_programme_finds():
    """Triangles of three hexagons cannot fill a triangle of 21: no tile covers more of certain places than its weight allows."""
    table = {"A": {"picture": ".⬢.\n⬢.⬢\n", "copies": "any"}}
    built = build_instance(
        load({"title": "own", "grid": "hexagon", "flips": True, "turns": "all", "tiles": table, "form": {"triangle": 6}})
    )
    found = find_weighting(built)
    assert "linear programming" in found.title
    assert_proves(built, found)


def test_a_gap_between_sums_is_more_than_one_step():
    """A bar of three in a row of five weighs 0, 3 or 5, but the row weighs 4: impossible, but not by a single division or bound."""
    built = puzzle_of({"I": ([[1, 1], [2, 1], [3, 1]], 1)}, {"box": [5, 1]})
    sums = sums_of(built.problem, Weighting("own", (-1, 0, 1, 2, 2), 0))
    assert sums.values == ((0, 3, 5),)
    assert sums.impossible
    assert not is_one_step(sums, 0)


@pytest.mark.full
@given(
    weights=st.lists(st.integers(-3, 3), min_size=5, max_size=5),
    modulus=st.integers(0, 8),
    copies=st.sampled_from([1, 2, "any", [1, 2], [0, 2]]),
    size=st.integers(1, 3),
)
def test_one_step_shows_what_is_out_of_reach(weights, modulus, copies, size):
    """For all weights, a division or a bound shows no more than the sums."""
    built = puzzle_of({"I": ([[x, 1] for x in range(1, size + 1)], copies)}, {"box": [5, 1]})
    sums = sums_of(built.problem, Weighting("own", tuple(weights), modulus))
    assert sums.impossible or not is_one_step(sums, modulus)


def test_weights_that_mean_nothing_are_refused():
    built = puzzle_of({"D": ([[1, 1], [2, 1]], "any")}, {"box": [2, 2], "optional": [[1, 1]]})
    for weights in [(1, 0, 0, 0), (0, 1, 1), (0, 1, 1, 1, 1)]:
        with pytest.raises(ValueError, match="one weight for each atom"):
            sums_of(built.problem, Weighting("own", weights, 0))
    assert sums_of(built.problem, Weighting("own", (0, 1, 1, 1), 0)).total == 3


def random_built(data):
    table = data.draw(puzzles(ruled=True))
    note(to_toml(table))
    try:
        return build_instance(load(table))
    except PuzzleError:
        assume(False)


@given(data=st.data())
def test_random_puzzles_with_a_weighting_have_no_solution(data):
    built = random_built(data)
    found = find_weighting(built, seconds=5.0)
    if found is not None:
        assert_proves(built, found)
        try:
            assert not puzzleless_solutions(built.problem)
        except TooMuch:
            assume(False)


PICTURES = {
    "square": ["██", "███", "█.\n██", "████", "█..\n███", "███\n.█.", ".██\n██.", "██\n██"],
    "triangle": ["▲▼", "▲▼▲", "▲▼▲▼", ".▲.\n▲▼▲", "▲▼▲▼▲▼"],
    "hexagon": ["⬢.⬢", "⬢.⬢.⬢", ".⬢.\n⬢.⬢", "⬢...\n.⬢.⬢", "⬢.⬢.\n.⬢.⬢"],
    "tans": ["◣", "◢◣", "◢◤", "▶◀", "██"],
    "cube": ["██", "███", "█.\n██", "██\n██"],
}
BOXES = {"square": [6, 5], "triangle": [4, 3], "hexagon": [5, 4], "tans": [3, 2], "cube": [3, 3, 2]}


@pytest.mark.full
@given(data=st.data())
def test_forms_that_colourings_rule_out_have_no_solution(data):
    """Forms with holes and one kind of tile that fits their area, perhaps with a second kind: many are impossible."""
    grid = data.draw(st.sampled_from(sorted(PICTURES)))
    box = [data.draw(st.integers(2, side)) for side in BOXES[grid]]
    pictures = data.draw(st.lists(st.sampled_from(PICTURES[grid]), min_size=1, max_size=2, unique=True))
    copies = ["any", data.draw(st.sampled_from([1, 2, [0, 2]]))]
    tiles = {f"t{i}": {"picture": f"{picture}\n", "copies": c} for i, (picture, c) in enumerate(zip(pictures, copies, strict=False))}
    cells = [list(c) for c in product(*(range(1, side + 1) for side in box))]
    gone = data.draw(st.lists(st.sampled_from(cells), max_size=3, unique_by=tuple))
    table = {"title": "own", "grid": grid, "flips": True, "turns": "all", "tiles": tiles, "form": {"box": box, "remove": gone}}
    note(to_toml(table))
    try:
        built = build_instance(load(table))
    except PuzzleError:
        assume(False)
    sizes = [len(t.atoms) for t in built.puzzle.tiles]
    assume((len(built.puzzle.form.atoms) - sum(t.low * n for t, n in zip(built.puzzle.tiles, sizes, strict=True))) % sizes[0] == 0)
    found = find_weighting(built, seconds=5.0)
    if found is None:
        return
    event(found.title.split(" ")[0])
    assert_proves(built, found)
    try:
        assert not puzzleless_solutions(built.problem)
    except TooMuch:
        event("too much to go through")


@given(data=st.data())
def test_of_removed_placements_nothing_is_asked(data):
    """If some placements are removed, many puzzles become impossible; then the remaining placements must have no solution."""
    built = random_built(data)
    share = data.draw(st.integers(1, 9))
    removed = np.array(
        [data.draw(st.integers(0, 9)) < share for _ in built.placements[:200]] + [False] * (len(built.placements) - 200), bool
    )
    found = find_weighting(built, removed=removed[: len(built.placements)], seconds=5.0)
    if found is not None:
        gone = set(np.flatnonzero(removed).tolist())
        total, values, sums = sums_by_hand(built, found, gone)
        assert total not in sums
        assert [set(v) for v in sums_of(built.problem, found, removed).values] == values
        try:
            assert not any(gone.isdisjoint(s) for s in puzzleless_solutions(built.problem))
        except TooMuch:
            assume(False)


@given(
    values=st.lists(st.lists(st.integers(-7, 7), max_size=4, unique=True).map(sorted).map(tuple), min_size=1, max_size=4),
    data=st.data(),
    modulus=st.integers(0, 9),
)
def test_reachable_sums_are_those_of_plain_sets(values, data, modulus):
    copies = tuple((low := data.draw(st.integers(0, 3)), low + data.draw(st.integers(0, 2))) for _ in values)
    values = tuple(tuple(sorted({v % modulus for v in own})) if modulus else own for own in values)
    sums = {0}
    for own, (low, high) in zip(values, copies, strict=True):
        choices = {sum(c) for n in range(low, high + 1) for c in product(own, repeat=n)}
        sums = {s + c for s in sums for c in choices}
    assert set(Condition.reachable(values, copies, modulus).tolist()) == ({s % modulus for s in sums} if modulus else sums)


small_tables = st.integers(1, 3).flatmap(
    lambda width: st.tuples(
        st.lists(st.lists(st.integers(-4, 4), min_size=width, max_size=width), max_size=5),
        st.lists(st.integers(-6, 6), min_size=width, max_size=width),
    )
)


@given(table=small_tables, prime_power=st.sampled_from([(2, 1), (2, 2), (2, 3), (3, 1), (3, 2), (5, 1), (7, 1)]))
def test_separating_vectors_are_all_that_there_are(table, prime_power):
    rows, target = np.array(table[0], dtype=np.int64).reshape(len(table[0]), len(table[1])), np.array(table[1], dtype=np.int64)
    modulus = prime_power[0] ** prime_power[1]
    kernel = {y for y in product(range(modulus), repeat=len(target)) if not (rows @ np.array(y) % modulus).any()}
    found = separating(rows, target, *prime_power, lambda: False)
    if found is None:
        assert not any(np.dot(y, target) % modulus for y in kernel)
        return
    spanned = {tuple(map(int, found @ np.array(c) % modulus)) for c in product(range(modulus), repeat=found.shape[1])}
    assert spanned == kernel
    assert any(np.dot(y, target) % modulus for y in kernel)


@given(table=small_tables)
def test_whole_vectors_tell_a_target_from_the_span(table):
    rows, target = np.array(table[0], dtype=np.int64).reshape(len(table[0]), len(table[1])), np.array(table[1], dtype=np.int64)
    rank = np.linalg.matrix_rank(rows) if rows.size else 0
    outside = np.linalg.matrix_rank(np.vstack([rows, target])) > rank
    generators = separating(rows, target, BIG_PRIME, 1, lambda: False)
    assert (generators is not None) == outside
    if generators is not None:
        found = integer_vectors(rows, target, generators)
        assert found
        assert all(not (rows @ y).any() and target @ y for y in found)


def test_explanation_of_the_five_tetrominoes():
    built = build_instance(load_instance("tetrominoes-4x5").puzzle)
    assert explain(built, find_weighting(built)) == [
        "Give the atoms the weights 0, 1 (chessboard).",
        "The form weighs 10 × 1 = 10.",
        "Each of the 4 tiles I, L, O, S weighs 2 wherever it lies.",
        "Tile T weighs 1 or 3 wherever it lies.",
        "Together the tiles weigh 9 or 11, never 10; so there is no solution.",
    ]


@pytest.mark.full
def test_explanation_with_a_modulus_and_without_limit():
    built = build_instance(load_instance("t-tetrominoes-10x10").puzzle)
    assert explain(built, find_weighting(built)) == [
        "Give the atoms the weights 1, 5, counted modulo 8 (chessboard).",
        "The form weighs 50 × 1 + 50 × 5 = 300, which is 4 modulo 8.",
        "Tile T (any number of copies) weighs 0 modulo 8 wherever it lies.",
        "Together the tiles weigh 0 modulo 8, never 4; so there is no solution.",
    ]


def test_explanation_does_not_claim_what_does_not_hold():
    built = build_instance(load_instance("pentominoes-6x10").puzzle)
    chess = Weighting("own", tuple((x + y) % 2 for y in range(6) for x in range(10)), 0)
    assert not sums_of(built.problem, chess).impossible
    assert "proves nothing" in explain(built, chess)[-1]
