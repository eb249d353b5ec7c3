"""Simulate other systems, because only Linux is available. docs/platforms.md lists the tests on each system."""

import ctypes
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from puzzlesat.base import limits, processes
from puzzlesat.cli import browser
from puzzlesat.cli.command import Call
from puzzlesat.cli.defaults import REPORT_SOLUTIONS
from real_programs import PATIENCE
from test_children import is_gone, killed, on_linux
from tiers import every

MISSING_ON_WINDOWS = {
    "signal": ("SIGHUP", "SIGTTOU", "SIGXCPU", "pthread_sigmask"),
    "os": ("fork", "register_at_fork", "sched_getaffinity", "chown", "getuid", "geteuid"),
}


def hold_the_lock_elsewhere(seconds):
    """Simulate a system that does not kill a process when its parent ends."""
    sys.platform = "darwin"
    processes.Child.end_at_once_with_parent()
    ctypes.PyDLL(None).sleep(seconds)


def run_a_program_elsewhere(platform, file):
    sys.platform = platform
    processes.Child.run_program(["sh", "-c", f"echo $$ >{file}.new; mv {file}.new {file}; exec sleep 60"], lambda: None)


@on_linux
@pytest.mark.full
def test_a_child_that_cannot_notice_the_end_of_its_parent_is_watched():
    begin = "import test_other_systems\nprint(child.ask(os.getpid), flush=True)"
    assert is_gone(killed(f"{begin}\nchild.ask(test_other_systems.hold_the_lock_elsewhere, 60)"))


@on_linux
@pytest.mark.full
@every("platform", ["linux", "darwin"])
def test_a_program_ends_with_the_parent_that_was_killed(platform, tmp_path):
    file = tmp_path / "number"
    wait = f"while not os.path.exists({str(file)!r}): time.sleep(0.02)"
    run = f"Thread(target=test_other_systems.run_a_program_elsewhere, args=({platform!r}, {str(file)!r})).start()"
    killed(f"import test_other_systems\nfrom threading import Thread\n{run}\n{wait}\ntime.sleep(1)\nprint(1, flush=True)\ntime.sleep(60)")
    assert is_gone(int(file.read_text(encoding="utf-8")))


@on_linux
def test_memory_and_time_without_proc(monkeypatch):
    monkeypatch.setattr(processes, "_processes", list)  # else the time of another test's process would be lost
    before = processes.cpu_seconds()
    monkeypatch.setattr(psutil, "PROCFS_PATH", "/no/such/folder")
    monkeypatch.setattr(limits, "_left_to_group", lambda: None)
    assert limits.memory_left() == limits.UNKNOWN
    assert processes.resident_bytes() == 0
    assert processes.cpu_seconds() >= before


@pytest.mark.skipif(sys.platform == "win32", reason="it is simulated")
@pytest.mark.full
def test_a_count_with_what_windows_has():
    gone = "\n".join(
        f"import {module}\nfor name in {names}: {module}.__dict__.pop(name, None)" for module, names in MISSING_ON_WINDOWS.items()
    )
    code = f"import sys\n{gone}\nfrom puzzlesat.__main__ import main\nsys.argv = ['puzzlesat', 'count', 'dominoes-4x4']\nmain()"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=False, timeout=PATIENCE)
    assert (ran.returncode, ran.stderr) == (0, ""), ran.stdout
    assert "9 solutions up to symmetry" in ran.stdout


@every(("platform", "command"), [("win32", '"my soma.toml" -o soma.html'), ("linux", "'my soma.toml' -o soma.html")])
def test_a_command_to_repeat_is_quoted_for_the_shell_of_the_system(platform, command, monkeypatch):
    monkeypatch.setattr(sys, "platform", platform)
    call = Call(None, {}, {"puzzle": "my soma.toml", "output": Path("soma.html"), "most": REPORT_SOLUTIONS})
    assert browser._command(call, None) == f"puzzlesat report {command}"


def print_what_cp1252_has_not():
    print("█ ─ ├")
    return sys.stdout.encoding


@pytest.mark.full
def test_a_child_prints_everything_where_the_system_writes_cp1252(monkeypatch):
    monkeypatch.setenv("PYTHONIOENCODING", "cp1252")
    child = processes.Child()
    try:
        assert child.ask(print_what_cp1252_has_not) == "utf-8"
    finally:
        child.end()
