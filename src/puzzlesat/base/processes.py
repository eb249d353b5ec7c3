"""Child processes: start one, call functions in it, ask it to stop, notice its death, and kill it. Nothing else starts processes.

A child is a fresh interpreter that does not run the main module again. It handles one call at a time: a pickled function of a module with
its arguments arrives on standard input, and the result or the exception goes back on standard output. Whatever a child prints goes to the
error output, so that it does not disturb the answers.

- Only the parent handles signals. A child has its own process group, which Ctrl-C in the terminal does not reach, and ignores from its
  start the signals that a batch system sends to every process. It stays in the session of its parent, because Linux distributes
  processor time among sessions first and applies ``nice`` within a session.
- ``stop`` asks a child to finish early: it sets the event ``told_to_stop`` in the child, until ``go_on``. ``kill`` ends it at once.
- During a call a child may send messages to its caller (``tell``), such as progress or partial results.
- A child ends when its parent ends, because its input ends. Work that holds the interpreter lock cannot notice this, so it calls
  ``end_at_once_with_parent`` first. Linux then kills the child; on other systems a second process watches the parent.
- If a child dies, its caller gets a ChildEndedError with the exit status. Other children are not affected.
"""

from __future__ import annotations

import ctypes
import io
import os
import pickle
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from queue import SimpleQueue
from threading import Event, Lock, Thread, local
from typing import TYPE_CHECKING, Any, BinaryIO, ClassVar, NoReturn, ParamSpec, TypeVar, cast
from weakref import WeakSet, finalize

from puzzlesat.base.files import remove_unfinished
from puzzlesat.base.interrupts import Interrupted
from puzzlesat.kernels import compiling

if TYPE_CHECKING:
    import psutil

P = ParamSpec("P")
T = TypeVar("T")

BEGIN = "import sys; sys.path[:] = sys.argv[1:]; from puzzlesat.base.processes import serve; serve()"
WATCH = "import sys; sys.path[:] = sys.argv[3:]; from puzzlesat.base.processes import watch; watch(*map(int, sys.argv[1:3]))"
PR_SET_PDEATHSIG = 1
SIZE_BYTES = 8
LOOK_SECONDS = 0.05
"""Interval between two calls of ``go_on`` while another program runs."""
WATCH_SECONDS = 0.5
"""Interval between two checks of a watching process whether the parent is alive."""
ALONE_SECONDS = 3.0
"""Work is shared among processes only after this time, because the start of a process takes a second or two."""
STOP, GO_ON = b"", b"go on"
"""Messages that are not calls: stop early, and a cancellation of this."""


@dataclass(frozen=True)
class _Told:
    """A message of a child before its answer."""

    what: Any


_tell: Callable[[Any], None] | None = None
"""In a child: the function that sends a message to the caller."""


_living: WeakSet[subprocess.Popen[bytes]] = WeakSet()
"""The child processes that may still be alive."""
_changing_living = Lock()
"""Guards ``_living``: several threads start children and measure them."""


def _processes() -> list[subprocess.Popen[bytes]]:
    with _changing_living:
        return list(_living)


def cpu_seconds() -> float:
    """Return the CPU seconds of this process and its children, living and ended, without the time for compiling kernels."""
    own = os.times()
    return own.user + own.system + own.children_user + own.children_system + sum(map(_worked, _processes())) - compiling.cpu


def resident_bytes() -> int:
    """Return the resident memory of this process and all its descendants in bytes."""
    import psutil  # imported late, so that the program starts fast

    total = 0
    for number in [os.getpid(), *(process.pid for process in _processes())]:
        with suppress(psutil.Error, OSError):  # the process has ended, or the system reports nothing, as Linux without /proc
            process = psutil.Process(number)
            total += sum(map(_resident, [process] if number == os.getpid() else [process, *process.children(recursive=True)]))
    return total


def give_back() -> None:
    """Return freed memory that the C library keeps to the system (glibc only)."""
    with suppress(AttributeError, OSError, TypeError):  # another C library
        ctypes.CDLL(None).malloc_trim(0)


