"""Progress: work reports its counters to a listener. Without a listener, a report costs next to nothing.

A listener may raise an exception: that is how a limit, or Ctrl-C, ends work (``Limits.heeding``). Long work must report its counters often,
and must not catch exceptions of the listener. Work that prepares a search, in loops over the contents of a file, runs in an ``overseen``
block, where a limit ends it even if it does not report for a long time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace

SHARE = "share_ppm"
"""Name of the counter for the share of the work that is done, in millionths."""

Listener = Callable[[str, Mapping[str, int]], None]
"""A function that takes the name of the work and its counters."""


def _ignore(what: str, counters: Mapping[str, int]) -> None:
    """Ignore a report."""


@dataclass(frozen=True)
class Progress:
    """Reports the counters of one work, such as ``{"nodes": 1000}``, to a listener; a new report replaces the one before."""

    listener: Listener = _ignore
    what: str = ""
    overseer: Callable[[], AbstractContextManager[None]] = nullcontext

    def overseen(self) -> AbstractContextManager[None]:
        """Return a block that a limit can end at any point. Use it for work that only computes something."""
        return self.overseer()

    def of(self, what: str) -> Progress:
        """Return a progress that reports other work to the same listener."""
        return replace(self, what=what)

    def __call__(self, counters: Mapping[str, int]) -> None:
        """Report the counters."""
        self.listener(self.what, counters)


SILENT = Progress()
"""Progress without a listener."""
