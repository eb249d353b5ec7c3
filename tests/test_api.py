"""The library: load, count, solve."""

import subprocess
import sys
from itertools import islice

import pytest

import puzzlesat
from puzzlesat.solvers.registry import listing
from tiers import every


@every("solver", listing(), fast=("backtrack",))
def test_solve(solver):
    found = list(puzzlesat.solve("absolut-knifflig", solver=solver))
    assert len(found) == len({frozenset(s.names) for s in found}) == 148
    assert all(len(s.names) == len(s.placements) == len(s.bits) == 9 for s in found)
    assert all(sum(int(bits, 16) for bits in s.bits) == 0b111111111000 for s in found)


@pytest.mark.full
def test_a_stream_may_be_left():
    stream = puzzlesat.solve("pentominoes-6x10")
    first, second = islice(stream, 2)
    stream.close()
    assert first.names != second.names
    assert len(str(first).strip().splitlines()) >= 2
    assert next(stream, None) is None


@pytest.mark.full
@every("solver", ["backtrack,sat", "backtrack, sat", ["backtrack", "sat"], ("backtrack", "sat")])
def test_several_solvers_in_one_text_or_in_a_list(solver):
    assert [row.solver for row in puzzlesat.count("domino-and-square-3x2", solver=solver).rows] == ["backtrack", "sat"]


def test_solvers_that_cannot_be_asked():
    with pytest.raises(puzzlesat.PuzzleError, match="give at least one"):
        puzzlesat.count("dominoes-4x4", solver=())
    for several in ("backtrack,sat", ["backtrack", "sat"], []):
        with pytest.raises(puzzlesat.PuzzleError, match=r"^solver: 'solve' takes one solver"):
            puzzlesat.solve("domino-and-square-3x2", solver=several)
    assert len(list(puzzlesat.solve("domino-and-square-3x2", solver=["sat"]))) == 2


@pytest.mark.full
def test_the_names_of_the_package_are_listed_before_anything_is_loaded():
    assert dir(puzzlesat) == sorted(puzzlesat.__all__) == sorted(set(puzzlesat.__all__))
    loaded = "sorted({'numpy', 'pandas', 'networkx', 'numba', 'rich', 'pydantic'} & sys.modules.keys())"
    program = f"import sys, puzzlesat; assert dir(puzzlesat) == sorted(puzzlesat.__all__); print(*dir(puzzlesat), {loaded})"
    *names, libraries = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()
    assert {"hint", "prove", "forms", "Report", "LimitReached"} <= set(names)
    assert not {"islice", "replace", "TYPE_CHECKING", "Any"} & set(names)
    assert libraries == "[]"


RIGHT = """
import puzzlesat
report: puzzlesat.Report = puzzlesat.count("soma")
why: str | None = report.why
try:
    found: list[puzzlesat.Solution] = list(puzzlesat.solve("soma"))
except puzzlesat.LimitReached as ended:
    print(len(ended.solutions), puzzlesat.draw("soma"))
form: puzzlesat.FormFound = puzzlesat.forms("soma")[0]
"""
WRONG = {
    'puzzlesat.cuont("soma")': "cuont",
    "puzzlesat.Unbegun": "Unbegun",
    "puzzlesat.islice": "islice",
    'puzzlesat.count("soma", secnods=1)': "secnods",
    'puzzlesat.count("soma").coplete': "coplete",
}


@pytest.mark.slow  # mypy takes some ten seconds
def test_misspelt_names_are_found_by_whoever_checks_types(tmp_path):
    pytest.importorskip("mypy")
    (tmp_path / "right.py").write_text(RIGHT, encoding="utf-8")
    (tmp_path / "wrong.py").write_text("import puzzlesat\n" + "\n".join(WRONG) + "\n", encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", f"--cache-dir={tmp_path}", "right.py", "wrong.py"]
    found = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False).stdout
    assert "right.py" not in found, found
    for line, word in enumerate(WRONG.values(), start=2):
        assert any(said.startswith(f"wrong.py:{line}: error: ") and word in said for said in found.splitlines()), (word, found)
