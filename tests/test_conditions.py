"""The motions that keep the conditions of a puzzle, and the conditions that no motion keeps."""

import json
from itertools import product
from math import gcd
from random import Random

import numpy as np
import pytest
from typer.testing import CliRunner

import puzzlesat
from brute_force import judge
from compare import check_counts, check_small, judged_and_built
from helpers import load
from puzzlesat.base.limits import Limits
from puzzlesat.checker import TooLarge
from puzzlesat.checker import form_motions as checked
from puzzlesat.checker.form_motions import motions
from puzzlesat.cli.main import app
from puzzlesat.counting.plain_facts import facts, refusals
from puzzlesat.proofs.arguments import CONDITION, prove
from puzzlesat.proofs.case import make_case
from puzzlesat.puzzles import build_instance, reduce
from puzzlesat.puzzles.conditions import Coverage, Linear, Never, scaled
from random_puzzles import random_puzzle
from strategies import to_toml
from tiers import every

LEFT, RIGHT = [[1, 1], [1, 2]], [[4, 1], [4, 2]]
LOW, HIGH = [[1, 1], [2, 1]], [[3, 2], [4, 2]]
EVERY = [[x, y] for x in range(1, 5) for y in range(1, 3)]
BLACK_AND_WHITE = {"name": "chess", "along": [1, 1], "values": [1, -1], "equals": 0}
ALL, ONE, TURN, MIRROR = 4, 1, 2, 2


def dominoes(conditions, optional=(), **more):
    """Dominoes in a 4 x 2 rectangle. Two tiles differ in colour, so placements belong to several tiles."""
    tiles = {"D": {"atoms": [[1, 1], [2, 1]], "copies": "any"}, "M": {"atoms": [[1, 1]], "copies": [0, 4]}}
    form = {"box": [4, 2], "optional": list(map(list, optional))}
    return {"title": "d", "grid": "square", "flips": True, "turns": "all", "tiles": tiles, "form": form, "conditions": conditions} | more


DOMINO = {"D": {"atoms": [[1, 1], [2, 1]], "copies": "any"}}


def weigh(name, weights, **rule):
    return {"name": name, "atoms": [[*cell, w] for cell, w in weights]} | rule


def on(cells, weight=1):
    return [(cell, weight) for cell in cells]


def between(low, high):
    return {"between": [low, high]}


def modulo(of, is_):
    return {"modulo": {"of": of, "is": is_}}


FREE = EVERY
"""All atoms may stay uncovered: then coverage says nothing of them."""
CASES = {
    "black and white is kept with its sign changed": ([BLACK_AND_WHITE], FREE, ALL),
    "black and white that asks for more black": ([BLACK_AND_WHITE | {"equals": 1}], FREE, TURN),
    "every covering has as many black as white": ([BLACK_AND_WHITE], (), ALL),
    "two that a mirror exchanges": ([weigh("l", on(LEFT), **between(0, 1)), weigh("r", on(RIGHT), **between(0, 1))], FREE, ALL),
    "two with other bounds": ([weigh("l", on(LEFT), **between(0, 1)), weigh("r", on(RIGHT), **between(1, 2))], FREE, MIRROR),
    "one alone": ([weigh("l", on(LEFT), **between(0, 1))], FREE, MIRROR),
    "the other with its sign changed": ([weigh("l", on(LEFT), **between(0, 1)), weigh("r", on(RIGHT, -1), **between(-1, 0))], FREE, ALL),
    "the other twice": ([weigh("l", on(LEFT), **between(0, 1)), weigh("r", on(RIGHT, 2), **between(0, 2))], FREE, ALL),
    "the other twice, with slack": ([weigh("l", on(LEFT), **between(0, 1)), weigh("r", on(RIGHT, 2), **between(-1, 3))], FREE, ALL),
    "the other thrice, with slack": ([weigh("l", on(LEFT, 2), **between(1, 3)), weigh("r", on(RIGHT, -3), **between(-5, -1))], FREE, ALL),
    "the other with bounds beyond reach": ([weigh("l", on(LEFT), **between(1, 12)), weigh("r", on(RIGHT), **between(1, 90))], FREE, ALL),
    "always kept by reach": ([weigh("l", on(LEFT), **between(0, 12))], FREE, ALL),
    "always kept by reach where it is negative": ([weigh("l", on(LEFT, -1), **between(-12, 0))], FREE, ALL),
    "turned, not mirrored": ([weigh("l", on(LOW), **between(0, 1)), weigh("h", on(HIGH), **between(0, 1))], FREE, TURN),
    "a sum over atoms that must be covered": ([weigh("l", [*on(LEFT, 5), *on(HIGH, -3)], equals=4)], (), ALL),
    "the same and what is optional": ([weigh("l", [*on(LEFT, 5), *on([[4, 1]])], **between(10, 10))], [[4, 1], [1, 1]], ONE),
    "a multiple of how often a tile is used": ([{"name": "d", "tiles": {"D": 3, "M": 1}, **between(4, 8)}], (), ALL),
    "two modulo 2": ([weigh("l", on(LEFT), **modulo(2, 1)), weigh("r", on(RIGHT, 3), **modulo(2, 1))], FREE, ALL),
    "modulo 3 by a unit": ([weigh("l", on(LEFT), **modulo(3, 1)), weigh("r", on(RIGHT, 2), **modulo(3, 2))], FREE, ALL),
    "modulo 3 by a unit, another residue": ([weigh("l", on(LEFT), **modulo(3, 1)), weigh("r", on(RIGHT, 2), **modulo(3, 1))], FREE, MIRROR),
    "modulo 4 by a unit": ([weigh("l", on(LEFT), **modulo(4, 1)), weigh("r", on(RIGHT, 3), **modulo(4, 3))], FREE, ALL),
    "modulo 4, divided": ([weigh("l", on(LEFT), **modulo(2, 1)), weigh("r", on(RIGHT, 2), **modulo(4, 2))], FREE, ALL),
    "modulo 6 by other units for 2 and 3": ([weigh("l", on(LEFT), **modulo(6, 1)), weigh("r", on(RIGHT, 5), **modulo(6, 5))], FREE, ALL),
    "modulo 6 against modulo 3": ([weigh("l", on(LEFT), **modulo(6, 2)), weigh("r", on(RIGHT), **modulo(3, 2))], FREE, MIRROR),
    "modulo 2 a sign is no matter": ([BLACK_AND_WHITE | {"equals": None, **modulo(2, 1)}], FREE, ALL),
    "modulo 6 and what is covered": ([weigh("l", on(LEFT, 5), **modulo(6, 4))], (), ALL),
}


