"""A report as the JSON object that docs/json.md describes, for whoever hands it on: commands, pages, programs."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from puzzlesat.counting.confirmation import FIGURES, certificate_words, confirmation, first_sentence
from puzzlesat.counting.facts import Refusal, refusals
from puzzlesat.counting.puzzleless import PuzzlelessReport
from puzzlesat.counting.report import Report, Row, Sample
from puzzlesat.counting.verdict import Refutation, Verdict, refutations, verdicts
from puzzlesat.puzzle.solution_rules import in_words
from puzzlesat.recheck.twice import SecondReading
from puzzlesat.solvers.run import COMPLETE


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
        "rules": in_words(instance.puzzle.solutions),
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
        "complete": row.status == COMPLETE,
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
