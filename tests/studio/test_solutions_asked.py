"""The solutions that the studio's page requests, compared with the list of the library."""

from dataclasses import replace

import pytest

import puzzlesat
from puzzlesat.base.errors import PuzzleError
from puzzlesat.pages.studio.tasks import solutions
from puzzlesat.pages.studio.telling import Tell
from puzzlesat.puzzles.building import build_instance
from tiers import every

TABLE = {"title": "Dominoes", "grid": "square", "flips": True, "tiles": {"D": {"picture": "##", "copies": "any"}}, "form": {"box": [4, 4]}}


@pytest.fixture(autouse=True)
def nothing_kept():
    solutions._listed.clear()


def asked(name="soma", **more):
    said = name if isinstance(name, dict) else {"name": name}
    return solutions.answer_solutions({"puzzle": said, **more}, Tell())


def listed(name, **how):
    """Return the solutions of the library, as sorted numbers of placements."""
    puzzle = puzzlesat.load(name)
    number = {o: i for i, o in enumerate(build_instance(puzzle).problem.options)}
    return {tuple(sorted(number[p] for p in one.names)) for one in puzzlesat.solve(puzzle, **how)}


def listed_by_page(name="soma", **more):
    total = asked(name, **more)["total"]
    pages = [asked(name, **more, **{"from": first, "number": 300})["solutions"] for first in range(1, total + 1, 300)]
    return [tuple(sorted(row)) for page in pages for row in page]


DOMINOES = {"name": "dominoes", "table": TABLE}


@every("distinct, total", [(True, 9), (False, 36)])
def test_each_solution_is_there_once(distinct, total):
    found = listed_by_page(DOMINOES, distinct=distinct)
    assert len(found) == len(set(found)) == total
    whole = listed(TABLE)
    assert len(whole) == 36 and set(found) <= whole


@pytest.mark.full
def test_one_of_those_that_turn_into_each_other_unless_all_are_wished():
    answer = asked(DOMINOES)
    assert (answer["total"], answer["exact"], answer["distinct"], len(answer["symmetries"]), answer["numbers"]) == (9, True, True, 8, [1])
    assert set(listed_by_page("soma", levels=False, distinct=True)) == listed("soma", distinct=True)


def test_solutions_with_pieces_where_they_lie():
    name = build_instance(puzzlesat.load(TABLE)).problem.options[0]
    found = listed_by_page(DOMINOES, position=[name], distinct=False)
    assert set(found) == {row for row in listed(TABLE) if 0 in row} and len(found) < 36


@pytest.mark.full
def test_rules_on_solutions():
    ruled = listed_by_page(DOMINOES, rules={"no_crossroads": True}, distinct=False)
    assert set(ruled) == listed({**TABLE, "solutions": {"no_crossroads": True}}) and 0 < len(ruled) < 36
    turned = listed_by_page(DOMINOES, rules={"symmetric": ["turn 180"]}, distinct=False)
    assert set(turned) == listed({**TABLE, "solutions": {"symmetric": ["turn 180"]}})
    assert asked(DOMINOES, rules={"no_crossroads": True})["words"] == ["only solutions without crossroads (points where four tiles meet)"]
    with pytest.raises(PuzzleError, match="fault_fre"):
        asked(DOMINOES, rules={"fault_fre": True})


@pytest.mark.full
def test_rules_that_have_no_meaning_are_not_offered():
    assert {"no_crossroads": True} in asked(DOMINOES)["rules"]
    assert {"no_crossroads": True} not in asked("dubois-burr")["rules"]


def test_at_random():
    answer = asked(DOMINOES, random=True, number=20, distinct=False)
    assert len(answer["numbers"]) == 20 and all(1 <= n <= 36 for n in answer["numbers"]) and len(set(answer["numbers"])) > 1
    for number, row in zip(answer["numbers"], answer["solutions"], strict=True):
        assert asked(DOMINOES, distinct=False, **{"from": str(number), "number": 1})["solutions"] == [row]


@pytest.mark.full
def test_the_highest_level_comes_first():
    answer = asked("dubois-burr", number=2)
    assert answer["levels"] == ["6.4", None] and answer["every_level"] == [("6.4", 1), (None, 1)]
    plain = asked("dubois-burr", number=2, levels=False)
    assert plain["levels"] is None and sorted(map(sorted, plain["solutions"])) == sorted(map(sorted, answer["solutions"]))


def test_a_level_that_is_not_known_to_be_the_least_is_marked(monkeypatch):
    known = solutions.answers

    def answers(*given, **more):
        return ((n, row, replace(answer, least=False)) for n, row, answer in known(*given, **more))

    monkeypatch.setattr(solutions, "answers", answers)
    assert asked("dubois-burr", number=2)["levels"] == ["≤ 6.4", None]


def test_a_list_that_was_cut_is_not_exact(monkeypatch):
    from puzzlesat.counting import listing

    monkeypatch.setattr(listing, "MAX_ORDERED", 3)
    answer = asked(DOMINOES, distinct=True)
    assert not answer["exact"] and 0 < answer["total"] <= 9
    freely = asked(DOMINOES)  # it cannot be listed, so each solution is requested by number
    assert (freely["exact"], freely["distinct"], freely["total"]) == (True, False, 36)


@every(
    "wrong", [{"from": 0}, {"from": -1}, {"from": "x"}, {"number": 501}, {"from": True}, {"distinct": 3}, {"rules": [1]}, {"position": "F"}]
)
def test_what_is_no_question(wrong):
    with pytest.raises(PuzzleError):
        asked(DOMINOES, **wrong)
