"""The time that numba compiles for. It loads nothing: programs start with it."""

from __future__ import annotations

from time import monotonic


class Compiling:
    """How long numba has compiled in this process, and who is told when it begins."""

    wall = 0.0
    cpu = 0.0

    @staticmethod
    def begins() -> None:
        """Tell nobody."""


compiling = Compiling()


def clock() -> float:
    """Return seconds that pass only while numba does not compile: nobody's time or time limit pays for that."""
    return monotonic() - compiling.wall
