"""Files that cannot be written are refused before any computation; others are old or completely new. Also the contents of pictures."""

import errno
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import get_args, get_type_hints
from xml.etree import ElementTree

import pytest
from small_puzzles import PUZZLES, fill

from helpers import COLOURS
from puzzlesat.base import files
from puzzlesat.checker.certificate import check_certificate
from puzzlesat.cli import show
from puzzlesat.cli.main import app
from tiers import every


@every("command", [
    "convert dominoes.toml dominoes.toml",
    "convert dominoes.toml .",
    "convert dominoes.toml link.toml",
    "convert link.toml dominoes.toml",
    "compile dominoes.toml -o dominoes.toml",
    "compile dominoes.toml --map ./dominoes.toml",
    "certify dominoes.toml -o dominoes.toml",
    "prove dominoes.toml -o dominoes.toml",
    "certificate-to-lrat x.proof -o x",
])  # fmt: skip
def test_what_is_read_is_not_written_over(refuses, tmp_path, monkeypatch, command):
    folder = fill(tmp_path, monkeypatch, {"dominoes": PUZZLES["dominoes"]})
    (folder / "link.toml").symlink_to("dominoes.toml")
    (folder / "x.proof").write_text("a certificate", encoding="utf-8")
    (folder / "x.cnf").symlink_to("x.proof")
    before = {path: path.read_bytes() for path in folder.iterdir()}
    refuses("this is the input file", *command.split())
    assert {path: path.read_bytes() for path in folder.iterdir()} == before


def test_two_files_of_one_command_have_two_names(run, folder):
    found = run("compile", "dominoes.toml", "-o", "x.cnf", "--map", "./x.cnf", status=2)
    assert found.output == "puzzlesat: x.cnf: two files cannot have the same name; choose another name for one of them\n"
    assert not (folder / "x.cnf").exists()
    assert run("compile", "dominoes.toml", "-o", "/dev/null", "--map", "/dev/null").status == 0


READ = {("hint", "picture"), ("validate", "files"), ("convert", "map"), ("verify", "files"), ("forms", "paths"), ("sets", "paths")}
READ |= {("certificate-to-lrat", "file"), ("count", "disk"), ("run", "study")}
READ |= {("count", "store"), ("check", "store"), ("run", "store"), ("runs", "stores"), ("runs", "output"), ("site", "folder")}
"""Options and arguments for files that are read, working folders, stores, which SQLite writes (tests/runs), and sites (tests/studio)."""
WRITTEN = {
    ("solve", "svg"): ("solve dominoes.toml --all --svg x.svg", "x.svg"),
    ("solve", "png"): ("solve dominoes.toml --png x-{}.png", "x-1.png"),
    ("apart", "svg"): ("apart dominoes.toml --svg x.svg", "x.svg"),
    ("apart", "png"): ("apart dominoes.toml --png x.png", "x.png"),
    ("apart", "states"): ("apart dominoes.toml --states x.svg", "x.svg"),
    ("apart", "output"): ("apart dominoes.toml -o x.jsonl", "x.jsonl"),
    ("design", "output"): ("design notchable-solid-six-piece-burrs --sample 3 -o x.jsonl", "x.jsonl"),
    ("design", "best"): ("design notchable-solid-six-piece-burrs --sample 30 --best x.toml", "x.toml"),
    ("solve", "csv"): ("solve dominoes.toml --all --csv x.csv", "x.csv"),
    ("count", "csv"): ("count dominoes.toml --solver backtrack --csv x.csv", "x.csv"),
    ("check", "csv"): ("check domino-and-square-3x2 --solver backtrack --csv x.csv", "x.csv"),
    ("forms", "csv"): ("forms dominoes.toml --boxes --csv x.csv", "x.csv"),
    ("hint", "svg"): ("hint dominoes.toml --svg x.svg", "x.svg"),
    ("hint", "png"): ("hint dominoes.toml --png x.png", "x.png"),
    ("challenge", "output"): ("challenge dominoes.toml -n 1 -o x.svg", "x-solutions.svg"),
    ("show", "svg"): ("show dominoes.toml --svg x.svg", "x.svg"),
    ("show", "png"): ("show dominoes.toml --png x.png", "x.png"),
    ("show", "stl"): ("show dominoes.toml --stl .", "D.stl"),
    ("show", "three_mf"): ("show dominoes.toml --3mf x.3mf", "x.3mf"),
    ("report", "output"): ("report dominoes.toml --solver backtrack -o x.html", "x.html"),
    ("convert", "output"): ("convert dominoes.toml x.jsonl", "x.jsonl"),
    ("compile", "output"): ("compile dominoes.toml -o x.cnf", "x.cnf"),
    ("compile", "map"): ("compile dominoes.toml --map x.map", "x.map"),
    ("best", "svg"): ("best skew-tetrominoes-3x3 --svg x.svg", "x.svg"),
    ("prove", "output"): ("prove corners.toml -o x.proof", "x.proof"),
    ("prove", "svg"): ("prove corners.toml --svg x.svg", "x.svg"),
    ("certify", "output"): ("certify dominoes.toml -o x.proof", "x.proof"),
    ("certificate-to-lrat", "output"): ("certificate-to-lrat there.proof -o x", "x.lrat"),
    ("runs", "export"): ("runs there.sqlite --export x.csv", "x.csv"),
    ("forms", "output"): ("forms dominoes.toml --boxes -o x.jsonl", "x.jsonl"),
    ("sets", "output"): ("sets dominoes.toml -o x.jsonl", "x.jsonl"),
    ("common", "output"): ("common tetrominoes L T -o x.jsonl", "x.jsonl"),
    ("common", "sheet"): ("common tetrominoes L T --sheet x.html", "x.html"),
    ("common", "csv"): ("common tetrominoes L T --csv x.csv", "x.csv"),
    ("sets", "csv"): ("sets dominoes.toml --csv x.csv", "x.csv"),
    ("sets", "sheet"): ("sets dominoes.toml --sheet x.html", "x.html"),
    ("forms", "proofs"): ("forms dominoes.toml --cut 4x4 --symmetry full --area 12 --some --proofs .", "4x4-cut-1.proof"),
}
"""A command for each other option, and a file that it writes."""


