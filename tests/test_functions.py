"""The functions of the library that do what commands do: they find what the commands find, with the same defaults."""

from __future__ import annotations

import inspect
import json
import subprocess
import sys

import networkx as nx
import numpy as np
import pytest
import typer
from typer.testing import CliRunner

import puzzlesat
from puzzlesat.cli.main import app
from puzzlesat.config.package import instance_files
from puzzlesat.config.read import read_table

SMALL = "domino-and-square-3x2"
TEXT = 'title = "Dominoes"\nmodel = "dominoes"\n[form]\nbox = [3, 4]\n'
TABLE = {"title": "Dominoes", "model": "dominoes", "form": {"box": [3, 4]}}
OTHER_NAMES = {"seconds": "time", "given": "with", "placed": "placements", "tiles": "model"}
"""What options of commands are called otherwise in Python."""


@pytest.mark.parametrize("name", ["certify", "challenge", "forms", "hint", "prove", "run", "verify"])
def test_defaults_are_those_of_the_command(name):
    command = typer.main.get_command(app).commands[name].callback
    options = inspect.signature(command).parameters
    function = getattr(puzzlesat, name)
    compared = 0
    for parameter in inspect.signature(function).parameters.values():
        option = options.get(OTHER_NAMES.get(parameter.name, parameter.name)) or options.get(parameter.name)
        if option is None or parameter.default is inspect.Parameter.empty or option.default is inspect.Parameter.empty:
            continue
        given = None if parameter.default == () else parameter.default
        assert given == option.default, parameter.name
        compared += 1
    assert compared


# load ------------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("given", [TEXT, TABLE, {**TABLE, "form": {"box": (3, 4)}}], ids=["text", "table", "tuples"])
def test_text_and_tables_are_puzzles(given):
    instance = puzzlesat.load(given)
    assert (instance.title, instance.name, instance.path) == ("Dominoes", "this puzzle", None)
    assert puzzlesat.count(given, solvers="tally").counts.all == 11
    assert len(list(puzzlesat.solve(given))) == 11


