"""The studio's server: the page, the files that it is made of, and the questions that it asks. Whoever it is for: ``guard``."""

from __future__ import annotations

import asyncio
import json
import socket
import sys
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing, asynccontextmanager, suppress
from importlib.resources import files
from pathlib import Path, PurePosixPath
from threading import Event as Stop
from threading import Thread
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from puzzlesat.config.files import MOST_DIGITS, json_of
from puzzlesat.errors import PuzzleError, near_match, shown
from puzzlesat.studio.guard import MOST_OF_A_BODY, App, Door, Receive, Scope, Send, guarded
from puzzlesat.studio.said import with_parts
from puzzlesat.studio.telling import Event
from puzzlesat.studio.work import QUESTIONS, Workers, mistake

LOOPBACK = "127.0.0.1"
PORT, PORTS = 8417, 100
"""The port, and how many after it are tried where it is taken."""
ENDING_SECONDS = 2
"""For requests that are being answered when the server is ended."""
LOOK_SECONDS = 0.1
TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".png": "image/png",
    ".svg": "image/svg+xml",
}
"""The files that the page is made of, by their suffixes."""
PAGES = ("puzzlesat.studio", "page"), ("puzzlesat.draw", "page")
"""Where they are: those of the studio, and those that the reports have too."""
SHARED = ("board.css",)
"""What is given out of the latter besides its modules: other templates and styles are those of reports."""


def page_files() -> dict[str, Path]:
    """Return the files of the page by their names, such as ``views/play.js``; of two that have one name that of the studio."""
    found: dict[str, Path] = {}
    for package, folder in PAGES:
        root = Path(str(files(package).joinpath(folder)))
        for path in sorted(root.rglob("*")):
            if path.is_file() and (path.suffix in TYPES if package.endswith("studio") else path.suffix == ".js" or path.name in SHARED):
                found.setdefault(path.relative_to(root).as_posix(), path)
    return found


def application(door: Door, workers: Workers, named: Path | None = None) -> App:
    """Return the studio as an ASGI application.

    Parameters
    ----------
    door
        Its address.
    workers
        The processes that answer questions; they begin and end with the application.
    named
        The file that the command line named: the only one that is read for a question.

    """
    page = page_files()

    async def file(request: Request) -> Response:
        name = request.path_params["file"] or "index.html"
        if name not in page:
            raise HTTPException(404)
        return Response(page[name].read_bytes(), media_type=TYPES[PurePosixPath(name).suffix])

    async def ask(request: Request) -> Response:
        question = request.path_params["question"]
        if question not in QUESTIONS:
            raise PuzzleError(f"there is no question {shown(question)!r}{near_match(question, QUESTIONS)}")
        body = await _body(request)
        body.pop("named", None)
        if named is not None and _means(body, named):
            body["named"] = str(named)
        return _Events(workers.events(question, body))

    @asynccontextmanager
    async def living(_app: Starlette) -> AsyncIterator[None]:
        workers.begin()
        try:
            yield
        finally:
            await workers.end()

    app = Starlette(
        routes=[Route("/api/{question}", ask, methods=["POST"]), Route("/{file:path}", file, methods=["GET"])],
        lifespan=living,
        exception_handlers={PuzzleError: _bad, HTTPException: _refused, Exception: _mistake},
    )
    return guarded(app, door)


def _means(body: dict[str, Any], named: Path) -> bool:
    """Whether a question is about the file of the command line: it says its name, and no table."""
    said = body.get("puzzle")
    return body.get("name") == named.name or (isinstance(said, dict) and said.get("name") == named.name and said.get("table") is None)


async def _body(request: Request) -> dict[str, Any]:
    """The object that a request holds. Raises PuzzleError where it is none, and HTTPException where it is too large or of another type."""
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise HTTPException(415, "expected application/json")
    too_large = HTTPException(413, f"{MOST_OF_A_BODY:,} bytes are read at most")
    said = request.headers.get("content-length", "0")
    if not said.isdecimal() or int(said[:MOST_DIGITS]) > MOST_OF_A_BODY:
        raise too_large
    data = bytearray()
    with suppress(ClientDisconnect):  # then nobody gets the answer that what came is no JSON
        async for part in request.stream():
            data += part
            if len(data) > MOST_OF_A_BODY:
                raise too_large
    body = json_of(bytes(data))
    if not isinstance(body, dict):
        raise PuzzleError("expected a JSON object")
    return body


