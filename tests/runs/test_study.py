"""Studies: valid and invalid files with their messages, the puzzles that they select, and what a store resumes."""

import json
import re
from dataclasses import replace

import pytest

from puzzlesat.base import PuzzleError, data_files, data_folder
from puzzlesat.designing.candidate_forms import Sources
from puzzlesat.designing.tile_set import load_kit
from puzzlesat.formats.puzzles import instance_in
from puzzlesat.puzzles.building import build_instance
from puzzlesat.studies import Study, forms_as_subjects, run_study, subjects
from puzzlesat.studies.units import Loaded, Question
from puzzlesat.studies.work import Processes
from tiers import every

STEPS = '[[steps]]\nfind = "proof"\nseconds = 2\n[[steps]]\nfind = "count"\nseconds = inf\nmemory = 0.5\n'
SQUARES = 'title = "Squares"\ngrid = "square"\nflips = true\n'


def study(folder, puzzles, head='name = "Some"\n', steps=STEPS):
    path = folder / "study.toml"
    path.write_text(f"{head}{puzzles}\n{steps}", encoding="utf-8")
    return path


def names(study):
    return [subject.name for subject in study.subjects]


def same(one, other):
    """Return whether two puzzles are equal, including every placement."""

    def parts(puzzle):
        built = build_instance(puzzle)
        problem = built.problem
        options = [problem.items_of(o).tolist() for o in range(problem.size)]
        names, bounds = list(built.placements.names), (problem.low.tolist(), problem.high.tolist())
        return names, problem.items, options, bounds, len(problem.conditions), list(problem.symmetries)

    return parts(one) == parts(other)


def test_puzzles_by_name_folder_pattern_and_file_of_any_format(tmp_path):
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "a.toml").write_text(f'{SQUARES}[tiles.D]\npicture = "##"\ncopies = 2\n[form]\nbox = [2, 2]\n', encoding="utf-8")
    (mine / "kit.toml").write_text(f'{SQUARES}[tiles.D]\npicture = "##"\ncopies = 2\n', encoding="utf-8")
    (mine / "b.toml").write_text('title = "B"\nmodel = "kit"\n[form]\nbox = [4, 1]\n', encoding="utf-8")
    lines = ['{"format": "puzzlesat puzzles", "version": 1}', '{"name": "one", "model": "pentominoes", "form": {"box": [3, 20]}}']
    (tmp_path / "forms.jsonl").write_text("\n".join([*lines, lines[1].replace("one", "two")]), encoding="utf-8")
    found = Study.read(
        study(tmp_path, '[[puzzles]]\nfrom = ["octogram", "mine", "mine/*.toml", "soma/soma-?", "forms.jsonl", "octogram/octogram"]')
    )
    package = [f"soma/{file.stem}" for file in data_files("instances") if re.fullmatch("soma-.", file.stem)]
    assert package
    assert names(found) == ["octogram/octogram", "a", "b", *package, "forms/one", "forms/two"]
    assert found.steps == (Question(find="proof", seconds=2.0), Question(find="count", seconds=None, memory=1 << 29))
    assert not found.single
    steps = '[[steps]]\nfind = "count"\nseconds = inf\nmemory = inf\n'
    assert Study.read(study(tmp_path, ONE, steps=steps)).steps == (Question(find="count", seconds=None, memory=None),)


@pytest.mark.full
def test_a_subject_needs_no_files_any_more(tmp_path, monkeypatch):
    """A remote worker gets the same puzzle, even if its names mean something else there."""
    home = tmp_path / "home"
    home.mkdir()
    grid = (data_folder("models") / "grids" / "triangle.toml").read_text(encoding="utf-8")
    (home / "mygrid.toml").write_text(grid, encoding="utf-8")
    (home / "pentominoes.toml").write_text('title = "P"\ngrid = "mygrid"\nflips = false\n[[generate]]\nfree = 3\n', encoding="utf-8")
    path = home / "p.toml"
    path.write_text('title = "A"\nmodel = "pentominoes"\n[form]\ntriangle = 3\n', encoding="utf-8")
    known = instance_in(path)
    (subject,) = subjects([path])
    subject = subject.model_copy(update={"table": json.loads(json.dumps(subject.table)), "files": json.loads(json.dumps(subject.files))})
    assert set(subject.files) == {"mygrid", "pentominoes"}
    for file in home.iterdir():
        file.write_text("not even TOML", encoding="utf-8")
    monkeypatch.chdir(home)
    assert same(Loaded(subject).instance.puzzle, known.puzzle)
    (home / "p.toml").write_text('title = "B"\nmodel = "hexiamonds"\n[form]\ntriangle = 6\n[expect]\nall = 0\n', encoding="utf-8")
    (one,) = subjects([path])
    (home / "p.toml").write_text('title = "C"\nmodel = "hexiamonds"\n[form]\ntriangle = 6\n', encoding="utf-8")
    (other,) = subjects([path])
    assert one.key == other.key != subject.key


