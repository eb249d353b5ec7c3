"""The report of a count: the counts, what each solver found, and what contradicts what."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, Final, Literal

from puzzlesat.base import Displayed, EndedError, PuzzleError, Rows, Sentence, Status
from puzzlesat.counting.counts import Counts
from puzzlesat.counting.plan import CERTIFICATE, Plan
from puzzlesat.counting.second_reading import SECOND_READER, SecondReading
from puzzlesat.puzzles import Instance, OfPuzzle, Reduced, Solutions
from puzzlesat.solvers import LISTING, lists

if TYPE_CHECKING:
    from pandas import DataFrame

RowStatus = Status | Literal["refused", "differs"]
NOT_COUNTED: Final = "not counted"
REFUSED: Final = "refused"
DIFFERS: Final = "differs"
CERTIFIED = Sentence("a certificate of the whole search was checked")
NONE_CERTIFIED = Sentence("a certificate that there is none was checked")


@dataclass(frozen=True)
class Sample:
    """The part of the search space that a checking solver searched."""

    checked: int
    """Number of checked subproblems."""
    of: int
    """Number of subproblems."""
    found: int
    """Number of solutions (of ``all``) in the checked subproblems."""


@dataclass(frozen=True)
class Row:
    """The result of one solver."""

    solver: str
    """The name of the solver."""
    all: int | None
    """The number of all solutions; None if the solver did not search everything."""
    status: RowStatus
    """``complete``, ``limit reached``, ``interrupted``, ``out of memory``, ``refused`` or ``differs``."""
    how: str
    """The method of the count or check, in words."""
    seconds: float
    """Duration of the work, in seconds."""
    work: Mapping[str, int]
    """Work that does not depend on the machine, by names such as ``nodes``."""
    sampled: Sample | None = None
    """The searched part, if the solver did not search everything."""
    refusal: str | None = None
    """The reason why the solver refused the puzzle; None if it did not."""
    independent: bool = False
    """True if the solver checked the first solver and shares no search code with it."""
    figures: tuple[str, ...] = ("all",)
    """The counts that the solver confirms if it searched everything, by their names in ``Counts``."""
    proved_sound: tuple[str, ...] = ()
    """The counts of ``labelled``, ``all`` and ``distinct`` that the checker with the soundness proof confirmed."""
    not_proved: str | None = None
    """The reason why the checker with the soundness proof confirmed nothing; None if it did, or did not run."""
    after: float | None = None
    """Seconds from the beginning of the work on the puzzle to this result; None if not measured."""

    @property
    def confirms(self) -> bool:
        """True if the solver is independent and searched the whole problem or a part of it."""
        return self.independent and (self.all is not None or (self.sampled is not None and self.sampled.checked > 0))

    def words(self, report: Report) -> str | None:
        """Return how the solver confirms the count of a report, in words; None if it confirms nothing."""
        if self.solver == CERTIFICATE:
            words = CERTIFIED if report.found else NONE_CERTIFIED
            return None if not self.confirms else f"{words} by a program proved sound" if self.proved_sound else words
        if self.all == 0:
            return f"{self.solver} found none either"
        if self.all is not None:
            every = lists(self.solver) and report.listed
            return f"{self.solver} found the same solutions" if every and self.independent else f"{self.solver} counted as many"
        if self.confirms and self.sampled is not None:
            return f"{self.solver} agrees on {self.sampled.checked:,} of {self.sampled.of:,} subproblems"
        return None


def counter(rows: Sequence[Row]) -> str:
    """Return the name of the solver that counted: the first that did not refuse."""
    return next((row.solver for row in rows if row.refusal is None), "")


@dataclass(frozen=True)
class Disagreement:
    """A contradiction between two solvers, or between a solver and the geometry."""

    solver: str
    """The solver that contradicts the first one."""
    what: str
    """The contradiction in words."""
    prefix: tuple[str, ...] = ()
    """The names of the placements that define the subproblem."""
    missing: tuple[tuple[str, ...], ...] = ()
    """Solutions that only the first solver found, by names of placements."""
    extra: tuple[tuple[str, ...], ...] = ()
    """Solutions that only this solver found."""


@dataclass(frozen=True, repr=False)
class Report(OfPuzzle, Displayed):
    """A count of one instance, with the evidence for it."""

    COLUMNS: ClassVar = ("instance", "complete", "status", "labelled", "all", "distinct", "found", "agree", "solvers", "seconds", "rules")
    """The columns of a table of reports."""

    plan: Plan
    """The solvers, limits and switches of the count."""
    prepared: Reduced | None
    """The problem of the first solver, with the sizes of its reductions; None if a limit was reached before there was a problem."""
    counts: Counts
    """The counts; a count that is not known is None."""
    status: Status | Literal["not counted"]
    """``complete``, ``limit reached``, ``interrupted``, ``out of memory``; or ``not counted`` if there was nothing to count."""
    found: int
    """Number of solutions (of ``all``) that the first solver had counted when it stopped."""
    rows: tuple[Row, ...]
    """The results of the solvers. After refusals, the first is the solver that counted."""
    burnside: bool | None
    """True if Burnside's lemma confirms ``counts.distinct``; None if it was not tried."""
    disagreements: tuple[Disagreement, ...]
    """Contradictions. If there is one, trust no number."""
    placement_numbers: Rows | None = field(default=None, repr=False, compare=False)
    """The solutions as the solver listed them: an array (solutions, width) of placement numbers, padded with -1. The solver breaks the
    symmetry: the array has at least one solution of each class, but not all. None if no solver listed, or there were too many to keep."""
    seen: int = 0
    """Number of distinct solutions that were listed apart from the count: a lower bound."""
    proof: str | None = None
    """An argument, found apart from the count, that there is no solution."""
    others: tuple[tuple[str, Report], ...] = ()
    """Counts in other conventions, each with its difference in words; made if an expected figure is right in none of this count."""
    units: int | None = None
    """Number of units of the count in a store, which lists no solutions; None if there is no store."""
    counted_once: bool = False
    """True if some unit of a store was counted by a single process. Other solvers that counted some units again then confirm nothing."""
    confidence: str | None = None
    """A sentence on the reliability of the units of a store; None if there is no store."""
    twice: SecondReading | None = None
    """The result of the second reader; None if it did not run."""
    found_again: Mapping[str, str] = field(default_factory=dict)
    """The counts that follow from the solutions and were confirmed by a second computation, each with its method in words."""
    far: str = ""
    """The progress, in words, if a limit was reached before there was a problem to count."""
    seconds: float = field(default=0.0, compare=False)
    """Duration of the call, in seconds; CPU seconds if the limits measure these."""

    @classmethod
    def unbegun(cls, plan: Plan, instance: Instance, ended: EndedError) -> Report:
        """Return the report of work that ended before there was a problem to count."""
        return cls(instance, plan, None, Counts(), ended.status, 0, (), None, (), far=ended.where)

    def __repr__(self) -> str:
        if not self.complete:
            return f"<Report on {self.instance.name!r}: {self.status}, {self.found:,} found, not complete>"
        counts, agree = self.counts, {True: "confirmed", False: "contradicted", None: "not confirmed"}[self.agree]
        found = {"labelled": counts.labelled, "all": counts.all, "distinct": counts.distinct}
        said = ", ".join(f"{what} {n:,}" for what, n in found.items() if n is not None)
        ruled = " with rules on solutions" if self.instance.puzzle.solutions.in_words() else ""
        return f"<Report on {self.instance.name!r}{ruled}: {said}; {agree}>"

    def __str__(self) -> str:
        return str(self.display("report", self))

    def to_pandas(self) -> DataFrame:
        """Return a table of one row, with the columns of ``puzzlesat count --csv``; ``pandas.concat`` joins several."""
        from pandas import DataFrame

        return DataFrame([self.as_row()], columns=list(self.COLUMNS))

    def as_row(self) -> dict[str, object]:
        """Return the values of the columns; unknown values are None."""
        counts = self.counts
        return {
            "instance": self.instance.name,
            "complete": self.complete,
            "status": self.status,
            "labelled": counts.labelled,
            "all": counts.all,
            "distinct": counts.distinct,
            "found": self.found,
            "agree": self.agree,
            "solvers": ",".join(row.solver for row in self.rows if row.refusal is None),
            "seconds": round(sum(row.seconds for row in self.rows), 3),
            "rules": "; ".join(self.instance.puzzle.solutions.in_words()) or None,
        }

    def read_again(self, twice: SecondReading) -> Report:
        """Return the report with the result of the second reader; each difference is a disagreement."""
        found = tuple(Disagreement(SECOND_READER, what) for what in (*twice.differences, *self._of_turns(twice)))
        return replace(self, twice=twice, disagreements=(*self.disagreements, *found))

    def _of_turns(self, twice: SecondReading) -> tuple[str, ...]:
        """Return a sentence if the second reader finds another number of rotations that look the same."""
        labelled, turned = self.counts.labelled, self.counts.labelled_turns
        if not labelled or turned is None or twice.turns is None or labelled * twice.turns == turned:
            return ()
        said = "turns: the second reader finds {theirs} that leave the pieces as they look, the program {ours}"
        return (Sentence(said, theirs=str(twice.turns), ours=str(turned // labelled)),)

    @property
    def sentence(self) -> str:
        """The answer in one sentence: the number of solutions, or why it is not known, and the evidence for it."""
        sentence: str = self.display("sentence", self)
        return sentence

    @cached_property
    def solutions(self) -> Solutions:
        """The distinct solutions that were listed. Empty if no solver listed, or there were too many to keep; then use ``solve``."""
        if not self.begun:
            return Solutions(None, ())
        if self.placement_numbers is None:
            return Solutions(self.built, ())
        return Solutions(self.built, self.built.problem.option_images.distinct(self.placement_numbers))

    @property
    def begun(self) -> bool:
        """True if the work came as far as a problem to count."""
        return self.prepared is not None

    @property
    def reduced(self) -> Reduced:
        """The problem of the first solver. Raises PuzzleError if a limit was reached before there was a problem."""
        if self.prepared is None:
            raise PuzzleError(f"{self.instance.name}: a limit was reached before there was a problem to count")
        return self.prepared

    @property
    def counter(self) -> str:
        """The name of the solver that counted."""
        return counter(self.rows)

    @property
    def listed(self) -> bool:
        """True if the first solver lists solutions, rather than only counting them."""
        return self.units is None and lists(self.plan.solvers[0])

    @property
    def interrupted(self) -> bool:
        """True if the user interrupted the count or a check."""
        return self.status == "interrupted" or any(row.status == "interrupted" for row in self.rows)

    @property
    def lister(self) -> str:
        """The first solver of the plan that can list solutions."""
        return next((name for name in self.plan.solvers if lists(name)), LISTING)

    @property
    def complete(self) -> bool:
        """True if ``counts`` come from an exhaustive search."""
        return self.status == "complete"

    @property
    def finished(self) -> bool:
        """True if the count and all requested checks came to their end."""
        if self.status == NOT_COUNTED:
            return True
        unfinished = self.plan.full and any(row.sampled is not None for row in self.rows)
        return self.complete and not self.interrupted and not unfinished

    @property
    def why(self) -> str | None:
        """Why the count is not complete, in a sentence; None if it is."""
        if self.status == NOT_COUNTED:
            return Sentence("nothing was counted, because no figure is expected")
        if not self.begun:
            return Sentence("{why}: nothing was counted; it was {far}", why=_ended(self.status, self.rows), far=self.far)
        return why_unknown(self.status, self.rows)

    @property
    def agree(self) -> bool | None:
        """True if the figure of the first sentence has a witness and nothing contradicts the count; False if something does; else None.

        A sample is no witness.
        """
        if self.disagreements or self.burnside is False:
            return False
        return True if self.witnesses.get(self.figure) else None

    @property
    def figure(self) -> str:
        """The count that the first sentence states, by its name in ``counts``: ``distinct``, or ``all``."""
        several = bool(self.found) and len(self.built.problem.symmetries) > 1
        return "distinct" if several and self.counts.distinct is not None else "all"

    @property
    def witnesses(self) -> dict[str, tuple[str, ...]]:
        """The witnesses of each known count apart from the first solver; none if something contradicts the count.

        A count that follows from the solutions is confirmed if the solutions are confirmed and a second computation of it agrees.
        """
        known = [name for name, figure in asdict(self.counts).items() if figure is not None] if self.complete else []
        found: dict[str, tuple[str, ...]] = dict.fromkeys(known, ())
        if self.disagreements or self.burnside is False or self.counted_once:
            return found
        rows = [row for row in self.rows if row.confirms and row.all is not None]
        for name in known:
            own = [row.solver for row in rows if name in row.figures or not self.found]
            own += [self.found_again[name]] if rows and name in self.found_again else []
            found[name] = tuple(dict.fromkeys(own))
        if found.get("labelled") and "labelled_turns" in found and self.twice is not None and self.twice.turns is not None:
            found["labelled_turns"] = (SECOND_READER,)
        return found


def why_unknown(status: str, rows: Sequence[Row]) -> str | None:
    """Return why the number of solutions is not known, in a sentence; None if it is known."""
    if status == "complete":
        return None
    return Sentence("{why}: the number of solutions is not known", why=_ended(status, rows))


def _ended(status: str, rows: Sequence[Row]) -> Sentence:
    """Return the reason why a count ended early."""
    if status == "interrupted" or any(row.status == "interrupted" for row in rows):
        return Sentence("interrupted")
    if rows and all(row.refusal is not None for row in rows):
        return Sentence("no solver could count")
    return Sentence("out of memory") if status == "out of memory" else Sentence("stopped at a limit")
