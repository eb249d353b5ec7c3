"""How well a count is confirmed, and the first sentence that is said of it: on the page, in the terminal, and in JSON alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Final, Literal

from puzzlesat.base import Progress, Sentence
from puzzlesat.counting.conventions import BY_TREES
from puzzlesat.counting.cover_problem import CoverReport
from puzzlesat.counting.plain_facts import facts
from puzzlesat.counting.plan import CERTIFICATE
from puzzlesat.counting.report import CERTIFIED, NONE_CERTIFIED, NOT_COUNTED, Report, Row
from puzzlesat.counting.second_reading import SecondReading
from puzzlesat.solvers import lists

HowWell = Literal["the same solutions", "as many", "a part", "nothing", "contradicted"]
SAME: Final = "the same solutions"
AS_MANY: Final = "as many"
PART: Final = "a part"
NOTHING: Final = "nothing"
CONTRADICTED: Final = "contradicted"
"""How well: another solver found the same solutions, or as many, or the same in a part; none said anything; something contradicts."""

FIGURES = ("labelled", "all", "distinct")
"""The counts that a certificate claims."""

BY_CERTIFICATE = Sentence("a checked certificate of the whole search")
BY_CERTIFICATE_OF_NONE = Sentence("a checked certificate that there is none")
"""What is said where there is one: of a search, or of an argument that no search is needed for."""
BY_PROVED = Sentence("a certificate of the whole search (checked by a program proved sound)")
BY_PROVED_OF_NONE = Sentence("a certificate that there is none (checked by a program proved sound)")
"""What is said instead where the program has checked it whose soundness is proved."""

CountReport = Report | CoverReport


@dataclass(frozen=True)
class Confirmation:
    """Who confirmed a count, and how; each solver is named once."""

    report: CountReport = field(repr=False, compare=False)
    same: tuple[str, ...] = ()
    """Independent solvers that listed every solution that the first one had listed."""
    as_many: tuple[str, ...] = ()
    """Independent solvers that came to the same number, where one of the two lists nothing."""
    part: tuple[str, ...] = ()
    """Independent solvers that went through a part and found what the first one has there, with how large the part was."""
    proofs: tuple[str, ...] = ()
    """Arguments why there is no solution."""
    contradictions: tuple[str, ...] = ()
    certified: bool = False
    """Whether a certificate of the whole search, or that there is no solution, was checked."""
    proved_sound: tuple[str, ...] = ()
    """The counts (of labelled, all, distinct) that the program has proved, too, whose soundness is proved."""

    @property
    def word(self) -> HowWell:
        """The best that can be said, in a word or two."""
        if self.contradictions:
            return CONTRADICTED
        return SAME if self.same else AS_MANY if self.as_many or self.certified else PART if self.part else NOTHING

    @property
    def agreement(self) -> list[str]:
        """Who confirmed what at length, or what contradicts what, a sentence each."""
        if self.contradictions:
            return [Sentence("NO: {what}", what=what) for what in self.contradictions]
        if self.word == NOTHING:
            return [Sentence("none: no independent solver confirmed anything")]
        words = Sentence.in_a_row(self.words)
        return [Sentence("in part: {words}", words=words) if self.word == PART else Sentence("yes, {words}", words=words)]

    @property
    def words(self) -> list[str]:
        """Who confirmed what, a sentence each; nothing if no solver did, or something contradicts the count."""
        report = self.report
        if self.word in (NOTHING, CONTRADICTED):
            return []
        words: list[str] = [] if self.certificate is None else [_by_whom(self.certificate, self.proved_sound, report)]
        if self.same:
            every, none = "{solvers} confirmed every solution", "{solvers} confirmed that there is none"
            words.append(Sentence(every if report.found else none, solvers=joined(self.same)))
        if self.as_many:
            unlisted, as_many = "{solvers} counted the same number without listing", "{solvers} counted the same number"
            words.append(Sentence(unlisted if lists(report.counter) else as_many, solvers=joined(self.as_many)))
        if self.part:
            words.append(Sentence("{solvers} agreed on a sample", solvers=joined(self.part)))
        words += _witnesses_words(report, self)
        if report.burnside:
            words.append(Sentence("Burnside's lemma holds"))
        if report.found and report.listed:
            words.append(Sentence("every solution was re-checked against the geometry"))
        return words if not isinstance(report, Report) else [*words, reading_words(report.twice)]

    @property
    def certificate(self) -> Sentence | None:
        """What is said of the certificate that was checked; None if none was."""
        if not self.certified:
            return None
        return CERTIFIED if self.report.found else NONE_CERTIFIED

    @property
    def sound(self) -> dict[str, bool]:
        """For each count that a certificate claims, whether the program has proved it whose soundness is proved."""
        return {name: name in self.proved_sound for name in FIGURES}

    @property
    def why_not_proved(self) -> str | None:
        """Why the program that is proved sound has not proved every count of the report; None if it has."""
        report = self.report
        if not report.complete:
            return "the count was not finished"
        if self.contradictions:
            return "something contradicts the count"
        known = asdict(report.counts) if isinstance(report, Report) else {}
        missing = [name for name, count in known.items() if name in FIGURES and count is not None and name not in self.proved_sound]
        if not missing or (not report.found and "all" in self.proved_sound):
            return None
        row = next((row for row in report.rows if row.solver == CERTIFICATE), None)
        if row is None:
            return "no certificate was made"
        if not row.confirms:
            return f"no certificate was accepted: {row.refusal or f'{row.status} ({row.how})'}"
        return row.not_proved or f"the checker that is proved sound proves some counts, but not {joined(missing)}"

    @property
    def number(self) -> str:
        """How many solutions there are, in the convention that a reader looks for first."""
        return _number_words(self.report)


def confirmation(report: CountReport) -> Confirmation:
    """Return what the solvers say of each other's work. A count that was not finished can be contradicted, and not confirmed."""
    wrong: list[str] = [f"{d.solver}: {d.what}" for d in report.disagreements]
    if report.burnside is False:
        wrong.append(Sentence("Burnside's lemma contradicts the number of distinct solutions"))
    if wrong:
        return Confirmation(report, contradictions=tuple(wrong))
    proofs = _proofs(report)
    if not report.complete or (isinstance(report, Report) and report.counted_once):
        return Confirmation(report, proofs=proofs)
    listed = lists(report.counter) or not report.found  # where there is none, there is nothing to tell apart
    certificates = [row for row in report.rows if row.solver == CERTIFICATE and row.confirms]
    confirming = [row for row in report.rows if row.confirms and row.solver != CERTIFICATE]
    same = [row.solver for row in confirming if row.all is not None and listed and lists(row.solver)]
    as_many = [row.solver for row in confirming if row.all is not None and row.solver not in same]
    part = [
        Sentence("{solver} ({n} of {of} subproblems)", solver=row.solver, n=row.sampled.checked, of=row.sampled.of)
        for row in confirming
        if row.all is None and row.sampled
    ]
    sound = _once([name for row in certificates for name in row.proved_sound])
    return Confirmation(report, _once(same), _once(as_many), _once(part), proofs, certified=bool(certificates), proved_sound=sound)


