"""One solver checks what another one counted: solution by solution, on the whole problem or on a sample of subproblems.

A count held against a certificate of the whole search, which is made for that and checked from the geometry.

The checker (``check``) shares no code with the solvers, and it need not believe whoever made the certificate: what it accepts is the
count. So this one step confirms everything, in a second or so for millions of nodes, where a model of another kind would take minutes.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from heapq import heappop, heappush
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from puzzlesat.base import (
    SILENT,
    Clock,
    EndedError,
    Ints,
    Limits,
    Longs,
    NotSupportedError,
    Progress,
    PuzzleError,
    Rows,
    many,
    padded_rows,
    scratch,
)
from puzzlesat.checker import CertifiedCounts as ProvedCounts
from puzzlesat.checker import RebuiltPuzzle, Rejected, TooLarge, check_certificate, classes, unmoved_by
from puzzlesat.counting.counts import Counts
from puzzlesat.counting.plan import CERTIFICATE, MOST_LISTED, Plan
from puzzlesat.counting.report import DIFFERS, REFUSED, Disagreement, Row, RowStatus, Sample
from puzzlesat.counting.second_reading import placements_again
from puzzlesat.proofs import (
    HOW_TO_BUILD,
    TALLY,
    TREE,
    Case,
    FoundArgument,
    SearchStoppedError,
    certify,
    check_by_proof,
    count_unmoved,
    make_case,
    program,
    prove,
)
from puzzlesat.puzzles import BuiltInstance, CoverProblem, exclusions
from puzzlesat.solvers import SOLVERS, family, lists, solver

Prefix = tuple[int, ...]

LEAST_PARTS, MOST_PARTS = 100, 10_000
MOST_KEPT, MOST_SAMPLED = 3_000_000, 250_000
"""Solutions of one subproblem that are kept to be compared, where everything is to be gone through and in a sample; where it has more, it
is not finished. To compare takes ten times as long as to find them, and hears of no limit."""
MOST_OF_UNFINISHED = 10_000
"""Solutions of a subproblem that are compared where it was not finished: time or memory is up then."""
SHOWN = 10

Solutions = set[tuple[int, ...]]


@dataclass(frozen=True)
class Expected:
    """What a certificate is to confirm, and what is known of how long it takes."""

    counts: Counts
    total: int
    """Solutions, each counted once."""
    nodes: int | None = None
    """Of the search that has listed them, if one has."""
    states: int | None = None
    """Of the tally that has counted them, if one has."""


@dataclass(frozen=True)
class Task:
    """What a checking solver is to go through."""

    solver: str
    problem: CoverProblem
    expected: Rows | None
    """The first solver's solutions, in the option numbers of this problem; None where they were too many to keep."""
    total: int
    """How many solutions of this problem the first solver counted."""
    parts: int
    """How many subproblems to part it into, should it not be done in one run."""


def check(
    task: Task, plan: Plan, budget: float, recheck: Callable[[Rows], str | None], progress: Progress
) -> tuple[Row, list[Disagreement]]:
    """Let a solver go through its task: in one run where that looks quick, else subproblem by subproblem in random order.

    ``recheck`` gets solutions in the option numbers of the whole problem and says what is wrong with the geometry of one.
    """
    if plan.limits.stop.is_set():
        return Row(task.solver, None, "interrupted", "not begun", 0.0, {}), []
    solver(task.solver)  # its libraries are loaded before its time begins
    limits = replace(plan.limits, solutions=None)
    clock = Clock(limits if plan.full else limits.within(budget))
    run = Comparison(task, plan, recheck, progress)
    status: RowStatus = "limit reached"
    try:
        parts = partition(task.problem, min(max(task.parts, LEAST_PARTS), MOST_PARTS), clock.rest().heeding(progress))
    except EndedError as ended:
        return run.row(ended.status, clock.seconds), run.bad
    if parts == [()]:
        status = run.go((), clock.rest())
    elif task.total <= SOLVERS[family(task.solver)].in_one_run:
        status = run.go((), clock.rest() if plan.full else clock.rest().within(budget / 2))
    if status == "limit reached" and not run.bad and parts != [()]:
        status = run.go_through(parts, clock)
    if status == "complete" and not run.bad and run.found != task.total:
        run.bad.append(Disagreement(task.solver, f"it counts {many(run.found, 'solution')}, the first solver {task.total}"))
    return run.row(status, clock.seconds), run.bad


