"""Stores that were changed by hand, or damaged, and answers that confirm nothing: no count of these is believed."""

import shutil
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from answered import HEADING, SOLVED, answer, counted, puzzle

from puzzlesat.base.errors import PuzzleError
from puzzlesat.studies.merging import merge
from puzzlesat.studies.opening import chain_faults, open_store, open_to_read
from puzzlesat.studies.overviews import overview
from puzzlesat.studies.store import ANSWERED, DISPUTED, DONE, OPEN, UNSETTLED
from puzzlesat.studies.tables import row_of, table
from puzzlesat.studies.trust import trust_of
from puzzlesat.studies.units import Answer, Step, task_of
from tiers import every

ALWAYS = replace(HEADING, audit=1.0)
FACTS = {"problem_of": [["identity", "whole"]], "copies": None, "turns": None}
FIRST = task_of([Step("count", 60.0)])
PLAN = {"do": "parts", "plan": True}
NAMES = ("p", "q")


def parts(number, found):
    return {"parts": [{"of": "whole", "problem": "x", "parts": [[number]], "found": found}]}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A store with two puzzles, each counted in three parts: 1 + 2 + 3 solutions."""
    made = tmp_path_factory.mktemp("made") / "a"
    with open_store(made, HEADING) as store:
        store.add([(puzzle(name), [FIRST]) for name in NAMES])
        results = [SOLVED, {"puzzle": FACTS, "parts": []}, parts(1, 1), parts(2, 2), parts(3, 3)]
        follow = [[PLAN], [{"do": "parts", "parts": [n]} for n in (1, 2, 3)], [], [], []]
        for number in range(5):
            for unit in store.left(OPEN)[:2] if number < 2 else [u for u in store.left(OPEN) if store.job(u).task["parts"] == [number - 1]]:
                store.record([Answer(unit, "first", results[number], follow[number], solver="tally")])
    assert seen(made)[0] == [("p", "solvable", 6, 0), ("q", "solvable", 6, 0)]
    return made


@pytest.fixture
def path(tmp_path, made):
    return Path(shutil.copy(made, tmp_path / "a"))


def seen(path):
    """What is said of each puzzle, how many are faulty, and whether that ends with a failure."""
    with open_to_read(path) as store:
        rows = list(table(store))
        whole = overview(store, rows)
        broken = chain_faults(store)
        assert [row_of(store, number, subject, broken) for number, subject in store.subjects()] == rows
        return [(row.puzzle, row.verdict, row.all, row.left) for row in rows], whole


CHANGES = {
    "a unit is gone": (
        "DELETE FROM answers WHERE unit = 9; DELETE FROM units WHERE id = 9",
        "3 units followed from unit 4, and 2 are there",
    ),
    "a unit that others follow from is gone": (
        "DELETE FROM answers WHERE unit = 4; DELETE FROM units WHERE id = 4",
        "which does not exist",
    ),
    "an answer is gone": ("DELETE FROM answers WHERE unit = 9", "unit 9 is done, and has no accepted answer"),
    "an answer does not stand": ("UPDATE answers SET counts = 0 WHERE unit = 9", "unit 9 is done, and has no accepted answer"),
    "an answer failed": ("UPDATE answers SET error = 'no' WHERE unit = 9", "unit 9 is done, and has no accepted answer"),
    "a unit is there once more": (
        "INSERT INTO units (subject, parent, task, state) SELECT subject, parent, '{\"do\": \"parts\"}', 'open' FROM units WHERE id = 9",
        "3 units followed from unit 4, and 4 are there",
    ),
    "a unit is another puzzle's": ("UPDATE units SET subject = 1 WHERE id = 9", "3 units followed from unit 4, and 2 are there"),
    "a state that there is not": ("UPDATE units SET state = 'finished' WHERE id = 9", "'finished', which is not a state"),
    "a dispute is called done": (
        "INSERT INTO answers SELECT 99, unit, 'audit', 0, replace(result, '\"found\":3', '\"found\":4'), complete, error, solver, host,"
        " 2, version, cpu, wall, work, certificate, at, NULL, proof, digest FROM answers WHERE unit = 9",
        "its answers differ",
    ),
}


@every("change, words", [pytest.param(*values, id=name) for name, values in CHANGES.items()], fast=3)
def test_a_store_that_was_changed_is_noticed(tmp_path, made, change, words):
    path = tmp_path / "a"
    shutil.copy(made, path)
    with closing(sqlite3.connect(path)) as connection:
        last = connection.execute("SELECT id, subject FROM units ORDER BY id DESC LIMIT 1").fetchone()
        subject, plan = last[1], connection.execute("SELECT parent FROM units WHERE id = ?", (last[0],)).fetchone()[0]
        assert (subject, plan) == (2, 4)
        number = connection.execute("SELECT unit FROM answers WHERE result LIKE '%[[3]]%' ORDER BY unit DESC LIMIT 1").fetchone()[0]
        connection.executescript(change.replace(" 9", f" {number}"))
        connection.commit()
    rows, whole = seen(path)
    assert rows[1][:3] == ("q", "disputed", None)
    assert whole.disagrees
    assert any(words.replace("unit 9", f"unit {number}") in fault for fault in whole.faults), whole.faults
    with pytest.raises(PuzzleError, match="changed or damaged"):
        merge([path, path], path.with_name("merged"))


def test_a_merged_store_is_known_to_be_whole(path):
    merge([path, path], path.with_name("m"))
    assert seen(path.with_name("m"))[0] == seen(path)[0]
    with closing(sqlite3.connect(path.with_name("m"))) as connection:
        assert connection.execute("SELECT count(*) FROM answers WHERE counts AND follows IS NULL").fetchone() == (0,)
    with open_store(path, HEADING) as store:
        store.add([(puzzle("r"), [FIRST])])
        [unit] = store.left(OPEN)
        store.record([Answer(unit, "first", SOLVED, [PLAN])])
        store.forget(store.left(OPEN))
    assert not seen(path)[1].faults  # units that are forgotten are not missing


def as_version_1(path, *columns):
    """Make a store one of the first version of the tables, without some columns that came later."""
    with closing(sqlite3.connect(path)) as connection:
        for column in columns:
            connection.execute(f"ALTER TABLE answers DROP COLUMN {column}")
        connection.executescript("DROP TABLE caught; ALTER TABLE units DROP COLUMN alike; DELETE FROM meta WHERE key = 'head'")
        connection.execute("PRAGMA user_version = 1")


@every("columns", [("proof", "digest"), ("proof", "digest", "follows")])
def test_a_store_of_an_earlier_version_is_gone_on_with(tmp_path, made, columns):
    path = Path(shutil.copy(made, tmp_path / "a"))
    before = seen(path)[0]
    as_version_1(path, *columns)
    with pytest.raises(PuzzleError, match="an older puzzlesat made it; resume its run first"), open_to_read(path):
        pytest.fail("it was opened")
    with open_store(path, HEADING) as store:
        assert len(list(store.answers())) == 10
        store.add([(puzzle("r"), [FIRST])])
        store.record([Answer(store.left(OPEN)[0], "first", SOLVED, [PLAN])])
        follows = [1] if "follows" in columns else [1, 3, 0, 0, 0] * 2 + [1]
        found = store.connection.execute("SELECT follows FROM answers WHERE follows IS NOT NULL ORDER BY id")
        assert sorted(number for (number,) in found) == sorted(follows)
        assert store.connection.execute("SELECT count(*) FROM answers WHERE digest IS NULL").fetchone() == (0,)
    rows, whole = seen(path)
    assert not whole.faults
    assert rows[:2] == before
    assert (whole.trust.once, whole.trust.full) == (9, False)  # nobody has looked at anything


def audited(path, *results):
    """What answers of several processes come to, each in whatever role was next."""
    with open_store(path, ALWAYS) as store:
        store.add([(puzzle("p"), [FIRST])])
        for number, result in enumerate(results):
            role = store.job(1).role
            store.record([answer(1, result, role, solver=f"{role} {number}", process=number)])
        (unit,) = store.units()
    return unit.state, seen(path)[1].audits


@every("third", [{}, SOLVED])
def test_who_finds_nothing_out_settles_no_dispute(tmp_path, third):
    state, audits = audited(tmp_path / "a", counted(5), counted(6), third)
    assert (state, audits) == (DISPUTED, {"contradicted": 1})
    assert seen(tmp_path / "a")[0] == [("p", "disputed", None, 1)]
    state, audits = audited(tmp_path / "b", counted(5), counted(6), *[third] * 5)
    assert (state, audits) == (UNSETTLED, {"contradicted": 1})
    assert seen(tmp_path / "b")[0] == [("p", "disputed", None, 1)]


@pytest.mark.full
def test_who_finds_nothing_out_confirms_nothing(tmp_path):
    six = counted(6)
    assert audited(tmp_path / "a", six, six, six) == (DONE, {"confirmed": 1})
    assert audited(tmp_path / "b", six, six, {}) == (ANSWERED, {"confirmed": 1})
    assert audited(tmp_path / "c", six, {}) == (ANSWERED, {"not found out again": 1})
    assert audited(tmp_path / "d", six, SOLVED) == (ANSWERED, {"not found out again": 1})  # that there is one is not how many
    assert audited(tmp_path / "e", six, {}, SOLVED) == (DONE, {"not found out again": 1})  # nobody else can say; it rests on one
    for name in "cde":
        with open_to_read(tmp_path / name) as store:
            (row,) = table(store)
            assert (row.audited_by, row.agree) == ((), None)
            assert not trust_of(store).full
