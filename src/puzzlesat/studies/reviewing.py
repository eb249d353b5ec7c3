"""All evidence of a store once more, by whoever has the file alone: the chain, every solution and certificate, who found what alike.

Evidence that comes with an answer, held against the puzzle by whoever received it: nobody's word about itself counts.

A solution is held against the geometry. A certificate must state the very puzzle, and the checker must accept it; so must the one whose
soundness is proved, where it is there. What evidence shows needs nobody else's word. What it refutes is no answer.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import numpy as np

from puzzlesat.base import SILENT, EndedError, NotSupportedError, Progress, PuzzleError, write_file
from puzzlesat.checker import Rejected, TooLarge, check_certificate
from puzzlesat.counting import turns_again
from puzzlesat.proofs import check_by_proof, check_states, program
from puzzlesat.puzzles import BuiltInstance, make_recheck
from puzzlesat.studies.audit import Evidence
from puzzlesat.studies.opening import chain_faults, faults_of
from puzzlesat.studies.store import Reader, Stored
from puzzlesat.studies.stored import wrong_parts
from puzzlesat.studies.trust import Trust, trust_of
from puzzlesat.studies.units import COUNTS, IMPOSSIBLE, SOLVABLE, Loaded, Subject, loaded

GEOMETRY: Final = "geometry"
CHECKER: Final = "checker"
PROVED: Final = "checker proved sound"
"""Who looked at evidence."""


def has_evidence(result: Mapping[str, Any], certificate: bytes | None) -> bool:
    """Tell whether an answer comes with something to look at."""
    return certificate is not None or bool(result.get("solution"))


def look_at_all(answers: Iterable[tuple[Subject, Mapping[str, Any], bytes | None]]) -> list[Evidence]:
    """Look at the evidence of some answers, each with its puzzle."""
    return [look_at(subject, result, certificate) for subject, result, certificate in answers]


def look_at(subject: Subject, result: Mapping[str, Any], certificate: bytes | None) -> Evidence:
    """Look at the evidence that comes with an answer to a puzzle.

    Raises PuzzleError where the puzzle itself is wrong.
    """
    puzzle = loaded(subject)
    shows: list[str] = []
    by: list[str] = []
    names = result.get("solution")
    if names:
        if not (isinstance(names, list) and all(isinstance(name, str) for name in names)):
            return Evidence(wrong="its solution is not a list of names")
        if result.get("verdict") != SOLVABLE:
            return Evidence(wrong="it has a solution, but its verdict is not solvable")
        if (wrong := wrong_solution(puzzle.built(), names)) is not None:
            return Evidence(wrong=f"its solution is wrong: {wrong}")
        shows, by = ["verdict"], [GEOMETRY]
    if certificate is not None:
        seen = _certified(puzzle, result, certificate)
        if seen.wrong is not None:
            return seen
        shows, by = [*shows, *seen.shows], [*by, *seen.by]
    return Evidence(tuple(dict.fromkeys(shows)), tuple(by))


def wrong_solution(built: BuiltInstance, names: Sequence[str]) -> str | None:
    """Return what the geometry has against a solution, by its names; None where it is one."""
    try:
        row = sorted(built.numbers("solution", names))
    except PuzzleError as error:
        return error.problems[0]
    return make_recheck(built.puzzle, built.placements)(np.array([row or [-1]], dtype=np.int32))


def _certified(puzzle: Loaded, result: Mapping[str, Any], certificate: bytes) -> Evidence:
    """What a certificate shows, or refutes."""
    name = puzzle.subject.name
    with TemporaryDirectory(prefix="puzzlesat-") as folder:
        path = Path(folder) / "certificate"
        write_file(path, certificate)
        try:
            check_states(path, puzzle.instance, name)
            counts = asdict(check_certificate(path).counts)
            by = [CHECKER]
            if (checker := program()) is not None:
                by += _by_proof(path, checker, counts)
        except TooLarge:
            return Evidence()
        except Rejected as error:
            return Evidence(wrong=f"its certificate is rejected: {error}")
        except (NotSupportedError, EndedError):
            return Evidence()
    known = {key: value for key, value in counts.items() if value is not None}
    if not known.get("all"):
        known |= dict.fromkeys(COUNTS, 0)
    elif known.get("labelled") is not None:
        known |= _labelled(puzzle.built(), known)
    said = {key: result.get(key) for key in COUNTS if result.get(key) is not None}
    said |= {"all": 0} if result.get("verdict") == IMPOSSIBLE else {}
    for key in said.keys() & known.keys():
        if said[key] != known[key]:
            return Evidence(wrong=f"its certificate proves that {key} is {known[key]:,}, and it says {said[key]:,}")
    if result.get("verdict") == SOLVABLE and not known["all"]:
        return Evidence(wrong="its certificate proves that there is no solution, but it says that there is one")
    return Evidence(("verdict", *known), tuple(by))


def _labelled(built: BuiltInstance, known: Mapping[str, int]) -> dict[str, int]:
    """The counts of labelled answers that follow from those that are proved, as far as they do."""
    turns = turns_again(built)
    found = {} if turns is None else {"labelled_turns": known["labelled"] * turns}
    return found | ({"labelled_distinct": known["distinct"]} if known["labelled"] == known["all"] and "distinct" in known else {})


def _by_proof(path: Path, checker: Path, counts: Mapping[str, int | None]) -> list[str]:
    """Let the checker look whose soundness is proved. Raises Rejected where it rejects a certificate, or proves something else."""
    try:
        proved = asdict(check_by_proof(path, checker).counts)
    except (EndedError, PuzzleError):
        return []
    if any(proved[key] is not None and counts[key] is not None and proved[key] != counts[key] for key in counts):
        raise Rejected("the checker that is proved sound proves other counts")
    return [PROVED]


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

    @property
    def record(self) -> dict[str, Any]:
        """The same as the JSON object that docs/json.md describes."""
        return {**vars(self), "by": list(self.by), "wrong": list(self.wrong), "trust": self.trust.record}


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
