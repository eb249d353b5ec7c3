"""The studio's server: the page, its files, and the processes that answer its questions.

Processes are started in advance, and each answers one question at a time. If no client waits for an answer any more, its process is
stopped, and killed if it does not stop in time, so that the next question never waits for abandoned work.

Only the studio's own page may talk to the server. The server is bound to the loopback address, but every page in the user's browser can
send requests to this address. Therefore the path contains an unguessable token; the Host must be the studio's (a foreign name may resolve
to this machine: DNS rebinding); an Origin, if sent, must be the studio's; and a request that the browser marks as cross-site is refused. No
other page may read, frame or store an answer.
"""

from __future__ import annotations

import asyncio
import json
import socket
import sys
import traceback
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing, asynccontextmanager, suppress
from dataclasses import dataclass
from importlib import import_module
from importlib.resources import files
from pathlib import Path, PurePosixPath
from secrets import compare_digest, token_urlsafe
from threading import Event as Stop
from threading import Thread
from typing import Any, Final

import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from puzzlesat import base
from puzzlesat.pages.studio.telling import Event, Tell, with_parts, with_rules

STUDIO_LONG, STUDIO_QUICK = 2, 2
"""Questions answered at the same time: long ones (counts, candidates, proofs), and quick ones during play."""
STUDIO_PROCESSES = 6
"""Largest number of processes, including processes that are stopping."""
STUDIO_WARM = 2
"""Number of idle processes with all modules loaded."""
STUDIO_LEAVE_OFF_SECONDS = 0.5
"""Seconds that a process has to stop its work before it is killed and replaced."""

LONG: Final = "long"
QUICK: Final = "quick"
TASKS = {
    "apart": {"apart": QUICK, "levels": LONG, "states": QUICK},
    "candidates": {"candidates": LONG},
    "count": {"certificate": LONG, "count": LONG, "prove": LONG},
    "grids": {"grids": QUICK, "polyforms": QUICK},
    "open": {"export": QUICK, "library": QUICK, "open": QUICK, "picture": QUICK},
    "position": {"challenge": LONG, "difficulty": QUICK, "hint": QUICK, "position": QUICK},
    "solutions": {"solutions": LONG},
}
"""The modules of ``studio.tasks`` with the questions that they answer, which are long or quick: ``answer_hint`` answers ``hint``."""
QUESTIONS = {question: kind for questions in TASKS.values() for question, kind in questions.items()}


# in the child ----------------------------------------------------------------------------------------------------------------


def task(question: str) -> Callable[[Mapping[str, Any], Tell], dict[str, Any]]:
    """Return the function that answers a question."""
    module = next(module for module, questions in TASKS.items() if question in questions)
    answers: Callable[..., dict[str, Any]] = getattr(import_module(f"puzzlesat.pages.studio.tasks.{module}"), f"answer_{question}")
    return answers


def answer(question: str, body: Mapping[str, Any]) -> Event:
    """Answer a question. Errors become sentences, as in the commands."""
    sender = Tell(base.Child.tell)
    try:
        return "done", task(question)(dict(body), sender)
    except base.PuzzleError as error:
        return _failed(*error.problems)
    except base.ContradictionError as error:
        return _failed(str(error))
    except base.EndedError as ended:
        return _failed(ended.words)
    except ImportError as error:
        return _failed(broken(error))
    except RecursionError:
        return _failed(base.Sentence("the file is nested too deeply; make a flatter one"))
    except Exception as error:
        if base.NoMemoryError.is_behind(error):
            return _failed(base.Sentence("out of memory; try a smaller form or fewer pieces"))
        return _failed(mistake(question, error))  # bugs too are reported to the page, and to the terminal with their place


def warm_up() -> str | None:
    """Load the modules for questions, and compile code by a small example; return a sentence if a part of the program is missing."""
    try:
        for module in TASKS:
            import_module(f"puzzlesat.pages.studio.tasks.{module}")
    except ImportError as error:
        return broken(error)
    answer("position", {"puzzle": {"name": "domino-and-square-3x2"}, "position": []})
    return None


def broken(error: ImportError) -> str:
    """Return a sentence that a part of the program cannot be loaded."""
    cure = 'install it anew: pip install --force-reinstall "puzzlesat[studio]"'
    return f"puzzlesat is not installed as it should be: {base.shown(str(error))}; {cure}"


def _failed(*sentences: str) -> Event:
    return "failed", {"error": list(sentences)}


