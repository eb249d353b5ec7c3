"""``puzzlesat report``: the file, the parts that only it has, and exit statuses."""

import json
import re
import signal
from base64 import b64decode
from dataclasses import replace

import numpy as np
import pytest

from helpers import BOTTLE, COLOURS
from puzzlesat.base.limits import Outcome
from puzzlesat.cli import count as command
from puzzlesat.pages import contents
from puzzlesat.solvers import backtrack, sat
from strategies import to_toml
from tiers import every

FAST = ("--solver", "backtrack,sat")


def data_of(path, name="data"):
    return json.loads(re.search(rf'<script type="application/json" id="{name}">(.*?)</script>', path.read_text(encoding="utf-8"), re.S)[1])


def names_of(data):
    """The solutions of a page as names of their placements."""
    numbers = np.frombuffer(b64decode(data["rows"]), dtype=f"<u{data['bytes']}").reshape(data["count"], data["width"])
    return [{data["placements"][p]["name"] for p in row if p < len(data["placements"])} for row in numbers.tolist()]


@every("name", ["dominoes", "optional", "cards", "weights", "limitless", "few"], fast=1)
def test_a_page_has_the_solutions_that_solve_prints(run, folder, name):
    ran = run("report", f"{name}.toml", "-o", "page.html", *FAST, status=0)
    solved = run("solve", f"{name}.toml", "--distinct", "--all", "--json").json
    assert names_of(data_of(folder / "page.html")) == [{p["name"] for p in s["placements"]} for s in solved]
    counted = run("count", f"{name}.toml", *FAST, "--json").json[0]
    said = data_of(folder / "page.html", "report")
    assert said["counts"] == counted["counts"]
    assert said["counts"]["distinct"] == len(solved)
    assert str((folder / "page.html").stat().st_size) in ran.stdout.replace(",", "")


def test_no_solution_by_a_colouring(run, folder):
    (folder / "corners.toml").write_text(COLOURS, encoding="utf-8")
    assert run("report", "corners.toml", "-o", "page.html", *FAST).status == 0
    text = (folder / "page.html").read_text(encoding="utf-8")
    assert "Why there is no solution: colouring" in text
    assert text.count("<svg") > 2
    assert data_of(folder / "page.html")["count"] == 0


def test_no_solution_on_a_form_of_which_there_are_no_proofs(run, folder):
    head = 'title = "T"\ngrid = "square"\nflips = true\n[tiles.Z]\npicture = """\n##.\n.##\n"""\ncopies = 2\n'
    (folder / "torus.toml").write_text(f"{head}[form]\nbox = [8, 1]\nwrap = [{{ move = [8, 0] }}]\n", encoding="utf-8")
    assert run("report", "torus.toml", "-o", "torus.html", *FAST).status == 0
    page = (folder / "torus.html").read_text(encoding="utf-8")
    assert "backtrack searched everything and found none." in page
    assert "No shorter argument was sought, because proofs and certificates do not support forms that wrap around" in page


def test_most(run, folder):
    ran = run("report", "optional.toml", "-o", "page.html", "--most", "1", *FAST, status=0)
    assert "first 1 of 3 distinct solutions" in ran.stdout
    assert data_of(folder / "page.html")["count"] == 1


def test_a_solution_where_the_count_says_none(run, folder, monkeypatch):
    """Proof and count are independent: if they contradict each other, the page must say so."""

    def none(*arguments):
        report = whole(*arguments)
        zero = dict.fromkeys(report.counts.fixed, 0)
        counts = replace(report.counts, all=0, distinct=0, labelled=0, fixed=zero)
        return replace(report, counts=counts, found=0)

    whole = command.count
    monkeypatch.setattr(command, "count", none)
    run("report", "silent.toml", "-o", "page.html", *FAST, status=1)
    text = (folder / "page.html").read_text(encoding="utf-8")
    assert "Contradiction: proof: the count says that there is no solution, and there is one" in text


