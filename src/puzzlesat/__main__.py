"""The program, from its first moment to its last: ``puzzlesat``, ``python -m puzzlesat``."""

from __future__ import annotations

import atexit
import os
import signal
import sys
from collections.abc import Callable

from puzzlesat.cli.exit_status import STOPPED_EARLY
from puzzlesat.interrupts import INTERRUPTS


def main() -> None:
    """Run the command line.

    A signal to end is heeded while the program is being loaded, too, and does not matter any more when all is done.
    """
    _open_what_is_closed()
    _on_signals(_end)
    atexit.register(_on_signals, signal.SIG_IGN)
    from puzzlesat.cli.main import app

    app()


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
