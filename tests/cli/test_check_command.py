"""``puzzlesat check``: a line for each instance with expectations."""

import json

import pytest
from small_puzzles import PUZZLES, fill

from puzzlesat.base.limits import Outcome
from puzzlesat.solvers.tally import solve as tally
from tiers import every


@pytest.fixture
def good(folder):
    """The folder without the instances whose expectation is wrong."""
    (folder / "wrong.toml").unlink()
    return folder


def test_a_folder_with_an_expectation_that_is_wrong(run, folder):
    found = run("check", folder, status=1)
    lines = found.output.splitlines()
    assert [line.split()[:2] for line in lines[:3]] == [["ok", "dominoes"], ["ok", "none"], ["FAILED", "wrong"]]
    assert "labelled 18, all 3, distinct 2" in lines[0]
    assert "[backtrack, tally, certificate, sat, cpsat;" in lines[0]
    assert "all: expected 4, counted 3" in lines[2]


@pytest.mark.full
def test_json_and_models_in_a_folder_that_are_passed_over(run, good):
    (good / "model.toml").write_text('title = "M"\ngrid = "square"\nflips = true\n[tiles.A]\npicture = "#"\n', encoding="utf-8")
    found = run("check", good, "--json", status=0)
    assert [(r["instance"], r["counts"]["all"], r["agree"]) for r in found.json] == [("dominoes", 3, True), ("none", 0, True)]


def test_folders_without_instances_and_with_a_broken_file(refuses, good, tmp_path):
    (tmp_path / "empty").mkdir()
    refuses(f"{tmp_path / 'empty'}: there is no instance file", "check", tmp_path / "empty")
    (good / "a-broken.toml").write_text('model = "soma"\ntitel = "x"\n', encoding="utf-8")
    refuses("a-broken.toml: unknown key 'titel'; did you mean 'title'?", "check", good)


CLAIM = '\n[[expect.refuted]]\nwhat = "{what}"\npublished = {published}\nby = "an almanac"\nevidence = "the solutions can be laid"\n'


def refuting(folder, name, **claim):
    """An instance of the folder that refutes a published count as well."""
    file = folder / f"{name}.toml"
    file.write_text(file.read_text(encoding="utf-8") + CLAIM.format(**claim), encoding="utf-8")
    return file


@pytest.mark.full
def test_a_published_count_that_is_wrong(run, good):
    file = refuting(good, "dominoes", what="distinct", published=4)
    found = run("check", file, status=0)
    assert found.output.startswith("refuted  dominoes")
    words = " ".join(found.output.split())
    assert "REFUTED: distinct 4, published by an almanac; counted 2 by backtrack, tally, certificate, sat, cpsat; " in words
    assert "; the solutions can be laid" in words
    assert "REFUTED: distinct 4, published by an almanac" in run("count", file).output
    (claim,) = run("check", file, "--json").json[0]["refuted"]
    assert (claim["what"], claim["published"], claim["got"], claim["verdict"]) == ("distinct", 4, 2, "refuted")
    assert claim["counted_by"] == ["backtrack", "tally", "certificate", "sat", "cpsat"]


@pytest.mark.full
def test_a_published_count_that_is_right_after_all(run, folder):
    file = refuting(folder, "wrong", what="all", published=3)
    for command in ("check", "count"):
        found = run(command, file, status=1)
        assert "the instance refutes all 3, published by an almanac, but the count bears it out" in " ".join(found.output.split())
    assert run("check", file, "--json").json[0]["refuted"][0]["verdict"] == "confirmed"


