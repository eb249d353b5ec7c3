"""PNG from SVG."""

from __future__ import annotations

import re
from importlib.resources import as_file, files

from puzzlesat.libraries import needed

TIMES = 2
"""Pixels of a PNG for one of the SVG: sharp on paper and on fine screens."""
WIDEST = 8000
"""Pixels: larger pictures would take gigabytes."""


def png(svg: str, width: int | None = None) -> bytes:
    """Return an SVG picture as PNG, ``width`` pixels wide, or twice as wide as it says itself.

    Letters come from the font that is part of the package, so that every machine draws the same picture; what it has not is taken
    from the fonts of the machine. Raises NotSupportedError where resvg is not installed.
    """
    needed("resvg_py")
    from resvg_py import svg_to_bytes

    size = re.search(r'<svg [^>]*width="([\d.]+)" height="([\d.]+)"', svg)
    if width is None and size is not None:
        wide, high = float(size[1]), float(size[2])
        width = round(wide * min(TIMES, WIDEST / max(wide, high)))
    with as_file(files("puzzlesat.draw") / "fonts" / "DejaVuSans-subset.ttf") as font:
        return bytes(svg_to_bytes(svg_string=svg, width=width, font_files=[str(font)], font_family="DejaVu Sans", background="#ffffff"))
