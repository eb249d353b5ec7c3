"""The coordinator of a study: it alone splits work, sends units to workers, records their answers and decides what is settled.

The store is the only memory of a run: whatever is killed at whatever moment, the next start goes on from there.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import CancelledError, Future
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from math import inf
from queue import Empty, SimpleQueue
from threading import Event
from time import monotonic
from typing import Any

from puzzlesat.base import VERSION, ChildPool, Progress, many
from puzzlesat.solvers import TALLY
from puzzlesat.studies.cover_parts import split
from puzzlesat.studies.executors import Workers
from puzzlesat.studies.settle import (
    ASIDE,
    MOST_ANSWERS,
    OPEN,
    SETTLED,
    Evidence,
    Given,
    UnitRow,
    confirmed,
    failed,
    look_at,
    settle,
    wrong_parts,
)
from puzzlesat.studies.store import Store
from puzzlesat.studies.units import UNIT_SECONDS, Answer, Question, Unit, limit_of, loaded

POLL_SECONDS = 0.2
TELL_SECONDS = 0.3
"""How often progress is told."""
GIVEN_SECONDS = 0.7
"""Units that are with a worker for longer are noted in the store: if the whole run is killed, the next gives them less time."""
LEAST_DEADLINE, DEADLINES = 60.0, 3.0
"""A unit that takes longer than so many seconds, and so many times its limit or estimate, goes to another process as well. A check of
evidence that takes longer, and longer than so many times its answer, is given up."""
HUNG, UNLIMITED_SECONDS = 4.0, 3600.0
"""After so many times its deadline a process is killed: it hangs, and may be the only one that could answer the unit. A unit without a
limit has the second time at least, and four times as long after each kill."""
IDLE_SECONDS = 2.0
"""A process without work begins with the second answer to a unit that another has had for so long."""
HOST_SECONDS = 300.0
"""A host that answered within so many seconds is at work."""
LEAVING_SECONDS = 20.0
"""How long workers that were told to leave off may take."""
PATIENCE_SECONDS = 60.0
"""How long a run waits if no worker answers."""
MOST_LOST = 3
"""A unit is set aside if so many processes end over it, hang, or send messages that are no answer."""
MOST_TRIES = 2
"""A part that was lost so often with the whole run, after its first answer, is split."""
MOST_BARRED = 16
"""Units that wait for another answer, and are tried before fresh units."""
LEAST_PARTS, MOST_PARTS, DEEPEST = 4, 200, 6
"""Parts of a split: at least, at most if the next level is not needed, and the most levels."""
SPENT = 0.9
"""A count that took this share of its seconds, or more, without an end is not begun again in parts."""
LONG = 1.5
"""A part that should take longer than this times the limit of a unit is split at once."""

ENDED = "the last one ended, perhaps for lack of memory"
NO_ANSWER = "the last one did not answer in time"
REFUSED = "the last one sent something else"


@dataclass(frozen=True)
class End:
    """How a run ended, and how far it came."""

    states: Mapping[str, int]
    """How many units are in each state."""
    stopped: bool = False
    """Whether it was told to stop."""
    why: str | None = None
    """Why it could not go on, in a sentence."""
    differ: Sequence[str] = ()
    """The answers that contradict others, each with its process and host, in sentences."""

    @property
    def complete(self) -> bool:
        """Whether every unit is settled, or split into parts that are."""
        return not self.states[OPEN] and not self.states[ASIDE]

    @property
    def sentences(self) -> list[str]:
        """Warnings: why it ended, which answers differ, what was set aside, what is left."""
        said = [*filter(None, [self.why]), *self.differ]
        if number := self.states[ASIDE]:
            said.append(f"{many(number, 'unit')} set aside: the next start tries again")
        if (left := self.states[OPEN]) and (self.stopped or self.why):
            said.append(f"{many(left, 'unit')} left: run it again to resume")
        return said


@dataclass
class _Flight:
    """A unit that is with a worker."""

    unit: Unit
    since: float
    deadline: float
    hung: float
    noted: bool = False


@dataclass(frozen=True)
class RunOptions:
    """How a study is run."""

    single: bool = False
    """Whether one answer a unit is enough."""
    unit_seconds: float = UNIT_SECONDS
    """CPU seconds for a unit that can be split."""
    patience: float = PATIENCE_SECONDS
    inspectors: Callable[[], ChildPool] = field(default=partial(ChildPool, 1))
    """Starts a process that checks evidence."""


class Coordinator:
    """A run of a study. ``heard`` gets the number of each puzzle of which nothing is open any more."""

    def __init__(
        self, store: Store, steps: Sequence[Question], workers: Workers, options: RunOptions, stop: Event, progress: Progress,
        heard: Callable[[int], None],
    ) -> None:  # fmt: skip
        self.store, self.steps, self.workers, self.options = store, steps, workers, options
        self.stop, self.progress, self.heard = stop, progress, heard
        self.last = 0
        """The number of the last fresh unit that was sent."""
        self.again: deque[int] = deque()
        """Units that need another answer."""
        self.flying: dict[Future[str], _Flight] = {}
        self.looking: dict[Future[Evidence], tuple[int, Answer]] = {}
        self.looks_end = 0.0
        """When the checks of evidence must be done, which one process does one after another."""
        self.home: SimpleQueue[Future[Any]] = SimpleQueue()
        self.inspector = options.inspectors()
        self.lost: Counter[int] = Counter()
        """How often a process was lost over each unit, or sent something else."""
        self.blind: set[int] = set()
        """Units that went to two processes before either had an answer, so that both may use the same solver."""
        self.hosts: dict[str, float] = {}
        """When each host answered last."""
        self.new: Counter[int] = Counter()
        """How many answers each unit got in this run."""
        self.spent: defaultdict[int, float] = defaultdict(float)
        """CPU seconds of the settled parts of each puzzle."""
        self.answered_at = monotonic()
        self.tell_at = 0.0
        self.why: str | None = None
        self.whole, self.done = 0, 0
        """How many puzzles there are, and how many are done."""

    def run(self, begun: Callable[[int], None] = lambda _: None) -> End:
        """Do all that is left of a study, until it is told to stop; ``begun`` gets the number of puzzles that are done already.

        Raises PuzzleError if the store cannot be used.
        """
        try:
            self.begin()
            begun(self.done)
            self.work()
            if self.flying:  # the workers are to leave off; what they finished is recorded
                self.workers.stop()
            until = monotonic() + LEAVING_SECONDS
            while (self.flying or self.looking) and monotonic() < until:
                self.take_in()
        finally:
            self.workers.end()
            self.inspector.kill()
            self.inspector.shutdown()
        return End(self.store.states(), self.stop.is_set(), self.why, self.store.disputes())

    # what is to be done ---------------------------------------------------------------------------------------------------------------

    def begin(self) -> None:
        """Ask the questions of all puzzles that are not settled; what was set aside is tried again."""
        with self.store.change():
            self.store.open_again()
            for number, _ in [*self.store.puzzles()]:
                self.whole += 1
                self.done += not self.follow(number)
                if self.store.facts(number) is not None:
                    self.spent[number] = sum(unit.cpu for unit in self.store.units(number, state=SETTLED) if unit.question.find == "part")
            for unit in [unit for unit in self.store.units(state=OPEN) if unit.answers]:
                if unit.question.find == "part" and unit.tries >= MOST_TRIES:
                    self.split(unit, unit.hint, unit.answers[0].answer.cpu)
                else:
                    self.again.append(unit.id)

    def follow(self, puzzle: int) -> bool:
        """Ask the next question about a puzzle; return whether any is open. Within a change of the store."""
        if self.store.states(puzzle)[OPEN]:
            return True
        found, units = self.store.found(puzzle), [*self.store.units(puzzle)]
        steps = [step for step in self.steps if not found.settles(step)]
        return any(self.ask(puzzle, step, [unit for unit in units if unit.question == step]) for step in steps)

    def ask(self, puzzle: int, step: Question, asked: Sequence[UnitRow]) -> bool:
        """Ask the next question of a step after some units; return whether there is one. A solution is looked for in several attempts."""
        attempts = 1.0
        prefix: tuple[int, ...] = ()
        if step.find == "solution":
            seconds = limit_of(step, 0, self.options.unit_seconds) or 1.0
            attempts, prefix = inf if step.seconds is None else step.seconds / seconds, (len(asked),)
        if len(asked) < attempts and all(unit.state != ASIDE for unit in asked):
            self.store.add_unit(UnitRow(puzzle=puzzle, question=step, prefix=prefix))
            return True
        counted = asked[0].result
        if step.find != "count" or counted is None or counted.claim is not None or self.store.facts(puzzle) is not None:
            return False
        if step.seconds is not None and max(given.answer.cpu for given in asked[0].answers) > SPENT * step.seconds:
            return False
        self.begin_parts(puzzle, step.memory)
        return True

    def begin_parts(self, puzzle: int, memory: int | None) -> None:
        """Ask for the count of each cover problem of a puzzle; small problems come first. Within a change of the store."""
        facts = loaded(self.store.puzzle(puzzle)).facts
        self.store.set_facts(puzzle, facts)
        for of in reversed(facts.problems):
            self.store.add_unit(UnitRow(puzzle=puzzle, question=Question(find="part", of=of, memory=memory)))

    def parts_of(self, unit: UnitRow, hint: str | None, estimate: float | None) -> list[UnitRow]:
        """Split a unit: a function of its puzzle, its prefix, the solver and the depth alone. No parts: it cannot be split."""
        problem = loaded(self.store.puzzle(unit.puzzle)).problem(unit.question.of)
        limit = limit_of(unit.question, unit.tries, self.options.unit_seconds) or 1.0
        level: list[tuple[tuple[int, ...], float]] = [(unit.prefix, unit.share)]
        for depth in range(DEEPEST):
            if depth and len(level) >= LEAST_PARTS and (estimate or 0) / len(level) <= LONG * limit:
                break
            deeper = [
                (part, share / len(parts))
                for prefix, share in level
                for parts in [split(problem, prefix, by_tiles=hint == TALLY) or [prefix]]
                for part in parts
            ]
            if len(deeper) == len(level) or (depth and len(deeper) > MOST_PARTS):
                break
            level = deeper
        if level[0][0] == unit.prefix:
            return []
        each = None if estimate is None else estimate / len(level)
        part = UnitRow(puzzle=unit.puzzle, question=unit.question, parent=unit.id, tries=unit.tries, hint=hint, estimate=each)
        return [part.model_copy(update={"prefix": prefix, "share": share}) for prefix, share in level]

    # out ------------------------------------------------------------------------------------------------------------------------------

    def work(self) -> None:
        """Send units and record answers until nothing is left, or something says stop."""
        while not self.stop.is_set() and self.why is None:
            self.hand_out()
            if not (self.flying or self.looking or self.again or self.store.open_units(self.last, 1)):
                return
            self.take_in()
            self.watch()

    def hand_out(self) -> None:
        """Send as many units as workers take: overdue ones to a second process, then those that need another answer, then fresh ones."""
        now = monotonic()
        self.send_copies(flight.unit for flight in self.flying.values() if now > flight.deadline)
        for _ in range(min(MOST_BARRED, len(self.again))):
            if self.workers.free() and not self.send(number := self.again.popleft()):
                self.again.append(number)
        while self.workers.free() and (fresh := self.store.open_units(self.last, 1)) and self.send(fresh[0]):
            self.last = fresh[0]
        if not self.options.single:
            units = [flight.unit for flight in self.flying.values() if now - flight.since > IDLE_SECONDS]
            self.send_copies(unit for unit in units if unit.prefix or unit.question.find != "part")  # a whole count is rather split

    def send_copies(self, units: Iterable[Unit]) -> None:
        """Send units that are with one worker to another one as well."""
        for number in [unit.number for unit in units]:
            if self.workers.free() and self.copies(number) < 2:
                self.send(number, more=True)

    def copies(self, number: int) -> int:
        """Return how many workers have a unit now."""
        return sum(flight.unit.number == number for flight in self.flying.values())

    def send(self, number: int, *, more: bool = False) -> bool:
        """Send a unit to a worker that has not answered it; return whether that was possible, or is not needed any more."""
        row = self.store.unit(number)
        if row.state != OPEN or (not more and self.copies(number)):
            return True
        answers = [given.answer for given in row.answers if given.usable]
        places = [given.answer.place for given in row.answers]
        places += [place for flight in self.flying.values() if flight.unit.number == number for place in flight.unit.apart]
        seconds = limit_of(row.question, row.tries, self.options.unit_seconds)
        if row.question.find == "part" and row.parts == 0:
            seconds = None  # it cannot be split
        solvers, took = tuple(answer.solver for answer in answers), answers[0].cpu if answers else 0.0
        if more and row.hint and not answers:  # the other process uses this solver
            solvers, took = (row.hint,), row.estimate or 0.0
        elif more and not answers and row.question.find in ("count", "part"):
            self.blind.add(number)
        unit = Unit(
            version=VERSION, number=number, subject=self.store.puzzle(row.puzzle), question=row.question, prefix=row.prefix,
            seconds=seconds, hint=row.hint, answered=solvers, took=took, apart=tuple(places),
        )  # fmt: skip
        try:
            future = self.workers.submit(unit.model_dump_json(exclude_defaults=True), places)
        except (OSError, RuntimeError) as error:
            self.why = f"no worker takes units any more: {error}"
            return True
        if future is None:
            return False
        now, deadline = monotonic(), max(LEAST_DEADLINE, DEADLINES * max(seconds or 0.0, took, row.estimate or 0.0))
        hung = HUNG * deadline if seconds is not None else max(HUNG * deadline, UNLIMITED_SECONDS * 4 ** self.lost[number])
        self.flying[future] = _Flight(unit, now, now + deadline, now + hung)
        future.add_done_callback(self.home.put)
        return True

    def watch(self) -> None:
        """Note long units in the store, kill processes that hang, and end a run in which nobody answers."""
        now = monotonic()
        if new := [flight for flight in self.flying.values() if not flight.noted and now - flight.since > GIVEN_SECONDS]:
            with self.store.change():
                self.store.note_tries(flight.unit.number for flight in new)
            for flight in new:
                flight.noted = True
        for future, flight in [(future, flight) for future, flight in self.flying.items() if now > flight.hung]:
            del self.flying[future]
            self.workers.give_up(future)
            self.put_back(flight.unit, NO_ANSWER)
        if self.looking and now > self.looks_end:  # what was to be checked then shows nothing
            self.inspector.kill()
            self.inspector, self.looks_end = self.options.inspectors(), now + LEAST_DEADLINE
        if now - self.answered_at > self.options.patience:
            if self.workers.free() + len(self.flying) <= 0:
                self.why = "there is no worker: start some, and run it again"
            elif not (self.flying or self.looking):
                self.why = "what is left needs answers of other processes than those at work: start more, and run it again"

    # in -------------------------------------------------------------------------------------------------------------------------------

    def take_in(self) -> None:
        """Wait a moment for answers, and record those that came."""
        with suppress(Empty):
            future = self.home.get(timeout=POLL_SECONDS)
            while True:
                self.answered_at = monotonic()
                if future in self.looking:
                    self.looked(future)
                elif (flight := self.flying.pop(future, None)) is not None:
                    self.answered(flight.unit, future)
                future = self.home.get_nowait()
        if monotonic() < self.tell_at:
            return
        self.tell_at = monotonic() + TELL_SECONDS
        states = self.store.states()
        share = 1e6 * self.done / max(1, self.whole) if self.whole > 1 else 1e6 * self.store.share()
        self.progress.of("at work")({Progress.SHARE: int(share), "units": states[SETTLED], "left": states[OPEN]})

    def answered(self, unit: Unit, future: Future[str]) -> None:
        """Read the answer of a worker; what is no answer to its unit is refused, and the unit is sent again."""
        try:
            answer = Answer.model_validate_json(future.result())
            if not answer.is_to(unit):
                raise ValueError("an answer to something else")
        except CancelledError:
            self.again.append(unit.number)
            return
        except ValueError:
            self.put_back(unit, REFUSED)
            return
        except Exception as error:  # whatever an executor raises: its process is gone
            self.put_back(unit, f"{ENDED} ({error})" if str(error) else ENDED)
            return
        if (note := getattr(self.workers, "answered", None)) is not None:
            note(future, answer.place)
        self.hosts[answer.host] = now = monotonic()
        if answer.solution or answer.certificate is not None:
            look = self.inspector.submit(look_at, unit.subject, answer)
            self.looking[look] = (unit.number, answer)
            self.looks_end = max(now, self.looks_end) + max(LEAST_DEADLINE, DEADLINES * answer.cpu)
            look.add_done_callback(self.home.put)
        else:
            self.record(unit.number, answer, Evidence())

    def put_back(self, unit: Unit, why: str) -> None:
        """Send a unit again that brought no answer; or set it aside for this run. One without a limit is not set aside because it hangs."""
        self.lost[unit.number] += 1
        if self.lost[unit.number] < MOST_LOST or (why == NO_ANSWER and unit.seconds is None):
            self.again.append(unit.number)
        elif (row := self.store.unit(unit.number)).state == OPEN:
            with self.store.change():
                self.store.set_aside(unit.number, f"{MOST_LOST} processes did not answer it: {why}")
                left = self.follow(row.puzzle)
            self.tell(row.puzzle, left=left)

    def looked(self, future: Future[Evidence]) -> None:
        """Record an answer whose evidence was checked."""
        number, answer = self.looking.pop(future)
        try:
            evidence = future.result()
        except Exception:  # the evidence could not be checked: it shows nothing
            evidence = Evidence()
        self.record(number, answer, evidence)

    def record(self, number: int, answer: Answer, evidence: Evidence) -> None:
        """Record an answer, and what follows from it, in one transaction."""
        row = self.store.unit(number)
        if row.state != OPEN:  # another process was faster
            return
        if answer.outcome == "stopped":
            self.again.append(number)
            return
        with self.store.change():
            left = self.judge(self.store.add_answer(row, Given(answer=answer, evidence=evidence)))
        self.tell(row.puzzle, left=left)

    def judge(self, row: UnitRow) -> bool:
        """Settle a unit after a new answer, split it, set it aside, or ask again; return whether anything of its puzzle is open."""
        self.new[row.id] += 1
        if row.question.find == "part" and row.answers[-1].answer.outcome == "too long" and row.parts is None:
            self.split(row, row.answers[-1].answer.hint, row.answers[-1].answer.estimate)
            return True
        hosts = sum(seen > monotonic() - HOST_SECONDS for seen in self.hosts.values())
        result = settle(row.answers, single=self.options.single, hosts=hosts)
        if result is not None and row.id in self.blind and not confirmed(row.answers, result):
            self.blind.discard(row.id)
            self.again.append(row.id)
            return True
        if result is not None:
            self.store.settle(row, result)
            self.end_others(row.id)
            if row.question.find == "part":
                self.end_late(row)
                self.check_parts(row)
        elif (why := failed(row.answers[-self.new[row.id] :])) is not None:
            self.store.set_aside(row.id, why)
        elif self.new[row.id] >= MOST_ANSWERS:
            self.store.set_aside(row.id, f"{many(len(row.answers), 'answer')} do not settle it")
        else:
            self.again.append(row.id)
            return True
        return self.follow(row.puzzle)

    def tell(self, puzzle: int, *, left: bool) -> None:
        """Tell that a puzzle is done, if nothing of it is left."""
        if not left:
            self.done += 1
            self.heard(puzzle)

    def split(self, row: UnitRow, hint: str | None, estimate: float | None) -> None:
        """Split a unit that takes too long; one that cannot be split gets all the time it needs."""
        parts = self.parts_of(row, hint, estimate)
        for part in parts:
            self.store.add_unit(part)
        self.store.mark_split(row.id, len(parts))
        if parts:
            self.end_others(row.id)
        else:
            self.again.append(row.id)

    def end_late(self, row: UnitRow) -> None:
        """Set the open parts of a count aside if its step has no more time."""
        self.spent[row.puzzle] += row.cpu
        limits = [inf if step.seconds is None else step.seconds for step in self.steps if step.find == "count"]
        seconds = max(limits, default=inf)
        if self.spent[row.puzzle] > (1 if self.options.single else 2) * seconds:
            for unit in [*self.store.units(row.puzzle, state=OPEN)]:
                self.store.set_aside(unit.id, f"its count takes longer than {seconds:g} s")

    def check_parts(self, row: UnitRow) -> None:
        """Set the last part of a count aside if the parts are not the whole puzzle."""
        if not self.store.states(row.puzzle)[OPEN] and (parts := self.store.parts(row.puzzle)).complete:
            for wrong in wrong_parts(loaded(self.store.puzzle(row.puzzle)), parts)[:1]:
                self.store.set_aside(row.id, wrong)

    def end_others(self, number: int) -> None:
        """End the work of others at a unit that is settled or split."""
        for future, flight in [*self.flying.items()]:
            if flight.unit.number == number:
                del self.flying[future]
                self.workers.give_up(future)
