"""Try one form: impossible and why, or solvable, and perhaps in how many ways."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, Literal

import numpy as np
from rich.text import Text

from puzzlesat.arrays import Rows
from puzzlesat.check.certificate import check_certificate
from puzzlesat.check.rejected import Rejected, TooLarge
from puzzlesat.counting.crosscheck import count
from puzzlesat.counting.report import Report
from puzzlesat.cover.build import Built
from puzzlesat.cover.instance import BuiltInstance, build_instance
from puzzlesat.cover.reduce import reduce
from puzzlesat.errors import ContradictionError, NotSupportedError
from puzzlesat.files import scratch
from puzzlesat.progress import SILENT, Progress
from puzzlesat.proof.case import make_case
from puzzlesat.proof.certify import StoppedError
from puzzlesat.proof.prove import COLOURING, SEARCH, Finding, prove, write_finding
from puzzlesat.proof.prove import SOLVABLE as FOUND_SOLVABLE
from puzzlesat.puzzle.instance import Instance
from puzzlesat.recheck.geometry import make_recheck
from puzzlesat.recheck.twice import read_twice
from puzzlesat.sentences import Sentence
from puzzlesat.solvers.registry import solver
from puzzlesat.solvers.run import Clock, EndedError, Limits, heeding
from puzzlesat.solvers.strategy import (
    AUTO,
    CHECKING_SECONDS,
    COLOURING_SECONDS,
    COLOURING_SHARE,
    FORM_CHECKERS,
    FORM_COUNT_SHARE,
    FORM_JUDGE,
    LISTING,
    MOST_LISTED,
    QUICK,
    TALLY,
    Plan,
)

Decision = Literal["impossible", "solvable", "not decided", "contradiction", "refused"]
MOST_KEPT: Final = 1 << 20
"""Bytes of a certificate that is handed on."""
IMPOSSIBLE: Final = "impossible"
SOLVABLE: Final = "solvable"
NOT_DECIDED: Final = "not decided"
CONTRADICTION: Final = "contradiction"
"""Two ways to decide a form contradict each other."""
REFUSED: Final = "refused"
"""There is something wrong with the form itself, or trying it ends whatever tries it."""


@dataclass(frozen=True)
class Certificate:
    """A certificate that was made."""

    digest: str
    """SHA-256."""
    size: int
    """Bytes."""
    data: bytes | None
    """What is in it, where that is not too much to be handed on."""


@dataclass(frozen=True)
class Trial:
    """What was found out about a form."""

    verdict: Decision
    argument: str | None = None
    sentences: tuple[str, ...] = ()
    solution: tuple[str, ...] = ()
    """A solution, by names of placements."""
    all: int | None = None
    distinct: int | None = None
    agree: bool | None = None
    """Whether a second way of counting confirmed the count."""
    seconds: float = 0.0
    picture: Text | None = None
    """The solution, or what the argument is about, where it was to be drawn."""
    certificate: Certificate | None = None
    """Of what is impossible, where it was to be kept and one can state it."""


Draw = Callable[[Built, Finding], Text | None]
"""Draws a solution, or what an argument is about. Other processes call it as well: it must be a function of a module."""


@dataclass(frozen=True)
class Effort:
    """How much is to be found out, and what it may cost."""

    limits: Limits
    count: bool = False
    """Whether solutions are to be counted."""
    draw: Draw | None = None
    """What draws that which is found; None where nobody looks at it."""
    keep: bool = False
    """Whether a certificate of what is impossible is handed on."""


def try_form(instance: Instance, effort: Effort, proof: Path | None = None) -> Trial:
    """Decide a form; the certificate of a proof that it is impossible is written to ``proof``, where that is given.

    A solution is re-checked on the geometry. What is impossible by a search was searched twice, by programs that do not share the
    way from the puzzle to its placements, and the certificate of the second is replayed by the checker. Raises KeyboardInterrupt
    when it is told to stop.
    """
    effort = replace(effort, limits=effort.limits.begun())
    clock = Clock(effort.limits)
    told = heeding(SILENT, effort.limits)
    trial = Trial(NOT_DECIDED)
    try:
        built = build_instance(instance, progress=told, memory=effort.limits.memory)
        trial = decide(built, effort, clock, told, proof)
        if effort.count and trial.verdict == SOLVABLE:
            trial = counted(built, trial, effort, clock)
    except EndedError:  # what is known stands
        pass
    except ContradictionError as error:
        trial = Trial(CONTRADICTION, sentences=(str(error),))
    if effort.limits.stop.is_set():
        raise KeyboardInterrupt
    return replace(trial, seconds=round(clock.seconds, 3))


def decide(built: BuiltInstance, effort: Effort, clock: Clock, told: Progress, proof: Path | None = None) -> Trial:
    """Look for a solution where that takes a moment, and else for the reason why there is none."""
    complete, row = first_solution(built, QUICK.limits(clock))
    return refute(built, effort, clock, told, proof, complete=complete) if row is None else _solved(built, row, effort)


def search(built: BuiltInstance, effort: Effort, clock: Clock, told: Progress, proof: Path | None = None) -> Trial:
    """Look for a solution until the time is up, also by chance where the limits have a seed; and for a reason, if a search finds none."""
    complete, row = first_solution(built, clock.rest())
    if row is not None:
        return _solved(built, row, effort)
    return refute(built, effort, clock, told, proof, complete=True) if complete else Trial(NOT_DECIDED)


def refute(built: BuiltInstance, effort: Effort, clock: Clock, told: Progress, proof: Path | None, *, complete: bool) -> Trial:
    """Look for the reason why there is no solution, and let the checker say that it is one; a search for it may find a solution.

    ``complete`` says that a backtracker has gone through everything, and found none. Where there is no solution, the puzzle is read twice:
    nobody else would miss a placement that was not laid.
    """
    trial = _refuted(built, effort, clock, told, proof, complete=complete)
    if trial.verdict == IMPOSSIBLE and (wrong := read_twice(built, told).differences):
        raise ContradictionError(f"the second reader reads another puzzle: {wrong[0]}")
    return trial


def _refuted(built: BuiltInstance, effort: Effort, clock: Clock, told: Progress, proof: Path | None, *, complete: bool) -> Trial:
    """The reason why there is no solution, or a solution, or neither."""
    try:
        case = make_case(built, told)
    except NotSupportedError as error:
        return _searched(built, effort, clock, str(error))
    left = clock.left
    try:
        with scratch() as tree, ExitStack() as at_end:
            colouring = COLOURING_SECONDS if left is None else min(COLOURING_SECONDS, COLOURING_SHARE * left)
            finding = prove(case, replace(effort.limits, seconds=left), progress=told, tree=tree, colouring_seconds=colouring)
            if finding.argument == FOUND_SOLVABLE:
                if complete:
                    raise ContradictionError(f"the backtracker finds no solution, but there is {_names(built, finding.solution)}")
                return _solved(built, finding.solution, effort)
            kept = None
            if finding.argument == SEARCH or proof is not None or effort.keep:
                path = proof or Path(at_end.enter_context(TemporaryDirectory(prefix="puzzlesat-"))) / "form.proof"
                write_finding(case, finding, path, replace(effort.limits, seconds=None))
                if finding.argument == SEARCH or proof is not None:
                    check_certificate(path)
                kept = _certificate(path) if effort.keep else None
    except (StoppedError, TooLarge):
        return Trial(NOT_DECIDED)
    except Rejected as error:
        raise ContradictionError(f"the checker rejects the proof ({finding.argument}) that there is no solution: {error}") from None
    drawn = effort.draw(built, finding) if effort.draw is not None and finding.argument == COLOURING else None
    return Trial(IMPOSSIBLE, finding.argument, finding.sentences, picture=drawn, certificate=kept)


def _certificate(path: Path) -> Certificate:
    size = path.stat().st_size
    with path.open("rb") as file:
        digest = sha256()
        while chunk := file.read(MOST_KEPT):
            digest.update(chunk)
    return Certificate(digest.hexdigest(), size, path.read_bytes() if size <= MOST_KEPT else None)


def _searched(built: Built, effort: Effort, clock: Clock, reason: str) -> Trial:
    """Decide a form that no certificate can state, by two solvers that do not share search code."""
    complete, row = first_solution(built, clock.rest())
    if row is not None:
        return _solved(built, row, effort)
    if not complete:
        return Trial(NOT_DECIDED)
    outcome = solver(FORM_JUDGE)(built.problem)(None, replace(clock.rest(), solutions=1))
    if outcome.found:
        raise ContradictionError("the backtracker finds no solution, but the SAT solver finds one")
    if not outcome.complete:
        return Trial(NOT_DECIDED)
    both = Sentence("The backtracker and a SAT solver searched all cases.")
    return Trial(IMPOSSIBLE, SEARCH, (both, Sentence("There is no certificate: {reason}.", reason=reason)))


def first_solution(built: Built, limits: Limits) -> tuple[bool, tuple[int, ...] | None]:
    """Let the backtracker look for one solution; returns whether it went through everything, and what it found.

    Where it also looks by chance, symmetric copies are left in: they are so many times as many solutions to come upon.
    """
    reduced = reduce(built.problem, symmetry=limits.seed is None).problem
    found: list[Rows] = []
    try:
        outcome = solver(QUICK.solver)(reduced)(found.append, replace(limits, solutions=1))
    except NotSupportedError:
        return False, None
    row = next((row for block in found for row in block), None)
    if row is None:
        return outcome.complete, None
    own = row[row >= 0]
    return False, tuple(sorted((own if reduced.origin is None else reduced.origin[own]).tolist()))


def _solved(built: Built, row: tuple[int, ...], effort: Effort) -> Trial:
    """A solution, if the geometry says so too."""
    if (wrong := make_recheck(built.puzzle, built.placements)(np.array([row or (-1,)], dtype=np.int32))) is not None:
        raise ContradictionError(f"a solution fails the check against the geometry: {wrong}")
    drawn = None if effort.draw is None else effort.draw(built, Finding(FOUND_SOLVABLE, (), solution=row))
    return Trial(SOLVABLE, solution=_names(built, row), picture=drawn)


def _names(built: Built, row: tuple[int, ...]) -> tuple[str, ...]:
    return tuple(built.placements[o].name for o in row)


def counted(built: BuiltInstance, trial: Trial, effort: Effort, clock: Clock) -> Trial:
    """Count the solutions, by the tally and by listing them; where the tally refuses, let other solvers check the list.

    More solutions than can be listed in that time are counted by the tally alone.
    """
    report = count_twice(built, effort.limits, clock)
    if report.agree is False or (report.complete and not report.counts.all):
        found = "; ".join(d.what for d in report.disagreements) or "no solution is counted, though there is one"
        raise ContradictionError(f"the count is contradicted: {found}")
    if not report.complete:
        return trial
    return replace(trial, all=report.counts.all, distinct=report.counts.distinct, agree=report.agree)


def count_twice(built: BuiltInstance, limits: Limits, clock: Clock) -> Report:
    """Return the report on a count in two ways, as far as the time allows."""
    each = limits.within(clock.share(FORM_COUNT_SHARE))
    report = count(built, Plan((AUTO,), budget=0, limits=each))
    if not report.complete and not limits.stop.is_set():  # a list has taken all of that time
        report = count(built, Plan((TALLY,), budget=0, limits=limits))
    if report.complete and not report.listed and (report.counts.all or 0) <= MOST_LISTED and not limits.stop.is_set():
        listed = count(built, Plan((LISTING, TALLY), budget=CHECKING_SECONDS, limits=each))  # the tally was the faster one
        report = listed if listed.complete or listed.agree is False else report
    if report.complete and report.listed and report.agree is None and not limits.stop.is_set():
        budget = CHECKING_SECONDS if clock.left is None else min(CHECKING_SECONDS, clock.left)
        report = count(built, Plan(FORM_CHECKERS, budget=budget, limits=limits))
    return report
