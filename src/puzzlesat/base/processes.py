"""Processes of the program's own: the one way to start one, ask it for something, tell it to leave off, notice its death, and end it.

A child is a fresh interpreter, in which the module that began the program is not run again. It does one thing after another: a call, which
is a function of some module and its arguments, comes in on its standard input, and what that returns or raises goes back on its standard
output. What it prints goes to the error output, where it spoils no answer.

- Signals to end are the parent's matter: a child has a process group of its own, which Ctrl-C at the terminal does not reach, and from
  its first moment on it ignores those that are sent to every process there is (by a batch system, say). It stays in its parent's session:
  Linux shares the processors out among sessions first, and ``nice`` counts within one.
- To leave off in good order it is told (``stop``): the event ``told_to_stop`` is set in it, until it is told to ``go_on``. To end at once
  it is killed.
- During a call it may say how far it is, or what it has found so far (``tell``): whoever asked hears each as soon as it is said.
- It ends with its parent, however that ended: then there is no more input. Work that holds the interpreter's lock, so that nothing in the
  child can notice this, says ``end_at_once_with_parent`` before it begins. Linux then kills the child; elsewhere a second process watches.
- When it dies, whoever waits for its answer gets a ChildEndedError with its exit status. Nothing that another child does is disturbed.
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
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache, partial
from itertools import islice
from pathlib import Path
from queue import SimpleQueue
from threading import Event, Lock, Thread, local
from typing import TYPE_CHECKING, Any, BinaryIO, NoReturn, ParamSpec, TypeVar, cast
from weakref import WeakSet, finalize

from puzzlesat.base.files import remove_unfinished
from puzzlesat.base.interrupts import INTERRUPTS
from puzzlesat.kernels import compiling

if TYPE_CHECKING:
    import psutil

P = ParamSpec("P")
T = TypeVar("T")
Item = TypeVar("Item")

BEGIN = "import sys; sys.path[:] = sys.argv[1:]; from puzzlesat.base.processes import serve; serve()"
WATCH = "import sys; sys.path[:] = sys.argv[3:]; from puzzlesat.base.processes import watch; watch(*map(int, sys.argv[1:3]))"
PR_SET_PDEATHSIG = 1
SIZE_BYTES = 8
LOOK_SECONDS = 0.05
"""How often it is asked whether another program may go on."""
WAIT_SECONDS = 0.1
"""How often it is asked whether children are to leave off."""
WATCH_SECONDS = 0.5
"""How often a process that watches looks whether a parent lives."""
ALONE_SECONDS = 3.0
"""So long one process works by itself before it shares its work: to start another one takes a second or two."""
STOP, GO_ON = b"", b"go on"
"""The messages that are no calls: to leave off, and to take that back."""

told_to_stop = Event()
"""In a child: set when its parent wants it to leave off."""


@dataclass(frozen=True)
class _Told:
    """What a child says before it answers."""

    what: Any


_tell: Callable[[Any], None] | None = None
"""In a child: sends what is told."""


_living: WeakSet[subprocess.Popen[bytes]] = WeakSet()
"""The processes of the children that have not been seen to end."""
_changing_living = Lock()
"""Children are started in several threads, and asked about in others."""


def _processes() -> list[subprocess.Popen[bytes]]:
    with _changing_living:
        return list(_living)


def cpu_seconds() -> float:
    """Return the seconds that processors have worked for this process and its children, those that live and those that ended.

    What numba compiles in this process is left out, as ``compiling.clock`` leaves it out.
    """
    own = os.times()
    return own.user + own.system + own.children_user + own.children_system + sum(map(_worked, _processes())) - compiling.cpu


def resident_bytes() -> int:
    """Return the bytes that this process, its children and theirs have in memory."""
    import psutil  # who asks for help need not wait for it

    own = 0
    for number in [os.getpid(), *(process.pid for process in _processes())]:
        with suppress(psutil.Error, OSError):  # it has ended; or the system does not tell, such as Linux without /proc
            process = psutil.Process(number)
            own += sum(map(_resident, [process] if number == os.getpid() else [process, *process.children(recursive=True)]))
    return own


def give_back() -> None:
    """Give the system back the memory that was freed and that the C library has kept for later, where it can be told to (glibc)."""
    with suppress(AttributeError, OSError, TypeError):  # another C library, or none of that name
        ctypes.CDLL(None).malloc_trim(0)


def _resident(process: psutil.Process) -> int:
    """The bytes that a process has in memory, 0 where it has ended; without files that are mapped, where the system tells them apart."""
    import psutil

    with suppress(psutil.Error, OSError):
        taken = process.memory_info()
        return int(taken.rss - getattr(taken, "shared", 0))  # files that are mapped can be dropped at any time
    return 0


def _worked(process: subprocess.Popen[bytes]) -> float:
    """The CPU seconds of a child that lives, and of its own children that ended, where the system counts these."""
    import psutil

    if process.returncode is None:  # else it is among the children that ended
        with suppress(psutil.Error, OSError):
            took = psutil.Process(process.pid).cpu_times()
            return float(took.user + took.system + getattr(took, "children_user", 0.0) + getattr(took, "children_system", 0.0))
    return 0.0


def run_program(command: Sequence[str | Path], go_on: Callable[[], object]) -> tuple[int, bytes, bytes]:
    """Run another program to its end with as much stack as the system allows; return its exit status, output and errors.

    A negative exit status is the signal that ended it.
    It counts as one of the children while it lives, and ends with this process. ``go_on`` is called now and then, and may raise: then the
    program is killed. Raises OSError where it cannot be started.
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


