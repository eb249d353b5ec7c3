"""``puzzlesat hint`` and ``challenge``: positions as names and pictures, sentences on them, drawings and JSON."""

import json
import re

import pytest

from puzzlesat.pages import challenge_sheet
from puzzlesat.playing.position import Completions
from puzzlesat.puzzles.library import find_instance
from puzzlesat.puzzles.reading import read_table
from tiers import every


def test_a_position_that_can_be_finished(run):
    found = run("hint", "octogram", "F.3@4.1", "I.1@1.8", "L.1@1.1", "--next", status=0)
    lines = found.output.splitlines()
    assert lines[:8] == ["IIIII···", *["········"] * 3, "L·······", "L·X·F···", "LXXXFF··", "LLXFF···"]
    assert lines[9:] == [
        "3 of 13 pieces are placed.",
        "It can be finished in 34 ways.",
        "Next: X.1@3.1. It is forced: every way to finish contains it.",
    ]
    assert len(run("solve", "octogram", "--all", "--json", "--with", "F.3@4.1", "--with", "I.1@1.8", "--with", "L.1@1.1").json) == 34


@pytest.mark.full
def test_a_position_that_cannot_be_finished(run):
    assert run("hint", "octogram", "F.3@4.1", "I.1@1.7", "L.1@1.1", "--next", status=0).output.splitlines()[9:] == [
        "3 of 13 pieces are placed.",
        "It cannot be finished.",
        "  nothing that is left covers [1, 8], [2, 8], [3, 8]",
        "In the order given, you could still finish before piece 2: I.1@1.7.",
        "Take back I.1@1.7: it can then be finished in 71 ways.",
    ]


@pytest.mark.full
def test_several_pieces_have_to_go(run):
    found = run("hint", "absolut-knifflig", "card1.1@1.1", "card2.1@2.1", "card4.3@2.2", "--json")
    (entry,) = found.json
    choices = entry["take_back"]["choices"]
    assert (entry["solvable"], entry["completions"], entry["exact"], entry["next"]) == (False, 0, True, None)
    assert (entry["take_back"]["fewest"], entry["take_back"]["every"]) == (True, True)
    assert entry["dead_ends"] == ["card2.1@2.1 and card4.3@2.2 show each other marks that may not meet"]
    assert [len(c["pieces"]) for c in choices] == [2, 2, 2]
    for choice in choices:
        rest = [n for n in entry["placed"] if n not in choice["pieces"]]
        solutions = run("solve", "absolut-knifflig", "--all", "--json", *(word for n in rest for word in ("--with", n))).json
        assert len(solutions) == choice["completions"]
    assert choices == sorted(choices, key=lambda c: -c["completions"])


def test_json_of_a_position(run, folder):
    found = run("hint", "dominoes.toml", "D.2@1.1", "--next", "--json", status=0)
    (entry,) = found.json
    assert entry == {
        "instance": "dominoes",
        "complete": True,
        "why": None,
        "placed": ["D.2@1.1"],
        "finished": False,
        "solvable": True,
        "completions": 2,
        "exact": True,
        "dead_ends": [],
        "first_wrong": None,
        "take_back": None,
        "next": {"name": "D.1@2.1", "forced": False, "reason": None, "shared": 1, "listed": 2, "every": True},
    }


@every(
    ("arguments", "said"),
    [
        (["dominoes.toml"], ["0 of 3 pieces are placed.", "The puzzle has 3 solutions."]),
        (["none.toml"], ["0 of 4 pieces are placed.", "The puzzle has no solution."]),
        (["none.toml", "D.1@1.3"], ["It cannot be finished.", "The puzzle itself has no solution."]),
        (["dominoes.toml", "D.2@1.1", "D.2@2.1", "D.2@3.1"], ["3 of 3 pieces are placed.", "This is a solution."]),
        (["optional.toml", "D.2@1.1"], ["1 piece is placed.", "This is a solution.", "It can be finished in 2 ways."]),
        (
            ["dominoes.toml", "D.1@1.1", "--next"],
            ["It can be finished in one way.", "Next: D.1@1.2. It is forced: nothing else covers [1, 2]."],
        ),
    ],
    fast=3,
)
def test_what_is_said(run, folder, arguments, said):
    found = run("hint", *arguments, status=0)
    assert [s for s in said if s not in found.output.splitlines()] == []


@pytest.mark.full
def test_pictures_in_and_out(run, tmp_path):
    blank = run("hint", "soma", "--blank").output
    assert blank == "\n".join(["···\n" * 3] * 3)
    file = tmp_path / "position.txt"
    file.write_text(run("solve", "soma").output.replace("P", "·"), encoding="utf-8-sig")  # as some editors save files
    assert run("hint", "soma", "--picture", file, "--json").json[0]["completions"] == 1
    found = run("hint", "soma", "--picture", file, "--svg", tmp_path / "p.svg", "--png", tmp_path / "p.png", status=0)
    assert "6 of 7 pieces are placed.\nIt can be finished in one way." in found.output
    svg = (tmp_path / "p.svg").read_text(encoding="utf-8")
    assert svg.startswith("<svg ")
    assert "6 of 7 pieces are placed. It can be finished in one way." in svg
    assert (tmp_path / "p.png").read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    run("hint", "soma", "--picture", file, "--next", "--svg", tmp_path / "n.svg")
    assert re.search(r"It can be finished in one way. Next: P\.\d+@[\d.]+\.<", (tmp_path / "n.svg").read_text(encoding="utf-8"))


