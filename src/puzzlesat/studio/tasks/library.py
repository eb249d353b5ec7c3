"""``library``: the puzzles of the package, by their names and by those that they have in shops."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from puzzlesat.studio.library import entries
from puzzlesat.studio.telling import Tell


def do(_question: Mapping[str, Any], _tell: Tell) -> dict[str, Any]:
    """Return ``puzzles``: ``name``, ``title``, ``group``, other names (``aliases``), and grid; the size comes with the picture."""
    return {"puzzles": entries()}
