"""What the machine has for a solver that is not told how much it may take: cores and memory."""

from __future__ import annotations

import os
from pathlib import Path

from puzzlesat.children import give_back, resident_bytes
from puzzlesat.solvers.run import Limits

MEMORY_SHARE = 0.5
"""Of the memory that is available, what a solver takes at most if it is not told how much."""
SPARE = 48 << 20
"""Bytes that a solver which plans what it takes leaves free below a limit: for threads, text, and what is only freed later."""

UNKNOWN = 2 << 30
"""Bytes that are taken to be left where the system does not tell."""


def all_cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def memory_within(limits: Limits) -> int:
    """Return the bytes that a solver may take now: a share of what there is, or what is left of those that it is allowed.

    Whatever is in memory by now, libraries and the puzzle, is part of what is allowed.
    """
    if limits.memory is None:
        return default_memory()
    if limits.most_resident is None:
        return limits.memory
    give_back()
    return max(0, min(limits.memory, limits.most_resident - resident_bytes() - SPARE))


def default_memory() -> int:
    """Return a share of the bytes that are left."""
    return int(MEMORY_SHARE * memory_left())


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