@pytest.mark.full
def test_a_position_from_standard_input(monkeypatch):
    from typer.testing import CliRunner

    from puzzlesat.cli.main import app

    found = CliRunner().invoke(app, ["hint", "octogram", "--picture", "-"], input="IIIII" + "\n" * 8)
    assert found.exit_code == 0
    assert "1 of 13 pieces" in found.output


def test_interrupted(monkeypatch, run):
    from puzzlesat.playing import hint

    def broken_off(problem, placed, limits, **_):
        limits.stop.set()
        return Completions(0, False)

    monkeypatch.setattr(hint, "count_completions", broken_off)
    assert "It is not known whether it can be finished: interrupted." in run("hint", "soma", "V.2@1.1.1", status=3).output


@pytest.mark.full
def test_a_card_is_named_by_its_marks_as_it_lies(run):
    """Marks are named clockwise from the top; the file may list them from another side."""
    said = run("hint", "absolut-knifflig", "--next").output.splitlines()[-1]
    found = re.match(r"Next: (card\d)\.(\d)@\d\.\d \((.*)\)\. ", said)
    assert found is not None, said
    marks = found[3].split(", ")
    assert len(marks) == 4
    table = read_table(find_instance("absolut-knifflig"))
    around = [mark.replace("+", " +").replace("-", " −") for mark in table["tiles"][found[1]]["around"]]
    assert marks in [around[i:] + around[:i] for i in range(4)]
    assert "(" not in run("hint", "octogram", "--next", "F.3@4.1").output


def test_text_and_json_say_the_same(run):
    text = run("challenge", "soma", "-n", 3, "--seed", 3, status=0)
    assert text.output.startswith("The Soma cube: 3 starting positions, from easy to hard\nEach can be finished in exactly one way")
    assert "Seed 3." in text.output
    found = run("challenge", "soma", "-n", 3, "--seed", 3, "--json")
    assert [e["number"] for e in found.json] == [1, 2, 3]
    assert [e["nodes"] for e in found.json] == sorted(e["nodes"] for e in found.json)
    for entry in found.json:
        assert f"{entry['number']}.  {len(entry['placed'])} pieces placed, {7 - len(entry['placed'])} left" in text.output
        assert f"to place: {' '.join(entry['to_place'])}" in text.output
        assert sorted([*entry["to_place"], *(n.split(".")[0] for n in entry["placed"])]) == sorted("VLTZABP")
        assert entry["completions"] == len(entry["solutions"]) == 1
        assert set(entry["placed"]) < set(entry["solutions"][0])
        assert entry["confirmed"]
        (hint,) = run("hint", "soma", *entry["placed"], "--json").json
        assert (hint["completions"], hint["exact"]) == (1, True)
        solved = run("solve", "soma", "--all", "--json", "--solver", "cpsat", *(w for n in entry["placed"] for w in ("--with", n))).json
        assert [sorted(p["name"] for p in s["placements"]) for s in solved] == [sorted(s) for s in entry["solutions"]]


@pytest.mark.full
@every("kind", ["svg", "png"])
def test_pictures_with_the_solutions_in_a_file_of_their_own(run, tmp_path, kind):
    file = tmp_path / f"soma.{kind}"
    found = run("challenge", "soma", "-n", 2, "--seed", 3, "-o", file)
    others = ["solutions", *(["board", "pieces"] if kind == "svg" else [])]
    written = [file, *(tmp_path / f"soma-{name}.{kind}" for name in others)]
    assert found.output == f"2 positions (seed 3): {', '.join(map(str, written))}\n"
    begin = b"<svg " if kind == "svg" else b"\x89PNG"
    assert all(each.read_bytes().startswith(begin) for each in written)


@pytest.mark.full
def test_fewer_positions_than_asked_for(run, folder):
    found = run("challenge", "dominoes.toml", "-n", 50, "--seed", 1, "--json", status=0)
    assert re.search(r"puzzlesat: only \d+ different positions were found", found.output)
    entries = [json.loads(line) for line in found.stdout.splitlines() if line.startswith("{")]
    assert all(e["to_place"] and not e["complete"] and "different positions were found" in e["why"] for e in entries)


@every("old", [False, True])
def test_what_is_made_before_an_interrupt_takes_no_whole_files_place(run, folder, monkeypatch, old):
    def interrupted(built, count, wish, seed, limits, announce):
        made = whole(built, count, wish, seed, limits, announce)
        limits.stop.set()
        return made

    whole = challenge_sheet.challenges
    monkeypatch.setattr(challenge_sheet, "challenges", interrupted)
    if old:
        (folder / "x.txt").write_text("old", encoding="utf-8")
    found = run("challenge", "dominoes.toml", "-n", 1, "-o", "x.txt", status=3)
    assert ((folder / "x.txt").read_text(encoding="utf-8") == "old") == old
    assert ("x.txt is unchanged" in found.output) == old


@pytest.mark.full
def test_the_hardest(run):
    text = run("challenge", "soma", "--hardest", "--seed", 1, status=0)
    assert "2 pieces placed, 5 left" in text.output
    assert "Fewer pieces are not enough: all 11,520 solutions were listed (counted by another solver too)" in text.output
    (entry,) = run("challenge", "soma", "--hardest", "--json").json
    assert (len(entry["placed"]), entry["least"], entry["minimal"], entry["confirmed"]) == (2, True, True, True)
    assert run("challenge", "soma", "-n", 1, "--seed", 1, "--json").json[0]["least"] is None
