"""Whole numbers in questions of the page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from puzzlesat.errors import PuzzleError
from puzzlesat.sentences import Sentence

Default = TypeVar("Default", int, None)


def whole_number(
    question: Mapping[str, Any], key: str, low: int, high: int, default: Default, *, inside: str = "", why: str = ""
) -> int | Default:
    """Return a whole number of a question, or of a table ``inside`` it.

    Raises PuzzleError where it is none from ``low`` to ``high``, with the reason ``why`` these are the bounds.
    """
    value = question.get(key)
    if value is None:
        return default
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
        said = "{key}: expected a whole number from {low} to {high}{why}"
        raise PuzzleError(Sentence(said, key=f"{inside}{key}", low=low, high=high, why=why))
    return value
