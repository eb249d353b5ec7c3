"""Convert a report to the JSON object that docs/json.md describes, and to the line of a check of an instance."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, ClassVar

from puzzlesat.counting.cover_problem import CoverReport
from puzzlesat.counting.evidence import confirmation
from puzzlesat.counting.plain_facts import Refusal, refusals
from puzzlesat.counting.report import Report, Row, Sample
from puzzlesat.counting.second_reading import SecondReading
from puzzlesat.counting.verdict import Judgement, Verdict


def report_as_json(report: Report | CoverReport) -> dict[str, Any]:
    """Return the report as the documented JSON object. Unknown values are None."""
    return _cover_as_json(report) if isinstance(report, CoverReport) else _puzzle_as_json(report)


def _puzzle_as_json(report: Report) -> dict[str, Any]:
    instance, counts, confirmed = report.instance, report.counts, confirmation(report)
    begun = report if report.begun else None
    return {
        "instance": instance.name,
        "sentence": report.sentence,
        "confirmed": confirmed.word,
        "read_twice": None if report.twice is None else _reading_as_json(report.twice),
        "certificate": confirmed.certificate,
        "proved_sound": confirmed.sound,
        "complete": report.complete,
        "why": report.why,
        "status": report.status,
        "found": report.found,
        "agree": report.agree,
        "counts": asdict(counts),
        "witnesses": {name: list(by) for name, by in report.witnesses.items()},
        "placements": {
            "all": begun and begun.reduced.placements,
            "after_symmetry": begun and begun.reduced.after_symmetry,
            "after_reduction": begun and begun.reduced.after_reduction,
        },
        "broken_on": begun and begun.reduced.broken_on,
        "symmetries": begun and list(begun.built.problem.symmetries),
        "refused_symmetries": begun and [_refusal_as_json(refusal) for refusal in refusals(begun.built)],
        "solvers": [_row_as_json(row) for row in report.rows],
        "expected": [v.as_json() for v in (Judgement(begun).verdicts if begun else ())],
        "refuted": [r.as_json() for r in (Judgement(begun).refutations if begun else ())],
        "published": instance.expect.published or None,
        "source": instance.credit or None,
        "rules": instance.puzzle.solutions.in_words(),
        "disagreements": [asdict(d) for d in report.disagreements],
    }


def _reading_as_json(twice: SecondReading) -> dict[str, Any]:
    return {
        "alike": twice.alike,
        "differences": list(twice.differences),
        "once": list(twice.once),
        "why": twice.why,
        "after": _rounded(twice.after),
    }


def _cover_as_json(report: CoverReport) -> dict[str, Any]:
    problem = report.cover.problem
    return {
        "cover": report.name,
        "sentence": report.sentence,
        "confirmed": confirmation(report).word,
        "complete": report.complete,
        "why": report.why,
        "status": report.status,
        "found": report.found,
        "agree": report.agree,
        "options": problem.size,
        "items": len(problem.items),
        "conditions": len(problem.conditions),
        "solvers": [_row_as_json(row) for row in report.rows],
        "disagreements": [asdict(d) for d in report.disagreements],
    }


def _row_as_json(row: Row) -> dict[str, Any]:
    return {
        "solver": row.solver,
        "all": row.all,
        "complete": row.status == "complete",
        "status": row.status,
        "sampled": None if row.sampled is None else _sample(row.sampled),
        "seconds": round(row.seconds, 3),
        "after": _rounded(row.after),
        "work": dict(row.work),
        "refusal": row.refusal,
        "independent": row.independent,
    }


def _rounded(seconds: float | None) -> float | None:
    return None if seconds is None else round(seconds, 3)


def _sample(sample: Sample) -> dict[str, int]:
    return {"checked": sample.checked, "of": sample.of, "solutions": sample.found}


def _refusal_as_json(refusal: Refusal) -> dict[str, object]:
    return {"symmetries": refusal.symmetries, "condition": refusal.condition, "sentence": refusal.sentence}


STYLES = {"ok": "green", "refuted": "magenta", "FAILED": "bold red", "stopped": "yellow"}
WIDTH = 7


@dataclass(frozen=True)
class Checked:
    """The result of the check of an instance against its expected figures."""

    OK: ClassVar = "ok"
    REFUTES: ClassVar = "refuted"
    FAILS: ClassVar = "FAILED"
    STOPPED: ClassVar = "stopped"
    WORDS: ClassVar = (OK, REFUTES, FAILS, STOPPED)

    word: str
    """``ok``, ``refuted``, ``FAILED`` or ``stopped``."""
    line: tuple[tuple[str, str], ...]
    """The parts of the line on the instance, each with its style."""
    claims: tuple[str, ...] = ()
    """Sentences on the published figures that the instance refutes."""

    @property
    def failed(self) -> bool:
        """True if the check failed."""
        return self.word == self.FAILS

    @property
    def complete(self) -> bool:
        """True if the check came to its end."""
        return self.word != self.STOPPED


def checked(report: Report) -> Checked:
    """Return the result of the check of an instance, from the report of its count."""
    name = (f"  {report.instance.name}", "bold")
    if not report.begun:
        return Checked(Checked.STOPPED, ((Checked.STOPPED, STYLES[Checked.STOPPED]), name, (f"  {report.sentence}", "")))
    judgement = Judgement(report)
    judged, claims = judgement.verdicts, judgement.refutations
    word = Checked.FAILS if judgement.fails else Checked.OK if report.finished else Checked.STOPPED
    if word == Checked.OK and any(c.word == Verdict.REFUTED for c in claims):
        word = Checked.REFUTES
    bad = [v.words for v in judged if v.fails] + [d.what for d in report.disagreements]
    bad += [c.words for c in claims if c.fails]
    right = [_said(v) for v in judged if v.word == Verdict.CONFIRMED and isinstance(v.got, int) and "placements" not in v.what]
    good = ", ".join(right + [v.words for v in judged if v.word == Verdict.ELSEWHERE])
    by = ", ".join(
        _said_by(
            row.solver,
            whole=row.all is not None,
            checked=row.sampled.checked if row.sampled else 0,
            of=row.sampled.of if row.sampled else 0,
        )
        for row in report.rows
    )
    line = (
        (f"{word:<{WIDTH}}", STYLES[word]),
        name,
        (f"  {report.sentence}", ""),
        ("".join(f"; {said}" for said in bad or [good] if said), ""),
        (f"  [{by}; {sum(r.seconds for r in report.rows):.1f} s]" if report.rows else "", "dim"),
    )
    return Checked(word, line, tuple(claim.words for claim in claims if not claim.fails))


def _said(right: Verdict) -> str:
    return right.what if right.got is True else f"{right.what} {right.got:,}"


def _said_by(solver: str, *, whole: bool, checked: int, of: int) -> str:
    return solver if whole else f"{solver} {checked}/{of}" if of else f"{solver} not finished"