def mistake(where: str, error: Exception) -> str:
    """Print an unexpected exception on the terminal in one line; return a sentence for the page."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    print(f"puzzlesat: studio: {where}: {error!r} ({Path(last.filename).name}, line {last.lineno})", file=sys.stderr, flush=True)
    return base.Sentence("the program made a mistake; the terminal shows where. Your work is not lost")


ENDED: Event = _failed(base.Sentence("the studio was stopped in the terminal"))


# in the server ---------------------------------------------------------------------------------------------------------------


class QuestionWorkers:
    """The worker processes of a server. Methods run in the thread of its event loop, except ``kill``."""

    def __init__(self) -> None:
        self._idle: list[base.Child] = []
        self._living: set[base.Child] = set()
        self._room = {LONG: asyncio.Semaphore(STUDIO_LONG), QUICK: asyncio.Semaphore(STUDIO_QUICK)}
        self._changed = asyncio.Condition()
        self._threads = ThreadPoolExecutor(2 * STUDIO_PROCESSES, "studio")
        self._leaving: set[asyncio.Task[None]] = set()
        self._closed = False
        self._said: set[str] = set()

    def begin(self) -> None:
        """Start processes, and let them load their modules."""
        for _ in range(STUDIO_WARM):
            self._later(self._warm())

    async def events(self, question: str, body: Mapping[str, Any]) -> AsyncGenerator[Event, None]:
        """Let a process answer a question; yield its messages, then its answer. Closing the generator stops the work."""
        async with self._room[QUESTIONS[question]]:
            child = await self._taken()
            if child is None:
                yield ENDED
                return
            loop = asyncio.get_running_loop()
            heard: asyncio.Queue[Event | None] = asyncio.Queue()

            def hear(event: Event) -> None:
                loop.call_soon_threadsafe(heard.put_nowait, event)

            child.heard = hear
            asking = loop.run_in_executor(self._threads, child.ask, answer, question, body)
            asking.add_done_callback(lambda _: heard.put_nowait(None))
            try:
                while (event := await heard.get()) is not None:
                    yield event
                yield self._answer(asking)
            finally:
                self._later(self._give_back(child, asking))

    def kill(self) -> None:
        """Kill all processes at once, from any thread. Their questions fail, and no new ones are accepted."""
        self._closed = True
        for child in list(self._living):
            child.kill()

    async def end(self) -> None:
        """Kill all processes, and wait until they have ended."""
        self.kill()
        while self._leaving:
            await asyncio.wait(set(self._leaving))
        for child in self._living:
            child.end()
        self._living.clear()
        self._idle.clear()
        self._threads.shutdown()

    def _answer(self, asking: asyncio.Future[Event]) -> Event:
        try:
            return asking.result()
        except base.ChildEndedError as ended:
            if self._closed:
                return ENDED
            message = "the process that worked on this was ended from outside ({how}), perhaps for lack of memory; try again"
            return _failed(base.Sentence(message, how=str(ended)))

    async def _taken(self) -> base.Child | None:
        """Return an idle process, or a new one if there is none; None after the end."""
        async with self._changed:
            await self._changed.wait_for(lambda: self._closed or self._idle or len(self._living) < STUDIO_PROCESSES)
        return None if self._closed else self._idle.pop() if self._idle else self._started()

    def _started(self) -> base.Child:
        child = base.Child()
        self._living.add(child)
        return child

    async def _give_back(self, child: base.Child, asking: asyncio.Future[Event]) -> None:
        """Return a process to the pool; stop it first if it has not answered."""
        if not asking.done():
            child.stop()
            await asyncio.wait({asking}, timeout=STUDIO_LEAVE_OFF_SECONDS)
            if not asking.done():
                child.kill()
                await asyncio.wait({asking})
            child.go_on()
        await self._kept(child, asking.exception() is None)

    async def _kept(self, child: base.Child, sound: bool, *, again: bool = True) -> None:
        """Return a process to the pool. End it instead if it has died; if the pool is too large, end the least recently used process.

        Replace a dead process to keep some warm, unless it died during the warm-up (not ``again``), since the next would too.
        """
        ended: base.Child | None = child
        if sound and not self._closed:
            self._idle.append(child)
            ended = self._idle.pop(0) if len(self._idle) > STUDIO_WARM else None
        if ended is not None:
            self._living.discard(ended)
            await asyncio.get_running_loop().run_in_executor(None, ended.end)
            if not sound and again and len(self._living) < STUDIO_WARM and not self._closed:
                self._later(self._warm())
        async with self._changed:
            self._changed.notify_all()

    async def _warm(self) -> None:
        """Start a process for later questions."""
        if self._closed:
            return
        child = self._started()
        warming = asyncio.get_running_loop().run_in_executor(self._threads, child.ask, warm_up)
        await asyncio.wait({warming})
        died = warming.exception()
        self._say(warming.result() if died is None else f"a process that answers questions ended before it was ready ({died})")
        await self._kept(child, died is None, again=False)

    def _say(self, problem: str | None) -> None:
        """Print an error of the installation on the terminal, once."""
        if problem is not None and problem not in self._said and not self._closed:
            self._said.add(problem)
            print(f"puzzlesat: studio: {problem}", file=sys.stderr, flush=True)

    def _later(self, work: Any) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._leaving.add(task)
        task.add_done_callback(self._leaving.discard)


TOKEN_BYTES = 32
MAX_BODY_BYTES = 8 << 20
"""Largest size of a request in bytes: twice the largest size of a puzzle."""
OWN_SITE = ("same-origin", "none")
"""Sec-Fetch-Site of requests from the studio's page, and of an address that the user typed or a program opened."""
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
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
"""Headers of every response."""


