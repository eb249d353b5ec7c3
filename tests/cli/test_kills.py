"""Commands killed at random moments, on full disks and with pipes: old files stay intact, or new ones are complete."""

import json
import os
import random
import re
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from shutil import which

import pytest
from small_puzzles import fill

from puzzlesat.checker.certificate import check_certificate
from puzzlesat.solvers.tally import disk, solve
from puzzlesat.studies import store
from real_programs import PATIENCE, killed_at_the_end, start, wait_until, wait_until_it_has_worked, wait_until_it_heeds, wait_until_it_waits
from tiers import every

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals are others there")

KILLS = 200
SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT)
DOMINOES = 'title = "Dominoes"\ngrid = "square"\nflips = true\n\n[tiles.D]\npicture = "##"\ncopies = 12\n\n[form]\nbox = [6, 4]\n'


def is_page(path):
    text = path.read_text(encoding="utf-8")
    return text.lower().startswith("<!doctype html>") and text.rstrip().endswith("</html>")


def is_accepted(path):
    check_certificate(path)
    return True


def holds_lines(path):
    """Return whether a file has complete JSON lines, perhaps none."""
    text = path.read_bytes()
    return text[-1:] in (b"", b"\n") and all(isinstance(json.loads(line), dict) for line in text.splitlines())


COMMANDS = {
    "report": ("report d.toml -o x.html --solver backtrack", "x.html", is_page),
    "certify": ("certify d.toml -o x.proof", "x.proof", is_accepted),
    "cadical": ("certify d.toml --kind cadical -o x.proof", "x.proof", is_accepted),
    "convert": ("convert d.toml x.jsonl", "x.jsonl", lambda path: len([*map(json.loads, path.read_text().splitlines())]) == 281),
    "compile": ("compile d.toml -o x.cnf", "x.cnf", lambda path: path.read_text().endswith(" 0\n")),
    "solve": ("solve d.toml --all --svg x.svg", "x.svg", lambda path: path.read_text().rstrip().endswith("</svg>")),
    "forms": ("forms d.toml --boxes --frames --count -o x.jsonl --jobs 1", "x.jsonl", holds_lines),
}


def killed(folder, name, rng, number, length):
    """Kill a command at a random moment and check the files it leaves; return its exit status."""
    command, file, is_whole = COMMANDS[name]
    folder.mkdir(exist_ok=True)
    (folder / "d.toml").write_text(DOMINOES, encoding="utf-8")
    old = b"" if name == "forms" else b"old"
    (folder / file).write_bytes(old)
    with killed_at_the_end(start(folder, *command.split())) as program:
        wait_until_it_heeds(program)
        time.sleep(rng.random() * length)
        program.send_signal(number)
        _, errors = program.communicate(timeout=PATIENCE)
    data = (folder / file).read_bytes()
    if name == "forms":  # a line may be cut off only by a kill
        whole = data[: data.rfind(b"\n") + 1]
        assert data == whole or number == signal.SIGKILL
        (folder / file).write_bytes(whole)
        data = whole
    assert data == old or is_whole(folder / file)
    assert program.returncode in ((0, 3) if number != signal.SIGKILL else (0, -9)), errors
    assert "Traceback" not in errors
    assert program.returncode != 0 or data != old
    beside = [p.name for p in folder.iterdir() if p.name not in ("d.toml", file)]
    assert number == signal.SIGKILL or not beside
    assert all(re.fullmatch(r"\.puzzlesat-[0-9a-f]{16}\.part", p) for p in beside)
    for p in beside:
        (folder / p).unlink()
    return program.returncode


@every("name", COMMANDS, fast=("certify",))
def test_a_command_that_is_killed(tmp_path, name):
    rng = random.Random(name)
    for number in SIGNALS:
        killed(tmp_path, name, rng, number, 1.5)


@pytest.mark.slow
def test_commands_that_are_killed(tmp_path):
    """Takes minutes: two hundred programs are started, and killed at moments spread over their running time."""
    rng = random.Random(200)
    lengths = {}
    for name, (command, _, _) in COMMANDS.items():
        (tmp_path / "d.toml").write_text(DOMINOES, encoding="utf-8")
        program = start(tmp_path, *command.split())
        wait_until_it_heeds(program)
        began = time.monotonic()
        program.communicate(timeout=PATIENCE)
        lengths[name] = time.monotonic() - began
        for path in tmp_path.iterdir():
            path.unlink()
    ended = [killed(tmp_path / f"{i}", name := rng.choice(list(COMMANDS)), rng, SIGNALS[i % 3], 1.1 * lengths[name]) for i in range(KILLS)]
    print({status: ended.count(status) for status in sorted(set(ended))})
    assert ended.count(3) > KILLS // 4


