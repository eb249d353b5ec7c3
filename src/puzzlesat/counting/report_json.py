"""A report as the JSON object that docs/json.md describes, for whoever hands it on: commands, pages, programs.

The line on an instance whose counts were checked: as plain data, for whoever prints it, here or elsewhere.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from puzzlesat.counting.cover_problem import PuzzlelessReport
from puzzlesat.counting.evidence import FIGURES, certificate_words, confirmation, first_sentence
from puzzlesat.counting.plain_facts import Refusal, refusals
from puzzlesat.counting.report import NOT_COUNTED, Report, Row, Sample
from puzzlesat.counting.second_reading import SecondReading
from puzzlesat.counting.verdict import CONFIRMED, ELSEWHERE, REFUTED, Refutation, Verdict, fails, refutations, verdicts
from puzzlesat.counting.words import refutation_words, verdict_words


def report_as_json(report: Report) -> dict[str, Any]:
    """Return the report as the documented JSON object. What is not known is None."""
    instance, counts = report.instance, report.counts
    begun = report if report.begun else None
    return {
        "instance": instance.name,
        "sentence": first_sentence(report),
        "confirmed": confirmation(report).word,
        "read_twice": None if report.twice is None else _reading_as_json(report.twice),
        "certificate": certificate_words(report),
        "proved_sound": proved_sound(report),
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
        "expected": [verdict_as_json(v) for v in (verdicts(begun) if begun else ())],
        "refuted": [refutation_as_json(r) for r in (refutations(begun) if begun else ())],
        "published": instance.expect.published or None,
        "source": instance.credit or None,
        "rules": instance.puzzle.solutions.in_words(),
        "disagreements": [asdict(d) for d in report.disagreements],
    }


def _reading_as_json(twice: SecondReading) -> dict[str, Any]:
    """What the second reader says."""
    return {
        "alike": twice.alike,
        "differences": list(twice.differences),
        "once": list(twice.once),
        "why": twice.why,
        "after": _rounded(twice.after),
    }


def proved_sound(report: Report) -> dict[str, bool]:
    """Return for each count that a certificate claims whether the program has proved it whose soundness is proved."""
    proved = confirmation(report).proved_sound
    return {name: name in proved for name in FIGURES}


def puzzleless_as_json(report: PuzzlelessReport) -> dict[str, Any]:
    """Return the report on a cover problem without a puzzle as the documented JSON object."""
    problem = report.problem
    return {
        "cover": report.name,
        "sentence": first_sentence(report),
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
    """What one solver did."""
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


def verdict_as_json(verdict: Verdict) -> dict[str, Any]:
    """Return an expected figure and what became of it as a plain dictionary."""
    return {
        "what": verdict.what,
        "expected": verdict.expected,
        "got": verdict.got,
        "verdict": verdict.word,
        "convention": _convention(verdict),
    }


def refutation_as_json(refutation: Refutation) -> dict[str, Any]:
    """Return a published count that an instance refutes and what became of it as a plain dictionary."""
    return {
        **refutation.claim.model_dump(),
        "got": refutation.got,
        "at_least": refutation.at_least,
        "counted_by": list(refutation.counted_by),
        "verdict": refutation.word,
        "convention": _convention(refutation),
    }


def _convention(judged: Verdict | Refutation) -> str | None:
    """The convention in which a figure is right that is not right in its own."""
    return None if judged.convention is None else judged.convention.words


def _sample(sample: Sample) -> dict[str, int]:
    return {"checked": sample.checked, "of": sample.of, "solutions": sample.found}


def _refusal_as_json(refusal: Refusal) -> dict[str, object]:
    return {"symmetries": refusal.symmetries, "condition": refusal.condition, "sentence": refusal.sentence}


OK, REFUTES, FAILS, STOPPED = "ok", "refuted", "FAILED", "stopped"
STYLES = {OK: "green", REFUTES: "magenta", FAILS: "bold red", STOPPED: "yellow"}
WIDTH = 7


@dataclass(frozen=True)
class Checked:
    """What is said of a check."""

    word: str
    """For all of it: ``ok``, ``refuted``, ``FAILED`` or ``stopped``."""
    line: tuple[tuple[str, str], ...]
    """Pieces of the line on the instance, each with its style."""
    claims: tuple[str, ...] = ()
    """Published figures that it refutes."""

    @property
    def failed(self) -> bool:
        """Whether the check failed."""
        return self.word == FAILS

    @property
    def complete(self) -> bool:
        """Whether it searched everything."""
        return self.word != STOPPED


def is_complete(report: Report) -> bool:
    """Tell whether everything was gone through that was to be counted and checked."""
    if report.status == NOT_COUNTED:
        return True
    unfinished = report.plan.full and any(row.sampled is not None for row in report.rows)  # everything was to be checked
    return report.complete and not report.interrupted and not unfinished


def checked(report: Report) -> Checked:
    """Return what is said of a check, by the report on its count."""
    name = (f"  {report.instance.name}", "bold")
    if not report.begun:
        return Checked(STOPPED, ((STOPPED, STYLES[STOPPED]), name, (f"  {first_sentence(report)}", "")))
    judged, claims = verdicts(report), refutations(report)
    word = FAILS if fails(report) else OK if is_complete(report) else STOPPED
    if word == OK and any(c.word == REFUTED for c in claims):
        word = REFUTES
    bad = [verdict_words(v) for v in judged if v.fails] + [d.what for d in report.disagreements]
    bad += [refutation_words(c) for c in claims if c.fails]
    right = [_said(v) for v in judged if v.word == CONFIRMED and isinstance(v.got, int) and "placements" not in v.what]
    good = ", ".join(right + [verdict_words(v) for v in judged if v.word == ELSEWHERE])
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
        (f"  {first_sentence(report)}", ""),
        ("".join(f"; {said}" for said in bad or [good] if said), ""),
        (f"  [{by}; {sum(r.seconds for r in report.rows):.1f} s]" if report.rows else "", "dim"),
    )
    return Checked(word, line, tuple(refutation_words(claim) for claim in claims if not claim.fails))


def _said(right: Verdict) -> str:
    return right.what if right.got is True else f"{right.what} {right.got:,}"


def _said_by(solver: str, *, whole: bool, checked: int, of: int) -> str:
    return solver if whole else f"{solver} {checked}/{of}" if of else f"{solver} not finished"
