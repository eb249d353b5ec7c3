"""A Dask cluster on this machine, of real processes that are started again when they end: as a batch system, or a service, would."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event, Thread

QUIET = {"DASK_LOGGING__DISTRIBUTED": "error", "DASK_DISTRIBUTED__WORKER__LIFETIME__RESTART": "False"}
"""What the parts of a cluster say of what the tests do to them is of no interest."""
HOSTILE = Path(__file__).with_name("hostile.py")
"""What workers are made to do that are to do harm."""
LOOK_SECONDS = 0.1
SECONDS = 120
"""For whatever must happen some time, on a machine that has much else to do."""


class Cluster:
    """A scheduler and some workers; each has a session of its own."""

    def __init__(self, folder: Path, workers=2, threads=1, path=None, hostile=0, tls=False):
        self.folder, self.address = folder, f"{'tls' if tls else 'tcp'}://127.0.0.1:{_free_port()}"
        self.environment = {
            **os.environ,
            "HOSTILE": str(folder),
            **QUIET,
            "PYTHONPATH": os.pathsep.join(sys.path if path is None else path),
        }
        dask = (sys.executable, "-m", "distributed.cli.dask_worker", self.address, "--nthreads", str(threads), "--no-dashboard")
        host, port = self.address[len("tcp://") :].split(":")
        self.commands = {
            "scheduler": (sys.executable, "-m", "distributed.cli.dask_scheduler", "--host", host, "--port", port, "--no-dashboard")
        }
        for number in range(workers):
            nanny = () if number % 2 else ("--no-nanny",)  # workers that are watched over, and such that are not
            tricks = ("--preload", str(HOSTILE)) if number < hostile else ()
            self.commands[f"worker {number}"] = (*dask, *nanny, *tricks, "--local-directory", str(folder / f"worker {number}"))
        for name in self.commands if tls else ():  # as docs/cluster.md has them
            who = name.split()[0]
            files = ("--tls-ca-file", "ca.pem", "--tls-cert", f"{who}.pem", "--tls-key", f"{who}-key.pem")
            self.commands[name] = (*self.commands[name], *files, *(("--protocol", "tls") if who == "scheduler" else ()))
        self.processes: dict[str, subprocess.Popen[bytes]] = {}
        self._over = Event()
        self._keeper = Thread(target=self._keep, daemon=True)

    @property
    def workers(self):
        """The names of the workers."""
        return [name for name in self.commands if name != "scheduler"]

    def start(self, name):
        """Start one of them."""
        with (self.folder / f"{name}.log").open("ab") as log:
            self.processes[name] = subprocess.Popen(
                self.commands[name], env=self.environment, stdout=log, stderr=log, cwd=self.folder, start_new_session=True
            )

    def kill(self, name):
        """End one of them at once, with all processes of its group: those that watch over it, or that it watches over."""
        process = self.processes[name]
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()

    def keep(self):
        """Start again whatever ends, from now on."""
        self._keeper.start()

    def _keep(self):
        while not self._over.wait(LOOK_SECONDS):
            for name, process in list(self.processes.items()):
                if process.poll() is not None and not self._over.is_set():
                    self.start(name)

    def end(self):
        """End all of them."""
        self._over.set()
        if self._keeper.is_alive():
            self._keeper.join()
        for name in self.processes:
            self.kill(name)


@contextmanager
def cluster(folder, **options):
    """A cluster whose workers are there."""
    there = Cluster(folder, **options)
    try:
        for name in there.commands:
            there.start(name)
        wait_for(there, len(there.workers))
        yield there
    finally:
        there.end()


def wait_for(there, workers):
    """Wait until so many workers are there."""
    from distributed import Client

    until = time.monotonic() + SECONDS
    while not _answers(there.address):
        assert time.monotonic() < until, "the scheduler does not start"
        time.sleep(LOOK_SECONDS)
    with Client(there.address, timeout=SECONDS, set_as_default=False) as client:
        if workers:
            client.wait_for_workers(workers, timeout=SECONDS)


def jobs_of(there):
    """The processes that do jobs for the workers."""
    parts = {process.pid for process in there.processes.values()}
    return [number for number in _below(parts) if _group(number) == number]


def _below(numbers):
    """The processes that some have started, and those that these have."""
    found = []
    for number in numbers:
        with suppress(OSError, ProcessLookupError):
            texts = [file.read_text() for file in Path(f"/proc/{number}/task").glob("*/children")]
            children = [int(child) for text in texts for child in text.split()]
            found += children + _below(children)
    return found


def _group(number):
    with suppress(OSError):
        return os.getpgid(number)
    return None


def _answers(address):
    host, port = address[len("tcp://") :].split(":")
    with suppress(OSError), socket.create_connection((host, int(port)), timeout=1):
        return True
    return False


def _free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]
