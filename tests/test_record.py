"""The record: its file is sound, its counts are those of the solvers, and what a study finds out goes into it beside the forms."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from puzzlesat.config.read import instance_from
from puzzlesat.counting.crosscheck import count
from puzzlesat.errors import PuzzleError
from puzzlesat.formats.lines import puzzle_lines
from puzzlesat.formats.puzzles import instance_in, raw_tables_in
from puzzlesat.puzzle.instance import Instance
from puzzlesat.puzzle.load import make_instance
from puzzlesat.runs.opening import open_to_read
from puzzlesat.runs.run import run_study
from puzzlesat.runs.study import read_study
from puzzlesat.runs.table import table
from puzzlesat.solvers.strategy import Plan
from tiers import of_which

RECORD = Path(__file__).parents[1] / "record"
FORMS = RECORD / "forms.jsonl"
sys.path.insert(0, str(RECORD))
import update  # noqa: E402 - a program that stands beside its data

FAMILIES = {"polycubes", "polyhexes", "polyiamonds", "polyominoes", "polysticks", "polytrigs", "polytwigs", "solid-polyominoes"}
SMALL = (
    pytest.param("HexiamondsX_x1", marks=pytest.mark.slow),
    "Polyominoes123Square", "Polytrigs23ThreeCongruent_x13", "Soma_W", "SomaPyramid", "TetrahexesFlower2", "Tetrominoes5x4Tube",
    "TritrigsTriangle1", "TritrigsTriangle_x-9",
)  # fmt: skip


@pytest.fixture(scope="module")
def forms():
    return {name: table for name, table, _ in raw_tables_in(FORMS)}


def areas(instance: Instance) -> tuple[int, int]:
    """Faces of the form, and of the tiles."""
    grid = instance.puzzle.grid
    whole = [atom for atom in instance.puzzle.form.required if grid.atoms[atom[-1]].kind == grid.main_kind]
    return len(whole), sum(tile.low * sum(grid.atoms[a[-1]].kind == grid.main_kind for a in tile.atoms) for tile in instance.puzzle.tiles)


def test_the_file_is_small_and_has_the_forms_of_eight_families(forms):
    assert len(forms) == 744
    assert {name.split("/")[0] for name in forms} == FAMILIES
    assert FORMS.stat().st_size < 600_000


@pytest.mark.full
def test_tiles_fill_every_form_exactly_and_are_used_once(forms):
    for name, form in forms.items():
        instance = make_instance(instance_from(form, FORMS), FORMS, name)
        own, given = areas(instance)
        assert own == given > 0, name
        assert all(tile.low == tile.high for tile in instance.puzzle.tiles)
        assert not instance.puzzle.form.optional or instance.puzzle.grid.crossings


@pytest.mark.parametrize("name", of_which(SMALL, "Soma_W", "TetrahexesFlower2", "TritrigsTriangle_x-9"))
def test_counts_of_the_file_are_those_of_two_solvers(name):
    instance = instance_in(FORMS, name)
    report = count(instance, Plan(("tally", "sat")))
    assert report.complete
    assert report.agree
    assert (report.counts.all, report.counts.distinct) == (instance.expect.all, instance.expect.distinct or 0)


# what a study finds out --------------------------------------------------------------------------------------------------------

HEAD = '{"format": "puzzlesat puzzles", "version": 1, "title": "T", "source": "S", "models": {"d": {"grid": "square", "flips": true, '
HEAD += '"tiles": {"D": {"picture": "##", "copies": 8}}}}}'
BLACK = "#####.\n######\n#####."
"""Two squares more of one colour than of the other."""
LINES = (
    {"name": "f/open", "model": "d", "form": {"box": [4, 4]}},
    {"name": "f/wrong", "model": "d", "form": {"box": [2, 8]}, "expect": {"all": 0, "published": "none"}},
    {"name": "f/right", "model": "d", "form": {"box": [4, 4]}, "title": "t", "expect": {"distinct": 36, "convention": "not stated"}},
    {"name": "f/none", "model": "d", "form": {"picture": BLACK}},
    {"name": "f/ruled out", "model": "d", "form": {"picture": BLACK}, "expect": {"all": 3}},
)
STUDY = 'name = "s"\naudit = 0\n[[puzzles]]\nfrom = ["forms.jsonl"]\n'


@pytest.fixture
def study(tmp_path, monkeypatch):
    (tmp_path / "forms.jsonl").write_text("\n".join([HEAD, *map(json.dumps, LINES)]) + "\n", encoding="utf-8")
    (tmp_path / "record.md").write_text(f"# The frame\n\n{update.MARK}\n\nold\n", encoding="utf-8")
    monkeypatch.setattr(update, "FORMS", tmp_path / "forms.jsonl")
    monkeypatch.setattr(update, "PAGE", tmp_path / "record.md")

    def run(*finds):
        path = tmp_path / "study.toml"
        path.write_text(STUDY + "".join(f'[[steps]]\nfind = "{find}"\nseconds = 20\n' for find in finds), encoding="utf-8")
        run_study(read_study(path), tmp_path / "study.sqlite", jobs=1)
        update.main([tmp_path / "study.sqlite"])
        return {json.loads(line)["name"]: json.loads(line) for line in (tmp_path / "forms.jsonl").read_text().splitlines()[1:]}

    return run


def test_answers_go_into_the_file_and_the_study_goes_on_with_it(study, tmp_path):
    first = study("solution")
    assert [{k: v for k, v in line.items() if k != "expect"} for line in first.values()] == [
        {k: v for k, v in line.items() if k != "expect"} for line in LINES
    ]
    assert len(first["f/open"]["expect"]["solution"]) == 8
    assert first["f/wrong"]["expect"]["published"] == "none"
    assert "all" not in first["f/wrong"]["expect"] or first["f/wrong"]["expect"]["all"] != 0
    assert [claim["published"] for claim in first["f/wrong"]["expect"]["refuted"]] == [0]
    second = study("solution", "count")  # with the file that the first has written
    assert second["f/open"]["expect"] == {"all": 36, "distinct": 9}
    assert second["f/right"]["expect"]["all"] == 36
    assert second["f/wrong"]["expect"]["all"] == 34
    assert [claim["published"] for claim in second["f/wrong"]["expect"]["refuted"]] == [0]
    assert second["f/none"]["expect"] == {"all": 0, "distinct": 0}
    assert second["f/ruled out"]["expect"]["all"] == 0
    assert [claim["published"] for claim in second["f/ruled out"]["expect"]["refuted"]] == [3]
    page = (tmp_path / "record.md").read_text(encoding="utf-8")
    assert page.startswith("# The frame\n") and "old" not in page and "| open | 16 | solvable | 36 | 9 |" in page.replace("\\", "")
    with open_to_read(tmp_path / "study.sqlite") as store:
        assert {row.puzzle: row.all for row in table(store)}["open"] == 36
    assert study("solution", "count") == second


def test_of_several_stores_the_one_that_found_out_the_most_tells(study, tmp_path):
    study("solution")
    (tmp_path / "study.sqlite").rename(tmp_path / "solutions.sqlite")
    counted = study("count")
    for names in (("solutions", "study"), ("study", "solutions"), ("study", "study")):
        update.main([tmp_path / f"{name}.sqlite" for name in names])
        assert {json.loads(line)["name"]: json.loads(line) for line in (tmp_path / "forms.jsonl").read_text().splitlines()[1:]} == counted
    with open_to_read(tmp_path / "study.sqlite") as store:
        row = next(row for row in table(store) if row.puzzle == "open")
    for wrong in (replace(row, all=35), replace(row, all=None, verdict="impossible")):
        with pytest.raises(PuzzleError, match="open: one store says solvable, 36 solutions, another"):
            update.best(row, wrong)
    assert update.best(row, replace(row, all=None, verdict="not decided")) is row


def test_a_line_that_nothing_is_known_of_stays_as_it_is():
    assert list(update.updated(LINES, {})) == list(update.updated(LINES, {"other": None}))
    lines = list(puzzle_lines(update.updated(LINES, {})))[1:]
    assert [json.loads(line) for line in lines] == [*LINES]
