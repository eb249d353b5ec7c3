"""Who may talk to the studio: its own page, and nobody else.

The server is bound to the loopback address, which every page that the user's browser shows can send requests to. So the address holds a
token that nobody can guess; the Host must be ours (a name of somebody else's may point to this machine: DNS rebinding); an Origin that is
sent must be ours; and a request that the browser says comes from another site is refused. What is answered may be read, framed or kept by
nobody else.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from dataclasses import dataclass
from secrets import compare_digest, token_urlsafe
from typing import Any

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

TOKEN_BYTES = 32
MOST_OF_A_BODY = 8 << 20
"""Bytes of a request: twice what a puzzle may have."""
OWN_SITE = ("same-origin", "none")
"""What a browser says of requests of our page, and of an address that the user typed or a program opened."""
POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data: blob:",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}
"""Of every answer, whatever it is."""


@dataclass(frozen=True)
class Door:
    """The address of a server: its port, and the token in the path."""

    port: int
    token: str

    @property
    def hosts(self) -> tuple[str, ...]:
        """What may stand as Host."""
        return f"127.0.0.1:{self.port}", f"localhost:{self.port}"

    @property
    def address(self) -> str:
        """Where the page is."""
        return f"http://127.0.0.1:{self.port}/{self.token}/"


@dataclass(frozen=True)
class Refusal:
    """Why a request is not answered."""

    status: int
    sentence: str


def new_token() -> str:
    """Return a token that nobody can guess."""
    return token_urlsafe(TOKEN_BYTES)


def refusal(door: Door, path: str, headers: Mapping[str, list[str]]) -> Refusal | None:
    """Return why a request is refused; None where it may pass. ``headers`` has all values of each, by lower-case names."""
    host = headers.get("host", [])
    if len(host) != 1 or host[0].lower() not in door.hosts:
        return Refusal(400, f"expected the address of this studio: {door.hosts[0]}")
    if any(origin != f"http://{host[0].lower()}" for origin in headers.get("origin", [])):
        return Refusal(403, "requests of other pages are refused")
    if any(site not in OWN_SITE for site in headers.get("sec-fetch-site", [])):
        return Refusal(403, "requests of other pages are refused")
    first, slash, _ = path.removeprefix("/").partition("/")
    if not slash or not compare_digest(first.encode("utf-8", "replace"), door.token.encode()):
        return Refusal(404, "there is nothing here; use the address that 'puzzlesat studio' printed")
    return None


def guarded(app: App, door: Door) -> App:
    """Return an application that lets pass what may, its path without the token, and adds the headers to every answer."""

    async def run(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await app(scope, receive, send)
            return
        if scope["type"] != "http":  # a websocket: there is none here
            await send({"type": "websocket.close", "code": 1008})
            return
        closed = refusal(door, scope["path"], _values(scope))
        if closed is not None:
            await _refuse(closed, _with_headers(send))
            return
        root = f"/{door.token}"
        await app({**scope, "path": scope["path"].removeprefix(root), "raw_path": None}, receive, _with_headers(send))

    return run


def _values(scope: Scope) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, value in scope["headers"]:
        found.setdefault(name.decode("latin-1").lower(), []).append(value.decode("latin-1"))
    return found


def _with_headers(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            own = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
            kept = [(name, value) for name, value in message.get("headers", []) if name.decode("latin-1").lower() not in HEADERS]
            message = {**message, "headers": [*kept, *own]}
        await send(message)

    return sending


async def _refuse(closed: Refusal, send: Send) -> None:
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": closed.status, "headers": headers})
    await send({"type": "http.response.body", "body": f"puzzlesat: {closed.sentence}\n".encode()})
