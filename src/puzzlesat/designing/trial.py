"""Trials of candidate forms: whether each is impossible and why, or solvable, and perhaps in how many ways.

The result of a form is plain data, a line of JSON in a file of results. ``FormTrials`` has the forms for one set of tiles, the results that
the file has, and the forms that are left.
"""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, fields, replace
from functools import partial
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event
from typing import Any, Final, Literal

import numpy as np
from rich.text import Text

from puzzlesat.base import (
    SILENT,
    ChildEndedError,
    Clock,
    ContradictionError,
    EndedError,
    Limits,
    NoMemoryError,
    NotSupportedError,
    Progress,
    PuzzleError,
    PuzzleWarning,
    Rows,
    Sentence,
    check_output,
    dealt,
    listed,
    many,
    scratch,
)
from puzzlesat.checker import Rejected, TooLarge, check_certificate
from puzzlesat.counting import AUTO, CHECKING_SECONDS, MOST_LISTED, Plan, Record, Report, Results, count, read_twice
from puzzlesat.designing.generate import Candidate
from puzzlesat.designing.tile_set import Kit, kit_stated, load_kit, refs
from puzzlesat.proofs import (
    COLOURING,
    SEARCH,
    FoundArgument,
    SearchStoppedError,
    colouring_limit,
    make_case,
    prove,
    solution_check,
    write_finding,
)
from puzzlesat.proofs import SOLVABLE as FOUND_SOLVABLE
from puzzlesat.puzzles import AtomId, BuiltInstance, Grid, Instance, Puzzle, build_instance, draw_picture, reduce
from puzzlesat.solvers import LISTING, QUICK, TALLY, solver

FORM_COUNT_SHARE = 0.5
"""Share of the time left of a form for each of the two ways of counting."""
FORM_JUDGE = "sat"
"""The solver that repeats a search without a solution where no certificate can state the puzzle."""
FORM_CHECKERS = (LISTING, "sat", "cpsat")
"""The solvers that count a form which the tally refuses, so that nothing else confirms the list."""

Verdict = Literal["impossible", "solvable", "not decided", "contradiction", "refused"]
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
class TrialCertificate:
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

    verdict: Verdict
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
    certificate: TrialCertificate | None = None
    """Of what is impossible, where it was to be kept and one can state it."""


Draw = Callable[[BuiltInstance, FoundArgument], Text | None]
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
    told = effort.limits.heeding(SILENT)
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
            finding = prove(case, replace(effort.limits, seconds=left), progress=told, tree=tree, colouring_seconds=colouring_limit(left))
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
    except (SearchStoppedError, TooLarge):
        return Trial(NOT_DECIDED)
    except Rejected as error:
        raise ContradictionError(f"the checker rejects the proof ({finding.argument}) that there is no solution: {error}") from None
    drawn = effort.draw(built, finding) if effort.draw is not None and finding.argument == COLOURING else None
    return Trial(IMPOSSIBLE, finding.argument, finding.sentences, picture=drawn, certificate=kept)


def _certificate(path: Path) -> TrialCertificate:
    size = path.stat().st_size
    with path.open("rb") as file:
        digest = sha256()
        while chunk := file.read(MOST_KEPT):
            digest.update(chunk)
    return TrialCertificate(digest.hexdigest(), size, path.read_bytes() if size <= MOST_KEPT else None)


def _searched(built: BuiltInstance, effort: Effort, clock: Clock, reason: str) -> Trial:
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


def first_solution(built: BuiltInstance, limits: Limits) -> tuple[bool, tuple[int, ...] | None]:
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


def _solved(built: BuiltInstance, row: tuple[int, ...], effort: Effort) -> Trial:
    """A solution, if the geometry says so too."""
    if (wrong := solution_check(built)(np.array([row or (-1,)], dtype=np.int32))) is not None:
        raise ContradictionError(f"a solution fails the check against the geometry: {wrong}")
    drawn = None if effort.draw is None else effort.draw(built, FoundArgument(FOUND_SOLVABLE, (), solution=row))
    return Trial(SOLVABLE, solution=_names(built, row), picture=drawn)


def _names(built: BuiltInstance, row: tuple[int, ...]) -> tuple[str, ...]:
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


