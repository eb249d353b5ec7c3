"""Simulate other systems, since only Linux is at hand, and light installations. docs/platforms.md tells what was run where."""

import ctypes
import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from puzzlesat.base import limits, processes
from puzzlesat.base.errors import PACKAGES
from puzzlesat.cli import count
from puzzlesat.cli.command import Call
from puzzlesat.cli.defaults import REPORT_SOLUTIONS
from puzzlesat.kernels import kernel
from real_programs import PATIENCE
from test_children import is_gone, killed, on_linux
from tiers import every, tomllib

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
    assert count._command(call, None) == f"puzzlesat report {command}"


@every(
    ("machine", "missing", "expected"),
    [
        ("x86_64", (), ("x86-64-v4-vpopcntdq", "x86-64-v4", "x86-64-v3", "x86-64-v2")),
        ("x86_64", ("avx512vpopcntdq",), ("x86-64-v4", "x86-64-v3", "x86-64-v2")),
        ("AMD64", ("avx512vl",), ("x86-64-v3", "x86-64-v2")),
        ("x86_64", ("avx2",), ("x86-64-v2",)),
        ("x86_64", ("popcnt",), ()),
        ("aarch64", (), ("arm64",)),
        ("arm64", (), ("arm64",)),
        ("riscv64", (), ()),
    ],
)
def test_what_a_processor_can_run(machine, missing, expected):
    features = {feature: feature not in missing for level in kernel.LEVELS.values() for feature in level}
    assert kernel.processors(machine, features) == expected


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


# without some libraries ------------------------------------------------------------------------------------------------------

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))

BLOCK = "import os, sys\nfor name in os.environ['MISSING'].split():\n    sys.modules[name] = None\n"
"""As ``sitecustomize`` of every interpreter, so that children lack the libraries too."""


@pytest.fixture
def without(tmp_path):
    (tmp_path / "sitecustomize.py").write_text(BLOCK, encoding="utf-8")
    path = os.pathsep.join([str(tmp_path), *filter(None, sys.path)])

    def run(missing, *arguments):
        command = [sys.executable, "-m", "puzzlesat", *arguments]
        return subprocess.run(
            command, env=os.environ | {"MISSING": missing, "PYTHONPATH": path}, capture_output=True, encoding="utf-8", check=False
        )

    return run


def sentence(solver, library):
    package = PACKAGES[library]
    return f"{solver}: {package} is not installed; install it with: pip install {package}"


@pytest.mark.full
def test_a_count_goes_on_and_names_the_solvers_that_it_lacks(without):
    ran = without("pysat ortools", "count", "soma")
    said = " ".join(ran.stdout.split())
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "480 solutions up to symmetry; confirmed by a checked certificate of the whole search and by tally (same count)" in said
    assert f"left out {sentence('sat', 'pysat')} left out {sentence('cpsat', 'ortools')} time" in said
    rows = {row["solver"]: row for row in json.loads(without("pysat ortools", "count", "dominoes-4x4", "--json").stdout)["solvers"]}
    assert rows["sat"]["refusal"] == sentence("sat", "pysat")
    assert rows["cpsat"]["refusal"] == sentence("cpsat", "ortools")
    ran = without("", "count", "dominoes-4x4")
    assert ran.returncode == 0
    assert "left out" not in ran.stdout


@pytest.mark.full
@every(
    ("missing", "arguments"),
    [
        ("pysat", ["solve", "dominoes-4x4", "--solver", "sat:glucose4"]),
        ("ortools", ["solve", "dominoes-4x4", "--solver", "cpsat"]),
        ("resvg_py", ["solve", "dominoes-4x4", "--png", os.devnull]),
        ("pysat", ["certify", "dominoes-4x4", "--kind", "cadical", "-o", os.devnull]),
    ],
)
def test_a_command_that_needs_what_is_missing_says_so_in_one_sentence(without, missing, arguments):
    ran = without(missing, *arguments)
    assert ran.returncode == 2, ran.stdout
    assert ran.stderr.count("\n") == 1
    assert ran.stderr.endswith(f"{PACKAGES[missing]} is not installed; install it with: pip install {PACKAGES[missing]}\n")


@pytest.mark.full
def test_a_proof_and_a_hint_need_none_of_them(without):
    ran = without("ortools", "prove", "mutilated-chessboard")
    assert ran.returncode == 0
    assert "has no solution: colouring" in ran.stdout
    linked = " llvmlite" if [*(ROOT / "src" / "puzzlesat" / "objects").glob("*/*.so")] else ""
    ran = without(f"pysat ortools resvg_py pandas numba{linked}", "hint", "octogram", "F.3@4.1")
    assert (ran.returncode, ran.stderr) == (0, "")


def test_a_light_installation_has_all_but_the_libraries_that_may_be_missing():
    stated = PROJECT["project"]["dependencies"]
    (command,) = re.findall(r"^\.venv/bin/pip install (\".*\")$", (ROOT / "docs" / "platforms.md").read_text(encoding="utf-8"), re.M)
    light = shlex.split(command)
    assert {name_of(line) for line in stated} == {name_of(line) for line in light} | {*PACKAGES.values()} - {"llvmlite"}
    assert set(light) <= set(stated)


def name_of(requirement):
    return re.match(r"[\w-]+", requirement)[0]
