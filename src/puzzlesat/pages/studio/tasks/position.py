"""``position``: the number of ways to finish the board, the atoms that nothing can cover any more, and pieces to take back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from puzzlesat.base import Limits, PuzzleError, Sentence
from puzzlesat.pages.studio.open import built_puzzle
from puzzlesat.pages.studio.telling import STUDIO_HINT_SECONDS, Tell, limits
from puzzlesat.playing import Hint, Position, as_json, look_at, position_of, sentences, uncoverable


def do(question: Mapping[str, Any], tell: Tell) -> dict[str, Any]:
    """Return ``hint --json`` of the position, and ``words``; the number of completions is a partial result.

    Partial results have ``completions`` (None: not known), whether it is ``exact``, ``finished``, ``dead``: each atom that nothing can
    cover, as ``atom`` and ``number``, with the ``reason``; ``dead_ends`` and ``words`` are sentences.
    """
    bounds = limits(STUDIO_HINT_SECONDS)
    position = asked_position(question, tell, bounds)

    def counted(hint: Hint) -> None:
        answer = as_json(hint)
        copied = {key: answer[key] for key in ("completions", "exact", "finished", "solvable", "dead_ends")}
        tell({**copied, "dead": _dead(hint), "words": sentences(hint, options=False)})

    hint = look_at(position, more=False, limits=bounds, counted=counted)
    answer = as_json(hint)
    first_wrong = (
        None if hint.first_wrong is None else {"number": hint.first_wrong, "name": position.names(position.placed)[hint.first_wrong]}
    )
    choices = [choice["pieces"] for choice in answer["take_back"]["choices"]] if answer["take_back"] else []
    return {**answer, "take_back": choices, "how": answer["take_back"], "first_wrong": first_wrong, "words": sentences(hint, options=False)}


def asked_position(question: Mapping[str, Any], tell: Tell, bounds: Limits) -> Position:
    """Return the position of a question. Raises PuzzleError for a wrong puzzle or wrong placements."""
    names = question.get("position", [])
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise PuzzleError("position: expected a list of the names of placements")
    built = built_puzzle(question, progress=tell.progress(bounds), memory=bounds.memory)
    return position_of(built, names, ordered=True)


def _dead(hint: Hint) -> list[dict[str, Any]]:
    """The atoms that nothing can cover any more."""
    if hint.completions.possible is not False:
        return []
    items, template = hint.position.built.problem.items, "nothing that is left covers {atoms}"
    return [{"atom": items[i], "number": i, "reason": Sentence(template, atoms=items[i])} for i in uncoverable(hint.position)]
