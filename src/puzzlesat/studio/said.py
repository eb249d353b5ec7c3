"""What of an answer are sentences, and what they were made from: so that the page says them in the language of whoever reads it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from puzzlesat.check.sentence import Sentence as OfTheChecker
from puzzlesat.sentences import Sentence

Key = str | int
Said = Sentence | OfTheChecker


def with_parts(what: dict[str, Any]) -> dict[str, Any]:
    """Return an answer with one key more where there are sentences in it: ``said``, a list of these.

    Each is ``at`` a place, keys and numbers one inside the other; it ``says`` a template, filled with ``values``. Among those may be
    sentences of the same kind, and lists.
    """
    found = [{"at": at, **_parts(sentence)} for at, sentence in _sentences(what, [])]
    return {**what, "said": found} if found else what


def _sentences(value: Any, at: list[Key]) -> Iterator[tuple[list[Key], Said]]:
    if isinstance(value, Said):
        yield at, value
    elif isinstance(value, Mapping):
        for key, part in value.items():
            yield from _sentences(part, [*at, key])
    elif isinstance(value, list | tuple) and value and not isinstance(value[0], int | float):  # boards are long lists of numbers
        for number, part in enumerate(value):
            yield from _sentences(part, [*at, number])


def _parts(sentence: Said) -> dict[str, Any]:
    return {"says": sentence.template, "values": {name: _value(value) for name, value in sentence.values.items()}}


def _value(value: Any) -> Any:
    if isinstance(value, Said):
        return _parts(value)
    return [_value(part) for part in value] if isinstance(value, list | tuple) else value
