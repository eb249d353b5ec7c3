"""Whole puzzles in the hands of a worker: step after step, as long as that is not too much for one unit; and again by another way."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event
from typing import Any, Final

from puzzlesat.base import SILENT, Clock, ContradictionError, EndedError, Limits, NotSupportedError, PuzzleError
from puzzlesat.checker import Rejected, TooLarge, check_certificate
from puzzlesat.counting import (
    CERTIFICATE,
    MOST_LISTED,
    Judgement,
    Plan,
    Report,
    Verdict,
    count,
    hold,
    report_as_json,
)
from puzzlesat.designing import Effort, Trial, count_twice, decide, refute, search
from puzzlesat.proofs import SEARCH, TALLY, TREE, SearchStoppedError, certify, make_case
from puzzlesat.puzzles import BuiltInstance, ExpectTable
from puzzlesat.solvers import LISTING, SOLVERS, family, solver
from puzzlesat.studies.reviewing import wrong_solution
from puzzlesat.studies.units import (
    AGAIN,
    AUDITS,
    CHECK,
    CONTRADICTION,
    COUNT,
    COUNTS,
    FIRST,
    IMPOSSIBLE,
    JUDGE,
    NOT_DECIDED,
    NOTHING,
    PROOF,
    SOLUTION,
    SOLVABLE,
    THIRD,
    THIRDS,
    UNIT_SECONDS,
    Done,
    Job,
    Loaded,
    Result,
    Step,
    Task,
    known_of,
    left,
    rest_of,
    seconds_of,
    steps_of,
    subject_of,
    task_of,
)

GOES_ON_SECONDS: Final = 10.0
"""After so many CPU seconds the next step is a unit of its own."""
FEW_SOLUTIONS: Final = 3000
"""So many at most are listed again by a SAT solver."""
CERTIFIED_NODES: Final = 4_000_000
CERTIFIED_SECONDS: Final = 5.0
MOST_CERTIFIED: Final = 1 << 20
"""A certificate goes along with a count where the search had no more nodes, and it takes no more time to make, and no more bytes."""
AUDIT_SECONDS: Final = 10.0
"""What each of those gets who count again, but for the last, who has all the time there is."""
NOTHING_EXPECTED: Final = "nothing expected"
STOPPED: Final = "stopped"
_DOMINO = {"D": {"picture": "##"}}
_MORE = {**_DOMINO, "I": {"picture": "###"}, "V": {"picture": "##\n#."}}
SAMPLES: Final[tuple[dict[str, Any], ...]] = (
    {"tiles": _MORE, "form": {"box": [4, 2]}},
    {"tiles": {name: {**tile, "copies": "any"} for name, tile in _DOMINO.items()}, "form": {"box": [4, 3]}},
    {"tiles": {"S": {"picture": ".##\n##.", "copies": 4}}, "form": {"box": [4, 4]}},
)
"""One that is solved, one with many copies, one that is impossible by a search."""


@dataclass
class _StepWork:
    """A unit as it is done."""

    subject: Loaded
    stop: Event
    known: dict[str, Any]
    certificate: bytes | None = None
    solver: str = ""

    def limits(self, step: Step, seconds: float | None) -> Limits:
        return Limits(seconds=seconds, stop=self.stop, memory=step.memory, cores=1, cpu=True).begun()

    def built(self, limits: Limits) -> BuiltInstance:
        return self.subject.built(limits.heeding(SILENT), memory=limits.memory)


def do(subject: Loaded, job: Job, stop: Event) -> Done:
    """Do the steps of a task until all are settled or this unit is long enough; what is left follows.

    Raises PuzzleError with everything that is wrong with the puzzle.
    """
    if job.role != FIRST and job.known is not None:
        return _again(subject, job, stop)
    work = _StepWork(subject, stop, dict(known_of(job.task)))
    steps = left(steps_of(job.task), work.known)
    clock = Clock(Limits(cpu=True))
    follow: list[Task] = []
    begun = dict(work.known)
    while steps:
        try:
            more = _one(work, steps[0])
        except PuzzleError:
            if work.known == begun:
                raise
            break  # what the steps before found out stands; why this one cannot be done is said of the unit that follows
        del steps[0]
        if stop.is_set():
            return Done(work.known, complete=False, solver=work.solver, certificate=work.certificate)
        steps = left(steps, work.known)
        if isinstance(more, Step):
            steps.insert(0, more)
            break
        follow += more
        if follow or clock.seconds >= GOES_ON_SECONDS:
            break
    if steps:
        follow.append(task_of(steps, work.known))
    return Done(work.known, follow, solver=work.solver, certificate=work.certificate)


def _one(work: _StepWork, step: Step) -> Step | list[Task]:
    """Do one step; return what of it is still to be done, as a step or as other tasks."""
    seconds = step.seconds
    try:
        if step.find == PROOF:
            _try(work, step, seconds, decide)
        elif step.find == SOLUTION:
            return _solution(work, step)
        elif step.find == COUNT:
            return _count(work, step)
        else:
            _check(work, step)
    except ContradictionError as error:
        work.known = {**NOTHING, "verdict": CONTRADICTION, "sentences": [str(error)]}
    return []


def _solution(work: _StepWork, step: Step) -> list[Task] | Step:
    """Look for a solution, for no longer than a unit: the next one goes on with another seed."""
    seconds = seconds_of(step) or 0.0
    _try(work, step, seconds, search)
    rest = rest_of(step, seconds) if work.known["verdict"] == NOT_DECIDED else None
    return [] if rest is None else replace(rest, seed=step.seed + 1)


def _count(work: _StepWork, step: Step) -> list[Task]:
    """Count; what cannot be counted in one unit is counted in parts."""
    seconds = seconds_of(step) or 0.0
    report = _report(work, step, seconds, count_twice)
    if report is None or not report.complete:
        rest = None if work.stop.is_set() else rest_of(step, seconds)
        return [] if rest is None else [_in_parts(rest)]
    if report.agree is False:
        raise ContradictionError(f"the count is contradicted: {'; '.join(d.what for d in report.disagreements)}")
    if report.counts.all == 0 and work.known["verdict"] == SOLVABLE:
        raise ContradictionError("no solution is counted, though there is one")
    work.known |= _counted(report)
    work.solver = report.counter
    if report.counts.all and work.certificate is None and report.rows[0].work.get("nodes", CERTIFIED_NODES + 1) <= CERTIFIED_NODES:
        _certify_count(work, step)
    return []


def _certify_count(work: _StepWork, step: Step) -> None:
    """Send along a certificate of a count, where that takes a moment: then nobody need be believed, nor count again."""
    limits = work.limits(step, CERTIFIED_SECONDS)
    told = limits.heeding(SILENT)
    try:
        with TemporaryDirectory(prefix="puzzlesat-") as folder:
            path = Path(folder) / "certificate"
            certify(make_case(work.built(limits), told), path, TREE, limits, told)
            data = path.read_bytes()
    except (NotSupportedError, SearchStoppedError, EndedError):
        return
    if len(data) <= MOST_CERTIFIED:
        work.certificate = data
        work.known["certificate"] = {"digest": sha256(data).hexdigest(), "bytes": len(data)}


Counting = Callable[[BuiltInstance, Limits, Clock], Report]


def _report(work: _StepWork, step: Step, seconds: float | None, way: Counting) -> Report | None:
    """Count in some way within so many seconds; None where they were over before the puzzle was built."""
    limits = work.limits(step, seconds)
    try:
        return way(work.built(limits), limits, Clock(limits))
    except EndedError:
        return None


def _in_parts(step: Step) -> Task:
    """The task to count in parts, for as long as a step may go on."""
    limits = {"most": step.seconds, "memory": step.memory}
    return {"do": "parts", "plan": True, "seconds": UNIT_SECONDS, **{key: limit for key, limit in limits.items() if limit is not None}}


def _counted(report: Report) -> dict[str, Any]:
    """What a complete count says."""
    counts = report.counts
    found: dict[str, Any] = {key: getattr(counts, key) for key in COUNTS}
    found |= {"agree": report.agree, "by": report.counter}
    return found | {"verdict": SOLVABLE if counts.all else IMPOSSIBLE} | ({} if counts.all else {"argument": "count"})


Way = Callable[..., Trial]


def _try(work: _StepWork, step: Step, seconds: float | None, way: Way) -> None:
    """Decide a puzzle in one of the ways of ``trial``, and keep the certificate where it is impossible."""
    limits = work.limits(step, seconds)
    if step.find == SOLUTION:
        limits = replace(limits, seed=step.seed)
    try:
        found = way(work.built(limits), Effort(limits, keep=True), Clock(limits), limits.heeding(SILENT))
    except EndedError:  # while the puzzle was built
        return
    if found.verdict == NOT_DECIDED:
        return
    work.known |= {"verdict": found.verdict, "argument": found.argument, "sentences": [*found.sentences]}
    work.known |= {"solution": [*found.solution] or None}
    if found.verdict == IMPOSSIBLE:
        work.known |= dict.fromkeys(COUNTS, 0)
    if (kept := found.certificate) is not None:
        work.known |= {"certificate": {"digest": kept.digest, "bytes": kept.size}}
        work.certificate = kept.data
    work.solver = work.solver or found.argument or LISTING


def _check(work: _StepWork, step: Step) -> None:
    """Hold the counts against what the instance expects, as ``puzzlesat check`` does."""
    instance = work.subject.instance
    if instance.expect == ExpectTable():
        work.known["check"] = {"status": NOTHING_EXPECTED}
        return
    report = _report(work, step, step.seconds, lambda built, limits, _: hold(built, Plan(limits=limits)))
    if report is None:
        work.known["check"] = {"status": STOPPED}
        return
    if report.complete and report.agree is not False:
        if work.known["all"] not in (None, report.counts.all):
            raise ContradictionError(f"the check counts {report.counts.all}, and {work.known['all']} were counted before")
        work.known |= _counted(report)
    work.known["check"] = judged(report)
    work.solver = work.solver or report.counter


def judged(report: Report) -> dict[str, Any]:
    """Return what a check says of the figures that are expected: a word for all of it, and what it is about."""
    said = report_as_json(report)
    return {"status": _status(report), **{key: said[key] for key in ("sentence", "expected", "refuted", "disagreements")}}


def _status(report: Report) -> str:
    """The word that ``puzzlesat check`` has for a report."""
    if not report.begun:
        return STOPPED
    judgement = Judgement(report)
    if judgement.fails:
        return "failed"
    if not report.finished:
        return STOPPED
    return "refuted" if any(claim.word == Verdict.REFUTED for claim in judgement.refutations) else "ok"


# the same by another way -------------------------------------------------------------------------------------------------------


def _again(subject: Loaded, job: Job, stop: Event) -> Done:
    """Come to what is known in another way than whoever found it out: by another solver, or from the geometry alone."""
    known: Result = {**NOTHING, **(job.known or {})}
    step = Step(CHECK, job.seconds, job.memory)
    work = _StepWork(subject, stop, dict(NOTHING))
    limits = work.limits(step, job.seconds)
    try:
        built = work.built(limits)
        if known["all"]:
            _count_again(work, built, limits, known, job.role)
        elif known["verdict"] == IMPOSSIBLE:
            _refute_again(work, built, limits, known, job.role)
        elif known["solution"]:
            work.known |= {"verdict": SOLVABLE, "solution": known["solution"], "by": "geometry"}
        if known["solution"] and (wrong := wrong_solution(built, known["solution"])) is not None:
            raise ContradictionError(wrong)
    except EndedError:
        pass
    except ContradictionError as error:
        work.known = {**NOTHING, "verdict": CONTRADICTION, "sentences": [str(error)]}
    return Done(work.known, complete=not stop.is_set(), solver=work.known["by"] or "")


def _count_again(work: _StepWork, built: BuiltInstance, limits: Limits, known: Result, role: str) -> None:
    """Count by solvers that share no search code with the one that has counted, or by a certificate that the checker accepts.

    Once more as at first, where others have found the same.
    """
    if role == AGAIN and family(known["by"] or "") in SOLVERS:
        if (report := count(built, Plan((known["by"],), budget=0, limits=limits))).complete:
            work.known |= _counted(report)
        return
    skipped = {family(known["by"] or ""), *((JUDGE,) if known["all"] > FEW_SOLUTIONS else ())}
    ways = [name for name in (THIRDS if role == THIRD else AUDITS) if name not in skipped]
    for name in ways:
        own = (limits if name == ways[-1] else limits.within(AUDIT_SECONDS)).begun()
        if name == CERTIFICATE:
            _count_by_certificate(work, built, own, known)
        elif (report := count(built, Plan((name,), budget=0, limits=own))).complete:
            work.known |= _counted(report)
        if work.known["all"] is not None:
            return


def _count_by_certificate(work: _StepWork, built: BuiltInstance, limits: Limits, known: Result) -> None:
    """Have a certificate of the whole search made, and the checker say what it proves."""
    told = limits.heeding(SILENT)
    try:
        case = make_case(built, told)
        with TemporaryDirectory(prefix="puzzlesat-") as folder:
            path = Path(folder) / "proof"
            certify(case, path, TREE if known["all"] <= MOST_LISTED else TALLY, limits, told)
            counts = check_certificate(path, lambda: told({})).counts
    except (NotSupportedError, SearchStoppedError, EndedError, TooLarge):
        return
    except Rejected as error:
        raise ContradictionError(f"the checker rejects the certificate of the count: {error}") from None
    found = {"labelled": counts.labelled, "all": counts.all, "distinct": counts.distinct}
    work.known |= {"verdict": SOLVABLE if counts.all else IMPOSSIBLE, **found, "by": CERTIFICATE}


def _refute_again(work: _StepWork, built: BuiltInstance, limits: Limits, known: Result, role: str) -> None:
    """Have a SAT solver go through everything, or find an argument anew, from the geometry, and have the checker accept it."""
    clock = Clock(limits)
    if known["argument"] in (SEARCH, COUNT) and role != THIRD:
        with suppress(NotSupportedError):
            outcome = solver(JUDGE)(built.problem)(None, replace(limits.within(AUDIT_SECONDS), solutions=1))
            if outcome.found or outcome.complete:
                number = None if outcome.found else 0
                work.known |= {"verdict": SOLVABLE if outcome.found else IMPOSSIBLE, "by": JUDGE, **dict.fromkeys(COUNTS, number)}
                return
    with TemporaryDirectory(prefix="puzzlesat-") as folder:
        found = refute(built, Effort(limits), clock, limits.heeding(SILENT), Path(folder) / "proof", complete=False)
    if found.verdict == IMPOSSIBLE:
        work.known |= {"argument": found.argument, "by": found.argument, **dict.fromkeys(COUNTS, 0)}
    work.known |= {"verdict": found.verdict, "sentences": [*found.sentences], "solution": [*found.solution] or None}


# compiling -----------------------------------------------------------------------------------------------------------------------


def compile_kernels() -> None:
    """Go through all steps with small puzzles, so that what numba compiles, or loads, is in nobody's seconds."""
    for table in SAMPLES:
        subject = subject_of("sample", {"title": "sample", "grid": "square", "flips": True, **table}, {})
        for find in (PROOF, SOLUTION, COUNT):
            _one(_StepWork(Loaded(subject), Event(), dict(NOTHING)), Step(find))
