"""Hold what was counted against what an instance expects."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from puzzlesat.config.schema import RefutedTable
from puzzlesat.recheck import make_recheck
from puzzlesat.report import Report
from puzzlesat.solvers.run import sorted_rows

CONFIRMED, REFUTED, UNKNOWN = "confirmed", "refuted", "not known"
CONVENTIONS = ("labelled", "all", "distinct", "labelled_distinct", "labelled_turns")


@dataclass(frozen=True)
class Verdict:
    """One expected figure and what became of it."""

    what: str
    expected: object
    got: object

    @property
    def word(self) -> str:
        """``confirmed``, ``refuted`` or ``not known``."""
        return UNKNOWN if self.got is None else CONFIRMED if self.got == self.expected else REFUTED


@dataclass(frozen=True)
class Refutation:
    """A published count that the instance says is wrong, and what became of it."""

    claim: RefutedTable
    got: int | None
    """The count in the convention of the claim; None where it is not known."""
    at_least: int
    """A lower bound of it, all the same: what was found before the count stopped."""
    counted_by: tuple[str, ...]
    """The solvers that counted everything."""

    @property
    def word(self) -> str:
        """``refuted``, ``not known``, or ``confirmed`` where the count bears the published figure out after all."""
        if self.got is None:
            return REFUTED if self.at_least > self.claim.published else UNKNOWN
        return CONFIRMED if self.got == self.claim.published else REFUTED


def verdicts(report: Report) -> list[Verdict]:
    """Return a verdict for each figure of the instance's ``[expect]``."""
    expect, counts = report.built.puzzle.expect, report.counts
    found = [Verdict(c, e, getattr(counts, c)) for c in CONVENTIONS if (e := getattr(expect, c)) is not None]
    found += [
        Verdict(f"fixed by {name}", e, None if counts.fixed is None else counts.fixed.get(name, "no such symmetry"))
        for name, e in expect.fixed.items()
    ]
    placements = expect.placements
    for what, e, got in (
        ("placements", placements.all, report.reduced.placements),
        ("placements after symmetry breaking", placements.after_symmetry if report.plan.symmetry else None, report.reduced.after_symmetry),
        (
            "placements after reduction",
            placements.after_reduction if report.plan.symmetry and report.plan.reduction else None,
            report.reduced.after_reduction,
        ),
    ):
        found += [] if e is None else [Verdict(what, e, got)]
    for what, split, got_split in (("split", expect.split, counts.split), ("labelled split", expect.split_labelled, counts.split_labelled)):
        if split is not None:
            found.append(Verdict(what, dict(split), None if got_split is None else {str(k): v for k, v in got_split.items()}))
    if expect.solution is not None:
        found.append(Verdict("the printed solution is among them", True, contains_solution(report, expect.solution)))
    return found


def refutations(report: Report) -> list[Refutation]:
    """Return what became of each published count that the instance refutes."""
    expect, counts = report.built.puzzle.expect, report.counts
    by = tuple(dict.fromkeys(row.solver for row in report.rows if row.all is not None))
    return [Refutation(c, getattr(counts, c.what), _at_least(report, c.what), by) for c in expect.refuted]


def _at_least(report: Report, convention: str) -> int:
    """How many solutions there are at least, in a convention: those that were found, or the printed one."""
    printed = report.built.puzzle.expect.solution
    found = report.found or int(printed is not None and contains_solution(report, printed) is True)
    return -(-found // len(report.built.problem.symmetries)) if "distinct" in convention else found


def contains_solution(report: Report, names: list[str]) -> bool | None:
    """Tell whether a solution given by placement names satisfies the puzzle; None where nothing was counted.

    The names are looked up among all placements, and the set is held against the geometry: an exhaustive search then has it.
    """
    number = {p.name: i for i, p in enumerate(report.built.placements)}
    if any(name not in number for name in names):
        return False
    row = sorted_rows(np.array([[number[n] for n in names]], dtype=np.int32))
    return make_recheck(report.built.puzzle, report.built.placements)(row) is None
