"""The module that writes files: the result is always the old file or the complete new one."""

import errno
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
from itertools import product
from pathlib import Path
from zipfile import ZipFile

import pytest

from puzzlesat.base import files
from puzzlesat.proofs.case import new_certificate
from real_programs import PATIENCE
from tiers import every

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="files and signals are others there")


def names(folder):
    return sorted(p.name for p in folder.iterdir())


def contents(folder):
    return {name: (folder / name).read_bytes() for name in names(folder)}


def refused(target, error, match=None):
    for attempt in (files.check_writable, lambda path: files.write_file(path, b"new")):
        with pytest.raises(error, match=match) as caught:
            attempt(target)
        assert caught.value.filename == str(target)


def test_a_new_file_and_one_in_the_place_of_another(tmp_path):
    target = tmp_path / "ä b"
    files.write_file(target, "größer\n")
    assert target.read_bytes() == "größer\n".encode()
    files.write_file(target, b"\r\n")
    for name in ("ä b", "y"):
        files.check_writable(tmp_path / name)  # which changes nothing
    assert contents(tmp_path) == {"ä b": b"\r\n"}


@every("write, error", product([files.new_file, new_certificate], [ZeroDivisionError, KeyboardInterrupt, SystemExit]))
def test_the_old_file_stands_where_the_block_is_left(tmp_path, write, error):
    target = tmp_path / "x"
    target.write_bytes(b"old")
    with pytest.raises(error), write(target):
        assert target.read_bytes() == b"old"
        raise error
    assert contents(tmp_path) == {"x": b"old"}


@POSIX
def test_the_mode_is_that_of_the_old_file_or_of_any_new_one(tmp_path):
    before = os.umask(0o027)
    try:
        files.write_file(tmp_path / "new", b"")
    finally:
        os.umask(before)
    assert (tmp_path / "new").stat().st_mode & 0o7777 == 0o640
    for mode in (0o600, 0o666, 0o755, 0o444 if os.geteuid() == 0 else 0o644):
        (tmp_path / "new").chmod(mode)
        files.write_file(tmp_path / "new", b"again")
        assert (tmp_path / "new").stat().st_mode & 0o7777 == mode


@POSIX
@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give files away")
def test_root_leaves_a_file_to_its_owner(tmp_path):
    target = tmp_path / "x"
    target.touch()
    os.chown(target, 4321, 1234)
    files.write_file(target, b"new")
    assert (target.stat().st_uid, target.stat().st_gid, target.read_bytes()) == (4321, 1234, b"new")


@pytest.fixture
def as_user():
    """Run as a user other than root, because modes mean nothing to root; yield a folder of this user."""
    with tempfile.TemporaryDirectory() as folder:
        root = hasattr(os, "geteuid") and os.geteuid() == 0
        if root:
            os.chown(folder, 4321, 4321)
            os.setegid(4321)
            os.seteuid(4321)
        try:
            yield Path(folder)
        finally:
            if root:
                os.seteuid(0)
                os.setegid(0)


@POSIX
def test_files_and_folders_that_may_not_be_changed(as_user):
    target = as_user / "x"
    target.write_bytes(b"old")
    target.chmod(0o444)
    refused(target, PermissionError)
    target.chmod(0o644)
    as_user.chmod(0o555)
    refused(target, PermissionError, f"in the folder {as_user} no new file can be created")
    as_user.chmod(0o755)
    assert contents(as_user) == {"x": b"old"}


def test_names_that_no_file_can_have(tmp_path):
    for target, error in ((tmp_path / "no" / "x", FileNotFoundError), (tmp_path, IsADirectoryError)):
        with pytest.raises(error) as caught:
            files.write_file(target, b"new")
        assert caught.value.filename == str(target)
    longest = os.pathconf(tmp_path, "PC_NAME_MAX") if hasattr(os, "pathconf") else 255
    files.write_file(tmp_path / ("x" * longest), b"new")
    assert names(tmp_path) == ["x" * longest]
    refused(tmp_path / ("x" * (longest + 1)), OSError, "File name too long")


@POSIX
def test_a_link_stays_and_its_target_is_written(tmp_path):
    (tmp_path / "far").mkdir()
    (tmp_path / "one").symlink_to("two")
    (tmp_path / "two").symlink_to(Path("far", "real"))
    for text in ("dangling", "again"):
        files.write_file(tmp_path / "one", text)
        assert (tmp_path / "far" / "real").read_text() == text
    assert (tmp_path / "one").is_symlink() and (tmp_path / "two").is_symlink()
    (tmp_path / "round").symlink_to("round")
    with pytest.raises(OSError) as caught:
        files.write_file(tmp_path / "round", "x")
    assert caught.value.filename == str(tmp_path / "round")