@pytest.mark.full
def test_a_wrong_figure_and_a_limit_are_said_on_the_page(run, folder, monkeypatch):
    run("report", "wrong.toml", "-o", "page.html", *FAST, status=1)
    assert "Not as expected: all is 3, expected 4." in (folder / "page.html").read_text(encoding="utf-8")
    monkeypatch.setattr(backtrack, "solve", lambda *_, **__: Outcome("backtrack", 0, "limit reached", 0.0, {}))
    run("report", "dominoes.toml", "-o", "page.html", "--solver", "backtrack", status=3)
    assert "stopped at a limit: the number of solutions is not known" in (folder / "page.html").read_text(encoding="utf-8")
    assert data_of(folder / "page.html", "report")["counts"]["all"] is None


def interrupted_at(monkeypatch, owner, name):
    """Make a function receive Ctrl-C when it begins."""
    honest = getattr(owner, name)

    def go(*arguments, **keys):
        signal.raise_signal(signal.SIGINT)
        return honest(*arguments, **keys)

    monkeypatch.setattr(owner, name, go)


def text_of(page):
    """Return the title of a page, its note on what is incomplete, and its first sentence."""
    text = page.read_text(encoding="utf-8")
    found = (re.search(p, text) for p in ("<title>(.*?)</title>", '<p class="alarm" id="incomplete">(.*?)</p>', 'id="sentence">(.*?)</p>'))
    return [match and match[1] for match in found]


def test_interrupted_while_others_check(run, folder, monkeypatch):
    assert run("report", "optional.toml", "-o", "whole.html", "--solver", "backtrack,sat").status == 0
    interrupted_at(monkeypatch, sat.Formula, "solve")
    ran = run("report", "optional.toml", "-o", "page.html", "--solver", "backtrack,sat", status=3)
    title, missing, sentence = text_of(folder / "page.html")
    assert title == "Small (incomplete)"
    assert missing == (
        "This page is incomplete, because making it was interrupted. It has the count; no full check by sat; all 3 distinct solutions."
    )
    assert sentence == "interrupted: 3 solutions up to symmetry; one solver says so; nothing confirmed it"
    whole, page = data_of(folder / "whole.html"), data_of(folder / "page.html")
    assert sorted(map(sorted, names_of(page))) == sorted(map(sorted, names_of(whole)))
    assert page["complete"]
    assert data_of(folder / "page.html", "report")["sentence"] == sentence
    assert sentence in ran.stdout
    assert "puzzlesat: interrupted: page.html is incomplete and says so\n" in ran.output


@every("solvers", ["auto,sat", "backtrack,sat", "tally,sat"], fast=1)
def test_interrupted_while_solutions_are_listed(run, folder, monkeypatch, solvers):
    """It once ended with status 0 and no message."""
    (folder / "page.html").write_text("an earlier page", encoding="utf-8")
    interrupted_at(monkeypatch, contents, "list_distinct")
    ran = run("report", "dominoes.toml", "-o", "page.html", "--solver", solvers, status=3)
    title, missing, sentence = text_of(folder / "page.html")
    assert title == "Small (incomplete)"
    assert missing.startswith("This page is incomplete")
    assert sentence.startswith("2 solutions up to symmetry; confirmed by sat")
    assert "is incomplete and says so; it replaced the earlier page" in ran.output
    assert len(names_of(data_of(folder / "page.html"))) == (0 if solvers == "tally,sat" else 2)


@pytest.mark.full
def test_interrupted_while_counting(run, folder, monkeypatch):
    honest = backtrack.solve

    def interrupted_with_its_first_solutions(problem, on_solutions, limits, **keys):
        def told(rows):
            signal.raise_signal(signal.SIGINT)
            on_solutions(rows)

        return honest(problem, None if on_solutions is None else told, limits, **keys)

    monkeypatch.setattr(backtrack, "solve", interrupted_with_its_first_solutions)
    run("report", "pentominoes-6x10", "-o", "page.html", "--solver", "backtrack,sat", status=3)
    _, missing, sentence = text_of(folder / "page.html")
    listed = len(names_of(data_of(folder / "page.html")))
    assert listed  # found before the interrupt
    assert missing == (
        f"This page is incomplete, because making it was interrupted. It has no count, which was not finished; "
        f"{listed:,} distinct solutions."
    )
    assert sentence == f"interrupted: the number of solutions is not known; at least {listed:,} solutions up to symmetry"
    assert data_of(folder / "page.html", "report")["counts"]["all"] is None


