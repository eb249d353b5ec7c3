"""``puzzlesat forms``: sources of forms, results, resuming, messages and exit statuses."""

import json
import re
import zlib
from base64 import b64decode
from collections import Counter
from functools import partial

import pytest
from small_puzzles import fill, lines

import deadly_forms
from puzzlesat.designing import trial
from tiers import every

TOWER = "--- tower\n.##.\n.##.\n####\n####\n####\n####\n--- frame\n#######\n##.####\n#######\n"


@pytest.fixture
def forms(folder):
    """A folder with two forms for the tetrominoes."""
    (folder / "forms").mkdir()
    (folder / "forms" / "two.txt").write_text(TOWER, encoding="utf-8")
    return folder / "forms"


def test_verdicts_arguments_and_pictures(run, forms):
    ran = run("forms", "tetrominoes", "forms", status=0)
    said = [row.split() for row in ran.stdout.splitlines() if row.startswith(("tower", "frame"))]
    assert [row[:3] for row in said] == [["tower", "impossible", "colouring"], ["frame", "solvable", said[1][2]]]
    assert "0  10 atoms    1  10 atoms" in ran.stdout  # the colouring
    assert "2 forms: 1 solvable; 1 impossible (1 colouring)" in ran.stdout
    assert "    " not in run("forms", "tetrominoes", "forms", "--no-pictures").stdout.splitlines()[0][:4]


@pytest.mark.full
def test_a_second_run_tries_only_what_is_new(run, forms, monkeypatch):
    assert run("forms", "tetrominoes", "forms", "-o", "r.jsonl").status == 0
    (forms / "z.txt").write_text("####\n####\n####\n####\n####\n", encoding="utf-8")
    tried = []
    own = trial.try_form
    monkeypatch.setattr("puzzlesat.designing.trial.try_form", lambda puzzle, *rest: (tried.append(puzzle.name), own(puzzle, *rest))[1])
    ran = run("forms", "tetrominoes", "forms", "-o", "r.jsonl", status=0)
    assert tried == ["z"]
    assert "3 forms, 2 of them known from r.jsonl" in ran.output
    assert "3 forms: 1 solvable; 2 impossible" in ran.stdout
    assert len(lines(forms.parent / "r.jsonl")) == 4
    other = run("forms", "pentominoes", "forms", "-o", "r.jsonl", status=2)
    assert "results for other tiles or rules (The five tetrominoes) than The twelve pentominoes has now" in other.output
    tried.clear()
    counted = run("forms", "tetrominoes", "forms", "-o", "r.jsonl", "--count", status=0)
    number = lines(forms.parent / "r.jsonl")[-1]["distinct"]
    once = "1 form" if number == 1 else "0 forms"
    assert f"distinct solutions of the forms counted: {number:,}; {once} with exactly one\n" in counted.output
    assert tried == ["frame"]
    (forms / "two.txt").write_text(TOWER.replace("##.####", "###.###"), encoding="utf-8")
    tried.clear()
    assert run("forms", "tetrominoes", "forms", "-o", "r.jsonl").status == 0
    assert tried == ["frame"]


@pytest.mark.full
def test_undecided_forms_are_not_done(run, forms, monkeypatch):
    def stops(*_, **__):
        raise trial.proofs.SearchStoppedError("limit reached", 0)

    monkeypatch.setattr(trial, "first_solution", lambda built, limits: (False, None))
    monkeypatch.setattr("puzzlesat.proofs.prove", stops)
    assert "2 not decided" in run("forms", "tetrominoes", "forms", "--time", "2", status=3).stdout


@pytest.mark.full
def test_proofs_are_accepted(run, forms):
    run("forms", "tetrominoes", "forms", "--boxes", "--proofs", "proofs", "-o", "r.jsonl", status=0)
    proofs = sorted(p.name for p in (forms.parent / "proofs").iterdir())
    assert proofs == ["1x20.proof", "2x10.proof", "4x5.proof", "tower.proof"]
    assert run("verify", *(f"proofs/{p}" for p in proofs)).status == 0
    (forms.parent / "proofs" / "4x5.proof").unlink()
    assert run("forms", "tetrominoes", "forms", "--boxes", "--proofs", "proofs", "-o", "r.jsonl").status == 0
    assert (forms.parent / "proofs" / "4x5.proof").is_file()


@pytest.mark.full
def test_replicas_and_cuts(run, folder):
    """The five tetrominoes enlarged twice; a square with four cells removed."""
    ran = run("forms", "tetrominoes", "--replicas", 2, "--json", "--count")
    assert [r["without"] for r in ran.json] == ["I", "L", "O", "S", "T"]
    ran = run("forms", "dominoes.toml", "--cut", "4x4", "--symmetry", "full", "--area", 12, "--some", "--json")
    assert len(ran.json) == 2  # without its corners, and without its middle
    assert {r["verdict"] for r in ran.json} == {"impossible"}  # three dominoes are too few


@pytest.mark.slow
def test_convex_forms_of_the_tangram(run, folder):
    ran = run("forms", "tangram", "--convex", "--count", "--json", "--time", 60)
    assert sum(r["verdict"] == "solvable" for r in ran.json) == 13
    assert len(ran.json) == 26


@pytest.mark.slow
def test_pentominoes_in_squares_and_larger_pentominoes(run, folder):
    ran = run("forms", "pentominoes", "--cut", "8x8", "--symmetry", "full", "--count", "--json", "--time", 60)
    assert sorted(r["distinct"] for r in ran.json) == [21, 65, 188, 2170]
    ran = run("forms", "pentominoes", "--replicas", 3, "--count", "--json", "--time", 60)
    assert [r["distinct"] for r in ran.json] == [125, 19, 113, 68, 497, 106, 48, 63, 91, 15, 86, 131]


