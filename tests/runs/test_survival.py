"""What a run must survive, with real processes: kills, a full disk, two who write. ``try_kills.py`` goes on for longer."""

import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from contextlib import closing

import pretend
import pytest
from liar import within
from try_kills import PROGRAM, SECONDS, VICTIMS, Lost, look, one_run, start

from puzzlesat.studies import coordinator, store
from puzzlesat.studies.opening import StudyHeading, open_store
from tiers import every

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="which processes a program has started is asked of Linux")
POSIX = pytest.mark.skipif(sys.platform == "win32", reason="signals and limits are others there")


def finish(path, numbers, *options, known=()):
    """Run to the end, and see that the total is exact, and that the known answers are still there."""
    program = start(path, numbers, *options)
    assert program.communicate(timeout=SECONDS)[0] == "complete\n"
    assert look(path, numbers, known)[1]


@LINUX
@pytest.mark.parametrize(("seed", "most"), [pytest.param(2, 10, marks=pytest.mark.full), pytest.param(3, 80, marks=pytest.mark.slow)])
def test_kills_at_random_moments(path, seed, most):
    kills = Counter()
    one_run(path, 100 * most, random.Random(seed), most, kills, longest=0.4, options=("--sleep", 0.003))
    assert sum(kills.values()) > most // 4  # it may be done before that
    assert set(kills) <= set(VICTIMS)


@POSIX
def test_a_kill_and_a_resume(path):
    program = start(path, 60, "--jobs", 1, "--sleep", 0.03)
    while not answered(path) and program.poll() is None:
        time.sleep(0.01)
    program.kill()
    program.communicate(timeout=SECONDS)
    known, complete = look(path, 60, [])
    assert known
    assert not complete
    finish(path, 60, "--jobs", 1, "--sleep", 0.03, known=known)


def answered(path):
    """How many answers a store has now."""
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute("SELECT count(*) FROM answers").fetchone()[0]


def test_what_is_lost_or_twice_is_seen(path):
    """The judge of the test above, and of the command."""
    heading = StudyHeading("pretended", "10", "{}", audit=0.0)
    with open_store(path, heading) as kept:
        kept.add([(pretend.SUBJECT, [pretend.task(10)])])
        coordinator.run(kept, within())
    known, complete = look(path, 10, [])
    assert complete
    columns = "role, counts, result, complete, solver, host, process, version, cpu, wall, work, at"
    spoils = {
        "an answer is gone": "DELETE FROM answers WHERE id = 3",
        "a number is counted twice": "UPDATE answers SET result = (SELECT result FROM answers WHERE id = 3) WHERE id = 4",
        "answered twice": f"INSERT INTO answers (unit, {columns}) SELECT 1, {columns.replace('counts', '0')} FROM answers WHERE id = 1",
        "a key that leads nowhere": "UPDATE answers SET unit = 99 WHERE id = 5",
        "a total is wrong": """UPDATE answers SET result = replace(result, '"found":', '"found":1') WHERE id = 4""",
    }
    whole = path.read_bytes()
    for words, spoil in spoils.items():
        with closing(sqlite3.connect(path)) as other:
            other.execute(spoil)
            other.commit()
        with pytest.raises(Lost, match=words):
            look(path, 10, known if "gone" in words else [])
        path.write_bytes(whole)
    look(path, 10, known)


@POSIX
@pytest.mark.slow
@every("number", [signal.SIGTERM, signal.SIGINT])
def test_it_ends_in_good_order_when_told_to(tmp_path, number):
    """Meanwhile a second one is refused, and disturbs nothing."""
    path = tmp_path / "study.sqlite"
    program = start(path, 150, "--sleep", 0.01)
    program.send_signal(signal.SIGSTOP)  # it must not be done before the second one begins
    second = subprocess.run([sys.executable, PROGRAM, path, "150"], capture_output=True, text=True, timeout=SECONDS)
    program.send_signal(number)
    program.send_signal(signal.SIGCONT)
    said = program.communicate(timeout=SECONDS)[0]
    assert second.returncode == 2
    assert second.stdout.startswith(f"refused: {path}: process {program.pid} is using it")
    assert second.stdout.count("\n") == 1
    assert program.returncode == 3
    assert said.startswith("stopped\n")
    assert "run it again to resume" in said
    finish(path, 150, "--sleep", 0.01, known=look(path, 150, [])[0])


@POSIX
@pytest.mark.full
def test_a_disk_that_fills(path):
    """Files that may not grow beyond a size stand for it; what was answered stays, and it goes on once there is room."""
    program = start(path, 1500, "--sleep", 0, "--bytes", 150_000)
    said = program.communicate(timeout=SECONDS)[0]
    assert program.returncode == 3
    assert said.startswith(f"stopped\n{path}: ")
    assert "lack of space" in said
    known, complete = look(path, 1500, [])
    assert known
    assert not complete
    finish(path, 1500, "--sleep", 0, known=known)


@pytest.mark.full
def test_a_database_that_is_full(path):
    with open_store(path, StudyHeading("pretended", "1", "{}", audit=0.0)) as kept:
        kept.add([(pretend.SUBJECT, [pretend.task(300)])])
        pages = kept.connection.execute("PRAGMA page_count").fetchone()[0]
        kept.connection.execute(f"PRAGMA max_page_count = {pages + 4}")
        end = coordinator.run(kept, within())
        assert "no space left" in end.why
        known = list(kept.answers())
        assert known
        assert kept.counts_by_state() == dict(end.states)
        kept.connection.execute("PRAGMA max_page_count = 100000")
        assert coordinator.run(kept, within()).complete
        assert list(kept.answers())[: len(known)] == known
        assert kept.counts_by_state()[store.DONE] == 300
    assert look(path, 300, [])[1]
