"""``puzzlesat design`` of pieces with free cells, and with ``--carve``: figures, files, limits, and what is refused."""

from __future__ import annotations

import json

import pytest

import puzzlesat

ROOM = """
title = "A room"
grid = "square"
flips = true
form.box = [3, 4]
[pieces.A]
picture = '''
+█+
+█+
'''
[pieces.B]
copies = 2
picture = '''
███+
+..+
'''
"""


@pytest.fixture
def room(tmp_path):
    file = tmp_path / "room.toml"
    file.write_text(ROOM, encoding="utf-8")
    return file


def test_sets_of_pieces(run, room):
    ran = run("design", room)
    assert ran.status == 0, ran.output
    assert "A room: 6 sets of pieces fill the form, 1 in one way only\n" in ran.stdout
    assert "175 choices of the shapes of the pieces; 15 assemblies (45 in all)\n" in ran.stdout
    assert "1           A-1 B-4 B-4\n" in ran.stdout
    assert "confirmed: the assemblies of 6 sets were counted once more, by another solver\n" in ran.stdout


def test_the_best_set_is_a_puzzle(run, room, tmp_path):
    best = tmp_path / "best.toml"
    ran = run("design", room, "--best", best, "--json").json[-1]
    assert (ran["sets"], ran["once"], ran["distinct"], ran["all"], ran["complete"]) == (6, 1, 15, 45, True)
    assert ran["best"][0]["assemblies"] == 1
    counts = puzzlesat.count(best).counts
    assert (counts.distinct, counts.all) == (1, ran["best"][0]["all"]) == (1, 2)


def test_assemblies_are_kept(run, room, tmp_path):
    kept = tmp_path / "kept.jsonl"
    ran = run("design", room, "--apart", "--jobs", 1, "-o", kept, "--json").json[-1]
    assert (ran["decided"], ran["apart"], ran["checked"], ran["levels"]) == (15, 15, 15, {"1": 15})
    lines = kept.read_text(encoding="utf-8").splitlines()
    kept.write_text("\n".join(lines[:8]) + "\n", encoding="utf-8")
    again = run("design", room, "--apart", "--jobs", 1, "-o", kept, "--json").json[-1]
    assert again | {"seconds": 0} == ran | {"seconds": 0}
    assert sorted(kept.read_text(encoding="utf-8").splitlines()) == sorted(lines)
    assert {len(json.loads(line)["cubes"]) for line in lines[1:]} == {12}


@pytest.mark.full
def test_the_sixth_piece_of_a_known_burr(run):
    """Bill Cutler: 837 pieces, and with one of them 7 assemblies, of which one comes apart, at level 10."""
    ran = run("design", "sixth-piece-of-unique-10", "--apart", "--jobs", 1, "--unique", 1)
    assert ran.status == 0, ran.output
    assert "as published: choices 837" in ran.stdout
    assert "303 sets of pieces fill the form, 110 in one way only\n" in ran.stdout
    best = [line.split() for line in ran.stdout.splitlines() if line.startswith("10  ")][-1]
    assert best[:3] == ["10", "7", "1"]
    assert best[3:8] == ["624", "702", "768", "883", "1024"]


def test_a_wrong_figure_of_sets_fails(run, room):
    room.write_text(ROOM + '[expect]\nsets = 7\nonce = 1\nsource = "somebody"\n', encoding="utf-8")
    ran = run("design", room)
    assert ran.status == 1
    assert "sets of pieces: published 7, found 6 (somebody)" in ran.stdout
    assert "as published: sets with one assembly 1 (somebody)" in ran.stdout


def test_a_limit_says_how_much_was_searched(run, room):
    ran = run("design", room, "--time", 0.0001)
    assert ran.status == 3
    assert "0 of 175 choices searched" in " ".join(ran.output.split())


def test_a_burr_is_carved(run, tmp_path):
    best, kept = tmp_path / "best.toml", tmp_path / "kept.jsonl"
    ran = run("design", "dubois-burr", "--carve", 70, "--seed", 1, "-o", kept, "--best", best)
    assert ran.status == 0, ran.output
    assert "70 assignments searched\n" in ran.stdout
    found = run("design", "dubois-burr", "--carve", 70, "--seed", 1, "-o", kept, "--json").json[-1]
    assert found["searched"] == found["checked"] == 70
    assert found["best"]["moves"] >= found["start"]["moves"]
    taken = run("apart", best, "--jobs", 1, "--json").json[-1]
    assert found["best"]["level"] in taken["levels"]
    short = run("design", "dubois-burr", "--carve", 70, "--time", 0.0001)
    assert short.status == 3
    assert "nothing comes apart, 0 assignments searched" in short.stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--sample", 3), "--sample is for designs of rods; remove it"),
        (("--apart", "--part", "1/2"), "--part is for designs of rods; remove it"),
        (("-o", "x.jsonl"), "--output is for assemblies that are taken apart; add --apart"),
        (("--carve", 3), "is a design, not a puzzle"),
        (("--carve", 3, "--apart"), "--carve is not for --apart, --sample and --unique; remove them"),
    ],
)
@pytest.mark.usefixtures("folder")
def test_what_pieces_refuse(run, room, arguments, said):
    ran = run("design", room, *arguments)
    assert ran.status == 2
    assert said in " ".join(ran.output.split())


def test_pieces_are_validated(run, room):
    assert "room.toml: ok\n    design of 3 pieces; 175 choices of their shapes" in run("validate", room).output
    room.write_text(ROOM.replace("copies", "coppies"), encoding="utf-8")
    found = run("validate", room)
    assert found.status == 2
    assert "unknown key" in found.output


def test_the_function_takes_pieces_and_carves():
    table = {"title": "Two", "grid": "square", "form": {"box": [2, 2]}, "pieces": {"A": {"picture": "█+\n++"}, "B": {"picture": "█"}}}
    found = puzzlesat.design(table, apart=True, jobs=1)
    assert (found.complete, len(found.sets), found.once, found.best.apart) == (True, 1, 1, 1)
    assert "Two: 1 set of pieces fills the form" in found.sentence
    carved = puzzlesat.design("dubois-burr", carve=5)
    assert carved.complete
    assert carved.searched == 5
    with pytest.raises(puzzlesat.PuzzleError, match="carve"):
        puzzlesat.design("dubois-burr", carve=5, apart=True)
