"""What commands that people wait for load: nothing that they do not need."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import puzzlesat
from puzzlesat.cli.main import app, keep_only, name_of

OBJECTS = Path(puzzlesat.__file__).parent / "objects"
HEAVY = {"networkx", "pandas", "numba", "ortools", "pysat", "scipy", "matplotlib"}


@pytest.mark.skipif(not OBJECTS.is_dir(), reason="without object code, numba compiles the kernels")
@pytest.mark.parametrize("words", [["hint", "octogram", "F.3@4.1", "I.1@1.7", "L.1@1.1"], ["solve", "tritetratan"], ["count", "--help"]])
def test_heavy_libraries_are_not_loaded(words):
    command = [sys.executable, "-X", "importtime", "-m", "puzzlesat", *words]
    said = subprocess.run(command, capture_output=True, text=True, check=True, env={**os.environ, "PYTHONIOENCODING": "utf-8"})
    loaded = {line.rpartition("|")[2].strip().partition(".")[0] for line in said.stderr.splitlines() if line.startswith("import time:")}
    assert "numpy" in loaded or "--help" in words
    assert loaded & HEAVY == set()


def test_only_the_command_that_is_named_is_prepared(monkeypatch):
    monkeypatch.setattr(app, "registered_commands", [*app.registered_commands])
    every = [name_of(command) for command in app.registered_commands]
    for words in ([], ["--help"], ["cuont"]):
        keep_only(words)
        assert [name_of(command) for command in app.registered_commands] == every
    keep_only(["hint"])
    assert [name_of(command) for command in app.registered_commands] == ["hint"]
