"""Counts without listing: their reports, and their equality with the counts of lists."""

import itertools
import threading

import pytest

import puzzlesat
from puzzlesat.base import Limits, NotSupportedError, PuzzleError, limits
from puzzlesat.counting import Judgement, comparison, count, crosscheck
from puzzlesat.counting.comparison import check_by_certificate
from puzzlesat.counting.evidence import BY_TREES, Row
from puzzlesat.counting.plan import CERTIFICATE, CHECKING_SECONDS, MAX_SAMPLE_SECONDS, MIN_SAMPLE_SECONDS, Plan
from puzzlesat.counting.tallied_counts import two_sides
from tiers import every

SMALL = ["soma-mirrored", "hexiamonds-6x6", "absolut-knifflig", "tangram-square", "bits-and-bytes", "lozenges-hexagon-3", "dominoes-6x6"]
FIGURES = ("all", "distinct", "fixed")


@every("name", SMALL, fast=("tangram-square",))
def test_the_counts_are_those_of_a_list(name):
    puzzle = puzzlesat.load(name)
    listed = count(puzzle, Plan(("backtrack",)))
    counted = count(puzzle, Plan(("tally", "backtrack"), full=True))
    assert {f: getattr(counted.counts, f) for f in FIGURES} == {f: getattr(listed.counts, f) for f in FIGURES}
    assert counted.counts.labelled in (None, listed.counts.labelled)
    assert counted.counts.labelled_turns in (None, listed.counts.labelled_turns)
    assert counted.burnside is counted.agree is counted.complete is True
    assert not counted.listed
    assert all(v.word != "refuted" for v in Judgement(counted).verdicts)


def test_what_symmetries_leave_unchanged_is_searched_for_again():
    """A half turn and a mirror exchange two fixed dominoes."""
    form = '[form]\nbox = [6, 4]\nfixed = ["D.1@3.1", "D.1@3.4"]\n'
    puzzle = puzzlesat.load(f'title = "t"\ngrid = "square"\nflips = true\n[tiles.D]\npicture = "##"\ncopies = "any"\n{form}')
    report = count(puzzle, Plan(("tally", "backtrack")))
    assert (report.counts.all, report.counts.distinct, report.agree) == (61, 27, True)
    assert report.witnesses == {"all": ("backtrack",), "distinct": (BY_TREES,), "fixed": (BY_TREES,)}
    wrapped = puzzlesat.load(puzzle.written.puzzle | {"form": {"box": [4, 4], "wrap": [{"move": [4, 0]}, {"move": [0, 4]}]}})
    report = count(wrapped, Plan(("tally", "backtrack")))
    assert (report.counts.all, report.counts.distinct, report.witnesses["distinct"]) == (272, 13, (BY_TREES,))
    unlooked = count(puzzle, Plan(("tally", "backtrack"), budget=0.0))
    assert (unlooked.counts.distinct, unlooked.witnesses["distinct"], unlooked.agree) == (27, (), None)


def by_turns(name, **plan):
    """Count by ``auto`` with turns measured in CPU time, so other work on the machine has no influence."""
    return count(puzzlesat.load(name), Plan(**{"solvers": ("auto",), "limits": Limits(cpu=True)} | plan))


@pytest.mark.full
def test_what_is_too_much_to_list_is_counted_and_sampled():
    report = by_turns("dominoes-8x8", solvers=("auto", "cpsat"), budget=10.0)
    assert [row.solver for row in report.rows] == ["tally", "backtrack", "cpsat"]
    assert report.complete
    assert report.agree is None, "a sample is no witness, though what symmetries leave unchanged was searched for again"
    assert report.rows[1].confirms
    assert report.counts.all == 12_988_816


WITHOUT_CROSSROADS = {"title": "t", "grid": "square", "flips": True, "form": {"box": [8, 5]}, "solutions": {"no_crossroads": True}}
WITHOUT_CROSSROADS["tiles"] = {"D": {"atoms": [[1, 1], [2, 1]], "copies": "any"}, "M": {"atoms": [[1, 1]], "copies": "any"}}
"""A tally keeps a record for each point, a search needs a moment."""


