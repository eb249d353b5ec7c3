"""The file of a run: what it takes, what it refuses, and that nothing in it is lost or counted twice."""

import os
import re
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from puzzlesat.base.errors import PuzzleError
from puzzlesat.studies import audit, opening, store
from puzzlesat.studies.opening import StudyHeading, open_store, open_to_read
from puzzlesat.studies.units import AGAIN, AUDIT, FIRST, THIRD, Answer, Subject
from tiers import every

HEADING = StudyHeading("a study", "digest", '{"name":"a study"}', audit=0.0)
TWICE = replace(HEADING, audit=1.0)
OPENED = (lambda path: open_store(path, HEADING), open_to_read)
SUBJECT = Subject("one", "key 1", {"form": {"b": 2, "a": 1}}, {"mine.toml": "name = 'mine'\n"})
TASK = {"do": "pretend", "number": 1}
ROOT = pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everywhere")


PROCESSES = {FIRST: 7, AUDIT: 8, THIRD: 9, AGAIN: 10}


def answer(unit=1, role=FIRST, found=5, **others):
    """An answer, in each role from another process."""
    said = {"host": "here", "process": PROCESSES[role], "solver": "tally", "version": "9"} | others
    return Answer(unit, role, {"found": found, "parts": [[0, 1]]}, **said)


def integrity(path):
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
        return connection.execute("PRAGMA integrity_check").fetchone()[0]


def states(found):
    return {state: number for state, number in found.counts_by_state().items() if number}


@contextmanager
def refused(*words):
    with pytest.raises(PuzzleError) as error:
        yield
    assert len(error.value.problems) == 1
    assert "\n" not in str(error.value)
    for word in words:
        assert word in str(error.value)


def test_what_is_written_is_read_again(path):
    result = {"found": 10**40, "parts": [[0, 1]], "names": ["ä", "日本"]}
    full = Answer(
        1, FIRST, result, [{"do": "pretend", "number": 2}], True, None, "tally", "here", 7, "9", 1.5, 2.5, {"nodes": 3}, b"\0proof"
    )
    with open_store(path, HEADING) as kept:
        kept.add([(SUBJECT, [TASK])])
        assert kept.job(1).subject == SUBJECT
        assert list(kept.job(1).subject.table["form"]) == ["b", "a"]  # the order of keys may matter
        [change] = kept.record([full])
        assert (change.was, change.state, change.new) == (store.OPEN, store.DONE, 1)
    with open_to_read(path) as kept:
        assert kept.study == {"name": "a study"}
        assert kept.meta.keys() == {"name", "digest", "version", "at", "audit", "head", "puzzles"}
        assert list(kept.subjects()) == [(1, SUBJECT)]
        first, second = kept.units()
        assert (first.task, first.state, first.parent) == (TASK, store.DONE, None)
        assert (second.task, second.state, second.parent) == ({"do": "pretend", "number": 2}, store.OPEN, 1)
        assert list(kept.units(subject=1)) == [first, second]
        [read] = kept.answers()
        assert read.result == result
        assert (read.cpu, read.wall, read.work, read.counts) == (1.5, 2.5, {"nodes": 3}, True)
        assert kept.certificate(read.certificate) == b"\0proof"
        assert kept.cpu_seconds() == (1, 1.5)
    assert sorted(file.name for file in path.parent.iterdir()) == [path.name]  # at rest it is one file
    assert integrity(path) == "ok"


def test_of_two_runs_that_write_one_store_the_second_to_answer_ends(path):
    """The lock was deleted, and each went on with a chain of its own: the store was broken, and nobody said so."""
    with open_store(path, TWICE) as one:
        one.add([(SUBJECT, [TASK, {"do": "pretend", "number": 2}])])
        path.with_name(f"{path.name}.lock").unlink()
        with open_store(path, TWICE) as other:
            one.record([answer()])
            for write in (lambda: other.record([answer()]), lambda: other.set_aside(2, "why")):
                with refused("another run has written", str(path)):
                    write()
            one.record([answer(unit=2)])
    with open_to_read(path) as kept:
        assert len([*kept.answers()]) == 2
        assert [*audit.breaks(kept.connection, kept.meta["digest"])] == []


