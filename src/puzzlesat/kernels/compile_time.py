"""The time that numba spends compiling. The module loads nothing, because programs load it when they start."""

from __future__ import annotations

from time import monotonic


class Compiling:
    """The time that numba has spent compiling in this process, and a callback for the beginning."""

    wall = 0.0
    cpu = 0.0

    @staticmethod
    def begins() -> None:
        """Do nothing: the callback when numba begins to compile."""


compiling = Compiling()


def clock() -> float:
    """Return a clock in seconds that stops while numba compiles, so that compiling uses up no time limit."""
    return monotonic() - compiling.wall
