"""The first sentence on a count, and how well the count is confirmed: the same rule for page, terminal and JSON, in all states."""

from __future__ import annotations

from dataclasses import replace

import pytest

from helpers import load
from puzzlesat.cli.output import status_of
from puzzlesat.counting import Counts, Judgement, Plan, Report, count
from puzzlesat.counting.evidence import AS_MANY, CONTRADICTED, NOTHING, PART, SAME, Disagreement, Row, Sample
from puzzlesat.pages.contents import with_list
from puzzlesat.pages.galleries import Gallery, kept_distinct
from tiers import every

SQUARE = {"title": "S", "grid": "square", "flips": True, "tiles": {"D": {"picture": "##", "copies": "any"}}}
BOARD = SQUARE | {"form": {"box": [4, 4]}}
"""Eight symmetries, 36 solutions, 9 of them distinct."""
LOPSIDED = SQUARE | {"form": {"picture": "##\n##\n##\n##\n#.\n#.\n"}}
"""No symmetry but the identity."""
WRONG = Disagreement("sat", "it counts 35 solutions, the first solver 36")


def whole(solver, all_=36, independent=True):
    return Row(solver, all_, "complete", "", 0.0, {}, independent=independent)


def first(solver="backtrack", all_=36):
    return whole(solver, all_, independent=False)


def partly(solver, checked=3, of=100, status="limit reached"):
    return Row(solver, None, status, "", 0.0, {}, Sample(checked, of, 7), independent=True)


def refused(solver):
    return Row(solver, None, "refused", "", 0.0, {}, refusal="too large")


def ended(solver, status):
    return Row(solver, None, status, "not finished", 0.0, {})


