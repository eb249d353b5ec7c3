"""Runs with simulated workers: splits and totals, deaths, second coordinators, merges, old stores, and printed output."""

from __future__ import annotations

import sqlite3
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, suppress
from dataclasses import replace
from itertools import count as count_up
from random import Random

import pytest
from pretend import EVERY, LIES, PLACES, Here, Pretended, board, done, heading, honest

from puzzlesat.base.errors import NotSupportedError, PuzzleError
from puzzlesat.counting import Plan, count
from puzzlesat.solvers.registry import LISTING
from puzzlesat.studies import ExecutorWorkers, coordinator, subjects
from puzzlesat.studies.coordinator import ENDED
from puzzlesat.studies.running import forecast, merge, overview
from puzzlesat.studies.settle import SPLIT, wrong_parts
from puzzlesat.studies.store import open_store, open_to_read
from puzzlesat.studies.units import Claim, Question, Unit, loaded, subject_of
from random_puzzles import random_puzzle
from tiers import every, tries

COUNT = (Question(find="count", seconds=20.0),)


class Splitting(Pretended):
    """Workers that find a part too long until its prefix has some decisions."""

    deep = 3

    def submit(self, unit):
        if unit.question.find == "part" and len(unit.prefix) < self.deep and unit.seconds and not unit.answers:
            self.lie = lambda unit, answer: answer.model_copy(
                update={"outcome": "too long", "claim": type(answer.claim)(), "hint": "backtrack", "estimate": 1.0, "solver": "backtrack"}
            )
            self.liar, self.often = None, 1.0
        else:
            self.lie = None
        return super().submit(unit)


def units(path):
    with open_to_read(path) as store:
        return list(store.units())


@every("width, height, number", [(2, 3, 3), (4, 4, 36), (4, 5, 95), (5, 6, 1183)], fast=2)
def test_parts_come_to_the_count_of_the_whole(tmp_path, width, height, number):
    end, found = done(tmp_path / "a", [board(width, height)], Splitting(), parts=True)
    assert end.complete
    (one,) = found.values()
    assert one.counts["all"] == number
    assert any(unit.state == SPLIT for unit in units(tmp_path / "a"))
    with open_to_read(tmp_path / "a") as store:
        parts = store.units_of(1)
        assert wrong_parts(loaded(store.puzzle(1)), parts) == []
        assert parts.share == pytest.approx(1)
        for left, _ in parts.settled:  # without any one of them they are not a partition
            assert wrong_parts(loaded(store.puzzle(1)), replace(parts, units=[unit for unit in parts.units if unit != left]))


@pytest.mark.full
@every("name, all_, distinct", [("soma", 11520, 480), ("pentominoes-6x10", 9356, 2339)])
def test_published_counts_in_parts(tmp_path, name, all_, distinct):
    for deep in (0, 1):
        there = Splitting()
        there.deep = deep
        _, found = done(tmp_path / f"{deep}", subjects([name]), there, parts=True)
        (one,) = found.values()
        assert (one.counts["all"], one.counts["distinct"]) == (all_, distinct)


@pytest.mark.full
def test_random_puzzles_in_parts_against_the_plain_count(tmp_path):
    draw, compared = Random(5), 0
    for number in range(tries(40)):
        subject = subject_of(f"random-{number}", random_puzzle(draw), {})
        try:
            truth = count(loaded(subject).instance, Plan((LISTING,), budget=0)).counts
            _, found = done(tmp_path / f"{number}", [subject], Splitting(), parts=True)
        except (PuzzleError, NotSupportedError):
            continue
        counts = found[subject.name].counts
        if counts:
            assert (counts["all"], counts["distinct"]) == (truth.all, truth.distinct)
            compared += 1
    assert compared > tries(20)


def test_a_total_exists_only_if_every_row_of_the_split_is_there_and_settled(path):
    done(path, [board(4, 4)], Splitting(), parts=True)
    rows = [unit for unit in units(path) if unit.state == "settled" and unit.parent is not None]
    with open_store(path, heading()) as store:
        assert store.units_of(1).complete
        before = store.units_of(1).findings
        store.connection.execute("SAVEPOINT here")
        for change in ("DELETE FROM units WHERE id = ?", "UPDATE units SET state = 'open', result = NULL WHERE id = ?"):
            store.connection.execute(change, (rows[0].id,))
            assert not store.units_of(1).complete
            assert "all" not in store.units_of(1).findings.counts
            store.connection.execute("ROLLBACK TO here")
        assert store.units_of(1).findings == before


