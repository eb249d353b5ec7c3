"""The functions of the library behind the commands: puzzles from text and tables, forms, arrays, refusals."""

import json
import pickle
from dataclasses import replace
from random import Random

import networkx as nx
import numpy as np
import pytest

import puzzlesat
from puzzlesat.designing.tile_set import Kit, load_kit
from puzzlesat.playing.position import Completions
from puzzlesat.puzzles.package import data_files
from puzzlesat.puzzles.reading import read_table
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
    named = puzzlesat.load("dominoes-6x6", rules={"no_crossroads": True})
    assert puzzlesat.count(puzzlesat.load(puzzlesat.load("dominoes-6x6"), rules={"no_crossroads": True}), solver="backtrack").counts == (
        puzzlesat.count(named, solver="backtrack").counts
    )


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


@every("file", data_files("instances")[::60], fast=1)
def test_instances_of_the_package_as_text_and_as_tables(file):
    meant = what_is_said(puzzlesat.load(file))
    for given in (file.read_text(encoding="utf-8"), read_table(file)):
        assert what_is_said(puzzlesat.load(given)) == meant


def what_is_said(instance):
    """Return the content of an instance as its file states it. Two wraps never compare equal, even if their translations do."""
    form = instance.puzzle.form
    return instance.title, instance.expect, replace(form, wrap=None), form.wrap and form.wrap.translations, instance.puzzle.tiles


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


def test_a_solution_is_proof_that_there_is_one(tmp_path):
    proof = puzzlesat.prove(SMALL, output=tmp_path / "no.proof")
    assert proof.solvable and proof.argument is None and proof.certificate is None
    assert not (tmp_path / "no.proof").exists()
    (solution,) = proof.solutions
    assert set(solution.names) in [set(s.names) for s in puzzlesat.solve(SMALL)]
    assert len(str(solution).strip().splitlines()) >= 2


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


CORNERS = {
    "title": "Corners",
    "grid": "square",
    "flips": False,
    "tiles": {"V": {"atoms": [[1, 1], [1, 2], [2, 1]], "copies": "any"}},
}
CORNERS_PUZZLE = {**CORNERS, "form": {"box": [2, 3]}}


@every(
    ("tiles", "jobs"),
    [
        pytest.param(CORNERS, 1, id="model"),
        pytest.param(to_toml(CORNERS), 1, id="text"),
        pytest.param(CORNERS_PUZZLE, 1, id="instance"),
        pytest.param(None, 2, id="loaded, by two processes"),
    ],
)
@pytest.mark.full
def test_forms_takes_tiles_that_no_file_has(tiles, jobs):
    found = puzzlesat.forms(tiles or puzzlesat.load(CORNERS_PUZZLE), boxes=True, area="3-20", count=True, jobs=jobs)
    by_hand = {"2x3": 2, "2x6": 4, "3x4": 4, "2x9": 8, "3x6": 8}
    assert {one.form: one.all for one in found if one.all} == by_hand


@pytest.mark.full
def test_rules_of_a_loaded_puzzle_go_over_to_other_forms():
    loaded = puzzlesat.load("dominoes-6x6", rules={"no_crossroads": True})
    found = {one.form: one.all for one in puzzlesat.forms(loaded, boxes=True, area="36", count=True)}
    assert found["6x6"] == 2
    assert found["4x9"] == puzzlesat.count({**TABLE, "form": {"box": [4, 9]}, "solutions": {"no_crossroads": True}}).counts.all


@every("file", data_files("instances")[::40], fast=1)
def test_tiles_are_the_same_in_another_process(file):
    kit = Kit.of(puzzlesat.load(file))
    assert pickle.loads(pickle.dumps(kit)).fingerprint == kit.fingerprint == load_kit(str(file)).fingerprint


@every("seed", range(60), fast=2)
def test_random_tiles_are_the_same_in_another_process(seed):
    loaded = puzzlesat.load({key: value for key, value in random_puzzle(Random(seed)).items() if key != "break_on"})
    if any(tile.listed for tile in loaded.puzzle.tiles):
        with pytest.raises(puzzlesat.PuzzleError, match="its placements are listed for one form"):
            Kit.of(loaded)
        return
    kit = pickle.loads(pickle.dumps(Kit.of(loaded)))
    assert (kit.instance, kit.instance.said) == (loaded.file, loaded.file.said)


@pytest.mark.full
def test_sets_of_one_form_are_a_gallery():
    found = puzzlesat.sets("pentominoes", boxes=True, area="15", within="3x5")
    svg = found._repr_mimebundle_()["image/svg+xml"]
    assert svg.count("1 way") == 7 and svg.count("<title>P.") == 5
    assert puzzlesat.draw(found) == svg
    assert len(found.to_pandas()) == 7
    assert puzzlesat.sets(TABLE, copies="any").found[0].sets == puzzlesat.sets(TEXT, copies=6).found[0].sets == 1


STUDY = """
name = "Small 1.5"
[[puzzles]]
from = "dominoes-4x4"
[[steps]]
find = "count"
"""
STUDY_TABLE = {"name": "Small 1.5", "puzzles": [{"from": ("dominoes-4x4",)}], "steps": [{"find": "count"}]}


