"""The workers of a Dask cluster. Nothing else imports ``distributed``, but ``unopened``, by which no pickle of a worker is opened.

A thread of a Dask worker does no job itself: it has a child process (``puzzlesat.base.processes``) that does. So jobs that run side by side
have nothing in common, a search that holds the interpreter's lock keeps no worker from saying that it lives, a job that ends its process
ends nothing else, and one at work can be told to leave off.

A worker that dies is missed by the scheduler, which gives what it did to another; only when several died of it it says so (KilledWorker).
What nobody waits for any more, because the scheduler or its client died, is done again. One that sends what is no answer is retired.

A client of Dask that opens no pickle of a worker.

What a worker returns or raises, and the types and warnings that it sends along, come to a client as pickles, which Dask opens before
anybody could look at them; ``deserializers=`` governs what is returned, and not exceptions, types and warnings. So whatever Dask would
open in this process is *read* instead: numbers, texts, lists and bytes are what they are; each thing that has a name in some module, which
is how a pickle gets hold of what it can do harm by, becomes an exception that does nothing. Two are let through: what the scheduler says
of a task that its workers died of, and exceptions of Python itself.
"""

from __future__ import annotations

import asyncio
import builtins
import io
import logging
import pickle
import random
import socket
import sys
import warnings
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError, Future
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from importlib.metadata import version
from threading import Lock, local
from time import monotonic
from typing import Any, Final
from uuid import uuid4

from puzzlesat.base import Child, ChildEndedError, PuzzleError, PuzzleWarning, many
from puzzlesat.studies import wire
from puzzlesat.studies.audit import Place
from puzzlesat.studies.executors import NO_WORKER, default_do
from puzzlesat.studies.units import Answer, Do, Job, MalformedError, VersionError
from puzzlesat.version import VERSION

MOST_SAID: Final = 500
"""Characters of what an exception of somebody else says."""

_changing = Lock()
_inside: list[object] = []
"""One for each block in which nothing is opened: the last one leaves Dask as it was."""
_put_in_place: list[tuple[Any, str, Any]] = []
"""Where Dask's way to open pickles stood, by module and name."""


class UnopenedError(Exception):
    """Stands for whatever a pickle names."""

    named = "what nobody can read"

    def __str__(self) -> str:
        return words_of(self)


class DeadlyError(Exception):
    """A task of which one worker after the other died, as the scheduler says."""

    @property
    def deaths(self) -> int:
        """How many workers that were."""
        failures = self.args[2] if len(self.args) == 3 else None
        return failures + 1 if type(failures) is int and 0 <= failures < 1000 else 1

    def __str__(self) -> str:
        return f"{self.deaths} workers died of it"


def words_of(error: BaseException) -> str:
    """Return what an exception of somebody else says: its kind, and of its arguments a text, if that is the first."""
    first = error.args[0] if error.args and type(error.args[0]) is str else ""
    kind = error.named if isinstance(error, UnopenedError) else type(error).__name__
    return f"{kind}: {first[:MOST_SAID]}" if first else kind


@contextmanager
def nothing_opened() -> Iterator[None]:
    """While the block lasts, Dask opens no pickle in this process. Raises PuzzleError where a version of it does so all the same."""
    own = object()
    with _changing:
        if not _inside:
            _replace()
        _inside.append(own)
    try:
        _try_it()
        yield
    finally:
        with _changing:
            _inside.remove(own)
            if not _inside:
                for module, name, before in _put_in_place:
                    setattr(module, name, before)
                _put_in_place.clear()


