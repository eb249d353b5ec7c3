"""``hint``: one more piece, for the page to unfold: where, which piece, exactly how."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from puzzlesat.pages.studio.tasks.position import asked_position
from puzzlesat.pages.studio.telling import STUDIO_HINT_SECONDS, Tell, limits
from puzzlesat.playing import look_at, sentences


def do(question: Mapping[str, Any], tell: Tell) -> dict[str, Any]:
    """Return the ``placement`` to go on with, or None where there is none.

    With it come its ``tile``, and the ``atoms`` it covers by their names and numbers; whether it is ``forced``, and the ``reason``; how
    many of the completions ``listed`` it is ``shared`` by, and whether these are ``every`` one; ``words`` say all that.
    """
    bounds = limits(STUDIO_HINT_SECONDS)
    position = asked_position(question, tell, bounds)
    hint = look_at(position, more=True, limits=bounds)
    said: dict[str, Any] = {"placement": None, "finished": hint.finished, "solvable": hint.completions.possible}
    one = hint.further
    if one is not None:
        built = position.built
        placement = built.placements[one.option]
        covered = [i for i in built.problem.items_of(one.option).tolist() if i < len(built.puzzle.form.atoms)]
        said |= {
            "placement": built.problem.options[one.option],
            "tile": built.puzzle.tiles[placement.tile].name,
            "forced": one.forced,
            "reason": one.reason,
            "shared": one.shared,
            "listed": one.listed,
            "every": one.every,
            "atoms": [built.problem.items[i] for i in covered],
            "numbers": covered,
        }
    return {**said, "words": sentences(hint, options=False)}
