"""``challenge``: starting positions from easy to hard, for playing on the screen."""

from __future__ import annotations

from collections.abc import Mapping
from random import randrange
from typing import Any

from puzzlesat.base import Limits, PuzzleError
from puzzlesat.pages.challenge_sheet import Sheet, page_sentences, sheet_html, sheet_json
from puzzlesat.pages.studio.open import built_puzzle
from puzzlesat.pages.studio.tasks.difficulty import as_json as difficulty_as_json
from puzzlesat.pages.studio.telling import Tell, limits, whole_number
from puzzlesat.playing import Challenge, Wish, challenges, difficulty

SEEDS = 10_000
MAX_POSITIONS = 24
"""Largest number of positions for one question."""
MAX_PIECES = 10_000


def do(question: Mapping[str, Any], tell: Tell) -> dict[str, Any]:
    """Find positions, each with its ``stars`` and its number of completions; return them from easy to hard, and a page to print.

    The question may have their ``number``; the number of given pieces (``givens``), or its range from ``most`` down to ``fewest``; the
    number of completions (``ways``); and a ``seed``, which reproduces the positions.
    """
    number, seed = whole_number(question, "number", 1, MAX_POSITIONS, 6), whole_number(question, "seed", 0, 2**53, randrange(SEEDS))
    wish = _wish(question)
    bounds = limits()
    progress = tell.progress(bounds)
    built = built_puzzle(question, progress=progress, memory=bounds.memory)
    measured: dict[tuple[int, ...], dict[str, Any]] = {}

    def made(one: Challenge) -> None:
        measured[one.position.placed] = _as_json(one, bounds)
        tell(measured[one.position.placed])

    positions = challenges(built, number, wish, seed, bounds, progress, made=made)
    sheet = Sheet(built, positions, wish.completions, seed)
    rows = [measured[one.position.placed] for one in positions]
    return {"challenges": rows, "seed": seed, "sheet": sheet_json(sheet), "page": sheet_html(sheet), "written": page_sentences(sheet)}


def _as_json(challenge: Challenge, bounds: Limits) -> dict[str, Any]:
    position = challenge.position
    return {
        "position": position.names(position.everything),
        "ways": len(challenge.completions),
        "left": challenge.left,
        "minimal": challenge.minimal,
        "confirmed": challenge.confirmed,
        **difficulty_as_json(difficulty(position, bounds)),
    }


def _wish(question: Mapping[str, Any]) -> Wish:
    ways = whole_number(question, "ways", 1, 1000, 1)
    givens = whole_number(question, "givens", 0, MAX_PIECES, None)
    if givens is not None:
        return Wish(ways, givens, givens, exactly=True)
    most, fewest = whole_number(question, "most", 0, MAX_PIECES, None), whole_number(question, "fewest", 0, MAX_PIECES, 0)
    if most is not None and most < fewest:
        raise PuzzleError("most: expected at least as many pieces as in fewest (the easiest position has the most pieces)")
    return Wish(ways, most, fewest)