class Comparison:
    """A checking solver at work: what it went through so far, and where it differed."""

    def __init__(self, task: Task, plan: Plan, recheck: Callable[[Rows], str | None], progress: Progress) -> None:
        self.task = task
        self.plan = plan
        self.recheck = recheck
        self.progress = progress
        self.origin = np.arange(task.problem.size, dtype=np.int32) if task.problem.origin is None else task.problem.origin
        self.checked = self.of = self.found = self.all = 0
        self.work: dict[str, int] = {}
        self.bad: list[Disagreement] = []
        self.refusal: str | None = None
        try:
            self.ask = solver(task.solver)(task.problem)
            self.again = solver(plan.solvers[0])(task.problem)
        except NotSupportedError as error:
            self.refusal = str(error)

    def go_through(self, parts: list[Prefix], clock: Clock) -> RowStatus:
        """Check one subproblem after the other until all are done, time is up, or one differs."""
        self.of = len(parts)
        random.Random(0).shuffle(parts)  # the same order at each run, so that a disagreement can be reproduced
        for prefix in parts:
            status = clock.verdict(-1) or self.go(prefix, clock.rest())
            if status != "complete" or self.bad:
                return status
        return "complete"

    def go(self, prefix: Prefix, limits: Limits) -> RowStatus:
        """Search one subproblem and compare; return ``complete`` only if all of it was compared."""
        blocks: list[Rows] = []
        try:
            if self.refusal is not None:
                return REFUSED
            outcome = self.ask(
                blocks.append,
                replace(limits, solutions=MOST_KEPT if self.plan.full else MOST_SAMPLED),
                given=prefix,
                progress=self.progress,
            )
        except NotSupportedError as error:
            self.refusal = str(error)
            return REFUSED
        for key, value in outcome.work.items():
            self.work[key] = self.work.get(key, 0) + value
        rows = (row for block in blocks for row in block.tolist())
        found = [tuple(o for o in row if o >= 0) for row in (rows if outcome.complete else islice(rows, MOST_OF_UNFINISHED))]
        counted = self._counted(prefix, limits) if outcome.complete else None
        expected = self._expected(prefix, limits) if counted is None else None
        self._compare(prefix, found, expected, complete=outcome.complete)
        if outcome.complete and counted is not None and counted != len(found):
            self._differ(prefix, f"it counts {many(len(found), 'solution')}, the first solver {counted}")
        if not outcome.complete or (expected is None and counted is None):
            return outcome.status if not outcome.complete else "limit reached"
        self.checked += 1
        self.found += len(found)
        weights = self.task.problem.weight
        self.all += len(found) if weights is None else sum(int(np.prod(weights[list(s)])) for s in found)
        return "complete"

    def row(self, status: RowStatus, seconds: float) -> Row:
        """Sum up."""
        name = self.task.solver
        if self.refusal is not None:
            return Row(name, None, REFUSED, "", seconds, {}, refusal=self.refusal)
        independent = family(name) != family(self.plan.solvers[0])
        broken = " (symmetry broken)" if self.task.problem.weight is not None else ""
        if status == "complete" and not self.bad:
            how = (f"in {many(self.of, 'subproblem')}" if self.of else "in one run") + broken
            return Row(name, self.all, "complete", how, seconds, self.work, independent=independent)
        if self.bad:
            status = DIFFERS
        how = f"{self.checked} of {many(self.of, 'subproblem')}{broken}" if self.of else "not finished"
        return Row(name, None, status, how, seconds, self.work, Sample(self.checked, self.of, self.all), independent=independent)

    def _counted(self, prefix: Prefix, limits: Limits) -> int | None:
        """How many solutions with this prefix the first solver counts, where it is one that lists none."""
        if lists(self.plan.solvers[0]):
            return None
        if not prefix:
            return self.task.total
        try:
            outcome = self.again(None, limits, given=prefix, progress=self.progress)
        except NotSupportedError:
            return None
        return outcome.found if outcome.complete else None

    def _differ(self, prefix: Prefix, what: str) -> None:
        options = self.task.problem.options
        self.bad.append(Disagreement(self.task.solver, what, tuple(options[o] for o in prefix)))

    def _expected(self, prefix: Prefix, limits: Limits) -> Solutions | None:
        """The first solver's solutions with this prefix; searched for again where there were too many to keep."""
        rows = self.task.expected
        if rows is None and not lists(self.plan.solvers[0]):
            return None
        if rows is None:
            blocks: list[Rows] = []
            try:
                outcome = self.again(blocks.append, limits, given=prefix, progress=self.progress)
            except NotSupportedError:
                return None
            if not outcome.complete:
                return None
            return {tuple(o for o in row if o >= 0) for block in blocks for row in block.tolist()}
        for option in prefix:
            rows = rows[(rows == option).any(axis=1)]
        return {tuple(o for o in row if o >= 0) for row in rows.tolist()}

    def _compare(self, prefix: Prefix, found: list[tuple[int, ...]], expected: Solutions | None, *, complete: bool) -> None:
        """Hold the solutions of a subproblem against the geometry, against each other, and against the first solver's."""
        name, options = self.task.solver, self.task.problem.options
        where = tuple(options[o] for o in prefix)

        def named(solutions: Solutions) -> tuple[tuple[str, ...], ...]:
            return tuple(tuple(options[o] for o in s) for s in sorted(solutions)[:SHOWN])

        rows = np.append(self.origin, -1)[padded_rows(found)].astype(np.int32)
        for solution in found if len(found) and self.recheck(rows) is not None else ():
            row = np.array([[self.origin[o] for o in solution] or [-1]], dtype=np.int32)
            if (wrong := self.recheck(row)) is not None:
                self.bad.append(
                    Disagreement(name, f"a solution fails the check against the geometry: {wrong}", where, extra=named({solution}))
                )
                return
        unique = set(found)
        if len(unique) < len(found):
            self.bad.append(Disagreement(name, "it found a solution twice", where))
        if expected is None:
            return
        missing, extra = expected - unique if complete else set(), unique - expected
        if missing or extra:
            what = f"the sets of solutions differ: it misses {len(missing)} and has {len(extra)} that the first solver lacks"
            self.bad.append(Disagreement(name, what, where, named(missing), named(extra)))


