"""What a count run is asked to do, and what it found out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final, Literal

from puzzlesat.arrays import Rows
from puzzlesat.counting.counts import Counts
from puzzlesat.cover.instance import OfPuzzle
from puzzlesat.cover.reduce import Reduced
from puzzlesat.display import Displayed
from puzzlesat.errors import PuzzleError
from puzzlesat.puzzle.instance import Instance
from puzzlesat.puzzle.solution_rules import in_words
from puzzlesat.recheck.twice import SECOND_READER, SecondReading
from puzzlesat.sentences import Sentence
from puzzlesat.solvers.registry import lists
from puzzlesat.solvers.run import COMPLETE, MEMORY, STOPPED, EndedError, Status, ended_where
from puzzlesat.solvers.strategy import Plan

if TYPE_CHECKING:
    from pandas import DataFrame

RowStatus = Status | Literal["refused", "differs"]
NOT_COUNTED: Final = "not counted"
REFUSED: Final = "refused"
DIFFERS: Final = "differs"


@dataclass(frozen=True)
class Sample:
    """How much of the search space a checking solver went through."""

    checked: int
    """Subproblems that were checked."""
    of: int
    """Subproblems that there are."""
    solutions: int
    """Solutions (of ``all``) in the subproblems checked."""


@dataclass(frozen=True)
class Row:
    """What one solver did."""

    solver: str
    """Its name."""
    all: int | None
    """The number of all solutions; None where the solver did not go through everything."""
    status: RowStatus
    """``complete``, ``limit reached``, ``interrupted``, ``out of memory``, ``refused`` or ``differs``."""
    how: str
    """How it counted or checked, in words."""
    seconds: float
    """How long it took."""
    work: Mapping[str, int]
    """Machine-independent work, e.g. nodes."""
    sampled: Sample | None = None
    """What it went through, where that is not everything."""
    refusal: str | None = None
    """Why it cannot do such a puzzle."""
    independent: bool = False
    """Whether it checked the first solver without sharing search code with it."""
    proved_sound: tuple[str, ...] = ()
    """The counts that the program has proved whose soundness is proved: of labelled, all, distinct."""
    not_proved: str | None = None
    """Why that program proved nothing; None where it has, or nobody asked it."""
    after: float | None = None
    """Seconds from the beginning of the work on the puzzle until this was known; None where that was not measured."""

    @property
    def confirms(self) -> bool:
        """Whether an independent solver went through everything, or at least through a part, of what the first one counted."""
        return self.independent and (self.all is not None or (self.sampled is not None and self.sampled.checked > 0))


def counter(rows: Sequence[Row]) -> str:
    """Return the solver that counted: the first that did not refuse."""
    return next((row.solver for row in rows if row.refusal is None), "")


@dataclass(frozen=True)
class Disagreement:
    """Where two solvers, or a solver and the geometry, contradict each other."""

    solver: str
    """That contradicts the first one."""
    what: str
    """The contradiction in words."""
    prefix: tuple[str, ...] = ()
    """The placements that make the subproblem."""
    missing: tuple[tuple[str, ...], ...] = ()
    """Solutions that the first solver has and this one has not."""
    extra: tuple[tuple[str, ...], ...] = ()
    """Solutions that this one has and the first has not."""


@dataclass(frozen=True, repr=False)
class Report(OfPuzzle, Displayed):
    """All that a count run found out about one instance."""

    plan: Plan
    """What was asked for."""
    prepared: Reduced | None
    """The problem that the first solver got, and what was left out of it; None where a limit was reached before there was one."""
    counts: Counts
    """The counts; what is not known is None."""
    status: Status | Literal["not counted"]
    """``complete``, ``limit reached``, ``interrupted``, ``out of memory``; or ``not counted``, where nothing was to be counted."""
    found: int
    """What the first solver counted (of ``all``) by the time it stopped."""
    rows: tuple[Row, ...]
    """What each solver did, the one that counted first."""
    burnside: bool | None
    """Whether Burnside's lemma confirms ``counts.distinct``; None where it was not asked."""
    disagreements: tuple[Disagreement, ...]
    """What contradicts the count. While there is any, no number is to be believed."""
    solutions: Rows | None = field(default=None, repr=False, compare=False)
    """Array (solutions, width) of placement numbers, padded with -1: what the first solver that lists has found, at least one of each class
    that the broken symmetries turn into each other; None where they were too many to keep."""
    seen: int = 0
    """Distinct solutions that were listed besides the count, so that there are at least as many."""
    proof: str | None = None
    """The argument why there is no solution, where one was found besides the count."""
    others: tuple[tuple[str, Report], ...] = ()
    """The puzzle counted in other conventions, each with what is different in words; only where a figure asks for it."""
    units: int | None = None
    """In how many units it was counted, where a store holds them; no solution was listed then."""
    counted_once: bool = False
    """Whether units of a store rest on the word of one process; then others that counted some of them again confirm nothing."""
    confidence: str | None = None
    """How sure the units of a store are, in a sentence; None where there is no store."""
    twice: SecondReading | None = None
    """What the second reader says of the puzzle; None where it was not asked."""
    far: str = ""
    """How far the work was, in words, where a limit was reached before there was anything to count."""

    def __repr__(self) -> str:
        if not self.complete:
            return f"<Report on {self.instance.name!r}: {self.status}, {self.found:,} found, not complete>"
        counts, agree = self.counts, {True: "confirmed", False: "contradicted", None: "not confirmed"}[self.agree]
        found = {"labelled": counts.labelled, "all": counts.all, "distinct": counts.distinct}
        said = ", ".join(f"{what} {n:,}" for what, n in found.items() if n is not None)
        ruled = " with rules on solutions" if in_words(self.instance.puzzle.solutions) else ""
        return f"<Report on {self.instance.name!r}{ruled}: {said}; {agree}>"

    def to_pandas(self) -> DataFrame:
        """Return a table of one row, with the columns of ``puzzlesat count --csv``; ``pandas.concat`` puts those of several together."""
        return _frame(self)

    def read_again(self, twice: SecondReading) -> Report:
        """Return the report with what the second reader says: where it reads something else than the program, that is a disagreement."""
        found = tuple(Disagreement(SECOND_READER, what) for what in twice.differences)
        return replace(self, twice=twice, disagreements=(*self.disagreements, *found))

    @property
    def begun(self) -> bool:
        """Whether there was a problem to count."""
        return self.prepared is not None

    @property
    def reduced(self) -> Reduced:
        """The problem that the first solver got. Raises PuzzleError where a limit was reached before there was one."""
        if self.prepared is None:
            raise PuzzleError(f"{self.instance.name}: a limit was reached before there was a problem to count")
        return self.prepared

    @property
    def counter(self) -> str:
        """The solver that counted."""
        return counter(self.rows)

    @property
    def listed(self) -> bool:
        """Whether the first solver listed every solution, rather than only counted them."""
        return self.units is None and lists(self.plan.solvers[0])

    @property
    def interrupted(self) -> bool:
        """Whether somebody ended the count or a check before its time."""
        return self.status == STOPPED or any(row.status == STOPPED for row in self.rows)

    @property
    def complete(self) -> bool:
        """Whether ``counts`` are those of an exhaustive search."""
        return self.status == COMPLETE

    @property
    def why(self) -> str | None:
        """Why it is not complete, in a sentence; None where it is."""
        if self.status == NOT_COUNTED:
            return Sentence("nothing was counted, for no figure is expected")
        if not self.begun:
            return Sentence("{why}: nothing was counted; it was {far}", why=_ended(self.status, self.rows), far=self.far)
        return why_unknown(self.status, self.rows)

    @property
    def agree(self) -> bool | None:
        """True if an independent solver confirmed at least a part and nothing contradicts; None if none said anything."""
        if self.disagreements or self.burnside is False:
            return False
        return True if self.complete and not self.counted_once and any(r.confirms for r in self.rows) else None


