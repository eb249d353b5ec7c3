"""A person in a browser: methods for the actions of people in the studio."""

import asyncio
import json
import re
import time
import zlib
from base64 import urlsafe_b64decode, urlsafe_b64encode
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from draw.browser import PATIENCE
from puzzlesat.pictures.boards import board_as_json

NEEDED = "the pages of the studio are not tried: playwright is not installed (pip install 'puzzlesat[test]')"
sync_api = pytest.importorskip("playwright.sync_api", reason=NEEDED)
FLAGS = (
    "--no-sandbox",
    "--disable-gpu-compositing",  # without a graphics card, the processor paints pages ten times faster by itself
    "--use-gl=angle",  # WebGL without a graphics card
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
AXE = Path(__file__).parents[2] / "build" / "node" / "node_modules" / "axe-core" / "axe.min.js"
"""Without it (npm install --prefix build/node axe-core), accessibility is left out."""
ACCESSIBLE = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"], "rules": {"label-content-name-mismatch": {"enabled": False}}}
"""Rules of axe-core. The rule on visible labels is off: a card shows a letter, but its accessible name lists its marks."""
DESK, PHONE = {"width": 1280, "height": 860}, {"width": 390, "height": 844}


@contextmanager
def browsing(program):
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=[*FLAGS])
        browser.loop = asyncio.get_running_loop()
        asyncio._set_running_loop(None)
        try:
            yield browser
        finally:
            asyncio._set_running_loop(browser.loop)
            browser.close()


@contextmanager
def loop_of(browser):
    """Make the event loop of a browser the running one, as playwright requires between two of its calls."""
    asyncio._set_running_loop(browser.loop)
    try:
        yield
    finally:
        asyncio._set_running_loop(None)


@contextmanager
def serving(folder):
    """Serve the files of a folder on a port of this machine; yield the address."""
    quiet = type("Quiet", (SimpleHTTPRequestHandler,), {"log_message": lambda *_: None})
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(quiet, directory=str(folder)))
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()


class Person:
    """A person with a new browser profile, who uses one page. Without motion, a waiting page is repainted less often."""

    def __init__(self, browser, address, *, phone=False, language="en-US", dark=False, lenient=False, motion=False):
        self.address = address
        self.context = browser.new_context(
            viewport=PHONE if phone else DESK, has_touch=phone, is_mobile=phone, locale=language, color_scheme="dark" if dark else "light",
            bypass_csp=lenient, permissions=[], accept_downloads=True, reduced_motion="no-preference" if motion else "reduce",
        )  # fmt: skip
        self.context.set_default_timeout(PATIENCE)
        self.page = self.context.new_page()
        self.mistakes = []
        self.page.on("pageerror", lambda error: self.mistakes.append(str(error)))
        self.asked = set()
        self.page.on("request", lambda request: self.asked.add(request))
        for ended in ("requestfinished", "requestfailed"):
            self.page.on(ended, lambda request: self.asked.discard(request))

    def opens(self, address=""):
        """Open the studio, or a link."""
        self.page.goto(address or self.address)
        return self

    def opens_puzzle(self, name, *, view="play", position=()):
        return self.opens(link(self.address, {"view": view, "name": name, "position": list(position)}))

    def goes_on_to(self, address):
        """Open a link in the page that is open already, and wait until its view is there."""
        self.page.evaluate("document.querySelector('main .view')?.setAttribute('data-left', '')")
        self.opens(address)
        self.page.locator("main .view:not([data-left]) h1, main .view:not([data-left]) .badge").first.wait_for(state="attached")
        self.settles()
        return self

    def settles(self):
        """Wait for answers (half a second at most, because some counts take long) and for the end of colour transitions."""
        for _ in range(20):
            self.page.wait_for_timeout(25)
            if not self.asked:
                break
        self.page.evaluate(
            """Promise.allSettled(document.getAnimations().filter((one) => one instanceof CSSTransition).map((one) => one.finished))
                 .then(() => null)"""
        )

    def assert_accessible(self, asked=ACCESSIBLE):
        if not AXE.is_file():
            return
        if not self.page.evaluate("'axe' in window"):
            self.page.add_script_tag(path=str(AXE))
        found = self.page.evaluate(
            """asked => axe.run(asked).then(({ violations }) => violations.map(({ id, help, nodes }) =>
                 [id, help, nodes.slice(0, 3).map(({ html }) => html.slice(0, 160))]))""",
            asked,
        )
        assert found == []

    def sees(self, words):
        self.page.get_by_text(words).first.wait_for()

    def presses(self, words):
        self.page.get_by_role("button", name=words).first.click()

    def ways(self):
        """Return the number of ways beside the board, once it is known."""
        self.page.locator(".ways:not(.busy) b").wait_for()
        return self.page.locator(".ways b").inner_text()

    def waits_for_ways(self, number):
        self.page.locator(".ways:not(.busy) b", has_text=re.compile(f"^{number}$")).wait_for()

    def state(self):
        packed = self.page.evaluate("location.hash").removeprefix("#p=")
        return json.loads(zlib.decompress(urlsafe_b64decode(packed + "=" * (-len(packed) % 4)), wbits=-zlib.MAX_WBITS))

    def position(self):
        return self.state().get("position", [])

    def waits_until(self, condition):
        """Wait for a condition outside of the page; return its value."""
        end = time.monotonic() + PATIENCE / 1000
        while not (found := condition()):
            assert time.monotonic() < end, self.state()
            self.page.wait_for_timeout(25)
        return found

    def waits_for_another_address(self, before):
        self.page.wait_for_function("before => location.hash !== before", arg=before)

    def waits_for_position(self, names):
        """Wait until exactly these placements lie on the board, and the address has them."""
        self.waits_until(lambda: sorted(self.position()) == sorted(names))

    def table(self):
        """Return the table of the puzzle in the address; empty before there is one."""
        return self.state().get("puzzle", {}).get("table", {})

    # pieces

    def piece(self, tile):
        return self.page.locator(f'[data-tile="{tile}"]')

    def on_board(self, x, y):
        """Return the place of a point of the board on the screen."""
        return self.page.evaluate(
            """([x, y]) => {
              const at = document.querySelector(".table-picture").getScreenCTM();
              return [at.a * x + at.c * y + at.e, at.b * x + at.d * y + at.f];
            }""",
            [x, y],
        )

    def drags(self, tile, x, y):
        """Drag the middle of a piece from the tray to a point of the board."""
        box = self.piece(tile).locator("svg").bounding_box()
        self.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        self.page.mouse.down()
        there = self.on_board(x, y)
        self.page.mouse.move(*[(a + b) / 2 for a, b in zip(there, (box["x"], box["y"]), strict=True)], steps=4)
        self.page.mouse.move(*there, steps=4)
        self.page.mouse.up()