SECONDS_A_NODE = 5e-7
"""To make and check a tree, by the nodes of the search that has listed the solutions: about the middle of what was measured."""
SECONDS_A_NODE_BY_PROOF = 2e-6
"""To check a tree by puzzlesat-verified: the same, and more where there are many solutions."""
SECONDS_A_STATE = 1e-5
"""To make and check a tally, by the states that the solver went through."""
MOST_PLACEMENTS = 20_000
"""Of which the checker looks at each two: beyond this that alone takes longer than a cross-check may."""


def check_by_certificate(
    built: BuiltInstance, expected: Expected, limits: Limits, progress: Progress, *, proved: bool = False
) -> tuple[Row, list[Disagreement]]:
    """Make a certificate of the puzzle, let the checker rebuild the puzzle from its geometry and accept it, and compare the counts.

    Where an estimate says that the time is too short, nothing is made. A certificate that the checker rejects, or that proves another
    count, is a disagreement: one program of the two is wrong. Where the program whose soundness is proved is there, it checks the same
    certificate too. With ``proved`` that is what matters: no estimate is made, and the certificate is of a kind that this program checks.
    """
    clock = Clock(limits)
    kind = TREE if proved or expected.nodes is not None or expected.total <= MOST_LISTED else TALLY
    if not proved and (why := _too_much(built, expected, kind, clock)) is not None:
        return _row(clock, "limit reached", f"not made: {why}"), []
    heeded = clock.rest().heeding(progress)
    try:
        with TemporaryDirectory(prefix="puzzlesat-") as folder:
            path = Path(folder) / "certificate"
            heeded({"placements": len(built.placements)})
            case = make_case(built, heeded)
            if expected.total:
                work = certify(case, path, kind, clock.rest(), heeded).work
                how = f"a {kind} of the whole search, checked from the geometry"
            else:
                finding = _why_none(case, path, clock, heeded)
                if finding.solvable:
                    one = " ".join(built.placements[o].name for o in finding.solution)
                    return _row(clock, "complete", "not made"), [Disagreement(CERTIFICATE, f"there is a solution: {one}")]
                work, how = {}, f"why there is none ({finding.argument}), checked from the geometry"
            with heeded.overseen():
                verified = check_certificate(path, lambda: heeded.of("checking the certificate")(work))
            sound, refuted, silent = _by_proof(path, verified.counts, work, None if proved else clock.left, heeded)
    except (NotSupportedError, TooLarge) as error:
        return Row(CERTIFICATE, None, REFUSED, "", clock.seconds, {}, refusal=str(error)), []
    except (SearchStoppedError, EndedError) as ended:
        return _row(clock, ended.status, f"a {kind}, not finished"), []
    except OSError as error:
        return Row(CERTIFICATE, None, REFUSED, "", clock.seconds, {}, refusal=f"it cannot be written: {error.strerror}"), []
    except Rejected as error:
        return _row(clock, "complete", f"a {kind}, rejected"), [Disagreement(CERTIFICATE, f"the checker rejects it: {error}")]
    except PuzzleError as error:  # the checker rejects the puzzle, or its placements are not those of the program
        return _row(clock, "complete", f"a {kind}, not made"), [Disagreement(CERTIFICATE, str(error))]
    how += f"; a program proved sound proves {', '.join(sound)}" if sound else ""
    figures = tuple(name for name, figure in asdict(verified.counts).items() if figure is not None)
    row = Row(
        CERTIFICATE, verified.counts.all, "complete", how, clock.seconds, work, independent=True, figures=figures, proved_sound=sound,
        not_proved=silent,
    )  # fmt: skip
    return row, _differences("it", verified.counts, expected.counts) + refuted


