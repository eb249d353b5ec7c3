"""All functions of the library: every answer has complete, why, seconds and sentence, cut short or not; solve raises if cut short."""

import inspect
import json
from collections.abc import Sequence
from itertools import count as numbers
from time import monotonic

import pytest
from typer.testing import CliRunner

import puzzlesat
from puzzlesat.base.processes import cpu_seconds
from puzzlesat.cli.main import app
from tiers import every

BIG, SMALL = "octogram", "domino-and-square-3x2"
WITHOUT_LIMITS = {"load", "cover", "draw", "site", "solutions_array", "conflict_graph"}
"""Functions in which there is nothing to cut short."""
FUNCTIONS = sorted(name for name in puzzlesat.__all__ if name.islower())


def certificate(folder, name=SMALL):
    file = folder / f"{name}.proof"
    if not file.exists():
        assert puzzlesat.certify(name, file).complete
    return file


WITH_SOLUTIONS = {"count": 1, "prove": 1, "apart": 2}
"""The answers that have solutions, and how many they have for the small puzzle, or for the burr."""


ASKED = {
    "count": lambda name, folder, **limits: puzzlesat.count(name, solver="backtrack", **limits),
    "solve": lambda name, folder, **limits: list(puzzlesat.solve(name, **limits)),
    "hint": lambda name, folder, **limits: puzzlesat.hint(name, **limits),
    "challenge": lambda name, folder, **limits: puzzlesat.challenge(name, 1, seed=1, **limits),
    "prove": lambda name, folder, **limits: puzzlesat.prove(name, **limits),
    "certify": lambda name, folder, **limits: puzzlesat.certify(name, folder / "new.proof", **limits),
    "verify": lambda name, folder, **limits: puzzlesat.verify(certificate(folder), **limits),
    "apart": lambda name, folder, **limits: puzzlesat.apart("dubois-burr", jobs=1, **limits),
    "design": lambda name, folder, **limits: puzzlesat.design("notchable-solid-six-piece-burrs", **limits),
    "sets": lambda name, folder, **limits: puzzlesat.sets("tetrominoes", boxes=True, area="8", jobs=1, **limits),
    "common": lambda name, folder, **limits: puzzlesat.common("tetrominoes", ["I", "L"], most=8, jobs=1, **limits),
    "forms": lambda name, folder, **limits: puzzlesat.forms("tetrominoes", boxes=True, area="8", some=True, count=True, jobs=1, **limits),
    "compile": lambda name, folder, **limits: puzzlesat.compile(name, **limits),
    "convert": lambda name, folder, **limits: puzzlesat.convert(name, format="jsonl", **limits),
    "validate": lambda name, folder, **limits: puzzlesat.validate(puzzlesat.load(name).path, **limits),
    "run": lambda name, folder, seconds=100, memory=None: puzzlesat.run(
        {"name": "S", "puzzles": [{"from": [name]}], "steps": [{"find": "count", "seconds": seconds}]}, folder / "s.sqlite", jobs=1
    ),
}


QUICK = ("compile", "count", "validate")


@pytest.mark.full
def test_every_function_with_limits_is_asked():
    limited = {name for name in FUNCTIONS if "seconds" in inspect.signature(getattr(puzzlesat, name)).parameters}
    assert limited | {"run"} == set(ASKED)
    assert set(FUNCTIONS) - set(ASKED) == WITHOUT_LIMITS


@pytest.mark.full
@every("cpu", [False, True], fast=1)
@every("name", sorted(ASKED.keys() - {"solve"}), fast=QUICK)
def test_an_answer_that_is_complete_tells_so_in_a_sentence_and_how_long_it_took(name, cpu, tmp_path):
    certificate(tmp_path)
    limits = {} if name == "run" else {"seconds": 100, "memory": 8, "cpu": cpu}
    time = cpu_seconds if cpu and name != "run" else monotonic
    began = time()
    answer = ASKED[name](SMALL, tmp_path, **limits)
    assert 0 <= answer.seconds <= time() - began and (answer.seconds or cpu)  # CPU time comes in hundredths of a second
    assert (answer.complete, answer.why) == (True, None)
    assert answer.sentence and "\n" not in answer.sentence


@every("name", sorted(WITH_SOLUTIONS), fast=("count",))
def test_solutions_of_an_answer_are_solutions_of_the_puzzle(name, tmp_path):
    solutions = ASKED[name](SMALL, tmp_path).solutions
    known = {s.names for s in puzzlesat.solve("dubois-burr" if name == "apart" else SMALL)}
    assert isinstance(solutions, Sequence) and len(solutions) == WITH_SOLUTIONS[name]
    assert all(type(solution) is puzzlesat.Solution and solution.names in known for solution in solutions)
    assert str(solutions[0]).strip() and puzzlesat.draw(solutions).startswith("<svg")
    assert [s.names for s in solutions[-1:]] == [solutions[-1].names]
    assert len(puzzlesat.solutions_array(solutions)) == len(solutions)