@pytest.mark.full
def test_one_bad_form_does_not_end_the_others(run, forms):
    (forms / "bad.toml").write_text('title = "B"\nmodel = "tetrominoes"\n[form]\nbox = [5, 4]\nfixed = ["Q.1@1.1"]\n', encoding="utf-8")
    ran = run("forms", "tetrominoes", "forms", status=2)
    assert "bad    refused" in ran.stdout
    assert "1 solvable; 1 impossible (1 colouring); 1 refused" in ran.stdout


@pytest.mark.slow
def test_the_command_goes_on_and_tries_again_the_next_time(run, folder, monkeypatch):
    command = ("forms", "tetrominoes", "--boxes", "--frames", "--jobs", 2, "--pictures", "-o", "r.jsonl")
    with monkeypatch.context() as dying:
        dying.setattr("puzzlesat.cli.forms.finding_text", partial(deadly_forms.draw, "3x7-1x1@3.2", None))
        ran = run(*command)
    assert ran.status == 2
    assert ran.exception is None
    assert "3x7-1x1@3.2 refused it ended the process that worked on it 3 times, perhaps for lack of memory" in " ".join(ran.stdout.split())
    assert "16 forms: 0 solvable; 15 impossible (13 nothing fits, 2 colouring); 1 refused" in ran.stdout
    assert "16 forms, 15 of them known from r.jsonl" in run(*command, status=0).output
    verdicts = [json.loads(line)["verdict"] for line in (folder / "r.jsonl").read_text(encoding="utf-8").splitlines()[1:]]
    assert Counter(verdicts) == {"impossible": 15, "refused": 1, "solvable": 1}


def rows_in(page, name="rows"):
    (data,) = re.findall(rf'<script type="application/json" id="{name}">(.*?)</script>', page.read_text(encoding="utf-8"), re.S)
    return json.loads(data)


def packed_in(page, name="packed"):
    return [json.loads(zlib.decompress(b64decode(text), wbits=-15)) if text else None for text in rows_in(page, name)]


@pytest.mark.full
def test_a_sheet_of_pictures(run, forms):
    folder = forms.parent
    ran = run("forms", "tetrominoes", "forms", "--boxes", "--count", "-o", "r.jsonl", "-o", "sheet.html", "--no-pictures", status=0)
    assert "sheet: sheet.html, " in ran.output
    rows, opened = rows_in(folder / "sheet.html"), packed_in(folder / "sheet.html")
    records = lines(folder / "r.jsonl")[1:]
    assert [row["name"] for row in rows] == [r["form"] for r in records] == ["tower", "frame", "1x20", "2x10", "4x5"]
    assert [row["distinct"] for row in rows] == [None if r["distinct"] is None else str(r["distinct"]) for r in records]
    frame, puzzle = rows[1], opened[1]
    assert frame["stars"] in range(1, 6)
    assert [row["stars"] for row in rows if row["verdict"] == "impossible"] == [None] * 4
    assert (frame["symmetry"], rows[4]["symmetry"]) == (2, 4)
    assert puzzle["solution"].count("<title>") == 5
    (folder / "frame.toml").write_text(puzzle["puzzle"], encoding="utf-8")
    assert run("count", "frame.toml", "--json").json[0]["counts"]["all"] == records[1]["all"]
    again = run("forms", "tetrominoes", "forms", "--boxes", "--count", "-o", "r.jsonl", "-o", "sheet.html", "--no-pictures")
    assert "5 of them known" in again.output
    assert rows_in(folder / "sheet.html") == rows


@pytest.mark.full
@every(
    ("tiles", "options"),
    [
        ("own.toml", ["--boxes", "--some", "--area", "6"]),  # a model whose tiles may stay unused
        ("own.toml", ["--replicas", "2"]),
        ("domino-and-square-3x2", ["--boxes"]),  # an instance that defines its own tiles
        ("made.toml", ["--boxes"]),
        ("made.toml", ["--boxes", "--some", "--area", "8"]),
    ],
)
def test_a_puzzle_of_the_sheet_needs_no_other_file(run, tmp_path, monkeypatch, tiles, options):
    tiles_of_own = 'tiles.I = { picture = "##", copies = 4 }\ntiles.L.picture = "##\\n#."\n'
    own = f'title = "Own"\ngrid = "square"\nflips = true\n{tiles_of_own}'
    folder = fill(tmp_path, monkeypatch, {"own": own, "made": 'title = "Made"\ngrid = "square"\nflips = true\n[[generate]]\nfree = 4\n'})
    assert run("forms", tiles, *options, "--count", "-o", "sheet.html", "-o", "r.jsonl").status == 0
    (folder / "else").mkdir()
    records = lines(folder / "r.jsonl")[1:]
    assert records
    for record, row, opened in zip(records, rows_in(folder / "sheet.html"), packed_in(folder / "sheet.html"), strict=True):
        assert row["beside"] == []
        (folder / "else" / "alone.toml").write_text(opened["puzzle"], "utf-8")
        counted = run("count", "else/alone.toml", "--json").json[0]["counts"]
        assert counted["all"] == (record["all"] or 0)


@pytest.mark.full
def test_a_board_has_all_solutions_where_they_are_few(run, folder):
    """It once had only one solution, and reported every other start as a dead end."""
    assert run("forms", "pentominoes", "--boxes", "--area", "15", "--some", "--count", "-o", "sheet.html").status == 0
    rows, boards = rows_in(folder / "sheet.html"), packed_in(folder / "sheet.html", "boards")
    assert [int(row["all"] or 0) for row in rows] == [0 if board is None else len(board["rows"]) for board in boards]
    assert max(int(row["distinct"] or 0) for row in rows) > 1 and all(board["complete"] for board in boards if board)
