"""``puzzlesat run`` and ``puzzlesat runs``: from a study to its table, resumed, split and merged; a store that was changed is named."""

import json
import random
import re
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing

import pytest
from small_puzzles import fill

from puzzlesat.cli.exit_status import BAD_INPUT, DONE, FAILED, STOPPED_EARLY
from real_programs import killed_at_the_end
from tiers import every

STUDY = """name = "Small"
single = true

[[puzzles]]
from = ["dominoes.toml", "none.toml", "silent.toml", "optional.toml"]

[[steps]]
find = "proof"
seconds = 20

[[steps]]
find = "count"
seconds = 20
"""
NAMES = ["dominoes", "none", "optional", "silent"]


@pytest.fixture
def study(folder):
    (folder / "study.toml").write_text(STUDY, encoding="utf-8")
    return folder


def first_words(ran):
    return sorted(line.split()[0] for line in ran.stdout.splitlines() if line and not line.startswith(("'", "4 puzzles")))


def answers(file):
    with closing(sqlite3.connect(file)) as store:
        return store.execute("SELECT value FROM meta WHERE key = 'answers'").fetchone()[0]


def test_a_study_from_its_file_to_its_tables(run, study):
    ran = run("run", "study.toml", "--jobs", 1, status=DONE)
    assert first_words(ran) == NAMES
    assert re.search(r"^dominoes +solvable +3 solutions, 2 distinct \(counted once\) +\d+\.\d\d s$", ran.stdout, re.M)
    assert re.search(r"^none +impossible +\w+", ran.stdout, re.M)
    assert "4 puzzles: 3 solvable, 3 of them counted; 1 impossible" in ran.stdout
    assert "Small: 4 puzzles; results are kept in study.sqlite" in ran.output

    given = answers("study.sqlite")
    again = run("run", "study.toml", "--jobs", 1)
    assert (again.status, first_words(again)) == (DONE, [])
    assert "Small: 4 puzzles, 4 of them done already" in again.output
    assert answers("study.sqlite") == given

    shown = run("runs", "study.sqlite", status=DONE)
    assert "Small: 4 puzzles: 3 solvable" in shown.stdout
    assert re.search(r"^  left +nothing$", shown.stdout, re.M)
    (said,) = run("runs", "study.sqlite", "--json").json
    assert (said["complete"], said["disagrees"], said["verdicts"]) == (True, False, {"solvable": 3, "impossible": 1})

    files = [f"table{suffix}" for suffix in (".csv", ".jsonl", ".html")]
    exported = run("runs", "study.sqlite", *(word for file in files for word in ("--export", file)), status=DONE)
    assert re.findall(r"4 puzzles written to table\.(\w+), [\d,]+ bytes", exported.stdout) == ["csv", "jsonl", "html"]
    rows = [json.loads(line) for line in (study / "table.jsonl").read_text().splitlines()]
    assert {row["puzzle"]: (row["all"], row["distinct"], row["fate"]) for row in rows} == {
        "dominoes": (3, 2, "as expected, but not confirmed"), "none": (0, 0, "confirmed"),
        "optional": (7, 3, "new"), "silent": (3, 2, "new"),
    }  # fmt: skip
    before = {file: (study / file).read_bytes() for file in files}
    run("runs", "study.sqlite", *(word for file in files for word in ("--export", file)))
    assert {file: (study / file).read_bytes() for file in files} == before


@pytest.mark.full
def test_two_processes_answer_what_no_evidence_shows(run, study):
    (study / "study.toml").write_text(STUDY.replace("single = true\n", ""), encoding="utf-8")
    ran = run("run", "study.toml", "--jobs", 1, status=DONE)
    assert re.search(r"^dominoes +solvable +3 solutions, 2 distinct +\d+\.\d\d s$", ran.stdout, re.M)
    (said,) = run("runs", "study.sqlite", "--json").json
    assert (said["single"], said["once"], said["states"]) == (False, 0, {"open": 0, "settled": 7, "split": 0, "set aside": 0})
    checked = run("runs", "--check", "study.sqlite", status=DONE)
    assert "study.sqlite: sound" in checked.stdout
    again = run("run", "study.toml", "--single", "--store", "single.sqlite", "--jobs", 1, status=DONE)
    assert "(counted once)" in again.stdout


@pytest.mark.full
def test_an_expected_count_that_differs(run, study):
    (study / "study.toml").write_text(STUDY.replace("none.toml", "wrong.toml"), encoding="utf-8")
    assert "all: expected 4, counted 3" in run("run", "study.toml", "--jobs", 1, status=FAILED).stdout
    assert "not as expected: wrong" in run("runs", "study.sqlite", status=FAILED).stdout


@pytest.mark.full
def test_what_is_not_counted_in_the_time_there_is(run, study):
    """A solution is known, but the study asks for the count."""
    text = STUDY.replace('"none.toml"', '"bedlam"').replace("seconds = 20", "seconds = 1").replace('"proof"', '"solution"')
    (study / "study.toml").write_text(text, encoding="utf-8")
    assert "4 puzzles: 4 solvable, 3 of them counted" in run("run", "study.toml", "--jobs", 1, status=STOPPED_EARLY).stdout