def _once(names: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))


def _proofs(report: CountReport) -> tuple[str, ...]:
    """What proves that there is no solution, besides a search: a fact that a person can check by hand, or else what was found."""
    if report.found or not isinstance(report, Report) or not report.begun or report.seen:
        return ()
    if any(fact.impossible for fact in facts(report.built)):
        return (Sentence("a fact that you can check by hand"),)
    return () if report.proof is None else (report.proof,)


def first_sentence(report: CountReport) -> str:
    """Return what is said first of a count, in one sentence: how many solutions, or why that is not known, and who confirmed it."""
    found = confirmation(report)
    if found.contradictions:
        one, more = "do not trust these counts: {what}", "do not trust these counts: {what} (and {n} more)"
        others = len(found.contradictions) - 1
        return Sentence(more if others else one, what=found.contradictions[0], n=str(others))
    if not report.complete:
        return _unfinished(report, found)
    known = [_number_words(report), *_of_figure(report, found)]
    sentence = Sentence.in_a_row([*known, *filter(None, [_confidence(report)])])
    if found.word in (SAME, AS_MANY, PART):
        sentence = _as_read(sentence, report)
    return Sentence("interrupted: {sentence}", sentence=sentence) if report.interrupted else sentence


def _confidence(report: CountReport) -> str | None:
    """How sure the units are that a store holds."""
    return report.confidence if isinstance(report, Report) else None


