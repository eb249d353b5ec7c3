"""What the commands share with the terminal: consoles, progress, Ctrl-C and other signals to end."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from threading import Event, Timer, current_thread, main_thread
from time import monotonic
from weakref import ref

from rich.console import Console

from puzzlesat.interrupts import INTERRUPTS, Interrupted

Announce = Callable[[str, Mapping[str, int]], None]

SAME_INTERRUPT_SECONDS = 0.5
AGAIN_SECONDS = 0.02

_stops: list[Event] = []
"""The events of the blocks in which a signal does not end the program at once, the innermost last."""
_heard = float("-inf")
"""When a signal was acted on last."""
_raised: ref[Interrupted] | None = None
"""The exception that is on its way out. Should it be gone on the way, the signal is sent again: a handler may be run in a finalizer or a
callback, whose exceptions Python drops, or under a bare ``except`` of a library."""


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
def interruptible() -> Iterator[None]:
    """Let ``kill`` and a terminal that is closed end the block as Ctrl-C does, by KeyboardInterrupt, so that all is left tidy.

    What was started with ``nohup`` goes on when the terminal is closed. ``timeout`` and the like send the signal to the program and to
    its group: two within a moment are one, and the second does not disturb the tidying up.
    """
    if current_thread() is not main_thread():
        yield
        return
    before = {number: signal.getsignal(number) for number in INTERRUPTS}
    taken = [n for n, handler in before.items() if n == signal.SIGINT or handler != signal.SIG_IGN]
    say_unraisable = sys.unraisablehook

    def on_unraisable(found: sys.UnraisableHookArgs) -> None:
        if not isinstance(found.exc_value, Interrupted):
            say_unraisable(found)

    global _raised
    try:
        sys.unraisablehook = on_unraisable
        for number in taken:
            signal.signal(number, _on_signal)
        yield
    finally:
        _raised = None
        for number in taken:
            signal.signal(number, before[number])
        sys.unraisablehook = say_unraisable


def _again() -> None:
    global _heard
    _heard = float("-inf")
    if _raised is not None:
        signal.raise_signal(signal.SIGINT)


def _on_signal(_number: int, _frame: object) -> None:
    global _heard
    now = monotonic()
    if now - _heard < SAME_INTERRUPT_SECONDS:
        return
    _heard = now
    if not _stops or _stops[-1].is_set():
        raise _watched()  # named nowhere, or it would hold itself by its traceback
    _stops[-1].set()


def _watched() -> Interrupted:
    global _raised
    error = Interrupted()
    _raised = ref(error, lambda _: Timer(AGAIN_SECONDS, _again).start())
    return error


@contextmanager
def stoppable() -> Iterator[Event]:
    """Yield an event that the first Ctrl-C sets, so that what was counted is kept; a second one ends the program at once.

    So do the other signals of ``interruptible``.
    """
    stop = Event()
    _stops.append(stop)
    try:
        with interruptible():
            yield stop
    finally:
        _stops.remove(stop)


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