@pytest.mark.slow
@every("kind", ["text", "table", "loaded"])
def test_a_study_without_a_file(kind, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    read = Study.of({**STUDY_TABLE, "puzzles": [{"from": ["dominoes-4x4"]}]}, tmp_path / "small.toml")
    ran = puzzlesat.run({"text": STUDY, "table": STUDY_TABLE, "loaded": read}[kind], jobs=1)
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


@pytest.mark.full
def test_marks_that_may_not_meet_are_edges_too():
    graph = puzzlesat.conflict_graph("absolut-knifflig")
    assert all(not graph.subgraph(s.names).edges for s in puzzlesat.solve("absolut-knifflig"))
    built = next(puzzlesat.solve("absolut-knifflig")).built
    apart = [(a, b) for a, b in graph.edges if not set(_placed(built, graph, a).atoms) & set(_placed(built, graph, b).atoms)]
    assert any(graph.nodes[a]["tile"] != graph.nodes[b]["tile"] for a, b in apart)


def _placed(built, graph, name):
    return built.placements[graph.nodes[name]["number"]]


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
        (lambda: puzzlesat.count("soma", budget=float("nan")), "budget: nan leaves nothing"),
        (lambda: puzzlesat.count("soma", budget="5"), "budget: expected a number such as 5 or None, got '5'"),
        (lambda: puzzlesat.count("soma", seconds="5"), "seconds: expected a number such as 5 or None, got '5'"),
        (lambda: puzzlesat.hint("soma", memory=True), "memory: expected a number such as 5 or None, got True"),
        (lambda: puzzlesat.sets(b"soma"), "tiles: expected a name, a file"),
        (lambda: puzzlesat.sets("soma", copies=10**30), "copies: expected a number of copies from 1 to 9,999"),
        (lambda: puzzlesat.sets("soma", copies="two"), "copies: expected a whole number, 'any' or None"),
        (lambda: puzzlesat.sets("soma", together=10**30), "together: expected 2 to 9 forms"),
        (lambda: puzzlesat.apart("soma", nth=0), "nth: expected 1 or more, got 0"),
        (lambda: puzzlesat.apart("soma", nth=-1), "nth: expected 1 or more, got -1"),
        (lambda: puzzlesat.apart("soma", limit=0), "limit: expected 1 or more, got 0"),
        (lambda: puzzlesat.challenge(SMALL, placed=2), "no position with 2 pieces placed"),
        (lambda: puzzlesat.challenge(SMALL, 0), "expected 1 or more"),
        *(
            (lambda wish=wish: puzzlesat.challenge(SMALL, hardest=True, **wish), "hardest makes one position, with one completion")
            for wish in ({"count": 2}, {"completions": 2}, {"placed": 3})
        ),
        (lambda: puzzlesat.certify(SMALL, "a.proof", kind="trea"), "there is no such kind; did you mean 'tree'"),
        (lambda: puzzlesat.forms(puzzlesat.load(TABLE).puzzle, boxes=True), "give the instance that 'load' returned"),
        (lambda: puzzlesat.forms({**CORNERS, "flip": True}, boxes=True), r"^unknown key 'flip'; did you mean 'flips'"),
        (lambda: puzzlesat.sets("pentominoes", boxes=True, area="15", copies=0), "expected"),
        (lambda: puzzlesat.sets("pentominoes", boxes=True, area="15", together=1), "expected"),
        (lambda: puzzlesat.sets(CORNERS), "no form to fill"),
        (lambda: puzzlesat.common("tetrominoes", ["I"]), "give a second tile"),
        (
            lambda: puzzlesat.run({**STUDY_TABLE, "puzzles": [{"from": ["dominos-4x4"]}]}),
            r"^\[\[puzzles\]\] number 1: .*did you mean 'dominoes-4x4'",
        ),
        (lambda: puzzlesat.run({key: STUDY_TABLE[key] for key in ("name", "puzzles")}), r"^steps: this key is missing"),
        (lambda: puzzlesat.solutions_array([]), "at least one solution"),
        (lambda: puzzlesat.solutions_array([next(puzzlesat.solve(name)) for name in (SMALL, "dominoes-4x4")]), "several puzzles"),
        (lambda: puzzlesat.apart("piston-burr", nth=11, jobs=1), "has no solution 11"),
        (lambda: puzzlesat.apart("piston-burr", nth=1, limit=1), "nth or limit"),
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


@every(
    "call, message",
    [
        (lambda: puzzlesat.count(SMALL, solver=3), "solver: expected a text or a list of them, got 3"),
        (lambda: puzzlesat.count(SMALL, solver=["sat", 3]), r"solver\[1\]: expected a text, got 3"),
        (lambda: puzzlesat.solve(SMALL, limit="x"), "limit: expected a whole number or None, got 'x'"),
        (lambda: puzzlesat.solve(SMALL, limit=2.5), "limit: expected a whole number or None, got 2.5"),
        (lambda: puzzlesat.solve(SMALL, limit=-1), "limit: expected 0 or more, got -1"),
        (lambda: puzzlesat.solve(SMALL, nth=[1, "2"]), r"nth\[1\]: expected a whole number, got '2'"),
        (lambda: puzzlesat.solve(SMALL, distinct=1), "distinct: expected True or False, got 1"),
        (lambda: puzzlesat.forms("tetrominoes", area=20), "area: expected a text or None, got 20; write '20'"),
        (lambda: puzzlesat.sets("tetrominoes", copies=2.5), "copies: expected a whole number, 'any' or None, got 2.5"),
        (lambda: puzzlesat.validate({"title": "T"}), "files: expected a text, a path or a list of them, got {'title': 'T'}"),
        (lambda: puzzlesat.load(SMALL, rules=3), "rules: expected a dictionary or None, got 3"),
        (lambda: puzzlesat.certify(SMALL, 5), "output: expected a text or a path, got 5"),
    ],
)
def test_wrong_arguments_are_named_with_what_was_expected(call, message):
    with pytest.raises(puzzlesat.PuzzleError, match=f"^{message}$"):
        call()