def test_interrupted_while_a_proof_is_looked_for(run, folder, monkeypatch):
    (folder / "corners.toml").write_text(COLOURS, encoding="utf-8")

    def stopped(case, limits, progress):
        signal.raise_signal(signal.SIGINT)
        raise contents.SearchStoppedError("interrupted", 0)

    monkeypatch.setattr(contents, "prove", stopped)
    run("report", "corners.toml", "-o", "page.html", *FAST, status=3)
    assert "incomplete" in text_of(folder / "page.html")[0]


@pytest.mark.full
def test_the_page_the_terminal_and_json_begin_alike(run, folder):
    for name in ("dominoes", "none", "silent", "limitless"):
        ran = run("report", f"{name}.toml", "-o", "page.html", *FAST)
        sentence = text_of(folder / "page.html")[2]
        assert ran.stdout.startswith(f"{sentence}\n")
        assert data_of(folder / "page.html", "report")["sentence"] == sentence
        assert run("count", f"{name}.toml", *FAST, "--json").json[0]["sentence"] == sentence
        assert run("count", f"{name}.toml", *FAST).output.splitlines()[1] == f"  {sentence}"
    assert "2 solutions up to symmetry; confirmed by sat" in run("check", "dominoes.toml", *FAST).output


@pytest.mark.full
def test_a_list_that_another_solver_made_confirms_the_count(run, folder):
    """The page once said at the top that everything was confirmed, and below that nothing was."""
    run("report", "dominoes.toml", "-o", "page.html", "--solver", "tally", status=0)
    text = (folder / "page.html").read_text(encoding="utf-8")
    assert text_of(folder / "page.html")[2].startswith("2 solutions up to symmetry; confirmed by backtrack (same count)")
    assert "Agreement: yes, backtrack counted the same number" in text
    assert run("report", "dominoes.toml", "-o", "page.html", "--solver", "backtrack").status == 0
    text = (folder / "page.html").read_text(encoding="utf-8")
    assert "As expected, but not confirmed: labelled, all, distinct" in text
    assert "Agreement: none" in text
    assert "confirmed</span>" not in text and text.count('<span class="unknown">as expected</span>') == 3


@pytest.mark.full
def test_rules_on_solutions_are_said_at_the_top_once(run, folder):
    """Rules were once named only in the facts on the form, so the count looked like that of all solutions."""
    assert run("report", "dominoes-6x6-fault-free", "-o", "page.html", *FAST).status == 0
    text = (folder / "page.html").read_text(encoding="utf-8")
    assert re.search(r'id="sentence">no solution; .*</p>\n<p class="rule">only solutions without fault lines ', text)
    assert text.partition("<script type")[0].count("only solutions") == 1


@pytest.mark.full
def test_solutions_in_space_are_taken_apart(run, tmp_path):
    assert run("report", "dubois-burr", "-o", str(tmp_path / "burr.html"), "--solver", "backtrack").status == 0
    said = (tmp_path / "burr.html").read_text(encoding="utf-8")
    assert run("report", "dominoes-4x4", "-o", str(tmp_path / "plane.html"), "--solver", "backtrack").status == 0
    assert "Taking apart" not in (tmp_path / "plane.html").read_text(encoding="utf-8")
    assert "2 solutions; 1 comes apart by sliding pieces. Only solution" in said and '<th scope="row">6.4</th>' in said
    taken = data_of(tmp_path / "burr.html", "taken")
    assert [len(a["taking"]["steps"]) for of in taken["levels"] for a in of["assemblies"]] == [13, 0]


@pytest.mark.full
def test_pieces_are_turned_where_it_is_asked(run, tmp_path):
    puzzle, file = tmp_path / "bottle.toml", tmp_path / "page.html"
    puzzle.write_text(to_toml(BOTTLE), encoding="utf-8")
    for asked, said in ((), "0 come apart by sliding pieces."), (("--turns",), "1 comes apart by sliding and turning pieces (bevel 0)."):
        assert run("report", puzzle, "-o", file, "--solver", "backtrack", *asked).status == 0
        page = file.read_text(encoding="utf-8")
        assert f"1 solution; {said}" in page
    assert "bottle.toml -o page.html --turns --bevel 0" in page and '"turn":' in page
