"""The report of a count of one instance."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, Literal

from puzzlesat.base import Displayed, EndedError, PuzzleError, Rows, Sentence, Status
from puzzlesat.counting.counts import Counts
from puzzlesat.counting.evidence import NOT_COUNTED, Counted, Disagreement, Row
from puzzlesat.counting.plain_facts import facts
from puzzlesat.counting.plan import Plan
from puzzlesat.counting.second_reading import SECOND_READER, SecondReading
from puzzlesat.puzzles import Instance, OfPuzzle, Reduced, Solutions
from puzzlesat.solvers import LISTING, lists

if TYPE_CHECKING:
    from pandas import DataFrame


@dataclass(frozen=True, repr=False)
class Report(Counted, OfPuzzle, Displayed):
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
    proof: str | None = None
    """An argument, found apart from the count, that there is no solution."""
    others: tuple[tuple[str, Report], ...] = ()
    """Counts in other conventions, each with its difference in words; made if an expected figure is right in none of this count."""
    best: int | None = None
    """The value of the best solutions, if these were counted."""
    units: int | None = None
    """Number of units of the count in a store, which lists no solutions; None if there is no store."""
    far: str = ""
    """The progress, in words, if a limit was reached before there was a problem to count."""

    @classmethod
    def unbegun(cls, plan: Plan, instance: Instance, ended: EndedError) -> Report:
        """Return the report of work that ended before there was a problem to count."""
        return cls(instance, plan, None, Counts(), ended.status, 0, (), None, (), far=ended.where)

    def __repr__(self) -> str:
        if not self.complete:
            return f"<Report on {self.instance.name!r}: {self.status}, {self.found:,} found, not complete>"
        counts, agree = self.counts, {True: "confirmed", False: "contradicted", None: "not confirmed"}[self.agree]
        found = {"labelled": counts.labelled, "all": counts.all, "distinct": counts.distinct}
        figures = ", ".join(f"{what} {n:,}" for what, n in found.items() if n is not None)
        ruled = " with rules on solutions" if self.instance.puzzle.solutions.in_words() else ""
        return f"<Report on {self.instance.name!r}{ruled}: {figures}; {agree}>"

    def __str__(self) -> str:
        return str(self.display("report", self))

    def to_pandas(self) -> DataFrame:
        """Return a table of one row, with the columns of ``puzzlesat count --csv``; ``pandas.concat`` joins several."""
        from pandas import DataFrame

        return DataFrame([self.as_row()], columns=list(self.COLUMNS))

    def as_row(self) -> dict[str, object]:
        """Return the values of the columns; unknown values are None."""
        own = asdict(self.counts) | {
            "instance": self.instance.name,
            "solvers": ",".join(row.solver for row in self.rows if row.refusal is None),
            "seconds": round(sum(row.seconds for row in self.rows), 3),
            "rules": "; ".join(self.instance.puzzle.solutions.in_words()) or None,
        }
        return {name: own[name] if name in own else getattr(self, name) for name in self.COLUMNS}

    def read_again(self, twice: SecondReading) -> Report:
        """Return the report with the result of the second reader; each difference is a disagreement."""
        differences, labelled, turned = [*twice.differences], self.counts.labelled, self.counts.labelled_turns
        if labelled and turned is not None and twice.turns is not None and labelled * twice.turns != turned:
            template = "turns: the second reader finds {theirs} that leave the pieces as they look, the program {ours}"
            differences.append(Sentence(template, theirs=str(twice.turns), ours=str(turned // labelled)))
        found = (Disagreement(SECOND_READER, what) for what in differences)
        return replace(self, twice=twice, disagreements=(*self.disagreements, *found))

    @cached_property
    def solutions(self) -> Solutions:
        """The distinct solutions that were listed. Empty if no solver listed, or there were too many to keep; then use ``solve``."""
        if self.placement_numbers is None:
            return Solutions(self.built if self.begun else None, ())
        return Solutions(self.built, self.built.problem.option_images.distinct(self.placement_numbers))

    @property
    def begun(self) -> bool:
        """True if the work got as far as a problem to count."""
        return self.prepared is not None

    @property
    def reduced(self) -> Reduced:
        """The problem of the first solver. Raises PuzzleError if a limit was reached before there was a problem."""
        if self.prepared is None:
            raise PuzzleError(f"{self.instance.name}: a limit was reached before there was a problem to count")
        return self.prepared

    @property
    def order(self) -> int:
        """The number of symmetries; 1 if there is no problem to count."""
        return len(self.built.problem.symmetries) if self.begun else 1

    @property
    def asks_uniqueness(self) -> bool:
        """True if the instance expects exactly one solution, or refutes a publication of exactly one."""
        expect = self.instance.expect
        expected = (expect.labelled, expect.all, expect.distinct, expect.labelled_distinct)
        return 1 in (*expected, *(claim.published for claim in expect.refuted))

    @property
    def reading(self) -> str:
        """A sentence on the second reading of the puzzle."""
        return Sentence("the puzzle was read once") if self.twice is None else self.twice.words

    @property
    def proofs(self) -> tuple[str, ...]:
        """The proof, other than a search, that there is no solution: a fact that a person can check, or else a found argument."""
        if self.found or not self.begun or self.seen:
            return ()
        if any(fact.impossible for fact in facts(self.built)):
            return (Sentence("a fact that you can check by hand"),)
        return () if self.proof is None else (self.proof,)

    @property
    def listed(self) -> bool:
        """True if the first solver lists solutions, rather than only counting them."""
        return self.units is None and lists(self.plan.solvers[0])

    @property
    def lister(self) -> str:
        """The first solver of the plan that can list solutions."""
        return next((name for name in self.plan.solvers if lists(name)), LISTING)

    @property
    def finished(self) -> bool:
        """True if the count and all requested checks came to their end."""
        return self.status == NOT_COUNTED or self.is_finished(full=self.plan.full)

    @property
    def why(self) -> str | None:
        """Why the count is not complete, in a sentence; None if it is."""
        if self.status == NOT_COUNTED:
            return Sentence("nothing was counted, because no figure is expected")
        return super().why if self.begun else Sentence("{why}: nothing was counted; it was {far}", why=self.ended, far=self.far)