@POSIX
def test_a_pipe_is_written_through_and_named_where_its_reader_goes_away(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()
    with new_certificate(pipe) as archive:
        with archive.open("member", "w", force_zip64=True) as stream:
            stream.write(bytes(1_000_000))
        archive.writestr("other", "text")
    reader.join()
    copy = tmp_path / "copy"
    copy.write_bytes(read[0])
    with ZipFile(copy) as archive:
        assert archive.testzip() is None
        assert (archive.read("member"), archive.read("other")) == (bytes(1_000_000), b"text")
    assert pipe.is_fifo()
    assert names(tmp_path) == ["copy", "pipe"]
    reader = threading.Thread(target=lambda: pipe.open("rb").close())
    reader.start()
    with pytest.raises(BrokenPipeError) as caught, files.new_file(pipe) as file:
        reader.join()
        file.write(b"nobody reads this")
    assert caught.value.filename == str(pipe)


def python(code, *arguments, **options):
    done = subprocess.run([sys.executable, "-c", code, *map(str, arguments)], capture_output=True, text=True, timeout=PATIENCE, **options)
    assert done.returncode == 0, done.stderr
    return done.stdout


@POSIX
@pytest.mark.full
@every("name, mode", product(["/dev/stdout", "/dev/fd/1", "link"], "wa"))
def test_an_open_file_is_written_from_where_it_stands(tmp_path, name, mode):
    """``> log`` and ``>> log``: earlier contents stay, and so does the output before and after."""
    if name == "/dev/stdout" and not Path(name).is_symlink():
        pytest.skip("there is no such link here; root would make a file of that name")
    (tmp_path / "link").symlink_to("/dev/fd/1")
    code = "import sys, pathlib; from puzzlesat.base import files; print(1); files.write_file(pathlib.Path(sys.argv[1]), '2\\n'); print(3)"
    log = tmp_path / "log"
    log.write_text("0\n")
    with log.open(mode) as out:
        subprocess.run([sys.executable, "-c", code, name], stdout=out, check=True, cwd=tmp_path)
    assert log.read_text() == ("0\n" if mode == "a" else "") + "1\n2\n3\n"
    assert names(tmp_path) == ["link", "log"]


def closed(folder):
    return {"stdout": subprocess.DEVNULL, "preexec_fn": lambda: os.close(1)}


def unread(folder):
    reading, writing = os.pipe()
    os.close(reading)
    return {"stdout": writing}


@POSIX
@pytest.mark.full
@every("out", [closed, unread])
def test_a_link_to_what_is_open_stays_whatever_is_open(tmp_path, out):
    """Such a link is ``/dev/stdout``: no plain file replaces it, even if nothing can be written and the program runs as root."""
    (tmp_path / "far").symlink_to("/dev/fd/1")
    (tmp_path / "link").symlink_to("far")
    code = """
import contextlib, pathlib, sys; from puzzlesat.base import files
path = pathlib.Path(sys.argv[1])
def append(path):
    files.open_to_append(path).append(b"3")
for attempt in (files.check_writable, lambda path: files.write_file(path, "2"), append):
    with contextlib.suppress(OSError):
        attempt(path)
"""
    subprocess.run([sys.executable, "-c", code, str(tmp_path / "link")], check=True, **out(tmp_path))
    assert {name: str((tmp_path / name).readlink()) for name in names(tmp_path)} == {"far": "/dev/fd/1", "link": "far"}


@POSIX
@pytest.mark.full
def test_a_file_size_limit_is_told_and_the_old_file_stands(tmp_path):
    """Without a handler, SIGXFSZ would end a program silently."""
    target = tmp_path / "x"
    target.write_bytes(b"old")
    code = """
import json, pathlib, resource, sys
from puzzlesat.base import files; from puzzlesat.proofs.case import new_certificate
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
said = []
target = pathlib.Path(sys.argv[1])
def lines():
    with files.open_to_append(target.with_name("lines")) as file:
        for _ in range(30):
            file.append(b"x" * 49 + b"\\n")
def archive():
    with new_certificate(target) as archive:
        for number in range(30):
            archive.writestr(f"{number}", "x" * 49)
for attempt in (lambda: files.write_file(target, bytes(1001)), archive, lines):
    try:
        attempt()
    except OSError as error:
        said.append([error.filename, error.strerror])
print(json.dumps(said))
"""
    said = json.loads(python(code, target))
    draft = tempfile.gettempdir()  # an archive is first written there
    assert [file for file, _ in said] == [str(target), draft, str(tmp_path / "lines")]
    assert {why for _, why in said} == {os.strerror(errno.EFBIG)}
    assert target.read_bytes() == b"old"
    assert (tmp_path / "lines").read_bytes() == (b"x" * 49 + b"\n") * 20
    assert names(tmp_path) == ["lines", "x"]


def test_lines_that_are_appended_are_whole(tmp_path, monkeypatch):
    path = tmp_path / "lines"
    with files.open_to_append(path) as file:
        file.append(b"one\n")
    with files.open_to_append(path) as file, monkeypatch.context() as patch:
        patch.setattr(files.os, "fsync", lambda _: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            file.append(b"two\n")
        patch.undo()
        file.append(b"three\n")
    assert path.read_bytes() == b"one\nthree\n"


# any moment -----------------------------------------------------------------------------------------------------------------


def interrupted_at(moment, target):
    """Write a file and raise KeyboardInterrupt before the line of that number is run, as a handler of signals does; tell whether it was."""
    left = [moment]

    def trace(frame, event, _argument):
        if frame.f_code.co_filename not in (files.__file__, contextlib_file):
            return None
        if event == "line":
            left[0] -= 1
            if left[0] == 0:
                raise KeyboardInterrupt
        return trace

    before = sys.gettrace()
    try:
        sys.settrace(trace)
        files.write_file(target, b"new")
    except KeyboardInterrupt:
        pass
    finally:
        sys.settrace(before)
    return left[0] <= 0


contextlib_file = sys.modules["contextlib"].__file__


def test_an_interrupt_before_any_line(tmp_path):
    """Before any line, the file is the old or the new one, and the end of the program leaves no other file."""
    target = tmp_path / "x"
    found = set()
    for moment in range(1, 1000):
        target.write_bytes(b"old")
        if not interrupted_at(moment, target):
            break
        files.remove_unfinished()  # as at the end of the program
        found.add(target.read_bytes())
        assert names(tmp_path) == ["x"], moment
    assert 30 < moment < 999
    assert found == {b"old", b"new"}


KILLS = 200
KILLED = """
import atexit, json, os, random, signal, sys, time
from pathlib import Path
from puzzlesat.base import files
from zipfile import ZipFile
from puzzlesat.cli.terminal import interruptible
from puzzlesat.base.interrupts import Interrupted

def text(number):
    return f"{number} " * 20_000

def work(target, first):
    with interruptible():
        try:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, Interrupted.signals)
            for number in range(first, first + 1_000_000):
                files.write_file(target, text(number))
        except KeyboardInterrupt:
            return 3

target, kills, rng = Path(sys.argv[1]), int(sys.argv[2]), random.Random(8)
began = time.monotonic()
files.write_file(target, text(0))
length = max(0.012, 3 * (time.monotonic() - began))  # in which a file is finished, here and now
found = []
for kill in range(kills):
    number = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT)[kill % 3]
    signal.pthread_sigmask(signal.SIG_BLOCK, Interrupted.signals)  # Python forgets a signal that comes while it forks
    child = os.fork()
    if child == 0:
        status = 1
        try:
            status = work(target, 1_000_000 * (kill + 1))
            atexit._run_exitfuncs()
        finally:
            os._exit(status)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, Interrupted.signals)
    time.sleep(rng.random() * length)
    os.kill(child, number)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    data = target.read_text()
    whole = data == text(data.split(" ", 1)[0])
    beside = [p.name for p in target.parent.iterdir() if p != target]
    for name in beside:
        (target.parent / name).unlink()
    found.append([int(number), status, whole, int(data.split(" ", 1)[0]) // 1_000_000 == kill + 1, beside])
print(json.dumps(found))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="only where processes fork")
@pytest.mark.full
def test_kills_at_random_moments(tmp_path):
    """A process that writes continuously, killed by SIGKILL, SIGTERM and SIGINT in turn. Starting the processes takes some seconds."""
    found = json.loads(python(KILLED, tmp_path / "x", KILLS))
    assert len(found) == KILLS
    assert all(whole for _, _, whole, _, _ in found)
    gently = [(status, beside) for number, status, _, _, beside in found if number != 9]
    assert {status for status, _ in gently} == {3}
    assert [beside for _, beside in gently if beside] == []
    left = [name for number, _, _, _, beside in found if number == 9 for name in beside]
    assert all(re.fullmatch(r"\.puzzlesat-[0-9a-f]{16}\.part", name) for name in left)
    assert left, "no kill came in the middle of a file"
    assert any(new for _, _, _, new, _ in found), "no file was ever finished"
