"""``hint``: one more piece, which the page reveals in steps: its place, the piece, its orientation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from puzzlesat.pages.studio.tasks.position import asked_position
from puzzlesat.pages.studio.telling import STUDIO_HINT_SECONDS, Tell, limits
from puzzlesat.playing import look_at, sentences


def do(question: Mapping[str, Any], tell: Tell) -> dict[str, Any]:
    """Return the next ``placement``, or None if there is none.

    With it come its ``tile``, the names and numbers of the ``atoms`` it covers, whether it is ``forced``, and the ``reason``; it is
    ``shared`` by this number of the completions ``listed``, and ``every`` tells whether these are all. ``words`` are sentences with these
    data.
    """
    bounds = limits(STUDIO_HINT_SECONDS)
    position = asked_position(question, tell, bounds)
    hint = look_at(position, more=True, limits=bounds)
    answer: dict[str, Any] = {"placement": None, "finished": hint.finished, "solvable": hint.completions.possible}
    suggestion = hint.further
    if suggestion is not None:
        built = position.built
        placement = built.placements[suggestion.option]
        covered = [i for i in built.problem.items_of(suggestion.option).tolist() if i < len(built.puzzle.form.atoms)]
        answer |= {
            "placement": built.problem.options[suggestion.option],
            "tile": built.puzzle.tiles[placement.tile].name,
            "forced": suggestion.forced,
            "reason": suggestion.reason,
            "shared": suggestion.shared,
            "listed": suggestion.listed,
            "every": suggestion.every,
            "atoms": [built.problem.items[i] for i in covered],
            "numbers": covered,
        }
    return {**answer, "words": sentences(hint, options=False)}
