"""How long what is left will take, of units of which it is known."""

from datetime import datetime, timedelta, timezone

import numpy as np
import pytest
from answered import HEADING, SOLVED, answer, puzzle, store

from puzzlesat.cli.terminal import between
from puzzlesat.runs.forecast import UNIT, forecast, foresee
from puzzlesat.runs.opening import open_store, open_to_read
from tiers import every

NAN = float("nan")
QUICK, LEFT = (None, 1.0), (None, None)
"""A unit that took a second, and an open one; neither says what it takes."""


def units(*rows):
    """Units: what each says it takes, and what it took (None: it is open), perhaps with the one that it follows from."""
    made = np.zeros(len(rows), dtype=UNIT)
    for place, (estimate, took, *parent) in enumerate(rows):
        number, left = place + 1, took is None
        known = (number, parent[0] if parent else 0, number, int(estimate is None), left, left)
        made[place] = (*known, False, estimate or NAN, NAN, NAN if left else took, took or 0.0)
    return made


FOLLOWED = [QUICK] * 10 + [(5.0, 10.0, parent) for parent in range(1, 11)]
FORESEEN = {
    "alike": ([*[QUICK] * 100, *[LEFT] * 50], 50),
    "by what they say themselves, up to a factor": ([*[(n, 3.0 * n) for n in range(1, 50)], (100.0, None)], 300),
    "what will follow counts too": ([*FOLLOWED, *FOLLOWED[10:], *[LEFT] * 10], 210),
    "what has not been reached of those that are done": ([*FOLLOWED, *[(5.0, None, n) for n in range(1, 11)], LEFT], 121),
}
"""Units, and the seconds of those that are left."""


@every("rows, seconds", [pytest.param(*values, id=name) for name, values in FORESEEN.items()])
def test_seconds_of_what_is_left(rows, seconds):
    seen = foresee(units(*rows), {})
    assert seen.seconds == pytest.approx(seconds, rel=0.01)
    assert seen.low < seconds < seen.high


def test_what_is_not_known():
    assert foresee(units(LEFT), {}) is None
    assert foresee(units((3.0, None)), {}) is None
    few, many = (foresee(units(*[QUICK] * n, LEFT), {}) for n in (1, 1000))
    assert few.high / few.low > 5 * many.high / many.low


def test_somebody_is_at_work_as_long_as_the_store_is_open(tmp_path):
    path = store(tmp_path / "a", [(puzzle("p"), SOLVED), (puzzle("q", (4, 1)), None)])
    later = datetime.now(timezone.utc) + timedelta(seconds=100)
    with open_to_read(path) as read:
        assert 1.25 < forecast(read, {}, 1, later).seconds < 3  # the limit of its steps
        with open_store(path, HEADING) as opened:
            assert forecast(read, {}, 1, later).seconds == pytest.approx(100, abs=2)
            opened.record([answer(2, SOLVED)])
        assert forecast(read, {}, 1, later).seconds == 0


WORDS = {
    (0.0, 1.0): "less than 2 s",
    (0.2, 9.0): "less than 9 s",
    (3.0, 9.0): "between 3 and 9 s",
    (60.0, 540.0): "between 1 and 9 min",
    (10800.0, 10800.0): "about 3 h",
    (86400.0, 40 * 86400.0): "between 1 and 40 days",
}


@every("bounds, words", WORDS.items())
def test_words(bounds, words):
    assert between(bounds) == words
