"""``puzzlesat sets``: forms, tables, JSON, resuming, sheets, messages and exit statuses."""

import json
from types import SimpleNamespace

import pytest
from small_puzzles import fill, lines

from puzzlesat.designing import sets as counting
from puzzlesat.solvers.registry import ONE_BY_SAT, solver


def test_the_sets_of_a_form(run):
    ran = run("sets", "pentominoes", "--boxes", "--area", 15, "--within", "3x5", status=0)
    assert "3x5: 7 sets fill it, in 7 ways up to symmetry (28 in all); 7 in exactly one way\n" in ran.stdout
    assert "       1    4  F P U\n" in ran.stdout
    assert "confirmed by listing the solutions" in ran.stdout
    ran = run("sets", "pentominoes", "--boxes", "--area", 15, "--within", "3x5", "--top", 2, "--budget", 0)
    assert "… and 5 more; --top 7 shows all" in ran.stdout
    assert "not confirmed" in ran.stdout


@pytest.mark.full
@pytest.mark.usefixtures("folder")
def test_the_form_of_an_instance(run):
    ran = run("sets", "soma", "--json")
    assert (ran.json[0]["form"], ran.json[0]["all"], ran.json[0]["distinct"]) == ("soma", 11520, 480)
    ran = run("sets", "some-copies.toml", "--copies", "any", "--json")
    assert ran.json[0]["tiles"] == ["D", "I"]
    assert sorted(used for used, _, _ in ran.json[0]["table"]) == [[1, 2], [4, 0]]


@pytest.mark.full
def test_a_second_run_counts_only_what_is_new(run, folder, monkeypatch):
    ran = run("sets", "tetrominoes", "--boxes", "--area", 12, "--copies", "any", "-o", "r.jsonl", "--json", status=0)
    header, *records = lines(folder / "r.jsonl")
    assert header["format"] == "puzzlesat sets"
    assert [record | {"complete": True, "why": None} for record in records] == ran.json
    tried = []
    own = counting.try_sets
    monkeypatch.setattr(counting, "try_sets", lambda kit, form, *rest, **named: tried.append(form.name) or own(kit, form, *rest, **named))
    again = run("sets", "tetrominoes", "--boxes", "--area", "12-13", "--copies", "any", "-o", "r.jsonl", "--json", "--jobs", 1)
    assert tried == ["1x13"]
    assert again.json[: len(records)] == ran.json
    ran = run("sets", "tetrominoes", "--boxes", "--area", 12, "-o", "r.jsonl")
    assert (ran.status, "these are results for other tiles or rules" in " ".join(ran.output.split())) == (2, True)
    ran = run("forms", "tetrominoes", "--boxes", "--area", 12, "--some", "-o", "r.jsonl")
    assert (ran.status, "not a file of results of 'puzzlesat forms'" in " ".join(ran.output.split())) == (2, True)


@pytest.mark.full
def test_time_that_is_up_leaves_the_earlier_sheet(run, folder):
    (folder / "old.html").write_text("old", encoding="utf-8")
    run("sets", "pentominoes", "--boxes", "--area", 30, "--time", 0.000001, "--sheet", "old.html", status=3)
    assert (folder / "old.html").read_text(encoding="utf-8") == "old"


@pytest.mark.full
def test_a_sheet(run, folder):
    ran = run("sets", "pentominoes", "--boxes", "--area", 20, "--sheet", "x.html", "--top", 10, status=0)
    assert "12 pictures: x.html" in ran.stdout
    page = (folder / "x.html").read_text(encoding="utf-8")
    assert page.count("<figure") == page.count("<svg") == 12
    assert page.count('<figure class="once"') == 2
    assert "<b>F L U Y</b> <span>3 ways</span>" in page
    assert "… and 16 more" in page
    assert "<script" not in page


