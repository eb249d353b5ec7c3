"""A studio in a separate process, and a client that sends the page's requests."""

import json
from contextlib import contextmanager
from pathlib import Path

import pytest

from real_programs import PATIENCE, start, state, wait_until

NEEDED = "the studio is not tried: what it needs is not installed (pip install 'puzzlesat[test]')"
httpx, _, _ = (pytest.importorskip(name, reason=NEEDED) for name in ("httpx", "starlette", "uvicorn"))


class Studio:
    def __init__(self, program, address):
        self.program = program
        self.address = address
        self.client = httpx.Client(base_url=address, timeout=PATIENCE)

    @property
    def port(self):
        return httpx.URL(self.address).port

    @property
    def token(self):
        return self.address.rstrip("/").rpartition("/")[2]

    def events(self, question, **body):
        return list(self.stream(question, **body))

    def stream(self, question, **body):
        with self.client.stream("POST", f"api/{question}", json=body) as answer:
            assert answer.status_code == 200, answer.read()
            assert answer.headers["content-type"].startswith("text/event-stream")
            yield from events_of(answer.iter_lines())

    def ask(self, question, **body):
        """Return the last event of an answer, which must succeed."""
        kind, what = self.events(question, **body)[-1]
        assert kind == "done", what
        return what

    def refused(self, question, **body):
        """Return the sentences of an answer that must fail."""
        kind, what = self.events(question, **body)[-1]
        assert kind == "failed", what
        return what["error"]

    def found(self, question, **body):
        """Return everything found before the end, merged."""
        return {key: value for kind, what in self.events(question, **body) if kind == "found" for key, value in what.items()}


def events_of(lines):
    """Yield the events in lines of text."""
    kind = None
    for line in lines:
        name, _, value = line.partition(": ")
        if name == "event":
            kind = value
        elif name == "data":
            yield kind, json.loads(value)


@contextmanager
def running(folder, *arguments):
    """Run a studio; at the end it is killed, if it has not ended before."""
    program = start(folder, "studio", "--no-browser", *arguments)
    try:
        line = program.stdout.readline()
        assert line.startswith("http://127.0.0.1:"), (line, program.poll() is not None and program.stderr.read())
        yield Studio(program, line.strip().partition("#")[0])
    finally:
        program.kill()
        program.communicate()


def long_count():
    """Return a puzzle whose count takes hours."""
    tiles = {"D": {"picture": "##", "copies": "any"}, "I": {"picture": "###", "copies": "any"}, "L": {"picture": "##\n#", "copies": "any"}}
    return {"puzzle": {"name": "long", "table": {"title": "x", "grid": "square", "flips": True, "tiles": tiles, "form": {"box": [40, 41]}}}}


def busy(studio):
    return [n for n in below(studio.program.pid) if state(n) == "R"]


def below(number):
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == number and fields[0] != "Z":
            found.append(int(folder.name))
    return found


def wait_until_gone(numbers):
    wait_until(lambda: not any(Path(f"/proc/{n}").exists() for n in numbers), f"the end of {numbers}", 0.05)
