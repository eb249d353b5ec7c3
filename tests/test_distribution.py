"""What is installed: its version, its changelog, and the files that an sdist and a site are made of."""

from __future__ import annotations

import re
import sys
from datetime import date
from pathlib import Path

import pytest

import puzzlesat

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[1]
PROJECTS = [ROOT / "pyproject.toml", ROOT / "checker" / "pyproject.toml"]
SECTIONS = re.findall(r"^## (.*)$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.M)


@pytest.mark.parametrize("project", PROJECTS, ids=lambda file: file.parent.name)
def test_the_version_stands_once(project):
    """In the package; each distribution reads it there."""
    stated = tomllib.loads(project.read_text(encoding="utf-8"))
    assert "version" not in stated["project"]
    assert "version" in stated["project"]["dynamic"]
    source = project.parent / stated["tool"]["hatch"]["version"]["path"]
    assert re.findall(r'^__version__ = "(.*)"$', source.read_text(encoding="utf-8"), re.M) == [puzzlesat.__version__]


def test_every_release_has_a_section_in_the_changelog_the_last_one_first():
    found = [re.fullmatch(r"(\d+)\.(\d+)\.(\d+) \((.*)\)", section) for section in SECTIONS]
    assert all(found), SECTIONS
    versions = [tuple(map(int, each.group(1, 2, 3))) for each in found]
    dates = [date.fromisoformat(each[4]) for each in found]
    assert versions == sorted(set(versions), reverse=True)
    assert dates == sorted(dates, reverse=True)
    assert ".".join(map(str, versions[0])) == puzzlesat.__version__


def test_the_authors_are_those_of_the_licence():
    (named,) = re.findall(r"^Copyright \(c\) \d+ (.*)$", (ROOT / "LICENSE").read_text(encoding="utf-8"), re.M)
    for project in PROJECTS:
        assert tomllib.loads(project.read_text(encoding="utf-8"))["project"]["authors"] == [{"name": named}]


def test_what_is_built_stays_out_of_the_sdist():
    """hatchling leaves out what the .gitignore of the root names, and reads no other: no built program is handed on as a source."""
    ignored = (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()
    assert {"verified/puzzlesat-verified", "verified/**/*.vo", "verified/**/*.cm*", "verified/**/*.o", "verified/depend.mk"} <= {*ignored}
    assert [p for p in ROOT.glob("*/.gitignore") if not p.parent.name.startswith((".", "build"))] == []


def test_every_document_is_a_page_of_the_site():
    pages = re.findall(r": (\S+\.md)$", (ROOT / "mkdocs.yml").read_text(encoding="utf-8"), re.M)
    documents = [ROOT / name for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "benchmarks/README.md", "record/README.md")]
    documents += (ROOT / "docs").rglob("*.md")
    documents.append(ROOT / "docs" / "commands.md")  # made when the site is built
    assert sorted(pages) == sorted(file.relative_to(ROOT).as_posix() for file in documents)
