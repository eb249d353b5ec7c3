"""A real browser for the tests of pages: chromium or chrome, spoken to through two pipes, without any driver."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from select import select
from tempfile import TemporaryDirectory

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
if sys.platform != "win32":
    from fcntl import F_DUPFD, fcntl

BROWSER = None if sys.platform == "win32" else next(filter(None, map(shutil.which, NAMES)), None)
MISSING = f"needs a browser: none of {', '.join(NAMES)} is on the PATH"
IN_A_BROWSER = pytest.mark.skipif(BROWSER is None, reason=MISSING)
FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-component-update",
    "--disable-sync", "--hide-scrollbars", "--disable-dev-shm-usage", "--remote-debugging-pipe",
)  # fmt: skip
PATIENCE = 60
"""Seconds for an answer, before a test fails."""
PHONE, DESK = (390, 844), (1200, 900)


@contextmanager
def browser():
    """Yield a function that sends a command of the DevTools protocol and returns its result."""
    to_read, commands = os.pipe()
    answers, to_write = os.pipe()
    with TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        there, back = (fcntl(end, F_DUPFD, 10) for end in (to_read, to_write))  # out of the way of 3 and 4
        actions = [(os.POSIX_SPAWN_OPEN, out, os.devnull, os.O_WRONLY, 0) for out in (1, 2)]
        actions += [(os.POSIX_SPAWN_DUP2, there, 3), (os.POSIX_SPAWN_DUP2, back, 4)]
        command = [BROWSER, *FLAGS, f"--user-data-dir={profile}", "about:blank"]
        program = os.posix_spawn(BROWSER, command, os.environ, file_actions=actions)
        for end in (to_read, to_write, there, back):
            os.close(end)
        numbers, buffer = count(1), bytearray()

        def message():
            while b"\0" not in buffer:
                assert select([answers], [], [], PATIENCE)[0], f"the browser has said nothing for {PATIENCE} s"
                read = os.read(answers, 1 << 20)
                assert read, "the browser has ended"
                buffer.extend(read)
            text, _, rest = bytes(buffer).partition(b"\0")
            buffer[:] = rest
            return json.loads(text)

        def send(method, session=None, until=None, **parameters):
            number = next(numbers)
            said = {"id": number, "method": method, "params": parameters} | ({"sessionId": session} if session else {})
            os.write(commands, json.dumps(said).encode() + b"\0")
            result, waiting = None, until
            while result is None or waiting:
                got = message()
                if got.get("method") == waiting:
                    waiting = None
                if got.get("id") == number:
                    assert "error" not in got, got
                    result = got["result"]
            return result

        try:
            yield send
        finally:
            os.kill(program, signal.SIGTERM)
            os.waitpid(program, 0)
            os.close(commands)
            os.close(answers)


class Page:
    """A file in a window of some size."""

    def __init__(self, send, file: Path, address="", size=DESK, dark=False):
        self.send = send
        target = send("Target.createTarget", url="about:blank")["targetId"]
        self.session = send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.call("Page.enable")
        self.call("Emulation.setDeviceMetricsOverride", width=size[0], height=size[1], deviceScaleFactor=1, mobile=size == PHONE)
        self.dark(dark)
        self.call("Page.navigate", url=f"{file.as_uri()}{address}", until="Page.loadEventFired")

    def call(self, method, **parameters):
        """Send a command to this window."""
        return self.send(method, self.session, **parameters)

    def dark(self, dark=True):
        """Say which colours the reader prefers."""
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def do(self, steps):
        """Run statements, which may wait for promises, and return what they return."""
        answer = self.call("Runtime.evaluate", expression=f"(async () => {{ {steps} }})()", awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")
