"""``library``: the puzzles of the package, by their names and by those that they have in shops."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from puzzlesat.pages.studio.library import entries
from puzzlesat.pages.studio.telling import Tell


def do(_question: Mapping[str, Any], _tell: Tell) -> dict[str, Any]:
    """Return ``puzzles``: ``name``, ``title``, ``group`` and grid, and by what a person may look for them.

    That is other names (``aliases``), the ``maker``, the ``family``, and puzzles that the package lacks and that are ``like`` it.
    """
    return {"puzzles": entries()}
