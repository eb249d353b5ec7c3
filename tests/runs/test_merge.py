"""Stores of one study put together: nothing lost, nothing counted twice, whatever each of them has done, and in whatever way."""

import shutil
import sqlite3
from contextlib import closing
from dataclasses import replace
from random import Random

import pretend
import pytest
from hypothesis import given
from hypothesis import strategies as st

from puzzlesat.base.errors import PuzzleError
from puzzlesat.studies import audit
from puzzlesat.studies.merging import merge
from puzzlesat.studies.opening import StudyHeading, chain_faults, faults_of, open_store, open_to_read
from puzzlesat.studies.store import ANSWERED, DISPUTED, DONE, LEFT, OPEN, UNSETTLED
from puzzlesat.studies.units import Answer, subject_of
from tiers import every

ONCE_MORE = "count the puzzle once more, in a new store"
HEADING = StudyHeading("pretended", "1", "{}", audit=0.0)
NUMBERS = 40


def subject(name):
    return subject_of(name, {}, {})


def done(path, tasks, *, most=None, units=None, seed=None, heading=HEADING):
    """Go on with a store, one unit after the other, so many of them; ``most`` parts the work in another way than the tasks say."""
    random = Random(seed)
    with open_store(path, heading) as store:
        store.connection.execute("PRAGMA synchronous = OFF")
        store.add([(subject(name), [task]) for name, task in tasks.items()])
        while (left := [unit for state in LEFT for unit in store.left(state)]) and units != 0:
            job = store.job(left[0] if seed is None else random.choice(left))
            answers = pretend.answers([job if most is None else replace(job, task={**job.task, "most": most})])
            host = path.name if seed is None else f"{path.name} {seed}"
            store.record([replace(answer, host=host) for answer in answers])
            units = None if units is None else units - 1
    return path


def total(path):
    with open_to_read(path) as store:
        return sum(answer.result["found"] for answer in store.answers())


def merged(stores, path):
    """Merge some stores, and return the path of what that makes."""
    merge(stores, path)
    return path


def states(path):
    with open_to_read(path) as store:
        return {state: number for state, number in store.counts_by_state().items() if number}


def everything(path):
    """All rows of a store, by table."""
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
        return {name: connection.execute(f"SELECT * FROM {name}").fetchall() for name in ("subjects", "units", "answers", "files")}


TASK = pretend.task(NUMBERS, 3)
ALL = pretend.total(range(NUMBERS))


def test_two_halves_of_a_study(tmp_path):
    tasks = {f"puzzle {number}": pretend.task(number + 5, 2) for number in range(10)}
    names = list(tasks)
    whole = done(tmp_path / "whole", tasks)
    halves = [done(tmp_path / f"half {i}", {name: tasks[name] for name in names[i::2]}) for i in range(2)]
    made = merge(halves, tmp_path / "together")
    rows, same = everything(tmp_path / "together"), everything(whole)
    assert {table: len(rows[table]) for table in rows} == {table: len(same[table]) for table in same}
    assert (made.subjects, made.units, made.answers) == tuple(len(same[table]) for table in ("subjects", "units", "answers"))
    assert (made.compared, made.unlike, made.left_out) == (0, 0, 0)
    assert total(tmp_path / "together") == total(whole)
    assert states(tmp_path / "together") == states(whole) == {DONE: len(same["units"])}


def test_what_is_done_twice_is_checked_and_counted_once(tmp_path):
    one, other = (done(tmp_path / name, {"p": TASK}) for name in "ab")
    made = merge([one, other], tmp_path / "c")
    number = len(everything(one)["units"])
    assert (made.units, made.answers, made.compared, made.unlike) == (number, 2 * number, number, 0)
    assert total(tmp_path / "c") == ALL
    with open_to_read(tmp_path / "c") as store:
        assert {answer.role for answer in store.answers(standing=False)} == {"first", "audit"}
        assert all(unit.alike == 2 and unit.state == DONE for unit in store.units())


