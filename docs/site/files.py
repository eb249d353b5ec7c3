"""The files of the site: files of the repository in their own folders, so that the links between them work."""

from __future__ import annotations

from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

PAGES = (
    "README.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "docs/*.md",
    "docs/format/*.md",
    "docs/guide/*.md",
    "docs/explanation/*.md",
    "docs/tutorial/*.md",
    "docs/cookbook/*.md",
    "benchmarks/README.md",
    "record/*.md",
    "verified/[a-z]*.md",
)
BESIDE_THEM = (
    "LICENSE",
    "CITATION.cff",
    "verified/Statement.v",
    "docs/pictures/*.*",
    "docs/pictures/gallery/*",
    "docs/tutorial/*.svg",
    "docs/cookbook/*.svg",
    "docs/cookbook/*.toml",
    "docs/cookbook/*.py",
    "docs/cookbook/*.xcc",
    "docs/cluster/*",
    "record/b377309.txt",
    "docs/*.ipynb",
    "docs/site/*.css",
    "benchmarks/plots/*",
)


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Return the files of the theme and of the repository."""
    root = Path(config.config_file_path).parent
    found = sorted(path for pattern in PAGES + BESIDE_THEM for path in root.glob(pattern))
    ours = [File.generated(config, path.relative_to(root).as_posix(), abs_src_path=str(path)) for path in found]
    return Files([*(file for file in files if file.src_dir != config.docs_dir), *ours])
