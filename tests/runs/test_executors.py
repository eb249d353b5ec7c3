"""Runs by executors of others, as docs/cluster.md shows them."""

import pytest

from puzzlesat.runs.opening import open_to_read
from puzzlesat.runs.run import run_study
from puzzlesat.runs.table import table

STUDY = """
name = "small"
audit = 1
[[puzzles]]
from = ["soma"]
[[steps]]
find = "count"
"""


@pytest.mark.full
def test_executorlib(tmp_path):
    executorlib = pytest.importorskip("executorlib", reason="one of the executors that docs/cluster.md shows: pip install executorlib")
    (tmp_path / "study.toml").write_text(STUDY)
    with executorlib.SingleNodeExecutor(max_workers=2, block_allocation=True) as executor:
        end = run_study(tmp_path / "study.toml", tmp_path / "study.sqlite", executor=executor, jobs=2)
    assert end.complete
    with open_to_read(tmp_path / "study.sqlite") as store:
        (row,) = table(store)
        assert (row.all, row.distinct) == (11520, 480)
