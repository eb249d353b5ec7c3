"""The page itself: the templates ``page.html`` and ``gallery.html`` filled with what was counted, with style and script inside."""

from __future__ import annotations

from html import escape
from typing import Any

from puzzlesat.counting.confirmation import joined
from puzzlesat.counting.report_json import report_as_json
from puzzlesat.draw.flat import solution_picture, with_legend
from puzzlesat.draw.isometric import isometric_picture
from puzzlesat.draw.page.contents import Contents, about_list
from puzzlesat.draw.page.counts import counts_section, expected_section, first_lines, key_figures, split_section, verdict_lines, why_none
from puzzlesat.draw.page.drawings import Drawings
from puzzlesat.draw.page.gallery import packed
from puzzlesat.draw.page.parting import TAKEN_APART, TAKEN_APART_IN_SPACE, parting_data, parting_section
from puzzlesat.draw.page.parts import Part, links
from puzzlesat.draw.page.play import PLAYED, board_data, play_section
from puzzlesat.draw.page.puzzle import form_section, tiles_section
from puzzlesat.draw.page.template import filled, head, inside_script, joined_modules, text_of
from puzzlesat.draw.svg import document

MOST_PRINTED_PAGES = 50
SCRIPTS = ("bodies.js", *TAKEN_APART, "page.js")
SCRIPTS_IN_SPACE = ("bodies.js", "bodies3d.js", "solidview.js", *TAKEN_APART_IN_SPACE, "page.js")


def page(contents: Contents, drawings: Drawings, version: str) -> str:
    """Return the page as one HTML document that refers to nothing outside itself; ``version`` is that of the program that makes it.

    The browser is told to load nothing, and to run no script but the page's own.
    """
    instance = contents.report.instance
    play, parting = play_section(contents), parting_section(contents)
    scripts = SCRIPTS_IN_SPACE if instance.puzzle.grid.dimension == 3 else SCRIPTS
    script = joined_modules(scripts) + (joined_modules(PLAYED) if play else "")
    parts = [
        part
        for part in (
            why_none(contents.reason),
            form_section(contents, drawings),
            tiles_section(contents, drawings),
            counts_section(contents),
            expected_section(contents),
            split_section(contents),
            play,
            parting,
            _solutions(contents, drawings),
        )
        if part is not None
    ]
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
        version=escape(version),
        command=f" with <code>{escape(contents.command)}</code>" if contents.command else "",
        report=inside_script(report_as_json(contents.report)),
        data=inside_script(_data(contents, drawings)),
        board=(board_data(contents.report.built) if play else "") + parting_data(contents),
        script=f"<script>{script}</script>\n" if len(contents.gallery.rows) else "",
    )


def _data(contents: Contents, drawings: Drawings) -> dict[str, Any]:
    built = contents.report.built
    gallery = packed(built, contents.gallery)
    return gallery | {
        "instance": built.instance.name,
        "complete": contents.gallery.complete,
        **drawings.as_json(built, gallery["placements"]),
    }


def _origin(contents: Contents) -> str:
    """Who published what, and where the puzzle is from, as far as the instance says so."""
    instance = contents.report.instance
    published = f"\n<p>Published: {escape(instance.expect.published)}</p>" if instance.expect.published else ""
    source = instance.credit
    return published + (f'\n<p class="soft">Source: {escape(source)}</p>' if source else "")


def _first_solution(contents: Contents) -> str:
    """The picture with which the page opens, in space together and exploded; nothing where no solution is listed."""
    if not len(contents.gallery.rows):
        return ""
    built, title = contents.report.built, contents.report.instance.title
    first = [o for o in contents.gallery.rows[0].tolist() if o >= 0]
    drawn = solution_picture(built, first) if built.puzzle.grid.dimension == 2 else isometric_picture(built, first)
    return (
        f'<figure>{document(with_legend(built.puzzle, drawn), title)}<figcaption class="soft">The first solution.</figcaption></figure>\n'
    )


def _shape(contents: Contents, drawings: Drawings) -> str:
    """The class of the opening: the counts stand beside the solution, or below a broad one, or alone where there is none."""
    if not len(contents.gallery.rows):
        return " alone"
    return drawings.broad if contents.report.instance.puzzle.grid.dimension == 2 else ""


WAYS = {"turned": ("turn",), "mirrored": ("mirror", "inversion"), "moved": ("move",)}
"""What symmetries do to a solution, and the words in their names that say so."""


def _ways(contents: Contents) -> str:
    """What the symmetries of the form that the rules allow do to a solution."""
    names = contents.report.built.problem.symmetries
    return joined([way for way, words in WAYS.items() if any(word in name for name in names for word in words)]) or "turned"


def _solutions(contents: Contents, drawings: Drawings) -> Part | None:
    """The gallery; it does not fold, for it is what a reader goes on to."""
    gallery = contents.gallery
    note = f"<p>{escape(about_list(contents.report, gallery))}</p>"
    if not len(gallery.rows):
        return (
            None
            if contents.reason is not None
            else Part("gallery", "Solutions", f'<section id="gallery">\n<h2>Solutions</h2>\n{note}\n</section>')
        )
    inside = filled(
        "gallery.html",
        name=escape(contents.report.instance.name),
        note=note,
        broad=drawings.broad,
        printed_height=drawings.printed_height,
        ways=_ways(contents),
        most_printed_pages=MOST_PRINTED_PAGES,
    )
    return Part("gallery", "Solutions", inside.removesuffix("\n"))
