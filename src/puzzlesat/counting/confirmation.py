"""How well a count is confirmed, and the first sentence that is said of it: on the page, in the terminal, and in JSON alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from puzzlesat.counting.facts import facts
from puzzlesat.counting.puzzleless import PuzzlelessReport
from puzzlesat.counting.report import NOT_COUNTED, Report, Unbegun
from puzzlesat.errors import many
from puzzlesat.solvers.registry import lists
from puzzlesat.solvers.run import MEMORY, STOPPED
from puzzlesat.solvers.strategy import CERTIFICATE

HowWell = Literal["the same solutions", "as many", "a part", "nothing", "contradicted"]
SAME: Final = "the same solutions"
AS_MANY: Final = "as many"
PART: Final = "a part"
NOTHING: Final = "nothing"
CONTRADICTED: Final = "contradicted"
"""How well: another solver found the same solutions, or as many, or the same in a part; none said anything; something contradicts."""

CERTIFIED = "a certificate of the whole search was checked"
BY_CERTIFICATE = "a checked certificate of the whole search"
NONE_CERTIFIED = "a certificate that there is none was checked"
BY_CERTIFICATE_OF_NONE = "a checked certificate that there is none"
"""What is said where there is one: of a search, or of an argument that no search is needed for."""

CountReport = Report | PuzzlelessReport | Unbegun


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

    @property
    def word(self) -> HowWell:
        """The best that can be said, in a word or two."""
        if self.contradictions:
            return CONTRADICTED
        return SAME if self.same else AS_MANY if self.as_many or self.certified else PART if self.part else NOTHING


def confirmation(report: CountReport) -> Confirmation:
    """Return what the solvers say of each other's work. A count that was not finished can be contradicted, and not confirmed."""
    wrong = [f"{d.solver}: {d.what}" for d in report.disagreements]
    if report.burnside is False:
        wrong.append("Burnside's lemma contradicts the number of distinct solutions")
    if wrong:
        return Confirmation(contradictions=tuple(wrong))
    proofs = _proofs(report)
    if not report.complete:
        return Confirmation(proofs=proofs)
    listed = lists(report.counter) or not report.found  # where there is none, there is nothing to tell apart
    certified = any(row.confirms for row in report.rows if row.solver == CERTIFICATE)
    confirming = [row for row in report.rows if row.confirms and row.solver != CERTIFICATE]
    same = [row.solver for row in confirming if row.all is not None and listed and lists(row.solver)]
    as_many = [row.solver for row in confirming if row.all is not None and row.solver not in same]
    part = [
        f"{row.solver} ({row.sampled.checked:,} of {row.sampled.of:,} subproblems)" for row in confirming if row.all is None and row.sampled
    ]
    return Confirmation(_once(same), _once(as_many), _once(part), proofs, certified=certified)


def _once(names: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))


def _proofs(report: CountReport) -> tuple[str, ...]:
    """What proves that there is no solution, besides a search: a fact that a person can check by hand, or else what was found."""
    if report.found or not isinstance(report, Report) or report.seen:
        return ()
    if any(fact.impossible for fact in facts(report.built)):
        return ("a fact that can be checked by hand",)
    return () if report.proof is None else (report.proof,)


def first_sentence(report: CountReport) -> str:
    """Return what is said first of a count, in one sentence: how many solutions, or why that is not known, and who confirmed it."""
    found = confirmation(report)
    if found.contradictions:
        more = f" (and {len(found.contradictions) - 1} more)" if len(found.contradictions) > 1 else ""
        return f"no number is to be believed: {found.contradictions[0]}{more}"
    if not report.complete:
        return _unfinished(report, found)
    sentence = f"{_number(report)}; {_confirmed_by(found, none=not report.found)}"
    return f"interrupted: {sentence}" if report.interrupted else sentence


def _number(report: CountReport) -> str:
    """How many solutions there are, in the convention that a reader looks for first."""
    if not report.found:
        return "no solution"
    distinct = report.counts.distinct if isinstance(report, Report) else None
    several = isinstance(report, Report) and len(report.built.problem.symmetries) > 1
    if not several:
        said = many(report.found, "solution")
    elif distinct is None:
        said = f"{many(report.found, 'solution')}, images under the symmetries counted"
    else:
        said = f"{many(distinct, 'solution')} up to symmetry"
    number = report.found if distinct is None else distinct
    if number > 1 and _asked_whether_unique(report):
        return f"not unique: {said}"
    return said


