"""``puzzlesat apart``: its output, results files, drawings, refusals, and files for BurrTools."""

import gzip
import json
import re
import signal

import networkx
import pytest
from small_puzzles import fill

from puzzlesat.disassembly import run as work
from puzzlesat.disassembly import verification
from tiers import every

SQUARES = 'grid = "square"\nflips = false\n'
PUZZLES = {
    "ring": f'title = "Ring"\n{SQUARES}tiles.A.picture = "###\\n#.#\\n###"\ntiles.B.picture = "#"\nform.box = [3, 3]\n',
    "channel": f'title = "Channel"\n{SQUARES}turns = "none"\ntiles.A.picture = "#####\\n....#\\n#...#\\n#####"\n'
    'tiles.B.picture = "##"\nform.picture = "█████\\n░░░░█\\n█░░░█\\n█████"\n',
    "bars": 'title = "Bars"\ngrid = "cube"\nflips = false\ntiles.I = { picture = "##", copies = 4 }\nform.box = [2, 2, 2]\n',
}


@pytest.fixture
def puzzles(tmp_path, monkeypatch):
    return fill(tmp_path, monkeypatch, PUZZLES)


def test_a_ring_does_not_come_apart(run, puzzles):
    assert run("apart", "ring.toml", status=0).output.splitlines() == [
        "Ring: 1 assembly, 0 come apart",
        "Ring, assembly 1: A.1@1.1 B.1@2.2",
        "it does not come apart",
        "these pieces were only slid; add --turns to turn them too",
        "checked: independent code replayed the moves, and searched again where pieces hold each other",
        "the number of assemblies was counted only once; 'puzzlesat count ring.toml' counts it again",
    ]


def test_an_assembly_without_pieces_leaves_nothing_to_part(run, puzzles):
    (puzzles / "empty.toml").write_text(
        f'title = "Empty"\n{SQUARES}tiles.A = {{ picture = "##", copies = "any" }}\nform = {{ box = [2, 1], optional = "all" }}\n'
    )
    for turns in ((), ("--turns",)):
        assert "2 assemblies, 0 come apart; 2 have fewer than two pieces" in run("apart", "empty.toml", *turns, status=0).output


@every("name, level", [("channel", "2"), ("ring", None)])
def test_the_whole_is_parted_though_all_pieces_may_stay_together(name, level, run, puzzles):
    """BurrTools does the same. ``--turns`` is suggested only if pieces interlock."""
    (puzzles / "whole.toml").write_text(f'together = [["A", "B"]]\n{PUZZLES[name]}')
    first, *_ = records = run("apart", "whole.toml", "--json").json
    assert level in {record["level"] for record in records[:-1]} and first["checked"]
    assert ("add --turns" in run("apart", "whole.toml").output) == (level is None)
    (puzzles / "one.toml").write_text(f'title = "One"\n{SQUARES}tiles.A.picture = "##"\nform.box = [2, 1]\n')
    assert "add --turns" not in run("apart", "one.toml").output


def test_what_is_not_gone_through_again_is_said(run, puzzles, monkeypatch):
    monkeypatch.setattr(verification.Ground, "most", 0)
    assert "checked: 0 of 1; 1 have more than 0 positions (" in " ".join(run("apart", "ring.toml").output.split())
    one, last = map(json.loads, run("apart", "ring.toml", "--json").output.splitlines())
    assert (one["apart"], one["checked"], one["closed"], last["checked"]) == (False, False, 1, 0)


def test_a_level_that_is_not_known_to_be_the_least_is_called_so(run, puzzles, monkeypatch):
    """In the channel the search takes the first of two ways without trying the other, so the highest level is unknown too."""
    monkeypatch.setattr("puzzlesat.disassembly.search.MAX_PARTS", -1)
    records = run("apart", "channel.toml", "--json").json
    unproved = sum(not record["least"] for record in records[:-1])
    assert unproved > 0 and records[-1]["unique_highest"] is None
    found = run("apart", "channel.toml", status=0).output
    assert found.count("not known to be the least") >= 1 and "has the highest level" not in found
    number = str(next(record["number"] for record in records if not record["least"]))
    assert ", level 2 (not known to be the least): " in run("apart", "channel.toml", "--nth", number).output