def test_a_store_that_has_another_name_is_refused(path):
    """Each name has a log of its own, and what one run writes is lost by the other."""
    with open_store(path, HEADING):
        pass
    path.with_name("link").hardlink_to(path)
    with refused("hard link", str(path)), open_store(path, HEADING):
        pass


def test_counts_are_in_text_of_any_length(path):
    """SQLite's own integers end at 2^63, and beyond that it makes them floats without a word."""
    with open_store(path, TWICE) as kept:
        kept.add([(SUBJECT, [TASK])])
        kept.record([answer(found=2**63 + 1)])
        kept.record([answer(role=AUDIT, found=2**63 + 2)])
        assert states(kept) == {store.DISPUTED: 1}
        assert [one.result["found"] for one in kept.answers(1, standing=False)] == [2**63 + 1, 2**63 + 2]


def test_what_is_there_is_not_added_again(path):
    other = replace(SUBJECT, name="two", key="key 2")
    with open_store(path, HEADING) as kept:
        kept.add([(SUBJECT, [TASK])])
        kept.record([answer(follow=[{"do": "pretend", "number": 2}])])
    with open_store(path, HEADING) as kept:  # files were added to a folder, and a step to the study
        kept.add([(SUBJECT, [{"number": 1, "do": "pretend"}, {"do": "further"}]), (other, [TASK])])
        assert [(unit.subject, unit.task, unit.parent, unit.state) for unit in kept.units()] == [
            (1, TASK, None, store.DONE),
            (1, {"do": "pretend", "number": 2}, 1, store.OPEN),
            (1, {"do": "further"}, None, store.OPEN),
            (2, TASK, None, store.OPEN),
        ]


def test_an_answer_is_taken_once(path):
    follow = [{"do": "pretend", "number": 2}]
    with open_store(path, HEADING) as kept:
        kept.add([(SUBJECT, [TASK])])
        assert len(kept.record([answer(follow=follow), answer(follow=follow)])) == 1
        assert kept.record([answer(found=6, follow=follow), answer(role=AUDIT), answer(role=THIRD), answer(unit=99)]) == []
        assert len(list(kept.units())) == 2
        assert [one.result["found"] for one in kept.answers(standing=False)] == [5]


def test_all_answers_of_a_batch_are_recorded_or_none(path):
    with open_store(path, HEADING) as kept:
        kept.add([(SUBJECT, [TASK, {"do": "other"}])])
        with pytest.raises(ValueError, match="JSON"):
            kept.record([answer(1, follow=[{"do": "next"}]), replace(answer(2), result={"found": float("nan")})])
        assert list(kept.answers(standing=False)) == []
        assert states(kept) == {store.OPEN: 2}


SETTLED = [
    ([5], store.ANSWERED, 5, AUDIT),
    ([5, 5], store.ANSWERED, 5, AGAIN),
    ([5, 5, 5], store.DONE, 5, None),
    ([5, 6], store.DISPUTED, 5, THIRD),
    ([5, 6, 5, 5], store.ANSWERED, 5, AGAIN),  # somebody was caught, and five must say the same
    ([5, 6, 5, 5, 5, 5], store.DONE, 5, None),
    ([5, 6, 6, 6], store.ANSWERED, 6, AGAIN),
    ([5, 6, 7, 7, 7, 7, 7], store.DONE, 7, None),
    ([5, 6, 7, 8, 9, 10, 11], store.UNSETTLED, 5, None),
    ([5, 5, 5, 6], store.DONE, 5, None),  # nobody asked for the last one
]
"""What processes find, one after the other; the state of the unit then, the answer that stands, and the role of the next one."""


@every("found, state, standing, next_role", SETTLED, fast=6)
def test_processes_that_agree_settle_a_unit(tmp_path, found, state, standing, next_role):
    with open_store(tmp_path / "s", TWICE) as kept:
        kept.connection.execute("PRAGMA synchronous = OFF")
        kept.add([(SUBJECT, [TASK])])
        for process, number in enumerate(found):
            if not kept.is_left(1):
                assert kept.record([answer(role=AUDIT, found=number, process=process)]) == []
                found = found[:-1]
                continue
            job = kept.job(1)
            assert (job.known is None) == (job.role == FIRST) == (process == 0)
            kept.record([answer(role=job.role, found=number, process=process)])
        assert states(kept) == {state: 1}
        assert next_role is None or kept.job(1).role == next_role
        assert [one.result["found"] for one in kept.answers()] == [standing]
        assert [one.result["found"] for one in kept.answers(standing=False)] == found
        assert kept.places(1) == [("here", process) for process in range(len(found))]
        wrong = {process for process, number in enumerate(found) if number != standing and state in (store.DONE, store.ANSWERED)}
        assert {who.process for who in kept.caught()} == wrong


