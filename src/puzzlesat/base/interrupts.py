"""Interrupt work: by the signals of Ctrl-C, ``kill`` and a closed terminal (on Windows also Ctrl-Break), and by limits.

The main thread handles signals. A second thread watches the limits and raises an exception in the working thread.
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
from typing import ClassVar

LOOK_SECONDS = 0.05
"""Interval between two looks at the limits of overseen work."""
AGAIN_SECONDS = 0.5
"""The exception is raised again after this time, in case something such as a finalizer swallowed the first one."""
STEPS = 10
"""Iterations of a loop that give a pending exception time to arrive in this thread."""
LOADERS = ("importlib", "numba", "llvmlite")
"""These packages are not interrupted, because a module half loaded or a kernel half compiled would be unusable."""


class Interrupted(KeyboardInterrupt):
    """A signal asked the program to end.

    It is a subclass because of CPython: a plain KeyboardInterrupt that leaves code run by ``exec`` (as in every dataclass) ends the process
    by SIGINT, even if the program catches it or the signal was another one.
    """

    signals: ClassVar[tuple[signal.Signals, ...]] = tuple(
        signal.Signals[name] for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK") if hasattr(signal, name)
    )


def interrupt(_number: int, _frame: object) -> None:
    """Raise Interrupted: the handler of a signal."""
    raise Interrupted


@dataclass(eq=False)
class _Work:
    """Overseen work of a thread."""

    thread: int
    why: Callable[[], BaseException | None]
    raised: type[BaseException]
    raising: Lock = field(default_factory=Lock)
    """Lock for raising an exception in the work and for ending it."""
    due: bool = False
    """True if the work had to end at the last look."""
    after: float = 0.0
    """No exception is raised before this time."""
    reason: BaseException | None = None
    """The reason why it was ended."""

    def look(self) -> None:
        """Raise the exception in the thread if the work must end now and had to end at the last look."""
        reason = self.why()
        if reason is not None and self.due and monotonic() >= self.after and not _is_loading(self.thread):
            with self.raising:
                if _works.get(self.thread) is self:
                    self.reason, self.after = reason, monotonic() + AGAIN_SECONDS
                    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(self.thread), ctypes.py_object(self.raised))
        self.due = reason is not None


_works: dict[int, _Work] = {}
"""Overseen work by thread."""
_some = Event()
"""Set while some work is overseen."""
_overseer: Thread | None = None


def _oversee() -> None:
    """Look at all overseen work forever."""
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
    """Run a block that a second thread can end at any point: it calls ``why`` twenty times a second for a reason to end.

    The block ends at the second reason in a row, so that work which checks its limits itself ends first. The thread makes an exception of
    the class ``raised``, without arguments, in this thread; the caller gets the reason instead. A block inside another one of the same
    thread is part of the outer one. The block must only compute something, because it may end between any two steps.
    """
    global _overseer
    thread = get_ident()
    if thread in _works:
        yield
        return
    if _overseer is None or not _overseer.is_alive():  # a forked process does not have the thread
        _overseer = Thread(target=_oversee, daemon=True)
        with suppress(RuntimeError):  # no memory for another thread
            _overseer.start()
    work = _works[thread] = _Work(thread, why, raised)
    _some.set()
    try:
        yield
    except raised:
        raise work.reason or raised from None
    finally:
        _end(work)


def _end(work: _Work) -> None:
    """Stop overseeing the work of this thread, and swallow an exception that is already pending: it comes too late.

    Cancelling the exception instead would leave CPython slower: it would check for a pending exception at each step.
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


def _is_loading(thread: int) -> bool:
    """Return whether a thread is loading a module or compiling a kernel."""
    frame = sys._current_frames().get(thread)
    while frame is not None:
        if str(frame.f_globals.get("__name__")).split(".")[0].removeprefix("_frozen_") in LOADERS:
            return True
        frame = frame.f_back
    return False