def table_of(conditions, optional):
    return dominoes([{k: v for k, v in c.items() if v is not None} for c in conditions], optional)


@every("case", CASES, fast=("the other with its sign changed", "black and white that asks for more black", "modulo 3 by a unit"))
def test_motions_that_keep_the_set_of_conditions_count(case):
    """The judge agrees: the symmetries used keep the conditions on every covering, and the others do not keep them by their form."""
    conditions, optional, symmetries = CASES[case]
    judged, built = judged_and_built(table_of(conditions, optional))
    assert len(built.problem.symmetries) == symmetries
    assert len(built.refused) == len(build_instance(load(table_of([], optional))).problem.symmetries) - symmetries
    assert judged.coverings
    assert not facts_that_exclude(built)
    reduced = reduce(built.problem)
    check_counts(judged, built, reduced.problem)


def facts_that_exclude(built):
    return [fact.text for fact in facts(built) if fact.impossible]


BALANCE = {"name": "balance", "along": [1, 0], "values": [-2, 2, 1, -1], "between": [-1, 1]}
WEIGHED = {
    "triangles of a cell that a shift tells apart": {
        "grid": "triangle", "tiles": {"D": {"atoms": [[1, 1, "up"], [1, 1, "down"]], "copies": "any"}},
        "form": {"box": [2, 2], "optional": "all"},
        "conditions": [{"name": "w", "along": [1, 2], "shift": {"down": 1}, "values": [0, 1, 3], "between": [6, 8]}],
    },
    "slots alone": {
        "grid": "square-slots",
        "tiles": {"N": {"around": "10000000", "copies": [0, 2]}, "M": {"around": "01000000", "copies": [0, 1]}},
        "form": {"box": [2, 1], "inner": {"slot": "optional"}, "outer": {"slot": "optional"}},
        "conditions": [{"name": "w", "kind": "slot", "along": [1, 0], "values": [0, 1], "equals": 1}],
    },
    "one on the left is one on the right, where four are covered and two lie between": dominoes(
        [weigh("left", on(LEFT), equals=1)], tiles={"D": {"atoms": [[1, 1], [2, 1]], "copies": 2}},
        form={"box": [3, 2], "optional": [[1, 1], [1, 2], [3, 1], [3, 2]]},
    ),
    "more on the left, or more on the right": dominoes([BALANCE], FREE, tiles=DOMINO),
}  # fmt: skip


@every("case", WEIGHED)
def test_small_puzzles_have_the_counts_of_the_judge(case):
    table = {"title": "w", "flips": True} | WEIGHED[case]
    assert 0 < check_small(table).all < judge(table | {"conditions": []}).all