def _beginning() -> Callable[[], None] | None:
    """What a process calls that is about to become another program; None on Windows, which has nothing of the kind."""
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
    """Raise the limit on the stack as far as it may be raised, in a process that is about to become another program."""
    import resource

    most = resource.getrlimit(resource.RLIMIT_STACK)[1]
    with suppress(OSError, ValueError):  # some systems name a limit that they do not grant: the stack stays as it is
        resource.setrlimit(resource.RLIMIT_STACK, (most, most))


class ChildEndedError(RuntimeError):
    """A child died, or was killed, before it answered."""

    def __init__(self, status: int) -> None:
        super().__init__(f"exit status {status}")
        self.status = status

    def __reduce__(self) -> tuple[type[ChildEndedError], tuple[int]]:
        return type(self), (self.status,)  # it may be raised again on another machine


class InChildError(Exception):
    """The cause of an exception that a child raised: where it was raised there."""


class Child:
    """A process that does what it is asked, one thing after another. It ends when nobody holds it any more."""

    def __init__(self) -> None:
        with _signals_waiting():
            self.process = _started([sys.executable, "-c", BEGIN, *sys.path])
        with _changing_living:
            _living.add(self.process)
        self.end = finalize(self, _end, self.process)
        """Kill it, if it lives, and wait until it is gone. For the thread that asks it, or when none does."""
        self.busy = False
        """Whether a call was begun and not answered: where that is no longer waited for, the child is of no more use."""
        self.heard: Callable[[Any], None] | None = None
        """Gets what the child tells during a call, in the thread that asks; None: nobody listens."""
        self._writing = Lock()

    def ask(self, function: Callable[P, T], *arguments: P.args, **options: P.kwargs) -> T:
        """Let the child call a function of some module, and wait; return what it returns, raise what it raises.

        Raises ChildEndedError where the child dies, or is killed from another thread. What ``heard`` raises goes through, and leaves the
        child ``busy``.
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
        while isinstance(answer := self._said(), _Told):
            if self.heard is not None:
                self.heard(answer.what)
        result, error, where = answer
        self.busy = False
        if error is not None:
            raise error from InChildError(where)
        return cast(T, result)

    def _said(self) -> Any:
        """What the child sends next. Raises ChildEndedError where it sends nothing any more."""
        try:
            message = _received(cast(BinaryIO, self.process.stdout))
        except OSError:
            message = None
        if message is None:
            raise ChildEndedError(self.process.wait())
        return pickle.loads(message)

    def stop(self) -> None:
        """Tell the child to leave off, from any thread."""
        self._signal(STOP)

    def go_on(self) -> None:
        """Take back that the child is to leave off, before the next call. One that was told so in its last call heeds it no more."""
        self._signal(GO_ON)

    def _signal(self, message: bytes) -> None:
        assert self.process.stdin is not None
        with self._writing, suppress(OSError):
            _send(cast(BinaryIO, self.process.stdin), message)

    def kill(self) -> None:
        """End the child at once, from any thread."""
        self.process.kill()


class ChildPool(Executor):
    """So many children at most that share what is submitted; one that dies fails its own call alone, and another takes its place.

    Each is started when there is work for it. At the end of a ``with`` block all calls are waited for.
    """

    def __init__(self, most: int) -> None:
        self._threads = ThreadPoolExecutor(most, "children")
        self._own = local()
        self._children: WeakSet[Child] = WeakSet()
        self._changing = Lock()
        self._stopped = self._killed = False

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Let a child call a function of some module."""
        return self._threads.submit(self._ask, partial(fn, *args, **kwargs))

    def stop(self) -> None:
        """Tell the children to leave off, also those that are started later."""
        with self._changing:
            if not self._stopped:
                self._stopped = True
                for child in self._children:
                    child.stop()

    def kill(self) -> None:
        """End the children at once; calls that are not answered fail with ChildEndedError or are cancelled."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        with self._changing:
            self._killed = True
            for child in self._children:
                child.kill()

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: FBT002 - as every executor has it
        """Take no more calls; wait for those that were taken, and end the children."""
        self._threads.shutdown(wait, cancel_futures=cancel_futures)
        if wait:
            for child in list(self._children):
                child.end()

    def _ask(self, call: Callable[[], T]) -> T:
        """Ask the child that belongs to this thread."""
        child: Child | None = getattr(self._own, "child", None)
        if child is None or child.busy:  # the one before died
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


def calls_dealt(most: int, calls: Iterable[tuple[Item, Callable[[], T]]], stop: Event) -> Generator[tuple[Item, Future[T]], None, None]:
    """Let so many children make calls, and yield the answer to each as soon as it is there, with what the call is about.

    Calls are taken from the iterator when a child will soon have nothing to do. Once ``stop`` is set, the children are told to leave off;
    what is still taken then, and answered, is the caller's matter. Where this ends before the last answer, the children are killed.
    """
    waiting: dict[Future[T], Item] = {}
    left = iter(calls)
    with ChildPool(most) as children:
        try:
            while True:
                for item, call in islice(left, 2 * most - len(waiting)):
                    waiting[children.submit(call)] = item
                if not waiting:
                    return
                if stop.is_set():
                    children.stop()
                for answer in wait(waiting, WAIT_SECONDS, FIRST_COMPLETED).done:
                    yield waiting.pop(answer), answer
        except BaseException:
            children.kill()
            raise


def _started(command: Sequence[str], stdin: int = subprocess.PIPE, **options: Any) -> subprocess.Popen[bytes]:
    """Start a process that Ctrl-C does not reach."""
    return subprocess.Popen(command, stdin=stdin, stdout=subprocess.PIPE, **_apart(), **options)


def _apart() -> dict[str, Any]:
    """The options of Popen for a process group of its own."""
    if sys.platform == "win32":
        return {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
    return {"process_group": 0} if sys.version_info >= (3, 11) else {"start_new_session": True}


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.communicate()


@contextmanager
def _signals_waiting() -> Iterator[None]:
    """Let signals to end wait, where the system can do that, also for a process that is started: until it has said that it wants none."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, INTERRUPTS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _send(stream: BinaryIO, message: bytes) -> None:
    stream.write(len(message).to_bytes(SIZE_BYTES, "big"))
    stream.write(message)
    stream.flush()