def client(address: str, seconds: float) -> Any:
    """A client of the scheduler at an address, for use where nothing is opened. Raises what Dask raises where none answers."""
    from distributed import Client

    kind: Any = Client

    class Unopening(kind):  # type: ignore[misc]
        def _handle_key_in_memory(self, key: Any = None, *, type: Any = None, workers: Any = None) -> None:
            super()._handle_key_in_memory(key, None, workers)

        def _handle_task_erred(self, key: Any = None, *, exception: Any = None, traceback: Any = None) -> None:
            known = _read(exception) if isinstance(exception, bytes | bytearray) else exception
            super()._handle_task_erred(key, known if isinstance(known, Exception) else UnopenedError(), None)

        def _handle_event(self, *_: Any, **__: Any) -> None:
            """Pass over what workers want printed: warnings come as pickles."""

    return Unopening(address, timeout=seconds, set_as_default=False)


def _replace() -> None:
    """Put the reader below in the place of Dask's own, wherever that stands by then."""
    import distributed
    from distributed.protocol import pickle as theirs

    opens = theirs.loads
    for module in [module for name, module in sys.modules.items() if name.partition(".")[0] == distributed.__name__]:
        for name, value in list(vars(module).items()):
            if value is opens:
                _put_in_place.append((module, name, value))
                setattr(module, name, _read)


def _read(packed: Any, *, buffers: Sequence[Any] = ()) -> Any:
    """What a pickle holds, as far as that is plain; never an exception, for Dask would take that for the end of the connection."""
    try:
        return _Reader(io.BytesIO(packed), buffers=buffers).load()
    except Exception:  # it is no pickle, or does with what stands for its names what cannot be done with it
        return UnopenedError()


