"""The page itself: what was counted, as HTML with its style and its script inside."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Mapping
from hashlib import sha256
from html import escape
from importlib.resources import files
from typing import Any

from puzzlesat import __version__
from puzzlesat.counting.confirmation import joined
from puzzlesat.counting.report_json import report_as_json
from puzzlesat.draw.page.contents import Contents, about_list
from puzzlesat.draw.page.counts import counts_section, expected_section, first_lines, key_figures, split_section, verdict_lines, why_none
from puzzlesat.draw.page.drawings import Drawings
from puzzlesat.draw.page.gallery import packed
from puzzlesat.draw.page.parts import Part, links
from puzzlesat.draw.page.puzzle import form_section, tiles_section

MOST_PRINTED_PAGES = 50
NOTHING_ELSE = "default-src 'none'; base-uri 'none'; form-action 'none'"
"""The browser is told to load nothing, and to run no script but the page's own."""


def page(contents: Contents, drawings: Drawings) -> str:
    """Return the page as one HTML document that refers to nothing outside itself."""
    puzzle = contents.report.built.puzzle
    style, *scripts = (files(__package__).joinpath(name).read_text(encoding="utf-8") for name in ("page.css", "bodies.js", "page.js"))
    script = "".join(scripts)
    data = _data(contents, drawings)
    unfinished = " (incomplete)" if contents.interrupted else ""
    policy = f"{NOTHING_ELSE}; style-src 'unsafe-inline'; img-src data:; script-src 'sha256-{_digest(script)}'"
    parts = [
        part
        for part in (
            why_none(contents.reason),
            form_section(contents, drawings),
            tiles_section(contents, drawings),
            counts_section(contents),
            expected_section(contents),
            split_section(contents),
            _solutions(contents, drawings),
        )
        if part is not None
    ]
    body = [
        _header(contents),
        first_lines(contents),
        links(parts),
        key_figures(contents),
        verdict_lines(contents),
        *(part.html for part in parts),
        f"<footer><p>Made by puzzlesat {__version__}"
        + (f" with <code>{escape(contents.command)}</code>" if contents.command else "")
        + "</p></footer>",
    ]
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n<meta name="color-scheme" content="light dark">\n'
        f"<title>{escape(puzzle.title)}{unfinished}</title>\n<style>\n{style}</style>\n</head>\n<body>\n"
        + "\n".join(body)
        + f'\n<script type="application/json" id="report">{_json(report_as_json(contents.report))}</script>\n'
        + f'<script type="application/json" id="data">{_json(data)}</script>\n'
        + (f"<script>{script}</script>\n" if len(contents.gallery.rows) else "")
        + "</body>\n</html>\n"
    )


def _digest(script: str) -> str:
    return b64encode(sha256(script.encode()).digest()).decode("ascii")


def _json(data: Mapping[str, Any]) -> str:
    """JSON that may stand in a script element, whatever the names in it."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _data(contents: Contents, drawings: Drawings) -> dict[str, Any]:
    built = contents.report.built
    gallery = packed(built, contents.gallery)
    return gallery | {
        "instance": built.puzzle.name,
        "complete": contents.gallery.complete,
        **drawings.as_json(built, gallery["placements"]),
    }


def _header(contents: Contents) -> str:
    puzzle = contents.report.built.puzzle
    lines = [f"<h1>{escape(puzzle.title)}</h1>", f'<p class="soft"><code>{escape(puzzle.name)}</code> · {escape(puzzle.grid.title)}</p>']
    if puzzle.expect.published:
        lines.append(f"<p>Published: {escape(puzzle.expect.published)}</p>")
    if source := puzzle.expect.source or puzzle.source:
        lines.append(f'<p class="soft">Source: {escape(source)}</p>')
    return "<header>\n" + "\n".join(lines) + "\n</header>"


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
    caption = '<figcaption class="soft">The first solution, together and exploded.</figcaption>'
    body = f'<figure class="solid">{drawings.solid}{caption}</figure>' if drawings.solid else ""
    inside = f"""<section id="gallery" style="--printed-height:{drawings.printed_height}mm">
<h2>Distinct solutions</h2>
{note}
{body}
<noscript><p class="alarm">The gallery needs JavaScript; <code>puzzlesat solve {escape(contents.report.built.puzzle.name)} --distinct --all</code> prints the same solutions.</p></noscript>
<p class="alarm" id="missing" role="status" hidden></p>
<details class="choice" id="filter" open>
<summary>Choose tile and place</summary>
<div class="filter{drawings.broad}">
<div><svg id="place" role="listbox" tabindex="0" aria-label="Places of the form; arrow keys move, Enter chooses" aria-describedby="how"></svg></div>
<div>
<p id="how" aria-live="polite"></p>
<div id="tile-buttons" role="group" aria-label="Tiles"></div>
<label>Solutions: <select id="images">
<option value="once">each once, {_ways(contents)} as need be</option>
<option value="each">every image by itself, as the puzzle may lie on the table</option>
<option value="listed">only as they are listed</option>
</select></label>
<p class="small" id="as-listed" hidden>The images of these solutions are too many for this page: numbers and shades speak of the solutions as they are listed.</p>
<label>Symmetry of the solution: <select id="symmetry"></select></label>
<label>Pages of solutions when printed: <input id="pages" type="number" min="0" max="{MOST_PRINTED_PAGES}" value="2"> <button type="button" id="print">Print</button></label>
</div>
</div>
</details>
<div id="bar">
<span id="matches" role="status" tabindex="-1"></span>
<ul id="chips" aria-label="Conditions"></ul>
<span class="end"><a href="#filter">Choose tile and place</a> <button type="button" id="reset">Reset</button></span>
</div>
<p id="nothing" class="screen" hidden>No solution listed here meets all conditions; drop one of them.</p>
<div id="grid" role="listbox" tabindex="0" aria-label="Solutions; arrow keys move, Enter opens"></div>
<div id="sheets"></div>
<dialog id="one" aria-labelledby="one-title">
<header><h2 id="one-title"></h2><span class="soft" id="one-where"></span>
<span class="end"><button type="button" id="before" aria-label="Solution before">←</button> <button type="button" id="after" aria-label="Solution after">→</button> <button type="button" id="copy">Copy the notation</button> <button type="button" id="close">Close</button></span></header>
<p id="one-symmetry"></p>
<div id="one-picture"></div>
<p class="soft">A click on a tile keeps it there and leaves only the solutions that have it.</p>
<ul id="one-names" aria-label="Placements"></ul>
</dialog>
</section>"""  # noqa: E501 - lines of HTML
    return Part("gallery", "Solutions", inside)