async def _bad(_request: Request, error: Exception) -> Response:
    assert isinstance(error, PuzzleError)
    return JSONResponse({"error": list(error.problems)}, 400)


async def _refused(_request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return JSONResponse({"error": [error.detail]}, error.status_code, headers={"connection": "close"})


async def _mistake(request: Request, error: Exception) -> Response:
    return JSONResponse({"error": [mistake(request.url.path, error)]}, 500)


class _Events(Response):
    """The events of a question as they come (server-sent events); where the page goes away, or asks for no more, the work is left off."""

    def __init__(self, events: AsyncGenerator[Event, None]) -> None:
        self.events = events
        self.status_code = 200
        self.background = None
        self.body = b""
        self.init_headers({"content-type": "text/event-stream; charset=utf-8", "x-accel-buffering": "no"})
        del self.headers["content-length"]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send what comes until all has come, or nobody listens."""
        sending = asyncio.create_task(self._send(send))
        leaving = asyncio.create_task(_gone(receive))
        try:
            await asyncio.wait({sending, leaving}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            leaving.cancel()
            sending.cancel()
            with suppress(asyncio.CancelledError, OSError):
                await sending

    async def _send(self, send: Send) -> None:
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        try:
            async with aclosing(self.events) as events:
                async for event in events:
                    await send(_part(event))
        except OSError:
            raise  # the page is gone
        except Exception as error:
            await send(_part(("failed", {"error": [mistake("events", error)]})))
        await send({"type": "http.response.body", "body": b"", "more_body": False})


def _part(event: Event) -> dict[str, Any]:
    """An event as a part of the answer; what of a name is no text in UTF-8 is written as JSON escapes it."""
    kind, what = event
    data = json.dumps(with_parts(what), ensure_ascii=False, separators=(",", ":"))
    return {"type": "http.response.body", "body": f"event: {kind}\ndata: {data}\n\n".encode(errors="backslashreplace"), "more_body": True}


async def _gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


# from the beginning to the end -----------------------------------------------------------------------------------------------


def bound(port: int | None) -> socket.socket:
    """Return a socket bound to the loopback address: at a port, or at the first one that is free. Raises PuzzleError where it is taken."""
    for number in (port,) if port is not None else range(PORT, PORT + PORTS):
        # only where the protocol is named does asyncio send small answers at once, without waiting for the last one to be acknowledged
        listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        try:
            if sys.platform != "win32":  # there it would let two listen at one port
                listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listening.bind((LOOPBACK, number))
            listening.listen()
        except OSError:
            listening.close()
        else:
            return listening
    what = f"port {port} is" if port is not None else f"the ports {PORT} to {PORT + PORTS - 1} are"
    raise PuzzleError(f"{what} taken; choose another one with --port N")


def serve(door: Door, listening: socket.socket, named: Path | None, begun: Callable[[], None], stop: Stop) -> None:
    """Serve until ``stop`` is set; call ``begun`` when requests are answered. At the end nothing is left of it."""
    workers = Workers()
    config = uvicorn.Config(
        application(door, workers, named),
        log_level="critical",
        access_log=False,
        server_header=False,
        ws="none",
        timeout_graceful_shutdown=ENDING_SECONDS,
    )
    server = uvicorn.Server(config)
    # in a thread of its own it leaves signals to us
    thread = Thread(target=server.run, args=([listening],), daemon=True)
    thread.start()
    while thread.is_alive() and not server.started:
        thread.join(LOOK_SECONDS / 10)
    try:
        if server.started:
            begun()
        while thread.is_alive() and not stop.is_set():
            thread.join(LOOK_SECONDS)
    finally:
        workers.kill()
        server.should_exit = True
        thread.join()
        listening.close()
