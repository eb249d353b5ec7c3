"""The coordinator of a study: it alone splits units, sends them to workers, records the answers and settles the units.

The state of a run is in its store alone, which gets each answer in one transaction: any process may be killed at any moment, and the next
start resumes from the store.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import CancelledError, Future
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from math import inf
from queue import Empty, SimpleQueue
from time import monotonic
from typing import Any

from puzzlesat.base import SILENT, VERSION, ChildPool, Limits, Progress, many
from puzzlesat.solvers import TALLY
from puzzlesat.studies.cover_parts import split
from puzzlesat.studies.settle import ASIDE, MAX_ANSWERS, OPEN, SETTLED, Evidence, Given, UnitRow, look_at
from puzzlesat.studies.store import Store
from puzzlesat.studies.units import UNIT_SECONDS, Answer, Question, Unit, limit_of, loaded
from puzzlesat.studies.work import ExecutorWorkers

POLL_SECONDS = 0.2
PROGRESS_SECONDS = 0.3
"""Seconds between two reports of progress."""
IN_FLIGHT_SECONDS = 0.7
"""The store notes each unit that is in flight for longer: if the whole run is killed, the next one gives the unit less time."""
MIN_DEADLINE, DEADLINE_FACTOR = 60.0, 3.0
"""A unit past its deadline goes to a second process as well. The deadline is the factor times the limit or the estimate of the unit, and
this many seconds at least. The check of the evidence of an answer has the factor times the CPU seconds of the answer, and the same
minimum."""
HANG_FACTOR, UNLIMITED_SECONDS = 4.0, 3600.0
"""A process that takes the factor times the deadline of its unit hangs and is killed. A unit without a limit has ``UNLIMITED_SECONDS`` at
least, and four times as much after each kill."""
IDLE_SECONDS = 2.0
"""An idle process starts the second answer to a unit that is in flight for longer than this."""
HOST_SECONDS = 300.0
"""A host is at work if it answered within this time."""
LEAVING_SECONDS = 20.0
"""Seconds for workers to finish after they get the signal to stop."""
PATIENCE_SECONDS = 60.0
"""A run ends if no worker answers for this time and no unit can be sent."""
MAX_LOST = 3
"""A unit is set aside after this number of processes died, hung, or sent an invalid message instead of an answer."""
MAX_TRIES = 2
"""A part that has one answer is split after the run was killed this number of times while the part was in flight."""
MIN_PARTS, MAX_PARTS, MAX_LEVELS = 4, 200, 6
"""A split goes down level by level until it has ``MIN_PARTS`` parts that fit the limit. Below the first level, it stops before a level
with more than ``MAX_PARTS`` parts."""
SPENT = 0.9
"""A whole count that used this share of the seconds of its step, or more, is not started again in parts."""
LONG = 1.5
"""A split goes one level deeper if the mean estimate of its parts is more than this times the limit of a unit."""

ENDED = "the last one ended, perhaps for lack of memory"
NO_ANSWER = "the last one did not answer in time"
REFUSED = "the last one sent something else"


@dataclass(frozen=True)
class End:
    """The end of a run: the number of units in each state, and why the run could not continue, if it could not, in a sentence.

    ``stopped``: it got the signal to stop. ``differ`` has a sentence for each unit whose answers contradict each other.
    """

    states: Mapping[str, int]
    stopped: bool = False
    why: str | None = None
    differ: Sequence[str] = ()

    @property
    def complete(self) -> bool:
        """True if no unit is open or set aside."""
        return not self.states[OPEN] and not self.states[ASIDE]

    @property
    def sentences(self) -> list[str]:
        """Warnings: why the run ended, which answers differ, and how many units are set aside or left."""
        warnings = [*filter(None, [self.why]), *self.differ]
        if number := self.states[ASIDE]:
            warnings.append(f"{many(number, 'unit')} set aside: the next start tries again")
        if (left := self.states[OPEN]) and (self.stopped or self.why):
            warnings.append(f"{many(left, 'unit')} left: run it again to resume")
        return warnings


@dataclass
class _Flight:
    """A unit in flight, with times of ``monotonic``."""

    unit: Unit
    since: float
    deadline: float
    hung: float
    noted: bool = False


@dataclass(frozen=True)
class RunOptions:
    """Options of a run. With ``single``, one answer settles a unit.

    The limits have the signal to stop, and the memory for the count of one puzzle. ``begun`` gets the number of puzzles that are done
    already, ``heard`` the number of each puzzle that has no open unit any more. ``unit_seconds`` are the CPU seconds for one answer to a
    part. ``inspectors`` starts a process that checks evidence.
    """

    single: bool = False
    limits: Limits = field(default_factory=Limits)
    progress: Progress = SILENT
    begun: Callable[[int], None] = lambda _: None
    heard: Callable[[int], None] = lambda _: None
    unit_seconds: float = UNIT_SECONDS
    patience: float = PATIENCE_SECONDS
    inspectors: Callable[[], ChildPool] = field(default=partial(ChildPool, 1))


class Coordinator:
    """A run of a study.

    The units in ``flying`` are with workers, and the answers in ``checking`` have evidence that one process checks, one after another,
    until ``checks_deadline``. By unit, ``lost`` is the number of processes that died, hung or sent an invalid message, and ``new`` the
    number of answers of this run. ``hosts`` has the time of the last answer of each host. ``done`` of ``whole`` puzzles are done.
    """

    def __init__(self, store: Store, steps: Sequence[Question], workers: ExecutorWorkers, options: RunOptions) -> None:
        self.store, self.steps, self.workers, self.options = store, steps, workers, options
        self.stop = options.limits.stop
        self.whole = self.done = 0
        self.flying: dict[Future[str], _Flight] = {}
        self.checking: dict[Future[Evidence], tuple[int, Answer]] = {}
        self.finished: SimpleQueue[Future[Any]] = SimpleQueue()
        self.inspector = options.inspectors()
        self.lost: Counter[int] = Counter()
        self.new: Counter[int] = Counter()
        self.hosts: dict[str, float] = {}
        self.answered_at = monotonic()
        self.checks_deadline = self.next_progress = 0.0
        self.why: str | None = None

    def run(self) -> End:
        """Run the study to its end, or until the signal to stop. Raises PuzzleError if the store cannot be used."""
        try:
            self.begin()
            self.options.begun(self.done)
            self.work()
            if self.flying:  # finished answers are still recorded
                self.workers.stop()
            until = monotonic() + LEAVING_SECONDS
            while (self.flying or self.checking) and monotonic() < until:
                self.take_in()
        finally:
            self.workers.end()
            self.inspector.kill()
            self.inspector.shutdown()
        return End(self.store.states(), self.stop.is_set(), self.why, self.store.disputes())

    # units ----------------------------------------------------------------------------------------------------------------------------

    def begin(self) -> None:
        """Add the units that the puzzles need next, and reopen those set aside, but for units of steps that the study no longer has."""
        with self.store.change():
            for unit in [*self.store.units(state=ASIDE)] if self.steps else ():
                if unit.question.find != "part" and unit.question not in self.steps:
                    self.store.remove(unit.id)
            self.store.open_again()
            for number, _ in [*self.store.puzzles()]:
                self.whole += 1
                self.done += not self.follow(number)
            for unit in [*self.store.units(state=OPEN)]:
                if unit.answers and unit.question.find == "part" and unit.tries >= MAX_TRIES:
                    self.split(unit, unit.hint, unit.answers[0].answer.cpu)

    def follow(self, puzzle: int) -> bool:
        """Add the next unit of a puzzle if none is open; return whether one is open then. Call it within a change of the store."""
        if self.store.states(puzzle)[OPEN]:
            return True
        puzzle_units = self.store.units_of(puzzle)
        findings = puzzle_units.findings
        steps = [step for step in self.steps if not findings.settles(step)]
        return any(self.ask(puzzle, step, [unit for unit in puzzle_units.units if unit.question == step]) for step in steps)

    def ask(self, puzzle: int, step: Question, asked: Sequence[UnitRow]) -> bool:
        """Add the next unit of a step after the units ``asked``; return whether there is one. A solution gets several attempts."""
        prefix = (len(asked),) if step.find == "solution" else ()
        limit = limit_of(step, 0, self.options.unit_seconds) or 1.0
        attempts = 1.0 if not prefix else inf if step.seconds is None else step.seconds / limit
        if len(asked) < attempts and all(unit.state != ASIDE for unit in asked):
            self.store.add_unit(UnitRow(puzzle=puzzle, question=step, prefix=prefix))
            return True
        first = asked[0]
        if step.find != "count" or first.result is None or first.claim is not None or self.store.facts(puzzle) is not None:
            return False
        if step.seconds is not None and max(given.answer.cpu for given in first.answers) > SPENT * step.seconds:
            return False
        self.begin_parts(puzzle, step)
        return True

    def begin_parts(self, puzzle: int, step: Question) -> None:
        """Add a unit to count each cover problem of a puzzle, small problems first. Call it within a change of the store."""
        facts = loaded(self.store.puzzle(puzzle)).facts
        self.store.set_facts(puzzle, facts)
        for of in reversed(facts.problems):
            self.store.add_unit(UnitRow(puzzle=puzzle, question=Question(find="part", of=of, memory=step.memory)))

    def parts_of(self, unit: UnitRow, hint: str | None, estimate: float | None) -> list[UnitRow]:
        """Return the parts of a unit; none if it cannot be split. They depend on puzzle, prefix, solver, estimate and limit alone."""
        problem = loaded(self.store.puzzle(unit.puzzle)).problem(unit.question.of)
        limit = limit_of(unit.question, unit.tries, self.options.unit_seconds) or 1.0
        level: list[tuple[tuple[int, ...], float]] = [(unit.prefix, unit.share)]
        for depth in range(MAX_LEVELS):
            if depth and len(level) >= MIN_PARTS and (estimate or 0) / len(level) <= LONG * limit:
                break
            branches = [(split(problem, prefix, by_tiles=hint == TALLY) or [prefix], share) for prefix, share in level]
            deeper = [(part, share / len(parts)) for parts, share in branches for part in parts]
            if len(deeper) == len(level) or (depth and len(deeper) > MAX_PARTS):
                break
            level = deeper
        if level[0][0] == unit.prefix:
            return []
        mean = None if estimate is None else estimate / len(level)
        part = UnitRow(puzzle=unit.puzzle, question=unit.question, parent=unit.id, tries=unit.tries, hint=hint, estimate=mean)
        return [part.model_copy(update={"prefix": prefix, "share": share}) for prefix, share in level]

    # sending --------------------------------------------------------------------------------------------------------------------------

    def work(self) -> None:
        """Send units and record answers until no unit is left, or the run must stop."""
        while not self.stop.is_set() and self.why is None:
            self.hand_out()
            if next(self.store.open_units(), None) is None:
                return
            self.take_in()
            self.watch()

    def hand_out(self) -> None:
        """Send units to the free workers: first overdue ones, to a second process, then the open ones by their numbers."""
        now = monotonic()
        self.send_copies(flight.unit for flight in self.flying.values() if now > flight.deadline)
        busy = {flight.unit.number for flight in self.flying.values()} | {number for number, _ in self.checking.values()}
        for number in self.store.open_units():
            if self.why is not None or not self.workers.free():
                break
            if number not in busy:
                self.send(number)
        if not self.options.single:
            units = [flight.unit for flight in self.flying.values() if now - flight.since > IDLE_SECONDS]
            self.send_copies(unit for unit in units if unit.prefix or unit.question.find != "part")  # a root will soon be split

    def send_copies(self, units: Iterable[Unit]) -> None:
        """Send each unit that is in flight once to a second worker."""
        copies = Counter(flight.unit.number for flight in self.flying.values())
        for number in [unit.number for unit in units]:
            if self.workers.free() and copies[number] < 2:
                self.send(number, more=True)

    def send(self, number: int, *, more: bool = False) -> None:
        """Send an open unit to a free worker that has not answered it, if there is one; ``more``: another worker has the unit now."""
        row = self.store.unit(number)
        if row.state != OPEN:
            return
        solver, seconds = row.request(limit_of(row.question, row.tries, self.options.unit_seconds), copy=more)
        usable = [given.answer for given in row.answers if given.usable]
        apart = [given.answer.place for given in row.answers if not usable or given.answer.outcome != "too long"]
        unit = Unit(
            version=VERSION, number=number, subject=self.store.puzzle(row.puzzle), question=row.question, prefix=row.prefix,
            seconds=seconds, solver=solver, answers=len(usable), apart=tuple(apart),
        )  # fmt: skip
        try:
            future = self.workers.submit(unit)
        except (OSError, RuntimeError) as error:
            self.why = f"no worker takes units any more: {error}"
            return
        if future is None:
            return
        took = usable[0].cpu if usable else 0.0
        now, deadline = monotonic(), max(MIN_DEADLINE, DEADLINE_FACTOR * max(seconds or 0.0, took, row.estimate or 0.0))
        hung = max(HANG_FACTOR * deadline, UNLIMITED_SECONDS * 4 ** self.lost[number] if unit.unlimited else 0.0)
        self.flying[future] = _Flight(unit, now, now + deadline, now + hung)
        future.add_done_callback(self.finished.put)

    def watch(self) -> None:
        """Note long units in the store, kill processes that hang, and end a run that has no worker for its units."""
        now = monotonic()
        if new := [flight for flight in self.flying.values() if not flight.noted and now - flight.since > IN_FLIGHT_SECONDS]:
            with self.store.change():
                self.store.note_tries(flight.unit.number for flight in new)
            for flight in new:
                flight.noted = True
        for future, flight in [(future, flight) for future, flight in self.flying.items() if now > flight.hung]:
            del self.flying[future]
            self.workers.give_up(future)
            self.put_back(flight.unit, NO_ANSWER)
        if self.checking and now > self.checks_deadline:  # the pending checks fail, and their answers are recorded without evidence
            self.inspector.kill()
            self.inspector, self.checks_deadline = self.options.inspectors(), now + MIN_DEADLINE
        if now - self.answered_at > self.options.patience:
            if self.workers.free() + len(self.flying) <= 0:
                self.why = "there is no worker: start some, and run it again"
            elif not (self.flying or self.checking):
                self.why = "what is left needs answers of other processes than those at work: start more, and run it again"

    # receiving ------------------------------------------------------------------------------------------------------------------------

    def take_in(self) -> None:
        """Wait up to ``POLL_SECONDS`` for answers and checks, record all that are finished, and report progress."""
        with suppress(Empty):
            future = self.finished.get(timeout=POLL_SECONDS)
            while True:
                self.answered_at = monotonic()
                if future in self.checking:
                    self.checked(future)
                elif (flight := self.flying.pop(future, None)) is not None:
                    self.answered(flight.unit, future)
                future = self.finished.get_nowait()
        if monotonic() < self.next_progress:
            return
        self.next_progress = monotonic() + PROGRESS_SECONDS
        states = self.store.states()
        share = self.done / self.whole if self.whole > 1 else self.store.share()
        self.options.progress.of("at work")({Progress.SHARE: int(1e6 * share), "units": states[SETTLED], "left": states[OPEN]})

    def answered(self, unit: Unit, future: Future[str]) -> None:
        """Read the answer of a worker and have its evidence checked. Without a valid answer, the unit is sent again."""
        try:
            answer = Answer.model_validate_json(future.result())
            if not answer.is_to(unit) or (answer.outcome == "stopped" and not self.stop.is_set()):
                raise ValueError("an answer to something else")
        except CancelledError:
            return
        except ValueError:
            self.put_back(unit, REFUSED)
        except Exception as error:  # executors raise errors of their own if a process is gone
            self.put_back(unit, f"{ENDED} ({error})" if str(error) else ENDED)
        else:
            self.hosts[answer.host] = now = monotonic()
            if not answer.solution and answer.certificate is None:
                self.record(unit.number, answer, Evidence())
                return
            check = self.inspector.submit(look_at, unit.subject, answer)
            self.checking[check] = (unit.number, answer)
            self.checks_deadline = max(now, self.checks_deadline) + max(MIN_DEADLINE, DEADLINE_FACTOR * answer.cpu)
            check.add_done_callback(self.finished.put)

    def put_back(self, unit: Unit, why: str) -> None:
        """Set a unit aside for this run if it has lost too many processes. A unit without a limit is not set aside for hanging."""
        self.lost[unit.number] += 1
        lost = self.lost[unit.number] >= MAX_LOST and not (why == NO_ANSWER and unit.unlimited)
        if lost and (row := self.store.unit(unit.number)).state == OPEN:
            with self.store.change():
                self.store.set_aside(unit.number, f"{MAX_LOST} processes did not answer it: {why}")
                has_open = self.follow(row.puzzle)
            self.tell(row.puzzle, left=has_open)

    def checked(self, future: Future[Evidence]) -> None:
        """Record an answer whose evidence was checked."""
        number, answer = self.checking.pop(future)
        try:
            evidence = future.result()
        except Exception:  # the check failed or was killed: nothing shows that the evidence is right
            evidence, answer = Evidence(), answer.model_copy(update={"solution": (), "certificate": None})
        self.record(number, answer, evidence)

    def record(self, number: int, answer: Answer, evidence: Evidence) -> None:
        """Record an answer and all its consequences in one transaction."""
        row = self.store.unit(number)
        if row.state == OPEN and answer.outcome != "stopped":  # it was not settled or split in the meantime
            with self.store.change():
                has_open = self.judge(self.store.add_answer(row, Given(answer=answer, evidence=evidence)))
            self.tell(row.puzzle, left=has_open)

    def judge(self, row: UnitRow) -> bool:
        """Settle, split or set aside a unit after a new answer, or leave it open; return whether its puzzle has an open unit."""
        self.new[row.id] += 1
        if row.too_long:
            self.split(row, row.answers[-1].answer.hint, row.answers[-1].answer.estimate)
            return True
        hosts = sum(time > monotonic() - HOST_SECONDS for time in self.hosts.values())
        row = row.decided(single=self.options.single, hosts=hosts)
        if row.result is not None and not row.blind:
            self.store.settle(row)
            self.end_others(row.id)
            if row.question.find == "part":
                self.end_late(row)
                if all(unit.question.find != "part" for unit in self.store.units(puzzle=row.puzzle, state=OPEN)):
                    self.store.check_parts(row.puzzle)
            return self.follow(row.puzzle)
        if (why := row.failed(self.new[row.id])) is not None or self.new[row.id] >= MAX_ANSWERS:
            self.store.set_aside(row.id, why or f"{many(len(row.answers), 'answer')} do not settle it")
            return self.follow(row.puzzle)
        return True

    def tell(self, puzzle: int, *, left: bool) -> None:
        """Report that a puzzle is done, unless units are left."""
        if not left:
            self.done += 1
            self.options.heard(puzzle)

    def split(self, row: UnitRow, hint: str | None, estimate: float | None) -> None:
        """Split a unit that takes too long. A unit that cannot be split stays open, without a limit."""
        parts = self.parts_of(row, hint, estimate)
        for part in parts:
            self.store.add_unit(part)
        self.store.mark_split(row.id, len(parts), hint)
        if parts:
            self.end_others(row.id)

    def end_late(self, row: UnitRow) -> None:
        """Set the open parts of a count aside if the time of its step is used up."""
        seconds = max((step.seconds or inf for step in self.steps if step.find == "count"), default=inf)
        spent = 0.0 if seconds == inf else sum(unit.cpu for unit, _ in self.store.units_of(row.puzzle).settled)
        if spent > (1 if self.options.single else 2) * seconds:
            for unit in [*self.store.units(puzzle=row.puzzle, state=OPEN)]:
                self.store.set_aside(unit.id, f"its count takes longer than {seconds:g} s")

    def end_others(self, number: int) -> None:
        """Stop other workers at a unit that is settled or split."""
        for future, flight in [*self.flying.items()]:
            if flight.unit.number == number:
                del self.flying[future]
                self.workers.give_up(future)
