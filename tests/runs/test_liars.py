"""Workers that lie: no wrong total is called complete, and one liar among several keeps nobody from finishing."""

from random import Random

import pretend
import pytest
from liar import ALIKE, HONEST, MACHINE, PROCESS, SOME, STUBBORN, Anybody, Liars, Lies

from puzzlesat.studies import coordinator
from puzzlesat.studies.opening import StudyHeading, open_store
from tiers import every, tries

UNITS = 60


def run(path, lies, workers=Liars, units=UNITS, **options):
    """Do units; tell how that ended, and whether the total is right."""
    with open_store(path, StudyHeading("pretended", "1", "{}", audit=1.0)) as store:
        store.connection.execute("PRAGMA synchronous = OFF")
        store.add([(pretend.SUBJECT, [pretend.task(units)])])
        end = coordinator.run(store, workers(lies, **options))
        return end, sum(answer.result["found"] for answer in store.answers()) == pretend.total(range(units))


def caught(end):
    return {(who.host, who.process) for who in end.caught}


def test_where_nobody_lies_nobody_is_caught(tmp_path):
    end, right = run(tmp_path / "s", Lies(HONEST), units=20)
    assert (end.complete, right, caught(end)) == (True, True, set())


@every("kind, step", [(kind, step) for kind in (PROCESS, STUBBORN) for step in (1, 48)], fast=("process (1)",))
def test_one_process_of_several_always_lies(tmp_path, kind, step):
    """Also by multiples of the order of a group; it is caught, and nobody else, and all is done without it."""
    for number in range(tries(2)):
        lies = Lies(kind, step=step, random=Random(number))
        end, right = run(tmp_path / f"{number}", lies, units=12)
        assert (end.complete, right) == (True, True), number
        assert caught(end) == {who for _, who in lies.told} == {("m0", 100)}


@every("number", range(4), fast=1)
def test_one_machine_of_several_always_lies(tmp_path, number):
    """All its processes say the same; two others know better."""
    end, right = run(tmp_path / "s", Lies(MACHINE, random=Random(number)), units=12, machines=4, processes=1)
    assert (end.complete, right) == (True, True)
    assert {host for host, _ in caught(end)} == {"m0"}


@pytest.mark.full
@every("kind, units, chance", [(kind, *how) for kind in (SOME, ALIKE) for how in ((10, 0.05), (60, 0.05), (60, 0.005))], fast=2)
def test_everybody_lies_now_and_then(tmp_path, kind, units, chance):
    for number in range(tries(2)):
        end, right = run(tmp_path / f"{number}", Lies(kind, chance, random=Random(number)), units=units)
        assert right or not end.complete, number


def test_a_liar_that_is_asked_again_and_again_does_not_win(tmp_path):
    """Of two processes one always lies, and nobody can say who gets which job: that is never settled, and said."""
    end, _ = run(tmp_path / "s", Lies(STUBBORN), Anybody, units=8, machines=2, processes=1)
    assert not end.complete
    assert caught(end) == set()
    assert "answers that disagree: no total that includes them is complete" in " ".join(end.sentences)


def test_a_machine_whose_processes_all_lie_ends_a_run_that_has_no_other(tmp_path):
    end, _ = run(tmp_path / "s", Lies(SOME, 0.3), units=20, machines=1)
    assert not end.complete
    assert len(caught(end)) >= 3
    assert "no worker is trusted any more" in end.why
