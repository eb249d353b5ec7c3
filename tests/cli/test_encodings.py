"""Systems with another encoding than UTF-8: files and pipes get UTF-8; a terminal that lacks characters gets a warning."""

import os
import subprocess
import sys

import pytest

from real_programs import shown_on
from tiers import every

OTHERS = {
    "cp1252": {"PYTHONIOENCODING": "cp1252"},
    "ascii": {"PYTHONIOENCODING": "ascii"},
    "C": {"PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "LC_ALL": "C"},
}
PRINTING = [["show", "octogram"], ["solve", "soma", "--json"], ["show", "--help"], ["show", "soma…"], ["list", "--frob…"]]


def ran(arguments, environment):
    bare = {key: value for key, value in os.environ.items() if key not in ("LC_ALL", "LANG", "PYTHONIOENCODING", "PYTHONUTF8")}
    command = [sys.executable, "-m", "puzzlesat", *arguments]
    found = subprocess.run(command, capture_output=True, env={**bare, **environment}, check=False)
    return found.stdout.decode("utf-8"), found.stderr.decode("utf-8")


@pytest.mark.slow
@every("arguments", PRINTING)
def test_what_is_redirected_is_in_utf_8(arguments):
    expected = ran(arguments, {"PYTHONUTF8": "1"})
    for encoding, environment in OTHERS.items():
        if encoding != "C" or all(map(str.isascii, arguments)):  # this locale cannot pass the argument
            assert ran(arguments, environment) == expected, encoding


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such terminals")
@pytest.mark.full
@every(("encoding", "said"), [("ascii", True), ("cp1252", True), ("utf-8", False)])
def test_a_terminal_without_the_glyphs(encoding, said):
    import pty

    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "puzzlesat", "show", "octogram"]
    process = subprocess.Popen(command, stdout=theirs, stderr=subprocess.PIPE, env={**os.environ, "PYTHONIOENCODING": encoding})
    os.close(theirs)
    shown = shown_on(ours)
    errors = process.communicate()[1].decode()
    assert process.returncode == 0
    assert ("█".encode() in shown) == (not said)
    assert errors.count("some characters become '?'") == (1 if said else 0)


@every("suffix", [".toml", ".xcc", ".cnf", ".jsonl"])
@every("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be", "cp1252", "utf-8", "utf-8-sig"])
def test_a_text_in_another_encoding_is_refused_with_its_cure(refuses, run, encoding, suffix, tmp_path):
    file = tmp_path / f"file{suffix}"
    file.write_text('title = "Größe"\nmodel = "dominoes"\n[form]\nbox = [2, 2]\n[tiles.D]\ncopies = 2\n', encoding=encoding)
    if encoding.startswith("utf-8"):
        assert suffix != ".toml" or run("validate", file, status=0)
    else:
        refuses("save it in UTF-8", "count", file)
