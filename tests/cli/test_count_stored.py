"""``puzzlesat count --store``: a puzzle is counted in units that a file stores; after any interruption the same command resumes."""

import json
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing

import pytest

from puzzlesat.studies.store import open_to_read
from tiers import every

pytestmark = pytest.mark.full  # worker processes count units
KEYS_OF_A_STORE = {"file", "units", "share", "single", "cpu_seconds_left", "cpu_seconds_left_between"}


def stored(run, *arguments, jobs=1):
    return run("count", *arguments, "--jobs", str(jobs))


def answers(path):
    with open_to_read(path) as store:
        return [unit.answers for unit in store.units()]


def test_a_puzzle_is_counted_and_the_second_time_its_counts_are_there_at_once(run, folder, tmp_path):
    store = tmp_path / "a.sqlite"
    first = stored(run, folder / "dominoes.toml", "--store", store, "-v")
    assert first.status == 0, first.output
    assert "labelled 18; all 3; distinct 2" in first.output
    assert re.search(r"^  time        \d+\.\d s of CPU time$", first.output, re.M)
    assert re.search(r"in (\d) units", first.output)[1] == re.search(r"(\d) units of (\d) units again", first.output)[1]
    assert "verdict     confirmed: labelled, all, distinct" in first.output
    before = answers(store)
    again = stored(run, folder / "dominoes.toml", "--store", store, "-v")
    assert again.output == first.output
    plain = json.loads(run("count", folder / "dominoes.toml", "--json").stdout)
    found = json.loads(stored(run, folder / "dominoes.toml", "--store", store, "--json").stdout)
    assert found.keys() == {*plain, "store"}
    assert found["store"].keys() == KEYS_OF_A_STORE
    for key in ("all", "distinct", "labelled", "fixed", "labelled_turns"):
        assert found["counts"][key] == plain["counts"][key]
    assert found["expected"] == plain["expected"]
    assert (found["agree"], found["complete"]) == (True, True)
    assert answers(store) == before


RULED = [("--no-crossroads",), ("--fault-free",), ("--symmetric", "turn 180"), ("--forbid", "D.2@2.1"), ("--one-of", "D.2@1.1,D.2@3.1"),
         ("--touch-border", "all"), ("--colours", "2"), ("--colours", "3", "--strictly")]  # fmt: skip


@pytest.mark.slow
@every("words", RULED)
def test_rules_on_solutions_are_counted_in_units_and_belong_to_the_puzzle(run, folder, tmp_path, words):
    """A rule gives the same count in the file and as an option. It belongs to the store: without the rule the store is refused."""
    store, file = tmp_path / "a.sqlite", folder / "dominoes.toml"
    plain = json.loads(run("count", file, *words, "--json").stdout)
    found = stored(run, file, "--store", store, *words, "--json")
    assert found.status == 0, found.output
    counts = json.loads(found.stdout)["counts"]
    for key in ("all", "distinct", "labelled"):
        assert counts[key] == plain["counts"][key]
    assert json.loads(found.stdout)["expected"] == plain["expected"]
    assert stored(run, file, "--store", store, *words, "--json").stdout == found.stdout
    other = stored(run, file, "--store", store)
    assert other.status == 2
    assert answers(store)


@every("name", ["limitless", "optional", "remainder", "weights", "few-cards", "cards-border"])
def test_puzzles_of_other_rules(run, folder, tmp_path, name):
    plain = json.loads(run("count", folder / f"{name}.toml", "--json").stdout)["counts"]
    found = json.loads(stored(run, folder / f"{name}.toml", "--store", tmp_path / "a.sqlite", "--json").stdout)["counts"]
    for key in ("all", "distinct", "fixed"):
        assert found[key] == plain[key]
    assert list(found["fixed"]) == list(plain["fixed"])
    assert found["labelled"] in (plain["labelled"], None)


def test_figures_that_are_expected_may_change_and_the_puzzle_may_not(run, folder, tmp_path):
    store = tmp_path / "a.sqlite"
    puzzle = tmp_path / "mine.toml"
    shutil.copy(folder / "wrong.toml", puzzle)
    result = stored(run, puzzle, "--store", store)
    assert result.status == 1
    assert "FAILED: all: expected 4, counted 3" in result.output
    before = answers(store)
    puzzle.write_text(puzzle.read_text().replace("all = 4", "all = 3").replace('"Small"', '"Another"'))
    assert stored(run, puzzle, "--store", store).status == 0
    assert answers(store) == before
    puzzle.write_text(puzzle.read_text().replace("[3, 2]", "[2, 3]"))
    written = store.read_bytes()
    result = stored(run, puzzle, "--store", store)
    assert result.status == 2
    assert re.search(r"a\.sqlite: this holds answers to another study, 'mine'.*choose another file", " ".join(result.output.split()))
    assert store.read_bytes() == written


def test_a_changed_number_in_a_store_is_seen(run, folder, tmp_path):
    store = tmp_path / "a.sqlite"
    stored(run, folder / "dominoes.toml", "--store", store)
    with closing(sqlite3.connect(store)) as connection, connection:
        connection.execute("UPDATE units SET result = json_set(result, '$.claim.found', 5)")
    result = stored(run, folder / "dominoes.toml", "--store", store)
    assert "do not support its result" in result.output
    assert result.status == 1, result.output
    assert "do not trust these counts" in result.output
    assert run("runs", store, status=1).output.count("CHANGED OR DAMAGED")


def test_another_family_of_solvers_confirms_a_stored_count(run, tmp_path):
    found = json.loads(stored(run, "pentominoes-6x10", "--store", tmp_path / "a.sqlite", "--json").stdout)
    first, second = found["solvers"]
    assert (first["solver"], second["solver"], second["all"], second["independent"]) == ("backtrack", "tally", 9356, True)
    assert found["agree"] is True


def test_single_answers_say_so(run, folder, tmp_path):
    found = json.loads(stored(run, folder / "dominoes.toml", "--store", tmp_path / "a.sqlite", "--single", "--json").stdout)
    assert (found["complete"], found["agree"], found["store"]["single"]) == (True, None, True)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="signals are others there")
@pytest.mark.parametrize(
    ("by", "puzzle", "all_", "distinct"),
    [
        (signal.SIGINT, ["bedlam"], 460464, 19186),
        (signal.SIGKILL, ["bedlam"], 460464, 19186),
        (signal.SIGKILL, ["pentominoes-6x10", "--colours", "3"], 4088, 1022),
    ],
)
def test_whatever_ends_it_the_same_command_goes_on_to_the_same_count(tmp_path, by, puzzle, all_, distinct):
    store = tmp_path / "a.sqlite"
    command = [sys.executable, "-m", "puzzlesat", "count", *puzzle, "--store", str(store), "--jobs", "1", "--json"]
    for ended in range(20):
        program = subprocess.Popen(command, cwd=tmp_path, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        try:
            output, _ = program.communicate(timeout=3 * 1.5**ended)
        except subprocess.TimeoutExpired:
            program.send_signal(by)
            output, errors = program.communicate(timeout=60)
            assert program.returncode == (-9 if by == signal.SIGKILL else 3), errors
            if by != signal.SIGKILL and output:  # no output if it ended before the command began
                assert json.loads(output)["complete"] is False
                assert json.loads(output)["found"] <= all_
        else:
            break
        finally:
            program.kill()
    found = json.loads(output)
    assert found["counts"]["all"] == all_
    assert found["counts"]["distinct"] == distinct
    assert found["complete"]