def test_chess_parity_leaves_out_what_may_stay_empty():
    form = {"box": [3, 3], "optional": [[1, 1], [1, 3], [2, 1]]}  # all three stay empty, or one corner
    assert check_small(dominoes([], tiles=DOMINO, form=form)).all == 9


@every(("lists", "symmetries"), [
    ([["D.1@1.1"], ["D.1@3.1"], ["D.1@1.2"], ["D.1@3.2"]], ALL),
    ([["D.1@1.1", "D.1@3.1", "D.1@1.2", "D.1@3.2"]], ALL),
    ([["D.1@1.1"], ["D.1@3.2"]], TURN),
    ([["D.1@1.1"]], ONE),
], fast=2)  # fmt: skip
def test_one_of_is_a_condition(lists, symmetries):
    table = dominoes([], FREE, solutions={"one_of": lists})
    built = build_instance(load(table))
    assert len(built.problem.symmetries) == symmetries
    judged_and_built(table)


NEVER = {
    "out of reach": ([weigh("far", on(LEFT), **between(13, 20))], FREE, "adds up to 0 to 12"),
    "below reach": ([weigh("far", on(LEFT, -1), equals=-13)], FREE, "adds up to -12 to 0"),
    "no multiple": ([weigh("far", on(LEFT, 2), equals=3)], FREE, "leaves 0 modulo 2"),
    "not by what is covered": ([BLACK_AND_WHITE | {"name": "far", "equals": 2}], (), "adds up to 0"),
    "a residue": ([weigh("far", on(EVERY, 3), **modulo(6, 1))], FREE, "leaves 0 modulo 3"),
    "a residue of what is covered": ([weigh("far", [*on(LEFT), *on(RIGHT, 2)], **modulo(4, 1))], (), "leaves 2 modulo"),
    "how often tiles are used": ([{"name": "far", "tiles": {"D": 2, "M": 1}, "equals": 9}], (), "adds up to 8"),
}


@every("case", NEVER, fast=2)
def test_a_condition_that_nothing_keeps_is_named(case):
    conditions, optional, said = NEVER[case]
    judged, built = judged_and_built(table_of([*conditions, weigh("l", on([[1, 1]]), **between(0, 0 if optional else 1))], optional))
    assert (judged.all, len(built.problem.symmetries)) == (0, ALL)
    (fact,) = facts_that_exclude(built)
    assert fact.startswith("far: the condition asks for")
    assert said in fact
    finding = prove(make_case(built), Limits())
    assert (finding.argument, finding.sentences) == (CONDITION, (fact,))


def test_what_is_not_counted_for_a_condition_is_said(tmp_path):
    path = tmp_path / "d.toml"
    path.write_text(to_toml(dominoes([weigh("l", on(LEFT), **between(0, 1))], FREE)), encoding="utf-8")
    shown, told = (CliRunner().invoke(app, ["count", str(path), "--solver", "backtrack", *more]) for more in (["--json"], []))
    assert (shown.exit_code, told.exit_code) == (0, 0)
    sentence = "turn 180, mirror 90 are not counted as symmetries: they change the condition l"
    (refused,) = json.loads(shown.stdout)["refused_symmetries"]
    assert refused == {"symmetries": ["turn 180", "mirror 90"], "condition": "l", "sentence": sentence}
    assert sentence in " ".join(told.stdout.split())


def test_a_rule_on_placements_names_itself_where_it_keeps_symmetries_from_being_counted():
    (refusal,) = refusals(build_instance(puzzlesat.load("dominoes-4x4", rules={"one_of": [["D.1@1.1", "D.2@3.3"]]})))
    assert refusal.sentence.endswith("are not counted as symmetries: they change the rule --one-of D.1@1.1,D.2@3.3")


# ---------------------------------------------------------------- the form itself, compared with exhaustive trial


def random_coverage(random, rows, placements):
    """Rows as a table, and in the program's format."""
    table = [[random.choice([0, 0, 1]) for _ in range(placements)] for _ in range(rows)]
    width = max(sum(row[p] for row in table) for p in range(placements)) + 1
    padded = [[r for r in range(rows) if table[r][p]] for p in range(placements)]
    amounts = [random.randint(0, 2) for _ in range(rows)]
    return table, amounts, Coverage(np.array([some + [rows] * (width - len(some)) for some in padded], dtype=np.int32), tuple(amounts))


