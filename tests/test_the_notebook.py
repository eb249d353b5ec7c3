"""docs/notebook.ipynb, run as people run it: in a kernel, from its first cell to its last."""

import runpy
from pathlib import Path

import pytest

NOTEBOOK = Path(__file__).parents[1] / "docs" / "notebook.ipynb"
SECONDS = 300
"""For one cell."""


@pytest.mark.slow  # half a minute, and the site runs it too (nox -s docs), with every page that it writes
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


@pytest.mark.full
def test_cells_and_what_they_show_in_their_order():
    pytest.importorskip("mkdocs", reason="it makes the site")
    import nbformat

    hook = runpy.run_path(str(NOTEBOOK.parent / "site" / "notebook.py"))
    cells = [nbformat.v4.new_markdown_cell("# Title"), nbformat.v4.new_code_cell("print(6 * 7)"), nbformat.v4.new_markdown_cell("end")]
    parts = list(hook["parts"](nbformat.writes(nbformat.v4.new_notebook(cells=cells))))
    assert parts[0] == "# Title" and "(notebook/notebook.ipynb)" in parts[1]
    assert parts[2:] == ["```python\nprint(6 * 7)\n```", '<div class="output"><pre>42</pre></div>', "end"]