KITS = [
    ("pentominoes", {"boxes": True}, False),
    ("tetrominoes", {"boxes": True, "area": "12"}, True),
    ("tetrominoes", {"replicas": (2,)}, False),
    ("soma", {"boxes": True}, False),
    ("bits-and-bytes-half-turns", {"boxes": True}, False),
    ("hexiamonds-6x6", {"shapes": True, "area": "36"}, True),
    ("burrtools/ball-room-1", {"boxes": True, "area": "8"}, True),
    ("das-verrueckte-loriot-legespiel", {"boxes": True}, False),
    ("dominoes-6x6", {"replicas": (2,)}, False),
]


@pytest.mark.full
@every("name, sources, some", KITS, fast=("tetrominoes (2)",))
def test_forms_that_are_made_are_the_puzzles_that_the_command_tries(name, sources, some):
    kit = load_kit(name.rpartition("/")[2] if "/" in name else name, some=some)
    forms = Sources(**sources).candidates(kit)[:6]
    subjects = list(forms_as_subjects(kit, forms))
    assert len({subject.key for subject in subjects}) == len(forms) > 0
    for form, subject in zip(forms, subjects, strict=True):
        plain = subject.model_copy(update={"table": json.loads(json.dumps(subject.table))})
        try:
            known = kit.to_fill(form.name, form.table, path=form.path, without=form.without).puzzle
        except PuzzleError:
            with pytest.raises(PuzzleError):
                Loaded(plain).built()
            continue
        assert same(Loaded(plain).instance.puzzle, known)


@pytest.mark.full
def test_twins_and_copies_of_a_kit_of_ones_own(tmp_path):
    (tmp_path / "own.toml").write_text(
        f'{SQUARES}[tiles.A]\npicture = "##"\ncopies = [1, 2]\n[tiles.B]\npicture = "#\\n#"\n[tiles.C]\npicture = "###"\ncopies = "any"\n'
        '[form]\nbox = [2, 2]\n[[conditions]]\nname = "c"\ntiles = { C = 1 }\nbetween = [0, 3]\n',
        encoding="utf-8",
    )
    for some in (False, True):
        kit = load_kit(str(tmp_path / "own.toml"), some=some)
        forms = Sources(boxes=True, area="8").candidates(kit)
        for form in [*forms, *(replace(form, without="A") for form in forms)]:
            (subject,) = forms_as_subjects(kit, [form])
            assert same(Loaded(subject).instance.puzzle, kit.to_fill(form.name, form.table, without=form.without).puzzle)


