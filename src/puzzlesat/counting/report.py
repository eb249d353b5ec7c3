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
    """How many subproblems it checked."""
    of: int
    """How many subproblems there are."""
    found: int
    """How many solutions (of ``all``) are in the subproblems checked."""


@dataclass(frozen=True)
class Row:
    """What one solver found."""

    solver: str
    """Its name."""
    all: int | None
    """The number of all solutions; None if the solver did not search everything."""
    status: RowStatus
    """``complete``, ``limit reached``, ``interrupted``, ``out of memory``, ``refused`` or ``differs``."""
    how: str
    """How it counted or checked, in words."""
    seconds: float
    """How long it worked."""
    work: Mapping[str, int]
    """Work that does not depend on the machine, by names such as ``nodes``."""
    sampled: Sample | None = None
    """The part that it searched, if that is not everything."""
    refusal: str | None = None
    """Why it refused the puzzle; None if it did not."""
    independent: bool = False
    """Whether it checked the first solver and shares no search code with it."""
    figures: tuple[str, ...] = ("all",)
    """The counts that it confirms if it searched everything, by their names in ``Counts``."""
    proved_sound: tuple[str, ...] = ()
    """Which of the counts ``labelled``, ``all`` and ``distinct`` the checker with the soundness proof confirmed."""
    not_proved: str | None = None
    """Why the checker with the soundness proof confirmed nothing; None if it did, or was not asked."""
    after: float | None = None
    """Seconds from the beginning of the work on the puzzle until this was known; None if that was not measured."""

    @property
    def confirms(self) -> bool:
        """Whether it is independent and searched all, or at least a part, of what the first solver counted."""
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
    """Return the solver that counted: the first that did not refuse."""
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
    """A count of one instance, and how well it is confirmed."""

    COLUMNS: ClassVar = ("instance", "complete", "status", "labelled", "all", "distinct", "found", "agree", "solvers", "seconds", "rules")
    """The columns of a table of reports, a row each."""

    plan: Plan
    """The solvers, limits and switches of the count."""
    prepared: Reduced | None
    """The problem that the first solver got, and what was left out of it; None if a limit was reached before there was one."""
    counts: Counts
    """The counts; a count that is not known is None."""
    status: Status | Literal["not counted"]
    """``complete``, ``limit reached``, ``interrupted``, ``out of memory``; or ``not counted`` if there was nothing to count."""
    found: int
    """How many solutions (of ``all``) the first solver had counted when it stopped."""
    rows: tuple[Row, ...]
    """What each solver found; the solver that counted comes first."""
    burnside: bool | None
    """Whether Burnside's lemma confirms ``counts.distinct``; None if it was not tried."""
    disagreements: tuple[Disagreement, ...]
    """What contradicts the count. If there is anything, trust no number."""
    placement_numbers: Rows | None = field(default=None, repr=False, compare=False)
    """The solutions as the solver listed them: an array (solutions, width) of placement numbers, padded with -1. The solver breaks the
    symmetry: the array has at least one solution of each class, but not all. None if no solver listed, or there were too many to keep."""
    seen: int = 0
    """How many distinct solutions were listed besides the count; there are at least so many."""
    proof: str | None = None
    """The argument why there is no solution, if one was found besides the count."""
    others: tuple[tuple[str, Report], ...] = ()
    """Counts in other conventions, each with the difference in words, if an expected figure is right in none but these."""
    units: int | None = None
    """The number of units of the count, if a store holds them; no solution was listed then."""
    counted_once: bool = False
    """Whether units of a store rest on the word of one process. Then other solvers that counted some of them again confirm nothing."""
    confidence: str | None = None
    """How sure the units of a store are, in a sentence; None if there is no store."""
    twice: SecondReading | None = None
    """What the second reader found when it read the puzzle; None if it was not asked."""
    found_again: Mapping[str, str] = field(default_factory=dict)
    """The counts that follow from the solutions and were found in a second way, each with that way in words."""
    far: str = ""
    """How far the work was, in words, if a limit was reached before there was anything to count."""
    seconds: float = field(default=0.0, compare=False)
    """How long the call took; CPU seconds if you asked for them."""

    @classmethod
    def unbegun(cls, plan: Plan, instance: Instance, ended: EndedError) -> Report:
        """Return what is known where the work was ended before there was anything to count."""
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
        """Return what is written in the columns; what is not known is None."""
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
        """Return the report with what the second reader says: where it reads something else than the program, that is a disagreement."""
        found = tuple(Disagreement(SECOND_READER, what) for what in (*twice.differences, *self._of_turns(twice)))
        return replace(self, twice=twice, disagreements=(*self.disagreements, *found))

    def _of_turns(self, twice: SecondReading) -> tuple[str, ...]:
        """A sentence where the second reader finds other numbers of turns that look the same."""
        labelled, turned = self.counts.labelled, self.counts.labelled_turns
        if not labelled or turned is None or twice.turns is None or labelled * twice.turns == turned:
            return ()
        said = "turns: the second reader finds {theirs} that leave the pieces as they look, the program {ours}"
        return (Sentence(said, theirs=str(twice.turns), ours=str(turned // labelled)),)

    @property
    def sentence(self) -> str:
        """The answer in one sentence: how many solutions there are, or why that is not known, and who confirmed it."""
        sentence: str = self.display("sentence", self)
        return sentence

    @cached_property
    def solutions(self) -> Solutions:
        """The distinct solutions that were listed. Empty if no solver listed, or there were too many to keep; then ask ``solve``."""
        if not self.begun:
            return Solutions(None, ())
        if self.placement_numbers is None:
            return Solutions(self.built, ())
        return Solutions(self.built, self.built.problem.option_images.distinct(self.placement_numbers))

    @property
    def begun(self) -> bool:
        """Whether there was a problem to count."""
        return self.prepared is not None

    @property
    def reduced(self) -> Reduced:
        """The problem that the first solver got. Raises PuzzleError if a limit was reached before there was one."""
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
        """Whether somebody interrupted the count or a check."""
        return self.status == "interrupted" or any(row.status == "interrupted" for row in self.rows)

    @property
    def lister(self) -> str:
        """The first of the solvers that can list solutions."""
        return next((name for name in self.plan.solvers if lists(name)), LISTING)

    @property
    def complete(self) -> bool:
        """Whether ``counts`` come from an exhaustive search."""
        return self.status == "complete"

    @property
    def finished(self) -> bool:
        """Whether everything was searched that was to be counted and checked."""
        if self.status == NOT_COUNTED:
            return True
        unfinished = self.plan.full and any(row.sampled is not None for row in self.rows)  # everything was to be checked
        return self.complete and not self.interrupted and not unfinished

    @property
    def why(self) -> str | None:
        """Why it is not complete, in a sentence; None if it is."""
        if self.status == NOT_COUNTED:
            return Sentence("nothing was counted, because no figure is expected")
        if not self.begun:
            return Sentence("{why}: nothing was counted; it was {far}", why=_ended(self.status, self.rows), far=self.far)
        return why_unknown(self.status, self.rows)

    @property
    def agree(self) -> bool | None:
        """True if the figure of the first sentence has a witness and nothing contradicts it; False if anything does; else None.

        A sample is no witness.
        """
        if self.disagreements or self.burnside is False:
            return False
        return True if self.witnesses.get(self.figure) else None

    @property
    def figure(self) -> str:
        """The count that the first sentence says, by its name in ``counts``: ``distinct``, or ``all``."""
        several = bool(self.found) and len(self.built.problem.symmetries) > 1
        return "distinct" if several and self.counts.distinct is not None else "all"

    @property
    def witnesses(self) -> dict[str, tuple[str, ...]]:
        """For each count that is known, who or what found it besides the first solver; none if anything contradicts the count.

        What follows from the solutions is confirmed if they are, and if it was found in a second way.
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
    """Return why the number of solutions is not known, in a sentence; None where it is."""
    if status == "complete":
        return None
    return Sentence("{why}: the number of solutions is not known", why=_ended(status, rows))


def _ended(status: str, rows: Sequence[Row]) -> Sentence:
    """What has ended a count."""
    if status == "interrupted" or any(row.status == "interrupted" for row in rows):
        return Sentence("interrupted")
    if rows and all(row.refusal is not None for row in rows):
        return Sentence("no solver could count")
    return Sentence("out of memory") if status == "out of memory" else Sentence("stopped at a limit")
