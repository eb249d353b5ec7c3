"""Trials of candidate forms: whether each is impossible and why, or solvable, and on request the number of its solutions.

The result of a form is plain data, a line of JSON in a file of results. ``FormTrials`` has the forms for one set of tiles, the results in
the file, and the remaining forms.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, fields, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event
from typing import Any, Final, Literal

import numpy as np
from rich.text import Text

from puzzlesat import base, proofs
from puzzlesat.counting import AUTO, CHECKING_SECONDS, MAX_LISTED, Plan, Record, Report, Results, count, read_twice
from puzzlesat.designing.candidate_forms import Candidate
from puzzlesat.designing.tile_set import Kit, dealt_again, refs
from puzzlesat.puzzles import AtomId, BuiltInstance, Grid, Instance, Puzzle, build_instance, draw_picture, reduce
from puzzlesat.solvers import LISTING, QUICK, TALLY, solver

FORM_COUNT_SHARE = 0.5
"""Share of the remaining time of a form for each of its two counts."""
FORM_JUDGE = "sat"
"""The solver that repeats a search without a solution if no certificate can state the puzzle."""
FORM_CHECKERS = (LISTING, "sat", "cpsat")
"""The solvers that count a form which the tally refuses, to confirm the listing."""

Verdict = Literal["impossible", "solvable", "not decided", "contradiction", "refused"]
MAX_KEPT: Final = 1 << 20
"""Largest size in bytes of a certificate that a result contains."""
IMPOSSIBLE: Final = "impossible"
SOLVABLE: Final = "solvable"
NOT_DECIDED: Final = "not decided"
CONTRADICTION: Final = "contradiction"
"""Two methods contradict each other on a form."""
REFUSED: Final = "refused"
"""The form is invalid, or the process that tries it dies."""


@dataclass(frozen=True)
class Trial:
    """The result for a form."""

    verdict: Verdict
    argument: str | None = None
    sentences: tuple[str, ...] = ()
    solution: tuple[str, ...] = ()
    """A solution, as names of placements."""
    all: int | None = None
    distinct: int | None = None
    agree: bool | None = None
    """True if a second count confirmed the first; None if there was none."""
    seconds: float = 0.0
    picture: Text | None = None
    """A picture of the solution or of the argument, if requested."""
    certificate: bytes | None = None
    """The certificate that the form is impossible, if requested and not too large."""


Draw = Callable[[BuiltInstance, proofs.FoundArgument], Text | None]
"""Draws a solution, or the picture of an argument. It must be picklable: a function of a module."""


@dataclass(frozen=True)
class Effort:
    """The results wanted for a form, and their limits."""

    limits: base.Limits
    count: bool = False
    """True to count the solutions."""
    draw: Draw | None = None
    """Draws the result; None for no picture."""
    keep: bool = False
    """True to include the certificate of an impossible form in the result."""


def try_form(instance: Instance, effort: Effort, proof: Path | None = None) -> Trial:
    """Decide a form; write the certificate of a proof that it is impossible to ``proof``, if given.

    A solution is re-checked on the geometry. A form that is impossible by search was searched twice, by programs that derive the placements
    from the puzzle independently, and the checker replays the certificate of the second search. Raises KeyboardInterrupt if the limits'
    ``stop`` is set.
    """
    effort = replace(effort, limits=effort.limits.begun())
    clock = base.Clock(effort.limits)
    trial = Trial(NOT_DECIDED)
    try:
        built = build_instance(instance, progress=effort.limits.heeding(base.SILENT), limits=effort.limits)
        trial = decide(built, effort, proof)
        if effort.count and trial.verdict == SOLVABLE:
            trial = _counted(built, trial, effort)
    except base.EndedError:  # the results so far remain valid
        pass
    except base.ContradictionError as error:
        trial = Trial(CONTRADICTION, sentences=(str(error),))
    if effort.limits.stop.is_set():
        raise KeyboardInterrupt
    return replace(trial, seconds=round(clock.seconds, 3))


def decide(built: BuiltInstance, effort: Effort, proof: Path | None = None, *, search: bool = False) -> Trial:
    """Search for a solution within a moment; if none is found, search for the reason why there is none. The limits must have begun.

    With ``search``, search for a solution until the time is up, with restarts if the limits have a seed. The checker verifies the reason.
    If there is no solution, a second reader reads the puzzle: no other check would notice a missing placement.
    """
    clock = base.Clock(effort.limits)
    complete, row = first_solution(built, clock.rest() if search else QUICK.limits(clock))
    if row is not None:
        return _solved(built, row, effort)
    if search and not complete:
        return Trial(NOT_DECIDED)
    trial = _refuted(built, effort, proof, complete=complete)
    if trial.verdict == IMPOSSIBLE and (wrong := read_twice(built, effort.limits.heeding(base.SILENT)).differences):
        raise base.ContradictionError(f"the second reader reads another puzzle: {wrong[0]}")
    return trial


def _refuted(built: BuiltInstance, effort: Effort, proof: Path | None, *, complete: bool) -> Trial:
    """Return the reason why there is no solution, or a solution, or "not decided".

    ``complete`` means that a complete search by a backtracker found none; this search may still find a solution.
    """
    progress = effort.limits.heeding(base.SILENT)
    try:
        case = proofs.make_case(built, progress)
    except base.NotSupportedError as error:
        return _searched(built, effort, str(error))
    limits = base.Clock(effort.limits).rest()
    try:
        with base.scratch() as tree, ExitStack() as at_end:
            finding = proofs.prove(case, limits, progress=progress, tree=tree, brief=True)
            if finding.solvable:
                if complete:
                    raise base.ContradictionError(f"the backtracker finds no solution, but there is {_names(built, finding.solution)}")
                return _solved(built, finding.solution, effort)
            certificate = None
            if finding.argument == proofs.SEARCH or proof is not None or effort.keep:
                path = proof or Path(at_end.enter_context(TemporaryDirectory(prefix="puzzlesat-"))) / "form.proof"
                finding.write(case, path, replace(effort.limits, seconds=None))
                if finding.argument == proofs.SEARCH or proof is not None:
                    proofs.verify_certificate(path)
                certificate = path.read_bytes() if effort.keep and path.stat().st_size <= MAX_KEPT else None
    except proofs.SearchStoppedError:
        return Trial(NOT_DECIDED)
    except proofs.RejectedError as error:
        if error.unknown:
            return Trial(NOT_DECIDED)
        raise base.ContradictionError(f"the checker rejects the proof ({finding.argument}) that there is no solution: {error}") from None
    drawn = effort.draw(built, finding) if effort.draw is not None and finding.argument == proofs.COLOURING else None
    return Trial(IMPOSSIBLE, finding.argument, finding.sentences, picture=drawn, certificate=certificate)


def kept_proof(certificate: bytes, instance: Instance) -> tuple[str, int | None] | None:
    """Return the kind of the certificate of a result, and the number of solutions that it proves for a puzzle; None if not known.

    Raises ContradictionError if the checker rejects it, or if it is about another puzzle.
    """
    with TemporaryDirectory(prefix="puzzlesat-") as folder:
        path = Path(folder) / "certificate"
        base.write_file(path, certificate)
        try:
            proved = proofs.verify_certificate(path, of=instance)
        except proofs.RejectedError as error:
            if error.unknown:
                return None
            raise base.ContradictionError(str(error)) from None
        except (base.EndedError, base.PuzzleError):
            return None
    return proved.kind, proved.counts.all


def _searched(built: BuiltInstance, effort: Effort, reason: str) -> Trial:
    """Decide a form that no certificate can state, by two solvers that share no search code."""
    clock = base.Clock(effort.limits)
    complete, row = first_solution(built, clock.rest())
    if row is not None:
        return _solved(built, row, effort)
    if not complete:
        return Trial(NOT_DECIDED)
    outcome = solver(FORM_JUDGE)(built.problem)(None, replace(clock.rest(), solutions=1))
    if outcome.found:
        raise base.ContradictionError("the backtracker finds no solution, but the SAT solver finds one")
    if not outcome.complete:
        return Trial(NOT_DECIDED)
    both = base.Sentence("The backtracker and a SAT solver searched all cases.")
    return Trial(IMPOSSIBLE, proofs.SEARCH, (both, base.Sentence("There is no certificate: {reason}.", reason=reason)))


def first_solution(built: BuiltInstance, limits: base.Limits) -> tuple[bool, tuple[int, ...] | None]:
    """Search for one solution by the backtracker; return whether the search was complete without one, and the solution.

    A search with restarts keeps symmetric copies: more solutions are easier to find at random.
    """
    reduced = reduce(built.problem, symmetry=limits.seed is None).problem
    found: list[base.Rows] = []
    try:
        outcome = solver(QUICK.solver)(reduced)(found.append, replace(limits, solutions=1))
    except base.NotSupportedError:
        return False, None
    row = next((row for block in found for row in block), None)
    if row is None:
        return outcome.complete, None
    own = row[row >= 0]
    return False, tuple(sorted((own if reduced.origin is None else reduced.origin[own]).tolist()))


def _solved(built: BuiltInstance, row: tuple[int, ...], effort: Effort) -> Trial:
    """Return the result for a solution, after a check against the geometry."""
    if (wrong := proofs.solution_check(built)(np.array([row or (-1,)], dtype=np.int32))) is not None:
        raise base.ContradictionError(f"a solution fails the check against the geometry: {wrong}")
    drawn = None if effort.draw is None else effort.draw(built, proofs.FoundArgument.solved(row))
    return Trial(SOLVABLE, solution=_names(built, row), picture=drawn)


def _names(built: BuiltInstance, row: tuple[int, ...]) -> tuple[str, ...]:
    return tuple(built.placements[o].name for o in row)


def _counted(built: BuiltInstance, trial: Trial, effort: Effort) -> Trial:
    """Count the solutions by the tally and by a listing; if the tally refuses, confirm the listing by other solvers.

    If there are too many solutions to list in this time, the tally alone counts them.
    """
    report = count_twice(built, effort.limits)
    if report.agree is False or (report.complete and not report.counts.all):
        contradiction = "; ".join(d.what for d in report.disagreements) or "no solution is counted, though there is one"
        raise base.ContradictionError(f"the count is contradicted: {contradiction}")
    if not report.complete:
        return trial
    return replace(trial, all=report.counts.all, distinct=report.counts.distinct, agree=report.agree)


def count_twice(built: BuiltInstance, limits: base.Limits) -> Report:
    """Return the report on a count by two methods, as far as the time allows."""
    clock = base.Clock(limits)
    each = limits.within(clock.share(FORM_COUNT_SHARE))
    report = count(built, Plan((AUTO,), budget=0, limits=each))
    if not report.complete and not limits.stop.is_set():  # the listing used up this time
        report = count(built, Plan((TALLY,), budget=0, limits=limits))
    if report.complete and not report.listed and (report.counts.all or 0) <= MAX_LISTED and not limits.stop.is_set():
        listed = count(built, Plan((LISTING, TALLY), budget=CHECKING_SECONDS, limits=each))  # the tally was faster
        report = listed if listed.complete or listed.agree is False else report
    if report.complete and report.listed and report.agree is None and not limits.stop.is_set():
        budget = CHECKING_SECONDS if clock.left is None else min(CHECKING_SECONDS, clock.left)
        report = count(built, Plan(FORM_CHECKERS, budget=budget, limits=limits))
    return report


@dataclass(frozen=True)
class FormTask:
    """A form to try."""

    candidate: Candidate
    proof: Path | None = None
    """The file for the certificate if the form is impossible."""

    def attempt(self, kit: Kit, effort: Effort) -> tuple[Record, Text | None] | None:
        """Try the form, and return its record and picture; None if interrupted."""
        instance = self._instance(kit)
        try:
            trial = try_form(instance, effort, self.proof)
        except base.PuzzleError as error:
            trial = Trial(REFUSED, sentences=error.problems)
        except (MemoryError, RuntimeError) as error:  # the next form may need less memory
            if not base.NoMemoryError.is_behind(error):
                raise
            trial = Trial(REFUSED, sentences=("there was not enough memory",))
        except KeyboardInterrupt:
            return None
        return self._record(instance.puzzle, trial, effort), trial.picture

    def refused(self, kit: Kit, effort: Effort, *sentences: str) -> Record:
        """Return the record of a form that could not be tried, with the reasons."""
        return self._record(self._instance(kit).puzzle, Trial(REFUSED, sentences=sentences), effort)

    def _instance(self, kit: Kit) -> Instance:
        own = self.candidate
        return kit.to_fill(own.name, own.table, path=own.path, without=own.without)

    def _record(self, puzzle: Puzzle, trial: Trial, effort: Effort) -> Record:
        about = about_form(puzzle)
        return {
            "form": self.candidate.name,
            "key": self.candidate.key,
            "area": about["area"],
            "without": self.candidate.without,
            **{key: as_lists(getattr(trial, key)) for key in ("verdict", "argument", "sentences", "solution", "all", "distinct", "agree")},
            "solution": list(trial.solution) or None,
            "certificate": str(self.proof) if self.proof is not None and trial.verdict == IMPOSSIBLE else None,
            "seconds": trial.seconds,
            "time": effort.limits.seconds,
            "count": effort.count and trial.verdict == SOLVABLE,
            "picture": about["picture"],
            "atoms": as_lists(about["atoms"]),
        }


@dataclass(frozen=True, kw_only=True)
class FormFound:
    """The result for one form. The attributes are the keys of a line of ``puzzlesat forms --json``; ``record`` is that line."""

    form: str
    """The name of the form."""
    key: str
    """A text that identifies the form and the omitted tile."""
    area: int
    """The number of faces that must be covered."""
    without: str | None
    """The tile of which one copy is omitted, if ``replicas`` made the form."""
    verdict: Verdict
    """``impossible``, ``solvable``, ``not decided``, ``refused`` (something is wrong with the form) or ``contradiction``."""
    argument: str | None
    """The reason why the form is impossible: ``area``, ``nothing fits``, ``condition``, ``colouring``, ``weights`` or
    ``search``."""
    sentences: tuple[str, ...]
    """The argument in words, or the errors of the form."""
    solution: tuple[str, ...] | None
    """The names of the placements of one solution, if one was found."""
    all: int | None
    """The number of all solutions, if they were counted."""
    distinct: int | None
    """The number of solutions up to symmetry, if they were counted."""
    agree: bool | None
    """True if a second count confirmed the number; else None."""
    certificate: str | None
    """The file of the certificate, if one was written."""
    seconds: float
    """The duration of the work on this form."""
    time: float | None
    """The time limit in seconds."""
    count: bool
    """True if a count of the solutions was requested."""
    picture: str
    """The form as a text picture."""
    atoms: tuple[tuple[int | str, ...], ...]
    """The form as ``form.atoms`` of an instance lists it."""
    complete: bool
    """True if all requested results are known."""
    why: str | None
    """A sentence on why some result is not known; None if all are."""

    @classmethod
    def from_record(cls, record: Record) -> FormFound:
        """Return the result of a line of JSON; a missing key is None."""
        return cls(**{key.name: as_tuples(record.get(key.name)) for key in fields(cls)})

    @property
    def record(self) -> Record:
        """The result as a JSON object."""
        return {key.name: as_lists(getattr(self, key.name)) for key in fields(self)}

    @staticmethod
    def summary(records: Sequence[Record], total: int) -> str:
        """Return a sentence with the numbers of forms of each verdict, of ``total`` forms."""
        by_verdict = Counter(record["verdict"] for record in records)
        arguments = Counter(record["argument"] for record in records if record["verdict"] == IMPOSSIBLE)
        words = [f"{by_verdict[SOLVABLE]:,} solvable"]
        if arguments:
            words.append(f"{by_verdict[IMPOSSIBLE]:,} impossible ({', '.join(f'{n:,} {a}' for a, n in arguments.most_common())})")
        words += [f"{by_verdict[v]:,} {v}" for v in (NOT_DECIDED, REFUSED, CONTRADICTION) if by_verdict[v]]
        words += [f"{total - len(records):,} not tried"] if len(records) < total else []
        return f"{base.many(total, 'form')}: {'; '.join(words)}"


def as_tuples(value: Any) -> Any:
    """Return a value with lists as tuples."""
    return tuple(map(as_tuples, value)) if isinstance(value, list) else value


def as_lists(value: Any) -> Any:
    """Return a value with tuples as lists."""
    return list(map(as_lists, value)) if isinstance(value, tuple) else value


def run(tasks: Sequence[FormTask], kit: Kit, effort: Effort) -> Iterator[tuple[Record, Text | None]]:
    """Try forms in this process: yield the record and the picture of each form as soon as it is decided, until stopped."""
    compiled = False
    for task in tasks:
        result = None if effort.limits.stop.is_set() else task.attempt(kit, effort)
        record = result[0] if result is not None else {}
        if not compiled and record and (record["verdict"] == NOT_DECIDED or (record["count"] and record["all"] is None)):
            # after an installation, the first form that needs a kernel may have spent its time on the compilation
            compiled = True
            result = task.attempt(kit, effort)
        if result is None:
            return
        yield result


def open_results(kit: Kit, path: Path | None, command: str, check: Callable[[Record], None] = lambda _: None) -> Results[str]:
    """Return the results of earlier calls for some tiles, by the ``key`` of each record, from the file of a command, if there is one.

    ``check`` raises KeyError, TypeError, ValueError or PuzzleError for a record that the command cannot have written.
    """

    def key(record: Record) -> str:
        if not isinstance(record["key"], str):
            raise TypeError
        check(record)
        return record["key"]

    return Results(command, "tiles", kit.title, kit.fingerprint, path, key)


def about_form(puzzle: Puzzle) -> Record:
    """Return the area, the text picture and the atoms of the form of a puzzle."""
    grid, form = puzzle.grid, puzzle.form
    faces = {a for a in form.atoms if grid.atoms[a[-1]].kind == grid.main_kind}
    picture = plain_picture(grid, faces, optional=faces & set(form.optional))
    return {"area": len(faces & set(form.required)), "picture": picture, "atoms": as_tuples(refs(grid, faces))}


def plain_picture(grid: Grid, atoms: Iterable[AtomId], *, optional: Collection[AtomId] = ()) -> str:
    """Return the text picture of some atoms, in the grid's own glyphs, with an empty line between layers."""
    layers = draw_picture(grid, dict.fromkeys(atoms, 0), optional=optional)
    return "\n".join("".join("".join(glyph for glyph, _, _ in row).rstrip() + "\n" for row in layer) for layer in layers)


