"""The pages are plain English: none of the words that made earlier ones hard to read. It is no substitute for reading a page aloud."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from prose import AVOIDED

ROOT = Path(__file__).parents[1]
PAGES = [
    *(
        ROOT / name
        for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "benchmarks/README.md", "record/README.md", "verified/README.md")
    ),
    *sorted((ROOT / "docs").rglob("*.md")),
]
NO_PROSE = re.compile(
    r"^ *```.*?^ *```$"  # code, and what programs print
    r"|^<!-- made (?:by|from) (?:record|verified).*"  # tables of results that a program writes, to the end of the page
    r"|``.*?``|`[^`]*`"
    r"|\]\([^)]*\)|<[^>]*>"  # the addresses of links, and tags
    r"|\"[^\"\n]*\""  # words of others
    r"|\bstand-alone\b",
    re.MULTILINE | re.DOTALL,
)
AUXILIARY = {"do", "does"}
"""A page tells what a command does; a help text or a message has no need of the word."""


def prose(text):
    """What a page says in its own words."""
    return NO_PROSE.sub(" ", text)


def avoided(line):
    """The words of a line that a page has no use for."""
    return [found for found in AVOIDED.findall(line) if found.lower() not in AUXILIARY]


def newest(changelog):
    """The changelog down to the second version: older sections stay as they were written."""
    return "\n## ".join(changelog.split("\n## ")[:2])


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_a_page_has_none_of_the_avoided_words(page):
    text = page.read_text(encoding="utf-8")
    lines = prose(newest(text) if page.name == "CHANGELOG.md" else text).splitlines()
    assert {line.strip(): found for line in lines if (found := avoided(line))} == {}


def test_avoided_words_are_found_in_prose_alone():
    text = 'It stands here. `it stands` and "whoever" and\n```text\nwhat goes on\n```\n[so](stands.md) How do I count, whoever I am?'
    assert avoided(prose(text)) == ["stands", "whoever"]


def test_only_the_newest_section_of_the_changelog_is_read():
    assert newest("# Changelog\n\n## 2.0\n\n- new\n\n## 1.0\n\n- old\n") == "# Changelog\n\n## 2.0\n\n- new\n"
