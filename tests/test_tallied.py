"""Counts without listing: what the report says of them, and that the counts are those of a list."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest

import puzzlesat
from puzzlesat.counting import certified, crosscheck
from puzzlesat.counting.certified import check_by_certificate
from puzzlesat.counting.crosscheck import count
from puzzlesat.counting.tallied import conjugates
from puzzlesat.counting.verdict import verdicts
from puzzlesat.errors import NotSupportedError
from puzzlesat.solvers.run import Limits
from puzzlesat.solvers.strategy import LIST_FIRST, TALLY_FIRST, Plan
from tiers import of_which

SMALL = ["soma-mirrored", "hexiamonds-6x6", "absolut-knifflig", "tangram-square", "bits-and-bytes", "lozenges-hexagon-3", "dominoes-6x6"]
FIGURES = ("all", "distinct", "fixed")


@pytest.mark.parametrize("name", of_which(SMALL, "hexiamonds-6x6", "absolut-knifflig", "tangram-square", "lozenges-hexagon-3"))
def test_the_counts_are_those_of_a_list(name):
    puzzle = puzzlesat.load(name)
    listed = count(puzzle, Plan(("backtrack",)))
    counted = count(puzzle, Plan(("tally", "backtrack"), budget=5.0))
    assert {f: getattr(counted.counts, f) for f in FIGURES} == {f: getattr(listed.counts, f) for f in FIGURES}
    assert counted.counts.labelled in (None, listed.counts.labelled)
    assert counted.counts.labelled_turns in (None, listed.counts.labelled_turns)
    assert counted.burnside is counted.agree is counted.complete is True
    assert not counted.listed
    assert all(v.word != "refuted" for v in verdicts(counted))


@pytest.mark.parametrize("name", of_which(["soma", "pentominoes-6x10"], "soma"))
def test_what_is_too_much_to_list_is_counted_and_sampled(monkeypatch, name):
    monkeypatch.setattr(crosscheck, "MOST_LISTED", 0)
    report = count(puzzlesat.load(name), Plan(("auto", "cpsat"), budget=3.0))
    assert [row.solver for row in report.rows] == ["tally", "backtrack", "cpsat"]
    assert report.complete
    assert report.agree
    assert report.rows[1].confirms
    assert report.counts.distinct == puzzlesat.load(name).expect.distinct


@pytest.mark.full
def test_what_takes_too_long_to_list_is_counted(monkeypatch):
    monkeypatch.setattr(crosscheck, "LIST_FIRST", replace(LIST_FIRST, seconds=0.0))
    report = count(puzzlesat.load("octogram"), Plan(("auto",), budget=1.0))
    assert [row.solver for row in report.rows] == ["tally", "backtrack", "backtrack"]
    assert (report.rows[2].status, report.rows[2].confirms, report.complete) == ("limit reached", False, True)
    assert report.rows[2].how.startswith("the list of all was given up; ")
    assert report.counts.all == 129168


@pytest.mark.full
def test_what_is_too_large_for_a_first_try_and_takes_too_long_to_list_is_tallied_after_all(monkeypatch):
    monkeypatch.setattr(crosscheck, "TALLY_FIRST", replace(TALLY_FIRST, shapes=10))
    monkeypatch.setattr(crosscheck, "LIST_FIRST", replace(LIST_FIRST, seconds=0.0))
    report = count(puzzlesat.load("octogram"), Plan(("auto",), budget=1.0))
    assert (report.rows[0].solver, report.rows[0].all) == ("tally", 129168)
    assert [(row.solver, row.all, row.status) for row in report.rows[2:]] == [("backtrack", None, "limit reached")]
    assert report.counts.distinct == 16146


def test_what_the_tally_gives_up_is_listed(monkeypatch):
    monkeypatch.setattr(crosscheck, "TALLY_FIRST", replace(TALLY_FIRST, shapes=10))
    report = count(puzzlesat.load("soma"), Plan(("auto",)))
    assert [(row.solver, row.status) for row in report.rows] == [("backtrack", "complete"), ("tally", "refused")]
    assert "more than 10 shapes" in (report.rows[1].refusal or "")
    monkeypatch.setattr(crosscheck, "TALLY_FIRST", replace(TALLY_FIRST, seconds=0.0, shapes=10**9))
    report = count(puzzlesat.load("soma"), Plan(("auto",)))
    assert [(row.solver, row.status) for row in report.rows] == [("backtrack", "complete"), ("tally", "limit reached")]
    assert report.counts.all == 11520


@pytest.mark.parametrize("shapes", [10**9, 10])
def test_what_a_first_try_may_take_does_not_bound_the_checks(monkeypatch, shapes):
    monkeypatch.setattr(crosscheck, "TALLY_FIRST", replace(TALLY_FIRST, shapes=shapes))
    monkeypatch.setattr(crosscheck, "LIST_FIRST", replace(LIST_FIRST, seconds=100.0))
    had = []

    def check(built, expected, limits, progress):
        had.append(limits.seconds)
        return check_by_certificate(built, expected, limits, progress)

    monkeypatch.setattr(certified, "check_by_certificate", check)
    assert count(puzzlesat.load("soma"), Plan(("auto", "certificate"), budget=1000.0)).agree
    assert had == [pytest.approx(1000, abs=50)]


def test_a_list_that_had_all_the_time_there_is_ends_the_count(monkeypatch):
    """The tally that refused in its first try gets no time beyond the limit."""
    asked = []

    def refuse(name, *_):
        asked.append(name)
        raise NotSupportedError("too large")

    monkeypatch.setattr(crosscheck, "tallied", refuse)
    instance = puzzlesat.load("octogram")
    report = count(instance, Plan(("auto",), symmetry=False, limits=Limits(seconds=1, cpu=True)))  # the list takes two or more
    assert [(row.solver, row.status) for row in report.rows] == [("backtrack", "limit reached"), ("tally", "refused")]
    assert asked == ["tally"]
    monkeypatch.setattr(crosscheck, "LIST_FIRST", replace(LIST_FIRST, seconds=0.01))
    count(instance, Plan(("auto",), limits=Limits(seconds=60)))
    assert asked == ["tally"] * 3


def test_a_count_by_copies_that_differ_from_solution_to_solution_has_no_labelled_one():
    puzzle = puzzlesat.load("domino-and-square-3x2")
    assert count(puzzle, Plan(("tally",))).counts.labelled == count(puzzle, Plan(("backtrack",))).counts.labelled


def test_kinds_of_symmetries_are_the_classes_of_a_group():
    """The symmetric group of four things has five classes: of 1, 6, 3, 8 and 6 permutations."""
    group = np.array(list(itertools.permutations(range(4))), dtype=np.int32)
    kinds = conjugates(group)
    assert sorted(np.unique(kinds, return_counts=True)[1].tolist()) == [1, 3, 6, 6, 8]
    lengths = [tuple(sorted(len(set(orbit(p, x))) for x in range(4))) for p in group]
    assert all(lengths[g] == lengths[kind] for g, kind in enumerate(kinds))


def orbit(permutation, x):
    for _ in range(4):
        x = permutation[x]
        yield int(x)
