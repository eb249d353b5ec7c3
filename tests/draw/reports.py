"""Reports for tests of pages, counted by the backtracker alone."""

from puzzlesat.base.limits import Limits
from puzzlesat.counting.crosscheck import count
from puzzlesat.counting.plan import Plan
from puzzlesat.pages.contents import ReportContents
from puzzlesat.pages.galleries import list_distinct


def contents_of(instance, most=10_000, **more):
    """Return the contents of a report with up to ``most`` distinct solutions."""
    report = count(instance, Plan(solvers=("backtrack",)))
    return ReportContents(report, **{"gallery": list_distinct(report.built, "backtrack", most, Limits()), **more})
