"""What the machine has for a solver that is not told how much it may take: cores and memory."""

from __future__ import annotations

import os
from pathlib import Path

from puzzlesat.solvers.run import Limits
from puzzlesat.solvers.strategy import MEMORY_SHARE

UNKNOWN = 2 << 30
"""Bytes that are taken to be available where the system does not say."""


def all_cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def memory_within(limits: Limits) -> int:
    """Return the bytes that a solver may take: those it is allowed, or else a share of what there is."""
    return default_memory() if limits.memory is None else limits.memory


def default_memory() -> int:
    """Return a share of the bytes that are left."""
    return int(MEMORY_SHARE * memory_left())


def memory_left() -> int:
    """Return the bytes that this process can still have: what the machine, or its container, has available."""
    return min((n for n in (_available(), _left_to_group()) if n is not None), default=UNKNOWN)


def _available() -> int | None:
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        return next(int(line.split()[1]) << 10 for line in lines if line.startswith("MemAvailable"))
    except (OSError, StopIteration, ValueError):
        pass
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2
    except (AttributeError, OSError, ValueError):  # not on this system
        return None


def _left_to_group() -> int | None:
    """What a control group of Linux leaves to its processes."""
    group = Path("/sys/fs/cgroup")
    try:
        return int((group / "memory.max").read_text()) - int((group / "memory.current").read_text())
    except (OSError, ValueError):  # there is none, or no limit
        return None