def unbegun(plan: Plan, instance: Instance, ended: EndedError) -> Report:
    """Return what is known where the work was ended before there was anything to count."""
    return Report(instance, plan, None, Counts(), ended.status, 0, (), None, (), far=ended_where(ended))


def why_unknown(status: str, rows: Sequence[Row]) -> str | None:
    """Return why the number of solutions is not known, in a sentence; None where it is."""
    if status == COMPLETE:
        return None
    return Sentence("{why}: the number of solutions is not known", why=_ended(status, rows))


def _ended(status: str, rows: Sequence[Row]) -> Sentence:
    """What has ended a count."""
    if status == STOPPED or any(row.status == STOPPED for row in rows):
        return Sentence("interrupted")
    if rows and all(row.refusal is not None for row in rows):
        return Sentence("no solver could count")
    return Sentence("out of memory") if status == MEMORY else Sentence("stopped at a limit")


COLUMNS = ("instance", "complete", "status", "labelled", "all", "distinct", "found", "agree", "solvers", "seconds", "rules")
"""The columns of a table of reports, a row each."""


def row_of(report: Report) -> dict[str, object]:
    """Return what stands in the columns; what is not known is None."""
    counts = report.counts
    return {
        "instance": report.instance.name,
        "complete": report.complete,
        "status": report.status,
        "labelled": counts.labelled,
        "all": counts.all,
        "distinct": counts.distinct,
        "found": report.found,
        "agree": report.agree,
        "solvers": ",".join(row.solver for row in report.rows if row.refusal is None),
        "seconds": round(sum(row.seconds for row in report.rows), 3),
        "rules": "; ".join(in_words(report.instance.puzzle.solutions)) or None,
    }


def _frame(report: Report) -> DataFrame:
    from pandas import DataFrame

    return DataFrame([row_of(report)], columns=list(COLUMNS))
