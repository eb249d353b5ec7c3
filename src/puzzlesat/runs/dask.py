"""The workers of a Dask cluster, by the executor of its client. Nothing else imports ``dask``."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager
from typing import Any

from puzzlesat.children import ChildEndedError
from puzzlesat.errors import PuzzleError
from puzzlesat.runs.executors import OfExecutor

ANSWER_SECONDS = 10
"""How long a scheduler may take to answer."""


class OfCluster(OfExecutor):
    """As many jobs at once as the workers have threads that are there now; one that dies is missed, and what it did is done again."""

    shared = False

    def __init__(self, client: Any) -> None:
        super().__init__(client.get_executor(pure=False, retries=0))
        self._client = client

    def slots(self) -> int:
        """Return how many threads the workers have."""
        return sum(self._client.ncores().values())

    def lost(self, error: BaseException) -> bool:
        """Tell whether a worker, or the way to it, ended."""
        from distributed import KilledWorker
        from distributed.comm.core import CommClosedError

        return isinstance(error, KilledWorker | CommClosedError | CancelledError | ChildEndedError | OSError)


@contextmanager
def cluster(address: str) -> Iterator[OfCluster]:
    """Yield the workers of the scheduler at an address such as ``tcp://192.0.2.1:8786``.

    Raises PuzzleError where no scheduler answers there, or Dask is not installed.
    """
    try:
        from distributed import Client
    except ImportError:
        raise PuzzleError(f"--dask {address}: that needs Dask: pip install 'puzzlesat[cluster]'") from None
    try:
        connect: Any = Client
        client = connect(address, timeout=ANSWER_SECONDS, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:
        raise PuzzleError(f"--dask {address}: no scheduler answers there ({error}); start one with 'dask scheduler'") from None
    with client:
        yield OfCluster(client)
