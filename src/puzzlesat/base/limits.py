"""The limits of work, the clock that checks them, and the outcome of a solver; children with limits; cores and memory of the machine."""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable, Generator, Iterable, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import AbstractContextManager, nullcontext
from copy import copy
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import islice
from math import inf, isfinite
from pathlib import Path
from threading import Event
from time import monotonic
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from puzzlesat.base.errors import PuzzleError
from puzzlesat.base.files import locked
from puzzlesat.base.interrupts import overseen
from puzzlesat.base.processes import Child, ChildEndedError, ChildPool, cpu_seconds, give_back, resident_bytes
from puzzlesat.base.progress import Progress
from puzzlesat.base.sentences import Sentence
from puzzlesat.kernels import clock

if TYPE_CHECKING:
    from pathlib import Path

    from puzzlesat.base.arrays import Rows

OnSolutions = Callable[["Rows"], None]
"""A function that takes blocks of solutions: arrays (solutions, width) of option numbers, each row ascending and padded with -1."""

Status = Literal["complete", "limit reached", "interrupted", "out of memory"]

Item = TypeVar("Item")
Answer = TypeVar("Answer")
Work = Callable[[Item, "Limits"], Answer]

GIB = 1 << 30
LOCK = "puzzlesat.lock"
"""Name of the lock file in the folder ``disk``."""
OVERHEAD = 64 << 20
"""Bytes allowed on top of the memory limit of work: for libraries loaded on the way, and for memory the interpreter does not return."""
LOOK_AT_MEMORY_SECONDS = 0.03
"""Interval between two measurements of memory. It is short because a list of solutions may grow by a gigabyte a second."""
NEARLY = 128 << 20
"""Within this many bytes of the limit, freed memory is returned to the system before the memory is measured again."""
WAIT_SECONDS = 0.1
"""Interval between two checks whether children must stop."""
LOOKING_SHARE = 0.05
"""Largest share of the time for measuring memory, which takes milliseconds if there are many processes."""


