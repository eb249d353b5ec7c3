"""The pages that are made from the program when the site is built."""

from __future__ import annotations

import commands
import defaults
import grids
import keys
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

PAGES = {
    "docs/commands.md": commands.page,
    "docs/defaults.md": defaults.page,
    "docs/format/grids.md": grids.page,
    "docs/keys.md": keys.page,
}


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Return the files with these pages, also in place of a file that has only a part of its page."""
    for name, page in PAGES.items():
        part = files.get_file_from_path(name)
        if part is not None:
            files.remove(part)
        files.append(File.generated(config, name, content=page()))
    return files
