"""``puzzlesat prove``, ``certify``, ``verify`` and ``certificate-to-lrat``: outputs, files and exit statuses."""

import json
import re
import signal
from zipfile import ZipFile

import pytest
from pysat.formula import CNF
from small_puzzles import fill

from helpers import COLOURS, make_clauses
from puzzlesat.checker.lrat import check_lrat
from puzzlesat.proofs.case import Contents
from puzzlesat.proofs.lrat import cadical_lrat
from tiers import every


@pytest.fixture
def corners(folder):
    """A file with a puzzle that a chessboard colouring proves impossible."""
    (folder / "corners.toml").write_text(COLOURS, encoding="utf-8")
    return "corners.toml"


def rewritten(path, change):
    with ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    said = json.loads(parts["certificate.json"])
    change(said)
    with ZipFile(path, "w") as archive:
        for name, data in (parts | {"certificate.json": json.dumps(said)}).items():
            archive.writestr(name, data)


def files(folder):
    return {p.name for p in folder.iterdir() if p.suffix != ".toml"}


def test_prove_by_a_colouring(run, corners):
    found = run("prove", corners, status=0)
    title, *lines = found.stdout.splitlines()
    assert title == "Corners  (corners.toml) has no solution: colouring"
    assert any("chessboard" in line for line in lines)
    assert "so there is no solution." in found.stdout
    assert len([line for line in lines if len(line.strip()) >= 3 and len(set(line.strip())) <= 4]) >= 4, "there is no picture"


def test_prove_as_json_with_a_certificate(run, corners, folder):
    found = run("prove", corners, "--json", "-o", "c.proof", status=0)
    (said,) = found.json
    assert set(said) == {"instance", "complete", "why", "solvable", "argument", "sentences", "solution", "certificate"}
    assert (said["instance"], said["solvable"], said["argument"], said["solution"]) == (corners, False, "colouring", None)
    assert said["certificate"] == "c.proof"
    assert run("verify", "c.proof", "--instance", corners, "--json").json[0]["counts"] == {"labelled": 0, "all": 0, "distinct": 0}
    assert files(folder) == {"c.proof"}


@pytest.mark.full
def test_prove_shows_a_solution(run, folder):
    found = run("prove", "dominoes.toml")
    assert (found.status, found.stdout.splitlines()[0]) == (0, "Small  (dominoes.toml) can be solved")
    picture = [line.strip() for line in found.stdout.split("It can be solved.\n  One solution:")[1].splitlines()]
    assert sorted("".join(line for line in picture if len(line) == 3)) == sorted("DDddAA")
    (said,) = run("prove", "dominoes.toml", "--json").json
    assert (said["solvable"], said["argument"], said["certificate"]) == (True, None, None)
    solutions = [{p["name"] for p in entry["placements"]} for entry in run("solve", "dominoes.toml", "--all", "--json").json]
    assert set(said["solution"]) in solutions
    found = run("prove", "dominoes.toml", "--svg", "d.svg", "-o", "d.proof", status=0)
    assert "no certificate was written, because there is a solution" in found.output
    assert files(folder) == set()


@every("kind", ["tree", "cadical", "tally"], fast=("tree",))
def test_certify_and_verify(run, tmp_path, monkeypatch, kind):
    folder = fill(tmp_path, monkeypatch)
    found = run("certify", "dominoes.toml", "-o", "d.proof", "--kind", kind, status=0)
    distinct = "-" if kind == "tally" else "2"
    assert found.stdout.startswith(f"dominoes.toml: labelled 18, all 3, distinct {distinct}  (")
    assert "check it with: puzzlesat verify d.proof" in found.stdout
    assert f", {(folder / 'd.proof').stat().st_size:,} bytes;" in found.stdout
    again = run("verify", "d.proof", status=0)
    assert again.stdout.startswith("d.proof: the puzzle that it states\n  puzzle        dominoes\n")
    assert "\nd.proof: accepted\n  checked " in again.stdout
    assert f"so the counts are labelled 18, all 3, distinct {distinct}\n" in again.stdout
    assert "that the puzzle stated in the certificate is the one you mean" in again.stdout
    assert files(folder) == {"d.proof"}


