"""The program, from its first moment to its last: ``puzzlesat``, ``python -m puzzlesat``."""

from __future__ import annotations

import atexit
import gc
import os
import signal
import sys
from collections.abc import Callable

from puzzlesat.cli.exit_status import STOPPED_EARLY
from puzzlesat.interrupts import INTERRUPTS

OBJECTS_A_COLLECTION = 20_000
"""New objects after which Python looks for cycles of garbage."""


def main() -> None:
    """Run the command line.

    A signal to end is heeded while the program is being loaded, too, and does not matter any more when all is done.
    """
    _open_what_is_closed()
    _on_signals(_end)
    atexit.register(_on_signals, signal.SIG_IGN)
    _load_quickly()
    from puzzlesat.cli.main import app

    app()


def _load_quickly() -> None:
    """Do without what costs a short run time: threads for matrices of floats, and looking for garbage among what is being loaded."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # read when numpy is loaded
    gc.set_threshold(OBJECTS_A_COLLECTION)


def _open_what_is_closed() -> None:
    """Let there be a standard input, output and error output, even where a shell has closed one (``>&-``).

    Otherwise the next file that is opened would be it, and get whatever a library prints.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # the lowest number that is free is given out first
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_RDWR), mode, encoding="utf-8"))


def _on_signals(handler: Callable[[int, object], None] | signal.Handlers) -> None:
    for number in INTERRUPTS:
        if signal.getsignal(number) != signal.SIG_IGN:  # nohup
            signal.signal(number, handler)


def _end(_number: int, _frame: object) -> None:
    try:
        os.write(2, b"puzzlesat: interrupted\n")
    finally:
        os._exit(STOPPED_EARLY)


if __name__ == "__main__":
    main()
