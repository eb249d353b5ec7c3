"""The coordinator of a study: it alone splits work, sends units to workers, records their answers and decides what is settled.

The store is the only memory of a run: whatever is killed at whatever moment, the next start goes on from there.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import CancelledError, Executor, Future
from contextlib import suppress
from dataclasses import dataclass
from math import ceil
from queue import Empty, SimpleQueue
from threading import Event
from time import monotonic
from typing import Any

from pydantic import ValidationError

from puzzlesat.base import SHARE, ChildPool, Progress, many
from puzzlesat.solvers import TALLY
from puzzlesat.studies.cover_parts import split
from puzzlesat.studies.executors import Workers
from puzzlesat.studies.settle import MOST_ANSWERS, Evidence, Given, differing, failed, look_at, settle, wrong_parts
from puzzlesat.studies.store import ASIDE, OPEN, SETTLED, Reader, Store, UnitRow
from puzzlesat.studies.units import UNIT_SECONDS, Answer, Place, Question, Step, Unit, limit_of, loaded
from puzzlesat.version import VERSION

POLL_SECONDS = 0.2
TELL_SECONDS = 0.3
"""How often progress is told."""
GIVEN_SECONDS = 0.7
"""Units that are with a worker for longer are noted in the store: if the whole run is killed, the next gives them less time."""
LEAST_DEADLINE, DEADLINES = 60.0, 3.0
"""A unit that takes longer than so many seconds, and so many times its limit, goes to another process as well."""
HUNG = 4.0
"""After so many times its deadline a process is killed: it hangs, and may be the only one that could answer the unit."""
IDLE_SECONDS = 2.0
"""A process without work begins with the second answer to a unit that another has had for so long."""
HOST_SECONDS = 300.0
"""A host that answered within so many seconds is at work."""
LEAVING_SECONDS = 20.0
"""How long workers that were told to leave off may take."""
PATIENCE_SECONDS = 60.0
"""How long a run waits if no worker answers."""
MOST_DEATHS = 3
"""Processes that may end over one unit, before it is set aside."""
MOST_REFUSED = 5
"""Messages that are no answer to a unit, before it is set aside."""
MOST_TRIES = 2
"""A part that was lost so often with the whole run, after its first answer, is split."""
MOST_BARRED = 16
"""Units in a row that wait for other processes than those that are free, before fresh ones go first."""
AT_ONCE = 200
"""Units that are read from the store together."""
LEAST_PARTS, MOST_PARTS, DEEPEST = 4, 200, 6
"""Parts of a split: at least, at most if the next level is not needed, and the most levels."""
SPENT = 0.9
"""A count that took this share of its seconds, or more, without an end is not begun again in parts."""
LONG = 1.5
"""A part that should take longer than this times the limit of a unit is split at once."""

ENDED = f"it ended the process that worked on it {MOST_DEATHS} times, perhaps for lack of memory"
NO_ANSWER = f"{MOST_DEATHS} processes did not answer it in time"


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
        return not self.left and not self.states[ASIDE]

    @property
    def left(self) -> int:
        """How many units are open."""
        return self.states[OPEN]

    @property
    def sentences(self) -> list[str]:
        """Warnings: why it ended, which answers differ, what was set aside, what is left."""
        said = [*([] if self.why is None else [self.why]), *self.differ]
        if number := self.states[ASIDE]:
            said.append(f"{many(number, 'unit')} set aside: the next start tries again")
        if self.left and (self.stopped or self.why):
            said.append(f"{many(self.left, 'unit')} left: run it again to resume")
        return said


@dataclass
class _Flight:
    """A unit that is with a worker."""

    unit: Unit
    since: float
    deadline: float
    hung: float
    apart: tuple[Place, ...]
    noted: bool = False


@dataclass(frozen=True)
class RunOptions:
    """How a study is run."""

    single: bool = False
    """Whether one answer a unit is enough."""
    unit_seconds: float = UNIT_SECONDS
    """CPU seconds for a unit that can be split."""
    patience: float = PATIENCE_SECONDS
    inspector: Executor | None = None
    """Checks evidence; None: a process of this machine."""


Heard = Callable[[int], None]
"""Gets the number of each puzzle of which everything is settled that the study asks."""


def run(coordinator: Coordinator, begun: Callable[[int], None] = lambda _: None) -> End:
    """Do all that is left of a study, until it is told to stop; ``begun`` gets the number of puzzles that are done already.

    Raises PuzzleError if the store cannot be used.
    """
    try:
        coordinator.begin()
        begun(coordinator.done)
        coordinator.work()
        coordinator.leave()
    finally:
        coordinator.close()
    return coordinator.end()


class Coordinator:
    """A run of a study."""

    def __init__(
        self, store: Store, steps: Sequence[Step], workers: Workers, options: RunOptions, stop: Event, progress: Progress, heard: Heard
    ) -> None:
        self.store, self.steps, self.workers, self.options = store, steps, workers, options
        self.stop, self.progress, self.heard = stop, progress, heard
        self.fresh: deque[int] = deque()
        self.last = 0
        """The number of the last unit that was read from the store into ``fresh``."""
        self.again: deque[int] = deque()
        """Units that need another answer."""
        self.flying: dict[Future[str], _Flight] = {}
        self.looking: dict[Future[Evidence], tuple[int, Answer]] = {}
        self.home: SimpleQueue[Future[Any]] = SimpleQueue()
        self.inspector = options.inspector or ChildPool(1)
        self.deaths: Counter[int] = Counter()
        self.refused: Counter[int] = Counter()
        self.hosts: dict[str, float] = {}
        """When each host answered last."""
        self.new: Counter[int] = Counter()
        """How many answers each unit got in this run."""
        self.spent: dict[int, float] = {}
        """CPU seconds of the parts of each puzzle."""
        self.answered_at = monotonic()
        self.tell_at = 0.0
        self.why: str | None = None
        self.whole, self.done = 0, 0
        """How many puzzles there are, and how many are done."""

    # what is to be done ---------------------------------------------------------------------------------------------------------------

    def begin(self) -> None:
        """Ask the questions of all puzzles that are not settled; what was set aside is tried again."""
        with self.store.change():
            self.store.open_again()
            numbers = [number for number, _ in self.store.puzzles()]
            self.whole = len(numbers)
            for number in numbers:
                self.done += not self.follow(number)
            for unit in [unit for unit in self.store.units(state=OPEN) if unit.answers]:
                if unit.question.find == "part" and unit.tries >= MOST_TRIES:
                    self.split(unit, unit.hint, unit.answers[0].answer.cpu)
                else:
                    self.again.append(unit.id)

    def follow(self, puzzle: int) -> bool:
        """Ask the next question about a puzzle; return whether any is open. Within a change of the store."""
        states = self.store.states(puzzle)
        if states[OPEN] or not self.steps:
            return bool(states[OPEN])
        found = self.store.found(puzzle)
        units = {(unit.question.text, unit.prefix): unit for unit in self.store.units(puzzle)}
        for step in self.steps:
            if found.settles(step):
                continue
            if (new := self._next(puzzle, step, units)) is not None:
                self.store.add_unit(new)
                return True
            if step.find == "count" and self._split_count(puzzle, step, units):
                return True
        return False

    def _next(self, puzzle: int, step: Step, units: Mapping[tuple[str, tuple[int, ...]], UnitRow]) -> UnitRow | None:
        """Return the next unit of a step; None if there is none. A solution is looked for in several attempts."""
        question = step.question
        attempts = 1
        if step.find == "solution":
            attempts = 10**9 if step.seconds is None else ceil(step.seconds / (limit_of(question, 0, self.options.unit_seconds) or 1))
        known = sum(text == question.text for text, _ in units)
        return UnitRow(0, puzzle, question, (known,) if step.find == "solution" else ()) if known < attempts else None

    def _split_count(self, puzzle: int, step: Step, units: Mapping[Any, UnitRow]) -> bool:
        """Begin to count a puzzle in parts, if the step has time for it; return whether it has begun."""
        counted = units[step.question.text, ()]
        spent = max((given.answer.cpu for given in counted.answers), default=0.0)
        if self.store.facts(puzzle) is not None or counted.result is None or counted.result.claim is not None:
            return False
        if step.seconds is not None and spent > SPENT * step.seconds:
            return False
        self.begin_parts(puzzle, step.memory)
        return True

    def begin_parts(self, puzzle: int, memory: int | None) -> None:
        """Ask for the count of each cover problem of a puzzle; small problems come first. Within a change of the store."""
        facts = loaded(self.store.puzzle(puzzle)).facts
        self.store.set_facts(puzzle, facts)
        for of in reversed(facts.problems):
            self.store.add_unit(UnitRow(0, puzzle, Question(find="part", of=of, memory=memory), ()))

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
        fields = {"parent": unit.id, "tries": unit.tries, "hint": hint, "estimate": each}
        return [UnitRow(0, unit.puzzle, unit.question, prefix, share=share, **fields) for prefix, share in level]  # type: ignore[arg-type]

    # out ------------------------------------------------------------------------------------------------------------------------------

    def work(self) -> None:
        """Send units and record answers until nothing is left, or something says stop."""
        while not self.stop.is_set() and self.why is None:
            self.hand_out()
            if not (self.flying or self.looking or self.fresh or self.again or self.store.open_units(self.last, 1)):
                return
            self.take_in()
            self.watch()

    def hand_out(self) -> None:
        """Send as many units as workers take: those that need another answer first."""
        barred = 0
        for _ in range(len(self.again)):
            if not self.workers.free():
                return
            if not self.send(number := self.again.popleft()):
                self.again.append(number)
                barred += 1
                if barred >= MOST_BARRED:
                    break
        while self.workers.free():
            if not self.fresh:
                self.fresh.extend(self.store.open_units(self.last, AT_ONCE))
                if not self.fresh:
                    break
                self.last = self.fresh[-1]
            if not self.send(self.fresh[0]):
                return
            self.fresh.popleft()
        now = monotonic()
        waits = IDLE_SECONDS if not self.options.single else LEAST_DEADLINE
        for flight in sorted(self.flying.values(), key=lambda flight: flight.since):
            unit = flight.unit
            splits = unit.question.find == "part" and not unit.prefix  # its first answer is rather that it takes too long
            if self.workers.free() and now - flight.since > waits and not splits and self.copies(unit.number) < 2:
                self.send(unit.number, more=True)

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
        places += [place for flight in self.flying.values() if flight.unit.number == number for place in flight.apart]
        seconds = limit_of(row.question, row.tries, self.options.unit_seconds)
        if row.question.find == "part" and row.parts == 0:
            seconds = None  # it cannot be split
        solvers, took = tuple(answer.solver for answer in answers), answers[0].cpu if answers else 0.0
        if more and row.hint and not answers:  # the other process uses this solver
            solvers, took = (row.hint,), row.estimate or 0.0
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
        now, expected = monotonic(), max(seconds or 0.0, unit.took)
        deadline = max(LEAST_DEADLINE, DEADLINES * expected) if seconds is not None or unit.took else float("inf")
        self.flying[future] = _Flight(unit, now, now + deadline, now + HUNG * deadline, tuple(places))
        future.add_done_callback(self.home.put)
        return True

    def watch(self) -> None:
        """Note long units in the store, send overdue ones to another process as well, and end a run in which nobody answers."""
        now = monotonic()
        if new := [flight for flight in self.flying.values() if not flight.noted and now - flight.since > GIVEN_SECONDS]:
            with self.store.change():
                self.store.note_tries(flight.unit.number for flight in new)
            for flight in new:
                flight.noted = True
        for flight in [flight for flight in self.flying.values() if now > flight.deadline]:
            flight.deadline = float("inf")
            if self.copies(flight.unit.number) < 2 and not self.send(flight.unit.number, more=True):
                flight.deadline = now + POLL_SECONDS
        for future, flight in [(future, flight) for future, flight in self.flying.items() if now > flight.hung]:
            del self.flying[future]
            self.workers.give_up(future)
            self.died(flight.unit.number, NO_ANSWER)
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
                    self.answered(flight, future)
                future = self.home.get_nowait()
        if monotonic() < self.tell_at:
            return
        self.tell_at = monotonic() + TELL_SECONDS
        states = self.store.states()
        share = 1e6 * self.done / max(1, self.whole) if self.whole > 1 else 1e6 * self.store.share()
        self.progress.of("at work")({SHARE: int(share), "units": states[SETTLED], "left": states[OPEN]})

    def answered(self, flight: _Flight, future: Future[str]) -> None:
        """Read the answer of a worker; what is no answer to its unit is refused, and the unit is sent again."""
        number = flight.unit.number
        try:
            text = future.result()
            answer = Answer.model_validate_json(text)
            if not answer.is_to(flight.unit):
                raise ValueError("an answer to something else")
        except CancelledError:
            self.again.append(number)
            return
        except (ValidationError, ValueError):
            self.refused[number] += 1
            self.put_back(number, self.refused[number] >= MOST_REFUSED, f"{many(MOST_REFUSED, 'message')} of workers were no answer to it")
            return
        except Exception as error:  # whatever an executor raises: its process is gone
            self.died(number, ENDED if not str(error) else f"{ENDED} ({error})")
            return
        if (note := getattr(self.workers, "answered", None)) is not None:
            note(future, answer.place)
        self.hosts[answer.place[0]] = monotonic()
        if answer.solution or answer.certificate is not None:
            look = self.inspector.submit(look_at, flight.unit.subject, answer)
            self.looking[look] = (number, answer)
            look.add_done_callback(self.home.put)
        else:
            self.record(number, answer, Evidence())

    def died(self, number: int, why: str) -> None:
        """Take note that the process that had a unit is gone."""
        self.deaths[number] += 1
        self.put_back(number, self.deaths[number] >= MOST_DEATHS, why)

    def put_back(self, number: int, give_up: bool, why: str) -> None:
        """Send a unit again, or set it aside for this run."""
        if not give_up:
            self.again.append(number)
        elif self.store.unit(number).state == OPEN:
            with self.store.change():
                self.store.set_aside(number, why)

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
        finished = False
        with self.store.change():
            row = self.store.add_answer(row, Given(answer, evidence))
            self.new[number] += 1
            if row.question.find == "part" and answer.outcome == "too long" and row.parts is None:
                self.split(row, answer.hint, answer.estimate)
                return
            hosts = sum(seen > monotonic() - HOST_SECONDS for seen in self.hosts.values())
            result = settle(row.answers, single=self.options.single, hosts=hosts)
            if result is not None:
                self.store.settle(row, result)
                self.end_others(number)
                self.end_late(row, row.cpu)
                if self.is_sound(row):
                    finished = not self.follow(row.puzzle)
            elif (why := failed(row.answers[-self.new[number] :])) is not None:
                self.store.set_aside(number, why)
            elif self.new[number] >= MOST_ANSWERS:
                self.store.set_aside(number, f"{many(len(row.answers), 'answer')} do not settle it")
            else:
                self.again.append(number)
        if finished:
            self.done += 1
            self.heard(row.puzzle)

    def split(self, row: UnitRow, hint: str | None, estimate: float | None) -> None:
        """Split a unit that takes too long; one that cannot be split gets all the time it needs."""
        parts = self.parts_of(row, hint, estimate)
        self.store.split(row, parts)
        if parts:
            self.end_others(row.id)
        else:
            self.again.append(row.id)

    def end_late(self, row: UnitRow, cpu: float) -> None:
        """Set the open parts of a count aside if its step has no more time."""
        counts = [step for step in self.steps if step.find == "count"]
        if row.question.find != "part" or not counts or any(step.seconds is None for step in counts):
            return
        parts = self.store.units(row.puzzle) if row.puzzle not in self.spent else ()
        known = sum(unit.cpu for unit in parts if unit.question.find == "part")
        self.spent[row.puzzle] = self.spent.get(row.puzzle, known) + cpu
        seconds = max(step.seconds or 0.0 for step in counts)
        if self.spent[row.puzzle] > (1 if self.options.single else 2) * seconds:
            for unit in [*self.store.units(row.puzzle, state=OPEN)]:
                self.store.set_aside(unit.id, f"its count takes longer than {seconds:g} s")

    def end_others(self, number: int) -> None:
        """End the work of others at a unit that is settled or split."""
        for future, flight in [*self.flying.items()]:
            if flight.unit.number == number:
                del self.flying[future]
                self.workers.give_up(future)

    def is_sound(self, row: UnitRow) -> bool:
        """Tell whether the parts of a count that is complete are the whole puzzle; if not, its unit is set aside."""
        parts = self.store.parts(row.puzzle) if row.question.find == "part" else None
        wrong = wrong_parts(loaded(self.store.puzzle(row.puzzle)), parts) if parts is not None and parts.complete else []
        if wrong:
            self.store.set_aside(row.id, wrong[0])
        return not wrong

    # the end --------------------------------------------------------------------------------------------------------------------------

    def leave(self) -> None:
        """Tell the workers to leave off, and record what they finished."""
        if self.flying:
            self.workers.stop()
        until = monotonic() + LEAVING_SECONDS
        while (self.flying or self.looking) and monotonic() < until:
            self.take_in()

    def close(self) -> None:
        """End the workers, and the process that checks evidence."""
        self.workers.end()
        if self.options.inspector is None and isinstance(self.inspector, ChildPool):
            self.inspector.kill()
            self.inspector.shutdown()

    def end(self) -> End:
        """Return how the run ended."""
        return End(self.store.states(), self.stop.is_set(), self.why, disputes(self.store))


def disputes(store: Reader) -> list[str]:
    """Return a sentence for each unit whose answers contradict each other, with process and host of each."""
    differ = [unit for unit in store.units() if differing(unit.answers)]
    return [f"{store.puzzle(unit.puzzle).name}, unit {unit.id:,}: {dispute_words(unit)}" for unit in differ]


def dispute_words(unit: UnitRow) -> str:
    """Return the answers to a unit in words, those that settled it first."""
    settled = () if unit.result is None else (unit.result.by, unit.result.second)
    words = []
    for place, given in enumerate(unit.answers):
        answer, claim = given.answer, given.answer.claim.model_dump(exclude_defaults=True)
        what = ", ".join(f"{key} {value}" for key, value in claim.items() if key != "problem") or answer.outcome
        wrong = f" ({given.evidence.wrong})" if given.evidence.wrong else ""
        words.append(f"{'settled: ' if place in settled else ''}{what} by process {answer.process} on {answer.host}{wrong}")
    return "; ".join(words)