@every("command", [command for command, _ in WRITTEN.values() if re.search(r" x\S*$", command) and "there." not in command])
def test_a_folder_that_there_is_not_and_one_where_a_file_should_be(refuses, folder, command):
    *command, name = command.split()
    found = refuses("", *command, f"nowhere/{name}")
    assert found.output == f"puzzlesat: nowhere/{name}: there is no folder nowhere; create it first\n"
    assert not (folder / "nowhere").exists()
    if command[0] != "convert":
        (folder / name).mkdir(exist_ok=True)
        refuses("this is a folder; give the name of a file", *command, name)


MORE = (
    ("convert dominoes.toml x.toml", "x.toml"),
    ("convert dominoes.toml x.xmpuzzle", "x.xmpuzzle"),
    ("apart dominoes.toml -o x.xmpuzzle", "x.xmpuzzle"),
    ("convert silent.toml out", "out/silent.toml"),
    ("convert dominoes.toml x.opb", "x.opb"),
    ("convert there.xcc x.cnf", "x.cnf"),
    ("convert there.jsonl x.txt --instance dominoes.toml", "x.txt"),
    *((f"challenge dominoes.toml -n 1 -o x{suffix}", f"x{suffix}") for suffix in (".html", ".png", ".txt", ".json")),
    *((f"certify domino-and-square-3x2 --kind {kind} -o x.proof", "x.proof") for kind in ("lrat", "cadical", "tally")),
    ("certificate-to-lrat there.proof --binary -o x", "x.cnf"),
)
MADE = {
    "there.proof": ("certify", "domino-and-square-3x2", "-o", "there.proof"),
    "there.sqlite": ("count", "domino-and-square-3x2", "--store", "there.sqlite", "--jobs", "1"),
}
"""Commands that make input files of other commands; files not listed are converted."""
ALL = [*WRITTEN.values(), *MORE]
FIRST_OF_TWO = {"x.svg", "x.cnf", "x.lrat"}
"""Files of a command that may exist when its other file cannot be written."""
FAST = ("solve dominoes.toml --all --svg x.svg", "compile dominoes.toml --map x.map", "convert there.xcc x.cnf")
FULL = pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full device")
POSIX = pytest.mark.skipif(sys.platform == "win32", reason="links, pipes and limits are others there")


def made(run, folder, monkeypatch, command):
    """A folder with the input files of some commands."""
    fill(folder, monkeypatch)
    (folder / "corners.toml").write_text(COLOURS, encoding="utf-8")
    (folder / "out").mkdir()
    for word in command.split():
        if word.startswith("there."):
            assert run(*MADE.get(word, ("convert", "dominoes.toml", word))).status == 0
    return folder


