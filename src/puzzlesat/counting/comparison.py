"""Check a count by a second solver, or by a certificate of the whole search.

A second solver compares solution by solution: on the whole problem, or on a random sample of subproblems if the time is short.

A certificate is made for the check. The checker (room ``checker``) shares no code with the solvers, rebuilds the puzzle from its geometry,
and trusts nothing that the certificate says: a certificate that it accepts proves the count. This takes about a second for millions of
nodes; a SAT or CP-SAT model would take minutes.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from heapq import heappop, heappush
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from puzzlesat import base, proofs
from puzzlesat.checker import CertifiedCounts as ProvedCounts
from puzzlesat.checker import RebuiltPuzzle, Rejected, TooLarge, check_certificate, classes, unmoved_by
from puzzlesat.counting.counts import Counts
from puzzlesat.counting.evidence import DIFFERS, REFUSED, Disagreement, Row, RowStatus, Sample
from puzzlesat.counting.plan import CERTIFICATE, MAX_LISTED, Plan
from puzzlesat.counting.second_reading import placements_again
from puzzlesat.counting.tallied_counts import Tallied
from puzzlesat.puzzles import BuiltInstance, CoverProblem, exclusions
from puzzlesat.solvers import SOLVERS, family, lists, solver

Prefix = tuple[int, ...]

MIN_PARTS, MAX_PARTS = 100, 10_000
MAX_KEPT, MAX_SAMPLED = 3_000_000, 250_000
"""Maximum number of solutions of one subproblem to compare: in a full check, and in a sample. A subproblem with more is not finished. The
comparison takes ten times as long as the search and cannot be interrupted."""
MAX_OF_UNFINISHED = 10_000
"""Maximum number of solutions to compare of a subproblem that was not finished, because its time or memory is used up."""
SHOWN = 10
"""Maximum number of solutions that a disagreement lists."""
MAX_STORED = 20_000_000
"""Maximum number of cells of solution arrays kept in memory for comparison (80 MB). Further solutions are counted and dropped."""
CERTIFICATE_FACTOR, MAX_CERTIFICATE_SECONDS = 4, 60
"""Time limit of a certificate, as a multiple of the time of the first count and in seconds, if the checks have less time left."""
MIN_SHARE = 0.1
"""Share of the search below which a sample adds too little to a confirmed count."""
SAT_SECONDS_A_NODE, SAT_SECONDS_A_SOLUTION = 1.5e-5, 4e-3
"""Lower estimates of the seconds of SAT for each node of the first search, and for each solution up to symmetry."""
SLOWER_THAN_SAT = {"sat": 1.0, "cpsat": 0.7}
"""Time of each solver of a model, as a multiple of the time of SAT."""
NODES_A_PART = 5_000
"""Size of a subproblem, in nodes of the first solver: a fraction of a second for the other solvers."""

Solutions = set[tuple[int, ...]]
Recheck = Callable[[base.Rows], str | None]
"""A function that takes rows of options and returns the error of the first wrong one; None if all are solutions."""
Result = tuple[Row, list[Disagreement]]
"""The result of one check."""


@dataclass(frozen=True)
class Expected:
    """The counts of the first solver, and its work, to estimate the time for a certificate."""

    counts: Counts
    nodes: int | None = None
    """Nodes of the search; None if no search listed the solutions."""
    states: int | None = None
    """States of the tally; None if no tally counted the solutions."""
    seconds: float = 0.0
    """Duration of the first count."""
    confirmed: bool = False
    """True if an independent solver has already counted everything."""

    def share_within(self, name: str, seconds: float) -> float:
        """Return an upper estimate of the share of the search that a solver gets through in so many seconds."""
        slower, solutions = SLOWER_THAN_SAT.get(family(name)), self.counts.distinct or self.counts.all or 0
        if slower is None:
            return 1.0
        needs = slower * (SAT_SECONDS_A_SOLUTION * solutions + SAT_SECONDS_A_NODE * (self.nodes or 0))
        return seconds / max(needs, seconds)


@dataclass(frozen=True)
class Task:
    """The work of one checking solver."""

    solver: str
    problem: CoverProblem
    expected: base.Rows | None
    """The first solver's solutions, in the option numbers of this problem; None if they were too many to keep."""
    total: int
    """Number of solutions of this problem by the first solver."""
    parts: int
    """Number of subproblems to split the problem into, unless one run is enough."""