@pytest.mark.full
def test_a_puzzle_that_is_listed_in_no_time_does_not_wait_for_the_tally():
    report = count(puzzlesat.load(WITHOUT_CROSSROADS), Plan(("auto",), budget=0.0, limits=Limits(cpu=True)))
    assert [(row.solver, row.all, row.status) for row in report.rows] == [("backtrack", 1165, "complete"), ("tally", None, "limit reached")]
    assert report.rows[0].work["nodes"] == 6881
    assert report.rows[1].work.get("states", 0) < 10_000_000
    assert (report.complete, report.status, report.counts.distinct) == (True, "complete", 313)
    assert report.agree is None, "a tally that was not finished confirms nothing"


@pytest.mark.full
def test_a_puzzle_that_is_tallied_in_no_time_does_not_wait_for_the_list():
    told = []
    report = count(puzzlesat.load("one-sided-pentominoes-3x30"), Plan(("auto",), budget=0.0, limits=Limits(cpu=True)), known=told.append)
    assert (report.rows[0].solver, report.rows[0].all) == ("tally", 184)
    assert (report.rows[-1].solver, report.rows[-1].status, report.rows[-1].confirms) == ("backtrack", "limit reached", False)
    assert report.rows[-1].how.startswith("listing all of them was given up; ")
    assert report.rows[-1].work.get("nodes", 0) < 20_000_000
    assert (told[0].rows[0].solver, len(told[0].rows), told[0].counts.all) == ("tally", 1, 184)


@pytest.mark.full
def test_a_limit_ends_both_where_neither_is_done():
    report = by_turns("one-sided-pentominoes-9x10", limits=Limits(seconds=4, cpu=True))
    (lister, tally) = report.rows
    assert (lister.solver, lister.status, tally.solver, tally.status) == ("backtrack", "limit reached", "tally", "limit reached")
    assert report.rows[0].work["nodes"] and not report.complete


@pytest.mark.full
def test_the_slower_one_confirms_within_the_budget(monkeypatch):
    report = by_turns("octogram", budget=60.0)
    assert {row.solver: row.all for row in report.rows} == {"backtrack": 129168, "tally": 129168}
    assert report.rows[1].confirms
    monkeypatch.setattr(crosscheck, "CONFIRMING_SECONDS", 0.0)
    report = by_turns("octogram", budget=0.0)
    assert [row.all for row in report.rows].count(129168) == 1
    assert (report.complete, report.agree, report.counts.distinct) == (True, None, 16146)


@pytest.mark.full
def test_what_the_tally_refuses_is_listed(monkeypatch):
    def refuse(*_):
        raise NotSupportedError("too large")

    monkeypatch.setattr(crosscheck, "tallied", refuse)
    report = by_turns("soma")
    assert [(row.solver, row.status) for row in report.rows] == [("backtrack", "complete"), ("tally", "refused")]
    assert (report.rows[1].refusal, report.counts.all) == ("too large", 11520)
    report = by_turns("octogram", symmetry=False, limits=Limits(seconds=1, cpu=True))  # the list takes two or more
    assert [(row.solver, row.status) for row in report.rows] == [("backtrack", "limit reached"), ("tally", "refused")]


@pytest.mark.full
def test_what_the_tally_or_a_check_of_the_geometry_raises_is_raised(monkeypatch):
    """No working thread is left behind."""

    def fail(*_):
        raise PuzzleError("the folder is in use")

    with monkeypatch.context() as m:
        m.setattr(crosscheck, "tallied", fail)
        with pytest.raises(PuzzleError, match="in use"):
            by_turns("soma")
    monkeypatch.setattr(crosscheck._List, "_take", fail)
    with pytest.raises(PuzzleError, match="in use"):
        by_turns("octogram")
    assert threading.active_count() == 1 or not any("_tally" in thread.name for thread in threading.enumerate())


