"""What ends work from outside: the signals Ctrl-C, ``kill``, and a terminal that is closed (on Windows SIGBREAK, also Ctrl-Break); limits.

A signal is handled in the main thread. A limit is noticed by a second thread, which raises an exception in the thread that works.
"""

from __future__ import annotations

import ctypes
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from threading import Event, Lock, Thread, get_ident
from time import monotonic, sleep

LOOK_SECONDS = 0.05
"""How often the limits of overseen work are looked at."""
AGAIN_SECONDS = 0.5
"""The exception is raised again after this time, if something has dropped the first one, such as a finalizer."""
STEPS = 10
"""Rounds of a loop in which an exception that was raised in this thread arrives."""
LOADERS = ("importlib", "numba", "llvmlite")
"""Packages that are left to finish: a module that is half loaded, or a kernel half compiled, would be of no use later on."""

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


@dataclass(eq=False)
class _Work:
    """Overseen work of a thread."""

    thread: int
    why: Callable[[], BaseException | None]
    raised: type[BaseException]
    raising: Lock = field(default_factory=Lock)
    """Held by whoever raises an exception in it, or ends it."""
    seen: bool = False
    """Whether it had to end when it was looked at last."""
    after: float = 0.0
    """The time from which on an exception may be raised in it."""
    found: BaseException | None = None
    """Why it was ended."""

    def look(self) -> None:
        """Raise the exception in the thread if the work must end, and had to when it was looked at before."""
        seen = self.why()
        if seen is not None and self.seen and monotonic() >= self.after and not _is_loading(self.thread):
            with self.raising:
                if _works.get(self.thread) is self:
                    self.found, self.after = seen, monotonic() + AGAIN_SECONDS
                    _raise_in(self.thread, self.raised)
        self.seen = seen is not None


_works: dict[int, _Work] = {}
"""The work that is overseen, by its thread."""
_some = Event()
"""Set while there is some."""
_overseer: Thread | None = None


def _oversee() -> None:
    """Look at all overseen work, for ever."""
    while True:
        _some.wait()
        sleep(LOOK_SECONDS)
        if not _works:
            _some.clear()
            if not _works:
                continue
            _some.set()
        for work in [*_works.values()]:
            work.look()


@contextmanager
def overseen(why: Callable[[], BaseException | None], raised: type[BaseException]) -> Iterator[None]:
    """Let a second thread ask twenty times a second whether this work must end, and end it anywhere by the exception that says why.

    It ends at the second such answer, so that work that asks by itself ends first. ``raised`` is the exception raised in this thread, made
    without arguments; the caller gets the one that says why. A block within another one of the same thread is part of that one. The block
    must only compute something: it may end between any two steps.
    """
    global _overseer
    thread = get_ident()
    if thread in _works:
        yield
        return
    if _overseer is None or not _overseer.is_alive():  # it is not, in a process that was forked
        _overseer = Thread(target=_oversee, daemon=True)
        with suppress(RuntimeError):  # there is no memory for another thread
            _overseer.start()
    work = _works[thread] = _Work(thread, why, raised)
    _some.set()
    try:
        yield
    except raised:
        raise work.found or raised from None
    finally:
        _end(work)


def _end(work: _Work) -> None:
    """End the overseeing of this thread's work. An exception that is already on its way is caught here: it comes too late.

    It must not be taken back: CPython would then look for an exception at each step from then on, which takes time.
    """
    while True:
        try:
            with work.raising:
                _works.pop(work.thread, None)
            for _ in range(STEPS):
                pass
        except work.raised:
            continue
        return


def _raise_in(thread: int, error: type[BaseException]) -> None:
    """Raise an exception in a thread as soon as it takes its next step."""
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(error))


def _is_loading(thread: int) -> bool:
    """Whether a thread loads a module or compiles a kernel."""
    frame = sys._current_frames().get(thread)
    while frame is not None:
        if str(frame.f_globals.get("__name__")).split(".")[0].removeprefix("_frozen_") in LOADERS:
            return True
        frame = frame.f_back
    return False
