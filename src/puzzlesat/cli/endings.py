"""The end of every command: exceptions become one clear message and an exit status, without a traceback."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any, TextIO

import typer

from puzzlesat import base
from puzzlesat.base import Interrupted, is_folder, why_missing
from puzzlesat.cli.exit_status import BAD_INPUT, DONE, FAILED, STOPPED_EARLY

LESS_MEMORY = "try another solver (--solver backtrack, or tally with --memory GIB), a smaller form or a shorter list of solutions"
"""Advice in messages about too little memory."""


def says_errors(command: Callable[..., None]) -> Callable[..., None]:
    """Turn every exception that ends a command into a clear message and an exit status."""

    @wraps(command)
    def run(*args: Any, **kwargs: Any) -> None:
        from puzzlesat.cli.output import cut_short
        from puzzlesat.cli.terminal import say_error

        _say_warnings()
        try:
            try:
                command(*args, **kwargs)
            finally:
                sys.stdout.flush()  # a write error must show up here, not when the interpreter exits
        except base.PuzzleError as error:
            for problem in error.problems:
                say_error(f"puzzlesat: {problem}")
            raise typer.Exit(STOPPED_EARLY if isinstance(error, base.NoRoomError) else BAD_INPUT) from None
        except base.ContradictionError as error:
            say_error(f"puzzlesat: {error}")
            raise typer.Exit(FAILED) from None
        except base.EndedError as ended:
            raise typer.Exit(cut_short({}, ended.words, as_json=bool(kwargs.get("json")))) from None
        except RecursionError:
            say_error("puzzlesat: the file is nested too deeply; make a flatter one")
            raise typer.Exit(BAD_INPUT) from None
        except (MemoryError, RuntimeError) as error:
            if not base.NoMemoryError.is_behind(error):
                raise
            raise typer.Exit(cut_short({}, f"out of memory; {LESS_MEMORY}", as_json=bool(kwargs.get("json")))) from None
        except ImportError as error:
            missing = base.NotSupportedError.missing((error.name or "").partition(".")[0])
            say_error(f"puzzlesat: {missing or f'a library could not be loaded: {error}'}")
            raise typer.Exit(BAD_INPUT) from None
        except OSError as error:
            raise typer.Exit(_say_os_error(error)) from None

    return _heeds_signals(run)


def _heeds_signals(command: Callable[..., None]) -> Callable[..., None]:
    """Let signals such as SIGTERM end a command in the same way as Ctrl-C, from its first line to its last."""

    @wraps(command)
    def run(*args: Any, **kwargs: Any) -> None:
        from puzzlesat.cli.terminal import interruptible

        try:
            with interruptible():
                command(*args, **kwargs)
        except KeyboardInterrupt:
            typer.echo("puzzlesat: interrupted", err=True)
            raise typer.Exit(STOPPED_EARLY) from None
        except Exception as error:
            if f"{Interrupted.__name__}: " not in str(error):
                raise
            typer.echo("puzzlesat: interrupted", err=True)  # pydantic wraps the interruption in its own exception while it builds a schema
            raise typer.Exit(STOPPED_EARLY) from None

    return run


def _say_os_error(error: OSError) -> int:
    """Print which file could not be read or written, and why; return the exit status. An error without a file is one of standard output."""
    if error.filename is None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # discard the rest of the buffer
        if isinstance(error, BrokenPipeError):  # the reader, such as ``head``, has closed the pipe
            return DONE
    from puzzlesat.cli.terminal import say_error

    say_error(f"puzzlesat: {error.filename or 'standard output'}: {why_failed(error)}")
    return BAD_INPUT


def _say_warnings() -> None:
    """Print each warning about a file once, in one line."""
    import warnings

    from puzzlesat.cli.terminal import say_error

    usual = warnings.showwarning
    printed: set[str] = set()

    def show(
        message: Warning | str, category: type[Warning], filename: str, lineno: int, file: TextIO | None = None, line: str | None = None
    ) -> None:
        if category is not base.PuzzleWarning:
            usual(message, category, filename, lineno, file, line)
        elif str(message) not in printed:
            printed.add(str(message))
            say_error(f"puzzlesat: warning: {message}")

    warnings.simplefilter("always", base.PuzzleWarning)
    warnings.showwarning = show


def why_failed(error: OSError) -> str:
    """Return why a file could not be read or written, from ``why_missing`` or from the operating system."""
    if not isinstance(error, FileNotFoundError) or error.filename is None:
        return error.strerror or str(error)
    path = Path(os.fsdecode(error.filename))
    return why_missing(path) if is_folder(path.parent) else f"there is no folder {path.parent}"
