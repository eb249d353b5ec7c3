"""``difficulty``: how hard a position is for a person."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from puzzlesat.pages.studio.tasks.position import asked_position
from puzzlesat.pages.studio.telling import STUDIO_STARS_SECONDS, Tell, limits
from puzzlesat.playing import Difficulty, difficulty


def do(question: Mapping[str, Any], tell: Tell) -> dict[str, Any]:
    """Return ``stars`` from 1 to 5 (None: no completion), the ``branches`` behind them, their ``depth``, and ``words``."""
    bounds = limits(STUDIO_STARS_SECONDS)
    return as_json(difficulty(asked_position(question, tell, bounds), bounds))


def as_json(found: Difficulty) -> dict[str, Any]:
    """Return a difficulty as plain data."""
    return {
        "stars": found.stars,
        "branches": found.branches,
        "depth": found.depth,
        "forced": found.forced,
        "solved": found.solved,
        "complete": found.complete,
        "words": found.words,
    }
