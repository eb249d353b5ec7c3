"""What ends work from outside: the signals Ctrl-C, ``kill``, and a terminal that is closed (on Windows SIGBREAK, also Ctrl-Break); limits.

A signal is handled in the main thread. A limit is noticed by a second thread, which raises an exception in the thread that works.
"""

from __future__ import annotations

import ctypes
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Lock, Thread, get_ident

LOOK_SECONDS = 0.05
"""How often the limits of overseen work are looked at."""
AGAIN_SECONDS = 0.5
"""The exception is raised again after this time, if something has dropped the first one, such as a finalizer."""
LOADERS = ("importlib", "numba", "llvmlite")
"""Packages that are left to finish: a module that is half loaded, or a kernel half compiled, would be of no use later on."""

_overseen: set[int] = set()
"""The threads whose work is overseen."""

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


@contextmanager
def overseen(why: Callable[[], BaseException | None], raised: type[BaseException]) -> Iterator[None]:
    """Let a second thread ask twenty times a second whether this work must end, and end it anywhere by the exception that says why.

    It ends at the second such answer, so that work that asks by itself ends first. ``raised`` is the exception raised in this thread, made
    without arguments; the caller gets the one that says why. A block within another one of the same thread has no thread of its own. The
    block must only compute something: it may end between any two steps.
    """
    thread = get_ident()
    if thread in _overseen:
        yield
        return
    over, raising = Event(), Lock()
    found: list[BaseException] = []

    def oversee() -> None:
        before = None
        while not over.wait(LOOK_SECONDS):
            seen = why()
            if seen is not None and before is not None and not _is_loading(thread):
                with raising:
                    if not over.is_set():
                        found.append(seen)
                        _raise_in(thread, raised)
                over.wait(AGAIN_SECONDS)
            before = seen

    _overseen.add(thread)
    try:
        Thread(target=oversee, daemon=True).start()
        try:
            yield
        finally:
            over.set()
            with raising:
                _raise_in(thread, None)  # what is on its way has come too late
    except raised:
        raise found[-1] if found else raised from None
    finally:
        over.set()
        _overseen.discard(thread)


def _raise_in(thread: int, error: type[BaseException] | None) -> None:
    """Raise an exception in a thread as soon as it takes its next step; None: take back one that was not raised yet."""
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), None if error is None else ctypes.py_object(error))


def _is_loading(thread: int) -> bool:
    """Whether a thread loads a module or compiles a kernel."""
    frame = sys._current_frames().get(thread)
    while frame is not None:
        if str(frame.f_globals.get("__name__")).split(".")[0].removeprefix("_frozen_") in LOADERS:
            return True
        frame = frame.f_back
    return False