@dataclass(frozen=True)
class Limits:
    """When work must stop, and what it may use."""

    solutions: int | None = None
    seconds: float | None = None
    stop: Event = field(default_factory=Event)
    memory: int | None = None
    """Memory limit in bytes; None: a solver takes a share of the available memory."""
    disk: Path | None = None
    """Folder for a solver's data that do not fit into memory, kept there for the next run; None: no folder."""
    disk_space: int | None = None
    """Limit of the data in ``disk``, in bytes; None: all free space."""
    shapes: int | None = None
    """Most shapes that the tally makes before it gives up."""
    cores: int | None = None
    """Most cores of a solver that can use several; None: all."""
    seed: int | None = None
    """Seed of a randomized search, which runs if the systematic one finds nothing; None: no randomized search."""
    cpu: bool = False
    """True if seconds are CPU seconds of this process and its children, not wall-clock seconds."""
    until: float | None = None
    """Deadline of all steps together, in wall-clock time."""
    cpu_until: float | None = None
    """Deadline of all steps together, in CPU seconds."""
    most_resident: int | None = None
    """Resident bytes of this process and its children at which all steps must end."""
    turn: Event | None = None
    """Set while the threads of this work may run, if two works take turns (see ``alternating``); None: always."""

    def __getstate__(self) -> dict[str, Any]:
        """Return the state without the events, which have no meaning in another process."""
        state = {"stop": None, "turn": None} | self.__dict__
        return {key: value for key, value in state.items() if not isinstance(value, Event)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update({"stop": Event(), "turn": None} | state)

    @property
    def have_deadline(self) -> bool:
        """True if all steps together have a deadline."""
        return self.until is not None or self.cpu_until is not None

    @property
    def now(self) -> float:
        """The current time in seconds: CPU time or wall-clock time."""
        return cpu_seconds() if self.cpu else clock()

    def begun(self) -> Limits:
        """Return the limits with a deadline and a bound on resident memory that start now and hold for all steps of the work together.

        A step may get fewer ``seconds`` of its own. A deadline or a bound that was set before remains; the earlier deadline holds.
        """
        ends, most = self.cpu_until if self.cpu else self.until, self.most_resident
        if self.seconds is not None:
            ends = min(inf if ends is None else ends, self.now + self.seconds)
        if most is None and self.memory is not None:
            most = resident_bytes() + self.memory + OVERHEAD
        begun = replace(self, seconds=None, most_resident=most)
        return replace(begun, cpu_until=ends) if self.cpu else replace(begun, until=ends)

    def within(self, seconds: float | None) -> Limits:
        """Return the limits with at most ``seconds`` seconds."""
        return self if seconds is None else replace(self, seconds=seconds if self.seconds is None else min(self.seconds, seconds))

    @classmethod
    def of(cls, seconds: float | None = None, *, memory: float | None = None, cpu: bool = False) -> Limits:
        """Return limits in seconds and gibibytes. Raises PuzzleError for a number that is not above 0."""
        for name, number in (("seconds", seconds), ("memory", memory)):
            if number is not None:
                PuzzleError.check_number(name, number)
            if number is not None and not (isfinite(number) and number > 0):
                raise PuzzleError(f"{name}: {number} leaves nothing; expected a number above 0, or None for no limit")
        return cls(seconds=seconds, memory=None if memory is None else int(memory * GIB), cpu=cpu)

    @property
    def usable_cores(self) -> int:
        """The limit of cores, or the number of cores that this process may use."""
        return self.cores or (len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)

    def over(self) -> Status | None:
        """Return the reason why work must end now, or None if it may continue."""
        return Clock(self).verdict(-1)

    def free_memory(self) -> int:
        """Return the bytes that a solver may allocate now: the rest of the memory limit, or without one a share of the available memory.

        Everything in memory, such as libraries and the puzzle, counts towards the limit.
        """
        if self.memory is None:
            return int(MEMORY_SHARE * memory_left())
        if self.most_resident is None:
            return self.memory
        give_back()
        return max(0, min(self.memory, self.most_resident - resident_bytes() - SPARE))

    def processes(self, most: int) -> int:
        """Return the number of processes, ``most`` or fewer, that can each use the memory limit at the same time."""
        return most if self.memory is None else max(1, min(most, memory_left() // self.memory))

    def disk_locked(self) -> AbstractContextManager[None]:
        """Return a block in which no other process uses ``disk``. Raises PuzzleError if another process does."""
        return nullcontext() if self.disk is None else locked(self.disk / LOCK, f"--disk {self.disk}")

    def heeding(self, progress: Progress) -> Progress:
        """Return a progress with the same listener that raises EndedError as soon as a limit is reached.

        It is meant for all work except the search of a solver. The limits are checked at each report, and at any point of an ``overseen``
        block. The limit on the number of solutions is ignored.
        """
        clock = Clock(self)
        since = copy(clock)
        last: tuple[str, Mapping[str, int]] = (progress.what, {})

        def listen(what: str, counters: Mapping[str, int]) -> None:
            nonlocal clock, last
            last = what, counters
            if (status := clock.verdict(-1)) is not None:
                clock = Clock(self)  # the ended work may return its memory, so the next work starts with a new clock
                raise EndedError(status, what, counters=counters)
            progress.listener(what, counters)

        def oversee() -> AbstractContextManager[None]:
            own = copy(since)  # used by another thread, and new for each block: the last one may have returned its memory

            def why() -> EndedError | None:
                status = own.verdict(-1)
                return None if status is None else EndedError(status, last[0], counters=last[1])

            return overseen(why, _OverdueError)

        return replace(progress, listener=listen, overseen=oversee)


@dataclass(frozen=True)
class Outcome:
    """The outcome of a solver."""

    solver: str
    found: int
    """Number of solutions of the problem that the solver got."""
    status: Status
    seconds: float
    work: Mapping[str, int]
    """Counters of machine-independent work, such as nodes."""
    weighted: int | None = None
    """Number of solutions of the whole problem (see ``CoverProblem.weight``), if the solver counts them; else None."""

    @property
    def complete(self) -> bool:
        """True if all solutions were found, so that ``found`` is the count."""
        return self.status == "complete"


class Clock:
    """Measures the time since the start of a solver and checks its limits."""

    def __init__(self, limits: Limits) -> None:
        self.began = limits.now
        self.limits = limits
        self._look_at = float("-inf")
        self._too_much = False

    @property
    def seconds(self) -> float:
        """Seconds since the start."""
        return self.limits.now - self.began

    @property
    def left(self) -> float | None:
        """Seconds left, or None without a limit."""
        limits = self.limits
        left = [] if limits.seconds is None else [limits.seconds - self.seconds]
        left += [] if limits.until is None else [limits.until - clock()]
        left += [] if limits.cpu_until is None else [limits.cpu_until - cpu_seconds()]
        return max(0.0, min(left)) if left else None

    def share(self, share: float) -> float | None:
        """Return a share of the seconds left, or None without a limit."""
        return None if self.left is None else self.left * share

    def rest(self) -> Limits:
        """Return the limits with the seconds left."""
        return replace(self.limits, seconds=self.left)

    def verdict(self, found: int) -> Status | None:
        """Return the reason to stop after ``found`` solutions, or None to continue."""
        if self.limits.stop.is_set():
            return "interrupted"
        if self.limits.solutions is not None and found >= self.limits.solutions:
            return "limit reached"
        if self.left == 0:
            return "limit reached"
        return "out of memory" if self._takes_too_much() else None

    def _takes_too_much(self) -> bool:
        """Return whether the memory limit was ever exceeded. Memory is measured at intervals, and only if there is a limit."""
        if self.limits.most_resident is not None and (began := monotonic()) >= self._look_at:
            self._too_much = self._too_much or self._above(self.limits.most_resident)
            self._look_at = monotonic() + max(LOOK_AT_MEMORY_SECONDS, (monotonic() - began) / LOOKING_SHARE)
        return self._too_much

    @staticmethod
    def _above(most: int) -> bool:
        """Return whether the resident memory is above ``most`` bytes after freed memory is returned to the system.

        Freed memory is returned already ``NEARLY`` bytes below the limit, because much may be allocated and freed between two measurements.
        """
        if resident_bytes() <= most - NEARLY:
            return False
        give_back()
        return resident_bytes() > most


class EndedError(Exception):
    """Raised by a listener to end work early.

    It is not a PuzzleError, because nothing is wrong. It propagates to the caller that set the limit, which keeps the partial results.
    """

    def __init__(self, status: Status, what: str = "", *, counters: Mapping[str, int] | None = None) -> None:
        super().__init__(f"{status} during {what}" if what else status)
        self.status: Status = status
        """The reason; never ``complete``."""
        self.what = what
        """The name of the work that was ended."""
        self.counters = dict(counters or {})
        """The last counters of the work."""

    @property
    def words(self) -> str:
        """The reason and the ended work in a few words: ``stopped at a limit while laying placements``."""
        why = Sentence("stopped at a limit") if self.status == "limit reached" else Sentence(self.status)
        return Sentence("{why} while {where}", why=why, where=self.where) if self.what or self.counters else why

    @property
    def where(self) -> Sentence:
        """The ended work and the share that was done: ``laying placements``, ``searching (37.2 %)``."""
        what = DOING.get(self.what) or Sentence(self.what)
        if Progress.SHARE not in self.counters:
            return what
        return Sentence("{what} ({share} %)", what=what, share=self.counters[Progress.SHARE] / 10_000)


class _OverdueError(EndedError):
    """Raised in overseen work (see ``heeding``)."""

    def __init__(self) -> None:
        super().__init__("limit reached")


DOING: Mapping[str, Sentence] = {
    "": Sentence("preparing the puzzle"),
    "reading": Sentence("reading the puzzle"),
    "placements": Sentence("laying placements"),
    "symmetries": Sentence("looking for symmetries"),
    "symmetries of the form": Sentence("looking for symmetries of the form"),
    "reduction": Sentence("sorting out placements"),
    "colourings": Sentence("looking for colourings"),
    "facts": Sentence("looking at areas and parities"),
    "proof": Sentence("looking for a proof"),
    "certificate": Sentence("making a certificate"),
    "second reading": Sentence("reading the puzzle a second time"),
    "the search": Sentence("searching"),
    "what was read": Sentence("looking at what was read"),
    "positions": Sentence("making positions"),
    "other assemblies": Sentence("looking for other assemblies"),
    "puzzlesat-verified": Sentence("running puzzlesat-verified"),
}
"""The activity in words for each name of work. A name that is not listed is shown as it is."""


MEMORY_SHARE = 0.5
"""Default memory limit of a solver, as a share of the available memory."""
SPARE = 48 << 20
"""Bytes below the memory limit that a solver leaves free: for threads, texts, and memory that is freed late."""

UNKNOWN = 2 << 30
"""Available memory in bytes that is assumed if the system does not report it."""


def memory_left() -> int:
    """Return the bytes that this process can still allocate: the available memory of the machine or its container."""
    known = [number for number in (_available(), _left_to_group()) if number is not None]
    return min(known, default=UNKNOWN)


def _available() -> int | None:
    """Return the available memory of the machine in bytes, or None if the system does not report it, as Linux without ``/proc``."""
    import psutil  # imported late, so that the program starts fast

    try:
        return int(psutil.virtual_memory().available)
    except (psutil.Error, OSError, NotImplementedError):
        return None


def _left_to_group() -> int | None:
    """Return the free memory of the Linux control group in bytes, or None without a group or a limit."""
    group = Path("/sys/fs/cgroup")
    try:
        return int((group / "memory.max").read_text("ascii")) - int((group / "memory.current").read_text("ascii"))
    except (OSError, ValueError):  # no group, or no limit
        return None


# work in child processes -----------------------------------------------------------------------------------------------------


def dealt(
    make: Callable[[], Work[Item, Answer]], items: Iterable[Item], jobs: int, limits: Callable[[], Limits]
) -> Generator[tuple[Item, Answer | ChildEndedError], None, None]:
    """Yield each item with its answer, or with the error if its child died, as soon as one of ``jobs`` children returns it.

    ``make`` returns the function that works on one item. It must be a function of a module, or a partial of one; each child calls it
    once, for all its items. ``limits`` returns the limits of the next item: a child gets their seconds and memory, and one core. If
    their ``stop`` is set, children are asked to stop early; items may still be taken and answered after that. An item is taken only when
    a child will soon be idle. If the generator is closed before the last answer, the children are killed.
    """
    packed, stop = pickle.dumps(make), limits().stop
    waiting: dict[Future[Answer], Item] = {}
    left = iter(items)
    with ChildPool(jobs) as children:
        try:
            while True:
                for item in islice(left, 2 * jobs - len(waiting)):
                    now = limits()
                    own = Limits(seconds=now.seconds, memory=now.memory, cores=1, cpu=now.cpu)
                    waiting[children.submit(_in_child, packed, item, own)] = item
                if not waiting:
                    return
                if stop.is_set():
                    children.stop()
                for future in wait(waiting, WAIT_SECONDS, FIRST_COMPLETED).done:
                    error = future.exception()
                    yield waiting.pop(future), error if isinstance(error, ChildEndedError) else future.result()
        except BaseException:
            children.kill()
            raise


def _in_child(packed: bytes, item: Any, limits: Limits) -> Any:
    return _made(packed)(item, replace(limits, stop=Child.told_to_stop))


@lru_cache(maxsize=1)
def _made(packed: bytes) -> Work[Any, Any]:
    work: Work[Any, Any] = pickle.loads(packed)()
    return work
