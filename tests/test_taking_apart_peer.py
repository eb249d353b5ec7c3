"""BurrTools as a peer of the benchmark: the input of its program, the reading of its output, and when both agree."""

import shlex
import sys
from collections import Counter
from pathlib import Path

import pytest

import puzzlesat
from tiers import every

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"
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


def program(folder, printed):
    file = folder / "burrTxt.py"
    file.write_text(PRINTS_AS_BURRTXT.format(calls=str(folder / "calls"), seen=str(folder / "seen.xmpuzzle"), printed=printed))
    return [sys.executable, str(file), "-t", "1"]


@pytest.mark.full
def test_burrtools_gets_the_puzzle_and_its_faster_run_is_taken(taking, tmp_path):
    seconds, found = taking.burrtools(program(tmp_path, CAGE), "cube-in-cage", 1)
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


@pytest.mark.slow
def test_the_table_has_both(taking, tmp_path, monkeypatch, capsys):
    words = shlex.join(program(tmp_path, CAGE))
    monkeypatch.setattr(sys, "argv", ["taking_apart.py", "cube-in-cage", "hex-sticks", "--rounds", "1", "--burrtools", words])
    taking.main()
    head, _, cage, sticks = ([cell.strip() for cell in line.split("|")[1:-1]] for line in capsys.readouterr().out.splitlines())
    assert len(head) == len(cage) == len(sticks)
    assert cage[:4] == ["cube-in-cage", "96", "1", "4.9.3"]
    assert float(cage[8]) < float(cage[4])
    assert cage[-1] == "the same"
    assert sticks[-1] == "not cubes"
