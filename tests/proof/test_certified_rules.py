"""Rules on solutions in certificates: counts equal the judge's, and a missing or changed rule is refused, for every kind of certificate."""

import json
from itertools import product
from random import Random
from zipfile import ZipFile

import numpy as np
import pytest

from brute_force import TooMuch, judge
from compare import check_certificate_of, check_counts, judged_and_built
from helpers import load
from puzzlesat.base import SILENT, Clock, Limits, NotSupportedError
from puzzlesat.checker import Rejected, check_certificate
from puzzlesat.checker.problem import make_problem
from puzzlesat.checker.puzzle import all_placements, read_puzzle
from puzzlesat.proofs import Proof, SearchStoppedError, certify, make_case
from puzzlesat.proofs import certificates as certifying
from puzzlesat.proofs.plain_text import not_checked, puzzle_text
from puzzlesat.proofs.statement import check_states, state_puzzle
from puzzlesat.proofs.verified import differences
from puzzlesat.puzzles.building import build_instance
from solution_judge import PLACE_RULES
from tiers import every

D, S = {"atoms": [[1, 1], [2, 1]], "copies": "any"}, {"atoms": [[1, 1]], "copies": "any"}
L, J = {"atoms": [[1, 1], [2, 1], [1, 2]], "copies": [0, 2]}, {"atoms": [[1, 1], [2, 1], [3, 1], [1, 2]], "copies": [0, 2]}
LATE = {
    **{key.replace("_", " "): {key: True} for key in PLACE_RULES},
    "apart": {"apart": [["S"]]},
    "colours": {"apart": [["S"]], "colours": 3, "strictly": True},
    "symmetric": {"symmetric": "mirror 90"},
    "symmetric outline": {"symmetric_outline": [{"tiles": ["S"], "under": ["turn 180"]}]},
    "one of": {"one_of": [["D.1@1.1", "S.1@2.2"], ["D.1@1.3"]]},
}
"""Rules that are tested on whole solutions, by their kind in a certificate."""
ALONE = {
    "touch border": {"touch_border": ["S"]},
    "inside": {"inside": ["S"]},
    "holds": {"holds": [{"tiles": ["D"], "atoms": [[1, 1], [2, 2], [3, 3]], "between": [1, 2]}]},
    "forbidden": {"forbidden": ["D.1@1.1", "S.1@2.2"]},
}
"""Rules that exclude single placements."""
RULES = LATE | ALONE


def tiling(rules, box=(3, 3), **more):
    """Dominoes and squares in a rectangle."""
    form = {"box": list(box)}
    return {"title": "T", "grid": "square", "flips": True, "tiles": {"D": D, "S": S}, "form": form, "mirrored": "same"} | more | {
        "solutions": rules
    }  # fmt: skip


def certified(table, path, kind="tree"):
    certify(make_case(build_instance(load(table))), path, kind, Limits())
    return path


@every(("stop", "looked_at"), [(True, 1), (False, None)])
def test_a_limit_is_heard_while_rules_are_looked_at(monkeypatch, stop, looked_at):
    """Thousands of solutions with many rules were once checked before the first look at the clock."""
    case = make_case(build_instance(load(tiling({"one_of": [["S.1@1.1"], ["S.1@3.3"]]}))))
    every_one, _ = case_rows(case, Limits())
    limits = Limits()
    if stop:
        limits.stop.set()
    monkeypatch.setattr(certifying, "RULED_AT_ONCE", 1)
    rows, status = case_rows(case, limits)
    assert status == ("interrupted" if stop else "complete")
    assert rows == (every_one if looked_at is None else [row for row in every_one if row in rows])
    assert len(every_one) > 1
    assert len(rows) <= (looked_at or len(every_one))


def case_rows(case, limits):
    possible = np.ones(case.problem.options, dtype=np.bool_)
    searched, rows = certifying.solutions_by_search(case, possible, lambda records: None, limits, SILENT)
    return rows.tolist(), searched.status


