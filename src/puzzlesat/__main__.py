"""The program, from its first moment to its last: ``puzzlesat``, ``python -m puzzlesat``."""

from __future__ import annotations

import atexit
import codecs
import gc
import io
import os
import signal
import sys
from collections.abc import Callable

from puzzlesat.base import Interrupted
from puzzlesat.cli.exit_status import STOPPED_EARLY


def on_signals(handler: Callable[[int, object], None] | signal.Handlers) -> None:
    """Handle each signal to end that is not ignored (``nohup``)."""
    for number in Interrupted.signals:
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, handler)


def end(_number: int, _frame: object) -> None:
    """End at once, with a word and the status that is meant."""
    try:
        os.write(2, b"puzzlesat: interrupted\n")
    finally:
        os._exit(STOPPED_EARLY)


on_signals(end)  # from here on a signal to end is heeded, while the rest is being loaded

OBJECTS_A_COLLECTION = 20_000
"""New objects after which Python looks for cycles of garbage."""

NO_SUCH_GLYPH = "puzzlesat"
"""The name under which Python knows what to do with a character that an encoding has not."""
TO_SEE_THEM = "set PYTHONIOENCODING=utf-8 if it can show UTF-8, or write to a file"
_told: set[str] = set()
"""The encodings of which it was said that they have too few characters."""


def main() -> None:
    """Run the command line.

    A signal to end is heeded while the program is being loaded, too, and does not matter any more when all is done.
    """
    _open_what_is_closed()
    _write_utf8()
    on_signals(end)
    atexit.register(on_signals, signal.SIG_IGN)
    _load_quickly()
    from puzzlesat.cli.main import app, keep_only

    keep_only(sys.argv[1:2])
    app()


def _load_quickly() -> None:
    """Leave out what slows a short run: threads for matrices of floats, plugins of pydantic, collecting garbage while modules load."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # read when numpy is loaded
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")  # to look for them, pydantic reads the metadata of all distributions
    gc.set_threshold(OBJECTS_A_COLLECTION)


def _open_what_is_closed() -> None:
    """Let there be a standard input, output and error output, even where a shell has closed one (``>&-``).

    Otherwise the next file that is opened would be it, and get whatever a library prints.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # the lowest number that is free is given out first
            stream = os.fdopen(os.open(os.devnull, os.O_RDWR), mode, encoding="utf-8")
            setattr(sys, name, stream)
            setattr(sys, f"__{name}__", stream)  # if nothing referred to it, Python would close it when ``_write_utf8`` replaces it


class _Messages(io.TextIOWrapper):
    """Standard error. Where nobody reads it any more, messages go nowhere, and the exit status stays what it is."""

    def write(self, text: str) -> int:
        """Write a text, or drop it."""
        try:
            return super().write(text)
        except BrokenPipeError:
            return self._drop(len(text))

    def flush(self) -> None:
        """Write what is left, or drop it."""
        try:
            super().flush()
        except BrokenPipeError:
            self._drop(0)

    def _drop(self, length: int) -> int:
        os.dup2(os.open(os.devnull, os.O_WRONLY), self.fileno())
        return length


def _write_utf8() -> None:
    """Write UTF-8 to files and pipes, whatever the system's encoding is; a terminal shows what it can, and what it cannot is said."""
    codecs.register_error(NO_SUCH_GLYPH, _without_glyph)
    if isinstance(sys.stderr, io.TextIOWrapper) and not sys.stderr.isatty():
        sys.stderr = _Messages(sys.stderr.buffer, line_buffering=True)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and not stream.isatty():
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
        elif isinstance(stream, io.TextIOWrapper) and stream is sys.stdout:
            stream.reconfigure(errors=NO_SUCH_GLYPH)


def _without_glyph(error: UnicodeError) -> tuple[str, int]:
    """Write question marks for what the encoding of a terminal has not, and say so once."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    if error.encoding not in _told:
        _told.add(error.encoding)
        print(f"puzzlesat: this terminal is set to {error.encoding}, so some characters become '?'; {TO_SEE_THEM}", file=sys.stderr)
    return "?" * (error.end - error.start), error.end


if __name__ == "__main__":
    main()
