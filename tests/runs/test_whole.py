"""Whole puzzles in the hands of a worker: what the steps come to against plain enumeration, done again, and never lost or invented."""

import json
from dataclasses import replace
from threading import Event

import pytest
from hypothesis import assume, given, note, settings
from hypothesis import strategies as st

from brute_force import TooMuch, judge
from puzzlesat import __version__
from puzzlesat.base.errors import NotSupportedError
from puzzlesat.checker.certificate import check_certificate
from puzzlesat.designing.trial import Trial
from puzzlesat.puzzles.library import find_instance
from puzzlesat.puzzles.reading import read_table
from puzzlesat.studies import audit, whole, worker
from puzzlesat.studies.units import (
    AUDIT,
    NOT_DECIDED,
    NOTHING,
    THIRD,
    Job,
    Loaded,
    Step,
    VersionError,
    came_to,
    forget_loaded,
    make_subject,
    subject_of,
    task_of,
)
from strategies import puzzles, to_toml
from tiers import every, tries

ALL = [Step("proof", 20), Step("solution", 20), Step("count", 40)]
ORDERS = [
    ALL,
    [Step("count", 40)],
    [Step("solution", 20)],
    [Step("solution", 20), Step("proof", 20), Step("count", 40)],
    [Step("proof", 20)],
]
SQUARES = {"title": "Squares", "grid": "square", "flips": True}
THREE_BY_FOUR = SQUARES | {"tiles": {"L": {"atoms": [[1, 1], [2, 1], [1, 2]], "copies": 4}}, "form": {"box": [4, 3]}}
IMPOSSIBLE = SQUARES | {"tiles": {"S": {"atoms": [[1, 1], [2, 1], [2, 2], [3, 2]], "copies": 4}}, "form": {"box": [4, 4]}}
"""By a search: there are no smaller arguments."""


def job(subject, steps, **words):
    return Job(7, subject, json.loads(json.dumps(task_of(steps))), version=__version__, **words)


def asked(subject, steps, **words):
    """Let a worker do all units that there are, with all that goes to and fro as JSON; what it came to, and the answers."""
    waiting, answers = [job(subject, steps, **words)], []
    while waiting:
        (answer,) = worker.do([waiting.pop(0)])
        answers.append(replace(answer, result=json.loads(json.dumps(answer.result))))
        assert answer.complete
        waiting += [replace(job(subject, steps), task=json.loads(json.dumps(task))) for task in answer.follow]
        assert len(answers) < 20
    return came_to([answer.result for answer in answers if answer.error is None]), answers


def named(name):
    path = find_instance(name)
    return make_subject(path.stem, read_table(path), path)


@settings(max_examples=tries(8))
@given(table=puzzles(flat=False), steps=st.sampled_from(ORDERS))
def test_what_steps_come_to_is_what_enumeration_says_and_so_it_is_when_done_again(table, steps):
    note(to_toml(table))
    table.pop("break_on", None)  # perhaps one that is refused
    try:
        judged = judge(table)
    except TooMuch:
        assume(False)
    found, answers = asked(subject_of("random", table, {}), steps)
    assert [answer.error for answer in answers] == [None] * len(answers)
    assert found["verdict"] == ("solvable" if judged.all else "impossible")
    counts = {key: found[key] for key in ("all", "labelled", "distinct") if found[key] is not None}
    assert counts.items() <= {"all": judged.all, "labelled": judged.labelled, "distinct": judged.distinct}.items()
    assert "all" in counts or steps[-1].find != "count"
    for answer in answers:
        for role in (AUDIT, THIRD):
            (again,) = worker.do([job(subject_of("random", table, {}), steps, role=role, known=answer.result, seconds=60)])
            assert again.error is None
            assert not again.follow
            assert again.result["verdict"] in (found["verdict"], NOT_DECIDED)
            assert audit.agree(answer.result, json.loads(json.dumps(again.result)))


WRONG = [
    (THREE_BY_FOUR, {"verdict": "impossible", "argument": "search", "all": 0, "distinct": 0}),
    (THREE_BY_FOUR, {"verdict": "impossible", "argument": "colouring", "all": 0, "distinct": 0}),
    (THREE_BY_FOUR, {"verdict": "solvable", "all": 5, "distinct": 2, "by": "backtrack"}),
    (THREE_BY_FOUR, {"verdict": "solvable", "all": 4, "distinct": 3, "by": "tally"}),
    (THREE_BY_FOUR, {"verdict": "solvable", "all": 4, "distinct": 1, "by": "certificate"}),
    (THREE_BY_FOUR, {"verdict": "solvable", "solution": ["L.1@1.1"]}),
    (THREE_BY_FOUR, {"verdict": "solvable", "solution": ["L.1@1.1", "L.9@1.1"]}),
    (IMPOSSIBLE, {"verdict": "solvable", "all": 3, "distinct": 1, "by": "tally"}),
    (IMPOSSIBLE, {"verdict": "solvable", "solution": []}),
]


@every("table, wrong, role", [(*case, role) for case in WRONG for role in (AUDIT, THIRD)], fast=3)
def test_a_wrong_result_is_found_out(table, wrong, role):
    known = {**NOTHING, **wrong}
    (again,) = worker.do([job(subject_of("wrong", table, {}), ALL, role=role, known=known, seconds=60)])
    assert again.error is None
    if known["solution"] == []:  # nothing is said that could be looked at
        assert again.result["verdict"] == NOT_DECIDED
    else:
        assert not audit.agree(known, again.result)


