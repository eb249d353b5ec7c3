"""The share of a run that is done, on the terminal: by what is foreseen of what is left, and not by how many units that is."""

from __future__ import annotations

from collections.abc import Mapping
from time import monotonic

from puzzlesat.progress import SHARE, Progress
from puzzlesat.runs.forecast import forecast, processes_of_late
from puzzlesat.runs.store import Reader

LOOK_SECONDS = 2.0
"""How often it is asked how much is left,"""
LOOKING = 0.02
"""and for what part of the time at most: of a million units that takes a while."""


def with_share(told: Progress, store: Reader) -> Progress:
    """Return what tells the same with the share of the work that is done, as far as it is foreseen."""
    look_at, left = float("-inf"), 0.0

    def listen(what: str, counters: Mapping[str, int]) -> None:
        nonlocal look_at, left
        if "cpu_seconds" in counters:
            if (began := monotonic()) >= look_at:
                left = seen.seconds if (seen := forecast(store, {}, processes_of_late(store))) is not None else 0.0
                now = monotonic()
                look_at = now + max(LOOK_SECONDS, (now - began) / LOOKING)
            done = counters["cpu_seconds"]
            counters = {**counters, SHARE: int(1e6 * done / (done + left))} if done and left else counters
        told.listener(what or "counting", counters)

    return Progress(listen)
