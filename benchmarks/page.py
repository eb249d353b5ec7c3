"""Measure drawing and playing in the page: CPU milliseconds of the browser until a form is ready, and for each move of the pointer.

    python benchmarks/page.py                    # a minute; needs playwright and a Chromium that it finds, or --browser FILE

The figures are milliseconds of the page's main thread, by the clock of this thread (``TaskDuration`` of Chromium), so other programs do
not matter. At 60 frames a second, 16.7 milliseconds are available per frame. Long tasks are tasks above 50 milliseconds.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import zlib
from base64 import urlsafe_b64encode
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date

from measure import machine
from playwright.sync_api import Browser, CDPSession, Page, sync_playwright

MOVES = 60
FORMS = ((10, 6), (60, 60), (200, 200))
LONG = """() => { globalThis.long = []; new PerformanceObserver((list) => long.push(...list.getEntries().map((one) => one.duration)))
  .observe({ type: "longtask" }); }"""


@contextmanager
def studio() -> Iterator[str]:
    """Run a studio and yield its address."""
    command = [sys.executable, "-m", "puzzlesat", "studio", "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as program:
        try:
            assert program.stdout is not None
            yield program.stdout.readline().strip().partition("#")[0]
        finally:
            program.kill()


def link(address: str, view: str, width: int, height: int) -> str:
    """Return the link to a box of dominoes."""
    table = {"title": f"{width} x {height}", "model": "dominoes", "form": {"box": [width, height]}}
    packed = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    said = packed.compress(json.dumps({"view": view, "puzzle": {"name": "box", "table": table}}).encode()) + packed.flush()
    return f"{address}#p={urlsafe_b64encode(said).decode().rstrip('=')}"


def worked(session: CDPSession) -> float:
    """Return the milliseconds of work of the page's main thread so far."""
    metrics = {one["name"]: one["value"] for one in session.send("Performance.getMetrics")["metrics"]}
    return 1000 * float(metrics["TaskDuration"])


def cost(browser: Browser, address: str, ready: Callable[[Page], object], drag: Callable[[Page], object]) -> tuple[float, float, int]:
    """Return the cost of a page until it is ready, the cost of each move of a drag, and the number of long tasks during the drag."""
    page = browser.new_page(viewport={"width": 1280, "height": 860})
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    page.goto(address)
    ready(page)
    first = worked(session)
    page.wait_for_timeout(2000)  # Requests to the program in this time do not count for the drag.
    page.evaluate(LONG)
    before = worked(session)
    drag(page)
    page.wait_for_timeout(100)
    move, long = (worked(session) - before) / MOVES, len(page.evaluate("long"))
    page.close()
    return first, move, long


def stroke(page: Page) -> None:
    """Paint across the sheet."""
    box = page.locator(".board").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 40, box["y"] + 60)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] - 40, box["y"] + box["height"] - 60, steps=MOVES)
    page.mouse.up()


def carry(page: Page) -> None:
    """Carry a piece over the board."""
    piece, board = page.locator("[data-tile] svg").first.bounding_box(), page.locator(".table-picture").bounding_box()
    assert piece is not None
    assert board is not None
    page.mouse.move(piece["x"] + piece["width"] / 2, piece["y"] + piece["height"] / 2)
    page.mouse.down()
    page.mouse.move(board["x"] + 20, board["y"] + 20)
    page.mouse.move(board["x"] + board["width"] - 20, board["y"] + board["height"] - 20, steps=MOVES)
    page.mouse.up()


def main() -> None:
    """Measure Draw with forms of three sizes, and Play with 2,000 cells."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--browser", metavar="FILE", help="the Chromium to use")
    options = parser.parse_args()
    print(f"{date.today():%d %B %Y}, {machine()}\n\n| view | cells | until it is there | each move | long tasks in {MOVES} moves |")
    print("| --- | ---: | ---: | ---: | ---: |")
    with studio() as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=options.browser, args=["--no-sandbox", "--disable-gpu-compositing"])
        for width, height in FORMS:
            found = cost(browser, link(address, "draw", width, height), lambda page: page.locator(".area b").wait_for(), stroke)
            print(f"| Draw | {width * height:,} | {found[0]:.0f} ms | {found[1]:.1f} ms | {found[2]} |", flush=True)
        found = cost(browser, link(address, "play", 50, 40), lambda page: page.locator("[data-tile]").first.wait_for(), carry)
        print(f"| Play | 2,000 | {found[0]:.0f} ms | {found[1]:.1f} ms | {found[2]} |")
        browser.close()


if __name__ == "__main__":
    main()