@dataclass(frozen=True)
class Door:
    """The address of a server: its port, and the token in the path."""

    port: int
    token: str

    @property
    def hosts(self) -> tuple[str, ...]:
        """The allowed values of Host."""
        return f"127.0.0.1:{self.port}", f"localhost:{self.port}"

    @property
    def address(self) -> str:
        """The address of the page."""
        return f"http://127.0.0.1:{self.port}/{self.token}/"


def new_token() -> str:
    """Return an unguessable token."""
    return token_urlsafe(TOKEN_BYTES)


def refusal(door: Door, path: str, headers: Mapping[str, list[str]]) -> HTTPException | None:
    """Return the reason why a request is refused; None if it is allowed. ``headers`` maps lower-case names to all their values."""
    host = headers.get("host", [])
    if len(host) != 1 or host[0].lower() not in door.hosts:
        return HTTPException(400, f"expected the address of this studio: {door.hosts[0]}")
    foreign = any(origin != f"http://{host[0].lower()}" for origin in headers.get("origin", []))
    if foreign or any(site not in OWN_SITE for site in headers.get("sec-fetch-site", [])):
        return HTTPException(403, "requests of other pages are refused")
    first, slash, _ = path.removeprefix("/").partition("/")
    if not slash or not compare_digest(first.encode("utf-8", "replace"), door.token.encode()):
        return HTTPException(404, "there is nothing here; use the address that 'puzzlesat studio' printed")
    return None


def guarded(app: ASGIApp, door: Door) -> ASGIApp:
    """Return an application that passes allowed requests on, without the token in their path, and adds the headers to every response."""

    async def run(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await app(scope, receive, send)
            return
        if scope["type"] != "http":  # there are no websockets
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
    values: dict[str, list[str]] = {}
    for name, value in scope["headers"]:
        values.setdefault(name.decode("latin-1").lower(), []).append(value.decode("latin-1"))
    return values


def _with_headers(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            standard = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
            others = [(name, value) for name, value in message.get("headers", []) if name.decode("latin-1").lower() not in HEADERS]
            message = {**message, "headers": [*others, *standard]}
        await send(message)

    return sending


async def _refuse(closed: HTTPException, send: Send) -> None:
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": closed.status_code, "headers": headers})
    await send({"type": "http.response.body", "body": f"puzzlesat: {closed.detail}\n".encode()})


LOOPBACK = "127.0.0.1"
PORT, PORTS = 8417, 100
"""Default port, and the number of ports that are tried if it is taken."""
ENDING_SECONDS = 2
"""Seconds for finishing responses when the server is stopped."""
LOOK_SECONDS = 0.1
TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".png": "image/png",
    ".svg": "image/svg+xml",
}
"""Media types of the page's files, by suffix."""
PAGES = ("puzzlesat.pages.studio", "page"), ("puzzlesat.pages", "page")
"""Folders of the page's files: files of the studio, and files shared with reports."""
SHARED = ("board.css",)
"""Files of the second folder that are served besides modules; its other templates and styles belong to reports."""


def page_files() -> dict[str, Path]:
    """Return the files of the page by name, such as ``views/play.js``; the studio's file wins if two have the same name."""
    by_name: dict[str, Path] = {}
    for package, folder in PAGES:
        root = Path(str(files(package).joinpath(folder)))
        for path in sorted(root.rglob("*")):
            if path.is_file() and (path.suffix in TYPES if package.endswith("studio") else path.suffix == ".js" or path.name in SHARED):
                by_name.setdefault(path.relative_to(root).as_posix(), path)
    return by_name


def application(door: Door, workers: QuestionWorkers, named: Path | None = None) -> ASGIApp:
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
        content = with_rules(name, page[name].read_text(encoding="utf-8")) if name.endswith(".js") else page[name].read_bytes()
        return Response(content, media_type=TYPES[PurePosixPath(name).suffix])

    async def ask(request: Request) -> Response:
        question = request.path_params["question"]
        if question not in QUESTIONS:
            raise base.PuzzleError(f"there is no question {base.shown(question)!r}{base.near_match(question, QUESTIONS)}")
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
        exception_handlers={base.PuzzleError: _bad, HTTPException: _refused, Exception: _mistake},
    )
    return guarded(app, door)


