"""The report of a count: the counts, what each solver found, and what contradicts what."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal

from puzzlesat.base import Displayed, EndedError, PuzzleError, Rows, Sentence, Status, far_words
from puzzlesat.counting.counts import Counts
from puzzlesat.counting.plain_facts import refusals
from puzzlesat.counting.plan import CERTIFICATE, Plan
from puzzlesat.counting.second_reading import SECOND_READER, SecondReading
from puzzlesat.puzzles import Instance, OfPuzzle, Reduced, Solutions
from puzzlesat.solvers import LISTING, lists

if TYPE_CHECKING:
    from pandas import DataFrame

    from puzzlesat.counting.evidence import Confirmation
    from puzzlesat.counting.verdict import Judgement

RowStatus = Status | Literal["refused", "differs"]
NOT_COUNTED: Final = "not counted"
REFUSED: Final = "refused"
DIFFERS: Final = "differs"
CERTIFIED = Sentence("a certificate of the whole search was checked")
NONE_CERTIFIED = Sentence("a certificate that there is none was checked")
SOLVER_HEADINGS = ("solver", "all", "status", "how", "seconds", "work")
SHOWN_WORK = ("nodes", "placements", "dead_ends", "shapes", "states", "merged", "conflicts", "variables", "clauses")
"""Work counters that a report may show: for each solver the first three that it has."""


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

    def cells(self, found: int) -> tuple[str, ...]:
        """Return the row of a table; ``found`` is the number of solutions by the first solver."""
        how, status, sample = self.refusal or self.how, str(self.status), self.sampled
        if self.refusal is None and sample is not None and sample.checked:
            how += f", {100 * sample.found / found:.1f} % of the solutions" if found else ""
            status = "sampled" if self.all is None else status
        work = ", ".join(far_words({key: self.work[key] for key in SHOWN_WORK if key in self.work})[:3])
        return self.solver, number(self.all), status, how, f"{self.seconds:.2f}", work

    def as_json(self) -> dict[str, Any]:
        """Return the row as a plain dictionary."""
        sample = self.sampled and {"checked": self.sampled.checked, "of": self.sampled.of, "solutions": self.sampled.found}
        more = {"complete": self.status == "complete", "sampled": sample, "seconds": round(self.seconds, 3), "work": dict(self.work)}
        own = asdict(self) | more | {"after": None if self.after is None else round(self.after, 3)}
        order = ("solver", "all", "complete", "status", "sampled", "seconds", "after", "work", "refusal", "independent")
        return {name: own[name] for name in order}


def number(value: int | None) -> str:
    """Return a number with commas, or a dash for an unknown number."""
    return "–" if value is None else f"{value:,}"


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


class _Results:
    """The fields that each report declares in its own order."""

    status: str
    found: int
    rows: tuple[Row, ...]
    disagreements: tuple[Disagreement, ...]
    burnside: bool | None

    if TYPE_CHECKING:

        @property
        def counts(self) -> Counts:
            """The counts; a count that is not known is None."""


@dataclass(frozen=True, kw_only=True)
class Counted(_Results):
    """The common part of the reports on puzzles and on cover problems."""

    seen: int = 0
    """Number of distinct solutions that were listed apart from the count: a lower bound."""
    counted_once: bool = False
    """True if some unit of a store was counted by a single process. Other solvers that counted some units again then confirm nothing."""
    confidence: str | None = None
    """A sentence on the reliability of the units of a store; None if there is no store."""
    twice: SecondReading | None = None
    """The result of the second reader; None if it did not run."""
    found_again: Mapping[str, str] = field(default_factory=dict)
    """The counts that follow from the solutions and were confirmed by a second computation, each with its method in words."""
    unchecked: str | None = None
    """The reason why solutions could not be checked on the geometry; None if there is none."""
    seconds: float = field(default=0.0, compare=False)
    """Duration of the call, in seconds; CPU seconds if the limits measure these."""

    @property
    def begun(self) -> bool:
        """True if the work came as far as a problem to count."""
        return True

    @property
    def order(self) -> int:
        """The number of symmetries; 1 if they are not known."""
        return 1

    @property
    def listed(self) -> bool:
        """True if the first solver lists solutions that can be checked on a geometry, rather than only counting them."""
        return False

    @property
    def imported(self) -> bool:
        """True if all solvers rely on one import of another program's file."""
        return self.twice is not None and self.twice.imported

    @property
    def asks_uniqueness(self) -> bool:
        """True if the instance expects exactly one solution, or refutes a publication of exactly one."""
        return False

    @property
    def counter(self) -> str:
        """The name of the solver that counted: the first that did not refuse."""
        return next((row.solver for row in self.rows if row.refusal is None), "")

    @property
    def complete(self) -> bool:
        """True if the first solver searched everything, so that the counts are known."""
        return self.status == "complete"

    @property
    def interrupted(self) -> bool:
        """True if the user interrupted the count or a check."""
        return self.status == "interrupted" or any(row.status == "interrupted" for row in self.rows)

    def is_finished(self, *, full: bool) -> bool:
        """Return whether the count came to its end, and all checks if they should be ``full``."""
        return self.complete and not self.interrupted and not (full and any(row.sampled is not None for row in self.rows))

    @property
    def ended(self) -> Sentence:
        """The reason why a count ended early."""
        if self.interrupted:
            return Sentence("interrupted")
        if self.rows and all(row.refusal is not None for row in self.rows):
            return Sentence("no solver could count")
        return Sentence("out of memory") if self.status == "out of memory" else Sentence("stopped at a limit")

    @property
    def why(self) -> str | None:
        """Why the count is not complete, in a sentence; None if it is."""
        return None if self.complete else Sentence("{why}: the number of solutions is not known", why=self.ended)

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
        return "distinct" if self.found and self.order > 1 and self.counts.distinct is not None else "all"

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

    @property
    def confirmation(self) -> Confirmation:
        """The evidence for the count. An unfinished count can be contradicted, but not confirmed."""
        from puzzlesat.counting.evidence import confirmation

        return confirmation(self)

    @property
    def sentence(self) -> str:
        """The answer in one sentence: the number of solutions, or why it is not known, and the evidence for it."""
        return self.confirmation.sentence

    @property
    def solver_table(self) -> list[tuple[str, ...]]:
        """The table of solvers: the headings, then a row for each solver."""
        return [SOLVER_HEADINGS, *(row.cells(self.found) for row in self.rows)]

    @property
    def results(self) -> dict[str, Any]:
        """The results as a part of the JSON object."""
        return {name: getattr(self, name) for name in ("complete", "why", "status", "found", "agree")}


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
            said = "turns: the second reader finds {theirs} that leave the pieces as they look, the program {ours}"
            differences.append(Sentence(said, theirs=str(twice.turns), ours=str(turned // labelled)))
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
        """True if the work came as far as a problem to count."""
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

    @cached_property
    def judgement(self) -> Judgement:
        """The report, compared with the figures that its instance expects and refutes."""
        from puzzlesat.counting.verdict import Judgement

        return Judgement(self)

    def as_json(self) -> dict[str, Any]:
        """Return the report as the JSON object that docs/json.md describes. Unknown values are None."""
        instance, evidence, begun = self.instance, self.confirmation, self if self.begun else None
        sizes = ("placements", "after_symmetry", "after_reduction")
        placements = {name.replace("placements", "all"): begun and getattr(begun.reduced, name) for name in sizes}
        return {
            "instance": instance.name,
            "sentence": self.sentence,
            "confirmed": evidence.word,
            "read_twice": self.twice and self.twice.as_json(),
            "certificate": evidence.certificate,
            "proved_sound": evidence.sound,
            **self.results,
            "counts": asdict(self.counts),
            "witnesses": {name: list(by) for name, by in self.witnesses.items()},
            "placements": placements,
            "broken_on": begun and begun.reduced.broken_on,
            "symmetries": begun and list(begun.built.problem.symmetries),
            "refused_symmetries": begun and [refusal.as_json() for refusal in refusals(begun.built)],
            "solvers": [row.as_json() for row in self.rows],
            "expected": [verdict.as_json() for verdict in (begun.judgement.verdicts if begun else ())],
            "refuted": [refutation.as_json() for refutation in (begun.judgement.refutations if begun else ())],
            "published": instance.expect.published or None,
            "source": instance.credit or None,
            "rules": instance.puzzle.solutions.in_words(),
            "disagreements": [asdict(d) for d in self.disagreements],
        }
