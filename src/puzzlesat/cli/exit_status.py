"""The exit statuses of all commands."""

from __future__ import annotations

DONE, FAILED, BAD_INPUT, STOPPED_EARLY = 0, 1, 2, 3
MEANINGS = {DONE: "done", FAILED: "a check failed", BAD_INPUT: "bad usage or a bad file", STOPPED_EARLY: "stopped early"}


def status_after(failed: bool, complete: bool) -> int:
    """Return the exit status after a check that failed or not, and work that is complete or not."""
    return FAILED if failed else DONE if complete else STOPPED_EARLY


def worse(one: int, other: int) -> int:
    """Return the worse of two exit statuses: a failed check outweighs a run that stopped early."""
    return FAILED if FAILED in (one, other) else max(one, other)
