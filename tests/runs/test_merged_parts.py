"""Stores of one puzzle that was counted in parts in several places, in several ways: together they are the count, every part once."""

from dataclasses import replace
from random import Random

import pytest
from test_parts import PUZZLES, take_long

from puzzlesat.cover.covering import wrong_cover
from puzzlesat.runs import work
from puzzlesat.runs.merge import merge
from puzzlesat.runs.opening import open_store, open_to_read
from puzzlesat.runs.parts import PLAN
from puzzlesat.runs.problems import problem_named
from puzzlesat.runs.store import DONE, LEFT
from puzzlesat.runs.stored import heading_of, subject_in, totals_of
from puzzlesat.runs.subjects import Loaded
from puzzlesat.runs.table import table


def count_on(path, subject, seed, units=None):
    """Go on with a count in parts, by chance here or there, so many units."""
    random = Random(seed)
    with open_store(path, heading_of(subject, 0.3)) as store:
        store.add([(subject, [PLAN])])
        while (left := [unit for state in LEFT for unit in store.left(state)]) and units != 0:
            answers = work.do([store.job(random.choice(left))])
            store.record([replace(answer, host=f"{path.name} {seed}") for answer in answers])
            units = None if units is None else units - 1
    return path


def check(path, subject, name):
    with open_to_read(path) as store:
        (known,) = totals_of(store, 1)
        assert {unit.state for unit in store.units()} == {DONE}
        (row,) = table(store)
    assert known.complete
    assert (known.counts.all, known.counts.distinct, known.counts.labelled) == PUZZLES[name] == (row.all, row.distinct, row.labelled)
    built = Loaded(subject).built()
    for problem, parts in known.parts.items():
        assert wrong_cover(problem_named(built, problem), parts) is None


@pytest.mark.parametrize(
    ("one", "other", "first", "second"),
    [pytest.param(1, 2, 3, 5, marks=pytest.mark.full), pytest.param(2, 2, None, 4, marks=pytest.mark.slow)],
)
def test_whatever_two_places_have_counted_of_one_puzzle(tmp_path, monkeypatch, one, other, first, second):
    name = "tritetratan"
    subject = subject_in(name)
    for number, (level, units) in enumerate([(one, first), (other, second)]):
        take_long(monkeypatch, level)
        count_on(tmp_path / f"{number}", subject, number, units)
    merged = merge([tmp_path / "0", tmp_path / "1"], tmp_path / "together")
    assert merged.unlike == 0
    count_on(tmp_path / "together", subject, 9)
    check(tmp_path / "together", subject, name)
    merge([tmp_path / "1", tmp_path / "together", tmp_path / "0"], tmp_path / "again")
    count_on(tmp_path / "again", subject, 10)
    check(tmp_path / "again", subject, name)