FORMS_A_PROCESS = 8
"""Smallest number of forms for each process: fewer are not worth its start."""
MAX_DEATHS = 3
"""Number of processes that may die on one form before it is refused. After the first, the form is tried alone."""
ENDED = f"it ended the process that worked on it {MAX_DEATHS} times, perhaps for lack of memory"
MAX_NAMED = 3
"""Largest number of forms named in a message about unknown results."""

Tell = Callable[[Record, Text | None], None]
"""Receives the record of a form, and its picture."""


@dataclass(frozen=True)
class FormTrials:
    """The forms for one set of tiles, and their results in an open file."""

    kit: Kit
    effort: Effort
    tasks: Sequence[FormTask]
    results: Results[str]

    @classmethod
    @contextmanager
    def in_file(cls, kit: Kit, forms: Sequence[Candidate], effort: Effort, file: Path | None, folder: Path | None) -> Iterator[FormTrials]:
        """Open the results for forms in ``file``, which gets new records; certificates are written to ``folder``.

        Raises PuzzleError for a file of something else, and OSError if a file cannot be written.
        """
        files = [None if folder is None else folder / f"{file_stem(form.name)}.proof" for form in forms]
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)
            if forms:
                base.check_output(max(filter(None, files), key=lambda path: len(path.name)))
        with closing(open_results(kit, file, "forms", _check)) as results:
            yield cls(kit, effort, [FormTask(*each) for each in zip(forms, files, strict=True)], results)

    def is_done(self, task: FormTask) -> bool:
        """Return whether all requested results of a form are known. If its time ran out, a longer time limit is a new request."""
        record = self.results.known.get(task.candidate.key)
        if record is None or record["verdict"] in (CONTRADICTION, REFUSED):
            return False
        seconds = self.effort.limits.seconds
        longer = record["time"] is not None and (seconds is None or seconds > record["time"])
        if record["verdict"] == NOT_DECIDED:
            return not longer
        if record["verdict"] == IMPOSSIBLE:
            return task.proof is None or task.proof.is_file()
        return not self.effort.count or record["all"] is not None or (record["count"] and not longer)

    @property
    def records(self) -> list[Record]:
        """The known records, in the order of the forms."""
        known = self.results.known
        return [self.ended(known[key] | {"form": t.candidate.name}) for t in self.tasks if (key := t.candidate.key) in known]

    def ended(self, record: Record) -> Record:
        """Return a record with the keys ``complete`` and ``why``: whether it has all results of the present request."""
        time = "the time available" if record["time"] is None else f"{record['time']:g} s"
        why = None
        if record["verdict"] == NOT_DECIDED:
            why = f"not decided in {time}"
        elif record["verdict"] in (CONTRADICTION, REFUSED):
            why = "; ".join(record["sentences"])
        elif self.effort.count and record["verdict"] == SOLVABLE and record["all"] is None:
            why = f"not counted in {time}"
        return record | {"complete": why is None, "why": why}

    @property
    def why(self) -> str | None:
        """A sentence on the forms with unknown results; None if there are none."""
        records = self.records
        left = [f"{record['form']}: {record['why']}" for record in records if record["why"] is not None]
        untried = len(self.tasks) - len(records)
        return (
            base.listed([*([f"{base.many(untried, 'form')} not tried"] if untried else []), *left], MAX_NAMED) if left or untried else None
        )

    def run(self, jobs: int, stop: Event, tell: Tell, *, draw: Draw | None = None) -> None:
        """Try the remaining forms, and ``tell`` each record as soon as it is decided, until ``stop`` is set.

        If there are enough forms, child processes try them; a form that kills ``MAX_DEATHS`` processes is refused.
        """
        effort = replace(self.effort, limits=replace(self.effort.limits, stop=stop), draw=draw)
        left = [task for task in self.tasks if not self.is_done(task)]
        with closing(run_apart(left, self.kit, effort, jobs)) as answers:
            for record, drawn in answers:
                self.results.add(record)
                tell(record, drawn)


