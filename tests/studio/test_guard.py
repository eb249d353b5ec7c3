"""Refused requests, the headers of every answer, and the server without a program round it."""

import http.client
import json
import socket

import pytest
from studios import NEEDED

from puzzlesat.base.errors import PuzzleError
from puzzlesat.pages.studio import server
from puzzlesat.pages.studio.server import MAX_BODY_BYTES, Door, application, bound, new_token, page_files, refusal
from tiers import every

DOOR = Door(8417, "a-token")
PATHS = {"/a-token/": None, "/": 404, "/a-token": 404, "/a-toke/": 404, "/a-token1/": 404, "/A-TOKEN/": 404, "/x/a-token/": 404, "/ä/": 404}
HEADERS = [
    ({"origin": ["http://127.0.0.1:8417"], "sec-fetch-site": ["same-origin"]}, None),
    ({"sec-fetch-site": ["none"]}, None),
    ({"host": ["localhost:8417"], "origin": ["http://localhost:8417"]}, None),
    ({"host": ["LOCALHOST:8417"]}, None),
    ({"host": []}, 400),
    ({"host": ["127.0.0.1"]}, 400),
    ({"host": ["127.0.0.1:8418"]}, 400),
    ({"host": ["evil.example:8417"]}, 400),
    ({"host": ["127.0.0.1:8417", "evil.example"]}, 400),
    ({"host": ["127.0.0.1:8417.evil.example"]}, 400),
    ({"origin": ["http://evil.example"]}, 403),
    ({"origin": ["null"]}, 403),
    ({"origin": ["https://127.0.0.1:8417"]}, 403),
    ({"origin": ["http://localhost:8417"]}, 403),
    ({"origin": ["http://127.0.0.1:8417", "http://evil.example"]}, 403),
    ({"origin": ["http://127.0.0.1:9999"]}, 403),
    ({"sec-fetch-site": ["cross-site"]}, 403),
    ({"sec-fetch-site": ["same-site"]}, 403),
]


@every("path, headers, status", [*((path, {}, status) for path, status in PATHS.items()), *(("/a-token/", *each) for each in HEADERS)])
def test_who_may_pass_and_who_is_refused(path, headers, status):
    refused = refusal(DOOR, path, {"host": ["127.0.0.1:8417"], **headers})
    assert (refused and refused.status_code) == status
    assert refused is None or DOOR.token not in refused.detail


def test_tokens_differ_and_are_long():
    tokens = {new_token() for _ in range(100)}
    assert len(tokens) == 100
    assert min(map(len, tokens)) >= 43


def request(studio, method, path, *, body=None, headers=None, host=None):
    """Send a request that no browser would send."""
    connection = http.client.HTTPConnection("127.0.0.1", studio.port, timeout=60)
    connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
    connection.putheader("Host", host or f"127.0.0.1:{studio.port}")
    for name, value in (headers or {}).items():
        connection.putheader(name, value)
    connection.endheaders(body)
    answer = connection.getresponse()
    text = answer.read().decode("utf-8", "replace")
    connection.close()
    return answer, text


def test_every_answer_says_what_the_page_may_do(studio):
    for path in ("/", f"/{studio.token}/", f"/{studio.token}/nothing.js", f"/{studio.token}/app.js", f"/{studio.token}/api/open"):
        answer, _ = request(studio, "GET", path)
        policy = answer.headers["content-security-policy"]
        assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self'; ")
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        for name, value in (("cache-control", "no-store"), ("x-content-type-options", "nosniff"), ("referrer-policy", "no-referrer")):
            assert answer.headers.get_all(name) == [value]
        assert "server" not in answer.headers
        assert "access-control-allow-origin" not in answer.headers


NO_FILES = ("__init__.py", "../server.py", "%2e%2e/server.py", "..%2fserver.py", "page.html", "/etc/passwd", "%2fetc%2fpasswd", "views")


