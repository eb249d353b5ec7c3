"""The page of defaults: documented constants of the modules that define them, with their values."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Any

from puzzlesat.solvers.registry import SOLVERS, SolverStep

BEGIN = """# Defaults

These values apply if you do not give others. The [commands](commands.md) have the options that change them.
The [Python interface](api.md) uses the same values.
"""
OF_USERS = ("cli.defaults", "counting.plan", "solvers.registry")
"""Modules of which the page shows every constant."""
OTHERS = (
    "counting.crosscheck",
    "counting.listing",
    "counting.cover_problem",
    "playing.position",
    "playing.challenge",
    "designing.trial",
    "proofs.weighting",
    "pages.contents",
    "pages.report",
    "pages.notebook",
    "solvers.backtrack",
)
"""Modules of which the page shows solvers, limits of time and memory, and largest numbers of solutions."""


def page() -> str:
    """Return the page as Markdown."""
    return BEGIN + "".join(map(section, OF_USERS + OTHERS))


def section(module: str) -> str:
    """Return the defaults of a module as a table."""
    lines = "".join(f"| `{name}` | {in_words(name, value)} | {meaning} |\n" for name, value, meaning in defaults(module))
    return f"\n## {module}\n\n| name | default | meaning |\n| --- | --- | --- |\n{lines}"


def defaults(module: str) -> Iterator[tuple[str, Any, str]]:
    """Yield name, value and docstring of each constant of a module that has a docstring and is a number, a text or a list of solvers."""
    loaded = import_module(f"puzzlesat.{module}")
    body = ast.parse(Path(str(loaded.__file__)).read_text(encoding="utf-8")).body
    for statement, after in pairwise(body):
        if not isinstance(statement, ast.Assign | ast.AnnAssign):
            continue
        if not isinstance(after, ast.Expr) or not isinstance(after.value, ast.Constant):
            continue
        meaning = " ".join(str(after.value.value).split()).replace("``", "`")
        for name in (node.id for node in ast.walk(statement) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)):
            value = getattr(loaded, name)
            if name.isupper() and is_default(value) and (module in OF_USERS or concerns_users(name, value, meaning)):
                yield name, value, meaning


def is_default(value: object) -> bool:
    """Tell whether a value can be shown in a few words."""
    return all(map(is_default, value)) if isinstance(value, tuple) else isinstance(value, int | float | str | SolverStep)


def concerns_users(name: str, value: Any, meaning: str) -> bool:
    """Tell whether a constant is a solver, a limit of time or memory, or a largest number of solutions."""
    first = value[0] if isinstance(value, tuple) else value
    is_solver = isinstance(first, SolverStep) or (isinstance(first, str) and first in SOLVERS)
    return is_solver or name.endswith(("SECONDS", "SHARE", "_BYTES")) or "number of solutions" in meaning


def in_words(name: str, value: Any) -> str:
    """Return a value as the page shows it."""
    if isinstance(value, tuple):
        return ", ".join(in_words(name, each) for each in value)
    if isinstance(value, SolverStep):
        limits = [
            value.seconds and f"{value.seconds:g} s",
            value.share < 1 and f"{value.share * 100:g} % of the time left",
            value.solutions and f"{value.solutions} solution",
            value.shapes and f"{value.shapes:,} shapes",
        ]
        return f"`{value.solver}`" + f" ({', '.join(filter(None, limits))})" * any(limits)
    if isinstance(value, str):
        return f"`{value}`"
    return f"{value:g} s" if name.endswith("SECONDS") else f"{value * 100:g} %" if name.endswith("SHARE") else f"{value:,}"