def test_a_copy_checks_nothing(tmp_path):
    """The same answer in two files is one answer: a machine does not confirm itself."""
    one = done(tmp_path / "a", {"p": TASK}, units=4)
    shutil.copy(one, tmp_path / "b")
    made = merge([one, tmp_path / "b"], tmp_path / "c")
    assert (made.compared, made.answers) == (0, 4)
    assert everything(tmp_path / "c") == everything(one)
    done(tmp_path / "b", {"p": TASK})  # it goes on elsewhere
    for number, pair in enumerate([[one, tmp_path / "b"], [tmp_path / "b", one]]):
        merge(pair, target := tmp_path / f"on {number}")
        assert (total(target), states(target).keys()) == (ALL, {DONE})
        assert len(everything(target)["answers"]) == len(everything(tmp_path / "b")["answers"])


@pytest.mark.full
@given(st.lists(st.tuples(st.integers(0, 12), st.sampled_from([None, 1, 2, 5, 40]), st.integers(0, 99)), min_size=2, max_size=3))
def test_whatever_each_has_done_the_total_is_exact(tmp_path_factory, ways):
    """Stores that have done some of the same, in any order, parted in any way: put together, and then done to the end."""
    folder = tmp_path_factory.mktemp("ways")
    stores = [done(folder / f"{i}", {"p": TASK}, units=units, most=most, seed=seed) for i, (units, most, seed) in enumerate(ways)]
    assert merge(stores, folder / "together").unlike == 0
    everything(folder / "together")
    done(folder / "together", {"p": TASK})
    assert (total(folder / "together"), states(folder / "together").keys()) == (ALL, {DONE})
    merge([folder / "together", *stores], folder / "again")
    assert (total(folder / "again"), states(folder / "again").keys()) == (ALL, {DONE})


def wrong(roles=("first",)):
    return {"p": {**TASK, "faults": [{"at": 20, "kind": "wrong", "roles": list(roles)}]}}


@every("right_first", [True, False])
def test_answers_that_differ_are_a_dispute_that_the_next_run_settles(tmp_path, right_first):
    task = wrong()
    right, lying = tmp_path / "right", tmp_path / "lying"
    done(lying, task)
    with open_store(right, HEADING) as store:
        store.add([(subject(name), [one]) for name, one in task.items()])
        while left := store.left(OPEN):
            job = store.job(left[0])
            honest = {key: value for key, value in job.task.items() if key != "faults"}
            (answer,) = pretend.answers([replace(job, task=honest)])
            follow = [{**after, "faults": task["p"]["faults"]} for after in answer.follow]
            store.record([replace(answer, follow=follow, host="honest")])
    assert (total(right), total(lying)) == (ALL, ALL + 1)
    made = merge([right, lying] if right_first else [lying, right], tmp_path / "together")
    assert made.unlike == 1
    assert states(tmp_path / "together")[DISPUTED] == 1
    done(tmp_path / "together", task)
    assert (total(tmp_path / "together"), states(tmp_path / "together").keys()) == (ALL, {DONE})
    assert len(everything(tmp_path / "together")["answers"]) == 2 * len(everything(right)["units"]) + 1


TWICE = replace(HEADING, audit=1.0)


def say(path, *values):
    """Let a store with one unit have further answers with these values, each by somebody else, as long as any are wanted."""
    with open_store(path, TWICE) as store:
        store.connection.execute("PRAGMA synchronous = OFF")
        store.add([(subject("p"), [pretend.task(1)])])
        for value in values:
            assert store.is_left(1)
            said = {"solver": "pretend", "host": f"{path.name} {len(store.places(1))}", "process": value}
            store.record([Answer(1, store.job(1).role, {"found": value, "parts": [[0, 1]]}, **said)])
    return path


DISPUTES = [
    ((1,), (), (), ANSWERED, 1),
    ((1,), (1,), (1,), DONE, 1),
    ((1,), (2,), (), DISPUTED, 1),
    ((1,), (2,), (1,), DISPUTED, 1),
    ((1,), (2,), (1, 1), ANSWERED, 1),  # a machine was caught that has answered: five must say the same
    ((1,), (2, 2), (1, 1), ANSWERED, 1),
    ((1, 2), (), (), DISPUTED, 1),
    ((1, 2), (2, 2, 2, 2), (), DONE, 2),
    ((), (1,), (2,), DISPUTED, None),
    ((), (1, 2), (1, 1), ANSWERED, 1),
    ((), (1, 1, 1), (2, 2, 2), DISPUTED, None),
    ((), (1, 2, 2), (2, 1), ANSWERED, 2),
    ((), (1, 2, 2, 2), (2, 2), DONE, 2),
    ((), (1, 2, 2, 2), (3, 4, 4, 4), DISPUTED, None),
    ((), (1, 2, 2, 2, 2, 2), (3, 3), DONE, 2),
    ((), (1, 2, 3, 4), (5, 6, 7), UNSETTLED, None),
    ((1, 2, 3, 4, 5, 6), (7,), (), UNSETTLED, None),
    ((1, 2, 3, 4), (4, 4, 4, 4), (5, 5), DONE, 4),
]
"""What two stores have heard of a unit together, and each for itself; its state when they are merged, and the value that stands."""


