"""The studies that come with the repository, and what is said of them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from puzzlesat.runs.study import read_study
from puzzlesat.runs.studyfile import PuzzlesTable, StepTable, StudyFile

ROOT = Path(__file__).parents[1]
STUDIES = sorted((ROOT / "studies").glob("*.toml"))
TEXT = (ROOT / "docs" / "studies.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("file", STUDIES, ids=lambda file: file.stem)
def test_a_study_of_the_repository_is_valid(file):
    assert len(read_study(file).subjects) > 1


def test_the_example_of_the_page_is_valid_but_for_the_files_that_it_names(tmp_path):
    (example,) = re.findall(r"```toml\n(.*?)```", TEXT, re.S)
    own = '["octogram", "mine/*.toml", "folder", "forms.jsonl"]'
    assert own in example
    (tmp_path / "study.toml").write_text(example.replace(own, '["octogram"]'), encoding="utf-8")
    study = read_study(tmp_path / "study.toml")
    assert (study.name, study.audit, [step.find for step in study.steps]) == ("Open forms", 1, ["proof", "solution", "count"])
    assert {subject.name for subject in study.subjects} > {"octogram/octogram", "pentominoes/6x10"}


def test_every_key_of_a_study_is_described():
    keys = {field.alias or name for table in (StudyFile, PuzzlesTable, StepTable) for name, field in table.model_fields.items()}
    assert [key for key in sorted(keys - {"puzzles", "steps"}) if not re.search(rf"`{key}`|^{key} = ", TEXT, re.M)] == []