@pytest.mark.full
def test_shares_put_together_are_the_whole(run, study):
    for number in (1, 2):
        ran = run("run", "study.toml", "--jobs", 1, "--share", f"{number}/2", "--store", f"{number}.sqlite", status=DONE)
        assert "Small: 2 puzzles; results" in ran.output
    merged = run("runs", "--merge", "1.sqlite", "2.sqlite", "-o", "study.sqlite", status=DONE)
    assert re.match(r"4 puzzles, \d+ units and \d+ answers written to study\.sqlite, [\d,]+ bytes\n", merged.stdout)
    again = run("run", "study.toml", "--jobs", 1)
    assert (again.status, first_words(again)) == (DONE, [])
    (said,) = run("runs", "--merge", "1.sqlite", "study.sqlite", "-o", "third.sqlite", "--json").json
    assert (said["store"], said["puzzles"], said["compared"], said["unlike"]) == ("third.sqlite", 4, 0, 0)
    refused = run("runs", "--merge", "1.sqlite", "2.sqlite", "-o", "study.sqlite")
    assert (refused.status, "study.sqlite: this file exists already" in refused.output) == (BAD_INPUT, True)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="signals are others there")
def test_ctrl_c_and_then_again(run, study):
    text = STUDY.replace('"optional.toml"', '"optional.toml", "bedlam"').replace("seconds = 20", "seconds = inf")
    (study / "study.toml").write_text(text, encoding="utf-8")
    command = [sys.executable, "-m", "puzzlesat", "run", "study.toml", "--jobs", "2"]
    with killed_at_the_end(subprocess.Popen(command, cwd=study, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)) as program:
        first = program.stdout.readline()
        time.sleep(1)
        program.send_signal(signal.SIGINT)
        began = time.monotonic()
        output, errors = program.communicate(timeout=60)
    assert program.returncode == STOPPED_EARLY, errors
    assert first.split()[0] in NAMES
    assert time.monotonic() - began < 20
    assert "Traceback" not in errors
    assert re.search(r"^puzzlesat: \d units? left: run it again to resume$", errors, re.M)
    assert "5 puzzles" in output
    assert run("runs", "study.sqlite", "--json", status=STOPPED_EARLY).json[0]["states"]["open"] >= 1
    finished = {line.split()[0] for line in [first, *output.splitlines()]} & {*NAMES}
    with killed_at_the_end(subprocess.Popen(command, cwd=study, text=True, stderr=subprocess.PIPE)) as program:
        assert f"5 puzzles, {len(finished)} of them done already" in program.stderr.readline()
        program.send_signal(signal.SIGINT)
        assert program.wait(timeout=60) == STOPPED_EARLY


@pytest.mark.slow
def test_what_was_set_aside_is_told_when_it_is_done(run, folder):
    """The first run reported it as set aside; the second reports the count."""
    study = 'name = "S"\n[[puzzles]]\nfrom = "pentominoes-3x20"\n[[steps]]\nfind = "solution"\n[[steps]]\nfind = "count"\n'
    (folder / "s.toml").write_text(f"{study}memory = 0.0001\n", encoding="utf-8")
    ran = run("run", "s.toml", "--jobs", "1", status=3)
    assert "1 unit set aside" in ran.output
    assert next(line.split()[:2] for line in ran.stdout.splitlines()) == ["pentominoes-3x20", "solvable"]
    assert "counted" not in ran.stdout
    (folder / "s.toml").write_text(study, encoding="utf-8")
    ran = run("run", "s.toml", "--jobs", "1", status=0)
    assert "done already" not in ran.output
    assert "8 solutions, 2 distinct" in ran.stdout.splitlines()[0]
    assert run("runs", "s.sqlite").status == 0
    assert "1 of them done already" in run("run", "s.toml", "--jobs", "1").output


TWICE = STUDY.replace("single = true\n", "").replace("seconds = 20", "seconds = 200")
FLIPS = 200


@pytest.fixture(scope="module")
def kept():
    """The bytes of the finished store, and its table."""
    return {}


@pytest.fixture
def store(run, folder, kept):
    """A store whose units are done: two shown by certificates, two found by three processes."""
    path = folder / "s.sqlite"
    if not kept:
        (folder / "s.toml").write_text(TWICE, encoding="utf-8")
        ran = run("run", "s.toml", "--jobs", 1, status=DONE)
        kept["bytes"] = path.read_bytes()
        ran, kept["rows"] = looked_at(run, path)
        assert (ran.status, len(kept["rows"])) == (DONE, 4)
        assert {row["agree"] for row in kept["rows"].values()} == {True}
    path.write_bytes(kept["bytes"])
    return path