def _means(body: dict[str, Any], named: Path) -> bool:
    """Return whether a question is about the file of the command line: it has its name, and no table."""
    puzzle = body.get("puzzle")
    return body.get("name") == named.name or (isinstance(puzzle, dict) and puzzle.get("name") == named.name and puzzle.get("table") is None)


async def _body(request: Request) -> dict[str, Any]:
    """Return the JSON object of a request. Raises PuzzleError if it is not one, and HTTPException for a wrong size or type."""
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise HTTPException(415, "expected application/json")
    too_large = HTTPException(413, f"{MAX_BODY_BYTES:,} bytes are read at most")
    length = request.headers.get("content-length", "0")
    if not length.isdecimal() or int(length[: base.MAX_DIGITS]) > MAX_BODY_BYTES:
        raise too_large
    data = bytearray()
    with suppress(ClientDisconnect):  # after a disconnect the error about incomplete JSON has no receiver
        async for part in request.stream():
            data += part
            if len(data) > MAX_BODY_BYTES:
                raise too_large
    body = base.json_of(bytes(data))
    if not isinstance(body, dict):
        raise base.PuzzleError("expected a JSON object")
    return body


async def _bad(_request: Request, error: Exception) -> Response:
    assert isinstance(error, base.PuzzleError)
    return JSONResponse({"error": list(error.problems)}, 400)


async def _refused(_request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return JSONResponse({"error": [error.detail]}, error.status_code, headers={"connection": "close"})


async def _mistake(request: Request, error: Exception) -> Response:
    return JSONResponse({"error": [mistake(request.url.path, error)]}, 500)


class _Events(Response):
    """The messages about a question as server-sent events. The work is stopped if the page disconnects."""

    def __init__(self, events: AsyncGenerator[Event, None]) -> None:
        super().__init__(headers={"x-accel-buffering": "no"}, media_type="text/event-stream")
        self.events = events
        del self.headers["content-length"]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send messages until the last one is sent or the page disconnects."""
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
    """A message as a part of the response. Characters of names that are invalid in UTF-8 are escaped as in JSON."""
    kind, what = event
    data = json.dumps(with_parts(what), ensure_ascii=False, separators=(",", ":"))
    return {"type": "http.response.body", "body": f"event: {kind}\ndata: {data}\n\n".encode(errors="backslashreplace"), "more_body": True}


async def _gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


# start and end ---------------------------------------------------------------------------------------------------------------


def bound(port: int | None) -> socket.socket:
    """Return a socket bound to a port of the loopback address; default: the first free one. Raises PuzzleError if it is taken."""
    for number in (port,) if port is not None else range(PORT, PORT + PORTS):
        # asyncio sends small answers without delay (TCP_NODELAY) only if the protocol is named
        listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        try:
            if sys.platform != "win32":  # on Windows this option would let two servers listen at one port
                listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listening.bind((LOOPBACK, number))
            listening.listen()
        except OSError:
            listening.close()
        else:
            return listening
    what = f"port {port} is" if port is not None else f"the ports {PORT} to {PORT + PORTS - 1} are"
    raise base.PuzzleError(f"{what} taken; choose another one with --port N")


def serve(port: int | None, named: Path | None, begun: Callable[[str], None], stop: Stop) -> None:
    """Serve until ``stop`` is set, then end all processes. Call ``begun`` with the address when requests are answered."""
    listening = bound(port)
    door, workers = Door(listening.getsockname()[1], new_token()), QuestionWorkers()
    config = uvicorn.Config(
        application(door, workers, named),
        log_level="critical",
        access_log=False,
        server_header=False,
        ws="none",
        timeout_graceful_shutdown=ENDING_SECONDS,
    )
    server = uvicorn.Server(config)
    # in a thread the server installs no signal handlers
    thread = Thread(target=server.run, args=([listening],), daemon=True)
    thread.start()
    while thread.is_alive() and not server.started:
        thread.join(LOOK_SECONDS / 10)
    try:
        if server.started:
            begun(door.address)
        while thread.is_alive() and not stop.is_set():
            thread.join(LOOK_SECONDS)
    finally:
        workers.kill()
        server.should_exit = True
        thread.join()
        listening.close()