@pytest.mark.full
def test_taking_turns_does_not_bound_the_checks(monkeypatch):
    had = []

    def check(built, expected, limits, progress, proved):
        had.append(limits.seconds)
        return check_by_certificate(built, expected, limits, progress, proved=proved)

    monkeypatch.setattr(comparison, "check_by_certificate", check)
    assert by_turns("soma", solvers=("auto", "certificate"), budget=1000.0).agree
    assert had == [pytest.approx(1000, abs=50)]


# once a certificate of the whole search was accepted, the other solvers take a sample in proportion to the work before -----------


@every(("spent", "seconds"), [(0.1, MIN_SAMPLE_SECONDS), (3.0, 3.0), (60.0, MAX_SAMPLE_SECONDS)])
def test_a_sample_takes_as_long_as_the_work_before(spent, seconds):
    assert Plan().sample_seconds(spent) == seconds
    assert Plan(budget=9.0).sample_seconds(spent) is None
    assert Plan(full=True).sample_seconds(spent) is None


def budgets(monkeypatch, plan, certificate):
    given = []

    def check(task, _plan, budget, *_others):
        given.append(budget)
        return Row(task.solver, None, "limit reached", "", 0.0, {}), []

    monkeypatch.setattr(comparison, "check", check)
    monkeypatch.setattr(comparison, "check_by_certificate", lambda *_, **_more: (certificate, []))
    count(puzzlesat.load("soma"), plan)
    return given


ACCEPTED = Row(CERTIFICATE, 11_520, "complete", "a tree", 0.1, {}, independent=True)
REFUSED = Row(CERTIFICATE, None, "refused", "", 0.0, {}, refusal="no")
SOLVERS = ("backtrack", CERTIFICATE, "sat", "cpsat")


@pytest.mark.full
def test_after_a_certificate_two_solvers_share_a_sample(monkeypatch):
    sat, cpsat = budgets(monkeypatch, Plan(SOLVERS), ACCEPTED)
    assert MIN_SAMPLE_SECONDS * 0.4 < sat <= MAX_SAMPLE_SECONDS / 2 and cpsat <= MAX_SAMPLE_SECONDS


@pytest.mark.full
def test_after_a_certificate_a_solver_is_begun_if_it_gets_through_a_tenth(monkeypatch):
    monkeypatch.setattr(comparison, "SAT_SECONDS_A_SOLUTION", 1.0)
    assert budgets(monkeypatch, Plan(SOLVERS), ACCEPTED) == []
    assert len(budgets(monkeypatch, Plan(SOLVERS, CHECKING_SECONDS), ACCEPTED)) == 2
    assert len(budgets(monkeypatch, Plan(SOLVERS), REFUSED)) == 2


def test_a_busy_machine_finds_the_same_evidence(monkeypatch):
    """The wall clock is ten minutes later at each look."""
    begun, looks = limits.clock(), itertools.count(1)
    monkeypatch.setattr(limits, "clock", lambda: begun + 600 * next(looks))
    report = count(puzzlesat.load("domino-and-square-3x2"), Plan(("backtrack", CERTIFICATE)))
    assert (report.agree, report.confirmation.certified) == (True, True)
    assert not count(puzzlesat.load("domino-and-square-3x2"), Plan(("backtrack", CERTIFICATE), limits=Limits(seconds=900))).complete


def test_a_computation_that_needs_longer_rests():
    tally, search = two_sides(Limits(), Limits())
    assert not tally.rests, "nothing is known yet"
    tally.used, search.used, tally.needs, search.needs = 0.2, 0.3, 9.0, 4.0
    assert tally.rests and not search.rests
    search.used = 16 * tally.used
    assert not tally.rests, "the forecast may be wrong"
    tally.needs = 0.4
    assert not tally.rests, "it is soon done"


@pytest.mark.full
@every(("plan", "certificate"), [(Plan(SOLVERS), REFUSED), (Plan(SOLVERS, CHECKING_SECONDS), ACCEPTED)])
def test_without_a_certificate_or_with_a_budget_they_share_the_budget(monkeypatch, plan, certificate):
    sat, cpsat = budgets(monkeypatch, plan, certificate)
    assert CHECKING_SECONDS * 0.4 < sat <= CHECKING_SECONDS / 2 < cpsat