@every("what", ["all", "distinct"], fast=("distinct",))
def test_a_count_that_stopped_refutes_as_far_as_it_came(run, tmp_path, monkeypatch, what):
    """A class has at most eight of the 36 solutions, so n found solutions belong to at least n/8 classes."""
    file = refuting(fill(tmp_path, monkeypatch), "limitless", what=what, published=1)
    file.write_text(file.read_text(encoding="utf-8").replace("[[expect", f"[expect]\n{what} = 36\n\n[[expect", 1), encoding="utf-8")
    for limit in (1, 8, 16):
        found = run("count", file, "--limit", limit, "--json", status=3)
        (report,) = found.json
        (claim,) = report["refuted"]
        assert claim["got"] is None
        assert claim["at_least"] == (report["found"] if what == "all" else -(-report["found"] // 8))
        assert claim["verdict"] == ("refuted" if report["found"] > 8 else "not known")  # 1 may be the count up to symmetries


def test_a_printed_solution_refutes_that_there_is_none(run, good, monkeypatch):
    monkeypatch.setattr(tally, "solve", lambda *_, **__: Outcome("tally", 0, "limit reached", 0.0, {}))
    text = (good / "limitless.toml").read_text(encoding="utf-8")
    lying = [f"D.1@{x}.{y}" for y in (1, 2, 3, 4) for x in (1, 3)]
    file = good / "limitless.toml"
    file.write_text(f"{text}\n[expect]\nsolution = {lying}\n{CLAIM.format(what='distinct', published=0)}", encoding="utf-8")
    (report,) = run("count", file, "--solver", "tally", "--json").json
    assert report["found"] == 0
    (claim,) = report["refuted"]
    assert (claim["got"], claim["at_least"], claim["counted_by"], claim["verdict"]) == (None, 1, [], "refuted")
    found = run("check", file, "--solver", "tally")
    assert "REFUTED: distinct 0, published by an almanac; counted at least 1; the solutions can be laid" in " ".join(found.output.split())


@pytest.mark.slow  # two processes are started
def test_several_at_a_time_say_the_same(run, folder):
    one, several = run("check", folder), run("check", folder, "--jobs", 2)
    assert one.status == several.status == 1
    *lines, summary = several.stdout.splitlines()
    assert {_without_time(line) for line in lines} == {_without_time(line) for line in one.stdout.splitlines()}
    assert summary == "3 instances: 2 ok, 1 FAILED"
    for found in (run("check", folder, "--json", "--jobs", 2), run("check", folder, "--json")):
        assert [*found.json[0]][:3] == ["instance", "sentence", "confirmed"]
        assert {(r["instance"], r["counts"]["all"]) for r in found.json} == {("dominoes", 3), ("none", 0), ("wrong", 3)}


@pytest.mark.slow
def test_what_a_store_knows_is_not_checked_again(run, folder, tmp_path, monkeypatch):
    store = tmp_path / "store.sqlite"
    first = run("check", folder, "--store", store)
    assert "known" not in first.output
    again = run("check", folder, "--store", store)
    assert again.status == first.status == 1
    assert "3 instances, 3 of them known" in again.output
    assert sorted(again.stdout.splitlines()) == sorted(first.stdout.splitlines())  # also the seconds of the first run
    wrong = folder / "wrong.toml"
    wrong.write_text(wrong.read_text(encoding="utf-8").replace("all = 4", "all = 3"), encoding="utf-8")
    assert "3 instances, 2 of them known" in run("check", folder, "--store", store, status=0).output
    assert "1 of them known" in run("check", folder / "none.toml", "--store", store).output
    assert "known" not in run("check", folder / "none.toml", "--store", store, "--budget", 5).output
    monkeypatch.setattr("puzzlesat.studies.running.VERSION", "99")
    assert "known" not in run("check", folder / "none.toml", "--store", store, "--time", 0.01).output


def _without_time(line):
    """Return a line without its seconds, and without the proved checker, which only processes of their own may find."""
    said = line.rpartition(";")[0].replace(" (checked by a program proved sound)", "")
    return said.replace("a checked certificate", "a certificate")


@every("options", [(), ("--store", "known.sqlite")], fast=1)
@every(("names", "status", "word"), [(["D.2@1.1", "D.2@2.1", "D.2@3.1"], 0, "ok "), (["D.2@1.1", "D.2@2.1"], 1, "FAILED")])
def test_where_a_solution_is_all_that_is_expected_nothing_is_counted(run, tmp_path, monkeypatch, options, names, status, word):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own.toml").write_text(PUZZLES["silent"] + f"\n[expect]\nsolution = {json.dumps(names)}\n")
    found = run("check", "own.toml", *options)
    assert found.status == status, found.output
    assert found.output.startswith(word)
    assert "nothing was counted" in found.output
