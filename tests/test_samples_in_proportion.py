"""After an accepted certificate of the whole search, the other solvers check a sample, in proportion to the work so far."""

import pytest

import puzzlesat
from puzzlesat.counting import comparison, crosscheck
from puzzlesat.counting.evidence import Row
from puzzlesat.counting.plan import CERTIFICATE, CHECKING_SECONDS, MAX_SAMPLE_SECONDS, MIN_SAMPLE_SECONDS, Plan
from tiers import every


@every(("spent", "seconds"), [(0.1, MIN_SAMPLE_SECONDS), (3.0, 3.0), (60.0, MAX_SAMPLE_SECONDS)])
def test_a_sample_takes_as_long_as_the_work_before(spent, seconds):
    assert Plan().sample_seconds(spent) == seconds
    assert Plan(budget=9.0).sample_seconds(spent) is None
    assert Plan(full=True).sample_seconds(spent) is None


def budgets(monkeypatch, plan, certificate):
    """The seconds that each of two checking solvers gets after an accepted or a refused certificate."""
    given = []

    def check(task, _plan, budget, *_others):
        given.append(budget)
        return Row(task.solver, None, "limit reached", "", 0.0, {}), []

    monkeypatch.setattr(comparison, "check", check)
    monkeypatch.setattr(comparison, "check_by_certificate", lambda *_, **_more: (certificate, []))
    crosscheck.count(puzzlesat.load("soma"), plan)
    return given


ACCEPTED = Row(CERTIFICATE, 11_520, "complete", "a tree", 0.1, {}, independent=True)
REFUSED = Row(CERTIFICATE, None, "refused", "", 0.0, {}, refusal="no")
SOLVERS = ("backtrack", CERTIFICATE, "sat", "cpsat")


@pytest.mark.full
def test_after_a_certificate_two_solvers_share_a_sample(monkeypatch):
    sat, cpsat = budgets(monkeypatch, Plan(SOLVERS), ACCEPTED)
    assert MIN_SAMPLE_SECONDS * 0.4 < sat <= MAX_SAMPLE_SECONDS / 2 and cpsat <= MAX_SAMPLE_SECONDS


@pytest.mark.full
@every(("plan", "certificate"), [(Plan(SOLVERS), REFUSED), (Plan(SOLVERS, CHECKING_SECONDS), ACCEPTED)])
def test_without_a_certificate_or_with_a_budget_they_share_the_budget(monkeypatch, plan, certificate):
    sat, cpsat = budgets(monkeypatch, plan, certificate)
    assert CHECKING_SECONDS * 0.4 < sat <= CHECKING_SECONDS / 2 < cpsat