class Collector:
    """Re-check the first solver's solutions, and store them up to a limit."""

    def __init__(self, recheck: Recheck) -> None:
        self.recheck = recheck
        self.wrong: str | None = None
        self.blocks: list[base.Rows] | None = []
        self.cells = 0

    def keep(self, rows: base.Rows, images: int = 1) -> None:
        """Re-check a block and store it, if there is room for so many images of each solution."""
        self.wrong = self.wrong or self.recheck(rows)
        self.cells += rows.size * images
        if self.cells > MAX_STORED:
            self.blocks = None
        if self.blocks is not None:
            self.blocks.append(rows)

    def rows(self) -> base.Rows | None:
        """Return the stored solutions; None if they were too many."""
        return None if self.blocks is None else base.joined_rows(self.blocks)


def refused(name: str, error: object, seconds: float = 0.0) -> Row:
    """Return the row of a solver that refused the problem."""
    return Row(name, None, REFUSED, "", seconds, {}, refusal=str(error))


def checks(
    plan: Plan,
    expected: Expected,
    task: Callable[[str], Task],
    recheck: Recheck,
    recount: Callable[[str, base.Limits], Tallied],
    progress: base.Progress,
    *,
    built: BuiltInstance | None = None,
    began: float = 0.0,
    spent: float = 0.0,
) -> Iterator[Result]:
    """Check the counts of the first solver of a plan by each of the others in turn; the remaining solvers share the remaining time.

    Once a certificate or another solver has confirmed the whole count, the others have less time. The first of them is begun only if it
    can get through ``MIN_SHARE`` of the search, and after its sample another one only if it can get through everything.

    ``task`` returns the work of a solver that lists; ``recount`` counts again by a solver that lists nothing, to check a list. A
    certificate states the puzzle ``built``. ``spent`` seconds of the checking time are used already. The work ``began`` at a time of the
    plan's limits.
    """
    clock = base.Clock(plan.limits if plan.full else plan.limits.within(max(0.0, plan.checking_seconds - spent)))
    others = [name for name in plan.solvers[1:] if name == CERTIFICATE or lists(name) or lists(plan.solvers[0])]
    confirmed, sampling, least = expected.confirmed, None, MIN_SHARE
    for position, name in enumerate(others):
        if name == CERTIFICATE and built is not None:
            more = min(CERTIFICATE_FACTOR * expected.seconds, MAX_CERTIFICATE_SECONDS) if plan.budget is None else 0.0
            own = plan.limits.within(max(clock.left or 0.0, more))
            limits = replace(plan.limits if plan.proved or plan.full else own, solutions=None)
            row, found = check_by_certificate(built, expected, limits, progress.of(CERTIFICATE), proved=plan.proved)
            yield row, found
            confirmed |= row.confirms and not found
        elif lists(name):
            if confirmed and sampling is None and (sampling := plan.sample_seconds(plan.limits.now - began)) is not None:
                clock = base.Clock(plan.limits.within(sampling))
            seconds = (clock.left or 0.0) / sum(map(lists, others[position:]))
            if sampling is not None and expected.share_within(name, seconds) < least:
                part = "a tenth of the search" if least < 1 else "the whole search"
                yield Row(name, None, "limit reached", f"not begun: {seconds:.1f} s are too short for {part}", 0.0, {}), []
                continue
            row, found = check(task(name), plan, seconds, recheck, progress.of(name))
            least = 1.0 if row.confirms else least
            yield row, found
        else:
            try:
                yield compared(recount(name, clock.rest()), expected.counts)
            except base.NotSupportedError as error:
                yield refused(name, error), []