def test_processes_that_die_are_replaced_and_one_unit_after_three_deaths_is_set_aside(path):
    draw = Random(1)
    end, found = done(path, [board(4, 4), board(4, 5)], Pretended(dies=lambda _: draw.random() < 0.2))
    assert end.complete
    assert [one.counts["all"] for one in found.values()] == [36, 95]
    end, _ = done(path.with_name("b"), [board(4, 4)], Pretended(dies=lambda _: True))
    assert (end.complete, end.states["open"]) == (False, 0)
    assert str(units(path.with_name("b"))[0].why).startswith(f"3 processes did not answer it: {ENDED}")
    assert "set aside: the next start tries again" in end.sentences[0]
    end, found = done(path.with_name("b"), [board(4, 4)], Pretended())
    assert end.complete
    assert found["board-4x4"].counts["all"] == 36


@every("counted", ["part", "count"])
def test_evidence_for_something_else_than_the_question_settles_nothing(tmp_path, counted):
    path = tmp_path / counted

    def lie(unit, answer):
        if unit.question.find != counted:
            return None
        shown = honest(
            unit.model_copy(update={"question": Question(find="solution"), "prefix": (), "answers": 0, "solver": None}).model_dump_json()
        )
        found = None if answer.claim.found is None else answer.claim.found + 1
        claim = Claim(verdict="solvable", found=found, problem=answer.claim.problem)
        return answer.model_copy(update={"claim": claim, "solution": shown.solution})

    there = Pretended(lie, liar=None, often=1.0)
    end, found = done(path, [board(4, 4)], there, COUNT, parts=counted == "part")
    assert there.told
    assert not end.complete
    assert not found["board-4x4"].counts
    _, found = done(path, [board(4, 4)], Pretended(), COUNT, parts=counted == "part")
    assert found["board-4x4"].counts["all"] == 36


def test_parts_that_always_take_too_long_end_the_run_and_are_tried_again(path):
    there = Pretended(LIES["too_long"], liar=None, often=1.0)
    end, found = done(path, [board(2, 3)], there, parts=True)
    assert not end.complete
    assert not found["board-2x3"].counts
    end, found = done(path, [board(2, 3)], Pretended(), parts=True)
    assert end.complete
    assert found["board-2x3"].counts["all"] == 3


class Hanging(Pretended):
    """Workers, one of which never answers until its process is killed."""

    hung = None

    def submit(self, unit):
        if self.hung is None:
            self.hung = Future()
            return self.hung
        busy = () if self.hung.done() else PLACES[:1]
        return super().submit(unit.model_copy(update={"apart": (*unit.apart, *busy)}))

    def give_up(self, future):
        future.cancel()


@pytest.fixture
def deadlines(monkeypatch):
    """Deadlines that pass at once."""
    monkeypatch.setattr(coordinator, "MIN_DEADLINE", 0.05)
    monkeypatch.setattr(coordinator, "DEADLINE_FACTOR", 0.0)


@pytest.mark.usefixtures("deadlines")
@every("places, step", [(PLACES[:2], Question(find="count", seconds=20.0)), (PLACES, Question(find="proof"))])
def test_a_process_that_hangs_is_killed_or_another_takes_its_unit(tmp_path, places, step):
    there = Hanging(places=places)
    end, found = done(tmp_path / "a", [board(4, 4)], there, (step,), patience=20.0)
    assert (end.complete, there.hung.cancelled(), found["board-4x4"].verdict) == (True, True, "solvable")


class Stuck(Here):
    """Checks of evidence that never end, until they are killed."""

    def __init__(self):
        self.future = Future()

    def submit(self, fn, /, *args, **kwargs):
        return self.future

    def kill(self):
        self.future.cancel()


@pytest.mark.usefixtures("deadlines")
def test_evidence_that_is_not_checked_in_time_shows_nothing(path):
    _, found = done(path, [board(4, 4)], Pretended(), (Question(find="solution", seconds=20.0),), inspectors=Stuck, patience=20.0)
    (unit,) = units(path)
    assert (found["board-4x4"].verdict, unit.result.shown, unit.confirmed) == ("solvable", False, False)
    assert not found["board-4x4"].solution, "nothing has checked it"


