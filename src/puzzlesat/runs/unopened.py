"""A client of Dask that opens no pickle of a worker.

What a worker returns or raises, and the types and warnings that it sends along, come to a client as pickles, which Dask opens before
anybody could look at them; ``deserializers=`` governs what is returned, and not exceptions, types and warnings. So whatever Dask would
open in this process is *read* instead: numbers, texts, lists and bytes are what they are; each thing that has a name in some module, which
is how a pickle gets hold of what it can do harm by, becomes an exception that does nothing. Two are let through: what the scheduler says
of a task that its workers died of, and exceptions of Python itself.
"""

from __future__ import annotations

import builtins
import io
import pickle
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib.metadata import version
from threading import Lock
from typing import Any, Final

from puzzlesat.errors import PuzzleError

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
