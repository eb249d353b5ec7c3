"""``puzzlesat challenge``: positions as text, JSON and pictures."""

import json
import re

import pytest

from puzzlesat.pages import challenge_sheet
from tiers import every


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
