"""``polyforms``: all polyforms of n cells on a grid, with their usual letters and pictures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from puzzlesat.base import PuzzleError, Sentence
from puzzlesat.pages.studio.open import grid_said
from puzzlesat.pages.studio.telling import Tell, whole_number
from puzzlesat.pictures import tile_svg
from puzzlesat.puzzles import polyforms, translate

KINDS = ("free", "one_sided", "fixed")
LARGEST, USUAL = 9, 5
MAX_POLYFORMS = 1500
"""Largest number of polyforms that are drawn at once; there are 1,285 nonominoes."""


def do(question: Mapping[str, Any], tell: Tell) -> dict[str, Any]:
    """Answer ``{grid, kind, n}`` with ``{tiles: [{name, atoms, svg}]}``. Raises PuzzleError for an unknown kind or too many polyforms."""
    kind, size = question.get("kind", "free"), whole_number(question, "n", 1, LARGEST, USUAL)
    if kind not in KINDS:
        raise PuzzleError(f"polyforms: there is no kind {str(kind)[:40]!r}; it is one of {', '.join(KINDS)}")
    grid = grid_said(question.get("grid"))
    shapes = polyforms(grid, size, kind)
    if len(shapes) > MAX_POLYFORMS:
        message = "there are {n} polyforms of {size} cells; a set can have at most {most}"
        raise PuzzleError(Sentence(message, n=len(shapes), size=size, most=MAX_POLYFORMS))
    return {
        "tiles": [
            {"name": name, "atoms": [[*translate(a, (1,) * grid.dimension)] for a in atoms], "svg": tile_svg(grid, name, atoms, number)}
            for number, (name, atoms) in enumerate(shapes.items())
        ]
    }
