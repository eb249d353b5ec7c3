"""The first moment of the program: from here on a signal to end is heeded, while the rest is still being loaded."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable

from puzzlesat.base import INTERRUPTS
from puzzlesat.cli.exit_status import STOPPED_EARLY


def on_signals(handler: Callable[[int, object], None] | signal.Handlers) -> None:
    """Handle each signal to end that is not ignored (``nohup``)."""
    for number in INTERRUPTS:
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, handler)


def end(_number: int, _frame: object) -> None:
    """End at once, with a word and the status that is meant."""
    try:
        os.write(2, b"puzzlesat: interrupted\n")
    finally:
        os._exit(STOPPED_EARLY)


on_signals(end)
