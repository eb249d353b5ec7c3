"""``library``: the puzzles of the package, with their names in the package and in shops."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from puzzlesat.pages.studio.library import entries
from puzzlesat.pages.studio.telling import Tell


def do(_question: Mapping[str, Any], _tell: Tell) -> dict[str, Any]:
    """Return ``puzzles``: ``name``, ``title``, ``group`` and grid, and further keys for searching.

    These keys are other names (``aliases``), the ``maker``, the ``family``, and similar puzzles that the package lacks (``like``).
    """
    return {"puzzles": entries()}
