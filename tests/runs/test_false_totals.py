"""Ways to a wrong total, or to a lost store, that are closed: each test takes one of them."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from types import SimpleNamespace

import pytest
from pretend import CROSS, LIES, PLACES, Here, Pretended, board, done, heading, honest
from test_coordinator import COUNT, units

from puzzlesat.base import VERSION, NoRoomError, PuzzleError
from puzzlesat.counting.plan import Plan
from puzzlesat.studies import check_in_store, merge
from puzzlesat.studies import store as stores
from puzzlesat.studies.coordinator import Coordinator, RunOptions
from puzzlesat.studies.settle import Given, UnitRow, look_at, wrong_parts
from puzzlesat.studies.store import open_store, open_to_read
from puzzlesat.studies.units import Answer, Claim, Question, Unit, loaded
from puzzlesat.studies.work import _answer_by

OPTIONS = RunOptions(inspectors=Here, patience=1.0)


def a_unit(find, subject, **values):
    return Unit(version=VERSION, number=1, subject=subject, question=Question(find=find), **values)


def test_the_coordinator_decides_which_solver_counts_again(path):
    end, found = done(path, [board(4, 4)], Pretended(LIES["another_solver"], liar=None, often=1.0), COUNT)
    assert (end.complete, found["board-4x4"].counts) == (False, {})
    unit = a_unit("count", board(4, 4), solver="tally", answers=1)
    answer = honest(unit.model_dump_json())
    assert answer.is_to(unit)
    for name in ("backtrack", "a new one", ""):
        assert not answer.model_copy(update={"solver": name}).is_to(unit)
    assert not answer.model_copy(update={"solver": "a new one"}).is_to(unit.model_copy(update={"solver": None}))


def test_other_names_of_solvers_confirm_no_argument():
    one = honest(a_unit("proof", board(3, 5)).model_dump_json())
    answers = [Given(answer=one.model_copy(update={"process": n, "solver": f"{n}", "certificate": None})) for n in (1, 2)]
    row = UnitRow(puzzle=1, question=Question(find="proof"), answers=tuple(answers)).decided()
    assert (row.claim.verdict, row.confirmed) == ("impossible", False)


def test_a_child_does_not_state_its_own_process():
    unit = a_unit("count", board(2, 3))
    child = SimpleNamespace(
        process=SimpleNamespace(pid=7), ask=lambda _, unit: honest(unit.model_dump_json()).model_copy(update={"process": 8})
    )
    assert Answer.model_validate_json(_answer_by(child, unit)).process == 7


def test_a_certificate_shows_nothing_but_that_there_is_no_solution():
    subject = board(5, 2, tiles=CROSS, name="crosses")
    answer = honest(a_unit("proof", subject).model_dump_json())
    assert look_at(subject, answer).shows
    assert not look_at(subject, answer.model_copy(update={"claim": answer.claim.model_copy(update={"check": "confirmed"})})).shows


def test_workers_that_always_say_that_they_were_stopped_end_the_run(path):
    there = Pretended(lambda _, answer: answer.model_copy(update={"outcome": "stopped", "claim": Claim()}), liar=None, often=1.0)
    assert done(path, [board(2, 3)], there, COUNT)[0].states["set aside"] == 1


def test_the_parts_are_checked_also_if_another_unit_of_the_puzzle_is_open(path, monkeypatch):
    monkeypatch.setattr(stores, "wrong_parts", lambda *_: ["a part is missing"])
    with open_store(path, heading()) as store:
        coordinator = Coordinator(store, (), Pretended(), OPTIONS)
        with store.change():
            number = store.add_puzzle(board(4, 4))
            coordinator.begin_parts(number, COUNT[0])
            store.add_unit(UnitRow(puzzle=number, question=Question(find="check")))
        assert not coordinator.run().complete
        assert not store.units_of(number).complete


def test_other_problems_than_those_of_the_puzzle_make_no_total(path):
    done(path, [board(4, 4)], Pretended(), parts=True)
    with open_to_read(path) as store:
        parts, puzzle = store.units_of(1), loaded(store.puzzle(1))
    assert wrong_parts(puzzle, parts) == []
    few = dict(list(parts.facts.problem_of.items())[:1])
    for change in ({"turns": 7}, {"problem_of": few}):
        assert wrong_parts(puzzle, replace(parts, facts=parts.facts.model_copy(update=change)))


def test_two_settled_answers_that_differ_settle_nothing_in_a_merged_store(tmp_path):
    done(tmp_path / "a", [board(4, 4)], Pretended(places=PLACES[:2]), COUNT)
    done(tmp_path / "b", [board(4, 4)], Pretended(LIES["wrong_count"], liar=None, often=1.0, places=PLACES[2:]), COUNT)
    for one, other in ("ab", "ba"):
        target = tmp_path / f"{one}{other}"
        assert merge([tmp_path / one, tmp_path / other], target)["unlike"] == 1
        with open_to_read(target) as store:
            (row,) = store.rows()
        assert (row.verdict, row.all) == ("disputed", None)
        end, found = done(target, [board(4, 4)], Pretended(places=(("three", 5),)), COUNT)
        assert (end.complete, found["board-4x4"].counts["all"]) == (True, 36)


def test_the_parts_of_a_merged_store_are_checked(tmp_path, monkeypatch):
    for number, name in enumerate("ab"):
        done(tmp_path / name, [board(4, 4)], Pretended(seed=number), parts=True)
    monkeypatch.setattr("puzzlesat.studies.store.wrong_parts", lambda *_: ["a part is missing"])
    merge([tmp_path / "a", tmp_path / "b"], tmp_path / "c")
    with open_to_read(tmp_path / "c") as store:
        assert not store.units_of(1).complete


def test_answers_of_another_unit_are_seen(path):
    done(path, [board(4, 4)], Pretended(), COUNT)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE units SET prefix = '[1]'")
    with open_to_read(path) as store:
        assert store.faults()


@pytest.mark.parametrize("error", ["database is locked", "disk I/O error"])
def test_a_coordinator_that_comes_second_to_a_new_file_does_not_remove_it(path, monkeypatch, error):
    def fail(connection, *_):
        connection.execute("CREATE TABLE meta (key)")  # by the first coordinator
        raise sqlite3.OperationalError(error)

    monkeypatch.setattr(stores, "_prepare", fail)
    with pytest.raises(PuzzleError), open_store(path, heading()):
        pass
    assert path.exists()


def test_a_full_disk_is_reported_as_such(path):
    with pytest.raises(NoRoomError, match="no space left"), open_store(path, heading()) as store, store.change():
        store.connection.execute("ROLLBACK")  # as SQLite does itself
        raise sqlite3.OperationalError("database or disk is full")


def test_a_reader_does_not_delay_the_coordinator(path):
    done(path, [board(2, 3)], Pretended(), COUNT)
    with open_to_read(path) as reader, open_store(path, heading()) as store:
        store.connection.execute("PRAGMA busy_timeout = 0")
        with store.change():
            store.note(written="1")
        assert "written" not in reader.meta


def test_a_store_of_checks_knows_other_checks_and_no_damaged_results(path):
    told = []

    def check(subjects, there):
        return check_in_store(path, subjects, Plan(), there, OPTIONS, lambda name, *_: told.append(name))

    boards = [board(2, 3), board(4, 4)]
    assert check(boards, Pretended(LIES["no_answer"], liar=None, often=1.0)).states["set aside"] == 2
    told.clear()
    assert check(boards[:1], Pretended()).complete
    assert told == ["board-2x3"]
    assert len(units(path)) == 1
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE units SET answers = json_set(answers, '$[0].answer.report', '{}')")
        connection.execute("UPDATE meta SET value = '0' WHERE key = 'chain'")
    with pytest.raises(PuzzleError, match="changed or damaged"):
        check(boards[:1], Pretended())