def check_fixed(built: BuiltInstance, counts: Counts, limits: Limits, progress: Progress) -> dict[str, int] | Disagreement | None:
    """Return how many solutions each symmetry leaves unchanged, by trees and tallies that the checker goes through.

    The puzzle is that of the second reader, or as the program states it where it was not read from tables. The checker makes the
    symmetries, their classes, and the problem of each class by itself; ``counts`` have what is expected. None where it cannot do that, or
    a limit is reached; where it rejects something, that is a disagreement.
    """
    if Clock(limits).verdict(-1) is not None:
        return None
    heeded = limits.heeding(progress)
    try:
        with heeded.overseen():
            pair = placements_again(built, lambda: heeded({"placements": len(built.placements)}))
            if pair is None:
                case = make_case(built, heeded)
                pair = case, case.number
            return _fixed(*pair, built, counts, Clock(limits), heeded)
    except (NotSupportedError, TooLarge, EndedError, OSError):
        return None
    except Rejected as error:
        return Disagreement(CERTIFICATE, f"the checker rejects what counts the solutions that a symmetry leaves unchanged: {error}")
    except PuzzleError as error:
        return Disagreement(CERTIFICATE, str(error))


def _fixed(
    rebuilt: RebuiltPuzzle, number: Longs, built: BuiltInstance, counts: Counts, clock: Clock, progress: Progress
) -> dict[str, int] | None:
    """How many solutions each symmetry leaves unchanged; None where the symmetries of the checker are not those of the program."""
    images = built.problem.images
    assert images is not None
    assert counts.fixed is not None
    known = [image.astype(np.int64).tobytes() for image in images]
    group = {}
    for permutation in rebuilt.group.values():
        there = np.empty(len(number), dtype=np.int64)
        there[number] = number[permutation]
        group[(*known, there.tobytes()).index(there.tobytes())] = permutation
    if {*group} != {*map(known.index, known)}:
        return None
    found = {known[0]: counts.all or 0}
    for members in classes(group):
        unmoved = unmoved_by(rebuilt.puzzle, rebuilt.problem, group[members[0]])
        if 0 not in members:
            expected = counts.fixed[built.problem.symmetries[members[0]]]
            fixed = 0 if unmoved is None else count_unmoved(rebuilt, unmoved, expected, clock.rest(), progress)
            found |= dict.fromkeys((known[g] for g in members), fixed)
    return {name: found[image] for name, image in zip(built.problem.symmetries, known, strict=True)}


def _why_none(case: Case, path: Path, clock: Clock, progress: Progress) -> FoundArgument:
    """Write the certificate of the simplest argument that there is no solution: by area, fit or colouring, or else by a search."""
    with scratch() as tree:
        finding = prove(case, clock.rest(), progress=progress, tree=tree, brief=True)
        if not finding.solvable:
            finding.write(case, path, clock.rest(), progress)
    return finding