def _asked_whether_unique(report: CountReport) -> bool:
    """Whether the question is if there is exactly one: the instance expects that, or somebody published it."""
    if isinstance(report, PuzzlelessReport):
        return False
    expect = report.instance.expect
    return 1 in (expect.labelled, expect.all, expect.distinct, expect.labelled_distinct) or any(
        claim.published == 1 for claim in expect.refuted
    )


def _confirmed_by(found: Confirmation, *, none: bool) -> str:
    """Who confirmed it, those first that went through the most."""
    certificate = BY_CERTIFICATE_OF_NONE if none else BY_CERTIFICATE
    proved = f"proved by {joined(found.proofs)}; " if found.proofs else ""
    whole = [*([certificate] if found.certified else []), *found.same, *(f"{name} ({AS_MANY})" for name in found.as_many)]
    if whole:
        return f"{proved}confirmed by {joined(whole)}" + (f", and in part by {joined(found.part)}" if found.part else "")
    if found.part:
        return f"{proved}one solver says so; confirmed in part by {joined(found.part)}"
    return f"{proved}one solver says so; nothing {'else ' if proved else ''}confirmed it"


def _unfinished(report: CountReport, found: Confirmation) -> str:
    """What is known all the same."""
    if report.status == NOT_COUNTED:
        return "nothing was counted, for no figure is expected"
    if found.proofs:
        return f"no solution; proved by {joined(found.proofs)}; the count was not finished"
    refused = bool(report.rows) and all(row.refusal is not None for row in report.rows)
    why = "interrupted" if report.status == STOPPED or report.interrupted else "no solver could count" if refused else "stopped at a limit"
    least = at_least(report)
    if isinstance(report, Unbegun):
        return f"{report.status if report.status == MEMORY else why}: nothing was counted; it was {report.far}"
    if not least:
        return f"{why}: the number of solutions is not known; none was found so far"
    several = isinstance(report, Report) and len(report.built.problem.symmetries) > 1
    unique = "not unique, " if least > 1 and _asked_whether_unique(report) else ""
    return f"{why}: the number of solutions is not known; {unique}at least {many(least, 'solution')}{' up to symmetry' if several else ''}"


def at_least(report: CountReport) -> int:
    """Return how many solutions there are at least, up to symmetry, by those that were found."""
    if not isinstance(report, Report):
        return report.found
    return max(-(-report.found // len(report.built.problem.symmetries)), report.seen)


def agreement(report: CountReport) -> str:
    """Return who confirmed what, or what contradicts what, at length; contradictions a line each."""
    found = confirmation(report)
    if found.contradictions:
        return "\n".join(f"NO: {what}" for what in found.contradictions)
    if found.word == NOTHING:
        return "none: no independent solver confirmed anything"
    words = [certificate] if (certificate := certificate_words(report)) is not None else []
    if found.same:
        words.append(f"{joined(found.same)} confirmed {'every solution' if report.found else 'that there is none'}")
    if found.as_many:
        words.append(f"{joined(found.as_many)} counted as many{' without listing' if lists(report.counter) else ''}")
    if found.part:
        words.append(f"{joined(found.part)} agreed on a sample")
    if report.burnside:
        words.append("Burnside's lemma holds")
    if report.found and report.listed:
        words.append("every solution was re-checked on the geometry")
    return ("in part: " if found.word == PART else "yes, ") + "; ".join(words)


def certificate_words(report: CountReport) -> str | None:
    """Return what is said of the certificate that was checked; None where none was."""
    if not confirmation(report).certified:
        return None
    return CERTIFIED if report.found else NONE_CERTIFIED


def joined(names: Sequence[str]) -> str:
    """Return names as a sentence lists them."""
    return " and ".join(", ".join(names).rsplit(", ", 1)) if len(names) > 1 else "".join(names)