def marked(mark):
    """Return the command lines of processes that have a mark in their environment."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if mark.encode() in (folder / "environ").read_bytes():
                found.append((folder / "cmdline").read_bytes())
        except OSError:
            continue
    return found


FORMS = "forms pentominoes --boxes --frames --count --jobs 2 -o r.jsonl"


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="needs /proc")
@pytest.mark.parametrize(  # ``after`` is in CPU seconds; the signal goes to all processes or to one
    ("arguments", "after", "to_all"),
    [
        pytest.param(FORMS, 0.8, True, marks=pytest.mark.full),
        pytest.param(FORMS, 3, True, marks=pytest.mark.slow),
        pytest.param(FORMS, 4, False, marks=pytest.mark.full),
        pytest.param("certify pentominoes-6x10 --kind cadical -o x.proof", 3, False, marks=pytest.mark.full),
        pytest.param("count pentominoes-6x10 --solver sat:cadical195", 3, True, marks=pytest.mark.slow),
    ],
)
def test_no_process_stays_behind(tmp_path, arguments, after, to_all):
    """``timeout`` sends its signal to all processes of a command, ``kill`` to one. Engines and tried forms have processes of their own."""
    mark = f"PUZZLESAT_TEST={os.getpid()}-{time.monotonic_ns()}"
    with killed_at_the_end(start(tmp_path, *arguments.split(), env=os.environ | dict([mark.split("=")]))) as program:
        wait_until_it_has_worked(program, after)
        if to_all:
            os.killpg(program.pid, signal.SIGTERM)
        program.send_signal(signal.SIGTERM)
        _, errors = program.communicate(timeout=PATIENCE)
    assert program.returncode == 3, errors
    assert "Traceback" not in errors
    assert "ended by itself" not in errors
    wait_until(lambda: marked(mark) == [], "the end of all its processes")
    assert [p.name for p in tmp_path.iterdir() if p.name != "r.jsonl"] == []
    if (tmp_path / "r.jsonl").exists():
        assert holds_lines(tmp_path / "r.jsonl")


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="which processes a program has started is asked of Linux")
def test_forms_that_are_lost_with_their_processes_are_tried_again(tmp_path):
    """All free octominoes are tried; twice, all worker processes are killed."""
    results = tmp_path / "r.jsonl"
    killed, command = 0, ["forms", "dominoes", "--polyforms", "--area", "8", "--jobs", "2", "-o", "r.jsonl"]
    with killed_at_the_end(start(tmp_path, *command)) as program:
        for lines in (5, 50):
            wait_until(lambda: program.poll() is not None or (results.exists() and results.read_bytes().count(b"\n") > lines), "results")  # noqa: B023
            for child in Path(f"/proc/{program.pid}/task").glob("*/children"):
                for number in map(int, child.read_text(encoding="ascii").split()):
                    with suppress(ProcessLookupError):
                        os.kill(number, signal.SIGKILL)
                        killed += 1
        printed, errors = program.communicate(timeout=PATIENCE)
    assert killed
    assert program.returncode == 0, errors
    assert "369 forms: 211 solvable; 158 impossible" in printed
    assert errors.splitlines()[1:] == []
    names = [json.loads(line)["form"] for line in results.read_text(encoding="utf-8").splitlines()[1:]]
    assert sorted(names) == sorted(f"form-{number:03}" for number in range(1, 370))


@pytest.mark.full
@every("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_pipe_that_nobody_reads_does_not_hold_the_program(tmp_path, number):
    os.mkfifo(tmp_path / "x.proof")
    with killed_at_the_end(start(tmp_path, "certify", "domino-and-square-3x2", "-o", "x.proof")) as program:
        wait_until_it_waits(program)
        assert program.poll() is None
        program.send_signal(number)
        printed, said = program.communicate(timeout=PATIENCE)
        assert (printed, said, program.returncode) == ("", "puzzlesat: interrupted\n", 3)
    assert (tmp_path / "x.proof").is_fifo()


@pytest.mark.full
def test_what_nohup_starts_outlives_the_terminal(tmp_path):
    program = start(tmp_path, "count", "domino-and-square-3x2", preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
    wait_until_it_heeds(program)
    program.send_signal(signal.SIGHUP)
    program.communicate(timeout=PATIENCE)
    assert program.returncode == 0


MOUNT = 'mount -t tmpfs -o size=32k none "$0" && exec "$@"'


@pytest.fixture
def on_a_small_disk(tmp_path):
    """Return a folder, and the prefix of a command to which this folder is a disk of 32 KiB."""
    folder = tmp_path / "small"
    folder.mkdir()
    ways = ([], ["--user", "--map-root-user"])
    for way in ways if which("unshare") else ():
        prefix = ["unshare", "--mount", *way, "sh", "-c", MOUNT, str(folder)]
        if subprocess.run([*prefix, "true"], capture_output=True).returncode == 0:
            return folder, prefix
    pytest.skip("this machine lets nobody mount a small disk of their own")


@pytest.mark.slow
@every("kind", ["cadical", "lrat"])
def test_a_full_folder_for_temporary_files(tmp_path, on_a_small_disk, kind):
    """CaDiCaL does not notice that its proof is truncated; a tree is first written to an unnamed file."""
    folder, prefix = on_a_small_disk
    (tmp_path / "x.proof").write_bytes(b"old")
    command = [*prefix, sys.executable, "-m", "puzzlesat", "certify", "pentominoes-6x10", "--kind", kind, "-o", str(tmp_path / "x.proof")]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, env=os.environ | {"TMPDIR": str(folder)})
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr == f"puzzlesat: {folder}: No space left on device\n"
    assert (tmp_path / "x.proof").read_bytes() == b"old"


@pytest.mark.full
def test_a_full_disk_stops_the_count_early_and_keeps_what_was_done(run, tmp_path, monkeypatch):
    monkeypatch.setattr(solve, "SWEPT_FROM", 10)
    monkeypatch.setattr(disk, "RESERVE", 1 << 62)
    result = run("count", "stones-and-bones-triangle-17", "--solver", "tally", "--memory", "0.01", "--disk", str(tmp_path), status=3)
    assert "there is no space left at" in result.output
    assert "not known" in result.output


def test_a_disk_that_is_full_when_a_store_is_begun(run, tmp_path, monkeypatch):
    fill(tmp_path, monkeypatch)

    def full(*_):
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr(store, "_prepare", full)
    ran = run("count", "dominoes.toml", "--store", "new.sqlite")
    assert ran.exception is None
    assert ran.status == 3, ran.output
    assert "new.sqlite" in ran.output
    assert "standard output" not in ran.output
    assert not os.path.exists("new.sqlite")  # noqa: PTH110
