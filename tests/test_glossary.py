"""docs/glossary.md: each word with its German name and a meaning, in the order of the alphabet; the words in italics are there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[1] / "docs"
TEXT = (DOCS / "glossary.md").read_text(encoding="utf-8")
PAGES = [*DOCS.glob("*.md"), *(page for folder in ("explanation", "format", "guide") for page in (DOCS / folder).glob("*.md"))]
SECTIONS = dict(re.findall(r"^## (.*?)\n(.*?)(?=^## |\Z)", TEXT, re.M | re.S))
ROWS = {title: re.findall(r"^\| (?!word|---)(.+?) \| (.+?) \| (.+?) \|$", text, re.M) for title, text in SECTIONS.items()}
WORDS = [word for rows in ROWS.values() for word, _, _ in rows]


@pytest.mark.parametrize("title", ROWS)
def test_the_words_of_a_section_are_in_order(title):
    words = [word.lower() for word, _, _ in ROWS[title]]
    assert words == sorted(words)
    assert len(words) == SECTIONS[title].count("\n| ") - 2  # without the head: each line has all three cells


def test_a_word_has_one_line():
    assert len(set(WORDS)) == len(WORDS)


def test_words_in_italics_have_lines_of_their_own():
    italics = {word.lower() for rows in ROWS.values() for _, _, meaning in rows for word in re.findall(r"(?<!\*)\*([^*]+)\*", meaning)}
    known = {part.strip() for word in WORDS for part in word.lower().split(",")}
    assert [word for word in sorted(italics) if not {word, word.removesuffix("s"), re.sub("ies$", "y", word)} & known] == []


@pytest.mark.parametrize(
    "page", sorted({*PAGES} - {DOCS / "glossary.md", DOCS / "faq.md"}), ids=lambda page: page.relative_to(DOCS).as_posix()
)
def test_a_page_of_reference_or_explanation_leads_to_the_glossary(page):
    assert "glossary.md" in page.read_text(encoding="utf-8")
