"""Messages of a task to the page before its answer: progress and partial results; limits of a task; sentences for translation."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from time import monotonic
from typing import Any, Literal, TypeVar

from puzzlesat.base import Child, Limits, Progress, PuzzleError, Sentence
from puzzlesat.puzzles import PLACE_RULES

STUDIO_MEMORY = 2 << 30
"""Memory limit of a task in bytes, if the machine has as much; see ``MEMORY_SHARE``."""
STUDIO_SECONDS: float = 600
"""Time limit of a long task in seconds."""
STUDIO_HINT_SECONDS: float = 60
"""Time limit in seconds for a position or a hint; the page shows intermediate results at once."""
STUDIO_APART_SECONDS: float = 60
"""Time limit in seconds for disassembling the pieces on the board."""
STUDIO_FIRST_SECONDS: float = 5
"""Time limit in seconds for the first solution of a puzzle that is being drawn, before it is counted."""
STUDIO_STARS_SECONDS: float = 10
"""Time limit in seconds for the difficulty of a position."""

Event = tuple[Literal["told", "found", "done", "failed"], dict[str, Any]]
"""Messages to the page about a task: progress, any number of partial results, and at the end the answer or an error."""
TELL_SECONDS = 0.2
"""Smallest interval between two progress messages in seconds."""


@dataclass
class Tell:
    """Sends messages about a task to the page; calling it sends a partial result."""

    send: Callable[[Event], object] = bool
    _told: float = field(default=float("-inf"), init=False)

    def __call__(self, partial: Mapping[str, Any]) -> None:
        """Send a partial result."""
        self.send(("found", dict(partial)))

    def progress(self, limits: Limits) -> Progress:
        """Return a progress that sends messages, and raises EndedError if a limit is reached."""
        return limits.heeding(Progress(self._listen))

    def _listen(self, what: str, counters: Mapping[str, int]) -> None:
        now = monotonic()
        if now - self._told < TELL_SECONDS:
            return
        self._told = now
        share = {"share": counters[Progress.SHARE] / 1e6} if Progress.SHARE in counters else {}
        far = [*([Sentence(what)] if what else []), *Progress.in_words(counters)]
        self.send(("told", {"words": Sentence("{far}", far=far), **share}))


def limits(seconds: float = STUDIO_SECONDS) -> Limits:
    """Return the limits of all work for one question, from now on. They also end the work if no client waits for the answer."""
    return Limits(seconds=seconds, stop=Child.told_to_stop, memory=min(STUDIO_MEMORY, Limits().free_memory())).begun()


Key = str | int
TITLES, SAID = "texts/titles-de.js", "texts/said-de.js"
"""Catalogues of the page: German titles and sentences by their English ones."""
ENTRY = re.compile(r'^  ("(?:[^"\\]|\\.)*": "(?:[^"\\]|\\.)*"),\n', re.M)
IN_GERMAN = str.maketrans(",.", ".,")
"""Exchanges the separators of numbers between English and German."""


def catalogue(module: str) -> dict[str, str]:
    """Return the sentences in the text of a catalogue."""
    sentences: dict[str, str] = json.loads(f"{{{','.join(ENTRY.findall(module))}}}")
    return sentences


def in_german(text: str) -> str:
    """Return a sentence or a title in German, as on the page; text without a translation stays unchanged."""
    if not isinstance(text, Sentence):
        return _catalogues()[TITLES].get(text, text)
    return Sentence(_catalogues()[SAID].get(text.template, text.template), **{name: _german(value) for name, value in text.values.items()})


def _german(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [_german(part) for part in value]
    return in_german(value) if isinstance(value, str) else Sentence("{n}", n=value).translate(IN_GERMAN)


@cache
def _catalogues() -> dict[str, dict[str, str]]:
    page = files(__package__).joinpath("page")
    return {name: catalogue(with_rules(name, page.joinpath(name).read_text(encoding="utf-8"))) for name in (TITLES, SAID)}


def with_rules(name: str, module: str) -> str:
    """Return the text of a module of the page. The texts of ``PLACE_RULES`` are inserted into modules that have texts."""
    texts: dict[str, dict[str, str]] = {
        SAID: {rule.words: rule.german[0] for rule in PLACE_RULES.values()},
        "texts/en.js": {f"filter_{key}": rule.label for key, rule in PLACE_RULES.items()},
        "texts/de.js": {f"filter_{key}": rule.german[1] for key, rule in PLACE_RULES.items()},
    }
    words = texts.get(name, {})
    lines = [f"  {json.dumps(key)}: {json.dumps(text, ensure_ascii=False)},\n" for key, text in words.items()]
    return re.sub(r"(?<= = \{\n)", lambda _: "".join(lines), module, count=1) if lines else module


def with_parts(what: dict[str, Any]) -> dict[str, Any]:
    """Return an answer with the additional key ``said`` if it contains sentences: a list of them.

    Each entry has a place ``at`` in the answer, a list of nested keys and indices; ``says`` is a template, filled with ``values``. Values
    may be sentences of the same kind, and lists.
    """
    sentences = [{"at": at, **_parts(sentence)} for at, sentence in _sentences(what, [])]
    return {**what, "said": sentences} if sentences else what


def _sentences(value: Any, at: list[Key]) -> Iterator[tuple[list[Key], Sentence]]:
    if isinstance(value, Sentence):
        yield at, value
    elif isinstance(value, Mapping):
        for key, part in value.items():
            yield from _sentences(part, [*at, key])
    elif isinstance(value, list | tuple) and value and not isinstance(value[0], int | float):  # boards are long lists of numbers
        for number, part in enumerate(value):
            yield from _sentences(part, [*at, number])


def _parts(sentence: Sentence) -> dict[str, Any]:
    return {"says": sentence.template, "values": {name: _value(value) for name, value in sentence.values.items()}}


def _value(value: Any) -> Any:
    if isinstance(value, Sentence):
        return _parts(value)
    return [_value(part) for part in value] if isinstance(value, list | tuple) else value


Default = TypeVar("Default", int, None)


def whole_number(
    question: Mapping[str, Any], key: str, low: int, high: int, default: Default, *, inside: str = "", why: str = ""
) -> int | Default:
    """Return an integer of a question, or of a table ``inside`` it.

    Raises PuzzleError if it is not from ``low`` to ``high``; ``why`` gives the reason for these bounds.
    """
    value = question.get(key)
    if value is None:
        return default
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
        message = "{key}: expected a whole number from {low} to {high}{why}"
        raise PuzzleError(Sentence(message, key=f"{inside}{key}", low=low, high=high, why=why))
    return value
