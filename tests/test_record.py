"""The record: each line is the author's puzzle, its evidence holds, refuted counts are marked, and results of studies are added."""

from __future__ import annotations

import json
import shutil
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from puzzlesat.base.errors import PuzzleError
from puzzlesat.formats.puzzles import raw_tables_in
from puzzlesat.studies import Study, open_to_read, run_study
from puzzlesat.studies.work import Processes
from tiers import every

RECORD = Path(__file__).parents[1] / "record"
FORMS = RECORD / "forms.jsonl"
sys.path.insert(0, str(RECORD))
import certificates  # noqa: E402 - programs beside their data
import certify  # noqa: E402
import sources  # noqa: E402
import update  # noqa: E402
import verify  # noqa: E402

FAMILIES = {"polycubes", "polyhexes", "polyiamonds", "polyominoes", "polysticks", "polytrigs", "polytwigs", "solid-polyominoes"}
SMALL = (
    "HexiamondsX_x1-1", "Polyominoes123Square", "Polytrigs23ThreeCongruent1", "Polytrigs23ThreeCongruent1Combined4",
    "Polytrigs23ThreeCongruent_x13", "Polytwigs45FourCongruent2", "Soma_W", "SomaPyramid", "TetrahexesFlower2", "Tetrominoes5x4Tube",
    "TritrigsTriangle1", "TritrigsTriangle_x-9",
)  # fmt: skip
RULED = {
    "Polytrigs23ThreeCongruent1": 4, "Polytrigs23ThreeCongruent_x2": 0, "Polytrigs23ThreeCongruent_x3": 0,
    "Polytrigs23ThreeCongruent1Combined4": 8, "Polytwigs45FourCongruent2": 38, "OneSidedHexiamondsOBeirnesHexagon_B": 5727,
    "OneSidedHexiamondsOBeirnesHexagon_F": 15717, "OneSidedTetrasticks5x5DiamondLattice_B": 36, "Polyhexes12345HexagonRing_X1": 0,
}  # fmt: skip
"""Lines whose classes fix tiles or give parts of the form to some of them, and what is published of them with these rules."""
REFUTED = {"Polyhexes1234_4x10", "Polyhexes1234_5x8", "OneSidedPolyominoes234Octagon", "Polytrigs23ThreeCongruent_x13"}


@pytest.fixture(scope="module")
def forms():
    return {name: table for name, table, _ in raw_tables_in(FORMS)}


@pytest.fixture(scope="module")
def by_name(forms):
    return {name.rpartition("/")[2]: (name, line) for name, line in forms.items()}


@pytest.fixture(scope="module")
def known():
    return sources.read_sources()


def test_the_files_are_small_and_every_line_that_is_decided_holds_what_shows_it(forms, known):
    assert len(forms) == 746
    assert {name.split("/")[0] for name in forms} == FAMILIES
    assert FORMS.stat().st_size < 700_000
    assert forms.keys() == known.keys()
    kept = certificates.read_table()
    for name, line in forms.items():
        expect = line.get("expect", {})
        assert expect.get("solution") or expect.get("all", 0) == 0, name
        assert expect.get("all") != 0 or name in kept, name
    assert {one.file for one in kept.values() if one.file} == {path.name for path in certificates.FOLDER.iterdir()}
    assert sum(one.bytes for one in kept.values() if one.file) < 40_000_000


# the author's puzzles ----------------------------------------------------------------------------------------------------------


def differing(known, by_name, own, **changed):
    name, line = by_name[own]
    line = line | changed
    return sources.differences(known[name], line, sources.as_instance(name, line, FORMS))


@every("name", [*SMALL, *(n for n in RULED if n not in SMALL)], fast=("HexiamondsX_x1-1", "Polyominoes123Square"))
def test_a_line_is_the_authors_puzzle_field_by_field(known, by_name, name):
    assert differing(known, by_name, name) == []


@pytest.mark.slow
def test_all_lines_but_three_are_the_authors_puzzles(known, by_name):
    differ = {name: found for name in by_name if (found := differing(known, by_name, name))}
    assert differ == {
        "HexiamondsIamondHexJoinedColors": ["rules"],
        "NonConvexPentacubes4x4x14Steps": ["tiles", "rules"],
        "NonConvexPentacubes7x7x5Steps": ["tiles", "rules"],
    }


