"""The signals that ask the program to end: Ctrl-C, ``kill``, and a terminal that is closed (on Windows SIGBREAK, also Ctrl-Break)."""

from __future__ import annotations

import signal

INTERRUPTS: tuple[signal.Signals, ...] = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK") if hasattr(signal, name)
)


class Interrupted(KeyboardInterrupt):
    """Raised where a signal comes.

    A KeyboardInterrupt itself that leaves code given to ``exec`` as text (every dataclass is made so) lets Python end by SIGINT, whatever
    the program makes of it and whichever signal it was.
    """


def interrupt(_number: int, _frame: object) -> None:
    """Handle a signal by raising Interrupted."""
    raise Interrupted
