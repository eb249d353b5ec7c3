"""The benchmark's peers that are separate programs: their input, their timing, and the handling of wrong counts."""

import sys
from collections import Counter
from pathlib import Path

import pytest

import puzzlesat
from tiers import every

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"
PLAIN_SEARCH = """#!{python}
import sys, time

lines = [line.split() for line in sys.stdin]
items, options = frozenset(lines[0]) - {{"|"}}, [frozenset(line) for line in lines[1:]]

def covers(left):
    if not left:
        return 1
    item = min(left)
    return sum(covers(left - option) for option in options if item in option and option <= left)

while time.process_time() < {seconds}:
    pass
print(f"Altogether {{covers(items) + {too_many}}} solutions, 0+0 mems", file=sys.stderr)
"""


@pytest.fixture
def peers(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    import peers

    return peers


def program(folder, monkeypatch, *, seconds=0.0, too_many=0):
    """Install a script with the input and output of Knuth's SSXCC in place of the built program."""
    file = folder / "ssxcc"
    file.write_text(PLAIN_SEARCH.format(python=sys.executable, seconds=seconds, too_many=too_many))
    file.chmod(0o755)
    monkeypatch.setenv("SSXCC", str(file))


def measured(peers, instance="domino-and-square-3x2", variant="all", limit=60.0):
    return peers.measure(peers.Row(instance, variant), ["SSXCC"], 1, limit, 8.0)


@pytest.mark.full
def test_a_program_that_was_built_gets_the_matrix_and_its_count_and_its_own_seconds_are_read(peers, tmp_path, monkeypatch):
    program(tmp_path, monkeypatch, seconds=0.5)
    for instance in ("domino-and-square-3x2", "tetrominoes-4x5"):
        result = measured(peers, instance)
        assert result.runs["SSXCC"].failed is None
        assert result.runs["SSXCC"].counts == [result.solutions] * len(result.runs["SSXCC"].counts)
        assert 0.5 <= result.runs["SSXCC"].seconds < 2


@pytest.mark.full
def test_programs_that_fail(peers, tmp_path, monkeypatch):
    """A wrong count is reported without a time; a program beyond its limit is stopped; one prints no number."""
    program(tmp_path, monkeypatch, too_many=1)
    result = measured(peers)
    assert result.runs["SSXCC"].failed == f"wrong: {result.solutions + 1}"
    assert result.runs["SSXCC"].seconds is None
    assert f"wrong: {result.solutions + 1}" in peers.front_report([result], ["SSXCC"], 1)
    program(tmp_path, monkeypatch, seconds=1000.0)
    assert measured(peers, limit=1.0).runs["SSXCC"].failed == "> 1 s"
    (tmp_path / "ssxcc").write_text("#!/bin/sh\necho nothing >&2\n")
    assert measured(peers).runs["SSXCC"].failed == "failed"


# BurrTools -------------------------------------------------------------------------------------------------------------------

PRINTS_AS_BURRTXT = """
import sys, time
from pathlib import Path

Path({calls!r}).open("a").write(" ".join(sys.argv[1:-1]) + "\\n")
Path({seen!r}).write_bytes(Path(sys.argv[-1]).read_bytes())
while "-r" not in sys.argv and time.process_time() < 1:
    pass
print(" The puzzle:\\n\\nS0\\n\\nstart reduce\\n\\nremoved 3 rows")
print({printed!r})
"""
CAGE = "level: 4.9.3\n96 assemblies and 1 solutions found with 2075 iterations in 0.008 seconds"


@pytest.fixture
def taking(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    import taking_apart

    return taking_apart


def burrtools(folder):
    file = folder / "burrTxt.py"
    file.write_text(PRINTS_AS_BURRTXT.format(calls=str(folder / "calls"), seen=str(folder / "seen.xmpuzzle"), printed=CAGE))
    return [sys.executable, str(file), "-t", "1"]


@pytest.mark.full
def test_burrtools_gets_the_puzzle_and_its_faster_run_is_taken(taking, tmp_path):
    seconds, found = taking.burrtools(burrtools(tmp_path), "cube-in-cage", 1)
    assert (tmp_path / "calls").read_text().splitlines() == ["-t 1 -d", "-t 1 -d -r"]
    assert puzzlesat.load(tmp_path / "seen.xmpuzzle").puzzle.tiles[0].atoms
    assert seconds < 0.9
    assert found == taking.Outcome(96, 1, Counter({"4.9.3": 1}))


@every(
    ("assemblies", "levels", "said"),
    [
        (34, ["26.4.3.1.2", "1"], "the same"),
        (34, ["26.4.5.1.2", "1"], "the same; later numbers of levels differ"),
        (34, ["25.4.3.1.2", "1"], "other levels"),
        (34, ["26.4.3.1.2"], "34 assemblies, 1 come apart"),
        (1068, ["26.4.3.1.2", "1"], "1,068 assemblies, 2 come apart"),
    ],
)
def test_both_agree_if_all_that_both_define_alike_is_equal(taking, assemblies, levels, said):
    ours = taking.Outcome(34, 2, Counter(["1", "26.4.3.1.2"]))
    assert taking.agreement(ours, taking.Outcome(assemblies, len(levels), Counter(levels))) == said
