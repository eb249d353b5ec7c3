"""The limits of a work, the clock that compares it with them, and the outcome of a solver; the cores and the memory of the machine."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from copy import copy
from dataclasses import dataclass, field, replace
from math import isfinite
from numbers import Real
from pathlib import Path
from threading import Event
from time import monotonic
from typing import TYPE_CHECKING, Any, Literal

from puzzlesat.base.errors import PuzzleError, counted
from puzzlesat.base.interrupts import overseen
from puzzlesat.base.processes import cpu_seconds, give_back, resident_bytes
from puzzlesat.base.progress import SHARE, Progress
from puzzlesat.base.sentences import Sentence
from puzzlesat.kernels import clock

if TYPE_CHECKING:
    from pathlib import Path

    from puzzlesat.base.arrays import Rows

OnSolutions = Callable[["Rows"], None]
"""Gets blocks of solutions: an array (solutions, width) of option numbers, ascending in each row, padded with -1 at its end."""

Status = Literal["complete", "limit reached", "interrupted", "out of memory"]

GIB = 1 << 30
BESIDES = 64 << 20
"""Bytes that may come on top of the work itself: libraries that are loaded for it, and what the interpreter does not give back.

With what the program has before it begins, and the files of libraries, this is a quarter of a gibibyte."""
LOOK_AT_MEMORY_SECONDS = 0.03
"""How often it is asked how much memory is taken: solutions that are listed may take a gigabyte a second."""
NEARLY = 128 << 20
"""Bytes below a limit from which on what was freed is given back to the system."""
LOOKING_SHARE = 0.05
"""Of the time, at most, goes by with asking: where there are many processes it takes milliseconds."""


@dataclass(frozen=True)
class Limits:
    """When to stop early, and who may ask for it."""

    solutions: int | None = None
    seconds: float | None = None
    stop: Event = field(default_factory=Event)
    memory: int | None = None
    """Bytes that the work may take; None: a solver takes a share of what the machine has available."""
    disk: Path | None = None
    """A folder where a solver may put what does not fit into memory, and where it finds what an ended run left there; None: nowhere."""
    disk_space: int | None = None
    """Bytes that it may take there; None: all that is free."""
    shapes: int | None = None
    """Shapes beyond which the tally gives up."""
    cores: int | None = None
    """How many cores a solver may use, if it can use several; None: all."""
    seed: int | None = None
    """Where a search finds nothing, solutions may be looked for by chance, drawn by this number; None: they are not."""
    cpu: bool = False
    """Whether seconds are those that processors work, for this process and its children, rather than those that pass."""
    until: float | None = None
    """The time, as ``now`` tells it, when everything must be done, whatever the seconds of a single step."""
    most_resident: int | None = None
    """Bytes of this process in memory at which everything must end."""
    turn: Event | None = None
    """Set while threads of the work may go on, where two works take turns (see ``alternating``); None: always."""

    def __getstate__(self) -> dict[str, Any]:
        """Leave out events of this process: whoever reads a report elsewhere can end nothing here."""
        kept = {"stop": None, "turn": None} | self.__dict__
        return {key: value for key, value in kept.items() if not isinstance(value, Event)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update({"stop": Event(), "turn": None} | state)

    @property
    def now(self) -> float:
        """The time by which the seconds are counted."""
        return cpu_seconds() if self.cpu else clock()

    def begun(self) -> Limits:
        """Return the limits of all that is done for one puzzle, or whatever they are set for, as it begins.

        Each step gets these, perhaps with fewer ``seconds`` of its own: whatever it is, and how many there are, all end together. What has
        begun already goes on as it is, or ends sooner where it has seconds of its own.
        """
        until, most = self.until, self.most_resident
        if self.seconds is not None:
            own = self.now + self.seconds
            until = own if until is None else min(until, own)
        if most is None and self.memory is not None:
            most = resident_bytes() + self.memory + BESIDES
        return replace(self, seconds=None, until=until, most_resident=most)

    def within(self, seconds: float | None) -> Limits:
        """Return the limits with so many seconds at most."""
        return self if seconds is None else replace(self, seconds=seconds if self.seconds is None else min(self.seconds, seconds))

    @classmethod
    def of(cls, seconds: float | None = None, *, memory: float | None = None, cpu: bool = False) -> Limits:
        """Return limits in seconds and gibibytes. Raises PuzzleError for a number that leaves nothing."""
        for name, number in (("seconds", seconds), ("memory", memory)):
            if number is not None:
                check_number(name, number)
            if number is not None and not (isfinite(number) and number > 0):
                raise PuzzleError(f"{name}: {number} leaves nothing; expected a number above 0, or None for no limit")
        return cls(seconds=seconds, memory=None if memory is None else int(memory * GIB), cpu=cpu)

    def over(self) -> Status | None:
        """Return why work that has begun must end now, or None to go on."""
        return Clock(self).verdict(-1)

    def free_memory(self) -> int:
        """Return the bytes that a solver may take now: a share of the memory that is left, or the rest of the memory limit.

        Whatever is in memory by now, libraries and the puzzle, is part of the limit.
        """
        if self.memory is None:
            return int(MEMORY_SHARE * memory_left())
        if self.most_resident is None:
            return self.memory
        give_back()
        return max(0, min(self.memory, self.most_resident - resident_bytes() - SPARE))

    def heeding(self, progress: Progress) -> Progress:
        """Return a progress with the same listener that raises EndedError as soon as a limit is reached.

        For work that is not the search of a solver: the limits hold at each step that it tells, and anywhere in an ``overseen`` block. The
        number of solutions is no limit here.
        """
        clock = Clock(self)
        since = copy(clock)
        last: tuple[str, Mapping[str, int]] = (progress.what, {})

        def listen(what: str, counters: Mapping[str, int]) -> None:
            nonlocal clock, last
            last = what, counters
            if (status := clock.verdict(-1)) is not None:
                clock = Clock(self)  # the ended work may give its memory back, and other work goes on within it
                raise EndedError(status, what, counters=counters)
            progress.listener(what, counters)

        def oversee() -> AbstractContextManager[None]:
            own = copy(since)  # of another thread, and of one block: the next may have the memory that this one gives back

            def why() -> EndedError | None:
                status = own.verdict(-1)
                return None if status is None else EndedError(status, last[0], counters=last[1])

            return overseen(why, _OverdueError)

        return replace(progress, listener=listen, overseer=oversee)


def check_number(name: str, given: object) -> None:
    """Raise PuzzleError, with the name of the argument, for something that is no number."""
    if isinstance(given, bool) or not isinstance(given, Real):
        raise PuzzleError(f"{name}: expected a number such as 5, got {given!r}")


@dataclass(frozen=True)
class Outcome:
    """What a solver did."""

    solver: str
    found: int
    """Solutions of the problem given, each counted once."""
    status: Status
    seconds: float
    work: Mapping[str, int]
    """Machine-independent work, e.g. nodes."""
    weighted: int | None = None
    """Solutions of the whole problem that those found stand for (see ``CoverProblem.weight``), where the solver counts them."""

    @property
    def complete(self) -> bool:
        """Whether all solutions were found: only then is ``found`` the count."""
        return self.status == "complete"


class Clock:
    """The time since a solver began, held against its limits."""

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
        now, limits = self.limits.now, self.limits
        ends = [end for end in (limits.until, None if limits.seconds is None else self.began + limits.seconds) if end is not None]
        return max(0.0, min(ends) - now) if ends else None

    def share(self, share: float) -> float | None:
        """Return a share of the seconds left, or None without a limit."""
        return None if self.left is None else self.left * share

    def rest(self) -> Limits:
        """Return the limits with the seconds left."""
        return replace(self.limits, seconds=self.left)

    def verdict(self, found: int) -> Status | None:
        """Return why to stop now, or None to go on."""
        if self.limits.stop.is_set():
            return "interrupted"
        if self.limits.solutions is not None and found >= self.limits.solutions:
            return "limit reached"
        if self.left == 0:
            return "limit reached"
        return "out of memory" if self._takes_too_much() else None

    def _takes_too_much(self) -> bool:
        """Whether more memory was taken than may be: once and for all. It is not asked each time, and where there is no limit never."""
        if self.limits.most_resident is not None and (began := monotonic()) >= self._look_at:
            self._too_much = self._too_much or self._above(self.limits.most_resident)
            self._look_at = monotonic() + max(LOOK_AT_MEMORY_SECONDS, (monotonic() - began) / LOOKING_SHARE)
        return self._too_much

    @staticmethod
    def _above(most: int) -> bool:
        """Whether more is taken, also when what nobody needs any more is given back: that stays with the process else.

        It is given back somewhat before, for between two looks much may be taken and freed.
        """
        if resident_bytes() <= most - NEARLY:
            return False
        give_back()
        return resident_bytes() > most


class EndedError(Exception):
    """Raised by a listener: the work is to end now, before it is done.

    No PuzzleError, for nothing is wrong; it goes through everything up to whoever has set the limit, and there what is known is kept.
    """

    def __init__(self, status: Status, what: str = "", *, counters: Mapping[str, int] | None = None) -> None:
        super().__init__(f"{status} in the midst of: {what}" if what else status)
        self.status: Status = status
        """Why; never that the work is complete."""
        self.what = what
        """What was being done."""
        self.counters = dict(counters or {})
        """How far it was."""

    @property
    def words(self) -> str:
        """Why and where the work was ended, in a few words: ``stopped at a limit while laying placements``."""
        why = Sentence("stopped at a limit") if self.status == "limit reached" else Sentence(self.status)
        return Sentence("{why} while {where}", why=why, where=self.where) if self.what or self.counters else why

    @property
    def where(self) -> Sentence:
        """The work that was ended, and the share of it that was done: ``laying placements``, ``searching (37.2 %)``."""
        what = DOING.get(self.what) or Sentence(self.what)
        if SHARE not in self.counters:
            return what
        return Sentence("{what} ({share} %)", what=what, share=self.counters[SHARE] / 10_000)


class _OverdueError(EndedError):
    """Raised in work that is overseen (see ``heeding``)."""

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
"""What is being done, by what works are called while they go on; other names say it themselves."""


def far_words(counters: Mapping[str, int]) -> list[Sentence]:
    """Return how far a work is by its counters, the share that is done first: ``["37.2 %", "1 symmetry", "12,000 placements"]``."""
    share = [Sentence("{share} %", share=counters[SHARE] / 10_000)] if SHARE in counters else []
    return share + [counted(number, name) for name, number in counters.items() if name != SHARE]


MEMORY_SHARE = 0.5
"""Of the memory that is available, what a solver takes at most if it is not told how much."""
SPARE = 48 << 20
"""Bytes that a solver which plans what it takes leaves free below a limit: for threads, text, and what is only freed later."""

UNKNOWN = 2 << 30
"""Bytes that are taken to be left where the system does not tell."""


def all_cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def memory_left() -> int:
    """Return the bytes that this process can still have: what the machine, or its container, has available."""
    known = [number for number in (_available(), _left_to_group()) if number is not None]
    return min(known, default=UNKNOWN)


def _available() -> int | None:
    """What the system says that is available; None where it says nothing, such as Linux without ``/proc``."""
    import psutil  # who asks for help need not wait for it

    try:
        return int(psutil.virtual_memory().available)
    except (psutil.Error, OSError, NotImplementedError):
        return None


def _left_to_group() -> int | None:
    """What a control group of Linux leaves to its processes."""
    group = Path("/sys/fs/cgroup")
    try:
        return int((group / "memory.max").read_text("ascii")) - int((group / "memory.current").read_text("ascii"))
    except (OSError, ValueError):  # there is none, or no limit
        return None
