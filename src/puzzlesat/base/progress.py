"""Progress: work tells its counters to a listener. Without a listener, telling costs next to nothing.

A listener may raise: so a limit, or Ctrl-C, ends work (``Limits.heeding``). Long work must tell its counters often, and must not catch what
the listener raises. Work that prepares a search, in loops over whatever a file holds, runs in an ``overseen`` block: there a limit ends it
even if it tells nothing for long.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace

SHARE = "share_ppm"
"""The counter that says what part of the work is done, in millionths."""

Listener = Callable[[str, Mapping[str, int]], None]
"""Gets what is being done, and its counters."""


def _nobody(what: str, counters: Mapping[str, int]) -> None:
    """Hear nothing."""


@dataclass(frozen=True)
class Progress:
    """Tells a listener the counters of one work, such as ``{"nodes": 1000}``; a new one replaces what was told before."""

    listener: Listener = _nobody
    what: str = ""
    overseer: Callable[[], AbstractContextManager[None]] = nullcontext

    def overseen(self) -> AbstractContextManager[None]:
        """Return a block that a limit ends anywhere: for work that only computes something, and loses nothing where it is ended."""
        return self.overseer()

    def of(self, what: str) -> Progress:
        """Return what tells the same listener of another work."""
        return replace(self, what=what)

    def __call__(self, counters: Mapping[str, int]) -> None:
        """Tell the counters."""
        self.listener(self.what, counters)


SILENT = Progress()
"""Nobody listens."""
