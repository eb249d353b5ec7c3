"""docs/notebook.ipynb, run as people run it: in a kernel, from its first cell to its last."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

NOTEBOOK = Path(__file__).parents[1] / "docs" / "notebook.ipynb"
SECONDS = 300
"""For one cell."""


def test_it_is_kept_without_outputs():
    cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    assert [cell["id"] for cell in cells if cell.get("outputs") or cell.get("execution_count")] == []


@pytest.mark.full  # a kernel is started, and counts are checked: half a minute
def test_it_runs_and_shows_its_pictures(monkeypatch):
    import nbclient
    import nbformat

    monkeypatch.delenv("MPLBACKEND", raising=False)
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    nbclient.NotebookClient(notebook, timeout=SECONDS, kernel_name="python3").execute()
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", ())]
    kinds = [kind for output in outputs for kind in output.get("data", ())]
    assert kinds.count("image/png") == 2  # the plots
    assert kinds.count("image/svg+xml") == 3  # a report, and two colourings
    assert not [output for output in outputs if output.output_type == "error" or output.get("name") == "stderr"]
    assert "1,010 solutions up to symmetry" in str(outputs)
