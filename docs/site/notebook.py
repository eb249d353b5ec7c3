"""The notebook as a page of the site, executed from the first cell to the last, with the output below each cell.

This hook replaces nbconvert, whose pages load scripts from a network and do not match the design of the site.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from html import escape
from typing import Any

import nbclient
import nbformat
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

NOTEBOOK = "docs/notebook.ipynb"
ITSELF = "docs/notebook/notebook.ipynb"
"""The address of the notebook file."""
SECONDS = 600
"""Time limit of a cell."""
RAN: dict[str, str] = {}
"""Cache of rendered notebooks, since ``serve`` calls the hook after each change of any file."""


class NotebookPage(File):
    """A page without a Markdown file."""

    def is_documentation_page(self) -> bool:
        """Return True: the file is a page in spite of its suffix."""
        return True


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Return the files with the notebook as a page, and the notebook file next to it."""
    file = files.get_file_from_path(NOTEBOOK)
    assert file is not None
    source = file.content_string
    if source not in RAN:
        RAN[source] = "\n\n".join(parts(source))
    files.remove(file)
    files.append(NotebookPage.generated(config, NOTEBOOK, content=RAN[source]))
    files.append(File.generated(config, ITSELF, content=source))
    return files


def parts(source: str) -> Iterator[str]:
    """Run a notebook; yield its cells and their outputs in Markdown."""
    run = nbformat.reads(source, as_version=4)
    nbclient.NotebookClient(run, timeout=SECONDS, kernel_name="python3").execute()
    for number, cell in enumerate(run.cells):
        yield cell.source if cell.cell_type == "markdown" else f"```python\n{cell.source}\n```"
        if number == 0:
            yield f"This page was made by running [the notebook]({ITSELF.removeprefix('docs/')})."
        yield from filter(None, map(shown, cell.get("outputs", ())))


def shown(output: Mapping[str, Any]) -> str:
    """Return an output of a cell in Markdown; empty for formats that the page does not support."""
    if output["output_type"] == "stream":
        return block(f"<pre>{escape(output['text'].rstrip())}</pre>")
    data = output["data"]
    if "text/html" in data:
        own = re.sub(r"<style.*?</style>", "", data["text/html"], flags=re.S)
        return block(own.replace('<table border="1" class="dataframe">', "<table>"))  # use the style of the site for tables of pandas
    if "image/svg+xml" in data:
        return block(data["image/svg+xml"])
    if "image/png" in data:
        return block(f'<img alt="a plot" src="data:image/png;base64,{data["image/png"].strip()}">')
    return block(f"<pre>{escape(data['text/plain'])}</pre>")


def block(html: str) -> str:
    """Return HTML as a block without empty lines, which Markdown leaves unchanged."""
    lines = "\n".join(line for line in html.splitlines() if line.strip())
    return f'<div class="output">{lines}</div>'
