"""Make the pictures of README, light and dark: python docs/site/readme_pictures.py (needs playwright and chromium)."""

import json
import shutil
import subprocess
import sys
import zlib
from base64 import urlsafe_b64encode
from pathlib import Path

from playwright.sync_api import sync_playwright

PICTURES = Path(__file__).parents[1] / "pictures"
PUZZLESAT = (sys.executable, "-m", "puzzlesat")
PUZZLES = ("tritetratan", "soma", "bits-and-bytes")
DARK = {
    '<rect width="100%" height="100%" fill="#ffffff"/>': '<rect width="100%" height="100%" fill="#0d1117"/>',
    'fill="#000000" text-anchor="start"': 'fill="#e6edf3" text-anchor="start"',
    'fill="#666666"': 'fill="#9aa4ae"',
}
"""The ground, the title and the captions of a picture in the colours of a dark page. Pieces keep their colours."""
POSITION = {"view": "play", "name": "octogram", "position": ["F.3@4.1", "L.1@1.1"]}
SCREENS = {
    "studio": {"viewport": {"width": 1240, "height": 690}},
    "phone": {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True},
}


def draw_solutions() -> None:
    """Draw a solution of each puzzle, and the same in the colours of a dark page."""
    for puzzle in PUZZLES:
        picture = PICTURES / f"{puzzle}.svg"
        subprocess.run([*PUZZLESAT, "solve", puzzle, "--svg", str(picture)], check=True, stdout=subprocess.DEVNULL)
        text = picture.read_text("utf-8")
        for light, dark in DARK.items():
            text = text.replace(light, dark)
        picture.with_stem(f"{puzzle}-dark").write_text(text, "utf-8")


def photograph_studio() -> None:
    """Open a position of Octogram in the studio, at a desk and on a phone."""
    studio = subprocess.Popen([*PUZZLESAT, "studio", "--no-browser"], stdout=subprocess.PIPE, text=True)
    try:
        address = next(word for line in studio.stdout for word in line.split() if word.startswith("http://"))
        packed = zlib.compressobj(wbits=-zlib.MAX_WBITS)
        state = urlsafe_b64encode(packed.compress(json.dumps(POSITION).encode()) + packed.flush()).decode().rstrip("=")
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
            for name, screen in SCREENS.items():
                for scheme, ending in (("light", ""), ("dark", "-dark")):
                    page = browser.new_context(**screen, color_scheme=scheme, locale="en-US", reduced_motion="reduce").new_page()
                    page.goto(f"{address}#p={state}")
                    page.locator(".ways.good").wait_for()
                    page.screenshot(path=PICTURES / f"{name}{ending}.png")
    finally:
        studio.terminate()


draw_solutions()
photograph_studio()
