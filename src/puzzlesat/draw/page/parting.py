"""The part of a page in which solutions are taken apart: how many of each level there are, and each step by step."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from itertools import groupby
from typing import Any

from puzzlesat.counting.assemblies import Apart, Assembly, other_levels
from puzzlesat.draw.page.contents import Contents
from puzzlesat.draw.page.parts import Part, folding
from puzzlesat.draw.page.taking import basis_of, taking_as_json
from puzzlesat.draw.page.template import filled, inside_script
from puzzlesat.errors import many
from puzzlesat.solvers.strategy import REPORT_APART_SHOWN

TAKEN_APART = ("elements.js", "takeapart.js", "apartpage.js")
TAKEN_APART_IN_SPACE = ("elements.js", "takeapart.js", "takeapart3d.js", "apartpage.js")
"""The modules that this part needs, each after those from which it imports."""


def parting_section(contents: Contents) -> Part | None:
    """Return the part; None where it was not asked whether solutions come apart."""
    apart = contents.apart
    if apart is None:
        return None
    name = escape(contents.report.instance.name)
    if not apart.assemblies:
        return folding(
            "apart", "Taking apart", "Taking apart", f"<p>No time was left for this; run <code>puzzlesat apart {name}</code>.</p>"
        )
    held = len(apart.assemblies) - sum(apart.levels.values())
    by_level = [(level, list(of)) for level, of in groupby(apart.assemblies, lambda a: a.level) if level is not None]
    rows = [(_both(level, of), len(of)) for level, of in by_level] + ([("does not come apart", held)] if held else [])
    cells = "\n".join(f'<tr><th scope="row">{escape(level)}</th><td class="count">{n:,}</td></tr>' for level, n in rows)
    inside = filled("apart.html", sentence=escape(_sentence(apart, len(contents.gallery.rows))), rows=cells, name=name)
    return folding("apart", "Taking apart", "Taking apart", inside)


def _both(level: str, those: Sequence[Assembly]) -> str:
    """A level, and the one that BurrTools prints where this is another."""
    other = other_levels(those)
    return level if other is None else f"{level} (BurrTools prints {other})"


def _sentence(apart: Apart, listed: int) -> str:
    tried, loose = len(apart.assemblies), sum(apart.levels.values())
    what = many(tried, "solution") if tried == listed else f"{tried:,} of {listed:,} solutions listed were tried in the time available"
    checked = sum(a.checked for a in apart.assemblies)
    how = "independent code replayed the moves, and searched again where pieces hold each other"
    sound = f"Checked: {how}." if checked == tried else f"Checked: {checked:,} of {tried:,} ({how})."
    return f"{what}; {loose:,} come{'s' if loose == 1 else ''} apart by sliding pieces. {sound}"


def parting_data(contents: Contents) -> str:
    """Return what the script of this part works with, as an element of the page: of solutions of high level first, while there is room."""
    apart = contents.apart
    if apart is None or not apart.assemblies:
        return ""
    shown = apart.assemblies[:REPORT_APART_SHOWN]
    found: dict[str, Any] = {"levels": [{"level": level, "assemblies": _plain(of)} for level, of in groupby(shown, lambda a: a.level)]}
    if apart.built.puzzle.grid.dimension == 2:
        found["basis"] = basis_of(apart.built)
    return f'<script type="application/json" id="taken">{inside_script(found)}</script>\n'


def _plain(assemblies: Iterable[Assembly]) -> list[dict[str, Any]]:
    return [{"number": a.number, "placements": list(a.names), "taking": taking_as_json(a.built, a.options, a.answer)} for a in assemblies]