ONE = '[[puzzles]]\nfrom = "octogram"\n'
WRONG = [
    ('[[puzzles]]\nfrmo = "octogram"\n', "\\[\\[puzzles\\]\\] number 1: unknown key 'frmo'; did you mean 'from'"),
    ('[[puzzles]]\nfrom = "octagram"\n', "\\[\\[puzzles\\]\\] number 1: there is no instance 'octagram'; did you mean 'octogram'"),
    ('[[puzzles]]\nfrom = "no*such"\n', "\\[\\[puzzles\\]\\] number 1: no\\*such: no such file"),
    ('[[puzzles]]\nfrom = "missing.toml"\n', "missing.toml: no such file"),
    ('[[puzzles]]\nfrom = "octogram"\nboxes = true\n', "\\[\\[puzzles\\]\\] number 1: boxes: is for forms that are made"),
    ('[[puzzles]]\nfrom = "octogram"\ntiles = "pentominoes"\n', "expected either from"),
    ("[[puzzles]]\nboxes = true\n", "it has neither"),
    ('[[puzzles]]\ntiles = "pentominos"\nboxes = true\n', "no model and no instance 'pentominos'; did you mean 'pentominoes'"),
    ('[[puzzles]]\ntiles = "pentominoes"\n', "make forms with boxes = true, frames = true"),
    ('[[puzzles]]\ntiles = "pentominoes"\nboxes = true\narea = "x"\n', "area x: expected a number of faces"),
    ('[[puzzles]]\ntiles = "pentominoes"\nboxes = true\nwithin = "8"\n', 'within = "8": expected rows and columns'),
    ('[[puzzles]]\ntiles = "pentominoes"\nreplicas = 12\n', "\\[\\[puzzles\\]\\] number 1: replicas: expected 9 at most"),
    ('[[puzzles]]\ntiles = "heptiamonds"\nshapes = true\n', "number 1: heptiamonds: there is no such form for these tiles; ask for"),
    ("[[puzzles]]\nfrom = []\n", "\\[\\[puzzles\\]\\] number 1: from: expected one at least, got none"),
    ("puzzles = []\n", "puzzles: expected one at least, got none"),
    ('[[puzzles]]\ntiles = "pentominoes"\nboxes = "yes"\n', "\\[\\[puzzles\\]\\] number 1: boxes: expected true or false"),
]


@every("puzzles, said", WRONG, fast=6)
def test_what_is_wrong_is_said_with_file_key_and_cure(tmp_path, puzzles, said):
    path = study(tmp_path, puzzles)
    with pytest.raises(PuzzleError, match=said) as error:
        Study.read(path)
    assert all(problem.startswith(f"{path}: ") for problem in error.value.problems)
    assert "--" not in str(error.value)


def test_everything_that_is_wrong_is_said_at_once(tmp_path):
    steps = '[[steps]]\nfind = "counts"\n[[steps]]\nfind = "count"\nseconds = 0\ntime = 3\n'
    with pytest.raises(PuzzleError) as error:
        Study.read(study(tmp_path, ONE, head='title = "T"\nsingle = 2\n', steps=steps))
    said = "\n".join(error.value.problems)
    for part in (
        "name: this key is missing",
        "unknown key 'title'",
        "single",
        "[[steps]] number 1: find: expected 'proof'",
        "[[steps]] number 2: seconds",
        "[[steps]] number 2: unknown key 'time'",
    ):
        assert part in said
    (tmp_path / "a.toml").write_text(f"{SQUARES}[tiles.D]\npicture = '##'\n[form]\nbax = [2, 2]\n", encoding="utf-8")
    (tmp_path / "b.toml").write_text(f"{SQUARES}[tiles.D]\npicture = '?'\n[form]\nbox = [2, 2]\n", encoding="utf-8")
    with pytest.raises(PuzzleError) as error:
        Study.read(study(tmp_path, '[[puzzles]]\nfrom = ["a.toml", "b.toml"]\n[[puzzles]]\nfrom = "octagram"\n'))
    assert re.search("a.toml.*bax(.|\n)*b.toml.*tiles.D(.|\n)*octagram", str(error.value))
    for name in ("", "  ", "two\\nlines", "a \\u001b[31mred one"):
        with pytest.raises(PuzzleError, match="name: expected a line of text"):
            Study.read(study(tmp_path, ONE, head=f'name = "{name}"\n'))


@pytest.mark.full
def test_a_study_from_its_file_to_its_answers(tmp_path):
    made = '[[puzzles]]\ntiles = "pentominoes"\nsome = true\nboxes = true\narea = "10-15"\n'
    path, store = study(tmp_path, made, head='name = "Boxes"\n'), tmp_path / "study.sqlite"
    own = Study.read(path)
    ran = run_study(own, store, Processes(1))
    assert (ran.complete, ran.end.sentences) == (True, [])
    assert {row.puzzle: row.distinct for row in ran.rows if row.all} == {"3x5": 7}
    assert {row.verdict for row in ran.rows if row.puzzle != "3x5"} == {"impossible"}
    more = replace(own, subjects=(*own.subjects, *Study.read(study(tmp_path, ONE)).subjects), steps=own.steps[:1])
    assert run_study(more, store, Processes(1)).complete
    with pytest.raises(PuzzleError, match=r"does not name any more.*put them back"):
        run_study(own, store, Processes(1))
