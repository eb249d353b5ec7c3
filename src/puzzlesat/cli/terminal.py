"""What the commands share with the terminal: consoles, progress, Ctrl-C."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from threading import Event, current_thread, main_thread
from time import monotonic

from rich.console import Console
from rich.status import Status

Announce = Callable[[str, Mapping[str, int]], None]


def console() -> Console:
    """The console for results: as wide as the terminal, and wide enough for a table in a pipe."""
    out = Console(highlight=False)
    return out if out.is_terminal else Console(highlight=False, width=200)


@contextmanager
def stoppable() -> Iterator[Event]:
    """Yield an event that the first Ctrl-C sets, so that what was counted is kept; a second one ends the program at once."""
    stop = Event()
    if current_thread() is not main_thread():
        yield stop
        return

    def on_interrupt(_number: int, _frame: object) -> None:
        stop.set()
        signal.signal(signal.SIGINT, previous)

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
    began = monotonic()
    with Status(f"{title} …", console=Console(stderr=True)) as status:

        def announce(solver: str, work: Mapping[str, int]) -> None:
            counters = ", ".join(f"{value:,} {key.replace('_', ' ')}" for key, value in work.items())
            status.update(f"{title}: {solver} {monotonic() - began:.0f} s, {counters}")

        yield announce
