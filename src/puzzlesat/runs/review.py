"""All evidence of a store once more, by whoever has the file alone: the chain, every solution and certificate, who found what alike."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from puzzlesat.progress import SILENT, Progress
from puzzlesat.runs.evidence import has_evidence, look_at
from puzzlesat.runs.faults import chain_faults, faults_of
from puzzlesat.runs.store import Reader, Stored
from puzzlesat.runs.stored import wrong_parts
from puzzlesat.runs.trust import Trust, trust_as_json, trust_of


@dataclass(frozen=True)
class Review:
    """What was looked at, and what is wrong."""

    answers: int
    """Answers in the chain."""
    solutions: int
    """Answers whose solution was held against the geometry."""
    certificates: int
    """Answers whose certificate the checker was given."""
    by: tuple[str, ...]
    """Who looked at evidence."""
    wrong: tuple[str, ...]
    """What is wrong, in sentences."""
    trust: Trust
    """How sure all of it is."""


def review(store: Reader, progress: Progress = SILENT) -> Review:
    """Go through all evidence of a store. What a store notes of evidence that was checked before is believed nowhere."""
    wrong = chain_faults(store)
    looked: Counter[str] = Counter()
    by: dict[str, None] = {}
    for number, subject in store.subjects():
        wrong += [f"{subject.name}: {said}" for said in (*faults_of(store, number), *wrong_parts(store, number))]
        for answer in _with_evidence(store, number):
            progress.of("checking the evidence again")({"answers": looked["answers"]})
            looked.update({"answers": 1, "solutions": bool(answer.result.get("solution")), "certificates": answer.certificate is not None})
            certificate = None if answer.certificate is None else store.certificate(answer.certificate)
            seen = look_at(subject, answer.result, certificate)
            by |= dict.fromkeys(seen.by)
            if seen.wrong is not None:
                wrong.append(f"{subject.name}, unit {answer.unit:,}: {seen.wrong}")
            elif answer.shown and not seen.covers(answer.result):
                wrong.append(f"{subject.name}, unit {answer.unit:,}: its evidence does not show what it says")
    answers = store.connection.execute("SELECT count(*) FROM answers WHERE error IS NULL").fetchone()[0]
    return Review(answers, looked["solutions"], looked["certificates"], tuple(by), tuple(wrong), trust_of(store))


def _with_evidence(store: Reader, subject: int) -> Iterator[Stored]:
    """The answers to a puzzle that came with evidence."""
    for _, answers in store.units_with_answers(subject):
        for answer in answers:
            if answer.error is None and has_evidence(answer.result, b"" if answer.certificate else None):
                yield answer


def review_as_json(seen: Review) -> dict[str, Any]:
    """Return the same as the JSON object that docs/json.md describes."""
    return {**vars(seen), "by": list(seen.by), "wrong": list(seen.wrong), "trust": trust_as_json(seen.trust)}