def looked_at(run, path):
    """Return the run of ``runs`` on a store, and the rows of its table by puzzle; no rows if it wrote none."""
    (table := path.with_name("t.jsonl")).unlink(missing_ok=True)
    ran = run("runs", path, "--export", table)
    lines = table.read_text(encoding="utf-8").splitlines() if table.exists() else ()
    return ran, {row["puzzle"]: row for row in map(json.loads, lines)}


COUNTED = """(SELECT id FROM units WHERE question LIKE '%"count"%' ORDER BY id LIMIT 1)"""
SHOWN = """(SELECT id FROM units WHERE answers LIKE '%"shows":true%' ORDER BY id LIMIT 1)"""
CHANGES = {
    "a figure": f"UPDATE units SET answers = json_set(answers, '$[0].answer.claim.counts.all', 4) WHERE id = {COUNTED}",
    "a result": f"UPDATE units SET result = json_set(result, '$.claim.counts.all', 4) WHERE id = {COUNTED}",
    "what evidence shows": f"UPDATE units SET answers = json_set(answers, '$[0].evidence.shows', json('false')) WHERE id = {SHOWN}",
    "that there was evidence": f"UPDATE units SET answers = json_remove(answers, '$[0].evidence') WHERE id = {SHOWN}",
    "which certificate it is": f"UPDATE units SET answers = json_set(answers, '$[0].answer.certificate', 'AAAA') WHERE id = {SHOWN}",
    "an answer less": f"UPDATE units SET answers = json_remove(answers, '$[0]') WHERE id = {COUNTED}",
    "a unit less": f"DELETE FROM units WHERE id = {COUNTED}",
    "an answer more": f"UPDATE units SET answers = json_insert(answers, '$[#]', json_extract(answers, '$[0]')) WHERE id = {COUNTED}",
    "the head of the chain": "UPDATE meta SET value = 'x' || substr(value, 2) WHERE key = 'chain'",
    "the study": "UPDATE meta SET value = replace(value, substr(value, 1, 1), 'x') WHERE key = 'digest'",
    "the puzzle": """UPDATE puzzles SET said = replace(said, '[3, 2]', '[2, 3]')""",
    "its name": "UPDATE puzzles SET name = 'nominoes' WHERE id = 1",
}


@pytest.mark.full  # the study is run by processes of its own
@pytest.mark.usefixtures("store")
@every("change", CHANGES)
def test_what_was_changed_is_named_and_not_believed(run, kept, tmp_path, monkeypatch, change):
    """Each case has a folder of its own, for the store of another case may still be open."""
    store = fill(tmp_path, monkeypatch) / "s.sqlite"
    store.write_bytes(before := kept["bytes"])
    with closing(sqlite3.connect(store)) as connection:
        connection.executescript(CHANGES[change])
        connection.commit()
    assert store.read_bytes() != before
    ran, rows = looked_at(run, store)
    assert (ran.status, ran.exception) == (FAILED, None), ran.output
    assert "CHANGED OR DAMAGED" in run("runs", store, status=FAILED).output
    changed = {name for name, row in rows.items() if row != kept["rows"].get(name)}
    assert all(rows[name]["verdict"] == "disputed" for name in changed), changed
    assert "changed or damaged" in run("runs", "--merge", store, store, "-o", "m.sqlite", status=BAD_INPUT).output
    store.with_name("s.toml").write_text(TWICE, encoding="utf-8")
    again = run("run", "s.toml", "--jobs", 1)
    assert again.exception is None
    if change == "the puzzle":  # the study says what it is
        assert (again.status, looked_at(run, store)[1]) == (DONE, kept["rows"])
    else:
        assert again.status != DONE


SAID = ("published", "expected", "fate", "refuted")
"""Keys of published figures: they are no results, and may change with the study."""


def found_out(rows):
    """Return the rows without published figures."""
    return {name: {key: value for key, value in row.items() if key not in SAID} for name, row in rows.items()}


@pytest.mark.slow
def test_bits_that_flip_never_make_another_table_without_a_word(run, store, kept):
    """Flip one bit of the store: ``runs`` refuses the file, writes the same table, or reports the damage."""
    whole, chance = kept["bytes"], random.Random(27)
    named = same = 0
    for _ in range(FLIPS):
        data = bytearray(whole)
        at, bit = chance.randrange(len(data)), 1 << chance.randrange(8)
        data[at] ^= bit
        for beside in store.parent.glob("s.sqlite-*"):
            beside.unlink()
        store.write_bytes(data)
        ran, rows = looked_at(run, store)
        assert ran.exception is None, (at, bit, ran.exception)
        if ran.status == DONE or (rows and found_out(rows) == found_out(kept["rows"])):
            assert found_out(rows) == found_out(kept["rows"]), (at, bit)
            same += 1
        else:
            assert ran.status in (FAILED, BAD_INPUT), (at, bit, ran.output)
            assert "sqlite" in ran.output or "CHANGED OR DAMAGED" in run("runs", store).output, (at, bit, ran.output)
            named += 1
    assert min(named, same) > FLIPS // 20, (named, same)
