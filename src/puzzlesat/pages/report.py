"""The page of a report: the templates ``page.html`` and ``gallery.html`` filled with the results, with style and script inside.

The page shows the form with its facts, the tiles, the counts, the solutions and their disassembly, and a board to play on. It needs no
server.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

from puzzlesat.base import Sentence, many
from puzzlesat.counting import Apart, ApartOptions, Assembly, Judgement, facts
from puzzlesat.disassembly import checked_words
from puzzlesat.pages.contents import FEW_NAMES, ReportContents, counts_sections, first_lines, key_figures, verdict_lines, why_none
from puzzlesat.pages.galleries import packed
from puzzlesat.pages.template import PagePart, data_element, filled, folding, head, inside_script, joined_modules, links, text_of
from puzzlesat.pictures import Drawings, TakingApart, board_as_json, solution_svg
from puzzlesat.puzzles import BuiltInstance, orientations

REPORT_APART_SHOWN = 1_000
"""Largest number of solutions whose disassembly steps the page shows; solutions with most moves come first."""


def form_section(contents: ReportContents, drawings: Drawings) -> PagePart:
    """Return the picture of the form, and the facts that can be checked by hand."""
    built = contents.report.built
    form, names = built.puzzle.form, built.problem.symmetries
    kinds = Counter(built.puzzle.grid.atoms[a[-1]].kind for a in form.required)
    of_kinds = f" ({', '.join(f'{n:,} of kind {k}' for k, n in kinds.items())})" if len(kinds) > 1 else ""
    amounts = [f"{many(len(form.required), 'atom')} to cover{of_kinds}"]
    if form.optional:
        amounts.append(f"{many(len(form.optional), 'atom')} that may be covered")
    items = [f"<li>{escape(t)}</li>" for t in amounts]
    told_here = [fact for fact in facts(built) if fact.text not in built.puzzle.solutions.sentences]  # the page's top already has the rules
    items += [f"<li{' class=refuted' if f.impossible else ''}>{escape(f.text)}</li>" for f in told_here]
    allowed = ", ".join(names) if len(names) <= FEW_NAMES else f"{len(names)}, named below"
    items.append(f"<li>symmetries of the form that the rules allow: {escape(allowed)}</li>")
    layers = '<p class="soft">Layers from the lowest to the highest.</p>' if built.puzzle.grid.dimension == 3 else ""
    inside = (
        f'<div class="form{drawings.broad}">\n<figure>{drawings.form}{layers}</figure>\n'
        f'<ul class="facts">\n{chr(10).join(items)}\n</ul>\n</div>'
    )
    return folding("form", "The form", "The form", inside)


def tiles_section(contents: ReportContents, drawings: Drawings) -> PagePart:
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
        details = (
            [copies, f"{many(used[number], 'placement')}, as listed"]
            if tile.listed
            else [
                f"{copies}, {many(len(orientations(puzzle.grid, tile)), 'orientation')}",
                many(used[number], "placement"),
                flips + (", any turn" if len(turns) == every else f", turns: {', '.join(turns)}"),
            ]
        )
        lines = "".join(f"<span>{escape(s)}</span>" for s in details)
        items.append(f"<li>{drawings.tiles[number]}<div><b>{escape(tile.name)}</b>{lines}</div></li>")
    total = sum(t.low for t in puzzle.tiles)
    heading = f"{many(len(puzzle.tiles), 'tile')}" + (f", {total:,} with copies" if total > len(puzzle.tiles) else "")
    return folding("tiles", "Tiles", heading, f'<ul class="tiles">\n{chr(10).join(items)}\n</ul>\n{drawings.legend}')


def _between(low: int, high: int | None) -> str:
    if high is not None:
        return f"{low} to {high} copies"
    return f"{low} or more copies" if low else "any number"


TAKEN_APART = ("elements.js", "takeapart.js", "apartpage.js")
"""The modules of this section, each after its imports."""


HELD, UNDECIDED = "does not come apart", "not decided"


def parting_section(contents: ReportContents) -> PagePart | None:
    """Return the section; None if disassembly was not requested."""
    apart = contents.apart
    if apart is None:
        return None
    name = escape(contents.report.instance.name + ApartOptions(turns=apart.turns).turn_options)
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


def _both(level: str, assemblies: Sequence[Assembly]) -> str:
    """A level in words: whether it is known to be minimal, and the level that BurrTools prints if it differs."""
    other = Assembly.other_levels(assemblies)
    words = level if level in (HELD, UNDECIDED) else Assembly.level_words(assemblies)
    return words if other is None else f"{words}; BurrTools prints {other}"


def _by_level(assemblies: Iterable[Assembly]) -> dict[str, list[Assembly]]:
    """Assemblies by level, highest first; then those that cannot be taken apart, then undecided ones."""
    by_level = defaultdict[str, list[Assembly]](list)
    for assembly in sorted(assemblies, key=lambda assembly: assembly.apart is None):
        by_level[assembly.level or (UNDECIDED if assembly.apart is None else HELD)].append(assembly)
    return by_level


def _range(totals: Iterable[int | None]) -> str:
    """The range of the numbers of moves of assemblies."""
    numbers = {total for total in totals if total is not None}
    return "–".join(f"{n:,}" for n in sorted({min(numbers), max(numbers)})) if numbers else ""


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


def parting_data(contents: ReportContents) -> str:
    """Return the element with this section's data for the script, for the first ``REPORT_APART_SHOWN`` assemblies."""
    apart = contents.apart
    if apart is None or not apart.assemblies:
        return ""
    shown = apart.assemblies[:REPORT_APART_SHOWN]
    levels = {HELD: None, UNDECIDED: ""}
    data: dict[str, Any] = {
        "levels": [{"level": levels.get(level, level), "assemblies": _plain(of)} for level, of in _by_level(shown).items()]
    }
    if apart.built.puzzle.grid.dimension == 2:
        data |= _drawn(shown[0]).lattice()
    return data_element("taken", data)


