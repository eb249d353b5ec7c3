"""Runs programs in child processes, asks them again and again, and keeps what they answered."""

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
"""A first solve of fewer CPU seconds only warms up: it is not counted among the rounds."""
LONG = 20.0
"""A solve of more CPU seconds is not repeated."""
CHILD = Path(__file__).with_name("child.py")


@dataclass
class Run:
    """What one program did with one instance."""

    program: str
    failed: str | None = None
    """``> 300 s``, ``> 12 GB``, ``not supported``, ``wrong: 17``, ``failed`` …; None: every round was finished."""
    why: str = ""
    limit: float | None = None
    """The CPU seconds that it exceeded."""
    counts: list[int] = field(default_factory=list)
    warm_up: list[float] = field(default_factory=list)
    """CPU seconds of the solves that only warm up …"""
    times: list[float] = field(default_factory=list)
    """… and of the rounds."""
    peak: int = 0
    """Most bytes held during a round, with the interpreter, the libraries and the matrix …"""
    before: int = 0
    """… and before the first solve."""

    @property
    def seconds(self) -> float | None:
        """The median of the rounds in CPU seconds, or None for a failure."""
        return None if self.failed or not self.times else median(self.times)

    def fail(self, failed: str, why: str = "") -> None:
        """Note a failure; what was measured before no longer counts."""
        self.failed, self.why = failed, why


class Child:
    """A process that solves one instance with one program, as often as it is asked."""

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
        """Let it solve once within so many CPU seconds. A short solve that is to warm up only is left out of the times."""
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
        """End the process."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()

    @property
    def done(self) -> bool:
        """Whether it need not be asked again: it failed, or takes long."""
        return self.run.failed is not None or any(t > LONG for t in self.run.times)

    def _answer(self, limit: float | None = None) -> dict[str, Any] | None:
        """Read an answer; on a failure note it and return None."""
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