@pytest.mark.full
def test_real_puzzles_step_by_step(tmp_path):
    found, (answer,) = asked(named("pentominoes-6x10"), ALL)
    assert (found["verdict"], found["all"], found["distinct"], found["agree"]) == ("solvable", 9356, 2339, True)
    assert answer.cpu > 0 < answer.wall
    found, (answer,) = asked(named("mutilated-chessboard"), ALL)
    assert (found["verdict"], found["argument"], found["all"], found["labelled"]) == ("impossible", "colouring", 0, 0)
    path = tmp_path / "one.proof"
    path.write_bytes(answer.certificate)
    assert check_certificate(path).counts.all == 0
    assert found["certificate"]["bytes"] == len(answer.certificate)


def test_figures_that_are_expected_are_judged():
    judged = judge(THREE_BY_FOUR)
    right = {"all": judged.all, "distinct": judged.distinct}
    assert judged.all == 4
    for expect, status in ((right, "ok"), (right | {"distinct": judged.distinct + 1}, "failed"), ({"all": 5}, "failed")):
        found, _ = asked(subject_of("a", THREE_BY_FOUR | {"expect": expect}, {}), [Step("check", 60)])
        assert (found["check"]["status"], found["all"], found["distinct"]) == (status, judged.all, judged.distinct)
    found, _ = asked(subject_of("a", THREE_BY_FOUR, {}), [Step("check", 60)])
    assert (found["check"], found["all"]) == ({"status": whole.NOTHING_EXPECTED}, None)


def test_what_does_not_fit_into_one_unit_goes_on_in_others(monkeypatch):
    """A count goes on in parts, with the seconds that are left; a search for a solution with another seed; what is known goes along."""
    monkeypatch.setattr("puzzlesat.studies.units.UNIT_SECONDS", 1e-6)
    monkeypatch.setattr(whole, "GOES_ON_SECONDS", 0.0)
    monkeypatch.setattr(whole, "search", lambda *_: Trial(NOT_DECIDED))
    subject = named("one-sided-pentominoes-9x10")
    done = whole.do(Loaded(subject), job(subject, [Step("solution", 0.05), Step("count", 100, memory=1 << 30)]), Event())
    assert done.result["verdict"] == NOT_DECIDED
    (following,) = done.follow
    assert [(step["find"], step["seed"]) for step in following["steps"]] == [("solution", 2), ("count", 1)]
    assert following["steps"][0]["seconds"] == 0.05 - 1e-6
    subject = named("bedlam")
    done = whole.do(Loaded(subject), job(subject, [Step("count", 100, memory=1 << 30), Step("proof", 1)]), Event())
    parts, rest = done.follow
    assert (parts["do"], parts["plan"], parts["memory"]) == ("parts", True, 1 << 30)
    assert parts["most"] == 100 - 1e-6
    assert [step["find"] for step in rest["steps"]] == ["proof"]


def test_who_is_told_to_stop_has_no_answer_that_counts(monkeypatch):
    stop = Event()
    stop.set()
    subject = named("bedlam")
    assert not whole.do(Loaded(subject), job(subject, ALL), stop).complete
    monkeypatch.setattr(worker, "told_to_stop", stop)
    assert worker.do([job(subject, ALL)]) == []


def test_what_is_wrong_is_an_answer_and_another_version_is_refused():
    good, bad = (
        subject_of("good", THREE_BY_FOUR, {}),
        subject_of("bad", SQUARES | {"tiles": {"L": {"picture": "?"}}, "form": {"box": [1, 1]}}, {}),
    )
    answers = worker.do([job(bad, ALL), job(good, ALL)])
    assert answers[0].error.startswith("bad: tiles.L: ")
    assert answers[0].complete
    assert answers[1].result["verdict"] == "solvable"
    with pytest.raises(VersionError, match="same version"):
        worker.do([job(good, ALL), replace(job(good, ALL), version="0.0.1")])


@pytest.mark.full
def test_memory_is_kept_within_and_so_are_seconds():
    subject = named("one-sided-pentominoes-9x10")
    _, (answer,) = asked(subject, [Step("count", 0.5)])
    assert answer.result["verdict"] == NOT_DECIDED
    assert answer.cpu < 10
    forget_loaded()
    _, (answer,) = asked(subject, [Step("proof", 20, memory=1 << 10)])
    assert answer.error is not None
    assert "memory" in answer.error


def test_a_step_that_cannot_be_done_takes_nothing_away_from_those_before(monkeypatch):
    steps = [Step("solution", 5.0), Step("count", 5.0), Step("check", 5.0)]
    subject = subject_of("p", {"title": "p", "grid": "square", "flips": True, **whole.SAMPLES[0]}, {})

    def refused(*_):
        raise NotSupportedError("the tables need more memory")

    monkeypatch.setattr(whole, "_count", refused)
    done = whole.do(Loaded(subject), Job(1, subject, task_of(steps)), Event())
    assert done.result["verdict"] == "solvable"
    (follow,) = done.follow
    assert [step["find"] for step in follow["steps"]] == ["count", "check"]
    with pytest.raises(NotSupportedError):  # that unit is set aside, with why
        whole.do(Loaded(subject), Job(2, subject, json.loads(json.dumps(follow))), Event())