def compared(known: Tallied, counts: Counts) -> Result:
    """Compare the counts of a solver that lists nothing with the counts of a list: all, and the solutions that each symmetry fixes."""
    outcome, fixed = known.outcome, known.counts.fixed
    name = outcome.solver
    how = "counted without listing" if fixed is None else "counted without listing, for each symmetry"
    figures = ("all",) if fixed is None or counts.fixed is None else ("all", "fixed", "distinct")
    row = Row(name, known.counts.all, outcome.status, how, outcome.seconds, outcome.work, independent=True, figures=figures)
    row = replace(row, after=known.after)
    if not outcome.complete:
        return row, []
    if known.counts.all != counts.all:
        return row, [Disagreement(name, f"it counts {known.counts.all} solutions, the first solver {counts.all}")]
    if fixed is not None and counts.fixed is not None and fixed != counts.fixed:
        different = {g: (n, counts.fixed[g]) for g, n in fixed.items() if n != counts.fixed[g]}
        return row, [Disagreement(name, f"symmetries leave other numbers of solutions unchanged (it, the first solver): {different}")]
    differ = _unequal(known.counts, counts, ("distinct", "labelled", "labelled_turns"))
    return row, [Disagreement(name, f"{what} is {own} by its count, {other} by the first solver's") for what, own, other in differ]


def check(task: Task, plan: Plan, budget: float, recheck: Recheck, progress: base.Progress) -> Result:
    """Run a checking solver and compare: in one run if this should be quick, else subproblem by subproblem in random order.

    ``recheck`` takes solutions in the option numbers of the whole problem and returns an error of one of them, or None.
    """
    if plan.limits.stop.is_set():
        return Row(task.solver, None, "interrupted", "not begun", 0.0, {}), []
    solver(task.solver)  # load its libraries before the clock starts
    limits = replace(plan.limits, solutions=None)
    clock = base.Clock(limits if plan.full else limits.within(budget))
    run = Comparison(task, plan, recheck, progress)
    status: RowStatus = "limit reached"
    try:
        parts = partition(task.problem, min(max(task.parts, MIN_PARTS), MAX_PARTS), clock.rest().heeding(progress))
    except base.EndedError as ended:
        return run.row(ended.status, clock.seconds), run.bad
    whole = parts == [()]
    if whole or task.total <= SOLVERS[family(task.solver)].in_one_run:
        status = run.go((), clock.rest() if whole or plan.full else clock.rest().within(budget / 2))
    if status == "limit reached" and not run.bad and not whole:
        status = run.go_through(parts, clock)
    if status == "complete" and not run.bad and run.found != task.total:
        run.bad.append(Disagreement(task.solver, f"it counts {base.many(run.found, 'solution')}, the first solver {task.total}"))
    return run.row(status, clock.seconds), run.bad