class Drawer(Person):
    """A person who draws."""

    def verdict(self, words):
        self.page.locator(".badge").get_by_text(words).wait_for()

    def whole_shape(self, *sizes, shape="box"):
        self.page.get_by_label("Shape", exact=True).select_option(shape)
        for label, size in zip(("Width", "Height", "Layers"), sizes, strict=False):
            self.page.get_by_label(label, exact=True).fill(str(size))
        self.presses("Draw it")

    def area(self):
        return self.page.locator(".area").inner_text()

    def waits_for_area(self, words):
        self.page.locator(".area").get_by_text(words).first.wait_for()

    def middle(self):
        box = self.page.locator(".board").bounding_box()
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    def strokes(self, *points):
        """Drag from point to point, relative to the middle of the sheet."""
        x, y = self.middle()
        self.page.mouse.move(x + points[0][0], y + points[0][1])
        self.page.mouse.down()
        for dx, dy in points[1:]:
            self.page.mouse.move(x + dx, y + dy, steps=8)
        self.page.mouse.up()

    def form(self):
        return self.waits_until(lambda: self.table().get("form"))

    def waits_for_form(self, said):
        self.waits_until(lambda: self.table().get("form") == said)

    def draws(self, table=None, *, view="draw"):
        """Open a view of drawing, perhaps with a puzzle."""
        puzzle = {} if table is None else {"puzzle": {"name": "drawn", "table": table}}
        self.opens(link(self.address, {"view": view, **puzzle}))
        self.page.locator(".board canvas").last.wait_for()
        return self


def link(address, state):
    """Return the address of a state."""
    packed = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return f"{address}#p={urlsafe_b64encode(packed.compress(json.dumps(state).encode()) + packed.flush()).decode().rstrip('=')}"


class Places:
    """The places of a puzzle's placements on its board."""

    def __init__(self, built):
        self.board = board_as_json(built)
        self.number = {name: p for p, name in enumerate(self.board["placements"]["name"])}

    def tile(self, name):
        return self.board["placements"]["tile"][self.number[name]]

    def middle(self, name):
        """The middle of the box around a placement."""
        atoms = [self.board["atoms"][a] for a in self.board["placements"]["atoms"][self.number[name]]]
        return tuple((min(a[axis] for a in atoms) + max(a[axis] for a in atoms)) / 2 for axis in "xy")

    def turns(self, name):
        """Return the number of turns from the tray to a placement; None if the piece has to be flipped."""
        at, known = 0, self.board["tiles"][self.tile(name)]["orientations"]
        for n in range(len(known)):
            if at == self.board["placements"]["orientation"][self.number[name]]:
                return n
            at = known[at]["turn"]
        return None
