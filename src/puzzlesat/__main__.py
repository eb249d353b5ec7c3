"""The entry point of ``puzzlesat`` and ``python -m puzzlesat``: prepare signals and streams, then run the command line."""

from __future__ import annotations

import atexit
import codecs
import gc
import io
import os
import signal
import sys

from puzzlesat.cli.exit_status import on_signals

on_signals()  # handle signals while the rest is being loaded

OBJECTS_A_COLLECTION = 20_000
"""New objects after which Python collects garbage cycles."""

NO_SUCH_GLYPH = "puzzlesat"
"""Name of the error handler for characters that an encoding does not have."""
TO_SEE_THEM = "set PYTHONIOENCODING=utf-8 if it can show UTF-8, or write to a file"
_told: set[str] = set()
"""The encodings for which the message about missing characters was printed."""


def main() -> None:
    """Run the command line.

    Signals are also handled while the program is loaded; they are ignored after the command has finished.
    """
    _open_what_is_closed()
    _write_utf8()
    on_signals()
    atexit.register(on_signals, signal.SIG_IGN)
    _load_quickly()
    from puzzlesat.cli.main import program

    program(*sys.argv[1:2])()


def _load_quickly() -> None:
    """Switch off what slows short runs: OpenBLAS threads, pydantic plugins, and garbage collection while modules load."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # read when numpy is loaded
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")  # to look for them, pydantic reads the metadata of all distributions
    gc.set_threshold(OBJECTS_A_COLLECTION)


def _open_what_is_closed() -> None:
    """Replace each standard stream that the shell has closed (``>&-``) with the null device.

    Otherwise the next opened file would take its descriptor, and receive what libraries print.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # ``open`` returns the lowest free descriptor
            stream = os.fdopen(os.open(os.devnull, os.O_RDWR), mode, encoding="utf-8")
            setattr(sys, name, stream)
            setattr(sys, f"__{name}__", stream)  # a reference, or Python would close the stream when ``_write_utf8`` replaces it


class _Messages(io.TextIOWrapper):
    """Standard error that drops messages if the reader has closed the pipe, so that the exit status stays the same."""

    def write(self, text: str) -> int:
        """Write a text, or drop it."""
        try:
            return super().write(text)
        except BrokenPipeError:
            return self._drop(len(text))

    def flush(self) -> None:
        """Write the buffered text, or drop it."""
        try:
            super().flush()
        except BrokenPipeError:
            self._drop(0)

    def _drop(self, length: int) -> int:
        os.dup2(os.open(os.devnull, os.O_WRONLY), self.fileno())
        return length


def _write_utf8() -> None:
    """Write UTF-8 to files and pipes, whatever the system's encoding is; on a terminal, replace characters that it lacks."""
    codecs.register_error(NO_SUCH_GLYPH, _without_glyph)
    if isinstance(sys.stderr, io.TextIOWrapper) and not sys.stderr.isatty():
        sys.stderr = _Messages(sys.stderr.buffer, line_buffering=True)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and not stream.isatty():
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
        elif isinstance(stream, io.TextIOWrapper) and stream is sys.stdout:
            stream.reconfigure(errors=NO_SUCH_GLYPH)


def _without_glyph(error: UnicodeError) -> tuple[str, int]:
    """Replace characters that the encoding of a terminal lacks with question marks; print a message about it once."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    if error.encoding not in _told:
        _told.add(error.encoding)
        print(f"puzzlesat: this terminal is set to {error.encoding}, so some characters become '?'; {TO_SEE_THEM}", file=sys.stderr)
    return "?" * (error.end - error.start), error.end


if __name__ == "__main__":
    main()