class _Reader(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        """Return what stands for what a pickle names; nothing is imported."""
        if (module, name) == ("builtins", "bytes"):
            return bytes
        if (module, name) == ("distributed.scheduler", "KilledWorker"):
            return DeadlyError
        if module.startswith("tblib.") and name == "unpickle_traceback":
            return _no_traceback
        if module == "builtins" and isinstance(known := getattr(builtins, name, None), type) and issubclass(known, Exception):
            return known
        if name == "CommClosedError":
            return OSError
        return type("UnopenedError", (UnopenedError,), {"named": name[:MOST_SAID]})


def _no_traceback(*_: Any) -> None:
    return None


# that it holds -------------------------------------------------------------------------------------------------------------------


class _Trap:
    """What says so when it is opened."""

    opened = False

    def __reduce__(self) -> tuple[Any, tuple[()]]:
        return _spring, ()


def _spring() -> None:
    _Trap.opened = True


def _try_it() -> None:
    """Let Dask open traps on all ways that are known; raise PuzzleError where one is sprung."""
    from distributed import core

    theirs: Any = sys.modules["distributed.protocol"]
    with _changing:
        _Trap.opened = False
        pickled = pickle.dumps(_Trap())
        with suppress(Exception):  # whatever is raised over a trap, it is asked below whether it was sprung
            theirs.loads(theirs.dumps({"one": theirs.ToPickle(_Trap()), "other": theirs.to_serialize(_Trap())}))
        with suppress(Exception):
            core.clean_exception(pickled, pickled)
        with suppress(Exception):
            getattr(sys.modules["distributed.client"], "loads", _read)(pickled)
        if _Trap.opened:
            cure = 'install a version that puzzlesat knows: pip install "puzzlesat[cluster]"'
            raise PuzzleError(f"distributed {version('distributed')} opens what workers send; {cure}")


ANSWER_SECONDS = 10.0
"""How long a scheduler, and its workers, may take to answer."""
AGAIN_SECONDS = 2.0
"""The same when it is tried again and again: nothing else is done meanwhile."""
LOOK_SECONDS = 1.0
"""How often it is asked which workers are there."""
TOGETHER_SECONDS = 0.01
"""What comes in within this is asked about together."""
SOME = 8
"""Of so many workers one may be asked for a second answer: in a large cluster that is enough of a choice."""
LOST = (OSError, CancelledError, TimeoutError)
"""What is raised where the way to the scheduler is gone."""
NOT_KNOWN = "not known"
"""The machine of a worker that is not known: several say that they have its answer."""
LOUD = ("asyncio", "distributed", "tornado")
"""Whose loggers tell users of what the coordinator sees to."""
ASK_VERSION = "__import__('puzzlesat').__version__"
"""What is asked of workers, as text: whoever has no puzzlesat could not read anything else of it."""
DO = "__import__('importlib').import_module('puzzlesat.studies.dask').do(run, packed, apart)"
"""What workers do, as text too: the scheduler reads what it hands on, and need not have puzzlesat."""


class OfCluster:
    """As many jobs at once as the workers have threads that are there now; they may come and go."""

    shared = False

    def __init__(self, address: str, do: Do | None = None) -> None:
        self._address, self._do, self._name = address, do or default_do(), uuid4().hex
        self._threads: Mapping[str, int] = {}
        """Of the workers that are there, by their addresses."""
        self._versions: dict[str, object] = {}
        """Of puzzlesat, that these have or are asked for (None); or the exception that came of it."""
        self._look_at = 0.0
        self._dismissed: frozenset[Place] = frozenset()
        self._homes: dict[Place, str] = {}
        """The workers by the processes that answered for them."""
        self._hosts: dict[str, str] = {}
        """What machines call themselves, by their addresses: the first name that is no other's stays."""
        self.retired: dict[str, str] = {}
        """The workers that sent what is no answer, and what that was."""
        self._flying: dict[Future[list[Answer]], Any] = {}
        self._to_ask: list[str] = []
        """Tasks of which it is asked who did them,"""
        self._asking: asyncio.Future[Mapping[str, Sequence[str]]] | None = None
        """by this question, which waits for others to join."""
        self._held = ExitStack()
        self._held.enter_context(nothing_opened())
        try:
            self._client = _connected(address, ANSWER_SECONDS)
        except BaseException:
            self._held.close()
            raise
        try:
            self.slots()
            self._asked(lambda: self._ask_version(sorted(self._threads)))
            self._check()
        except BaseException:
            self.close()
            raise

    @property
    def cure(self) -> str:
        """What to do where there is no worker, or no scheduler."""
        worker = f"'dask worker {self._address}'"
        if self._client.status == "running":
            return f"start one with {worker}"
        return f"the scheduler does not answer: start it with 'dask scheduler', and workers with {worker}"

    def slots(self) -> int:
        """Return how many threads the workers have; raise PuzzleError where one of them has not this version of puzzlesat."""
        if monotonic() >= self._look_at:
            running = self._client.status == "running"
            self._threads = (self._asked(lambda: self._client.scheduler.ncores()) or {}) if running else {}
            if new := sorted(self._threads.keys() - self._versions.keys()):
                self._versions.update(dict.fromkeys(new))
                self._client.loop.add_callback(self._ask_version, new)
            self._check()
            self._homes = {place: worker for place, worker in self._homes.items() if worker in self._threads}
            self._look_at = monotonic() + LOOK_SECONDS
        return sum(self._threads.values())

    def submit(self, jobs: Sequence[Job], apart: Sequence[Place] = (), *, fresh: bool = False) -> Future[list[Answer]] | None:
        """Hand out jobs, best to a worker of another machine than these processes have, else to another worker or a new process."""
        if self._client.status != "running" or not (jobs or self.slots()):
            raise OSError(NO_WORKER if self._client.status == "running" else "no scheduler answers")
        packed = wire.write_jobs(self._do, jobs)
        wanted: dict[str, Any] = {"workers": others, "allow_other_workers": True} if (others := self._others(apart)) else {}
        call = (eval, DO, {"run": self._name, "packed": packed, "apart": sorted({*apart, *self._dismissed})})
        task = self._client.submit(*call, key=f"puzzlesat-{uuid4().hex}", pure=False, retries=0, **wanted)
        future: Future[list[Answer]] = Future()
        future.set_running_or_notify_cancel()  # whoever leaves off waits for what is being done
        self._flying[future] = task
        self._client.loop.add_callback(self._bring, task, future, jobs)
        return future

    def dismiss(self, places: Collection[Place]) -> None:
        """Do what these processes do elsewhere, as far as that is possible."""
        self._dismissed = frozenset(places)

    def lost(self, error: BaseException) -> int:
        """Return how many processes or workers died, one after another, of the job that ends with this exception."""
        if isinstance(error, MalformedError):
            return not error.sent_away
        return error.deaths if isinstance(error, DeadlyError) else isinstance(error, ChildEndedError)

    def give_up(self, future: Future[list[Answer]]) -> None:
        """Kill the process that does not answer."""
        if (task := self._flying.get(future)) is not None:
            self._tell(kill, self._name, task.key)
            task.cancel()

    def renew(self) -> None:
        """Try to reach the scheduler again, if it is not reached."""
        if self._client.status == "closed":
            with suppress(PuzzleError):
                self._client = _connected(self._address, AGAIN_SECONDS)
        self._look_at = 0.0

    def stop(self) -> None:
        """Tell the jobs at work to leave off, and those that wait not to begin."""
        self._tell(stop, self._name)
        if not self._threads:  # there is nobody who could
            for task in list(self._flying.values()):
                task.cancel()

    def end(self) -> None:
        """Kill the processes that did the jobs."""
        self._tell(end, self._name)
        for task in list(self._flying.values()):
            with suppress(Exception):  # the way to the scheduler is gone
                task.cancel()

    def close(self) -> None:
        """Leave the cluster."""
        with suppress(Exception):  # the way to the scheduler is gone, as whoever leaves wants it
            self._client.close(timeout=ANSWER_SECONDS)
        self._held.close()

    async def _bring(self, task: Any, future: Future[list[Answer]], jobs: Sequence[Job]) -> None:
        """Bring home what becomes of a task."""
        try:
            packed = await self._packed(task)
            worker = await self._who_did(task)
        except (Exception, asyncio.CancelledError) as error:  # of the task, or of the way on which its answer was to come
            future.set_exception(await self._not_brought(task, error))
        else:
            self._take(future, worker, packed, jobs)
        finally:
            self._flying.pop(future, None)

    async def _packed(self, task: Any) -> object:
        """What a task returned. Raises what kept it from that."""
        try:
            return await task
        except (*LOST, asyncio.CancelledError):
            raise
        except Exception:
            if task.status == "error":
                raise
        found = await self._client.scheduler.gather(keys=[task.key])  # Dask fetches several at once: what cannot be read may be another's
        if found["status"] != "OK":
            raise CancelledError("the worker is gone")
        return found["data"][task.key]

    async def _who_did(self, task: Any) -> str:
        """The worker that did a task, as the scheduler says; empty where it is not sure."""
        self._to_ask.append(task.key)
        if self._asking is None:
            self._asking = asyncio.ensure_future(self._ask())
        holders = (await self._asking).get(task.key, ())
        return str(holders[0]) if len(holders) == 1 else ""

    async def _ask(self) -> Mapping[str, Sequence[str]]:
        """Which workers have the answers to tasks, of all that come in within a moment."""
        await asyncio.sleep(TOGETHER_SECONDS)
        keys, self._to_ask, self._asking = self._to_ask, [], None
        found: Mapping[str, Sequence[str]] = await self._client.scheduler.who_has(keys=keys)
        return found

    async def _not_brought(self, task: Any, error: BaseException) -> Exception:
        """What is said of a task that brought no answer: nothing of what a worker raised is kept but its words."""
        if task.status != "error":
            with suppress(*LOST, asyncio.CancelledError):
                if not isinstance(error, (*LOST, asyncio.CancelledError)):
                    return self._retire(await self._who_did(task), error)
            return CancelledError("the scheduler was lost")
        if isinstance(error, DeadlyError):
            return error
        said = words_of(error)
        return ImportError(said) if isinstance(error, ImportError | AttributeError) else MalformedError(f"a worker raised {said}")

    def _take(self, future: Future[list[Answer]], worker: str, packed: object, jobs: Sequence[Job]) -> None:
        """Take in the answers of a worker, under the name that its machine has had from the beginning."""
        try:
            found = wire.read_answers(packed, jobs)
        except MalformedError as error:
            future.set_exception(self._retire(worker, error))
        except Exception as error:
            future.set_exception(error)
        else:
            found = [replace(answer, host=self._host_of(worker, answer.host)) for answer in found]
            if worker:
                self._homes.update(((answer.host, answer.process), worker) for answer in found[-1:])
            future.set_result(found)

    def _retire(self, worker: str, error: BaseException) -> Exception:
        """Let a worker that sends what is no answer get nothing more; return what is said of that."""
        said = str(error) if isinstance(error, MalformedError) else f"a worker sent what cannot be read ({words_of(error)})"
        if worker:
            self.retired[worker] = said
            self._client.loop.add_callback(self._send_away, worker)
        return MalformedError(said, sent_away=bool(worker))

    async def _send_away(self, worker: str) -> None:
        with suppress(*LOST):  # it is gone already, or nobody answers
            # Not retire_workers: it copies the results of the worker to other workers, which unpickle them.
            await self._client.scheduler.unregister(address=worker, stimulus_id="puzzlesat", close=True)

    def _host_of(self, worker: str, said: str) -> str:
        """The name of a worker's machine: what was said there first, if no other has that name. None can pass for two, or for another."""
        machine = _host(worker)
        if not machine:
            return NOT_KNOWN
        if machine not in self._hosts:
            self._hosts[machine] = said if said not in self._hosts.values() else machine
        return self._hosts[machine]

    def _others(self, apart: Sequence[Place]) -> list[str]:
        """Some workers that have none of these processes; of other machines, if there are such."""
        barred = {self._homes[place] for place in apart if place in self._homes}
        hosts = {_host(worker) for worker in barred}
        others = [worker for worker in self._threads if worker not in barred] if barred else []
        far = [worker for worker in others if _host(worker) not in hosts] or others
        return random.sample(far, min(SOME, len(far)))

    async def _ask_version(self, workers: Sequence[str]) -> None:
        """Ask workers which puzzlesat they have; those that die over it are asked again should they come back."""
        found: Mapping[str, object] = {}
        with suppress(OSError, AssertionError):  # of what is no exception, where one should be
            found = await self._client._run(eval, ASK_VERSION, workers=workers, on_error="return")
        for worker in workers:
            version = found.get(worker)
            if version is None or isinstance(version, OSError):
                self._versions.pop(worker, None)
            else:
                self._versions[worker] = version

    def _check(self) -> None:
        """Raise VersionError where a worker has not this version of puzzlesat."""
        wrong = Counter(_refused(version) for version in list(self._versions.values()) if version not in (None, VERSION))
        if wrong:
            said = " and ".join(f"{many(number, 'worker')} {words}" for words, number in wrong.items())
            raise VersionError(f"there is {said}; the study is run by puzzlesat {VERSION}: install the same version everywhere")

    def _asked(self, ask: Any, *arguments: Any, **options: Any) -> Any:
        """What the scheduler answers; None where it does not."""
        with suppress(OSError, TimeoutError, RuntimeError, AttributeError):  # the connection is gone, in any of its ways
            return self._client.sync(ask, *arguments, **options, callback_timeout=ANSWER_SECONDS)
        return None

    def _tell(self, what: Any, *arguments: Any) -> None:
        """Let all workers do something at once, whatever else they do."""
        if self._client.status == "running":
            self._asked(self._client._run, what, *arguments, on_error="ignore")


@contextmanager
def cluster(address: str, do: Do | None = None) -> Iterator[OfCluster]:
    """Yield the workers of the scheduler at an address such as ``tcp://192.0.2.1:8786``.

    Raises PuzzleError where no scheduler answers there, a worker has another version of puzzlesat, or Dask is not installed.
    """
    try:
        import distributed  # noqa: F401 - said here, in one sentence, and not where it is used
    except ImportError:
        raise PuzzleError(f'--dask {address}: that needs Dask: pip install "puzzlesat[cluster]"') from None
    with _quiet():
        try:
            workers = OfCluster(address, do)
        except PuzzleError as error:
            raise error.under(f"--dask {address}: ") from None
        try:
            yield workers
        finally:
            workers.close()
            for worker, said in workers.retired.items():
                warnings.warn(f"{worker} gets no more jobs: {said}", PuzzleWarning, stacklevel=3)


def _connected(address: str, seconds: float) -> Any:
    """A client of a scheduler; raises PuzzleError where none answers."""
    try:
        kind = asyncio.run(_kind_of(address, seconds))
        if kind == "Scheduler":
            return client(address, ANSWER_SECONDS)
    except ValueError as error:
        raise PuzzleError(f"this is not an address such as tcp://192.0.2.1:8786 ({error})") from None
    except Exception:  # whatever else answers there, or nothing, and how that ends
        kind = None
    if kind is not None:
        raise PuzzleError(f"that is a {kind.lower()}; name the scheduler")
    raise PuzzleError("no scheduler answers there; start one with 'dask scheduler'")


async def _kind_of(address: str, seconds: float) -> str:
    """What of Dask answers at an address."""
    from distributed.core import rpc
    from distributed.security import Security

    reach: Any = rpc
    secured: Any = Security
    async with reach(address, timeout=seconds, connection_args=secured().get_connection_args("client")) as there:
        return str((await asyncio.wait_for(there.identity(), seconds))["type"])


@contextmanager
def _quiet() -> Iterator[None]:
    """Let Dask say nothing: what it would complain of in many lines, the coordinator sees to, and says in one."""
    names = [name for name in logging.root.manager.loggerDict if name.partition(".")[0] in LOUD]
    loud = [logger for logger in map(logging.getLogger, names) if not logger.disabled]
    for logger in loud:
        logger.disabled = True
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", module="distributed")
            yield
    finally:
        for logger in loud:
            logger.disabled = False


def _host(worker: str) -> str:
    return worker.rpartition(":")[0]


def _refused(version: object) -> str:
    """What is said of a worker that has not this version of puzzlesat."""
    return "without puzzlesat" if isinstance(version, Exception) else f"with puzzlesat {version}"


# in a worker -----------------------------------------------------------------------------------------------------------------

_own = local()
"""The child of a thread."""
_children: dict[Child, tuple[str, str]] = {}
"""The children that live, and for which run, and which task of it, they work or have worked last."""
_over: set[str] = set()
"""Runs that were told to leave off."""


def do(run: str, packed: bytes, apart: Collection[Place]) -> bytes:
    """Do jobs in the child of this thread, or in a new one if it is one of these; return the answers, or what failed, as text."""
    from distributed import get_worker

    worker: Any = get_worker()
    child: Child | None = getattr(_own, "child", None)
    barred = {process for host, process in apart if host == socket.gethostname()}
    if child is None or child not in _children or child.busy or child.process.poll() is not None or child.process.pid in barred:
        if child is not None:
            _children.pop(child, None)
        child = _own.child = Child()
    _children[child] = (run, worker.get_current_task())
    if run in _over:
        return wire.write_answers(())
    try:
        return child.ask(wire.do, packed)
    except ChildEndedError as error:
        return wire.failed(error)


def stop(run: str) -> None:
    """Tell the children that work for a run to leave off; they are of no use after that."""
    _over.add(run)
    for child in _those_of(run):
        _children.pop(child, None)
        child.stop()


def kill(run: str, task: str) -> None:
    """Kill the child that does a task."""
    for child in _those_of(run, task):
        child.kill()


def end(run: str) -> None:
    """Kill the children of a run."""
    _over.add(run)
    for child in _those_of(run):
        _children.pop(child, None)
        child.kill()


def _those_of(run: str, task: str | None = None) -> list[Child]:
    return [child for child, at in list(_children.items()) if at[0] == run and task in (None, at[1])]
