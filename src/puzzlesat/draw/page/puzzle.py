"""The puzzle on a page: its form with the facts, and its tiles."""

from __future__ import annotations

from collections import Counter
from html import escape

from puzzlesat.counting.facts import ONLY, facts
from puzzlesat.draw.page.contents import Contents
from puzzlesat.draw.page.counts import FEW_NAMES
from puzzlesat.draw.page.drawings import Drawings
from puzzlesat.draw.page.parts import Part, folding
from puzzlesat.errors import many
from puzzlesat.puzzle.placements import orientations


def form_section(contents: Contents, drawings: Drawings) -> Part:
    """Return the picture of the form, and the facts that a person can check by hand."""
    built = contents.report.built
    form, names = built.puzzle.form, built.problem.symmetries
    kinds = Counter(built.puzzle.grid.atoms[a[-1]].kind for a in form.required)
    of_kinds = f" ({', '.join(f'{n:,} of kind {k}' for k, n in kinds.items())})" if len(kinds) > 1 else ""
    told = [f"{many(len(form.required), 'atom')} to cover{of_kinds}"]
    if form.optional:
        told.append(f"{many(len(form.optional), 'atom')} that may be covered")
    items = [f"<li>{escape(t)}</li>" for t in told]
    told_here = [fact for fact in facts(built) if not fact.text.startswith(ONLY)]  # the rules stand at the top
    items += [f"<li{' class=refuted' if f.impossible else ''}>{escape(f.text)}</li>" for f in told_here]
    allowed = ", ".join(names) if len(names) <= FEW_NAMES else f"{len(names)}, named below"
    items.append(f"<li>symmetries of the form that the rules allow: {escape(allowed)}</li>")
    layers = '<p class="soft">Layers from the lowest to the highest.</p>' if built.puzzle.grid.dimension == 3 else ""
    inside = (
        f'<div class="form{drawings.broad}">\n<figure>{drawings.form}{layers}</figure>\n'
        f'<ul class="facts">\n{chr(10).join(items)}\n</ul>\n</div>'
    )
    return folding("form", "The form", "The form", inside)


def tiles_section(contents: Contents, drawings: Drawings) -> Part:
    """Return the tiles with their copies, orientations and placements."""
    puzzle = contents.report.built.puzzle
    used = Counter(contents.report.built.placements.tile.tolist())
    every = sum(not g.mirror for g in puzzle.grid.motions)
    items = []
    for number, tile in enumerate(puzzle.tiles):
        allowed = puzzle.allowed_symmetries(tile)
        turns = [g.name for g in allowed if not g.mirror]
        copies = (f"{tile.low} copies" if tile.low != 1 else "1 copy") if tile.low == tile.high else _between(tile.low, tile.high)
        flips = "may be flipped" if any(g.mirror for g in allowed) else "not flipped"
        said = (
            [copies, f"{many(used[number], 'placement')}, as listed"]
            if tile.listed
            else [
                f"{copies}, {many(len(orientations(puzzle.grid, tile)), 'orientation')}",
                many(used[number], "placement"),
                flips + (", any turn" if len(turns) == every else f", turns: {', '.join(turns)}"),
            ]
        )
        lines = "".join(f"<span>{escape(s)}</span>" for s in said)
        items.append(f"<li>{drawings.tiles[number]}<div><b>{escape(tile.name)}</b>{lines}</div></li>")
    total = sum(t.low for t in puzzle.tiles)
    heading = f"{many(len(puzzle.tiles), 'tile')}" + (f", {total:,} with copies" if total > len(puzzle.tiles) else "")
    return folding("tiles", "Tiles", heading, f'<ul class="tiles">\n{chr(10).join(items)}\n</ul>\n{drawings.legend}')


def _between(low: int, high: int | None) -> str:
    if high is not None:
        return f"{low} to {high} copies"
    return f"{low} or more copies" if low else "any number"