def _resident(process: psutil.Process) -> int:
    """Return the resident memory of a process in bytes, 0 if it has ended; without mapped files, if the system reports them."""
    import psutil

    with suppress(psutil.Error, OSError):
        memory = process.memory_info()
        return int(memory.rss - getattr(memory, "shared", 0))  # the system can drop mapped files at any time
    return 0


def _worked(process: subprocess.Popen[bytes]) -> float:
    """Return the CPU seconds of a living child, with those of its own ended children if the system counts them."""
    import psutil

    if process.returncode is None:  # os.times counts an ended child
        with suppress(psutil.Error, OSError):
            times = psutil.Process(process.pid).cpu_times()
            return float(times.user + times.system + getattr(times, "children_user", 0.0) + getattr(times, "children_system", 0.0))
    return 0.0


def _beginning() -> Callable[[], None] | None:
    """Return the function that a new process calls between fork and exec; None on Windows, which has no fork."""
    if sys.platform == "win32":
        return None
    if sys.platform != "linux":
        return _most_stack
    prctl = ctypes.CDLL(None).prctl  # looked up here: between fork and exec, another thread may have left the loader locked

    def begin() -> None:
        prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        _most_stack()

    return begin


def _most_stack() -> None:
    """Raise the stack limit of this process to its hard limit."""
    import resource

    most = resource.getrlimit(resource.RLIMIT_STACK)[1]
    with suppress(OSError, ValueError):  # some systems report a hard limit that they do not grant
        resource.setrlimit(resource.RLIMIT_STACK, (most, most))


class ChildEndedError(RuntimeError):
    """A child died or was killed before it answered."""

    def __init__(self, status: int) -> None:
        super().__init__(f"exit status {status}")
        self.status = status

    def __reduce__(self) -> tuple[type[ChildEndedError], tuple[int]]:
        return type(self), (self.status,)  # it may be pickled and raised on another machine


class InChildError(Exception):
    """The cause of an exception that a child raised, with the child's traceback."""