def _as_read(sentence: str, report: CountReport) -> str:
    """The sentence on a count that was confirmed; it says so if the puzzle, or the file of another program, was read only once."""
    read = report.twice if isinstance(report, Report) else report.cover
    if read is None or (isinstance(read, SecondReading) and not read.alike):
        return Sentence("{sentence}, by one reading of the puzzle", sentence=sentence)
    return Sentence("{sentence}, by one import of its file", sentence=sentence) if read.imported else sentence


def _of_figure(report: CountReport, found: Confirmation) -> list[str]:
    """Who confirmed the count that the first sentence says. Where that count has no witness, but all solutions have, both is said."""
    if not isinstance(report, Report) or report.figure == "all" or found.word not in (SAME, AS_MANY):
        return _confirmed_by(found, "all", none=not report.found)
    if not report.witnesses[report.figure]:
        said = "all {n} are {confirmed}; the number up to symmetry was counted only once"
        return [Sentence(said, n=report.found, confirmed=_confirmed_by(found, "all")[-1])]
    return _confirmed_by(found, report.figure, [BY_TREES] if report.witnesses[report.figure] == (BY_TREES,) else [])


def _number_words(report: CountReport) -> str:
    """Return how many solutions there are, in the convention that a reader looks for first."""
    if not report.found:
        return Sentence("no solution")
    distinct = report.counts.distinct if isinstance(report, Report) else None
    several = isinstance(report, Report) and len(report.built.problem.symmetries) > 1
    if not several:
        said = Sentence("{n} {n|solution|solutions}", n=report.found)
    elif distinct is None:
        said = Sentence("{n} {n|solution|solutions}, including images under the symmetries", n=report.found)
    else:
        said = Sentence("{n} {n|solution|solutions} up to symmetry", n=distinct)
    number = report.found if distinct is None else distinct
    if number > 1 and _asked_whether_unique(report):
        return Sentence("not unique: {solutions}", solutions=said)
    return said


def _asked_whether_unique(report: CountReport) -> bool:
    """Whether the question is if there is exactly one: the instance expects that, or somebody published it."""
    if isinstance(report, CoverReport):
        return False
    expect = report.instance.expect
    return 1 in (expect.labelled, expect.all, expect.distinct, expect.labelled_distinct) or any(
        claim.published == 1 for claim in expect.refuted
    )


def _confirmed_by(found: Confirmation, figure: str, more: Sequence[str] = (), *, none: bool = False) -> list[str]:
    """Who confirmed this figure, those first that went through the most; ``more`` is what else was needed for it."""
    certificate = BY_CERTIFICATE_OF_NONE if none else BY_CERTIFICATE
    if figure in found.proved_sound:
        certificate = BY_PROVED_OF_NONE if none else BY_PROVED
    proved = [Sentence("proved by {what}", what=joined(found.proofs))] if found.proofs else []
    as_many = [Sentence("{solver} (same count)", solver=name) for name in found.as_many]
    whole = [*([certificate] if found.certified else []), *found.same, *as_many, *more]
    if whole and found.part:
        return [*proved, Sentence("confirmed by {whole}, and in part by {part}", whole=joined(whole), part=joined(found.part))]
    if whole:
        return [*proved, Sentence("confirmed by {whole}", whole=joined(whole))]
    one = Sentence("one solver says so")
    if found.part:
        return [*proved, one, Sentence("confirmed in part by {part}", part=joined(found.part))]
    return [*proved, one, Sentence("nothing else confirmed it") if proved else Sentence("nothing confirmed it")]