@pytest.mark.parametrize("given", [TEXT, TABLE, "loaded", "puzzle", "with other rules"])
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
    assert puzzlesat.count(puzzlesat.load(puzzlesat.load("dominoes-6x6"), rules={"no_crossroads": True}), solvers="backtrack").counts == (
        puzzlesat.count(named, solvers="backtrack").counts
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


def test_a_table_may_have_a_name_and_stays_as_it_was():
    table = {**TABLE, "name": "mine"}
    assert puzzlesat.load(table).name == "mine"
    assert table == {**TABLE, "name": "mine"}


@pytest.mark.parametrize("file", instance_files()[::60], ids=lambda file: file.stem)
def test_instances_of_the_package_as_text_and_as_tables(file):
    meant = puzzlesat.load(file)
    for given in (file.read_text(encoding="utf-8"), read_table(file)):
        found = puzzlesat.load(given)
        assert (found.title, found.expect, found.puzzle.form, found.puzzle.tiles) == (
            meant.title, meant.expect, meant.puzzle.form, meant.puzzle.tiles,
        )  # fmt: skip


@pytest.mark.parametrize(
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


# play ------------------------------------------------------------------------------------------------------------------------


def test_hint_of_a_dead_position():
    known = puzzlesat.hint(SMALL, ["I2.2@2.1"])
    assert known.completions.possible is False
    assert [choice.pieces for choice in known.take_back.choices]
    assert "It cannot be finished." in str(known)


def test_hint_of_a_text_picture():
    solution = next(puzzlesat.solve(SMALL))
    assert puzzlesat.hint(SMALL, str(solution)).finished


def test_challenge_is_that_of_the_command():
    sheet = puzzlesat.challenge("absolut-knifflig", 2, seed=7)
    command = CliRunner().invoke(app, ["challenge", "absolut-knifflig", "-n", "2", "--seed", "7", "--json"])
    printed = [json.loads(line) for line in command.stdout.splitlines()]
    assert [list(c.position.names(c.position.everything)) for c in sheet.challenges] == [c["placed"] for c in printed]
    assert "<!DOCTYPE html>" in sheet.html or "<!doctype html>" in sheet.html
    assert "2 starting positions" in str(sheet)
    assert "<svg" in sheet._repr_mimebundle_()["text/html"]


# proofs ----------------------------------------------------------------------------------------------------------------------


def test_a_proof_shows_its_colouring():
    proof = puzzlesat.prove("mutilated-chessboard")
    assert not proof.solvable and proof.argument == "colouring" and proof.solution == ()
    assert "colouring" in proof._repr_mimebundle_()["text/html"]
    assert len(repr(proof)) < 100 and str(proof) == "\n".join(proof.sentences)


def test_a_solution_is_proof_that_there_is_one(tmp_path):
    proof = puzzlesat.prove(SMALL, output=tmp_path / "no.proof")
    assert proof.solvable and proof.argument is None and proof.certificate is None
    assert not (tmp_path / "no.proof").exists()
    assert set(proof.solution) in [set(s.names) for s in puzzlesat.solve(SMALL)]


def test_a_certificate_of_another_puzzle_is_rejected(tmp_path):
    file = tmp_path / "dominoes.proof"
    certified = puzzlesat.certify("dominoes-4x4", file)
    assert (certified.counts.all, certified.counts.distinct) == (36, 9)
    assert puzzlesat.verify(file, puzzle="dominoes-4x4").counts == certified.counts
    with pytest.raises(puzzlesat.Rejected, match="the puzzle is not that of this puzzle: it differs in"):
        puzzlesat.verify(file, puzzle=TABLE)


def test_a_damaged_certificate_is_rejected(tmp_path):
    file = tmp_path / "bad.proof"
    file.write_bytes(b"PK")
    with pytest.raises(puzzlesat.Rejected):
        puzzlesat.verify(file)


def test_what_takes_too_long_is_said_and_nothing_written(tmp_path):
    with pytest.raises(puzzlesat.PuzzleError, match="neither a solution nor a proof"):
        puzzlesat.prove("pentominoes-6x10", seconds=0.001)
    with pytest.raises(puzzlesat.PuzzleError, match="no certificate was written"):
        puzzlesat.certify("pentominoes-6x10", tmp_path / "a.proof", seconds=0.01)
    assert not list(tmp_path.iterdir())
    with pytest.raises(puzzlesat.PuzzleError, match="there is no such kind; did you mean 'tree'"):
        puzzlesat.certify(SMALL, tmp_path / "a.proof", kind="trea")


# forms and studies -----------------------------------------------------------------------------------------------------------


def test_forms_keep_what_is_known(tmp_path):
    file = tmp_path / "forms.jsonl"
    found = puzzlesat.forms("dominoes", boxes=True, area="12", count=True, output=file)
    assert {record["form"]: record["all"] for record in found} == {"1x12": 1, "2x6": 13, "3x4": 11}
    before = file.read_bytes()
    assert puzzlesat.forms("dominoes", boxes=True, area="12", count=True, output=file) == found
    assert file.read_bytes() == before


def test_a_study_goes_on_where_it_was(tmp_path):
    study = tmp_path / "small.toml"
    study.write_text(
        'name = "Small"\n[[puzzles]]\nfrom = ["dominoes-4x4", "mutilated-chessboard"]\n[[steps]]\nfind = "proof"\nseconds = 20\n'
        '[[steps]]\nfind = "count"\nseconds = 60\n',
        encoding="utf-8",
    )
    share = puzzlesat.run(study, tmp_path / "part.sqlite", jobs=1, share="1/2")
    assert [row.puzzle for row in share.rows] == ["dominoes-4x4"]
    ran = puzzlesat.run(study, jobs=1)
    assert ran.end.complete and ran.store == tmp_path / "small.sqlite"
    table = ran.to_pandas().set_index("puzzle")
    assert table.loc["dominoes-4x4", "all"] == 36
    assert table.loc["mutilated-chessboard", "argument"] == "colouring"
    assert repr(ran).startswith("<Ran small.sqlite: 2 puzzles: 1 solvable")
    assert len(puzzlesat.run(study, jobs=1).rows) == 2


# arrays, graphs, tables ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [SMALL, "dominoes-4x4", "absolut-knifflig", "tetrahexes-flower-1"])
def test_solutions_as_arrays(name):
    solutions = list(puzzlesat.solve(name, limit=40))
    rows, covered = puzzlesat.solutions_array(solutions), puzzlesat.solutions_array(solutions, atoms=True)
    built = solutions[0].built
    assert [tuple(o for o in row if o >= 0) for row in rows.tolist()] == [s.options for s in solutions]
    atoms = built.puzzle.form.numbering.atoms
    for row, solution in zip(covered.tolist(), solutions, strict=True):
        on = {atom: placement.tile for placement in solution.placements for atom in placement.atoms}
        assert row == [on.get(atom, -1) for atom in atoms]


def test_arrays_of_nothing_or_of_several_puzzles_are_refused():
    with pytest.raises(puzzlesat.PuzzleError, match="no solution"):
        puzzlesat.solutions_array([])
    with pytest.raises(puzzlesat.PuzzleError, match="several puzzles"):
        puzzlesat.solutions_array([next(puzzlesat.solve(SMALL)), next(puzzlesat.solve("dominoes-4x4"))])


@pytest.mark.parametrize("name", [SMALL, "dominoes-4x4"])
def test_solutions_are_independent_sets_of_the_conflict_graph(name):
    graph = puzzlesat.conflict_graph(name)
    solutions = {frozenset(s.names) for s in puzzlesat.solve(name)}
    size = len(next(iter(solutions)))
    free = nx.complement(graph)
    assert {frozenset(c) for c in nx.find_cliques(free) if len(c) == size} == solutions


def test_marks_that_may_not_meet_are_edges_too():
    graph = puzzlesat.conflict_graph("absolut-knifflig")
    assert all(not graph.subgraph(s.names).edges for s in puzzlesat.solve("absolut-knifflig"))
    built = next(puzzlesat.solve("absolut-knifflig")).built
    apart = [(a, b) for a, b in graph.edges if not set(_placed(built, graph, a).atoms) & set(_placed(built, graph, b).atoms)]
    assert any(graph.nodes[a]["tile"] != graph.nodes[b]["tile"] for a, b in apart)


def _placed(built, graph, name):
    return built.placements[graph.nodes[name]["number"]]


def test_a_graph_that_is_too_large_is_refused(monkeypatch):
    from puzzlesat.api import arrays

    monkeypatch.setattr(arrays, "MOST_EDGES", 33)
    with pytest.raises(puzzlesat.PuzzleError, match="more than 33 pairs"):
        puzzlesat.conflict_graph(SMALL)


def test_a_report_as_a_table():
    pandas = pytest.importorskip("pandas")
    reports = [puzzlesat.count(name, solvers="backtrack") for name in (SMALL, "dominoes-4x4")]
    table = pandas.concat([report.to_pandas() for report in reports])
    assert table[["instance", "all", "distinct", "agree"]].values.tolist() == [[SMALL, 2, 1, None], ["dominoes-4x4", 36, 9, None]]
    stopped = puzzlesat.count("octogram", seconds=0.001).to_pandas()
    assert stopped.loc[0, "all"] is None and not stopped.loc[0, "complete"]
    assert np.array_equal(stopped.columns, table.columns)


def test_the_package_is_imported_without_libraries():
    program = "import sys, puzzlesat; print(sorted({'numpy', 'pandas', 'networkx', 'numba', 'rich', 'pydantic'} & sys.modules.keys()))"
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout == "[]\n"
