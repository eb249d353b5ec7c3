"""Forms tried by several processes: the records equal those of one process, and each form has exactly one record if processes die."""

import json
from functools import partial
from pathlib import Path
from threading import Event

import pytest

import deadly_forms
from puzzlesat.base.limits import Limits
from puzzlesat.designing.candidate_forms import Candidate, Sources
from puzzlesat.designing.tile_set import load_kit
from puzzlesat.designing.trial import ENDED, Effort, FormTask, run_apart
from puzzlesat.pages.form_sheet import finding_text
from puzzlesat.puzzles.schema import FormTable
from tiers import every

NAME = "3x7-1x1@3.2"


@pytest.fixture(scope="module")
def kit():
    return load_kit("tetrominoes")


def tried(tasks, kit, jobs, draw=None, stop=None):
    """Try forms; return the records and pictures in the order of their arrival."""
    return list(run_apart(tasks, kit, Effort(Limits(seconds=60, stop=stop or Event()), count=True, draw=draw), jobs))


def timeless(told):
    """Map the distinct names of the forms to the text of the record, without its seconds, and the picture."""
    found = {record["form"]: (json.dumps(record | {"seconds": 0}), drawn and (drawn.plain, drawn.spans)) for record, drawn in told}
    assert len(found) == len(told)
    return found


def boxes_and_frames(kit):
    return [FormTask(form) for form in Sources(boxes=True, frames=True).candidates(kit)]


@pytest.mark.slow
def test_processes_find_what_one_finds(kit, tmp_path):
    """Every kind of verdict and form, including the order of keys and the colours of pictures."""
    tasks = [FormTask(task.candidate, tmp_path / f"{task.candidate.name}.proof") for task in boxes_and_frames(kit)]
    tasks += [FormTask(form) for form in Sources(replicas=[2]).candidates(kit)]
    odd = (
        {"box": [5, 4], "fixed": ["Q.1@1.1"]},
        {"box": [5, 4], "wrap": [{"move": [5, 0]}]},
        {"polygon": [[0, 0], ["5/2", 0], [2, 9], [0, 9]]},
    )
    tasks += [
        FormTask(Candidate(f"odd {n}\udcff ▲", FormTable.model_validate(table), Path("a\udcff/b.toml"))) for n, table in enumerate(odd)
    ]
    tasks.append(FormTask(Candidate("again", tasks[0].candidate.table)))
    one, many = (tried(tasks, kit, jobs, draw=finding_text) for jobs in (1, 2))
    assert timeless(one) == timeless(many)
    assert len(one) == len(tasks)
    assert {record["verdict"] for record, _ in one} == {"solvable", "impossible", "refused"}
    assert any(drawn for _, drawn in many)


@pytest.mark.slow
@every("name, once", [(NAME, True), (NAME, False)])
def test_a_form_whose_process_dies(kit, tmp_path, name, once):
    """If it dies once, the form is tried again. If it always dies, the form is refused, and the others have records."""
    tasks = boxes_and_frames(kit)
    told = tried(tasks, kit, 2, draw=partial(deadly_forms.draw, name, str(tmp_path / "once") if once else None))
    here = timeless(tried(tasks, kit, 1, draw=finding_text))
    found = timeless(told)
    assert (tmp_path / "once").is_dir() == once
    assert {form for form in here if found[form] != here[form]} == (set() if once else {name})
    (tried_last,) = (record for record, _ in told if record["form"] == name)
    known = json.loads(here[name][0])
    nothing = {"verdict": "refused", "sentences": [ENDED], "solution": None, "all": None, "distinct": None, "agree": None, "count": False}
    assert list(tried_last) == list(known)
    assert once or tried_last == known | nothing


@pytest.mark.full
@every("jobs", [1, 2])
def test_a_form_without_enough_memory_is_refused_and_the_others_are_there(kit, jobs):
    tasks = boxes_and_frames(kit)[-6:]
    told = tried(tasks, kit, jobs, draw=partial(deadly_forms.fail, tasks[0].candidate.name))
    assert [r["sentences"] for r, _ in told if r["verdict"] == "refused"] == [["there was not enough memory"]]
    assert len(timeless(told)) == len(tasks)


@pytest.mark.slow
def test_a_stop_keeps_what_was_done(kit):
    stop, told = Event(), []
    tasks = boxes_and_frames(kit)
    for record, _ in run_apart(tasks, kit, Effort(Limits(seconds=60, stop=stop), count=True), 2):
        told.append(record)
        stop.set()
    assert 0 < len(told) < len(tasks)
    assert all(record["verdict"] in ("impossible", "solvable") for record in told)