@pytest.mark.full
@every(
    "together, one, other, state, stands, turned",
    [pytest.param(*case, turned, id=f"{case[:3]}{' turned' * turned}") for case in DISPUTES for turned in (False, True)],
    fast=3,
)
def test_a_dispute_is_as_all_answers_together_have_it(tmp_path, together, one, other, state, stands, turned):
    first = say(tmp_path / "a", *together)
    shutil.copy(first, tmp_path / "b")
    stores = [say(first, *one), say(tmp_path / "b", *other)]
    merge(stores[::-1] if turned else stores, tmp_path / "c")
    assert states(tmp_path / "c") == {state: 1}
    with open_to_read(tmp_path / "c") as store:
        assert sorted(a.result["found"] for a in store.answers(standing=False)) == sorted([*together, *one, *other])
        assert stands in (None, total(tmp_path / "c"))
        assert faults_of(store, 1) == []
        assert chain_faults(store) == []
        if stands is not None and state in (DONE, ANSWERED):  # whoever said otherwise is caught, and nobody else
            assert {who.process for who in store.caught()} == {*together, *one, *other} - {stands}
    for number, again in enumerate((["c", "a"], ["b", "c"], ["c", "c"])):  # and it stays so, whatever it is merged with once more
        assert states(merged([tmp_path / name for name in again], tmp_path / f"again {number}")) == {state: 1}


def test_work_that_was_parted_in_two_ways_and_finished_differently_is_not_complete(tmp_path):
    one = done(tmp_path / "a", wrong())
    other = done(tmp_path / "b", {"p": {**TASK, "faults": wrong()["p"]["faults"]}}, most=40, heading=HEADING)
    with closing(sqlite3.connect(other)) as connection, connection:
        connection.execute("UPDATE answers SET result = replace(result, ?, ?)", (str(ALL + 1), str(ALL)))
        audit.rebuild(connection, HEADING.digest)
    made = merge([one, other], tmp_path / "c")
    assert made.unlike == 1
    assert states(tmp_path / "c")[UNSETTLED] == 1
    with open_to_read(tmp_path / "c") as store:
        (said,) = {unit.error for unit in store.units() if unit.error}
    assert said == f"a and b: {ALL + 1:,} and {ALL:,} solutions of the same work (all), split in two ways; {ONCE_MORE}"
    for number, again in enumerate(([tmp_path / "c", one], [other, tmp_path / "c"])):  # one of the two alone does not settle it
        assert states(merged(again, tmp_path / f"again {number}"))[UNSETTLED] == 1


def test_what_does_not_belong_together_is_refused_and_nothing_is_written(tmp_path):
    one = done(tmp_path / "a.sqlite", {"p": TASK})
    other = done(tmp_path / "b.sqlite", {"p": TASK}, heading=replace(HEADING, name="other", digest="2"))
    with pytest.raises(PuzzleError, match="another study"):
        merge([one, other], tmp_path / "c.sqlite")
    older = done(tmp_path / "d.sqlite", {"p": TASK})
    with closing(sqlite3.connect(older)) as connection, connection:
        connection.execute("UPDATE meta SET value = '0.0.1' WHERE key = 'version'")
    with pytest.raises(PuzzleError, match=r"0\.0\.1"):
        merge([one, older], tmp_path / "c.sqlite")
    (tmp_path / "text.sqlite").write_text("no database at all, but a text that is long enough to be read")
    with pytest.raises(PuzzleError, match="not a store"):
        merge([one, tmp_path / "text.sqlite"], tmp_path / "c.sqlite")
    with pytest.raises(PuzzleError, match="exists already"):
        merge([one, one], older)
    beside = (".lock", "-wal", "-shm")
    left = {file.name for file in tmp_path.iterdir() if not file.name.endswith(beside)}
    assert left == {"a.sqlite", "b.sqlite", "d.sqlite", "text.sqlite"}