@every("kind", ["tree", "cadical", "tally", "lrat"], fast=("tree",))
def test_after_an_interrupt_at_the_end_of_the_work_nothing_is_opened(run, folder, monkeypatch, kind):
    """A pipe was once opened after Ctrl-C, and the program then waited for a reader."""
    write = Contents.write

    def interrupted(*arguments):
        write(*arguments)
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(Contents, "write", interrupted)
    found = run("certify", "domino-and-square-3x2", "-o", "d.proof", "--kind", kind, status=3)
    assert found.output == "puzzlesat: interrupted after 2 solutions: the count is not complete, so no certificate was written\n"
    assert files(folder) == set()


def test_verify_holds_the_puzzle_against_an_instance(run, certified):
    found = run("verify", certified, "--instance", "dominoes.toml", status=0)
    assert "instance: the puzzle is that of dominoes.toml as it is compiled now" in found.stdout
    assert "the one you mean" not in found.stdout
    other = run("verify", certified, "--instance", "limitless.toml", status=1)
    assert "rejected: the puzzle is not that of limitless.toml: " in other.output
    assert "accepted" not in other.output
    assert run("verify", certified, "--instance", "silent.toml").status == 0, "the same puzzle under another name"


def test_verify_as_json(run, certified):
    (said,) = run("verify", certified, "--json").json
    assert (said["file"], said["accepted"], said["name"], said["kind"]) == (str(certified), True, "dominoes", "tree")
    assert said["counts"] == {"labelled": 18, "all": 3, "distinct": 2}
    assert len(said["believed"]) == 2
    assert said["checked"]
    (said,) = run("verify", certified, "--json", "--instance", "none.toml").json
    assert (said["accepted"], set(said)) == (False, {"file", "complete", "why", "accepted", "reason"})


@every("data", [b"", b"no zip file", b"PK\x03\x04", b"PK\x05\x06" + bytes(18)])
def test_what_is_no_certificate(refuses, folder, data):
    (folder / "x.proof").write_bytes(data)
    found = refuses("", "verify", "x.proof", status=1)
    assert re.match(r"puzzlesat: x\.proof: rejected: (file|certificate): ", found.output)
    refuses("", "certificate-to-lrat", "x.proof", "-o", "x", status=1)


@pytest.mark.full
@every("kind", ["tree", "lrat"], fast=1)
@every("binary", [False, True], fast=1)
def test_to_lrat(run, tmp_path, monkeypatch, kind, binary):
    folder = fill(tmp_path, monkeypatch)
    assert run("certify", "domino-and-square-3x2", "-o", "d.proof", "--kind", kind).status == 0
    found = run("certificate-to-lrat", "d.proof", "-o", "d", *(["--binary"] if binary else []), status=0)
    assert re.match(r"d\.cnf and d\.lrat: \d+ steps; check them with: lrat-check d\.cnf d\.lrat$", found.stdout.strip())
    assert files(folder) == {"d.proof", "d.cnf", "d.lrat"}
    read = CNF(from_file=str(folder / "d.cnf"))
    formula = make_clauses(read.clauses, read.nv)
    with (folder / "d.lrat").open("rb") as proof:
        assert (proof.read(1) in b"ad") == binary
        proof.seek(0)
        assert check_lrat(formula, proof).added > 0
    assert cadical_lrat(formula, folder / "other.lrat") is True, "the formula can be satisfied"


def test_to_lrat_what_cannot_be(run, refuses, folder):
    assert run("certify", "dominoes.toml", "-o", "d.proof", "--kind", "tally").status == 0
    refuses("d.proof: a certificate of kind 'tally' cannot be turned into LRAT", "certificate-to-lrat", "d.proof", "-o", "d")
    assert run("certify", "domino-and-square-3x2", "-o", "d.proof").status == 0
    rewritten(folder / "d.proof", lambda said: said["puzzle"].pop("tiles"))
    refuses("", "certificate-to-lrat", "d.proof", "-o", "d", status=1)
