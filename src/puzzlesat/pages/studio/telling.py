"""What the work on a question sends before its answer: progress and partial results; its limits; sentences for the page to translate."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from time import monotonic
from typing import Any, Literal, TypeVar

from puzzlesat.base import SHARE, Limits, Progress, PuzzleError, Sentence, far_words, told_to_stop
from puzzlesat.checker import CheckerSentence as OfTheChecker
from puzzlesat.puzzles import PLACE_RULES

STUDIO_MEMORY = 2 << 30
"""Memory limit of a question in bytes, if the machine has as much; see ``MEMORY_SHARE``."""
STUDIO_SECONDS: float = 600
"""Time limit of a long question."""
STUDIO_HINT_SECONDS: float = 60
"""Time limit for a position or a hint; the page shows at once what is known."""
STUDIO_APART_SECONDS: float = 60
"""Time limit for taking the pieces on the board apart."""
STUDIO_FIRST_SECONDS: float = 5
"""Time limit for the first solution of a puzzle that is being drawn, before it is counted."""
STUDIO_STARS_SECONDS: float = 10
"""Time limit for the difficulty of a position."""

Kind = Literal["told", "found", "done", "failed"]
Event = tuple[Kind, dict[str, Any]]
"""What the page gets of a question: how far it is, any number of partial results, and at its end what was asked for, or why not."""
TELL_SECONDS = 0.2
"""How often it is told how far a work is."""


def _nobody(_event: Event) -> None:
    """Hear nothing."""


@dataclass
class Tell:
    """Tells whoever asked; called with a partial result it hands that on."""

    send: Callable[[Event], None] = _nobody
    _told: float = field(default=float("-inf"), init=False)

    def __call__(self, found: Mapping[str, Any]) -> None:
        """Hand on a partial result."""
        self.send(("found", dict(found)))

    def progress(self, limits: Limits) -> Progress:
        """Return what tells how far a work is, and ends it by EndedError where its limits are reached."""
        return limits.heeding(Progress(self._listen))

    def _listen(self, what: str, counters: Mapping[str, int]) -> None:
        now = monotonic()
        if now - self._told < TELL_SECONDS:
            return
        self._told = now
        share = {"share": counters[SHARE] / 1e6} if SHARE in counters else {}
        far = [*([Sentence(what)] if what else []), *far_words(counters)]
        self.send(("told", {"words": Sentence("{far}", far=far), **share}))


def limits(seconds: float = STUDIO_SECONDS) -> Limits:
    """Return the limits of all that is done for one question, from here on: also nobody waiting for it any more ends it."""
    return Limits(seconds=seconds, stop=told_to_stop, memory=min(STUDIO_MEMORY, Limits().free_memory())).begun()


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
    return {name: catalogue(with_rules(name, page.joinpath(name).read_text(encoding="utf-8"))) for name in (TITLES, SAID)}


def with_rules(name: str, module: str) -> str:
    """Return the text of a module of the page; if the module has texts, with those of the rules in ``PLACE_RULES`` at their beginning."""
    texts: dict[str, dict[str, str]] = {
        SAID: {rule.words: rule.german[0] for rule in PLACE_RULES.values()},
        "texts/en.js": {f"filter_{key}": rule.label for key, rule in PLACE_RULES.items()},
        "texts/de.js": {f"filter_{key}": rule.german[1] for key, rule in PLACE_RULES.items()},
    }
    words = texts.get(name, {})
    lines = [f"  {json.dumps(key)}: {json.dumps(text, ensure_ascii=False)},\n" for key, text in words.items()]
    return re.sub(r"(?<= = \{\n)", lambda _: "".join(lines), module, count=1) if lines else module


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