def _too_much(built: BuiltInstance, expected: Expected, kind: str, clock: Clock) -> str | None:
    """Why it is not worth while to begin, if it is not."""
    if clock.left is None:
        return None
    if len(built.placements) > MOST_PLACEMENTS:
        return f"{len(built.placements):,} placements are too many for {clock.left:.0f} s"
    number, each, what = (expected.nodes, SECONDS_A_NODE, "nodes") if kind == TREE else (expected.states, SECONDS_A_STATE, "states")
    if number is not None and number * each > clock.left:
        return f"{number:,} {what} are too many for {clock.left:.0f} s"
    return None


def _row(clock: Clock, status: RowStatus, how: str) -> Row:
    return Row(CERTIFICATE, None, status, how, clock.seconds, {})


def _by_proof(
    path: Path, counts: ProvedCounts, work: dict[str, int], left: float | None, progress: Progress
) -> tuple[tuple[str, ...], list[Disagreement], str | None]:
    """Let the program check a certificate whose soundness is proved; return the counts that it proves, what is wrong, and why it is silent.

    Where it is not there, does not check such a certificate or has not enough time or memory, it says nothing, and ours has checked all.
    """
    checker, takes = program(), work.get("nodes", 0) * SECONDS_A_NODE_BY_PROOF
    if checker is None:
        return (), [], HOW_TO_BUILD
    if left is not None and takes > left:
        return (), [], f"the time is too short for {checker.stem}"
    try:
        proved = check_by_proof(path, checker, lambda: progress.of("checking it by puzzlesat-verified")(work))
    except Rejected as error:
        return (), [Disagreement(CERTIFICATE, f"the Python checker accepts it, the one that is proved sound rejects it: {error}")], None
    except (EndedError, PuzzleError) as error:
        return (), [], error.words if isinstance(error, EndedError) else str(error)
    wrong = _differences("by the checker that is proved sound it", proved.counts, counts, "ours says")
    return () if wrong else proved.sound, wrong, None


def _differences(
    who: str, proves: ProvedCounts, counts: Counts | ProvedCounts, other: str = "the first solver counts"
) -> list[Disagreement]:
    """Where the counts proved are not those that were counted; what one of the two does not know cannot differ."""
    pairs = [(name, getattr(proves, name), getattr(counts, name)) for name in ("all", "labelled", "distinct")]
    return [
        Disagreement(CERTIFICATE, f"{who} proves that {name} is {proved:,}, {other} {counted:,}")
        for name, proved, counted in pairs
        if proved is not None and counted is not None and proved != counted
    ]


def partition(problem: CoverProblem, parts: int, progress: Progress = SILENT) -> list[Prefix]:
    """Return about ``parts`` prefixes, or one empty prefix where no item must be covered exactly once.

    The prefix with the most options left is split first, on the item of it with the fewest; prefixes that leave an item without
    any option are kept, for that they have no solution is to be checked too.
    """
    exact = np.flatnonzero((problem.low == 1) & (problem.high == 1) & ~problem.coloured)
    if not len(exact) or parts <= 1:
        return [()]
    exclude = exclusions(problem)
    members = {int(i): _mask(problem.options_of[i], problem.size) for i in exact}
    everything = (1 << problem.size) - 1
    heap: list[tuple[int, Prefix, int]] = [(-problem.size, (), everything)]
    done: list[Prefix] = []
    while heap and len(heap) + len(done) < parts:
        progress({"subproblems": len(heap) + len(done)})
        _, prefix, alive = heappop(heap)
        covered = {int(i) for o in prefix for i in problem.items_of(o)}
        sizes = [((alive & bits).bit_count(), i) for i, bits in members.items() if i not in covered]
        if not sizes or min(sizes)[0] == 0:
            done.append(prefix)
            continue
        choices = alive & members[min(sizes)[1]]
        while choices:
            option = (choices & -choices).bit_length() - 1
            choices &= choices - 1
            rest = alive & ~int.from_bytes(exclude.of(option).tobytes(), "little") & ~(1 << option)
            heappush(heap, (-rest.bit_count(), (*prefix, option), rest))
    return sorted(done + [prefix for _, prefix, _ in heap])


def _mask(options: Ints, size: int) -> int:
    """Return a set of options as a number with a bit for each."""
    flags = np.zeros(size, dtype=bool)
    flags[options] = True
    return int.from_bytes(np.packbits(flags, bitorder="little").tobytes(), "little")