def _received(stream: BinaryIO) -> bytes | None:
    """The next message; None where there is no whole one any more."""
    head = stream.read(SIZE_BYTES)
    size = int.from_bytes(head, "big")
    message = stream.read(size)
    return message if len(head) == SIZE_BYTES and len(message) == size else None


# in the child ----------------------------------------------------------------------------------------------------------------


def serve() -> NoReturn:
    """What a child does: answer calls, until there are no more."""
    for number in INTERRUPTS:
        signal.signal(number, signal.SIG_IGN)
    if hasattr(signal, "SIGTTOU"):  # what it prints may go to a terminal at which it is in the background
        signal.signal(signal.SIGTTOU, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, INTERRUPTS)
    for stream in (sys.stdout, sys.stderr):  # what is printed must not fail where the system's encoding has no such character
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    calls, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    asked: SimpleQueue[bytes] = SimpleQueue()
    Thread(target=_listen, args=(calls, asked), daemon=True).start()
    sending = Lock()

    def send(message: bytes) -> None:
        try:
            with sending:
                _send(answers, message)
        except OSError:  # nobody reads it any more
            _leave()

    global _tell
    _tell = lambda what: send(pickle.dumps(_Told(what)))  # noqa: E731
    while True:
        send(_answer(asked.get()))