@pytest.mark.full
@every("q", [2, 3, 4, 8, 9, 5], fast=2)
def test_residues_have_one_form_exactly_where_a_unit_and_rows_make_one_of_the_other(q):
    random = Random(q)
    same = 0
    for _ in range(150):
        rows, placements = random.randint(0, 3), random.randint(1, 4)
        table, amounts, coverage = random_coverage(random, rows, placements)
        span = {
            tuple(sum(t * row[p] for t, row in zip(times, [[*r, a] for r, a in zip(table, amounts, strict=True)], strict=True)) % q
                  for p in range(placements + 1))
            for times in product(range(q), repeat=rows)
        }  # fmt: skip
        if any(x[-1] for x in span if not any(x[:-1])):
            assert coverage.modulo(q).contradictory
            continue
        assert not coverage.modulo(q).contradictory
        one = [random.randrange(q) for _ in range(placements + 1)]
        other = [random.randrange(q) for _ in range(placements + 1)]
        if random.random() < 0.7:
            unit, row = random.choice([u for u in range(1, q) if gcd(u, q) == 1]), random.choice(sorted(span))
            other = [(unit * x + y) % q for x, y in zip(one, row, strict=True)]
        forms = [scaled(Linear("c", np.array(w[:-1]), modulus=q, residue=w[-1]), np.array(w[:-1]), coverage) for w in (one, other)]
        units = [u for u in range(1, q) if gcd(u, q) == 1]
        alike = any(tuple((u * x - y) % q for x, y in zip(one, other, strict=True)) in span for u in units)
        if any(form is None or isinstance(form, Never) for form in forms):
            assert [tuple(w) in span for w in (one, other)] == [form is None for form in forms]
        else:
            assert (forms[0] == forms[1]) == alike
            same += alike
    assert same > 20


def test_numbers_of_any_size_are_exact():
    """A row of coverage that makes numbers grow: they no longer fit into 64 bits, but the result is the same."""
    random = Random(2)
    _, _, coverage = random_coverage(random, 14, 40)
    weights = np.array([random.randint(-(10**9), 10**9) for _ in range(40)])
    rest, _, _ = coverage.modulo(0).rest(weights)
    times = [random.randint(-(10**8), 10**8) for _ in range(14)]
    moved = weights + coverage.on(slice(None), np.array(times))
    one = scaled(Linear("c", weights, -5, 5), weights, coverage)
    total = coverage.total(np.array(times))
    assert scaled(Linear("c", moved, total - 5, total + 5), moved, coverage) == one
    assert any(map(int, rest.tolist()))


@every("seed", range(120), fast=2)
def test_every_motion_keeps_the_conditions_of_random_puzzles(seed):
    """The judge enumerates all coverings without the rules; ``judged_and_built`` checks each motion on each of them."""
    judged_and_built(random_puzzle(Random(f"conditions {seed}"), "square" if seed % 2 else None, want=("condition: atoms",)))


def test_where_a_tile_must_be_used_too_often_every_motion_keeps_the_conditions():
    """There is no covering, so no motion can break anything. The checker once said so, while the program refused three motions of four."""
    tiles = {"D": {"atoms": [[1, 1], [2, 1]], "copies": [3, 4]}}
    form = {"box": [2, 2], "optional": "all"}
    table = {"title": "starved", "grid": "square", "flips": True, "tiles": tiles, "form": form}
    built = build_instance(load(table | {"conditions": [{"name": "c", "atoms": [[1, 1, 1]], "equals": 1}]}))
    assert (len(built.problem.symmetries), built.refused) == (8, ())


def many_conditions(number):
    """Dominoes and a square with weights that no motion keeps, as the checker reads them; the form has 8 turns and mirrors."""
    cells = [[x + 1, y + 1] for x in range(3) for y in range(3)]
    rules = [{"name": f"c{i}", "atoms": [[*c, 2 * i + k] for k, c in enumerate(cells)], "between": [9, 40]} for i in range(number)]
    tiles = {"D": {"picture": "##", "copies": "any"}, "M": {"picture": "#"}}
    table = {"title": "T", "grid": "square", "flips": True, "tiles": tiles, "form": {"box": [3, 3], "optional": cells}}
    case = make_case(build_instance(load(table | {"conditions": rules})))
    return case.puzzle, case.placements


def test_the_checker_bounds_conditions_times_placements_times_motions(monkeypatch):
    """A file of 128 KB with 4,000 conditions once took minutes."""
    puzzle, placements = many_conditions(3)
    moved = 3 * len(placements) * 8
    assert sum(bool(motion.kept) for motion in motions(puzzle, placements)) == 1
    monkeypatch.setattr(checked, "MAX_WORK", moved)
    with pytest.raises(TooLarge, match="its conditions are too many"):  # the normal forms for comparison are counted on top
        assert [motion.kept for motion in motions(puzzle, placements)]
    monkeypatch.setattr(checked, "MAX_WORK", moved - 1)
    with pytest.raises(TooLarge, match="its conditions are too many"):
        checked.CheckedConditions(puzzle, placements)
