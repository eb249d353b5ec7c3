"""A run on ten thousand workers by a false clock: what they do, wait for and lose, and where the one who hands out becomes too slow.

Discrete events. A worker asks for a unit as soon as its last answer was taken in. An answer goes through the scheduler, which takes some
time a task, to the coordinator, which takes some time a unit: both serve one after the other. Workers have unequal speeds. They fail at
random moments, which is noticed after a while (at once, where the process died; after the scheduler's patience, where the machine did),
and return later; what they did is done again. A share of the units is done twice. Times are seconds.
"""

from __future__ import annotations

import heapq
import random
from collections import deque
from dataclasses import dataclass


@dataclass(frozen=True)
class Setting:
    """What is simulated; the times a unit of coordinator and scheduler are measured, or documented."""

    workers: int = 10_000
    units: int = 1_000_000
    mean: float = 30.0
    """What a unit takes on a worker of speed 1."""
    coordinator: float = 1 / 1500
    scheduler: float = 1 / 4000
    audit: float = 0.02
    hours: float = 24.0
    """Between two failures of a worker, in the mean …"""
    back: float = 600.0
    """… and until it is there again."""
    silent: float = 0.2
    """The share of the failures that are noticed only by silence …"""
    patience: float = 300.0
    """… after so long."""
    seed: int = 1


@dataclass(frozen=True)
class Outcome:
    """What came of it: seconds by the clock, and shares of the time of all workers until the end."""

    seconds: float
    busy: float
    """With units whose answers came in."""
    lost: float
    """With units that were lost with their worker."""
    waiting: float
    """For the answer to be taken in, and the next unit."""
    tail: float
    """For the end, when nothing is left to hand out."""
    away: float
    """Not there, or not missed yet."""
    coordinator: float
    """Of the time of the coordinator …"""
    scheduler: float
    """… and of the scheduler, the share with something to do."""
    failures: int
    again: int
    """Units that were handed out again."""


class _Server:
    """Serves one after the other."""

    def __init__(self, each: float) -> None:
        self.each, self.free, self.busy = each, 0.0, 0.0

    def serve(self, now: float) -> float:
        """Return when what comes now is served."""
        self.free = max(self.free, now) + self.each
        self.busy += self.each
        return self.free


ASKS, ENDS, FAILS, MISSED, RETURNS = range(5)


def simulate(setting: Setting) -> Outcome:
    """Run until every unit is done."""
    chance = random.Random(setting.seed)
    speeds = [chance.choice((0.5, 1.0, 1.0, 1.5, 2.0)) for _ in range(setting.workers)]
    coordinator, scheduler = _Server(setting.coordinator), _Server(setting.scheduler)
    audits = sum(chance.random() < setting.audit for _ in range(setting.units))
    left, open_again, done, wanted = setting.units + audits, deque(), 0, setting.units + audits
    events = [(0.0, ASKS, worker, 0) for worker in range(setting.workers)]
    events += [(chance.expovariate(1 / (3600 * setting.hours)), FAILS, worker, 0) for worker in range(setting.workers)]
    heapq.heapify(events)
    life = [0] * setting.workers
    work: list[tuple[float, float] | None] = [None] * setting.workers
    """Since when a worker is at its unit, and the work in that."""
    idle = [0.0] * setting.workers
    out_of_work: dict[int, float] = {}
    busy = lost = waiting = away = tail = 0.0
    failures = again = 0
    gone: dict[int, float] = {}
    now = 0.0
    while done < wanted:
        now, kind, worker, which = heapq.heappop(events)
        if kind == ASKS and which == life[worker]:
            if not left and not open_again:
                out_of_work[worker] = now
                continue
            if open_again:
                amount = open_again.popleft()
            else:
                left, amount = left - 1, _work(setting, chance)
            begun = scheduler.serve(now)
            waiting += begun - idle[worker]
            work[worker] = (begun, amount)
            heapq.heappush(events, (begun + amount / speeds[worker], ENDS, worker, which))
        elif kind == ENDS and which == life[worker]:
            since, _ = work[worker]
            busy += now - since
            work[worker], idle[worker] = None, now
            done += 1
            heapq.heappush(events, (coordinator.serve(scheduler.serve(now)), ASKS, worker, which))
        elif kind == FAILS:
            failures += 1
            life[worker] += 1
            gone[worker] = now
            until = now + (setting.patience if chance.random() < setting.silent else 0.0)
            if worker in out_of_work:
                tail += now - out_of_work.pop(worker)
            elif work[worker] is not None:
                since, amount = work[worker]
                lost += max(0.0, now - since)
                work[worker] = None
                heapq.heappush(events, (until, MISSED, worker, int(amount * 1e6)))
            heapq.heappush(events, (until + setting.back, RETURNS, worker, 0))
        elif kind == MISSED:
            again += 1
            open_again.append(which / 1e6)
            if out_of_work:
                other, since = out_of_work.popitem()
                tail += now - since
                idle[other] = now
                heapq.heappush(events, (coordinator.serve(now), ASKS, other, life[other]))
        elif kind == RETURNS:
            away += now - gone.pop(worker)
            idle[worker] = now
            heapq.heappush(events, (coordinator.serve(now), ASKS, worker, life[worker]))
            heapq.heappush(events, (now + chance.expovariate(1 / (3600 * setting.hours)), FAILS, worker, 0))
    tail += sum(now - since for since in out_of_work.values())
    away += sum(now - since for since in gone.values())
    every = now * setting.workers
    shares = (busy / every, lost / every, waiting / every, tail / every, away / every)
    return Outcome(now, *shares, coordinator.busy / now, scheduler.busy / now, failures, again)


def _work(setting: Setting, chance: random.Random) -> float:
    """The seconds of a unit at speed 1: between a third of the mean and twice as much, most of them short."""
    return setting.mean * (1 / 3 + chance.betavariate(2, 3) * 5 / 3)
