"""Measure the CPU seconds of each test, child processes included, and hold the fast tier to its shares.

A test of the fast tier takes at most ``SHARE`` CPU seconds; ``shares.toml`` lists those that may take more, each with its reason.
Each run updates the table ``.pytest_cache/d/cpu/seconds.tsv``, the most expensive test first; shared fixtures have their own lines.
With ``--shares`` a test that takes more than ``TOLERANCE`` times its share, and ``EXTRA`` seconds, fails.
"""

import os
import time
from collections import Counter
from operator import itemgetter
from pathlib import Path

import pytest

from tiers import is_fast, tomllib

try:
    import resource
except ImportError:  # Windows
    resource = None

SHARE = 0.15
"""CPU seconds of a test of the fast tier."""
TOLERANCE = 3
"""A test fails if it takes this many times its share, measured on a quiet machine."""
EXTRA = 1.0
"""CPU seconds allowed on top, because a test may load modules and kernels that later tests use too, and collect garbage of earlier ones."""
QUIET_SECONDS = 190
"""CPU seconds of all tests of the fast tier and their set-ups on a quiet machine. A run that takes longer was on a slower machine."""
LOOP, LOOP_SECONDS = 200_000, 0.015
"""Rounds of a loop that measures how fast the processor is at the moment, and the CPU seconds it takes on a fast quiet core."""
TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100
LISTED = tomllib.loads((Path(__file__).parent / "shares.toml").read_text(encoding="utf-8"))
"""Tests that may take more than ``SHARE``: CPU seconds and a reason for each."""
PHASES, SET_UPS, SLOWNESS = "cpu", "cpu of set-ups", "slowness of the processor"
"""Names of the properties of a test report: CPU seconds of the test, of each set-up that began with it, and the speed if that was long."""


def living_children(pid):
    """Yield the process ids of all living descendants of a process, where the system lists them (Linux)."""
    pending = [pid]
    while pending:
        for file in Path(f"/proc/{pending.pop()}/task").glob("*/children"):
            try:
                found = [int(pid) for pid in file.read_text().split()]
            except OSError:  # the process has ended
                continue
            yield from found
            pending += found


def seconds_of(pid):
    """Return the CPU seconds of a process and of its children that have ended."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return sum(map(int, fields[11:15])) / TICKS_PER_SECOND


def with_children(pid):
    """Return the CPU seconds of a process and of all its descendants."""
    return sum(map(seconds_of, [pid, *living_children(pid)]))


def seconds():
    """Return the CPU seconds so far of this process and its descendants."""
    ended = resource.getrusage(resource.RUSAGE_CHILDREN) if resource else None
    return time.process_time() + (ended.ru_utime + ended.ru_stime if ended else 0) + sum(map(seconds_of, living_children(os.getpid())))


def slowness():
    """Return how many times longer than on a quiet machine a loop takes; at least 1."""
    begun, total = time.process_time(), 0
    for number in range(LOOP):
        total += number * number % 7
    return max(1.0, (time.process_time() - begun) / LOOP_SECONDS)


def allowed(test, slowness=1.0):
    """Return the CPU seconds above which a test of the fast tier fails."""
    return slowness * (TOLERANCE * LISTED.get(test, {"seconds": SHARE})["seconds"] + EXTRA)


class Meter:
    """Measures the tests of a process; in the process that collects the reports it writes the table and judges the shares."""

    def __init__(self, config):
        self.config, self.tests, self.set_ups, self.slowness = config, Counter(), Counter(), {}
        self.started = {}  # the processes that each shared fixture started, such as a browser

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item):
        self.shared = Counter()
        return (yield)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_fixture_setup(self, fixturedef):
        if fixturedef.scope == "function":
            return (yield)
        begun, inside, earlier = seconds(), sum(self.shared.values()), set(living_children(os.getpid()))
        try:
            return (yield)
        finally:
            self.started[fixturedef.argname] = set(living_children(os.getpid())).difference(earlier, *self.started.values())
            self.shared[fixturedef.argname] += seconds() - begun - (sum(self.shared.values()) - inside)

    def measured(self, item, phase):
        begun, shared = seconds(), sum(self.shared.values())
        others = {pid: with_children(pid) for name, pids in self.started.items() if name not in item.fixturenames for pid in pids}
        try:
            return (yield)
        finally:
            beside = sum(max(0.0, with_children(pid) - spent) for pid, spent in others.items())  # a browser may still be at work
            beside += sum(self.shared.values()) - shared
            own = max(0.0, seconds() - begun - beside)  # when a browser ends, its seconds disappear
            item.user_properties.append((PHASES, round(own, 4)))
            if phase == "teardown":
                item.user_properties += [(SET_UPS, [name, round(spent, 4)]) for name, spent in self.shared.items()]
                if sum(spent for name, spent in item.user_properties if name == PHASES) > allowed(item.nodeid):
                    item.user_properties.append((SLOWNESS, slowness()))

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_setup(self, item):
        return (yield from self.measured(item, "setup"))

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_call(self, item):
        return (yield from self.measured(item, "call"))

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_teardown(self, item):
        return (yield from self.measured(item, "teardown"))

    def pytest_runtest_logreport(self, report):
        if report.when != "teardown":
            return
        for name, value in report.user_properties:
            if name == PHASES:
                self.tests[report.nodeid] += value
            elif name == SET_UPS:
                self.set_ups[f"set-up: {value[0]}"] += value[1]
            elif name == SLOWNESS:
                self.slowness[report.nodeid] = value

    def beyond(self):
        """Return the tests that took more than their share allows, as sentences."""
        slower = (sum(self.tests.values()) + sum(self.set_ups.values())) / QUIET_SECONDS
        limits = {name: allowed(name, max(slowness, slower)) for name, slowness in self.slowness.items()}
        over = [(name, self.tests[name], limit) for name, limit in limits.items() if self.tests[name] > limit]
        return [f"{name} took {spent:.2f} CPU seconds; allowed are {limit:.2f}" for name, spent, limit in sorted(over, key=itemgetter(1))]

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session):
        if hasattr(self.config, "workerinput") or not self.tests or not hasattr(self.config, "cache"):
            return
        table = self.config.cache.mkdir("cpu") / "seconds.tsv"
        earlier = (line.split("\t", 1) for line in table.read_text(encoding="utf-8").splitlines()) if table.exists() else ()
        rows = sorted(({name: float(spent) for spent, name in earlier} | self.tests | self.set_ups).items(), key=lambda row: -row[1])
        table.write_text("".join(f"{spent:.3f}\t{name}\n" for name, spent in rows), encoding="utf-8")
        if self.config.option.shares and is_fast() and self.beyond():
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter):
        if not self.tests:
            return
        spent = f"{sum(self.tests.values()):.0f} in tests, {sum(self.set_ups.values()):.0f} in shared set-ups"
        terminalreporter.write_line(f"{seconds():.0f} CPU seconds: {spent}")
        if self.config.option.shares and is_fast():
            for sentence in self.beyond():
                terminalreporter.write_line(f"FAILED {sentence}", red=True)