class Comparison:
    """The progress of one checking solver: how much it searched so far, and the disagreements that it found."""

    def __init__(self, task: Task, plan: Plan, recheck: Recheck, progress: base.Progress) -> None:
        self.task, self.plan, self.recheck, self.progress = task, plan, recheck, progress
        self.listed = lists(plan.solvers[0])
        self.origin = np.arange(task.problem.size, dtype=np.int32) if task.problem.origin is None else task.problem.origin
        self.checked = self.of = self.found = self.all = 0
        self.work: dict[str, int] = {}
        self.bad: list[Disagreement] = []
        self.refusal: str | None = None
        try:
            self.ask = solver(task.solver)(task.problem)
            self.again = solver(plan.solvers[0])(task.problem)
        except base.NotSupportedError as error:
            self.refusal = str(error)

    def go_through(self, parts: list[Prefix], clock: base.Clock) -> RowStatus:
        """Check the subproblems in turn until all are done, the time is up, or one disagrees."""
        self.of = len(parts)
        random.Random(0).shuffle(parts)  # a fixed seed, so that a disagreement can be reproduced
        for prefix in parts:
            status = clock.verdict(-1) or self.go(prefix, clock.rest())
            if status != "complete" or self.bad:
                return status
        return "complete"

    def go(self, prefix: Prefix, limits: base.Limits) -> RowStatus:
        """Search one subproblem and compare its solutions. Return ``complete`` only if all of them were compared."""
        blocks: list[base.Rows] = []
        bounds = replace(limits, solutions=MAX_KEPT if self.plan.full else MAX_SAMPLED)
        try:
            if self.refusal is not None:
                return REFUSED
            outcome = self.ask(blocks.append, bounds, given=prefix, progress=self.progress)
        except base.NotSupportedError as error:
            self.refusal = str(error)
            return REFUSED
        for key, value in outcome.work.items():
            self.work[key] = self.work.get(key, 0) + value
        rows = (row for block in blocks for row in block.tolist())
        found = [tuple(o for o in row if o >= 0) for row in (rows if outcome.complete else islice(rows, MAX_OF_UNFINISHED))]
        known = self._known(prefix, limits) if outcome.complete or self.listed else None
        self._compare(prefix, found, None if isinstance(known, int) else known, complete=outcome.complete)
        if isinstance(known, int) and known != len(found):
            what = f"it counts {base.many(len(found), 'solution')}, the first solver {known}"
            self.bad.append(Disagreement(self.task.solver, what, tuple(self.task.problem.options[o] for o in prefix)))
        if not outcome.complete or known is None:
            return outcome.status if not outcome.complete else "limit reached"
        self.checked += 1
        self.found += len(found)
        weights = self.task.problem.weight
        self.all += len(found) if weights is None else sum(int(np.prod(weights[list(s)])) for s in found)
        return "complete"

    def row(self, status: RowStatus, seconds: float) -> Row:
        """Return the row of this solver for the report."""
        name = self.task.solver
        if self.refusal is not None:
            return refused(name, self.refusal, seconds)
        independent = family(name) != family(self.plan.solvers[0])
        broken = " (symmetry broken)" if self.task.problem.weight is not None else ""
        if status == "complete" and not self.bad:
            how = (f"in {base.many(self.of, 'subproblem')}" if self.of else "in one run") + broken
            return Row(name, self.all, "complete", how, seconds, self.work, independent=independent)
        if self.bad:
            status = DIFFERS
        how = f"{self.checked} of {base.many(self.of, 'subproblem')}{broken}" if self.of else "not finished"
        return Row(name, None, status, how, seconds, self.work, Sample(self.checked, self.of, self.all), independent=independent)

    def _known(self, prefix: Prefix, limits: base.Limits) -> Solutions | int | None:
        """Return the first solver's solutions with this prefix, searched again if there were too many to keep; None if unknown.

        If the first solver lists nothing, return their number.
        """
        if (rows := self.task.expected) is not None:
            for option in prefix:
                rows = rows[(rows == option).any(axis=1)]
            return _sets([rows])
        if not self.listed and not prefix:
            return self.task.total
        blocks: list[base.Rows] = []
        try:
            outcome = self.again(blocks.append if self.listed else None, limits, given=prefix, progress=self.progress)
        except base.NotSupportedError:
            return None
        if not outcome.complete:
            return None
        return _sets(blocks) if self.listed else outcome.found

    def _compare(self, prefix: Prefix, found: list[tuple[int, ...]], expected: Solutions | None, *, complete: bool) -> None:
        """Check the solutions of a subproblem on the geometry and for duplicates, and compare them with the first solver's solutions."""
        name, options = self.task.solver, self.task.problem.options
        where = tuple(options[o] for o in prefix)

        def named(solutions: Solutions) -> tuple[tuple[str, ...], ...]:
            return tuple(tuple(options[o] for o in s) for s in sorted(solutions)[:SHOWN])

        rows = np.append(self.origin, -1)[base.padded_rows(found)].astype(np.int32)
        for solution in found if len(found) and self.recheck(rows) is not None else ():
            row = np.array([[self.origin[o] for o in solution] or [-1]], dtype=np.int32)
            if (wrong := self.recheck(row)) is not None:
                what = f"a solution fails the check against the geometry: {wrong}"
                self.bad.append(Disagreement(name, what, where, extra=named({solution})))
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


def _sets(blocks: Iterable[base.Rows]) -> Solutions:
    """Return the solutions of some blocks without padding."""
    return {tuple(o for o in row if o >= 0) for block in blocks for row in block.tolist()}


SECONDS_A_NODE = 4e-7
"""Seconds to make and check a tree, for each node of the search that listed the solutions: the middle of the measured values."""
SECONDS_A_NODE_BY_PROOF = 2e-6
"""Seconds in which puzzlesat-verified checks a tree, for each node of that search. It takes longer if there are many solutions."""
SECONDS_A_STATE = 1e-5
"""Seconds to make and check a tally, for each state of the solver."""
MAX_PLACEMENTS = 20_000
"""Maximum number of placements. The checker compares every two; more would take longer than a cross-check may."""


