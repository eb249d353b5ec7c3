"""Two works that take turns: each in a thread of its own, one at a time, and each has had about as long as the other.

Whoever does not know which of two is the faster one waits for the faster one twice at most. Nothing is begun anew: a work that is not to go
on waits where it tells how far it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import inf
from threading import Event
from types import MappingProxyType

from puzzlesat.base import SHARE, EndedError, Limits, Progress

AHEAD_SECONDS = 0.05
"""So far one work may be ahead of the other before it waits: a turn takes twice as long."""
AHEAD_SHARE = 1 / 16
"""Of what the other one has had: the longer both take, the longer are the turns."""
POLL_SECONDS = 0.1
"""Waiting goes in short steps, so that Ctrl-C is heard."""
SECONDS_TO_END = 5.0
"""That a work is waited for which has been told to end."""


class Side:
    """One of two works. It has its ``turn`` or waits for it, and ends where it has had more time than is allowed."""

    def __init__(self, limits: Limits) -> None:
        self.turn = Event()
        self.limits = replace(limits, turn=self.turn)
        self.used = 0.0
        """Time that it has had, as its limits count it."""
        self.most = inf
        """Time that it may have. Whoever has the turn may change it."""
        self.waited = 0.0
        """Time between its turns."""
        self.since = 0.0
        self.ended = False
        self.other = self

    def begin(self) -> None:
        """Wait for the first turn."""
        try:
            while not self.turn.wait(POLL_SECONDS):
                pass
        finally:
            self.turn.set()  # also where Ctrl-C ends the waiting: threads of this work are to end, and not to wait for ever
        self.since = self.limits.now

    def end(self) -> None:
        """Leave all turns to the other work, for good."""
        if not self.ended:
            self._book()
            self.ended = True
            self.other.turn.set()

    def telling(self, progress: Progress) -> Progress:
        """Return what tells the same listener, and then waits for its next turn where it is the other one's; EndedError is raised there."""

        def listen(what: str, counters: Mapping[str, int]) -> None:
            progress.listener(what, counters)
            self.go_on(what=what, counters=counters)

        return replace(progress, listener=listen)

    def go_on(self, *, what: str = "", counters: Mapping[str, int] = MappingProxyType({})) -> None:
        """Wait for the next turn where it is the other one's. Raises EndedError where this one has had as much time as it may have."""
        self._book()
        other = self.other
        if not other.ended and self.used - other.used > max(AHEAD_SECONDS, AHEAD_SHARE * other.used):
            left = self.since
            self.turn.clear()
            other.turn.set()
            self.begin()
            self.waited += self.since - left
        if self.used >= self.most:
            raise EndedError("limit reached", what, counters={name: number for name, number in counters.items() if name != SHARE})

    def _book(self) -> None:
        now = self.limits.now
        self.used += now - self.since
        self.since = now


def two_sides(first: Limits, second: Limits) -> tuple[Side, Side]:
    """Return two works, each with limits of its own; the first one has the first turn."""
    sides = Side(first), Side(second)
    sides[0].other, sides[1].other = sides[1], sides[0]
    sides[0].turn.set()
    return sides