def names(folder):
    return sorted(str(p.relative_to(folder)) for p in folder.rglob("*"))


def names_files(kind):
    return kind is Path or any(names_files(part) for part in get_args(kind))


def test_every_option_that_names_a_file_is_here():
    found = {
        (command.name or command.callback.__name__, option)
        for command in app.registered_commands
        for option, kind in get_type_hints(command.callback).items()
        if names_files(kind)
    }
    assert found >= READ
    assert found - READ == set(WRITTEN)


@FULL
@every(("command", "file"), ALL, fast=FAST)
def test_a_device_is_written_through(run, tmp_path, monkeypatch, command, file):
    """Use a link, because root could replace the device itself."""
    folder = made(run, tmp_path, monkeypatch, command)
    (folder / file).symlink_to("/dev/full")
    before = names(folder)
    assert f"puzzlesat: {file}: No space left on device\n" in run(*command.split(), status=2).output
    assert ((folder / file).is_symlink(), Path("/dev/full").is_char_device()) == (True, True)
    assert [name for name in names(folder) if name.startswith(".") or name.endswith(".part")] == []
    assert set(names(folder)) - set(before) <= FIRST_OF_TWO


@every("status", [2, 3])  # no room, and interrupted
@every(("command", "file"), ALL, fast=FAST[:2])
def test_the_old_file_stands_when_the_new_one_is_not_finished(run, tmp_path, monkeypatch, command, file, status):
    folder = made(run, tmp_path, monkeypatch, command)
    target = folder / file
    # results are appended to files of results only
    added_to = command.startswith(("apart", "common", "design", "forms", "sets")) and file == "x.jsonl"
    old = b"" if added_to else b"old"
    target.write_bytes(old)
    before = names(folder)
    rename = Path.replace

    def fail(path, to=target):
        if to == target:
            raise KeyboardInterrupt if status == 3 else OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return rename(path, to)

    if old:
        monkeypatch.setattr(files.Path, "replace", fail)
    else:  # nothing is renamed
        monkeypatch.setattr(files.os, "fsync", fail)
    found = run(*command.split(), status=status)
    said = f"puzzlesat: {file}: {os.strerror(errno.ENOSPC)}\n" if status == 2 else "not tried" if "--proofs" in command else "interrupted"
    assert said in found.output
    assert target.read_bytes() == old
    assert set(names(folder)) - set(before) <= FIRST_OF_TWO


CLOSED = [
    ("solve dominoes.toml <&-", 0),
    ("solve dominoes.toml >&-", 0),
    ("certify dominoes.toml -o x.proof >&- 2>&-", 0),
    ("hint dominoes.toml --picture - <&-", 2),
    ("show nothing.toml 2>&-", 2),
    ("show nothing.toml <&- >&- 2>&-", 2),
]


@pytest.mark.full
@every(("command", "status"), CLOSED)
@pytest.mark.skipif(os.name == "nt", reason="a shell that can close a file")
def test_what_the_shell_has_closed(folder, command, status):
    """There is no traceback, and no file that is opened next receives the output."""
    found = subprocess.run(["sh", "-c", f'"{sys.executable}" -m puzzlesat {command}'], capture_output=True, text=True, check=False)
    assert (found.returncode, "Traceback" in found.stderr) == (status, False), found.stderr
    if "x.proof" in command:
        assert check_certificate(folder / "x.proof").counts.all


def texts(file):
    return [t.text for t in ElementTree.parse(file).iter("{http://www.w3.org/2000/svg}text")]


def test_show_draws_form_and_tiles(run, folder):
    found = run("show", "cards.toml", "--svg", "c.svg", "--png", "c.png", status=0)
    assert "picture: c.svg\npicture: c.png\n" in found.output
    assert {"Cards", "A ×2", "B", "C", "cat", "dot"} <= set(texts(folder / "c.svg"))
    assert (folder / "c.png").read_bytes().startswith(b"\x89PNG")


def test_a_sheet_has_a_limit_and_says_so(run, folder, monkeypatch):
    monkeypatch.setattr(show, "SHEET", 2)
    found = run("solve", "dominoes.toml", "--all", "--svg", "d.svg")
    assert "d.svg shows the first 2 of 3 solutions; for a picture of each write d-{}.svg" in found.output
    assert [t for t in texts(folder / "d.svg") if t.startswith("solution")] == ["solution 1", "solution 2"]
    run("solve", "dominoes.toml", "--all", "--svg", "e{}.svg")
    assert len(list(folder.glob("e*.svg"))) == 3