@dataclass(frozen=True)
class FormTask:
    """A form to be tried."""

    candidate: Candidate
    proof: Path | None = None
    """The file for the certificate of a proof that it is impossible."""

    @property
    def key(self) -> str:
        """What stands for the form in the file of results."""
        return self.candidate.key

    def attempt(self, kit: Kit, effort: Effort) -> tuple[Record, Text | None] | None:
        """Try the form, and return a record and what was drawn of it; None where that was interrupted."""
        instance = self._instance(kit)
        try:
            trial = try_form(instance, effort, self.proof)
        except PuzzleError as error:
            trial = Trial(REFUSED, sentences=error.problems)
        except (MemoryError, RuntimeError) as error:  # the next form may need less
            if not NoMemoryError.is_behind(error):
                raise
            trial = Trial(REFUSED, sentences=("there was not enough memory",))
        except KeyboardInterrupt:
            return None
        return _record(self, instance.puzzle, trial, effort), trial.picture

    def refused(self, kit: Kit, effort: Effort, *sentences: str) -> Record:
        """Return the record of a form of which nothing could be found out, with the reasons."""
        return _record(self, self._instance(kit).puzzle, Trial(REFUSED, sentences=sentences), effort)

    def _instance(self, kit: Kit) -> Instance:
        own = self.candidate
        return kit.to_fill(own.name, own.table, path=own.path, without=own.without)


@dataclass(frozen=True)
class Order:
    """What is asked of all forms: plain data, for other processes too."""

    model: str
    some: bool
    count: bool
    problem: int | str | None = None
    """Which puzzle of the file that has the tiles."""
    limits: Limits = field(default_factory=Limits, compare=False)
    """Of each form."""
    stated: str | None = None
    """The tiles themselves, as ``Kit.stated``, where no file says them; ``model`` then is a file beside those that they name."""

    def kit(self) -> Kit:
        """Load the tiles."""
        if self.stated is not None:
            return kit_stated(self.stated, self.model, some=self.some)
        return load_kit(self.model, some=self.some, problem=self.problem)

    def effort(self, stop: Event, draw: Draw | None, cores: int | None = None) -> Effort:
        """Return what a form may cost."""
        return Effort(replace(self.limits, stop=stop, cores=cores), self.count, draw)

    def is_done(self, task: FormTask, record: Record | None) -> bool:
        """Tell whether a record answers what is asked; one that ran out of time does not if there is more time now."""
        if record is None or record["verdict"] in (CONTRADICTION, REFUSED):
            return False
        seconds = self.limits.seconds
        longer = record["time"] is not None and (seconds is None or seconds > record["time"])
        if record["verdict"] == NOT_DECIDED:
            return not longer
        if record["verdict"] == IMPOSSIBLE:
            return task.proof is None or task.proof.is_file()
        return not self.count or record["all"] is not None or (record["count"] and not longer)


@dataclass(frozen=True, kw_only=True)
class FormFound:
    """What is known of one form. The attributes are the keys of a line of ``puzzlesat forms --json``; ``record`` is that line."""

    form: str
    """Its name."""
    key: str
    """A text that is the same only for the same form, and the same tile left out."""
    area: int
    """How many faces must be covered."""
    without: str | None
    """The tile of which one copy is left out, if ``replicas`` made the form."""
    verdict: Verdict
    """``impossible``, ``solvable``, ``not decided``, ``refused`` (something is wrong with the form) or ``contradiction``."""
    argument: str | None
    """Why it is impossible: ``area``, ``nothing fits``, ``condition``, ``colouring`` or ``search``."""
    sentences: tuple[str, ...]
    """The argument in words, or what is wrong with the form."""
    solution: tuple[str, ...] | None
    """The names of the placements of one solution, if one was found."""
    all: int | None
    """The number of all solutions, if they were counted."""
    distinct: int | None
    """The number of solutions up to symmetry, if they were counted."""
    agree: bool | None
    """True if a second way of counting confirmed the number; else None."""
    certificate: str | None
    """The file of the certificate, if one was written."""
    seconds: float
    """How long the work on this form took."""
    time: float | None
    """The limit in seconds."""
    count: bool
    """Whether its solutions were to be counted."""
    picture: str
    """The form as a text picture."""
    atoms: tuple[tuple[int | str, ...], ...]
    """The form as ``form.atoms`` of an instance lists it."""
    complete: bool
    """Whether everything is known that you asked of the form."""
    why: str | None
    """Why not, in a sentence; None if it is complete."""

    @classmethod
    def from_record(cls, record: Record) -> FormFound:
        """Return what a line of JSON says; a key that the line lacks is None."""
        return cls(**{key.name: _fixed(record.get(key.name)) for key in fields(cls)})

    @property
    def record(self) -> Record:
        """The same as a JSON object."""
        return {key.name: _plain(getattr(self, key.name)) for key in fields(self)}


def _fixed(value: Any) -> Any:
    """Lists as tuples."""
    return tuple(map(_fixed, value)) if isinstance(value, list) else value


def _plain(value: Any) -> Any:
    """Tuples as lists."""
    return list(map(_plain, value)) if isinstance(value, tuple) else value


