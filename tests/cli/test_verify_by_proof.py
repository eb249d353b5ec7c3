"""``verify --verified``, ``count --proved``, and counts with puzzlesat-verified; skipped without OCaml."""

import os
import re

import pytest
from test_proof_commands import rewritten

from tiers import every

COUNTS = ("labelled", "all", "distinct")
UNPROVED = "  unproved        7 placements, 4 symmetries of the puzzle, 2 solutions at the ends of the tree: figures that no theorem covers"
DISTINCT_NOT_PROVED = """title = "distinct not proved"
grid = "square"
flips = true
turns = "all"
tiles.L.picture = "██\\n█."
tiles.m = { picture = "█", copies = "any" }
tiles.X = { picture = ".█.\\n███\\n.█.", copies = [0, 1] }
form.box = [2, 3]
"""
"""The cross has no placement: the program does not prove ``distinct``, and there is no ``labelled``."""


@pytest.fixture
def with_checker(checker, monkeypatch):
    monkeypatch.setattr("puzzlesat.proofs.verified.PLACES", (str(checker.parent),))


def pretended(monkeypatch, folder, script):
    """Install a shell script as the proved checker."""
    program = folder / "bin" / "puzzlesat-verified"
    program.parent.mkdir(exist_ok=True)
    program.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setattr("puzzlesat.proofs.verified.PLACES", (str(program.parent),))


def test_the_proved_checker_that_is_not_there(run, certified):
    found = run("verify", "--verified", certified)
    assert (found.status, found.exception, found.stdout) == (2, None, "")
    assert "puzzlesat-verified is not there; build it in a clone of the repository with 'make -C verified" in found.output
    assert len(found.output.splitlines()) == 1


@pytest.mark.full
def test_the_proved_checker_shows_what_it_read(run, certified, with_checker):
    found = run("verify", "--verified", certified, status=0)
    first, *lines = found.stdout.splitlines()
    assert first == f"{certified}: the puzzle that it states"
    accepted = lines.index(f"{certified}: accepted, by a program that is proved sound")
    assert lines.index("  form        6 atoms that must be covered") < accepted < lines.index(UNPROVED)
    assert "  tile        D, 2 atoms, copies 3" in " ".join(lines) and "turned by symmetries: all of them" in " ".join(lines)
    assert lines[lines.index("  form        6 atoms that must be covered") + 1].strip() == "###"
    assert "so the counts are labelled 18, all 3, distinct 2" in found.stdout
    assert "  taken on trust  that the puzzle above is the one you mean" in lines
    assert "the kernel and the extraction of Rocq" in found.stdout


@pytest.mark.full
def test_the_proved_checker_holds_its_puzzle_against_an_instance(run, certified, with_checker):
    found = run("verify", "--verified", certified, "--instance", "dominoes.toml", status=0)
    assert "instance: the puzzle is that of dominoes.toml as it is compiled now" in found.stdout
    assert "the one you mean" not in found.stdout
    assert "that Python, which compared it, compiles dominoes.toml as it is meant" in found.stdout
    other = run("verify", "--verified", certified, "--instance", "limitless.toml")
    assert (other.status, other.stdout) == (1, "")
    assert "rejected: the puzzle is not that of limitless.toml: it differs in tiles, required" in other.output


@pytest.mark.full
def test_the_proved_checker_rejects_goes_on_and_says_what_it_does_not_check(run, certified, folder, with_checker):
    assert run("certify", "dominoes.toml", "-o", "tally.proof", "--kind", "tally").status == 0
    (folder / "wrong.proof").write_bytes(certified.read_bytes())
    rewritten(folder / "wrong.proof", lambda said: said["claim"].update({"all": 4}))
    found = run("verify", "--verified", "tally.proof", "wrong.proof", certified, "nowhere.proof", status=1)
    assert "tally.proof: a certificate of kind tally; puzzlesat-verified checks those of kinds tree, removals and weighting" in found.output
    assert "wrong.proof: rejected: puzzlesat-verified: it claims all 4; proved is 3" in found.output
    assert f"{certified}: accepted, by a program that is proved sound" in found.stdout
    assert "nowhere.proof: no such file" in found.output
    assert run("verify", "--verified", "tally.proof").status == 2


@pytest.mark.full
@every(
    ("more", "said"),
    [
        ("[solutions]\nno_crossroads = true", "a puzzle with rules on solutions; puzzlesat-verified does not know them"),
        (
            "[tiles.L]\nplacements = [[[1, 1]]]\ncopies = [0, 1]",
            "a puzzle whose tiles list their placements; puzzlesat-verified knows those",
        ),
    ],
)
def test_what_the_proved_checker_does_not_know_is_said(run, folder, with_checker, more, said):
    text = (folder / "dominoes.toml").read_text(encoding="utf-8")
    (folder / "rules.toml").write_text(f"{text}\n{more}\n", encoding="utf-8")
    assert run("certify", "rules.toml", "-o", "rules.proof", "--kind", "tree").status == 0
    found = run("verify", "--verified", "rules.proof", status=2)
    assert f"rules.proof: a certificate of {said}" in " ".join(found.output.split())


@pytest.mark.full
@pytest.mark.skipif(os.name == "nt", reason="scripts of a shell stand for the program")
@every(
    ("script", "status", "said"),
    [
        ("exit 3", 3, "not known: out of memory while running puzzlesat-verified"),
        ("kill -11 $$", 3, "not known: out of memory while running puzzlesat-verified"),
        ("echo 'Fatal error: exception Out_of_memory' >&2; exit 2", 3, "not known: out of memory"),
        ("echo 'Fatal error: exception Not_found' >&2; exit 2", 2, "ended with exit status 2: Fatal error: exception Not_found"),
        ("echo fine; echo fine", 2, "its output is not understood"),
        ("exec sleep 60", 3, "not known: stopped at a limit while checking"),
    ],
)
def test_a_proved_checker_that_does_not_answer(run, certified, folder, monkeypatch, script, status, said):
    pretended(monkeypatch, folder, script)
    found = run("verify", "--verified", certified, "--time", "2" if script != "exec sleep 60" else "0.3")
    assert (found.status, found.exception, found.stdout) == (status, None, "")
    assert said in found.output


