"""Files in a real browser, chromium or chrome, controlled by playwright."""

import shutil
import sys

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
BROWSER = None if sys.platform == "win32" else next(filter(None, map(shutil.which, NAMES)), None)
MISSING = f"needs a browser: none of {', '.join(NAMES)} is on the PATH"
IN_A_BROWSER = pytest.mark.skipif(BROWSER is None, reason=MISSING)
PATIENCE = 200_000
"""Milliseconds for an event, before a test fails: kernels may be compiled meanwhile."""
PHONE, DESK = {"width": 390, "height": 844}, {"width": 1200, "height": 900}


class Page:
    """A file opened in a window of some size."""

    def __init__(self, browser, file, address="", size=DESK, dark=False):
        context = browser.new_context(viewport=size, is_mobile=size == PHONE, color_scheme="dark" if dark else "light")
        context.set_default_timeout(PATIENCE)
        self.page = context.new_page()
        self.page.goto(f"{file.as_uri()}{address}")

    def dark(self, dark):
        self.page.emulate_media(color_scheme="dark" if dark else "light")

    def do(self, steps):
        """Run statements, which may wait for promises, and return what they return."""
        return self.page.evaluate(f"async () => {{ {steps} }}")
