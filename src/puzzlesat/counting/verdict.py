"""Hold what was counted against what an instance expects."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final, Literal

import numpy as np

from puzzlesat.base import sorted_rows
from puzzlesat.counting.conventions import Convention, conventions
from puzzlesat.counting.report import Report
from puzzlesat.puzzles import Built, ExpectTable, RefutedTable, form_symmetries, make_recheck

Word = Literal["confirmed", "refuted", "not known", "right in another convention"]
CONFIRMED: Final = "confirmed"
REFUTED: Final = "refuted"
UNKNOWN: Final = "not known"
ELSEWHERE: Final = "right in another convention"
CONVENTIONS = ("labelled", "all", "distinct", "labelled_distinct", "labelled_turns")


@dataclass(frozen=True)
class Verdict:
    """One expected figure and what became of it."""

    what: str
    expected: object
    got: object
    convention: Convention | None = None
    """Where the figure is right, if not where it stands."""
    stated: bool = True
    """Whether the instance is sure of the convention: a figure in the wrong place is then an error of the instance."""

    @property
    def word(self) -> Word:
        """What became of it, in a word or more."""
        if self.got is None:
            return UNKNOWN
        return CONFIRMED if self.got == self.expected else REFUTED if self.convention is None else ELSEWHERE

    @property
    def fails(self) -> bool:
        """Whether the instance must be mended, or the count."""
        return self.word == REFUTED or (self.word == ELSEWHERE and self.stated)


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
    least: int = 0
    """A lower bound in every convention."""
    convention: Convention | None = None
    """The convention in which the published figure is right, if it is not the one of the claim."""

    @property
    def word(self) -> Word:
        """``refuted``, ``not known``, or that the count bears the published figure out: ``confirmed``, ``right in another convention``."""
        if self.got is None:
            return REFUTED if self.least > self.claim.published else UNKNOWN
        return CONFIRMED if self.got == self.claim.published else REFUTED if self.convention is None else ELSEWHERE

    @property
    def fails(self) -> bool:
        """Whether the instance refutes what is right."""
        return self.word in (CONFIRMED, ELSEWHERE)


def verdicts(report: Report) -> list[Verdict]:
    """Return a verdict for each figure of the instance's ``[expect]``."""
    expect, counts = report.instance.expect, report.counts
    stated = expect.convention == "stated"
    found = [Verdict(c, e, getattr(counts, c), _elsewhere(report, c, e), stated) for c, e in figures(expect)]
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
        found.append(Verdict("the printed solution is among them", expected=True, got=contains_solution(report, expect.solution)))
    return found


def has_witness(verdict: Verdict, report: Report) -> bool:
    """Tell whether something besides the first solver found a figure; a printed solution is looked at on the geometry alone."""
    if verdict.got is True:
        return True
    name = "fixed" if verdict.what.startswith("fixed by") else {"labelled split": "split_labelled"}.get(verdict.what, verdict.what)
    return bool(report.witnesses.get(name, report.agree))


def refutations(report: Report) -> list[Refutation]:
    """Return what became of each published count that the instance refutes."""
    expect, counts = report.instance.expect, report.counts
    by = tuple(dict.fromkeys(row.solver for row in report.rows if row.all is not None))
    return [
        Refutation(c, getattr(counts, c.what), _at_least(report, c.what), by, _at_least(report), _elsewhere(report, c.what, c.published))
        for c in expect.refuted
    ]


def fails(report: Report) -> bool:
    """Tell whether a check failed: solvers disagree, an expected figure is not right, or a refuted one is."""
    return report.agree is False or any(v.fails for v in verdicts(report)) or any(r.fails for r in refutations(report))


def figures(expect: ExpectTable) -> list[tuple[str, int]]:
    """Return the numbers of solutions that an instance expects, each with its convention."""
    return [(c, figure) for c in CONVENTIONS if (figure := getattr(expect, c)) is not None]


def unexplained(report: Report) -> bool:
    """Tell whether some figure, expected or refuted, is right in none of the conventions counted so far."""
    expect = report.instance.expect
    published = [*figures(expect), *((c.what, c.published) for c in expect.refuted)]
    return any(getattr(report.counts, what) not in (None, n) and _elsewhere(report, what, n) is None for what, n in published)


def _elsewhere(report: Report, what: str, figure: int) -> Convention | None:
    """The convention in which a figure is right that is not right where it stands."""
    if getattr(report.counts, what) in (None, figure):
        return None
    return next((c for c in conventions(report) if c.figure == figure), None)


def _at_least(report: Report, convention: str | None = None) -> int:
    """How many solutions there are at least, in a convention or in each: those that were found, or the printed one."""
    printed = report.instance.expect.solution
    found = report.found or int(printed is not None and contains_solution(report, printed) is True)
    if convention is None:
        return -(-found // _most_symmetries(report.built))
    return -(-found // len(report.built.problem.symmetries)) if "distinct" in convention else found


def _most_symmetries(built: Built) -> int:
    """How many symmetries the form has where mirror images count as one."""
    puzzle = replace(built.puzzle, mirrored_same=True)
    return len(form_symmetries(puzzle, built.placements)[0])


def contains_solution(report: Report, names: list[str]) -> bool | None:
    """Tell whether a solution given by placement names satisfies the puzzle; None where nothing was counted.

    The names are looked up among all placements, and the set is held against the geometry: an exhaustive search then has it.
    """
    number = {name: i for i, name in enumerate(report.built.problem.options)}
    if any(name not in number for name in names):
        return False
    row = sorted_rows(np.array([[number[n] for n in names]], dtype=np.int32))
    return make_recheck(report.built.puzzle, report.built.placements)(row) is None
