"""The signals that ask the program to end: Ctrl-C, ``kill``, and a terminal that is closed."""

from __future__ import annotations

import signal

INTERRUPTS: tuple[signal.Signals, ...] = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