def check_by_certificate(
    built: BuiltInstance, expected: Expected, limits: base.Limits, progress: base.Progress, *, proved: bool = False
) -> Result:
    """Make a certificate of the puzzle, check it by the checker, which rebuilds the puzzle from its geometry, and compare the counts.

    No certificate is made if an estimate says that the time is too short. A certificate that the checker rejects, or that proves another
    count, is a disagreement. If the checker with the soundness proof is installed, it checks the certificate too. ``proved`` asks for this
    proof: there is no estimate, and the certificate is of a kind that this program can check.
    """
    clock = base.Clock(limits)
    kind = proofs.TREE if proved or expected.nodes is not None or (expected.counts.all or 0) <= MAX_LISTED else proofs.TALLY
    if not proved and (why := _too_much(built, expected, kind, clock)) is not None:
        return _row(clock, "limit reached", f"not made: {why}"), []
    heeded = clock.rest().heeding(progress)
    try:
        with TemporaryDirectory(prefix="puzzlesat-") as folder:
            path = Path(folder) / "certificate"
            heeded({"placements": len(built.placements)})
            case = proofs.make_case(built, heeded)
            if expected.counts.all:
                work = proofs.certify(case, path, kind, clock.rest(), heeded).work
                how = f"a {kind} of the whole search, checked from the geometry"
            else:
                finding = _why_none(case, path, clock, heeded)
                if finding.solvable:
                    solution = " ".join(built.placements[o].name for o in finding.solution)
                    return _row(clock, "complete", "not made"), [Disagreement(CERTIFICATE, f"there is a solution: {solution}")]
                work, how = {}, f"why there is none ({finding.argument}), checked from the geometry"
            with heeded.overseen():
                verified = check_certificate(path, lambda: heeded.of("checking the certificate")(work))
            sound, refuted, silent = _by_proof(path, verified.counts, work, None if proved else clock.left, heeded)
    except (base.NotSupportedError, TooLarge) as error:
        return refused(CERTIFICATE, error, clock.seconds), []
    except (proofs.SearchStoppedError, base.EndedError) as ended:
        return _row(clock, ended.status, f"a {kind}, not finished"), []
    except OSError as error:
        return refused(CERTIFICATE, f"it cannot be written: {error.strerror}", clock.seconds), []
    except Rejected as error:
        return _row(clock, "complete", f"a {kind}, rejected"), [Disagreement(CERTIFICATE, f"the checker rejects it: {error}")]
    except base.PuzzleError as error:  # the checker rejects the puzzle, or has other placements than the program
        return _row(clock, "complete", f"a {kind}, not made"), [Disagreement(CERTIFICATE, str(error))]
    how += f"; a program proved sound proves {', '.join(sound)}" if sound else ""
    figures = tuple(name for name, figure in asdict(verified.counts).items() if figure is not None)
    row = Row(CERTIFICATE, verified.counts.all, "complete", how, clock.seconds, work, independent=True, figures=figures)
    return replace(row, proved_sound=sound, not_proved=silent), _differences(
        "it", verified.counts, expected.counts, "the first solver counts"
    ) + refuted


def check_fixed(built: BuiltInstance, counts: Counts, limits: base.Limits, progress: base.Progress) -> dict[str, int] | Disagreement | None:
    """Return the number of solutions that each symmetry leaves unchanged, by trees and tallies that the checker verifies.

    The puzzle comes from the second reader, or from the program if it was not read from tables. The checker computes the symmetries, their
    conjugacy classes and the problem of each class by itself; ``counts`` has the expected numbers. Return None if the checker cannot do
    this or a limit is reached, and a disagreement if it rejects something.
    """
    if base.Clock(limits).verdict(-1) is not None:
        return None
    heeded = limits.heeding(progress)
    try:
        with heeded.overseen():
            pair = placements_again(built, lambda: heeded({"placements": len(built.placements)}))
            if pair is None:
                case = proofs.make_case(built, heeded)
                pair = case, case.number
            return _fixed(*pair, built, counts, base.Clock(limits), heeded)
    except (base.NotSupportedError, TooLarge, base.EndedError, OSError):
        return None
    except Rejected as error:
        return Disagreement(CERTIFICATE, f"the checker rejects what counts the solutions that a symmetry leaves unchanged: {error}")
    except base.PuzzleError as error:
        return Disagreement(CERTIFICATE, str(error))


