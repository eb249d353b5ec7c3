"""``puzzlesat design`` and its function: figures, assemblies taken apart, files that grow, limits, and what is wrong with a design."""

from __future__ import annotations

import json

import pytest

import puzzlesat
from puzzlesat.burrs.designfile import read_design
from puzzlesat.config.package import design_files

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
    """The second way of counting takes seconds, and other tests try it."""
    monkeypatch.setattr("puzzlesat.burrs.run._confirmed", lambda known, _: known)


@pytest.mark.usefixtures("counted_once")
def test_a_published_count(run):
    ran = run("design", "notchable-six-piece-burrs")
    assert ran.status == 0
    assert "13,354,991 assemblies up to symmetry (320,439,782 in all)" in ran.stdout
    assert "59 pieces; a rod can be cut in 147 ways" in ran.stdout
    assert "as published: pieces 59, assemblies up to symmetry 13,354,991" in ran.stdout


@pytest.mark.full
def test_all_notchable_burrs_are_taken_apart(run):
    """Bill Cutler and Tom O'Beirne: 314 assemblies of 25 pieces, in 221 sets."""
    ran = run("design", NOTCHABLE, "--apart", "--jobs", 1)
    assert ran.status == 0, ran.output
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


def test_a_file_resumes(run, small, tmp_path):
    kept = tmp_path / "kept.jsonl"
    ran = run("design", small, "--apart", "--jobs", 1, "-o", kept, "--json")
    whole = ran.json[-1]
    assert ran.status == 0
    assert (whole["complete"], whole["checked"], whole["confirmed"]) == (True, whole["decided"], True)
    first = kept.read_text(encoding="utf-8").splitlines()
    assert len(first) == 1 + whole["parts"]
    assert json.loads(first[1]).keys() == {
        "part", "decided", "undecided", "apart", "opens", "checked", "levels", "best", "sets", "numbers", "seconds"
    }  # fmt: skip
    kept.write_text("\n".join(first[:-1]) + "\n", encoding="utf-8")
    again = run("design", small, "--apart", "--jobs", 1, "-o", kept, "--json").json[-1]
    for found in (again, whole):
        found["seconds"] = found["cpu_seconds_of_all"] = 0
    assert again == whole
    other = run("design", "notchable-solid-six-piece-burrs", "--apart", "-o", kept)
    assert other.status == 2
    assert "choose another file" in other.output


def test_a_file_of_a_sample_resumes(run, small, tmp_path):
    kept = tmp_path / "kept.jsonl"
    whole = run("design", small, "--sample", 30, "--jobs", 1, "-o", kept, "--json").json[-1]
    first = kept.read_text(encoding="utf-8").splitlines()
    assert json.loads(first[1]).keys() == {"cubes", "pieces", "holes", "level", "moves", "opens", "checked"}
    kept.write_text("\n".join(first[:-1]) + "\n", encoding="utf-8")
    again = run("design", small, "--sample", 30, "--jobs", 1, "-o", kept, "--json").json[-1]
    assert again | {"seconds": 0} == whole | {"seconds": 0}
    assert {*kept.read_text(encoding="utf-8").splitlines()} == {*first}


@pytest.mark.full
@pytest.mark.usefixtures("counted_once")
def test_parts_by_several_machines_come_to_the_whole(run, tmp_path):
    """Each part has a file of its own; their lines in one file are the whole."""
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
def test_several_processes_come_to_the_same(run):
    found = run("design", NOTCHABLE, "--apart", "--jobs", 2, "--json").json[-1]
    assert (found["decided"], found["apart"], found["parts"], found["parts_done"]) == (318, 314, 3, 3)


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
    ran = run("design", small, "--sample", 40, "--jobs", 1)
    assert ran.status == 0, ran.output
    assert "40 assemblies drawn at random (seed 0)" in ran.stdout
    assert "% with 95 % confidence" in ran.stdout


@pytest.mark.full
@pytest.mark.usefixtures("counted_once")
def test_the_best_assembly_is_a_puzzle(run, tmp_path):
    file = tmp_path / "best.toml"
    ran = run("design", "six-piece-burrs", "--sample", 60, "--jobs", 1, "--best", file, "--json").json[-1]
    taken = run("apart", file, "--json", "--jobs", 1).json
    assert taken[-1]["complete"]
    assert ran["best"]["level"] in taken[-1]["levels"]
    assert sorted(name.split(".")[0] for name in taken[0]["placements"]) == sorted(ran["best"]["pieces"])


