"""The functions of the library behind the commands: puzzles from text and tables, forms, arrays, refusals."""

import json
import pickle
import shutil
import xml.etree.ElementTree as ET
from functools import cache
from random import Random

import networkx as nx
import numpy as np
import pytest
from typer.testing import CliRunner

import puzzlesat
from puzzlesat.base.limits import Limits
from puzzlesat.cli.main import app
from puzzlesat.designing.tile_set import Kit
from puzzlesat.pages import notebook
from puzzlesat.playing.hint import look_at
from puzzlesat.playing.position import Completions, position_of
from puzzlesat.puzzles.building import build_instance
from puzzlesat.studies.study import Study
from random_puzzles import random_puzzle
from strategies import to_toml
from tiers import every

SMALL = "domino-and-square-3x2"
TEXT = 'title = "Dominoes"\nmodel = "dominoes"\n[form]\nbox = [3, 4]\n'
TABLE = {"title": "Dominoes", "model": "dominoes", "form": {"box": [3, 4]}}


@every("given", [TEXT, TABLE, {**TABLE, "form": {"box": (3, 4)}}], fast=1)
def test_text_and_tables_are_puzzles(given):
    instance = puzzlesat.load(given)
    assert (instance.title, instance.name, instance.path) == ("Dominoes", "this puzzle", None)
    assert puzzlesat.count(given, solver="tally").counts.all == 11
    assert len(list(puzzlesat.solve(given))) == 11
    if isinstance(given, dict):
        table = {**given, "name": "mine"}
        assert puzzlesat.load(table).name == "mine"
        assert table == {**given, "name": "mine"}


@every("given", [TEXT, TABLE, "loaded", "puzzle", "with other rules"], fast=("loaded",))
def test_whatever_is_loaded_takes_rules_on_solutions(given):
    loaded = puzzlesat.load(TABLE)
    kinds = {
        "loaded": loaded,
        "puzzle": loaded.puzzle,
        "with other rules": puzzlesat.load(TABLE, rules={"colours": 2, "no_crossroads": False}),
    }
    puzzle = puzzlesat.load(kinds.get(given, given) if isinstance(given, str) else given, rules={"colours": 3, "no_crossroads": True})
    assert (puzzle.puzzle.solutions.colours, puzzle.puzzle.solutions.no_crossroads) == (3, True)


def test_rules_of_a_loaded_instance_stay_beside_others():
    own = {
        "holds": [{"tiles": "all", "atoms": [[1, 1], [2, 1]], "between": [0, 1]}],
        "symmetric_outline": [{"tiles": ["D"], "under": "turn"}],
        "apart": [["D"]],
        "one_of": [["I2.1@1.1"]],
    }
    at_once = puzzlesat.load(TABLE, rules=own | {"strictly": True})
    after = puzzlesat.load(puzzlesat.load(TABLE, rules=own), rules={"strictly": True})
    assert after.puzzle.solutions == at_once.puzzle.solutions
    with pytest.raises(puzzlesat.PuzzleError, match="colours"):
        puzzlesat.load(after, rules={"colours": 0})


@every(
    ("given", "sentence"),
    [
        ({"titel": "x", "model": "soma", "form": {"box": [3, 3, 3]}}, "unknown key 'titel'; did you mean 'title'?"),
        ('title = "x"\nmodel = \n', "not a TOML file"),
        ({**TABLE, "name": 3}, "name: expected a string"),
        ({**TABLE, "model": "dominos"}, "did you mean 'dominoes'"),
    ],
)
def test_what_is_wrong_with_text_or_a_table_is_said_without_a_file(given, sentence):
    with pytest.raises(puzzlesat.PuzzleError) as caught:
        puzzlesat.load(given)
    assert any(sentence in problem for problem in caught.value.problems)
    assert not any(problem.startswith("puzzle: ") for problem in caught.value.problems)