def _fixed(
    rebuilt: RebuiltPuzzle, number: base.Longs, built: BuiltInstance, counts: Counts, clock: base.Clock, progress: base.Progress
) -> dict[str, int] | None:
    """Return the number of solutions that each symmetry fixes; None if checker and program have different symmetries."""
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
            fixed = 0 if unmoved is None else proofs.count_unmoved(rebuilt, unmoved, expected, clock.rest(), progress)
            found |= dict.fromkeys((known[g] for g in members), fixed)
    return {name: found[image] for name, image in zip(built.problem.symmetries, known, strict=True)}


def _why_none(case: proofs.Case, path: Path, clock: base.Clock, progress: base.Progress) -> proofs.FoundArgument:
    """Write the certificate of the simplest argument that there is no solution: area, fit, colouring, or else a search."""
    with base.scratch() as tree:
        finding = proofs.prove(case, clock.rest(), progress=progress, tree=tree, brief=True)
        if not finding.solvable:
            finding.write(case, path, clock.rest(), progress)
    return finding


def _too_much(built: BuiltInstance, expected: Expected, kind: str, clock: base.Clock) -> str | None:
    """Return why the time is too short for a certificate; None if it may be enough."""
    if clock.left is None:
        return None
    if len(built.placements) > MAX_PLACEMENTS:
        return f"{len(built.placements):,} placements are too many for {clock.left:.0f} s"
    number, each, what = (expected.nodes, SECONDS_A_NODE, "nodes") if kind == proofs.TREE else (expected.states, SECONDS_A_STATE, "states")
    if number is not None and number * each > clock.left:
        return f"{number:,} {what} are too many for {clock.left:.0f} s"
    return None


def _row(clock: base.Clock, status: RowStatus, how: str) -> Row:
    return Row(CERTIFICATE, None, status, how, clock.seconds, {})


def _by_proof(
    path: Path, counts: ProvedCounts, work: dict[str, int], left: float | None, progress: base.Progress
) -> tuple[tuple[str, ...], list[Disagreement], str | None]:
    """Check a certificate by the program with the soundness proof.

    Return the counts that it proves, its disagreements, and why it proves nothing: it is not installed, does not check such a certificate,
    or has not enough time or memory. The Python checker has accepted the certificate in any case.
    """
    checker, takes = proofs.program(), work.get("nodes", 0) * SECONDS_A_NODE_BY_PROOF
    if checker is None:
        return (), [], proofs.HOW_TO_BUILD
    if left is not None and takes > left:
        return (), [], f"the time is too short for {checker.stem}"
    try:
        proved = proofs.check_by_proof(path, checker, lambda: progress.of("checking it by puzzlesat-verified")(work))
    except Rejected as error:
        return (), [Disagreement(CERTIFICATE, f"the Python checker accepts it, the one that is proved sound rejects it: {error}")], None
    except (base.EndedError, base.PuzzleError) as error:
        return (), [], error.words if isinstance(error, base.EndedError) else str(error)
    wrong = _differences("by the checker that is proved sound it", proved.counts, counts, "ours says")
    return () if wrong else proved.sound, wrong, None


def _differences(who: str, proves: ProvedCounts, counts: Counts | ProvedCounts, other: str) -> list[Disagreement]:
    """Return a disagreement for each count that is known on both sides and differs."""
    differ = _unequal(proves, counts, ("all", "labelled", "distinct"))
    return [Disagreement(CERTIFICATE, f"{who} proves that {name} is {proved:,}, {other} {counted:,}") for name, proved, counted in differ]


def _unequal(one: Counts | ProvedCounts, other: Counts | ProvedCounts, names: Sequence[str]) -> list[tuple[str, int, int]]:
    """Return the counts that are known on both sides and differ, with both figures."""
    pairs = [(name, getattr(one, name), getattr(other, name)) for name in names]
    return [pair for pair in pairs if None not in pair and pair[1] != pair[2]]


def partition(problem: CoverProblem, parts: int, progress: base.Progress = base.SILENT) -> list[Prefix]:
    """Split a problem into about ``parts`` prefixes; return one empty prefix if no item must be covered exactly once.

    The prefix with the most remaining options is split first, on its item with the fewest options. Prefixes that leave an item without
    options are kept: the checking solver should confirm that they have no solution.
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


def _mask(options: base.Ints, size: int) -> int:
    """Return a set of options as an integer with a bit for each option."""
    flags = np.zeros(size, dtype=bool)
    flags[options] = True
    return int.from_bytes(np.packbits(flags, bitorder="little").tobytes(), "little")
