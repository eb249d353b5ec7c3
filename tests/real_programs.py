"""The program in a separate process, ended while it works.

The speed of the machine varies, so tests wait for events, never for a number of seconds.
"""

import array
import os
import re
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

from cpu import living_children, seconds_of
from puzzlesat.base.interrupts import Interrupted

PATIENCE = 200
"""Timeout in seconds for events that come at once on an idle machine."""
LOOK_SECONDS = 0.005
"""Interval of polling, for cheap checks."""
PROC = Path("/proc/self/stat").exists()


def start(folder, *arguments, **options):
    """Start the program in a session of its own."""
    command = [sys.executable, "-m", "puzzlesat", *map(str, arguments)]
    return subprocess.Popen(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True, **options
    )


@contextmanager
def killed_at_the_end(program):
    """Yield a program, and kill it at the end of the block if it is still there."""
    try:
        yield program
    finally:
        program.kill()


def wait_until(condition, what, every=LOOK_SECONDS):
    """Wait until a condition holds; fail if it never does."""
    end = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > end:
            pytest.fail(f"this never came: {what}")
        time.sleep(every)


def wait_until_it_heeds(program):
    """Wait until the interpreter has started and has its handlers; before that, no code of the program can notice a signal."""
    if PROC:
        wait_until(lambda: program.poll() is not None or heeds(program), "the handlers of signals")
    else:
        time.sleep(0.5)


def heeds(program):
    """Return whether a program has handlers of all terminating signals, except signals ignored from the start, as under ``nohup``."""
    try:
        signals = dict(re.findall(r"Sig(Cgt|Ign):\s*(\w+)", Path(f"/proc/{program.pid}/status").read_text(encoding="ascii")))
    except OSError:
        return False
    settled = int(signals.get("Cgt", "0"), 16) | int(signals.get("Ign", "0"), 16)
    return all(settled >> (number - 1) & 1 for number in Interrupted.signals)


def wait_until_it_has_worked(program, seconds):
    """Wait until a program has used ``seconds`` of CPU time, including its children, or has ended."""
    wait_until_it_heeds(program)
    if PROC:
        wait_until(lambda: program.poll() is not None or worked(program) >= seconds, f"{seconds} CPU seconds", 0.05)
    else:
        time.sleep(seconds)


def worked(program):
    """The CPU seconds of a program and all processes below it, including ended ones."""
    return sum(map(seconds_of, (program.pid, *living_children(program.pid))))


def wait_until_it_waits(program, looks=20):
    """Wait until a program sleeps in ``looks`` successive polls, so it must be waiting for another process, or has ended."""
    wait_until_it_heeds(program)
    if not PROC:
        time.sleep(3)
        return
    slept = 0

    def waits():
        nonlocal slept
        slept = slept + 1 if state(program.pid) == "S" else 0
        return program.poll() is not None or slept >= looks

    wait_until(waits, "a program that waits", 0.05)


def state(number):
    """Return the state of a process: R running or waiting for a CPU, S sleeping, D waiting for a disk, Z dead, X gone."""
    try:
        return Path(f"/proc/{number}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()[0]
    except OSError:
        return "X"


def wait_until_it_has_printed(program, characters=4000):
    """Wait until the pipe of a program holds ``characters`` of its output, or it has ended."""
    import fcntl
    import termios

    def waiting():
        unread = array.array("i", [0])
        fcntl.ioctl(program.stdout, termios.FIONREAD, unread)
        return unread[0]

    wait_until(lambda: program.poll() is not None or waiting() >= characters, f"{characters} characters")


def shown_on(terminal):
    """Everything that programs write to a pseudo-terminal until the last one closes it; our end is then closed too."""
    shown = b""
    try:
        while more := os.read(terminal, 1 << 16):
            shown += more
    except OSError:  # Linux reports a closed other end in this way
        pass
    os.close(terminal)
    return shown
