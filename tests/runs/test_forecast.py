"""How long what is left will take, of units of which it is known."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

import numpy as np
import pytest
from answered import HEADING, SOLVED, answer, puzzle, store

from puzzlesat.cli.terminal import between
from puzzlesat.runs.forecast import UNIT, forecast, foresee
from puzzlesat.runs.opening import open_store, open_to_read

NAN = float("nan")


def units(*rows):
    """Units: what each says it takes, and what it took (None: it is open), perhaps with the one that it follows from."""
    made = np.zeros(len(rows), dtype=UNIT)
    for place, (estimate, took, *parent) in enumerate(rows):
        own = NAN if took is None else took
        kind = int(estimate is None)
        made[place] = (
            place + 1,
            parent[0] if parent else 0,
            place + 1,
            kind,
            took is None,
            took is None,
            False,
            estimate or NAN,
            NAN,
            own,
            took or 0.0,
        )
    return made


def test_nothing_is_known_where_nothing_is_done():
    assert foresee(units((None, None)), {}) is None
    assert foresee(units((3.0, None)), {}) is None


def test_units_that_are_alike_take_as_long():
    seen = foresee(units(*[(None, 2.0)] * 100, *[(None, None)] * 50), {})
    assert seen.seconds == pytest.approx(100)
    assert 40 < seen.low < 100 < seen.high < 250


def test_one_of_the_next_takes_longer_than_all_before():
    """As long as few are done, and as long as their limit lets them."""
    made = units(*[(None, 1.0)] * 4, *[(None, None)] * 10)
    assert foresee(made, {}).seconds == pytest.approx(10)
    made["limit"] = 100.0
    assert foresee(made, {}).seconds == pytest.approx(10 + 10 * 10 / 5)
    made["limit"] = 1.5
    assert foresee(made, {}).seconds < 15.01


def test_few_units_say_little():
    few, many = (foresee(units(*[(None, 2.0)] * n, (None, None)), {}) for n in (1, 1000))
    assert few.high / few.low > 5 * many.high / many.low


def test_what_they_say_themselves_is_right_up_to_a_factor():
    seen = foresee(units(*[(n, 3.0 * n) for n in range(1, 50)], (100.0, None)), {})
    assert seen.seconds == pytest.approx(300, rel=0.01)


def test_what_will_follow_counts_too():
    """Of each unit two more follow, that take 10 s: of those that are not there yet nothing is in the store."""
    known = [(None, 1.0)] * 10
    followed = [(5.0, 10.0, parent) for parent in range(1, 11) for _ in range(2)]
    assert foresee(units(*known, *followed, *[(None, None)] * 10), {}).seconds == pytest.approx(210)


def test_what_has_not_been_reached_of_those_that_are_done_counts_too():
    """One of the units that follow from each is still open: what is foreseen of it belongs to what the next ones will take."""
    known = [(None, 1.0)] * 10
    followed = [(5.0, 10.0 if first else None, parent) for first in (True, False) for parent in range(1, 11)]
    assert foresee(units(*known, *followed, (None, None)), {}).seconds == pytest.approx(10 * 10 + 21, rel=0.01)


def test_seconds_grow_with_the_area():
    made = units(*[(None, 0.02 * 1.1**faces) for faces in range(20, 60)], (None, None))
    areas = {place + 1: faces for place, faces in enumerate([*range(20, 60), 80])}
    assert foresee(made, areas).seconds == pytest.approx(0.02 * 1.1**80, rel=0.1)
    made["limit"] = 10.0
    assert foresee(made, areas).seconds == pytest.approx(10.0)


def test_a_unit_that_others_have_overtaken_is_a_long_one():
    made = units(*[(None, 0.1)] * 10, (None, None), *[(None, 0.1)] * 500)
    assert foresee(made, {}).seconds > 40


def test_who_waits_for_long_waits_longer():
    made = units(*[(None, 0.1)] * 10, (None, None))
    assert foresee(made, {}).seconds == pytest.approx(0.1)
    assert foresee(made, {}, silent=48.0).seconds == pytest.approx(48.0)


def test_by_the_clock_it_takes_no_less_than_its_longest_unit():
    made = units(*[(n, float(n)) for n in range(1, 50)], (100.0, None), *[(1.0, None)] * 20)
    seen = foresee(made, {})
    assert seen.by_the_clock(4).seconds == pytest.approx(seen.longest) == pytest.approx(100, rel=0.01)
    assert seen.by_the_clock(1).seconds == pytest.approx(seen.seconds)


def test_somebody_is_at_work_as_long_as_the_store_is_open(tmp_path):
    path = store(tmp_path / "a", [(puzzle("p"), SOLVED), (puzzle("q", (4, 1)), None)])
    later = datetime.now(timezone.utc) + timedelta(seconds=100)
    with open_to_read(path) as read:
        assert 1.25 < forecast(read, {}, 1, later).seconds < 3  # the limit of its steps
        with open_store(path, HEADING) as opened:
            assert forecast(read, {}, 1, later).seconds == pytest.approx(100, abs=2)
            opened.record([answer(2, SOLVED)])
        assert forecast(read, {}, 1, later).seconds == 0


@pytest.mark.parametrize(
    ("bounds", "words"),
    [
        ((0.0, 1.0), "less than 2 s"),
        ((0.2, 9.0), "less than 9 s"),
        ((3.0, 9.0), "between 3 and 9 s"),
        ((60.0, 540.0), "between 1 and 9 min"),
        ((5.0, 540.0), "less than 9 min"),
        ((10800.0, 10800.0), "about 3 h"),
        ((86400.0, 40 * 86400.0), "between 1 and 40 days"),
    ],
)
def test_words(bounds, words):
    assert between(bounds) == words
