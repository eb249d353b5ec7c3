"""What of an answer are sentences, and what they were made from: so that a page says them in the language of whoever reads it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from puzzlesat.check.sentence import Sentence as OfTheChecker
from puzzlesat.sentences import Sentence

Key = str | int
Said = Sentence | OfTheChecker
TITLES, SAID = "texts/titles-de.js", "texts/said-de.js"
"""Catalogues of the page: titles and sentences in German, by those in English."""
ENTRY = re.compile(r'^  ("(?:[^"\\]|\\.)*": "(?:[^"\\]|\\.)*"),\n', re.M)
IN_GERMAN = str.maketrans(",.", ".,")
"""Numbers as they are written in English and in German."""


def catalogue(module: str) -> dict[str, str]:
    """Return the sentences in the text of a catalogue."""
    found: dict[str, str] = json.loads(f"{{{','.join(ENTRY.findall(module))}}}")
    return found


def in_german(said: str) -> str:
    """Return a sentence, or a title, in German, as the page says it; what has no German words stays as it is."""
    if not isinstance(said, Said):
        return _catalogues()[TITLES].get(said, said)
    return Sentence(_catalogues()[SAID].get(said.template, said.template), **{name: _german(value) for name, value in said.values.items()})


def _german(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [_german(part) for part in value]
    return in_german(value) if isinstance(value, str) else Sentence("{n}", n=value).translate(IN_GERMAN)


@cache
def _catalogues() -> dict[str, dict[str, str]]:
    page = files(__package__).joinpath("page")
    return {name: catalogue(page.joinpath(name).read_text(encoding="utf-8")) for name in (TITLES, SAID)}


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
