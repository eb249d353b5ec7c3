"""State how well a count is confirmed, and its first sentence: the same on pages, in the terminal and in JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from puzzlesat.base import Sentence
from puzzlesat.counting.conventions import BY_TREES
from puzzlesat.counting.plain_facts import facts
from puzzlesat.counting.plan import CERTIFICATE
from puzzlesat.counting.report import CERTIFIED, NONE_CERTIFIED, NOT_COUNTED, Counted, Report
from puzzlesat.solvers import lists

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
"""The evidence of an accepted certificate, if there are solutions and if there are none."""
BY_PROVED = Sentence("a certificate of the whole search (checked by a program proved sound)")
BY_PROVED_OF_NONE = Sentence("a certificate that there is none (checked by a program proved sound)")
"""The evidence of a certificate that the program with the soundness proof has also accepted."""


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
        if isinstance(report, Report):
            words.append(Sentence("the puzzle was read once") if report.twice is None else report.twice.words)
        return words

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
            said = Sentence("{n} {n|solution|solutions}", n=report.found)
        elif distinct is None:
            said = Sentence("{n} {n|solution|solutions}, including images under the symmetries", n=report.found)
        else:
            said = Sentence("{n} {n|solution|solutions} up to symmetry", n=distinct)
        several = (report.found if distinct is None else distinct) > 1
        return Sentence("not unique: {solutions}", solutions=said) if several and report.asks_uniqueness else said

    @property
    def sentence(self) -> str:
        """The first sentence on the count: the number of solutions, or why it is not known, and the evidence for it."""
        report = self.report
        if self.contradictions:
            one, more = "do not trust these counts: {what}", "do not trust these counts: {what} (and {n} more)"
            others = len(self.contradictions) - 1
            return Sentence(more if others else one, what=self.contradictions[0], n=str(others))
        if not report.complete:
            return self._unfinished
        sentence = Sentence.in_a_row(filter(None, [self.number, *self._of_figure, report.confidence]))
        if self.word in (SAME, AS_MANY, PART):
            if isinstance(report, Report) and (report.twice is None or not report.twice.alike):
                sentence = Sentence("{sentence}, by one reading of the puzzle", sentence=sentence)
            elif report.imported:
                sentence = Sentence("{sentence}, by one import of its file", sentence=sentence)
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
            said = "all {n} are {confirmed}; the number up to symmetry was counted only once"
            return [Sentence(said, n=report.found, confirmed=self._confirmed_by("all")[-1])]
        return self._confirmed_by(report.figure, [BY_TREES] if report.witnesses[report.figure] == (BY_TREES,) else [])

    def _confirmed_by(self, figure: str, more: Sequence[str] = ()) -> list[str]:
        """Return the evidence for a figure, the strongest first. ``more`` is further evidence that the figure needs."""
        of_search, of_none = (BY_PROVED, BY_PROVED_OF_NONE) if figure in self.proved_sound else (BY_CERTIFICATE, BY_CERTIFICATE_OF_NONE)
        proved = [Sentence("proved by {what}", what=Sentence.joined(self.proofs))] if self.proofs else []
        as_many = [Sentence("{solver} (same count)", solver=name) for name in self.as_many]
        certificate = [of_search if self.report.found else of_none] if self.certified else []
        whole, part = Sentence.joined([*certificate, *self.same, *as_many, *more]), Sentence.joined(self.part)
        if whole and part:
            return [*proved, Sentence("confirmed by {whole}, and in part by {part}", whole=whole, part=part)]
        if whole:
            return [*proved, Sentence("confirmed by {whole}", whole=whole)]
        one = Sentence("one solver says so")
        if part:
            return [*proved, one, Sentence("confirmed in part by {part}", part=part)]
        return [*proved, one, Sentence("nothing else confirmed it") if proved else Sentence("nothing confirmed it")]

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
        said = Sentence(several if report.order > 1 else "at least {n} {n|solution|solutions}", n=least)
        unique = Sentence("not unique, {number}", number=said)
        return Sentence.in_a_row([unknown, unique if least > 1 and report.asks_uniqueness else said])


def confirmation(report: Counted) -> Confirmation:
    """Return the evidence for a count. An unfinished count can be contradicted, but not confirmed."""
    wrong: list[str] = [f"{d.solver}: {d.what}" for d in report.disagreements]
    if report.burnside is False:
        wrong.append(Sentence("Burnside's lemma contradicts the number of distinct solutions"))
    if wrong:
        return Confirmation(report, contradictions=tuple(wrong))
    proofs = _proofs(report)
    if not report.complete or report.counted_once:
        return Confirmation(report, proofs=proofs)
    listed = lists(report.counter) or not report.found  # two empty lists are the same solutions
    certificates = [row for row in report.rows if row.solver == CERTIFICATE and row.confirms]
    confirming = [row for row in report.rows if row.confirms and row.solver != CERTIFICATE]
    same = [row.solver for row in confirming if row.all is not None and listed and lists(row.solver)]
    as_many = [row.solver for row in confirming if row.all is not None and row.solver not in same]
    said, samples = "{solver} ({n} of {of} subproblems)", ((row.solver, row.sampled) for row in confirming if row.all is None)
    part = [Sentence(said, solver=name, n=sample.checked, of=sample.of) for name, sample in samples if sample]
    sound = _once([name for row in certificates for name in row.proved_sound])
    return Confirmation(report, _once(same), _once(as_many), _once(part), proofs, certified=bool(certificates), proved_sound=sound)


def _once(names: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))


def _proofs(report: Counted) -> tuple[str, ...]:
    """Return the proof, other than a search, that there is no solution: a fact that a person can check, or else a found argument."""
    if report.found or not isinstance(report, Report) or not report.begun or report.seen:
        return ()
    if any(fact.impossible for fact in facts(report.built)):
        return (Sentence("a fact that you can check by hand"),)
    return () if report.proof is None else (report.proof,)


def _by_whom(certificate: Sentence, sound: Sequence[str], report: Counted) -> Sentence:
    """Return a sentence on a certificate, and on the counts that the program with the soundness proof proved."""
    stated = [name for name in FIGURES if getattr(report.counts, name) is not None] if report.found else ["all"]
    if {*stated} <= {*sound}:
        return Sentence("{certificate} by a program proved sound", certificate=certificate)
    if not sound:
        return certificate
    some = "{certificate}, but by a program proved sound only for {figures}"
    return Sentence(some, certificate=certificate, figures=Sentence.joined(sound))