@pytest.mark.full
def test_a_line_that_lost_something_is_another_puzzle(known, by_name):
    obeirne = by_name["OneSidedHexiamondsOBeirnesHexagon_B"][1]["form"]
    elsewhere = obeirne | {"fixed": ["O.1@8.5"]}
    assert differing(known, by_name, "OneSidedHexiamondsOBeirnesHexagon_B", form=elsewhere) == ["fixed tiles"]
    assert differing(known, by_name, "Polytrigs23ThreeCongruent_x13", solutions={}) == ["rules on solutions"]
    assert differing(known, by_name, "Tetrominoes5x4Tube", form={"box": [5, 4]}) == ["wrap"]
    assert differing(known, by_name, "Polyominoes123Square", form={"picture": "###\n###\n##.\n..#"}) == ["form"]
    assert differing(known, by_name, "Polyominoes123Square", model="pentominoes") == ["tiles"]
    assert differing(known, by_name, "Polyominoes123Square", flips=False) == ["flips"]


@every("name", RULED)
def test_what_is_published_of_a_puzzle_with_rules_is_held_against_these(known, by_name, name):
    full, line = by_name[name]
    assert known[full].published == RULED[name]
    assert line["form"].get("fixed") or line["solutions"]
    assert line.get("expect", {}).get("distinct", RULED[name]) == RULED[name]


def test_published_is_only_what_the_author_says(known, by_name):
    assert known[by_name["TetrahexesFlower2"][0]].published == 4
    assert known[by_name["TetrahexesFlower2"][0]].up_to == sources.TURNS
    assert known[by_name["TetrahexesHoleyStar1"][0]].published is None  # the class does not state the number
    assert known[by_name["Pentacubes9x9x9OctahedralPlanes"][0]].published is None  # a figure with a question mark is not a claim
    assert not any("published" in line.get("expect", {}) for name, line in by_name.values() if known[name].published is None)
    assert {name for name, (_, line) in by_name.items() if line.get("expect", {}).get("refuted")} == REFUTED


# refuted and not refuted forms --------------------------------------------------------------------------------------------------


def fate(known, by_name, own, engines=("tally", "backtrack"), **changed):
    name, line = by_name[own]
    line = line | changed
    return sources.judged(known[name], line, sources.as_instance(name, line, FORMS), engines)


def test_a_figure_is_refuted_where_form_rules_engines_and_evidence_are_there(known, by_name):
    expect = by_name["Polytrigs23ThreeCongruent_x13"][1]["expect"]
    right = fate(known, by_name, "Polytrigs23ThreeCongruent_x13")
    assert right.word == sources.REFUTED
    assert "8, by backtrack, tally" in right.sentence
    one = fate(known, by_name, "Polytrigs23ThreeCongruent_x13", engines=("tally",))
    assert (one.word, one.sentence) == (sources.NOT_CHECKED, "0 (counted 8, by one engine alone)")
    for changed in ({"solutions": {}}, {"expect": expect | {"refuted": []}}):
        assert fate(known, by_name, "Polytrigs23ThreeCongruent_x13", **changed).word == sources.NOT_CHECKED


@every(
    ("name", "word", "sentence"),
    [
        ("TetrahexesFlower2", sources.CONFIRMED, "4 up to turning confirmed"),
        ("Polyominoes1234_7x4PlusOne", sources.CONFIRMED, "1,522 up to the rectangle confirmed"),
        ("HexiamondsX1", sources.CONFIRMED, "11 confirmed"),
        ("TetrahexesHoleyStar1", sources.NOTHING, ""),
        ("Tetracubes2x2x2x4", sources.NOTHING, "“10?”, no claim"),
        ("HeptiamondsHexgridHexagon_x3", sources.NOT_CHECKED, "0 (not checked)"),
    ],
    fast=3,
)
def test_what_became_of_a_figure(known, by_name, name, word, sentence):
    said = fate(known, by_name, name)
    assert (said.word, said.sentence) == (word, sentence)


# the evidence ------------------------------------------------------------------------------------------------------------------