def test_a_run_waits_for_workers_that_come_later(path):
    there, workers = Pretended(), iter([0] * 5)
    there.free = lambda: next(workers, 1)
    end, found = done(path, [board(4, 4)], there, COUNT, patience=20.0)
    assert (end.complete, found["board-4x4"].counts["all"]) == (True, 36)


class Between:
    """A connection that lets another coordinator work and end while this one changes locks."""

    def __init__(self, connection, path, words):
        self.connection, self.path, self.words = connection, path, words

    def __getattr__(self, name):
        return getattr(self.connection, name)

    def execute(self, words, *values):
        cursor = self.connection.execute(words, *values)
        if words == self.words:
            self.words = None
            with open_store(self.path, heading()):
                pass
        return cursor


@every("words", ["COMMIT", "ROLLBACK"])
def test_a_coordinator_writes_nothing_after_another(tmp_path, words):
    path = tmp_path / words
    with pytest.raises(PuzzleError, match="another puzzlesat has taken over"), open_store(path, heading()) as store:
        store.connection = Between(store.connection, path, words)
        with store.change():
            store.note(first="1")
            if words == "ROLLBACK":
                raise LookupError


def test_one_process_alone_settles_nothing_that_has_no_evidence(path):
    end, found = done(path, [board(4, 4)], Pretended(places=PLACES[:1]), COUNT, patience=0.1)
    assert not end.complete
    assert not found["board-4x4"].counts
    assert end.why is not None
    end, found = done(path, [board(4, 4)], Pretended(places=PLACES[1:2]), COUNT)
    assert found["board-4x4"].counts["all"] == 36
    assert len(units(path)[0].answers) == 2


def test_whatever_a_worker_cannot_do_is_said_and_tried_again_and_the_next_step_follows(path):
    refusal = {"outcome": "failed", "claim": Claim(), "sentences": ("no memory",), "solution": (), "certificate": None}
    steps = (Question(find="proof", seconds=20.0), *COUNT)
    failing = Pretended(lambda unit, answer: answer.model_copy(update=refusal) if unit.question.find == "proof" else None, None, 1.0)
    end, found = done(path, [board(4, 4)], failing, steps)
    assert [unit.why for unit in units(path)] == ["no memory", None]
    assert (end.complete, found["board-4x4"].counts["all"]) == (False, 36)
    assert done(path, [board(4, 4)], Pretended(), steps)[0].complete


def test_a_run_that_is_done_has_nothing_to_do_and_raised_limits_go_on(path):
    first = Pretended()
    done(path, [board(4, 4)], first)
    again = Pretended()
    end, _ = done(path, [board(4, 4)], again)
    assert (end.complete, again.answers) == (True, 0)
    end, found = done(path, [board(4, 4), board(2, 3)], again)
    assert again.answers
    assert set(found) == {"board-4x4", "board-2x3"}


def test_a_second_coordinator_is_refused_whatever_the_file_is_called(path, tmp_path):
    done(path, [board(2, 3)], Pretended())
    link = tmp_path / "link.sqlite"
    link.symlink_to(path)
    with open_store(path, heading()):
        for name in (path, link):
            with pytest.raises(PuzzleError, match="another puzzlesat is at work"), open_store(name, heading()):
                pass
        with open_to_read(path) as store:
            assert len(list(store.rows())) == 1
    hard = tmp_path / "hard.sqlite"
    hard.hardlink_to(path)
    with pytest.raises(PuzzleError, match="hard link"), open_store(hard, heading()):
        pass


def test_stores_of_other_studies_and_versions_are_refused_in_one_sentence(path, tmp_path):
    done(path, [board(2, 3)], Pretended())
    with pytest.raises(PuzzleError, match="another study, 'pretended'"), open_store(path, replace(heading(), digest="other")):
        pass
    old = tmp_path / "old.sqlite"
    with closing(sqlite3.connect(old)) as connection, connection:
        connection.execute("CREATE TABLE meta (key TEXT, value TEXT)")
        connection.execute("INSERT INTO meta VALUES ('version', '0.13.0')")
    for opened in (open_store(old, heading()), open_to_read(old)):
        with pytest.raises(PuzzleError, match=r"puzzlesat 0\.13\.0 wrote this store, .*pip install puzzlesat==0\.13\.0"), opened:
            pass
    other = tmp_path / "text.sqlite"
    other.write_text("This is a text, and no database. " * 100)
    with pytest.raises(PuzzleError, match="not a store of a run"), open_to_read(other):
        pass
    with pytest.raises(PuzzleError, match="no such file"), open_to_read(tmp_path / "none"):
        pass


