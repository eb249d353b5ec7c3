"""The examples of the documents: every ``>>>`` of the package, every block of Python in README and docs, and the commands of the book."""

import doctest
import re
import sys
from importlib import import_module
from pathlib import Path

import pytest

import puzzlesat
from tiers import every

ROOT = Path(__file__).parents[1]
sys.path.append(str(ROOT / "docs" / "site"))
from pages import BOOK, as_said, pictures_shown, shortened, steps, try_page  # noqa: E402 - the program that writes outputs into pages

PACKAGE = Path(puzzlesat.__file__).parent
MODULES = [
    ".".join(("puzzlesat", *file.relative_to(PACKAGE).with_suffix("").parts)).removesuffix(".__init__")
    for file in sorted(PACKAGE.rglob("*.py"))
    if re.search(r"^ *>>> ", file.read_text(encoding="utf-8"), re.M)
]
BLOCKS = [
    pytest.param(text, id=f"{file.name}-{number}")
    for file in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
    for number, text in enumerate(re.findall(r"^```python\n(.*?)^```", file.read_text(encoding="utf-8"), re.M | re.S), 1)
    if "print(" in text  # house_rules.py looks at the names of the others
]


@pytest.mark.full
@pytest.mark.parametrize("module", MODULES)
def test_of_a_module(module):
    tried = doctest.testmod(import_module(module), extraglobs={"puzzlesat": puzzlesat}, optionflags=doctest.FAIL_FAST)
    assert tried.attempted
    assert not tried.failed  # the captured output shows the expected text


@pytest.mark.full
@every("text", BLOCKS)
def test_of_a_document(text, capsys):
    """A block runs unchanged; a comment after a ``print`` is its output."""
    exec(compile(text, "example", "exec"), {})
    printed = capsys.readouterr().out.splitlines()
    said = re.findall(r"^ *print\(.*\)  # (.*)$", text, re.M)
    assert said
    assert [line for line in printed if line in said] == said


# pages that show commands ----------------------------------------------------------------------------------------------------


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
    """Each suggested correction is the program's message about a slip of the collection."""
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
