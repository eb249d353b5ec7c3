"""The examples in the documentation: every ``>>>`` of the package, and every Python block of README and docs."""

import doctest
import re
from importlib import import_module
from pathlib import Path

import pytest

import puzzlesat
from tiers import every

ROOT = Path(__file__).parents[1]
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
    if "print(" in text  # house_rules.py checks the names in the others
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
