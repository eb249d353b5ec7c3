"""Who is refused, whatever is asked; and what every answer says to the browser."""

from __future__ import annotations

import http.client
import json

import pytest

from puzzlesat.studio.guard import MOST_OF_A_BODY, Door, new_token, refusal

DOOR = Door(8417, "a-token")
OURS = {"host": ["127.0.0.1:8417"]}


@pytest.mark.parametrize(
    ("path", "headers"),
    [
        ("/a-token/", {}),
        ("/a-token/app.js", {"origin": ["http://127.0.0.1:8417"], "sec-fetch-site": ["same-origin"]}),
        ("/a-token/api/open", {"sec-fetch-site": ["none"]}),
        ("/a-token/", {"host": ["localhost:8417"], "origin": ["http://localhost:8417"]}),
        ("/a-token/", {"host": ["LOCALHOST:8417"]}),
    ],
)
def test_who_may_pass(path, headers):
    assert refusal(DOOR, path, OURS | headers) is None


@pytest.mark.parametrize(
    ("path", "headers", "status"),
    [
        ("/", {}, 404),
        ("/a-token", {}, 404),
        ("/a-toke/", {}, 404),
        ("/a-token1/", {}, 404),
        ("/A-TOKEN/", {}, 404),
        ("/x/a-token/", {}, 404),
        ("/ä/", {}, 404),
        ("/a-token/", {"host": []}, 400),
        ("/a-token/", {"host": ["127.0.0.1"]}, 400),
        ("/a-token/", {"host": ["127.0.0.1:8418"]}, 400),
        ("/a-token/", {"host": ["evil.example:8417"]}, 400),
        ("/a-token/", {"host": ["127.0.0.1:8417", "evil.example"]}, 400),
        ("/a-token/", {"host": ["127.0.0.1:8417.evil.example"]}, 400),
        ("/a-token/", {"origin": ["http://evil.example"]}, 403),
        ("/a-token/", {"origin": ["null"]}, 403),
        ("/a-token/", {"origin": ["https://127.0.0.1:8417"]}, 403),
        ("/a-token/", {"origin": ["http://localhost:8417"]}, 403),
        ("/a-token/", {"origin": ["http://127.0.0.1:8417", "http://evil.example"]}, 403),
        ("/a-token/", {"origin": ["http://127.0.0.1:9999"]}, 403),
        ("/a-token/", {"sec-fetch-site": ["cross-site"]}, 403),
        ("/a-token/", {"sec-fetch-site": ["same-site"]}, 403),
    ],
)
def test_who_is_refused(path, headers, status):
    refused = refusal(DOOR, path, OURS | headers)
    assert refused is not None
    assert refused.status == status
    assert DOOR.token not in refused.sentence


def test_tokens_differ_and_are_long():
    tokens = {new_token() for _ in range(100)}
    assert len(tokens) == 100
    assert min(map(len, tokens)) >= 43


# asked of a studio that runs -------------------------------------------------------------------------------------------------


def request(studio, method, path, *, body=None, headers=None, host=None):
    """A request as no browser would send it."""
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


def test_the_page_is_there_for_those_who_know_the_address_alone(studio):
    answer, text = request(studio, "GET", f"/{studio.token}/")
    assert answer.status == 200
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert text.lower().startswith("<!doctype html>")
    for path in ("/", "/index.html", "/wrong/", f"/{studio.token[:-1]}/", "/api/open", f"//{studio.token}/"):
        answer, text = request(studio, "GET", path)
        assert (answer.status, studio.token in text) == (404, False)


@pytest.mark.parametrize(
    ("host", "headers", "status"),
    [
        ("evil.example", {}, 400),
        ("evil.example:{port}", {}, 400),
        (None, {"Origin": "http://evil.example"}, 403),
        (None, {"Origin": "null"}, 403),
        (None, {"Sec-Fetch-Site": "cross-site"}, 403),
        (None, {"Sec-Fetch-Site": "same-site", "Origin": "http://127.0.0.1:1"}, 403),
    ],
)
def test_other_pages_get_nothing(studio, host, headers, status):
    """DNS rebinding has another Host, requests of other pages another Origin: neither is answered, though the token be known."""
    body = json.dumps({"name": "soma"}).encode()
    headers = {"Content-Type": "application/json", "Content-Length": str(len(body)), **headers}
    host = host and host.format(port=studio.port)
    for method, path in (("POST", f"/{studio.token}/api/open"), ("GET", f"/{studio.token}/")):
        answer, text = request(studio, method, path, body=body if method == "POST" else None, headers=headers, host=host)
        assert (answer.status, "soma" in text) == (status, False)


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""])
def test_what_a_form_of_another_page_can_send_is_refused(studio, kind):
    body = b'{"name": "soma"}'
    headers = {"Content-Length": str(len(body))} | ({"Content-Type": kind} if kind else {})
    answer, text = request(studio, "POST", f"/{studio.token}/api/open", body=body, headers=headers)
    assert answer.status == 415
    assert json.loads(text) == {"error": ["expected application/json"]}


def test_only_what_belongs_to_the_page_is_given_out(studio):
    for name in (
        "__init__.py",
        "../server.py",
        "%2e%2e/server.py",
        "..%2fserver.py",
        "page.html",
        "/etc/passwd",
        "%2fetc%2fpasswd",
        "views",
    ):
        answer, text = request(studio, "GET", f"/{studio.token}/{name}")
        assert answer.status == 404, name
        assert "import" not in text
    assert request(studio, "PUT", f"/{studio.token}/")[0].status == 405
    assert request(studio, "GET", f"/{studio.token}/api/open")[0].status in (404, 405)


def test_a_body_that_is_too_large_is_not_read(studio):
    """Also one of which it is not said before how large it is."""
    headers = {"Content-Type": "application/json", "Content-Length": str(MOST_OF_A_BODY + 1)}
    answer, text = request(studio, "POST", f"/{studio.token}/api/open", body=b"{", headers=headers)
    assert (answer.status, json.loads(text)) == (413, {"error": ["8,388,608 bytes are read at most"]})
    parts = (b" " * (1 << 20) for _ in range(9))
    answer = studio.client.post("api/open", content=parts, headers={"Content-Type": "application/json"})
    assert answer.status_code == 413


@pytest.mark.parametrize(
    ("body", "said"),
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
