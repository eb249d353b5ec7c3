"""Options are given by keyword: of several that may be left out, none says by its place which it is."""

from __future__ import annotations

import ast
from pathlib import Path

import puzzlesat

SOURCE = Path(puzzlesat.__file__).parent
SAID_ELSEWHERE = {
    "cli/endings.py:show",  # by the module warnings
    "counting/crosscheck.py:count",
    "solvers/sat.py:prepare",  # a variant, as it stands behind the name
}


def options_by_place(folder):
    """Functions with several parameters that may be left out and may be given by place; those of typer are called by keyword."""
    for path in sorted(folder.rglob("*.py")):
        name = path.relative_to(folder).as_posix()
        if name.startswith(("cli/commands/", "check/")):
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef) and len(node.args.defaults) > 1:
                yield f"{name}:{node.name}"


def test_options_are_given_by_keyword():
    assert set(options_by_place(SOURCE)) - SAID_ELSEWHERE == set()


def test_one_that_is_not_is_found(tmp_path):
    (tmp_path / "new.py").write_text("def good(a, b=1, *, c=2): ...\nclass A:\n    def bad(self, b=1, c=2): ...\n", encoding="utf-8")
    assert list(options_by_place(tmp_path)) == ["new.py:bad"]