def _unfinished(report: CountReport, found: Confirmation) -> str:
    """What is known all the same."""
    if report.status != NOT_COUNTED and found.proofs:
        return Sentence("no solution; proved by {what}; the count was not finished", what=joined(found.proofs))
    unknown = report.why or ""
    if report.status == NOT_COUNTED or (isinstance(report, Report) and not report.begun):
        return unknown
    least = at_least(report)
    if not least:
        return Sentence.in_a_row([unknown, Sentence("none was found so far")])
    several = isinstance(report, Report) and len(report.built.problem.symmetries) > 1
    number = "at least {n} {n|solution|solutions} up to symmetry" if several else "at least {n} {n|solution|solutions}"
    said = Sentence(number, n=least)
    unique = Sentence("not unique, {number}", number=said)
    return Sentence.in_a_row([unknown, unique if least > 1 and _asked_whether_unique(report) else said])


def at_least(report: CountReport) -> int:
    """Return how many solutions there are at least, up to symmetry, by those that were found."""
    if not isinstance(report, Report) or not report.begun:
        return report.found
    return max(-(-report.found // len(report.built.problem.symmetries)), report.seen)


def _witnesses_words(report: CountReport, found: Confirmation) -> list[str]:
    """What else confirmed some counts, and which of them nothing has, where there are witnesses of all solutions."""
    if not isinstance(report, Report) or found.word not in (SAME, AS_MANY):
        return []
    trees = [Sentence("{how} confirmed the number up to symmetry", how=BY_TREES)] if BY_TREES in report.found_again.values() else []
    once = [name for name, by in report.witnesses.items() if not by]
    return [*trees, *([Sentence("counted only once: {figures}", figures=joined(once))] if once else [])]


def reading_words(twice: SecondReading | None) -> str:
    """Return what is said of how often a puzzle was read, where the readers do not differ."""
    if twice is None or twice.why is not None:
        return Sentence("the puzzle was read once") if twice is None else Sentence("the puzzle was read once: {why}", why=twice.why)
    if twice.once:
        return Sentence("two independent readings of the puzzle agree, except for {what}", what=joined(twice.once))
    return Sentence("two independent readings of the puzzle agree")


def _by_whom(certificate: Sentence, sound: Sequence[str], report: CountReport) -> Sentence:
    """What is said of a certificate, and of which counts a program proved it that is proved sound; all where there is no solution."""
    said = asdict(report.counts) if isinstance(report, Report) and report.found else {"all": report.found}
    if all(name in sound for name in FIGURES if said.get(name) is not None):
        return Sentence("{certificate} by a program proved sound", certificate=certificate)
    if not sound:
        return certificate
    some = "{certificate}, but by a program proved sound only for {figures}"
    return Sentence(some, certificate=certificate, figures=joined(sound))


def joined(names: Sequence[str]) -> str:
    """Return names as a sentence lists them."""
    if len(names) < 2:
        return names[0] if names else ""
    return Sentence("{names} and {last}", names=[*names[:-1]], last=names[-1])


NOT_KNOWN = "–"
"""Stands for a number that is not known."""
SOLVER_HEADINGS = ("solver", "all", "status", "how", "seconds", "work")
SHOWN_WORK = ("nodes", "placements", "dead_ends", "shapes", "states", "merged", "conflicts", "variables", "clauses")
"""Work counters that a report shows, the first three that a solver has."""


def number(value: int | None) -> str:
    """Return a number with commas, or a dash for one that is not known."""
    return NOT_KNOWN if value is None else f"{value:,}"


def solver_table(report: CountReport) -> list[tuple[str, ...]]:
    """Return the table of solvers: the headings, then what each solver did."""
    rows = [(row.solver, number(row.all), _status(row), _how(row, report), f"{row.seconds:.2f}", _work(row)) for row in report.rows]
    return [SOLVER_HEADINGS, *rows]


def _status(row: Row) -> str:
    return "sampled" if row.sampled is not None and row.sampled.checked and row.all is None else row.status


def _how(row: Row, report: CountReport) -> str:
    if row.refusal is not None:
        return row.refusal
    if row.sampled is None or not row.sampled.checked:
        return row.how
    total = report.found
    share = f", {100 * row.sampled.found / total:.1f} % of the solutions" if total else ""
    return f"{row.how}{share}"


def _work(row: Row) -> str:
    return ", ".join(Progress.in_words({key: row.work[key] for key in SHOWN_WORK if key in row.work})[:3])
