"""Drawings as steps from a point: the same shape has the same text wherever it lies, so it packs well.

Numbers have one decimal: nobody sees more of them. Paths of a picture that is made smaller may have none.
"""

from __future__ import annotations

import re

Point = tuple[float, float]

BEGINNING = re.compile(r' d="M(\S+) ([^A-Za-z ]+)')
PATH = re.compile(r' d="([^"]+)"')
TEXT = re.compile(r'<text x="([^"]*)" y="([^"]*)"')
COMMAND = re.compile(r"([A-Za-z])([^A-Za-z]*)")
LONG = re.compile(r"\d+\.\d{2,}")
STEPS = {"M": "m", "L": "l", "A": "a"}
"""Commands for points, and those for steps that do the same."""


def beginning(drawing: str) -> Point:
    """Return where the first path of a drawing begins."""
    found = BEGINNING.search(drawing)
    return (float(found[1]), float(found[2])) if found else (0.0, 0.0)


def short_drawing(drawing: str, origin: Point = (0.0, 0.0), *, decimals: int = 1) -> str:
    """Return a drawing of paths and texts as it is where ``origin`` is (0, 0)."""
    if origin != (0.0, 0.0):
        drawing = TEXT.sub(lambda found: f'<text x="{float(found[1]) - origin[0]:.3f}" y="{float(found[2]) - origin[1]:.3f}"', drawing)
    moved = PATH.sub(lambda found: f' d="{_moved(found[1], origin, decimals)}"', drawing)
    return LONG.sub(lambda found: _number(float(found[0])), moved)


def _moved(path: str, origin: Point, decimals: int) -> str:
    x, y = beginning(f' d="{path}')
    return f"M{_number(x - origin[0])} {_number(y - origin[1])}{short_path(path, (x, y), decimals)}"


def short_path(path: str, origin: Point, decimals: int = 1) -> str:
    """Return a path that goes on from ``origin``, by steps alone.

    Each point is rounded as it lies from the origin, so errors do not add up. Without
    decimals, a line that nothing closes goes on where it stays.
    """
    found = []
    here = start = (0.0, 0.0)
    for command, written in COMMAND.findall(path):
        if command in "Zz":
            here = start
            found.append("z")
            continue
        *shape, x, y = (float(number) for number in written.split())
        there = (round(x - origin[0], decimals), round(y - origin[1], decimals)) if command in STEPS else (here[0] + x, here[1] + y)
        step = " ".join(_number(number) for number in (*shape, there[0] - here[0], there[1] - here[1]))
        found.append(STEPS.get(command, command) + step)
        here = there
        if command in "Mm":
            start = here
    open_line = decimals == 0 and "z" not in found
    return "".join(step for i, step in enumerate(found) if step != "m0 0" or not (i == 0 or open_line))


def _number(x: float) -> str:
    return f"{x + 0.0:.1f}".removesuffix(".0").replace("-0", "0") if abs(x) < 0.05 else f"{x:.1f}".removesuffix(".0")
