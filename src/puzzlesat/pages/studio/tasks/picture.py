"""``picture``: a small picture of a puzzle of the library."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from puzzlesat.base import PuzzleError
from puzzlesat.pages.studio.open import built_puzzle
from puzzlesat.pages.studio.telling import Tell, limits
from puzzlesat.pictures import contents_svg


def do(question: Mapping[str, Any], tell: Tell) -> dict[str, Any]:
    """Return ``svg`` with the form and the tiles of a puzzle, and their numbers; the question has its ``name``, or the ``puzzle``."""
    bounds = limits()
    with_puzzle = question if "puzzle" in question else {**question, "puzzle": {"name": question.get("name")}}
    if not isinstance(with_puzzle["puzzle"], Mapping):
        raise PuzzleError("name: expected the name of a puzzle of the library")
    built = built_puzzle(with_puzzle, progress=tell.progress(bounds), memory=bounds.memory)
    tiles = sum(t.low if t.high is None else t.high for t in built.puzzle.tiles)
    return {"svg": contents_svg(built), "tiles": tiles, "atoms": len(built.puzzle.form.required)}