@pytest.mark.skipif(os.name == "nt", reason="scripts of a shell stand for the program")
def test_the_proved_checker_gets_all_the_stack_there_is(run, certified, folder, monkeypatch):
    pretended(monkeypatch, folder, f"(ulimit -S -s; ulimit -H -s) > {folder}/stack; exit 3")
    assert run("verify", "--verified", certified).status == 3
    soft, hard = (folder / "stack").read_text().split()
    assert soft == hard


@pytest.mark.full
def test_a_count_says_that_a_program_proved_sound_has_checked(run, folder, with_checker):
    found = run("count", "dominoes.toml", "--solver", "auto,certificate")
    assert "confirmed by a certificate of the whole search (checked by a program proved sound)" in found.stdout
    assert "yes, a certificate of the whole search was checked by a program proved sound" in found.stdout
    (said,) = run("count", "dominoes.toml", "--solver", "auto,certificate", "--json").json
    assert (said["proved_sound"], said["certificate"]) == (dict.fromkeys(COUNTS, True), "a certificate of the whole search was checked")
    assert "counts      labelled 18 (proved sound); all 3 (proved sound); distinct 2 (proved sound);" in found.stdout
    none = run("count", "none.toml", "--solver", "auto,certificate")
    assert "a certificate that there is none was checked by a program proved sound" in none.stdout


@pytest.mark.full
def test_each_count_says_by_itself_whether_it_is_proved_sound(run, folder, with_checker):
    """The program accepts the certificate but does not prove every count."""
    (folder / "dn.toml").write_text(DISTINCT_NOT_PROVED, encoding="utf-8")
    found = run("count", "dn.toml", "--solver", "auto,certificate")
    sentence, *_ = (line for line in found.stdout.splitlines() if "up to symmetry" in line)
    assert "2 solutions up to symmetry; confirmed by a checked certificate of the whole search" in sentence
    assert "proved sound" not in sentence
    assert "a certificate of the whole search was checked, but by a program proved sound only for all" in found.stdout
    assert "all 8 (proved sound); distinct 2; fixed" in found.stdout
    (said,) = run("count", "dn.toml", "--solver", "auto,certificate", "--json").json
    assert said["proved_sound"] == {"labelled": False, "all": True, "distinct": False}
    assert "proved sound" not in said["sentence"]
    assert run("report", "dn.toml", "-o", "dn.html").status == 0
    rows = re.findall(r"<tr>.*?</tr>", (folder / "dn.html").read_text(encoding="utf-8"), re.DOTALL)
    marked = [row for row in rows if "also by a program proved sound" in row]
    assert len(marked) == 1 and ">all<" in marked[0]
    assert run("certify", "dn.toml", "-o", "dn.proof").status == 0
    (proved,) = run("verify", "--verified", "dn.proof", "--json").json
    assert proved["proved_sound"] == {"labelled": False, "all": True, "distinct": False}
    assert proved["counts"] == {"labelled": None, "all": 8, "distinct": None}


@pytest.mark.skipif(os.name == "nt", reason="scripts of a shell stand for the program")
@every(("script", "status", "sound"), [("exit 3", 0, False), ("echo 'rejected: no'; exit 1", 1, False), ("nonsense", 0, False)])
def test_a_count_without_an_answer_of_the_proved_checker(run, folder, monkeypatch, script, status, sound):
    """Without an answer of the proved checker, puzzlesat's checker is enough; if they disagree, no count is trusted."""
    pretended(monkeypatch, folder, script)
    found = run("count", "dominoes.toml", "--solver", "auto,certificate", "--json")
    (said,) = found.json
    assert (found.status, said["proved_sound"]) == (status, dict.fromkeys(COUNTS, sound))
    assert bool(said["disagreements"]) == (status == 1)


@pytest.mark.full
@pytest.mark.usefixtures("with_checker")
@every("name", ["soma", "mutilated-chessboard"])
def test_every_count_is_proved(run, name):
    said = run("count", "--proved", name, "--solver", "auto", status=0)
    assert said.stdout.count("(proved sound)") == 3


@pytest.mark.full
@pytest.mark.usefixtures("with_checker")
def test_a_puzzle_that_no_certificate_states_cannot_be_proved(run):
    said = run("count", "--proved", "dominoes-6x6-cylinder", "--solver", "auto", status=1)
    assert "dominoes-6x6-cylinder: not proved: no certificate was accepted" in said.output
    assert "certificates do not support forms that wrap around" in said.output


@pytest.mark.full
@pytest.mark.usefixtures("with_checker")
def test_a_count_that_is_not_finished_or_not_checked_is_not_proved(run, monkeypatch, tmp_path):
    said = run("count", "--proved", "octogram", "--limit", "1", status=1)
    assert "octogram: not proved: the count was not finished" in said.output
    monkeypatch.setattr("puzzlesat.proofs.program", lambda: tmp_path / "missing")
    said = run("count", "--proved", "soma", "--solver", "auto", status=1)
    assert "soma: not proved:" in said.output and "cannot be run" in said.output


def test_without_the_checker_it_says_how_to_build_it(run, monkeypatch):
    monkeypatch.setattr("puzzlesat.cli.count.program", lambda: None)
    said = run("count", "--proved", "soma", status=1)
    assert "make -C verified puzzlesat-verified" in said.output
    assert "480" not in said.output