@every("own", SMALL, fast=("Soma_W",))
def test_the_record_is_verified_from_files_alone(own, capsys):
    assert verify.main([own]) == 0
    assert "no line failed" in capsys.readouterr().out


@pytest.mark.slow
def test_the_whole_record_is_verified(capsys):
    assert verify.main() == 0


@pytest.fixture
def tampered(tmp_path, monkeypatch):
    shutil.copytree(certificates.FOLDER, tmp_path / "certificates", copy_function=lambda a, b: Path(b).symlink_to(a))
    monkeypatch.setattr(certificates, "FOLDER", tmp_path / "certificates")

    def faults(own, expect=None, contents=None, other=None, **changed):
        name, line = next((name, line) for name, line, _ in raw_tables_in(FORMS, own))
        kept = certificates.read_table().get(name)
        if contents is not None:
            kept = replace(kept, contents=contents)
        if other is not None:
            file = f"{other}.proof"
            kept = replace(kept, file=file, contents=certificates.contents_digest(certificates.FOLDER / file))
        return verify.looked_at(
            name, line | changed | {"expect": line["expect"] | (expect or {})}, sources.read_sources()[name], kept
        ).faults

    return faults


@pytest.mark.slow
def test_what_was_changed_by_hand_is_named(tampered):
    assert tampered("SomaPyramid") == ()
    assert "it certifies all 56, distinct 14, not what the line says" in tampered("SomaPyramid", {"all": 57})[0]
    assert "do not go together" in tampered("SomaPyramid", {"distinct": 60})[0]
    (solution,) = (line["expect"]["solution"] for _, line, _ in raw_tables_in(FORMS, "SomaPyramid"))
    assert "its solution is wrong" in tampered("SomaPyramid", {"solution": [solution[0], *solution[2:]]})[0]
    assert "is not a placement of" in tampered("SomaPyramid", {"solution": ["L.99@1.1.1"]})[0]
    assert "its contents are not those" in tampered("SomaPyramid", contents="0" * 64)[0]
    assert "the puzzle is not that of" in tampered("SomaPyramid", other="Soma_W")[0]
    assert "not the author's puzzle: rules on solutions" in tampered("Polytrigs23ThreeCongruent_x13", solutions={})[0]
    assert "it has a solution, and none" in tampered("Soma_W", {"solution": solution})[0]
    claim = {"what": "distinct", "published": 6, "by": "somebody", "evidence": "so it is said"}
    assert "are not shown" in tampered("SomaPyramid", {"refuted": [claim]})[0]