def test_a_wrong_figure_fails(run, small):
    small.write_text(SMALL + '[expect]\nall = 3\nsource = "somebody"\n', encoding="utf-8")
    ran = run("design", small)
    assert ran.status == 1
    assert "assemblies in all: published 3, found " in ran.stdout


def test_a_limit_ends_it(run):
    ran = run("design", "six-piece-burrs", "--time", 0.01, "--json")
    assert ran.status == 3
    assert (ran.json[-1]["complete"], ran.json[-1]["all"]) == (False, None)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("six-piece-burr",), "there is no design 'six-piece-burr'; did you mean 'six-piece-burrs'?"),
        (("nowhere.toml",), "there is no design 'nowhere.toml'; known: long-notchable-six-piece-burrs"),
        (("six-piece-burrs", "--apart", "--sample", 3), "use --apart or --sample, not both"),
        (("six-piece-burrs", "-o", "x.jsonl"), "add --apart or --sample"),
        (("six-piece-burrs", "--sample", 3, "--part", "1/2"), "--part is for --apart"),
        (("six-piece-burrs", "--apart", "--part", "3/2"), "expected such as 1/100, got '3/2'"),
    ],
)
@pytest.mark.usefixtures("folder", "counted_once")
def test_what_is_refused(run, arguments, said):
    ran = run("design", *arguments)
    assert ran.status == 2
    assert said in " ".join(ran.output.replace("│", " ").split())


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ("y = [[3, 1, 2], [2, 4, 3]]", "x, y and z of the last must not be smaller"),
        ("y = [[2, 1], [3, 4]]", "rods.y"),
        ("y = [[2, 1, 2], [3, 4, 3]]\n[pieces]\ncut = 1", "unknown key"),
    ],
)
def test_what_is_wrong_with_a_design(run, small, changed, said):
    small.write_text(SMALL.replace("y = [[2, 1, 2], [3, 4, 3]]", changed), encoding="utf-8")
    ran = run("design", small)
    assert ran.status == 2
    assert said in ran.output
    assert "Traceback" not in ran.output


def test_a_puzzle_is_no_design(run, tmp_path):
    mine, theirs = tmp_path / "mine.toml", tmp_path / "theirs.xmpuzzle"
    mine.write_text('title = "Mine"\ngrid = "square"\nform.box = [1, 2]\ntiles.A.picture = "##"\n', encoding="utf-8")
    theirs.write_bytes(b"")
    for name in (mine, theirs, "dubois-burr"):
        ran = run("design", name)
        assert ran.status == 2
        said = " ".join(ran.output.split())
        assert f"is a puzzle, not a design; 'puzzlesat apart {name}' takes it apart, and --carve N searches" in said


def test_where_nothing_can_move_this_is_said(run, tmp_path):
    """Three rods of one middle hold each other, whoever keeps its cubes."""
    file = tmp_path / "three.toml"
    rods = "x = [[1, 3, 3], [6, 4, 4]]\ny = [[3, 1, 3], [4, 6, 4]]\nz = [[3, 3, 1], [4, 4, 6]]\n"
    file.write_text(f'title = "Three rods"\n[rods]\n{rods}', encoding="utf-8")
    ran = run("design", file, "--apart")
    assert ran.status == 0
    assert ran.stdout.splitlines()[-1] == "0 assemblies where something can move; 0 come apart"


def test_a_design_is_validated(run, small):
    assert "small.toml: ok\n    design of 2 rods; " in run("validate", small).output
    assert "is a design, not a puzzle; count it with 'puzzlesat design" in run("count", small).output
    small.write_text(SMALL.replace("solid = true", "sollid = true"), encoding="utf-8")
    found = run("validate", small)
    assert found.status == 2
    assert "unknown key 'sollid'" in found.output


def test_the_function_finds_the_same():
    found = puzzlesat.design({"title": "Two", "rods": {"x": [[1, 2, 2], [4, 3, 3]], "y": [[2, 1, 2], [3, 4, 3]]}}, sample=5, jobs=1)
    assert found.complete
    assert found.confirmed
    assert len(found.taken) == 5
    assert found.sentence.startswith("Two: ")


@pytest.mark.parametrize("file", design_files(), ids=lambda file: file.stem)
def test_designs_of_the_package_state_their_source(file):
    design = read_design(file.stem)
    assert design.expect.source
    assert design.source