def _drawn(assembly: Assembly) -> TakingApart:
    return TakingApart(assembly.built, assembly.options, assembly.answer)


def _plain(assemblies: Iterable[Assembly]) -> list[dict[str, Any]]:
    return [{"number": a.number, "placements": list(a.names), "taking": _drawn(a).as_json()} for a in assemblies]


OF_BOARDS = (
    "elements.js", "packing.js", "boardwords.js", "lookup.js", "table.js", "moment.js", "tray.js", "drag.js", "board.js", "offline.js",
)  # fmt: skip
"""The modules of a board that needs no server, each after its imports."""
PLAYED = (*OF_BOARDS, "wording.js", "playable.js")
"""``OF_BOARDS`` and the module that starts the boards of a page."""
MAX_PLACEMENTS = 50_000
"""Largest number of placements for a board on the page."""


def play_section(contents: ReportContents) -> PagePart | None:
    """Return the section in which the puzzle is played; None if no solution is known, or the board would be too large."""
    if not len(contents.gallery.rows) or len(contents.report.built.placements) > MAX_PLACEMENTS:
        return None
    inside = (
        '<p class="soft screen">Drag the pieces, or choose one and tap a place. R turns, F flips, Ctrl+Z takes back a step; '
        "by keyboard, Enter picks up and puts down, and arrow keys move.</p>\n"
        '<div class="playable"><p class="soft">This part needs a browser that runs the script in this page.</p></div>'
    )
    return folding("play", "Play", escape("Play it yourself"), inside)


def board_data(built: BuiltInstance) -> str:
    """Return the element with the data of the board."""
    return data_element("board", board_as_json(built, name=built.instance.name, title=built.instance.title))


MAX_PRINTED_PAGES = 50
SCRIPTS = ("bodies.js", "packing.js", *TAKEN_APART, "page.js")
SCRIPTS_IN_SPACE = ("bodies.js", "bodies3d.js", "elements.js", "solidview.js", "takeapart.js", "apartpage.js", "packing.js", "page.js")


