"""The server without a program around it: its files, its sockets, and its own errors."""

import socket

import pytest
from studios import NEEDED

from puzzlesat.base.errors import PuzzleError

TestClient = pytest.importorskip("starlette.testclient", reason=NEEDED).TestClient

from puzzlesat.pages.studio import server  # noqa: E402 - it needs what may not be there
from puzzlesat.pages.studio.server import Door, application, bound, page_files  # noqa: E402

DOOR = Door(8417, "token")
ROOT = f"http://127.0.0.1:{DOOR.port}"


class Broken:
    def begin(self):
        pass

    async def end(self):
        pass

    def events(self, question, body):
        if question == "library":
            raise KeyError("secret")
        return self.some()

    async def some(self):
        yield "found", {"name": "\ud800"}
        raise KeyError("secret")


def test_a_mistake_of_the_server_is_a_sentence_too(capsys):
    with TestClient(application(DOOR, Broken()), base_url=ROOT, raise_server_exceptions=False) as client:
        answer = client.post("/token/api/library", json={})
        assert (answer.status_code, list(answer.json())) == (500, ["error"])
        assert "secret" not in answer.text
        assert "content-security-policy" in answer.headers
        assert client.get("/token/").status_code == 200
        found, failed, _ = client.post("/token/api/count", json={}).text.split("\n\n")
        assert found == 'event: found\ndata: {"name":"\\ud800"}'
        assert failed.startswith('event: failed\ndata: {"error":["the program made a mistake')
    assert "puzzlesat: studio: /api/library: KeyError('secret')" in capsys.readouterr().err


def test_files_are_those_of_the_page_and_of_no_other_kind():
    found = page_files()
    assert {"index.html", "app.js", "board.js"} <= found.keys()
    assert {file.suffix for file in found.values()} <= set(server.TYPES)
    assert not [name for name in found if name.startswith((".", "/")) or ".." in name]
    assert "page.html" not in found  # a template of reports


def test_a_port_is_bound_to_this_machine_alone():
    with bound(None) as one, bound(None) as other:
        assert one.getsockname()[0] == other.getsockname()[0] == "127.0.0.1"
        assert one.getsockname()[1] != other.getsockname()[1]
        with pytest.raises(PuzzleError, match=r"port \d+ is taken; choose another one with --port N"):
            bound(one.getsockname()[1])


def test_where_all_ports_are_taken(monkeypatch):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        monkeypatch.setattr(server, "PORT", taken.getsockname()[1])
        monkeypatch.setattr(server, "PORTS", 1)
        with pytest.raises(PuzzleError, match=r"the ports .* are taken"):
            bound(None)