@every("name", sorted(ASKED), fast=QUICK)
def test_an_answer_that_time_ends(name, tmp_path):
    certificate(tmp_path)
    if name == "solve":
        with pytest.raises(puzzlesat.LimitReached) as ended:
            ASKED[name](BIG, tmp_path, seconds=1e-6)
        assert isinstance(ended.value, puzzlesat.PuzzleError) and isinstance(ended.value.solutions, tuple)
        return
    answer = ASKED[name](BIG, tmp_path, seconds=1e-6)
    assert answer.complete is False and answer.seconds > 0
    assert is_a_reason(answer.why) and answer.sentence and "\n" not in answer.sentence
    assert name not in WITH_SOLUTIONS or not answer.solutions


@every("name", sorted(ASKED.keys() - {"run", "solve"}), fast=QUICK)  # worker processes run a study
def test_an_answer_that_memory_ends(name, tmp_path, monkeypatch):
    certificate(tmp_path)
    monkeypatch.setattr("puzzlesat.base.limits.resident_bytes", (step << 33 for step in numbers()).__next__)
    answer = ASKED[name](BIG, tmp_path, memory=0.5, seconds=60)
    assert answer.complete is False and is_a_reason(answer.why)


def is_a_reason(why):
    return isinstance(why, str) and len(why) > 10 and "\n" not in why


@pytest.mark.full  # seconds of work, which limits cut short
@every("wanted", [{}, {"distinct": True}, {"limit": 10**9}, {"solver": "cpsat"}, {"random": 10**9, "seed": 1}])
def test_what_is_cut_short_raises_with_what_was_found(wanted):
    taken = []
    with pytest.raises(puzzlesat.LimitReached, match=r"^dominoes-8x8: limit reached after [\d,]+ solutions?$") as ended:
        for solution in puzzlesat.solve("dominoes-8x8", seconds=4 if "solver" in wanted else 2, cpu=True, **wanted):
            taken.append(solution)  # noqa: PERF402 - each by itself
    found = ended.value.solutions
    assert tuple(taken) == found
    assert f"{len(found):,} solution" in str(ended.value) and len(found) > 0
    assert all(type(solution) is puzzlesat.Solution for solution in found)
    if "random" not in wanted:  # a solution may be drawn twice
        assert len({solution.options for solution in found}) == len(found)


@pytest.mark.full
def test_a_part_is_given_where_it_is_asked_for():
    found = list(puzzlesat.solve("dominoes-8x8", seconds=2, cpu=True, partial=True))
    assert 0 < len(found) < 12_988_816
    assert list(puzzlesat.solve("dominoes-8x8", nth=1, seconds=1e-6, partial=True)) == []


COMMANDS = {
    "count": ["count", BIG],
    "check": ["check", BIG],
    "solve": ["solve", BIG, "--all"],
    "solve --nth": ["solve", BIG, "--nth", "1"],
    "hint": ["hint", BIG],
    "challenge": ["challenge", BIG],
    "prove": ["prove", BIG],
    "certify": ["certify", BIG, "-o", "x.proof"],
    "verify": ["verify", "small.proof"],
    "apart": ["apart", "dubois-burr", "--jobs", "1"],
    "design": ["design", "notchable-solid-six-piece-burrs"],
    "forms": ["forms", "tetrominoes", "--boxes", "--area", "8", "--some", "--count", "--jobs", "1"],
    "sets": ["sets", "tetrominoes", "--boxes", "--area", "8", "--jobs", "1"],
    "common": ["common", "tetrominoes", "I", "L", "--most", "8", "--jobs", "1"],
}


@every("name", sorted(COMMANDS), fast=("count",))
def test_json_that_is_cut_short_says_so(name, tmp_path, monkeypatch):
    limit = ["--time", "0.00001"]
    if name == "hint":  # its time limit is at least a tenth of a second, which may be enough
        limit = ["--memory", "1"]
        monkeypatch.setattr("puzzlesat.base.limits.resident_bytes", (step << 33 for step in numbers()).__next__)
    certificate(tmp_path).rename(tmp_path / "small.proof")
    monkeypatch.chdir(tmp_path)
    found = CliRunner().invoke(app, [*COMMANDS[name], *limit, "--json"])
    lines = [json.loads(line) for line in found.stdout.splitlines() if line.startswith("{")]
    assert found.exit_code == 3
    assert lines and lines[-1]["complete"] is False
    assert isinstance(lines[-1]["why"], str) and len(lines[-1]["why"]) > 10
