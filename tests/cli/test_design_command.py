"""``puzzlesat design``, also for pieces with free cells and with ``--carve``: figures, disassemblies, growing files, limits."""

import json

import pytest

import puzzlesat
from tiers import every

SMALL = """
title = "Two rods"
solid = true
[rods]
x = [[1, 2, 2], [4, 3, 3]]
y = [[2, 1, 2], [3, 4, 3]]
"""
NOTCHABLE = "notchable-solid-six-piece-burrs"


@pytest.fixture
def small(tmp_path):
    file = tmp_path / "small.toml"
    file.write_text(SMALL, encoding="utf-8")
    return file


@pytest.fixture
def counted_once(monkeypatch):
    """Skip the second way of counting, which takes seconds; other tests run it."""
    monkeypatch.setattr("puzzlesat.designing.burr_design._confirmed", lambda known, _: known)


@pytest.mark.full
@pytest.mark.usefixtures("counted_once")
def test_a_published_count(run):
    ran = run("design", "notchable-six-piece-burrs", status=0)
    assert "13,354,991 assemblies up to symmetry (320,439,782 in all)" in ran.stdout
    assert "59 pieces; a rod can be cut in 147 ways" in ran.stdout
    assert "as published: pieces 59, assemblies up to symmetry 13,354,991" in ran.stdout


@pytest.mark.full
def test_all_notchable_burrs_are_taken_apart(run):
    """Bill Cutler and Tom O'Beirne: 314 assemblies of 25 pieces, in 221 sets."""
    ran = run("design", NOTCHABLE, "--apart", "--jobs", 1, status=0)
    assert "318 assemblies where something can move; 314 come apart\n" in ran.stdout
    assert "they are 221 sets of 25 different pieces; 155 of them in one way only\n" in ran.stdout
    assert "confirmed by a second way of counting, for each of 12 symmetries" in ran.stdout
    assert "checked: independent code replayed the moves" in ran.stdout
    assert "as published: assemblies that come apart 314, pieces in assemblies that come apart 25, sets of pieces" in ran.stdout


@pytest.mark.slow
def test_all_long_notchable_burrs_are_taken_apart(run):
    """Bill Cutler, 1987: two assemblies of level 10, with 9 and 11 holes; 5 is the highest level of a set with one way apart."""
    ran = run("design", "long-notchable-six-piece-burrs", "--apart", "--json")
    found = ran.json[-1]
    assert ran.status == 0
    assert (found["decided"], found["checked"], found["apart"], found["sets"]) == (11_011_974, 11_011_974, 6_717_708, 315_401)
    assert found["agree"]
    assert next(iter(found["levels"].items())) == ("10", 2)
    assert found["best"]["holes"] == 9
    assert (found["unique"]["5"], sum(found["unique"].values())) == (34, 39_257)


@pytest.mark.slow
def test_all_solid_burrs_are_taken_apart(run):
    """Bill Cutler: 119,979 assemblies of 369 pieces."""
    found = run("design", "solid-six-piece-burrs", "--apart", "--json").json[-1]
    assert (found["decided"], found["apart"], found["used"]) == (157_122, 119_979, 369)
    assert (found["sets"], sum(found["unique"].values())) == (115_963, 112_207)
    assert found["checked"] == found["decided"]
    assert found["agree"]


@pytest.mark.full
@every(("how", "keys"), [
    (("--apart",), "part decided undecided apart opens checked levels best sets numbers seconds"),
    (("--sample", 30), "cubes pieces holes level moves opens checked least"),
])  # fmt: skip
def test_a_file_resumes(run, tmp_path, how, keys):
    file, kept = tmp_path / "small.toml", tmp_path / "kept.jsonl"
    file.write_text(SMALL, encoding="utf-8")
    whole = run("design", file, *how, "--jobs", 1, "-o", kept, "--json", status=0).json[-1]
    assert (whole["complete"], whole["checked"]) == (True, whole["decided"])
    first = kept.read_text(encoding="utf-8").splitlines()
    assert json.loads(first[1]).keys() == {*keys.split()}
    kept.write_text("\n".join(first[:-1]) + "\n", encoding="utf-8")
    again = run("design", file, *how, "--jobs", 1, "-o", kept, "--json").json[-1]
    for found in (again, whole):
        found["seconds"] = found["cpu_seconds_of_all"] = 0
    assert again == whole
    found, before = ({line.partition(', "seconds"')[0] for line in some} for some in (kept.read_text(encoding="utf-8").splitlines(), first))
    assert found == before
    assert "choose another file" in run("design", NOTCHABLE, "--apart", "-o", kept, status=2).output


@pytest.mark.full
@pytest.mark.usefixtures("counted_once")
def test_parts_by_several_machines_come_to_the_whole(run, tmp_path):
    found, lines = [], []
    for k in (1, 2):
        kept = tmp_path / f"{k}.jsonl"
        found.append(run("design", NOTCHABLE, "--apart", "--part", f"{k}/2", "--jobs", 1, "-o", kept, "--json").json[-1])
        lines += kept.read_text(encoding="utf-8").splitlines()[(k > 1) :]
    whole = tmp_path / "whole.jsonl"
    whole.write_text("\n".join(lines) + "\n", encoding="utf-8")
    ran = run("design", NOTCHABLE, "--apart", "--jobs", 1, "-o", whole)
    assert whole.read_text(encoding="utf-8").splitlines() == lines  # nothing was done again
    assert "318 assemblies where something can move; 314 come apart\n" in ran.stdout
    assert [sum(each[key] for each in found) for key in ("decided", "apart", "parts")] == [318, 314, 3]
    assert found[0]["part"] == [1, 2]
    assert all(each["agree"] for each in found)


