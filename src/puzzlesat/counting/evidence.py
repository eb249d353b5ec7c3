"""How well a count is confirmed, and the first sentence that is said of it: on the page, in the terminal, and in JSON alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Final, Literal

from puzzlesat.base import Sentence
from puzzlesat.counting.conventions import BY_TREES
from puzzlesat.counting.cover_problem import PuzzlelessReport
from puzzlesat.counting.plain_facts import facts
from puzzlesat.counting.report import NOT_COUNTED, Report
from puzzlesat.counting.second_reading import SecondReading
from puzzlesat.solvers import CERTIFICATE, lists

HowWell = Literal["the same solutions", "as many", "a part", "nothing", "contradicted"]
SAME: Final = "the same solutions"
AS_MANY: Final = "as many"
PART: Final = "a part"
NOTHING: Final = "nothing"
CONTRADICTED: Final = "contradicted"
"""How well: another solver found the same solutions, or as many, or the same in a part; none said anything; something contradicts."""

FIGURES = ("labelled", "all", "distinct")
"""The counts that a certificate claims."""

CERTIFIED = Sentence("a certificate of the whole search was checked")
BY_CERTIFICATE = Sentence("a checked certificate of the whole search")
NONE_CERTIFIED = Sentence("a certificate that there is none was checked")
BY_CERTIFICATE_OF_NONE = Sentence("a checked certificate that there is none")
"""What is said where there is one: of a search, or of an argument that no search is needed for."""
BY_PROVED = Sentence("a certificate of the whole search (checked by a program proved sound)")
BY_PROVED_OF_NONE = Sentence("a certificate that there is none (checked by a program proved sound)")
"""What is said instead where the program has checked it whose soundness is proved."""

CountReport = Report | PuzzlelessReport


@dataclass(frozen=True)
class Confirmation:
    """Who confirmed a count, and how; each solver is named once."""

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


def confirmation(report: CountReport) -> Confirmation:
    """Return what the solvers say of each other's work. A count that was not finished can be contradicted, and not confirmed."""
    wrong: list[str] = [f"{d.solver}: {d.what}" for d in report.disagreements]
    if report.burnside is False:
        wrong.append(Sentence("Burnside's lemma contradicts the number of distinct solutions"))
    if wrong:
        return Confirmation(contradictions=tuple(wrong))
    proofs = _proofs(report)
    if not report.complete or (isinstance(report, Report) and report.counted_once):
        return Confirmation(proofs=proofs)
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
    return Confirmation(_once(same), _once(as_many), _once(part), proofs, certified=bool(certificates), proved_sound=sound)


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
    known = [number_words(report), *_of_figure(report, found)]
    sentence = Sentence.in_a_row([*known, *filter(None, [_confidence(report)])])
    if found.word in (SAME, AS_MANY, PART) and isinstance(report, Report):
        sentence = _as_read(sentence, report.twice)
    return Sentence("interrupted: {sentence}", sentence=sentence) if report.interrupted else sentence


def _confidence(report: CountReport) -> str | None:
    """How sure the units are that a store holds."""
    return report.confidence if isinstance(report, Report) else None


def _as_read(sentence: str, twice: SecondReading | None) -> str:
    """What is said of a count that was confirmed, with how often its puzzle was read where that was not twice, from its file on."""
    if twice is None or not twice.alike:
        return Sentence("{sentence}, by one reading of the puzzle", sentence=sentence)
    return Sentence("{sentence}, by one import of its file", sentence=sentence) if twice.imported else sentence


def _of_figure(report: CountReport, found: Confirmation) -> list[str]:
    """Who confirmed the count that the first sentence says. Where that count has no witness, but all solutions have, both is said."""
    if not isinstance(report, Report) or report.figure == "all" or found.word not in (SAME, AS_MANY):
        return _confirmed_by(found, "all", none=not report.found)
    if not report.witnesses[report.figure]:
        said = "all {n} are {confirmed}; the number up to symmetry was counted only once"
        return [Sentence(said, n=report.found, confirmed=_confirmed_by(found, "all")[-1])]
    return _confirmed_by(found, report.figure, [BY_TREES] if report.witnesses[report.figure] == (BY_TREES,) else [])


def number_words(report: CountReport) -> str:
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
    if isinstance(report, PuzzlelessReport):
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


def agreement(report: CountReport) -> str:
    """Return who confirmed what, or what contradicts what, at length; contradictions a line each."""
    found = confirmation(report)
    if found.contradictions:
        return "\n".join(contradictions(found))
    if found.word == NOTHING:
        return Sentence("none: no independent solver confirmed anything")
    words = Sentence.in_a_row(confirmations(report))
    return Sentence("in part: {words}", words=words) if found.word == PART else Sentence("yes, {words}", words=words)


def contradictions(found: Confirmation) -> list[str]:
    """Return what contradicts a count, a sentence each."""
    return [Sentence("NO: {what}", what=what) for what in found.contradictions]


def confirmations(report: CountReport) -> list[str]:
    """Return who confirmed what, a sentence each; nothing where nobody did, or something contradicts it."""
    found = confirmation(report)
    if found.word in (NOTHING, CONTRADICTED):
        return []
    words: list[str] = []
    if (certificate := certificate_words(report)) is not None:
        words = [_by_whom(certificate, found.proved_sound, report)]
    if found.same:
        every, none = "{solvers} confirmed every solution", "{solvers} confirmed that there is none"
        words.append(Sentence(every if report.found else none, solvers=joined(found.same)))
    if found.as_many:
        unlisted, as_many = "{solvers} counted the same number without listing", "{solvers} counted the same number"
        words.append(Sentence(unlisted if lists(report.counter) else as_many, solvers=joined(found.as_many)))
    if found.part:
        words.append(Sentence("{solvers} agreed on a sample", solvers=joined(found.part)))
    words += _witnesses_words(report, found)
    if report.burnside:
        words.append(Sentence("Burnside's lemma holds"))
    if report.found and report.listed:
        words.append(Sentence("every solution was re-checked against the geometry"))
    return words if not isinstance(report, Report) else [*words, reading_words(report.twice)]


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


def why_not_proved(report: Report) -> str | None:
    """Return why the program that is proved sound has not proved every count of a report; None where it has."""
    if not report.complete:
        return "the count was not finished"
    known = confirmation(report)
    if known.contradictions:
        return "something contradicts the count"
    sound = known.proved_sound
    missing = [name for name, count in asdict(report.counts).items() if name in FIGURES and count is not None and name not in sound]
    if not missing or (not report.found and "all" in sound):
        return None
    row = next((row for row in report.rows if row.solver == CERTIFICATE), None)
    if row is None:
        return "no certificate was made"
    if not row.confirms:
        return f"no certificate was accepted: {row.refusal or f'{row.status} ({row.how})'}"
    return row.not_proved or f"the checker that is proved sound proves some counts, but not {joined(missing)}"


def certificate_words(report: CountReport) -> Sentence | None:
    """Return what is said of the certificate that was checked; None where none was."""
    if not confirmation(report).certified:
        return None
    return CERTIFIED if report.found else NONE_CERTIFIED


def joined(names: Sequence[str]) -> str:
    """Return names as a sentence lists them."""
    if len(names) < 2:
        return names[0] if names else ""
    return Sentence("{names} and {last}", names=[*names[:-1]], last=names[-1])