def test_a_number_of_ways_that_time_cut_short_is_not_complete(monkeypatch):
    first = "puzzlesat.playing.hint.count_completions"
    monkeypatch.setattr(first, lambda *_given, **_named: Completions(5, exact=False))
    known = puzzlesat.hint(SMALL)
    assert str(known.completions) == "at least 5" and known.decided
    assert (known.complete, known.why) == (False, "There may be more ways to finish: time was up.")
    monkeypatch.setattr(first, lambda *_given, **_named: Completions(5, exact=True))
    known = puzzlesat.hint(SMALL)
    assert (known.complete, known.why) == (True, None)


def test_a_certificate_of_another_puzzle_and_a_damaged_one_are_rejected(tmp_path):
    file = tmp_path / "dominoes.proof"
    certified = puzzlesat.certify("dominoes-4x4", file)
    assert (certified.counts.all, certified.counts.distinct) == (36, 9)
    assert puzzlesat.verify(file, puzzle="dominoes-4x4").counts == certified.counts
    with pytest.raises(puzzlesat.Rejected, match="the puzzle is not that of this puzzle: it differs in"):
        puzzlesat.verify(file, puzzle=TABLE)
    file.write_bytes(b"PK")
    with pytest.raises(puzzlesat.Rejected):
        puzzlesat.verify(file)


@pytest.mark.full
def test_forms_keep_what_is_known(tmp_path):
    pandas = pytest.importorskip("pandas")
    file = tmp_path / "forms.jsonl"
    found = puzzlesat.forms("dominoes", boxes=True, area="12", count=True, output=file)
    assert {one.form: one.all for one in found} == {"1x12": 1, "2x6": 13, "3x4": 11}
    before = file.read_bytes()
    lines = [json.loads(line) for line in before.decode().splitlines()[1:]]
    assert [{key: one.record[key] for key in lines[0]} for one in found] == sorted(lines, key=lambda line: line["form"])
    assert found.to_pandas().columns.tolist() == [*lines[0], "complete", "why"] == pandas.DataFrame(found).columns.tolist()
    assert repr(found) == "<FormsFound: 3 forms: 3 solvable>" and found.to_pandas()["all"].tolist() == [1, 13, 11]
    assert puzzlesat.forms("dominoes", boxes=True, area="12", count=True, output=file) == found
    assert file.read_bytes() == before


CORNERS = {"title": "Corners", "grid": "square", "flips": False, "tiles": {"V": {"atoms": [[1, 1], [1, 2], [2, 1]], "copies": "any"}}}
CORNERS_PUZZLE = {**CORNERS, "form": {"box": [2, 3]}}


@pytest.mark.full
def test_forms_takes_tiles_that_no_file_has():
    by_hand = {"2x3": 2, "2x6": 4, "3x4": 4, "2x9": 8, "3x6": 8}
    for tiles, jobs in ((CORNERS, 1), (to_toml(CORNERS), 1), (CORNERS_PUZZLE, 1), (puzzlesat.load(CORNERS_PUZZLE), 2)):
        found = puzzlesat.forms(tiles, boxes=True, area="3-20", count=True, jobs=jobs)
        assert {one.form: one.all for one in found if one.all} == by_hand


@pytest.mark.full
def test_rules_of_a_loaded_puzzle_go_over_to_other_forms():
    loaded = puzzlesat.load("dominoes-6x6", rules={"no_crossroads": True})
    found = {one.form: one.all for one in puzzlesat.forms(loaded, boxes=True, area="36", count=True)}
    assert found["6x6"] == 2
    assert found["4x9"] == puzzlesat.count({**TABLE, "form": {"box": [4, 9]}, "solutions": {"no_crossroads": True}}).counts.all


@every("seed", range(60), fast=2)
def test_random_tiles_are_the_same_in_another_process(seed):
    loaded = puzzlesat.load({key: value for key, value in random_puzzle(Random(seed)).items() if key != "break_on"})
    if any(tile.listed for tile in loaded.puzzle.tiles):
        with pytest.raises(puzzlesat.PuzzleError, match="its placements are listed for one form"):
            Kit.of(loaded)
        return
    kit = pickle.loads(pickle.dumps(Kit.of(loaded)))
    assert (kit.instance, kit.instance.said, kit.fingerprint) == (loaded.file, loaded.file.said, Kit.of(loaded).fingerprint)