def tell(what: Any) -> None:
    """Let whoever has asked this child hear something before the answer; what is told after the answer is nobody's. No child: nothing."""
    if _tell is not None:
        _tell(what)


def end_at_once_with_parent() -> None:
    """Have this child killed when its parent ends: for work during which nothing else can run in it.

    Linux kills it when the thread that started it ends. Other systems have no such request, so another process watches the parent.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    else:
        _watcher(os.getppid(), os.getpid())


@cache
def _watcher(parent: int, child: int) -> subprocess.Popen[bytes]:
    """Start the process that watches a parent and its child, once."""
    command = [sys.executable, "-c", WATCH, str(parent), str(child), *sys.path]
    nothing = subprocess.DEVNULL
    return subprocess.Popen(command, stdin=nothing, stdout=nothing, stderr=nothing, **_apart())


def watch(parent: int, child: int) -> None:
    """Kill the process ``child`` as soon as the process ``parent`` has ended; return when either has ended."""
    import psutil

    def lives(process: psutil.Process) -> bool:
        with suppress(psutil.Error):
            return bool(process.is_running() and process.status() != psutil.STATUS_ZOMBIE)
        return False

    with suppress(psutil.NoSuchProcess):  # the child has ended
        watched = psutil.Process(child)
        with suppress(psutil.NoSuchProcess):  # the parent has ended
            above = psutil.Process(parent)
            while lives(above) and lives(watched):
                time.sleep(WATCH_SECONDS)
        watched.kill()


def _listen(calls: BinaryIO, asked: SimpleQueue[bytes]) -> None:
    """Take in messages while something is being done; end where the parent is gone."""
    while (message := _received(calls)) is not None:
        if message == STOP:
            told_to_stop.set()
        elif message == GO_ON:
            told_to_stop.clear()
        else:
            asked.put(message)
    _leave()


def _leave() -> NoReturn:
    """End without a parent."""
    remove_unfinished()
    os._exit(1)


def _answer(call: bytes) -> bytes:
    """What is sent back: the result, or the exception and where it was raised."""
    try:
        function, arguments, options = pickle.loads(call)
        return pickle.dumps((function(*arguments, **options), None, ""))
    except Exception as error:  # raised again in the parent
        return pickle.dumps((None, error, "\n" + traceback.format_exc()))
