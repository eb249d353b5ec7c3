"""Whatever comes back, in whatever order, and whenever the coordinator dies: in the end every number is counted once, and rightly."""

import tempfile
from collections import Counter
from concurrent.futures import CancelledError, Future
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from threading import Event

import hypothesis.strategies as st
import pretend
import pytest
from hypothesis import settings
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from liar import Liars

from puzzlesat.base.processes import ChildEndedError
from puzzlesat.base.progress import SILENT
from puzzlesat.studies import coordinator, store
from puzzlesat.studies.coordinator import _Coordinator
from puzzlesat.studies.opening import StudyHeading, open_store
from puzzlesat.studies.units import FIRST, Answer

NUMBERS = 12
WHICH = st.integers(0, 10**6)


class Fake(Liars):
    """Workers that answer when the test says so, and what it says."""

    def __init__(self, *, shared):
        self.shared = shared
        self.room = 3
        self.flying = []

    def slots(self):
        return self.room

    def submit(self, jobs, apart=(), *, fresh=False):
        self.flying.append((Future(), jobs))
        return self.flying[-1][0]

    def pick(self, which):
        """What of all that flies comes home next."""
        return self.flying.pop(which % len(self.flying)) if self.flying else (None, None)


class AnyOrder(RuleBasedStateMachine):
    def __init__(self):
        super().__init__()
        self.stack = ExitStack()
        folder = self.stack.enter_context(tempfile.TemporaryDirectory())
        patch = self.stack.enter_context(pytest.MonkeyPatch.context())
        patch.setattr(coordinator, "POLL_SECONDS", 0.0)
        patch.setattr(coordinator, "MOST_PAUSE_SECONDS", 0.0)
        heading = StudyHeading("pretended", "1", "{}", audit=1.0)
        self.store = self.stack.enter_context(open_store(Path(folder) / "study.sqlite", heading))
        self.store.connection.execute("PRAGMA synchronous = OFF")  # nothing is killed here
        self.wrong = 0
        self.new = 0
        self.honest = False
        self.before = []

    @initialize(most=st.integers(1, 3), shared=st.booleans())
    def begin(self, most, shared):
        self.shared = shared
        self.store.add([(pretend.SUBJECT, [pretend.task(NUMBERS, most)])])
        self.start()

    def start(self):
        self.workers = Fake(shared=self.shared)
        self.run = _Coordinator(self.store, self.workers, Event(), SILENT, patience=1e9)

    def answers(self, jobs, which):
        """What one of several processes of several machines says; in the end each is new, and nobody has caught it."""
        self.new += self.honest
        place = {"host": f"new {self.new}", "process": 1} if self.honest else {"host": f"machine {which % 4}", "process": which % 3}
        return [replace(answer, **place) for answer in pretend.answers(jobs)]

    @rule()
    def hand_out(self):
        self.run.hand_out()

    @rule(which=WHICH)
    def answer_once_more(self, which):
        """The common case is drawn more often."""
        self.answer(which)

    @rule(times=st.integers(1, 5))
    def answer_all(self, times):
        for _ in range(times):
            self.run.hand_out()
            self.answer(self.new)
            self.new += 1

    @rule(which=WHICH)
    def answer(self, which):
        future, jobs = self.workers.pick(which)
        if future is not None:
            self.home(future, self.answers(jobs, which))

    @rule(which=WHICH)
    def answer_wrongly(self, which):
        """No two wrong answers are alike."""
        future, jobs = self.workers.pick(which)
        if future is not None:
            self.wrong += 1
            answers = self.answers(jobs, which)
            self.home(future, [replace(a, result={**a.result, "found": a.result["found"] + self.wrong}) for a in answers])

    @rule(which=WHICH, most=st.integers(0, 2))
    def answer_in_part(self, which, most):
        future, jobs = self.workers.pick(which)
        if future is not None:
            answers = self.answers(jobs, which)
            self.home(future, [*answers[:most], *(replace(a, complete=False) for a in answers[most:])])

    @rule(which=WHICH)
    def answer_what_nobody_asked(self, which):
        """Answers to jobs that others have, that are done, or that there never were."""
        future, jobs = self.workers.pick(which)
        if future is not None:
            self.home(future, [*self.before, *self.answers(jobs, which), Answer(10**6, FIRST, {"found": 1, "parts": [[0, 1]]})])

    @rule(which=WHICH)
    def fail(self, which):
        future, jobs = self.workers.pick(which)
        if future is not None:
            self.home(future, [replace(a, result={}, follow=(), error="too large") for a in self.answers(jobs, which)])

    @rule(which=WHICH, error=st.sampled_from([ChildEndedError(-9), ValueError("a bug"), CancelledError()]))
    def lose(self, which, error):
        future, _ = self.workers.pick(which)
        if future is not None:
            future.set_exception(error)
            self.run.record(self.run.take_in())

    @rule(room=st.sampled_from([0, 1, 3, 3, 4]))
    def workers_come_and_go(self, room):
        self.workers.room = room

    @rule(retry=st.booleans())
    def die(self, retry):
        """What is with workers is forgotten; nothing else is."""
        if retry:
            self.store.retry()
        self.start()

    def home(self, future, answers):
        self.before += answers
        future.set_result(answers)
        self.run.record(self.run.take_in())
        self.run.hand_out()

    @invariant()
    def nothing_is_counted_twice(self):
        numbers = Counter(n for answer in self.store.answers() for part in answer.result["parts"] for n in range(*part))
        assert set(numbers.values()) <= {1}

    @invariant()
    def what_is_done_is_right(self):
        for unit in self.store.units():
            if unit.state == store.DONE:
                [answer] = self.store.answers(unit.id)
                assert answer.result["found"] == pretend.total(range(*answer.result["parts"][0]))

    @invariant()
    def the_coordinator_knows_what_the_store_knows(self):
        if hasattr(self, "run"):
            assert {s: n for s, n in self.run.states.items() if n} == {s: n for s, n in self.store.counts_by_state().items() if n}

    @invariant()
    def nothing_is_forgotten(self):
        """What is left is with a worker, on its way there, or in the line; and with workers no unit is twice."""
        if not hasattr(self, "run"):
            return
        line = self.run.line
        out = Counter(job.unit for flight in self.run.flying.values() for job in flight.batch.jobs)
        out.update(job.unit for batch in (*self.run.held, *filter(None, [self.run.next])) for job in batch.jobs)
        assert set(out.values()) <= {1}
        known = {*out, *line._again, *line._more, *line._alone, *(job.unit for job in line._fresh)}
        known.update(self.store.left(store.OPEN, after=line._last))
        assert known >= {unit.id for unit in self.store.units() if unit.state in store.LEFT}

    def teardown(self):
        """Let honest workers do what is left."""
        try:
            if hasattr(self, "run"):
                self.finish()
        finally:
            self.stack.close()

    def drain(self):
        """Let honest workers do all that this coordinator has left."""
        self.workers.room, self.honest = 3, True
        for _ in range(1000):
            self.run.hand_out()
            if not self.workers.flying:
                break
            self.answer(0)
        assert not any(self.run.states[state] for state in store.LEFT)

    def finish(self):
        self.drain()  # nothing was forgotten
        self.store.retry()
        self.start()
        self.drain()
        states = self.run.end().states
        numbers = sorted(n for answer in self.store.answers() for part in answer.result["parts"] for n in range(*part))
        assert numbers == list(range(NUMBERS))
        assert states[store.DONE] + states[store.UNSETTLED] == sum(states.values())
        if not states[store.UNSETTLED]:
            assert sum(answer.result["found"] for answer in self.store.answers()) == pretend.total(range(NUMBERS))
            assert self.run.end().complete
        self.what_is_done_is_right()
        assert self.store.connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)


TestAnyOrder = AnyOrder.TestCase
TestAnyOrder.settings = settings(stateful_step_count=80)