@pytest.mark.full
def test_sets_of_one_form_are_a_gallery():
    found = puzzlesat.sets("pentominoes", boxes=True, area="15", within="3x5")
    svg = found._repr_mimebundle_()["image/svg+xml"]
    assert svg.count("1 way") == 7 and svg.count("<title>P.") == 5
    assert puzzlesat.draw(found) == svg
    assert len(found.to_pandas()) == 7
    assert puzzlesat.sets(TABLE, copies="any").found[0].sets == puzzlesat.sets(TEXT, copies=6).found[0].sets == 1


STUDY_TABLE = {"name": "Small 1.5", "puzzles": [{"from": ("dominoes-4x4",)}], "steps": [{"find": "count"}]}


@pytest.mark.slow
@every("kind", ["text", "table", "loaded"])
def test_a_study_without_a_file(kind, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    read = Study.of({**STUDY_TABLE, "puzzles": [{"from": ["dominoes-4x4"]}]}, tmp_path / "small.toml")
    ran = puzzlesat.run({"text": to_toml(STUDY_TABLE), "table": STUDY_TABLE, "loaded": read}[kind], jobs=1)
    assert [(row.puzzle, row.all) for row in ran.rows] == [("dominoes-4x4", 36)]
    assert ran.to_pandas()["all"].tolist() == [36]
    assert [file.name for file in tmp_path.iterdir()] == ["Small_1.5.sqlite"]


@every("name", [SMALL, "dominoes-4x4", "absolut-knifflig", "tetrahexes-flower-1"], fast=("absolut-knifflig",))
def test_solutions_as_arrays(name):
    solutions = list(puzzlesat.solve(name, limit=40))
    rows, covered = puzzlesat.solutions_array(solutions), puzzlesat.solutions_array(solutions, atoms=True)
    built = solutions[0].built
    assert [tuple(o for o in row if o >= 0) for row in rows.tolist()] == [s.options for s in solutions]
    atoms = built.puzzle.form.numbering.atoms
    for row, solution in zip(covered.tolist(), solutions, strict=True):
        on = {atom: placement.tile for placement in solution.placements for atom in placement.atoms}
        assert row == [on.get(atom, -1) for atom in atoms]


@every("name", [SMALL, "dominoes-4x4"])
def test_solutions_are_independent_sets_of_the_conflict_graph(name):
    graph = puzzlesat.conflict_graph(name)
    solutions = {frozenset(s.names) for s in puzzlesat.solve(name)}
    size = len(next(iter(solutions)))
    free = nx.complement(graph)
    assert {frozenset(c) for c in nx.find_cliques(free) if len(c) == size} == solutions


def test_a_graph_that_is_too_large_is_refused(monkeypatch):
    from puzzlesat.cli.functions import drawing

    monkeypatch.setattr(drawing, "MAX_EDGES", 33)
    with pytest.raises(puzzlesat.PuzzleError, match="more than 33 pairs"):
        puzzlesat.conflict_graph(SMALL)


def test_solutions_as_a_table():
    solutions = puzzlesat.count(SMALL, solver="backtrack").solutions
    table = solutions.to_pandas()
    assert [*table.columns] == ["number", "names", "tiles"]
    assert table["number"].tolist() == [1] and table["names"][0] == solutions[0].names
    for none in (puzzlesat.count(SMALL, solver="tally"), puzzlesat.count(SMALL, seconds=1e-9)):
        assert len(none.solutions) == 0 and none.solutions.to_pandas().shape == (0, 3)
    assert [*zip(solutions[0].tiles, solutions[0].names, strict=True)] == [("I2", "I2.2@1.1"), ("O4", "O4.1@2.1")]


def test_a_report_as_a_table():
    pandas = pytest.importorskip("pandas")
    reports = [puzzlesat.count(name, solver="backtrack") for name in (SMALL, "dominoes-4x4")]
    table = pandas.concat([report.to_pandas() for report in reports])
    assert table[["instance", "all", "distinct", "agree"]].values.tolist() == [[SMALL, 2, 1, None], ["dominoes-4x4", 36, 9, None]]
    stopped = puzzlesat.count("octogram", seconds=0.001).to_pandas()
    assert stopped.loc[0, "all"] is None and not stopped.loc[0, "complete"]
    assert np.array_equal(stopped.columns, table.columns)


@pytest.mark.full
def test_a_notebook_shows_the_steps():
    found = puzzlesat.apart("dubois-burr", jobs=1)
    assert [repr(each) for each in (found, *found.assemblies)] == [
        "<Apart dubois-burr: 2 assemblies, 1 comes apart>",
        "<Assembly 2 of dubois-burr: level 6.4>",
        "<Assembly 1 of dubois-burr: does not come apart>",
    ]
    drawn = found._repr_mimebundle_()
    assert "13. 880: away" in drawn["image/svg+xml"] and "<td>6.4</td>" in drawn["text/html"]
    held = found.assemblies[1]._repr_mimebundle_()
    assert "it does not come apart" in held["text/html"] and "assembly 1" in held["image/svg+xml"]
    assert "1. 120.1@1.3.2: 2 along -x<br/>" in found.assemblies[0]._repr_mimebundle_()["text/html"]


@every(
    ("ask", "sentence"),
    [
        (lambda: puzzlesat.load(3), "puzzle: expected a name, a file"),
        (lambda: puzzlesat.load('title = "x"'), "as text, a puzzle needs several lines"),
        (lambda: puzzlesat.count("soma", budget=-1), "budget: -1 leaves nothing"),
        (lambda: puzzlesat.count("soma", seconds="5"), "seconds: expected a number such as 5 or None, got '5'"),
        (lambda: puzzlesat.hint("soma", memory=True), "memory: expected a number such as 5 or None, got True"),
        (lambda: puzzlesat.sets(b"soma"), "tiles: expected a name, a file"),
        (lambda: puzzlesat.sets("soma", copies=10**30), "copies: expected a number of copies from 1 to 9,999"),
        (lambda: puzzlesat.sets("soma", together=10**30), "together: expected 2 to 9 forms"),
        (lambda: puzzlesat.apart("soma", nth=0), "nth: expected 1 or more, got 0"),
        (lambda: puzzlesat.challenge(SMALL, placed=2), "no position with 2 pieces placed"),
        (lambda: puzzlesat.forms(puzzlesat.load(TABLE).puzzle, boxes=True), "give the instance that 'load' returned"),
        (lambda: puzzlesat.forms({**CORNERS, "flip": True}, boxes=True), r"^unknown key 'flip'; did you mean 'flips'"),
        (lambda: puzzlesat.sets(CORNERS), "no form to fill"),
        (lambda: puzzlesat.common("tetrominoes", ["I"]), "give a second tile"),
        (lambda: puzzlesat.run({key: STUDY_TABLE[key] for key in ("name", "puzzles")}), r"^steps: this key is missing"),
        (lambda: puzzlesat.solutions_array([]), "at least one solution"),
        (lambda: puzzlesat.solutions_array([next(puzzlesat.solve(name)) for name in (SMALL, "dominoes-4x4")]), "several puzzles"),
        (lambda: puzzlesat.count(SMALL, solver=3), "^solver: expected a text or a list of them, got 3$"),
        (lambda: puzzlesat.count(SMALL, solver=["sat", 3]), r"^solver\[1\]: expected a text, got 3$"),
        (lambda: puzzlesat.solve(SMALL, limit="x"), "^limit: expected a whole number or None, got 'x'$"),
        (lambda: puzzlesat.solve(SMALL, limit=-1), "^limit: expected 0 or more, got -1$"),
        (lambda: puzzlesat.solve(SMALL, nth=[1, "2"]), r"^nth\[1\]: expected a whole number, got '2'$"),
        (lambda: puzzlesat.solve(SMALL, distinct=1), "^distinct: expected True or False, got 1$"),
        (lambda: puzzlesat.forms("tetrominoes", area=20), "^area: expected a text or None, got 20; write '20'$"),
        (lambda: puzzlesat.sets("tetrominoes", copies=2.5), "^copies: expected a whole number, 'any' or None, got 2.5$"),
        (lambda: puzzlesat.validate({"title": "T"}), "^files: expected a text, a path or a list of them, got {'title': 'T'}$"),
        (lambda: puzzlesat.load(SMALL, rules=3), "^rules: expected a dictionary or None, got 3$"),
        (lambda: puzzlesat.compile(SMALL, format="cfn"), "there is no format 'cfn'; did you mean 'cnf'?"),
        (lambda: puzzlesat.convert(SMALL), "format: expected one of toml, .*notation where no file is named, got None"),
        (lambda: puzzlesat.convert(SMALL, format="xml"), "got 'xml'"),
        (lambda: puzzlesat.convert(SMALL, output="x.xcc", format="xcc"), "the suffix of x.xcc names the format; remove it"),
        (lambda: puzzlesat.convert(5, format="xcc"), "source: expected a name, a file, or what 'cover' returned, got int"),
        (lambda: puzzlesat.certify(SMALL, 5), "^output: expected a text or a path, got 5$"),
    ],
    fast=12,
)
def test_what_cannot_be_asked_is_said(ask, sentence):
    with pytest.raises(puzzlesat.PuzzleError, match=sentence):
        ask()


def test_solutions_instances_and_puzzles_compare_by_what_they_say():
    assert set(puzzlesat.solve(SMALL)) == set(puzzlesat.solve(puzzlesat.load(SMALL)))
    loaded, again, other = puzzlesat.load(TABLE), puzzlesat.load(TEXT), puzzlesat.load({**TABLE, "form": {"box": [4, 3]}})
    assert (loaded, loaded.puzzle) == (again, again.puzzle)
    assert len({loaded, again, other}) == len({loaded.puzzle, again.puzzle, other.puzzle}) == 2
    renamed = puzzlesat.load({**TABLE, "title": "Others"})
    assert (renamed == loaded, renamed.puzzle == loaded.puzzle) == (False, True)
    one, more = list(puzzlesat.solve(SMALL)), list(puzzlesat.solve(puzzlesat.load(SMALL, rules={"colours": 3})))
    assert one[0] != one[1]
    assert [solution.names for solution in more] == [solution.names for solution in one]
    assert set(one).isdisjoint(more)  # they answer another question


def test_a_report_can_be_kept():
    report = puzzlesat.count(SMALL, solver="backtrack", seconds=60)
    kept = pickle.loads(pickle.dumps(report))
    assert (kept.sentence, kept.counts, str(kept)) == (report.sentence, report.counts, str(report))
    assert list(kept.solutions) == list(report.solutions)


# compile, convert and validate -----------------------------------------------------------------------------------------------

BAD = 'titel = "x"\nmodel = "soma"\n[form]\nbox = [3, 3, "x"]\n'
SLIP = 'title = "Two"\ngrid = "square"\nflips = true\n[tiles.A]\npicture = "#.#"\n[form]\nbox = [2, 1]\n'


def by_command(*arguments):
    result = CliRunner().invoke(app, [str(one) for one in arguments])
    assert result.exit_code == 0, result.output
    return result.output


@every("format", ["cnf", "opb", "xcc", "cpsat"], fast=("cnf",))
def test_compile_gives_the_text_of_the_command(tmp_path, format):
    printed = by_command("compile", SMALL, "--format", format, "--map", tmp_path / "map")
    compiled = puzzlesat.compile(SMALL, format)
    assert compiled.text == str(compiled) == printed
    assert (compiled.complete, compiled.why, compiled.file) == (True, None, None)
    assert {str(v): name for v, name in compiled.variables.items()} == json.loads((tmp_path / "map").read_text(encoding="utf-8"))


@every(
    ("format", "suffix"),
    [("toml", ".toml"), ("cnf", ".cnf"), ("opb", ".opb"), ("xcc", ".xcc"), ("cpsat", ".cpsat"), ("jsonl", ".jsonl"), ("notation", ".txt")],
    fast=("toml", "xcc"),
)
def test_convert_gives_what_the_command_writes(tmp_path, format, suffix):
    by_command("convert", SMALL, tmp_path / f"command{suffix}")
    written = (tmp_path / f"command{suffix}").read_text(encoding="utf-8")
    converted = puzzlesat.convert(SMALL, format=format)
    assert converted.text == str(converted) == written
    assert (converted.complete, converted.why, converted.files) == (True, None, ())
    file = tmp_path / f"function{suffix}"
    to_file = puzzlesat.convert(SMALL, file)
    assert file.read_text(encoding="utf-8") == written
    assert (to_file.text, to_file.files) == ("", (file,))
    assert to_file.sentence.startswith(f"{file}: ")


def test_findings_are_what_the_command_prints(tmp_path):
    file = tmp_path / "bad.toml"
    file.write_text(BAD, encoding="utf-8")
    found = puzzlesat.validate(file)
    assert [(finding.key, finding.severity) for finding in found] == [("title", "error"), ("form.box", "error"), ("titel", "error")]
    assert all(finding.file == str(file) for finding in found)
    printed = CliRunner(env={"COLUMNS": "400"}).invoke(app, ["validate", str(file)])
    assert printed.exit_code == 2
    assert printed.output.splitlines() == [str(finding) for finding in found]


def test_good_files_have_no_findings(tmp_path):
    shutil.copy(puzzlesat.load(SMALL).path, tmp_path / "good.toml")
    assert puzzlesat.validate(tmp_path / "good.toml", twice=True) == []
    assert puzzlesat.validate([tmp_path / "good.toml", str(tmp_path / "good.toml")]) == []


@every(
    ("text", "key"),
    [
        ("title = \n", "line 1, column 9"),
        ('title = "T"\ngrid = "square"\nflips = true\n[tiles.A]\n[form]\nbox = [2, 1]\n', "tiles.A"),
        ('title = "T"\nmodel = "soma"\n[form]\nbox = [3, 3, 3]\n[[conditions]]\nalong = [1, 1, 1]\n', "[[conditions]] number 1: name"),
        ("", None),
    ],
)
def test_the_key_of_a_finding(tmp_path, text, key):
    file = tmp_path / "given.toml"
    file.write_text(text, encoding="utf-8")
    assert key in [finding.key for finding in puzzlesat.validate(file)]


def test_warnings_and_differences_are_findings_too(tmp_path, monkeypatch):
    from puzzlesat.cli import findings
    from puzzlesat.counting.second_reading import SecondReading

    file = tmp_path / "slip.toml"
    file.write_text(SLIP, encoding="utf-8")
    monkeypatch.setattr(findings, "read_twice", lambda built, told: SecondReading(differences=("another form",)))
    found = {finding.severity: finding for finding in puzzlesat.validate(file, twice=True)}
    assert found["warning"].key == "tiles.A"
    assert found["difference"].key is None
    assert found["difference"].message == "two readings of the file differ: slip: another form"


# notebooks and pictures ------------------------------------------------------------------------------------------------------

LONGEST = 120
"""Maximum length of a ``repr`` in characters: one line."""


@cache
def small_objects():
    instance = puzzlesat.load(SMALL)
    built = build_instance(instance)
    position = position_of(built, ["I2.2@3.1"])
    report = puzzlesat.count(SMALL, solver="backtrack")
    solution = next(puzzlesat.solve(SMALL))
    hint = look_at(position, more=True, limits=Limits(seconds=5))
    return {"instance": instance, "puzzle": instance.puzzle, "position": position, "report": report, "solution": solution, "hint": hint}


PIECES = {"instance": [0, 0], "puzzle": [0, 0], "position": [1, 0], "report": [1, 1], "solution": [1, 1], "hint": [1, 1]}
"""The numbers of dominoes and squares drawn on the form; a report draws its one distinct solution."""


@every("what", PIECES)
def test_a_notebook_gets_text_a_picture_and_html(what):
    found = small_objects()[what]._repr_mimebundle_()
    said = repr(small_objects()[what])
    assert set(found) == {notebook.TEXT, notebook.SVG, notebook.HTML}
    assert found[notebook.TEXT] == said
    assert what == "hint" or (len(said) <= LONGEST and "\n" not in said)
    assert what in ("puzzle", "hint") or SMALL in said
    assert ET.fromstring(found[notebook.SVG]).tag == "{http://www.w3.org/2000/svg}svg"
    assert ET.fromstring(found[notebook.HTML]).tag == "div"
    assert [found[notebook.SVG].count(f"<title>{tile}.") for tile in ("I2", "O4")] == PIECES[what]


@pytest.mark.full
def test_repr_of_large_and_of_incomplete_reports():
    report = puzzlesat.count("octogram", solver="tally")
    assert repr(report) == "<Report on 'octogram': labelled 129,168, all 129,168, distinct 16,146; not confirmed>"
    assert len(repr(report.built)) <= LONGEST
    stopped = puzzlesat.count("pentominoes-6x10", solver="backtrack", seconds=0.01)
    assert "labelled" not in repr(stopped) and "limit reached" in repr(stopped)


def test_rules_on_solutions_are_named():
    """The count of the few solutions that keep a rule was shown as the count of all."""
    ruled = puzzlesat.load("dominoes-6x6", rules={"no_crossroads": True})
    report = puzzlesat.count(ruled, solver="backtrack")
    assert repr(ruled) == "<Instance 'dominoes-6x6': 1 tile, 36 atoms, grid square, rules on solutions>"
    assert repr(report) == "<Report on 'dominoes-6x6' with rules on solutions: all 2, distinct 1; not confirmed>"
    said = "only solutions without crossroads (points where four tiles meet)"
    assert all(said in thing._repr_mimebundle_()["text/html"] for thing in (ruled, report))
    assert report.to_pandas()["rules"].tolist() == [said.removeprefix("only solutions ")]


def test_a_puzzle_that_takes_too_long_to_draw_is_shown_as_text(monkeypatch):
    monkeypatch.setattr(notebook, "SHOWN_SECONDS", 0.0)
    instance = puzzlesat.load("octogram")
    assert instance._repr_mimebundle_() == {notebook.TEXT: repr(instance)}
    assert puzzlesat.draw(instance).startswith("<svg")  # an explicit request waits


def test_what_is_written_by_others_is_escaped():
    instance = puzzlesat.load(SMALL)
    object.__setattr__(instance, "title", "<script>alert(1)</script>")
    assert "<script>" not in instance._repr_mimebundle_()[notebook.HTML]


# draw ------------------------------------------------------------------------------------------------------------------------


def test_draw_shows_as_a_picture_and_is_the_text_of_it(tmp_path):
    drawn = puzzlesat.draw(small_objects()["solution"], tmp_path / "solution.svg")
    assert drawn._repr_svg_() == str(drawn) == (tmp_path / "solution.svg").read_text(encoding="utf-8")
    assert drawn == small_objects()["solution"]._repr_mimebundle_()[notebook.SVG]
    puzzlesat.draw(SMALL, tmp_path / "puzzle.png")
    assert (tmp_path / "puzzle.png").read_bytes().startswith(b"\x89PNG")


def test_draw_refuses():
    for thing, file, message in (([], None, "no solution to draw"), (SMALL, "a.gif", "expected a name that ends in .svg or .png")):
        with pytest.raises(puzzlesat.PuzzleError, match=message):
            puzzlesat.draw(thing, file)
    for thing in (1, [1]):
        with pytest.raises(TypeError, match="int: expected"):
            puzzlesat.draw(thing)
    with pytest.raises(TypeError, match="FormFound: expected solutions"):
        puzzlesat.draw(puzzlesat.forms("dominoes", boxes=True, area="4"))