def changed(path, change):
    """A certificate with a changed statement of the puzzle."""
    with ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    said = json.loads(members["certificate.json"])
    change(said["puzzle"])
    members["certificate.json"] = json.dumps(said).encode()
    with ZipFile(other := path.with_name("changed.proof"), "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return other


OTHER = {
    **{key.replace("_", " "): [{"tiles": []}, {"kind": "symmetric"}] for key in PLACE_RULES},
    "no crossroads": [{"kind": "fault free"}, {"kind": "apart"}, {"tiles": ["D"]}, {"colours": 2}, {"corners": True}],
    "apart": [{"tiles": ["D", "S"]}, {"tiles": []}, {"tiles": ["Q"]}, {"kind": "inside"}, {"colours": 3}],
    "colours": [{"colours": 2}, {"colours": 0}, {"colours": 13}, {"tiles": ["D"]}, {"kind": "few colours"}, {"colours": True}],
    "symmetric": [{"symmetries": []}, {"symmetries": [8]}, {"symmetries": [0]}, {"symmetries": [1, 1]}, {"kind": "apart"}],
    "symmetric outline": [{"symmetries": []}, {"symmetries": list(range(8))}, {"tiles": []}, {"tiles": ["Q"]}],
    "one of": [{"placements": []}, {"placements": [{"tile": 1, "atoms": [[9, 9, 0]], "marks": []}]}, {"kind": "holds"}],
    "touch border": [{"kind": "inside"}, {"tiles": ["D", "S", "S"]}, {"tiles": []}, {"symmetries": [0]}],
    "inside": [{"kind": "touch border"}, {"tiles": []}, {"tiles": ["S", "D"]}],
    "holds": [{"low": 3}, {"low": 0}, {"atoms": []}, {"atoms": [[1, 1, 0]]}, {"atoms": [[9, 9, 0]]}, {"tiles": []}],
    "forbidden": [{"placements": []}, {"placements": [{"tile": 0, "atoms": [[1, 1, 0]], "marks": []}]}, {"kind": "one of"}],
}  # fmt: skip
"""A changed statement of a rule of each kind: it has other solutions, or is not a valid rule."""


@every("kind", RULES, fast=("inside",))
def test_a_certificate_counts_as_the_judge_does(kind, tmp_path):
    """It is refused without the rule (there are more solutions than listed), with another rule, and with a rule that was not meant."""
    table = tiling(RULES[kind])
    judged, plain = judge(table), judge(tiling({}))
    path = certified(table, tmp_path / "some.proof")
    counts = check_certificate(path).counts
    assert (counts.all, counts.distinct) == (judged.all, judged.distinct)
    assert 0 < judged.all < plain.all
    stated = json.loads(ZipFile(path).read("certificate.json"))["puzzle"]["rules"]
    assert kind in {rule["kind"] for rule in stated}
    assert "instance: the puzzle is that of" in check_states(path, load(table), "it")
    left = [rule for rule in stated if rule["kind"] != kind]
    for rules in (left, *([*left, next(r for r in stated if r["kind"] == kind) | change] for change in OTHER[kind])):
        other = changed(path, lambda puzzle, rules=rules: puzzle.update(rules=rules))
        with pytest.raises(Rejected):
            check_certificate(other)
        with pytest.raises(Rejected, match="it differs in rules"):
            check_states(other, load(table), "it")
    for one, other in ((table, tiling({})), (tiling({}), table)):  # valid certificates of other puzzles
        with pytest.raises(Rejected, match="it differs in rules"):
            check_states(certified(one, tmp_path / "other.proof"), load(other), "it")


@every("kind, way", product(RULES, ["lrat", "cadical", "tally"]), fast=("inside",))
def test_every_kind_of_proof_knows_the_placements_that_are_left_out(kind, way, tmp_path):
    """The certificate also reports that no rule is left to check on solutions."""
    once = {name: tile | {"copies": 1} for name, tile in {"D": D, "S": S, "L": L, "I": {"atoms": [[1, 1], [2, 1], [3, 1]]}}.items()}
    table = tiling(RULES[kind], tiles=once)
    case = make_case(build_instance(load(table)))
    if kind in LATE:
        with pytest.raises(NotSupportedError, match="--kind tree"):
            certify(case, tmp_path / "no.proof", way, Limits())
    else:
        certify(case, tmp_path / "some.proof", way, Limits())
        assert check_certificate(tmp_path / "some.proof").counts.all == judge(table).all > 0


def refusal(puzzle):
    """Return why a puzzle is refused, or None if it is accepted."""
    try:
        read = read_puzzle(puzzle)
        make_problem(read, all_placements(read))
    except Rejected as error:
        return str(error)
    return None


@every("kind", RULES, fast=("inside",))
def test_each_value_of_a_rule_has_its_type(kind):
    """Wrong types, missing keys and unknown keys are refused in one short sentence."""
    stated = make_case(build_instance(load(tiling(RULES[kind])))).stated
    at = next(i for i, rule in enumerate(stated["rules"]) if rule["kind"] == kind)
    rule = stated["rules"][at]
    assert refusal(stated) is None
    others = [{k: v for k, v in rule.items() if k != key} for key in rule]
    others += [{**rule, "more": 1}, *({**rule, key: value} for key in rule for value in (1.5, None, {}, [[]], "", 10**30, [None]))]
    for other in others:
        why = refusal({**stated, "rules": [*stated["rules"][:at], other, *stated["rules"][at + 1 :]]})
        assert why is not None, other
        assert why.startswith("puzzle.rules")
        assert len(why) < 300
        assert "\n" not in why


@pytest.mark.full
def test_rules_that_have_no_meaning_are_refused():
    """The symmetry must map the form onto itself, and the form must be able to have straight fault lines."""
    flat = make_case(build_instance(load(tiling({"symmetric": "turn 180"}, (3, 2))))).stated
    turns = [i for i, s in enumerate(flat["symmetries"]) if s["name"] == "turn 90"]
    assert "does not map the form" in refusal({**flat, "rules": [{**flat["rules"][0], "symmetries": turns}]})
    sticks = {"I": {"atoms": [[1, 1, "e"]], "copies": "any"}}
    stated = make_case(build_instance(load(tiling({}, grid="square-edges", tiles=sticks)))).stated
    assert "no meaning" in refusal({**stated, "rules": [{"name": "n", "kind": "fault free"}]})
    cubes = {"C": {"atoms": [[1, 1, 1]], "copies": "any"}}
    stated = make_case(build_instance(load(tiling({}, (2, 2, 1), grid="cube", tiles=cubes)))).stated
    crossroads = {"name": "n", "kind": "no crossroads", "tiles": [], "colours": 0, "corners": False}
    assert "no meaning" in refusal({**stated, "rules": [crossroads]})
    assert refusal({**stated, "rules": [{"name": "n", "kind": "fault free"}]}) is None


@pytest.mark.full
def test_many_rules_for_many_placements_are_refused_at_once():
    stated = make_case(build_instance(load(tiling({}, (30, 30))))).stated
    rules = [{"name": f"n{i}", "kind": "inside", "tiles": ["D"]} for i in range(5000)]
    assert "too many" in refusal({**stated, "rules": rules})


@pytest.mark.full
def test_placements_of_balls_are_known_and_how_they_lie_is_not(tmp_path):
    def balls(rules):
        return tiling(rules, (3, 2, 1), grid="balls", flips=False, turns="none", tiles={"S": {"atoms": [[1, 1, 1]], "copies": "any"},
                      "D": {"atoms": [[1, 1, 1], [2, 1, 1]], "copies": "any"}})  # fmt: skip

    for rules in (
        {"forbidden": ["D.1@1.1.1"]},
        {"one_of": [["D.1@1.1.1"]]},
        {"holds": [{"tiles": ["D"], "atoms": [[1, 1, 1]], "equals": 0}]},
    ):
        table = balls(rules)
        assert 0 < check_certificate(certified(table, tmp_path / "some.proof")).counts.all == judge(table).all < judge(balls({})).all
    for rules in ({"apart": [["D"]]}, {"colours": 3}, {"touch_border": ["D"]}):
        with pytest.raises(NotSupportedError, match=f"certificates do not support {next(iter(rules))}, a rule on solutions, for balls"):
            make_case(build_instance(load(balls(rules))))


@pytest.mark.full
def test_solutions_that_break_a_rule_are_looked_at_as_they_come(tmp_path):
    """There are 12,988,816 tilings, and the limit stops the search among them; solutions that break the rule use no memory."""
    case = make_case(build_instance(load(tiling({"fault_free": True}, (8, 8), tiles={"D": D}))))
    clock = Clock(Limits())
    with pytest.raises(SearchStoppedError):
        certify(case, tmp_path / "some.proof", "tree", Limits(seconds=0.5))
    assert clock.seconds < 20


@every("kind", RULES, fast=3)
def test_the_proved_checker_knows_no_rule_on_solutions(kind):
    """The statement is refused before anything is unpacked; the puzzle without its rules is a different puzzle."""
    plain, ruled = (state_puzzle(build_instance(load(tiling(rules)))) for rules in ({}, RULES[kind]))
    assert "rules on solutions" in not_checked({"kind": "tree", "puzzle": ruled})
    assert not_checked({"kind": "tree", "puzzle": plain}) is None
    read = b"puzzlesat-verified 1 name a kind tree claim - 1 - " + puzzle_text(plain) + b" \nkept - "
    assert differences(read, plain) == []
    assert "rules on solutions" in " ".join(differences(read, ruled))


def random_tiling(random):
    """Return a rectangle, some tiles, and one to three rules on symmetries and placements, which may not exist."""
    box = random.choice([(2, 2), (3, 2), (3, 3), (3, 3), (4, 2)])
    one_way = D | {"turns": "none"}
    choices = [{"D": D, "S": S}, {"D": D, "L": L}, {"L": L, "S": S}, {"D": D, "S": S, "L": L}, {"J": J, "D": D}, {"D": one_way, "S": S}]
    tiles = random.choice(choices)
    corners = [[x, y] for x in (1, box[0]) for y in (1, box[1])]
    form = {"box": list(box)} | random.choice([{}, {}, {"optional": "all"}, {"optional": corners}])
    turns = ["turn 180", "mirror 0", "mirror 90"] + (["turn 90", "mirror 45", "mirror 135", "turn 270"] if box[0] == box[1] else [])
    cells = [[x, y] for x in range(1, box[0] + 1) for y in range(1, box[1] + 1)]
    names = sorted(tiles)

    def named():
        name = random.choice(names)
        width, height = (max(axis) for axis in zip(*tiles[name]["atoms"], strict=True))
        return f"{name}.1@{random.randint(1, max(1, box[0] - width + 1))}.{random.randint(1, max(1, box[1] - height + 1))}"

    def some_named():
        return sorted({named() for _ in range(random.choice([1, 2]))})

    def some_turns():
        return random.sample(turns, random.choice([1, 1, 2]))

    def held():
        atoms, between = random.sample(cells, random.choice([1, 1, 2, 4])), random.choice([[0, 0], [0, 1], [1, 1]])
        return [{"tiles": [random.choice(names)], "atoms": atoms, "between": between}]

    makers = {
        "symmetric": some_turns,
        "symmetric_outline": lambda: [{"tiles": [random.choice(names)], "under": some_turns()} for _ in range(random.choice([1, 2]))],
        "touch_border": lambda: names[:1],
        "inside": lambda: names[-1:],
        "holds": held,
        "forbidden": some_named,
        "one_of": lambda: [some_named() for _ in range(random.choice([1, 2]))],
        "apart": lambda: [[name] for name in random.sample(names, random.choice([1, 2]))],
        **dict.fromkeys(PLACE_RULES, lambda: True),
        "colours": lambda: random.choice([2, 3]),
    }  # fmt: skip
    rules = {rule: makers[rule]() for rule in random.sample(sorted(makers), random.choice([1, 2, 2, 3]))}
    mirrored = random.choice(["same", "same", "different"])
    return tiling(rules, tiles=tiles, form=form, flips=random.random() < 0.7, mirrored=mirrored)


@every("seed", range(40), fast=1)
def test_several_rules_are_counted_and_certified_as_the_judge_does(seed):
    """The symmetries that several rules leave, in the program, its checker and the judge."""
    table = random_tiling(Random(seed))
    try:
        judged, built = judged_and_built(table)
    except TooMuch:
        pytest.skip("too much for the judge")
    assert len(built.placements) == judged.placements
    assert len(built.problem.symmetries) == len(judged.symmetries)
    check_counts(judged, built, built.problem)
    check_certificate_of(judged, built)


def test_what_a_rule_leaves_out_is_said_in_arguments_and_by_the_checker(tmp_path):
    inside = {"title": "T", "grid": "square", "flips": True, "tiles": {"I": {"picture": "###", "copies": 3}}, "form": {"box": [3, 3]}}
    instance = load(inside | {"solutions": {"inside": "all"}})
    proof = Proof.of(instance, Limits(), certificate=tmp_path / "some.proof")
    assert proof.sentences[0] == (
        "This is about solutions with I away from the border. Placements that break a rule by themselves are left out."
    )
    assert any("; rules on solutions (inside), mirror images" in line for line in check_certificate(tmp_path / "some.proof").checked)