def file_stem(name: str) -> str:
    """Return a file name for the name of a form, without suffix."""
    return re.sub(r"[^\w.@()*+=-]+", "_", name)


def _check(record: Record) -> None:
    """Raise KeyError or TypeError for a record that is not of a form."""
    kinds = {"form": str, "verdict": str, "all": int | None, "time": float | int | None}
    if not all(isinstance(record[key], kind) for key, kind in kinds.items()):
        raise TypeError


def run_apart(tasks: Sequence[FormTask], kit: Kit, effort: Effort, jobs: int) -> Generator[tuple[Record, Text | None], None, None]:
    """Yield the record and the picture of each form, tried in child processes if there are enough forms for several."""
    jobs, stop = min(jobs, len(tasks) // FORMS_A_PROCESS), effort.limits.stop
    if jobs <= 1:
        yield from run(tasks, kit, effort)
        return
    attempts = dealt_again(
        partial(_attempting, kit, effort), tasks, [jobs] + [1] * (MAX_DEATHS - 1), lambda _: partial(base.Limits, stop=stop)
    )
    with closing(attempts) as answers:
        for task, found in answers:
            if isinstance(found, base.ChildEndedError) and not stop.is_set():
                yield task.refused(kit, effort, ENDED), None
            elif isinstance(found, tuple):
                yield found


def _attempting(kit: Kit, effort: Effort) -> Callable[[FormTask, base.Limits], tuple[Record, Text | None] | None]:
    """Return the function of a child process that tries a form."""
    return lambda task, limits: task.attempt(kit, replace(effort, limits=replace(effort.limits, stop=limits.stop, cores=1)))
