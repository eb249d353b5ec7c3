"""``puzzlesat challenge``: positions as text, JSON, pictures and a page to print."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser

import pytest

from puzzlesat.play import wished


def test_text_and_json_say_the_same(run):
    text = run("challenge", "soma", "-n", 3, "--seed", 3)
    assert text.status == 0
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


def test_as_many_completions_and_pieces_as_wished(run):
    found = run("challenge", "soma", "-n", 2, "--placed", 3, "--completions", 4, "--seed", 1, "--json")
    assert [len(e["placed"]) for e in found.json] == [3, 3]
    assert [len(e["solutions"]) for e in found.json] == [4, 4]
    found = run("challenge", "soma", "-n", 3, "--from", 5, "--to", 4, "--seed", 1, "--json")
    assert {len(e["placed"]) for e in found.json} == {4, 5}


def test_another_seed_gives_other_positions(run):
    first, again, other = (run("challenge", "soma", "-n", 2, "--seed", seed, "--json").json for seed in (1, 1, 2))
    assert first == again
    assert [e["placed"] for e in first] != [e["placed"] for e in other]


class Page(HTMLParser):
    """Collects what a page contains."""

    def __init__(self):
        super().__init__()
        self.tags = []
        self.links = []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.links += [value for name, value in attrs if name in ("src", "href")]


def test_a_page_to_print(run, tmp_path):
    file = tmp_path / "cards.html"
    found = run("challenge", "absolut-knifflig", "-n", 3, "--seed", 3, "-o", file)
    assert (found.status, found.output) == (0, f"3 positions (seed 3): {file}\n")
    text = file.read_text(encoding="utf-8")
    page = Page()
    page.feed(text)
    assert page.links == []
    assert page.tags.count("figure") == 6
    assert page.tags.count("svg") == 12  # with the legend of the marks, and the board and the cards to cut out
    before, after = text.split('<section class="solutions">')
    assert "break-before: page" in before
    assert before.count("To place:") == 3
    assert after.count("<figure>") == 3


@pytest.mark.parametrize("kind", ["svg", "png"])
def test_pictures_with_the_solutions_in_a_file_of_their_own(run, tmp_path, kind):
    file = tmp_path / f"soma.{kind}"
    found = run("challenge", "soma", "-n", 2, "--seed", 3, "-o", file)
    others = ["solutions", *(["board", "pieces"] if kind == "svg" else [])]
    written = [file, *(tmp_path / f"soma-{name}.{kind}" for name in others)]
    assert found.output == f"2 positions (seed 3): {', '.join(map(str, written))}\n"
    begin = b"<svg " if kind == "svg" else b"\x89PNG"
    assert all(each.read_bytes().startswith(begin) for each in written)


def test_text_and_json_files(run, tmp_path):
    file = tmp_path / "soma.txt"
    run("challenge", "soma", "-n", 2, "--seed", 3, "-o", file)
    positions, solutions = file.read_text(encoding="utf-8").split("\f")
    assert "·" in positions
    assert "·" not in solutions
    assert len(re.findall(r"^\d\.  V\.", solutions, re.M)) == 2
    file = tmp_path / "soma.json"
    run("challenge", "soma", "-n", 2, "--seed", 3, "-o", file)
    entries = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    assert entries == run("challenge", "soma", "-n", 2, "--seed", 3, "--json").json


def test_fewer_positions_than_asked_for(run, folder):
    found = run("challenge", "dominoes.toml", "-n", 50, "--seed", 1, "--json")
    assert found.status == 0
    assert re.search(r"puzzlesat: only \d+ different positions were found", found.output)
    entries = [json.loads(line) for line in found.stdout.splitlines() if line.startswith("{")]
    assert all(e["to_place"] and not e["complete"] and "different positions were found" in e["why"] for e in entries)


def test_where_each_solution_holds_fixed_placements(run, folder):
    found = run("challenge", "fixed.toml", "-n", 2, "--seed", 1, "--json")
    entries = [json.loads(line) for line in found.stdout.splitlines() if line.startswith("{")]
    assert len(entries) == 2
    assert all("D.1@1.1" in e["placed"] for e in entries)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["soma", "-o", "soma.pdf"], "soma.pdf: expected a name that ends in .html, .svg, .png, .txt, .json"),
        (["soma", "-o", "soma.json", "--json"], "use --json or -o FILE.json, not both"),
        (["soma", "--placed", "3", "--to", "2"], "use --placed, or --from and --to, not both"),
        (["soma", "--from", "2", "--to", "3"], "--from 2 --to 3: --from is for the easiest position"),
        (["soma", "--placed", "9"], "soma: its solutions have 7 pieces, so no position has 9"),
        (["mutilated-chessboard"], "mutilated-chessboard has no solution, so there is no position to start from"),
        (["soma", "-n", "0"], "Invalid value for '--count'"),
    ],
)
def test_bad_input(run, arguments, said):
    found = run("challenge", *arguments)
    assert found.status == 2
    assert said in found.output
    assert found.exception is None


@pytest.mark.parametrize("old", [True, False])
def test_what_is_made_before_an_interrupt_takes_no_whole_files_place(run, folder, monkeypatch, old):
    def interrupted(built, count, wish, seed, limits, announce):
        made = whole(built, count, wish, seed, limits, announce)
        limits.stop.set()
        return made

    whole = wished.challenges
    monkeypatch.setattr(wished, "challenges", interrupted)
    if old:
        (folder / "x.txt").write_text("old", encoding="utf-8")
    found = run("challenge", "dominoes.toml", "-n", 1, "-o", "x.txt")
    assert (found.status, found.exception) == (3, None)
    assert ((folder / "x.txt").read_text(encoding="utf-8") == "old") == old
    assert ("x.txt is unchanged" in found.output) == old


def test_the_hardest(run):
    text = run("challenge", "soma", "--hardest", "--seed", 1)
    assert text.status == 0
    assert "2 pieces placed, 5 left" in text.output
    assert "Fewer pieces are not enough: all 11,520 solutions were listed (counted by another solver too)" in text.output
    (entry,) = run("challenge", "soma", "--hardest", "--json").json
    assert (len(entry["placed"]), entry["least"], entry["minimal"], entry["confirmed"]) == (2, True, True, True)
    assert run("challenge", "soma", "-n", 1, "--seed", 1, "--json").json[0]["least"] is None


@pytest.mark.parametrize("more", [["--count", 2], ["--placed", 1], ["--from", 3], ["--to", 0], ["--completions", 2]])
def test_the_hardest_is_one(run, more):
    ran = run("challenge", "soma", "--hardest", *more)
    assert ran.status == 2
    assert "hardest makes one position, with one completion" in ran.output
