"""Locks on files: one process at a time, whatever happens; with real processes, some of them killed."""

import os
import signal
import socket
import subprocess
import sys
from contextlib import contextmanager, suppress

import pytest

from puzzlesat.base import files
from puzzlesat.base.errors import PuzzleError
from real_programs import wait_until
from tiers import every

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="signals and processes are others there")
HOST = socket.gethostname()
SECONDS = 120
"""Timeout for a program to begin or to end, generous for a loaded machine."""

HOLDING = """
import sys
from pathlib import Path
from puzzlesat.base import files
with files.locked(Path(sys.argv[1]), "this"):
    print("held", flush=True)
    sys.stdin.read()
"""


@contextmanager
def python(code, *arguments):
    command = [sys.executable, "-c", code, *map(str, arguments)]
    program = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        yield program
    finally:
        program.kill()
        program.communicate(timeout=SECONDS)


def is_refused(lock, match):
    with pytest.raises(PuzzleError, match=match), files.locked(lock, "this"):
        pytest.fail("two are in it")


@pytest.mark.full
def test_another_process_is_refused_as_long_as_the_block_lasts(tmp_path):
    lock = tmp_path / "new" / "folder" / "lock"
    with python(HOLDING, lock) as program:
        assert program.stdout.readline() == "held\n"
        with pytest.raises(PuzzleError) as refused, files.locked(lock, "--disk here"):
            pytest.fail("two are in it")
        said = f"--disk here: process {program.pid} is using it; wait until it is done, or choose another; nothing was changed"
        assert refused.value.problems == (said,)
        assert lock.read_text() == f"{program.pid} {HOST}\n"
        assert program.communicate("", timeout=SECONDS) == ("", "")
        assert program.returncode == 0
    assert list(lock.parent.iterdir()) == []
    with files.locked(lock, "--disk here"):
        assert lock.read_text() == f"{os.getpid()} {HOST}\n"
    assert list(lock.parent.iterdir()) == []


@POSIX
@pytest.mark.full
@every("number", [signal.SIGKILL, signal.SIGTERM])
def test_the_lock_goes_with_a_process_that_is_killed(tmp_path, number):
    lock = tmp_path / "lock"
    with python(HOLDING, lock) as program:
        assert program.stdout.readline() == "held\n"
        program.send_signal(number)
        assert program.wait(timeout=SECONDS) == -number
    assert lock.read_text() == f"{program.pid} {HOST}\n", "it was killed, and could not remove it"
    with files.locked(lock, "this"):
        assert lock.read_text() == f"{os.getpid()} {HOST}\n"
    assert list(tmp_path.iterdir()) == []


def test_the_same_process_is_refused_too_and_keeps_the_lock_it_has(tmp_path, monkeypatch):
    lock = tmp_path / "lock"
    with files.locked(lock, "this"):
        for _ in range(2):
            is_refused(lock, f"process {os.getpid()} is using it")
        with files.locked(tmp_path / "other", "that"):
            assert sorted(p.name for p in tmp_path.iterdir()) == ["lock", "other"]
        assert lock.read_text() == f"{os.getpid()} {HOST}\n"
        monkeypatch.setattr(socket, "gethostname", lambda: "elsewhere")
        is_refused(lock, f"process {os.getpid()} of {HOST} is using it")
    for error in (ZeroDivisionError, KeyboardInterrupt, SystemExit):
        with pytest.raises(error), files.locked(lock, "this"):
            raise error
        assert list(tmp_path.iterdir()) == []
    (tmp_path / "file").touch()
    is_refused(tmp_path / "file" / "lock", r"^this: .*; choose a folder in which you may write$")


FORKING = """
import os, sys, time
from pathlib import Path
from puzzlesat.base import files
with files.locked(Path(sys.argv[1]), "this"):
    child = os.fork()
    if child == 0:
        if sys.argv[2] == "leaves the block":
            raise SystemExit
        os.close(1)
        time.sleep(1000)
    if sys.argv[2] == "leaves the block":
        os.waitpid(child, 0)
    print(child, flush=True)
    sys.stdin.read()
"""


def is_free(lock):
    with suppress(PuzzleError), files.locked(lock, "this"):
        return True


@pytest.mark.skipif(not hasattr(os, "fork"), reason="only where processes fork")
@pytest.mark.full
def test_a_child_does_not_keep_the_lock_of_a_process_that_is_killed(tmp_path):
    with python(FORKING, tmp_path / "lock", "stays") as program:
        child = int(program.stdout.readline())
        try:
            is_refused(tmp_path / "lock", f"process {program.pid} ")
            program.kill()
            program.wait(timeout=SECONDS)
            wait_until(lambda: is_free(tmp_path / "lock"), "the child to let go of it, as the first thing that it does")
            os.kill(child, 0)  # it lives
        finally:
            os.kill(child, signal.SIGKILL)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="only where processes fork")
@pytest.mark.full
def test_a_child_that_leaves_the_block_does_not_end_the_lock_of_its_parent(tmp_path):
    with python(FORKING, tmp_path / "lock", "leaves the block") as program:
        assert int(program.stdout.readline())
        is_refused(tmp_path / "lock", f"process {program.pid} ")


COUNTING = """
import sys
from pathlib import Path
from puzzlesat.base import files
from puzzlesat.base.errors import PuzzleError
lock, number, left = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
while left:
    try:
        with files.locked(lock, "this"):
            before = int(number.read_text())
            number.write_text(str(before + 1))
            left -= 1
    except PuzzleError as error:
        assert " is using it" in str(error), error
"""


@pytest.mark.full
def test_many_processes_are_never_in_the_block_together(tmp_path):
    """Each process removes the file again, at any moment for the others; a first draft of such locks failed here."""
    times, number = 60, tmp_path / "number"
    number.write_text("0")
    programs = [subprocess.Popen([sys.executable, "-c", COUNTING, tmp_path / "lock", number, str(times)]) for _ in range(3)]
    try:
        assert [program.wait(timeout=SECONDS) for program in programs] == [0] * len(programs)
    finally:
        for program in programs:
            program.kill()
    assert int(number.read_text()) == times * len(programs)
    assert list(tmp_path.iterdir()) == [number]
