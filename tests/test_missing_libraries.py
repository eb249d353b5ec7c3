"""Without some of its libraries, the program reports what is missing and works with the rest."""

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from puzzlesat.base.errors import PACKAGES
from tiers import every

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))

BLOCK = "import os, sys\nfor name in os.environ['MISSING'].split():\n    sys.modules[name] = None\n"
"""As ``sitecustomize`` of every interpreter, so that children lack the libraries too."""


@pytest.fixture
def without(tmp_path):
    """Run the program without some libraries."""
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
        ("llvmlite", ["solve", "dominoes-4x4"]),
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
    ran = without("pysat ortools resvg_py", "hint", "octogram", "F.3@4.1")
    assert (ran.returncode, ran.stderr) == (0, "")


def test_a_light_installation_has_all_but_the_libraries_that_may_be_missing():
    stated = PROJECT["project"]["dependencies"]
    (command,) = re.findall(r"^\.venv/bin/pip install (\".*\")$", (ROOT / "docs" / "platforms.md").read_text(encoding="utf-8"), re.M)
    light = shlex.split(command)
    assert {name_of(line) for line in stated} == {name_of(line) for line in light if line in stated} | {*PACKAGES.values()} - {"llvmlite"}
    assert [line for line in light if line not in stated] == [line for line in light if name_of(line) == "llvmlite"]


def name_of(requirement):
    return re.match(r"[\w-]+", requirement)[0]
