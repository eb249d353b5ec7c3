"""Solutions listed by the engine of the browser and by the program: equal, in the same order, with the same rules."""

from base64 import b64decode

import pytest
from engine import answers
from test_engine import MORE, asked, built

from helpers import needs_node, solution_set
from puzzlesat.base.arrays import padded_rows
from puzzlesat.pages.site_puzzle import choices_as_json
from puzzlesat.pages.studio.painted import choices, form_colours, pieces
from puzzlesat.playing.position import position_of, position_text
from puzzlesat.puzzles.building import build_instance
from puzzlesat.puzzles.solution_rules import with_rules
from solution_judge import PLACE_RULES
from tiers import every

pytestmark = [needs_node, pytest.mark.full]
FEW = ("polyominoes-1-2-3-4-cross-hole", "absolut-knifflig", "l-trominoes-5x9", "dominoes-6x6-klein-bottle", "instant-insanity")
RULED = (
    "absolut-knifflig", "dominoes-6x6", "pentominoes-8x8-centre", "soma", "hexiamonds-6x6", "l-trominoes-5x9", "instant-insanity",
    "sticks-through-a-point", "exchanged",
)  # fmt: skip
ALL, SOME = 500, 4


def told(name, *bodies, question="solutions"):
    said, _ = answers(asked(built(name)), [{"id": i, "question": question, "body": body} for i, body in enumerate(bodies, start=1)])
    return [said[i] for i in range(1, len(bodies) + 1)]


def data(name, *bodies):
    return [answer["data"] for answer in told(name, *bodies)]


def distinct(problem):
    """Return one solution of each class, in order."""
    rows = problem.option_images.distinct(padded_rows(sorted(solution_set(problem))))
    return [[o for o in row if o >= 0] for row in rows.tolist()]


@every("name", [*FEW, *MORE])
def test_counts_up_to_symmetry(name):
    expect = built(name).instance.expect
    (answer,) = told(name, {}, question="count")
    assert answer["data"]["complete"]
    turned = len(built(name).problem.symmetries) > 1
    counts = {"all": expect.all, **({"distinct": expect.distinct} if turned else {})}
    counts = {key: n for key, n in counts.items() if n is not None}
    assert {key: answer["data"]["counts"].get(key) for key in counts} == counts
    assert ("distinct" in answer["data"]["counts"]) == turned


def test_a_number_up_to_symmetry_that_is_not_whole_is_not_shown():
    """A wrong symmetry once gave 584.75 distinct solutions; here one of eight symmetries is missing."""
    puzzle = asked(built("dominoes-6x6"))
    told = puzzle["cover"]["symmetries"]
    puzzle["cover"]["symmetries"] = {**told, "names": told["names"][:6], "made": told["made"][:6], "order": [1, 2, 3, 4, 5, 6]}
    said, found = answers(puzzle, [{"id": 1, "question": "count", "body": {}}])
    assert said[1]["event"] == "failed" and "finds 6,728 solutions, and 7440/7 up to symmetry" in said[1]["data"]["error"][0]
    assert not any("counts" in part["data"] for part in found)


@every("name", FEW)
def test_the_same_solutions_in_the_same_order(name):
    problem = built(name).problem
    one, both = data(name, {"from": 1, "number": ALL}, {"from": 1, "number": ALL, "distinct": False})
    assert one["solutions"] == distinct(problem)[:ALL]
    assert both["solutions"] == [list(row) for row in sorted(solution_set(problem))][:ALL]
    assert one["exact"] and both["exact"]
    assert both["numbers"] == list(range(1, len(both["solutions"]) + 1))


@every("name", FEW[:2])
def test_solutions_with_a_piece_where_it_lies(name):
    problem = built(name).problem
    row = distinct(problem)[0]
    given = [problem.options[row[0]]]
    with_it = [found for found in map(list, sorted(solution_set(problem))) if row[0] in found]
    both, one, random = data(
        name,
        {"position": given, "from": 1, "number": ALL, "distinct": False},
        {"position": given, "from": 1, "number": ALL},
        {"position": given, "random": True, "number": 3},
    )
    assert both["solutions"] == with_it
    assert {tuple(r) for r in problem.option_images.distinct(padded_rows(one["solutions"])).tolist()} == {
        tuple(r) for r in problem.option_images.distinct(padded_rows(with_it)).tolist()
    }
    assert all(found in one["solutions"] for found in random["solutions"]) and len(random["solutions"]) == 3


