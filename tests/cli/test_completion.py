"""Completion in shells: the candidates, their way into the shell, and the absence of heavy imports."""

import os
import shutil
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from puzzlesat.cli.main import app
from puzzlesat.solvers.registry import listing
from tiers import every

HEAVY = ["numba", "llvmlite", "ortools", "pysat", "numpy", "networkx", "pydantic"]
PROGRAM = "import sys\nfrom puzzlesat.cli.main import app\napp(prog_name='puzzlesat')"


def offered(line, shell="bash", **more):
    """Return the completions of the last word of a line."""
    words = {"COMP_WORDS": line, "COMP_CWORD": str(len(line.split(" ")) - 1), "_TYPER_COMPLETE_ARGS": line}
    found = CliRunner().invoke(app, [], prog_name="puzzlesat", env=words | {"_PUZZLESAT_COMPLETE": f"complete_{shell}"} | more)
    assert (found.exit_code, found.stderr) == (0, "")
    return found.stdout


@every(
    ("line", "some", "all_"),
    [
        ("puzzlesat co", ["count", "convert", "compile", "common"], True),
        ("puzzlesat count --so", ["--solver"], True),
        ("puzzlesat count som", ["soma", "soma-steps"], False),
        ("puzzlesat solve soma/soma-st", ["soma/soma-steamer", "soma/soma-steps"], True),
        ("puzzlesat count soma --solver ta", ["tally"], True),
        ("puzzlesat count soma --solver tally,", ["tally,backtrack", "tally,certificate", "tally,cpsat", "tally,sat"], True),
        ("puzzlesat solve soma --solver ", listing(), True),
        ("puzzlesat certify soma --kind t", ["tally", "tree"], True),
        ("puzzlesat compile soma --format c", ["cnf", "cpsat"], True),
        ("puzzlesat verify soma.proof --instance octo", ["octogram"], True),
        ("puzzlesat forms tetrom", ["tetrominoes", "tetrominoes-4x5"], False),
        ("puzzlesat list pent", ["pentatwigs", "pentominoes", "pentarhombs"], True),
        ("puzzlesat validate mod", [], True),  # left to the shell, which completes files
    ],
)
def test_what_is_offered(line, some, all_):
    found = offered(line).split()
    assert set(some) <= set(found)
    assert not all_ or len(found) == len(some)


def test_files_beside_the_user_are_offered_with_the_names(tmp_path, monkeypatch):
    for name in ("soma-mine.toml", "soma.xmpuzzle", "soma.txt", "octo.toml", "study.toml", "study.sqlite", "studio.txt"):
        (tmp_path / name).touch()
    monkeypatch.chdir(tmp_path)
    found = offered("puzzlesat count soma").split()
    assert {"soma", "soma-mine.toml", "soma.xmpuzzle"} <= set(found)
    assert "soma.txt" not in found
    assert offered("puzzlesat run stu").split() == ["study.toml"]
    assert offered("puzzlesat runs stu").split() == ["study.sqlite"]
    assert offered("puzzlesat run folder/stu").split() == []  # left to the shell, which completes file names


def test_zsh_and_fish_are_offered_the_same():
    assert '"octogram"' in offered("puzzlesat count octo", "zsh")
    assert offered("puzzlesat validate mod", "zsh").strip() == "_files"
    assert offered("puzzlesat count octo", "fish", _TYPER_COMPLETE_FISH_ACTION="get-args").split() == ["octogram"]


@pytest.mark.full
@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
def test_bash_completes(tmp_path):
    """Run the printed script in bash, with the program on its path."""
    program = tmp_path / "puzzlesat"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -c "{PROGRAM}" "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    environment = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    script = 'eval "$(puzzlesat --show-completion bash)"; complete -p puzzlesat; COMP_WORDS=(puzzlesat count octo); COMP_CWORD=2; '
    script += '_puzzlesat_completion puzzlesat; echo "${COMPREPLY[@]}"'
    command = ["bash", "--norc", "-c", script]
    found = subprocess.run(
        command, capture_output=True, text=True, env=environment | {"_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"}, check=False
    )
    assert found.stdout.splitlines()[-2:] == ["complete -o default -F _puzzlesat_completion puzzlesat", "octogram"], found.stderr


@pytest.mark.full
def test_nothing_heavy_is_imported():
    code = (
        "import sys\nimport puzzlesat.cli.main\nfrom puzzlesat.cli.options import instances\nassert instances('soma')\n"
        f"print([m for m in {HEAVY!r} if m in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