def in_short(records: Sequence[Record], total: int) -> str:
    """Return in a sentence what became of so many forms."""
    by_verdict = Counter(record["verdict"] for record in records)
    arguments = Counter(record["argument"] for record in records if record["verdict"] == IMPOSSIBLE)
    words = [f"{by_verdict[SOLVABLE]:,} solvable"]
    if arguments:
        words.append(f"{by_verdict[IMPOSSIBLE]:,} impossible ({', '.join(f'{n:,} {a}' for a, n in arguments.most_common())})")
    words += [f"{by_verdict[v]:,} {v}" for v in (NOT_DECIDED, REFUSED, CONTRADICTION) if by_verdict[v]]
    words += [f"{total - len(records):,} not tried"] if len(records) < total else []
    return f"{many(total, 'form')}: {'; '.join(words)}"


def why_open(record: Record, *, count: bool) -> str | None:
    """Return why what was asked of a form is not known, in a sentence; None where it is. ``count``: its solutions were to be counted."""
    time = "the time available" if record["time"] is None else f"{record['time']:g} s"
    if record["verdict"] == NOT_DECIDED:
        return f"not decided in {time}"
    if record["verdict"] in (REFUSED, CONTRADICTION):
        return "; ".join(record["sentences"])
    return f"not counted in {time}" if count and record["verdict"] == SOLVABLE and record["all"] is None else None


def run(
    tasks: Sequence[FormTask], order: Order, kit: Kit, stop: Event, *, draw: Draw | None = None
) -> Iterator[tuple[Record, Text | None]]:
    """Yield a record, and what ``draw`` makes of it, for each form as soon as it is decided in this process, until ``stop`` is set."""
    compiled = False
    for task in tasks:
        effort = order.effort(stop, draw)
        found = None if stop.is_set() else task.attempt(kit, effort)
        if not compiled and found is not None and _ran_out(found[0]):
            # the first time after an installation, compiling may have taken all the time available, for the first form that needs it
            compiled = True
            found = task.attempt(kit, effort)
        if found is None:
            return
        yield found


def _record(task: FormTask, puzzle: Puzzle, trial: Trial, effort: Effort) -> Record:
    faces = _faces(puzzle)
    return {
        "form": task.candidate.name,
        "key": task.key,
        "area": sum(a in faces for a in puzzle.form.required),
        "without": task.candidate.without,
        "verdict": trial.verdict,
        "argument": trial.argument,
        "sentences": list(trial.sentences),
        "solution": list(trial.solution) or None,
        "all": trial.all,
        "distinct": trial.distinct,
        "agree": trial.agree,
        "certificate": str(task.proof) if task.proof is not None and trial.verdict == IMPOSSIBLE else None,
        "seconds": trial.seconds,
        "time": effort.limits.seconds,
        "count": effort.count and trial.verdict == SOLVABLE,
        "picture": plain_picture(puzzle.grid, faces, optional=faces & set(puzzle.form.optional)),
        "atoms": refs(puzzle.grid, faces),
    }


def _ran_out(record: Record) -> bool:
    """Tell whether a form was not decided, or not counted, in its time."""
    return record["verdict"] == NOT_DECIDED or (record["count"] and record["all"] is None)


def _faces(puzzle: Puzzle) -> set[tuple[int, ...]]:
    return {a for a in puzzle.form.atoms if puzzle.grid.atoms[a[-1]].kind == puzzle.grid.main_kind}


def open_results(kit: Kit, path: Path | None, command: str, check: Callable[[Record], None] = lambda _: None) -> Results[str]:
    """Return what is known of some tiles by the ``key`` of each record, from the file of a command, if there is one.

    ``check`` raises KeyError, TypeError, ValueError or PuzzleError for a record that the command cannot have written.
    """

    def key(record: Record) -> str:
        if not isinstance(record["key"], str):
            raise TypeError
        check(record)
        return record["key"]

    return Results(command, "tiles", kit.title, kit.fingerprint, path, key)


def plain_picture(grid: Grid, atoms: Iterable[AtomId], *, optional: Collection[AtomId] = ()) -> str:
    """Return the text picture of some atoms, in the grid's own glyphs; an empty line stands between two layers."""
    layers = draw_picture(grid, dict.fromkeys(atoms, 0), optional=optional)
    return "\n".join("".join("".join(glyph for glyph, _, _ in row).rstrip() + "\n" for row in layer) for layer in layers)


FORMS_A_PROCESS = 8
"""Fewer forms are not worth the start of another process."""
MOST_DEATHS = 3
"""Processes that may end over one form, the later ones while nothing else is at work."""
ENDED = f"it ended the process that worked on it {MOST_DEATHS} times, perhaps for lack of memory"
MOST_NAMED = 3
"""Forms of which it is said why nothing is known."""


