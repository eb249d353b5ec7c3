"""``puzzlesat count``: text, JSON as in docs/json.md, exit statuses, options, and the first output of a terminal."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from real_programs import shown_on
from tiers import every

DOCUMENT = Path(__file__).parents[2] / "docs" / "json.md"
COUNTS = {"labelled", "all", "distinct", "fixed", "fixed_labelled", "labelled_distinct", "labelled_turns", "split", "split_labelled"}
PLACEMENTS = {"all", "after_symmetry", "after_reduction"}
SOLVER = {"solver", "all", "complete", "status", "sampled", "seconds", "after", "work", "refusal", "independent"}


def documented_keys():
    parts = DOCUMENT.read_text(encoding="utf-8").split("\n\n")
    table = next(part for part in parts if part.startswith("| key"))  # the first table; the others belong to other commands
    return set(re.findall(r"^\| `(\w+)`", table, re.M)) | {"published", "source"}


def test_a_complete_count(run, folder):
    found = run("count", folder / "dominoes.toml", "--json", status=0)
    (report,) = found.json
    assert set(report) == documented_keys()
    assert (set(report["counts"]), set(report["placements"])) == (COUNTS, PLACEMENTS)
    assert all(set(row) == SOLVER for row in report["solvers"])
    assert all(set(entry) == {"what", "expected", "got", "verdict", "convention"} for entry in report["expected"])
    assert report["instance"] == "dominoes"
    assert (report["complete"], report["status"], report["found"], report["agree"]) == (True, "complete", 3, True)
    counts = report["counts"]
    assert (counts["labelled"], counts["all"], counts["distinct"]) == (18, 3, 2)
    assert counts["fixed"] == {"identity": 3, "turn 180": 1, "mirror 90": 1, "mirror 0": 3}
    assert report["symmetries"] == list(counts["fixed"])
    assert counts["labelled_distinct"] == 6  # (18 + 0 + 0 + 6) / 4: the upright dominoes keep their places under one mirror
    assert counts["labelled_turns"] == 18 * 4**3
    assert (counts["split"], counts["split_labelled"]) == (None, None)
    assert report["placements"]["all"] == 7
    assert [(s["solver"], s["all"], s["complete"], s["independent"]) for s in report["solvers"]] == [
        ("backtrack", 3, True, False),
        *((name, 3, True, True) for name in ("tally", "certificate", "sat", "cpsat")),
    ]
    assert report["certificate"] == "a certificate of the whole search was checked"
    assert [(e["what"], e["expected"], e["got"], e["verdict"]) for e in report["expected"]] == [
        (what, number, number, "confirmed") for what, number in (("labelled", 18), ("all", 3), ("distinct", 2))
    ]
    assert report["disagreements"] == []


def test_what_is_not_known_is_null(run, folder):
    found = run("count", folder / "limitless.toml", "--limit", "2", "--json", status=3)
    (report,) = found.json
    assert (report["complete"], report["status"], report["found"], report["agree"]) == (False, "limit reached", 4, None)
    assert set(report["counts"].values()) == {None}
    assert report["solvers"][0]["all"] is None
    assert report["published"] is None
    assert report["expected"] == []
    found = run("count", folder / "dominoes.toml", "--limit", "1", "--json", status=3)
    assert {(e["got"], e["verdict"]) for e in found.json[0]["expected"]} == {(None, "not known")}


def test_text_is_the_answer(run, folder):
    found = run("count", folder / "dominoes.toml", status=0)
    title, sentence, counts, verdict, time, *rest = found.output.splitlines()
    assert title == "Small  (dominoes)"
    assert sentence.startswith("  2 solutions up to symmetry; confirmed by a checked certificate of the whole search and by sat, cpsat")
    assert (counts, verdict) == ("  counts      labelled 18; all 3; distinct 2", "  verdict     confirmed: labelled, all, distinct")
    assert re.fullmatch(r"  time        \d+\.\d s; add -v to see what each solver did", time)
    assert rest == [""]


def test_solvers_that_cannot_do_a_puzzle_say_why_in_a_narrow_table(run, folder):
    """This also holds for a pipe, where lines may have 200 columns."""
    found = run("count", "limitless.toml", "--solver", "tally,sat", "--limit", "2")
    table = found.output.split("  solver ")[1].split("  agreement ")[0].splitlines()[1:]
    assert max(map(len, table)) <= 140
    none = run("count", "limitless.toml", "--solver", "tally", "--limit", "2").output
    assert "no solver could count" in none
    assert "refused" in none


@pytest.mark.full
@every("name", ["optional", "some-copies", "remainder", "weights", "fixed", "cards", "cards-border", "silent"], fast=("optional",))
def test_solvers_agree_and_preparations_do_not_matter(run, folder, name):
    """Known from elsewhere: 7 matchings of a ring of four, and 18 tilings of 4 x 4 with 2 or 6 dominoes along the rows."""
    file = folder / f"{name}.toml"
    (plain,) = run("count", file, "--json").json
    assert plain["agree"] is True
    assert plain["counts"]["all"] == {"optional": 7, "remainder": 18}.get(name, plain["counts"]["all"])
    bare = run("count", file, "--json", "--no-symmetry", "--no-parity", "--no-reduction", "--transformed", "--full", status=0)
    (report,) = bare.json
    assert report["counts"] == plain["counts"]
    assert report["broken_on"] is None
    assert report["placements"] == dict.fromkeys(PLACEMENTS, plain["placements"]["all"])
    assert [s["solver"] for s in report["solvers"]] == ["backtrack", "tally", "certificate", "sat", "cpsat", "backtrack"]


@every(
    ("arguments", "status"),
    [
        (["dominoes.toml", "none.toml"], 0),
        (["dominoes.toml", "wrong.toml", "none.toml"], 1),
        (["dominoes.toml", "missing.toml"], 2),
        (["limitless.toml", "dominoes.toml", "--limit", "5"], 3),
        (["limitless.toml", "wrong.toml", "--limit", "5"], 1),
    ],
    fast=2,
)
def test_exit_status(run, folder, arguments, status):
    """A failed check outweighs a stopped count; an invalid file stops everything before the first count."""
    found = run("count", *arguments, "--json")
    assert found.status == status
    named = [name.removesuffix(".toml") for name in arguments if name.endswith(".toml")]
    assert [report["instance"] for report in found.json] == ([] if status == 2 else named)


@pytest.mark.full
def test_a_checking_solver_without_time_says_nothing(run, folder):
    alone = ("--solver", "backtrack,sat,cpsat", "--budget", "0")
    (report,) = run("count", "soma", *alone, "--json").json
    assert (report["complete"], report["agree"]) == (True, None)
    assert report["counts"]["distinct"] == 480
    assert all(s["all"] is None and not s["complete"] for s in report["solvers"][1:])
    assert "none: no independent solver confirmed anything" in run("count", "soma", *alone).output


def test_all_is_known_and_distinct_is_not(run, folder, monkeypatch):
    """The tally was interrupted after the count and before the symmetries; this once ended in a traceback."""
    monkeypatch.setattr("puzzlesat.counting.tallied_counts._fixed", lambda *arguments: None)
    found = run("count", "dominoes.toml", "--solver", "tally", status=0)
    assert "  3 solutions, including images under the symmetries; one solver says so; nothing confirmed it" in found.output
    assert "all 3; distinct not known" in found.output


def test_a_cover_problem_has_a_first_sentence_too(run, tmp_path):
    file = tmp_path / "two.xcc"
    file.write_text("a b\na\nb\na b\n", encoding="utf-8")
    (report,) = run("count", file, "--json").json
    assert report["sentence"] == "2 solutions; confirmed by sat and cpsat (the file was read once)"
    assert report["confirmed"] == "the same solutions"
    assert run("count", file).output.splitlines()[1].strip() == report["sentence"]
    (alone,) = run("count", file, "--solver", "sat", "--json").json
    assert (alone["sentence"], alone["confirmed"]) == ("2 solutions; one solver says so; nothing confirmed it", "nothing")


COUNT = [sys.executable, "-m", "puzzlesat", "count"]


def on_a_terminal(arguments):
    """Return the lines that a terminal of 200 columns shows of a count, without colours; each state of the status line is a line."""
    ours, theirs = os.openpty()
    process = subprocess.Popen([*COUNT, *arguments], stdout=theirs, stderr=theirs, env={**os.environ, "COLUMNS": "200", "TERM": "xterm"})
    os.close(theirs)
    shown = shown_on(ours)
    assert process.wait() == 0
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown.decode().replace("\x1b[2K", "\n"))
    return [line for line in re.split(r"[\r\n]+", plain) if line.strip()]


@pytest.mark.full
@pytest.mark.skipif(sys.platform == "win32", reason="there are no such terminals")
def test_a_terminal_shows_the_number_first_and_each_confirmation_as_it_arrives():
    lines = on_a_terminal(["soma", "--solver", "auto,certificate"])
    first = next(i for i, line in enumerate(lines) if line.startswith("soma: 480 solutions"))
    assert re.fullmatch(r"soma: 480 solutions up to symmetry; found by (backtrack|tally) in \d+\.\d\d s; checking …", lines[first])
    said = [match[1] for line in lines[first:] if (match := re.fullmatch(r" +\d+\.\d\d s  (.*)", line))]
    assert said[-2:] == ["two independent readings of the puzzle agree", "a certificate of the whole search was checked"]
    assert re.fullmatch("(tally|backtrack) counted as many", said[0])
    assert lines.index("The Soma cube  (soma)") > first + 3
