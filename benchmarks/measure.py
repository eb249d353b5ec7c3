"""Run programs in child processes, request solves, and collect the answers."""

from __future__ import annotations

import json
import platform
import signal
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from programs import versions

SHORT = 3.0
"""A first solve of fewer CPU seconds counts as a warm-up, not as a round."""
LONG = 20.0
"""A solve of more CPU seconds is not repeated."""
CHILD = Path(__file__).with_name("child.py")


@dataclass
class Run:
    """The result of one program on one instance."""

    program: str
    failed: str | None = None
    """``> 300 s``, ``> 12 GB``, ``not supported``, ``wrong: 17``, ``failed`` …; None if every round finished."""
    why: str = ""
    limit: float | None = None
    """The exceeded limit in CPU seconds."""
    counts: list[int] = field(default_factory=list)
    warm_up: list[float] = field(default_factory=list)
    """CPU seconds of the warm-up solves."""
    times: list[float] = field(default_factory=list)
    """CPU seconds of the rounds."""
    peak: int = 0
    """Peak bytes during a round, including the interpreter, the libraries and the matrix."""
    before: int = 0
    """Bytes before the first solve."""

    @property
    def seconds(self) -> float | None:
        """The median of the rounds in CPU seconds, or None for a failure."""
        return None if self.failed or not self.times else median(self.times)

    def fail(self, failed: str, why: str = "") -> None:
        """Record a failure and discard the measurements."""
        self.failed, self.why = failed, why


class Child:
    """A child process that solves one instance with one program on request."""

    def __init__(self, program: str, instance: str, variant: str, gigabytes: float) -> None:
        self.run = Run(program)
        self.facts: dict[str, Any] = {}
        self.process = subprocess.Popen(
            [sys.executable, str(CHILD), program, instance, variant, str(gigabytes)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        if answer := self._answer():
            self.facts = answer

    def solve(self, limit: float, warm: bool = False) -> None:
        """Request one solve with a limit in CPU seconds. A short warm-up solve does not count among the rounds."""
        if self.run.failed:
            return
        assert self.process.stdin is not None
        self.process.stdin.write(f"{limit}\n")
        self.process.stdin.flush()
        if answer := self._answer(limit):
            self.run.before = self.run.before or answer["before"]
            self.run.counts.append(answer["count"])
            if warm and answer["seconds"] < SHORT:
                self.run.warm_up.append(answer["seconds"])
            else:
                self.run.times.append(answer["seconds"])
                self.run.peak = max(self.run.peak, answer["peak"])

    def close(self) -> None:
        """Kill the process."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()

    @property
    def done(self) -> bool:
        """Return whether to stop: the program failed, or its solves are long."""
        return self.run.failed is not None or any(t > LONG for t in self.run.times)

    def _answer(self, limit: float | None = None) -> dict[str, Any] | None:
        """Read an answer; record a failure and return None for it."""
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            self._died(-self.process.wait(), limit)
            return None
        answer: dict[str, Any] = json.loads(line)
        if "failed" in answer:
            self.run.fail(answer["failed"], answer["why"])
            return None
        return answer

    def _died(self, by: int, limit: float | None) -> None:
        if by == signal.SIGXCPU and limit is not None:
            self.run.limit = limit
            self.run.fail(f"> {limit:.0f} s")
        else:
            self.run.fail("died", f"signal {by}" if by > 0 else f"status {-by}")


def machine() -> str:
    """Name the processor, the system, Python and the version of every program."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    model = next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), platform.processor())
    packages = ", ".join(f"{package} {number}" for package, number in versions().items())
    return f"{model}; {platform.system()} {platform.release()}; {platform.python_implementation()} {platform.python_version()}; {packages}"