@pytest.mark.full
def test_a_common_form(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ran = run("common", "tetrominoes", "L", "T", "--time", 60, status=0)
    assert ran.stdout.startswith("L and T: a common form of 8 faces; there is none of 4 or fewer (two solvers say so)\n2×L\n")
    found = run("common", "tetrominoes", "L", "T", "--json", "--sheet", "x.html").json[0]
    assert (found["tiles"], found["area"], found["none_to"], len(found["atoms"])) == (["L", "T"], 8, 4, 8)
    assert [len(filling) for filling in found["fillings"]] == [2, 2]
    assert (tmp_path / "x.html").read_text(encoding="utf-8").count("<svg") == 2
    ran = run("common", "tetrominoes", "O", "S", "--most", 12)
    assert (ran.status, ran.stdout) == (0, "O and S: no common form of 12 faces or fewer (two solvers say so)\n")


@pytest.mark.full
def test_a_search_for_common_forms_goes_on_where_it_was(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    first = run("common", "tetrominoes", "O", "T", "--most", 12, "-o", "x.jsonl", "--json").json[0]
    assert (first["area"], first["none_to"], first["confirmed_to"]) == (None, 12, 12)
    more = run("common", "tetrominoes", "O", "T", "--most", 20, "-o", "x.jsonl", "--json", "--time", 60).json[0]
    assert (more["area"], more["none_to"], [len(copies) for copies in more["copies"]]) == (16, 12, [4, 4])
    kept = (tmp_path / "x.jsonl").read_bytes()
    assert len(kept.splitlines()) == 3
    monkeypatch.setattr("puzzlesat.designing.common.solver", None)  # nothing is searched for again
    again = run("common", "tetrominoes", "O", "T", "--most", 20, "-o", "x.jsonl", "--json")
    assert (again.status, again.json[0], (tmp_path / "x.jsonl").read_bytes()) == (0, more, kept)
    for good, bad in ((b'"copies": [[[[', b'"copies": [[[[1'), (b'"area": 16, "none_to": 12', b'"area": 16, "none_to": 8')):
        (tmp_path / "x.jsonl").write_bytes(kept.replace(good, bad))
        damaged = run("common", "tetrominoes", "O", "T", "--most", 20, "-o", "x.jsonl", status=2)
        assert "the results for 'O T' are damaged; remove their line from the file" in " ".join(damaged.output.split())


def test_a_damaged_line_of_sets_is_named(run, refuses, tmp_path, monkeypatch):
    tiles = "tiles.I.atoms = [[1, 1], [2, 1]]\ntiles.O.atoms = [[1, 1]]\n"
    fill(tmp_path, monkeypatch, {"two": f'title = "Two"\ngrid = "square"\nflips = false\n{tiles}form.box = [2, 1]\n'})
    run("sets", "two.toml", "-o", "x.jsonl", status=0)
    first, second = (tmp_path / "x.jsonl").read_text().splitlines()
    record = json.loads(second)
    assert record["table"] == [[[1, 0], 1, 1]]
    for key, value in ("tiles", 1), ("all", 7), ("all", None), ("table", [[]]), ("table", [[[2, 0], 1, 1]]), ("agree", "yes"):
        (tmp_path / "x.jsonl").write_text(f"{first}\n{json.dumps(record | {key: value})}\n")
        refuses("line 2: not a result of 'puzzlesat sets'", "sets", "two.toml", "-o", "x.jsonl")


def finding_none(complete=True):
    return lambda problem: lambda accept, limits: SimpleNamespace(complete=complete)


@pytest.mark.full
def test_one_solver_alone_is_said_to_be_alone(run, monkeypatch):
    found = solver(ONE_BY_SAT)
    monkeypatch.setattr("puzzlesat.designing.common.solver", lambda name: found if name == ONE_BY_SAT else finding_none(complete=False))
    ran = run("common", "tetrominoes", "O", "S", "--most", 12)
    assert ran.stdout == "O and S: no common form of 12 faces or fewer (only one solver says so)\n"
    ran = run("common", "tetrominoes", "--most", 4, "--jobs", 1)
    assert "of 10 pairs only one solver says for some sizes that there is no form: I L, I O" in " ".join(ran.stdout.split())


def test_two_solvers_that_disagree_are_a_contradiction(run, monkeypatch):
    monkeypatch.setattr("puzzlesat.designing.common.solver", lambda name: finding_none() if name == ONE_BY_SAT else solver(name))
    ran = run("common", "tetrominoes", "L", "T", status=1)
    assert f"L T: {ONE_BY_SAT} finds no common form of 8 faces, but cpsat finds one" in " ".join(ran.output.split())
