"""The ways in which the tally can count, each forced on small problems, so that tests can compare them."""

import tempfile
from contextlib import contextmanager
from pathlib import Path

import pytest

from puzzlesat.base.limits import Limits
from puzzlesat.solvers.tally import levels, shapes, solve, sweep
from puzzlesat.solvers.tally.solve import shards_of


def too_large_twice(count_at_once):
    """Report the whole as too large, and the first shard that can be divided again; the shards of that shard fit."""

    def counted(problem, laid, limits, work, go_on):
        if work.setdefault("tries", 0) < 2 and shards_of(problem, laid[2]) is not None:
            work["tries"] += 1
            raise shapes.TooLargeError("too large")
        return count_at_once(problem, laid, limits, work, go_on)

    return counted


def every_second(self, *held, **beside):
    """Report room for every second level only."""
    return 1000 * (self.steps % 2)


BROKEN = [(solve, "NARROW", 0), (solve, "WORTH", 2.0)]
IN_TURNS = [(levels, "ENTRIES_A_TURN", 1), (levels, "ENTRIES_TO_SHARE", 0)]
WAYS = {
    "shapes of several words": [(shapes, "_steps", lambda moves: None)],
    "remainders modulo primes": [(levels, "MAX_WAYS", 2)],
    "a hash table of records": [(levels, "DENSE_BITS", -1)],
    "both": [(levels, "DENSE_BITS", -1), (levels, "MAX_WAYS", 2)],
    "several cores": IN_TURNS,
    "levels in parts": [(levels._LevelWays, "_room", lambda *_, **__: 32), (levels, "ENTRIES_A_TURN", 1), (levels, "ROOM_FOR_MORE", 2)],
    "levels in parts, on several cores": [(levels._LevelWays, "_room", lambda *_, **__: 32), *IN_TURNS],
    "shards, one of each orbit": [(solve, "WIDE", 0), (solve, "SYMMETRIES", 2), (solve, "FEW", 0)],
    "symmetry broken": BROKEN,
    "symmetry broken, shapes of several words": [*BROKEN, (shapes, "_steps", lambda moves: None)],
    "symmetry broken, levels in parts": [*BROKEN, (levels._LevelWays, "_room", lambda *_, **__: 32), *IN_TURNS[:1]],
    "shards of shards": [(solve, "_count_at_once", too_large_twice(solve._count_at_once))],
    "a sweep": [(solve, "SWEPT_FROM", 0)],
    "a sweep in small turns": [(solve, "SWEPT_FROM", 0), (sweep, "STATES_A_TURN", 1), (sweep, "SAMPLES", 2)],
    "a sweep on a disk": [(solve, "SWEPT_FROM", 0), (sweep, "in_memory", lambda *_: 1 << 60)],
    "levels on a disk": [(levels._LevelWays, "_room", lambda *_, **__: 0)],
    "levels on a disk and in memory": [(levels._LevelWays, "_room", every_second)],
    "small steps": [(levels, "ENTRIES_A_TURN", 1), (shapes, "SHAPES_A_TURN", 1), (shapes, "FIRST_SHAPES", 1), (shapes, "FIRST_EDGES", 1)],
}


@contextmanager
def tally_by(way):
    """Make the tally count in one of the ways; yield the limits that it needs."""
    with pytest.MonkeyPatch.context() as patch, tempfile.TemporaryDirectory() as folder:
        for place, name, value in WAYS[way]:
            patch.setattr(place, name, value)
        yield Limits(disk=Path(folder)) if "disk" in way else Limits()
        assert not any(Path(folder).iterdir()), "what was counted leaves nothing on the disk"