@pytest.mark.full
def test_levels_and_steps(run, puzzles):
    found = run("apart", "channel.toml", status=0)
    lines = found.output.splitlines()
    assert lines[0].startswith("Channel: ") and lines[1].split() == ["level", "moves", "assemblies", "numbers"]
    records = run("apart", "channel.toml", "--json").json
    *each, summary = records
    assert summary["assemblies"] == len(each) and summary["complete"] is True
    assert sum(summary["levels"].values()) == summary["apart"] == sum(r["apart"] for r in each)
    (two,) = (r for r in each if r["placements"][1] == "B.1@2.2")
    assert (two["level"], two["moves"], two["first"], two["total"], two["instance"]) == ("2", [2], 2, 2, "channel")
    assert (summary["unique"], summary["unique_highest"]) == (summary["apart"] == 1, next(iter(summary["levels"].values())) == 1)
    shown = run("apart", "channel.toml", "--nth", str(two["number"])).output.splitlines()
    assert shown[0] == f"Channel, assembly {two['number']}, level 2: A.1@1.1 B.1@2.2"
    assert shown[1:3] == ["1. B.1@2.2: 1 along +y", "2. B.1@2.2: away along -x"]  # the smaller piece moves
    assert shown[3] == "first piece away after 2 moves, 2 moves in all, 3 positions searched"


@pytest.mark.full
def test_the_graph_of_states_is_written(run, puzzles):
    said = run("apart", "dubois-burr", "--states", "states.json")
    assert said.status == 0 and "9 states before the first piece is away, 11 moves between them" in said.output.splitlines()
    found = json.loads((puzzles / "states.json").read_text(encoding="utf-8"))
    assert (found["instance"], found["number"], found["first"], found["shortest"]) == ("dubois-burr", 2, 6, 1)
    assert found["layers"] == [1, 2, 1, 1, 2, 2]
    assert (found["states"], found["moves"]) == (len(found["nodes"]), len(found["edges"])) and len(found["placements"]) == 6
    assert sum(node["dead_end"] for node in found["nodes"]) == found["dead_ends"]
    assert run("apart", "dubois-burr", "--nth", "1", "--states", "held.graphml").status == 0
    graph = networkx.read_graphml(puzzles / "held.graphml")
    assert graph.number_of_nodes() == run("apart", "dubois-burr", "--nth", "1", "--json").json[0]["closed"]
    assert run("apart", "dubois-burr", "--states", "states.svg", "--json").json[-1]["complete"]
    assert "2.5 moves to choose from in a state" in (puzzles / "states.svg").read_text(encoding="utf-8")


def test_one_of_each_class_or_all(run, puzzles):
    one = run("apart", "bars.toml", "--json").json[-1]
    whole = run("apart", "bars.toml", "--all", "--json").json[-1]
    solved = run("solve", "bars.toml", "--all", "--json").json
    assert (one["assemblies"], whole["assemblies"]) == (len(run("solve", "bars.toml", "--all", "--distinct", "--json").json), len(solved))
    assert one["levels"] == {"1": one["assemblies"]}
    assert [r.get("number") for r in run("apart", "bars.toml", "--all", "--limit", "2", "--json").json] == [1, 2, None]


def test_what_is_kept_is_not_done_again(run, puzzles, monkeypatch):
    asked = []
    take = work.take_all_apart
    monkeypatch.setattr(work, "take_all_apart", lambda bench, rows, limits, **told: asked.extend(rows) or take(bench, rows, limits, **told))
    first = run("apart", "bars.toml", "--all", "--limit", "3", "-o", "kept.jsonl", "--json").json
    assert len(asked) == 3
    text = (puzzles / "kept.jsonl").read_bytes()
    (puzzles / "kept.jsonl").write_bytes(text + b'{"number": 4, "pla')  # killed while it wrote
    whole = run("apart", "bars.toml", "--all", "-o", "kept.jsonl", "--json").json
    assert len(asked) == len(whole) - 1
    plain = run("apart", "bars.toml", "--all", "--json").json
    order = lambda records: sorted((r for r in records if "number" in r), key=lambda r: r["number"])  # noqa: E731
    assert order(whole) == order(plain) and order(first) == order(plain)[:3]
    assert len((puzzles / "kept.jsonl").read_text().splitlines()) == len(plain)


def test_a_kept_way_that_is_none_fails(run, puzzles):
    run("apart", "bars.toml", "-o", "kept.jsonl")
    head, *lines = (puzzles / "kept.jsonl").read_text().splitlines()
    record = json.loads(lines[0])
    for step in record["steps"]:
        step["direction"] = [0, 0, 0]
    (puzzles / "kept.jsonl").write_text("\n".join([head, json.dumps(record), *lines[1:]]) + "\n")
    found = run("apart", "bars.toml", "-o", "kept.jsonl")
    assert found.status == 1 and "kept.jsonl: what it says of" in found.output