def page(contents: ReportContents) -> str:
    """Return the page as one HTML document without external references.

    Its policy forbids the browser to load anything, and to run any other script than the page's own.
    """
    instance, drawings = contents.report.instance, Drawings.of(contents.report.built)
    play = play_section(contents)
    scripts = SCRIPTS_IN_SPACE if instance.puzzle.grid.dimension == 3 else SCRIPTS
    script = joined_modules(scripts) + (joined_modules(PLAYED) if play else "")
    sections = [
        why_none(contents.reason),
        form_section(contents, drawings),
        tiles_section(contents, drawings),
        *counts_sections(contents),
        play,
        parting_section(contents),
        _solutions(contents, drawings),
    ]
    parts = [part for part in sections if part is not None]
    title, style = escape(instance.title), text_of("page.css") + (text_of("board.css") if play else "")
    return filled(
        "page.html",
        head=head(title + (" (incomplete)" if contents.interrupted else ""), style, script),
        title=title,
        name=escape(instance.name),
        grid=escape(instance.puzzle.grid.title),
        origin=_origin(contents),
        shape=_shape(contents, drawings),
        solution=_first_solution(contents),
        sentence=first_lines(contents),
        contents=links(parts),
        figures=key_figures(contents),
        verdicts=verdict_lines(contents),
        parts="\n".join(part.html for part in parts),
        command=f" with <code>{escape(contents.command)}</code>" if contents.command else "",
        report=inside_script(Judgement(contents.report).as_json()),
        data=inside_script(_data(contents, drawings)),
        board=(board_data(contents.report.built) if play else "") + parting_data(contents),
        script=f"<script>{script}</script>\n" if len(contents.gallery.rows) else "",
    )


def _data(contents: ReportContents, drawings: Drawings) -> dict[str, Any]:
    built = contents.report.built
    gallery = packed(built, contents.gallery)
    return gallery | {
        "instance": built.instance.name,
        "complete": contents.gallery.complete,
        **drawings.as_json(built, gallery["placements"]),
    }


def _origin(contents: ReportContents) -> str:
    """The published result and the source of the puzzle, as far as the instance has them."""
    instance = contents.report.instance
    published = f"\n<p>Published: {escape(instance.expect.published)}</p>" if instance.expect.published else ""
    source = instance.credit
    return published + (f'\n<p class="soft">Source: {escape(source)}</p>' if source else "")


def _first_solution(contents: ReportContents) -> str:
    """The first picture of the page, in space together and exploded; empty if no solution is listed."""
    if not len(contents.gallery.rows):
        return ""
    first = [o for o in contents.gallery.rows[0].tolist() if o >= 0]
    drawn = solution_svg(contents.report.built, first, space="bodies")
    return f'<figure>{drawn}<figcaption class="soft">The first solution.</figcaption></figure>\n'


def _shape(contents: ReportContents, drawings: Drawings) -> str:
    """The CSS class of the page's top: counts beside the solution, below a broad one, or alone if there is none."""
    if not len(contents.gallery.rows):
        return " alone"
    return drawings.broad if contents.report.instance.puzzle.grid.dimension == 2 else ""


WAYS = {"turned": ("turn",), "mirrored": ("mirror", "inversion"), "moved": ("move",)}
"""Effects of symmetries on a solution, and the words in the symmetries' names that imply them."""


def _ways(contents: ReportContents) -> str:
    """The effects on a solution of the symmetries that the rules allow."""
    names = contents.report.built.problem.symmetries
    return Sentence.joined([way for way, words in WAYS.items() if any(word in name for name in names for word in words)]) or "turned"


def _solutions(contents: ReportContents, drawings: Drawings) -> PagePart | None:
    """The gallery. It does not fold, because it is the main part of the page."""
    gallery = contents.gallery
    note = f"<p>{escape(contents.about_list)}</p>"
    if not len(gallery.rows):
        return (
            None
            if contents.reason is not None
            else PagePart("gallery", "Solutions", f'<section id="gallery">\n<h2>Solutions</h2>\n{note}\n</section>')
        )
    inside = filled(
        "gallery.html",
        name=escape(contents.report.instance.name),
        note=note,
        broad=drawings.broad,
        printed_height=drawings.printed_height,
        ways=_ways(contents),
        most_printed_pages=MAX_PRINTED_PAGES,
    )
    return PagePart("gallery", "Solutions", inside.removesuffix("\n"))
