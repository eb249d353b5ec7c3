"""The tutorial, the cookbook and all other documentation with commands: each is run, and its output compared with the page."""

import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
sys.path.append(str(ROOT / "docs" / "site"))
from pages import BOOK, as_said, pictures_shown, shortened, steps, try_page  # noqa: E402 - the program that writes outputs into pages


@pytest.mark.full
@pytest.mark.parametrize("page", BOOK, ids=lambda path: path.stem)
def test_a_page_can_be_followed(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    wrong, _ = try_page(page)
    assert not wrong, "\n\n".join(wrong)


def test_pages_show_files_that_they_make_and_each_recipe_has_its_file_its_picture_and_its_figure():
    for page in BOOK:
        text = page.read_text(encoding="utf-8")
        done = steps(text)
        made = {step.file for step in done} | {name for step in done for name in re.findall(r"[\w.-]+\.(?:svg|png)", step.command or "")}
        shown = pictures_shown(text)
        assert [name for name in sorted(shown) if not (page.parent / name).exists()] == []
        assert sorted(shown - made) == []
        if page.parent.name == "cookbook" and page.stem != "README":
            assert f'title="{page.stem}.' in text
            assert f"]({page.stem}.svg)" in text
            assert re.search(r"^\$ (puzzlesat (count|solve|apart)|python) ", text, re.M)
    index = (ROOT / "docs" / "cookbook" / "README.md").read_text(encoding="utf-8")
    recipes = {path.name for path in (ROOT / "docs" / "cookbook").glob("*.md")} - {"README.md"}
    assert set(re.findall(r"\]\(([\w-]+\.md)\)", index)) >= recipes


def test_the_slips_that_are_answered_are_real_ones():
    """Each suggested correction is the program's message about a slip in slips.txt."""
    slips = (ROOT / "tests" / "config" / "slips.txt").read_text(encoding="utf-8")
    first = (ROOT / "docs" / "faq.md").read_text(encoding="utf-8").split("\n## ")[1]
    rows = re.findall(r"^\| .* \| (.*) \|$", first, re.M)
    cures = [found[1] for row in rows if (found := re.search("`([^`]+)`", row))]
    assert len(cures) > 8
    assert [cure for cure in cures if cure not in slips] == []


def test_an_ellipsis_is_for_lines_or_for_part_of_one_and_stays_when_a_page_is_brought_up_to_date():
    for said, printed in (("a\nb\n", "a\nb\n"), ("a\n…\nd\n", "a\nb\nc\nd\n"), ("a … c\n", "a 1.5 c\n")):
        assert as_said(said, printed)
    assert not as_said("a\n", "a\nb\n")
    assert not as_said("…\nb\n", "a\n")
    said = "title\n…\n  counts  all 2\n…\n"
    assert shortened(said, "title\nmore\nand more\n  counts  all 3\nverdict\n") == "title\n…\n  counts  all 3\n…\n"
    assert shortened("a\n", "b\nc\n\n") == "b\nc\n"