@pytest.mark.full
def test_a_certificate_is_made_checked_and_entered(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(certificates, "FOLDER", tmp_path)
    monkeypatch.setattr(certify, "FOLDER", tmp_path)
    monkeypatch.setattr(certify, "TABLE", tmp_path / "table.jsonl")
    monkeypatch.setattr(certify, "read_table", dict)
    certify.main(["Soma_W", "SomaPyramid"])
    before = certificates.read_table()
    for name, one in certificates.read_table(tmp_path / "table.jsonl").items():
        assert one.path.exists()
        assert replace(one, proved=True) == before[name]  # the proved checker is not available here


@pytest.mark.full
def test_a_certificate_that_is_not_stored_is_made_again():
    name, line = next((name, line) for name, line, _ in raw_tables_in(FORMS, "Soma_W"))
    kept = replace(certificates.read_table()[name], file="")
    looked = partial(verify.looked_at, name, line, sources.read_sources()[name], again=True)
    assert looked(kept).faults == ()
    assert "its contents are not those" in looked(replace(kept, contents="0" * 64)).faults[0]


@pytest.mark.slow
def test_the_page_of_the_record_is_that_of_its_lines(tmp_path, monkeypatch):
    own = update.PAGE.read_text(encoding="utf-8")
    (tmp_path / "record.md").write_text(own, encoding="utf-8")
    monkeypatch.setattr(update, "PAGE", tmp_path / "record.md")
    update.main([])
    assert (tmp_path / "record.md").read_text(encoding="utf-8") == own


# results of a study ------------------------------------------------------------------------------------------------------------

HEAD = '{"format": "puzzlesat puzzles", "version": 1, "title": "T", "source": "S", "models": {"d": {"grid": "square", "flips": true, '
HEAD += '"tiles": {"D": {"picture": "##", "copies": 8}}}}}'
BLACK = "#####.\n######\n#####."
"""Two squares more of one colour than of the other."""
LINES = (
    {"name": "f/open", "model": "d", "form": {"box": [4, 4]}},
    {"name": "f/right", "model": "d", "form": {"box": [4, 4]}, "title": "t", "expect": {"published": "36 solutions"}},
    {"name": "f/none", "model": "d", "form": {"picture": BLACK}},
)
STUDY = 'name = "s"\nsingle = true\n[[puzzles]]\nfrom = ["forms.jsonl"]\n'


@pytest.fixture
def study(tmp_path, monkeypatch):
    def write(lines):
        (tmp_path / "forms.jsonl").write_text("\n".join([HEAD, *map(json.dumps, lines)]) + "\n", encoding="utf-8")

    write(LINES)
    monkeypatch.setattr(update, "FORMS", tmp_path / "forms.jsonl")
    monkeypatch.setattr(update, "write_page", lambda: None)

    def run(*finds):
        path = tmp_path / "study.toml"
        path.write_text(STUDY + "".join(f'[[steps]]\nfind = "{find}"\nseconds = 20\n' for find in finds), encoding="utf-8")
        run_study(Study.read(path), tmp_path / "study.sqlite", Processes(1))
        update.main([tmp_path / "study.sqlite"])
        return {json.loads(line)["name"]: json.loads(line) for line in (tmp_path / "forms.jsonl").read_text().splitlines()[1:]}

    run.write = write
    return run


@pytest.mark.full
def test_answers_go_into_the_file_and_the_study_goes_on_with_it(study, tmp_path):
    first = study("solution")
    assert [{k: v for k, v in line.items() if k != "expect"} for line in first.values()] == [
        {k: v for k, v in line.items() if k != "expect"} for line in LINES
    ]
    assert len(first["f/open"]["expect"]["solution"]) == 8
    assert first["f/open"]["expect"]["source"].startswith("a solution by")
    second = study("solution", "count")  # with the file written by the first
    assert (second["f/open"]["expect"]["all"], second["f/open"]["expect"]["distinct"]) == (36, 9)
    assert second["f/open"]["expect"]["solution"] == first["f/open"]["expect"]["solution"]
    assert second["f/open"]["expect"]["source"].startswith("counted by")
    assert second["f/right"]["expect"]["published"] == "36 solutions"
    assert second["f/none"]["expect"]["all"] == 0
    assert second["f/none"]["expect"]["source"].startswith("none: ")
    with open_to_read(tmp_path / "study.sqlite") as store:
        assert {row.puzzle: row.all for row in store.rows()}["open"] == 36
    assert study("solution", "count") == second


@pytest.mark.full
@every("wrong", [{"all": 35, "distinct": 9}, {"all": 0, "distinct": 0}])
def test_a_store_that_contradicts_the_file_is_refused(study, wrong):
    study.write([LINES[0] | {"expect": wrong}])
    with pytest.raises(PuzzleError, match="open: the line says all"):
        study("solution", "count")


@pytest.mark.full
def test_of_several_stores_the_one_that_found_out_the_most_tells(study, tmp_path):
    study("solution")
    (tmp_path / "study.sqlite").rename(tmp_path / "solutions.sqlite")
    study.write(LINES)
    counted = study("count")
    for names in (("solutions", "study"), ("study", "solutions"), ("study", "study")):
        update.main([tmp_path / f"{name}.sqlite" for name in names])
        assert {json.loads(line)["name"]: json.loads(line) for line in (tmp_path / "forms.jsonl").read_text().splitlines()[1:]} == counted
    with open_to_read(tmp_path / "study.sqlite") as store:
        row = next(row for row in store.rows() if row.puzzle == "open")
    for wrong in (replace(row, all=35), replace(row, all=None, verdict="impossible")):
        with pytest.raises(PuzzleError, match="open: one store says solvable, 36 solutions, another"):
            update.best(row, wrong)
    assert update.best(row, replace(row, all=None, verdict="not decided")) is row
