"""The notebook as a page of the site: run from its first cell to its last, with what it prints and draws below each.

It is a hook of our own, since nbconvert's pages load scripts from a network, and look like no other page of the site.
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
"""Where it can be had as a file."""
SECONDS = 600
"""For one cell."""
RAN: dict[str, str] = {}
"""The page of a notebook that was run before: ``serve`` asks again after each change of any file."""


class NotebookPage(File):
    """A page that is not written in a file of Markdown."""

    def is_documentation_page(self) -> bool:
        """It is a page, whatever its suffix says."""
        return True


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Return the files with the notebook as a page, and beside it as a file."""
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
    """Run a notebook, and yield its cells and what they show, in Markdown."""
    run = nbformat.reads(source, as_version=4)
    nbclient.NotebookClient(run, timeout=SECONDS, kernel_name="python3").execute()
    for number, cell in enumerate(run.cells):
        yield cell.source if cell.cell_type == "markdown" else f"```python\n{cell.source}\n```"
        if number == 0:
            yield f"This page was made by running [the notebook]({ITSELF.removeprefix('docs/')})."
        yield from filter(None, map(shown, cell.get("outputs", ())))


def shown(output: Mapping[str, Any]) -> str:
    """Return what a cell has printed, or shows, in Markdown; nothing for what a page has no room for."""
    if output["output_type"] == "stream":
        return block(f"<pre>{escape(output['text'].rstrip())}</pre>")
    data = output["data"]
    if "text/html" in data:
        own = re.sub(r"<style.*?</style>", "", data["text/html"], flags=re.S)
        return block(own.replace('<table border="1" class="dataframe">', "<table>"))  # a table of pandas as one of the site
    if "image/svg+xml" in data:
        return block(data["image/svg+xml"])
    if "image/png" in data:
        return block(f'<img alt="a plot" src="data:image/png;base64,{data["image/png"].strip()}">')
    return block(f"<pre>{escape(data['text/plain'])}</pre>")


def block(html: str) -> str:
    """Return HTML as Markdown leaves it alone: a block without empty lines."""
    lines = "\n".join(line for line in html.splitlines() if line.strip())
    return f'<div class="output">{lines}</div>'
