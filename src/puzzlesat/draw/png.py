"""PNG from SVG."""

from __future__ import annotations

from importlib.resources import as_file, files

WIDEST = 8000
"""Pixels: wider pictures would take gigabytes."""


def png(svg: str, width: int | None = None) -> bytes:
    """Return an SVG picture as PNG, in its own size or ``width`` pixels wide.

    Letters come from the font that is part of the package, so that every machine draws the same picture; what it has not is taken
    from the fonts of the machine.
    """
    from resvg_py import svg_to_bytes

    with as_file(files("puzzlesat.draw") / "fonts" / "DejaVuSans-subset.ttf") as font:
        return bytes(svg_to_bytes(svg_string=svg, width=width, font_files=[str(font)], font_family="DejaVu Sans", background="#ffffff"))
