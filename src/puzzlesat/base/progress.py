"""Progress: work reports its counters to a listener. Without a listener, a report costs next to nothing.

A listener may raise an exception: that is how a limit, or Ctrl-C, ends work (``Limits.heeding``). Long work must report its counters often,
and must not catch exceptions of the listener. Work that prepares a search, in loops over the contents of a file, runs in an ``overseen``
block, where a limit ends it even if it does not report for a long time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from typing import ClassVar

from puzzlesat.base.sentences import Sentence
from puzzlesat.kernels import compiling

Listener = Callable[[str, Mapping[str, int]], None]
"""A function that takes the name of the work and its counters."""


def _ignore(what: str, counters: Mapping[str, int]) -> None:
    """Ignore a report."""


@dataclass(frozen=True)
class Progress:
    """Reports the counters of one work, such as ``{"nodes": 1000}``, to a listener; a new report replaces the one before."""

    SHARE: ClassVar[str] = "share_ppm"
    """Name of the counter for the share of the work that is done, in millionths."""
    listener: Listener = _ignore
    what: str = ""
    overseen: Callable[[], AbstractContextManager[None]] = nullcontext
    """Returns a block that a limit can end at any point, for work that only computes something."""

    def of(self, what: str) -> Progress:
        """Return a progress that reports other work to the same listener."""
        return replace(self, what=what)

    def __call__(self, counters: Mapping[str, int]) -> None:
        """Report the counters."""
        self.listener(self.what, counters)

    @staticmethod
    @contextmanager
    def on_compiling(begins: Callable[[], None]) -> Iterator[None]:
        """Call ``begins`` each time numba begins to compile a kernel, until the block ends."""
        before, compiling.begins = compiling.begins, begins  # type: ignore[method-assign]
        try:
            yield
        finally:
            compiling.begins = before  # type: ignore[method-assign]

    @staticmethod
    def in_words(counters: Mapping[str, int]) -> list[Sentence]:
        """Return counters in words, the share that is done first: ``["37.2 %", "1 symmetry", "12,000 placements"]``."""
        share = [Sentence("{share} %", share=counters[Progress.SHARE] / 10_000)] if Progress.SHARE in counters else []
        return share + [_counted(number, name) for name, number in counters.items() if name != Progress.SHARE]


def _counted(number: int, name: str) -> Sentence:
    """Return the value and the name of a counter in words: ``1 dead end`` or ``12 dead ends`` for ``dead_ends``."""
    plural = name.replace("_", " ")
    singular = f"{plural[:-3]}y" if plural.endswith("ies") else plural.removesuffix("s")
    return Sentence(f"{{n}} {{n|{singular}|{plural}}}", n=number)


SILENT = Progress()
"""Progress without a listener."""
