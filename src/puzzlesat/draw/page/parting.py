"""The part of a page in which solutions are taken apart: how many of each level there are, and each step by step."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

from puzzlesat.counting.assemblies import Apart, Assembly, level_words, other_levels, turn_options
from puzzlesat.disassembly.words import checked_words
from puzzlesat.draw.page.contents import Contents
from puzzlesat.draw.page.parts import Part, folding
from puzzlesat.draw.page.taking import basis_of, middle_of, taking_as_json
from puzzlesat.draw.page.template import filled, inside_script
from puzzlesat.errors import many
from puzzlesat.solvers.strategy import REPORT_APART_SHOWN

TAKEN_APART = ("elements.js", "takeapart.js", "apartpage.js")
TAKEN_APART_IN_SPACE = ("elements.js", "takeapart.js", "takeapart3d.js", "apartpage.js")
"""The modules that this part needs, each after those from which it imports."""


HELD, UNDECIDED = "does not come apart", "not decided"


def parting_section(contents: Contents) -> Part | None:
    """Return the part; None where it was not asked whether solutions come apart."""
    apart = contents.apart
    if apart is None:
        return None
    name = escape(contents.report.instance.name + turn_options(apart.turns))
    if not apart.assemblies:
        return folding(
            "apart", "Taking apart", "Taking apart", f"<p>No time was left for this; run <code>puzzlesat apart {name}</code>.</p>"
        )
    by_level = _by_level(apart.assemblies)
    rows = [(escape(_both(level, those)), _range(a.total for a in those), f"{len(those):,}") for level, those in by_level.items()]
    cells = "\n".join(
        f'<tr><th scope="row">{level}</th><td class="count">{moves}</td><td class="count">{n}</td></tr>' for level, moves, n in rows
    )
    inside = filled("apart.html", sentence=escape(_sentence(apart, len(contents.gallery.rows))), rows=cells, name=name)
    return folding("apart", "Taking apart", "Taking apart", inside)


def _both(level: str, those: Sequence[Assembly]) -> str:
    """A level, that it is not known to be the least where that is so, and the one that BurrTools prints where this is another."""
    other = other_levels(those)
    own = level if level in (HELD, UNDECIDED) else level_words(level, those)
    return own if other is None else f"{own}; BurrTools prints {other}"


def _by_level(assemblies: Iterable[Assembly]) -> dict[str, list[Assembly]]:
    """Assemblies by level, the highest first; then those that do not come apart, and those that are not decided."""
    found = defaultdict[str, list[Assembly]](list)
    for each in sorted(assemblies, key=lambda each: each.apart is None):
        found[each.level or (UNDECIDED if each.apart is None else HELD)].append(each)
    return found


def _range(totals: Iterable[int | None]) -> str:
    """How many moves the ways of some assemblies have."""
    known = {total for total in totals if total is not None}
    return "–".join(f"{n:,}" for n in sorted({min(known), max(known)})) if known else ""


def _sentence(apart: Apart, listed: int) -> str:
    tried, loose = len(apart.assemblies), sum(apart.levels.values())
    what = many(tried, "solution") if tried == listed else f"{tried:,} of {listed:,} solutions listed were tried in the time available"
    checked = sum(a.checked for a in apart.assemblies)
    sound = f"Checked{checked_words(checked, tried).removeprefix('checked')}."
    only = ""
    if apart.unique_highest and tried == listed > 1:
        number = apart.assemblies[0].number
        only = f" Only solution {number} comes apart." if apart.unique else f" Only solution {number} has the highest level."
    way = "sliding pieces" if apart.turns is None else f"sliding and turning pieces (bevel {apart.turns})"
    return f"{what}; {loose:,} come{'s' if loose == 1 else ''} apart by {way}.{only} {sound}"


def parting_data(contents: Contents) -> str:
    """Return what the script of this part works with, as an element of the page: of solutions of high level first, while there is room."""
    apart = contents.apart
    if apart is None or not apart.assemblies:
        return ""
    shown = apart.assemblies[:REPORT_APART_SHOWN]
    levels = {HELD: None, UNDECIDED: ""}
    found: dict[str, Any] = {
        "levels": [{"level": levels.get(level, level), "assemblies": _plain(of)} for level, of in _by_level(shown).items()]
    }
    if apart.built.puzzle.grid.dimension == 2:
        found |= {"basis": basis_of(apart.built), "middle": middle_of(apart.built)}
    return f'<script type="application/json" id="taken">{inside_script(found)}</script>\n'


def _plain(assemblies: Iterable[Assembly]) -> list[dict[str, Any]]:
    return [{"number": a.number, "placements": list(a.names), "taking": taking_as_json(a.built, a.options, a.answer)} for a in assemblies]
