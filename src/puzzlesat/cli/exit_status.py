"""The exit statuses of all commands, and the end of a command that a signal interrupts while the program is being loaded."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable

from puzzlesat.base import Interrupted

DONE, FAILED, BAD_INPUT, STOPPED_EARLY = 0, 1, 2, 3
MEANINGS = {DONE: "done", FAILED: "a check failed", BAD_INPUT: "bad usage or a bad file", STOPPED_EARLY: "stopped early"}


def status_after(failed: bool, complete: bool) -> int:
    """Return the exit status after a check that failed or not, and work that is complete or not."""
    return FAILED if failed else DONE if complete else STOPPED_EARLY


def worse(one: int, other: int) -> int:
    """Return the worse of two exit statuses: a failed check outweighs a run that stopped early."""
    return FAILED if FAILED in (one, other) else max(one, other)


def end(_number: int, _frame: object) -> None:
    """End at once, with a message and the exit status of an interrupted command."""
    try:
        os.write(2, b"puzzlesat: interrupted\n")
    finally:
        os._exit(STOPPED_EARLY)


def on_signals(handler: Callable[[int, object], None] | signal.Handlers = end) -> None:
    """Set the handler of each signal that ends the program, unless the signal is ignored (``nohup``)."""
    for number in Interrupted.signals:
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, handler)