@every("change", ["answers = json_set(answers, '$[0].answer.claim.counts.all', 40)", "result = json_set(result, '$.claim.counts.all', 40)"])
def test_a_changed_store_is_not_believed(tmp_path, change):
    path = tmp_path / "a"
    done(path, [board(4, 4)], Pretended())
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(f"UPDATE units SET {change} WHERE question LIKE '%count%'")
    with open_to_read(path) as store:
        (row,) = store.rows()
        assert (row.verdict, row.all) == ("disputed", None)
        assert store.review()["wrong"]
        assert overview(store, [row])["disagrees"]


def test_two_stores_are_merged_by_their_rows(tmp_path):
    parts = [tmp_path / name for name in "ab"]
    done(parts[0], [board(4, 4), board(2, 3)], Pretended())
    done(parts[1], [board(4, 5), board(2, 3)], Pretended(seed=1, places=(("three", 5), ("three", 6))))
    merged = merge(parts, tmp_path / "c")
    assert (merged["puzzles"], merged["unlike"]) == (3, 0)
    assert merged["compared"] > 0
    again = Pretended()
    end, found = done(tmp_path / "c", [board(4, 4), board(2, 3), board(4, 5)], again)
    assert (end.complete, again.answers) == (True, 0)
    assert {one.counts["all"] for one in found.values()} == {36, 3, 95}


def test_work_that_was_split_in_two_ways_is_merged(tmp_path):
    done(tmp_path / "a", [board(4, 4)], Splitting(), parts=True)
    whole = Splitting(places=(("three", 5), ("three", 6)))
    whole.deep = 0
    done(tmp_path / "b", [board(4, 4)], whole, parts=True)
    for one, other in ("ab", "ba"):
        target = tmp_path / f"{one}{other}"
        merge([tmp_path / one, tmp_path / other], target)
        with open_to_read(target) as store:
            assert store.units_of(1).complete
            assert store.units_of(1).findings.counts["all"] == 36
            assert store.review()["wrong"] == []


def test_answers_of_two_places_settle_together_what_one_could_not(tmp_path):
    for number, name in enumerate("ab"):
        done(tmp_path / name, [board(4, 4)], Pretended(places=PLACES[number : number + 1]), COUNT, patience=0.1)
    merged = merge([tmp_path / "a", tmp_path / "b"], tmp_path / "c")
    assert (merged["compared"], merged["unlike"]) == (1, 0)
    with open_to_read(tmp_path / "c") as store:
        assert store.units_of(1).findings.counts["all"] == 36


def test_any_executor_does_the_work(path):
    """Uses threads; other tests use separate processes, as on a cluster."""
    with ThreadPoolExecutor(2) as executor:
        _, found = done(path, [board(2, 3)], ExecutorWorkers(executor, 2, answering=as_two), EVERY)
    assert found["board-2x3"].counts["all"] == 3


SEEDS = count_up()


def as_two(text):
    """Answer as if each answer came from another process."""
    return Pretended(seed=next(SEEDS)).submit(Unit.model_validate_json(text)).result()


def test_time_left_is_known_when_something_is_done(path):
    done(path, [board(4, 4)], Splitting(), parts=True)
    with open_store(path, heading()) as store, suppress(LookupError), store.change():
        store.connection.execute("UPDATE units SET state = 'open', result = NULL WHERE id % 2")
        seen = forecast(store)
        raise LookupError
    assert 0 <= seen["low"] <= seen["seconds"] <= seen["high"]
    assert seen["seconds"] > 0


def test_evidence_is_looked_at_again(path):
    done(path, [board(4, 4), board(4, 4, missing=[(0, 0), (3, 3)])], Pretended())
    with open_to_read(path) as store:
        seen = store.review()
    assert (seen["wrong"], seen["solutions"] > 0, seen["certificates"] > 0) == ([], True, True)
