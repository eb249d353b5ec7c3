"""Help, usage errors, and the imports of help and of interactive commands."""

from __future__ import annotations

import inspect
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import get_args

import pytest

import puzzlesat
from puzzlesat.base.package import data_folder
from puzzlesat.cli.main import app
from tiers import every

COMMANDS = [command.name or command.callback.__name__ for command in app.registered_commands]
HEAVY = ["numba", "psutil", "llvmlite", "ortools", "pysat", "numpy", "networkx"]


def python(*arguments):
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, encoding="utf-8", check=False)


def help_texts(command):
    """The help texts of a command and of its options, as their modules state them, and how they are rendered."""
    own = next(c for c in app.registered_commands if command == (c.name or c.callback.__name__))
    options = [param for value in inspect.get_annotations(own.callback, eval_str=True).values() for param in get_args(value)]
    helps = [option.help for option in options if getattr(option, "help", None)]
    return [*inspect.getdoc(own.callback).split("\n\n"), *own.epilog.split("\n\n"), *helps]


def words(text):
    """The text of a help page without frames and line breaks."""
    return "".join(re.sub("[│╭╮╰╯─]", "", text).split())


@every("command", COMMANDS, fast=2)
def test_help_shows_every_text_as_it_is_and_an_example(run, command):
    found = run(command, "--help")
    shown = words(found.output)
    expected = help_texts(command)
    assert len(expected) > 2
    assert [text for text in expected if words(text) not in shown] == []
    assert words(expected[0]) in words(run("--help").output)
    assert f"puzzlesat {command} " in found.output.split("Example", 1)[1]
    assert run(command, "-h").output == found.output


def test_version(run):
    found = run("--version")
    assert (found.status, found.output) == (0, f"puzzlesat {puzzlesat.__version__}\n")


PRINTING = [("list",), ("list", "--json"), ("solve", "soma", "--json"), ("compile", "soma"), ("show", "soma"), ("validate", "MODEL")]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full device")
@pytest.mark.slow
@every("arguments", PRINTING)
def test_a_full_device(arguments):
    model = data_folder("models") / "soma.toml"
    with Path("/dev/full").open("w") as full:
        command = [sys.executable, "-m", "puzzlesat", *(str(model) if a == "MODEL" else a for a in arguments)]
        found = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert found.returncode == 2
    assert re.fullmatch("puzzlesat: standard output: .*No space left on device\n", found.stderr)


@pytest.mark.full
@every("words, status", [(["show", "soma"], 0), (["hint", "soma", "X.1@1"], 2), (["hint", "soma", "--placed"], 2)])
def test_messages_that_nobody_reads_do_not_change_the_exit_status(words, status):
    reading, writing = os.pipe()
    os.close(reading)
    try:
        found = subprocess.run([sys.executable, "-m", "puzzlesat", *words], stdout=writing, stderr=writing, check=False)
    finally:
        os.close(writing)
    assert found.returncode == status


def test_as_a_program_of_its_own():
    found = python("-m", "puzzlesat", "count", "domino-and-square-3x2", "--json")
    assert found.returncode == 0, found.stderr
    assert '"agree": true' in found.stdout


@pytest.mark.full
@every("helps", [[["--help"]], [["--version"]], [[command, "--help"] for command in COMMANDS]])
def test_help_imports_nothing_heavy(helps):
    """Typer itself may import pydantic, for the options of a command."""
    heavy = [*HEAVY, "pydantic"] if len(helps) == 1 else HEAVY
    code = (
        "import sys\nfrom puzzlesat.cli.main import app\n"
        f"for arguments in {helps}:\n    app(arguments, standalone_mode=False)\n"
        f"print([m for m in {heavy!r} if m in sys.modules], file=sys.stderr)"
    )
    found = python("-c", code)
    assert found.returncode == 0, found.stderr
    assert found.stderr.strip() == "[]"


OBJECTS = Path(puzzlesat.__file__).parent / "objects"
LIBRARIES = {"networkx", "pandas", "numba", "ortools", "pysat", "scipy", "matplotlib", "pydantic"}
STARTS = {
    "hint octogram F.3@4.1 I.1@1.7 L.1@1.1": LIBRARIES,
    "solve tritetratan": LIBRARIES,
    "list": {*LIBRARIES, "numpy"},
    "count --help": {*LIBRARIES, "numpy"},
    "count dominoes-4x4 --solver backtrack,cpsat": {"pandas", "networkx", "numba", "pysat", "scipy", "matplotlib"},
}
"""Commands, and the libraries that they do not load if the puzzle was read before."""


@pytest.mark.skipif(not OBJECTS.is_dir(), reason="without object code, numba compiles the kernels")
@pytest.mark.full
def test_heavy_libraries_are_not_loaded(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    linked = {"llvmlite"} if [*OBJECTS.glob("*/*.so")] else set()
    for words, absent in STARTS.items():
        code = "import atexit, sys, puzzlesat.__main__\natexit.register(lambda: print(*sys.modules, file=sys.stderr))\n"
        code += f"sys.argv = {['puzzlesat', *words.split()]}\npuzzlesat.__main__.main()"
        for _ in range(2):
            found = python("-c", code)
            assert found.returncode == 0, found.stderr
        loaded = {name.partition(".")[0] for name in found.stderr.splitlines()[-1].split()}
        assert "typer" in loaded
        assert loaded & (absent | linked) == set(), words