def wanted(name):
    """Return rules that apply to a puzzle."""
    one = built(name)
    tiles = one.instance.puzzle.tiles
    first, two = [*tiles[0].members], [*tiles[0].members, *(tiles[-1].members if len(tiles) > 1 else ())]
    rules = [
        *({key: True} for key in PLACE_RULES),
        {"colours": 2},
        {"colours": 3},
        {"colours": 3, "strictly": True},
        {"touch_border": "all"},
        {"touch_border": two},
        {"inside": first},
        {"apart": [two]},
        {"apart": [two], "strictly": True},
        *({"holds": [{"tiles": first, "colour": colour, "between": [1, 2]}]} for colour in form_colours(one.instance)),
    ]
    return [one for one in rules if {*one} - {"strictly"} <= keys_of(name)]


def keys_of(name):
    return {key for choice in choices(built(name).instance) for key in choice}


@every("name", RULED)
def test_rules(name):
    """Each rule keeps the same solutions as in the program, also up to the symmetries that keep the rule."""
    one, whole = built(name), solution_set(built(name).problem)
    ways = [*wanted(name), *({"symmetric": [name]} for name in choices_as_json(one)["symmetric"][:SOME])]
    said, *found = data(name, {}, *({"rules": rules, "distinct": only, "number": 3} for rules in ways for only in (False, True)))
    assert (said["rules"], said["pieces"], said["colours"]) == (choices(one.instance), pieces(one.instance), form_colours(one.instance))
    for rules, every_one, answer in zip(ways, found[::2], found[1::2], strict=True):
        ruled = build_instance(with_rules(one.instance, rules))
        rows = padded_rows(sorted(solution_set(ruled.problem)))
        up_to_symmetry = ruled.problem.option_images.distinct(rows)
        assert (every_one["total"], answer["total"]) == (len(rows), len(up_to_symmetry)), rules
        assert answer["symmetries"] == list(ruled.problem.symmetries), rules
        first = [[ruled.problem.options[o] for o in row if o >= 0] for row in up_to_symmetry[:3].tolist()]
        assert [[one.problem.options[o] for o in row] for row in answer["solutions"]] == first
        assert set(answer["words"]) <= set(map(str, ruled.puzzle.solutions.sentences))
    symmetric = data(name, *({"rules": {"symmetric": [name]}, "distinct": False} for name in said["symmetric"]))
    fixed = one.problem.option_images.unmoved(padded_rows(sorted(whole))).sum(axis=1).tolist()
    by_name = dict(zip(one.problem.symmetries, fixed, strict=True))
    assert [answer["total"] for answer in symmetric] == [by_name[name] for name in said["symmetric"]]


def test_what_makes_no_sense_is_refused():
    hostile = [
        {"from": "1e99"},
        {"from": "<img src=x onerror=alert(1)>"},
        {"number": -1},
        {"number": 1e99},
        {"distinct": "yes"},
        {"rules": {"__proto__x": True}},
        {"rules": {"constructor": True}},
        {"rules": {"symmetric": ["<b>"]}},
        {"rules": {"colours": 1e9}},
        {"rules": {"touch_border": ["nobody"]}},
        {"rules": [1]},
        {"position": ["<img>"]},
    ]
    for body, answer in zip(hostile, told("absolut-knifflig", *hostile), strict=True):
        assert answer["event"] == "failed", body
        assert len(answer["data"]["error"]) == 1
    (far,) = data("absolut-knifflig", {"from": "9" * 300})
    assert far["solutions"] == [] and far["total"] == 37


@every("name", ["absolut-knifflig", "instant-insanity", "polyominoes-1-2-3-4-cross-hole", "dominoes-6x6-klein-bottle"])
def test_a_solution_in_text(name):
    one = built(name)
    row = min(solution_set(one.problem))
    names = [one.problem.options[o] for o in row if o not in one.problem.forced]
    text, refused = told(name, {"format": "text", "position": names}, {"format": "xmpuzzle", "position": names}, question="export")
    assert b64decode(text["data"]["base64"]).decode() == position_text(position_of(one, names))[1]
    assert refused["event"] == "failed"