def test_the_page_is_there_for_those_who_know_the_address_alone(studio):
    answer, text = request(studio, "GET", f"/{studio.token}/")
    assert (answer.status, answer.headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert text.lower().startswith("<!doctype html>")
    for path in ("/", "/index.html", "/wrong/", f"/{studio.token[:-1]}/", "/api/open", f"//{studio.token}/"):
        answer, text = request(studio, "GET", path)
        assert (answer.status, studio.token in text) == (404, False)
    for name in NO_FILES:
        answer, text = request(studio, "GET", f"/{studio.token}/{name}")
        assert (answer.status, "import" in text) == (404, False), name
    assert request(studio, "PUT", f"/{studio.token}/")[0].status == 405
    assert request(studio, "GET", f"/{studio.token}/api/open")[0].status in (404, 405)


@every(
    "host, headers, status",
    [
        ("evil.example:{port}", {}, 400),
        (None, {"Origin": "http://evil.example"}, 403),
        (None, {"Sec-Fetch-Site": "same-site", "Origin": "http://127.0.0.1:1"}, 403),
        (None, {"Content-Type": "text/plain"}, 415),
        (None, {"Content-Type": ""}, 415),
    ],
)
def test_other_pages_get_nothing(studio, host, headers, status):
    """DNS rebinding sends another Host; other pages send another Origin, or the type of a form. All are refused, even with the token."""
    body = json.dumps({"name": "soma"}).encode()
    headers = {"Content-Type": "application/json", "Content-Length": str(len(body)), **headers}
    headers = {key: value for key, value in headers.items() if value}
    host = host and host.format(port=studio.port)
    answer, text = request(studio, "POST", f"/{studio.token}/api/open", body=body, headers=headers, host=host)
    assert (answer.status, "soma" in text) == (status, False)
    if status == 415:
        assert json.loads(text) == {"error": ["expected application/json"]}
    else:
        answer, text = request(studio, "GET", f"/{studio.token}/", headers=headers | {"Content-Length": "0"}, host=host)
        assert answer.status == status


def test_a_body_that_is_too_large_is_not_read(studio):
    """This holds even if the length of a body is not stated."""
    headers = {"Content-Type": "application/json", "Content-Length": str(MAX_BODY_BYTES + 1)}
    answer, text = request(studio, "POST", f"/{studio.token}/api/open", body=b"{", headers=headers)
    assert (answer.status, json.loads(text)) == (413, {"error": ["8,388,608 bytes are read at most"]})
    parts = (b" " * (1 << 20) for _ in range(9))
    answer = studio.client.post("api/open", content=parts, headers={"Content-Type": "application/json"})
    assert answer.status_code == 413


@every(
    "body, said",
    [
        (b"", "not JSON"),
        (b"[1]", "expected a JSON object"),
        (b'{"a": ' + b"9" * 5000 + b"}", "not JSON: a number of more than 1,000 digits"),
        (b"[" * 100_000, "nested too deeply"),
        (b"\xff\xfe", "not JSON"),
    ],
)
def test_a_body_that_is_no_object_is_said_in_a_sentence(studio, body, said):
    answer = studio.client.post("api/open", content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code == 400
    (sentence,) = answer.json()["error"]
    assert said in sentence
    assert "Traceback" not in sentence


def test_unknown_questions(studio):
    answer = studio.client.post("api/positon", json={})
    assert (answer.status_code, answer.json()) == (400, {"error": ["there is no question 'positon'; did you mean 'position'?"]})


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
    client_of = pytest.importorskip("starlette.testclient", reason=NEEDED).TestClient
    with client_of(application(DOOR, Broken()), base_url=ROOT, raise_server_exceptions=False) as client:
        answer = client.post("/a-token/api/library", json={})
        assert (answer.status_code, list(answer.json())) == (500, ["error"])
        assert "secret" not in answer.text
        assert "content-security-policy" in answer.headers
        assert client.get("/a-token/").status_code == 200
        found, failed, _ = client.post("/a-token/api/count", json={}).text.split("\n\n")
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