class Child:
    """A child process that handles one call after another. It is killed when the object is garbage collected.

    Class attributes and static methods are for code that runs in a child, except ``run_program``.
    """

    told_to_stop: ClassVar[Event] = Event()
    """In a child: set while its parent wants it to stop early."""

    def __init__(self) -> None:
        with _signals_waiting():
            self.process = _started([sys.executable, "-c", BEGIN, *sys.path])
        with _changing_living:
            _living.add(self.process)
        self.end = finalize(self, _end, self.process)
        """Kill the child if it lives, and wait for its end. Call it in the thread of ``ask``, or when no thread is in ``ask``."""
        self.busy = False
        """True from the start of a call to its answer. A child whose answer is abandoned stays busy and is useless."""
        self.heard: Callable[[Any], None] | None = None
        """Called with each message of the child during a call, in the thread of ``ask``; None: messages are ignored."""
        self._writing = Lock()

    def ask(self, function: Callable[P, T], *arguments: P.args, **options: P.kwargs) -> T:
        """Call a function of a module in the child and wait for it; return its result or raise its exception.

        Raises ChildEndedError if the child dies or another thread kills it. An exception of ``heard`` propagates and leaves the child
        ``busy``.
        """
        call = pickle.dumps((function, arguments, options))
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.busy = True
        try:
            with self._writing:
                _send(cast(BinaryIO, self.process.stdin), call)
        except OSError:
            raise ChildEndedError(self.process.wait()) from None
        while isinstance(answer := self._receive(), _Told):
            if self.heard is not None:
                self.heard(answer.what)
        result, error, where = answer
        self.busy = False
        if error is not None:
            raise error from InChildError(where)
        return cast(T, result)

    def _receive(self) -> Any:
        """Return the next message of the child. Raises ChildEndedError if the child has ended."""
        try:
            message = _received(cast(BinaryIO, self.process.stdout))
        except OSError:
            message = None
        if message is None:
            raise ChildEndedError(self.process.wait())
        return pickle.loads(message)

    def stop(self) -> None:
        """Ask the child to stop early, from any thread."""
        self._signal(STOP)

    def go_on(self) -> None:
        """Cancel ``stop`` before the next call."""
        self._signal(GO_ON)

    def _signal(self, message: bytes) -> None:
        assert self.process.stdin is not None
        with self._writing, suppress(OSError):
            _send(cast(BinaryIO, self.process.stdin), message)

    def kill(self) -> None:
        """Kill the child, from any thread."""
        self.process.kill()

    @staticmethod
    def tell(what: Any) -> None:
        """Send a message from a child to its caller before the answer. A message after the answer is ignored; so is one outside a child."""
        if _tell is not None:
            _tell(what)

    @staticmethod
    def end_at_once_with_parent() -> None:
        """Make the system kill this child when its parent ends. Call it before work that holds the interpreter lock.

        Linux kills the child when the thread that started it ends. Other systems have no such request, so another process watches the
        parent.
        """
        if sys.platform == "linux":
            ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        else:
            _watcher(os.getppid(), os.getpid())

    @staticmethod
    def run_program(command: Sequence[str | Path], go_on: Callable[[], object]) -> tuple[int, bytes, bytes]:
        """Run another program with the largest stack that the system allows; return its exit status, output and errors.

        A negative exit status is the signal that ended the program. While it runs, it counts as one of the children; it ends with this
        process. ``go_on`` is called every ``LOOK_SECONDS``; if it raises, the program is killed. Raises OSError if the program cannot
        start.
        """
        process = _started([str(word) for word in command], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, preexec_fn=_beginning())
        if sys.platform != "linux":
            _watcher(os.getpid(), process.pid)
        with _changing_living:
            _living.add(process)
        try:
            while True:
                try:
                    output, errors = process.communicate(timeout=LOOK_SECONDS)
                    return process.returncode, output, errors
                except subprocess.TimeoutExpired:
                    go_on()
        except BaseException:
            _end(process)
            raise


class ChildPool(Executor):
    """A pool of at most ``most`` children. If a child dies, only its own call fails, and a new child replaces it.

    A child is started when there is a call for it. The end of a ``with`` block waits for all calls.
    """

    def __init__(self, most: int) -> None:
        self._threads = ThreadPoolExecutor(most, "children")
        self._own = local()
        self._children: WeakSet[Child] = WeakSet()
        self._changing = Lock()
        self._stopped = self._killed = False

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Call a function of a module in a child."""
        return self._threads.submit(self._ask, partial(fn, *args, **kwargs))

    def stop(self) -> None:
        """Ask all children to stop early, also those that are started later."""
        with self._changing:
            if not self._stopped:
                self._stopped = True
                for child in self._children:
                    child.stop()

    def kill(self) -> None:
        """Kill the children; unanswered calls fail with ChildEndedError or are cancelled."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        with self._changing:
            self._killed = True
            for child in self._children:
                child.kill()

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: FBT002 - the signature of Executor
        """Accept no further calls; if ``wait``, wait for the accepted ones and end the children."""
        self._threads.shutdown(wait, cancel_futures=cancel_futures)
        if wait:
            for child in list(self._children):
                child.end()

    def _ask(self, call: Callable[[], T]) -> T:
        """Make a call in the child that belongs to this thread."""
        child: Child | None = getattr(self._own, "child", None)
        if child is None or child.busy:  # no child yet, or the last one died
            child = self._own.child = self._started()
        return child.ask(call)

    def _started(self) -> Child:
        with self._changing:
            if self._killed:
                raise ChildEndedError(-signal.SIGTERM)
            child = Child()
            self._children.add(child)
            if self._stopped:
                child.stop()
        return child