def test_what_cannot_be_done_is_set_aside_and_done_at_the_next_start(path):
    with open_store(path, TWICE) as kept:
        kept.add([(SUBJECT, [TASK, {"do": "other"}])])
        kept.record([replace(answer(1), result={}, error="too large"), answer(2)])
        kept.record([replace(answer(2, AUDIT), result={}, error="no memory")])
        assert states(kept) == {store.SET_ASIDE: 2}
        assert [unit.error for unit in kept.units()] == ["too large", "no memory"]
        assert kept.retry() == 2
        assert [kept.job(unit).role for unit in (1, 2)] == [FIRST, AUDIT]
        kept.record([answer(1), answer(2, AUDIT, found=6)])
        assert states(kept) == {store.ANSWERED: 1, store.DISPUTED: 1}
        kept.set_aside(2, "why not")
        assert [kept.blame(1, "it kills").state for _ in range(3)] == [store.ANSWERED, store.ANSWERED, store.SET_ASIDE]
        assert [(unit.deaths, unit.error) for unit in kept.units()] == [(3, "it kills"), (0, "why not")]
        kept.retry()
        assert [(unit.deaths, unit.error) for unit in kept.units()] == [(0, None), (0, None)]
        assert kept.job(2).role == THIRD


def made(path, heading=HEADING):
    with open_store(path, heading) as kept:
        kept.add([(SUBJECT, [TASK])])
    return path.read_bytes()


def test_a_store_of_another_study_is_refused(path):
    before = made(path)
    with refused("another study, 'a study'", str(path), "--store"), open_store(path, replace(HEADING, digest="other")):
        pytest.fail("it was opened")
    assert path.read_bytes() == before
    with open_store(path, replace(HEADING, audit=0.5, text='{"name":"again"}')) as kept:  # this may change
        assert kept.meta["audit"] == "0.5"
        assert kept.study == {"name": "again"}


NO_STORES = {
    "text": (b'name = "a study"\n' * 100, "not a store of a run"),
    "only a head": (b"SQLite format 3\0" + bytes(4000), ""),
    "foreign": (None, "another program"),
    "newer": (None, "newer puzzlesat"),
    "older": (None, "too old"),
}


@every("what, contents, words", [(what, *case) for what, case in NO_STORES.items()])
def test_a_file_that_is_no_store_is_refused_and_stays_as_it_is(tmp_path, what, contents, words):
    path = tmp_path / "a study.sqlite"
    if contents is not None:
        path.write_bytes(contents)
    else:
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("CREATE TABLE mine (a)")
            if what != "foreign":
                connection.execute(f"PRAGMA application_id = {store.APPLICATION}")
                connection.execute(f"PRAGMA user_version = {store.SCHEMA_VERSION + 1 if what == 'newer' else 0}")
            connection.commit()
    before = path.read_bytes()
    for opened in OPENED:
        with refused(str(path), words), opened(path):
            pytest.fail("it was opened")
        assert path.read_bytes() == before
        assert [file.name for file in tmp_path.iterdir()] == [path.name]


@every("size", [2, 100, 5000, 9000])
def test_a_store_that_was_cut_off_is_refused_or_said_to_be_damaged(tmp_path, size):
    path = tmp_path / "a study.sqlite"
    whole = made(path)
    path.write_bytes(whole[:size])
    with refused(str(path)), open_to_read(path) as kept:
        list(kept.units())
        list(kept.answers())
    with refused(str(path)), open_store(path, HEADING) as kept:
        kept.add([(SUBJECT, [TASK, {"do": "more"}])])
        kept.record([answer()])
    assert path.stat().st_size >= size


