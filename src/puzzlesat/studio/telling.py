"""What a question's work says before its answer: how far it is, and what it has found; and how long it may take."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from time import monotonic
from typing import Any, Literal

from puzzlesat.children import told_to_stop
from puzzlesat.progress import SHARE, Progress
from puzzlesat.sentences import Sentence
from puzzlesat.solvers.machine import default_memory
from puzzlesat.solvers.run import Limits, far_words, heeding
from puzzlesat.solvers.strategy import STUDIO_MEMORY, STUDIO_SECONDS

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
        return heeding(Progress(self._listen), limits)

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
    return Limits(seconds=seconds, stop=told_to_stop, memory=min(STUDIO_MEMORY, default_memory())).begun()
