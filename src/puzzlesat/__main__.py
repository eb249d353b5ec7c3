"""The program, from its first moment to its last: ``puzzlesat``, ``python -m puzzlesat``."""

from __future__ import annotations

import atexit
import os
import signal
from collections.abc import Callable

from puzzlesat.interrupts import INTERRUPTS


def main() -> None:
    """Run the command line.

    A signal to end is heeded while the program is being loaded, too, and does not matter any more when all is done.
    """
    _on_signals(_end)
    atexit.register(_on_signals, signal.SIG_IGN)
    from puzzlesat.cli.main import app

    app()


def _on_signals(handler: Callable[[int, object], None] | signal.Handlers) -> None:
    for number in INTERRUPTS:
        if signal.getsignal(number) != signal.SIG_IGN:  # nohup
            signal.signal(number, handler)


def _end(_number: int, _frame: object) -> None:
    try:
        os.write(2, b"puzzlesat: interrupted\n")
    finally:
        os._exit(3)


if __name__ == "__main__":
    main()