def _started(command: Sequence[str], stdin: int = subprocess.PIPE, **options: Any) -> subprocess.Popen[bytes]:
    """Start a process in its own process group, which Ctrl-C does not reach."""
    return subprocess.Popen(command, stdin=stdin, stdout=subprocess.PIPE, **_apart(), **options)


def _apart() -> dict[str, Any]:
    """Return the options of Popen for a new process group."""
    if sys.platform == "win32":
        return {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
    return {"process_group": 0} if sys.version_info >= (3, 11) else {"start_new_session": True}


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.communicate()


@contextmanager
def _signals_waiting() -> Iterator[None]:
    """Block the signals to end if the system can; a process started in the block inherits this until it ignores them."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, Interrupted.signals)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _send(stream: BinaryIO, message: bytes) -> None:
    stream.write(len(message).to_bytes(SIZE_BYTES, "big"))
    stream.write(message)
    stream.flush()


def _received(stream: BinaryIO) -> bytes | None:
    """Return the next message, or None if the stream ends before a complete one."""
    head = stream.read(SIZE_BYTES)
    size = int.from_bytes(head, "big")
    message = stream.read(size)
    return message if len(head) == SIZE_BYTES and len(message) == size else None


# in the child ----------------------------------------------------------------------------------------------------------------


def serve() -> NoReturn:
    """Answer calls until the input ends: the main loop of a child."""
    for number in Interrupted.signals:
        signal.signal(number, signal.SIG_IGN)
    if hasattr(signal, "SIGTTOU"):  # a background process may print to the terminal
        signal.signal(signal.SIGTTOU, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, Interrupted.signals)
    for stream in (sys.stdout, sys.stderr):  # printing must not fail for a character that the system's encoding lacks
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    calls, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    waiting: SimpleQueue[bytes] = SimpleQueue()
    Thread(target=_listen, args=(calls, waiting), daemon=True).start()
    sending = Lock()

    def send(message: bytes) -> None:
        try:
            with sending:
                _send(answers, message)
        except OSError:  # the parent has ended
            _leave()

    global _tell
    _tell = lambda what: send(pickle.dumps(_Told(what)))  # noqa: E731
    while True:
        send(_answer(waiting.get()))


@cache
def _watcher(parent: int, child: int) -> subprocess.Popen[bytes]:
    """Start a process that watches a parent and its child, at most once for each pair."""
    command = [sys.executable, "-c", WATCH, str(parent), str(child), *sys.path]
    nothing = subprocess.DEVNULL
    return subprocess.Popen(command, stdin=nothing, stdout=nothing, stderr=nothing, **_apart())


def watch(parent: int, child: int) -> None:
    """Kill the process ``child`` when the process ``parent`` ends; return when either has ended."""
    import psutil

    def lives(process: psutil.Process) -> bool:
        with suppress(psutil.Error):
            return bool(process.is_running() and process.status() != psutil.STATUS_ZOMBIE)
        return False

    with suppress(psutil.NoSuchProcess):  # the child ended first
        watched = psutil.Process(child)
        with suppress(psutil.NoSuchProcess):  # the parent ended first
            above = psutil.Process(parent)
            while lives(above) and lives(watched):
                time.sleep(WATCH_SECONDS)
        watched.kill()


def _listen(calls: BinaryIO, waiting: SimpleQueue[bytes]) -> None:
    """Receive messages while a call runs; end the process when the parent is gone."""
    while (message := _received(calls)) is not None:
        if message == STOP:
            Child.told_to_stop.set()
        elif message == GO_ON:
            Child.told_to_stop.clear()
        else:
            waiting.put(message)
    _leave()


def _leave() -> NoReturn:
    """End the process after its parent ended."""
    remove_unfinished()
    os._exit(1)


def _answer(call: bytes) -> bytes:
    """Make a call and return the pickled answer: the result, or the exception with its traceback."""
    try:
        function, arguments, options = pickle.loads(call)
        return pickle.dumps((function(*arguments, **options), None, ""))
    except Exception as error:  # raised again in the parent
        return pickle.dumps((None, error, "\n" + traceback.format_exc()))