@pytest.mark.full
@pytest.mark.usefixtures("counted_once")
def test_the_pieces_of_the_highest_have_other_assemblies(run, tmp_path):
    file = tmp_path / "best.toml"
    ran = run("design", "six-piece-burrs", "--sample", 60, "--jobs", 1, "--unique", 2, "--best", file, "--json")
    one, other = ran.json[-1]["others"]
    assert (one["level"], one["pieces"]) == (ran.json[-1]["best"]["level"], ran.json[-1]["best"]["pieces"])
    taken = run("apart", file, "--json", "--jobs", 1).json[-1]
    assert (taken["assemblies"], taken["apart"]) == (one["assemblies"], one["apart"])
    assert other["assemblies"] >= other["apart"] > 0


def test_a_sample_states_its_range(run, small):
    ran = run("design", small, "--sample", 40, "--jobs", 1, status=0)
    assert "40 assemblies drawn at random (seed 0)" in ran.stdout
    assert "% with 95 % confidence" in ran.stdout


def test_a_wrong_figure_fails(run, small):
    small.write_text(SMALL + '[expect]\nall = 3\nsource = "somebody"\n', encoding="utf-8")
    assert "assemblies in all: published 3, found " in run("design", small, status=1).stdout


@pytest.mark.full
def test_a_limit_leaves_the_numbers_unknown(run, room):
    said = run("design", "six-piece-burrs", "--time", 0.01, "--json", status=3).json[-1]
    assert (said["complete"], said["all"]) == (False, None)
    assert "0 of 175 choices searched" in " ".join(run("design", room, "--time", 0.0001, status=3).output.split())


@pytest.mark.full
def test_where_nothing_can_move_this_is_said(run, tmp_path):
    """Three rods through one middle always interlock; this once raised a Python error."""
    file = tmp_path / "three.toml"
    rods = "x = [[1, 3, 3], [6, 4, 4]]\ny = [[3, 1, 3], [4, 6, 4]]\nz = [[3, 3, 1], [4, 4, 6]]\n"
    file.write_text(f'title = "Three rods"\n[rods]\n{rods}', encoding="utf-8")
    ran = run("design", file, "--apart", status=0)
    assert ran.stdout.splitlines()[-1] == "0 assemblies where something can move; 0 come apart"


def test_a_design_is_validated(run, small):
    assert "small.toml: ok\n    design of 2 rods; " in run("validate", small).output
    assert "is a design, not a puzzle; count it with 'puzzlesat design" in run("count", small).output
    small.write_text(SMALL.replace("solid = true", "sollid = true"), encoding="utf-8")
    assert "unknown key 'sollid'" in run("validate", small, status=2).output


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
    ran = run("design", room, status=0)
    assert "A room: 6 sets of pieces fill the form, 1 in one way only\n" in ran.stdout
    assert "175 choices of the shapes of the pieces; 15 assemblies (45 in all)\n" in ran.stdout
    assert "1           A-1 B-4 B-4\n" in ran.stdout
    assert "confirmed: the assemblies of 6 sets were counted once more, by another solver\n" in ran.stdout


def test_a_wrong_figure_of_sets_fails(run, room):
    room.write_text(ROOM + '[expect]\nsets = 7\nonce = 1\nsource = "somebody"\n', encoding="utf-8")
    ran = run("design", room, status=1)
    assert "sets of pieces: published 7, found 6 (somebody)" in ran.stdout
    assert "as published: sets with one assembly 1 (somebody)" in ran.stdout


@pytest.mark.full
def test_the_best_set_is_a_puzzle(run, room, tmp_path):
    best = tmp_path / "best.toml"
    ran = run("design", room, "--best", best, "--json").json[-1]
    assert (ran["sets"], ran["once"], ran["distinct"], ran["all"], ran["complete"]) == (6, 1, 15, 45, True)
    assert ran["best"][0]["assemblies"] == 1
    counts = puzzlesat.count(best).counts
    assert (counts.distinct, counts.all) == (1, ran["best"][0]["all"]) == (1, 2)


@pytest.mark.full
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
    ran = run("design", "sixth-piece-of-unique-10", "--apart", "--jobs", 1, "--unique", 1, status=0)
    assert "as published: choices 837" in ran.stdout
    assert "303 sets of pieces fill the form, 110 in one way only\n" in ran.stdout
    best = [line.split() for line in ran.stdout.splitlines() if line.startswith("10  ")][-1]
    assert best[:3] == ["10", "7", "1"]
    assert best[3:8] == ["624", "702", "768", "883", "1024"]


@pytest.mark.full
def test_a_burr_is_carved(run, tmp_path):
    best, kept = tmp_path / "best.toml", tmp_path / "kept.jsonl"
    ran = run("design", "dubois-burr", "--carve", 70, "--seed", 1, "-o", kept, "--best", best, status=0)
    assert "70 assignments searched\n" in ran.stdout
    found = run("design", "dubois-burr", "--carve", 70, "--seed", 1, "-o", kept, "--json").json[-1]
    assert found["searched"] == found["checked"] == 70
    assert found["best"]["moves"] >= found["start"]["moves"]
    taken = run("apart", best, "--jobs", 1, "--json").json[-1]
    assert found["best"]["level"] in taken["levels"]
    short = run("design", "dubois-burr", "--carve", 70, "--time", 0.0001, status=3)
    assert "nothing comes apart, 0 assignments searched" in short.stdout