@dataclass(frozen=True)
class FormTrials:
    """The forms, and what is known of them; their file is open."""

    kit: Kit
    order: Order
    tasks: Sequence[FormTask]
    results: Results[str]

    def is_done(self, task: FormTask) -> bool:
        """Tell whether what is asked of a form is known."""
        return self.order.is_done(task, self.results.known.get(task.key))

    @property
    def records(self) -> list[Record]:
        """What is known, in the order of the forms."""
        known = self.results.known
        return [self.said(known[t.key] | {"form": t.candidate.name}) for t in self.tasks if t.key in known]

    def said(self, record: Record) -> Record:
        """Return the record of a form with whether it is ``complete``, and ``why`` not: whether it answers what is asked now."""
        why = why_open(record, count=self.order.count)
        return record | {"complete": why is None, "why": why}

    @property
    def why(self) -> str | None:
        """Why not all that is asked of the forms is known, in a sentence; None where it is."""
        records = self.records
        left = [f"{record['form']}: {record['why']}" for record in records if record["why"] is not None]
        untried = len(self.tasks) - len(records)
        return listed([*([f"{many(untried, 'form')} not tried"] if untried else []), *left], MOST_NAMED) if left or untried else None

    @property
    def left(self) -> list[FormTask]:
        """The forms of which not everything is known that is asked."""
        return [task for task in self.tasks if not self.is_done(task)]


@contextmanager
def open_trials(kit: Kit, found: Sequence[Candidate], order: Order, file: Path | None, proofs: Path | None) -> Iterator[FormTrials]:
    """Yield what is known of forms from a file of results, which gets what is found out, with certificates in a folder.

    Raises PuzzleError for a file of something else, and OSError for what cannot be written.
    """
    if proofs is not None:
        proofs.mkdir(parents=True, exist_ok=True)
        if found:
            check_output(max((_proof(proofs, c) for c in found), key=lambda path: len(path.name)))
    tasks = [FormTask(c, None if proofs is None else _proof(proofs, c)) for c in found]
    results = open_results(kit, file, "forms", _check)
    try:
        yield FormTrials(kit, replace(order, model=str(kit.path)), tasks, results)
    finally:
        results.close()


def _check(record: Record) -> None:
    """Raise KeyError or TypeError for what says nothing of a form."""
    kinds = {"form": str, "verdict": str, "all": int | None, "time": float | int | None}
    if not all(isinstance(record[key], kind) for key, kind in kinds.items()):
        raise TypeError


def file_stem(name: str) -> str:
    """Return the name of a form as that of a file, without suffix."""
    return re.sub(r"[^\w.@()*+=-]+", "_", name)


def _proof(folder: Path, candidate: Candidate) -> Path:
    """The file for the certificate of a form."""
    return folder / f"{file_stem(candidate.name)}.proof"


Tell = Callable[[Record, Text | None], None]
"""Gets the record of a form, and its picture."""


def try_forms(trials: FormTrials, jobs: int, stop: Event, tell: Tell, *, draw: Draw | None = None) -> None:
    """Try the forms that are left, some at a time, and tell of each as soon as it is decided, until ``stop`` is set."""

    def keep(record: Record, drawn: Text | None) -> None:
        trials.results.add(record)
        tell(record, drawn)

    run_apart(trials.left, trials.order, trials.kit, jobs, stop, keep, draw=draw)


def run_apart(forms: Sequence[FormTask], order: Order, kit: Kit, jobs: int, stop: Event, tell: Tell, *, draw: Draw | None = None) -> None:
    """Try forms in processes of their own, if there are enough for several; a form that ends one process after another is refused."""
    jobs = min(jobs, len(forms) // FORMS_A_PROCESS)
    if jobs <= 1:
        for record, drawn in run(forms, order, kit, stop, draw=draw):
            tell(record, drawn)
        return
    left = list(forms)
    for most in (jobs, *[1] * (MOST_DEATHS - 1)):
        waiting, left = left, []
        taken = (form for form in waiting if not stop.is_set())
        for form, found in dealt(partial(_attempting, order, draw), taken, most, partial(Limits, stop=stop)):
            if isinstance(found, ChildEndedError):
                left.append(form)
            elif found is not None:
                tell(*found)
    for form in left if not stop.is_set() else ():
        tell(form.refused(kit, order.effort(stop, None), ENDED), None)


def _attempting(order: Order, draw: Draw | None) -> Callable[[FormTask, Limits], Any]:
    """What tries a form, in a child."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PuzzleWarning)  # the command has shown them
        kit = order.kit()
    return lambda form, limits: form.attempt(kit, order.effort(limits.stop, draw, cores=1))