def test_a_damaged_line_is_named(run, refuses, puzzles):
    run("apart", "bars.toml", "-o", "kept.jsonl")
    kept = (puzzles / "kept.jsonl").read_text()
    record = json.loads(kept.splitlines()[1])
    changes = ({"stuck": [7], "steps": None}, {"stuck": [None]}, {"undecided": "no time", "steps": None})
    for damaged in ({"placements": ["I.1@1.1.1"]}, *(record | change for change in changes)):
        (puzzles / "kept.jsonl").write_text(f"{kept}{json.dumps(damaged)}\n")
        refuses("not a result of 'puzzlesat apart'; the file is damaged", "apart", "bars.toml", "-o", "kept.jsonl")


@pytest.mark.full
def test_pictures(run, puzzles):
    run("apart", "channel.toml", "--svg", "steps.svg", "--png", "steps.png", status=0)
    drawn = (puzzles / "steps.svg").read_text()
    assert "together" in drawn and "level 2" in drawn and drawn.count("away along") == 1
    assert (puzzles / "steps.png").read_bytes().startswith(b"\x89PNG")
    assert "nothing comes apart" in run("apart", "ring.toml", "--svg", "no.svg").output
    assert not (puzzles / "no.svg").exists()
    bars = run("apart", "bars.toml", "--svg", "bars.svg")
    assert bars.status == 0 and (puzzles / "bars.svg").read_text().count("away along") == 3


@pytest.mark.full
def test_a_process_that_is_ended_decides_nothing(run, puzzles, monkeypatch):
    monkeypatch.setattr(work, "ALONE_SECONDS", -1.0)
    monkeypatch.setattr(work, "_block_taker", die)
    found = run("apart", "bars.toml", "--all", "--json", "--jobs", "2", "-o", "kept.jsonl", status=3)
    first, *others = (json.loads(line) for line in found.stdout.splitlines())
    assert first["apart"] is True and others[-1]["undecided"] == len(others) - 1 > 0
    assert all("was ended" in record["undecided"] for record in others[:-1])
    assert len((puzzles / "kept.jsonl").read_text().splitlines()) == 2
    monkeypatch.undo()
    monkeypatch.chdir(puzzles)
    assert run("apart", "bars.toml", "--all", "-o", "kept.jsonl").status == 0


def die(*_, **__):
    import os

    os._exit(9)


@pytest.mark.full  # two processes are started
@every("how", [(), ("--turns", "--bevel", "1/10")])
def test_other_processes_say_the_same(run, puzzles, monkeypatch, how):
    monkeypatch.setattr(work, "ALONE_SECONDS", -1.0)
    monkeypatch.setattr(work, "BLOCK", 2)
    shared = run("apart", "bars.toml", "--all", "--json", "--jobs", "2", *how).json
    alone = run("apart", "bars.toml", "--all", "--json", "--jobs", "1", *how).json
    assert sorted(shared[:-1], key=lambda r: r["number"]) == alone[:-1]
    assert shared[-1]["levels"] == alone[-1]["levels"]


@pytest.mark.full
def test_ctrl_c_during_the_check_is_said(run, puzzles, monkeypatch):
    """The answer is stored; the next run checks it."""

    def interrupted(*_):
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(verification, "positions_turned", interrupted)
    asked = ("apart", "ring.toml", "--turns", "--jobs", "1", "-o", "kept.jsonl")
    found = run(*asked)
    said = " ".join(found.output.split())
    assert found.status == 3
    assert "checked: 0 of 1; the check of 1 was interrupted (" in said
    assert "interrupted before everything was checked; run the same command again to resume from kept.jsonl" in said
    monkeypatch.undo()
    monkeypatch.chdir(puzzles)
    again = run(*asked)
    assert again.status == 0 and "checked: independent code" in " ".join(again.output.split())


def test_ctrl_c_keeps_what_was_found(run, puzzles, monkeypatch):
    """The interrupt comes during the third assembly: three are reported and stored, and the next run does the rest."""
    asked = []
    take = work.take_all_apart

    def interrupted(bench, rows, limits, **told):
        asked.extend(rows)
        if len(asked) == 3:
            signal.raise_signal(signal.SIGINT)
        return take(bench, rows, limits, **told)

    monkeypatch.setattr(work, "take_all_apart", interrupted)
    monkeypatch.setattr(work, "ROWS_AT_ONCE", 1)
    found = run("apart", "bars.toml", "--all", "--jobs", "1", "-o", "kept.jsonl", "--json")
    assert found.status == 3 and "run the same command again" in found.output
    *each, summary = (json.loads(line) for line in found.stdout.splitlines())
    decided = [r for r in each if not r["undecided"]]
    assert summary["complete"] is False and len(each) == len(asked) < len(run("solve", "bars.toml", "--all", "--json").json)
    assert len((puzzles / "kept.jsonl").read_text().splitlines()) == 1 + len(decided)
    whole = run("apart", "bars.toml", "--all", "-o", "kept.jsonl", "--json").json
    assert whole[-1]["complete"] is True and whole[-1]["apart"] == len(whole) - 1


