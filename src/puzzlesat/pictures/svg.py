"""Building blocks of SVG: numbers, texts, arrangements of pictures, whole documents; and conversion of SVG to PNG."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from importlib.resources import as_file, files

from puzzlesat.base import NotSupportedError, Reals

MARGIN, LINE = 12.0, 22.0
FONT = "DejaVu Sans, Verdana, Helvetica, Arial, sans-serif"
SMALLEST, LARGEST = 5.0, 16.0
"""Smallest and largest font size of names in pieces."""
LETTER = 0.64
"""Mean width of a letter of DejaVu Sans, relative to the font size. The height of a letter is 0.75."""
_WIDTHS = {"ijlIJ'.,:;|/ ": 0.33, "frt()[]-!": 0.41, "cszL_*": 0.55, "BRXZAVCU": 0.71, "HNDGOQw&": 0.79, "M#+<=>~^": 0.86, "mW%@": 1.0}
WIDTHS = {letter: width for letters, width in _WIDTHS.items() for letter in letters}
"""Widths of letters that are narrower or broader than the mean."""


@dataclass(frozen=True)
class Picture:
    """SVG elements between (0, 0) and (width, height)."""

    width: float
    height: float
    body: str

    def titled(self, words: str, *, size: float = 14.0, bold: bool = False) -> Picture:
        """Return the picture with a line of text above it."""
        if not words:
            return self
        weight = ' font-weight="bold"' if bold else ""
        line = f"<g{weight}>{text(0, LINE / 2 - 2, words, size, anchor='start')}</g>"
        width = max(self.width, text_width(words, size))
        return Picture(width, self.height + LINE, f"{line}\n{moved(self, 0, LINE)}")

    def above(self, other: Picture) -> Picture:
        """Return the picture with another picture below it."""
        return beneath([self, other])

    def named(self, words: str, size: float = 12.0) -> Picture:
        """Return the picture with centred words below it."""
        width = max(self.width, text_width(words, size))
        centred = moved(self, (width - self.width) / 2, 0)
        return Picture(width, self.height + LINE, f"{centred}\n{text(width / 2, self.height + LINE / 2, words, size)}")

    def document(self, title: str) -> str:
        """Return a whole SVG file: the picture on white, with a margin."""
        width, height = self.width + 2 * MARGIN, self.height + 2 * MARGIN
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" height="{height:.0f}"'
            f' font-family="{FONT}" text-anchor="middle">\n<title>{escape(title)}</title>\n'
            f'<rect width="100%" height="100%" fill="#ffffff"/>\n{moved(self, MARGIN, MARGIN)}\n</svg>\n'
        )

    def element(self, label: str, *, margin: int = 0, attributes: str = "") -> str:
        """Return an SVG element for a page, with ``label`` as its description for screen readers."""
        width, height = self.width + 2 * margin, self.height + 2 * margin
        return (
            f'<svg {attributes}viewBox="{-margin} {-margin} {width:.0f} {height:.0f}" role="img" aria-label="{label}"'
            f' font-family="{FONT}" text-anchor="middle">{self.body}</svg>'
        )


def number(x: float) -> str:
    """Return a number with at most two decimals."""
    return f"{x:.2f}".rstrip("0").rstrip(".").replace("-0", "0") if abs(x) < 0.005 else f"{x:.2f}".rstrip("0").rstrip(".")


def path(points: Iterable[Sequence[float] | Reals], *, closed: bool = True) -> str:
    """Return the path through points."""
    text = "L".join(f"{number(x)} {number(y)}" for x, y in points)
    return f"M{text}{'Z' if closed else ''}"


def disc(centre: Sequence[float] | Reals, radius: float) -> str:
    """Return the path round a disc."""
    x, y = centre
    r = number(radius)
    return f"M{number(x - radius)} {number(y)}a{r} {r} 0 1 0 {number(2 * radius)} 0a{r} {r} 0 1 0 {number(-2 * radius)} 0Z"


def text(x: float, y: float, words: str, size: float, *, fill: str = "#000000", anchor: str = "middle") -> str:
    """Return a text whose vertical middle, and whose horizontal middle or start, is at (x, y)."""
    if not words:
        return ""
    start = "" if anchor == "middle" else f' text-anchor="{anchor}"'
    return f'<text x="{number(x)}" y="{number(y + 0.36 * size)}" font-size="{number(size)}" fill="{fill}"{start}>{escape(words)}</text>'


def breadth(words: str) -> float:
    """Return the approximate width of a text relative to its font size."""
    return sum(WIDTHS.get(letter, LETTER) for letter in words)


def text_width(words: str, size: float) -> float:
    """Return the approximate width of a text."""
    return breadth(words) * size


def fitted(centre: Sequence[float] | Reals, radius: float, words: str, fill: str) -> str:
    """Return a text as large as a circle allows, or an empty string if it would be too small to read."""
    size = min(1.9 * radius / (max(breadth(words), LETTER) ** 2 + 0.75**2) ** 0.5, LARGEST)
    return text(centre[0], centre[1], words, size, fill=fill) if size >= SMALLEST else ""


def moved(picture: Picture, x: float, y: float) -> str:
    """Return the elements of a picture, moved by (x, y)."""
    return f'<g transform="translate({number(x)} {number(y)})">\n{picture.body}\n</g>'


def beneath(pictures: Sequence[Picture], gap: float = MARGIN) -> Picture:
    """Return pictures one below the other."""
    parts, y = [], 0.0
    for picture in pictures:
        parts.append(moved(picture, 0, y))
        y += picture.height + gap
    return Picture(max(p.width for p in pictures), y - gap, "\n".join(parts))


def in_rows(pictures: Sequence[Picture], widest: float | None = None, *, gap: float = 2 * MARGIN) -> Picture:
    """Return pictures in rows at most ``widest`` wide, by default in about a square; without pictures, an empty picture."""
    if not pictures:
        return Picture(0.0, 0.0, "")
    if widest is None:
        widest = max(1.6 * sum(picture.width * picture.height for picture in pictures) ** 0.5, *(picture.width for picture in pictures))
    rows: list[list[Picture]] = [[]]
    for picture in pictures:
        if rows[-1] and sum(p.width + gap for p in rows[-1]) + picture.width > widest:
            rows.append([])
        rows[-1].append(picture)
    return beneath([_row(row, gap) for row in rows], gap)


def _row(pictures: Sequence[Picture], gap: float) -> Picture:
    parts, x = [], 0.0
    for picture in pictures:
        parts.append(moved(picture, x, 0))
        x += picture.width + gap
    return Picture(x - gap, max(p.height for p in pictures), "\n".join(parts))


TIMES = 2
"""Pixels of a PNG for a pixel of the SVG, for sharp print and high-resolution screens."""
WIDEST = 8000
"""Largest width or height in pixels; larger pictures would take gigabytes."""


def png(svg: str, width: int | None = None) -> bytes:
    """Return an SVG picture as PNG, ``width`` pixels wide, by default twice the width of the SVG.

    Letters come from the font in the package, so that every machine draws the same picture; characters that it lacks come from the fonts of
    the machine. Raises NotSupportedError if resvg is not installed.
    """
    NotSupportedError.check_installed("resvg_py")
    from resvg_py import svg_to_bytes

    size = re.search(r'<svg [^>]*width="([\d.]+)" height="([\d.]+)"', svg)
    if width is None and size is not None:
        wide, high = float(size[1]), float(size[2])
        width = round(wide * min(TIMES, WIDEST / max(wide, high)))
    with as_file(files("puzzlesat.pictures") / "fonts" / "DejaVuSans-subset.ttf") as font:
        return bytes(svg_to_bytes(svg_string=svg, width=width, font_files=[str(font)], font_family="DejaVu Sans", background="#ffffff"))
