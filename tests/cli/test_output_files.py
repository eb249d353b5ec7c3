"""Files that cannot be written are refused before anything is computed; those that can are the old or the new ones, whole."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path
from typing import get_args, get_type_hints

import pytest

from helpers import COLOURS
from puzzlesat import files
from puzzlesat.check.certificate import check_certificate
from puzzlesat.cli.main import app
from tiers import of_which

COMMANDS = [
    ("show", "dominoes.toml", "--svg", "x.svg"),
    ("show", "dominoes.toml", "--png", "x.png"),
    ("solve", "dominoes.toml", "--all", "--svg", "x-{}.svg"),
    ("apart", "dominoes.toml", "--svg", "x.svg"),
    ("apart", "dominoes.toml", "-o", "x.jsonl"),
    ("hint", "dominoes.toml", "--png", "x.png"),
    ("report", "dominoes.toml", "-o", "x.html"),
    ("challenge", "dominoes.toml", "-o", "x.txt"),
    ("forms", "dominoes.toml", "--boxes", "-o", "x.jsonl"),
    ("convert", "dominoes.toml", "x.jsonl"),
    ("convert", "dominoes.toml", "x.xcc"),
    ("compile", "dominoes.toml", "-o", "x.cnf"),
    ("compile", "dominoes.toml", "--map", "x.map"),
    ("prove", "dominoes.toml", "-o", "x.proof"),
    ("certify", "dominoes.toml", "-o", "x.proof"),
]


@pytest.mark.parametrize("command", [
    ("convert", "dominoes.toml", "dominoes.toml"),
    ("convert", "dominoes.toml", "."),
    ("convert", "dominoes.toml", "link.toml"),
    ("convert", "link.toml", "dominoes.toml"),
    ("compile", "dominoes.toml", "-o", "dominoes.toml"),
    ("compile", "dominoes.toml", "--map", "./dominoes.toml"),
    ("certify", "dominoes.toml", "-o", "dominoes.toml"),
    ("prove", "dominoes.toml", "-o", "dominoes.toml"),
    ("certificate-to-lrat", "x.proof", "-o", "x"),
], ids=" ".join)  # fmt: skip
def test_what_is_read_is_not_written_over(run, folder, command):
    (folder / "link.toml").symlink_to("dominoes.toml")
    (folder / "x.proof").write_text("a certificate", encoding="utf-8")
    (folder / "x.cnf").symlink_to("x.proof")
    before = {path: path.read_bytes() for path in folder.iterdir()}
    found = run(*command)
    assert (found.status, found.exception) == (2, None)
    assert "this is the input file" in found.output
    assert {path: path.read_bytes() for path in folder.iterdir()} == before


def test_two_files_of_one_command_have_two_names(run, folder):
    found = run("compile", "dominoes.toml", "-o", "x.cnf", "--map", "./x.cnf")
    assert (found.status, found.output) == (
        2,
        "puzzlesat: x.cnf: two files cannot have the same name; choose another name for one of them\n",
    )
    assert not (folder / "x.cnf").exists()
    assert run("compile", "dominoes.toml", "-o", "/dev/null", "--map", "/dev/null").status == 0


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_a_folder_that_there_is_not(run, folder, command):
    found = run(*command[:-1], f"nowhere/{command[-1]}")
    assert (found.status, found.exception) == (2, None)
    assert found.output == f"puzzlesat: nowhere/{command[-1]}: there is no folder nowhere; create it first\n"
    assert not (folder / "nowhere").exists()


@pytest.mark.parametrize("command", [c for c in COMMANDS if c[0] != "convert"], ids=" ".join)
def test_a_folder_where_a_file_should_be(run, folder, command):
    (folder / command[-1]).mkdir()
    found = run(*command)
    assert (found.status, found.exception) == (2, None)
    assert "this is a folder; give the name of a file" in found.output


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        (("show", "dominoes.toml", "--png", "old.svg"), ".png"),
        (("solve", "dominoes.toml", "--png", "old.svg"), ".png"),
        (("hint", "dominoes.toml", "--svg", "x.png"), ".svg"),
        (("report", "dominoes.toml", "-o", "x.pdf"), ".html or .htm"),
    ],
    ids=" ".join,
)
def test_a_name_that_says_another_format(run, folder, command, expected):
    (folder / "old.svg").write_text("old", encoding="utf-8")
    found = run(*command)
    assert (found.status, found.output) == (2, f"puzzlesat: {command[-1]}: expected a name that ends in {expected}\n")
    assert (folder / "old.svg").read_text(encoding="utf-8") == "old"


def test_a_name_without_a_suffix(run, folder):
    assert run("show", "dominoes.toml", "--svg", "picture").status == 0
    assert (folder / "picture").read_text(encoding="utf-8").startswith("<svg ")


# every option that names a file to be written --------------------------------------------------------------------------------

READ = {("hint", "picture"), ("validate", "files"), ("convert", "map"), ("verify", "files"), ("forms", "paths"), ("sets", "paths")}
READ |= {("certificate-to-lrat", "file"), ("count", "disk"), ("run", "study")}
READ |= {("count", "store"), ("check", "store"), ("run", "store"), ("runs", "stores"), ("runs", "output"), ("site", "folder")}
"""Options and arguments that name files to be read, a folder for what goes on and is gone at the end, stores, which SQLite writes (see
tests/runs), or the folder of a site (tests/studio)."""
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
    ("report", "output"): ("report dominoes.toml -o x.html --solver backtrack", "x.html"),
    ("convert", "target"): ("convert dominoes.toml x.jsonl", "x.jsonl"),
    ("compile", "output"): ("compile dominoes.toml -o x.cnf", "x.cnf"),
    ("compile", "map"): ("compile dominoes.toml --map x.map", "x.map"),
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
"""A command for each of the others, and a file that it writes."""
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
"""How files are made that others are made of; the others are converted."""
ALL = [*WRITTEN.values(), *MORE]
FIRST_OF_TWO = {"x.svg", "x.cnf", "x.lrat"}
"""Files that may be there already when another of the same command cannot be written."""
IDS = [command for command, _ in ALL]
FULL = pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full device")
POSIX = pytest.mark.skipif(sys.platform == "win32", reason="links, pipes and limits are others there")


@pytest.fixture
def made(run, folder):
    """The folder, with what some of the commands read."""

    def make(command):
        (folder / "corners.toml").write_text(COLOURS, encoding="utf-8")
        (folder / "out").mkdir()
        for word in command.split():
            if word.startswith("there."):
                assert run(*MADE.get(word, ("convert", "dominoes.toml", word))).status == 0
        return folder

    return make


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
@pytest.mark.parametrize(("command", "file"), ALL, ids=IDS)
def test_a_device_is_written_through(run, made, command, file):
    """By way of a link, for root could replace the device itself."""
    folder = made(command)
    (folder / file).symlink_to("/dev/full")
    before = names(folder)
    found = run(*command.split())
    assert (found.status, found.exception) == (2, None)
    assert f"puzzlesat: {file}: No space left on device\n" in found.output
    assert ((folder / file).is_symlink(), Path("/dev/full").is_char_device()) == (True, True)
    assert [name for name in names(folder) if name.startswith(".") or name.endswith(".part")] == []
    assert set(names(folder)) - set(before) <= FIRST_OF_TWO


@pytest.mark.parametrize("status", [2, 3], ids=["no room", "interrupted"])
@pytest.mark.parametrize(("command", "file"), ALL, ids=IDS)
def test_the_old_file_stands_when_the_new_one_is_not_finished(run, made, monkeypatch, command, file, status):
    folder = made(command)
    target = folder / file
    added_to = (
        command.startswith(("apart", "common", "design", "forms", "sets")) and file == "x.jsonl"
    )  # results are added to a file of results only
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
    found = run(*command.split())
    assert (found.status, found.exception) == (status, None)
    said = f"puzzlesat: {file}: {os.strerror(errno.ENOSPC)}\n" if status == 2 else "not tried" if "--proofs" in command else "interrupted"
    assert said in found.output
    assert target.read_bytes() == old
    assert set(names(folder)) - set(before) <= FIRST_OF_TWO


@POSIX
@pytest.mark.parametrize(("command", "file"), ALL, ids=IDS)
def test_a_link_stays_and_its_target_keeps_its_mode(run, made, command, file):
    folder = made(command)
    (folder / "real").touch(mode=0o600)
    (folder / file).symlink_to(folder / "real")
    found = run(*command.split())
    assert (found.status, found.exception) == (0, None), found.output
    assert (folder / file).is_symlink()
    assert (folder / "real").stat().st_size > 0
    assert (folder / "real").stat().st_mode & 0o777 == 0o600
    assert not list(folder.rglob(".*"))


CLOSED = [
    ("solve dominoes.toml <&-", 0),
    ("solve dominoes.toml >&-", 0),
    ("certify dominoes.toml -o x.proof >&- 2>&-", 0),
    ("hint dominoes.toml --picture - <&-", 2),
    ("show nothing.toml 2>&-", 2),
    ("show nothing.toml <&- >&- 2>&-", 2),
]


@pytest.mark.parametrize(("command", "status"), of_which(CLOSED, CLOSED[1], CLOSED[-1]))
@pytest.mark.skipif(os.name == "nt", reason="a shell that can close a file")
def test_what_the_shell_has_closed(folder, command, status):
    """There is no traceback, and what is printed gets into no file that happens to be opened next."""
    found = subprocess.run(["sh", "-c", f'"{sys.executable}" -m puzzlesat {command}'], capture_output=True, text=True, check=False)
    assert (found.returncode, "Traceback" in found.stderr) == (status, False), found.stderr
    if "x.proof" in command:
        assert check_certificate(folder / "x.proof").counts.all