def test_a_folder_or_nothing_is_no_store(path, tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    for opened in OPENED:
        with refused(str(folder)), opened(folder):
            pytest.fail("it was opened")
    assert list(folder.iterdir()) == []
    with refused("no such file"), open_to_read(path):
        pytest.fail("it was opened")
    assert not path.exists()


def test_nothing_is_left_of_a_store_that_could_not_be_made(path, monkeypatch):
    monkeypatch.setattr(store, "TABLES", "CREATE TABLE meta (key)")
    with refused(str(path)), open_store(path, HEADING):
        pytest.fail("it was opened")
    assert list(path.parent.iterdir()) == []


def test_a_file_that_was_only_begun_is_made(path):
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
    path.with_name("empty").touch()
    for begun in (path, path.with_name("empty")):
        with refused("nothing in it"), open_to_read(begun):
            pytest.fail("it was opened")
        made(begun)
        assert integrity(begun) == "ok"


def test_an_older_store_becomes_one_of_this_version_or_stays_as_it_was(path, monkeypatch):
    made(path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("ALTER TABLE answers RENAME COLUMN wall TO clock")
        connection.execute("PRAGMA user_version = 1")
        connection.commit()
    monkeypatch.setattr(store, "MIGRATIONS", {1: lambda c: [c.execute("DELETE FROM units"), c.execute("SELECT nothing FROM units")]})
    with refused(str(path)), open_store(path, HEADING):
        pytest.fail("it was opened")
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT count(*) FROM units").fetchone() == (1,)
        assert connection.execute("PRAGMA user_version").fetchone() == (1,)
    monkeypatch.setattr(store, "MIGRATIONS", {1: lambda c: c.execute("ALTER TABLE answers RENAME COLUMN clock TO wall")})
    with refused("resume its run"), open_to_read(path):
        pytest.fail("it was opened")
    with open_store(path, HEADING) as kept:
        kept.record([answer()])
    with open_to_read(path) as kept:
        assert [one.wall for one in kept.answers()] == [0.0]


@ROOT
def test_a_folder_or_a_file_that_may_not_be_written(path):
    made(path)
    path.parent.chmod(0o555)
    try:
        with open_to_read(path) as kept:
            assert len(list(kept.units())) == 1
        for name in (path, path.with_name("new")):
            with refused(str(name)), open_store(name, HEADING):
                pytest.fail("it was opened")
    finally:
        path.parent.chmod(0o755)
    path.chmod(0o444)
    with refused(str(path), "may not be written"), open_store(path, HEADING):
        pytest.fail("it was opened")
    assert integrity(path) == "ok"


def test_a_second_writer_is_refused_also_by_another_name(path, monkeypatch):
    link = path.with_name("link.sqlite")
    link.symlink_to(path)
    monkeypatch.setattr(opening, "BUSY_SECONDS", 0.1)
    with open_store(path, HEADING) as kept:
        for name in (path, link):
            with refused(f"process {os.getpid()}", "is using it"), open_store(name, HEADING):
                pytest.fail("two write it")
        kept.add([(SUBJECT, [TASK])])
    made(link)
    with open_store(path, HEADING) as kept, closing(sqlite3.connect(path, isolation_level=None)) as other:  # another program
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(sqlite3.OperationalError, match="locked"):
            kept.record([answer()])
        other.execute("ROLLBACK")
        assert len(kept.record([answer()])) == 1


READING = """
import sqlite3, sys
connection = sqlite3.connect(f"file:{sys.argv[1]}?mode=ro", uri=True)
for _ in sys.stdin:
    print(connection.execute("SELECT count(*), sum(counts) FROM answers").fetchone(), flush=True)
"""


def test_others_may_read_while_it_is_written(path):
    """Another program, by SQLite alone, and ours; each sees what the last transaction left."""
    with open_store(path, HEADING) as kept:
        kept.add([(SUBJECT, [{"do": "pretend", "number": n} for n in range(5)])])
        with subprocess.Popen([sys.executable, "-c", READING, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
            for number in range(1, 6):
                kept.record([answer(number)])
                other.stdin.write("\n")
                other.stdin.flush()
                assert other.stdout.readline() == f"({number}, {number})\n"
                with open_to_read(path) as read:
                    assert states(read).get(store.DONE) == number
            other.stdin.close()
        with closing(sqlite3.connect(path, isolation_level=None)) as reader:  # one that reads for long keeps nobody from writing
            reader.execute("BEGIN")
            reader.execute("SELECT count(*) FROM units").fetchone()
            kept.add([(replace(SUBJECT, key="other"), [TASK])])


def test_a_store_that_lies_elsewhere_with_a_journal_is_read(path, tmp_path):
    """A copy made while it was written, with what the writer had not yet moved into the file itself."""
    copy = tmp_path / "copy"
    copy.mkdir()
    with open_store(path, HEADING) as kept:
        kept.add([(SUBJECT, [TASK])])
        kept.record([answer()])
        for beside in ("", "-wal", "-shm"):
            shutil.copy(f"{path}{beside}", copy)
    with open_to_read(copy / path.name) as read:
        assert states(read) == {store.DONE: 1}
    assert [file.name for file in copy.iterdir()] == [path.name]
    assert integrity(copy / path.name) == "ok"


PAGE = (Path(__file__).parents[2] / "docs/store.md").read_text(encoding="utf-8")


def sections():
    """The tables that the page describes, and the first column of each row below them."""
    found = {}
    for part in PAGE.split("\n### ")[1:]:
        name, _, text = part.partition("\n")
        rows = re.findall(r"^\| (`[^|]*`) \|", text.partition("\n## ")[0], re.MULTILINE)
        found[name] = [word for row in rows for word in re.findall(r"`([^`]+)`", row)]
    return found


def test_the_page_describes_every_column_and_state(path):
    made(path)
    said = sections()
    with closing(sqlite3.connect(path)) as connection:
        tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        assert sorted(said) == sorted(tables)
        for table in tables:
            columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
            if table == "units":
                columns += store.STATES
            if said[table]:
                assert said[table] == columns
    assert f"user_version` the version of the tables, now {store.SCHEMA_VERSION}" in PAGE
    assert f"{store.APPLICATION:#x}".upper().replace("X", "x") in PAGE


def test_the_examples_of_the_page_run(path):
    with open_store(path, TWICE) as kept:
        kept.add([(SUBJECT, [TASK])])
        kept.record([answer(cpu=3.0)])
        kept.record([answer(role=AUDIT, found=6)])
    first, second = re.findall(r"```sql\n(.*?)```", PAGE, re.DOTALL)
    [command] = re.findall(r'^sqlite3 -readonly study.sqlite "(.*)"', PAGE, re.MULTILINE)
    with closing(sqlite3.connect(path)) as connection:
        assert [row[2] for row in connection.execute(first)] == ["first", "audit"]
        assert connection.execute(second).fetchall() == [("one", 3.0)]
        assert connection.execute(command).fetchall() == [(store.DISPUTED, 1)]


DAMAGES = {
    "no JSON": "UPDATE units SET task = substr(task, 2)",
    "no task": """UPDATE units SET task = '{"dn": 1}'""",
    "a number for a task": "UPDATE units SET task = 7",
    "no table": """UPDATE subjects SET puzzle = '{"tabel": {}, "files": {}}'""",
    "no puzzle": "UPDATE subjects SET puzzle = x'ff00'",
    "no file": "DELETE FROM files",
    "no answer": "UPDATE answers SET result = 'nul'",
    "no text": "UPDATE answers SET result = CAST(x'22ff22' AS TEXT)",
    "no study": "DELETE FROM study",
}


@every("damage", DAMAGES)
def test_a_damaged_row_is_refused_in_a_sentence(tmp_path, damage):
    path = tmp_path / "a study.sqlite"
    with open_store(path, HEADING) as kept:
        kept.add([(SUBJECT, [TASK])])
        kept.record([answer()])
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(DAMAGES[damage])
        connection.commit()
    with refused(str(path), "damaged"), open_to_read(path) as kept:
        _ = kept.study, list(kept.subjects()), list(kept.units()), list(kept.answers()), list(kept.found(1))


def test_a_mistake_of_the_program_is_not_said_to_be_one_of_the_file(path):
    with open_store(path, HEADING):
        pass
    with pytest.raises(TypeError, match="of the program"), open_to_read(path):
        raise TypeError("of the program")
