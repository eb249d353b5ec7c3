"""The results of the solvers, and how well they confirm a count. Pages, the terminal and JSON have the same words for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal

from puzzlesat.base import Progress, Sentence, Status
from puzzlesat.counting.counts import Counts
from puzzlesat.counting.plan import CERTIFICATE
from puzzlesat.counting.second_reading import SECOND_READER, SecondReading
from puzzlesat.solvers import lists

RowStatus = Status | Literal["refused", "differs"]
NOT_COUNTED: Final = "not counted"
REFUSED: Final = "refused"
DIFFERS: Final = "differs"
CERTIFIED = Sentence("a certificate of the whole search was checked")
NONE_CERTIFIED = Sentence("a certificate that there is none was checked")
SOLVER_HEADINGS = ("solver", "all", "status", "how", "seconds", "work")
SHOWN_WORK = ("nodes", "placements", "dead_ends", "shapes", "states", "merged", "conflicts", "variables", "clauses")
"""Work counters that a report may show: for each solver the first three that it has."""

SAME: Final = "the same solutions"
AS_MANY: Final = "as many"
PART: Final = "a part"
NOTHING: Final = "nothing"
CONTRADICTED: Final = "contradicted"
"""The degrees of confirmation: another solver found the same solutions, the same number, or the same solutions in a part; no solver
confirmed anything; something contradicts the count."""

FIGURES = ("labelled", "all", "distinct")
"""The counts that a certificate can state."""

BY_CERTIFICATE = Sentence("a checked certificate of the whole search")
BY_CERTIFICATE_OF_NONE = Sentence("a checked certificate that there is none")
"""The words for an accepted certificate: if there are solutions, and if there are none."""
BY_PROVED = Sentence("a certificate of the whole search (checked by a program proved sound)")
BY_PROVED_OF_NONE = Sentence("a certificate that there is none (checked by a program proved sound)")
"""The words for a certificate that the program with the soundness proof accepted too."""
BY_TREES = Sentence("a checked search for the solutions that symmetries leave unchanged")
"""The words for a second count of the solutions that symmetries leave unchanged."""


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

    def words(self, report: Counted) -> str | None:
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
        work = ", ".join(Progress.in_words({key: self.work[key] for key in SHOWN_WORK if key in self.work})[:3])
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
        """True if the work got as far as a problem to count."""
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

        A sample is not a witness.
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
    def reading(self) -> str | None:
        """A sentence on the readings of the puzzle; None for a cover problem."""
        return None

    @property
    def proofs(self) -> tuple[str, ...]:
        """The proof, other than a search, that there is no solution."""
        return ()

    @property
    def confirmation(self) -> Confirmation:
        """The evidence for the count. An unfinished count can be contradicted, but not confirmed."""
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


@dataclass(frozen=True)
class Confirmation:
    """The evidence for a count. Each solver is named once."""

    report: Counted = field(repr=False, compare=False)
    same: tuple[str, ...] = ()
    """Independent solvers that found the same solutions as the first solver, which listed them too."""
    as_many: tuple[str, ...] = ()
    """Independent solvers that found the same number, if one of the two solvers lists nothing."""
    part: tuple[str, ...] = ()
    """Independent solvers that found the same solutions in a part of the search space, each with the size of the part."""
    proofs: tuple[str, ...] = ()
    """Arguments why there is no solution."""
    contradictions: tuple[str, ...] = ()
    certified: bool = False
    """True if the checker accepted a certificate of the whole search, or of the fact that there is no solution."""
    proved_sound: tuple[str, ...] = ()
    """The counts (of labelled, all, distinct) that the program with the soundness proof also proved."""

    @property
    def word(self) -> str:
        """The degree of confirmation."""
        if self.contradictions:
            return CONTRADICTED
        return SAME if self.same else AS_MANY if self.as_many or self.certified else PART if self.part else NOTHING

    @property
    def agreement(self) -> list[str]:
        """The confirmations or the contradictions, a sentence each."""
        if self.contradictions:
            return [Sentence("NO: {what}", what=what) for what in self.contradictions]
        if self.word == NOTHING:
            return [Sentence("none: no independent solver confirmed anything")]
        words = Sentence.in_a_row(self.words)
        return [Sentence("in part: {words}", words=words) if self.word == PART else Sentence("yes, {words}", words=words)]

    @property
    def words(self) -> list[str]:
        """The confirmations, a sentence each; empty if there are none, or something contradicts the count."""
        report = self.report
        if self.word in (NOTHING, CONTRADICTED):
            return []
        words: list[str] = [] if self.certificate is None else [_by_whom(self.certificate, self.proved_sound, report)]
        if self.same:
            every, none = "{solvers} confirmed every solution", "{solvers} confirmed that there is none"
            words.append(Sentence(every if report.found else none, solvers=Sentence.joined(self.same)))
        if self.as_many:
            unlisted, as_many = "{solvers} counted the same number without listing", "{solvers} counted the same number"
            words.append(Sentence(unlisted if lists(report.counter) else as_many, solvers=Sentence.joined(self.as_many)))
        if self.part:
            words.append(Sentence("{solvers} agreed on a sample", solvers=Sentence.joined(self.part)))
        if self.word != PART and BY_TREES in report.found_again.values():
            words.append(Sentence("{how} confirmed the number up to symmetry", how=BY_TREES))
        if self.word != PART and (once := [name for name, by in report.witnesses.items() if not by]):
            words.append(Sentence("counted only once: {figures}", figures=Sentence.joined(once)))
        if report.burnside:
            words.append(Sentence("Burnside's lemma holds"))
        if report.found and report.unchecked is not None:
            words.append(Sentence("solutions were not checked against the geometry: {why}", why=report.unchecked))
        elif report.found and report.listed:
            words.append(Sentence("every solution was re-checked against the geometry"))
        return words if report.reading is None else [*words, report.reading]

    @property
    def certificate(self) -> Sentence | None:
        """A sentence on the accepted certificate; None if there is none."""
        return None if not self.certified else CERTIFIED if self.report.found else NONE_CERTIFIED

    @property
    def sound(self) -> dict[str, bool]:
        """The counts that a certificate can state, each with True if the program with the soundness proof proved it."""
        return {name: name in self.proved_sound for name in FIGURES}

    @property
    def why_not_proved(self) -> str | None:
        """The reason why the program with the soundness proof did not prove every count of the report; None if it did."""
        report = self.report
        if not report.complete:
            return "the count was not finished"
        if self.contradictions:
            return "something contradicts the count"
        missing = [name for name in FIGURES if getattr(report.counts, name) is not None and name not in self.proved_sound]
        if not missing or (not report.found and "all" in self.proved_sound):
            return None
        row = next((row for row in report.rows if row.solver == CERTIFICATE), None)
        if row is None:
            return "no certificate was made"
        if not row.confirms:
            return f"no certificate was accepted: {row.refusal or f'{row.status} ({row.how})'}"
        return row.not_proved or f"the checker that is proved sound proves some counts, but not {Sentence.joined(missing)}"

    @property
    def number(self) -> str:
        """The number of solutions in words, in the convention that a reader looks for first."""
        report, distinct = self.report, self.report.counts.distinct
        if not report.found:
            return Sentence("no solution")
        if report.order == 1:
            number = Sentence("{n} {n|solution|solutions}", n=report.found)
        elif distinct is None:
            number = Sentence("{n} {n|solution|solutions}, including images under the symmetries", n=report.found)
        else:
            number = Sentence("{n} {n|solution|solutions} up to symmetry", n=distinct)
        several = (report.found if distinct is None else distinct) > 1
        return Sentence("not unique: {solutions}", solutions=number) if several and report.asks_uniqueness else number

    @property
    def sentence(self) -> str:
        """The first sentence on the count: the number of solutions, or why it is not known, and the evidence for it."""
        report = self.report
        if self.contradictions:
            single, more = "do not trust these counts: {what}", "do not trust these counts: {what} (and {n} more)"
            others = len(self.contradictions) - 1
            return Sentence(more if others else single, what=self.contradictions[0], n=str(others))
        if not report.complete:
            return self._unfinished
        sentence = Sentence.in_a_row(filter(None, [self.number, *self._of_figure, report.confidence]))
        if self.word in (SAME, AS_MANY, PART):
            if report.reading is not None and (report.twice is None or not report.twice.alike):
                sentence = Sentence("{sentence}, by one reading of the puzzle", sentence=sentence)
            elif report.imported:
                sentence = Sentence("{sentence} (the file was read once)", sentence=sentence)
        if report.found and report.unchecked is not None:
            sentence = Sentence.in_a_row([sentence, Sentence("solutions were not checked against the geometry")])
        return Sentence("interrupted: {sentence}", sentence=sentence) if report.interrupted else sentence

    @property
    def _of_figure(self) -> list[str]:
        """The evidence for the count that the first sentence states.

        If only the number of all solutions has a witness, and the number up to symmetry has none, the words state both.
        """
        report = self.report
        if report.figure == "all" or self.word not in (SAME, AS_MANY):
            return self._confirmed_by("all")
        if not report.witnesses[report.figure]:
            template = "all {n} are {confirmed}; the number up to symmetry was counted only once"
            return [Sentence(template, n=report.found, confirmed=self._confirmed_by("all")[-1])]
        return self._confirmed_by(report.figure, [BY_TREES] if report.witnesses[report.figure] == (BY_TREES,) else [])

    def _confirmed_by(self, figure: str, more: Sequence[str] = ()) -> list[str]:
        """Return the evidence for a figure, the strongest first. ``more`` is further evidence that the figure needs."""
        of_search, of_none = (BY_PROVED, BY_PROVED_OF_NONE) if figure in self.proved_sound else (BY_CERTIFICATE, BY_CERTIFICATE_OF_NONE)
        proved = [Sentence("proved by {what}", what=Sentence.joined(self.proofs))] if self.proofs else []
        as_many = [Sentence("{solver} (same count)", solver=name) for name in self.as_many]
        whole, part = Sentence.joined([*self.same, *as_many, *more]), Sentence.joined(self.part)
        if self.certified:
            certificate = of_search if self.report.found else of_none
            whole = Sentence("{certificate} and by {whole}", certificate=certificate, whole=whole) if whole else certificate
        if whole and part:
            return [*proved, Sentence("confirmed by {whole}, and in part by {part}", whole=whole, part=part)]
        if whole:
            return [*proved, Sentence("confirmed by {whole}", whole=whole)]
        nothing = Sentence("nothing else confirmed it") if proved else Sentence("nothing confirmed it")
        return [*proved, Sentence("one solver says so"), Sentence("confirmed in part by {part}", part=part) if part else nothing]

    @property
    def _unfinished(self) -> str:
        """The sentence on an unfinished count: the reason, and a lower bound."""
        report, unknown = self.report, self.report.why or ""
        if report.status != NOT_COUNTED and self.proofs:
            return Sentence("no solution; proved by {what}; the count was not finished", what=Sentence.joined(self.proofs))
        if report.status == NOT_COUNTED or not report.begun:
            return unknown
        least = max(-(-report.found // report.order), report.seen)
        if not least:
            return Sentence.in_a_row([unknown, Sentence("none was found so far")])
        several = "at least {n} {n|solution|solutions} up to symmetry"
        bound = Sentence(several if report.order > 1 else "at least {n} {n|solution|solutions}", n=least)
        unique = Sentence("not unique, {number}", number=bound)
        return Sentence.in_a_row([unknown, unique if least > 1 and report.asks_uniqueness else bound])


def confirmation(report: Counted) -> Confirmation:
    """Return the evidence for a count. An unfinished count can be contradicted, but not confirmed."""
    wrong: list[str] = [f"{d.solver}: {d.what}" for d in report.disagreements]
    if report.burnside is False:
        wrong.append(Sentence("Burnside's lemma contradicts the number of distinct solutions"))
    if wrong:
        return Confirmation(report, contradictions=tuple(wrong))
    proofs = report.proofs
    if not report.complete or report.counted_once:
        return Confirmation(report, proofs=proofs)
    listed = lists(report.counter) or not report.found  # two empty lists are the same solutions
    certificates = [row for row in report.rows if row.solver == CERTIFICATE and row.confirms]
    confirming = [row for row in report.rows if row.confirms and row.solver != CERTIFICATE]
    same = [row.solver for row in confirming if row.all is not None and listed and lists(row.solver)]
    as_many = [row.solver for row in confirming if row.all is not None and row.solver not in same]
    template, samples = "{solver} ({n} of {of} subproblems)", ((row.solver, row.sampled) for row in confirming if row.all is None)
    part = [Sentence(template, solver=name, n=sample.checked, of=sample.of) for name, sample in samples if sample]
    sound = _once([name for row in certificates for name in row.proved_sound])
    return Confirmation(report, _once(same), _once(as_many), _once(part), proofs, certified=bool(certificates), proved_sound=sound)


def _once(names: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))


def _by_whom(certificate: Sentence, sound: Sequence[str], report: Counted) -> Sentence:
    """Return a sentence on a certificate, and on the counts that the program with the soundness proof proved."""
    stated = [name for name in FIGURES if getattr(report.counts, name) is not None] if report.found else ["all"]
    if {*stated} <= {*sound}:
        return Sentence("{certificate} by a program proved sound", certificate=certificate)
    if not sound:
        return certificate
    some = "{certificate}, but by a program proved sound only for {figures}"
    return Sentence(some, certificate=certificate, figures=Sentence.joined(sound))
