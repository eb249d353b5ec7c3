"""What the commands share with the terminal: consoles, progress, Ctrl-C."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from threading import Event, current_thread, main_thread
from time import monotonic

from rich.console import Console

Announce = Callable[[str, Mapping[str, int]], None]


SAME_INTERRUPT_SECONDS = 0.5


class ResultConsole(Console):
    """A console that leaves it to the command what to do when nobody reads any more: that is no failure."""

    def on_broken_pipe(self) -> None:
        """Called by rich while it handles a BrokenPipeError."""
        raise


def console() -> Console:
    """The console for results: as wide as the terminal, and wide enough for a table in a pipe."""
    out = ResultConsole(highlight=False)
    return out if out.is_terminal else ResultConsole(highlight=False, width=200)


@contextmanager
def stoppable() -> Iterator[Event]:
    """Yield an event that the first Ctrl-C sets, so that what was counted is kept; a second one ends the program at once.

    ``timeout -s INT`` and the like send the signal to the program and to its group: two within a moment are one.
    """
    stop = Event()
    if current_thread() is not main_thread():
        yield stop
        return

    first: list[float] = []

    def on_interrupt(_number: int, _frame: object) -> None:
        first.append(monotonic())
        if first[-1] - first[0] > SAME_INTERRUPT_SECONDS:
            raise KeyboardInterrupt
        stop.set()

    previous = signal.signal(signal.SIGINT, on_interrupt)
    try:
        yield stop
    finally:
        signal.signal(signal.SIGINT, previous)


@contextmanager
def progress(title: str) -> Iterator[Announce | None]:
    """Show which solver works and how far it is on a terminal; yield None where there is none."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.status import Status  # takes a while, and a pipe has no use for it

    began = monotonic()
    with Status(f"{title} …", console=Console(stderr=True)) as status:

        def announce(solver: str, work: Mapping[str, int]) -> None:
            counters = ", ".join(f"{value:,} {key.replace('_', ' ')}" for key, value in work.items())
            status.update(f"{title}: {solver} {monotonic() - began:.0f} s, {counters}")

        yield announce