@pytest.fixture
def burr(run, tmp_path):
    """Take the Dubois burr apart; return the run and the text of its file."""

    def do(*options):
        file = tmp_path / "solved.xmpuzzle"
        ran = run("apart", "dubois-burr", "-o", file, "--jobs", 1, *options)
        return ran, gzip.decompress(file.read_bytes()).decode() if file.exists() else None

    return do


def test_a_burr(burr, run, tmp_path):
    ran, text = burr()
    assert ran.status == 0
    assert re.search(r"for BurrTools: \S*solved\.xmpuzzle", ran.output.replace("\n", ""))
    assert 'state="2" assemblies="2" solutions="1"' in text
    assert '<solution asmNum="1">' in text
    assert "resume" not in ran.output
    again = run("apart", tmp_path / "solved.xmpuzzle", "--jobs", 1)
    said = " ".join(again.output.split())
    assert "stored in the file, as BurrTools counts: 6.4 (1); replayed; BurrTools' order of moves gives the same here" in said


@pytest.mark.full
def test_both_levels(run, tmp_path):
    table = run("apart", "loves-dozen", "--jobs", 1).output.splitlines()
    assert table[1].split() == ["level", "BurrTools", "prints", "moves", "assemblies", "numbers"]
    assert ["1.2", "1.2.1.2", "(4),", "1.2", "(24)"] in [line.split()[:5] for line in table]
    assert ["12.3", "the", "same"] in [line.split()[:3] for line in table]
    *each, summary = run("apart", "loves-dozen", "--json", "--jobs", 1).json
    others = [one["number"] for one in each if one["burrtools_level"] != one["level"]]
    assert (len(others), summary["burrtools_levels"]["1.2.1.2"], sum(summary["burrtools_levels"].values())) == (4, 4, 90)
    file = tmp_path / "ours.xmpuzzle"
    shown = run("apart", "loves-dozen", "--nth", others[0], "-o", file)
    assert shown.output.startswith(f"Love's Dozen, assembly {others[0]}, level 1.2 (BurrTools prints 1.2.1.2): ")
    again = run("apart", file, "--limit", 1, status=0)
    said = "BurrTools' order of moves gives others here, for 1 of 1: 1.2.1.2 instead of 1.2"
    assert f"stored in the file, as BurrTools counts: 1.2 (1); replayed; {said}" in " ".join(again.output.split())


@pytest.mark.full
def test_some_assemblies_are_not_said_to_be_all(burr, run, tmp_path):
    """The file tells BurrTools whether its search is finished; an existing file is not overwritten."""
    for options, parted in ((("--nth", 2), True), (("--limit", 1), False)):
        ran, text = burr(*options)
        assert ran.status == 0
        assert 'state="1" assemblies="1"' in text
        assert ("<separation>" in text) == parted
    file = tmp_path / "solved.xmpuzzle"
    before = file.read_bytes()
    assert "this is the input file" in run("apart", file, "-o", file, status=2).output
    assert file.read_bytes() == before


@pytest.mark.full
def test_a_stored_way_that_fails_or_nests_too_deep_is_not_replayed(burr, run, tmp_path):
    """A piece that starts in another direction runs into the others."""
    _, text = burr()
    first, second = re.findall("<state>.*?</state>", text, flags=re.DOTALL)[:2]
    moved, rest = second.split("</dx>", 1)
    wrong = re.sub("-?[0-9]+", lambda number: str(int(number[0]) + 3), moved) + "</dx>" + rest
    for name, new in (
        ("moved", text.replace(second, wrong, 1)),
        ("deep", text.replace(first, "<separation>" * 900 + "</separation>" * 900)),
    ):
        file = tmp_path / f"{name}.xmpuzzle"
        file.write_text(new, encoding="utf-8")
        ran = run("apart", file, "--jobs", 1, status=0)
        assert "2 assemblies, 1 comes apart" in ran.output
        assert "replayed\n" not in ran.output


@pytest.mark.full
def test_only_one_assembly_comes_apart_or_has_the_highest_level(run):
    assert "only assembly 27 comes apart" in run("apart", "cube-in-cage").output.splitlines()
    assert "only assembly 106 has the highest level, 12.3" in run("apart", "loves-dozen").output.splitlines()
    assert "only assembly" not in run("apart", "sliproad", "--turns", "--bevel", "1/10").output  # there is no other
    assert "only assembly" not in run("apart", "loves-dozen", "--limit", "154", "--time", "0.000001", status=3).output