NINE, ONE = "9 solutions up to symmetry", "9 solutions up to symmetry; one solver says so"
NOT_KNOWN = "the number of solutions is not known"
DISTRUST = "do not trust these counts: "
SAYS_35 = DISTRUST + "sat: it counts 35 solutions, the first solver 36"
BY_LIMIT = {"status": "limit reached", "found": 0}
NO_SOLUTION = {"counts": Counts(all=0, distinct=0), "found": 0}
PROVED = NO_SOLUTION | {"proof": "a colouring"}
DIFFERENT = {"disagreements": (WRONG,)}
STATES = {
    # rows; the rest of the report; sentence; confirmation; exit status
    "the same": (
        [first(), whole("tally"), whole("sat"), whole("cpsat")], {},
        f"{NINE}; confirmed by sat, cpsat and tally (same count)", SAME, 0,
    ),
    "as many": ([first("tally"), whole("backtrack")], {}, f"{NINE}; confirmed by backtrack (same count)", AS_MANY, 0),
    "listed, and counted without listing": (
        [first(), whole("tally"), partly("sat", 0, 0)], {}, f"{NINE}; confirmed by tally (same count)", AS_MANY, 0,
    ),
    "the same, and a part": (
        [first(), whole("sat"), partly("cpsat")], {}, f"{NINE}; confirmed by sat, and in part by cpsat (3 of 100 subproblems)", SAME, 0,
    ),
    "a sample only": (
        [first(), partly("sat", 1200, 5000), partly("cpsat")], {},
        f"{ONE}; confirmed in part by sat (1,200 of 5,000 subproblems) and cpsat (3 of 100 subproblems)", PART, 0,
    ),
    "nobody else": ([first()], {}, f"{ONE}; nothing confirmed it", NOTHING, 0),
    "others came to nothing": (
        [refused("tally"), first(), partly("sat", 0, 100), refused("cpsat"), ended("sat:cadical195", "limit reached")], {},
        f"{ONE}; nothing confirmed it", NOTHING, 0,
    ),
    "only a solver of its own kind": (
        [first("sat"), whole("sat:cadical195", independent=False)], {}, f"{ONE}; nothing confirmed it", NOTHING, 0,
    ),
    "a disagreement": ([first(), whole("tally"), partly("sat", status="differs")], DIFFERENT, SAYS_35, CONTRADICTED, 1),
    "two disagreements": (
        [first(), whole("sat", 35)], {"disagreements": (WRONG, replace(WRONG, solver="cpsat"))}, f"{SAYS_35} (and 1 more)", CONTRADICTED, 1,
    ),
    "Burnside's lemma fails": (
        [first(), whole("sat")], {"burnside": False},
        f"{DISTRUST}Burnside's lemma contradicts the number of distinct solutions", CONTRADICTED, 1,
    ),
    "stopped at a limit": (
        [ended("backtrack", "limit reached")], {"status": "limit reached", "found": 17},
        f"stopped at a limit: {NOT_KNOWN}; at least 3 solutions up to symmetry", NOTHING, 3,
    ),
    "a bad solution before the end": (
        [ended("backtrack", "limit reached")], {"status": "limit reached", "found": 17} | DIFFERENT, SAYS_35, CONTRADICTED, 1,
    ),
    "interrupted": (
        [ended("backtrack", "interrupted")], {"status": "interrupted", "found": 8},
        f"interrupted: {NOT_KNOWN}; at least 1 solution up to symmetry", NOTHING, 3,
    ),
    "interrupted while others checked": (
        [first(), whole("tally"), ended("sat", "interrupted")], {}, f"interrupted: {NINE}; confirmed by tally (same count)", AS_MANY, 3,
    ),
    "no solver takes it": (
        [refused("backtrack"), refused("sat")], BY_LIMIT, f"no solver could count: {NOT_KNOWN}; none was found so far", NOTHING, 3,
    ),
    "none": (
        [first(all_=0), whole("tally", 0), whole("sat", 0)], NO_SOLUTION,
        "no solution; confirmed by sat and tally (same count)", SAME, 0,
    ),
    "none, by one solver": ([first(all_=0)], NO_SOLUTION, "no solution; one solver says so; nothing confirmed it", NOTHING, 0),
    "none, with a proof": ([first(all_=0), whole("sat", 0)], PROVED, "no solution; proved by a colouring; confirmed by sat", SAME, 0),
    "none, with a proof and one solver": (
        [first(all_=0)], PROVED, "no solution; proved by a colouring; one solver says so; nothing else confirmed it", NOTHING, 0,
    ),
    "a proof, and no count": (
        [ended("backtrack", "limit reached")], BY_LIMIT | {"proof": "a colouring"},
        "no solution; proved by a colouring; the count was not finished", NOTHING, 3,
    ),
    "distinct is not known": (
        [first("tally"), whole("backtrack")], {"counts": Counts(all=36)},
        "36 solutions, including images under the symmetries; confirmed by backtrack (same count)", AS_MANY, 0,
    ),
    "more listed than counted": (
        [ended("tally", "limit reached")], BY_LIMIT | {"seen": 5},
        f"stopped at a limit: {NOT_KNOWN}; at least 5 solutions up to symmetry", NOTHING, 3,
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def board():
    return count(load(BOARD), Plan(solvers=("backtrack",)))


def made(board, rows, more):
    counts = Counts(all=36, distinct=9) if more.get("status", "complete") == "complete" else Counts()
    given = {"counts": counts, "found": 36, "status": "complete", "burnside": None} | more
    plan = replace(board.plan, solvers=tuple(r.solver for r in rows if r.refusal is None) or ("backtrack",))
    return replace(board, plan=plan, rows=tuple(rows), **given)


@every("state", STATES)
def test_the_sentence_of_each_state_and_what_is_said_at_length(board, state):
    rows, more, sentence, word, status = STATES[state]
    report = made(board, rows, more)
    agree = {SAME: True, AS_MANY: True, PART: None, NOTHING: None, CONTRADICTED: False}[word]
    assert report.sentence == sentence
    assert (report.confirmation.word, report.agree, status_of(report)) == (word, agree, status)
    said = Judgement(report).as_json()
    assert (said["sentence"], said["confirmed"]) == (sentence, word)
    begins = {SAME: "yes, ", AS_MANY: "yes, ", PART: "in part: ", NOTHING: "none: ", CONTRADICTED: "NO: "}
    assert "\n".join(report.confirmation.agreement).startswith(begins[word])
    assert ("confirmed by" in sentence) == (word in (SAME, AS_MANY))
    for row in report.rows:
        assert row.confirms == (row.solver in "\n".join(report.confirmation.agreement)) or word in (CONTRADICTED, NOTHING)


def test_a_number_up_to_symmetry_that_was_counted_once_is_not_confirmed(board):
    report = made(board, [first("tally"), whole("backtrack")], {"found_again": {}})
    once = "all 36 are confirmed by backtrack (same count); the number up to symmetry was counted only once"
    assert (report.sentence, report.agree) == (f"9 solutions up to symmetry; {once}", None)
    assert report.witnesses == {"all": ("backtrack",), "distinct": ()}
    assert "counted only once: distinct" in report.confirmation.words


@every(
    ("expected", "distinct", "sentence"),
    [
        ({"distinct": 1}, 72, "not unique: 72 solutions up to symmetry; confirmed by sat"),
        ({"all": 1}, 2, "not unique: 2 solutions up to symmetry; confirmed by sat"),
        ({"distinct": 1}, 1, "1 solution up to symmetry; confirmed by sat"),
        ({"distinct": 2}, 72, "72 solutions up to symmetry; confirmed by sat"),
    ],
)
def test_a_question_of_uniqueness(board, expected, distinct, sentence):
    asked = replace(board.instance, expect=board.instance.expect.model_copy(update=expected))
    report = made(board, [first(), whole("sat")], {"counts": Counts(all=8 * distinct, distinct=distinct), "found": 8 * distinct})
    assert replace(report, subject=replace(report.built, instance=asked)).sentence == sentence


def test_two_are_enough_to_be_not_unique(board):
    expect = board.instance.expect.model_copy(update={"distinct": 1})
    asked = replace(board.built, instance=replace(board.instance, expect=expect))
    report = replace(made(board, [ended("backtrack", "limit reached")], {"status": "limit reached", "found": 16}), subject=asked)
    assert report.sentence == "stopped at a limit: the number of solutions is not known; not unique, at least 2 solutions up to symmetry"
    assert "unique" not in replace(report, found=8).sentence


@pytest.mark.full
def test_real_counts():
    """A refuted published count of one asks for uniqueness; a form without symmetry has no classes."""
    claim = {"what": "distinct", "published": 1, "by": "N", "evidence": "e"}
    confirmed = "confirmed by a checked certificate of the whole search and by sat, cpsat and tally (same count)"
    asked = BOARD | {"expect": {"distinct": 9, "refuted": [claim]}}
    assert count(load(asked), Plan()).sentence == f"not unique: {NINE}; {confirmed}"
    assert count(load(LOPSIDED), Plan()).sentence == f"5 solutions; {confirmed}"


# the list of a page as evidence ----------------------------------------------------------------------------------------------


def gallery_of(report: Report, n: int | None = None, solver="backtrack"):
    rows = kept_distinct(report.built.problem, report.placement_numbers, 100)
    return Gallery(rows[:n], "complete" if n is None else "limit reached", solver)


def test_what_one_solver_counted_and_another_listed_is_confirmed(board):
    report = made(board, [first("tally"), partly("backtrack", 0, 0)], {})
    assert report.confirmation.word == NOTHING
    shown = with_list(report, gallery_of(board))
    assert shown.sentence == f"{NINE}; confirmed by backtrack (same count)"
    assert (shown.agree, "\n".join(shown.confirmation.agreement)) == (
        True,
        "yes, backtrack counted the same number; two independent readings of the puzzle agree",
    )
    assert shown.rows[-1].all == 36


def test_a_list_by_the_solver_that_counted_adds_nothing_and_a_part_of_a_list_confirms_nothing(board):
    report = made(board, [first("backtrack")], {})
    assert with_list(report, gallery_of(board)).rows == report.rows
    assert with_list(report, gallery_of(board, 4)).rows == report.rows
    assert with_list(made(board, [first("tally")], {}), gallery_of(board, 4)).confirmation.word == NOTHING


def test_a_list_that_contradicts_the_count_is_the_first_that_is_said(board):
    report = made(board, [first("tally"), whole("sat")], {"counts": Counts(all=40, distinct=10), "found": 40})
    wrong = with_list(report, gallery_of(board))
    assert wrong.sentence == "do not trust these counts: backtrack: backtrack lists 9 distinct solutions, the count is 10"
    assert status_of(wrong) == 1


def test_a_list_where_the_count_was_not_finished_is_a_lower_bound(board):
    report = made(board, [ended("tally", "limit reached")], {"status": "limit reached", "found": 0})
    assert with_list(report, gallery_of(board, 4)).sentence.endswith("at least 4 solutions up to symmetry")
